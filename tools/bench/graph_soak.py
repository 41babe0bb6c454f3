#!/usr/bin/env python3
"""Captures, updates and failed captures by the hundred thousand: memory must stay flat, and no handle be left.

    tools/bench/graph_soak.py [--json] [--tiny] [--device cpu|cuda] [--count 100000] [--minutes 20]

Each round captures, instantiates, launches, updates (one node, a host function, the whole graph in its own and another
form), and closes; and it breaks captures in every way there is: a body that raises, a call that cannot be captured, a
stream that was not joined, a stream closed in the body, a capture into an existing graph. After a tenth of the rounds,
300 at least, the process's memory is noted, and at the end it may have grown by 3 MB at most.
"""

from __future__ import annotations

import gc
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import driver_ctypes as dc
from tools.bench._command import command, print_json

PTX = """.version 7.0
.target sm_50
.address_size 64
.visible .entry bump(.param .u64 x, .param .u32 by)
{
    .reg .u32 %r<3>; .reg .u64 %d<2>;
    ld.param.u64 %d1, [x];
    ld.param.u32 %r1, [by];
    ld.global.u32 %r2, [%d1];
    add.u32 %r2, %r2, %r1;
    st.global.u32 [%d1], %r2;
    ret;
}
"""
SIGNATURE = dc.Signature([dc.Parameter("x", "pointer"), dc.Parameter("by", "u32")])
ALLOWED_GROWTH = 3 << 20  # bytes
WARM_UP = 300  # rounds after which buffers that grow once (the driver's log, pools) have their size


def open_context(kind: str) -> dc.Context:
    if kind == "cpu":
        from ptxgen.emulated_driver import open_driver

        dc.register_driver("cpu", open_driver, foreign_pointers=False)
    return dc.driver(kind).device(0).primary_context()


