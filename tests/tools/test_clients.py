"""tools/clients.py: what it makes of a suite's last lines, and that its programs are there. The clients are downloads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.client_programs.sampled import spread
from tools.clients import CLIENTS, PROGRAMS, Figures, Suite, figures_of

ROOT = Path(__file__).parents[2]
PYTEST = "..s.F\n=== 1 failed, 3 passed, 1 skipped in 2.50s ==="


@pytest.mark.parametrize(
    "text, status, figures",
    [
        ("Ran 24 tests in 11.3s\n\nFAILED (failures=3, errors=1, skipped=2)", 1, Figures(18, 4, 2)),
        ("Ran 2 tests in 0.1s\n\nOK", 0, Figures(2, 0, 0)),
        ("Ran 3 tests in 0.1s\n\nFAILED (unexpected successes=1, expected failures=1)", 1, Figures(2, 1, 0)),
        ("Ran 7 tests in 0.1s\n\nOK (skipped=7)", 0, Figures(0, 0, 7)),
        ("Ran 2 tests in 0.1s\n\nOK", -11, Figures(2, 1, 0)),  # it passed, and crashed at its end
        (PYTEST, 1, Figures(3, 1, 1)),
        ("2 errors in 1.59s", 2, Figures(0, 2, 0)),
        ("right", 0, Figures(1, 0, 0)),
        ("Traceback", 1, Figures(0, 1, 0)),
    ],
)
def test_figures(text, status, figures):
    assert figures_of(text, status) == figures


def test_each_client_has_a_program_and_names_what_it_does_not():
    for name, client in CLIENTS.items():
        assert client.suite if not client.parts else Path(client.parts[0].arguments[0]).is_file(), name
    listed = subprocess.run(
        [sys.executable, ROOT / "tools" / "clients.py", "--list", "triton"], capture_output=True, text=True, check=True
    )
    assert listed.stdout == "triton: program, race\n"
    wrong = subprocess.run(
        [sys.executable, ROOT / "tools" / "clients.py", "cupy"], capture_output=True, text=True, check=False
    )
    assert wrong.returncode == 2
    assert "no client 'cupy'" in wrong.stderr


def test_each_race_is_looked_for_by_its_line():
    races = [part.race for client in CLIENTS.values() for part in client.parts if part.race]
    assert [race.partition(":")[0] for race in races] == ["race_numba_cuda.py", "race_triton.py"]


def test_a_suite_is_run_file_by_file(tmp_path):
    for name in ("sub/test_two.py", "test_one.py", "conftest.py"):
        (tmp_path / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tests" / name).touch()
    of_clone, installed = Suite("tests", plugins=("torch_tensors",)), Suite("tests", package="client.tests")
    first, second = (of_clone.part(file, tmp_path) for file in of_clone.files(tmp_path))
    assert (first.name, first.source) == ("sub/test_two", "tests")
    assert second.arguments == ("-m", "pytest", "-q", "-p", "torch_tensors", "test_one.py")
    first = installed.part(installed.files(tmp_path)[0], tmp_path)
    assert first.arguments == ("-m", "pytest", "-q", "--pyargs", "client.tests.sub.test_two")
    assert (PROGRAMS / "torch_tensors.py").is_file()


def test_cases_are_spread_over_all():
    assert spread(list(range(100)), 3) == [0, 49, 99]
    assert spread([1, 2], 3) == [1, 2]
    assert spread(list(range(10)), 1) == [0]
