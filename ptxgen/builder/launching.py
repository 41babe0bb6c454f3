"""`kernel[grid, block](...)`: a launch, and what makes the same launch quick the next time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from driver_ctypes.contexts.context import Context
    from ptxgen.builder.entry import Kernel
    from ptxgen.host import Device, KernelHandle
    from ptxgen.host.machine import ChosenStream

__all__ = ["Launch", "Launches"]

_MANY = 256  # launches kept of a kernel: a program whose grids never come again must not grow


class Launches(dict[Any, "Launch"]):
    """A kernel's launches by (grid, block). Those of grids that cannot be hashed (lists) are made anew each time."""

    __slots__ = ()

    def of(self, kernel: Kernel, shape: tuple[Any, Any]) -> Launch:
        """The launch of a shape that is not here yet."""
        made = Launch(kernel, *shape)
        if len(self) >= _MANY:
            self.clear()
        try:
            self[shape] = made
        except TypeError:
            pass
        return made


class _Quick(NamedTuple):
    """What a launch without keywords takes when its deciding argument is like the last one's."""

    launcher: Callable[..., None]
    context: Context
    chosen: ChosenStream
    """The device's: a stream that the thread chose is not the launcher's."""
    decides: int
    """Which argument says on what device the launch is: the first array."""
    array: Any
    """Its type."""
    foreign: bool
    """Whether it is another library's, on a machine with one GPU alone: then there is no other device to be on."""


class Launch:
    """`kernel[grid, block]`: call it with the arguments; keywords are the launch's options and compile-time parameters."""

    __slots__ = ("_block", "_grid", "_kernel", "_quick")

    def __init__(self, kernel: Kernel, grid: Any, block: Any) -> None:
        self._kernel = kernel
        self._grid = grid
        self._block = block
        self._quick: _Quick | None = None

    def __call__(
        self,
        *arguments: Any,
        shared: int = 0,
        stream: Any = None,
        cluster: Any = None,
        cooperative: bool = False,
        attributes: Mapping[str, Any] | None = None,
        device: Device | None = None,
        **options: Any,
    ) -> None:
        given = options or shared or cluster or cooperative or attributes
        plain = not given and stream is None and device is None
        if plain and self._quick is not None:
            launcher, context, chosen, decides, array, foreign = self._quick
            if decides < len(arguments):
                decisive: Any = arguments[decides]
                if (
                    type(decisive) is array
                    and (not context.closed if foreign else decisive._life.context is context)
                    and chosen.stream is None
                ):
                    launcher(*arguments)
                    return
        if options:
            self._kernel.check_positional(options)
        arguments = self._kernel.signature.completed(arguments)
        from ptxgen.host import current_device, decided

        which, found = (None, device) if device is not None else decided(self._kernel.deciding(arguments))
        place = found or current_device()
        handle = self._kernel.on(place, **options)
        handle.launch(
            self._grid,
            self._block,
            arguments,
            shared=shared,
            stream=stream,
            cluster=cluster,
            cooperative=cooperative,
            **(attributes or {}),
        )
        if plain:
            self._quick = self._quicker(place, handle, arguments, which)

    def _quicker(
        self, place: Device, handle: KernelHandle, arguments: tuple[Any, ...], decides: int | None
    ) -> _Quick | None:
        launcher = handle.launcher(self._grid, self._block)
        if launcher is None or decides is None or decides >= len(arguments) or self._kernel.signature.defaults:
            return None
        decisive = arguments[decides]
        foreign = not hasattr(decisive, "_life")
        if foreign and place.handle.driver.device_count() > 1:
            return None
        return _Quick(launcher, place.context, place.chosen, decides, type(decisive), foreign)
