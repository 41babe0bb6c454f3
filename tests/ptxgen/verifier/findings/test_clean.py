"""Texts that need not be verified again."""

from __future__ import annotations

from importlib import import_module

import pytest

from ptxgen import stores
from ptxgen.errors import VerifyError
from ptxgen.ir import Immediate
from ptxgen.text import parse, print_module
from ptxgen.verifier import assert_valid
from ptxgen.verifier.findings import clean

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
CLEAN = HEAD + ".visible .entry k() { .reg .b32 %r<2>; mov.u32 %r1, 1; ret; }\n"
WARNED = (
    HEAD
    + """.visible .entry k(.param .u64 p) {
    .reg .b32 %r<3>; .reg .b64 %d; ld.param.u64 %d, [p]; st.b32 [%d], %r2; ret;
}
"""
)
WRONG = HEAD + ".visible .entry k() { .reg .b32 %r<2>; mov.u64 %r1, 1; ret; }\n"


@pytest.fixture(autouse=True)
def nothing_is_known(monkeypatch):
    for name in ("_asked", "_told"):
        monkeypatch.setattr(stores, name, [])
    monkeypatch.setattr(clean, "_clean", type(clean._clean)())


@pytest.fixture
def looked(monkeypatch):
    """How often the verifier has looked at a program."""
    home = import_module("ptxgen.verifier.run")
    calls: list[object] = []
    run = home.run_checks
    monkeypatch.setattr(home, "run_checks", lambda module, **how: calls.append(module) or run(module, **how))
    return calls


def test_a_clean_program_is_verified_once(looked):
    for _ in range(3):
        assert assert_valid(parse(CLEAN), strict=True) == []
    assert len(looked) == 1


def test_warnings_come_every_time(looked):
    counts = [len(assert_valid(parse(WARNED))) for _ in range(2)]
    assert counts == [1, 1]
    assert len(looked) == 2


def test_errors_come_every_time(looked):
    for _ in range(2):
        with pytest.raises(VerifyError):
            assert_valid(parse(WRONG))


def test_a_module_that_was_changed_is_another_program(looked):
    module = parse(CLEAN)
    assert_valid(module)
    instruction = next(iter(module.entries[0].instructions()))
    instruction.operands = (instruction.operands[0], Immediate(2))
    assert_valid(module)
    assert len(looked) == 2


def test_verdicts_may_be_kept_elsewhere(looked):
    kept: dict[str, str] = {}
    stores.keep_verdicts(kept.get, kept.__setitem__)
    assert_valid(parse(CLEAN))
    assert_valid(parse(WARNED))
    assert len(kept) == 1
    clean._clean.clear()  # another process
    assert clean.is_clean(print_module(parse(CLEAN)))
    assert not clean.is_clean(print_module(parse(WARNED)))


def test_the_lowest_version_is_kept_too(looked, monkeypatch):
    kept: dict[str, str] = {}
    stores.keep_verdicts(kept.get, kept.__setitem__)
    newer = CLEAN.replace("mov.u32 %r1, 1;", "griddepcontrol.wait;").replace("8.0", "7.0").replace("sm_80", "sm_90")
    first = parse(newer)
    assert assert_valid(first, lowest=True) == []
    clean._clean.clear()  # another process
    versions = import_module("ptxgen.verifier.versions")
    monkeypatch.setattr(versions, "minimum_version", lambda module: pytest.fail("worked out again"))
    again = parse(newer)
    assert assert_valid(again, lowest=True) == []
    assert first.version == again.version == (7, 8)
    assert len(looked) == 1
    assert clean.is_clean(print_module(again))


def test_of_a_program_with_findings_no_version_is_kept(looked):
    for _ in range(2):
        assert len(assert_valid(parse(WARNED), lowest=True)) == 1
        with pytest.raises(VerifyError):
            assert_valid(parse(WRONG), lowest=True)
    assert len(looked) == 4


def test_only_the_latest_are_remembered():
    for number in range(clean._MOST + 10):
        clean.note_clean(str(number))
    assert len(clean._clean) == clean._MOST
    assert not clean.is_clean("0")
    assert clean.is_clean(str(clean._MOST))
