"""Launches that are prepared once and made again and again: kernels, fills and copies, alone or one behind the other."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from driver_ctypes.abi.functions import parameter_types
from driver_ctypes.streams.stream import capture_of, running_captures
from ptxgen.host import Array
from ptxgen.kernels.plan import KernelPlan
from ptxgen.ops.operands import Operand
from ptxgen.ops.scratch import OfContexts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from driver_ctypes.contexts.context import Context
    from driver_ctypes.lifetime import Life
    from ptxgen.host import Device

__all__ = [
    "NOTHING", "Copy", "Fill", "Plan", "Plans", "PreparedLaunch", "explained", "flat", "joined", "launch_all",
    "note_launches", "prepare", "prepare_chain", "seen_launches",
]  # fmt: skip

NOTHING = "nothing: the result has no elements"
"""What `explain=True` says where there is no launch."""


class PreparedLaunch:
    """A launch with everything checked and made, which is not changed any more: `launcher(*arguments)`, and what is launched
    behind it.

    `context` is that of the device when it was made: after a reset there is another one. It keeps `scratch`, arrays of ours that
    it works with. `operands` says (which argument, the array that it is the address of, what makes its tensor map where it is
    that of one), `pointers` which arguments are addresses of arrays of ours. `read` reads the results that it leaves. `plan` is
    what it was made of, without the arguments of a kernel; of a fill or a copy the class. `keeps` lives as long: capsules of
    arrays that it is launched with once.
    """

    __slots__ = (
        "arguments", "context", "keeps", "launcher", "lives", "operands", "place", "plan", "pointers", "read", "scratch",
        "stream", "then",
    )  # fmt: skip

    def __init__(
        self, launcher: Callable[..., None], arguments: tuple[Any, ...], place: Device, stream: int | None, context: Context, *,
        scratch: tuple[Any, ...] = (), then: tuple[PreparedLaunch, ...] = (),
        operands: tuple[tuple[int, Operand, Any], ...] = (), pointers: tuple[int, ...] = (),
        read: Callable[..., Any] | None = None, plan: KernelPlan | type[Plan] | None = None, keeps: Any = None,
    ) -> None:  # fmt: skip
        self.launcher: Callable[..., None] = launcher
        self.arguments: tuple[Any, ...] = arguments
        self.place: Device = place
        self.stream: int | None = stream
        self.context: Context = context
        self.scratch: tuple[Any, ...] = scratch
        lives = {id(each._life): each._life for each in scratch if each is not None}
        self.lives: tuple[Life, ...] = tuple(lives.values())
        self.then: tuple[PreparedLaunch, ...] = then
        self.operands: tuple[tuple[int, Operand, Any], ...] = operands
        self.pointers: tuple[int, ...] = pointers
        self.read: Callable[..., Any] | None = read
        self.plan: KernelPlan | type[Plan] | None = plan
        self.keeps: Any = keeps

    def changed(self, **fields: Any) -> PreparedLaunch:
        """The same with other fields."""
        names = ("scratch", "then", "operands", "pointers", "read", "plan", "keeps")
        arguments = fields.pop("arguments", self.arguments)
        stated = {name: getattr(self, name) for name in names} | fields
        return PreparedLaunch(self.launcher, arguments, self.place, self.stream, self.context, **stated)

    def with_numbers(self, at: int, *numbers: float) -> PreparedLaunch:
        """The same with other numbers among the arguments of its kernel, from that place on."""
        arguments = self.arguments
        return self.changed(arguments=(*arguments[:at], *numbers, *arguments[at + len(numbers) :]))

    def run(self, *arrays: Any) -> None:
        """Launch it; where the stream is being captured, the graph keeps the arrays."""
        if _lookers and _seen.launches is not None:
            _seen.launches.append(self)
        self.launcher(*self.arguments)
        for each in self.then:
            each.launcher(*each.arguments)
        if running_captures:
            capture = capture_of(self.place.context, self.stream or 0)
            if capture is not None:
                capture.retain(*flat(arrays), *self.scratch)

    @property
    def usable(self) -> bool:
        """Whether nothing that it works with is closed."""
        for life in self.lives:
            if life.context is None:
                return False
        return not self.context.closed


class _DriverCall:
    """A plan that is one function of the driver, with a stream behind its other arguments."""

    def prepared(self, place: Device, stream: int | None) -> PreparedLaunch:
        """It as a launch of `prepare`."""
        context, (symbol, arguments, pointers) = place.context, self._call()
        function, types = context.driver.untyped(symbol), parameter_types(symbol)
        calls: dict[tuple[int, ...], Callable[[], int]] = {}

        def run(*values: int) -> None:
            if not values[-1]:
                return
            if context.poisoned is not None:
                context.check()
            call = calls.get(values)
            if call is None:  # arguments that ctypes has converted take half the time
                if len(calls) >= _MANY:
                    calls.clear()
                call = calls[values] = partial(
                    function, *(make(each) for make, each in zip(types, (*values, stream or 0)))
                )
            code = context.run(call)
            if code:
                raise context.error(symbol, code, (*values, stream or 0))

        made_of: Any = type(self)
        return PreparedLaunch(run, arguments, place, stream, context, pointers=pointers, plan=made_of)

    if TYPE_CHECKING:

        def _call(self) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
            """(the function, its arguments, of which the last is how many bytes, which of them are addresses)."""


_MANY = 64
"""Arguments of which a fill or a copy keeps the call."""


class _FilledBytes(NamedTuple):
    array: Array
    byte: int = 0


class Fill(_FilledBytes, _DriverCall):
    """A byte into all of an array of ours: it may stand among the plans of a chain."""

    @property
    def explained(self) -> str:
        """What it does."""
        return f"{self.byte or 'zeros'} into {self.array.nbytes} bytes"

    @property
    def arrays(self) -> tuple[Array, ...]:
        """What it works with."""
        return (self.array,)

    def launch(self) -> None:
        """On the current stream."""
        self.array.context.memset(
            self.array._here, self.byte, self.array.nbytes, width=1, stream=self.array.device.current_stream
        )

    def _call(self) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
        return "cuMemsetD8Async", (self.array._here, self.byte, self.array.nbytes), (0,)


class _CopiedArrays(NamedTuple):
    out: Array
    array: Array


class Copy(_CopiedArrays, _DriverCall):
    """The bytes of an array of ours into another one of as many."""

    @property
    def explained(self) -> str:
        """What it does."""
        return f"a copy of {self.array.nbytes} bytes"

    @property
    def arrays(self) -> tuple[Array, ...]:
        """What it works with."""
        return (self.out, self.array)

    def launch(self) -> None:
        """On the current stream."""
        self.out.copy_from(self.array)

    def _call(self) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
        return "cuMemcpyDtoDAsync_v2", (self.out._here, self.array._here, self.array.nbytes), (0, 1)


class _Seen(threading.local):
    """Where the launches of this thread are noted; None where nobody asked."""

    launches: list[PreparedLaunch] | None = None


_seen = _Seen()
_lookers: list[None] = []
"""As many as bodies of `seen_launches` run, in all threads: without any, a launch does not ask for its thread's."""


