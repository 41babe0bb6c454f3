"""What an import loads. (How long it takes is tools/bench/startup.py.)"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DEAR = {"llvmlite", "jinja2", "numpy", "importlib.metadata", "click", "rich", "dataclasses", "inspect", "asyncio"}


def modules_after(statement: str) -> set[str]:
    """The modules that a fresh Python has loaded for the statement, beyond those it starts with."""
    program = f"import sys; before = set(sys.modules); {statement}; print(*sorted(set(sys.modules) - before))"
    environment = dict(os.environ, PYTHONPATH=str(ROOT))
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("package", ["ptxgen", "driver_ctypes"])
def test_importing_a_package_loads_nothing_dear(package: str) -> None:
    loaded = modules_after(f"import {package}")
    assert package in loaded
    assert not loaded & DEAR


def test_the_driver_binding_loads_nothing_of_ptxgen() -> None:
    loaded = modules_after("import driver_ctypes; driver_ctypes.Error, driver_ctypes.Signature, driver_ctypes.driver")
    assert "driver_ctypes.drivers.registry" in loaded
    assert not {name for name in loaded if name.partition(".")[0] == "ptxgen"}


def test_building_a_kernel_needs_neither_numpy_nor_llvmlite_nor_jinja() -> None:
    loaded = modules_after("import ptxgen as px; px.kernel, px.f32, px.parse, px.verify")
    assert "ptxgen.builder" in loaded
    assert not loaded & {"llvmlite", "jinja2", "numpy", "click", "rich"}


def test_the_errors_are_one_tree() -> None:
    import driver_ctypes
    import ptxgen

    assert ptxgen.Error is driver_ctypes.Error
    assert issubclass(ptxgen.PtxError, driver_ctypes.Error)


def test_the_errors_are_at_the_top_and_told_of() -> None:
    import ptxgen
    from ptxgen import errors

    at_top = {
        name
        for name in ptxgen.__all__
        if isinstance(kind := getattr(ptxgen, name), type) and issubclass(kind, Exception)
    }
    assert {name for name in errors.__all__ if isinstance(getattr(errors, name), type)} <= set(ptxgen.__all__)
    told = re.findall(r"^\| `px\.(\w+)` \|(.*?)\|", (ROOT / "docs" / "checking.md").read_text(), re.MULTILINE)
    assert {name for name, _ in told} == at_top - {"Error", "PtxError"}
    for name, also in told:
        kind = getattr(ptxgen, name)
        assert set(re.findall(r"\w+", also)) <= {base.__name__ for base in kind.__mro__}, name
        assert issubclass(kind, ptxgen.PtxError) or name in (
            "TileError", "UnknownKernelError", "CheckFailedError", "PtxWarning",
        )  # fmt: skip


@pytest.mark.parametrize("package", ["ptxgen", "driver_ctypes"])
def test_every_public_name_is_there(package: str) -> None:
    module = __import__(package)
    missing = [name for name in dir(module) if not hasattr(module, name)]
    assert not missing
    with pytest.raises(AttributeError, match="no_such_name"):
        module.no_such_name
