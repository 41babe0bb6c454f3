"""Jinja templates -> PTX text -> ir.

`render("saxpy.ptx.j2", type="f32", unroll=4)`. Parameters are declared in the template (template_parameters.py) and
checked before anything is rendered; errors, and the sources of every instruction, name the template's line besides that
of the rendered text. Jinja is loaded on the first call.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ptxgen.errors import Diagnostic, TemplateError
from ptxgen.text.files import read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType

    from ptxgen.ir import Module

__all__ = ["LIBRARY", "render", "render_text"]

LIBRARY = Path(__file__).resolve().parent.parent / "kernels" / "templates"
"""The templates that come with ptxgen; the last place where a name is looked up."""


def render(template: str | Path, /, *, search: Iterable[str | Path] = (), **parameters: object) -> Module:
    """The module that a template file makes with these parameters. It is parsed, not verified.

    A path that is not absolute is looked up from the working directory, next to the caller's file, in the folders of
    `search`, and among ptxgen's own templates, in this order; what a template includes, next to that template first.

    Raises TemplateError (no such template, wrong parameters, an error while rendering) and PtxSyntaxError.
    """
    folders = tuple(str(folder) for folder in search)
    beside = _caller_folder()
    first = (*([beside] if beside else []), *folders)
    path = _find(str(template), Path(), first)
    if path is None:
        looked = dict.fromkeys((str(Path.cwd()), *first, str(LIBRARY)))
        finding = Diagnostic("PTX150", f"no template {str(template)!r}", expected=f"a file in {', '.join(looked)}")
        raise TemplateError("", [finding])
    return _render(read_source(path), str(path), folders, parameters)


def render_text(
    source: str, /, *, name: str = "<template>", search: Iterable[str | Path] = (), **parameters: object
) -> Module:
    """Like `render`, for a template given as text; messages call it `name`."""
    return _render(source, name, tuple(str(folder) for folder in search), parameters)


def _render(source: str, name: str, folders: tuple[str, ...], parameters: dict[str, object]) -> Module:
    from ptxgen.text.parser import parse
    from ptxgen.text.template_engine import compiled, unknown
    from ptxgen.text.template_parameters import check

    template = compiled(source, name, _finder(folders))
    if template.declared:
        values: dict[str, Any] = check(template.declared, parameters, name)
    else:
        findings = unknown(template, parameters)
        if findings:
            raise TemplateError(f"{name}: wrong parameters", findings)
        values = {key: _repeatable(value) for key, value in parameters.items()}
    text, places = template.render(values)
    return parse(text, f"<rendered {Path(name).name}>" if name[:1] != "<" else "<rendered>", template=places)


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


def _find(name: str, beside: Path, folders: tuple[str, ...]) -> Path | None:
    """The file of that name, looked up in the documented order."""
    path = Path(name)
    # Joining an absolute path to a folder gives that path.
    places = (folder / path for folder in (beside, *map(Path, folders), LIBRARY))
    return next((place for place in places if place.is_file()), None)


@lru_cache(maxsize=16)
def _finder(folders: tuple[str, ...]) -> Callable[[str, Path], Path | None]:
    return lambda name, beside: _find(name, beside, folders)
