"""`render`: a Jinja template becomes a verified module, by the same road as a kernel built in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.text import template as _template
from ptxgen.verifier import assert_valid

if TYPE_CHECKING:
    from ptxgen.ir import Module

__all__ = ["render"]


def render(template: str, /, **parameters: Any) -> Module:
    """The verified module that a template file makes with these parameters.

    Raises TemplateError for a template that is missing, broken or given wrong parameters, PtxSyntaxError and VerifyError for
    what it rendered; each names the template's line. `ptxgen.text.render` leaves the verifier out; `search`, `trust` and `limits`
    are its own.
    """
    module = _template.render(template, **parameters)
    assert_valid(module)
    return module
