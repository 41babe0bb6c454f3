"""A kernel's resources as its cubin has them: the same figures as in the assembler's log, and there without one."""

from __future__ import annotations

import contextlib
import random
from typing import TYPE_CHECKING, Any

import pytest

import driver_ctypes as dc
from driver_ctypes.modules import jitlog

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
