"""The table alone knows an instruction: no set of opcodes stands outside it.

What an instruction does to memory, to other lanes and to control is asked of its row (`form.effects`, `form.traits`,
`forms.opcodes_with`), so that a new row takes part everywhere. Only what pure instructions compute may be written by name, in
code that computes it: an addition is folded, bounded or counted as an addition.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ptxgen.isa.forms import opcodes, opcodes_with

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[3] / "ptxgen"
NAME = re.compile(r"([a-z]\w*)(\.[\w:.]*)?")
OPCODES = frozenset(opcodes()) - opcodes_with("pure")

ALLOWED = {
    "isa/describe.py": "names of several words, as the manual's headings have them",
    "isa/notation.py": "names of several words, as assemblers read them",
    "isa/tiles.py": "the three instructions whose rows have shapes, for the question which shapes there are",
    "isa/layouts/names.py": "one function for each instruction that has layouts, as @lowers has for lowerings",
    "cli/layout_pages.py": "an example for each of these",
    "cpu/lower/needs.py": "what leaves work under way behind it, beside copies",
    "cpu/refusals.py": "calls and returns, beside what ends a block",
    "cpu/rt/matrix/functions.py": "one writer of functions for each matrix instruction, as @lowers has",
    "cpu/support.py": "names, or parts of them, for which a model takes what the manual leaves open",
    "passes/latency.py": "measured cycles",
    "resources/mix.py": "the columns of a statistic",
    "resources/work.py": "what moves bytes that the text does not state",
    "verifier/addresses/widths.py": "what assemblers refuse beside plain accesses, as they do it",
    "verifier/protocols/tcgen05.py": "the second words of tcgen05's own instructions",
}
"""File -> why it may name several opcodes at one place."""


def words(node: ast.AST) -> list[str]:
    """The strings of a literal set, tuple or list, the keys of a dict, the words of a `"...".split()`."""
    if isinstance(node, (ast.Set, ast.Tuple, ast.List)):
        parts: list[ast.expr | None] = [*node.elts]
    elif isinstance(node, ast.Dict):
        parts = node.keys
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "split"
        and isinstance(node.func.value, ast.Constant)
        and isinstance(node.func.value.value, str)
    ):
        return node.func.value.value.split()
    else:
        return []
    return [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def sets_of_opcodes(tree: ast.AST) -> Iterator[tuple[int, list[str]]]:
    """(line, opcodes) of each literal that is made of opcodes for the most part, and has two."""
    for node in ast.walk(tree):
        found = words(node)
        named = [m[1] for word in found if (m := NAME.fullmatch(word)) and m[1] in OPCODES]
        if len(set(named)) > 1 and 2 * len(named) >= len(found):
            yield node.lineno, named  # type: ignore[attr-defined]


def files() -> list[str]:
    found = (path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))
    return sorted(name for name in found if not name.startswith("isa/table/") and not name.endswith("/index.py"))


@pytest.mark.parametrize("room", sorted({name.partition("/")[0] for name in files()}))
def test_no_set_of_opcodes_stands_outside_the_table(room: str) -> None:
    found = [
        f"ptxgen/{name}:{line}: {' '.join(named)}"
        for name in files()
        if name.partition("/")[0] == room and name not in ALLOWED
        for line, named in sets_of_opcodes(ast.parse((ROOT / name).read_text()))
    ]
    assert found == [], "say it in the rows (notation.TRAITS), and ask forms.opcodes_with or form.traits"


@pytest.mark.parametrize("name", ALLOWED)
def test_each_exception_is_needed(name: str) -> None:
    assert list(sets_of_opcodes(ast.parse((ROOT / name).read_text())))


@pytest.mark.parametrize(
    "text", ['x in ("ld", "st.async")', '{"shfl": 1, "vote": 2}', '"bar barrier add".split()', '["ret", "bra"]']
)
def test_sets_are_seen(text: str) -> None:
    assert list(sets_of_opcodes(ast.parse(text)))


@pytest.mark.parametrize(
    "text", ['x in ("add", "mul")', '("ld", "to", "say", "more", "st")', 'x == "ld" or x == "st"', '("ld it", "st it")']
)
def test_others_are_not(text: str) -> None:
    assert not list(sets_of_opcodes(ast.parse(text)))
