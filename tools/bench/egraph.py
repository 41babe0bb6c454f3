#!/usr/bin/env python3
"""E-graph discovery and fixed point beside the reference system's kernel, written again here as it is.

    tools/bench/egraph.py [--json] [--tiny] [--device cuda|cpu] [--rows 1000000] [--bucket 8192] [--buckets 100000]

The peer is the structural-equivalence kernel of vyre-driver-cuda: a launch for each wave of each signature bucket, a thread a
candidate pair, whose places in the bucket are found by a linear loop, and an append without a bound; its plan is made on the
host by sorting signatures, and uploaded with a cleared output. Launches of it are bound beforehand, so that Python's
part is small. Results are compared first. Rows:

  one bucket      `--bucket` rows of one signature among `--rows` rows: all different, or of two contents and in one e-class or
                  in one each; the kernels alone, by CUDA events (ours: all launches of a discovery, planning included)
  small buckets   `--buckets` pairs of equal rows among `--rows`; from the resident image to the unique pairs on the host
  plan            signature buckets as the reference plans them, read back; made on the device, and on the host
  discover        half the rows in groups of 8 equal ones, without the upload
  fixed point     towers of 8 floors that merge floor by floor, device loop beside rounds with a plan on the host

Floors are sums of bytes over 4.3 TB/s, what a copy reaches on an H200 (see the kernels' docstrings): of a discovery the rows,
their table, the sort and the pairs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from driver_ctypes import NotAvailableError
from ptxgen import u8, u32, u64
from ptxgen.ops.egraph import (
    Discovery,
    FixedPoint,
    OpIdRegistry,
    ResidentImage,
    SignatureBuckets,
    Snapshot,
    decode_unique,
    fixed_point,
    pack_image,
    plan_artifact,
    plan_buckets,
    plan_resident_buckets,
    upload,
)
from tools.bench._command import command, print_json

ROUNDS = 7
KINDS = ("different", "in one e-class", "each its own e-class")
BYTES_PER_MS = 4.3e9


@px.kernel(max_threads=1024)
def faithful(
    k: px.Builder, row_eclass_ids: px.ptr[u32], row_language_op_ids: px.ptr[u32], row_children_offsets: px.ptr[u32],
    row_children_lens: px.ptr[u32], row_signatures: px.ptr[u32], children: px.ptr[u32], bucket_words: px.ptr[u32],
    bucket_rows: px.ptr[u32], output_pairs: px.ptr[u32], output_count: px.ptr[u64], bucket_index: u32, first_pair: u64,
    pair_count: u64,
) -> None:  # fmt: skip
    """The reference's kernel: linear decoding, one atomic a pair, no capacity."""
    index = k.global_id.x
    with k.if_(index.to(u64) >= pair_count):
        k.return_()
    record = bucket_words.at(bucket_index * 5)
    first, n = record[1], record[2]
    remainder, width, i = k.var(u64, first_pair + index.to(u64)), k.var(u64, (n - 1).to(u64)), k.var(u32, 0)
    with k.while_(lambda: remainder >= width):
        remainder -= width
        width -= 1
        i += 1
    a, b = bucket_rows[first + i], bucket_rows[first + i + 1 + remainder.to(u32)]
    for column in (row_signatures, row_language_op_ids, row_children_lens):
        with k.if_(column[a] != column[b]):
            k.return_()
    left, right = children.at(row_children_offsets[a]), children.at(row_children_offsets[b])
    for c in k.range(row_children_lens[a]):
        with k.if_(left[c] != right[c]):
            k.return_()
    one, other = row_eclass_ids[a], row_eclass_ids[b]
    with k.if_(one == other):
        k.return_()
    slot = k.atomic_add(output_count, 0, 1)
    output_pairs[slot * 2] = k.min(one, other)
    output_pairs[slot * 2 + 1] = k.max(one, other)


