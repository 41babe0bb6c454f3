"""docs/*.md as pages of the site.

Links that lead out of docs/ become links to pages with the file's text. The contents are what docs/index.md lists: a part for
each of its headings with tables, in the order of their rows.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

from tools.site.charts import with_charts
from tools.site.pages import Page, block, code, contents, plain, table

__all__ = ["index_parts", "narrative_pages"]

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
BESIDE = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Documents at the root of the repository that are pages too."""

_HOME = {"README.md": "index.md", **BESIDE}
_CODE = re.compile(r"^```.*?^```$|`[^`]+`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)#\s]+)(#[^)\s]*)?(?=\))")
_INCLUDED = re.compile(r"(?<=^```\{literalinclude\} )(\S+)$", re.MULTILINE)
_LANGUAGES = {".py": "python", ".j2": "jinja", ".ptx": "ptx", ".toml": "toml", ".yaml": "yaml", ".md": "markdown"}


def narrative_pages(generated: tuple[str, ...], source: Path) -> Iterator[Page]:
    """Every document, with the files that they link to. The contents also list the `generated` pages; `source` is the
    folder that the pages go to."""
    linked: dict[Path, str] = {}
    documents = {path: path.relative_to(DOCS).as_posix() for path in sorted(DOCS.rglob("*.md"))}
    documents |= {ROOT / name: page for name, page in BESIDE.items()}
    for path, page in documents.items():
        text = _rewritten(path, page, linked, source)
        if page == "index.md":
            text = f"{text}\n{_contents(text, generated)}"
        yield Page(page, text)
    for target, page in sorted(linked.items()):
        yield Page(page, _folder(target, linked) if target.is_dir() else _file(target))


def index_parts(index: str) -> dict[str, list[str]]:
    """Heading -> the pages that the tables below it link to, each page in its first place."""
    parts: dict[str, list[str]] = {}
    seen: set[str] = set()
    for part in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        heading, _, body = part.partition("\n")
        rows = "\n".join(line for line in body.splitlines() if line.startswith("|"))
        pages = [name for name in re.findall(r"\]\(/?([^):#]+)\.md\)", rows) if not name.startswith("sources/")]
        new = [name for name in dict.fromkeys(pages) if name not in seen]
        seen.update(new)
        if new:
            parts[heading.strip()] = new
    return parts


def _contents(index: str, generated: tuple[str, ...]) -> str:
    lists = [contents(pages, heading) for heading, pages in index_parts(index).items()]
    return "\n".join([*lists, contents(generated, "Reference")])


# ---- links -----------------------------------------------------------------------------------------------------------


def _rewritten(path: Path, page: str, linked: dict[Path, str], source: Path) -> str:
    """The document with its links as they are on the site; what they lead to is added to `linked`."""

    def link(match: re.Match[str]) -> str:
        target = Path(os.path.normpath(path.parent / match[1]))
        anchor = match[2] or ""
        if target.suffix == ".md" and target.is_relative_to(DOCS):
            return f"/{target.relative_to(DOCS).as_posix()}{anchor}"
        inside = target.relative_to(ROOT).as_posix()
        if inside in _HOME:
            return f"/{_HOME[inside]}{anchor}"
        return "/" + linked.setdefault(target, f"sources/{inside}.md") + anchor

    def included(match: re.Match[str]) -> str:
        return os.path.relpath(path.parent / match[1], (source / page).parent)

    text = path.read_text("utf-8")
    parts, at = [], 0
    for part in _CODE.finditer(text):
        parts += [_LINK.sub(link, text[at : part.start()]), _INCLUDED.sub(included, with_charts(part[0]))]
        at = part.end()
    return "".join([*parts, _LINK.sub(link, text[at:])])


# ---- files of the repository -----------------------------------------------------------------------------------------


def _head(path: Path) -> str:
    return f"---\norphan: true\n---\n\n# {plain(path.relative_to(ROOT).as_posix())}\n\n"


def _file(path: Path) -> str:
    return _head(path) + block(path.read_text("utf-8"), _LANGUAGES.get(path.suffix, "text"))


def _folder(path: Path, linked: dict[Path, str]) -> str:
    """The files of a folder, each with the first line that it says of itself."""
    rows = []
    for each in sorted(path.iterdir()):
        if each.name.startswith((".", "__pycache__")):
            continue
        name = code(each.name + "/" * each.is_dir())
        rows.append((f"[{name}](/{linked[each]})" if each in linked else name, plain(_about(each))))
    return _head(path) + table(("file", ""), rows)


def _about(path: Path) -> str:
    module = path / "__init__.py" if path.is_dir() else path
    if module.suffix != ".py" or not module.exists():
        return ""
    return (ast.get_docstring(ast.parse(module.read_text("utf-8"))) or "").partition("\n")[0]
