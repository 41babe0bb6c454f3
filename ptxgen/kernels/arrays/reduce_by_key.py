"""Reductions of each run of equal neighbours, several in one pass, and where the runs begin.

`reduce_by_key` gives a CTA a tile of neighbouring places. Heads of runs are counted by decoupled look-back (see lookback.py),
so a run's number is known; runs that end in the tile are written at once. Of a run that goes on, what the tile has at its
beginning goes to heads[tile], what it has at its end to tails[tile], and `join_tiles` combines those, a warp a run. So the work
is even however long the runs are, and values are combined in an order that depends on places alone: results are the same bits
in every run of the program, also those of floating-point sums.

Shapes: keys[n] in which equal ones are neighbours, or marks[n], u8, not 0 where a run begins; columns[c][n], in order or, with an
`order`, by row numbers -> starts[runs], first[runs] (the keys), outs[c][runs]; total[1]; befores[tiles + 1], heads and
tails[tiles] of each column; `states` and `ticket` are zero before the first launch, a u64 a tile and one.

Floor, n keys of b bytes and values of v: (b + v)*n bytes read, and what is written of each run; with an order a 32-byte sector
a value.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, f16, f32, f64, kernel, ptr, s8, s32, s64, u8, u16, u32, u64
from ptxgen.builder.values import Integer, Value
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.blocks.collectives import WARP, combine, identity, warp_reduce, warp_scan, warps_before
from ptxgen.kernels.blocks.lookback import before_tile, publish_total, take_turn
from ptxgen.kernels.blocks.tiles import load_items
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.plan import KernelPlan, common_alignment, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from ptxgen.builder import Kernel

__all__ = [
    "KERNEL", "VARIANTS", "Reduction", "Step", "join_plan", "reduce_plan", "reduction_of", "scratch_words", "tiles_of",
]  # fmt: skip

C = TypeVar("C", bound=Integer)
T = TypeVar("T", bound=Value)
A = TypeVar("A", bound=Value)
R = TypeVar("R", bound=Value)

THREADS = 256
WARPS = THREADS // WARP
ITEMS = 8
TILE = THREADS * ITEMS
REGISTERS = 48
"""Of a thread where there is one column, so that an SM has room for five CTAs: tiles wait for those before them, as in
prefix.py."""
PAUSE = 2000
"""Nanoseconds before a tile looks back."""
AHEAD = 8
"""Tiles of a lane in flight where tiles are joined."""


class Reduction(NamedTuple):
    """How a run is reduced: values are converted to `accumulator` (`nonzero`: to 1 where they are not 0, else to 0), combined by
    `op`, "sum", "min" or "max", and a result is converted to `stored`."""

    op: str
    accumulator: type[Value]
    stored: type[Value]
    nonzero: bool = False


class Step(NamedTuple):
    """A column's type, and how its runs are reduced."""

    element: type[Value]
    how: Reduction


def reduction_of(op: str, element: type[Value]) -> Reduction:
    """Of values of a type, by "sum", "min", "max", "any", "all" or "mean", which is the sum that is to be divided. Sums have 64
    bits, so that those of narrower integers do not wrap and floats keep their digits."""
    isa = element.isa
    if op in ("any", "all"):
        return Reduction("max" if op == "any" else "min", u32, u8, nonzero=True)
    if op == "mean":
        return Reduction("sum", f64, f64)
    wide: type[Value] = f64 if isa.is_float else s64 if isa.is_signed else u64
    if op == "sum":
        return Reduction(op, wide, wide)
    narrow: type[Value] = f32 if isa.is_float else s32 if isa.is_signed else u32
    return Reduction(op, element if isa.bits >= 32 else narrow, element)


def nothing_of(how: Reduction) -> int | float:
    """What changes nothing. The smaller of a number and NaN is the number; so a run of NaN alone stays what it is."""
    return math.nan if how.op != "sum" and how.accumulator.isa.is_float else identity(how.op, how.accumulator)


def tiles_of(n: int) -> int:
    """Tiles of n places, at least one."""
    return grid_for(n, TILE)


def scratch_words(n: int) -> int:
    """u64 words of states and the ticket, which is the last."""
    return tiles_of(n) + 1


def _registers(*, steps: tuple[Step, ...], **_: Any) -> int | None:
    return REGISTERS if len(steps) == 1 else None


