"""What other threads see, and in which order: operations give tokens, and later ones name the tokens that they come after.

    order = k.ordered("gpu")
    data = order.write(x, i, value)                 # st.global: other threads see it when they have been told
    order.signal(ready, 0, 1, after=data)           # st.release.gpu: whoever sees the 1 sees the data

    seen = order.wait(ready, 0, until=lambda v: v == 1)
    got = order.read(x, i, after=seen).value        # makes the load of `ready` an ld.acquire.gpu

That B comes after A means: who sees B sees A, and what A has seen. Each operation takes the weakest form that is enough for it
(manual, chapter 8, "Memory Consistency Model"): .release on the later one where it tells others; .acquire on the earlier one
where it has learnt from others, by rewriting the instruction that stands there already; fence.sc between a store and a load
of what others store; nothing where both are at one address and program order settles it. An operation that nothing names stays
.weak or .relaxed. Orders that no form gives are BuildErrors, which name both places: weak operations alone never order anything
for others; and no token can be named before an operation has returned it, so that a cycle is an error at its first step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder.control import structured
from ptxgen.builder.core.source import build_error, caller
from ptxgen.builder.memory import atomics
from ptxgen.builder.memory.pointers import ptr
from ptxgen.builder.threads import warp
from ptxgen.builder.values import arithmetic
from ptxgen.ir import Address, Instruction, resolve
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.ir import PythonSource

__all__ = ["Ordering", "Token", "ordered"]

SCOPES = ("cta", "cluster", "gpu", "sys")
"""Who is to see it, from the few to all."""

_ORDERS = ("relaxed", "acquire", "release", "acq_rel")
_WIDEST = {"shared": "cluster", "shared::cta": "cta", "shared::cluster": "cluster"}
"""Memory that not everybody reaches -> who does at most."""


class _Operation:
    """An access in the program: `kind` is "read", "write", "update" (atomic) or "barrier"; `strong`: others may race with it."""

    __slots__ = ("element", "instruction", "kind", "scope", "source", "strong")

    def __init__(self, kind: str, instruction: Instruction, scope: str, strong: bool, element: Any = None) -> None:
        self.kind = kind
        self.element = element
        self.instruction = instruction
        self.scope = scope
        self.strong = strong
        self.source: PythonSource | None = instruction.source  # type: ignore[assignment]

    @property
    def place(self) -> tuple[Any, ...]:
        """Equal for accesses that are certainly to the same bytes: registers that address are written once."""
        return (self.element, *(operand for operand in self.instruction.operands if isinstance(operand, Address)))

    def __str__(self) -> str:
        places = resolve(self.source)
        return self.instruction.op + (f" at {places[0]}" if places else "")


class Token:
    """That an operation has happened, for later ones to come after. `value` is what it has read or replaced, else None.

    Both branches of an `if` may keep one token: what comes after it then comes after whichever has happened.
    """

    __slots__ = ("_operations", "_ordering", "_source", "value")

    def __init__(self, ordering: Ordering) -> None:
        self._ordering = ordering
        self._operations: list[_Operation] = []
        self._source = caller()
        self.value: Any = None


class Ordering:
    """Ordered operations of one kernel, for the threads of `scope` unless an operation says another one. `k.ordered` makes it."""

    def __init__(self, k: FunctionBuilder, scope: str) -> None:
        self.k = k
        self.scope: str = self._scope(scope)

    # --- operations ---------------------------------------------------------------------------------------------------

    def read(self, pointer: ptr[Any], index: Any = 0, *, after: Any = (), keep: Token | None = None) -> Token:
        """A plain load. Nobody may write there at the same time: orders see to that."""
        return self._access("read", pointer, self.scope, False, after, keep, lambda _: pointer.load(index))

    def write(self, pointer: ptr[Any], index: Any, value: Any, *, after: Any = (), keep: Token | None = None) -> Token:
        """A plain store. Nobody may read or write there at the same time."""
        return self._access("write", pointer, self.scope, False, after, keep, lambda _: pointer.store(index, value))

    def check(
        self, pointer: ptr[Any], index: Any = 0, *, scope: str | None = None, after: Any = (), keep: Token | None = None
    ) -> Token:
        """A load of what other threads may store at the same time; what is named to come after it makes it an acquire."""
        chosen = self._scope(scope or self.scope)
        return self._access(
            "read", pointer, chosen, True, after, keep, lambda order: pointer.load(index, f"{order}.{chosen}")
        )

    def signal(
        self, pointer: ptr[Any], index: Any, value: Any, *, scope: str | None = None, after: Any = (), keep: Token | None = None
    ) -> Token:  # fmt: skip
        """A store that other threads may load at the same time; a release where it comes after something."""
        chosen = self._scope(scope or self.scope)
        return self._access(
            "write", pointer, chosen, True, after, keep, lambda order: pointer.store(index, value, f"{order}.{chosen}")
        )

    def atomic(
        self, op: str, pointer: ptr[Any], index: Any, *operands: Any, scope: str | None = None, after: Any = (),
        keep: Token | None = None,
    ) -> Token:  # fmt: skip
        """An atomic operation ("add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"), which reads and writes;
        `value` is the old one."""
        chosen = self._scope(scope or self.scope)
        wanted = atomics.OPERATIONS.get(op)
        if wanted is None:
            raise build_error("PTX220", f"no atomic operation {op!r}", expected=", ".join(atomics.OPERATIONS))
        if len(operands) != wanted:
            raise build_error(
                "PTX202", f"{len(operands)} operands for an atomic {op}", expected=f"{wanted} beside its address"
            )
        return self._access(
            "update",
            pointer,
            chosen,
            True,
            after,
            keep,
            lambda order: atomics.atomic(self.k, op, pointer, index, operands, chosen, order),
        )

    def wait(
        self, pointer: ptr[Any], index: Any = 0, *, until: Callable[[Any], Any], scope: str | None = None, after: Any = ()
    ) -> Token:  # fmt: skip
        """`check` again and again until the condition on what was loaded holds; `value` is what it then was."""
        k = self.k
        seen = arithmetic.variable(k, pointer.element)
        with structured.while_(k):
            token = self.check(pointer, index, scope=scope, after=after)
            seen.set(token.value)
            with structured.if_(k, until(seen)):
                structured.break_(k)
        token.value = seen
        return token

    def barrier(self, *, after: Any = (), keep: Token | None = None) -> Token:
        """`k.barrier()`: everything of every thread of the CTA before it comes before everything behind it, for the CTA."""
        self._named(after)
        token = self._token(keep)
        before = len(self.k.statements)
        warp.barrier(self.k)
        made = next(s for s in self.k.statements[before:] if isinstance(s, Instruction))
        token._operations.append(_Operation("barrier", made, "cta", True))
        return token

    def token(self) -> Token:
        """A token for an operation to come, which `keep=` gives it; for those of several branches, say."""
        return Token(self)

    # --- how ----------------------------------------------------------------------------------------------------------

    def _access(
        self, kind: str, pointer: Any, scope: str, strong: bool, after: Any, keep: Token | None, emit: Callable[[str], Any]
    ) -> Token:  # fmt: skip
        if not isinstance(pointer, ptr):
            raise build_error(
                "PTX220", f"an ordered operation works on a pointer, not on {pointer!r}", hint="array.pointer"
            )
        self._check_space(pointer, scope)
        k, statements = self.k, self.k.statements
        earlier = self._named(after)
        before = len(statements)
        value = emit("relaxed")
        place = next(
            i for i in range(before, len(statements))
            if isinstance(statements[i], Instruction) and statements[i].opcode in opcodes_with("load", "store", "atomic")  # type: ignore[union-attr]
        )  # fmt: skip
        instruction = statements[place]
        assert isinstance(instruction, Instruction)
        later = _Operation(kind, instruction, scope, strong, pointer.element)
        if self._order(earlier, later):
            statements.insert(place, Instruction(f"fence.sc.{scope}", (), k.guard, instruction.source))
        token = self._token(keep)
        token.value = value
        token._operations.append(later)
        return token

    def _order(self, earlier: list[_Operation], later: _Operation) -> bool:
        """Let the later one come after the earlier ones; whether that takes a fence.sc before it."""
        ways = [(each, self._way(each, later)) for each in earlier]
        if any("release" in way for _, way in ways):
            _strengthen(later, "release")
        for each, way in ways:
            if "acquire" in way:
                self._acquire(each, later)
        return any("fence" in way for _, way in ways)

    def _way(self, first: _Operation, second: _Operation) -> tuple[str, ...]:
        """What puts two operations in order for others: a "release" of the second, an "acquire" of the first, a "fence" between.

        Who sees the second must see what the first has seen as well, so that orders may be chained from thread to thread: between
        a check and a signal it takes both an acquire and a release, wherever they are.
        """
        tells = second.strong and second.kind != "read"
        if first.kind == "barrier":
            return ("release",) if tells and second.scope != "cta" else ()
        learnt = first.strong and first.kind != "write"
        if tells:
            return ("acquire", "release") if learnt else ("release",)
        if first.place == second.place:  # program order is enough
            return ()
        if second.strong and first.strong and first.kind != "read":  # a store, and what others answer to it
            return ("fence",)
        if learnt:
            return ("acquire",)
        raise build_error(
            "PTX590",
            f"nothing orders {second.instruction.op} behind {first} for other threads",
            expected="something learnt from others before it (check, wait, atomic), or that tells them (signal, atomic)",
            hint="signal(...) in place of the later operation, or check(...) in place of the earlier one",
        )

    def _acquire(self, first: _Operation, second: _Operation) -> None:
        if SCOPES.index(first.scope) < SCOPES.index(second.scope if second.strong else first.scope):
            raise build_error(
                "PTX592",
                f"{first} learns from its {first.scope} alone, {second.instruction.op} is for the {second.scope}",
                expected=f"scope={second.scope!r} for the earlier operation",
            )
        _strengthen(first, "acquire")

    # --- what is asked for --------------------------------------------------------------------------------------------

    def _named(self, after: Any) -> list[_Operation]:
        """The operations behind the tokens; each must be there already."""
        tokens = after if isinstance(after, (tuple, list)) else (after,)
        found: list[_Operation] = []
        for token in tokens:
            if not isinstance(token, Token):
                raise build_error("PTX221", f"after={token!r}", expected="a token of an ordered operation, or several")
            if token._ordering.k is not self.k:
                raise build_error("PTX321", f"a token of {token._ordering.k.name} is named in {self.k.name}")
            if not token._operations:
                places = resolve(token._source)
                raise build_error(
                    "PTX591",
                    "this comes after a token that no operation before it has given"
                    + (f"; the token was made at {places[0]}" if places else ""),
                    expected="the operation that keeps the token, before this one",
                    hint="a thread's operations happen in the order of its program: what stands behind cannot come before",
                )
            found += token._operations
        return found

    def _token(self, keep: Token | None) -> Token:
        if keep is not None and keep._ordering.k is not self.k:
            raise build_error("PTX321", f"a token of {keep._ordering.k.name} is kept in {self.k.name}")
        return keep or Token(self)

    def _scope(self, scope: str) -> str:
        if scope not in SCOPES:
            raise build_error("PTX592", f"no scope {scope!r}", expected=", ".join(SCOPES))
        if scope == "cluster" and not self.k.target.max_cluster:
            raise build_error(
                "PTX592", f"{self.k.target.name} has no clusters", expected="sm_90 or newer", hint="scope='gpu'"
            )
        return scope

    def _check_space(self, pointer: ptr[Any], scope: str) -> None:
        space = pointer.space
        if space in ("local", "param", "const"):
            raise build_error(
                "PTX592", f"no other thread writes .{space} memory, or sees it", expected=".global or .shared"
            )
        widest = _WIDEST.get(space or "")
        if widest is not None and SCOPES.index(scope) > SCOPES.index(widest):
            raise build_error(
                "PTX592",
                f"threads beyond its {widest} do not reach .{space} memory, {scope!r} is for them",
                expected=f"scope={widest!r}, or 'cta'",
            )


def _strengthen(operation: _Operation, order: str) -> None:
    """Make an instruction that stands in the program an acquire or a release, or both."""
    words = operation.instruction.op.split(".")
    place = next((i for i, word in enumerate(words) if word in _ORDERS), None)
    assert place is not None, "only strong operations order"
    known = words[place]
    words[place] = order if known in ("relaxed", order) else "acq_rel"
    operation.instruction.op = ".".join(words)


def ordered(k: FunctionBuilder, scope: str = "gpu") -> Ordering:
    """Operations whose order other threads see: `ptxgen.builder.memory.ordering`. `scope`: "cta", "cluster", "gpu" or "sys"."""
    return Ordering(k, scope)
