"""What the CPU device does not run is an UnsupportedError at the program's own line; what is undefined, a JitError."""

from __future__ import annotations

import pytest

import driver_ctypes as dc
import ptxgen as px
from ptxgen import u32

pytestmark = pytest.mark.cpu_only


@px.kernel
def reduces(k: px.Builder, a: px.ptr[u32]) -> None:
    k.ptx.multimem.ld_reduce.relaxed.sys.global_.add.u32(k.var(u32), a)


def test_an_instruction_that_does_not_run(dev: px.Device) -> None:
    with pytest.raises(px.UnsupportedError, match=r"does not run multimem\.ld_reduce") as caught:
        reduces[1, 32](dev.zeros(32, u32))
    (finding,) = caught.value.diagnostics
    assert finding.locations[0].file == __file__
    assert finding.locations[0].excerpt().startswith("k.ptx.multimem.ld_reduce")
    assert "GPU" in str(caught.value)


def test_the_binding_alone_says_not_supported(dev: px.Device) -> None:
    with pytest.raises(dc.JitError) as caught:
        dev.context.load(reduces.ptx(target=dev.target))
    assert caught.value.name == "CUDA_ERROR_NOT_SUPPORTED"
    assert caught.value.messages[0].line is not None


def test_what_nothing_defines_is_the_program_s_fault(dev: px.Device) -> None:
    text = """.version 7.0\n.target sm_50\n.address_size 64
.extern .func elsewhere;
.visible .entry k() { call elsewhere; ret; }
"""
    with pytest.raises(dc.JitError) as caught:
        dev.load(px.parse(text))
    assert caught.value.name == "CUDA_ERROR_INVALID_PTX"


def test_a_register_and_a_number(dev: px.Device) -> None:
    """Assemblers take it."""
    text = """.version 7.0\n.target sm_50\n.address_size 64
.visible .entry k() { .reg .u32 %r<3>; mov.u32 %r1, 5; mov.u32 %r2, %r1+8; ret; }
"""
    with pytest.raises(px.UnsupportedError, match=r"%r1\+8, as an operand of mov"):
        dev.load(px.parse(text))
