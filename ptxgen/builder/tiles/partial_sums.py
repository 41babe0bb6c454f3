"""Sums whose depth the CTAs of a cluster share: each adds up a part of it, and the first one has them all in the end."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ptxgen.builder.control import structured
from ptxgen.builder.core.source import build_error
from ptxgen.builder.tiles.addresses import address_at
from ptxgen.builder.tiles.barriers import mbarrier
from ptxgen.builder.tiles.device_tile import start_of_plan
from ptxgen.builder.values.scalars import u32
from ptxgen.ir import Vector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.tiles.clusters import TileCluster
    from ptxgen.builder.tiles.fragments import Sums

__all__ = ["PartialSums", "partial_sums"]

_QUAD = 16
"""Bytes that one access moves."""


class PartialSums:
    """Room in shared memory for the sums of the other parts, and the barrier that counts their bytes.

    One exchange: a CTA that works on several tiles would write over sums that have not been read.
    """

    __slots__ = ("_barrier", "_offset", "builder", "cluster", "each", "threads")

    def __init__(self, k: FunctionBuilder, cluster: TileCluster, threads: int, values: int) -> None:
        self.builder: FunctionBuilder = k
        self.cluster: TileCluster = cluster
        self.threads: int = threads
        self.each: int = threads * values * 4
        if cluster.depth > 1:
            self._offset = k.shared_memory.take((cluster.depth - 1) * self.each, 128)
            self._barrier = mbarrier(k)

    @contextmanager
    def whole(self, sums: Sums, thread: u32) -> Iterator[None]:
        """The body runs where the sums are those of the whole depth: in the first CTA of the parts. `thread` counts those that
        have sums, from 0 on."""
        k, cluster = self.builder, self.cluster
        if cluster.depth == 1:
            yield
            return
        if len(sums.values) % 4 or len(sums.values) * self.threads * 4 != self.each:
            raise build_error(
                "PTX221", f"{len(sums.values)} sums a thread", expected=f"{self.each // 4 // self.threads}"
            )
        with structured.if_(k, cluster.part > 0):
            self._send(sums, thread)
        with structured.if_(k, cluster.part == 0):
            with structured.if_(k, thread == 0):
                self._barrier.arrive_expecting((cluster.depth - 1) * self.each)
            self._barrier.wait(0)
            self._add(sums, thread)
            yield

    def _send(self, sums: Sums, thread: u32) -> None:
        k, cluster = self.builder, self.cluster
        first = cluster.rank_of_part(0)
        place = start_of_plan(k) + (thread * _QUAD + self._offset) + (cluster.part - 1) * self.each
        there = k.emit1(u32, "mapa.shared::cluster.u32", k.use(place), k.use(first))
        barrier = k.emit1(u32, "mapa.shared::cluster.u32", self._barrier.pointer.flat(), k.use(first))
        name = f"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.{sums.type.isa.name}"
        for i in range(0, len(sums.values), 4):
            quad = Vector(tuple(k.use(value) for value in sums.values[i : i + 4]))
            k.emit(name, address_at(k, there, i // 4 * self.threads * _QUAD), quad, address_at(k, barrier))

    def _add(self, sums: Sums, thread: u32) -> None:
        k, kind = self.builder, sums.type
        place = start_of_plan(k) + (thread * _QUAD + self._offset)
        for part in range(self.cluster.depth - 1):  # in this order whoever is first: the same sums in every launch
            for i in range(0, len(sums.values), 4):
                registers = tuple(k.register(kind.storage) for _ in range(4))
                further = part * self.each + i // 4 * self.threads * _QUAD
                k.emit(f"ld.shared.v4.{kind.memory}", Vector(registers), address_at(k, place, further))
                for value, register in zip(sums.values[i : i + 4], registers):
                    value += kind(k, register, k.scope)


def partial_sums(k: FunctionBuilder, cluster: TileCluster, threads: int, rows: int, columns: int) -> PartialSums:
    """What `threads` threads that have `rows` by `columns` sums for each warpgroup exchange in a cluster with a `depth`."""
    return PartialSums(k, cluster, threads, rows * columns // 128)
