"""Which neighbouring stages may become one launch: a plan under a layout and a memory budget.

Stages are joined greedily, from left to right, in their order: a stage joins the group before it when it has the group's
layout, need not be seen by the host before it begins, and the group with its scratch and output stays within the budget; its
input is the output that is already there. `ptxgen.runtime.fusion.fused` makes kernels of the groups, and runs them.

Sizes are unsigned 64-bit integers and checked as such. Errors come in a fixed order: the budget, stage ids that occur twice,
sizes that are none, then the groups from left to right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.errors import PtxError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ByteCountOverflowError",
    "DuplicateStageError",
    "FusionPlan",
    "FusionScratch",
    "Group",
    "InvalidSizeError",
    "InvalidStageError",
    "LaunchFusionError",
    "Stage",
    "StageOverBudgetError",
    "StorageReserveFailedError",
    "ZeroBudgetError",
    "plan_launch_fusion",
]  # fmt: skip

_FEW = 8
"""Stages up to which ids are compared pair by pair."""

_U32, _U64 = (1 << 32) - 1, (1 << 64) - 1


class LaunchFusionError(PtxError):
    """The stages cannot be planned. The text says what is wrong and how to mend it."""


class ZeroBudgetError(LaunchFusionError):
    """No memory is allowed at all."""

    def __init__(self) -> None:
        super().__init__(
            "Launch fusion received a zero byte budget. "
            "Fix: pass an explicit device-memory budget before planning fusion."
        )


class InvalidSizeError(LaunchFusionError):
    """A size is not an unsigned 64-bit integer. `field` names it; `id` is the stage's, None where it is the budget."""

    def __init__(self, field: str, value: object, id: int | None = None) -> None:
        whose = "budget" if id is None else f"stage {id}"
        super().__init__(
            f"Launch fusion {whose} has {field} {value!r}. Fix: give whole numbers of bytes from 0 to {_U64}."
        )
        self.field, self.id = field, id


class InvalidStageError(LaunchFusionError):
    """A stage's id or layout hash is not an unsigned integer of its width. `field` names it."""

    def __init__(self, field: str, value: object, bits: int) -> None:
        super().__init__(
            f"Launch fusion stage has {field} {value!r}. Fix: give a whole number from 0 to {(1 << bits) - 1}."
        )
        self.field, self.value = field, value


class DuplicateStageError(LaunchFusionError):
    """Two stages have one id."""

    def __init__(self, id: int) -> None:
        super().__init__(
            f"Launch fusion received duplicate stage id {id}. Fix: emit unique stage ids before fusion planning."
        )
        self.id = id


class ByteCountOverflowError(LaunchFusionError):
    """A sum of bytes or a count does not fit."""

    def __init__(self, field: str) -> None:
        super().__init__(
            f"Launch fusion overflowed while computing {field}. Fix: shard adjacent stages before launch fusion planning."
        )
        self.field = field


class StageOverBudgetError(LaunchFusionError):
    """A stage alone needs more than the budget."""

    def __init__(self, id: int, required_bytes: int, budget_bytes: int) -> None:
        super().__init__(
            f"Launch fusion stage {id} requires {required_bytes} bytes but budget allows {budget_bytes}. "
            "Fix: shard the stage or raise the explicit fusion budget."
        )
        self.id = id
        self.required_bytes = required_bytes
        self.budget_bytes = budget_bytes


class StorageReserveFailedError(LaunchFusionError):
    """The host has no memory for the plan. `requested` entries of `field` were asked for."""

    def __init__(self, field: str, requested: int, message: str) -> None:
        super().__init__(
            f"Launch fusion could not reserve {requested} {field} entries: {message}. "
            "Fix: shard adjacent stages before fusion planning."
        )
        self.field = field
        self.requested = requested
        self.message = message


class Stage(NamedTuple):
    """A launch: its id (u32), the hash of its memory layout (u64), and the bytes that it reads, writes and needs besides.

    `requires_host_materialization`: what comes before it must be visible to the host, so it joins no group; a stage behind
    it may join the group that it begins.
    """

    id: int
    layout_hash: int
    input_bytes: int
    output_bytes: int
    scratch_bytes: int
    requires_host_materialization: bool = False


class Group(NamedTuple):
    """Stages that become one launch: `required_bytes` at its peak, and the intermediate bytes that need no memory."""

    stage_ids: tuple[int, ...]
    layout_hash: int
    required_bytes: int
    avoided_intermediate_bytes: int


