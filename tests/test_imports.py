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


OPEN = "import ptxgen as px; dev = px.device('cpu')"
LAUNCH = f"""{OPEN}; context = dev.context; memory = context.alloc(4)
context.load(open('{{path}}').read()).function('put').launch(1, 1, memory); context.synchronize()"""
PUT = """.version 7.0
.target sm_80
.address_size 64
.visible .entry put(.param .u64 out) { .reg .u64 %a; ld.param.u64 %a, [out]; st.global.u32 [%a], 7; ret; }
"""
WASTED = {
    *DEAR, "typing", "logging", "json", "pathlib", "subprocess", "tempfile", "hashlib", "enum", "re", "threading",
    "functools", "contextlib",
}  # fmt: skip
"""What neither opening the CPU device nor a launch of code on disk has a use for."""


def ours(loaded: set[str]) -> set[str]:
    return {name for name in loaded if name.partition(".")[0] in ("ptxgen", "driver_ctypes")}


def test_opening_the_cpu_device_loads_little() -> None:
    """A module of ours takes 0.1 to 0.4 ms of it. What is forbidden here is imported by the function that needs it."""
    modules_after(OPEN)  # fills the cache
    loaded = modules_after(OPEN)
    assert not loaded & {*WASTED, "collections", "weakref"}
    assert not {name for name in loaded if name.startswith(("driver_ctypes.abi.enums.", "driver_ctypes.abi.structs"))}
    assert not loaded & {
        "ptxgen.errors",
        "ptxgen.cpu.jit",
        "ptxgen.cpu.program",
        "ptxgen.emulated_driver.calls.stubs",
        "ptxgen.emulated_driver.state.context",
        "ptxgen.isa.targets",
        "ptxgen.verifier",
        "driver_ctypes.caches",
        "driver_ctypes.errors.answered",
    }
    assert len(ours(loaded)) <= 52


def test_a_launch_of_code_on_disk_loads_little(tmp_path: Path) -> None:
    path = tmp_path / "put.ptx"
    path.write_text(PUT)
    modules_after(LAUNCH.format(path=path))
    loaded = modules_after(LAUNCH.format(path=path))
    assert not loaded & WASTED
    assert not {name for name in loaded if name.startswith(("driver_ctypes.abi.enums.", "driver_ctypes.abi.structs"))}
    assert not loaded & {
        "driver_ctypes.errors.answered",
        "driver_ctypes.interop.dlpack",
        "ptxgen.cpu.record_layout.words",
    }
    assert not loaded & {"ptxgen.ir", "ptxgen.text.parser", "ptxgen.cpu.compilation", "ptxgen.cpu.sanitizer.history"}
    assert len(ours(loaded)) <= 158


def test_checking_a_file_loads_what_checks_it(tmp_path: Path) -> None:
    path = tmp_path / "put.ptx"
    path.write_text(PUT)
    loaded = modules_after(f"from ptxgen.cli.app import app; app(['check', {str(path)!r}], standalone_mode=False)")
    rooms = {name.split(".")[1] for name in loaded if name.startswith("ptxgen.")}
    assert rooms <= {
        "cli",
        "collector",
        "dataflow",
        "errors",
        "ir",
        "isa",
        "lazy",
        "sources",
        "stores",
        "text",
        "verifier",
    }
    assert not loaded & {"json", "rich", "ctypes"}
    assert "subprocess" not in loaded or sys.version_info < (3, 11)  # whose `platform` loads it


@pytest.mark.parametrize("package", ["ptxgen", "driver_ctypes"])
def test_every_public_name_is_there(package: str) -> None:
    module = __import__(package)
    missing = [name for name in dir(module) if not hasattr(module, name)]
    assert not missing
    with pytest.raises(AttributeError, match="no_such_name"):
        module.no_such_name
