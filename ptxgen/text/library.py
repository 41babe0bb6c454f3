"""Templates that come with ptxgen, and are functions of Python besides: neither Jinja is loaded for one, nor much else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ptxgen.text.files import TEMPLATES, read_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.errors import Location
    from ptxgen.ir import Module
    from ptxgen.text.template_engine import Compiled

__all__ = ["library_source", "render_library"]


def library_source(template: str) -> str:
    """The text of a template."""
    return read_source(os.path.join(TEMPLATES, template))


def render_library(template: str, compiled: Callable[..., str] | None, /, **parameters: object) -> Module:
    """Like `ptxgen.render`, for a template of ptxgen's own, all of which declare their parameters. `compiled` is that template as
    a function of Python; Jinja is loaded where there is none, where it fails, and when a place in the template is asked for."""
    from ptxgen.text.parser import parse
    from ptxgen.text.template_parameters import check, declarations
    from ptxgen.text.template_places import Places

    source, name = library_source(template), os.path.join(TEMPLATES, template)
    values = check(declarations(source, name), parameters, name)

    def by_jinja() -> Compiled:
        from ptxgen.text.template_engine import compiled
        from ptxgen.text.template_files import TemplateFiles

        return compiled(source, name, TemplateFiles())

    def places() -> list[Location]:
        return by_jinja().places(text, values)

    try:
        known = None if compiled is None else compiled(**values)
    except Exception:  # Jinja fails too, and its error names the line
        known = None
    text = by_jinja().render(values)[0] if known is None else known
    return parse(text, f"<rendered {template}>", template=Places(places))
