"""Runs the families: `python -m tools.agreement.run`, on a machine with a GPU.

python -m tools.agreement.run textures --samples 1000000
python -m tools.agreement.run textures --device cuda --save there.npz      one device alone, its results kept
python -m tools.agreement.run textures --device cpu --against there.npz    and compared elsewhere
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import ptxgen as px
from tools.agreement.textures import CASES, run_case

Results = dict[str, "np.ndarray[Any, Any]"]


def textures(device: str, samples: int, only: str) -> Results:
    """Case -> words of its results."""
    context = px.device(device).context
    found: Results = {}
    for case in CASES:
        if only in case.name:
            try:
                found[case.name] = run_case(context, case, samples)
            except Exception as error:  # a case that a device refuses is told, and the others go on
                print(f"{case.name}: {device} {type(error).__name__}: {str(error).splitlines()[0]}")
    return found


FAMILIES = {"textures": textures}


def distance(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> tuple[int, float]:
    """(how many of the rows differ, by how much as floats at most)."""
    rows = (one != other).any(axis=1)
    a, b = one[rows].view(np.float32).astype(np.float64), other[rows].view(np.float32).astype(np.float64)
    with np.errstate(invalid="ignore"):
        apart = np.abs(a - b)
    return int(rows.sum()), float(np.nanmax(apart)) if apart.size and not np.isnan(apart).all() else 0.0


def compare(one: Results, other: Results) -> int:
    """Prints a row for each case; how many differ."""
    different = 0
    for name in one:
        if name not in other:
            continue
        rows, most = distance(one[name], other[name])
        different += rows > 0
        print(f"{name:40} {len(one[name]):9,} samples  {rows:9,} differ  by {most:.3g} at most")
    return different


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--device", help="of one device alone (default: of the CPU device and the GPU)")
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    parser.add_argument("--save", type=Path, help="keep the results")
    parser.add_argument("--against", type=Path, help="compare with kept results")
    options = parser.parse_args()
    run = FAMILIES[options.family]
    found = run(options.device or "cuda", options.samples, options.only)
    if options.save:
        kept: dict[str, Any] = {**found}
        np.savez_compressed(options.save, **kept)
    if options.against:
        with np.load(options.against) as other:
            compare(found, dict(other))
    elif options.device is None:
        compare(run("cpu", options.samples, options.only), found)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