@kernel(threads=THREADS, max_registers=_registers)
def reduce_by_key(
    k: Builder, n: u32, keys: ptr[C], order: ptr[u32], total: ptr[u32], states: ptr[u64], ticket: ptr[u64],
    befores: ptr[u32], starts: ptr[u32], first: ptr[C], *pointers: T, element: type[C], marked: bool, placed: bool,
    gathered: bool, vector: int, steps: tuple[Step, ...], types: tuple[type[T], ...],
) -> None:  # fmt: skip
    """`pointers` are values, out, heads and tails of each step. `marked`: keys are marks; starts and first are not written.
    `placed`: starts are. `vector`: bytes to which what is read in order is aligned, at most 16."""
    turn = take_turn(k, ticket)
    tile = turn.tile
    begin, place = tile * TILE, k.tid.x * ITEMS
    at, left = begin + place, n - begin
    inside = [place + j < left for j in range(ITEMS)]
    found = _neighbours(k, keys, at, left >= TILE, inside, vector)
    if marked:
        heads = [here & (mark != 0) for here, mark in zip(inside, found)]
    else:
        last = k.var(element, k.shfl_up(found[-1], 1))
        with k.pred((k.lane == 0) & inside[0] & (at != 0)):
            last.set(keys.at(at)[-1])
        changes = [a != b for a, b in zip(found, [last, *found])]
        heads = [
            inside[0] & ((at == 0) | changes[0]),
            *(here & change for here, change in zip(inside[1:], changes[1:])),
        ]
    rows = _neighbours(k, order, at, left >= TILE, inside, vector) if gathered else None
    columns = []
    for s, step in enumerate(steps):
        column: Any = pointers[4 * s]
        raw = (
            _neighbours(k, column, at, left >= TILE, inside, vector)
            if rows is None
            else [_guarded(k, column, row, here) for row, here in zip(rows, inside)]
        )
        columns.append([_accumulated(k, step.how, value, here) for value, here in zip(raw, inside)])

    count = k.var(u32, 0)
    for head in heads:
        with k.pred(head):
            count += 1
    upto = warp_scan(k, count)
    carries = [
        _Carry(k, number, step.how, values, heads, count != 0)
        for number, (step, values) in enumerate(zip(steps, columns))
    ]
    before_warp, whole = warps_before(k, upto, WARPS, name="counts")
    publish_total(k, states, turn, whole)
    base = before_tile(k, "sum", states, turn, whole, 0, pause=PAUSE)
    with k.if_(k.tid.x == 0):
        befores[tile] = base
        with k.if_(left <= TILE):
            befores[tile + 1] = base + whole
            total[0] = base + whole
    before = before_warp + upto - count  # heads of this tile ahead of the thread's
    runs = _Runs(k, base, whole, tile)
    if placed:
        runs.write_heads(heads, [at + j for j in range(ITEMS)], before, u32, starts)
    if not marked:
        runs.write_heads(heads, found, before, element, first)
    for s, (step, values, carry) in enumerate(zip(steps, columns, carries)):
        out, of_heads, of_tails = pointers[4 * s + 1 : 4 * s + 4]
        runs.write(step.how, values, heads, carry.before(k), before, out, of_heads, of_tails)


def _guarded(k: Builder, pointer: Any, at: Any, here: Any) -> Any:
    found = k.var(pointer.element, 0)
    with k.pred(here):
        found.set(pointer[at])
    return found


