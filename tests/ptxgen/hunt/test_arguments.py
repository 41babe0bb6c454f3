"""How arguments are stated and guessed, and what is drawn from that."""

from __future__ import annotations

import random

import pytest

from ptxgen.hunt import PtxSubject
from ptxgen.hunt.domains import Choice, Range, SpecificationError, domain, expression
from tests.ptxgen.hunt.kernels import HEADER, scaled


def subject(*arguments: str, **shape: str) -> PtxSubject:
    return PtxSubject(scaled(), "k.ptx", arguments=arguments, **shape)


def case(made: PtxSubject, **changed: int):
    usual = {name: domain.usual() for name, domain in made.domains.items()}
    return made.case({**usual, **changed})


def test_extents_follow_the_numbers_and_arrays_are_filled_anew() -> None:
    made = subject("n=1..4096", "x=random:f32:n*2", "zeros:f32:n", grid="(n+63)//64", block="64")
    assert case(made, n=100).arguments == ("100", "random:f32:200:300", "zeros:f32:100")
    assert case(made, n=100).grid == (2, 1, 1)
    assert case(made, n=100, **{"x:seed": 5}).arguments[1] == "random:f32:200:5"
    assert made.guesses == ()
    assert case(subject("5", "random:f32:5:1", "zeros:f32:5", grid="1", block="64")) == case(
        subject("out=zeros:f32:5", "n=5", "x=random:f32:5:1", grid="1", block="64")
    )


def test_what_is_not_stated_is_guessed_from_its_use() -> None:
    made = subject("_", "zeros:f32:9")
    assert made.guesses == (
        "n: a number from 0 to 1024",
        "out: an array of 262144 .f32, as its accesses are of that type",
        "grid: 1, 2, 3, 8 CTAs along x",
        "block: 32, 64, 128, 256 threads",
    )
    parameters = ".param .align 8 .b8 s[24], .param .u64 .ptr .global p, .param .f32 a, .param .u16 h"
    text = f"{HEADER}.visible .entry k({parameters})\n{{ ret; }}"
    guessed = case(PtxSubject(text, "k.ptx"))
    assert guessed.arguments == ("bytes:" + "00" * 24, "random:u8:262144:300", "1.0", "300")


def test_directives_say_the_shape() -> None:
    made = PtxSubject(
        scaled(block=".reqntid 8, 4, 1"), "k.ptx", arguments=["1", "zeros:f32:1", "zeros:f32:1"], grid="2x3"
    )
    assert (case(made).grid, case(made).block, made.guesses) == ((2, 3, 1), (8, 4, 1), ())


@pytest.mark.parametrize(
    "text, values",
    [
        ("5", Choice((5,))),
        ("0x10,-2", Choice((16, -2))),
        ("1..9", Range(1, 9)),
        ("0.0..1", Range(0.0, 1)),
        ("n*2", None),
    ],
)
def test_domains(text: str, values: object) -> None:
    assert domain(text) == values


def test_draws_stay_in_the_range_and_like_its_edges() -> None:
    drawn = [Range(3, 1000).draw(random.Random(seed)) for seed in range(400)]
    assert 3 <= min(drawn) <= max(drawn) <= 1000
    assert {3, 1000, 31, 32, 33, 256} <= set(drawn)
    assert list(Range(3, 1000).simpler(67)) == [3, 35, 51, 59, 63, 65, 66]
    assert list(Range(3, 1000).simpler(3)) == []


def test_arithmetic() -> None:
    assert expression("(n+255)//256*m - 1 % 2").value({"n": 257, "m": 3}) == 5
    for wrong in ("n**2", "f(n)", "n.x", "n[0]", "'a'", "1.5", "n if n else 1", "(", ""):
        with pytest.raises(SpecificationError):
            expression(wrong)
    with pytest.raises(SpecificationError, match="divides by zero"):
        expression("1//n").value({"n": 0})


@pytest.mark.parametrize(
    "arguments, shape, said",
    [
        (["1", "2", "3", "4"], {}, "the kernel has 3 parameters"),
        (["n=1", "n=2"], {}, "stated twice"),
        (["9..1"], {}, "is not a range"),
        (["m=5", "zeros:f32:n"], {}, "no whole number is named 'n'"),
        (["1", "zeros:f31:n"], {}, "is not like zeros:f32:1024"),
        (["1", "zeros:tf32:4"], {}, "arrays of .tf32 cannot be made"),
        (["1", "x=garbage:3"], {}, "is no argument"),
        (["n=1", "x=zeros:f32:1", "x=zeros:f32:1"], {}, "stated twice"),
        ([], {"grid": "0"}, "an extent is a whole number from 1 on"),
        ([], {"grid": "1x1x1x1"}, "too many extents"),
        ([], {"block": "a b"}, "is no value"),
        ([], {"entry": "other"}, "has no kernel 'other'"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: list[str], shape: dict[str, str], said: str) -> None:
    from ptxgen.errors import Error

    with pytest.raises(Error, match=said):
        case(subject(*arguments, **shape))


def test_tensor_maps_are_stated_innermost_extent_first() -> None:
    text = f"{HEADER}.visible .entry k(.param .u32 n, .param .align 64 .b8 a[128])\n{{ ret; }}"
    made = PtxSubject(text, "k.ptx", arguments=["n=1..99", "a=map:bf16:256x(n+7)//8:64x32:128B"], grid="1", block="1")
    assert case(made, n=20).arguments[1] == "map:bf16:256x3:64x32:128B:300"
    assert made.guesses == ()
    assert "a tensor map is stated as" in PtxSubject(text, "k.ptx").guesses[1]


@pytest.mark.parametrize("wrong", ["map:bf16:256", "map:f99:2x2:2x2", "map:u8:2x2:2", "map:u8:2x2:2x2:12B"])
def test_what_is_no_tensor_map(wrong: str) -> None:
    text = f"{HEADER}.visible .entry k(.param .align 64 .b8 a[128])\n{{ ret; }}"
    with pytest.raises(SpecificationError):
        PtxSubject(text, "k.ptx", arguments=[wrong])
