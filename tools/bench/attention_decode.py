#!/usr/bin/env python3
"""Decoding with paged keys and values beside PyTorch's attention and a device copy of as many bytes.

    tools/bench/attention_decode.py [--json] [--tiny] [--device cuda|cpu] [--only TEXT...]

The kernel is checked against float64 on a small problem of each kind, and against PyTorch on the whole one. Times are CUDA
events' around one launch, the median of interleaved rounds; the keys and values are larger than the L2 cache, and before each
run another array is read, so that none pays for what the one before has left there to be written. The floor is a device copy of
the keys: it reads them and writes as much, which is as many bytes as the keys and values have. PyTorch's peer is
scaled_dot_product_attention of keys and values that lie together, gathered before the clock runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from driver_ctypes.abi.enums import CUdevice_attribute as Attribute
from ptxgen import bf16, f32, u32
from ptxgen.kernels.attention import attention_decode as decode
from ptxgen.ops import Reduce
from tools.bench._command import command, print_json
from tools.bench._timer import ROUNDS, Timer
from tools.bench.kernels import Arrays

GATHERED = 20 << 30
"""Bytes of keys and values beyond which PyTorch's copy of them is left out."""


class Shape(NamedTuple):
    """`batch` sequences of `context` keys each, or, `uneven`, of 1 to that many."""

    batch: int
    context: int
    kv_heads: int = 8
    group: int = 4
    d: int = 128
    page_size: int = 64
    queries: int = 1
    order: str = "NHD"
    uneven: bool = False

    @property
    def name(self) -> str:
        heads = f"{self.kv_heads}x{self.group}"
        more = f" queries {self.queries}" * (self.queries > 1) + " uneven" * self.uneven
        return f"{self.batch} x {self.context} heads {heads} d {self.d} page {self.page_size} {self.order}{more}"


SHAPES = (
    Shape(1, 65536),
    Shape(2, 32768),
    Shape(4, 16384),
    Shape(8, 8192),
    Shape(16, 4096),
    Shape(64, 4096),
    Shape(16, 16384),
    Shape(8, 65536),
    Shape(64, 16384),
    Shape(64, 65536),
    Shape(32, 32768, uneven=True),
    Shape(16, 16384, page_size=16),
    Shape(16, 16384, page_size=16, order="HND"),
    Shape(16, 16384, page_size=128, order="HND"),
    Shape(16, 16384, kv_heads=32, group=1),
    Shape(16, 16384, group=8),
    Shape(16, 16384, group=16),
    Shape(64, 65536, kv_heads=1, group=8),
    Shape(16, 16384, d=64),
    Shape(16, 16384, d=96),
    Shape(16, 16384, d=256),
    Shape(16, 16384, queries=4),
    Shape(16, 16384, group=8, queries=4),
)
TINY = (Shape(2, 128), Shape(2, 64, group=8, page_size=16, order="HND", queries=2, uneven=True))


