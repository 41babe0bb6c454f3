"""The emulated driver answers as an H200 with driver 580 did, to every call of every recorded program.

Where it differs on purpose, DIFFERENT says what it answers and why.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.ptxgen.emulated_driver.scenarios import SCENARIOS

pytestmark = pytest.mark.cpu_only

ROOT = Path(__file__).parents[3]
RECORDED: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "data" / "h200.json").read_text())

RECOVERS = "on hardware a fault is for life; here a new primary context works"
DIFFERENT: dict[tuple[str, str], tuple[Any, str]] = {
    ("virtual", "properties of wrong"): (1, "hardware answers for a handle that there never was"),
    ("registered", "attributes"): (
        {"10": [0, 1], "14": [0, 0], "15": [0, 0], "16": [0, 3], "17": [0, 0], "21": [0, 0]},
        "neither RDMA nor hardware decompression reaches the CPU device's memory",
    ),
    ("proc_address", "cuMemAlloc 2000"): ([0, False, 2], "functions of CUDA 2 with 32-bit pointers are not offered"),
    ("jit", "log of version"): (
        [222, "ptxas application ptx input, line 1; fatal   : Unsupported .version 9.9; current version is '9.5'"],
        "every PTX version of the table runs, also those that are newer than driver 580",
    ),
    **{
        (f"fault_{kind}", label): (0, RECOVERS)
        for kind in ("address", "misaligned", "trap")
        for label in ("retain after", "alloc after", "retain last", "alloc last")
    },
}


OF_PTXAS = {"occupancy_of_kernels"}
"""Programs whose answers depend on the registers that ptxas gives a kernel: test_occupancy_formula has them."""


@pytest.fixture(scope="module")
def emulated() -> dict[str, dict[str, Any]]:
    """The emulated driver's answers, each program in a process of its own."""
    command = [sys.executable, "-m", "tests.ptxgen.emulated_driver.scenarios", "emulated"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=300)
    return dict(json.loads(line) for line in done.stdout.splitlines())


def test_every_program_was_recorded() -> None:
    assert sorted(RECORDED) == sorted(SCENARIOS)


@pytest.mark.parametrize("name", [name for name in SCENARIOS if name not in OF_PTXAS])
def test_answers_are_those_of_hardware(name: str, emulated: dict[str, dict[str, Any]]) -> None:
    expected = {
        label: DIFFERENT.get((name, label), (answer,))[0]
        for label, answer in RECORDED[name].items()
        if label != "attributes"
    }
    got = {label: answer for label, answer in emulated[name].items() if label != "attributes"}
    assert got == expected


def test_differences_are_real() -> None:
    same = [key for key, (ours, _why) in DIFFERENT.items() if RECORDED[key[0]][key[1]] == ours]
    assert same == []


NOT_OFFERED = (
    "TEXTURE", "SURFACE", "TEX2D", "HANDLE_TYPE", "RDMA", "NUMA", "VIRTUAL", "MULTICAST", "DMA_BUF", "IPC", "STREAM",
    "TENSOR_MAP", "SPARSE", "DEFERRED_MAPPING", "TIMELINE", "UNIFIED_FUNCTION", "COMPRESSION", "MULTI_DEVICE",
    "HOST_MEMORY_POOLS", "PCI", "ECC", "CAN_USE_HOST_POINTER", "FLUSH", "MEMPOOL_SUPPORTED",
)  # fmt: skip


def test_device_attributes_are_those_of_hardware_but_for_what_is_not_offered(
    emulated: dict[str, dict[str, Any]],
) -> None:
    from driver_ctypes.abi.enums import CUdevice_attribute

    ours, theirs = emulated["devices"]["attributes"], RECORDED["devices"]["attributes"]
    names = {str(int(attribute)): attribute.name for attribute in CUdevice_attribute}
    different = {names[number]: ours[number] for number in theirs if ours[number] != theirs[number]}
    assert [name for name in different if not any(part in name for part in NOT_OFFERED)] == []
    more = {name: value for number, name in names.items() if (value := ours.get(number)) and not theirs[number]}
    assert more == {}
    assert {name: value for name, value in different.items() if value} == {"MEMPOOL_SUPPORTED_HANDLE_TYPES": 1}
