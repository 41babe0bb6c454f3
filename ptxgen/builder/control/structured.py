"""Structured control flow. Bodies are `with` blocks; `k.range` is a `for` loop whose body is built once."""

from __future__ import annotations

from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

from ptxgen.builder.control.python_control_flow import check_python_exits
from ptxgen.builder.core.guards import guarded
from ptxgen.builder.core.numbers import plain
from ptxgen.builder.core.source import build_error, caller
from ptxgen.builder.values import arithmetic
from ptxgen.builder.values.scalars import Integer, Value, pred, s32, s64, u32, u64
from ptxgen.ir import Not, Symbol

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from contextlib import AbstractContextManager
    from types import TracebackType

    from ptxgen.builder.core.function_builder import FunctionBuilder, ValueScope
    from ptxgen.errors import BuildError
    from ptxgen.ir import Register

__all__ = [
    "CountedLoop",
    "break_",
    "continue_",
    "do_while",
    "if_",
    "if_else",
    "in_with",
    "only_where",
    "predicated",
    "range_",
    "return_",
    "trap",
    "while_",
]

Condition = pred | Not | None
"""A predicate, or `ir.Not(p)`."""

K = TypeVar("K", bound="FunctionBuilder")
P = ParamSpec("P")
R = TypeVar("R")


def _branch(k: FunctionBuilder, label: str, guard: Register | Not | None = None) -> None:
    """`@guard bra label`; inside `k.pred` the guards cannot both apply, so control flow is refused there."""
    if k.guard is not None:
        raise build_error("PTX328", "control flow inside k.pred", hint="k.if_(condition)")
    instruction = k.emit("bra", Symbol(label))
    instruction.pred = guard


class WithBody(Generic[R]):
    """What `with` opens. One that is never opened is an error at the end of the function: its body would run everywhere."""

    __slots__ = ("_builder", "_kind", "_manager", "_source")

    def __init__(self, k: FunctionBuilder, kind: str, manager: AbstractContextManager[R]) -> None:
        self._builder = k
        self._kind = kind
        self._manager = manager
        self._source = caller()
        k.unopened[id(self)] = self.not_opened

    def __enter__(self) -> R:
        self._builder.unopened.pop(id(self), None)
        return self._manager.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return self._manager.__exit__(kind, error, trace)

    def not_opened(self) -> BuildError:
        """The error at the end."""
        return build_error(
            "PTX327",
            f"k.{self._kind} without `with`: it has no body",
            hint=f"with k.{self._kind}(...):",
            source=self._source,
        )


def in_with(
    kind: str,
) -> Callable[[Callable[Concatenate[K, P], Iterator[R]]], Callable[Concatenate[K, P], WithBody[R]]]:
    """Make a method of a generator: what it gives is opened by `with`."""

    def method(make: Callable[Concatenate[K, P], Iterator[R]]) -> Callable[Concatenate[K, P], WithBody[R]]:
        manager = contextmanager(make)

        @wraps(make)
        def body(k: K, /, *arguments: P.args, **named: P.kwargs) -> WithBody[R]:
            return WithBody(k, kind, manager(k, *arguments, **named))

        return body

    return method


def _open(k: FunctionBuilder, kind: str, **labels: str) -> ValueScope:
    """Begin a body."""
    scope = k.open_scope(kind, **labels)
    check_python_exits(scope.source, k.results is None)
    return scope


@in_with("if_")
def if_(k: FunctionBuilder, condition: pred | Not, *, end: str = "") -> Iterator[None]:
    """The body runs where the condition holds. `end` is the label behind it, where the caller places that: `k.place(end)`."""
    guard = k.truth(condition)
    behind = end or k.label("endif")
    _branch(k, behind, arithmetic.inverse(guard))
    scope = _open(k, "if_")
    yield
    k.close_scope(scope)
    if not end:
        k.place(behind)


@contextmanager
def only_where(k: FunctionBuilder, guard: Register | Not) -> Iterator[None]:
    """As `if_`, for the instructions of one operation of the builder."""
    end = k.label("endif")
    _branch(k, end, arithmetic.inverse(guard))
    scope = k.open_scope("if_")
    yield
    k.close_scope(scope)
    k.place(end)


@in_with("if_else")
def if_else(
    k: FunctionBuilder, condition: pred | Not, *, end: str = ""
) -> Iterator[tuple[AbstractContextManager[None], AbstractContextManager[None]]]:
    """`with k.if_else(p) as (then, otherwise): with then: ...; with otherwise: ...`, each body once and in this order.
    `end` as for `if_`."""
    guard = k.truth(condition)
    other, behind = k.label("else"), end or k.label("endif")
    done: list[str] = []

    @contextmanager
    def then() -> Iterator[None]:
        if done:
            raise build_error("PTX327", "`then` comes first and once")
        _branch(k, other, arithmetic.inverse(guard))
        scope = _open(k, "if_else")
        yield
        k.close_scope(scope)
        _branch(k, behind)
        k.place(other)
        done.append("then")

    @contextmanager
    def otherwise() -> Iterator[None]:
        if done != ["then"]:
            raise build_error("PTX327", "`otherwise` comes after `then`, once")
        scope = _open(k, "if_else")
        yield
        k.close_scope(scope)
        done.append("otherwise")

    yield then(), otherwise()
    if done != ["then", "otherwise"]:
        missing = "otherwise" if done else "then"
        raise build_error(
            "PTX327", f"if_else without its `{missing}` body", hint="with k.if_(condition): for a single body"
        )
    if not end:
        k.place(behind)


