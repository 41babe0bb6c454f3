#!/usr/bin/env python3
"""Programs and test-suites of CUDA clients on the CPU device, through `ptxgen exec`, each client in an environment of its own.

    tools/clients.py                     every client
    tools/clients.py numba-cuda triton   these
    tools/clients.py --list              what there is, and what it runs
    tools/clients.py tinygrad --source DIR    also the tests of a clone of the client's repository, which its package has not
    tools/clients.py triton --source DIR --suite --cases 5    also its whole test-suite, file by file, of each test 5 cases
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
    """What is run: arguments of Python, or for `source`, of Python in a folder of the clone that the user names.

    `race`: what the sanitizer must name, of a program with a race.
    """

    name: str
    arguments: tuple[str, ...]
    source: str | None = None
    race: str = ""


class Suite(NamedTuple):
    """Test files that others wrote, each run by pytest in a process of its own.

    `folder` lies in a clone; where `package` names what it is when imported, among the installed packages. `only`: folders in it,
    where not all are meant. `paths`: of the clone, which tests import from. `plugins`: of tools/client_programs.
    """

    folder: str
    package: str = ""
    only: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()

    def files(self, root: Path) -> list[Path]:
        """Of the clone, or of the folder of packages."""
        folders = (root / self.folder / each for each in self.only or (".",))
        return sorted(file for folder in folders for file in folder.glob("**/test_*.py"))

    def part(self, file: Path, root: Path) -> Part:
        folder = root / self.folder
        name = file.relative_to(folder).as_posix().removesuffix(".py")
        place = ("--pyargs", f"{self.package}.{name.replace('/', '.')}") if self.package else (f"{name}.py",)
        plugins = [word for plugin in self.plugins for word in ("-p", plugin)]
        return Part(name, ("-m", "pytest", "-q", *plugins, *place), None if self.package else self.folder)


class Client(NamedTuple):
    packages: tuple[str, ...]
    parts: tuple[Part, ...]
    environment: tuple[tuple[str, str], ...] = ()
    suite: Suite | None = None


class Figures(NamedTuple):
    """What a part did: of a program, one test."""

    passed: int
    failed: int
    skipped: int

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def _program(name: str) -> Part:
    return Part("program", (str(PROGRAMS / f"{name}.py"),))


def _race(name: str) -> Part:
    """A program with a race in the line that says so."""
    program = PROGRAMS / f"{name}.py"
    line = next(number for number, text in enumerate(program.read_text().splitlines(), 1) if "# race" in text)
    return Part("race", (str(program),), race=f"{program.name}:{line}")


def _modules(package: str, *names: str) -> Iterator[Part]:
    return (Part(name, ("-m", "unittest", f"{package}.{name}")) for name in names)


_PYTEST = ("pytest", "pytest-timeout")

CLIENTS = {
    "cuda-core": Client(
        ("cuda-core", "cuda-bindings", "nvidia-cuda-nvrtc", "nvidia-nvjitlink", "numpy", "cffi", "psutil", *_PYTEST),
        (_program("use_cuda_core"),),
        suite=Suite("cuda_core/tests", paths=("cuda_python_test_helpers",)),
    ),
    "cuda-bindings": Client(
        ("cuda-bindings", "nvidia-cuda-nvrtc", "nvidia-nvvm", "nvidia-nvjitlink", "numpy", *_PYTEST),
        (_program("use_cuda_bindings"),),
        suite=Suite("cuda_bindings/tests", paths=("cuda_python_test_helpers",)),
    ),
    "nvrtc": Client(("nvidia-cuda-nvrtc", "nvidia-cuda-runtime", "nvidia-cuda-crt"), (_program("use_nvrtc"),)),
    "numba-cuda": Client(
        ("numba-cuda[cu13]", "cuda-core", "nvidia-nvjitlink", "psutil", "cffi", "ml_dtypes", "filecheck", *_PYTEST),
        (
            _program("use_numba_cuda"),
            _race("race_numba_cuda"),
            *_modules(
                "numba.cuda.tests",
                *"cudadrv.test_cuda_array_slicing cudadrv.test_cuda_memory cudadrv.test_cuda_ndarray cudadrv.test_events".split(),
                *"cudadrv.test_linker cudadrv.test_module_callbacks cudadrv.test_nvrtc cudadrv.test_streams".split(),
                *"cudapy.test_atomics cudapy.test_blackscholes cudapy.test_constmem cudapy.test_device_func".split(),
                *"cudapy.test_intrinsics cudapy.test_laplace cudapy.test_matmul cudapy.test_montecarlo".split(),
                *"cudapy.test_reduction cudapy.test_sm cudapy.test_sync cudapy.test_vectorize cudapy.test_warp_ops".split(),
            ),
        ),
        suite=Suite("numba_cuda/numba/cuda/tests", "numba.cuda.tests"),
    ),
    "triton": Client(("triton", "numpy"), (_program("use_triton"), _race("race_triton"))),
    "triton-tests": Client(
        ("triton", "numpy", "scipy", "torch", *_PYTEST),
        (),
        suite=Suite("python/test/unit", plugins=("torch_tensors",)),
    ),
    "taichi": Client(("taichi", "numpy"), (_program("use_taichi"),)),
    "halide": Client(("halide", "numpy"), (_program("use_halide"),)),
    "drjit": Client(("drjit", "numpy"), (_program("use_drjit"),)),
    "tinygrad": Client(
        ("tinygrad", "numpy", "hypothesis", *_PYTEST),
        (
            _program("use_tinygrad"),
            Part("test_tiny", ("-m", "pytest", "-q", "test/test_tiny.py"), source="."),
        ),
        (("DEV", "CUDA:PTX"), ("FORWARD_ONLY", "1"), ("PTXGEN_CPU_DEVICES", "6")),
        suite=Suite("test", only=("backend", "unit"), paths=(".",)),
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CLIENTS))
    parser.add_argument("--list", action="store_true", help="say what there is, and run nothing")
    parser.add_argument("--folder", type=Path, help="where environments stay")
    parser.add_argument("--source", type=Path, help="a clone of the client's repository")
    parser.add_argument("--suite", action="store_true", help="also the whole test-suite: hours")
    parser.add_argument(
        "--cases", type=int, metavar="N", help="of a test with parameters, N cases of the suite's at most"
    )
    parser.add_argument("--limit", type=float, default=600, metavar="SECONDS", help="for each part (default: 600)")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in CLIENTS]
    if unknown:
        parser.error(f"no client {unknown[0]!r}; there are {', '.join(CLIENTS)}")
    names = given.names or list(CLIENTS)
    if given.list:
        for name in names:
            print(f"{name}: {', '.join(_titles(CLIENTS[name]))}")
        return
    if given.cases is not None:
        os.environ["CLIENTS_CASES"] = str(given.cases)
    source = given.source.absolute() if given.source is not None else None
    with tempfile.TemporaryDirectory(prefix="ptxgen-clients-") as scratch:
        folder = given.folder or Path(scratch)
        wrong = [name for name in names if not run(name, folder, source, given.limit, suite=given.suite)]
    sys.exit(1 if wrong else 0)


def _titles(client: Client) -> Iterator[str]:
    for part in client.parts:
        yield f"{part.name} (of a clone)" if part.source else part.name
    if client.suite is not None:
        yield f"{client.suite.package or client.suite.folder} with --suite" + " (of a clone)" * (
            not client.suite.package
        )


def run(name: str, folder: Path, source: Path | None, limit: float, *, suite: bool = False) -> bool:
    """Install a client and run its parts, and with `suite` each file of its test-suite. Whether all passed."""
    client = CLIENTS[name]
    python = _environment(name, folder)
    if python is None:
        return False
    total, right = Figures(0, 0, 0), True
    parts = [part for part in client.parts if source is not None or part.source is None]
    for part in [*parts, *(_files(client.suite, python, source) if suite and client.suite is not None else ())]:
        began = time.perf_counter()
        figures = run_part(python, client, part, source, limit)
        right &= not figures.failed
        total = Figures(*map(sum, zip(total, figures)))
        print(f"{name:14} {part.name:32} {figures}, {time.perf_counter() - began:.0f} s", flush=True)
    print(f"{name:14} {'all':32} {total}", flush=True)
    return right


def _files(suite: Suite, python: Path, source: Path | None) -> list[Part]:
    """A part for each file of a suite; none where they lie in a clone and there is none."""
    root = next(python.parents[1].glob("lib/python*/site-packages")) if suite.package else source
    return [] if root is None else [suite.part(file, root) for file in suite.files(root)]


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
    watched = ["--sanitize", "racecheck"] if part.race else ["--quiet"]  # what is found is told at the end
    sampled = ["-p", "sampled"] if "CLIENTS_CASES" in os.environ and "pytest" in part.arguments else []
    command = [
        *(str(python), "-m", "ptxgen", "exec"), *watched, "--", str(python), *part.arguments, *sampled,
    ]  # fmt: skip
    environment = dict(os.environ) | dict(client.environment)
    paths = [PROGRAMS]
    if part.source is not None and source is not None:
        paths += [source / each for each in (client.suite.paths if client.suite is not None else (".",))]
    environment["PYTHONPATH"] = os.pathsep.join(map(str, paths))
    with (
        tempfile.TemporaryDirectory() as elsewhere
    ):  # so that nothing of this clone is imported from the working directory
        place = elsewhere if part.source is None or source is None else source / part.source
        try:
            done = subprocess.run(
                command, env=environment, cwd=place, capture_output=True, text=True, timeout=limit, check=False
            )
        except subprocess.TimeoutExpired:
            print(f"{part.name}: not done after {limit:.0f} s")
            return Figures(0, 1, 0)
    text = done.stdout + done.stderr
    found = part.race and part.race in text and done.returncode == 1
    figures = figures_of(text, 0 if found else done.returncode or int(bool(part.race)))
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
