"""`kernel[grid, block](...)`: the launch, and the short way that the same launch takes the next time (docs/launching.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from driver_ctypes.typing import NamedTuple
from ptxgen.builder.memory.structs import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from driver_ctypes.contexts.context import Context
    from ptxgen.builder.signatures import Signature
    from ptxgen.host import Device, KernelHandle
    from ptxgen.host.machine import ChosenStream

__all__ = ["ConfiguredKernel", "LaunchableKernel"]


class LaunchableKernel(Protocol):
    """What a launch asks of a `Kernel`."""

    @property
    def signature(self) -> Signature: ...

    def on(self, device: Device | None = None, **options: Any) -> KernelHandle: ...

    def check_positional(self, options: dict[str, Any]) -> None: ...


class _ShortWay(NamedTuple):
    """What a launch without keywords takes when its first array is like that of the launch before."""

    launcher: Callable[..., None]
    context: Context
    chosen: ChosenStream
    """The device's: a stream that the thread chose is not the launcher's."""
    position: int
    """Which argument is the first array: it says on what device the launch is."""
    array_type: Any
    """Its type."""
    foreign: bool
    """Whether it is another library's, on a machine with one GPU alone: it can then be on no other device."""


class ConfiguredKernel:
    """`kernel[grid, block]`: call it with the arguments; keywords are the launch's options and compile-time parameters."""

    __slots__ = ("_block", "_grid", "_has_structures", "_kernel", "_short_way", "_signature")

    def __init__(self, kernel: LaunchableKernel, grid: Any, block: Any) -> None:
        self._kernel = kernel
        self._grid = grid
        self._block = block
        self._signature = kernel.signature
        types = [parameter.type for parameter in self._signature.parameters]
        self._has_structures = any(isinstance(type_, type) and issubclass(type_, Struct) for type_ in types)
        self._short_way: _ShortWay | None = None

    def __call__(
        self,
        *arguments: Any,
        shared: int | None = None,
        stream: Any = None,
        cluster: Any = None,
        cooperative: bool = False,
        attributes: Mapping[str, Any] | None = None,
        device: Device | None = None,
        **options: Any,
    ) -> None:
        stated = options or shared is not None or cluster or cooperative or attributes
        plain = not stated and stream is None and device is None
        if plain and self._short_way is not None:
            launcher, context, chosen, position, array_type, foreign = self._short_way
            if position < len(arguments):
                array: Any = arguments[position]
                if (
                    type(array) is array_type
                    and (not context.closed if foreign else array._life.context is context)
                    and chosen.stream is None
                ):
                    launcher(*arguments)
                    return
        if options:
            self._kernel.check_positional(options)
        if self._signature.defaults:
            arguments = self._signature.completed(arguments)
        from ptxgen.host.machine import current_device, first_array

        first, found = (None, device) if device is not None else first_array(self._arrays_of(arguments))
        place = found or current_device()
        loaded = self._kernel.on(place, **options)
        loaded.launch(
            self._grid,
            self._block,
            arguments,
            shared=shared,
            stream=stream,
            cluster=cluster,
            cooperative=cooperative,
            **(attributes or {}),
        )
        if plain and loaded.has_launchers:
            self._short_way = self._shortened(place, loaded, arguments, first)

    def _arrays_of(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """What may say on which device the launch is: the arguments, and the arrays in structures among them."""
        if not self._has_structures:
            return arguments
        return (*arguments, *(array for each in arguments if isinstance(each, Struct) for array in each._arrays))

    def _shortened(
        self, place: Device, loaded: KernelHandle, arguments: tuple[Any, ...], first: int | None
    ) -> _ShortWay | None:
        """The short way of launches like this one, where there is one: its launcher is made, and one array says the device."""
        launcher = loaded.launcher(self._grid, self._block)
        if launcher is None or first is None or first >= len(arguments) or self._signature.defaults:
            return None
        memory: Any = arguments[first]
        foreign = not hasattr(memory, "_life")
        if foreign and place.handle.driver.device_count() > 1:
            return None
        return _ShortWay(launcher, place.context, place.chosen, first, type(memory), foreign)
