"""Vectors: what goes lane by lane, and what is refused with the remedy."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f32, s32, u32
from ptxgen.errors import OperatorError


def _built(use):
    @px.kernel
    def kernel(k: px.Builder, x: px.ptr[f32], y: px.ptr[s32]):
        use(k, x.vectors(4)[0], x.vectors(4)[1], x, y)

    return kernel.module()


COMPARED = {
    "==": lambda k, v, w, x, y: y.store(0, k.const(s32, 1) if v == w else k.const(s32, 2)),
    "stored": lambda k, v, w, x, y: y.vectors(4).store(0, v == w),
    "== 3": lambda k, v, w, x, y: v == 3,
    "3 ==": lambda k, v, w, x, y: 3 == v,  # noqa: SIM300
    "!=": lambda k, v, w, x, y: v != w,
    "<": lambda k, v, w, x, y: v < w,
    "<=": lambda k, v, w, x, y: v <= 1.0,
    ">": lambda k, v, w, x, y: v > w,
    ">=": lambda k, v, w, x, y: 1.0 >= v,  # noqa: SIM300
    "in": lambda k, v, w, x, y: v in [w],
    "value == v": lambda k, v, w, x, y: x[0] == v,
}


@pytest.mark.parametrize("name", COMPARED)
def test_a_comparison_is_made_lane_by_lane(name):
    with pytest.raises(px.BuildError, match=r"PTX220(.|\n)*lane by lane: ") as caught:
        _built(COMPARED[name])
    assert "lambda k, v, w, x, y" in caught.value.diagnostics[0].locations[0].excerpt()


@pytest.mark.parametrize(
    "use",
    [
        lambda k, v, w, x, y: not v,
        lambda k, v, w, x, y: v and w,
        lambda k, v, w, x, y: v or w,
        lambda k, v, w, x, y: v if v else w,
        lambda k, v, w, x, y: bool(-v),
    ],
)
def test_a_vector_has_no_truth(use):
    with pytest.raises(px.BuildError, match=r"PTX320: a vec\[f32, 4\] has no truth(.|\n)*k.select") as caught:
        _built(use)
    assert "lambda k, v, w, x, y" in caught.value.diagnostics[0].locations[0].excerpt()


REFUSED = {
    "**": (lambda k, v, w, x, y: v**2, r"\*\* of vec\[f32, 4\] and int", r"v.map\(k.exp\)"),
    "r**": (lambda k, v, w, x, y: 2**v, r"\*\* of int and vec\[f32, 4\]", "one lane at a time"),
    "round": (lambda k, v, w, x, y: round(v), r"round of vec\[f32, 4\]", "one lane at a time"),
    "max": (lambda k, v, w, x, y: max(v, w), r"> of vec\[f32, 4\] and", r"k.max\(v, w\)"),
    "min": (lambda k, v, w, x, y: min(v, w), r"< of vec\[f32, 4\] and", r"k.min\(v, w\)"),
    "k.max of lengths": (lambda k, v, w, x, y: k.max(v, w[:2]), r"2 lanes with the 4 of vec\[f32, 4\]", ""),
    "k.max of types": (lambda k, v, w, x, y: k.max(v, y.vectors(4)[0]), "max of .f32 and .s32", "convert one"),
    "k.fma of types": (lambda k, v, w, x, y: k.fma(v, y[0], w), "fma of .f32 and .s32", "convert one"),
    "k.exp": (lambda k, v, w, x, y: k.exp(v), r"exp of a vec\[f32, 4\]", r"v.map\(k.exp\)"),
    "shfl": (lambda k, v, w, x, y: k.shfl_xor(v, 1), r"vec\[f32, 4\] is used where one value", "one lane at a time"),
    "v.q": (lambda k, v, w, x, y: v.q, r"vec\[f32, 4\] has no q", r"\.x, \.y, \.z, \.w or v\[i\]"),
    "~": (lambda k, v, w, x, y: ~v, "~ of .f32", r"x.bits\(b32\)"),
    "3 in memory": (lambda k, v, w, x, y: x.vectors(3), r"vec\[f32, 3\] in memory", "2, 4, 8 or 16 lanes"),
    "17 lanes": (lambda k, v, w, x, y: px.vec[f32, 17], "no vector of 17 x .f32", "2 to 16 lanes"),
    "1 lane": (lambda k, v, w, x, y: x.vectors(1), "no vector of 1 x .f32", "2 to 16 lanes"),
    "of predicates": (lambda k, v, w, x, y: v.map(lambda a: a > 0), "no vector of 4 x .pred", r"v\[0\] < w\[0\]"),
    "of numbers": (
        lambda k, v, w, x, y: v.map(lambda a: 1.0),
        "1.0 from the function of a map",
        "a value of the device",
    ),
    "one type": (lambda k, v, w, x, y: px.vec[f32, 2]((x[0], y[0])), r"a lane of vec\[f32, 2\] from .s32", "value.to"),
    "k.vec of types": (lambda k, v, w, x, y: k.vec(x[0], y[0]), r"a lane of vec\[f32, 2\] from .s32", "value.to"),
    "k.vec of numbers": (lambda k, v, w, x, y: k.vec(1, 2), r"a vector of \(1, 2\)", r"k.const\(px.vec"),
    "its count": (lambda k, v, w, x, y: px.vec[f32, 2]((x[0],)), "1 values for a vec", ""),
    "a slice of one": (lambda k, v, w, x, y: v[1:2], r"lanes \[1:2:None\]", "two lanes or more"),
    "concat beyond 16": (lambda k, v, w, x, y: v.concat(v, w, w, w), "no vector of 20 x .f32", "2 to 16 lanes"),
    "v[4]": (lambda k, v, w, x, y: v[4], "lane 4 of vec", "0 to 3"),
    "to a name": (lambda k, v, w, x, y: v.to("s32"), "'s32' is not a type of the device", "s32 itself"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_vectors_do_not_have(name):
    use, said, remedy = REFUSED[name]
    with pytest.raises(px.BuildError, match=rf"PTX2\d\d: {said}(.|\n)*{remedy}") as caught:
        _built(use)
    assert "lambda k, v, w, x, y" in caught.value.diagnostics[0].locations[0].excerpt()
    if name == "**":
        assert isinstance(caught.value, OperatorError)


def test_what_is_not_a_variable_is_not_written():
    for use in (lambda k, v, w, x, y: v.set(w), lambda k, v, w, x, y: v.__setitem__(0, x[0])):
        with pytest.raises(px.BuildError, match=r"PTX326(.|\n)*k.var\(px.vec\[f32, 4\], 0\)"):
            _built(use)


def test_vectors_are_keys_by_identity():
    def use(k, v, w, x, y):
        found = {v: 1, w: 2}
        assert (found[v], found[w], v in {v}) == (1, 2, True)

    _built(use)


@px.kernel
def lanes(k: px.Builder, x: px.ptr[f32], y: px.ptr[s32]):
    v = x.vectors(4)[0]
    out = y.vectors(4)
    out[0] = (-v).to(s32)
    out[1] = (+v).to(s32)
    out[2] = abs(v).to(s32)
    out[3] = k.abs(v).to(s32)
    out[4] = ~v.to(s32)
    out[5] = v.bits(s32)
    equal = (v[0] == v[1]) & (v[2] == v[2])
    out[6] = k.select(equal, v, -v).to(s32)


def test_unary_operators_and_conversions_go_lane_by_lane(dev):
    host = np.array([1.5, -2.25, 3.0, -4.0], np.float32)
    y = dev.zeros(28, s32)
    lanes[1, 1](dev.array(host), y)
    found = y.numpy().reshape(7, 4)
    whole = host.astype(np.int32)
    expected = [-whole, whole, abs(whole), abs(whole), ~whole, host.view(np.int32), -whole]
    np.testing.assert_array_equal(found, expected)


@px.kernel
def staged(k: px.Builder, x: px.ptr[f32], y: px.ptr[f32]):
    odd = k.shared(f32, 3)
    tile = k.shared(f32, (2, 4))
    mine = k.local(f32, 4)
    odd[0] = 1.0
    tile.vectors(4)[1] = x.vectors(4)[0] + odd[0]
    mine.vectors(2)[1] = (tile[1, 2], tile[1, 3])
    y.vectors(4)[0] = (tile[1, 0], tile[1, 1], mine[2], mine[3])


def test_arrays_as_vectors_are_aligned(dev):
    text = str(staged.module(target="sm_80"))
    assert ".shared .align 16 .b8" in text or ".shared .align 16 .f32" in text
    assert ".local .align 8" in text
    y = dev.zeros(4, f32)
    staged[1, 1](dev.array(np.arange(4, dtype=np.float32)), y)
    np.testing.assert_array_equal(y.numpy(), [1, 2, 3, 4])


def test_the_launch_s_shared_memory_as_vectors():
    @px.kernel
    def kernel(k: px.Builder, x: px.ptr[f32]):
        k.dynamic_shared(f32, align=4).vectors(4)[0] = x.vectors(4)[0]

    assert ".extern .shared .align 16" in str(kernel.module())


@px.func
def scaled(k: px.Builder, a: u32, scale: u32 = 2, *, exact: bool = False) -> u32:
    return a * scale


def test_a_call_s_parameters_are_positional():
    def use(k, v, w, x, y):
        scaled(x[0].to(u32), scale=5)

    with pytest.raises(
        px.BuildError, match=r"'scale' is a parameter of the call, and those are pos(.|\n)*scaled\(a, scale\)"
    ) as caught:
        _built(use)
    assert "scale=5" in caught.value.diagnostics[0].locations[0].excerpt()