def decode_row(timer: Timer, shape: Shape, workers: int, tiny: bool) -> dict[str, Any]:
    """One shape: ours, the peer, and the floor."""
    device, rng = timer.device, np.random.default_rng(0)
    batch, context, kv_heads, group, d, page_size, queries, order, _ = shape
    check(device, shape)
    lengths = rng.integers(1, context + 1, batch) if shape.uneven else np.full(batch, context)
    columns = -(-context // page_size)
    arrays = Arrays(device, timer.torch, tiny)
    pages = batch * columns
    inner = (page_size, kv_heads) if order == "NHD" else (kv_heads, page_size)
    keys, values = (arrays.random(pages * page_size * kv_heads * d, bf16).reshape(pages, *inner, d) for _ in range(2))
    q, o = (arrays.random(batch * queries * kv_heads * group * d, bf16) for _ in range(2))
    q, o = (each.reshape(batch, queries, kv_heads * group, d) for each in (q, o))
    table = rng.permutation(pages).reshape(batch, columns).astype(np.uint32)
    sums, counters = decode.scratch_of(d, group, queries, batch, kv_heads, workers)
    parts, arrived = device.empty(sums, f32), device.zeros(counters, u32)
    launch = decode.plan(
        q, keys, values, device.array(table), device.array(lengths.astype(np.uint32)), o, parts, arrived,
        element=bf16, order=order, workers=workers,
    ).bind(device)  # fmt: skip
    seen = int(lengths.sum()) * kv_heads * d  # elements of the keys
    source, target = arrays.random(seen, bf16), device.empty(seen, bf16)
    runs: dict[str, Callable[[], Any]] = {"ours": launch, "device copy": lambda: target.copy_from(source)}
    if timer.torch is not None and queries == 1 and not shape.uneven and 2 * keys.nbytes <= GATHERED:
        runs["torch sdpa"] = peer = gathered(arrays, shape, q, keys, values, table)
        launch()
        device.synchronize()
        ours = timer.torch.from_dlpack(o).reshape(batch, kv_heads * group, 1, d).float()
        theirs = peer().float()
        error = ((ours - theirs).abs().max() / theirs.abs().max()).item()
        assert error < 2**-7, f"{shape.name}: off by {error}"
    size = 8 if tiny else 4 * device.handle.attribute(Attribute.L2_CACHE_SIZE)
    cached, total = arrays.random(size // 4, u32), device.empty(1, u32)
    times = timer.times(runs, before=partial(Reduce(device, u32), cached, total))
    peers = {name: time for name, time in times.items() if name not in ("ours", "device copy")}
    return {
        "name": shape.name,
        "unit": "ms",
        "ours": times["ours"],
        "peers": peers,
        "ratio": min(peers.values()) / times["ours"] if peers else None,
        "floor": times["device copy"],
    }


def check(device: px.Device, shape: Shape) -> None:
    """A small problem of the shape's kind."""
    problem = decode.Problem((3, 300), workers=3, kv_heads=2)
    kind = {"d": shape.d, "page_size": shape.page_size, "group": shape.group}
    outcome = decode.case(
        problem, np.random.default_rng(1), element=bf16, queries=shape.queries, order=shape.order, **kind
    ).run(device)
    assert outcome.passed, f"{shape.name}: off by {outcome.error}"


def gathered(
    arrays: Arrays, shape: Shape, q: px.Array, keys: px.Array, values: px.Array, table: Any
) -> Callable[[], Any]:
    """PyTorch's attention, over keys and values in the order of the sequences."""
    torch = arrays.torch
    rows = torch.as_tensor(table.astype(np.int64), device="cuda")
    together = []
    for each in (keys, values):
        found = torch.from_dlpack(each)[rows]  # (batch, columns, page_size, kv_heads, d)
        if shape.order == "HND":
            found = found.transpose(2, 3)
        found = found.reshape(shape.batch, -1, shape.kv_heads, shape.d)[:, : shape.context]
        together.append(found.transpose(1, 2).contiguous())
    query = torch.from_dlpack(q).reshape(shape.batch, shape.kv_heads * shape.group, 1, shape.d)
    attention = torch.nn.functional.scaled_dot_product_attention
    return lambda: attention(query, *together, enable_gqa=shape.group > 1)


def main() -> None:
    parser = command(__doc__, device="cuda")
    parser.add_argument("--only", nargs="+", default=[], help="shapes whose name has one of these texts")
    options = parser.parse_args()
    device = px.device(options.device)
    timer = Timer(device, 1 if options.tiny else ROUNDS)
    processors = device.handle.attribute(Attribute.MULTIPROCESSOR_COUNT)
    rows = []
    for shape in TINY if options.tiny else SHAPES:
        if options.only and not any(text in shape.name for text in options.only):
            continue
        blocks = decode.layout_of(shape.d, shape.group, shape.queries).row_blocks
        workers = 3 if options.tiny else decode.workers_for(shape.batch * shape.kv_heads * blocks, processors)
        rows.append(decode_row(timer, shape, workers, options.tiny))
        if not options.json:
            found = rows[-1]
            peers = "  ".join(f"{peer} {value:.3f}" for peer, value in found["peers"].items())
            print(
                f"{found['name']:56} {found['ours']:.3f} ms  {peers}  copy {found['floor']:.3f} "
                f"({found['floor'] / found['ours']:.0%} of its bandwidth)",
                flush=True,
            )
    if options.json:
        print_json(rows)


if __name__ == "__main__":
    main()
