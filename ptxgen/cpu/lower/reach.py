"""Where the accesses of several lanes lie: what vector_memory.py finds out once for those that share a check."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.rt.lanes import Table

__all__ = ["Reach"]


class Reach(NamedTuple):
    """By the lowest of the accesses, whose address in the machine is `origin`, an i64, plus `offsets`, a vector of i32 or i64.

    first: the address of lane 0, which may be anything where that lane does not run.
    scattered: the lanes do not touch consecutive elements, or not certainly ones that they may touch.
    far: and do not all touch the same one either; else `same` is set in every lane.
    stored, loaded: the lanes' elements that one vector stores and loads; none where the lanes are scattered, or far.
    table: how they are checked.
    """

    origin: LlvmValue
    offsets: LlvmValue
    first: LlvmValue
    scattered: LlvmValue
    far: LlvmValue
    stored: LlvmValue | None
    loaded: LlvmValue | None
    same: LlvmValue | None
    table: Table

    def addresses(self, offset: int) -> LlvmValue:
        """Where each lane's access lies that is so many bytes past the lowest, as i64s."""
        return self.offsets.zext("i64") + self.origin + offset

    def moves(self, *, write: bool) -> LlvmValue:
        """The lanes' elements that one vector moves and that somebody has, a vector of i1: of one that all read, lane 0's."""
        if write:
            assert self.stored is not None
            return self.stored
        assert self.loaded is not None
        if self.same is None:
            return self.loaded
        return self.loaded & (~self.same | self.loaded.emitter.numbered("i32", self.loaded.lanes).eq(0))
