#!/usr/bin/env python3
"""One kernel and five mistakes in ptxgen, pyptx, Triton, CuTe DSL and cuda-core: times on the host, lines, and what is found
without a GPU.

    tools/bench/comparison.py [--json] [--tiny] [--folder DIR]

The programs are those of comparison_programs. Each peer is installed into an environment of its own, which stays in DIR where
that is given; `--tiny` runs ours alone. `import` is added to bare Python, both the least of 7 processes; `to PTX` is from the
kernel's function to its text for sm_90a: first in a process, and the least of 11 more, each with another constant in it. 1 says
that the mistake was found, 0 that it was not; an empty cell that it cannot be written in the tool: the reasons are printed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools.bench._command import command, print_json  # noqa: E402
from tools.bench.comparison_programs._measure import MISTAKES  # noqa: E402

PROGRAMS = ROOT / "tools" / "bench" / "comparison_programs"
RUNS = 7
SCRATCH = tempfile.TemporaryDirectory(prefix="ptxgen-comparison-")


class Tool(NamedTuple):
    """A tool: its program, what such a program imports, what is installed."""

    program: str
    imports: str
    packages: tuple[str, ...] = ()


OURS = Tool("with_ptxgen", "from ptxgen import f32, kernel, ptr, u32")
PEERS = {
    "pyptx": Tool("with_pyptx", "from pyptx import kernel, ptx, reg", ("pyptx",)),
    "Triton": Tool("with_triton", "import triton, triton.language", ("triton", "numpy")),
    "CuTe DSL": Tool("with_cute", "import cutlass, cutlass.cute", ("nvidia-cutlass-dsl",)),
    "cuda-core": Tool(
        "with_cuda_core", "from cuda.core import Program", ("cuda-core", "cuda-bindings", "nvidia-cuda-nvrtc", "numpy")
    ),
}


class Measured(NamedTuple):
    """What a program printed, the lines of its kernel, the time of the import, and whether it needed a driver to give PTX."""

    told: dict[str, Any]
    lines: int
    imported: float
    driver: bool


def main() -> None:
    parser = command(__doc__, on="the figures are of the host: no device is used")
    parser.add_argument("--folder", type=Path, help="where the peers' environments stay")
    options = parser.parse_args()
    ours = measure("ptxgen", OURS, Path(sys.executable), 1 if options.tiny else RUNS)
    peers: dict[str, Measured] = {}
    for name, tool in {} if options.tiny else PEERS.items():
        python = environment(name, tool, options.folder or Path(SCRATCH.name))
        measured = python and measure(name, tool, python, RUNS)
        if measured:
            peers[name] = measured
    if ours is None:
        raise SystemExit(1)
    rows = list(table(ours, peers))
    if options.json:
        print_json(rows)
        return
    for row in rows:
        beside = "  ".join(f"{name} {value:g}" for name, value in row["peers"].items())
        print(f"{row['name']:60} {row['ours']:8g} {row['unit']:6} {beside}")


def environment(name: str, tool: Tool, folder: Path) -> Path | None:
    """The Python of a peer's environment; None where its packages cannot be installed."""
    place = folder.absolute() / name.replace(" ", "-")
    python = place / "bin" / "python"
    if not python.is_file():
        venv.create(place, with_pip=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *tool.packages]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode:
        say(f"{name}: cannot be installed here: {(done.stderr.strip().splitlines() or [''])[-1]}")
        return None
    return python


def measure(name: str, tool: Tool, python: Path, runs: int) -> Measured | None:
    """Run a tool's program; where it does not go without NVIDIA's driver, again with that of the CPU device in its place."""
    program = PROGRAMS / f"{tool.program}.py"
    done = run(python, str(program))
    driver = done.returncode != 0
    if driver and tool is not OURS:
        say(f"{name}: does not go without a driver: {(done.stderr.strip().splitlines() or [''])[-1]}")
        shim = [sys.executable, "-m", "ptxgen", "exec", "--quiet", "--"]
        done = run(python, str(program), before=shim)
    if done.returncode:
        say(f"{name}: {done.stderr.strip()[-1000:]}")
        return None
    told = json.loads(done.stdout.strip().splitlines()[-1])
    for mistake, message in told["found"].items():
        say(f"{name} {told['version']}: {mistake}: {(message or 'not found').splitlines()[0][:150]}")
    kernel = program.read_text("utf-8").partition("# the kernel\n")[2].partition("# the end")[0]
    lines = sum(1 for line in kernel.splitlines() if line.strip() and line.strip() != "//")
    seconds(python, tool.imports)  # byte code and file caches
    bare = min(seconds(python, "pass") for _ in range(runs))
    imported = 1e3 * (min(seconds(python, tool.imports) for _ in range(runs)) - bare)
    return Measured(told, lines, imported, driver)


def run(python: Path, *arguments: str, before: list[str] | None = None) -> subprocess.CompletedProcess[str]:
    """A process with byte code at hand, in a folder for what it leaves behind."""
    left_out = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PTXGEN_DEVICE")
    variables = {key: value for key, value in os.environ.items() if key not in left_out}
    variables["PYTHONPYCACHEPREFIX"] = SCRATCH.name
    if python == Path(sys.executable) or before:
        variables["PYTHONPATH"] = str(ROOT)
    command = [*(before or []), str(python), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, env=variables, cwd=SCRATCH.name, timeout=600, check=False
    )


def seconds(python: Path, statement: str) -> float:
    """Of a process that runs the statement."""
    began = time.perf_counter()
    run(python, "-c", statement)
    return time.perf_counter() - began


def table(ours: Measured, peers: dict[str, Measured]) -> Iterator[dict[str, Any]]:
    """The rows; a ratio stands where less is better and both have a figure."""

    def row(name: str, unit: str, figure: Callable[[Measured], Any], *, compared: bool = True) -> dict[str, Any]:
        mine = figure(ours)
        theirs = {peer: value for peer, found in peers.items() if (value := figure(found)) is not None}
        ratio = round(min(theirs.values()) / mine, 3) if compared and theirs and mine else None
        return {"name": name, "unit": unit, "ours": mine, "peers": theirs, "ratio": ratio, "floor": None}

    yield row("time: import", "ms", lambda m: round(m.imported, 2))
    yield row("time: to PTX, the first time", "ms", lambda m: round(m.told["first"], 2))
    yield row("time: to PTX, again", "ms", lambda m: round(m.told["again"], 2))
    yield row("text: lines of the kernel", "lines", lambda m: m.lines, compared=False)
    yield row("needs: NVIDIA's driver for PTX", "1 = yes", lambda m: int(m.driver), compared=False)
    for mistake in MISTAKES:
        yield row(f"found without a GPU: {mistake}", "1 = yes", partial(found, mistake), compared=False)


def found(mistake: str, measured: Measured) -> int | None:
    """1 or 0; None where the mistake cannot be written."""
    if mistake not in measured.told["found"]:
        return None
    return int(measured.told["found"][mistake] is not None)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
