"""A method that the builder does not have: the error names the one that is meant."""

from __future__ import annotations

import copy
import warnings

import pytest

import ptxgen as px
from ptxgen import f32, u32
from ptxgen.builder.suggestions import _MEANT, hint_for


def _traced(use):
    """What `use` gives for a builder and its parameters, and the module."""
    found = []

    @px.kernel
    def kernel(k: px.Builder, n: u32, x: px.ptr[f32]):
        found.append(use(k, n, x))

    module = kernel.module()
    return found[0], module


@pytest.mark.parametrize(
    "name, said",
    [
        ("sqr", r"no sqr: there is k\.sqrt"),
        ("shfl_xr", r"k\.shfl_xor"),
        ("maximum", r"there is k\.max"),
        ("syncthreads", r"there is k\.barrier"),
        ("pow", r"nor has PTX an instruction for it: k\.exp2"),
        ("erf", "nor has PTX an instruction for it"),
        ("printf", "print it on the host"),
        ("zzzzzz", r"k\.ptx has every instruction"),
    ],
)
def test_a_name_that_is_missing(name, said):
    with pytest.raises(AttributeError, match=said) as caught:
        _traced(lambda k, n, x: getattr(k, name))
    assert isinstance(caught.value, px.BuildError)
    assert "getattr(k, name)" in caught.value.diagnostics[0].locations[0].excerpt()


def test_another_object_s_missing_attribute_stays_what_it_is():
    with pytest.raises(AttributeError, match="'list' object has no attribute 'add'") as caught:
        _traced(lambda k, n, x: [].add)
    assert not isinstance(caught.value, px.Error)


def test_most_names_of_cuda_lead_to_a_method():
    known = dir(px.Builder)
    assert sum(f"k.{meant}" in hint_for(name, known) for name, meant in _MEANT.items()) > 40


def test_python_s_own_protocols_go_on():
    found, _ = _traced(lambda k, n, x: (hasattr(k, "nothing"), getattr(k, "nothing", 7), copy.copy(k).name))
    assert found == (False, 7, "kernel")


@pytest.mark.parametrize("method", ["if_", "if_else", "while_", "pred"])
def test_a_body_that_no_with_opens(method):
    def use(k, n, x):
        getattr(k, method)((lambda: n > 3) if method == "while_" else n > 3)
        x[0] = 1.0

    with pytest.raises(px.BuildError, match="PTX327") as caught:
        _traced(use)
    (finding,) = caught.value.diagnostics
    assert f"k.{method} without `with`" in finding.message
    assert finding.hint == f"with k.{method}(...):"
    assert "getattr(k, method)" in finding.locations[0].excerpt()


def test_a_body_may_be_opened_later():
    def use(k, n, x):
        body = k.if_(n > 3)
        x[1] = 1.0
        with body:
            x[0] = 1.0

    _, module = _traced(use)
    assert str(module).count("st.global") == 2


def test_a_variable_of_a_type_s_name():
    with pytest.raises(px.BuildError, match="'f32' is not a type"):
        _traced(lambda k, n, x: k.var("f32", 1.0))


def test_a_warning_names_the_user_s_line():
    @px.kernel
    def kernel(k: px.Builder, n: u32, x: px.ptr[f32]):
        with k.if_(n >= 0):  # here
            x[0] = 1.0

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kernel.module()
    assert [w.category for w in caught] == [px.PtxWarning]
    with open(__file__) as text:
        lines = text.readlines()
    assert caught[0].filename == __file__
    assert lines[caught[0].lineno - 1].rstrip().endswith("# here")


def test_a_warning_may_be_an_error():
    @px.kernel
    def kernel(k: px.Builder, n: u32, x: px.ptr[f32]):
        with k.if_(n >= 0):
            x[0] = 1.0

    with warnings.catch_warnings():
        warnings.simplefilter("error", px.PtxWarning)
        with pytest.raises(px.PtxWarning, match="PTX312"):
            kernel.module()
