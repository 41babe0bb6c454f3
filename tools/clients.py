#!/usr/bin/env python3
"""Programs and test-suites of CUDA clients on the CPU device, through `ptxgen exec`, each client in an environment of its own.

    tools/clients.py                     every client
    tools/clients.py numba-cuda triton   these
    tools/clients.py --list              what there is, and what it runs
    tools/clients.py tinygrad --source DIR    also the tests of a clone of the client's repository, which its package has not
    tools/clients.py --folder DIR        environments go there and stay, so that the next run is quicker

A client's packages come from the package index, this clone as it is. docs/clients.md has the figures.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / "tools" / "client_programs"


class Part(NamedTuple):
    """What is run: arguments of Python, or for `source`, of Python in the clone that the user names."""

    name: str
    arguments: tuple[str, ...]
    source: bool = False


class Client(NamedTuple):
    packages: tuple[str, ...]
    parts: tuple[Part, ...]
    environment: tuple[tuple[str, str], ...] = ()


class Figures(NamedTuple):
    """What a part did: of a program, one test."""

    passed: int
    failed: int
    skipped: int

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def _program(name: str) -> Part:
    return Part("program", (str(PROGRAMS / f"{name}.py"),))


def _modules(package: str, *names: str) -> Iterator[Part]:
    return (Part(name, ("-m", "unittest", f"{package}.{name}")) for name in names)


CLIENTS = {
    "cuda-core": Client(
        ("cuda-core", "cuda-bindings", "nvidia-cuda-nvrtc", "nvidia-nvjitlink", "numpy"), (_program("use_cuda_core"),)
    ),
    "cuda-bindings": Client(("cuda-bindings", "nvidia-cuda-nvrtc"), (_program("use_cuda_bindings"),)),
    "numba-cuda": Client(
        ("numba-cuda[cu13]", "cuda-core", "nvidia-nvjitlink", "psutil", "pytest", "cffi", "ml_dtypes", "filecheck"),
        (
            _program("use_numba_cuda"),
            *_modules(
                "numba.cuda.tests",
                *"cudadrv.test_cuda_array_slicing cudadrv.test_cuda_memory cudadrv.test_cuda_ndarray cudadrv.test_events".split(),
                *"cudadrv.test_linker cudadrv.test_module_callbacks cudadrv.test_nvrtc cudadrv.test_streams".split(),
                *"cudapy.test_atomics cudapy.test_blackscholes cudapy.test_constmem cudapy.test_device_func".split(),
                *"cudapy.test_intrinsics cudapy.test_laplace cudapy.test_matmul cudapy.test_montecarlo".split(),
                *"cudapy.test_reduction cudapy.test_sm cudapy.test_sync cudapy.test_vectorize cudapy.test_warp_ops".split(),
            ),
        ),
    ),
    "triton": Client(("triton", "numpy"), (_program("use_triton"),)),
    "tinygrad": Client(
        ("tinygrad", "numpy", "pytest", "hypothesis"),
        (
            _program("use_tinygrad"),
            Part("test_tiny", ("-m", "pytest", "-q", "test/test_tiny.py"), source=True),
        ),
        (("DEV", "CUDA"), ("FORWARD_ONLY", "1")),
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CLIENTS))
    parser.add_argument("--list", action="store_true", help="say what there is, and run nothing")
    parser.add_argument("--folder", type=Path, help="where environments stay")
    parser.add_argument("--source", type=Path, help="a clone of the client's repository")
    parser.add_argument("--limit", type=float, default=600, metavar="SECONDS", help="for each part (default: 600)")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in CLIENTS]
    if unknown:
        parser.error(f"no client {unknown[0]!r}; there are {', '.join(CLIENTS)}")
    names = given.names or list(CLIENTS)
    if given.list:
        for name in names:
            print(f"{name}: {', '.join(_title(part) for part in CLIENTS[name].parts)}")
        return
    with tempfile.TemporaryDirectory(prefix="ptxgen-clients-") as scratch:
        wrong = [name for name in names if not run(name, given.folder or Path(scratch), given.source, given.limit)]
    sys.exit(1 if wrong else 0)


def _title(part: Part) -> str:
    return f"{part.name} (of a clone)" if part.source else part.name


def run(name: str, folder: Path, source: Path | None, limit: float) -> bool:
    """Install a client and run its parts. Whether all passed."""
    client = CLIENTS[name]
    python = _environment(name, folder)
    if python is None:
        return False
    right = True
    for part in client.parts:
        if part.source and source is None:
            continue
        began = time.perf_counter()
        figures = run_part(python, client, part, source, limit)
        right &= not figures.failed
        print(f"{name:14} {part.name:32} {figures}, {time.perf_counter() - began:.0f} s", flush=True)
    return right


def _environment(name: str, folder: Path) -> Path | None:
    """The Python of a client's environment, with this clone in it; None where a package cannot be installed."""
    place = folder.absolute() / name
    python = place / "bin" / "python"
    if not python.is_file():
        venv.create(place, with_pip=True)
    install = [
        str(python),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        f"{ROOT}[cli]",
        *CLIENTS[name].packages,
    ]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [""])[-1]
        print(f"{name:14} cannot be installed here: {reason}", flush=True)
        return None
    return python


def run_part(python: Path, client: Client, part: Part, source: Path | None, limit: float) -> Figures:
    """Run one part under `ptxgen exec`. What it printed is shown where it failed."""
    command = [str(python), "-m", "ptxgen", "exec", "--quiet", "--", str(python), *part.arguments]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | dict(client.environment)
    with (
        tempfile.TemporaryDirectory() as elsewhere
    ):  # so that nothing of this clone is imported from the working directory
        if part.source and source is not None:
            environment["PYTHONPATH"] = str(source.absolute())
        try:
            done = subprocess.run(
                command, env=environment, cwd=source if part.source else elsewhere, capture_output=True, text=True,
                timeout=limit, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            print(f"{part.name}: not done after {limit:.0f} s")
            return Figures(0, 1, 0)
    text = done.stdout + done.stderr
    figures = figures_of(text, done.returncode)
    if figures.failed:
        print("\n".join(text.strip().splitlines()[-15:]))
    return figures


def figures_of(text: str, status: int) -> Figures:
    """Counts from the last lines of unittest or pytest; of any other program, whether it ended with 0."""
    ran = re.search(r"^Ran (\d+) tests? in", text, re.MULTILINE)
    if ran is not None:
        bad = sum(
            int(n)
            for n in re.findall(r"(?:(?<!expected )failures|errors|unexpected successes)=(\d+)", text[ran.end() :])
        )
        skipped = sum(int(n) for n in re.findall(r"skipped=(\d+)", text[ran.end() :]))
        return Figures(int(ran[1]) - bad - skipped, max(bad, int(status not in (0, 5) and not bad)), skipped)
    counts = {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed|errors?|skipped)\b", text)}
    if counts:
        bad = counts.get("failed", 0) + counts.get("error", 0) + counts.get("errors", 0)
        return Figures(counts.get("passed", 0), bad, counts.get("skipped", 0))
    return Figures(int(status == 0), int(status != 0), 0)


if __name__ == "__main__":
    main()
