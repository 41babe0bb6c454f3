"""A configuration that was checked once and is launched again and again."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ClosedError
from driver_ctypes.launch.foreign import place
from driver_ctypes.launch.generated import generated_launcher
from driver_ctypes.launch.native import native_launcher
from driver_ctypes.launch.sending import ConfiguredLaunch, checked_parts, launch_error
from driver_ctypes.launch.slot import Slot
from driver_ctypes.streams.capturing import anything_captures
from driver_ctypes.streams.event import Event
from driver_ctypes.trampoline.choice import is_native

if TYPE_CHECKING:
    from collections.abc import Mapping

    from driver_ctypes.launch.cupy_arguments import CupyReader
    from driver_ctypes.launch.kernel import LoadedKernel
    from driver_ctypes.launch.limits import Config
    from driver_ctypes.streams.stream import StreamBase

Launcher = Callable[..., None]
# The function's or stream's context is not current on this thread: make it so and try once more. Where handle and
# context are given by the stream, a driver may do without, so the quick path does not ask first.
_NEEDS_CONTEXT = (201, 400)
plan_numbers: count[int] = count(1)


class Plan(ConfiguredLaunch):
    """A configured launch that comes again and again, with the slots that threads share out."""

    def __init__(
        self, function: LoadedKernel, config: Config, stream: StreamBase, follows: bool, owners: tuple[Any, ...] = ()
    ) -> None:
        super().__init__(function, config, stream, follows, owners)
        for event in self.events():
            event.bound = True
        self.number: int = next(plan_numbers)
        self.slots: list[tuple[Any, Callable[[], int], Slot]] = []
        self.guard: list[bool] = [True]  # empty while launches may be quick
        self.calls: list[None] = []  # as many as checked launches are under way
        self.ended: bool = False  # launches are checked for ever, and refused
        self.revoked: int = 0  # how often; a launch that was checked before does not count after
        self.state: Any = None  # a native launcher's memory
        self.cached: dict[int, Any] = {}  # what the argument caches of `state` point to: their owners
        self.frameworks = False  # whether it was given an array of one last that machine code cannot read
        self.cupy_reader: CupyReader | None = (
            None  # how to read arguments like the last ones, of a library that it cannot read
        )
        function.context.launches.add(self)

    def __str__(self) -> str:
        return f"Launch {self.launched}: {self.function.name}{self.signature}"

    def __del__(self) -> None:
        context = self.function.context
        if context.launches.serial.value == self.number:
            context.launches.last_launch = self.launched

    def events(self) -> list[Event]:
        """What its launches record."""
        return [owner for owner in self.owners if isinstance(owner, Event)]

    def revoke(self) -> None:
        """Send the next launch through `checked`."""
        self.revoked += 1
        self.guard[:] = [True]
        if self.state is not None:
            self.state.guard = 1

    def end(self) -> None:
        """Send every launch from now on through `checked`, which will refuse it."""
        self.ended = True
        self.revoke()
        if self.state is not None:
            self.state.ended = 1

    @property
    def under_way(self) -> int:
        """How many launches have begun and are not over, but for the quick ones through ctypes."""
        return len(self.calls) + (self.state.under_way if self.state is not None else 0)

    def checked(self, args: tuple[Any, ...]) -> None:
        """A launch that checks everything, and opens the way for quick ones unless something is captured: the plan's stream
        may join that without our knowing.
        """
        self.calls.append(None)
        try:
            self._checked(args)
        finally:
            self.calls.pop()

    def _checked(self, args: tuple[Any, ...]) -> None:
        context = self.function.context
        self.function.module.check_open()
        self.stream.check_open()
        for event in self.events():
            event.check_open()
        if self.ended:
            raise ClosedError(
                f"what kernel {self.function.name!r} is launched with is being closed by another thread",
                hint="close modules and streams when the threads that use them have ended",
            )
        revoked = self.revoked
        try:
            slot = self.slots.pop()[2]
        except IndexError:
            slot = Slot(self.function, self.signature)
        slot.configure(self.config, self.stream.handle)
        self.send(slot, args)
        slot.configure(self.config, self.stream.handle)
        self.slots.append((slot.buffer, slot.call, slot))
        if not anything_captures() and context.poisoned is None and not self.ended:
            self.guard.clear()
            if self.state is not None:
                self.state.guard = 0
            if self.revoked != revoked:  # by another thread meanwhile
                self.revoke()

    def careful(self, args: tuple[Any, ...]) -> None:
        """What a quick launch does with arguments that it does not know: other libraries' arrays, or mistakes."""
        self.calls.append(None)
        try:
            taken = self._taken(args)
        finally:
            self.calls.pop()
        if not taken:
            self.checked(args)

    def _taken(self, args: tuple[Any, ...]) -> bool:
        """Launch with other libraries' arrays; False where it is not such a launch."""
        if not self.guard:
            placed = place(self.function, self.signature, self.stream, self.follows, args)
            if placed is not None:
                slot = self.function.slots.pop() if self.function.slots else Slot(self.function, self.signature)
                slot.configure(self.config, self.stream.handle)
                self.send(slot, args, placed)
                self.function.slots.append(slot)
                return True
        return False

    def failed(self, code: int, args: tuple[Any, ...]) -> None:
        """What to do about a quick launch that returned *code*."""
        if code not in _NEEDS_CONTEXT:
            raise launch_error(self.function, self.config, self.stream, code)
        self.checked(args)


def bind(
    function: LoadedKernel,
    grid: Any,
    block: Any,
    shared: int,
    stream: Any,
    cluster: Any,
    cooperative: bool,
    attributes: Mapping[str, Any],
) -> Launcher:
    """A launcher; see `Function.bind`."""
    plan = Plan(function, *checked_parts(function, grid, block, shared, stream, cluster, cooperative, attributes))
    return launcher_of(plan)


def launcher_of(plan: Plan) -> Launcher:
    """The quickest callable over a plan: machine code where this process has it, else generated Python."""
    quick = generated_launcher(plan)
    return native_launcher(plan, quick) if is_native() else quick