class Faithful:
    """The reference's run over a plan: one slab that is uploaded with its zeros, a launch a wave, decoding on the host."""

    def __init__(self, resident: ResidentImage, buckets: SignatureBuckets) -> None:
        artifact = plan_artifact(buckets)
        device = resident.device
        sections = [artifact.bucket_words.nbytes, artifact.bucket_rows.nbytes, 8 * artifact.max_equivalences, 8]
        offsets = [0]
        for size in sections:
            offsets.append(-(-(offsets[-1] + max(size, 8)) // 8) * 8)
        slab = np.zeros(offsets[-1], np.uint8)
        for offset, part in zip(offsets, (artifact.bucket_words, artifact.bucket_rows)):
            slab[offset : offset + part.nbytes] = part.view(np.uint8)
        self.slab = device.array(slab, u8)
        words, rows, pairs, count = (self.slab[a:b] for a, b in pairwise(offsets))
        names = (
            "row_eclass_ids", "row_language_op_ids", "row_children_offsets", "row_children_lens", "row_signatures", "children",
        )  # fmt: skip
        self.pairs, self.count = pairs.view(u32), count.view(u64)
        columns = [*(resident.column(name) for name in names), words.view(u32), rows.view(u32), self.pairs, self.count]
        bound: dict[tuple[int, int], Callable[..., None]] = {}
        self.launches = []
        for wave in buckets.waves:
            shape = (wave.blocks, wave.threads_per_block)
            if shape not in bound:
                bound[shape] = faithful.bind(*shape, device=device)
            self.launches.append((bound[shape], (*columns, wave.bucket_index, wave.first_pair, wave.pair_count)))

    def launch(self) -> None:
        for launcher, arguments in self.launches:
            launcher(*arguments)

    def unique(self) -> Any:
        emitted = int(self.count.numpy()[0])
        return decode_unique(self.pairs[: 2 * emitted].bytes(), emitted)

    def close(self) -> None:
        self.slab.close()


# ---- e-graphs --------------------------------------------------------------------------------------------------------


def alone(rows: int) -> Any:
    """Two children of each row such that no two rows are equal: (row, row xor 1), of an even number of rows."""
    row = np.arange(rows, dtype=np.uint32)
    return np.stack([row, row ^ 1], axis=1)


def snapshot(contents: Any, classes: Any, ops: Any = None) -> Snapshot:
    """Rows of two children each, shuffled."""
    n = len(contents)
    order = np.random.default_rng(1).permutation(n)
    ops = np.zeros(n, np.uint32) if ops is None else ops[order].astype(np.uint32)
    offsets, lens = np.arange(0, 2 * n, 2, dtype=np.uint32), np.full(n, 2, np.uint32)
    children = contents[order].astype(np.uint32).reshape(-1)
    return Snapshot.from_columns(classes[order], ops, offsets, lens, children, OpIdRegistry("fg"))


def one_bucket(rows: int, size: int, kind: str) -> Snapshot:
    """The first `size` rows are alone ("different"), or of two contents: in one e-class, or each in its own."""
    contents, classes = alone(rows), np.arange(rows, dtype=np.uint32)
    if kind != "different":
        contents[:size:2], contents[1:size:2] = (size + 1, size + 3), (size + 3, size + 1)
    if kind == "in one e-class":
        classes[:size] = 0
    return snapshot(contents, classes)


def repeated(rows: int, groups: int, each: int) -> Snapshot:
    """`groups` groups of `each` equal rows; the others are alone."""
    contents = alone(rows)
    contents[: groups * each] = np.repeat(contents[: groups * each : each], each, axis=0)
    return snapshot(contents, np.arange(rows, dtype=np.uint32))


def towers(rows: int, floors: int = 8) -> Snapshot:
    """Groups of two towers whose ground floors are equal: each round merges one floor of every group."""
    size = 2 * (floors + 1)
    row = np.arange(rows - rows % size, dtype=np.uint32)
    base, floor = row - row % size, row % size // 2
    contents = np.stack([np.where(floor > 0, row - 2, base), base], axis=1)
    return snapshot(contents, row, floor > 0)


# ---- timing ----------------------------------------------------------------------------------------------------------


def by_events(device: px.Device, run: Callable[[], Any], before: Callable[[], Any] = lambda: None) -> float:
    """Median milliseconds on the device."""
    samples = []
    for round_ in range(ROUNDS + 2):
        before()
        device.synchronize()
        begin, end = device.event(), device.event()
        begin.record(device.current_stream)
        run()
        end.record(device.current_stream)
        end.synchronize()
        if round_ >= 2:
            samples.append(end.elapsed_ms(begin))
    return median(samples)


def by_clock(run: Callable[[], Any], rounds: int | None = None) -> float:
    """Median milliseconds on the host's clock, of calls that wait for the device."""
    samples = []
    for round_ in range((rounds or ROUNDS) + 1):
        start = time.perf_counter()
        run()
        if round_:
            samples.append(1e3 * (time.perf_counter() - start))
    return median(samples)


def floor_of(rows: int, pairs: int, passes: int) -> float:
    """Milliseconds: the rows and two children each, a table's sector read and written a row, the sort, the e-classes, and the
    pairs written."""
    matched = rows * (16 + 8 + 4 + 64)
    ordered = rows * (4 + 16 * passes)
    tiled = rows * (4 + 4 + 32 + 8)
    return (matched + ordered + tiled + 8 * pairs) / BYTES_PER_MS


def row(name: str, ours: float, peers: dict[str, float], floor: float) -> dict[str, Any]:
    others = [value for peer, value in peers.items() if not peer.startswith("ours")]
    ratio = min(others) / ours if others else None
    return {"name": name, "unit": "ms", "ours": ours, "peers": peers, "ratio": ratio, "floor": floor}


def passes_of(rows: int) -> int:
    return -(-max(1, (rows - 1).bit_length()) // 8)


def bucket_row(device: px.Device, rows: int, size: int, kind: str) -> dict[str, Any]:
    """Kernels alone, one large bucket."""
    made = one_bucket(rows, size, kind)
    signatures = pack_image(made).column("row_signatures").copy()
    signatures[made.eclass_ids < size] = 7  # of the bucket's rows alone: the other e-classes are rows' numbers
    image = pack_image(made, signatures=signatures)
    with upload(device, image) as resident, Discovery(device, rows) as discovery:
        peer = Faithful(resident, plan_buckets(signatures))
        peer.launch()
        expected, reported = peer.unique(), int(peer.count.numpy()[0])
        discovery(resident)
        found = discovery.equivalences()
        assert found.device_reported_count == reported, "the pairs are wrong"
        assert np.array_equal(found.unique, expected), "the pairs are wrong"
        times = by_events(device, lambda: discovery(resident))
        theirs = by_events(device, peer.launch, lambda: peer.count.fill(0))
        peer.close()
    name = f"one bucket of {size} among {rows}, {kind}, {reported} pairs"
    return row(name, times, {"faithful": theirs}, floor_of(rows, reported, passes_of(rows)))


def small_row(device: px.Device, rows: int, groups: int) -> dict[str, Any]:
    """End to end from the resident image to unique pairs, many buckets of two."""
    image = pack_image(repeated(rows, groups, 2))
    with upload(device, image) as resident, Discovery(device, rows) as discovery:

        def ours() -> Any:
            discovery(resident)
            return discovery.equivalences().unique

        def theirs() -> Any:
            peer = Faithful(resident, plan_buckets(image.column("row_signatures")))
            peer.launch()
            found = peer.unique()
            peer.close()
            return found

        assert np.array_equal(ours(), theirs()), "the pairs are wrong"
        times, peers = by_clock(ours), {"faithful": by_clock(theirs, 3)}
        peer = Faithful(resident, plan_buckets(image.column("row_signatures")))

        def launches_only() -> None:
            peer.count.fill(0)  # it has no bound: a second run without this would write past its memory
            peer.launch()
            device.synchronize()

        peers["faithful, launches alone"] = by_clock(launches_only, 3)
        peer.close()
    return row(f"{groups} buckets of 2 of {rows}, end to end", times, peers, floor_of(rows, groups, passes_of(rows)))


def discover_rows(device: px.Device, rows: int) -> list[dict[str, Any]]:
    """A discovery without the upload: with its scratch memory held, and as one call that makes and frees it."""
    image = pack_image(repeated(rows, rows // 16, 8))
    found: list[dict[str, Any]] = []
    with upload(device, image) as resident, Discovery(device, rows) as discovery:
        discovery(resident)
        pairs = discovery.equivalences().device_reported_count
        floor = floor_of(rows, pairs, passes_of(rows))

        def held() -> None:
            discovery(resident)
            discovery.equivalences()

        def whole() -> None:
            with Discovery(device, rows) as fresh:
                fresh(resident)
                fresh.equivalences()

        found.append(row(f"discover {rows} rows, {pairs} pairs, unique on the host", by_clock(held), {}, floor))
        found.append(row(f"discover {rows} rows, scratch made and freed", by_clock(whole), {}, floor))
        found.append(row(f"discover {rows} rows, launches", by_events(device, lambda: discovery(resident)), {}, floor))
        with device.capture() as graph:
            discovery(resident)
        found.append(row(f"discover {rows} rows, one graph", by_events(device, graph.launch), {}, floor))
        graph.close()
    return found


def plan_row(device: px.Device, rows: int) -> dict[str, Any]:
    """The reference's plan: signatures to buckets, on the device and (its way) on the host."""
    image = pack_image(repeated(rows, rows // 16, 8))
    with upload(device, image) as resident:
        ours, theirs = plan_resident_buckets(resident), plan_buckets(image.column("row_signatures"))
        assert np.array_equal(ours.bucket_rows, theirs.bucket_rows), "the plan is wrong"
        times = by_clock(lambda: plan_resident_buckets(resident))
        peer = by_clock(lambda: plan_buckets(image.column("row_signatures")))
    floor = rows * (4 + 16 * 4 + 16) / BYTES_PER_MS
    return row(f"plan of {ours.bucket_count} buckets of {rows}", times, {"sorted on the host": peer}, floor)


def fixed_point_row(device: px.Device, rows: int) -> dict[str, Any]:
    """Device loop beside rounds that plan unions on the host."""
    image = pack_image(towers(rows))
    rows = image.layout.row_count
    with upload(device, image) as resident, FixedPoint(device, rows, 2 * rows) as loop:

        def restored(run: Callable[[], Any]) -> Any:
            resident.array.copy_from(image.words)
            device.synchronize()
            start = time.perf_counter()
            result = run()
            device.synchronize()
            return 1e3 * (time.perf_counter() - start), result

        def ours() -> Any:
            return restored(lambda: loop(resident))

        _, result = ours()
        host_ms, host = restored(lambda: fixed_point(resident, with_pairs=True))
        assert host.rewrites == result.rewrites
        times = median(ours()[0] for _ in range(ROUNDS))
        peers = {"rounds planned on the host": host_ms}
        try:
            with loop.graph(resident) as graph:

                def replayed() -> Any:
                    graph.launch()
                    return graph.result()

                assert restored(replayed)[1].rewrites == result.rewrites
                peers["ours, as one graph"] = median(restored(replayed)[0] for _ in range(ROUNDS))
        except NotAvailableError as error:
            print(f"no graph that loops: {error}", file=sys.stderr)
    each = rows * (16 + 8 + 4 + 64) + rows * 4 + rows * 3 * 4 + 8 * rows
    floor = result.rounds * each / BYTES_PER_MS
    name = f"fixed point {rows} rows, {result.rounds} rounds, {result.total_rewrites} merges"
    return row(name, times, peers, floor)


def main() -> None:
    parser = command(__doc__, device="cuda")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--bucket", type=int, default=8192)
    parser.add_argument("--buckets", type=int, default=100_000)
    options = parser.parse_args()
    if options.tiny:
        global ROUNDS
        ROUNDS, options.rows, options.bucket, options.buckets = 1, 1000, 64, 100
    device = px.device(options.device)
    rows = [bucket_row(device, options.rows, options.bucket, kind) for kind in KINDS]
    rows.append(small_row(device, options.rows, options.buckets))
    rows.append(plan_row(device, options.rows))
    rows += discover_rows(device, options.rows)
    rows.append(fixed_point_row(device, options.rows))
    if options.json:
        print_json(rows)
        return
    for found in rows:
        peers = "  ".join(f"{peer} {value:.3f}" for peer, value in found["peers"].items())
        ratio = f"  {found['ratio']:.1f}x" if found["ratio"] else ""
        print(f"{found['name']:64} {found['ours']:9.3f} ms  {peers}{ratio}  floor {found['floor']:.3f}")


if __name__ == "__main__":
    main()
