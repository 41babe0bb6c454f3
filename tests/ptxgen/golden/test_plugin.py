"""The pytest plugin, in a project of its own: each test below runs pytest in a fresh folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

PROJECT = """
import ptxgen as px
from ptxgen import u32

@px.kernel
def fill(k: px.Builder, n: u32, x: px.ptr[u32], *, value: int = 1):
    i = k.global_id.x
    with k.if_(i < n):
        x[i] = k.const(u32, value)

def test_fill(golden):
    golden("fill", "default", fill.module(target="sm_80", value=VALUE))
"""


def run_pytest(folder: Path, *arguments: str, value: int = 1) -> subprocess.CompletedProcess[str]:
    (folder / "test_project.py").write_text(PROJECT.replace("VALUE", str(value)))
    environment = dict(os.environ, PYTHONPATH=str(ROOT), PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "ptxgen.golden.plugin", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_bless_then_compare_then_see_the_difference(tmp_path: Path, assembler: object) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    pinned = tmp_path / "golden" / "fill" / "default.sm_80.ptx"

    unknown = run_pytest(tmp_path)
    assert unknown.returncode == 1
    assert "does not exist" in unknown.stdout

    blessed = run_pytest(tmp_path, "--bless")
    assert blessed.returncode == 0, blessed.stdout
    assert re.search(rf"golden files written =*\n{re.escape(str(pinned))}\n", blessed.stdout)
    assert ".visible .entry fill" in pinned.read_text()

    assert run_pytest(tmp_path).returncode == 0

    changed = run_pytest(tmp_path, value=2)
    assert changed.returncode == 1
    assert "GoldenMismatch" in changed.stdout


def test_the_folder_is_an_ini_option(tmp_path: Path, assembler: object) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nptxgen_golden = pins/ptx\n")
    assert run_pytest(tmp_path, "--bless").returncode == 0
    assert [path.name for path in (tmp_path / "pins" / "ptx" / "fill").iterdir()] == ["default.sm_80.ptx"]


def test_loading_the_plugin_loads_nothing_dear() -> None:
    loaded = "import sys, ptxgen.golden.plugin; print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    assert "ptxgen.golden.plugin" in modules
    assert not modules & {"llvmlite", "jinja2", "numpy", "ptxgen.builder", "ptxgen.ir", "ptxgen.assembler"}
