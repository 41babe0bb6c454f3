"""E-graph rows on the device: which are equal, what ids become, and signatures.

Rows are e-nodes in columns (see ptxgen/ops/egraph/image.py): an operator, and `lens[row]` children from `offsets[row]` on.

`match_rows` hash-conses: reps[row] is a row with the same content, one for all that are equal. Rows are hashed into an open
table and compared whole, so the result does not rest on hashes: a table of slots that hold row + 1, at least twice as many
as rows, with linear probing. Which of the equal rows stands for the others depends on timing.

`rewrite_ids` and `refresh_signatures` are the reference system's kernels: ids by binary search in sorted (id, representative)
records, and signatures of every row.

Floor of `match_rows`, n rows with c children in all: 16*n + 4*c bytes read in order, 4*n written, and a 32-byte sector of
the table read and written for each row: 10^6 rows of two children take 22 us at an H200's 4.3 TB/s.
"""

from __future__ import annotations

from functools import partial

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import Builder, kernel, ptr, u32, u64
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant
from ptxgen.kernels.plan import KernelPlan, grid_for, using

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np

__all__ = [
    "DONE", "GOES_ON", "KERNEL", "MERGED", "ROUNDS", "STATE_WORDS", "THREADS", "VARIANTS", "differ", "grid_of", "leave_when_done",
    "match_plan", "place_of", "random_rows", "refresh_plan", "rewrite_plan", "slots_for", "zeros",
]  # fmt: skip

THREADS = 256
CTAS = 132 * 8
"""Eight CTAs of 256 threads fill an H200's 132 SMs. On other devices a matter of speed alone."""

DONE, ROUNDS, MERGED, GOES_ON, STATE_WORDS = 0, 1, 2, 3, 4
"""Words of a fixed point's state: is it reached (1) or given up (2), rounds so far, merges of this round, and, for the
condition of a graph's loop, whether another round follows."""

SEED, STEP, ROTATED, FACTOR = 0xA24BAED4, 0x9E3779B9, 13, 0x85EBCA6B


def mix(k: Builder, h: Any, v: Any) -> Any:
    """One step of a row's signature: rotl32(h ^ (v + STEP + (h << 6) + (h >> 2)), 13) * FACTOR."""
    x = h ^ (v + STEP + (h << 6) + (h >> 2))
    return ((x << ROTATED) | (x >> (32 - ROTATED))) * FACTOR


def differ(k: Builder, a: Any, b: Any, heads: tuple[Any, ...], offsets: Any, lens: Any, children: Any) -> Any:
    """Not 0 where the rows a and b differ in a column of `heads`, in the number of children, or in a child."""
    length = lens[a]
    found = k.var(u32, length ^ lens[b])
    for column in heads:
        found |= column[a] ^ column[b]
    with k.if_(found == 0):
        left, right = children.at(offsets[a]), children.at(offsets[b])
        for c in k.range(length):
            with k.if_(left[c] != right[c]):
                found.set(1)
                k.break_()
    return found


@kernel(max_threads=THREADS)
def match_rows(
    k: Builder, n: u32, signatures: ptr[u32], ops: ptr[u32], offsets: ptr[u32], lens: ptr[u32], children: ptr[u32],
    table: ptr[u32], mask: u32, reps: ptr[u32], state: ptr[u32], *, looped: bool,
) -> None:  # fmt: skip
    """reps[row] = a row that is equal to it. The table is zero before. In a fixed point (`looped`) signatures are stale."""
    if looped:
        leave_when_done(k, state)
    heads = (ops,) if looped else (ops, signatures)
    for row in k.range(k.global_id.x, n, k.grid_size.x):
        slot = k.var(u32, _hash(k, row, ops, offsets, lens, children) & mask)
        rep = k.var(u32, row)
        with k.while_():
            seen = k.var(u32, table.load(slot, "relaxed.gpu"))
            with k.if_(seen == 0):
                seen.set(k.atomic_cas(table, slot, 0, row + 1))
            with k.if_(seen == 0):
                k.break_()
            with k.if_(differ(k, row, seen - 1, heads, offsets, lens, children) == 0):
                rep.set(seen - 1)
                k.break_()
            slot.set((slot + 1) & mask)
        reps[row] = rep


def _hash(k: Builder, row: Any, ops: Any, offsets: Any, lens: Any, children: Any) -> Any:
    """Of the content alone: rows whose signatures were made to collide do not collide here (murmur3's finaliser)."""
    found = k.var(u32, ops[row] * STEP)
    own = children.at(offsets[row])
    for c in k.range(lens[row]):
        found.set((found ^ own[c]) * 0xCC9E2D51)
        found.set(found ^ (found >> 15))
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        found.set((found ^ (found >> shift)) * factor)
    return found ^ (found >> 16)


