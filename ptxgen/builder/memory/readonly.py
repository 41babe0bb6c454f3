"""Pointers to memory that nobody writes while the kernel runs: `x: px.read_only[f32]` says so of a parameter.

Loads through one are `ld.global.nc` (manual 9.7.9.9). That no other kernel, no other pointer and no host writes that memory is
the caller's promise, as `const __restrict__` is in CUDA; what the builder sees being written through the pointer it refuses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ptxgen.builder.core.source import build_error
from ptxgen.builder.memory.pointers import E, ptr
from ptxgen.ir import Address

if TYPE_CHECKING:
    from ptxgen.builder.core.module_builder import ModuleBuilder
    from ptxgen.ir import Function

__all__ = ["check_promises", "read_only"]

_BEFORE_NC = frozenset({"ca", "cg", "cs"})
_ORDERED = frozenset({"volatile", "relaxed", "acquire", "mmio", "lu", "cv"})
_HINT = "px.ptr[...] for memory that the kernel writes"


class read_only(ptr[E]):
    """`read_only[f32]`: a pointer that only loads, through the read-only path where it points to global memory."""

    __slots__ = ()

    def _loading(self, qualifiers: tuple[str, ...]) -> tuple[str, ...]:
        words = [word for qualifier in qualifiers for word in qualifier.split(".") if word != "weak"]
        wrong = [word for word in words if word in _ORDERED]
        if wrong:
            raise build_error(
                "PTX330",
                f"a .{wrong[0]} load through {self!r}, which is read-only",
                expected="a load that nothing need be ordered with",
                hint=_HINT,
            )
        if self.space != "global" or "nc" in words:
            return tuple(words)
        return (*(w for w in words if w in _BEFORE_NC), "nc", *(w for w in words if w not in _BEFORE_NC))

    def check_writable(self, what: str) -> None:
        raise build_error("PTX330", f"{what} through {self!r}, which is read-only", hint=_HINT)

    # No value has this type, so that a type checker refuses `x[i] = v` before the builder does.
    def __setitem__(self, index: Any, value: NoReturn) -> None:
        self.store(index, value)


read_only.family = read_only


def check_promises(into: ModuleBuilder, function: Function, names: set[str]) -> None:
    """Exact instructions may store through any register: BuildError for one whose address comes from a parameter in `names`."""
    from ptxgen.dataflow.bodies.walk import body_of
    from ptxgen.passes.editing import Edit
    from ptxgen.passes.roots import root_of

    body = body_of(into.draft(function.name), function.name)
    edit = Edit(body)
    for position in body.memory:
        instruction, form = body.instructions[position], body.forms[position]
        if form is None or "writes" not in form.form.effects:
            continue
        written = next(
            operand for operand in instruction.operands if isinstance(operand, Address)
        )  # a copy's source is second
        root = root_of(edit, written.base, position)
        if root in names:
            raise build_error(
                "PTX330",
                f"{instruction.op} writes through {root}, which is read-only",
                hint=_HINT,
                source=instruction.source,  # type: ignore[arg-type]
            )
