"""A launch that is ready to go: which kernel, on how many threads, with what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from driver_ctypes.typing import NamedTuple
from ptxgen.builder.signatures import options_key
from ptxgen.host.machine import device_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.builder import Kernel
    from ptxgen.host import Device, KernelHandle
    from ptxgen.ir import Module

__all__ = ["MAX_GRID", "KernelPlan", "Launchable", "ceil_div", "common_alignment", "grid_for", "using", "widest_vector"]

MAX_GRID = 2**31 - 1
"""CTAs along x of a grid (CUDA programming guide, "Technical Specifications per Compute Capability")."""

ALLOCATION_ALIGNMENT = 256
"""Bytes: what device allocators promise (CUDA programming guide, "Device Memory Accesses")."""


class Launchable(Protocol):
    """What a kernel built in Python and one rendered from a template have in common."""

    __name__: str

    def module(self, *, target: str = ..., version: str | tuple[int, int] = ..., strict: bool = ...) -> Module: ...
    def on(self, device: Device | None = None) -> KernelHandle: ...
    def bind(
        self, grid: Any, block: Any, *, shared: int | None = ..., device: Device | None = ...
    ) -> Callable[..., None]: ...
    def __getitem__(self, shape: tuple[Any, Any]) -> Callable[..., None]: ...


class KernelPlan(NamedTuple):
    """One launch. `grid` in CTAs, `block` in threads, `shared` in bytes of dynamic shared memory, by default what the kernel
    planned; `cooperative`: all CTAs are resident at once, so that they may wait for each other; `programmatic`: it may begin
    before the kernel ahead of it has ended, for which it waits itself (`k.wait_for_dependencies`)."""

    kernel: Launchable
    grid: int
    block: int
    arguments: tuple[Any, ...]
    shared: int | None = None
    cooperative: bool = False
    programmatic: bool = False

    @property
    def attributes(self) -> dict[str, Any]:
        """The launch's further attributes: those that are stated."""
        stated = {"cooperative": self.cooperative, "programmatic": self.programmatic}
        return {name: True for name, value in stated.items() if value}

    @property
    def explained(self) -> str:
        """Which kernel it launches, on what."""
        return f"{self.kernel!r} on {self.grid} CTAs of {self.block} threads"

    def launch(self, *, stream: Any = None) -> None:
        """Launch on the device of the arguments' arrays, on its current stream unless one is given."""
        handle = self.kernel.on(device_of(self.arguments))
        handle.launch(self.grid, self.block, self.arguments, shared=self.shared, stream=stream, **self.attributes)

    def bind(self, device: Device) -> Callable[[], None]:
        """The launch with everything that can be done beforehand done: for timing, and for capture."""
        handle = self.kernel.on(device)
        launcher = handle.bind(self.grid, self.block, shared=self.shared, **self.attributes)
        arguments = self.arguments
        return lambda: launcher(*arguments)


_chosen: dict[Any, Kernel] = {}


def using(kernel: Kernel, **options: Any) -> Kernel:
    """The kernel with these compile-time parameters: the same object every time, so that it is loaded only once."""
    key = (kernel, options_key(options))
    found = _chosen.get(key)
    if found is None:
        found = _chosen[key] = kernel.using(**options)
    return found


def ceil_div(a: int, b: int) -> int:
    """a / b, rounded up."""
    return -(-a // b)


def grid_for(n: int, each: int, most: int = MAX_GRID) -> int:
    """CTAs for n elements, `each` a CTA: at least one, so that an empty problem is a launch too, and at most `most`."""
    return max(1, min(ceil_div(n, each), most))


def common_alignment(*arrays: Any) -> int:
    """The largest power of two, in bytes, that every array's address is a multiple of.

    Anything without an address (a host array that stands for one on the device) counts as freshly allocated.
    """
    addresses = ALLOCATION_ALIGNMENT
    for array in arrays:
        address = getattr(array, "pointer", None) or getattr(array, "address", None)
        if isinstance(address, int):
            addresses |= address
    return addresses & -addresses


def widest_vector(element_bytes: int, alignment: int, *extents: int) -> int:
    """Elements of the widest access (up to 16 bytes) that the alignment allows and that divides every extent."""
    lanes = min(16 // element_bytes, max(1, alignment // element_bytes), 8)
    while lanes > 1 and any(extent % lanes for extent in extents):
        lanes //= 2
    return lanes
