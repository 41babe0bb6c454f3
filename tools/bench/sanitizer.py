#!/usr/bin/env python3
"""The sanitizer: time of a thread-instruction under each of its tools, beside the optimised kernel that nothing watches.

    tools/bench/sanitizer.py [--json] [--tiny]

The kernels are those of cpu_executor.py. The peer is the same launch without a tool, in the same run: `ratio` is what part of its
speed is left.
"""

from __future__ import annotations

import sys
from math import prod
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from ptxgen.cpu.sanitizer.tools import TOOLS, Sanitizer  # noqa: E402
from tools.bench import cpu_executor  # noqa: E402
from tools.bench._command import command, print_json  # noqa: E402
from tools.bench.cpu_executor import Bench, Row  # noqa: E402


def times(tools: tuple[str, ...]) -> dict[str, float]:
    """ns of a thread-instruction by kernel, watched by these tools."""
    bench = Bench("fast")
    sanitizer = Sanitizer(tools) if tools else None
    bench.options = bench.options.replaced(sanitizer=sanitizer)
    bench.rounds = 3
    found = {row.name.partition(",")[0]: row.ours for row in bench.kernels()}
    assert sanitizer is None or not sanitizer.findings, sanitizer.findings[0]
    bench.arena.close()
    return found


def rows() -> list[Row]:
    plain = times(())
    chosen = [*[(tool,) for tool in TOOLS], TOOLS]
    found = []
    for tools in chosen:
        watched = times(tools)
        name = tools[0] if len(tools) == 1 else "all"
        found += [
            Row(f"{name}: {kernel}", "ns/thread-instruction", watched[kernel], {"no tool": plain[kernel]}, None)
            for kernel in plain
        ]
    return found


def main() -> None:
    arguments = command(__doc__).parse_args()
    cpu_executor.TINY = arguments.tiny
    found = rows()
    if arguments.json:
        print_json([row.to_dict() for row in found])
        return
    print(f"{'':34}{'ns':>8}{'no tool':>10}{'times':>8}")
    for row in found:
        (plain,) = row.peers.values()
        print(f"{row.name:34}{row.ours:8.3f}{plain:10.3f}{row.ours / plain:8.2f}")
    for name in dict.fromkeys(row.name.partition(":")[0] for row in found):
        costs = [row.ours / row.peers["no tool"] for row in found if row.name.startswith(f"{name}:")]
        print(f"{name}: geometric mean {prod(costs) ** (1 / len(costs)):.2f}, worst {max(costs):.2f}")


if __name__ == "__main__":
    main()
