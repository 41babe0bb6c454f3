"""Runs of equal keys in sorted arrays: where they begin, which are longer than one, and what stands at chosen places.

`distinct` flags the first of each run, `repeated` every member of a run of two or more; ptxgen.kernels.arrays.select
turns flags into places. `take` gathers (key, row) at places, `pick` gathers pairs that are packed into words of 64 bits. The
number of places is read on the device, so no launch waits for it.

Floor: each key read once (its neighbours come from the cache), a byte written; gathers move a 32-byte sector a place.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, kernel, ptr, u8, u32, u64
from ptxgen.builder.values import Integer
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.plan import KernelPlan, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "distinct_plan", "pick_plan", "repeated_plan", "take_plan"]

T = TypeVar("T", bound=Integer)

THREADS = 256
CTAS = 132 * 8
"""Eight CTAs of 256 threads fill an H200's 132 SMs. On other devices a matter of speed alone."""


@kernel(max_threads=THREADS)
def distinct(k: Builder, n: u32, keys: ptr[T], flags: ptr[u8], *, element: type[T]) -> None:
    """flags[i] = 1 where a sorted key differs from the one before it."""
    for i in k.range(k.global_id.x, n, k.grid_size.x):
        new = k.var(u32, 1)
        with k.if_(i != 0):
            new.set((keys[i] != keys[i - 1]).to(u32))
        flags[i] = new.to(u8)


@kernel(max_threads=THREADS)
def repeated(k: Builder, n: u32, keys: ptr[u32], flags: ptr[u8]) -> None:
    """flags[i] = 1 where a sorted key equals the one before or behind it."""
    for i in k.range(k.global_id.x, n, k.grid_size.x):
        key, same = keys[i], k.var(u32, 0)
        with k.if_(i != 0):
            same.set((keys[i - 1] == key).to(u32))
        with k.if_(i + 1 < n):
            same |= (keys[i + 1] == key).to(u32)
        flags[i] = same.to(u8)


@kernel(max_threads=THREADS)
def take(
    k: Builder,
    total: ptr[u32],
    places: ptr[u32],
    keys: ptr[u32],
    rows: ptr[u32],
    out_keys: ptr[u32],
    out_rows: ptr[u32],
) -> None:
    """out_keys[i], out_rows[i] = the key and the row at places[i], of `total` places."""
    for i in k.range(k.global_id.x, total[0], k.grid_size.x):
        place = places[i]
        out_keys[i] = keys[place]
        out_rows[i] = rows[place]


@kernel(max_threads=THREADS)
def pick(k: Builder, total: ptr[u32], places: ptr[u32], pairs: ptr[u64], out: ptr[u32]) -> None:
    """out[i] = the pair at places[i], as two words, of `total` places."""
    for i in k.range(k.global_id.x, total[0], k.grid_size.x):
        pair = pairs[places[i]]
        out.vectors(2)[i] = ((pair >> 32).to(u32), pair.to(u32))


KERNEL = distinct


def _grid(n: int) -> int:
    return grid_for(n, THREADS, CTAS)


def distinct_plan(n: int, keys: Any, flags: Any, *, element: type[Integer]) -> KernelPlan:
    """Where n sorted keys change."""
    return KernelPlan(using(distinct, element=element), _grid(n), THREADS, (n, keys, flags))


def repeated_plan(n: int, keys: Any, flags: Any) -> KernelPlan:
    """Which of n sorted keys are not alone."""
    return KernelPlan(repeated, _grid(n), THREADS, (n, keys, flags))


def take_plan(n: int, total: Any, places: Any, keys: Any, rows: Any, out_keys: Any, out_rows: Any) -> KernelPlan:
    """Gather at most n keys and rows."""
    return KernelPlan(take, _grid(n), THREADS, (total, places, keys, rows, out_keys, out_rows))


