"""`programs()`: a hypothesis strategy of whole programs."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from ptxgen.strategies.operations import BITS, OPERATIONS, REDUCTIONS
from ptxgen.strategies.program import (
    POOL,
    Argument,
    Assign,
    Ballot,
    CallStatement,
    DrawnProgram,
    Exchange,
    Fold,
    If,
    Load,
    LoopStatement,
    ReduceStatement,
    Shuffle,
    Statement,
    StoreStatement,
    Switch,
    ThreadVariable,
    UniformIf,
)

__all__ = ["programs"]

_TELLING = {
    16: (0, 1, 0x7FFF, 0x8000, 0xFFFF, 31, 0x3C00),
    32: (0, 1, 2, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x3F800000, 0x00800000, 0x007FFFFF, 0x7F800000, 0xFF800000),
    64: (0, 1, 63, 64, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << 32, 0x3FF << 52, 0x7FF << 52, 1 << 52),
}  # fmt: skip
"""Patterns at which operations change their mind: ends of ranges, widths, ones, infinities, the smallest normal numbers."""

_VARIABLES = {kind: tuple(ThreadVariable(kind, index) for index in range(count)) for kind, count in POOL.items()}


def _patterns(bits: int) -> st.SearchStrategy[int]:
    return st.one_of(st.sampled_from(_TELLING[bits]), st.integers(0, (1 << bits) - 1))


_words = _patterns(32)
_by_kind = {kind: st.sampled_from(found) for kind, found in _VARIABLES.items()}
_constants = {kind: _patterns(bits) for kind, bits in BITS.items() if kind != "pred"}
_arguments: dict[str, st.SearchStrategy[Argument]] = {
    kind: st.one_of(variables, _constants[kind]) if kind in _constants else variables
    for kind, variables in _by_kind.items()
}
_guards = st.one_of(st.none(), st.none(), st.tuples(_by_kind["pred"], st.booleans()))


def _assignments(names: tuple[str, ...]) -> st.SearchStrategy[Assign]:
    return st.sampled_from(names).flatmap(_assignment)


def _assignment(name: str) -> st.SearchStrategy[Assign]:
    operation = OPERATIONS[name]
    args: list[st.SearchStrategy[Any]] = []
    for place, kind in enumerate(operation.operands):
        if kind in ("byte", "shift"):
            args.append(st.one_of(st.integers(0, 31 if kind == "byte" else 70), _by_kind["b32"]))
        elif kind.startswith("#"):
            args.append(st.integers(0, (1 << int(kind[1:])) - 1))
        else:
            args.append(_by_kind[kind] if place == 0 else _arguments[kind])  # one operand at least is a variable
    guards = st.none() if name.startswith("testp") else _guards  # ptxas 13.0 drops their guard
    return st.builds(Assign, st.just(name), _by_kind[operation.result], st.tuples(*args), guards)


def _loads(memory: str, longest: int) -> st.SearchStrategy[Load]:
    counts = [count for count in (1, 2, 4) if count <= longest]
    return st.sampled_from(counts).flatmap(
        lambda count: st.builds(Load, st.just(memory), st.tuples(*[_by_kind["b32"]] * count), _by_kind["b32"])
    )


class _Grammar:
    """The statements that may stand somewhere, by how deep it is and whether all threads of the CTA are there."""

    def __init__(self, names: tuple[str, ...], functions: int, in_function: bool) -> None:
        word, pred = _by_kind["b32"], _by_kind["pred"]
        operations = st.sampled_from(tuple(REDUCTIONS))
        assign = _assignments(names)
        self.simple: list[st.SearchStrategy[Statement]] = [assign, assign, assign, _loads("table", 1)]
        self.together: list[st.SearchStrategy[Statement]] = []
        if not in_function:
            self.simple += [
                _loads("input", 4),
                _loads("scratch", 1),
                st.builds(StoreStatement, word, word),
                st.builds(ReduceStatement, operations, word, word, st.booleans()),
            ]
            self.together = [
                st.builds(Exchange, _by_kind["b64"], _by_kind["b64"], word),
                st.builds(Fold, operations, word, word),
                st.builds(Shuffle, st.sampled_from(("up", "down", "bfly", "idx")), word, word, st.integers(0, 31)),
                st.builds(Ballot, word, pred),
            ]
        if functions:
            self.simple.append(st.builds(CallStatement, st.integers(0, functions - 1), word, word, word))
        self._bodies: dict[tuple[int, bool], st.SearchStrategy[tuple[Statement, ...]]] = {}

    def statement(self, depth: int, together: bool) -> st.SearchStrategy[Statement]:
        """A statement with control flow nested at most `depth` deep in it."""
        return st.one_of([*self.simple, *(self.together if together else ()), *self._control(depth, together)])

    def body(self, depth: int, together: bool) -> st.SearchStrategy[tuple[Statement, ...]]:
        """A few statements."""
        known = self._bodies.get((depth, together))
        if known is None:
            known = self._bodies[depth, together] = st.lists(self.statement(depth, together), max_size=4).map(tuple)
        return known

    def _control(self, depth: int, together: bool) -> list[st.SearchStrategy[Statement]]:
        if not depth:
            return []
        apart = self.body(depth - 1, False)
        pred, word = _by_kind["pred"], _by_kind["b32"]
        trips: st.SearchStrategy[Argument] = st.one_of(st.integers(0, 3), word)
        found: list[st.SearchStrategy[Statement]] = [
            st.builds(If, pred, st.booleans(), apart, apart),
            st.builds(LoopStatement, trips, apart, st.one_of(st.none(), pred)),
            st.builds(Switch, word, st.tuples(apart, apart, apart, apart)),
        ]
        if together:
            inner = self.body(depth - 1, True)
            found.append(st.builds(UniformIf, st.integers(0, 1), inner, inner))
            found.append(st.builds(LoopStatement, st.integers(0, 3), inner, st.none()))
        return found


@st.composite
def programs(
    draw: st.DrawFn,
    *,
    depth: int = 3,
    statements: int = 12,
    functions: int = 2,
    floating: bool = True,
    max_block: int = 96,
    max_grid: int = 3,
) -> DrawnProgram:
    """Whole programs without undefined behaviour, races or endless loops, whose result is the same on every device, bit for bit.

    `depth` is how deep control flow nests, `statements` how many there are at the top, `functions` how many device functions
    may be called, `floating` whether there is floating-point arithmetic (exact operations only); CTAs have whole warps.
    They shrink toward no statements, one CTA of one warp, and an input of zeros.
    """
    names = tuple(name for name in OPERATIONS if floating or not _is_floating(name))
    count = draw(st.integers(0, functions))
    callees = _Grammar(names, 0, in_function=True)
    bodies = tuple(draw(callees.body(1, False)) for _ in range(count))
    main = _Grammar(names, count, in_function=False)
    body = tuple(draw(st.lists(main.statement(depth, True), min_size=1, max_size=statements)))
    return DrawnProgram(
        body,
        bodies,
        data=tuple(draw(st.lists(_words, min_size=8, max_size=16).map(_of_four))),
        table=tuple(draw(st.lists(_words, min_size=1, max_size=6))),
        grid=draw(st.integers(1, max_grid)),
        block=32 * draw(st.integers(1, max(1, max_block // 32))),
    )


def _of_four(words: list[int]) -> list[int]:
    """Cut to a multiple of four: vector loads read up to the end."""
    return words[: len(words) // 4 * 4]


def _is_floating(name: str) -> bool:
    operation = OPERATIONS[name]
    return any(kind in ("f32", "f64") for kind in (operation.result, *operation.operands))
