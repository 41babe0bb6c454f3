"""return, break and continue of Python inside the body of a device's branch are errors, not a kernel that lacks the rest."""

from __future__ import annotations

import linecache

import pytest

import ptxgen as px
from ptxgen import f32, u32
from ptxgen.builder.control import python_exits


@px.kernel
def returns(k: px.Builder, n: u32, x: px.ptr[f32]):
    with k.if_(n > 3):
        return  # here
    x[0] = 1.0


@px.kernel
def returns_deeper(k: px.Builder, n: u32, x: px.ptr[f32], *, early: bool = False):
    with k.if_else(n > 3) as (then, otherwise):
        with then:
            x[1] = 2.0
            if early:
                return  # here
        with otherwise:
            x[2] = 1.0
    x[0] = 1.0


@px.kernel
def breaks(k: px.Builder, n: u32, x: px.ptr[f32]):
    for i in k.range(n):
        with k.if_(x[i] == 0.0):
            break  # here
        x[i] = 1.0


@px.kernel
def continues(k: px.Builder, n: u32, x: px.ptr[f32]):
    for i in k.range(n):
        with k.pred(x[i] == 0.0):
            x[i] = 2.0
            continue  # here
        x[i] = 1.0


@px.kernel
def breaks_in_python(k: px.Builder, n: u32, x: px.ptr[f32]):
    for i in range(4):
        with k.while_(lambda: n > 3):
            break  # here
        x[i] = 1.0


@px.kernel
def breaks_between(k: px.Builder, n: u32, x: px.ptr[f32]):
    with k.range(n) as i:
        for j in range(4):
            with k.if_(n > j):
                break  # here
        x[i] = 1.0


@px.func
def device_function(k: px.Builder, n: u32) -> u32:
    with k.if_(n > 3):
        return n  # here
    return n + 1


@px.kernel
def calls(k: px.Builder, n: u32, x: px.ptr[u32]):
    x[0] = device_function(n)


def helper(k, n, x):
    try:
        with k.if_(n > 3):
            return  # here
    finally:
        x[1] = 0.0


@px.kernel
def helped(k: px.Builder, n: u32, x: px.ptr[f32]):
    helper(k, n, x)
    x[0] = 1.0


@pytest.mark.parametrize(
    "kernel, word, body, remedy",
    [
        (returns, "return", "if_", "k.return_()"),
        (returns_deeper, "return", "if_else", "k.return_()"),
        (breaks, "break", "if_", "k.break_()"),
        (continues, "continue", "pred", "k.continue_()"),
        (breaks_in_python, "break", "while_", "outside the body"),
        (breaks_between, "break", "if_", "outside the body"),
        (calls, "return", "if_", "one return at the function's end"),
        (helped, "return", "if_", "k.return_()"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_body_is_not_left_the_python_way(kernel, word, body, remedy):
    for _ in range(2):  # what was found is remembered
        with pytest.raises(px.BuildError) as caught:
            kernel.module()
        (finding,) = caught.value.diagnostics
        assert finding.code == "PTX324"
        assert f"Python's {word} inside the body of k.{body}" in finding.message
        assert remedy in finding.hint
        place = finding.locations[0]
        assert linecache.getline(place.file, place.line).rstrip().endswith("# here"), place


def test_what_leaves_no_body_is_built():
    @px.kernel
    def fine(k: px.Builder, n: u32, x: px.ptr[f32], *, short: bool = True):
        def inner(i):
            return i + 1

        with k.if_(n > 3):
            for j in range(4):
                if j == 2:
                    break
                x[inner(j)] = 1.0
            for j in k.range(n):
                with k.if_(j == 2):
                    k.break_()
                x[j] = 2.0
        for i in k.range(n):
            x[i] = 3.0
            if short:
                continue
            x[i] = 4.0
        if short:
            return
        x[0] = 5.0

    assert "0f40400000" in fine.ptx()
    assert "0f40A00000" not in fine.ptx()
    assert "0f40A00000" in fine.ptx(short=False)


def test_a_function_without_source_is_built_as_it_is():
    names = {"px": px, "u32": u32, "f32": f32}
    text = "def k(k: px.Builder, n: u32, x: px.ptr[f32]):\n    with k.if_(n > 3):\n        return\n    x[0] = 1.0\n"
    exec(compile(text, "<nowhere>", "exec"), names)
    assert "st.global" not in px.kernel(names["k"]).ptx()


def test_returns_that_can_leave_no_body_are_not_looked_at(monkeypatch):
    monkeypatch.setattr(python_exits, "first_exit", lambda *_: pytest.fail("it was parsed"))

    def with_functions(k, n, x):
        def inner(i):
            return i + 1

        if n is None:
            x = n
            if x is None:
                return None
        with k.if_(n > 3):
            x[inner(1)] = 1.0
        return None

    @px.kernel
    def kernel(k: px.Builder, n: u32, x: px.ptr[f32]):
        with_functions(k, n, x)

    assert "st.global" in kernel.ptx()


@pytest.mark.parametrize("body", ["    with k.if_(n > 3): return\n", "    x[1] = 0.0; return\n"])
def test_a_return_behind_something_on_its_line_is_found(tmp_path, body):
    file = tmp_path / "kernels.py"
    file.write_text(f"def helper(k, n, x):\n    with k.if_(n > 5):\n        x[2] = 0.0\n{body}    x[0] = 1.0\n")
    names = {}
    exec(compile(file.read_text(), str(file), "exec"), names)

    @px.kernel
    def kernel(k: px.Builder, n: u32, x: px.ptr[f32]):
        names["helper"](k, n, x)

    if "with" in body:
        with pytest.raises(px.BuildError, match="return inside the body of k"):
            kernel.ptx()
    else:
        assert "st.global" in kernel.ptx()
