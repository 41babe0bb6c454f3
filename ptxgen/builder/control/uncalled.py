"""A statement that names a method of the builder and does not call it: `k.barrier`, `k.ptx.wgmma.fence.sync.aligned`. Python
runs it and nothing happens, so the kernel would lack its barrier or fence. The function's bytecode shows such a statement."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ptxgen.builder.core.source import build_error

if TYPE_CHECKING:
    from types import CodeType

__all__ = ["check_calls"]


def _example(k: Any) -> None:
    k.name  # noqa: B018  the statement that is looked for


_STATEMENT = _example.__code__.co_code[0 if sys.version_info < (3, 11) else 2 :]  # from 3.11 on RESUME is the first
_ATTRIBUTE = _STATEMENT[2]  # behind what loads the variable
_END = _STATEMENT[4 : 6 + len(_STATEMENT[4:]) - len(_STATEMENT[4:].lstrip(b"\0"))]
"""Behind an attribute that is a whole statement: the interpreter's inline caches, which are zeros, and POP_TOP."""


def check_calls(code: CodeType | None) -> None:
    """BuildError where a statement of the function is nothing but an attribute of its first parameter."""
    if code is None:
        return
    text = code.co_code
    at = text.find(_END)
    while at >= 0:
        if not at % 2 and text[at - 2] == _ATTRIBUTE and _is_of_builder(text, at - 2):
            raise build_error(
                "PTX331",
                "the statement names something of the builder and does nothing",
                hint="a call: k.barrier()",
                source=(code, at - 2),
            )
        at = text.find(_END, at + 1)


def _is_of_builder(text: bytes, at: int) -> bool:
    """Does a chain of attributes that ends here begin with the first parameter? What loads a variable has no caches."""
    before = at
    while text[at] == _ATTRIBUTE:
        before = at - 2
        at = before
        while at > 0 and text[at] == 0:
            at -= 2
    return at == before and text[at + 1] == 0