def leave_when_done(k: Builder, state: Any) -> None:
    """Nothing is left to do after the last round of a fixed point."""
    with k.if_(state[DONE] != 0):
        k.return_()


def place_of(k: Builder, sorted_: Any, count: Any, value: Any, stride: int = 1) -> Any:
    """How many of `count` sorted records begin with less than the value: where it is, if it is there."""
    low, high = k.var(u32, 0), k.var(u32, count)
    with k.while_(lambda: low < high):
        middle = (low + high) >> 1
        with k.if_else(sorted_[middle * stride] < value) as (below, not_below):
            with below:
                low.set(middle + 1)
            with not_below:
                high.set(middle)
    return low


@kernel(max_threads=1024)
def rewrite_ids(
    k: Builder, row_eclass_ids: ptr[u32], children: ptr[u32], rewrite_words: ptr[u32], rewrite_count: u32,
    row_count: u32, child_count: u32, first_item: u64,
) -> None:  # fmt: skip
    """One thread an id, rows' e-classes first and children after them: where a record (id, representative) has it, the
    representative takes its place."""
    item, rows = first_item + k.global_id.x.to(u64), row_count.to(u64)

    def rewrite(column: Any, i: Any) -> None:
        value = column[i]
        place = place_of(k, rewrite_words, rewrite_count, value, stride=2)
        with k.if_(place < rewrite_count):
            record = rewrite_words.at(place * 2)
            with k.if_(record[0] == value):
                column[i] = record[1]

    with k.if_(item < rows):
        rewrite(row_eclass_ids, item)
    with k.if_((item >= rows) & (item < rows + child_count.to(u64))):
        rewrite(children, item - rows)


@kernel(max_threads=1024)
def refresh_signatures(
    k: Builder, row_language_op_ids: ptr[u32], row_children_offsets: ptr[u32], row_children_lens: ptr[u32],
    row_signatures: ptr[u32], children: ptr[u32], row_count: u32, first_row: u64,
) -> None:  # fmt: skip
    """One thread a row: its signature anew."""
    row = first_row + k.global_id.x.to(u64)
    with k.if_(row < row_count.to(u64)):
        length = row_children_lens[row]
        found = k.var(u32, mix(k, mix(k, k.const(u32, SEED), row_language_op_ids[row]), length))
        own = children.at(row_children_offsets[row])
        for c in k.range(length):
            found.set(mix(k, found, own[c]))
        row_signatures[row] = found


KERNEL = match_rows


def slots_for(rows: int) -> int:
    """Slots of a table for that many rows: a power of two, at least twice as many."""
    return 1 << max(1, (2 * rows - 1).bit_length())


def grid_of(items: int) -> int:
    """CTAs for a loop of the whole grid."""
    return grid_for(items, THREADS, CTAS)


def match_plan(
    n: int, signatures: Any, ops: Any, offsets: Any, lens: Any, children: Any, table: Any, reps: Any,
    state: Any = None, *, looped: bool = False,
) -> KernelPlan:  # fmt: skip
    """reps of n rows. The table is zero, of a power of two of slots."""
    arguments = (
        n,
        signatures,
        ops,
        offsets,
        lens,
        children,
        table,
        table.size - 1,
        reps,
        reps if state is None else state,
    )
    return KernelPlan(using(match_rows, looped=looped), grid_of(n), THREADS, arguments)


def rewrite_plan(
    eclasses: Any, children: Any, words: Any, count: int, rows: int, child_count: int, *, first: int = 0,
    blocks: int, threads: int = THREADS,
) -> KernelPlan:  # fmt: skip
    """One wave of rewrites."""
    return KernelPlan(rewrite_ids, blocks, threads, (eclasses, children, words, count, rows, child_count, first))


def refresh_plan(
    ops: Any, offsets: Any, lens: Any, signatures: Any, children: Any, rows: int, *, first: int = 0, blocks: int,
    threads: int = THREADS,
) -> KernelPlan:  # fmt: skip
    """One wave of signatures."""
    return KernelPlan(refresh_signatures, blocks, threads, (ops, offsets, lens, signatures, children, rows, first))


# Cases


class EGraphColumns(NamedTuple):
    """A random e-graph in columns, for the cases."""

    eclasses: Any
    ops: Any
    offsets: Any
    lens: Any
    children: Any

    @property
    def contents(self) -> list[tuple[int, ...]]:
        return [
            (op, *self.children[start : start + length].tolist())
            for op, start, length in zip(self.ops.tolist(), self.offsets.tolist(), self.lens.tolist())
        ]

    def hosts(self, *names: str) -> dict[str, HostArray]:
        return {name: HostArray(getattr(self, name), u32) for name in names}


