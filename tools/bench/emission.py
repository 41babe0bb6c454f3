#!/usr/bin/env python3
"""What building, printing and verifying a kernel of 1,500 instructions takes, and saxpy from function to text, in ms.

    tools/bench/emission.py [--json] [--tiny]

Everything is warm: the best of many rounds. `checked` builds with exact chains, each judged by the table; `operators` with
Python's operators, whose instructions are legal by construction. The peer is a generator that knows nothing and formats
the same number of instructions as strings.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import ptxgen as px
from ptxgen import f32, u32
from ptxgen.builder.core.module_builder import ModuleBuilder
from tools.bench._command import command, print_json

INSTRUCTIONS = 1500
ROUNDS = 60


@px.kernel
def checked(k: px.Builder, x: px.ptr[f32]) -> None:
    """Exact chains: one call, one instruction, judged by the table."""
    a, b, c, d = (k.var(f32, 0) for _ in range(4))
    ptx = k.ptx
    for offset in range(INSTRUCTIONS // 4 - 2):
        ptx.fma.rn.f32(d, a, b, c)
        ptx.add.rn.f32(a, d, b)
        ptx.mul.rn.ftz.f32(b, a, d)
        ptx.st.global_.f32([x, 4 * offset], b)


@px.kernel
def operators(k: px.Builder, n: u32, x: px.ptr[f32], y: px.ptr[f32]) -> None:
    """Loads, arithmetic, addresses and stores by operators."""
    i = k.global_id.x
    with k.if_(i < n):
        total = k.var(f32, 0)
        for j in range(INSTRUCTIONS // 9 - 1):
            value = x[i + j]
            changed = k.fma(value, 2.0, total)
            total += changed * value
            y[i + j] = changed


@px.kernel
def saxpy(k: px.Builder, n: u32, a: f32, x: px.ptr[f32], y: px.ptr[f32]) -> None:
    i = k.global_id.x
    with k.if_(i < n):
        y[i] = k.fma(a, x[i], y[i])


def formatted() -> str:
    """As many instructions by a generator that checks nothing."""
    lines: list[str] = []
    for number in range(INSTRUCTIONS // 4):
        for op in ("fma.rn.f32", "add.rn.f32", "mul.rn.ftz.f32"):
            lines.append("\t" + op + " " + ", ".join([f"%f{number + j}" for j in range(4)]) + ";")
        lines.append("\tst.global.f32 " + f"[%rd1+{4 * number}], %f{number};")
    return "\n".join(lines)


def best(run: Callable[[], Any]) -> float:
    """Milliseconds of the fastest round."""
    fastest = float("inf")
    for _ in range(ROUNDS):
        began = time.perf_counter()
        run()
        fastest = min(fastest, time.perf_counter() - began)
    return 1e3 * fastest


def rows() -> list[dict[str, Any]]:
    """One row a measurement."""
    found: list[dict[str, Any]] = []
    unchecked = best(formatted)

    def row(name: str, ours: float, peers: dict[str, float]) -> None:
        ratio = min(peers.values()) / ours if peers else None
        found.append({"name": name, "unit": "ms", "ours": ours, "peers": peers, "ratio": ratio, "floor": None})

    for kernel in (checked, operators):
        module = kernel.module(target="sm_90a")
        count = sum(1 for function in module.functions for _ in function.instructions())

        def build(kernel: Any = kernel) -> None:
            kernel.add_to(ModuleBuilder("sm_90a"))

        def print_(module: Any = module) -> None:
            str(module)

        def verify(module: Any = module) -> None:
            px.verify(module)

        row(
            f"{kernel.__name__}: build and print {count} instructions",
            best(build) + best(print_),
            {"strings": unchecked},
        )
        row(f"{kernel.__name__}: verify {count} instructions", best(verify), {})
    row("saxpy: function to verified text", best(lambda: str(saxpy.module(target="sm_90a"))), {})
    return found


def main() -> None:
    parser = command(__doc__, on="the figures are of the host: no device is used")
    options = parser.parse_args()
    if options.tiny:
        global ROUNDS
        ROUNDS = 1
    measured = rows()
    if options.json:
        print_json(measured)
        return
    for each in measured:
        peers = "".join(f"   {peer} {value:.2f}" for peer, value in each["peers"].items())
        print(f"{each['name']:48} {each['ours']:7.3f} ms{peers}")


if __name__ == "__main__":
    main()
