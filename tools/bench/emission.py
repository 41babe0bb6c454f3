#!/usr/bin/env python3
"""What building, printing and verifying a kernel of 1,500 instructions takes, saxpy from function to text, and kernels of the
library, in ms.

    tools/bench/emission.py [--json] [--tiny]

Everything is warm: the best of many rounds. `checked` builds with exact chains, each judged by the table; `operators` with
Python's operators, whose instructions are legal by construction. The peer is a generator that knows nothing and formats
the same number of instructions as strings. Of the library's kernels, `module()` as it is where the verifier has found the same
text clean before, and where it has not, by processor time.
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
from ptxgen.kernels.catalogue import find
from tools.bench._command import command, print_json

INSTRUCTIONS = 1500
ROUNDS = 60
KERNELS = ("gemm/bf16", "attention/d128", "attention_packed/d64.causal", "group_merge/u64.both")


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


def best(run: Callable[[], Any], rounds: int | None = None, clock: Callable[[], float] = time.perf_counter) -> float:
    """Milliseconds of the fastest round."""
    fastest = float("inf")
    for _ in range(rounds or ROUNDS):
        began = clock()
        run()
        fastest = min(fastest, clock() - began)
    return 1e3 * fastest


def of_library(label: str) -> tuple[int, float, float]:
    """Instructions of a kernel of the library; milliseconds of `module()` with a known verdict, and with verification."""
    variant = find(label)
    module = variant.module("sm_90a")
    rounds = min(ROUNDS, 10)
    known = best(lambda: variant.module("sm_90a"), rounds, time.process_time)
    verified = best(lambda: px.verify(module), rounds, time.process_time)
    return sum(1 for _ in module.entries[0].instructions()), known, known + verified


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
    for label in KERNELS[: 1 if ROUNDS == 1 else None]:
        count, known, verified = of_library(label)
        row(f"{label}: {count} instructions, verdict known", known, {})
        row(f"{label}: verified", verified, {})
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
