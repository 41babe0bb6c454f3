"""The plan of launch fusion: order of checks, groups, sums, texts."""

from __future__ import annotations

import itertools

import pytest

from ptxgen import runtime as rt
from ptxgen.runtime.errors import ValidationError
from ptxgen.runtime.fusion.planner import (
    ByteCountOverflowError,
    DuplicateStageError,
    FusionPlan,
    FusionScratch,
    Group,
    InvalidSizeError,
    InvalidStageError,
    LaunchFusionError,
    Stage,
    StageOverBudgetError,
    StorageReserveFailedError,
    ZeroBudgetError,
    plan_launch_fusion,
)

BIG = (1 << 64) - 1
CHAIN = [Stage(1, 7, 64, 32, 8), Stage(2, 7, 32, 48, 8), Stage(3, 7, 48, 16, 8)]


def test_compatible_stages_become_one_launch():
    plan = plan_launch_fusion(CHAIN, 256)
    assert plan == FusionPlan((Group((1, 2, 3), 7, 64 + 32 + 8 + 48 + 8 + 16 + 8, 80),), 1, 2, 80)


def test_layouts_host_boundaries_and_the_budget_split():
    stages = [Stage(1, 7, 64, 32, 8), Stage(2, 8, 32, 48, 8), Stage(3, 8, 48, 16, 8, True), Stage(4, 9, 16, 16, 8)]
    plan = plan_launch_fusion(stages, 128)
    assert [group.stage_ids for group in plan.groups] == [(1,), (2,), (3,), (4,)]
    assert (plan.launch_count, plan.avoided_launches) == (4, 0)


def test_a_host_boundary_stops_a_stage_and_not_the_one_behind_it():
    stages = [Stage(1, 7, 8, 8, 0), Stage(2, 7, 8, 8, 0, True), Stage(3, 7, 8, 8, 0)]
    assert [group.stage_ids for group in plan_launch_fusion(stages, 64).groups] == [(1,), (2, 3)]


def test_a_group_ends_where_the_budget_does():
    assert [group.stage_ids for group in plan_launch_fusion(CHAIN, 160).groups] == [(1, 2), (3,)]
    assert [group.stage_ids for group in plan_launch_fusion(CHAIN, 159).groups] == [(1,), (2, 3)]


def test_nothing_to_plan():
    assert plan_launch_fusion([], 1) == FusionPlan((), 0, 0, 0)


ZERO = "Launch fusion received a zero byte budget. Fix: pass an explicit device-memory budget before planning fusion."
TWICE = "Launch fusion received duplicate stage id 1. Fix: emit unique stage ids before fusion planning."
OVER = (
    "Launch fusion stage 9 requires 160 bytes but budget allows 128. "
    "Fix: shard the stage or raise the explicit fusion budget."
)


def overflow(field):
    return (
        f"Launch fusion overflowed while computing {field}. Fix: shard adjacent stages before launch fusion planning."
    )


@pytest.mark.parametrize(
    "stages, budget, error, text",
    [
        ([], 0, ZeroBudgetError, ZERO),
        ([Stage(1, 7, 1, 1, 1)] * 2, 0, ZeroBudgetError, ZERO),
        ([Stage(1, 7, 1, 1, 1)] * 2, 128, DuplicateStageError, TWICE),
        ([Stage(9, 7, 64, 32, 64)], 128, StageOverBudgetError, OVER),
        ([Stage(1, 7, BIG, 1, 0)], BIG, ByteCountOverflowError, overflow("stage io bytes")),
        ([Stage(1, 7, BIG - 1, 1, 1)], BIG, ByteCountOverflowError, overflow("stage required bytes")),
        (
            [Stage(1, 7, BIG, 0, 0), Stage(2, 7, 0, 0, 1)],
            BIG,
            ByteCountOverflowError,
            overflow("fused scratch bytes"),
        ),
        (
            [Stage(1, 7, BIG, 0, 0), Stage(2, 7, 0, 1, 0)],
            BIG,
            ByteCountOverflowError,
            overflow("fused output bytes"),
        ),
    ],
)
def test_what_cannot_be_planned_is_said_exactly(stages, budget, error, text):
    with pytest.raises(error) as caught:
        plan_launch_fusion(stages, budget)
    assert str(caught.value) == text
    assert isinstance(caught.value, LaunchFusionError)


