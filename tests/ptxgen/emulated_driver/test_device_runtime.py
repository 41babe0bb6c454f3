"""Functions of the device runtime that programs declare: a grid that waits for itself, in a cooperative launch and without."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import addressof, c_uint32, c_uint64, c_void_p

import pytest

from driver_ctypes.abi.functions import FUNCTIONS
from ptxgen.emulated_driver import live_handles, open_driver
from ptxgen.emulated_driver.modules.device_runtime import NAMES, _definition
from ptxgen.text import parse
from ptxgen.verifier import verify
from tests.ptxgen.emulated_driver.scenarios.base import Cu

pytestmark = pytest.mark.cpu_only

lookup = open_driver()
HEAD = ".version 8.0\n.target sm_75\n.address_size 64\n"
DECLARED = """
.extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 a);
.extern .func (.param .b32 r) {sync}(.param .b64 a, .param .b32 b);
.extern .func (.param .b32 r) cudaCGGetSize(.param .b64 a, .param .b64 b, .param .b64 c);
.extern .func (.param .b32 r) cudaCGGetRank(.param .b64 a, .param .b64 b, .param .b64 c);
"""
ROUNDS = """
// out: of each thread, the sum of all ranks as the others have left them, rank, grid's rank, size, grids, sync's answer
.visible .entry k(.param .u64 sums, .param .u64 out) {{
  .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p;
  ld.param.u64 %d1, [sums]; ld.param.u64 %d2, [out];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;
  mul.wide.u32 %d3, %r1, 24; add.u64 %d2, %d2, %d3;
  {{ .param .b32 s; .param .b64 h; st.param.b32 [s], 1; call.uni (h), cudaCGGetIntrinsicHandle, (s); ld.param.b64 %d4, [h]; }}
  add.u64 %d5, %d2, 4; add.u64 %d6, %d2, 8;
  {{ .param .b64 a, b, c; .param .b32 r; st.param.b64 [a], %d5; st.param.b64 [b], %d6; st.param.b64 [c], %d4;
    call.uni (r), cudaCGGetRank, (a, b, c); }}
  add.u64 %d5, %d2, 12; add.u64 %d6, %d2, 16;
  {{ .param .b64 a, b, c; .param .b32 r; st.param.b64 [a], %d5; st.param.b64 [b], %d6; st.param.b64 [c], %d4;
    call.uni (r), cudaCGGetSize, (a, b, c); }}
  ld.global.u32 %r4, [%d2+4]; mov.u32 %r5, 0;
AGAIN:
  red.global.add.u32 [%d1], %r4;
  {{ .param .b64 a; .param .b32 b, r; st.param.b64 [a], %d4; st.param.b32 [b], 0; call.uni (r), {sync}, (a, b);
    ld.param.b32 %r6, [r]; }}
  st.global.u32 [%d2+20], %r6;
  ld.volatile.global.u32 %r7, [%d1]; st.global.u32 [%d2], %r7;
  add.u64 %d1, %d1, 4; add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, 3; @%p bra AGAIN;
  ret;
}}
"""


@pytest.fixture
def cu() -> Iterator[Cu]:
    driver = Cu(lambda symbol: lookup(symbol, FUNCTIONS[symbol].version))
    assert driver.cuInit(0) == 0
    before = live_handles()
    context = driver.get(c_void_p, "cuCtxCreate_v2", 0, 0)
    yield driver
    assert driver.cuCtxDestroy_v2(context) == 0
    assert live_handles() == before


def launched(cu: Cu, sync: str, cooperative: bool) -> tuple[list[int], list[list[int]]]:
    """(the sums, what each of 5 CTAs of 64 threads has written)."""
    text = HEAD + DECLARED.format(sync=sync) + ROUNDS.format(sync=sync)
    module = cu.get(c_void_p, "cuModuleLoadData", text.encode())
    function = cu.get(c_void_p, "cuModuleGetFunction", module, b"k")
    sums, out = (c_uint64(cu.get(c_uint64, "cuMemAlloc_v2", n)) for n in (12, 320 * 24))
    assert cu.cuMemsetD8_v2(sums, 0, 12) == 0
    slots = (c_void_p * 2)(addressof(sums), addressof(out))
    launch = cu.cuLaunchCooperativeKernel if cooperative else cu.cuLaunchKernel
    assert launch(function, 5, 1, 1, 64, 1, 1, 0, None, slots, *([] if cooperative else [None])) == 0
    found, rows = (c_uint32 * 3)(), (c_uint32 * (320 * 6))()
    assert cu.cuMemcpyDtoH_v2(found, sums, 12) == 0
    assert cu.cuMemcpyDtoH_v2(rows, out, 320 * 24) == 0
    for each in (sums, out):
        assert cu.cuMemFree_v2(each) == 0
    assert cu.cuModuleUnload(module) == 0
    return list(found), [list(rows[6 * n : 6 * n + 6]) for n in range(320)]


@pytest.mark.parametrize("sync", ["cudaCGSynchronize", "cudaCGSynchronizeGrid"])
def test_every_thread_of_a_cooperative_grid_sees_what_all_did_before(cu: Cu, sync: str) -> None:
    whole = sum(range(320))
    sums, rows = launched(cu, sync, cooperative=True)
    assert sums == [whole] * 3
    assert rows == [[whole, rank, 0, 320, 1, 0] for rank in range(320)]


def test_any_other_grid_has_no_handle_to_wait_with(cu: Cu) -> None:
    sums, rows = launched(cu, "cudaCGSynchronize", cooperative=False)
    assert sums == [sum(range(320))] * 3
    assert [row[1:] for row in rows] == [[rank, 0, 320, 1, 1] for rank in range(320)]


@pytest.mark.parametrize("name", NAMES)
def test_definitions_are_legal(name: str) -> None:
    module = parse(HEAD)
    module.items.append(_definition(name))
    assert verify(module) == []
