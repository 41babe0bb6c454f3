"""`ptxgen run`, on the device under test."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    Command = Callable[..., Result]


@pytest.fixture
def run(ptxgen: Command, device_name: str, programs: Path) -> Callable[..., Result]:
    np.save(programs / "x.npy", np.arange(1000, dtype=np.float32))
    np.save(programs / "doubles.npy", np.arange(1000, dtype=np.float64))
    return lambda *arguments: ptxgen("run", *arguments, "--device", device_name)


@pytest.mark.parametrize("program", ["saxpy.py", "saxpy.py:saxpy", "saxpy:saxpy", "saxpy.ptx"])
def test_a_kernel_on_files_and_numbers(run: Command, ptxgen: Command, programs: Path, program: str) -> None:
    if program == "saxpy.ptx":
        ptxgen("emit", "saxpy.py", "--target", "sm_80", "-o", "saxpy.ptx")
    result = run(program, 1000, 2.0, "x.npy", "ones:f32:1000", "--grid", 4, "--out", "y=y.npy")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("saxpy on c")
    np.testing.assert_array_equal(np.load(programs / "y.npy"), 2 * np.arange(1000, dtype=np.float32) + 1)


def test_a_template_with_an_output_by_number(run: Command, programs: Path) -> None:
    result = run(
        "scale.ptx.j2", "--set", "type=f64", 100, "doubles.npy", "--block", "128x1", "--out", "1=scaled.npy", "--json"
    )
    assert result.exit_code == 0, result.stderr
    expected = np.arange(1000.0)
    expected[:100] *= 2
    np.testing.assert_array_equal(np.load(programs / "scaled.npy"), expected)
    said = json.loads(result.stdout)
    assert said["kernel"] == "scale"
    assert said["launch"] == {"grid": [1], "block": [128, 1], "shared": 0}
    assert said["arguments"] == [
        {"name": "n", "value": 100},
        {"name": "x", "type": "f64", "shape": [1000], "file": "scaled.npy"},
    ]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("zeros:f32:3", [0, 0, 0]),
        ("ones:u16:2x2", [[1, 1], [1, 1]]),
        ("arange:s64:4", [0, 1, 2, 3]),
        ("ones:bf16:2", [1, 1]),
        ("x.npy:f64", list(range(1000))),
        ("arange:u16:2x2:9", [[0, 1], [2, 3]]),
        ("edges:u8:5", [0, 1, 255, 0, 128]),
        ("bytes:00ff", b"\x00\xff"),
        ("-3", -3),
        ("0x1f", 31),
        ("1e-3", 0.001),
    ],
)
def test_the_forms_of_an_argument(run: Command, device_name: str, text: str, expected: Any) -> None:
    from ptxgen.host import device
    from ptxgen.host.argument_text import argument

    found = argument(text, device(device_name))
    assert (found if isinstance(found, (int, float, bytes)) else found.numpy().tolist()) == expected


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["saxpy.py", 1000, 2.0, "nowhere.npy", "x.npy"], "nowhere.npy cannot be read"),
        (["saxpy.py", 1000, 2.0, "x.npy", "empty:f32:3"], "is not an argument of a kernel"),
        (["saxpy.py", 1000, 2.0, "x.npy", "zeros:f31:3"], "is not like zeros:f32:1024"),
        (["saxpy.py", 1000, 2.0, "x.npy", "x.npy", "--out", "z=z.npy"], "0 or n, 1 or a, 2 or x, 3 or y"),
        (["saxpy.py", 1000, 2.0, "x.npy", "x.npy", "--out", "n=z.npy"], "that argument is no array"),
        (["saxpy.py", "--grid", "many"], "is not like 4, 4x2 or 4x2x1"),
        (["saxpy.py", "--gird", "4"], "--gird"),
    ],
)
def test_wrong_usage_is_status_2(run: Command, arguments: list[Any], said: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["saxpy.py", 1000, 2.0, "x.npy"], "also pass y"),
        (["saxpy.py", -1, 2.0, "x.npy", "x.npy"], "n"),
        (["saxpy.py", 1.5, 2.0, "x.npy", "x.npy"], "n"),
        (["saxpy.py", 1000, 2.0, "x.npy", "x.npy", "--block", "2048"], "1024"),
        (["saxpy.py", 1000, 2.0, "doubles.npy", "x.npy"], "x points to f32, and doubles.npy is an array of f64"),
        (["broken.ptx"], "PTX200"),
    ],
)
def test_a_wrong_launch_is_status_1_without_a_traceback(run: Command, arguments: list[Any], said: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 1
    assert said in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.cpu_only
def test_a_device_that_is_not_there(ptxgen: Command, programs: Path) -> None:
    result = ptxgen("run", "saxpy.py", "--device", "cpu:7")
    assert result.exit_code == 1
    assert "cpu" in result.stderr


def test_an_array_becomes_a_picture(run: Command, programs: Path) -> None:
    from ptxgen.resources.image import read_png

    assert run("saxpy.py", 64, 1.0, "arange:f32:64", "zeros:f32:8x8", "--out", "y=y.png").exit_code == 0
    found = read_png(programs / "y.png")
    assert found.shape == (8, 8, 3)
    assert found[0, 0].tolist() == [0x44, 0x01, 0x54]
    assert found[7, 7].tolist() == [0xFD, 0xE7, 0x25]


RACE = """.version 8.0
.target sm_90
.address_size 64
.visible .entry race(.param .u64 out)
{
	.reg .b32 %r<8>; .reg .b64 %d<4>; .shared .align 4 .b8 box[256];
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %tid.x; mov.u32 %r2, box; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3; xor.b32 %r5, %r4, 128;
	st.shared.u32 [%r4], %r1;
	ld.shared.u32 %r6, [%r5];
	mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2; st.global.u32 [%d1], %r6;
	ret;
}
"""


@pytest.mark.cpu_only
def test_a_sanitized_launch(run: Command, programs: Path) -> None:
    (programs / "race.ptx").write_text(RACE)
    fine = RACE.replace("\tld.shared", "\tbar.sync 0;\n\tld.shared").replace("\n{", "\n.reqntid 64\n{")
    (programs / "fine.ptx").write_text(fine)
    result = run("race.ptx", "zeros:u32:64", "--block", 64, "--sanitize", "racecheck")
    assert result.exit_code == 1
    assert "racecheck: write after read: " in result.stderr
    said = json.loads(run("race.ptx", "zeros:u32:64", "--block", 64, "--sanitize", "all", "--json").stdout)
    assert [finding.partition(":")[0] for finding in said["findings"]] == ["initcheck", "racecheck"]
    result = run("fine.ptx", "zeros:u32:64", "--sanitize", "racecheck")  # the block is the kernel's
    assert (result.exit_code, result.stderr) == (0, "")
    result = run("fine.ptx", "zeros:u32:64", "--block", 64, "--sanitize", "racechek")
    assert result.exit_code != 0
    assert "no tool 'racechek'" in result.stderr
