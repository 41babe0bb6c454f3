"""What a type checker knows of both packages: every public name, what calls give, and which names and values are wrong."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import driver_ctypes as dc
import ptxgen as px

ROOT = Path(__file__).resolve().parents[2]

HEAD = """from __future__ import annotations
import driver_ctypes as dc
import ptxgen as px
import ptxgen.resources, ptxgen.golden, ptxgen.kernels, ptxgen.ops, ptxgen.passes, ptxgen.runtime, ptxgen.runtime.fusion
import ptxgen.strategies, ptxgen.text
context: dc.Context = dc.driver("cpu").device(0).primary_context()
function: dc.Function = context.load("").function("put")
stream: dc.Stream = context.stream()
buffer: dc.Buffer = context.alloc(4)
"""

RIGHT = """
launcher: dc.Launcher = function.bind(1, (2, 3), stream=stream)
launcher(buffer, 1, 2.0)
function.launch((1, 2, 3), 32, buffer, 1, b"bytes", stream=None)
with stream.capture() as capture: graph: dc.Graph = capture.graph
table: dc.TensorMap = dc.tensor_map(buffer[4:8], "bf16", (64, 64), (64, 64), swizzle="128B")
value: int = context.device.attribute(dc.CUdevice_attribute.WARP_SIZE)
numbers: tuple[int, int] = context.memory_info()
try: context.synchronize()
except dc.JitError as error: print(error.messages[0].line)
"""

WRONG = {
    "x: int = dc.Bufferr": 'Module has no attribute "Bufferr"',
    "dc.no_such(1)": 'Module has no attribute "no_such"',
    "dc.abi.enums.CUfoo": 'has no attribute "CUfoo"',
    'stream.capture("loose")': 'Argument 1 to "capture" of "Stream" has incompatible type',
    'px.device("cpu").capture("loose")': 'Argument 1 to "capture" of "Device" has incompatible type',
    'dc.tensor_map(buffer, "bf17", (64,), (64,))': 'Argument 2 to "tensor_map" has incompatible type',
    'dc.tensor_map(buffer, "bf16", (64,), (64,), swizzle="99B")': 'Argument "swizzle" to "tensor_map" has incompatible type',
    "px.no_such": 'Module has no attribute "no_such"',
    **{
        f"ptxgen.{room}.no_such": 'Module has no attribute "no_such"'
        for room in "resources golden kernels ops passes runtime runtime.fusion strategies text".split()
    },
}


def mypy(tmp_path: Path, lines: list[str]) -> dict[int, str]:
    """The first error of each line of a program, by its number."""
    pytest.importorskip("mypy", reason="mypy is among the tools of the extra dev")
    (tmp_path / "user.py").write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--config-file", "pyproject.toml"]
    done = subprocess.run([*command, str(tmp_path / "user.py")], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    found: dict[int, str] = {}
    for at, message in re.findall(r"user\.py:(\d+): error: (.*)", done.stdout):
        found.setdefault(int(at), message)
    return found


def test_mypy_knows_every_public_name_and_refuses_others(tmp_path: Path) -> None:
    lines = HEAD.splitlines() + RIGHT.splitlines()
    lines += [f"name_{name} = dc.{name}" for name in dc.__all__]
    lines += [f"px_{name} = px.{name}" for name in px.__all__]
    wrong = {len(lines) + at: message for at, message in enumerate(WRONG.values(), start=1)}
    lines += list(WRONG)
    found = mypy(tmp_path, lines)
    assert {lines[at - 1]: message for at, message in found.items() if at not in wrong} == {}
    for at, message in wrong.items():
        assert message in found.get(at, "nothing"), lines[at - 1]


def test_the_lists_of_names_agree() -> None:
    stub = ast.parse((Path(dc.__file__).parent / "__init__.pyi").read_text())
    (told,) = [each.value for each in stub.body if isinstance(each, ast.Assign)]
    assert sorted(ast.literal_eval(told)) == dc.__all__ == sorted(dc._ROOM_OF)
    imported = {each.name: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for each in node.names}
    assert imported == {name: f"driver_ctypes.{room}" for name, room in dc._ROOM_OF.items()}
    assert set(px.__all__) == set(px._HOME)
    for package in (dc, px):
        assert list(dict.fromkeys(package.__all__)) == list(package.__all__)
        assert {name for name in dir(package) if not name.startswith("_")} >= set(package.__all__)


def test_a_star_import_gives_the_public_names() -> None:
    names: dict[str, object] = {}
    exec("from driver_ctypes import *", names)
    assert set(names) - {"__builtins__"} == set(dc.__all__)


def test_both_packages_are_of_one_version() -> None:
    assert f'\nversion = "{dc.__version__}"\n' in (ROOT / "pyproject.toml").read_text()
    assert dc.__version__ == px.__version__
