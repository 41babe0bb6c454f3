"""The pytest plugin, in a project of its own: each test below runs pytest in a fresh folder."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.ptxgen.golden.kit import ROOT, run_pytest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PROJECT = """
import pytest
import ptxgen as px
from ptxgen import u32

@px.kernel
def fill(k: px.Builder, n: u32, x: px.ptr[u32], *, value: int = 1):
    i = k.global_id.x
    with k.if_(i < n):
        x[i] = k.const(u32, value)

@pytest.mark.parametrize("target", TARGETS)
def test_fill(golden, target):
    golden("fill", "default", fill.module(target=target, value=VALUE))
"""


def run(
    folder: Path, *arguments: str, value: str = "1", targets: Sequence[str] = ("sm_80",), ci: bool = False
) -> subprocess.CompletedProcess[str]:
    (folder / "test_project.py").write_text(PROJECT.replace("VALUE", value).replace("TARGETS", repr(targets)))
    return run_pytest(folder, *arguments, ci=ci)


def test_bless_then_compare_then_see_the_difference(tmp_path: Path, assembler: object) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    pinned = tmp_path / "golden" / "fill" / "default.sm_80.ptx"

    unknown = run(tmp_path)
    assert unknown.returncode == 1
    assert "does not exist" in unknown.stdout

    blessed = run(tmp_path, "--bless")
    assert blessed.returncode == 0, blessed.stdout
    assert re.search(rf"golden files written =*\n{re.escape(str(pinned))}\n", blessed.stdout)
    assert ".visible .entry fill" in pinned.read_text()

    assert run(tmp_path).returncode == 0

    changed = run(tmp_path, value="2")
    assert changed.returncode == 1
    assert "GoldenMismatch" in changed.stdout


@pytest.mark.parametrize("ci", [False, True])
def test_a_failure_shows_the_difference_and_nothing_else(tmp_path: Path, assembler: object, ci: bool) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    targets = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90"]
    assert run(tmp_path, "--bless", targets=targets).returncode == 0
    failed = run(tmp_path, "--color=no", value="2", targets=targets * 5, ci=ci).stdout.splitlines()
    assert failed[-1].startswith("25 failed")
    assert len(failed) < 25 * 20
    path = tmp_path / "golden" / "fill" / "default.sm_75.ptx"
    begins = failed.index(next(line for line in failed if re.fullmatch(r"_+ test_fill\[sm_80.*\] _+", line)))
    shown = failed[begins + 1 : next(at for at in range(begins + 1, len(failed)) if failed[at].startswith("____"))]
    assert shown[:3] == [
        f"GoldenMismatch: {path} differs from what is emitted now for sm_80",
        f"--- {path} for sm_80 (pinned)",
        f"+++ {path} for sm_80 (emitted now)",
    ]
    assert shown[3].startswith("@@ ")
    changed = [line for line in shown[4:-1] if line[0] != " "]
    assert changed == ["-\tst.global.u32 [%rd3], 1;", "+\tst.global.u32 [%rd3], 2;"]
    assert shown[-1].startswith("  Fix: read the diff; ")


@pytest.mark.parametrize("ci", [False, True])
def test_a_long_difference_is_cut_unless_it_is_asked_for(tmp_path: Path, ci: bool) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    pinned = tmp_path / "golden" / "fill" / "default.sm_80.ptx"
    pinned.parent.mkdir(parents=True)
    pinned.write_text(".version 7.0\n.target sm_80\n" + "".join(f"// {line}\n" for line in range(500)))
    short = run(tmp_path, ci=ci).stdout
    assert len(short.splitlines()) < 80
    assert re.search(r"\.\.\. and \d+ more lines of the difference \(-vv shows them\)\n  Fix: read the diff", short)
    assert "-// 499" in run(tmp_path, "-vvv").stdout


def test_workers_of_xdist_bless_one_file(tmp_path: Path, assembler: object) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    targets = ["sm_75", "sm_80", "sm_90", "sm_100"]
    for value in ("1", "2"):
        blessed = run(tmp_path, "--bless", "-p", "xdist.plugin", "-n", "2", value=value, targets=targets)
        assert blessed.returncode == 0, blessed.stdout
        (pinned,) = (tmp_path / "golden" / "fill").iterdir()
        assert pinned.name == "default.sm_75.ptx"
        assert pinned.read_text().startswith("// golden: sm_75 6.3, sm_80 7.0, sm_90 7.8, sm_100 8.6\n.version 6.3\n")
        assert blessed.stdout.splitlines().count(str(pinned)) == 1


def test_the_folder_is_an_ini_option(tmp_path: Path, assembler: object) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nptxgen_golden = pins/ptx\n")
    assert run(tmp_path, "--bless").returncode == 0
    assert [path.name for path in (tmp_path / "pins" / "ptx" / "fill").iterdir()] == ["default.sm_80.ptx"]


def test_loading_the_plugin_loads_nothing_dear() -> None:
    loaded = "import sys, ptxgen.golden.plugin; print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    assert "ptxgen.golden.plugin" in modules
    assert not modules & {"llvmlite", "jinja2", "numpy", "ptxgen.builder", "ptxgen.ir", "ptxgen.assembler"}
