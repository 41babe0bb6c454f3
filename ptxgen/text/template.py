"""Jinja templates -> PTX text -> ir.

`render("saxpy.ptx.j2", type="f32", unroll=4)`. Parameters are declared in the template (template_parameters.py) and
checked before anything is rendered; errors, and the sources of every instruction, name the template's line besides that
of the rendered text. Jinja is loaded on the first call.

A template runs in a sandbox (template_engine.py): it reaches no private names of Python, changes no object, and includes
files of its folder, of `search` and of the library only. `limits` renders it in a child process besides.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ptxgen.errors import Diagnostic, TemplateError
from ptxgen.text.files import read_source
from ptxgen.text.template_files import LIBRARY, TemplateFiles, find_template

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import FrameType

    from ptxgen.errors import Location
    from ptxgen.ir import Module
    from ptxgen.text.template_limits import TemplateLimits

__all__ = ["render", "render_settings", "render_text", "rendered"]


def render(
    template: str | Path,
    /,
    *,
    search: Iterable[str | Path] = (),
    trust: bool = False,
    limits: TemplateLimits | None = None,
    **parameters: object,
) -> Module:
    """The module that a template file makes with these parameters. It is parsed, not verified.

    A path that is not absolute is looked up from the working directory, next to the caller's file, in the folders of
    `search`, and among ptxgen's own templates, in this order; what a template includes, next to that template first.

    The sandbox has no limit of time and memory; `limits` is for templates of strangers and costs the start of a Python
    interpreter. `trust` is for your own ones: no sandbox, any file may be included.

    Raises TemplateError (no such template, wrong parameters, an error while rendering) and PtxSyntaxError.
    """
    folders = tuple(str(folder) for folder in search)
    beside = _caller_folder()
    first = (str(Path()), *([beside] if beside else []), *folders)
    path = find_template(str(template), first)
    if path is None:
        looked = dict.fromkeys((str(Path.cwd()), *first[1:], str(LIBRARY)))
        finding = Diagnostic("PTX150", f"no template {str(template)!r}", expected=f"a file in {', '.join(looked)}")
        raise TemplateError("", [finding])
    return _module(read_source(path), str(path), TemplateFiles(folders, trust), limits, parameters)


def render_text(
    source: str,
    /,
    *,
    name: str = "<template>",
    search: Iterable[str | Path] = (),
    trust: bool = False,
    limits: TemplateLimits | None = None,
    **parameters: object,
) -> Module:
    """Like `render`, for a template given as text; messages call it `name`. It includes files of `search` and of the library,
    and of the folder of `name` where one is given."""
    return _module(source, name, TemplateFiles(tuple(str(folder) for folder in search), trust), limits, parameters)


def render_settings(
    path: Path,
    settings: Mapping[str, str],
    *,
    target: str | None = None,
    trust: bool = False,
    source: str | None = None,
) -> Module:
    """Like `render`, with parameters as texts, for tools; `target` is given to a template that has this parameter.
    A template that is not trusted is rendered under limits. `source` is its text where the file has another, as in an editor."""
    from ptxgen.text.template_limits import TemplateLimits

    limits = None if trust else TemplateLimits()
    text = read_source(path) if source is None else source
    return _module(text, str(path), TemplateFiles((), trust), limits, {}, settings, target)


def _module(
    source: str,
    name: str,
    files: TemplateFiles,
    limits: TemplateLimits | None,
    parameters: Mapping[str, object],
    texts: Mapping[str, str] | None = None,
    target: str | None = None,
) -> Module:
    from ptxgen.text.parser import parse

    places: Sequence[Location]
    if limits is None:
        text, places = rendered(source, name, files, parameters, texts, target)
    elif files.trust:
        raise TypeError("trust=True is without limits: give trust or limits")
    else:
        from ptxgen.text.template_process import rendered_in_child

        given = {key: _repeatable(value) for key, value in parameters.items()}
        request = {"source": source, "name": name, "folders": files.folders, "parameters": given}
        text, places = rendered_in_child({**request, "texts": texts, "target": target}, limits)
    return parse(text, f"<rendered {Path(name).name}>" if name[:1] != "<" else "<rendered>", template=places)


def rendered(
    source: str,
    name: str,
    files: TemplateFiles,
    parameters: Mapping[str, object],
    texts: Mapping[str, str] | None = None,
    target: str | None = None,
) -> tuple[str, Sequence[Location]]:
    """The text that a template makes in this process, and the place in the templates that made each of its lines."""
    from ptxgen.text.template_engine import compiled, unknown
    from ptxgen.text.template_parameters import check, declarations, from_texts

    declared = declarations(source, name)
    template = compiled(source, name, files)
    if texts is not None:
        parameters = from_texts(declared, texts, target)
    if declared:
        values: dict[str, Any] = check(declared, parameters, name)
    else:
        findings = unknown(template, parameters)
        if findings:
            raise TemplateError(f"{name}: wrong parameters", findings)
        values = {key: _repeatable(value) for key, value in parameters.items()}
    return template.render(values)


def _repeatable(value: object) -> object:
    """A template is rendered twice: an iterator would be empty the second time."""
    return tuple(value) if isinstance(value, Iterator) else value


def _caller_folder() -> str | None:
    """The folder of the innermost caller outside this room and the package's public `render`."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        module = str(frame.f_globals.get("__name__"))
        if module not in ("ptxgen", "ptxgen.verifier.templates") and not module.startswith("ptxgen.text"):
            file = frame.f_globals.get("__file__")
            return str(Path(file).resolve().parent) if isinstance(file, str) else None
        frame = frame.f_back
    return None
