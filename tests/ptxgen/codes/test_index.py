"""From a code to the functions that report it and back; the index and the comments say what the source says."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import ptxgen as px
from ptxgen.codes.index import INDEX
from ptxgen.codes.lookup import code_row, codes_reported_by, rules_of
from tools import index_codes

ROOT = Path(__file__).resolve().parents[3]


def test_the_index_and_the_comments_are_what_the_source_says() -> None:
    stale = [file for file, text in index_codes.written(ROOT).items() if (ROOT / file).read_text("utf-8") != text]
    assert stale == [], "run tools/index_codes.py"


@pytest.mark.parametrize("code", INDEX)
def test_from_a_code_to_its_functions_and_back(code: str) -> None:
    row = code_row(code)
    assert row is not None
    assert row.meaning == INDEX[code].meaning
    assert rules_of(code)
    for rule in rules_of(code):
        lines = (ROOT / rule.file).read_text("utf-8").splitlines()
        name = rule.function.rpartition(".")[2]
        assert lines[rule.line - 1].strip().startswith(f"def {name}(")
        assert any(f'"{code}"' in line for line in lines[rule.line - 1 :])
        assert rule in codes_reported_by(rule.file)[code]
        assert rule in codes_reported_by(rule.place)[code]
        assert rule in codes_reported_by(f"{rule.file}:{rule.function}")[code]


def test_explain_names_the_file_the_line_and_the_function() -> None:
    (rule,) = rules_of("PTX548")
    assert rule.file == "ptxgen/verifier/protocols/stage_reuse.py"
    page = px.explain("PTX548")
    assert f"\nRule\n  {rule.function}  {rule.file}:{rule.line}" in str(page)
    assert page.to_dict()["rules"] == [{"file": rule.file, "function": rule.function, "line": rule.line}]


@pytest.mark.parametrize(
    "place", ["{file}", "protocols/stage_reuse.py", "stage_reuse.py:{function}", "./{file}:{line}"]
)
def test_explain_names_the_codes_of_a_file(place: str) -> None:
    (rule,) = rules_of("PTX548")
    page = px.explain(place.format(**rule._asdict()))
    assert page.kind == "rules"
    assert f"\n{rule.file}\n" in str(page)
    assert "PTX548" in page.to_dict()["codes"]


@pytest.mark.parametrize("place", ["reuse.py", "nothing.py", "stage_reuse.py:nothing", "stage_reuse.py:1"])
def test_a_place_that_reports_nothing(place: str) -> None:
    assert codes_reported_by(place) == {}
    assert not px.explain(place).found


def test_a_list_of_codes_imports_no_room_that_raises_them() -> None:
    """The verifier explains what the builder reports, and stands below it."""
    program = (
        "import sys; from ptxgen.verifier.explanation import explain; assert 'PTX220' in str(explain('PTX2*'));"
        "assert 'ptxgen.builder' not in sys.modules; assert explain('PTX220').found"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


# ---- what the tool refuses -------------------------------------------------------------------------------------------

RULE = 'def check(report):\n    report("PTX700", "it is wrong")\n'
ROWS = 'CODES = (Code("PTX700", "wrong", "cause", "remedy"),)\n'


@pytest.mark.parametrize(
    "files, problem",
    [
        ({"a/rule.py": RULE, "a/codes.py": ROWS}, None),
        ({"a/rule.py": RULE}, "PTX700 has no row: write it into a codes.py beside ptxgen/a/rule.py"),
        ({"a/codes.py": ROWS}, "PTX700 is reported by no function: delete its row in ptxgen/a/codes.py"),
        ({"a/rule.py": RULE, "b/codes.py": ROWS}, "move its row there from ptxgen/b/codes.py"),
        ({"a/rule.py": RULE, "a/codes.py": ROWS, "b/codes.py": ROWS}, "two rows"),
        ({"a/rule.py": 'CODE = "PTX700"\n', "a/codes.py": ROWS}, "PTX700 outside of functions"),
        (
            {"a/rule.py": RULE.replace("report(", "known = {").replace(', "it is wrong")', "}"), "a/codes.py": ROWS},
            "no f",
        ),
        ({"a/rule.py": 'def check(code):\n    return code == "PTX700"\n', "a/codes.py": ROWS}, "no function"),
    ],
)
def test_rows_and_rules_agree(files: dict[str, str], problem: str | None) -> None:
    trees = {f"ptxgen/{name}": ast.parse(text) for name, text in files.items()}
    if problem is None:
        index_codes.check(index_codes.rows(trees), index_codes.rules(trees))
        return
    with pytest.raises(index_codes.Problem, match=problem):
        index_codes.check(index_codes.rows(trees), index_codes.rules(trees))


def test_rows_stand_in_their_order() -> None:
    rows = [
        index_codes.Row("PTX700", "", "ptxgen/a/codes.py", 9),
        index_codes.Row("PTX701", "", "ptxgen/a/codes.py", 2),
    ]
    reported = {row.code: {"ptxgen/a/rule.py": ("check",)} for row in rows}
    with pytest.raises(index_codes.Problem, match="not in the order"):
        index_codes.check(rows, reported)


def test_comments_are_replaced_and_name_methods_and_inner_functions() -> None:
    text = 'CODES = (\n    # old.py: gone\n    Code("PTX700", "wrong", "cause", "remedy"),\n)\n'
    rule = 'class Rule:\n    def check(self):\n        def inner():\n            report("PTX700")\n'
    trees = {"ptxgen/a/codes.py": ast.parse(text), "ptxgen/a/rule.py": ast.parse(rule)}
    made = index_codes.commented(text, index_codes.rows(trees), index_codes.rules(trees))
    assert made == 'CODES = (\n    # rule.py: Rule.check.inner\n    Code("PTX700", "wrong", "cause", "remedy"),\n)\n'
