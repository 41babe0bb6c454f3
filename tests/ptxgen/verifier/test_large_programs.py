"""Large and hostile PTX: work grows with the text alone, and what is larger than may be is one clear error (docs/support.md).

Work is counted in calls, not in seconds. `tools/bench/large_ptx.py` measures the same programs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from ptxgen.cpu.normalize import calls
from ptxgen.cpu.program import compile_relocatable
from ptxgen.errors import PtxError, PtxSyntaxError
from ptxgen.isa.targets import find_target
from ptxgen.text import parse
from ptxgen.verifier import verify
from ptxgen.verifier.program.context import VerifierContext
from tools.bench._large_ptx import PROGRAMS


def judged(text: str) -> int:
    """How many calls parsing and verifying make."""
    made = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        verify(parse(text))
    except PtxError:
        pass  # hostile text may be refused; how long that takes is what is asked
    finally:
        sys.setprofile(before)
    return made


GROWING = (
    "shared_accesses own_places shared_without_places blocks registers_used_once functions call_chain kernels branch_table "
    "mbarriers guarded_barriers predicates undeclared_labels labels loops_in_a_row"
).split()


@pytest.mark.parametrize("name", GROWING)
def test_four_times_the_text_is_about_four_times_the_work(name: str) -> None:
    make: Callable[[int], str] = PROGRAMS[name]
    judged(make(40))  # what is read once
    assert judged(make(480)) < 5 * judged(make(120))


def test_calls_that_double_are_not_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """18 functions, each of which calls the one before twice: 2**17 ways to the first."""
    monkeypatch.setattr(calls, "_MOST_COPIED", 500)
    judged(PROGRAMS["call_tree"](4))
    assert judged(PROGRAMS["call_tree"](18)) < 3 * judged(PROGRAMS["call_tree"](9))
    kernel = compile_relocatable(parse(PROGRAMS["call_tree"](19))).kernels[0]
    assert kernel.code.uses_stack, "what is not copied any more is called through the stack"


def test_deep_calls_go_through_the_stack() -> None:
    assert not compile_relocatable(parse(PROGRAMS["call_chain"](300))).kernels[0].code.uses_stack
    module = parse(PROGRAMS["call_chain"](2000))
    assert verify(module) == []
    assert compile_relocatable(module).kernels[0].code.uses_stack


def test_many_registers_cost_what_is_used() -> None:
    text = PROGRAMS["register_family"](10_000_000)
    judged(text)
    assert judged(text) < 2000
    compile_relocatable(parse(text))


@pytest.mark.parametrize(
    "name, size, message",
    [
        ("variable_family", 10_000_000, "10,000,000 variables in one declaration"),
        ("number", 5000, "5,000 characters of a number"),
        ("parentheses", 400, "nested too deeply"),
        ("initialiser_deep", 400, "nested too deeply"),
        ("scopes_nested", 400, "nested too deeply"),
    ],
)
def test_what_is_larger_than_may_be_is_one_error(name: str, size: int, message: str) -> None:
    with pytest.raises(PtxSyntaxError) as caught:
        parse(PROGRAMS[name](size))
    finding = caught.value.diagnostics[0]
    assert (finding.code, finding.message) == ("PTX111", message)
    assert len(str(caught.value)) < 5000


@pytest.mark.parametrize("name", ["scopes_nested", "initialiser_deep"])
def test_what_is_just_not_larger_is_taken(name: str) -> None:
    assert verify(parse(PROGRAMS[name](90))) == []


def test_a_register_of_many_digits_is_an_unknown_name() -> None:
    text = PROGRAMS["register_family"](9).replace("%q8, 0", "%q" + "9" * 5000 + ", 0")
    assert [finding.code for finding in verify(parse(text))] == ["PTX301"]


@pytest.mark.parametrize("name", ["long_line", "identifier", "opcode", "number", "vector", "strings"])
def test_messages_are_short_however_long_the_line(name: str) -> None:
    try:
        findings = verify(parse(PROGRAMS[name](20_000)))
    except PtxSyntaxError as refused:
        findings = list(refused.diagnostics)
    assert all(len(str(finding)) < 10_000 for finding in findings)


def test_an_excerpt_shows_what_stands_around_the_column() -> None:
    (finding,) = verify(parse(PROGRAMS["long_line"](100_000)))
    shown = finding.locations[0].excerpt()
    assert "$$" in shown
    assert shown.startswith("... ")
    assert len(shown) < 220


def test_the_first_findings_say_what_is_nearest() -> None:
    """Likening costs milliseconds; so many findings have it."""
    context = VerifierContext(parse(PROGRAMS["labels"](1)), find_target("sm_90a"))
    assert sum(context.wants_hint() for _ in range(1000)) == 100


def test_a_race_behind_many_accesses_is_found() -> None:
    """Threads keep to their own bytes in 400 accesses, and one thread reads what another has stored in the last."""
    text = PROGRAMS["own_places"](400)
    assert verify(parse(text)) == []
    codes = [finding.code for finding in verify(parse(text.replace("ret;", "ld.shared.b32 %r5, [buffer+4];\nret;")))]
    assert codes == ["PTX507"]
