"""Targets, versions, types and special registers."""

from __future__ import annotations

import pytest

from ptxgen.isa.specials import is_special, special
from ptxgen.isa.targets import TARGETS, find_target, parse_version
from ptxgen.isa.types import TYPES, accepts
from tools.certify.directives import certify_targets
from tools.certify.verdicts import Tool


@pytest.mark.parametrize(
    "target, sm, suffix, answer",
    [
        ("sm_90", 80, "", True),  # a baseline feature is on every newer target
        ("sm_80", 90, "", False),
        ("sm_90a", 90, "a", True),
        ("sm_90", 90, "a", False),
        ("sm_100a", 90, "a", False),  # an `a` feature does not go on
        ("sm_103a", 100, "f", True),  # a family feature does, within the family
        ("sm_103f", 100, "f", True),
        ("sm_103", 100, "f", False),
        ("sm_120a", 100, "f", False),
        ("sm_100f", 103, "f", False),
        ("sm_107f", 100, "f", True),
        ("sm_110f", 100, "f", False),
        ("sm_101f", 110, "f", True),  # PTX 9.0 renamed sm_101 to sm_110
        ("sm_101a", 110, "a", True),
        ("sm_101f", 100, "f", False),
    ],
)
def test_what_a_target_provides(target: str, sm: int, suffix: str, answer: bool) -> None:
    assert TARGETS[target].provides(sm, suffix) is answer


def test_every_target_is_as_the_assembler_has_it(tool: Tool) -> None:
    """Its first version, the static shared memory and the parameters it allows; and no target is missing."""
    result = certify_targets(tool)
    assert result.unexplained == []
    assert result.questions == 6 * len(tool.targets)


def test_only_a_targets_lift_the_limit_of_static_shared_memory() -> None:
    assert {name for name, t in TARGETS.items() if t.shared_static > 48 * 1024} == {
        name for name, t in TARGETS.items() if t.suffix == "a"
    }


def test_what_a_multiprocessor_holds() -> None:
    h200 = TARGETS["sm_90a"]
    assert (h200.threads_total, h200.ctas_total, h200.shared_total) == (2048, 32, 228 * 1024)
    assert all(t.shared_optin <= t.shared_total for t in TARGETS.values())


def test_an_unknown_target_names_its_neighbours() -> None:
    with pytest.raises(ValueError, match="sm_90a"):
        find_target("sm_90b")
    assert find_target("compute_90a") is TARGETS["sm_90a"]


@pytest.mark.parametrize("text", ["8", "8.x", "", "eight.0"])
def test_a_version_is_two_numbers(text: str) -> None:
    with pytest.raises(ValueError, match=r"8\.0"):
        parse_version(text)


@pytest.mark.parametrize(
    "instruction, register, wider, answer",
    [
        ("u32", "s32", False, True),
        ("u32", "b32", False, True),
        ("u32", "f32", False, False),
        ("f32", "b32", False, True),
        ("f32", "u32", False, False),
        ("b32", "f32", False, True),
        ("u8", "b64", True, True),
        ("u8", "b64", False, False),
        ("f32", "f64", True, False),
        ("f32", "b64", True, True),
        ("bf16", "b16", False, True),
        ("bf16", "u16", False, False),
        ("f16", "f16", False, True),
        ("f16x2", "b32", False, True),
        ("f16x2", "f32", False, False),
        ("pred", "pred", False, True),
        ("b32", "pred", False, False),
    ],
)
def test_which_register_may_hold_which_operand(instruction: str, register: str, wider: bool, answer: bool) -> None:
    assert accepts(TYPES[instruction], TYPES[register], wider=wider) is answer


def test_special_registers() -> None:
    assert is_special("%tid.x")
    assert is_special("%envreg31")
    assert not is_special("%tid")
    assert not is_special("%r1")
    clock = special("%clock64")
    assert clock is not None
    assert clock.type is TYPES["u64"]


@pytest.mark.parametrize(
    "name, near",
    [
        ("sm_91", "sm_90, sm_90a, sm_89"),
        ("sm_91a", "sm_90a, sm_90, sm_89"),
        ("sm_102f", "sm_101f, sm_103f, sm_101"),
        ("90", "sm_90, sm_90a, sm_89"),
    ],
)
def test_an_unknown_target_names_the_nearest_of_its_family(name: str, near: str) -> None:
    with pytest.raises(ValueError, match=f"^no target '{name}'; similar: {near}$"):
        find_target(name)