@contextmanager
def seen_launches() -> Iterator[list[PreparedLaunch]]:
    """What operations of this thread launch in the body, in its order."""
    before, _seen.launches = _seen.launches, []
    _lookers.append(None)
    try:
        yield _seen.launches
    finally:
        _seen.launches = before
        _lookers.pop()


def note_launches(launches: list[PreparedLaunch]) -> None:
    """Let whoever looks at this thread see launches that another body has kept."""
    if _seen.launches is not None:
        _seen.launches += launches


def flat(arrays: Any) -> list[Any]:
    """The arrays of an argument list, those in lists too."""
    found: list[Any] = []
    for each in arrays:
        if isinstance(each, (list, tuple)):
            found += flat(each)
        elif each is not None:
            found.append(each)
    return found


Plan = Union["KernelPlan", "Fill", "Copy"]

Plans = Sequence[Plan]
"""What is launched one behind the other."""


def launch_all(plans: Plans) -> None:
    """Launch them on the current stream."""
    for plan in plans:
        plan.launch()


def prepare(plan: Plan, place: Device, stream: int | None, scratch: tuple[Any, ...] = ()) -> PreparedLaunch:
    """A plan whose arguments are `Operand`s, arrays of ours and numbers: addresses, and tensor maps of those that the kernel
    takes so. Of the arrays it keeps `scratch` alone."""
    if not isinstance(plan, KernelPlan):
        return plan.prepared(place, stream)
    handle = plan.kernel.on(place)
    signature = handle.function.signature
    assert signature is not None
    arguments: list[Any] = []
    operands, pointers = [], []
    for index, (parameter, argument) in enumerate(zip(signature.params, plan.arguments)):
        if isinstance(argument, Array):
            pointers.append(index)
            arguments.append(argument._here)
        elif not isinstance(argument, Operand):
            arguments.append(argument)
        else:
            made: Any = parameter.structure
            operands.append((index, argument, made))
            arguments.append(argument.address if made is None else made.over(argument.address, argument, place.context))
    kept = _launchers.of(place.context)
    key = (handle, plan.grid, plan.block, plan.shared, stream, plan.cooperative, plan.programmatic)
    launcher = kept.get(key)
    if launcher is None:
        if len(kept) >= _MOST:
            kept.clear()
        launcher = handle.bind(plan.grid, plan.block, shared=plan.shared, stream=stream, **plan.attributes)
        kept[key] = launcher
    made_of = plan._replace(arguments=())  # which would keep the caller's arrays
    return PreparedLaunch(
        launcher, tuple(arguments), place, stream, place.context, scratch=scratch, operands=tuple(operands),
        pointers=tuple(pointers), plan=made_of,
    )  # fmt: skip


_launchers = OfContexts()
"""By all that a launch has beside its arguments: to make one takes 0.1 ms."""
_MOST = 4096


def prepare_chain(plans: Plans, place: Device, stream: int | None, scratch: tuple[Any, ...] = ()) -> PreparedLaunch:
    """Plans that are launched one after the other, as one launch that holds their `scratch`."""
    first, *behind = (prepare(plan, place, stream) for plan in plans)
    return first.changed(then=tuple(behind), scratch=scratch)


def joined(launches: Sequence[PreparedLaunch], also: Sequence[Array] = ()) -> PreparedLaunch:
    """Several as one, which works with some arrays also."""
    first, *others = launches
    behind = [each for launch in others for each in (launch.changed(then=()), *launch.then)]
    scratch = (*(array for launch in launches for array in launch.scratch), *also)
    return first.changed(then=(*first.then, *behind), scratch=scratch)


def explained(plans: Plans) -> str:
    """What `explain=True` says of several launches."""
    return ", then ".join(plan.explained for plan in plans)
