"""How a long array is shared out: whole tiles of vectors first, then what is left, element by element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u64, vec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.builder import Builder, pred

__all__ = ["as_vectors", "load", "load_items", "load_where", "store", "tail", "vector_tiles"]


def as_vectors(pointer: Any, lanes: int) -> Any:
    """The same memory as vectors of `lanes` elements; of one, as it is."""
    return pointer if lanes == 1 else pointer.vectors(lanes)


def load(pointer: Any, index: Any, *qualifiers: str) -> list[Any]:
    """The elements of one access through an `as_vectors` pointer."""
    found = pointer.load(index, *qualifiers)
    return list(found) if isinstance(found, vec) else [found]


def load_where(k: Builder, condition: pred, pointer: Any, index: Any, variables: Sequence[Any]) -> None:
    """Where the condition holds, set the variables with one access; elsewhere they stay. Guards, not branches, so that
    several of these are in flight together."""
    with k.pred(condition):
        for variable, value in zip(variables, load(pointer, index)):
            variable.set(value)


def load_items(
    k: Builder, whole: Any, there: Sequence[Any], source: Any, variables: Sequence[Any], *, step: int = 1, vector: int = 1
) -> None:  # fmt: skip
    """Set the variables to a thread's elements from `source` on, `step` apart; or neighbours, by accesses of `vector` of them.
    Where not all of the tile is there (`whole`), those that are there, and to 0 the others: guards would take predicates, of
    which a thread has seven, so that no more loads were in flight together."""
    with k.if_else(whole) as (all_, some):
        with all_:
            for j in range(0, len(variables), vector):
                for variable, value in zip(variables[j:], load(as_vectors(source, vector), j // vector * step)):
                    variable.set(value)
        with some:
            for j, (here, variable) in enumerate(zip(there, variables)):
                variable.set(0)
                with k.pred(here):
                    variable.set(source[j * step])


def store(pointer: Any, index: Any, values: Sequence[Any], *qualifiers: str) -> None:
    """Store them with one access."""
    pointer.store(index, values if len(values) > 1 else values[0], *qualifiers)


def vector_tiles(k: Builder, n: u64, tile: int, accesses: int) -> Iterator[u64]:
    """A loop over this CTA's whole tiles of `tile` elements, `accesses` vectors each: the thread's first vector in the tile.

    Its other vectors follow at distances of the CTA's size, so every access of a warp is one contiguous piece, and their
    addresses differ by constants.
    """
    lane = k.tid.x.to(u64)
    for number in k.range(k.ctaid.x.to(u64), n // tile, k.nctaid.x.to(u64)):
        yield k.fma(number, accesses, lane)


def tail(k: Builder, n: u64, tile: int) -> Iterator[u64]:
    """A loop of the whole grid over the elements after the last whole tile."""
    yield from k.range(n // tile * tile + k.global_id.x.to(u64), n, k.grid_size.x.to(u64))
