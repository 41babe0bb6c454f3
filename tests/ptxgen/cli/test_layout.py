"""`ptxgen explain --layout`."""

from __future__ import annotations

import json
import xml.etree.ElementTree as tree
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    Command = Callable[..., Result]


def test_one_operand_and_all(ptxgen: Command) -> None:
    one = ptxgen("explain", "--layout", "mma.m16n8k16.bf16", "--operand", "A").stdout
    assert "operand a: 16 x 16 of .bf16" in one
    assert "   3  T12 r0  T13 r0" in one
    assert ptxgen("explain", "--layout", "mma.m16n8k16.bf16.a").stdout == one
    every = ptxgen("explain", "--layout", "mma.m16n8k16.bf16", "--view", "lanes").stdout
    assert [line.split("operand ")[1][0] for line in every.splitlines() if "operand " in line] == ["d", "a", "b", "c"]
    assert max(map(len, every.splitlines())) <= 120


def test_as_data(ptxgen: Command) -> None:
    (found,) = json.loads(ptxgen("explain", "--layout", "movmatrix.m8n8.a", "--json").stdout)
    assert found["shape"] == [8, 8]
    assert found["axes"] == {"lane": [[4, 2, "c"], [8, 1, "r"]], "register": [], "slice": [[2, 1, "c"]]}


def test_a_picture(ptxgen: Command, tmp_path: Path) -> None:
    file = tmp_path / "a.svg"
    result = ptxgen("explain", "--layout", "mma.m16n8k16.bf16", "--operand", "a", "--svg", file, "--colour", "register")
    assert result.exit_code == 0
    assert tree.parse(file).getroot().tag.endswith("svg")


def test_what_does_not_exist(ptxgen: Command, tmp_path: Path) -> None:
    for arguments, said in (
        (["mma.m16n8k17.f16"], "no instruction has the words"),
        (["mma.m16n8k16.f16", "--operand", "e"], "it has d, a, b, c"),
        (["mma.m16n8k16.f16.a", "--operand", "a"], "leave out --operand"),
        (["mma.m16n8k16.f16", "--svg", str(tmp_path / "x.svg")], "--operand d or a or b or c"),
    ):
        result = ptxgen("explain", "--layout", *arguments)
        assert result.exit_code == 1
        assert said in result.stderr
