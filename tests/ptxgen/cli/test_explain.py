"""`ptxgen explain` and `ptxgen isa`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import ptxgen as px
from ptxgen.isa.forms import all_forms

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

    Command = Callable[..., Result]


@pytest.mark.parametrize("name", ["cp.async.bulk", "%tid", ".maxntid", "sm_90a", "PTX412", "mbarrier.*"])
def test_it_prints_what_px_explain_says(ptxgen: Command, name: str) -> None:
    result = ptxgen("explain", name)
    assert result.exit_code == 0
    assert result.stdout == f"{px.explain(name)}\n"


def test_several_names(ptxgen: Command) -> None:
    assert ptxgen("explain", "ret", "exit").stdout == f"{px.explain('ret')}\n\n{px.explain('exit')}\n"


def test_a_name_that_is_not_there_fails_and_gives_the_nearest(ptxgen: Command) -> None:
    result = ptxgen("explain", "ld.globl.f32")
    assert result.exit_code == 1
    assert "\n  ld.global.f32\n" in result.stdout


def test_as_json(ptxgen: Command) -> None:
    (found,) = json.loads(ptxgen("explain", "elect.sync", "--json").stdout)
    assert (found["kind"], found["found"]) == ("instruction", True)
    assert found["forms"][0]["section"] == "9.7.13.14"
    assert found["exists"][0]["sm_90"] == "8.0"


def test_it_wants_a_name(ptxgen: Command) -> None:
    assert ptxgen("explain").exit_code == 2


def test_layout_without_a_name_lists_the_families(ptxgen: Command) -> None:
    text = ptxgen("explain", "--layout").stdout
    assert all(family in text for family in ("mma", "wgmma", "ldmatrix", "tcgen05"))
    for row in json.loads(ptxgen("explain", "--layout", "--json").stdout):
        assert row["operands"] == [one.operand for one in px.layout(row["for_example"])]
        assert row["instructions"] > 0


def test_layouts_are_drawn_by_the_same_command(ptxgen: Command) -> None:
    result = ptxgen("explain", "--layout", "mma.m16n8k16.bf16", "--operand", "a")
    assert result.exit_code == 0
    assert "operand a: 16 x 16 of .bf16" in result.stdout


def test_the_summary_of_the_table(ptxgen: Command) -> None:
    text = ptxgen("isa").stdout
    assert "Data Movement and Conversion Instructions" in text
    assert f"{len(all_forms())} forms" in text


def test_the_whole_table_as_json(ptxgen: Command) -> None:
    found = json.loads(ptxgen("isa", "--json").stdout)
    assert found["legal_forms"] >= 106_000
    assert {"add", "tcgen05", "vset4", "istypep"} <= {row["name"] for row in found["opcodes"]}
