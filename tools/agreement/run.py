"""Runs the families on the CPU device and on a GPU: `python -m tools.agreement.run`, on a machine with a GPU.

python -m tools.agreement.run textures --samples 1000000
python -m tools.agreement.run operations --only cvt
python -m tools.agreement.run textures --device cuda --save there.npz      one device alone, its results kept
python -m tools.agreement.run textures --device cpu --against there.npz    and compared elsewhere
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import ptxgen as px
from ptxgen.isa.targets import find_target
from tools.agreement.operations import operations, run_operations
from tools.agreement.textures import CASES, run_case

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver_ctypes.contexts.context import Context

Results = dict[str, "np.ndarray[Any, Any]"]


def _textures(context: Context, samples: int, only: str) -> Results:
    return {case.name: run_case(context, case, samples) for case in CASES if only in case.name}


def _operations(context: Context, samples: int, only: str) -> Results:
    return run_operations(context, operations(find_target("sm_90a"), only), -(-samples // 256) * 256)


FAMILIES: dict[str, Callable[[Context, int, str], Results]] = {"textures": _textures, "operations": _operations}
"""Case -> its results, a row for each sample, as words."""


def distance(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> tuple[int, float]:
    """(how many of the rows differ, by how much as floats of 32 bits at most)."""
    differ = one != other
    rows = differ.any(axis=1) if differ.ndim > 1 else differ
    a, b = (np.ascontiguousarray(x[rows]).view(np.float32).astype(np.float64) for x in (one, other))
    with np.errstate(invalid="ignore"):
        apart = np.abs(a - b)
    return int(rows.sum()), float(np.nanmax(apart)) if apart.size and not np.isnan(apart).all() else 0.0


def compare(one: Results, other: Results) -> int:
    """Prints a row for each case that differs, and the sums; how many differ."""
    different = samples = 0
    for name in one:
        rows, most = distance(one[name], other[name])
        samples += len(one[name])
        different += rows > 0
        if rows:
            print(f"{name:50} {len(one[name]):9,} samples  {rows:9,} differ  by {most:.3g} at most")
    print(f"{len(one):,} cases, {samples:,} samples: {len(one) - different:,} cases are the same, {different:,} differ")
    return different


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("--samples", type=int, default=20_000, help="of each case")
    parser.add_argument("--device", help="of one device alone (default: of the CPU device and the GPU)")
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    parser.add_argument("--save", type=Path, help="keep the results")
    parser.add_argument("--against", type=Path, help="compare with kept results")
    options = parser.parse_args()

    def run(device: str) -> Results:
        return FAMILIES[options.family](px.device(device).context, options.samples, options.only)

    found = run(options.device or "cuda")
    if options.save:
        kept: dict[str, Any] = {**found}
        np.savez_compressed(options.save, **kept)
    if options.against:
        with np.load(options.against) as other:
            compare(found, dict(other))
    elif options.device is None:
        compare(run("cpu"), found)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