def _neighbours(k: Builder, pointer: Any, at: Any, whole: Any, inside: list[Any], vector: int) -> list[Any]:
    """A thread's elements from `at` on, by accesses of at most `vector` bytes."""
    found = [k.var(pointer.element) for _ in inside]
    lanes = max(1, min(vector // pointer.element.isa.bytes, ITEMS))
    load_items(k, whole, inside, pointer.at(at), found, vector=lanes)
    return found


def _accumulated(k: Builder, how: Reduction, value: Any, here: Any) -> Any:
    """A value as it is combined; nothing where there is none."""
    if how.nonzero:
        value = k.select(value != 0, k.const(how.accumulator, 1), 0)
    elif type(value) is not how.accumulator:
        value = value.to(how.accumulator)
    return k.select(here, value, k.const(how.accumulator, nothing_of(how)))


class _Carry:
    """What the threads before this one have of the run that it begins in: of its warp by a scan, of the warps before in shared
    memory, which is read behind a barrier."""

    def __init__(self, k: Builder, number: int, how: Reduction, values: list[Any], heads: list[Any], some: Any) -> None:
        self.how = how
        run = k.var(how.accumulator, nothing_of(how))
        for head, value in zip(heads, values):
            run.set(k.select(head, value, combine(k, how.op, run, value)))
        has, distance = k.var(u32, k.select(some, k.const(u32, 1), 0)), 1
        while distance < WARP:
            below, below_has = k.shfl_up(run, distance), k.shfl_up(has, distance)
            there = k.lane >= distance
            run.set(k.select(there & (has == 0), combine(k, how.op, below, run), run))
            has.set(k.select(there, has | below_has, has))
            distance *= 2
        self.runs = k.shared(how.accumulator, WARPS, name=f"runs_{number}")
        self.flags = k.shared(u32, WARPS, name=f"flags_{number}")
        with k.if_(k.lane == WARP - 1):
            self.runs[k.tid.x // WARP] = run
            self.flags[k.tid.x // WARP] = has
        self.own, self.has = k.shfl_up(run, 1), k.shfl_up(has, 1)

    def before(self, k: Builder) -> Any:
        how = self.how
        found = k.var(how.accumulator, nothing_of(how))
        for w in k.range(k.tid.x // WARP):
            run = self.runs[w]
            found.set(k.select(self.flags[w] != 0, run, combine(k, how.op, found, run)))
        carried = k.select(self.has != 0, self.own, combine(k, how.op, found, self.own))
        return k.select(k.lane == 0, found, carried)


class _Runs:
    """What is written of a tile's runs: brought together in shared memory first, so that neighbours are written together."""

    def __init__(self, k: Builder, base: Any, whole: Any, tile: Any) -> None:
        self.k, self.base, self.whole, self.tile = k, base, whole, tile
        self.staged = k.shared(u64, TILE + TILE // 16, name="staged").pointer

    def _place(self, number: Any, element: type[Value]) -> Any:
        """Where an element is staged: one is left out for each pass over all banks, so that the threads' elements, ITEMS apart,
        are in different ones."""
        return number + (number >> (128 // element.isa.bytes).bit_length() - 1)

    def _write(self, staged: Any, count: Any, out: Any) -> None:
        k = self.k
        k.barrier()
        for i in k.range(k.tid.x, count, THREADS):
            out.at(self.base)[i] = staged[self._place(i, staged.element)]
        k.barrier()

    def write_heads(self, heads: list[Any], values: list[Any], before: Any, element: type[Value], out: Any) -> None:
        """A value of each head."""
        k, staged = self.k, self.staged.cast(element)
        g = k.var(u32, before)
        for head, value in zip(heads, values):
            with k.pred(head):
                staged[self._place(g, element)] = value
                g += 1
        self._write(staged, self.whole, out)

    def write(
        self, how: Reduction, values: list[Any], heads: list[Any], carry: Any, before: Any, out: Any, of_heads: Any,
        of_tails: Any,
    ) -> None:  # fmt: skip
        """The runs that end with a head of this tile; by the last thread what the tile leaves open."""
        k, tile, staged = self.k, self.tile, self.staged.cast(how.stored)
        run, g = k.var(how.accumulator, carry), k.var(u32, before)
        for head, value in zip(heads, values):
            ended = run if how.stored is how.accumulator else run.to(how.stored)
            with k.pred(head & (g != 0)):  # has the run begun in this tile?
                staged[self._place(g - 1, how.stored)] = ended
            with k.if_(head & (g == 0)):
                of_heads[tile] = run
            with k.pred(head):
                g += 1
            run.set(k.select(head, value, combine(k, how.op, run, value)))
        with k.if_(k.tid.x == THREADS - 1), k.if_else(g != 0) as (begun, passing):
            with begun:
                of_tails[tile] = run
            with passing:
                of_heads[tile] = run
        self._write(staged, self.whole - k.min(self.whole, 1), out)


def _goes_on(more: Any, place: Any, tiles: Any) -> Any:
    return (more != 0) & (place < tiles)


@kernel(max_threads=THREADS)
def join_tiles(
    k: Builder, tiles: u32, befores: ptr[u32], heads: ptr[A], tails: ptr[A], out: ptr[R], *, how: Reduction,
    element: type[A], stored: type[R],
) -> None:  # fmt: skip
    """A warp for each tile that leaves a run open: its end, and the beginnings of the tiles behind, up to one that has a head."""
    lane, nothing = k.lane, nothing_of(how)
    for tile in k.range(k.global_id.x // WARP, tiles, k.grid_size.x // WARP):
        runs = befores[tile + 1]
        with k.if_(runs != befores[tile]):
            own, place, more = k.var(element, nothing), k.var(u32, tile + 1), k.var(u32, 1)
            with k.while_(partial(_goes_on, more, place, tiles)):
                for i in range(AHEAD):
                    at = place + i * WARP + lane
                    inside = at < tiles
                    there = befores[k.min(at, tiles)] == runs  # no head in the tiles between
                    with k.if_(inside & there):
                        own.set(combine(k, how.op, own, heads[at]))
                    if i == AHEAD - 1:
                        more.set(k.ballot(inside & there & (lane == WARP - 1)))
                place += AHEAD * WARP
            whole = warp_reduce(k, how.op, own)
            with k.if_(lane == 0):
                found = combine(k, how.op, tails[tile], whole)
                out[runs - 1] = found if how.stored is how.accumulator else found.to(how.stored)


KERNEL = reduce_by_key


def reduce_plan(
    n: int, keys: Any, order: Any, total: Any, states: Any, ticket: Any, befores: Any, starts: Any, first: Any,
    columns: Sequence[tuple[Any, Any, Any, Any]], *, element: type[Integer], marked: bool, placed: bool,
    steps: tuple[Step, ...], vector: int | None = None,
) -> KernelPlan:  # fmt: skip
    """The first half: of each step values, out, heads and tails. Without an order (None), values are in order."""
    in_order = [keys, *([values for values, *_ in columns] if order is None else [order])]
    aligned = min(16, common_alignment(*in_order)) if vector is None else vector
    kernel_ = _reducing(element, steps, marked=marked, placed=placed, gathered=order is not None, vector=aligned)
    arguments = (
        n,
        keys,
        total if order is None else order,
        total,
        states,
        ticket,
        befores,
        starts,
        first,
        *sum(columns, ()),
    )
    return KernelPlan(kernel_, tiles_of(n), THREADS, arguments)


def join_plan(n: int, befores: Any, heads: Any, tails: Any, out: Any, *, how: Reduction) -> KernelPlan:
    """The second half, of one column."""
    tiles = tiles_of(n)
    return KernelPlan(_joining(how), grid_for(tiles * WARP, THREADS), THREADS, (tiles, befores, heads, tails, out))


def _reducing(element: type[Integer], steps: tuple[Step, ...], **how: Any) -> Kernel:
    kinds = [(s, of.stored, of.accumulator, of.accumulator) for s, of in steps]
    types = [ptr.__class_getitem__(each) for row in kinds for each in row]
    return using(reduce_by_key, element=element, steps=steps, types=tuple(types), **how)


def _joining(how: Reduction) -> Kernel:
    return using(join_tiles, how=how, element=how.accumulator, stored=how.stored)


def _case(
    size: tuple[int, int], rng: np.random.Generator, *, element: type[Integer], marked: bool, placed: bool,
    gathered: bool, vector: int, wanted: tuple[tuple[type[Value], str], ...],
) -> Case:  # fmt: skip
    """(places, runs). Small integers, so that floating-point sums are exact."""
    import numpy as np

    (n, runs), tiles = size, tiles_of(size[0])
    steps = tuple(Step(kind, reduction_of(op, kind)) for kind, op in wanted)
    numbers = np.sort(rng.integers(0, runs, n))
    heads = np.append(np.ones(min(n, 1), bool), np.diff(numbers) != 0)
    keys = (heads if marked else numbers).astype(numpy_name(element.isa))
    starts, order = np.nonzero(heads)[0], rng.permutation(n).astype(np.uint32)
    count = len(starts)
    arrays = {
        "keys": HostArray(keys, element), "order": HostArray(order, u32), "total": HostArray(np.zeros(1, np.uint32), u32),
        "states": HostArray(np.zeros(tiles, np.uint64), u64), "ticket": HostArray(np.zeros(1, np.uint64), u64),
        "befores": HostArray(np.zeros(tiles + 1, np.uint32), u32), "starts": HostArray(np.zeros(n, np.uint32), u32),
        "first": HostArray(np.zeros(n, keys.dtype), element),
    }  # fmt: skip
    expected = {"total": np.array([count], np.uint32)}
    if placed:
        expected["starts"] = np.pad(starts, (0, n - count)).astype(np.uint32)
    if not marked:
        expected["first"] = np.pad(keys[starts], (0, n - count))
    for s, (kind, how) in enumerate(steps):
        values = rng.integers(0 if how.nonzero else 1, 100, n).astype(numpy_name(kind.isa))
        sequence = values[order] if gathered else values
        sequence = (sequence != 0 if how.nonzero else sequence).astype(numpy_name(how.accumulator.isa))
        out = np.zeros(n, numpy_name(how.stored.isa))
        ufunc: Any = {"sum": np.add, "min": np.minimum, "max": np.maximum}[how.op]
        arrays |= {f"values{s}": HostArray(values, kind), f"out{s}": HostArray(out.copy(), how.stored)}
        arrays |= {
            f"{end}{s}": HostArray(np.zeros(tiles, sequence.dtype), how.accumulator) for end in ("heads", "tails")
        }
        for g, (start, end) in enumerate(zip(starts, [*starts[1:], n])):
            if start // TILE == end // TILE and end < n:  # what ends in its tile; the next run's head is there too
                out[g] = ufunc.reduce(sequence[start:end])
        expected[f"out{s}"] = out
    return Case(
        arrays=arrays,
        plan=lambda on: reduce_plan(
            n, on["keys"], on["order"] if gathered else None, on["total"], on["states"], on["ticket"], on["befores"],
            on["starts"], on["first"],
            [tuple(on[f"{name}{s}"] for name in ("values", "out", "heads", "tails")) for s in range(len(steps))],
            element=element, marked=marked, placed=placed, steps=steps, vector=vector,
        ),
        expected=expected,
        tolerance=EXACT,
    )  # fmt: skip


def _join_case(tiles: int, rng: np.random.Generator, *, how: Reduction) -> Case:
    """Tiles of which most have no head, so that runs go on over several."""
    import numpy as np

    heads_in = np.where(rng.random(tiles) < 0.01, rng.integers(1, 5, tiles), 0)
    heads_in[:1] = 1
    befores = np.append(0, np.cumsum(heads_in))
    kind = numpy_name(how.accumulator.isa)
    heads, tails = rng.integers(1, 100, tiles).astype(kind), rng.integers(1, 100, tiles).astype(kind)
    ufunc: Any = {"sum": np.add, "min": np.minimum, "max": np.maximum}[how.op]
    out = np.zeros(int(befores[-1]) + 1, numpy_name(how.stored.isa))
    begun = [*np.nonzero(heads_in)[0], tiles - 1]
    for tile, end in pairwise(begun):
        out[befores[tile + 1] - 1] = ufunc.reduce(np.append(tails[tile], heads[tile + 1 : end + 1]))
    if tiles > 1 and heads_in[-1]:
        out[befores[-1] - 1] = tails[-1]
    return Case(
        arrays={
            "befores": HostArray(befores.astype(np.uint32), u32), "heads": HostArray(heads, how.accumulator),
            "tails": HostArray(tails, how.accumulator), "out": HostArray(np.zeros_like(out), how.stored),
        },
        plan=lambda on: join_plan(tiles * TILE, on["befores"], on["heads"], on["tails"], on["out"], how=how),
        expected={"out": out},
        tolerance=EXACT,
    )  # fmt: skip


_SIZES = ((0, 1), (1, 1), (100, 7), (TILE, 1), (5000, 4000), (3 * TILE + 77, 9))


def _variant(
    name: str, element: type[Integer], *wanted: tuple[type[Value], str], marked: bool = False, placed: bool = False,
    gathered: bool = False, vector: int = 16,
) -> Variant:  # fmt: skip
    steps = tuple(Step(kind, reduction_of(op, kind)) for kind, op in wanted)
    how: dict[str, Any] = {"marked": marked, "placed": placed, "gathered": gathered, "vector": vector}
    kernel_ = _reducing(element, steps, **how)
    case = partial(_case, element=element, wanted=wanted, **how)
    return Variant("reduce_by_key", name, kernel_, case, _SIZES)


def _join(element: type[Value], op: str) -> Variant:
    how = reduction_of(op, element)
    return Variant(
        "reduce_by_key", f"join.{op}.{element.isa.name}", _joining(how), partial(_join_case, how=how), (2, 50, 2000)
    )


VARIANTS = (
    _variant("keys.u32", u32, (u32, "sum")),
    _variant("keys.u64.several", u64, (f32, "sum"), (s32, "min"), (u16, "any"), placed=True, gathered=True),
    _variant("marks", u8, (u64, "max"), marked=True, gathered=True),
    _variant("marks.f16", u8, (f16, "min"), marked=True),
    _variant("keys.u8", u8, (s8, "sum"), (f64, "max"), placed=True, vector=1),
    _join(u32, "sum"),
    _join(f64, "max"),
    _join(u16, "any"),
)
