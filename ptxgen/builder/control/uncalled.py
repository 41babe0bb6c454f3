"""A statement that names a method of the builder and does not call it: `k.barrier`. Python runs it and nothing happens."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ptxgen.builder.core.source import build_error

if TYPE_CHECKING:
    from types import CodeType

__all__ = ["check_calls"]


def _example(k: Any) -> None:
    k.name  # noqa: B018


_CODE = _example.__code__.co_code[0 if sys.version_info < (3, 11) else 2 :]  # without RESUME
_ATTRIBUTE = _CODE[2]  # behind what loads `k`
_END = bytes(len(_CODE) - 4 - len(_CODE[4:].lstrip(b"\0"))) + _CODE[4:].lstrip(b"\0")[:2]
"""Behind an attribute that is a whole statement: caches of the interpreter, which are zeros, and POP_TOP."""


def check_calls(code: CodeType | None) -> None:
    """BuildError where a statement of the function is nothing but an attribute of its first parameter."""
    text = code.co_code if code is not None else b""
    at = text.find(_END)
    while at >= 0:
        if not at % 2 and text[at - 2] == _ATTRIBUTE and _is_of_builder(text, at - 2):
            message = "the statement names something of the builder and does nothing"
            raise build_error("PTX331", message, hint="a call: k.barrier()", source=(code, at - 2))  # type: ignore[arg-type]
        at = text.find(_END, at + 1)


def _is_of_builder(text: bytes, at: int) -> bool:
    """Does a chain of attributes that ends here begin with the first parameter? What loads a variable has no caches."""
    before = at
    while text[at] == _ATTRIBUTE:
        at = before = at - 2
        while at > 0 and text[at] == 0:
            at -= 2
    return at == before and text[at + 1] == 0
