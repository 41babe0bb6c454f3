"""Running small PTX programs on the device under test, through the driver: what both devices must agree on.

machine.py runs the same bodies on the executor alone, for what only the executor says.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pytest

import driver_ctypes as dc
import ptxgen as px
from tests.ptxgen.cpu.machine import entry

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HEADER = ".version {version}\n.target sm_{sm}\n.address_size 64\n"
_SIGNATURE = (dc.Parameter("out", "u64"), dc.Parameter("in", "u64"))


def run_on(
    device_name: str,
    body: str,
    *,
    words: int = 32,
    block: int | tuple[int, int, int] = 32,
    grid: int | tuple[int, int, int] = 1,
    before: str = "",
    directives: str = "",
    data: bytes = b"",
    shared: int = 0,
    sm: str = "80",
    version: str = "8.0",
    maps: Callable[[Any], Sequence[Any]] | None = None,
    count: int = 0,
    options: dict[str, Any] | None = None,
) -> list[int]:
    """The 32-bit words that `body` leaves at %out; the names that it finds ready are those of machine.run.

    `data` is what %in leads to; where `words` is 0, the result is what the kernel leaves there. `maps` makes `count` tensor
    maps of the buffer at %in, which are the kernel's parameters m0, m1, ... `directives` are the kernel's own, `options` those
    of the launch. `sm` and `version` are those of the program; a GPU that is older is no device for it.
    """
    device = px.device(device_name).handle
    if device.compute_capability < divmod(int("".join(c for c in sm if c.isdigit())), 10):
        pytest.skip(f"{device.name} runs no program for sm_{sm}")
    context = device.primary_context()
    source = HEADER.format(version=version, sm=sm) + before + entry("test", body)
    parameters = "".join(f", .param .align 64 .b8 m{i}[128]" for i in range(count))
    source = source.replace(
        "(.param .u64 out, .param .u64 in)", f"(.param .u64 out, .param .u64 in{parameters}) {directives}"
    )
    signature = dc.Signature([*_SIGNATURE, *(dc.Parameter(f"m{i}", "bytes", 128, 64) for i in range(count))])
    with (
        context.load(source, signatures={"test": signature}) as module,
        context.alloc(max(4 * words, 4)) as out,
        context.alloc(max(len(data), 4)) as given,
    ):
        context.memset(out, 0, max(4 * words, 4))
        if data:
            context.copy_to_device(given, data)
        made = [bytes(m) for m in maps(given)] if maps else []
        module.function("test").launch(grid, block, out.pointer, given.pointer, *made, shared=shared, **(options or {}))
        found = bytearray(4 * words or len(data))
        context.copy_to_host(found, out if words else given)
    return list(struct.unpack(f"<{len(found) // 4}I", found))
