#!/usr/bin/env python3
"""How threads may share a row, beside what the library chooses: softmax and its backward; the floor is a copy of the same run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from ptxgen.builder import bf16, f32
from ptxgen.kernels.rows import rows
from ptxgen.kernels.rows.rows import Layout
from tools.bench._command import command, print_json
from tools.bench._timer import Timer

ELEMENTS = 2**26


def layouts(op: str, columns: int, vector: int) -> list[Layout]:
    """Those that hold a row, 4 to 32 elements a thread."""
    chosen = rows.choose(op, columns, vector)
    found = [chosen]
    for items in (vector, 8, 16, 32):
        for cluster in (1, 2, 4, 8):
            lanes = columns // (items * cluster)
            if (
                items >= vector
                and 16 <= lanes <= 1024
                and (cluster == 1 or lanes >= 256)
                and items * lanes * cluster == columns
            ):
                found.append(Layout(lanes, items, vector, cluster))
    return list(dict.fromkeys(found))


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    dev = px.device(given.device) if given.device else px.device()
    timer = Timer(dev, 1 if given.tiny else given.rounds)
    noise = np.random.default_rng(0).standard_normal(1 << (12 if given.tiny else 22), dtype=np.float32)
    count = 4096 if given.tiny else ELEMENTS
    results = []
    for element in (f32, bf16):
        x, g, y = (dev.empty(count, element) for _ in range(3))
        block = dev.array(noise, element)
        for array in (x, g):
            for start in range(0, array.nbytes, block.nbytes):
                size = min(block.nbytes, array.nbytes - start)
                dev.context.copy(array.pointer + start, block.pointer, size, stream=dev.current_stream)
        copied = {"copy": lambda x=x, y=y: dev.context.copy(y.pointer, x.pointer, x.nbytes, stream=dev.current_stream)}
        for op in ("softmax", "softmax_backward"):
            for columns in (1024,) if given.tiny else (1024, 8192, 32768, 131072):
                runs: dict[str, Any] = dict(copied)
                chosen, *others = layouts(op, columns, 16 // element.isa.bytes)
                for layout in (chosen, *others[: 1 if given.tiny else None]):
                    arrays = {name: (array, columns) for name, array in (("x", x), ("g", g), ("y", y))}
                    made = rows.plan(op, count // columns, columns, arrays, element=element, layout=layout)
                    mark = " (chosen)" if layout == chosen else ""
                    runs[f"{layout.lanes}x{layout.items} cluster {layout.cluster}{mark}"] = made.bind(dev)
                times = timer.times(runs)
                arrays_moved = 2 if op == "softmax" else 3
                floor = times.pop("copy") * arrays_moved / 2
                for name, each in times.items():
                    label = f"{op} {element.isa.name} {columns}: {name}"
                    results.append(
                        {
                            "name": label,
                            "unit": "us",
                            "ours": 1e3 * each,
                            "peers": {},
                            "ratio": None,
                            "floor": 1e3 * floor,
                        }
                    )
                    if not given.json:
                        print(f"{label:70s} {1e3 * each:8.2f} us {floor / each:6.1%}", flush=True)
    if given.json:
        print_json(results)


if __name__ == "__main__":
    main()
