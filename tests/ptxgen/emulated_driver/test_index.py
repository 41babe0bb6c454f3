"""The index of driver functions, which lets a process import only the files that it calls."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ptxgen.emulated_driver import table
from ptxgen.emulated_driver.calls import registry
from tools import index_driver

pytestmark = pytest.mark.cpu_only


def test_the_index_is_what_the_functions_say() -> None:
    assert index_driver.PLACES.read_text() == index_driver.places(), "out of date: python tools/index_driver.py"


def test_a_function_that_the_index_does_not_know_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(table.AREA_OF, "cuGraphCreate")
    monkeypatch.delitem(registry.ENTRIES, "cuGraphCreate", raising=False)
    monkeypatch.setattr(table, "import_all", lambda: registry.ENTRIES.update(cuGraphCreate=offered))
    offered = registry.DriverFunction(print, registry.NOTHING, unsafe=False)
    assert table._is_offered("cuGraphCreate")
    assert not table._is_offered("cuNothing")


OPENING = """
import sys
import ptxgen as px
device = px.device("cpu")
print(*sys.modules)
"""


def test_opening_the_device_imports_what_it_calls() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", OPENING], cwd=Path(__file__).parents[3], capture_output=True, text=True, check=True
    )
    loaded = set(ran.stdout.split())
    assert "ptxgen.emulated_driver.contexts.device_queries" in loaded
    assert not {name for name in loaded if name.startswith(("ptxgen.emulated_driver.graphs", "ptxgen.builder"))}
    assert not loaded & {"ptxgen.text.parser", "ptxgen.verifier.run", "ptxgen.emulated_driver.memory.copies"}
