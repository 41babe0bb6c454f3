"""What the CPU device does not run is an UnsupportedError at the program's own line; what is undefined, a JitError."""

from __future__ import annotations

import pytest

import driver_ctypes as dc
import ptxgen as px
from ptxgen import s32, u32
from ptxgen.emulated_driver.errors.refusal import Refusal
from ptxgen.emulated_driver.state.machine import Machine, driver_version
from ptxgen.isa.targets import VERSIONS

pytestmark = pytest.mark.cpu_only


@px.kernel
def reduces(k: px.Builder, a: px.ptr[u32]) -> None:
    d, e, f = k.var(s32, 0), k.var(s32, 0), k.var(u32, 0)
    k.ptx.mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32.xor.popc((d, e), (f,), (f,), (d, e))


def test_an_instruction_that_does_not_run(dev: px.Device) -> None:
    with pytest.raises(px.UnsupportedError, match=r"does not run mma\.sync") as caught:
        reduces[1, 32](dev.zeros(32, u32))
    (finding,) = caught.value.diagnostics
    assert finding.locations[0].file == __file__
    assert finding.locations[0].excerpt().startswith("k.ptx.mma.sync")
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


def test_a_register_and_a_number_of_8_bits(dev: px.Device) -> None:
    """Assemblers take it."""
    text = """.version 7.0\n.target sm_50\n.address_size 64
.visible .entry k(.param .u64 p) {
    .reg .b64 %a; .reg .b8 %r;
    ld.param.u64 %a, [p]; ld.global.b8 %r, [%a]; st.global.b8 [%a], %r+8; ret;
}
"""
    with pytest.raises(px.UnsupportedError, match=r"%r\+8, of 8 bits, as an operand of st.global.b8"):
        dev.load(px.parse(text))


_MMA = "mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32.xor.popc {%r0, %r1}, {%r2}, {%r3}, {%r0, %r1};"
_TWO = """.version {version}
.target {target}
.address_size 64
.func refused(.reg .u64 %a) {{ .reg .b32 %r<4>; {mma} ret; }}
.global .u32 picture;
.visible .entry runs(.param .u64 p) {{ .reg .b64 %a; ld.param.u64 %a, [p]; st.global.u32 [%a], 7; ret; }}
.visible .entry calls(.param .u64 p) {{ .reg .b64 %a; ld.param.u64 %a, [p]; call refused, (%a); ret; }}
.visible .entry looks(.param .u64 p) {{
    .reg .b32 %r<4>;
    {mma} ret;
}}
"""


def test_one_kernel_is_refused_and_the_others_run(dev: px.Device) -> None:
    """The instruction in a function that one kernel calls; one that another one has itself."""
    kernels = dev.load(px.parse(_TWO.format(version="8.1", target="sm_90", mma=_MMA), "two.ptx"))
    out = dev.zeros(1, u32)
    kernels["runs"].launch(1, 1, (out,))
    assert out.numpy().tolist() == [7]
    assert list(kernels) == ["runs"]
    with pytest.raises(px.UnsupportedError, match=r"does not run mma\.sync") as caught:
        kernels["calls"]
    assert (caught.value.diagnostics[0].locations[0].file, caught.value.diagnostics[0].locations[0].line) == (
        "two.ptx",
        4,
    )
    with pytest.raises(px.UnsupportedError, match="does not run"):
        kernels["looks"]


def test_more_refused_kernels_than_the_log_has_room_for(dev: px.Device) -> None:
    text = _TWO.format(version="8.1", target="sm_90", mma=_MMA)
    one = next(line for line in text.splitlines() if "entry calls" in line)
    kernels = dev.load(px.parse(text + "\n".join(one.replace("calls", f"calls{i}") for i in range(150))))
    assert list(kernels) == ["runs"]
    for name in ("calls0", "calls149"):
        with pytest.raises(px.UnsupportedError, match=r"does not run mma\.sync"):
            kernels[name]


def test_the_binding_alone_says_which_kernel(dev: px.Device) -> None:
    text = _TWO.format(version="8.1", target="sm_90", mma=_MMA)
    module = dev.context.load(text)
    assert module.function_names() == ("runs",)
    assert "line 4; warning : kernel 'calls': " in module.info_log
    with pytest.raises(dc.NotSupportedError, match=r"kernel 'calls': .*mma"):
        module.function("calls")
    with dev.context.load_library(text) as library:
        assert set(library.kernel_names()) == {"runs", "calls", "looks"}


_STORE = """.version {version}
.target {target}
.address_size 64
.visible .entry k(.param .u64 p) {{ .reg .b64 %a; ld.param.u64 %a, [p]; st.global.u32 [%a], 7; ret; }}
"""


@pytest.mark.parametrize(
    "version, target",
    [("9.5", "sm_90"), ("9.4", "sm_75"), ("9.1", "sm_50"), ("6.0", "sm_35"), ("4.1", "sm_37"), ("2.3", "sm_20"),
     ("2.3", "sm_13"), ("6.0", "compute_30")],
)  # fmt: skip
def test_every_version_and_older_targets_run(dev: px.Device, version: str, target: str) -> None:
    out = dev.zeros(1, u32)
    dev.load(px.parse(_STORE.format(version=version, target=target)))["k"].launch(1, 1, (out,))
    assert out.numpy().tolist() == [7]


def test_a_version_that_nobody_knows_is_refused(dev: px.Device) -> None:
    newest = ".".join(map(str, VERSIONS[-1]))
    with pytest.raises(dc.JitError, match=rf"Unsupported .version 99.9; current version is '{newest}'"):
        dev.context.load(_STORE.format(version="99.9", target="sm_90"))


def test_the_driver_states_the_version_that_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTXGEN_CPU_DRIVER", "12.4")
    assert driver_version.__wrapped__() == 12040
    monkeypatch.setenv("PTXGEN_CPU_DRIVER", "9")
    with pytest.raises(Refusal, match="PTXGEN_CPU_DRIVER is '9', not a CUDA version"):
        Machine().start()
