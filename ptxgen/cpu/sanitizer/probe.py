"""What lowerings call for each access of memory and each barrier. It writes calls of the sanitizer's functions, for the tools
that a kernel is compiled for; without any, nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.sanitizer.layout import CLUSTER_BARRIER, STRONG, WRITE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.lower.windows import Writer

__all__ = ["Probe"]

RELEASES, ACQUIRES = 1, 2


class Probe:
    """Of one kernel. `tools` are those that it is compiled for."""

    __slots__ = ("_races", "tools")

    def __init__(self, tools: frozenset[str] = frozenset()) -> None:
        self.tools = tools
        self._races = "racecheck" in tools

    # -- accesses -----------------------------------------------------------------------------------------------------

    def access(
        self, k: Writer, pointer: LlvmValue, space: str, size: int, *, write: bool, strong: bool = False,
        values: Sequence[LlvmValue] = (),
    ) -> None:  # fmt: skip
        """The lane in hand touches `size` bytes at a checked pointer. `space` is the instruction's, "" for a generic address;
        `strong`: atomic, volatile, or with an order and a scope (manual 8.3.1); `values`: what it writes, where that is known."""
        if self.tools:
            run = k.e.const("i32", size)
            self.run(k, _address(k.e, pointer), space, run, write=write, strong=strong, values=values)

    def run(
        self, k: Writer, address: LlvmValue, space: str, size: LlvmValue, *, write: bool, strong: bool = False,
        values: Sequence[LlvmValue] = (),
    ) -> None:  # fmt: skip
        """The same for bytes, an i32, that are known only at run time, at an address of the machine, an i64."""
        e = k.e
        if not self.tools:
            return
        access = size | ((WRITE if write else 0) | (STRONG if strong else 0))
        given = (_state(k), address, access, k.lane, e.const("i32", k.op.index))
        if self._races and space in ("", "shared", "shared::cluster"):
            e.invoke("race_access" if space == "shared" else "race_elsewhere", *given, _kept(k, values))

    # -- order --------------------------------------------------------------------------------------------------------

    def order(self, k: Writer, pointer: LlvmValue, *, acquires: bool = False, releases: bool = False) -> None:
        """The lane in hand acquires and releases through a word or an mbarrier: first the one, then the other."""
        if self._races and (acquires or releases):
            how = (RELEASES if releases else 0) | (ACQUIRES if acquires else 0)
            k.e.invoke("race_order", _state(k), _address(k.e, pointer), k.lane, k.e.const("i32", how))

    def warp_sync(self, k: Writer, lanes: LlvmValue) -> None:
        """The lanes have waited for each other, and what they wrote is seen (manual 9.7.13.2)."""
        if self._races:
            k.e.invoke("race_warp_sync", _state(k), lanes)

    def arrive(self, k: Writer, barrier: LlvmValue, lanes: LlvmValue, *, wait: bool) -> None:
        """The lanes arrive at a barrier of the CTA."""
        if self._races:
            k.e.invoke("race_arrive", _state(k), barrier, lanes if wait else k.e.const("i32", 0))

    def arrive_in_cluster(self, k: Writer, lanes: LlvmValue, *, releases: bool) -> None:
        """The lanes, perhaps none, arrive at the barrier of the cluster."""
        if self._races and releases:
            with k.e.if_(lanes.ne(0)):
                k.e.invoke("race_arrive", _state(k), k.e.const("i32", CLUSTER_BARRIER), k.e.const("i32", 0))


def _state(k: Writer) -> LlvmValue:
    """The pointer to the warp's state."""
    return k.uniform("sanitizer", lambda: k.e.ptr(k.warp.get("sanitizer")))


def _address(e: Emitter, pointer: LlvmValue) -> LlvmValue:
    return e.op("i64", f"ptrtoint ptr {pointer.text} to i64")


def _kept(k: Writer, values: Sequence[LlvmValue]) -> LlvmValue:
    """The pointer to values, one after the other; null for none."""
    e = k.e
    if not values:
        return e.undef("ptr")
    place = k.uniform("sanitizer.values", lambda: e.var("[8 x i64]").pointer)
    at = 0
    for value in values:
        e.store(value, e.offset(place, at))
        at += value.bits // 8
    return place
