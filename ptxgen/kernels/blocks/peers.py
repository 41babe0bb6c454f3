"""The CTAs of a cluster, which read each other's shared memory: what they have computed, together."""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import u32
from ptxgen.kernels.blocks.collectives import WARP, fold, warp_reduce

if TYPE_CHECKING:
    from ptxgen.builder import Builder
    from ptxgen.builder.tiles.clusters import TileCluster

__all__ = ["Peers"]


class Peers(NamedTuple):
    """`ctas` CTAs of a cluster along x, which all run the same; of one alone, that CTA."""

    k: Builder
    cluster: TileCluster

    @classmethod
    def of(cls, k: Builder, ctas: int) -> Peers:
        """Once a kernel."""
        return cls(k, k.tile_cluster(1, 1, ctas))

    @property
    def ctas(self) -> int:
        return self.cluster.size

    @property
    def rank(self) -> Any:
        return self.cluster.part

    def sync(self) -> None:
        """A barrier of all their threads: what was written to shared memory before it can be read behind it."""
        if self.ctas > 1:
            self.cluster.sync()
        else:
            self.k.barrier()

    def everywhere(self, array: Any, index: Any) -> list[Any]:
        """The element of each CTA's array, a pointer to shared memory."""
        if self.ctas == 1:
            return [array[index]]
        found = []
        for rank in range(self.ctas):
            value = self.k.var(array.element)
            self.k.ptx[f"ld.shared::cluster.{array.element.isa.name}"](value, [self.address(array.at(index), rank)])
            found.append(value)
        return found

    def address(self, pointer: Any, rank: int) -> Any:
        """Where, in the shared memory of the cluster, that of CTA `rank` has what this one has at the pointer."""
        address = self.k.var(u32)
        self.k.ptx["mapa.shared::cluster.u32"](address, pointer, rank)
        return address

    def reduce(self, op: str, value: Any, threads: int, array: Any) -> Any:
        """The reduction over all their threads, in each of them; `array`: shared memory for an element a warp of a CTA. There
        must be a `sync` between two of them over one array."""
        warps = threads // WARP
        own = warp_reduce(self.k, op, value)
        with self.k.if_(self.k.lane == 0):
            array[self.k.tid.x // WARP] = own
        self.sync()
        return warp_reduce(self.k, op, fold(self.k, op, self.everywhere(array, self.k.lane % warps)), warps)
