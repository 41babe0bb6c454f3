"""One address check for several accesses: those of a block that differ only in the constant they add to a register.

An unrolled loop reads [r], [r+4], [r+8], ...: if the first and the last lie in one window or allocation and the alignment is
right, all do. When the joint check fails, each access is checked by itself, in order, before anything else of the block that
follows runs: the launch is lost anyway, and the fault names the access that is to blame. Loads and stores are checked together:
what lets all of them through once is memory that may be written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.blocks import Step, definitions, operations
from ptxgen.cpu.flat import FlatAddress, Op, Reg
from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CheckGroup", "CheckedAccess", "plan_checks"]

BREAKS = opcodes_with("trap")
"""Operations after which a lane may not go on, so that later accesses must not be checked before them."""


class CheckedAccess(NamedTuple):
    """A load or store of `size` bytes through a register."""

    op: Op
    space: str
    place: FlatAddress
    size: int
    write: bool


class CheckGroup:
    """Accesses with one base register and size, in program order."""

    __slots__ = ("accesses",)

    def __init__(self) -> None:
        self.accesses: list[CheckedAccess] = []

    @property
    def lowest(self) -> FlatAddress:
        """The place with the lowest address."""
        return min((a.place for a in self.accesses), key=lambda place: place.offset)

    @property
    def span(self) -> int:
        """Bytes from the lowest to the highest address."""
        return max(a.place.offset for a in self.accesses) - self.lowest.offset


def access_of(op: Op) -> CheckedAccess | None:
    """The access that an unguarded ld or st through a register makes; None for anything else."""
    if op.opcode not in opcodes_with("load", "store") or op.guard is not None:
        return None
    place, value = op.operands[:2] if op.opcode == "st" else op.operands[1::-1]
    type = TYPES.get(op.op.rpartition(".")[2])
    if not isinstance(place, FlatAddress) or place.base is None or place.frame is not None or type is None:
        return None
    words = op.op.split(".")
    space = next((w.partition("::")[0] for w in words[1:] if w.partition("::")[0] in ("global", "shared", "const")), "")
    if (
        not space or "shared::cluster" in words
    ):  # generic addresses may lead to windows of several kinds; .local and .param accesses are rarely unrolled
        return None
    count = len(value) if isinstance(value, tuple) else 1
    return CheckedAccess(op, space, place, count * type.bytes, op.opcode == "st")


def plan_checks(steps: Sequence[Step]) -> dict[int, CheckGroup]:
    """id of an operation -> the group that its check belongs to, for groups of two and more; those in choices left out."""
    open_groups: dict[Reg, dict[tuple[str, int], CheckGroup]] = {}  # by base register
    found: dict[int, CheckGroup] = {}
    for step in steps:
        if not isinstance(step, Op) or step.opcode in BREAKS:
            open_groups.clear()  # a lane may stop in there
        access = access_of(step) if isinstance(step, Op) else None
        if access is not None and access.place.base is not None:
            groups = open_groups.setdefault(access.place.base, {})
            key = (access.space, access.size)
            group = groups.get(key)
            if group is None or (access.place.offset - group.accesses[0].place.offset) % access.size:
                group = groups[key] = CheckGroup()
            group.accesses.append(access)
            found[id(step)] = group
        for reg in (r for op in operations([step]) for r in definitions(op)):
            open_groups.pop(reg, None)
    return {key: group for key, group in found.items() if len(group.accesses) > 1}