class FusionPlan(NamedTuple):
    """The groups in the stages' order, and what they save."""

    groups: tuple[Group, ...]
    launch_count: int
    avoided_launches: int
    avoided_intermediate_bytes: int


class FusionScratch:
    """What a planner needs to find ids that occur twice, kept between calls. `id_capacity` never shrinks."""

    __slots__ = ("_ids", "id_capacity")

    def __init__(self, capacity: int = 0) -> None:
        self._ids: dict[int, None] = {}
        self.id_capacity = capacity

    def first_duplicate(self, stages: Sequence[Stage]) -> int | None:
        """The id of the first stage that has an earlier one's."""
        if len(stages) <= _FEW:
            ids = [stage.id for stage in stages]
            return next((id for place, id in enumerate(ids) if id in ids[:place]), None)
        self._ids.clear()
        try:
            for stage in stages:
                if stage.id in self._ids:
                    return stage.id
                self._ids[stage.id] = None
        except MemoryError as error:
            raise _no_room("duplicate stage ids", len(stages), error) from error
        self.id_capacity = max(self.id_capacity, len(stages))
        return None


def _no_room(field: str, requested: int, error: MemoryError) -> StorageReserveFailedError:
    return StorageReserveFailedError(field, requested, str(error) or "out of memory")


def plan_launch_fusion(
    stages: Sequence[Stage], max_group_bytes: int, scratch: FusionScratch | None = None
) -> FusionPlan:
    """Group the stages for a budget of bytes a group. LaunchFusionError when the budget is 0, an id is not u32 or occurs twice, a
    layout hash or a size is not u64, a stage alone is over the budget, a sum overflows 64 bits, or the host has no memory for
    the plan.
    """
    if not _is_size(max_group_bytes):
        raise InvalidSizeError("bytes", max_group_bytes)
    if max_group_bytes == 0:
        raise ZeroBudgetError
    for stage in stages:
        for name, bits in (("id", 32), ("layout_hash", 64)):
            if not _is_size(getattr(stage, name), bits):
                raise InvalidStageError(name, getattr(stage, name), bits)
    if len(stages) > 1:
        duplicate = (scratch or FusionScratch(len(stages))).first_duplicate(stages)
        if duplicate is not None:
            raise DuplicateStageError(duplicate)
    for stage in stages:
        for field in ("input_bytes", "output_bytes", "scratch_bytes"):
            if not _is_size(getattr(stage, field)):
                raise InvalidSizeError(field, getattr(stage, field), stage.id)
    groups: list[Group] = []
    place = 0
    while place < len(stages):
        group, place = _group_from(stages, place, max_group_bytes)
        try:
            groups.append(group)
        except MemoryError as error:
            raise _no_room("fusion groups", len(stages), error) from error
    if len(stages) > _U32:
        raise ByteCountOverflowError("launch count" if len(groups) > _U32 else "avoided launches")
    total = 0
    for group in groups:
        total = _add(total, group.avoided_intermediate_bytes, "total avoided intermediate bytes")
    return FusionPlan(tuple(groups), len(groups), len(stages) - len(groups), total)


def _group_from(stages: Sequence[Stage], first: int, budget: int) -> tuple[Group, int]:
    """The group that begins with stage `first`, and the place after it."""
    stage = stages[first]
    both = _add(stage.input_bytes, stage.output_bytes, "stage io bytes")
    required = _add(both, stage.scratch_bytes, "stage required bytes")
    if required > budget:
        raise StageOverBudgetError(stage.id, required, budget)
    ids, avoided, place = [stage.id], 0, first + 1
    while place < len(stages):
        following = stages[place]
        if following.requires_host_materialization or following.layout_hash != stage.layout_hash:
            break
        wider = _add(required, following.scratch_bytes, "fused scratch bytes")
        wider = _add(wider, following.output_bytes, "fused output bytes")
        if wider > budget:
            break
        required = wider
        avoided = _add(avoided, stages[place - 1].output_bytes, "avoided intermediate bytes")
        try:
            ids.append(following.id)
        except MemoryError as error:
            raise _no_room("fusion group stage ids", len(stages) - first, error) from error
        place += 1
    return Group(tuple(ids), stage.layout_hash, required, avoided), place


def _is_size(value: object, bits: int = 64) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << bits


def _add(left: int, right: int, field: str) -> int:
    if left + right > _U64:
        raise ByteCountOverflowError(field)
    return left + right