@in_with("while_")
def while_(
    k: FunctionBuilder, condition: Callable[[], pred] | None = None, *, again: str = "", end: str = ""
) -> Iterator[None]:
    """The body repeats while `condition()`, evaluated before each round, holds; without one, until `k.break_()`. `again` and
    `end` are labels in front of it and behind it, where the caller places them."""
    if isinstance(condition, Value):
        raise build_error(
            "PTX327", "the condition of while_ is computed only once here", hint="a function: k.while_(lambda: i < n)"
        )
    with _loop(k, "while_", "while", again, end) as scope:
        if condition is not None:
            scope.left = True
            _branch(k, scope.exit, arithmetic.inverse(k.truth(condition())))
        yield
        _branch(k, scope.next)


@in_with("do_while")
def do_while(k: FunctionBuilder, *, again: str = "", end: str = "") -> Iterator[None]:
    """The body runs, and again for as long as `k.continue_(p)`, its last statement, finds its predicate true. `again` and `end`
    as for `while_`."""
    with _loop(k, "do_while", "repeat", again, end):
        yield


@contextmanager
def _loop(k: FunctionBuilder, kind: str, hint: str, again: str, end: str) -> Iterator[ValueScope]:
    """A loop's scope between its labels. One behind it that nothing names is not placed: it may change how an assembler orders
    the code."""
    first, behind = again or k.label(hint), end or k.label(f"end{hint}")
    if not again:
        k.place(first)
    scope = _open(k, kind, next=first, exit=behind)
    yield scope
    k.close_scope(scope)
    if scope.left and not end:
        k.place(behind)


class CountedLoop:
    """A counted loop: `for i in k.range(n)` or `with k.range(n) as i`. See `range_`."""

    def __init__(
        self, builder: FunctionBuilder, start: Any, stop: Any, step: Any, type: type[Integer], unroll: int
    ) -> None:
        self._builder = builder
        self._start = start
        self._stop = stop
        self._step = step
        self._type = type
        self._unroll = unroll
        self._open: Generator[Integer, None, None] | None = None

    def __iter__(self) -> Iterator[Any]:
        loops = self._loops()
        finished = False
        try:
            yield from loops
            finished = True
        finally:
            if not finished and self._builder.pending is None:
                self._builder.pending = build_error(
                    "PTX324",
                    "Python's break or return inside the body of k.range: the body is built once, it does not run here",
                    hint="k.break_() under k.if_(condition)",
                )

    def __enter__(self) -> Any:
        if self._unroll > 1:
            raise build_error(
                "PTX327", "an unrolled k.range builds its body several times", hint="for i in k.range(...)"
            )
        self._open = self._loops()
        return next(self._open)

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is None and self._open is not None:
            next(self._open, None)

    def _loops(self) -> Generator[Integer, None, None]:
        k = self._builder
        counter = arithmetic.variable(k, self._type, self._start)
        # As in Python, the bounds are those of the beginning, even if they are variables that the body changes.
        stop = arithmetic.snapshot(arithmetic.coerce(counter, self._stop, "range"))
        step: Any = arithmetic.snapshot(self._step) if isinstance(self._step, Value) else self._step
        leave = k.label("endrange")
        if self._unroll > 1:
            ahead = (self._unroll - 1) * step
            yield from self._loop(counter, stop, step, self._unroll, ahead, leave)
        yield from self._loop(counter, stop, step, 1, 0, leave)
        k.place(leave)

    def _loop(
        self, counter: Integer, stop: Integer, step: Any, copies: int, ahead: Any, leave: str
    ) -> Generator[Integer, None, None]:
        """Test at the bottom: one branch a round. `break_` goes to `leave`, past the loop of what is left too."""
        k = self._builder
        again, end = k.label("loop"), k.label("endloop") if copies > 1 else leave
        down = isinstance(step, int) and step < 0
        fixed = self._may_wrap(copies, ahead)

        def more() -> pred:
            last = counter + ahead if copies > 1 else counter
            return last > stop if down else last < stop

        def before(limit: int) -> pred:
            return counter > limit if down else counter < limit

        if fixed and not self._holds(self._stop - ahead):
            return  # no counter is that far from the end
        repeats = not fixed or self._holds(self._stop - ahead - step * copies)
        _branch(k, end, arithmetic.inverse(k.truth(before(self._stop - ahead) if fixed else more())))
        if repeats:
            k.place(again)
        for copy in range(copies):
            scope = _open(k, "range", next=k.label("next"), exit=leave)
            inner = type(counter)(k, counter.operand, scope)
            if copy:
                inner = counter + step * copy
            yield inner
            k.close_scope(scope)
            k.place(scope.next)
        goes_on = before(self._stop - ahead - step * copies) if fixed and repeats else None
        counter += step * copies
        if repeats:
            _branch(k, again, k.truth(more() if goes_on is None else goes_on))
        if end != leave:
            k.place(end)

    def _may_wrap(self, copies: int, ahead: Any) -> bool:
        """Are the bounds known, and may the counter step over the type's end past the last round? Then the test is made before
        the step, against a bound that is so much nearer."""
        stop, step = self._stop, self._step
        if not isinstance(stop, int) or not isinstance(step, int):
            return False
        if not isinstance(self._start, int):
            return copies > 1 or not self._holds(stop + step + (1 if step < 0 else -1))
        past = self._start + len(range(self._start, stop, step)) * step
        return not self._holds(past + ahead + step * copies if copies > 1 else past)

    def _holds(self, number: int) -> bool:
        """Can the counter be that?"""
        isa = self._type.isa
        low, high = (-(1 << isa.bits - 1), (1 << isa.bits - 1) - 1) if isa.is_signed else (0, (1 << isa.bits) - 1)
        return low <= number <= high


