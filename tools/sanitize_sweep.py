#!/usr/bin/env python3
"""Every kernel of the library under every tool of the sanitizer: a correct kernel has no findings.

    tools/sanitize_sweep.py                      each variant of the catalogue, at its smallest size
    tools/sanitize_sweep.py gemm scan/u32        these kernels and variants
    tools/sanitize_sweep.py --tools racecheck    with these tools alone, with commas between

It prints a line for each variant that has findings, with the first of them, and exits with 1 if any has.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import ptxgen as px  # noqa: E402
from ptxgen.errors import Fault, UnsupportedError  # noqa: E402
from ptxgen.kernels.cases import Variant  # noqa: E402
from ptxgen.kernels.catalogue import CATALOGUE, TARGETS  # noqa: E402


def variants(names: list[str]) -> Iterator[Variant]:
    """Those whose labels the names begin."""
    for each in CATALOGUE.values():
        for variant in each:
            if not names or variant.label.startswith(tuple(names)):
                yield variant


def judged(variant: Variant, tools: list[str]) -> str:
    """What is wrong with a variant at its smallest size; "" for nothing."""
    usable = (each for each in ("sm_90a", *TARGETS, *variant.besides) if each not in variant.absent)
    dev = px.device(f"cpu:{next(usable)}")
    try:
        with px.sanitize(*tools, strict=False) as watch:
            passed = variant.case(variant.sizes[0]).run(dev).passed
    except UnsupportedError as error:
        return f"not run: {str(error).splitlines()[0]}"
    except Fault as fault:
        dev.reset()
        return f"fault: {fault}"
    if watch.findings:
        return f"{len(watch.findings)} findings\n{watch.findings[0]}"
    return "" if passed else "wrong result"


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tools/sanitize_sweep.py", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", help="of kernels, or of variants such as scan/u32.1024; without, all")
    parser.add_argument("--tools", default="", help="of the sanitizer, with commas between; without, all")
    chosen = parser.parse_args(words)
    tools = [each for each in chosen.tools.split(",") if each]
    began, bad, seen = time.perf_counter(), 0, 0
    for variant in variants(chosen.names):
        seen += 1
        name = variant.label
        wrong = judged(variant, tools)
        if sys.stderr.isatty():
            so_far = f"{seen} variants, {bad} with findings, {time.perf_counter() - began:.0f} s"
            print(f"\r{so_far}: {name:60}", end="", file=sys.stderr)
        if wrong:
            bad += 1
            print(f"{name}: {wrong}", flush=True)
    print(f"{seen} variants, {bad} with findings, {time.perf_counter() - began:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
