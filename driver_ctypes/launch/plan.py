"""A configuration that was checked once and is launched again and again, by machine code (`native`) or by a function of
Python made for the parameters of one kernel, without a loop or a lookup.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import count

from driver_ctypes.arguments.parameter import Parameter
from driver_ctypes.arguments.signature import converter
from driver_ctypes.errors import ClosedError
from driver_ctypes.launch.native import native_launcher
from driver_ctypes.launch.sending import ConfiguredLaunch, Slot, checked_parts, launch_error, place
from driver_ctypes.memory.buffer import Buffer
from driver_ctypes.primitives import Lock
from driver_ctypes.streams.stream import Event, anything_captures
from driver_ctypes.trampoline.choice import is_decided, is_native, is_soon_decided
from driver_ctypes.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from driver_ctypes.launch.kernel import LoadedKernel
    from driver_ctypes.launch.limits import Config
    from driver_ctypes.launch.native import CupyReader
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
    if is_soon_decided():
        return _launcher_that_changes(plan)
    quick = generated_launcher(plan, is_native())
    return native_launcher(plan, quick) if is_native() else quick


def _launcher_that_changes(plan: Plan) -> Launcher:
    """Generated Python until a thread has machine code ready, and that from then on: nobody waits."""
    quick = launch = generated_launcher(plan, True)
    lock, decided = Lock(), False

    def launcher(*args: Any) -> None:
        nonlocal launch, decided
        if not decided and is_decided():
            with lock:
                if not decided:
                    if is_native():
                        launch = native_launcher(plan, quick)
                        plan.revoke()  # the next launch checks, and opens the way for those of machine code
                    decided = True
        launch(*args)

    launcher.__name__ = launcher.__qualname__ = plan.function.name
    launcher.__doc__ = str(plan)
    return launcher


_OF_CURRENT_CONTEXT = (0, 1, 2)  # NULL, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD mean the current context's
_MISSING = object()


def generated_launcher(plan: Plan, native: bool) -> Launcher:
    """A function made for the plan's signature: takes a slot, packs, calls, gives the slot back. No loop, no lookup. `native`:
    there are launchers of machine code besides."""
    function, context, signature = plan.function, plan.function.context, plan.signature
    names: dict[str, Any] = {
        "_": _MISSING,
        "take": plan.slots.pop,
        "give": plan.slots.append,
        "pack": signature.packing.pack_into,
        "checked": plan.checked,
        "careful": plan.careful,
        "guard": plan.guard,
        "failed": plan.failed,
        "context": context,
        "launches": context.launches,
        "launched": context.launches.serial,
        "Buffer": Buffer,
        "last": plan.launched,
        "enter": context.enter,
        "leave": context.leave,
    }
    quick = []
    for index, param in enumerate(signature.params):
        convert = converter(param, index, context, function.name)
        names[f"c{index}"] = convert
        names[f"e{index}"], names[f"m{index}"] = param.element, param.aligned - 1
        quick.append("as it is" if convert is None else _form(param))
    exec(_source(tuple(quick), plan.stream.handle in _OF_CURRENT_CONTEXT, native), names)
    launcher: Launcher = names.pop("launcher")  # no cycle: names are its globals
    launcher.__name__ = launcher.__qualname__ = function.name
    launcher.__doc__ = str(plan)
    return launcher


_TEMPLATE = """
def launcher({parameters}):
    if {wrong_count} or guard:
        return checked({given})
    try:
        slot = take()
    except IndexError:
        return checked({arguments})
    try:
        pack(slot[0], 0{packed})
    except Exception:
        give(slot)
        return careful({arguments})
    launches.last = last{forget}
    {call}
    give(slot)
    if code:
        failed(code, {arguments})
"""


# An address, an open buffer of this context, an array of it with just these elements, or whatever the converter makes of
# it. (A context that was closed has set the guard, so that its memory does not get here.)
_POINTER = """(
            a{0} if type(a{0}) is int%(number)s
            else a{0}._address if type(a{0}) is Buffer and a{0}._life.context is context%(memory)s%(array)s
            else c{0}(a{0})
        )"""
_ARRAY = """
            else a{0}._address if getattr(a{0}, "type", None) is e{0} and a{0}._life.context is context%(memory)s"""
_ALIGNED = {"number": " and not a{0} & m{0}", "memory": " and not a{0}._address & m{0}"}
_ANYWHERE = {"number": "", "memory": ""}
_POINTERS = {
    "pointer": _POINTER % {**_ANYWHERE, "array": ""},
    "aligned pointer": _POINTER % {**_ALIGNED, "array": ""},
    "pointer to elements": _POINTER % {**_ANYWHERE, "array": _ARRAY % _ANYWHERE},
    "aligned pointer to elements": _POINTER % {**_ALIGNED, "array": _ARRAY % _ALIGNED},
}


def _form(param: Parameter) -> str:
    if param.kind != "pointer":
        return "convert"
    return ("aligned " if param.aligned > 1 else "") + "pointer" + (" to elements" if param.element is not None else "")


_CALL = "code = slot[1]()"
_CALL_WITH_CONTEXT = """previous = enter()
    code = slot[1]()
    if previous:
        leave(previous)"""


@cache
def _source(quick: tuple[str, ...], default_stream: bool, native: bool) -> Any:
    """The launcher's code for parameters that are converted as *quick* says. The default stream means the *current*
    context's, so the context is made current first. Where there are *native* launchers, the context is told that the
    last launch was none of theirs.
    """
    names = [f"a{i}" for i in range(len(quick))]
    forms = {"as it is": "a{0}", "convert": "c{0}(a{0})", **_POINTERS}
    source = _TEMPLATE.format(
        parameters=", ".join([*[f"{name}=_" for name in names], *(["/"] if names else []), "*more"]),
        wrong_count=f"{names[-1]} is _ or more" if names else "more",
        given=f"tuple([a for a in ({', '.join([*names, ''])}) if a is not _]) + more" if names else "more",
        arguments=f"({', '.join(names)},)" if names else "()",
        packed="".join([", " + forms[how].format(i) for i, how in enumerate(quick)]),
        forget="\n    launched.value = 0" if native else "",
        call=_CALL_WITH_CONTEXT if default_stream else _CALL,
    )
    return compile(source, "<driver_ctypes launcher>", "exec")