def range_(k: FunctionBuilder, *bounds: Any, type: type[Integer] | None = None, unroll: int = 1) -> CountedLoop:
    """`k.range(stop)`, `k.range(start, stop)`, `k.range(start, stop, step)`: integers, device values or Python numbers.

    The counter has the type of the first device value among the bounds, else `type` (default u32). A negative step must be
    a Python number. With `unroll=n` the body is built n+1 times: n copies a round, and one for what is left.

    It ends where Python's does when step is 1, or stop and step are Python numbers. A stop or step of the device costs no
    instruction to guard: stop must then be at least n*step below the type's largest number, or the counter steps over it and
    begins anew, as in C; `type=u64` and `n.to(u64)` count on.
    """
    if not 1 <= len(bounds) <= 3:
        raise build_error(
            "PTX202", f"range of {len(bounds)} bounds", expected="stop; start, stop; or start, stop, step"
        )
    bounds = tuple(map(plain, bounds))
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    values = [b for b in (start, stop, step) if isinstance(b, Value)]
    if any(not isinstance(b, (int, Integer)) for b in (start, stop, step)):
        raise build_error("PTX220", "the bounds of a range are integers", hint="n.to(u32)")
    if isinstance(step, int) and step == 0:
        raise build_error("PTX221", "a range with step 0 never ends")
    chosen: Any = values[0].__class__ if values else type
    if chosen is None:
        chosen = s32 if any(isinstance(b, int) and b < 0 for b in (start, stop, step)) else u32
    if chosen not in (u32, s32, u64, s64):
        raise build_error("PTX220", f"a range counts in 32- or 64-bit integers, not .{chosen.isa.name}")
    if isinstance(step, int) and step < 0 and not chosen.isa.is_signed:
        raise build_error("PTX220", f"a range of .{chosen.isa.name} cannot count down", hint="k.range(..., type=s32)")
    if unroll < 1:
        raise build_error("PTX221", f"unroll={unroll}", expected="1 or more")
    return CountedLoop(k, start, stop, step, chosen, unroll)


def _loop_scope(k: FunctionBuilder, what: str) -> ValueScope:
    scope: ValueScope | None = k.scope
    while scope is not None and not scope.exit:
        scope = scope.parent
    if scope is None:
        raise build_error("PTX325", f"{what} outside a loop", expected="the body of k.while_ or k.range")
    return scope


def break_(k: FunctionBuilder, condition: Condition = None) -> None:
    """Leave the innermost loop; with a condition, where it holds: `with k.if_(p): k.break_()` in one branch."""
    scope = _loop_scope(k, "break_")
    scope.left = True
    _branch(k, scope.exit, None if condition is None else k.truth(condition))


def continue_(k: FunctionBuilder, condition: Condition = None) -> None:
    """Go to the next round of the innermost loop; with a condition, where it holds."""
    _branch(k, _loop_scope(k, "continue_").next, None if condition is None else k.truth(condition))


@in_with("pred")
def predicated(k: FunctionBuilder, condition: pred) -> Iterator[None]:
    """The body's effects happen where the condition holds, without a branch. For a few instructions without control flow.

    Stores, loads, atomics, assignments to variables and whatever else has an effect are guarded; values that are new are
    computed by every thread. So are divisions and square roots, which are long: `k.if_` spares the threads that do not need
    them.
    """
    if k.guard is not None:
        raise build_error("PTX328", "k.pred inside k.pred", hint="k.pred(a & b)")
    before = len(k.statements)
    source = caller()
    with guarded(k, k.truth(condition)):
        scope = _open(k, "pred")
        yield
        k.close_scope(scope)
    if len(k.statements) == before:
        raise build_error("PTX323", "a guard over no instruction", source=source)


def return_(k: FunctionBuilder) -> None:
    """The thread leaves the kernel. A device function returns the Python way."""
    if k.results is not None:
        raise build_error("PTX329", "return_ in a device function", hint="return value")
    k.emit("ret")


def trap(k: FunctionBuilder) -> None:
    """Stop the launch with an error."""
    k.emit("trap")
