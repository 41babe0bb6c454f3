"""Random orders of arrivals and bytes by one thread, against a model in Python of an mbarrier's phases (manual 9.7.13.15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ptxgen.cpu.on_device import run_on

if TYPE_CHECKING:
    from collections.abc import Sequence

STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(("arrive", "arrive", "noComplete", "drop")), st.integers(1, 4)),
        st.tuples(st.sampled_from(("expect", "arrive.expect", "complete", "complete")), st.sampled_from((16, 32, 48))),
        st.tuples(st.sampled_from(("test", "wait")), st.integers(0, 1)),
    ),
    max_size=30,
)


class Model:
    def __init__(self, count: int) -> None:
        self.pending = self.expected = count
        self.tx = self.parity = 0

    def allows(self, name: str, number: int) -> bool:
        """Is the step defined, whatever an implementation does?"""
        if name in ("arrive", "noComplete", "drop"):
            least = 1 if name == "noComplete" else 0
            return self.pending - number >= least and (name != "drop" or self.expected - number >= 1)
        if name in ("expect", "arrive.expect"):
            return self.pending >= 1
        return name != "complete" or self.tx - number >= -96

    def step(self, name: str, number: int) -> int:
        """What the step gives: the pending count of the state before, or whether the phase is complete."""
        before = self.pending
        if name in ("test", "wait"):
            return int(self.parity != number)
        if name == "drop":
            self.expected -= number
        if name in ("arrive", "noComplete", "drop"):
            self.pending -= number
        elif name == "complete":
            self.tx -= number
        else:
            self.tx += number
            self.pending -= name == "arrive.expect"
        if self.pending == 0 and self.tx == 0:
            self.pending, self.parity = self.expected, 1 - self.parity
        return before if name not in ("expect", "complete") else 0


PTX = {
    "arrive": "mbarrier.arrive.shared.b64 %d1, [bar], {0};",
    "noComplete": "mbarrier.arrive.noComplete.shared.b64 %d1, [bar], {0};",
    "drop": "mbarrier.arrive_drop.shared.b64 %d1, [bar], {0};",
    "expect": "mbarrier.expect_tx.shared.b64 [bar], {0};",
    "arrive.expect": "mbarrier.arrive.expect_tx.shared.b64 %d1, [bar], {0};",
    "complete": "mbarrier.complete_tx.shared.b64 [bar], {0};",
    "test": "mbarrier.test_wait.parity.shared.b64 %p1, [bar], {0};",
    "wait": "mbarrier.try_wait.parity.shared.b64 %p1, [bar], {0}, 1;",
}


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, 6), STEPS)
def test_phases_of_one_thread(device_name: str, count: int, steps: Sequence[tuple[str, int]]) -> None:
    model, expected = Model(count), []
    lines = [f".shared .align 8 .b64 bar; mbarrier.init.shared.b64 [bar], {count};"]
    for name, number in steps:
        if not model.allows(name, number):
            continue
        lines.append(PTX[name].format(number))
        if name in ("test", "wait"):
            lines.append("selp.u32 %r1, 1, 0, %p1;")
        elif name in ("expect", "complete"):
            lines.append("mov.u32 %r1, 0;")
        else:
            lines.append("mbarrier.pending_count.b64 %r1, %d1;")
        lines.append(f"st.global.u32 [%out+{4 * len(expected)}], %r1;")
        expected.append(model.step(name, number))
    words = max(len(expected), 1)
    found = run_on(device_name, "\n".join(lines), words=words, block=1, sm="90")
    assert found[: len(expected)] == expected
