"""New tokens' keys and values to their pages, and their queries beside each other, both turned by the tokens' places.

Shapes: qkv[batch * queries, heads + 2 kv_heads, d] of bf16 or f16, tokens at any distance: a token's heads of queries, then those
of keys, then those of values -> q[batch * queries, heads, d], and rows of `keys` and `values`, pages of any strides as
attention_decode reads them. `lengths` counts the keys of each sequence, the new ones included: query j of sequence s has the
place p = lengths[s] - queries + j, row p % page_size of page table[s, p // page_size]. A token whose place is negative or behind
the table's pages is not appended; it would see none, or its sequence has no room. `rotated`: queries and keys are turned as by
rotary.py, by row p of cos and sin.

Floor: qkv is read and as much is written, 0.1 MB for eight tokens: the time of a launch, of which it saves three.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.typing import NamedTuple
from ptxgen.builder import Builder, bf16, f16, f32, kernel, ptr, u32, u64
from ptxgen.builder.values import Float
from ptxgen.kernels.attention.rotary import load_angles, load_pairs, store_pairs, turned_pairs
from ptxgen.kernels.cases import Case, HostArray, Tolerance, Variant, normal, smallest, unit_roundoff
from ptxgen.kernels.plan import KernelPlan, common_alignment, grid_for, using, widest_vector

if TYPE_CHECKING:
    import numpy as np

__all__ = ["ELEMENTS", "KERNEL", "VARIANTS", "Heads", "append_tokens", "plan"]

E = TypeVar("E", bound=Float)

THREADS = 128
ELEMENTS: tuple[Any, ...] = (bf16, f16)


class Heads(NamedTuple):
    """Those of the queries, those of the keys, and a head's elements."""

    queries: int
    keys: int
    d: int


