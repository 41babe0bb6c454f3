#!/usr/bin/env python3
"""Every kernel of the library under every tool of the sanitizer: a correct kernel has no findings.

    tools/sanitize_sweep.py                      each variant of the catalogue, at its first (smallest) size
    tools/sanitize_sweep.py --size 1             at its second size, if it has one
    tools/sanitize_sweep.py gemm scan/u32        these kernels and variants
    tools/sanitize_sweep.py --tools racecheck    with these tools alone, with commas between
    tools/sanitize_sweep.py --gpu --jobs 12      on the GPU, under NVIDIA's compute-sanitizer, in 12 processes at once

It prints a line for each variant that has findings, with the first of them, and exits with 1 if any has.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import ptxgen as px  # noqa: E402
from ptxgen.errors import Fault, UnsupportedError  # noqa: E402
from ptxgen.kernels.cases import Case, Variant  # noqa: E402
from ptxgen.kernels.catalogue import CATALOGUE, TARGETS  # noqa: E402

NVIDIA_TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
EXPLAINED = {
    "racecheck": ("attention_backward/keys.", "attention_packed_backward/keys.", "quantised/bulk."),
    "memcheck": ("quantised/q5_0.f16.bf16.columns-4", "quantised/q6_k.bf16.f32.columns-2.whole"),
}
"""Variants whose findings by NVIDIA's tools are none: docs/sanitizer.md says why."""

SILENT = tuple(f"========= {words}" for words in ("COMPUTE-SANITIZER", "ERROR SUMMARY", "RACECHECK SUMMARY"))
"""What is said of a whole process, which runs many variants."""
STARTS = "variant: "  # what a process under compute-sanitizer prints before it runs one


def variants(names: list[str]) -> Iterator[Variant]:
    """Those whose labels the names begin."""
    for each in CATALOGUE.values():
        for variant in each:
            if not names or variant.label.startswith(tuple(names)):
                yield variant


def case(variant: Variant, size: int) -> Case:
    """A variant's case at its size of this number, or at its last."""
    return variant.case(variant.sizes[min(size, len(variant.sizes) - 1)])


def judged(variant: Variant, size: int, tools: list[str]) -> str:
    """What is wrong with a variant; "" for nothing."""
    usable = (each for each in ("sm_90a", *TARGETS, *variant.besides) if each not in variant.absent)
    dev = px.device(f"cpu:{next(usable)}")
    try:
        with px.sanitize(*tools, strict=False) as watch:
            passed = case(variant, size).run(dev).passed
    except UnsupportedError as error:
        return f"not run: {str(error).splitlines()[0]}"
    except Fault as fault:
        dev.reset()
        return f"fault: {fault}"
    if watch.findings:
        return f"{len(watch.findings)} findings\n{watch.findings[0]}"
    return "" if passed else "wrong result"


def sweep(chosen: list[Variant], size: int, tools: list[str]) -> int:
    """The number of variants that have findings on the CPU device."""
    began, bad = time.perf_counter(), 0
    for seen, variant in enumerate(chosen):
        name = variant.label
        if sys.stderr.isatty():
            so_far = f"{seen} variants, {bad} with findings, {time.perf_counter() - began:.0f} s"
            print(f"\r{so_far}: {name:60}", end="", file=sys.stderr)
        if wrong := judged(variant, size, tools):
            bad += 1
            print(f"{name}: {wrong}", flush=True)
    return bad


def run_on_gpu(chosen: list[Variant], size: int) -> None:
    """Run each variant on the GPU, its name first: what `compute-sanitizer` watches."""
    dev = px.device("cuda")
    for variant in chosen:
        if dev.target not in variant.absent:
            print(f"{STARTS}{variant.label}", flush=True)
            if not case(variant, size).run(dev).passed:
                print("========= wrong result", flush=True)


def watched(labels: list[str], size: int, tool: str) -> dict[str, str]:
    """What compute-sanitizer's tool says of each variant of which it says anything. A finding may end the process: another one
    goes on behind it."""
    said, left = dict[str, str](), labels
    while left:
        program = [sys.executable, __file__, "--watched", "--size", str(size), *left]
        command = ["compute-sanitizer", "--tool", tool, "--target-processes", "all", *program]
        shown = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        name = ""
        for line in shown.stdout.splitlines():
            if line.startswith(STARTS):
                name = line.removeprefix(STARTS)
            elif line.startswith("========= ") and not line.startswith(SILENT):
                said[name] = said.get(name, "") + "\n" + line
        if shown.returncode == 0:
            break
        said.setdefault(name, f"status {shown.returncode}\n{shown.stdout[-2000:]}")
        left = left[left.index(name) + 1 :] if name else []
    return said


def sweep_gpu(chosen: list[Variant], size: int, tools: list[str], jobs: int) -> int:
    """The number of variants and tools with findings on the GPU; neighbours go to different processes."""
    work = [([each.label for each in chosen[shard::jobs]], size, tool) for tool in tools for shard in range(jobs)]
    with ThreadPoolExecutor(jobs) as pool:
        answers = pool.map(lambda part: (part[2], watched(*part)), [part for part in work if part[0]])
        found = [(tool, name, text) for tool, said in answers for name, text in said.items()]
    bad = [each for each in found if not each[1].startswith(EXPLAINED.get(each[0], ()))]
    for tool, name, text in bad:
        print(f"{tool}: {name}: {text[:1500]}")
    return len(bad)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tools/sanitize_sweep.py", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", help="of kernels, or of variants such as scan/u32.1024; without, all")
    parser.add_argument("--tools", default="", help="of the sanitizer, with commas between; without, all")
    parser.add_argument("--size", type=int, default=0, help="which of a variant's sizes, 0 for the first")
    parser.add_argument("--gpu", action="store_true", help="on the GPU, under compute-sanitizer")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at once, with --gpu")
    parser.add_argument("--watched", action="store_true", help=argparse.SUPPRESS)  # this process is the watched one
    options = parser.parse_args(words)
    tools = [each for each in options.tools.split(",") if each]
    chosen, began = list(variants(options.names)), time.perf_counter()
    if options.watched:
        run_on_gpu([each for each in chosen if each.label in options.names], options.size)
        return 0
    bad = (
        sweep_gpu(chosen, options.size, tools or NVIDIA_TOOLS, options.jobs)
        if options.gpu
        else sweep(chosen, options.size, tools)
    )
    print(f"{len(chosen)} variants, {bad} with findings, {time.perf_counter() - began:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