def pick_plan(n: int, total: Any, places: Any, pairs: Any, out: Any) -> KernelPlan:
    """Gather at most n pairs."""
    return KernelPlan(pick, _grid(n), THREADS, (total, places, pairs, out))


# Cases


def _zeros(n: int) -> HostArray:
    import numpy as np

    return HostArray(np.zeros(n, np.uint32), u32)


def _flags(n: int) -> HostArray:
    import numpy as np

    return HostArray(np.zeros(n, np.uint8), u8)


def _changes(keys: Any) -> Any:
    import numpy as np

    return np.concatenate([np.ones(min(1, len(keys)), bool), keys[1:] != keys[:-1]])


def _distinct_case(n: int, rng: np.random.Generator, *, element: type[Integer]) -> Case:
    import numpy as np

    keys = np.sort(rng.integers(0, max(1, n // 2), n)).astype(np.uint64)
    keys = keys << np.uint64(40) if element is u64 else keys.astype(np.uint32)
    return Case(
        arrays={"keys": HostArray(keys, element), "flags": _flags(n)},
        plan=lambda on: distinct_plan(n, on["keys"], on["flags"], element=element),
        expected={"flags": _changes(keys).astype(np.uint8)},
        tolerance=EXACT,
    )


def _repeated_case(n: int, rng: np.random.Generator) -> Case:
    import numpy as np

    keys = np.sort(rng.integers(0, max(1, n), n)).astype(np.uint32)
    first = _changes(keys)
    return Case(
        arrays={"keys": HostArray(keys, u32), "flags": _flags(n)},
        plan=lambda on: repeated_plan(n, on["keys"], on["flags"]),
        expected={"flags": (~first | ~np.append(first, True)[1:]).astype(np.uint8)},
        tolerance=EXACT,
    )


def _take_case(n: int, rng: np.random.Generator) -> Case:
    import numpy as np

    keys, rows = (rng.integers(0, 1 << 32, 2 * n, dtype=np.uint32) for _ in range(2))
    places = rng.permutation(2 * n)[:n].astype(np.uint32)
    arrays = {"total": HostArray(np.array([n], np.uint32), u32), "places": HostArray(places, u32)}
    return Case(
        arrays={
            **arrays, "keys": HostArray(keys, u32), "rows": HostArray(rows, u32), "out_keys": _zeros(n), "out_rows": _zeros(n),
        },
        plan=lambda on: take_plan(
            n, on["total"], on["places"], on["keys"], on["rows"], on["out_keys"], on["out_rows"]
        ),
        expected={"out_keys": keys[places], "out_rows": rows[places]},
        tolerance=EXACT,
    )  # fmt: skip


def _pick_case(n: int, rng: np.random.Generator) -> Case:
    import numpy as np

    pairs = rng.integers(0, 1 << 63, 2 * n, dtype=np.uint64)
    places = rng.permutation(2 * n)[:n].astype(np.uint32)
    chosen = pairs[places]
    arrays = {"total": HostArray(np.array([n], np.uint32), u32), "places": HostArray(places, u32)}
    return Case(
        arrays={**arrays, "pairs": HostArray(pairs, u64), "out": _zeros(2 * n)},
        plan=lambda on: pick_plan(n, on["total"], on["places"], on["pairs"], on["out"]),
        expected={"out": np.stack([chosen >> np.uint64(32), chosen], axis=1).astype(np.uint32).reshape(-1)},
        tolerance=EXACT,
    )


def _variant(name: str, kernel_: Any, case: Callable[..., Case]) -> Variant:
    return Variant("egraph_runs", name, kernel_, case, (0, 1, 2, 1000))


VARIANTS = (
    _variant("distinct.u32", using(distinct, element=u32), partial(_distinct_case, element=u32)),
    _variant("distinct.u64", using(distinct, element=u64), partial(_distinct_case, element=u64)),
    _variant("repeated", repeated, _repeated_case),
    _variant("take", take, _take_case),
    _variant("pick", pick, _pick_case),
)
