"""`k.print`: lines that threads print, on the CPU device and on a GPU."""

from __future__ import annotations

import ctypes
import math
import struct
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ptxgen as px
from ptxgen import b8, b32, b64, bf16, e4m3, e5m2, f16, f32, f64, s8, s32, s64, u8, u16, u32, u64
from ptxgen.builder.debugging.formats import PrintedText, printed_text
from ptxgen.cpu.printf import ArgumentReader, format_text


@pytest.fixture
def printed(dev, capfd):
    """Launch; the lines that come to the process's standard output."""

    def launch(kernel, *arguments, block=1, **options):
        capfd.readouterr()
        given = [dev.array(each) if isinstance(each, np.ndarray) else each for each in arguments]
        if isinstance(kernel, px.Kernel):
            kernel[1, block](*given, **options)
        else:
            kernel()
        dev.synchronize()
        ctypes.CDLL(None).fflush(None)  # on a GPU the driver writes, through the C library
        return capfd.readouterr().out.splitlines()

    return launch


@px.kernel
def of_types(k: px.Builder, bits: u64, x: f64, pointer: px.ptr[f32]):
    word, half = bits.to(u32), bits.to(u16)
    k.print("{} {} {} {}", word, word.bits(s32), bits, bits.bits(s64))
    k.print("{} {} {} {}", bits.to(u8), bits.to(u8).bits(s8), half, bits.to(u8).bits(b8))
    k.print("{} {} {:X}", word.bits(b32), bits.bits(b64), half)
    k.print("{} {:.3f} {:g} {}", x, x, x.to(f32), x.to(f16))
    k.print("{} {} {:d}", x.to(bf16), x > 1e9, x > 0.0)
    k.print("{}", pointer)


@px.kernel
def of_fp8(k: px.Builder, x: f32):
    k.print("{} {:.2f}", x.to(e4m3), x.to(e5m2))


def test_every_type(printed):
    lines = printed(of_types, 0xFFFF_FFFE_8000_00F1, 2.5, np.zeros(1, np.float32))
    assert lines[:5] == [
        "2147483889 -2147483407 18446744067267100913 -6442450703",
        "241 -15 241 0xf1",
        "0x800000f1 0xfffffffe800000f1 F1",
        "2.5 2.500 2.5 2.5",
        "2.5 0 1",
    ]
    assert lines[5].startswith("0x")
    assert printed(of_fp8, -3.5) == ["-3.5 -3.50"]


SPECS = ["", "5", "<5", ">7", "05", "x", "#x", "#10x", "08X", "o", "d", "-5d", " >6"]
SIGNED = ["+", " ", "+06", "<+6d"]
FLOATS = ["g", ".3f", "10.2e", "<10.1f", "+.0f", "010.4G", "E", "#.0f", " .1f", ".0e"]


@px.kernel
def of_specs(k: px.Builder, n: u32, s: s32, x: f64, wide: u64):
    for spec in SPECS:
        k.print(f"[{{:{spec}}}] [{{:{spec}}}]", n, wide)
    for spec in SIGNED:
        k.print(f"[{{:{spec}}}]", s)
    for spec in FLOATS:
        k.print(f"[{{:{spec}}}]", x)


@pytest.mark.parametrize(
    "n,s,x,wide", [(3054, -17, -1234.5678, 2**63 + 5), (7, 5, 0.000123, 12), (2**32 - 1, 12345678, math.inf, 1)]
)
def test_formats_as_python_has_them(printed, n, s, x, wide):
    expected = [f"[{n:{spec}}] [{wide:{spec}}]" for spec in SPECS]
    expected += [f"[{s:{spec}}]" for spec in SIGNED]
    expected += [f"[{x:{spec}}]" for spec in FLOATS]
    if x == math.inf:  # C pads no infinity with zeros
        expected = [line.replace("[0000000INF]", "[       INF]") for line in expected]
    assert printed(of_specs, n, s, x, wide) == expected


specs = st.builds(
    "".join,
    st.tuples(
        *map(
            st.sampled_from,
            (["", "", "<", ">", "^"], ["", "+", "-", " "], ["", "#"], ["", "0"], ["", "1", "9"], ["", "", ","],
             ["", ".0", ".4"], ["", *"dxXoeEfFgGcb%"]),
        )
    ),
)  # fmt: skip
doubles = st.floats(allow_infinity=False, allow_nan=False)
values = st.tuples(st.just("x"), doubles) | st.tuples(st.just("n"), st.integers(1, 2**32 - 1))


@given(specs, values | st.tuples(st.just("s"), st.integers(0, 2**31 - 1)))
def test_a_format_that_is_taken_means_what_python_means(spec, value):
    name, number = value
    texts: list[PrintedText] = []

    def probe(k, n: u32, s: s32, x: f64):
        texts.append(printed_text(f"[{{:{spec}}}]", ({"n": n, "s": s, "x": x}[name],)))

    with suppress(px.BuildError):  # a field that printf does not have
        px.kernel(probe).module()
    if not texts:
        return
    data = struct.pack({"n": "<I", "s": "<i", "x": "<d"}[name], number)
    shown = format_text(texts[0].form, ArgumentReader(lambda at, nbytes: data[at : at + nbytes]), str)
    named = spec if name != "x" or spec[-1:].isalpha() else f"{spec}g"
    assert shown == f"[{format(number, named)}]"


@px.func
def shows(k: px.Builder, x: u32) -> u32:
    k.print("in a function {}", x)
    return x + 1


