"""How a kernel searches the buckets of a hash table (see hash_join.py) for rows: several rows a thread, or one row a warp.

A bucket's entries are read 16 bytes at a time, those of all of a thread's rows at once, so that many loads are in flight. A
bucket of more than LONG entries, as a key has that occurs in many rows, would hold up the other lanes: the whole warp reads it,
once for all of its rows that have the same tag.
"""

from __future__ import annotations

from functools import partial

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import u32
from ptxgen.kernels.blocks.collectives import WARP
from ptxgen.kernels.joins.hash_join import NO_ROW, bucket_of, entry_bytes, key_at, tag_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.builder import Builder
    from ptxgen.builder.values import Integer

__all__ = [
    "LONG",
    "Entries",
    "ProbeRows",
    "count_together",
    "each_long",
    "find_together",
    "has_match",
    "rows_of",
    "search",
]

LONG = 128
"""Entries of a bucket that one lane reads alone."""
AHEAD = 2
"""Loads of a lane in flight where the warp reads a bucket."""


class Entries:
    """The table's entries, and what equal tags leave open: keys that are hashed, of `words` words, are compared too."""

    def __init__(
        self, k: Builder, entries: Any, element: type[Integer], probe_keys: Any, build_keys: Any, words: int
    ) -> None:
        self.k, self.entries, self.element = k, entries.vectors(4), element
        self.probe_keys, self.build_keys, self.words = probe_keys, build_keys, words
        self.together = 16 // entry_bytes(element)
        """Entries of one load."""

    def load(self, place: Any, condition: Any) -> list[list[Any]]:
        """The words of the entries at a place, a multiple of `together`, and after it; zeros where the condition fails."""
        k = self.k
        words = [k.var(u32, 0) for _ in range(4)]
        with k.pred(condition):
            for variable, word in zip(words, self.entries[place // self.together]):
                variable.set(word)
        return [words[:2], words[2:]] if self.together == 2 else [words[:3]]

    def where_same(self, condition: Any, row: Any, tag: Any, entry: list[Any], then: Callable[[Any], None]) -> None:
        """`then(build row)` where the condition holds and the entry has the row's key."""
        k, build_row = self.k, entry[-1]
        with k.if_(condition & (tag_of(entry, self.element) == tag)):
            if self.words:
                with k.if_(self._difference(row, build_row) == 0):
                    then(build_row)
            else:
                then(build_row)

    def _difference(self, row: Any, build_row: Any) -> Any:
        sides = (self.probe_keys, row), (self.build_keys, build_row)
        probe, build = (key_at(self.k, keys, number, self.words) for keys, number in sides)
        found = probe[0] ^ build[0]
        for w in range(1, self.words):
            found = found | (probe[w] ^ build[w])
        return found


class ProbeRows(NamedTuple):
    """Rows of the probe side by number, their tags, and the places at which their buckets begin and end: variables, or values."""

    numbers: list[Any]
    tags: list[Any]
    firsts: list[Any]
    ends: list[Any]


def rows_of(
    k: Builder,
    first: Any,
    n: Any,
    tags: Any,
    mask: Any,
    starts: Any,
    element: type[Integer],
    items: int,
    *,
    hashed: bool,
) -> ProbeRows:
    """`items` rows from `first` on, a warp's width apart. Those from n on have empty buckets."""
    numbers = [first + i * WARP for i in range(items)]
    rows = ProbeRows(numbers, *([k.var(kind, 0) for _ in range(items)] for kind in (element, u32, u32)))
    for i, (number, tag) in enumerate(zip(numbers, rows.tags)):
        with k.pred(number < n):
            tag.set(tags.at(first)[i * WARP])
    buckets = [bucket_of(k, tag, mask, hashed=hashed) for tag in rows.tags]
    for number, bucket, begin, end in zip(numbers, buckets, rows.firsts, rows.ends):
        bounds = starts.at(bucket)
        with k.pred(number < n):
            begin.set(bounds[0])
            end.set(bounds[1])
    return rows


def search(k: Builder, rows: ProbeRows, entries: Entries, found: Callable[[int, Any], None]) -> None:
    """`found(item, build row)` for each match of each of this thread's rows."""
    places = [k.var(u32, _aligned(first, entries.together)) for first in rows.firsts]
    _walk(k, rows, entries, places, entries.together, found)


def count_together(k: Builder, row: ProbeRows, entries: Entries) -> tuple[Any, Any]:
    """For one row that all lanes of the warp have: how many matches this lane finds, and one of them."""
    found, some = k.var(u32, 0), k.var(u32, NO_ROW)

    def note(_: int, build_row: Any) -> None:
        found.set(found + 1)
        some.set(build_row)

    places, step = _together(k, row, entries, AHEAD)
    _walk(k, ProbeRows(*(values * AHEAD for values in row)), entries, places, step, note)
    return found, some


def find_together(k: Builder, row: ProbeRows, entries: Entries, found: Callable[[Any, Any], None]) -> None:
    """`found(rank, build row)` for each match of one row that all lanes of the warp have. Ranks of lanes that find one at the
    same time follow each other, so that what they write lies together."""
    places, step = _together(k, row, entries, AHEAD)
    begin, before = k.var(u32, _aligned(row.firsts[0], entries.together)), k.var(u32, 0)
    with k.while_(lambda: k.all(begin < row.ends[0])):  # the same in every lane
        loaded = [entries.load(place, place < row.ends[0]) for place in places]
        for place, some in zip(places, loaded):
            for e, entry in enumerate(some):
                hit = k.var(u32, 0)
                there = _inside(place + e, row, 0)
                entries.where_same(there, row.numbers[0], row.tags[0], entry, lambda _, hit=hit: hit.set(1))  # type: ignore[misc]
                hits = k.ballot(hit != 0)
                with k.if_(hit != 0):
                    found(before + k.popc(hits & k.special("%lanemask_lt")), entry[-1])
                before += k.popc(hits)
            place += step
        begin += step


def _inside(place: Any, rows: ProbeRows, i: int) -> Any:
    """Whether a place is in a row's bucket: one before the first is far beyond the end."""
    return place - rows.firsts[i] < rows.ends[i] - rows.firsts[i]


def has_match(k: Builder, row: ProbeRows, entries: Entries) -> Any:
    """Whether one row that all lanes of the warp have has a match, the same in every lane: the warp stops at the first."""
    places, step = _together(k, row, entries, 1)
    begin, mine = k.var(u32, _aligned(row.firsts[0], entries.together)), k.var(u32, 0)
    with k.while_(lambda: k.all((begin < row.ends[0]) & (mine == 0))):
        _look(row, entries, places, step, lambda _, __: mine.set(1))
        begin += step
    return k.any(mine != 0)


def each_long(k: Builder, rows: ProbeRows, i: int, wanted: Any, *, alike: bool) -> Iterator[tuple[Any, ProbeRows]]:
    """A loop over the lanes whose item i has a long bucket and is wanted: the lane's row in all lanes of the warp, and the lanes
    that it stands for, one bit each. `alike`: for all that have its tag; else for itself."""
    left = k.var(u32, k.ballot(wanted & (rows.ends[i] - rows.firsts[i] > LONG)))
    with k.while_(lambda: left != 0):
        lane = k.clz(k.brev(left))
        row = ProbeRows(*([k.shfl_idx(values[i], lane)] for values in rows))
        lanes = k.ballot(rows.tags[i] == row.tags[0]) & left if alike else k.const(u32, 1) << lane
        left &= ~lanes
        yield lanes, row


def _together(k: Builder, row: ProbeRows, entries: Entries, ahead: int) -> tuple[list[Any], int]:
    """This lane's first places where the warp reads a bucket, `ahead` loads at a time, and how far it is to its next ones."""
    begin = _aligned(row.firsts[0], entries.together)
    apart = WARP * entries.together
    return [k.var(u32, begin + k.lane * entries.together + j * apart) for j in range(ahead)], ahead * apart


def _aligned(place: Any, together: int) -> Any:
    return place - place % together


def _walk(
    k: Builder, rows: ProbeRows, entries: Entries, places: list[Any], step: int, found: Callable[[int, Any], None]
) -> None:
    """Every place from `places` on, `step` apart, of each row's bucket."""

    def unfinished() -> Any:
        some = places[0] < rows.ends[0]
        for place, end in zip(places[1:], rows.ends[1:]):
            some = some | (place < end)
        return some

    with k.while_(unfinished):
        _look(rows, entries, places, step, found)


def _look(rows: ProbeRows, entries: Entries, places: list[Any], step: int, found: Callable[[int, Any], None]) -> None:
    """The entries at the places, as far as they are in their rows' buckets; then the places move on."""
    loaded = [entries.load(place, place < end) for place, end in zip(places, rows.ends)]
    for i, (some, place, number, tag) in enumerate(zip(loaded, places, rows.numbers, rows.tags)):
        for e, entry in enumerate(some):
            entries.where_same(_inside(place + e, rows, i), number, tag, entry, partial(found, i))
        place += step
