"""Tensor copies of packed types (manual 5.5.1.1), against numpy: nibbles and sixes. No device that has them was at hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import driver_ctypes as dc
import ptxgen as px
from ptxgen.cpu import KernelFault
from ptxgen.isa.layouts import SWIZZLES
from tests.ptxgen.cpu.on_device import run_on
from tests.ptxgen.cpu.test_tensor_copies import COMPLETES, DATA, FILL, FILLED, OUT, READY, WAIT, words

pytestmark = pytest.mark.cpu_only

BITS = {"b4x16": 4, "b4x16_p64": 4, "b6x16_p32": 6}
ROWS, PITCH, EXTENT = 20, 288, 384  # 384 elements of six bits take 288 bytes


def elements(memory: bytes, bits: int) -> np.ndarray:
    """Numbers of so many bits, the lowest first."""
    apart = np.unpackbits(np.frombuffer(memory, np.uint8), bitorder="little").reshape(-1, bits)
    return apart @ (1 << np.arange(bits))


def packed(numbers: np.ndarray, bits: int) -> bytes:
    apart = (numbers[:, None] >> np.arange(bits)) & 1
    return np.packbits(apart.astype(np.uint8), bitorder="little").tobytes()


def loaded(element: str, at: tuple[int, int], box: tuple[int, int], swizzle: str) -> bytes:
    """The shared memory that a load into FILLED leaves: 16 elements in 16 bytes, or without gaps."""
    bits, padded = BITS[element], element != "b4x16"
    memory, place = bytearray(FILLED), 0
    for row in range(at[1], at[1] + box[1]):
        inside = 0 <= row < ROWS
        numbers = (
            elements(DATA[PITCH * row : PITCH * (row + 1)][: EXTENT * bits // 8], bits)
            if inside
            else np.zeros(EXTENT, int)
        )
        numbers = np.pad(numbers, 2048)[2048 + at[0] : 2048 + at[0] + box[0]]
        step = 16 if padded else 32
        for group in numbers.reshape(-1, step):
            to = SWIZZLES[swizzle].apply(place)
            data = packed(group, bits)
            memory[to : to + len(data)] = data
            place += 16
    return bytes(memory)


def maps(element: Any, box: tuple[int, int], swizzle: Any) -> Any:
    return lambda buffer: [dc.tensor_map(buffer, element, (EXTENT, ROWS), box, strides=(PITCH,), swizzle=swizzle)]


def load(at: tuple[int, int], nbytes: int) -> str:
    return READY + FILL + f"""
	@%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {nbytes};
	@%p9 cp.async.bulk.tensor.2d.shared::cta.global.tile.{COMPLETES} [%r1], [%d3, {{{at[0]}, {at[1]}}}], [bar];
""" + WAIT  # fmt: skip


@pytest.mark.parametrize(
    "element, at, box, swizzle",
    [
        ("b4x16", (32, 3), (64, 4), "none"),
        ("b4x16", (320, 18), (128, 4), "64B"),
        ("b4x16_p64", (128, 2), (128, 5), "128B"),
        ("b4x16_p64", (-128, 0), (128, 2), "none"),
        ("b6x16_p32", (256, 17), (128, 5), "none"),
        ("b6x16_p32", (0, -1), (128, 4), "128B"),
    ],
)
def test_loads(element: str, at: tuple[int, int], box: tuple[int, int], swizzle: str) -> None:
    count = box[0] * box[1] // (4 if element != "b4x16" else 8)
    body = load(at, 4 * count) + OUT.format(words=count, base=0)
    found = run_on(
        "cpu:sm_100a", body, words=count, data=DATA, maps=maps(element, box, swizzle), count=1, sm="100a", version="8.8"
    )
    assert found == words(loaded(element, at, box, swizzle))[:count]


@pytest.mark.parametrize(
    "element, copy, said",
    [
        ("b6x16_p32", load((64, 0), 512), "the box begins 48 bytes from the beginning"),
        (
            "b4x16_p64",
            "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%d3, {0, 0}], [%r1];",
            "copies only load",
        ),
    ],
)
def test_what_padded_types_do_not(element: str, copy: str, said: str) -> None:
    body = copy if "mbarrier" in copy else READY + f"@%p9 {copy}"
    with pytest.raises((KernelFault, dc.CudaError), match=said):
        run_on(
            "cpu:sm_100a",
            body,
            words=4,
            data=DATA,
            maps=maps(element, (128, 4), "none"),
            count=1,
            sm="100a",
            version="8.8",
        )
    px.device("cpu:sm_100a").reset()
