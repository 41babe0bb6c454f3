#!/usr/bin/env python3
"""What `px.profile()` counts beside what a GPU's counters say (Nsight Compute), for ten small kernels.

    tools/compare_counts.py                  what the CPU device counts
    tools/compare_counts.py --ncu ncu        beside what this GPU does; ncu runs this file once more, with --launch

Executions differ where an assembler merges, unrolls or adds instructions: they are counted in PTX here and in SASS there.
Accesses of memory and floating-point operations are the same instructions on both sides, and compared number by number.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

import ptxgen as px
from ptxgen import f32, f64, u32

if TYPE_CHECKING:
    from ptxgen.cpu.profiler.counts import Counts
    from ptxgen.host import Device

GRID, BLOCK = 8, 256
THREADS = GRID * BLOCK


@px.kernel
def coalesced(k: px.Builder, x: px.ptr[f32], y: px.ptr[f32]) -> None:
    i = k.global_id.x
    y[i] = k.fma(x[i], 2.0, 1.0)


@px.kernel
def strided(k: px.Builder, x: px.ptr[f32], y: px.ptr[f32]) -> None:
    i = k.global_id.x
    y[i] = x[i * 9]


@px.kernel
def shifted(k: px.Builder, x: px.ptr[f32], y: px.ptr[f32]) -> None:
    i = k.global_id.x
    y[i] = x[i + 3]


@px.kernel
def banks(k: px.Builder, x: px.ptr[f32], y: px.ptr[f32]) -> None:
    """Columns of a tile of 32 x 32: 32 lanes, one bank."""
    tile = k.shared(f32, 32 * 32)
    i = k.tid.x
    for row in range(4):
        tile[i + 256 * row] = x[i + 256 * row]
    k.barrier()
    for row in range(4):
        at = i + 256 * row
        y[at] = tile[(at % 32) * 32 + at // 32]


@px.kernel
def padded(k: px.Builder, x: px.ptr[f32], y: px.ptr[f32]) -> None:
    """The same with rows of 33: no conflict."""
    tile = k.shared(f32, 32 * 33)
    i = k.tid.x
    for row in range(4):
        at = i + 256 * row
        tile[(at // 32) * 33 + at % 32] = x[at]
    k.barrier()
    for row in range(4):
        at = i + 256 * row
        y[at] = tile[(at % 32) * 33 + at // 32]


@px.kernel
def doubles(k: px.Builder, x: px.ptr[f64], y: px.ptr[f64]) -> None:
    """8 bytes a lane of shared memory, every other element."""
    tile = k.shared(f64, 512)
    i = k.tid.x
    tile[i * 2] = x[i]
    k.barrier()
    y[i] = k.fma(tile[(i ^ 1) * 2], 3.0, x[i])


@px.kernel
def divergent(k: px.Builder, x: px.ptr[u32], y: px.ptr[u32]) -> None:
    """Steps of the Collatz sequence: lanes leave the loop one by one."""
    i = k.global_id.x
    n, steps = k.var(u32, x[i] + 1), k.var(u32, 0)
    with k.while_(lambda: n > 1):
        n.set(k.select((n & 1) == 0, n >> 1, n * 3 + 1))
        steps += 1
    y[i] = steps


@px.kernel
def reduction(k: px.Builder, x: px.ptr[f32], y: px.ptr[f32]) -> None:
    """A warp's sum by shuffles, then one atomic."""
    total = k.var(f32, x[k.global_id.x])
    for lanes in (16, 8, 4, 2, 1):
        total += k.shfl_xor(total, lanes)
    with k.if_((k.tid.x & 31) == 0):
        k.atomic_add(y, 0, total)


@px.kernel
def histogram(k: px.Builder, x: px.ptr[u32], y: px.ptr[u32]) -> None:
    """Atomics of shared memory, four lanes to each of eight bins."""
    bins = k.shared(u32, 32)
    i = k.tid.x
    with k.if_(i < 32):
        bins[i] = 0
    k.barrier()
    k.atomic_add(bins, x[k.global_id.x] & 7, 1)
    k.barrier()
    with k.if_(i < 32):
        k.atomic_add(y, i, bins[i])


@px.kernel
def product(k: px.Builder, x: px.ptr[u32], y: px.ptr[f32]) -> None:
    """One mma.m16n8k16 a warp, of fragments that lie in memory as registers have them."""
    i = k.global_id.x
    a = tuple(x[i * 4 + n] for n in range(4))
    b = tuple(x[i * 2 + n] for n in range(2))
    d = tuple(k.var(f32, 0.0) for _ in range(4))
    k.ptx["mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"](d, a, b, d)
    for n in range(4):
        y[i * 4 + n] = d[n]


class Row(NamedTuple):
    """A kernel, its grid, the elements of `x` (of a type, counting up) and of `y`."""

    kernel: Any
    grid: int
    type: Any
    taken: int
    given: int


