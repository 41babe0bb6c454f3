"""Arrays of one shape on every device of a group, which kernels of all ranks read and write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.host import Array, Device

__all__ = ["Symmetric"]


class Symmetric:
    """`arrays[r]` lies on rank r's device, zeroed at first; `addresses[r]`, a u64 array there, has the addresses of all of them.

    A kernel takes `addresses` as `px.ptr[u64]` and makes a pointer of an element: `k.pointer(addresses[peer], f32)`. Writes to
    a peer are ordered by `.sys` fences, releases and acquires, as PTX says. Plain allocations with peer access: on GPUs over
    NVLink or PCIe, on CPU devices in memory. Raises NotSupportedError where a
    device cannot reach another.
    """

    def __init__(self, devices: Sequence[Device], shape: int | Sequence[int], element: Any) -> None:
        for place in devices:
            place.context.enable_peers([peer.context for peer in devices if peer is not place])
        self.arrays: list[Array] = [place.zeros(shape, element) for place in devices]
        addresses = [array.pointer for array in self.arrays]
        self.addresses: list[Array] = [place.array(addresses, "u64") for place in devices]
        for place in devices:
            place.synchronize()

    def close(self) -> None:
        """Free the memory. No kernel may be using it."""
        for array in (*self.arrays, *self.addresses):
            array.close()

    def __enter__(self) -> Symmetric:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
