#!/usr/bin/env python3
"""The sanitizer: time of a thread-instruction under each of its tools, beside the optimised kernel that nothing watches.

    tools/bench/sanitizer.py [--json] [--tiny]

The kernels are those of cpu_executor.py. Rounds take turns: no tool, each tool, no tool, ...; the peer is the launch without one,
in processor time, the best of the rounds. `ratio` is what part of its speed is left.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from math import prod
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from ptxgen.cpu import Kernel, LaunchOptions  # noqa: E402
from ptxgen.cpu.sanitizer.tools import TOOLS, Sanitizer  # noqa: E402
from tools.bench import cpu_executor  # noqa: E402
from tools.bench._command import command, print_json  # noqa: E402
from tools.bench.cpu_executor import Bench, Row  # noqa: E402

ROUNDS = 5


class Watched(Bench):
    """Each kernel under every choice of tools."""

    def __init__(self) -> None:
        super().__init__("fast")
        self.watches = {tool: Sanitizer((tool,)) for tool in TOOLS} | {"all": Sanitizer(TOOLS)}
        self.found: list[Row] = []

    def per_instruction(
        self, name: str, kernel: Kernel, grid: tuple[int, int, int], block: tuple[int, int, int], params: bytes,
        peer: Callable[[], object], floor: Callable[[], object] | None,
    ) -> Row:  # fmt: skip
        """Notes the kernel's rows; gives the one without a tool."""

        def once(options: LaunchOptions) -> float:
            began = time.process_time()
            executed = kernel.launch(grid, block, params, options=options).instructions
            return (time.process_time() - began) * 1e9 / executed

        chosen = {"": self.options} | {
            tools: self.options.replaced(sanitizer=sanitizer) for tools, sanitizer in self.watches.items()
        }
        for options in chosen.values():  # compiles
            once(options)
        rounds = [
            {tools: once(options) for tools, options in chosen.items()}
            for _ in range(1 if cpu_executor.TINY else ROUNDS)
        ]
        best = {tools: min(times[tools] for times in rounds) for tools in chosen}
        unit, short = "ns/thread-instruction", name.partition(",")[0]
        for tools in self.watches:
            self.found.append(Row(f"{tools}: {short}", unit, best[tools], {"no tool": best[""]}, None))
        return Row(name, unit, best[""], {}, None)


def rows() -> list[Row]:
    bench = Watched()
    bench.kernels()
    for sanitizer in bench.watches.values():
        assert not sanitizer.findings, sanitizer.findings[0]
    bench.arena.close()
    return sorted(bench.found, key=lambda row: row.name.partition(":")[0])


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
