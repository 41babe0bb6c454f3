"""A kernel's resources as its cubin has them: the same figures as in the assembler's log, and there without one."""

from __future__ import annotations

import contextlib
import random
import struct
from typing import TYPE_CHECKING, Any

import pytest

import driver_ctypes as dc
from driver_ctypes.modules import jitlog
from driver_ctypes.modules.cubin import misplaced_shared, parameter_counts

if TYPE_CHECKING:
    from collections.abc import Callable

SPILLING = 40
"""Values alive at once in the kernel that has 24 registers."""


def program(target: str) -> str:
    loads = "".join(f"ld.volatile.global.u32 %x{i}, [%d1+{4 * i}];\n" for i in range(SPILLING))
    stores = "".join(f"st.volatile.global.u32 [%d1+{4 * i}], %x{SPILLING - 1 - i};\n" for i in range(SPILLING))
    return f"""
.version 8.6
.target {target}
.address_size 64
.visible .func helper(.param .u64 x) {{ .reg .u64 %d<2>; ld.param.u64 %d1, [x]; st.u32 [%d1], 1; ret; }}
.visible .entry plain(.param .u64 x)
{{
    .shared .align 4 .b8 tile[2048];
    .reg .u64 %d<2>; .reg .u32 %r<2>;
    ld.param.u64 %d1, [x];
    mov.u32 %r1, tile;
    st.shared.u32 [%r1], 7;
    bar.sync 0;
    ld.shared.u32 %r1, [%r1];
    st.global.u32 [%d1], %r1;
    ret;
}}
.visible .entry spills(.param .u64 x) .maxnreg 24
{{
    .reg .u64 %d<2>; .reg .u32 %x<{SPILLING}>;
    ld.param.u64 %d1, [x];
    bar.sync 0;
    bar.sync 3;
    {loads}{stores}
    ret;
}}
"""


@pytest.fixture(params=["sm_75", "sm_80", "sm_90", "sm_90a", "sm_100a"])
def built(request: pytest.FixtureRequest, assembler: Callable[..., Any]) -> Any:
    return assembler(program(request.param), verbose=True)


def test_it_agrees_with_the_log(built: Any) -> None:
    found, said = dc.cubin_resources(built.cubin), jitlog.resources(built.log)
    assert set(found) == {"plain", "spills"}  # kernels alone
    assert (found["plain"].barriers, found["spills"].barriers) == (1, 4)
    for name, used in found.items():
        logged = said[name]
        assert (used.registers, used.barriers, used.shared, used.stack) == (
            logged.registers, logged.barriers, logged.shared, logged.stack
        )  # fmt: skip


def test_spills_are_known_where_the_log_tells_or_there_is_no_stack(built: Any) -> None:
    silent, logged = dc.cubin_resources(built.cubin), dc.cubin_resources(built.cubin, built.log)
    assert silent["plain"].spill_stores == silent["plain"].spill_loads == 0
    assert silent["spills"].stack
    assert (silent["spills"].spill_stores, silent["spills"].spill_loads) == (None, None)
    assert logged["spills"].spill_stores
    assert logged["spills"]._replace(spill_stores=None, spill_loads=None, constant=0) == silent["spills"]


def test_an_image_that_is_no_cubin_has_what_its_log_says() -> None:
    log = (
        "ptxas info    : Compiling entry function 'k' for 'sm_90'\nptxas info    : Used 9 registers, used 1 barriers\n"
    )
    for image in (b"", b".version 8.0", b"\x7fELF" + bytes(60)):
        assert dc.cubin_resources(image, log) == {"k": dc.Resources(registers=9, barriers=1)}


def test_a_damaged_cubin_is_refused_and_never_more(assembler: Callable[..., Any]) -> None:
    image = assembler(program("sm_90a")).cubin
    with pytest.raises(dc.ArgumentError, match="is damaged"):
        dc.cubin_resources(image[: len(image) // 2])
    draw = random.Random(5)
    for _ in range(300):
        damaged = bytearray(image)
        for _ in range(4):
            damaged[draw.randrange(20, len(image))] = draw.randrange(256)
        with contextlib.suppress(dc.ArgumentError):
            dc.cubin_resources(bytes(damaged))


# --- what the loader goes by ------------------------------------------------------------------------------------------


def elf(sections: dict[str, tuple[bytes, int]], flags: int = 90) -> bytes:
    """A cubin with these sections: their bytes, and their sizes (larger where there are no bytes in the file)."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name in (".shstrtab", *sections))
    blobs = {".shstrtab": (names, len(names)), **sections}
    at, rows, body, place = 1, [bytes(64)], b"", 64
    for name, (data, size) in blobs.items():
        rows.append(struct.pack("<II16xQQI12x8x", at, 1, place + len(body), size, 0))
        body += data
        at += len(name) + 1
    header = b"\x7fELF\x02\x01\x01\x41\x07" + bytes(7) + struct.pack("<HHI", 2, 190, 1)
    header += struct.pack("<16xQI", place + len(body), flags) + struct.pack("<HHHHHH", 64, 0, 0, 64, len(rows), 1)
    return header + body + b"".join(rows)


DYNAMIC = ".extern .shared .align {} .b8 dyn[]; .entry k(.param .u64 x) {{ mov.u32 %r1, dyn; }}"


@pytest.mark.parametrize(
    "size, flags, alignment, found",
    [
        (0x440, 90, 1024, {"k": (0x40, 1024)}),  # what the linker of CUDA 13.0 makes of a Hopper GEMM
        (0x800, 90, 1024, {}),  # what ptxas makes of it
        (0x400, 90, 4096, {}),
        (0x1400, 90, 4096, {}),
        (0x410, 90, 128, {"k": (0x10, 128)}),
        (0x410, 90, 16, {}),
        (0x10, 80, 128, {"k": (0x10, 128)}),
        (0x80, 80, 128, {}),
    ],
)
def test_dynamic_shared_memory_that_a_linker_moved(size: int, flags: int, alignment: int, found: Any) -> None:
    image = elf({".nv.shared.k": (b"", size)}, flags)
    assert misplaced_shared(image, DYNAMIC.format(alignment)) == found
    assert misplaced_shared(image, "") == misplaced_shared(b"text", DYNAMIC.format(alignment)) == {}
    assert misplaced_shared(elf({}, flags), DYNAMIC.format(alignment)) == {}


def test_how_many_parameters_a_kernel_has() -> None:
    one = bytes((4, 0x17, 12, 0)) + bytes(12)
    some = bytes((3, 0x19, 16, 0))  # the bytes of all, of a cubin that does not list them
    sections = {"two": one + one, "none": b"", "unknown": some, "listed": some + one}
    image = elf({f".nv.info.{name}": (data, len(data)) for name, data in sections.items()})
    assert parameter_counts(image) == {"two": 2, "none": 0, "listed": 1}
    assert parameter_counts(image[:-40]) == parameter_counts(b".version 8.0") == {}


def test_the_assembler_s_cubins_say_how_many(built: Any) -> None:
    assert parameter_counts(built.cubin).items() >= {"plain": 1, "spills": 1}.items()