def resident_bytes() -> int:
    """Bytes of this process's memory now (Linux), else the most there ever were."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class Soak:
    """One context, and rounds of work on it."""

    def __init__(self, context: dc.Context) -> None:
        self.context = context
        self.function = context.load(PTX, signatures={"bump": SIGNATURE}).function("bump")
        self.stream, self.side = context.stream(), context.stream()
        self.word = context.alloc(4)
        context.memset(self.word, 0, 1, 4)
        context.synchronize()
        self.expected = 0
        self.calls: list[int] = []

    def round(self, number: int) -> None:
        """Everything once."""
        self.capture_and_update(number)
        self.build_by_hand()
        (self.raise_inside, self.forbidden_call, self.unjoined, self.close_inside, self.into_a_graph)[number % 5]()

    def capture_and_update(self, number: int) -> None:
        own = self.context.alloc(64)
        with self.stream.capture() as capture, capture.named("bump"):
            self.function.launch(1, 1, self.word, 1, stream=self.stream)
        own_capture = self._twice()
        execution = capture.graph.instantiate()
        execution.launch(self.stream)
        execution.update("bump", by=2)
        execution.bind(self.stream)()
        move = execution.bind_update("bump", "x", "by")
        move(own, 5)
        move(self.word, 4)
        execution.launch(self.stream)
        execution.update("bump", x=own)
        assert execution.update_from(capture.graph)
        execution.launch(self.stream)
        assert not execution.update_from(own_capture)
        execution.launch(self.stream)
        self.expected += 1 + 2 + 4 + 1 + 2
        if number % 3:  # the others are left to garbage collection
            execution.close()
            own.close()

    def _twice(self) -> dc.Graph:
        with self.stream.capture() as capture:
            self.function.launch(1, 1, self.word, 1, stream=self.stream)
            self.function.launch(1, 1, self.word, 1, stream=self.stream)
        return capture.graph

    def build_by_hand(self) -> None:
        graph = self.context.graph()
        host = bytearray(4)
        first = graph.memcpy(host, self.word, 4)
        graph.host(lambda: self.calls.append(1), after=first, label="call")
        execution = graph.clone().instantiate()
        execution.launch(self.stream)
        execution.update("call", function=lambda: self.calls.append(2))
        execution.close()
        graph.close()
        self.calls.clear()

    def raise_inside(self) -> None:
        try:
            with self.stream.capture():
                self.function.launch(1, 1, self.word, 1, stream=self.stream)
                raise KeyError("on purpose")
        except KeyError:
            return

    def forbidden_call(self) -> None:
        try:
            with self.stream.capture():
                self.stream.synchronize()
        except dc.CaptureError:
            return
        raise AssertionError("synchronizing in a capture was allowed")

    def unjoined(self) -> None:
        try:
            with self.stream.capture():
                self.side.wait(self.stream.record())
                self.function.launch(1, 1, self.word, 1, stream=self.side)
        except dc.CaptureError:
            return
        raise AssertionError("an unjoined stream was allowed")

    def close_inside(self) -> None:
        stream = self.context.stream()
        with stream.capture():
            stream.close()

    def into_a_graph(self) -> None:
        with self.context.graph() as graph:
            graph.empty()
            try:
                with self.stream.capture(into=graph):
                    self.function.launch(1, 1, self.word, 1, stream=self.stream)
                    raise KeyError("on purpose")
            except KeyError:
                pass
            assert len(graph) == 1

    def check(self) -> None:
        """Every replay did its part, none more."""
        self.stream.synchronize()
        back = bytearray(4)
        self.context.copy_to_host(back, self.word)
        found = int.from_bytes(back, "little")
        assert found == self.expected & 0xFFFFFFFF, f"the word is {found}, not {self.expected & 0xFFFFFFFF}"

    def close(self) -> None:
        self.word.close()
        self.stream.close()
        self.side.close()
        self.function.module.close()


def soak(context: dc.Context, count: int, minutes: float = 0, warm_up: int = WARM_UP) -> dict[str, float]:
    """Run *count* rounds, and more until so many *minutes* are over; memory is noted after *warm_up*, or a tenth of them.

    Raises AssertionError for a wrong result, a handle that is left, or memory that grows.
    """
    before = context.live_handles()
    work, began, noted, warm = Soak(context), time.perf_counter(), 0, max(count // 10, warm_up)
    assert count > warm, f"at least {warm + 1} rounds are needed"
    number = 0
    while number < count or time.perf_counter() - began < 60 * minutes:
        work.round(number)
        if number == warm:
            gc.collect()
            noted = resident_bytes()
        number += 1
    work.check()
    work.close()
    del work
    gc.collect()
    context.collect()
    growth = resident_bytes() - noted
    left = {kind: n for kind, n in context.live_handles().items() if n > before.get(kind, 0)}
    assert left == {}, f"handles are left: {left}"
    assert growth <= ALLOWED_GROWTH, f"memory grew by {growth / 1e6:.1f} MB in {number - warm} rounds"
    return {"rounds": number, "seconds": time.perf_counter() - began, "growth_mb": growth / 1e6}


def main() -> None:
    parser = command(__doc__, device="cpu")
    parser.add_argument("--count", type=int, default=100_000, help="rounds")
    parser.add_argument("--minutes", type=float, default=0, help="and more rounds until this time is over")
    options = parser.parse_args()
    if options.tiny:  # too few rounds for a verdict on memory, but every call is made
        told = soak(open_context(options.device), 20, warm_up=19)
    else:
        told = soak(open_context(options.device), options.count, options.minutes)
    if options.json:
        name = f"memory that {told['rounds']:.0f} rounds leave behind"
        found = {"name": name, "unit": "MB", "ours": told["growth_mb"], "peers": {}, "ratio": None, "floor": 0.0}
        print_json([found])
        return
    print(", ".join([f"{name} {value:g}" for name, value in told.items()]))


if __name__ == "__main__":
    main()
