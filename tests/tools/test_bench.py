"""Every benchmark runs in its tiny form on the CPU device, and prints rows as ARCHITECTURE.md has them.

On the GPU, `tools/dev.py gpu` runs the same forms.
"""

from __future__ import annotations

import json
import subprocess
import sys
from math import isfinite
from pathlib import Path

import pytest

from tools.dev import BENCH, benchmarks

ROOT = Path(__file__).resolve().parents[2]
NAMES = benchmarks()


def number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


@pytest.mark.cpu_only
@pytest.mark.parametrize("name", NAMES)
def test_the_tiny_form_runs_and_prints_rows(name: str) -> None:
    done = subprocess.run(
        [sys.executable, BENCH / f"{name}.py", "--tiny", "--json", "--device", "cpu"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert rows
    assert len({row["name"] for row in rows}) == len(rows), "a name stands twice"
    for row in rows:
        assert list(row) == ["name", "unit", "ours", "peers", "ratio", "floor"]
        assert isinstance(row["name"], str)
        assert isinstance(row["unit"], str)
        assert number(row["ours"]), row
        assert all(number(value) for value in row["peers"].values()), row
        assert row["ratio"] is None or number(row["ratio"]), row
        assert row["floor"] is None or number(row["floor"]), row


def test_every_benchmark_is_there() -> None:
    """A file without the common arguments fails above; this sees that the list above is whole."""
    assert {"cpu_executor", "cpu_workers", "emission", "graph_soak", "kernels", "launch", "startup"} <= set(NAMES)
    assert all((BENCH / f"{name}.py").read_text().startswith("#!/usr/bin/env python3\n") for name in NAMES)
