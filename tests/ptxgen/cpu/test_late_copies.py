"""Random orders of copies, commits and waits, against a model in Python of the rule that what may come late comes late."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ptxgen.cpu.machine import run

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.cpu_only

SLOTS = 4
WORDS = [10_000 + i for i in range(256)]
DATA = struct.pack("<1024I", *(w for word in WORDS for w in (word,) * 4))
"""Element i of the source is 16 bytes: four times its word."""

Step = tuple[str, int]
COPIES = st.tuples(st.just("copy"), st.integers(0, SLOTS - 1))
READS = st.tuples(st.just("read"), st.integers(0, SLOTS - 1))
COMMITS = st.tuples(st.just("commit"), st.just(0))
WAITS = st.tuples(st.just("wait"), st.integers(0, 3))

HEAD = """
	.shared .align 16 .b32 tile[16]; .shared .align 8 .b64 bar;
	mov.u32 %r1, 7;
	st.shared.v4.u32 [tile], {%r1, %r1, %r1, %r1}; st.shared.v4.u32 [tile+16], {%r1, %r1, %r1, %r1};
	st.shared.v4.u32 [tile+32], {%r1, %r1, %r1, %r1}; st.shared.v4.u32 [tile+48], {%r1, %r1, %r1, %r1};
"""


def reads(program: str, count: int) -> list[int]:
    return run(HEAD + program, words=max(count, 1), block=(1, 1, 1), data=DATA).u32[:count]


class Groups:
    """A thread's copies and their groups; `slots` is what lies in shared memory."""

    def __init__(self) -> None:
        self.slots = [7] * SLOTS
        self.under_way: list[tuple[int, int, int]] = []  # slot, word, group
        self.groups = 0

    def wait(self, left: int) -> None:
        for slot, word, group in self.under_way:
            if group < self.groups - left:
                self.slots[slot] = word
        self.under_way = [c for c in self.under_way if c[2] >= self.groups - left]


@given(st.lists(st.one_of(COPIES, COPIES, COMMITS, WAITS, READS, st.just(("all", 0))), max_size=40))
def test_groups_of_cp_async(steps: Sequence[Step]) -> None:
    model, lines, expected, copied = Groups(), [], [], 0
    for name, number in steps:
        if name == "copy":
            lines.append(f"cp.async.cg.shared.global [tile+{16 * number}], [%in+{16 * copied}], 16;")
            model.under_way.append((number, WORDS[copied], model.groups))
            copied += 1
        elif name == "commit":
            lines.append("cp.async.commit_group;")
            model.groups += 1
        elif name == "wait":
            lines.append(f"cp.async.wait_group {number};")
            model.wait(number)
        elif name == "all":
            lines.append("cp.async.wait_all;")
            model.wait(-1)
        else:
            lines.append(f"ld.shared.u32 %r2, [tile+{16 * number}]; st.global.u32 [%out+{4 * len(expected)}], %r2;")
            expected.append(model.slots[number])
    assert reads("\n".join(lines), len(expected)) == expected


@given(st.lists(st.one_of(COPIES, COPIES, COMMITS, WAITS, READS), max_size=40))
def test_groups_of_bulk_copies(steps: Sequence[Step]) -> None:
    """Copies out of slot i to word i; a "read" changes the slot, which the copies under way then see."""
    model, lines, value = Groups(), [], 7
    memory = [0] * SLOTS
    for name, number in steps:
        if name == "copy":
            lines.append(f"cp.async.bulk.global.shared::cta.bulk_group [%out+{16 * number}], [tile+{16 * number}], 16;")
            model.under_way.append((number, 0, model.groups))
        elif name == "commit":
            lines.append("cp.async.bulk.commit_group;")
            model.groups += 1
        elif name == "wait":
            lines.append(f"cp.async.bulk.wait_group {number};")
            for slot, _, group in model.under_way:
                if group < model.groups - number:
                    memory[slot] = model.slots[slot]
            model.under_way = [c for c in model.under_way if c[2] >= model.groups - number]
        else:
            value += 1
            lines.append(f"mov.u32 %r2, {value}; st.shared.u32 [tile+{16 * number}], %r2;")
            model.slots[number] = value
    for slot, _, _ in model.under_way:  # the exit does the rest
        memory[slot] = model.slots[slot]
    assert reads("\n".join(lines), 4 * SLOTS)[::4] == memory


@given(st.lists(st.tuples(st.integers(0, SLOTS - 1), st.integers(1, 3)), min_size=1, max_size=12), st.integers(0, 12))
def test_copies_of_a_phase(copies: Sequence[tuple[int, int]], expected: int) -> None:
    """As many of the copies are done as the bytes of the phase need, oldest first; copies of 1 to 3 times 16 bytes."""
    lines = ["mbarrier.init.shared.b64 [bar], 1;"]
    slots = [7] * 4
    for i, (slot, units) in enumerate(copies):
        units = min(units, SLOTS - slot)
        lines.append(
            f"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
            f"[tile+{16 * slot}], [%in+{64 * i}], {16 * units}, [bar];"
        )
        if i < expected:
            for j in range(units):
                slots[slot + j] = WORDS[4 * i + j]
    announced = sum(min(units, SLOTS - slot) for slot, units in copies[:expected])
    lines.append(f"mbarrier.arrive.expect_tx.shared.b64 _, [bar], {16 * announced};")
    lines.append("W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;")
    lines += [f"ld.shared.u32 %r2, [tile+{16 * i}]; st.global.u32 [%out+{4 * i}], %r2;" for i in range(SLOTS)]
    assert reads("\n".join(lines), SLOTS) == slots
