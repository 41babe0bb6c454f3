"""What Sphinx asks of us while it builds: docs/conf.py names this module as an extension."""

from __future__ import annotations

import os
from typing import Any

from ptxgen.text.highlighting import PtxLexer
from tools.site.docstrings import restructured

__all__ = ["setup"]

_BEFORE_THE_THEME = 100


def setup(app: Any) -> dict[str, bool]:
    """Sphinx calls it once."""
    app.add_lexer("ptx", PtxLexer)
    app.connect("autodoc-process-docstring", _docstring)
    app.connect("html-page-context", _shared_contents, priority=_BEFORE_THE_THEME)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _docstring(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    lines[:] = restructured(lines)


_drawn: dict[tuple[str, tuple[tuple[str, Any], ...]], Any] = {}
"""The contents as they are beside pages that are not in them, by folder and options: drawing them is most of a page's time."""


def _shared_contents(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    draw = context.get("toctree")
    if draw is None or "orphan" not in app.env.metadata.get(page, {}):
        return

    def once(**options: Any) -> Any:
        key = (os.path.dirname(page), tuple(sorted(options.items())))
        if key not in _drawn:
            _drawn[key] = draw(**options)
        return _drawn[key]

    context["toctree"] = once
