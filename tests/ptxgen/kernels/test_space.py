"""A kernel's parameter space: what its rules leave, in which order, and what is said of what they remove."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ptxgen as px
from ptxgen.isa.targets import find_target
from ptxgen.kernels.space import MOST, Config, as_shape, shape_class
from ptxgen.kernels.winners import DeviceIdentity, Winner

TARGET = find_target("sm_90a")


def configs(space: px.Space, *shapes: object) -> list[str]:
    return [str(config) for config in space.survey(shapes or [1], TARGET).configs]


def test_the_order_is_that_of_the_axes_and_their_values() -> None:
    assert configs(px.Space(bm=(64, 128), stages=(3, 2))) == [
        "bm=64 stages=3", "bm=64 stages=2", "bm=128 stages=3", "bm=128 stages=2"
    ]  # fmt: skip


def test_rules_ask_for_axes_shape_target_and_config() -> None:
    space = px.Space(
        bm=(64, 128),
        split=(1, 2),
        where=(
            lambda split, shape: shape[0] % split == 0,
            lambda bm, target: bm * 1000 < target.shared_optin,
            lambda config: config["bm"] + config["split"] != 130,
            lambda **axes: sorted(axes) == ["bm", "split"],
        ),
    )
    assert configs(space, 8) == ["bm=64 split=1", "bm=64 split=2", "bm=128 split=1"]
    assert configs(space, 8, 7) == ["bm=64 split=1", "bm=128 split=1"]


def test_what_each_rule_removed_is_counted() -> None:
    def even(bm: int) -> bool:
        return bm % 2 == 0

    space = px.Space(bm=(63, 64), stages=(1, 2, 3), where=(even, lambda stages: stages > 3))
    survey = space.survey([1], TARGET)
    assert (survey.configs, survey.size) == ((), 6)
    assert [count for _, count in survey.removed] == [3, 3]
    assert str(survey).splitlines()[0] == "0 of 6 configurations are left"
    assert "even (test_space.py:" in str(survey)
    assert "removed by lambda stages: stages > 3 (test_space.py" in str(survey)


@given(
    st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=4, unique=True), min_size=1, max_size=3),
    st.integers(0, 20),
)
def test_early_rules_leave_what_filtering_the_product_leaves(axes: list[list[int]], most: int) -> None:
    """A rule is asked before the later axes are chosen; that changes nothing but the time."""
    names = "abc"[: len(axes)]
    rules = (lambda a: a % 3 != 1, lambda config: sum(config.values()) <= most)
    space = px.Space(where=rules, **dict(zip(names, axes)))
    survey = space.survey([1], TARGET)
    expected = [v for v in product(*axes) if v[0] % 3 != 1 and sum(v) <= most]
    assert [tuple(config.values()) for config in survey.configs] == expected
    assert len(survey.configs) + sum(count for _, count in survey.removed) == survey.size


@pytest.mark.parametrize(
    "wrong, said",
    [
        ({}, "a space has at least one axis"),
        ({"bm": ()}, "the axis 'bm' has no values"),
        ({"bm": 64}, r"the axis 'bm' is 64, not values.*Fix: bm=\(64,\)"),
        ({"bm": "64"}, "the axis 'bm' is '64', not values"),
        ({"bm": (px.f32,)}, "types are fixed by kernel.using"),
        ({"bm": (float("nan"),)}, "has nan"),
        ({"bm": (1, 2, 1)}, "has a value twice"),
        ({"shape": (1,)}, "cannot be called 'shape'"),
        ({"bm": (1,), "where": lambda bn: True}, r"asks for 'bn', which is no axis.*Fix: axes are bm; a rule may ask for shape"),
        ({"bm": (1,), "where": min}, "has no signature that can be read"),
    ],
)  # fmt: skip
def test_what_is_no_space_is_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(px.BuildError, match=f"(?s){said}"):
        px.Space(**wrong)


def test_a_rule_that_raises_is_told_with_the_configuration() -> None:
    space = px.Space(bm=(1, 0), where=lambda bm: 1 // bm)
    with pytest.raises(px.BuildError, match=r"raised ZeroDivisionError: .* for bm=0, shape"):
        space.survey([1], TARGET)


def test_a_space_may_be_large_but_not_what_is_left_of_it() -> None:
    axes = {f"a{number}": range(100) for number in range(5)}
    assert len(px.Space(where=lambda a0: a0 < 0, **axes).survey([1], TARGET).configs) == 0
    with pytest.raises(px.BuildError, match=f"more than {MOST:,} configurations"):
        px.Space(**axes).survey([1], TARGET)


@pytest.mark.parametrize(
    "values, inside",
    [
        ({"bm": 64, "tile": [8, 4]}, True),
        ({"bm": 64, "tile": (8, 4)}, True),
        ({"bm": 65, "tile": [8, 4]}, False),
        ({"bm": True, "tile": [8, 4]}, False),
        ({"bm": 64.0, "tile": [8, 4]}, False),
        ({"bm": 64}, False),
        ({"bm": 64, "tile": [8, 4], "more": 1}, False),
        ({"bm": {}, "tile": {1, 2}}, False),
        ([], False),
        (None, False),
    ],
)
def test_data_from_elsewhere_is_of_the_space_or_not(values: object, inside: bool) -> None:
    space = px.Space(bm=(64, 1), tile=((8, 4), (4, 8)))
    found = space.decode(values)
    assert (found == Config({"bm": 64, "tile": (8, 4)})) is inside
    assert found is not None or not inside


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.sampled_from([1, 2, 4]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("tu"), inner, max_size=2),
)


@given(JSON, JSON)
def test_whatever_json_says_only_what_is_of_the_space_comes_out(first: object, second: object) -> None:
    space = px.Space(t=(1, 2, 4), u=(None, True, "x", (1, (2,))), where=lambda t: t < 4)
    for values in (first, {"t": first, "u": second}):
        found = space.decode(values)
        if found is None:
            assert space.refusal(values if isinstance(values, dict) else {}, (1,), TARGET) is not None
        else:
            assert json.dumps(dict(found)) == json.dumps(values, sort_keys=True)
            assert (space.refusal(found, (1,), TARGET) is None) == (found["t"] < 4)


@given(
    JSON,
    st.sampled_from(["format", "kernel", "fixed", "class", "device", "target", "driver", "config", "us", "program"]),
)
def test_a_record_of_any_json_is_a_record_or_a_value_error(value: object, field: str) -> None:
    right = Winner("k", "", "[8]", DeviceIdentity("D", "sm_90a", 1), {"t": 1}, {"8": 1.0}).to_dict()
    for plain in (value, {**right, field: value}):
        try:
            assert Winner.from_dict(plain).to_dict() == plain
        except ValueError:
            assert plain != right


def test_equal_configs_are_exactly_the_same() -> None:
    assert Config({"a": 1}) == Config({"a": 1})
    assert hash(Config({"a": 1})) == hash(Config({"a": 1}))
    assert Config({"a": 1}) != Config({"a": True})
    assert Config({"a": 1}) != {"a": 1}


@pytest.mark.parametrize("shape", ["64", None, (1, {}), 1.5, (px.f32,), True])
def test_what_is_no_shape_is_refused(shape: object) -> None:
    with pytest.raises(px.BuildError, match="a shape is a tuple of extents or one number, not"):
        as_shape(shape)


def test_a_shape_is_plain() -> None:
    assert as_shape(np.int64(5)) == (5,)
    found = as_shape([np.int32(5), "causal", True])
    assert (found, [type(each) for each in found]) == ((5, "causal", True), [int, str, bool])


def test_a_class_is_plain() -> None:
    assert px.Space(a=(1,), classes=lambda shape: shape[0] > 5).class_of((6,)) == (True,)
    with pytest.raises(px.BuildError, match=r"classes=.* gives .*object"):
        px.Space(a=(1,), classes=lambda shape: object()).class_of((6,))


def test_the_class_of_a_shape_is_its_next_powers_of_two() -> None:
    assert shape_class((0, 1, 2, 3, 1000, 1024, 1025)) == (0, 1, 2, 4, 1024, 1024, 2048)
    assert shape_class(("causal", True, 5)) == ("causal", True, 8)
