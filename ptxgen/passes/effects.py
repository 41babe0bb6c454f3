"""What must keep its order: which instructions touch memory, which place, and which may not be passed at all.

`behaviour` sorts instructions into four kinds. The effects and traits of its row say which.

wall      nothing passes it: control flow, barriers, fences, mbarriers, asynchronous copies and their groups, volatile and ordered
          accesses, clocks, calls, wgmma and tcgen05 (which use registers after they were issued), and whatever is not known here
together  shuffles, votes, reductions of a warp: in order among themselves and with memory; what only computes may pass them
matrix    mma.sync, ldmatrix and their like: in order among themselves and with those of `together`; and with memory where they
          touch it
memory    plain loads and stores, and atomics without an order of their own
pure      computes from its operands alone
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.ir import Address, Register, Symbol, Variable
from ptxgen.isa.spaces import WINDOW

if TYPE_CHECKING:
    from ptxgen.ir import Operand
    from ptxgen.passes.editing import Edit

__all__ = ["Behaviour", "MemoryAccess", "behaviour", "may_alias"]

_PLAIN = frozenset({"load", "store"})
_PLAIN = frozenset({"load", "store"})
_STRONG = frozenset({"volatile", "relaxed", "acquire", "release", "acq_rel", "mmio", "async"})
_NEVER_WRITTEN = frozenset({"const", "param::entry"})


class MemoryAccess(NamedTuple):
    """A place in memory: `space` is "" where it may be any. `base` is equal for equal values of the base, `size` in bytes;
    None where they are not known. `variable` is the one that the address names."""

    space: str
    writes: bool
    base: tuple[int, int] | None = None
    variable: Variable | None = None
    offset: int = 0
    size: int | None = None


class Behaviour(NamedTuple):
    """The kind of an instruction; the memory that it accesses; whether it is in the chain of carries."""

    kind: str
    access: MemoryAccess | None = None
    carries: bool = False


_PURE, _WALL = Behaviour("pure"), Behaviour("wall")


def behaviour(edit: Edit, position: int, versions: dict[int, int]) -> Behaviour:
    """What an instruction is. `versions` counts the writes to each register so far, so that equal bases are equal values."""
    instruction, form = edit.body.instructions[position], edit.body.forms[position]
    if form is None:
        return _WALL
    if edit.computes(position):
        return _PURE
    effects, traits = form.form.effects, form.form.traits
    words = instruction.op.split(".")
    if "carry" in traits or ("cc" in words and not effects):
        return Behaviour("pure", carries=True)
    if "warp" in traits and "sync" in words:
        return Behaviour("together")
    if "matrix" in traits and "protocol" not in traits:
        accesses = effects & {"reads", "writes"}
        return Behaviour("matrix", _access(edit, position, versions) if accesses else None)
    if traits & _PLAIN and not _STRONG & set(words):
        return Behaviour("memory", _access(edit, position, versions))
    if "atomic" in traits and not _STRONG & set(words):
        return Behaviour("memory", MemoryAccess("", True))  # with every access, whatever its space
    return _WALL


def _access(edit: Edit, position: int, versions: dict[int, int]) -> MemoryAccess | None:
    """The place that a load or store accesses; None for memory that nothing writes."""
    body = edit.body
    instruction, form = body.instructions[position], body.forms[position]
    assert form is not None
    writes = "writes" in form.form.effects
    index = next(i for i, operand in enumerate(instruction.operands) if type(operand) is Address)
    address = instruction.operands[index]
    assert isinstance(address, Address)
    if not writes and ("nc" in instruction.op.split(".") or edit.is_parameter(position)):
        return None
    space = next((entry.space for entry in form.operands if entry.spec.kind == "address"), "")
    if not writes and space in _NEVER_WRITTEN:
        return None
    space = WINDOW.get(space, space)
    value = form.operands[1 - index] if form.form.traits & _PLAIN and len(form.operands) > 1 else None
    size = value.type.bytes * value.lanes if value is not None and value.type is not None else None
    base, variable = _base(edit, address.base, position, versions)
    return MemoryAccess(space, writes, base, variable, address.offset + _extra(address.base), size)


def _extra(base: Operand) -> int:
    return base.offset if isinstance(base, Symbol) else 0


def _base(
    edit: Edit, base: Operand, position: int, versions: dict[int, int]
) -> tuple[tuple[int, int] | None, Variable | None]:
    if isinstance(base, Register):
        number = edit.body.number(base, position)
        return (None if number is None else (number, versions.get(number, 0))), None
    if isinstance(base, Symbol):
        found = edit.body.scopes[position].find(base.name)
        return None, found if isinstance(found, Variable) else None
    return None, None


def may_alias(one: MemoryAccess, other: MemoryAccess) -> bool:
    """May the two be the same memory, so that their order tells?"""
    if not (one.writes or other.writes):
        return False
    if one.space and other.space and one.space != other.space:
        return False
    same_base = (one.base is not None and one.base == other.base) or (
        one.variable is not None and one.variable is other.variable
    )
    if same_base and one.size is not None and other.size is not None:
        return one.offset < other.offset + other.size and other.offset < one.offset + one.size
    if one.variable is not None and other.variable is not None and one.variable is not other.variable:
        return not (_has_own_memory(one) and _has_own_memory(other))
    return True


def _has_own_memory(access: MemoryAccess) -> bool:
    """A variable of known size, and the access within it: all `extern .shared` arrays start at one address."""
    variable = access.variable
    if variable is None or access.size is None or variable.linkage in ("extern", "common", "weak"):
        return False
    return access.offset >= 0 and access.offset + access.size <= variable.size