def test_the_second_of_two_equal_ids_is_named_before_any_budget():
    stages = [Stage(i, 7, 1000, 0, 0) for i in (*range(9), 4, 3)]
    for few in (stages, stages[4:]):
        with pytest.raises(DuplicateStageError) as caught:
            plan_launch_fusion(few, 10)
        assert caught.value.id == 4


class Full(dict):
    """A host without memory."""

    def __setitem__(self, key: object, value: object) -> None:
        raise MemoryError("no pages")


def test_a_host_without_memory_is_the_planners_error():
    scratch = FusionScratch(4)
    scratch._ids = Full()
    with pytest.raises(StorageReserveFailedError) as caught:
        plan_launch_fusion([Stage(i, 7, 1, 1, 1) for i in range(9)], 100, scratch)
    assert str(caught.value) == (
        "Launch fusion could not reserve 9 duplicate stage ids entries: no pages. "
        "Fix: shard adjacent stages before fusion planning."
    )
    assert (caught.value.field, caught.value.requested, caught.value.message) == ("duplicate stage ids", 9, "no pages")
    assert isinstance(caught.value.__cause__, MemoryError)
    assert scratch.id_capacity == 4


def test_sums_over_groups_and_intermediates_are_checked_too():
    """Four groups avoid 2^62 bytes each; one group would avoid twice 2^63."""
    half = [Stage(i, i // 2, 0, 1 << 62, 0) for i in range(8)]
    with pytest.raises(ByteCountOverflowError, match="total avoided intermediate bytes"):
        plan_launch_fusion(half, BIG)
    assert plan_launch_fusion(half[:6], BIG).avoided_intermediate_bytes == 3 << 62


def test_a_group_that_can_not_be_summed_is_an_error_and_not_a_split():
    stages = [Stage(1, 7, 1, 1 << 63, 0), Stage(2, 7, 0, 1 << 63, 0)]
    with pytest.raises(ByteCountOverflowError, match="fused output bytes"):
        plan_launch_fusion(stages, BIG)


def fewest_groups(stages: list[Stage], budget: int) -> int:
    """By trying every place of the last cut."""
    best = [0]
    for end in range(1, len(stages) + 1):
        found = []
        for start in range(end):
            members = stages[start:end]
            bytes_ = members[0].input_bytes + sum(stage.output_bytes + stage.scratch_bytes for stage in members)
            joins = all(s.layout_hash == members[0].layout_hash and not s[5] for s in members[1:])
            if bytes_ <= budget and joins:
                found.append(best[start] + 1)
        best.append(min(found))
    return best[-1]


def test_no_plan_of_a_chain_has_fewer_launches():
    """Where each stage takes what the one before it gives, greedy groups are as few as any."""
    for seed in range(300):
        drawn = generated(seed)
        chain = [
            drawn[0],
            *[after._replace(input_bytes=before.output_bytes) for before, after in itertools.pairwise(drawn)],
        ]
        if all(stage.input_bytes + stage.output_bytes + stage.scratch_bytes <= 128 for stage in chain):
            assert plan_launch_fusion(chain, 128).launch_count == fewest_groups(chain, 128)


def xorshift(state: int):
    """Marsaglia's 64-bit generator with shifts 13, 7, 17."""
    while True:
        state ^= (state << 13) & BIG
        state ^= state >> 7
        state ^= (state << 17) & BIG
        yield state


def generated(seed: int) -> list[Stage]:
    draw = xorshift(seed ^ 0xF0511A4A7E570001)
    return [
        Stage(i, next(draw) % 5, 1 + next(draw) % 48, 1 + next(draw) % 48, next(draw) % 24, next(draw) % 11 == 0)
        for i in range(1 + seed % 24)
    ]


def test_4096_drawn_programs_keep_order_counts_and_budget():
    planned = 0
    for seed in range(4096):
        stages, budget = generated(seed), 96 + seed % 512
        if any(stage.input_bytes + stage.output_bytes + stage.scratch_bytes > budget for stage in stages):
            with pytest.raises(StageOverBudgetError):
                plan_launch_fusion(stages, budget)
            continue
        plan = plan_launch_fusion(stages, budget)
        planned += 1
        assert [id for group in plan.groups for id in group.stage_ids] == [stage.id for stage in stages]
        assert plan.launch_count == len(plan.groups)
        assert plan.avoided_launches == len(stages) - len(plan.groups)
        assert plan.avoided_intermediate_bytes == sum(group.avoided_intermediate_bytes for group in plan.groups)
        for group in plan.groups:
            members = [stages[id] for id in group.stage_ids]
            assert group.required_bytes <= budget
            assert len({stage.layout_hash for stage in members}) == 1
            assert not any(stage.requires_host_materialization for stage in members[1:])
            assert group.avoided_intermediate_bytes == sum(stage.output_bytes for stage in members[:-1])
    assert planned > 3000


def test_scratch_is_kept_between_plans():
    scratch = FusionScratch(64)
    wide = plan_launch_fusion([Stage(i, 7, 16, 16, 4) for i in range(64)], 8192, scratch)
    capacity = scratch.id_capacity
    assert (wide.launch_count, wide.avoided_launches) == (1, 63)
    narrow = plan_launch_fusion([Stage(10, 7, 64, 32, 8), Stage(11, 8, 32, 48, 8)], 512, scratch)
    assert narrow.launch_count == 2
    assert scratch.id_capacity >= capacity


@pytest.mark.parametrize(
    "stage, budget, what",
    [
        (Stage(1, 7, -1, 1, 1), 100, "stage 1 has input_bytes -1"),
        (Stage(1, 7, 1, 1.5, 1), 100, "stage 1 has output_bytes 1.5"),
        (Stage(1, 7, 1, 1, 1 << 64), 100, "stage 1 has scratch_bytes 18446744073709551616"),
        (Stage(1, 7, 1, 1, 1), -1, "budget has bytes -1"),
        (Stage(1, 7, 1, 1, 1), 8.0, "budget has bytes 8.0"),
    ],
)
def test_sizes_that_are_none(stage: Stage, budget: int, what: str) -> None:
    with pytest.raises(InvalidSizeError, match=rf"Launch fusion {what}\. Fix: give whole numbers of bytes from 0 to "):
        plan_launch_fusion([stage], budget)


@pytest.mark.parametrize(
    "stage, what",
    [
        (Stage(1 << 32, 0, 1, 1, 0), r"id 4294967296\. Fix: give a whole number from 0 to 4294967295"),
        (Stage(-1, 0, 1, 1, 0), r"id -1\."),
        (Stage(True, 0, 1, 1, 0), r"id True\."),
        (Stage(0, 1 << 64, 1, 1, 0), r"layout_hash 18446744073709551616\."),
        (Stage(0, 0.5, 1, 1, 0), r"layout_hash 0\.5\."),  # type: ignore[arg-type]
    ],
)
def test_ids_and_hashes_have_their_width(stage: Stage, what: str) -> None:
    with pytest.raises(InvalidStageError, match=what):
        plan_launch_fusion([stage], 100)


@pytest.mark.parametrize("chain", [3, [3]])
def test_what_is_no_chain(chain):
    with pytest.raises(ValidationError, match=r"a chain of 3\. Fix: pass a list of programs"):
        rt.fuse(chain)
    with pytest.raises(ValidationError, match="a program of 3"):
        rt.program(3)