def random_rows(rng: np.random.Generator, n: int) -> EGraphColumns:
    """Few operators and few children, so that rows repeat."""
    import numpy as np

    lens = rng.integers(0, 4, n).astype(np.uint32)
    ends = np.cumsum(lens, dtype=np.uint32)
    spread = max(1, n // 8)
    return EGraphColumns(
        rng.permutation(n).astype(np.uint32), rng.integers(0, 3, n).astype(np.uint32), ends - lens, lens,
        rng.integers(0, spread, int(lens.sum())).astype(np.uint32),
    )  # fmt: skip


def zeros(n: int) -> HostArray:
    """Words of u32."""
    import numpy as np

    return HostArray(np.zeros(n, np.uint32), u32)


def _match_case(n: int, rng: np.random.Generator, *, looped: bool) -> Case:
    """Rows without repetitions, so that it is known which row stands for each: itself."""
    import numpy as np

    rows = random_rows(rng, n)
    _, firsts = np.unique(np.array([str(content) for content in rows.contents]), return_index=True)
    kept = np.sort(firsts)
    rows = rows._replace(ops=rows.ops[kept], offsets=rows.offsets[kept], lens=rows.lens[kept])
    count = len(kept)

    def launch(on: Mapping[str, Any]) -> KernelPlan:
        columns = (on["ops"], on["ops"], on["offsets"], on["lens"], on["children"])
        return match_plan(count, *columns, on["table"], on["reps"], on["state"], looped=looped)

    return Case(
        arrays={
            **rows.hosts("ops", "offsets", "lens", "children"), "table": zeros(slots_for(n)), "reps": zeros(n),
            "state": zeros(STATE_WORDS),
        },
        plan=launch,
        expected={"reps": np.concatenate([np.arange(count), np.zeros(n - count)]).astype(np.uint32)},
        tolerance=EXACT,
    )  # fmt: skip


def _rewrite_case(n: int, rng: np.random.Generator) -> Case:
    import numpy as np

    ids = np.unique(rng.integers(0, 4 * n + 1, n)).astype(np.uint32)
    targets = rng.integers(0, 1 << 32, len(ids), dtype=np.uint32)
    columns = [rng.integers(0, 4 * n + 1, count).astype(np.uint32) for count in (n, 2 * n)]
    mapping = np.arange(4 * n + 1, dtype=np.uint32)
    mapping[ids] = targets
    words = np.stack([ids, targets], axis=1).reshape(-1)
    return Case(
        arrays={
            name: HostArray(values, u32) for name, values in zip(("eclasses", "children", "words"), (*columns, words))
        },
        plan=lambda on: rewrite_plan(
            on["eclasses"], on["children"], on["words"], len(ids), n, 2 * n, blocks=grid_for(3 * n, THREADS)
        ),
        expected={"eclasses": mapping[columns[0]], "children": mapping[columns[1]]},
        tolerance=EXACT,
    )


def signature(op: int, children: list[int]) -> int:
    """A row's signature, one word after the other."""
    h = SEED
    for v in (op, len(children), *children):
        x = (h ^ (v + STEP + (h << 6) + (h >> 2))) & 0xFFFFFFFF
        h = ((x << ROTATED | x >> (32 - ROTATED)) & 0xFFFFFFFF) * FACTOR & 0xFFFFFFFF
    return h


def _refresh_case(n: int, rng: np.random.Generator) -> Case:
    import numpy as np

    rows = random_rows(rng, n)
    expected = np.array([signature(content[0], list(content[1:])) for content in rows.contents], np.uint32)

    def launch(on: Mapping[str, Any]) -> KernelPlan:
        columns = (on["ops"], on["offsets"], on["lens"], on["signatures"], on["children"])
        return refresh_plan(*columns, n, blocks=grid_for(n, THREADS))

    return Case(
        arrays={**rows.hosts("ops", "offsets", "lens", "children"), "signatures": zeros(n)},
        plan=launch,
        expected={"signatures": expected},
        tolerance=EXACT,
    )


_SIZES = (0, 1, 100, 1000)


def _variant(name: str, kernel_: Any, case: Callable[..., Case], sizes: tuple[int, ...] = _SIZES) -> Variant:
    return Variant("egraph", name, kernel_, case, sizes)


VARIANTS = (
    _variant("match", using(match_rows, looped=False), partial(_match_case, looped=False)),
    _variant("match.looped", using(match_rows, looped=True), partial(_match_case, looped=True)),
    _variant("rewrite", rewrite_ids, _rewrite_case),
    _variant("refresh", refresh_signatures, _refresh_case),
)