@px.kernel
def of_places(k: px.Builder, n: u32, *, name: str = "ü"):
    t = k.tid.x
    k.print("{1} {0} {1} 100% {{}} {2!r} {3:>4}", t, n, name, 1.5, when=t == 2)
    k.print("never", when=False)
    k.print("once", when=(t == 0) & (n == 7))
    with k.if_(t == 1):
        k.print("branch {}", shows(t))
    with k.pred(t == 3):
        k.print("guarded {}", t)
    count = k.var(u32, 0)
    for i in k.range(2):
        count += 10
        k.print("round {} {}", i, count, when=t == 0)


def test_who_prints_and_what_is_known_while_building(printed):
    lines = printed(of_places, 7, block=4)
    first = ["7 2 7 100% {} 'ü'  1.5", "branch 2", "guarded 3", "in a function 1", "once", "round 0 10", "round 1 20"]
    assert sorted(lines) == first
    assert lines.index("in a function 1") < lines.index("branch 2")
    assert "7 2 7 100% {} '50%'  1.5" in printed(of_places, 7, block=4, name="50%")


@px.kernel
def one(k: px.Builder, n: u32):
    k.check(n > 3)
    k.print("one {}", n)


@px.kernel
def two(k: px.Builder, n: u32):
    k.check(n > 3)
    k.print("two {}", n)


def test_modules_that_are_linked_share_what_is_the_driver_s(dev, printed):
    with dev.context.linker() as linker:
        for kernel in (one, two):
            linker.add(kernel.ptx(target=dev.target.rstrip("af"), lines=True), name=kernel.__name__)
        image = linker.complete().image
    with dev.context.load(image) as module:
        assert printed(lambda: [module.function(name).launch(1, 1, 7) for name in ("one", "two")]) == ["one 7", "two 7"]


def test_every_target_assembles_it(assembles):
    assembles([of_types, of_places])
    assembles([of_fp8], ["sm_89", "sm_100a"])


@px.kernel
def without(k: px.Builder, n: u32):
    k.print("never", when=False)


def test_a_text_is_in_the_module_once_and_values_share_their_memory():
    @px.kernel
    def twice(k, n: u32):
        k.print("a {}", n)
        k.print("a {}", n + 1)
        k.print("b {} {}", n.to(u64), n)

    text = str(twice.module())
    assert (text.count(".global .align 1"), text.count("vprintf("), text.count("call.uni")) == (2, 1, 3)
    assert text.count(".local") == text.count(".local.u32") + 1 + text.count(".local.u64")
    assert ".local .align 8 .b8 _ptxgen_printed[16];" in text
    assert "vprintf" not in str(without.module())


def _misuse():
    def too_few(k, n, x):
        k.print("{} {}", n)  # here

    def too_many(k, n, x):
        k.print("{}", n, n)  # here

    def by_name(k, n, x):
        k.print("{n}", n)  # here

    def mixed(k, n, x):
        k.print("{} {0}", n)  # here

    def unclosed(k, n, x):
        k.print("{", n)  # here

    def converted(k, n, x):
        k.print("{!r}", n)  # here

    def middle(k, n, x):
        k.print("{:^5}", n)  # here

    def filled(k, n, x):
        k.print("{:*>5}", n)  # here

    def grouped(k, n, x):
        k.print("{:,}", n)  # here

    def precise(k, n, x):
        k.print("{:.3}", n)  # here

    def signed(k, n, x):
        k.print("{:+}", n)  # here

    def fraction(k, n, x):
        k.print("{:f}", n)  # here

    def hexadecimal(k, n, x):
        k.print("{:x}", x[0])  # here

    def nonsense(k, n, x):
        k.print("{:5 5}", n)  # here

    def known(k, n, x):
        k.print("{:d}", "text")  # here

    def nul(k, n, x):
        k.print("a\0b")  # here

    def nul_inside(k, n, x):
        k.print("{}", "a\0b")  # here

    def many(k, n, x):
        k.print("{} " * 33, *[n] * 33)  # here

    for trap in (
        too_few, too_many, by_name, mixed, unclosed, converted, middle, filled, grouped, precise, signed, fraction,
        hexadecimal, nonsense, known, nul, nul_inside, many,
    ):  # fmt: skip
        yield trap, "PTX221", "the format "

    def no_text(k, n, x):
        k.print(n)  # here

    def packed(k, n, x):
        k.print("{}", x.vectors(4)[0])  # here

    def pairs(k, n, x):
        k.print("{}", n.bits(px.f16x2))  # here

    def no_condition(k, n, x):
        k.print("{}", n, when=n)  # here

    yield no_text, "PTX220", "a format is a str"
    yield packed, "PTX220", "lane by lane"
    yield pairs, "PTX220", "cannot be printed"
    yield no_condition, "PTX206", "a condition is a predicate"

    def guarded_twice(k, n, x):
        with k.pred(n > 3):
            k.print("{}", n, when=n < 5)  # here

    yield guarded_twice, "PTX328", "inside k.pred"


@pytest.mark.parametrize("trap,code,message", list(_misuse()), ids=lambda each: getattr(each, "__name__", ""))
def test_what_cannot_be_printed_is_told_at_its_line(trap, code, message):
    trap.__annotations__ = {"n": u32, "x": px.ptr[f32]}
    with pytest.raises(px.BuildError, match=message) as caught:
        px.kernel(trap).module()
    (finding,) = caught.value.diagnostics
    assert finding.code == code
    assert finding.locations[0].excerpt().endswith("# here")


def test_a_kernel_called_vprintf():
    def vprintf(k, n: u32):
        k.print("{}", n)

    vprintf.__annotations__ = {"n": u32}
    with pytest.raises(px.BuildError, match="rename it"):
        px.kernel(vprintf).module()
