"""What tuning needs to know of a kernel, as a value that stands beside it."""

from __future__ import annotations

from importlib import import_module

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.builder import Kernel
    from ptxgen.host import Device
    from ptxgen.kernels.space import Config, Shape, Space

    Launch = Callable[[], Any]
    Prepared = Callable[[Config], "Launch | Trial"]

__all__ = ["Trial", "Tunable", "tunables"]

_FILES = ("matrices.matmul", "arrays.histogram")


class Trial(NamedTuple):
    """What one configuration does on one shape. `launches` is a function that does the work once, or several that have buffers
    of their own and are taken in turn, so that caches hold none of them. `check` says whether the result of the first is
    right: True or None; or False, a text or an AssertionError that say what is wrong."""

    launches: Launch | tuple[Launch, ...]
    check: Callable[[], Any] | None = None


class Tunable(NamedTuple):
    """The arguments of `tune` that belong to a kernel. `small` are shapes for a look on the CPU device."""

    kernel: Kernel
    space: Space
    make: Callable[[Device, Shape], Prepared]
    shapes: tuple[Shape, ...]
    small: tuple[Shape, ...]
    build: Callable[[Config], Any] | None = None
    shared: Any = 0
    threads: Any = None
    registers: Any = None
    cost: Any = None
    keep: int | None = None
    spills: int | None = 0

    @property
    def label(self) -> str:
        """ "histogram element=u8 words=4": the kernel, and what of it is fixed."""
        from ptxgen.kernels.winners import fixed_text

        return f"{self.kernel.__name__} {fixed_text(self.kernel.fixed)}".rstrip()


def tunables() -> Iterator[Tunable]:
    """Those of the kernel library."""
    for name in _FILES:
        yield from import_module(f"ptxgen.kernels.{name}").TUNABLES
