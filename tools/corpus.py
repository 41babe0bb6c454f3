#!/usr/bin/env python3
"""PTX of other compilers, judged: CUDA C++ by nvcc and Triton kernels, compiled here without a GPU.

    tools/dev.py corpus                 install the compilers once (.corpus/venv, 1 GB), compile tools/corpus_sources, judge
    tools/dev.py corpus --quick         one target, optimised only
    tools/dev.py corpus FILE.ptx...     judge these files, with the compilers' ptxas where it is there

An error of ours in a file that ptxas takes is a false error and makes this exit with 1, as do a text that is not the same module
printed and parsed, and an exception. Warnings are listed with their counts, for review. Nothing of what is fetched is committed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from ptxgen.errors import PtxSyntaxError
from ptxgen.text import parse, print_module
from ptxgen.verifier import verify

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "tools" / "corpus_sources"
FOLDER = ROOT / ".corpus"
PYTHON = FOLDER / "venv" / "bin" / "python"
PACKAGES = ("nvidia-cuda-nvcc", "nvidia-cuda-runtime", "nvidia-cuda-cccl", "triton")
TARGETS = ("sm_75", "sm_80", "sm_90a", "sm_100a")
WAYS = {"": (), "debug": ("-G",), "lines": ("-lineinfo", "--use_fast_math"), "rdc": ("-rdc=true",)}
"""How each file is compiled: options by name."""
TRITON_TARGETS = ("80", "90", "100")


class Verdict(NamedTuple):
    """What was found of a file. `wrong` is what must not be."""

    path: Path
    seconds: float
    codes: Counter[str]
    wrong: list[str]


def fetched() -> Path:
    """The folder of the CUDA toolkit in the environment with the compilers, which is made at the first call."""
    if not PYTHON.exists():
        print("corpus: fetching the compilers into .corpus/venv", file=sys.stderr)
        FOLDER.mkdir(exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", str(FOLDER / "venv")], check=True)
    toolkits = sorted((FOLDER / "venv").glob("lib/python3*/site-packages/nvidia/cu*/bin/nvcc"))
    if not toolkits:
        command = [str(PYTHON), "-m", "pip", "install", "-q", "--disable-pip-version-check", *PACKAGES]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"corpus: the compilers cannot be installed: {done.stderr.strip()[-500:]}")
        toolkits = sorted((FOLDER / "venv").glob("lib/python3*/site-packages/nvidia/cu*/bin/nvcc"))
    return toolkits[-1].parent.parent


def compiled(toolkit: Path, quick: bool) -> list[Path]:
    """The PTX of every source for every target and way; what the compiler refuses is said and left out."""
    out = FOLDER / "ptx"
    out.mkdir(exist_ok=True)
    includes = [f"-I{toolkit / 'include'}", f"-I{toolkit / 'include' / 'cccl'}"]
    for source in sorted(SOURCES.glob("*.cu")):
        for target in TARGETS[2:3] if quick else TARGETS:
            for way, options in list(WAYS.items())[: 1 if quick else None]:
                path = out / f"{source.stem}{way and '-' + way}.{target}.ptx"
                if path.exists() and path.stat().st_mtime > source.stat().st_mtime:
                    continue
                command = [str(toolkit / "bin" / "nvcc"), "-ptx", "-std=c++17", "--extended-lambda", f"-arch={target}"]
                command += [*includes, *options, "-o", str(path), str(source)]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    print(f"corpus: nvcc refuses {path.stem}: {done.stderr.strip().splitlines()[:1]}", file=sys.stderr)
    triton = SOURCES / "triton_kernels.py"
    targets = TRITON_TARGETS[1:2] if quick else TRITON_TARGETS
    wanted = [t for t in targets if not list(out.glob(f"triton-*.sm_{t}*.ptx"))]
    if wanted:
        command = [str(PYTHON), str(triton), str(out), *wanted]
        variables = {**os.environ, "TRITON_CACHE_DIR": str(FOLDER / "triton")}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=variables)
        if done.returncode:
            print(f"corpus: Triton fails: {done.stderr.strip()[-300:]}", file=sys.stderr)
    return sorted(out.glob("*.ptx"))


def assembles(toolkit: Path, path: Path) -> str | None:
    """What ptxas says against the file; None where it takes it."""
    command = [str(toolkit / "bin" / "ptxas"), "-c", f"-arch={target_of(path)}", "-o", "/dev/null", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip() if done.returncode else None


def target_of(path: Path) -> str:
    """What `.target` says."""
    line = next((line for line in path.read_text().splitlines() if line.startswith(".target")), ".target sm_75")
    return line.split()[1].rstrip(",")


def judged(path: Path, toolkit: Path | None) -> Verdict:
    """Our findings beside ptxas's."""
    began = time.perf_counter()
    text = path.read_text()
    wrong: list[str] = []
    codes: Counter[str] = Counter()
    errors: list[str] = []
    try:
        module = parse(text, path.name)
        findings = verify(module)
        codes.update(f"{finding.code} {finding.severity}" for finding in findings)
        errors = [str(finding) for finding in findings if finding.is_error]
        if parse(print_module(module)) != module:
            wrong.append("printed and parsed it is another module")
    except PtxSyntaxError as error:
        codes["syntax"] += 1
        errors = [str(error)]
    seconds = time.perf_counter() - began
    refused = assembles(toolkit, path) if toolkit and errors else None
    if errors and refused is None:
        wrong += errors
    return Verdict(path, seconds, codes, wrong)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tools/dev.py corpus", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="PTX files; without, the corpus is compiled")
    parser.add_argument("--quick", action="store_true", help="one target, optimised only")
    chosen = parser.parse_args(words)
    there = not chosen.files or PYTHON.exists()
    toolkit = fetched() if there else None
    paths = chosen.files or compiled(toolkit or FOLDER, chosen.quick)
    total: Counter[str] = Counter()
    false = lines = 0
    seconds = 0.0
    for path in paths:
        verdict = judged(path, toolkit)
        total += verdict.codes
        count = len(path.read_text().splitlines())
        lines, seconds, false = lines + count, seconds + verdict.seconds, false + bool(verdict.wrong)
        told = ", ".join(f"{code} x{times}" for code, times in sorted(verdict.codes.items()))
        print(f"{path.name:44} {count:7} lines {verdict.seconds:6.1f} s  {told or 'nothing'}")
        for text in verdict.wrong:
            print(f"    WRONG: {text[:2000]}")
    print(f"{len(paths)} files, {lines} lines in {seconds:.0f} s; {false} judged wrong")
    for code, times in total.most_common():
        print(f"  {code:16} {times}")
    return int(false > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
