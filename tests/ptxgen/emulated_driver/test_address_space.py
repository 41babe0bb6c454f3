"""The CPU device in a process that may not reserve as much address space as the machine has memory (`ulimit -v`)."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from ptxgen.emulated_driver.errors.refusal import Refusal
from ptxgen.emulated_driver.state import machine

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.cpu_only

GIB = 1 << 30
RUN = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
import driver_ctypes as dc
PTX = b'''.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {
    .reg .b64 %a; .reg .b32 %r; .shared .b32 s[64];
    ld.param.u64 %a, [p]; mov.u32 %r, %tid.x; mad.wide.u32 %a, %r, 4, %a; st.shared.u32 [s], 1; bar.sync 0;
    st.global.u32 [%a], %r; ret;
}'''
context = dc.driver("cpu").device(0).primary_context()
memory = context.alloc(32)
context.load(PTX).function("k").launch(1, 8, memory.pointer)
context.synchronize()
found = bytearray(32)
context.copy_to_host(found, memory)
print("sum", sum(found[::4]))
"""


def _run(**environment: str) -> str:
    given = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **environment}
    ran = subprocess.run([sys.executable, "-c", RUN], env=given, capture_output=True, text=True, timeout=60)
    return ran.stdout + ran.stderr


def test_it_reserves_what_it_can() -> None:
    assert "sum 28" in _run()


def test_what_cannot_be_had_says_what_to_set() -> None:
    assert "state less memory in PTXGEN_CPU_MEMORY, or raise the process's limit (ulimit -v)" in _run(
        PTXGEN_CPU_MEMORY="4G"
    )


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """The machine has 64 GiB, and the system gives so many bytes of address space."""
    monkeypatch.setattr(machine, "_physical_memory", lambda: 64 * GIB)
    return lambda limit: monkeypatch.setattr(machine, "_is_free", lambda nbytes: nbytes <= limit)


@pytest.mark.parametrize(
    "limit, count, memory", [(77, 1, 64), (75, 1, 32), (40, 2, 8), (9, 1, 4), (1, 1, 0.25), (1, 8, 0.0625)]
)
def test_the_largest_part_that_leaves_room_for_the_host(
    free: Callable[[int], None], limit: int, count: int, memory: float
) -> None:
    free(limit * GIB)
    assert machine._default_memory(count) == memory * GIB


def test_nothing_to_have(free: Callable[[int], None]) -> None:
    free(1 << 20)
    with pytest.raises(Refusal, match="ulimit -v"):
        machine._default_memory(1)
