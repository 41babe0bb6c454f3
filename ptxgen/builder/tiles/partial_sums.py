"""Sums whose depth the CTAs of a cluster share: each adds up a part of it, and in the end has its share of the whole sums."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from ptxgen.builder.control import structured
from ptxgen.builder.core.source import build_error
from ptxgen.builder.tiles.addresses import address_at
from ptxgen.builder.tiles.barriers import mbarrier
from ptxgen.builder.tiles.device_tile import start_of_plan
from ptxgen.builder.values import arithmetic
from ptxgen.builder.values.scalars import u32
from ptxgen.ir import Vector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.tiles.clusters import TileCluster
    from ptxgen.builder.tiles.fragments import Fragment, Sums

__all__ = ["PartialSums", "partial_sums", "shared_columns"]

_QUAD = 16
"""Bytes that one access moves."""


def shared_columns(columns: int, depth: int, least: int = 8) -> int:
    """Columns of each share, in multiples of `least`, where `depth` CTAs have parts of the sums of so many columns: as many of
    them as possible have a share."""
    return columns // max(each for each in range(1, depth + 1) if each == 1 or columns % (least * each) == 0)


class PartialSums:
    """Room in shared memory for the parts of this CTA's share that others add up, and the barrier that counts their bytes.

    A share is `columns` columns of the sums. One exchange: a CTA that works on several tiles would write over sums that have
    not been read.
    """

    __slots__ = (
        "_barrier",
        "_offset",
        "_parity",
        "_rows",
        "builder",
        "cluster",
        "columns",
        "each",
        "owners",
        "threads",
    )

    def __init__(
        self, k: FunctionBuilder, cluster: TileCluster, threads: int, rows: int, columns: int, least: int
    ) -> None:
        self.builder: FunctionBuilder = k
        self.cluster: TileCluster = cluster
        self.threads: int = threads
        self._rows = rows
        self.columns: int = shared_columns(columns, cluster.depth, least)
        self.owners: int = columns // self.columns
        self.each: int = threads * rows * self.columns // 128 * 4
        if cluster.depth > 1:
            self._offset = k.shared_memory.take((cluster.depth - 1) * self.each, 128)
            self._barrier = mbarrier(k)
            self._parity = arithmetic.variable(k, u32, 0)

    @contextmanager
    def shares(self, sums: Sums, thread: u32) -> Iterator[tuple[Fragment, u32 | int]]:
        """(sums of the whole depth, the first one's column): the body runs in each CTA that has a share of them. `thread` counts
        those that have sums, from 0 on."""
        k, cluster = self.builder, self.cluster
        if cluster.depth == 1:
            yield sums, 0
            return
        if (sums.rows, sums.columns) != (self._rows, self.columns * self.owners):
            raise build_error(
                "PTX221",
                f"sums of {sums.rows}x{sums.columns}",
                expected=f"{self._rows}x{self.columns * self.owners}, as `k.partial_sums` has them",
            )
        for owner in range(self.owners):
            with structured.if_(k, cluster.part != owner):
                self._send(sums.cut(owner * self.columns, self.columns), owner, thread)
        with structured.if_(k, cluster.part < self.owners) if self.owners < cluster.depth else nullcontext():
            with structured.if_(k, thread == 0):
                self._barrier.arrive_expecting((cluster.depth - 1) * self.each)
            share = sums.cut(0, self.columns)
            for owner in range(1, self.owners):
                with structured.if_(k, cluster.part == owner):
                    for value, own in zip(share.values, sums.cut(owner * self.columns, self.columns).values):
                        value.set(own)
            self._barrier.wait(self._parity)
            self._parity.set(self._parity ^ 1)
            self._add(share, thread)
            yield share, cluster.part * self.columns

    def _send(self, sums: Sums, owner: int, thread: u32) -> None:
        """A part of the owner's share, to the place of this CTA among those that it gets."""
        k, cluster = self.builder, self.cluster
        to = cluster.rank_of_part(owner)
        number = arithmetic.select(k, cluster.part > owner, cluster.part - 1, cluster.part)
        place = start_of_plan(k) + (thread * _QUAD + self._offset) + number * self.each
        there = k.emit1(u32, "mapa.shared::cluster.u32", k.use(place), k.use(to))
        barrier = k.emit1(u32, "mapa.shared::cluster.u32", self._barrier.pointer.flat(), k.use(to))
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


def partial_sums(
    k: FunctionBuilder, cluster: TileCluster, threads: int, rows: int, columns: int, *, least: int = 8
) -> PartialSums:  # fmt: skip
    """What `threads` threads that have `rows` by `columns` sums for each warpgroup exchange in a cluster with a `depth`: shares
    of `least` columns (in eights) or multiples."""
    return PartialSums(k, cluster, threads, rows, columns, least)