@kernel(max_threads=THREADS)
def append_tokens(
    k: Builder, count: u32, queries: u32, heads: u32, kv_heads: u32, qkv: ptr[E], qkv_token: u64, q: ptr[E],
    keys: ptr[E], keys_page: u64, keys_row: u64, keys_head: u64,
    values: ptr[E], values_page: u64, values_row: u64, values_head: u64,
    page_size: u32, table: ptr[u32], table_pages: u32, lengths: ptr[u32], cos: ptr[f32], sin: ptr[f32],
    *, element: type[E], half: int, vector: int, interleaved: bool = False, rotated: bool = True,
) -> None:  # fmt: skip
    """A thread has `vector` pairs of elements of one head; `count` threads in all. Strides are in elements."""
    k.launch_dependents()
    k.wait_for_dependencies()
    how = (half, vector, interleaved)
    number = k.global_id.x
    with k.if_(number < count):
        row = number // (half // vector)
        piece = number - row * (half // vector)
        every = heads + kv_heads * 2
        token = row // every
        head = row - token * every
        sequence = token // queries
        behind = queries - (token - sequence * queries)
        length = lengths[sequence]
        place = length - behind
        page = place // page_size
        there = (length >= behind) & (page < table_pages)
        pairs = load_pairs(qkv.at(k.fma(token.to(u64), qkv_token, (head * (2 * half)).to(u64))), piece, *how)
        if rotated:
            pairs = _turned(
                k, pairs, head < heads + kv_heads, k.select(there, place, 0), piece, (cos, sin), how, element
            )
        with k.if_(head < heads):
            store_pairs(q.at((token * heads + head).to(u64) * (2 * half)), piece, *how, pairs)
        with k.if_(there & (head >= heads)):
            where = table[k.fma(sequence.to(u64), table_pages.to(u64), page.to(u64))].to(u64)
            slot = (place - page * page_size).to(u64)
            with k.if_else(head < heads + kv_heads) as (of_keys, of_values):
                with of_keys:
                    at = k.fma(where, keys_page, k.fma(slot, keys_row, (head - heads).to(u64) * keys_head))
                    store_pairs(keys.at(at), piece, *how, pairs)
                with of_values:
                    own = (head - heads - kv_heads).to(u64) * values_head
                    store_pairs(values.at(k.fma(where, values_page, k.fma(slot, values_row, own))), piece, *how, pairs)


def _turned(
    k: Builder, pairs: Any, turning: Any, place: Any, piece: Any, angles: Any, how: tuple[int, int, bool], element: Any
) -> Any:
    """The pairs, turned where `turning` holds: values stay as they are, infinities too."""
    half, vector, _ = how
    kept = [[k.var(element, each) for each in part] for part in pairs]
    with k.if_(turning):
        at = place.to(u64) * half + (piece * vector).to(u64)
        found = turned_pairs(k, pairs, [load_angles(each.at(at), vector) for each in angles], element)
        for variables, part in zip(kept, found):
            for variable, value in zip(variables, part):
                variable.set(value)
    return kept


KERNEL = append_tokens


def plan(
    tokens: int, queries: int, heads: Heads, qkv: Any, q: Any, keys: Any, values: Any, table: Any, lengths: Any,
    cos: Any = None, sin: Any = None,
    *, qkv_token: int, keys_strides: tuple[int, int, int], values_strides: tuple[int, int, int], page_size: int, table_pages: int,
    element: Any = bf16, interleaved: bool = False,
) -> KernelPlan:  # fmt: skip
    """Strides in elements: of qkv from token to token, of pages from page to page, row to row and head to head."""
    steps = [qkv_token, *keys_strides, *values_strides, heads.d // 2]
    vector = widest_vector(element.isa.bytes, common_alignment(qkv, q, keys, values), *steps)
    if cos is not None and common_alignment(cos, sin) < min(16, 4 * vector):
        vector = 1
    launch = using(
        append_tokens,
        element=element,
        half=heads.d // 2,
        vector=vector,
        interleaved=interleaved,
        rotated=cos is not None,
    )
    count = tokens * (heads.queries + 2 * heads.keys) * (heads.d // 2 // vector)
    arguments = (
        count, queries, heads.queries, heads.keys, qkv, qkv_token, q, keys, *keys_strides, values, *values_strides, page_size,
        table, table_pages, lengths, 0 if cos is None else cos, 0 if sin is None else sin,
    )  # fmt: skip
    return KernelPlan(launch, grid_for(count, THREADS), THREADS, arguments, programmatic=True)


def _case(
    lengths: tuple[int, ...], rng: np.random.Generator, *, element: type[Float], heads: Heads, queries: int, interleaved: bool,
    rotated: bool,
) -> Case:  # fmt: skip
    """Sequences of those lengths, with room for 12 keys in pages of 4."""
    import numpy as np

    batch, page_size, columns = len(lengths), 4, 3
    pages = rng.permutation(batch * columns + 1)[: batch * columns].reshape(batch, columns).astype(np.uint32)
    shape = (batch * columns + 1, page_size, heads.keys, heads.d)
    qkv = normal(rng, (batch * queries, heads.queries + 2 * heads.keys, heads.d), element)
    keys, values = normal(rng, shape, element), normal(rng, shape, element)
    angles = rng.uniform(-4, 4, (page_size * columns, heads.d // 2))
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    q = np.zeros((batch * queries, heads.queries, heads.d))
    expected = {"keys": keys.values.astype(np.float64), "values": values.values.astype(np.float64)}
    for token in range(batch * queries):
        s, place = token // queries, lengths[token // queries] - queries + token % queries
        there = 0 <= place < page_size * columns
        row = qkv.values[token].astype(np.float64)
        if rotated:
            angle = place if there else 0
            turned = row[: heads.queries + heads.keys].reshape(
                -1, *((heads.d // 2, 2) if interleaved else (2, heads.d // 2))
            )
            a, b = (turned[..., 0], turned[..., 1]) if interleaved else (turned[:, 0], turned[:, 1])
            c, z = cos[angle].astype(np.float64), sin[angle].astype(np.float64)
            parts = np.stack([a * c - b * z, a * z + b * c], axis=-1 if interleaved else 1)
            row[: heads.queries + heads.keys] = parts.reshape(-1, heads.d)
        q[token] = row[: heads.queries]
        if there:
            at = (pages[s, place // page_size], place % page_size)
            expected["keys"][at], expected["values"][at] = row[heads.queries :].reshape(2, heads.keys, heads.d)
    expected["q"] = q
    limit = {
        name: 0.0
        if name == "values" or not rotated
        else abs(each) * unit_roundoff(element) + 16 * 2.0**-22 + smallest(element)
        for name, each in expected.items()
    }
    strides = (page_size * heads.keys * heads.d, heads.keys * heads.d, heads.d)
    return Case(
        arrays={
            "qkv": qkv, "q": normal(rng, q.shape, element), "keys": keys, "values": values, "table": HostArray(pages, u32),
            "lengths": HostArray(np.array(lengths, np.uint32), u32), "cos": HostArray(cos, f32), "sin": HostArray(sin, f32),
        },
        plan=lambda on: plan(
            batch * queries, queries, heads, *(on[name] for name in ("qkv", "q", "keys", "values", "table", "lengths")),
            *((on["cos"], on["sin"]) if rotated else ()), qkv_token=qkv.values[:1].size, keys_strides=strides,
            values_strides=strides, page_size=page_size, table_pages=columns, element=element, interleaved=interleaved,
        ),
        expected=expected,
        tolerance=Tolerance(limit, "values are moved; three roundings of rotary, one to the type"),
    )  # fmt: skip


def _variant(name: str, element: type[Float], heads: Heads, queries: int = 1, **how: bool) -> Variant:
    flags: dict[str, Any] = {"interleaved": False, "rotated": True} | how
    vector = widest_vector(element.isa.bytes, 16, heads.d // 2)
    return Variant(
        "kv_cache",
        name,
        using(append_tokens, element=element, half=heads.d // 2, vector=vector, **flags),
        partial(_case, element=element, heads=heads, queries=queries, **flags),
        sizes=((1,), (0, 13, 12), (5, 1, 8, 2)),
    )


VARIANTS = (
    _variant("bf16.d-128", bf16, Heads(4, 2, 128)),
    _variant("f16.d-64.interleaved", f16, Heads(2, 1, 64), queries=2, interleaved=True),
    _variant("bf16.d-64.plain", bf16, Heads(3, 1, 64), queries=3, rotated=False),
)
