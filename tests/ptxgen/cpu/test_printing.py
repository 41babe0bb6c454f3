"""vprintf on the CPU device: what C's printf would print, a text of each thread in one piece."""

from __future__ import annotations

import ctypes
import io
import struct
from contextlib import redirect_stdout

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxgen.cpu.fault import KernelFault
from ptxgen.cpu.printf import ArgumentReader, format_text
from tests.ptxgen.cpu.machine import BASE, FAST, run

DECLARED = ".extern .func (.param .b32 status) vprintf (.param .b64 format, .param .b64 arguments);\n"


def _text(name: str, text: str) -> str:
    data = [*text.encode(), 0]
    return f".global .align 1 .b8 {name}[{len(data)}] = {{{', '.join(map(str, data))}}};\n"


def _shown(form: str, data: bytes, texts: dict[int, str] | None = None) -> str:
    reader = ArgumentReader(lambda at, nbytes: data[at : at + nbytes].ljust(nbytes, b"\0"))
    return format_text(form, reader, lambda address: (texts or {})[address])


_snprintf = ctypes.CDLL(None).snprintf


def _by_c(form: str, value: int | float) -> str:
    buffer = ctypes.create_string_buffer(4096)
    passed = ctypes.c_double(value) if isinstance(value, float) else ctypes.c_longlong(value)
    _snprintf(buffer, ctypes.c_size_t(4096), form.encode(), passed)
    return buffer.value.decode("latin-1")


flags = st.lists(st.sampled_from("-+ #0"), max_size=3, unique=True).map("".join)
width = st.sampled_from(["", "1", "8", "20"])
precision = st.sampled_from(["", ".", ".0", ".3", ".12"])
numbers = st.integers(-(2**63), 2**63 - 1) | st.integers(-300, 300)


@given(flags, width, precision, st.sampled_from(["", "h", "hh", "l", "ll"]), st.sampled_from("diuxXo"), numbers)
def test_integers_as_c_prints_them(flags, width, precision, size, kind, value):
    form = f"[%{flags}{width}{precision}{size}{kind}]"
    assert _shown(form, struct.pack("<q", value)) == _by_c(form, value)


doubles = st.floats(allow_nan=False) | st.sampled_from([0.0, -0.0, 1.0, 1e-9, 123456789.0, float("inf")])


@given(flags, width, precision, st.sampled_from("fFeEgG"), doubles)
def test_floats_as_c_prints_them(flags, width, precision, kind, value):
    form = f"[%{flags}{width}{precision}{kind}]"
    assert _shown(form, struct.pack("<d", value)) == _by_c(form, value)


@pytest.mark.parametrize("value", [1.0, -1.5, 0.1, 0.0, 3e300, float("inf")])
def test_hexadecimal_floats_as_c_prints_them(value):
    for form in ("%a", "%A", "[%20a]", "[%-20a]"):
        assert _shown(form, struct.pack("<d", value)) == _by_c(form, value)


def test_other_conversions():
    assert _shown("100%% %c|%5s|%p", struct.pack("<I4xQQ", 65, 7, 4096), {7: "ab"}) == "100% A|   ab|0x1000"
    assert _shown("%*d|%-*d|%.*f", struct.pack("<IIiIiId", 5, 1, 3, 2, 1, 0, 0.25)) == "    1|2  |0.2"
    assert _shown("%q %", b"") == "%q %"


BODY = """
	.local .align 8 .b8 values[16];
	{
		.param .b64 a; .param .b64 b; .param .b32 c;
		mov.u64 %d1, form; cvta.global.u64 %d1, %d1;
		mov.u64 %d2, values; st.local.u32 [values], %w; st.local.f64 [values+8], 0d3FF8000000000000; cvta.local.u64 %d3, %d2;
		setp.lt.u32 %p1, %t, 2;
		st.param.b64 [a], %d1; st.param.b64 [b], %d3;
		@%p1 call (c), vprintf, (a, b);
		ld.param.b32 %r1, [c];
	}
	@!%p1 mov.b32 %r1, 77;
	st.global.u32 [%o], %r1;
"""


@pytest.mark.parametrize("options", [BASE, FAST], ids=["base", "fast"])
def test_a_launch_prints_to_sys_stdout_and_threads_get_the_count(options):
    before = DECLARED + _text("form", "thread %d: %g ü\n")
    with redirect_stdout(io.StringIO()) as printed:
        result = run(BODY, before=before, grid=(2, 1, 1), block=(4, 1, 1), options=options)
    assert sorted(printed.getvalue().splitlines()) == [f"thread {n}: 1.5 ü" for n in (0, 1, 4, 5)]
    assert result.u32[:8] == [2, 2, 77, 77, 2, 2, 77, 77]


def test_what_was_printed_before_a_fault_is_there():
    with redirect_stdout(io.StringIO()) as printed, pytest.raises(KernelFault, match="trap"):
        run(f"{BODY}\tbar.sync 0; trap;", before=DECLARED + _text("form", "%d\n"), block=(4, 1, 1))
    assert printed.getvalue() == "0\n1\n"


@pytest.mark.parametrize("form,arguments", [("%d", "%d5"), ("%s", "%d3"), ("", "%d3")])
def test_what_a_thread_may_not_read_is_a_fault(form, arguments):
    text = "mov.u64 %d1, form;" if form else "mov.b64 %d1, 4096;"
    body = f"""
	.local .align 8 .b8 values[16];
	mov.b64 %d5, 24; mov.u64 %d2, values; st.local.u64 [values], %d5; cvta.local.u64 %d3, %d2;
	{text} cvta.global.u64 %d1, %d1;
	call (%r1), vprintf, (%d1, {arguments});"""
    with pytest.raises(KernelFault, match="call reads") as caught:
        run(body, before=DECLARED + _text("form", form))
    assert (caught.value.kind, caught.value.address) == ("illegal address", 24 if form else 4096)
    assert caught.value.thread == (0, 0, 0)


class _Narrow(io.StringIO):
    def write(self, text: str) -> int:
        return super().write(text.encode("ascii").decode())


def test_a_stdout_that_cannot_show_a_text_or_is_closed():
    with redirect_stdout(_Narrow()) as printed:
        run(BODY, before=DECLARED + _text("form", "ü %d\n"), block=(1, 1, 1))
    assert printed.getvalue() == "\\xfc 0\n"
    printed.close()
    with redirect_stdout(printed):
        assert run(BODY, before=DECLARED + _text("form", "%d\n"), block=(1, 1, 1)).u32[:1] == [1]


class _Interrupting(io.StringIO):
    def write(self, text: str) -> int:
        raise KeyboardInterrupt


def test_an_interrupt_while_a_thread_prints_ends_the_launch():
    body = f"{BODY}\nAGAIN: bra AGAIN;"
    with redirect_stdout(_Interrupting()), pytest.raises(KeyboardInterrupt):
        run(body, before=DECLARED + _text("form", "%d\n"), block=(4, 1, 1))
