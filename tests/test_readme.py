"""Every code block of README.md, CONTRIBUTING.md and docs/ runs, in order, as a reader would try it, on the device under test.

A block whose first line is a comment with a file's name becomes that file; ```python blocks are run, all of a document in one
namespace; ```console blocks are run in a shell, command by command. A ```text block right after another is what that one must
print, on any device; a line of it that says `...` stands for any lines. ```python torch and what follows is skipped where
PyTorch is not installed. ```sh blocks start this repository's own tools (they run in .ci/run) and are only checked to name files
that are there. ```{literalinclude} shows a file, which has tests of its own.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.driver_ctypes.kit import open_driver

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
LANGUAGES = {"python", "jinja", "ptx", "console", "mermaid", "text", "sh", "yaml", "{literalinclude}"}

_BLOCK = re.compile(r"^```(\w*|\{literalinclude\}(?= \S))(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INCLUDED = re.compile(r"^```\{literalinclude\} (\S+)$", re.MULTILINE)
_FILE = re.compile(r"(?:#|//|\{#) (\S+\.(?:py|ptx|j2))\b.*")


class Block(NamedTuple):
    """One fenced block: its language, text and line in the document, the ```text block that follows at once, if one does, and
    the package that it needs."""

    language: str
    text: str
    line: int
    printed: str | None
    needs: str | None


def blocks(document: Path) -> list[Block]:
    text = document.read_text("utf-8")
    found = list(_BLOCK.finditer(text))
    made = []
    for match, following in zip(found, [*found[1:], None]):
        printed = None
        if following is not None and following[1] == "text" and not text[match.end() : following.start()].strip():
            printed = following[3]
        needs = match[2] if match[1] == "python" else None
        made.append(Block(match[1], match[3], text.count("\n", 0, match.start()) + 2, printed, needs))
    return made


def assert_printed(printed: str, expected: str, where: str) -> None:
    """`...` on a line of its own in what is expected stands for any lines; runs of blanks at line ends do not count."""
    tidy = "\n".join(line.rstrip() for line in printed.strip("\n").splitlines())
    parts = re.split(r"^\.\.\.$\n?", expected.strip("\n") + "\n", flags=re.MULTILINE)
    pattern = r"(?:.*\n)*".join(re.escape(part) for part in parts)
    assert re.fullmatch(pattern, tidy + "\n"), f"{where} prints\n{tidy}\nnot\n{expected}"


class Reader:
    """Somebody who tries a document's blocks in an empty folder."""

    def __init__(self, document: Path) -> None:
        self.document = document
        self.names: dict[str, Any] = {"__name__": "__main__"}

    def try_(self, block: Block) -> None:
        where = f"{self.document.name}:{block.line}"
        first = _FILE.match(block.text)
        name = first[1] if first else f"line_{block.line}.{'py' if block.language == 'python' else 'txt'}"
        if first or block.language == "python":
            Path(name).write_text(block.text)
            importlib.invalidate_caches()  # a later block may import it
        printed = ""
        if block.language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(block.text, name, "exec", dont_inherit=True), self.names)
            printed = out.getvalue()
        elif block.language == "console":
            printed = self.shell(block.text)
        elif block.language == "sh":
            for script in re.findall(r"\S+\.py\b|\.ci/\S+", block.text):
                assert (ROOT / script).exists(), f"{where}: no {script} in this repository"
        if block.printed is not None:
            assert_printed(printed, block.printed, where)

    def shell(self, text: str) -> str:
        """The commands after `$ `, in this process; what they print."""
        from click.testing import CliRunner

        from ptxgen.cli.app import app

        printed = ""
        for line in text.replace("\\\n", " ").splitlines():
            command = shlex.split(line.removeprefix("$ "), comments=True)
            assert command[0] == "ptxgen", f"a console block runs ptxgen, not {command[0]}"
            result = CliRunner().invoke(app, command[1:], prog_name="ptxgen")
            if result.exception is not None and not isinstance(result.exception, SystemExit):
                raise result.exception
            assert result.exit_code in (0, 1), result.output
            printed += result.output
        return printed


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_block_runs(
    document: Path, device_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, assembler: object
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PTXGEN_DEVICE", device_name)
    monkeypatch.setattr(sys, "path", [os.curdir, *sys.path])
    open_driver("cpu")  # an installed ptxgen has an entry point for it; this Python may run the checkout as it is
    reader = Reader(document)
    for block in blocks(document):
        if block.needs is not None and importlib.util.find_spec(block.needs) is None:
            pytest.skip(f"{document.name}:{block.line} needs {block.needs}, which is not installed")
        reader.try_(block)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_block_says_its_language(document: Path) -> None:
    unknown = [
        f"line {block.line}: {block.language!r}" for block in blocks(document) if block.language not in LANGUAGES
    ]
    assert not unknown


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_into_the_repository_leads_somewhere(document: Path) -> None:
    prose = _BLOCK.sub("", document.read_text("utf-8"))
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", re.sub(r"`[^`]*`", "", prose))
    links += _INCLUDED.findall(document.read_text("utf-8"))
    missing = [link for link in links if not (document.parent / link).exists()]
    assert not missing


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8")) < 9000


def test_the_index_leads_to_every_page() -> None:
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")} - {"index.md"}
    assert sorted(pages - set(re.findall(r"\]\((\S+\.md)\)", index))) == []


def test_a_wrong_output_is_noticed() -> None:
    assert_printed("a\nb\nc\n", "a\n...\nc\n", "here")
    for wrong in ("a\nc\n", "a\n...\nb\n", "...\nd\n"):
        with pytest.raises(AssertionError):
            assert_printed("a\nb\nc\n", wrong, "here")
