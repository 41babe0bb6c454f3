"""The places where a condition holds, in order and in one pass: out = [i for i in range(n) if flags[i] OP value].

Shapes: flags[n] of integers of 8 to 64 bits, f16, f32 or f64 -> out[how many] of u32, and total[1] of u32; n below 2^32.
`states` and `ticket` are scratch that is zero before each launch: a u64 a tile, and a u32.

Floor: the flags are read once, at most 4*n bytes are written. A warp takes 32 neighbouring elements at a time, a ballot says
where each one goes, and decoupled look-back (see lookback.py) how many there are in the tiles before.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, f32, kernel, ptr, s32, u8, u32, u64
from ptxgen.builder.values import Value
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.blocks.collectives import WARP
from ptxgen.kernels.blocks.lookback import exclusive_prefix, publish_total, take_turn
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.plan import KernelPlan, ceil_div, grid_for, using

if TYPE_CHECKING:
    import numpy as np

__all__ = ["COMPARISONS", "KERNEL", "VARIANTS", "holds", "plan", "scratch_words"]

E = TypeVar("E", bound=Value)

THREADS = 256
ITEMS = 16
TILE = THREADS * ITEMS

COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def holds(op: str, a: Any, b: Any) -> Any:
    """The predicate `a OP b`."""
    return {
        "eq": lambda: a == b, "ne": lambda: a != b, "lt": lambda: a < b, "le": lambda: a <= b,
        "gt": lambda: a > b, "ge": lambda: a >= b,
    }[op]()  # fmt: skip


@kernel(threads=THREADS)
def select(
    k: Builder, n: u32, flags: ptr[E], value: E, out: ptr[u32], total: ptr[u32], states: ptr[u64], ticket: ptr[u64], *,
    element: type[E], op: str,
) -> None:  # fmt: skip
    """A CTA a tile of TILE elements. The last tile writes the total."""
    turn = take_turn(k, ticket)
    tile = turn.tile
    lane, warp, warps = k.tid.x % WARP, k.tid.x // WARP, THREADS // WARP
    place = warp * (WARP * ITEMS) + lane
    begin = tile * TILE
    source, left = flags.at(begin + place), n - begin
    loaded = [k.var(element) for _ in range(ITEMS)]
    inside = [place + i * WARP < left for i in range(ITEMS)]
    for i, (variable, condition) in enumerate(zip(loaded, inside)):
        with k.pred(condition):
            variable.set(source[i * WARP])
    chosen = [condition & holds(op, variable, value) for condition, variable in zip(inside, loaded)]
    ballots = [k.ballot(condition) for condition in chosen]

    mine = k.var(u32, 0)
    befores = []
    for ballot in ballots:
        befores.append(mine + k.popc(ballot & k.special("%lanemask_lt")))
        mine += k.popc(ballot)
    totals = k.shared(u32, warps, name="totals")
    with k.if_(lane == 0):
        totals[warp] = mine
    k.barrier()
    count = totals[lane % warps]
    upto = count
    distance = 1
    while distance < warps:
        below, exists = k.shfl_up(upto, distance, width=warps, valid=True)
        upto = k.select(exists, upto + below, upto)
        distance *= 2
    whole = k.shfl_idx(upto, warps - 1)
    before_warp = k.shfl_idx(upto - count, warp)
    before_tile = k.shared(u32, 1, name="before_tile")
    with k.if_(warp == 0):
        with k.if_((lane == 0) & (tile != 0)):
            publish_total(k, states, turn, whole)
        found = exclusive_prefix(k, "sum", states, turn, whole, 0)
        with k.if_(lane == 0):
            before_tile[0] = found
            with k.if_(left <= TILE):
                total[0] = found + whole
    k.barrier()
    base = before_tile[0] + before_warp
    for i, (condition, before) in enumerate(zip(chosen, befores)):
        with k.if_(condition):
            out[base + before] = begin + place + i * WARP


KERNEL = select


def scratch_words(n: int) -> int:
    """u64 words of scratch for n elements: the states of the tiles and the ticket."""
    return ceil_div(max(n, 1), TILE) + 1


def plan(
    n: int, flags: Any, value: int | float, out: Any, total: Any, states: Any, ticket: Any, *,
    element: type[Value], op: str = "ne",
) -> KernelPlan:  # fmt: skip
    """The places i below n where `flags[i] OP value`. The scratch is zero before the first launch."""
    return KernelPlan(
        using(select, element=element, op=op), grid_for(n, TILE), THREADS, (n, flags, value, out, total, states, ticket)
    )


def _case(n: int, rng: np.random.Generator, *, element: type[Value], op: str) -> Case:
    """Few different values, so that the condition holds and fails often."""
    import numpy as np

    flags = rng.integers(0, 4, n).astype(numpy_name(element.isa))
    compare = {
        "eq": np.equal,
        "ne": np.not_equal,
        "lt": np.less,
        "le": np.less_equal,
        "gt": np.greater,
        "ge": np.greater_equal,
    }
    places = np.nonzero(compare[op](flags, 1))[0].astype(np.uint32)
    out = np.zeros(n, np.uint32)
    expected = out.copy()
    expected[: len(places)] = places
    return Case(
        arrays={
            "flags": HostArray(flags, element), "out": HostArray(out, u32), "total": HostArray(np.zeros(1, np.uint32), u32),
            "states": HostArray(np.zeros(scratch_words(n), np.uint64), u64), "ticket": HostArray(np.zeros(1, np.uint64), u64),
        },
        plan=lambda on: plan(
            n, on["flags"], 1, on["out"], on["total"], on["states"], on["ticket"], element=element, op=op
        ),
        expected={"out": expected, "total": np.array([len(places)], np.uint32)},
        tolerance=EXACT,
    )  # fmt: skip


def _variant(element: type[Value], op: str) -> Variant:
    chosen: dict[str, Any] = {"element": element, "op": op}
    return Variant(
        "select",
        f"{op}.{element.isa.name}",
        using(select, **chosen),
        partial(_case, **chosen),
        sizes=(0, 1, TILE - 1, TILE, 3 * TILE + 77),
    )


VARIANTS = (_variant(u8, "ne"), _variant(u32, "ne"), _variant(s32, "lt"), _variant(f32, "ge"), _variant(u64, "eq"))