ROWS = (
    Row(coalesced, GRID, f32, THREADS, THREADS),
    Row(strided, GRID, f32, 9 * THREADS, THREADS),
    Row(shifted, GRID, f32, THREADS + 3, THREADS),
    Row(banks, 1, f32, 1024, 1024),
    Row(padded, 1, f32, 1024, 1024),
    Row(doubles, 1, f64, 512, 512),
    Row(divergent, GRID, u32, THREADS, THREADS),
    Row(reduction, GRID, f32, THREADS, 1),
    Row(histogram, GRID, u32, THREADS, 32),
    Row(product, 1, u32, 4 * BLOCK, 4 * BLOCK),
)

_FLOPS = {
    name: [f"smsp__sass_thread_inst_executed_op_{kind}{operation}_pred_on.sum" for operation in ("add", "mul", "fma")]
    for name, kind in (("f32", "f"), ("f64", "d"))
}
_GLOBAL = ("global_op_ld", "global_op_st", "global_op_red", "global_op_atom")
METRICS = {
    "inst_executed": ["smsp__inst_executed.sum"],
    "thread_inst_executed": ["smsp__thread_inst_executed.sum"],
    "global_requests": [f"l1tex__t_requests_pipe_lsu_mem_{each}.sum" for each in _GLOBAL],
    "global_sectors": [f"l1tex__t_sectors_pipe_lsu_mem_{each}.sum" for each in _GLOBAL],
    "shared_wavefronts": ["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"],
    "shared_conflicts": ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"],
    "divergent": ["smsp__sass_branch_targets_threads_divergent.sum"],
    "f32": _FLOPS["f32"],
    "f64": _FLOPS["f64"],
    "mma": ["smsp__inst_executed_pipe_tensor.sum", "sm__inst_executed_pipe_tensor.sum"],
}
"""Ours -> the counters of the GPU that add up to it; of f32 and f64 the third counts twice."""


def launch(dev: Device) -> None:
    """Each kernel once."""
    for row in ROWS:
        kind = {f32: np.float32, f64: np.float64, u32: np.uint32}[row.type]
        x = dev.array(np.arange(row.taken, dtype=kind))
        y = dev.zeros(row.given, u32 if row.kernel in (divergent, histogram) else f64 if row.type is f64 else f32)
        row.kernel[row.grid, BLOCK](x, y)
    dev.synchronize()


def counted() -> dict[str, dict[str, float]]:
    """What the CPU device counts, by kernel."""
    with px.profile() as counts:
        launch(px.device("cpu"))
    return {each.kernel: _ours(each.total) for each in counts.launches}


def _ours(c: Counts) -> dict[str, float]:
    return {
        "inst_executed": c.warps, "thread_inst_executed": c.threads, "global_requests": c.global_requests,
        "global_sectors": c.global_sectors, "shared_wavefronts": c.shared_wavefronts, "shared_conflicts": c.conflicts,
        "divergent": c.divergent, "f32": c.flops.get("f32", 0), "f64": c.flops.get("f64", 0),
        "mma": c.flops.get("matrix bf16", 0) / (2 * 16 * 8 * 16),
    }  # fmt: skip


def measured(ncu: str) -> dict[str, dict[str, float]]:
    """What ncu says of this GPU, by kernel."""
    names = sorted({name for each in METRICS.values() for name in each})
    command = [ncu, "--csv", "--page", "raw", "--metrics", ",".join(names), sys.executable, __file__, "--launch"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in told.stdout.splitlines() if line.startswith('"')]
    if not lines:
        raise SystemExit(f"{' '.join(command[:3])} says nothing to read:\n{told.stdout}{told.stderr}")
    found: dict[str, dict[str, float]] = {}
    for line in list(csv.DictReader(io.StringIO("\n".join(lines))))[1:]:  # the first has units
        numbers = {name: _number(line.get(name)) for name in names}
        found[line["Kernel Name"].partition("(")[0]] = {
            name: sum(numbers[each] * (2 if each.endswith("fma_pred_on.sum") else 1) for each in parts)
            for name, parts in METRICS.items()
        }
    return found


def _number(text: str | None) -> float:
    try:
        return float((text or "0").replace(",", ""))
    except ValueError:  # n/a
        return 0.0


def main() -> None:
    """See the head of this file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ncu", help="Nsight Compute's command; it needs a GPU")
    parser.add_argument("--launch", action="store_true", help="only launch the kernels on the GPU")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.launch:
        launch(px.device("cuda"))
        return
    ours = counted()
    theirs = measured(given.ncu) if given.ncu else {}
    if given.json:
        print(json.dumps({"ours": ours, "theirs": theirs}, indent=1))
        return
    print(f"{'kernel':12}" + "".join(f"{name:>22}" for name in METRICS))
    for kernel, row in ours.items():
        cells = []
        for name in METRICS:
            other = theirs.get(kernel, {}).get(name)
            cells.append(f"{row[name]:,.0f}" + ("" if other is None else f" / {other:,.0f}"))
        print(f"{kernel:12}" + "".join(f"{cell:>22}" for cell in cells))


if __name__ == "__main__":
    main()
