"""PTX text and ir: the printer, the parser, and Jinja templates that become ir.

Importing this room gives `ir.Module` its `str()`. The parser and the template engine are loaded on first use. To touch
here: how text looks (printer), what text is accepted (lexer, parser), which statements are read the quick way
(common_statements), what template authors may write (template). `Document` is text that is edited.
May import isa, ir and errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports
from ptxgen.text.printer import format_instruction, format_operand, print_module, print_with_lines

if TYPE_CHECKING:
    from ptxgen.text.document import Document
    from ptxgen.text.parser import parse
    from ptxgen.text.template import render, render_text
    from ptxgen.text.template_limits import TemplateLimits

__all__ = [
    "Document",
    "TemplateLimits",
    "format_instruction",
    "format_operand",
    "parse",
    "print_module",
    "print_with_lines",
    "render",
    "render_text",
]


_EXPORTS = {
    "document": "Document",
    "parser": "parse",
    "template": "render render_text",
    "template_limits": "TemplateLimits",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
