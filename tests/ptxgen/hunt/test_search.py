"""What a hunt finds, tells and shrinks; that a seed gives the same again; that no case ends it."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from ptxgen.hunt import Budget, LibrarySubject, PtxSubject, Report, find_bugs
from tests.ptxgen.hunt import kernels


def hunt(text: str, *, cases: int = 2, seed: int = 0, **stated: Any) -> Report:
    return find_bugs(PtxSubject(text, "k.ptx", **stated), program="k.ptx", budget=Budget(60.0, cases, 5.0), seed=seed)


def rules(report: Report) -> set[tuple[str, str]]:
    return {(found.level, found.rule) for found in report.findings}


STATED = {"arguments": ["out=zeros:u32:64"], "grid": "1"}


@pytest.mark.parametrize(
    "text, expected",
    [
        (kernels.RACE, {("error", "race")}),
        (kernels.ORDERED, set()),
        (kernels.UNWRITTEN, {("warning", "uninitialised-read")}),
        (kernels.UNWRITTEN_UNUSED, {("note", "uninitialised-read")}),
        (kernels.DEADLOCK, {("error", "deadlock")}),
    ],
    ids=["race", "ordered", "unwritten", "unwritten and unused", "deadlock"],
)
def test_each_mistake_is_found_once(text: str, expected: set[tuple[str, str]]) -> None:
    found = rules(hunt(text, cases=1, **STATED))
    assert {(level, rule.partition("/")[0]) for level, rule in found if not rule.startswith("PTX")} == expected


def test_a_loop_that_nobody_ends_is_found_by_the_watchdog() -> None:
    assert ("error", "deadlock/no-progress") in rules(hunt(kernels.SPINS, cases=1, **STATED))


def test_results_that_depend_on_when_a_copy_is_done() -> None:
    report = hunt(kernels.LATE, cases=1, arguments=["x=random:u32:32:1", "out=zeros:u32:32"], grid="1")
    (found,) = [each for each in report.findings if each.rule == "schedule"]
    assert (found.level, found.steps[0].instruction) == ("error", "st.global.u32 [%d5], %r4;")
    assert ("warning", "PTX513") in rules(report)


def test_results_that_depend_on_who_comes_first_are_a_note() -> None:
    report = hunt(kernels.FIRST_COME, cases=1, arguments=["zeros:u32:128"], grid="2")
    assert {each for each in rules(report) if each[1] == "schedule"} <= {("note", "schedule")}
    assert all("atom.global.add.u32" in each.hint for each in report.findings if each.rule == "schedule")


GUARDED = {"arguments": ["n=1..1000", "x=random:f32:n", "out=zeros:f32:n"], "grid": "(n+63)//64", "block": "64"}


def test_an_access_out_of_bounds_has_the_smallest_input_that_shows_it() -> None:
    report = hunt(kernels.scaled(guard=""), cases=4, **GUARDED)
    (found,) = report.bugs
    assert found.rule == "bounds/address"
    options = dict(zip(shlex.split(found.command)[3::2], shlex.split(found.command)[4::2]))
    assert options["--entry"] == "scaled"
    assert options["--arguments"].split()[0] == "n=1"
    assert hunt(kernels.scaled(), cases=3, **GUARDED).findings == ()


def test_the_command_finds_it_again() -> None:
    found = hunt(kernels.scaled(guard=""), cases=2, **GUARDED).bugs[0]
    words = shlex.split(found.command)
    again = {word[2:]: value for word, value in zip(words[3::2], words[4::2])}
    assert again.pop("cases") == "1"
    report = hunt(kernels.scaled(guard=""), cases=1, **{**again, "arguments": shlex.split(again["arguments"])})
    assert [each.key for each in report.bugs] == [found.key]


def test_what_follows_from_a_guess_is_a_note_and_the_guess_is_told() -> None:
    report = hunt(
        kernels.scaled(guard="", block=".maxntid 64, 1, 1"), cases=1, arguments=["n=5", "_", "zeros:f32:n"], grid="1"
    )
    (found,) = report.findings
    assert (found.level, found.rule) == ("note", "bounds/address")
    assert report.bugs == ()
    assert report.guesses == (
        "x: an array of 262144 .f32, as its accesses are of that type",
        "block: as many threads as .maxntid allows",
    )


def test_a_seed_gives_the_same_report() -> None:
    one, other = (hunt(kernels.RACE, cases=1, seed=7, grid="1..4").to_dict() for _ in range(2))
    assert one == other
    told: list[list[str]] = [[], []]
    for seed in (1, 2):
        subject = PtxSubject(kernels.scaled(), "k.ptx", **GUARDED)
        find_bugs(subject, budget=Budget(60.0, 2), seed=seed, tell=told[seed - 1].append)
    assert [line.rpartition(": ")[2] for line in told[0]] != [line.rpartition(": ")[2] for line in told[1]]


def test_a_hunt_of_fixed_arguments_ends_with_its_cases() -> None:
    report = hunt(kernels.ORDERED, cases=50, arguments=["zeros:u32:64"], grid="1")
    assert (report.cases, report.complete) == (1, True)


def test_a_case_that_cannot_run_or_never_ends_does_not_end_the_hunt() -> None:
    endless = kernels.shared("AGAIN:	add.u32 %t, %t, 1; bra AGAIN;")
    subject = PtxSubject(endless, "k.ptx", arguments=["zeros:u32:64"], grid="1,2")
    report = find_bugs(subject, budget=Budget(60.0, 2, 0.2))
    assert report.cases == 2
    assert dict(report.skipped) == {"the kernel ran longer than 0.2 s": 2}
    refused = hunt(kernels.scaled(), cases=2, arguments=["n=1,2", "no.npy", "zeros:f32:n"], grid="1", block="64")
    assert [why for why, _ in refused.skipped] == [
        "no.npy cannot be read: [Errno 2] No such file or directory: 'no.npy'"
    ]


def test_a_worker_that_dies_costs_one_case(monkeypatch: pytest.MonkeyPatch) -> None:
    from ptxgen.hunt import worker

    monkeypatch.setattr(worker, "_START", "import os; os.abort()")
    report = hunt(kernels.RACE, cases=2, arguments=["zeros:u32:64"], grid="1,2")
    assert report.cases == 2
    assert [why for why, _ in report.skipped] == ["the process that tried it ended: SIGABRT"]


def test_an_illegal_module_is_told_and_not_run() -> None:
    report = hunt(kernels.scaled().replace("add.f32 %f2, %f1, %f1", "add.f32 %f2, %f1, %d1"))
    assert report.cases == 0
    assert [found.level for found in report.findings] == ["error"]


def test_only_the_kernel_that_is_meant_is_hunted_in() -> None:
    other = kernels.RACE.partition(".address_size 64\n")[2].replace("entry shared", "entry other")
    report = hunt(kernels.ORDERED + other, cases=1, entry="shared", arguments=["zeros:u32:64"], grid="1")
    assert report.findings == ()


def test_a_kernel_of_the_library_on_its_own_problems() -> None:
    report = find_bugs(LibrarySubject("saxpy/f32"), budget=Budget(60.0, 2))
    assert (report.findings, report.cases, report.skipped) == ((), 2, ())


def test_a_grid_that_waits_for_itself_is_launched_as_a_whole() -> None:
    """Without `cooperative` it has no workspace, and its own check traps, as on a GPU."""
    stated = {"arguments": ["out=zeros:u32:128"], "grid": "4", "cases": 1}
    assert not hunt(kernels.WAITS_FOR_THE_GRID, cooperative=True, **stated).bugs
    (found,) = hunt(kernels.WAITS_FOR_THE_GRID, **stated).bugs
    assert found.rule == "trap"
    assert "--cooperative" not in found.command


def test_a_tensor_map_is_an_argument() -> None:
    stated = {"arguments": ["map=map:u32:32x4:32x1", "out=zeros:u32:32"], "grid": "1", "cases": 2}
    assert not hunt(kernels.MAPPED_AND_WAITED, **stated).bugs
    assert {"PTX524", "schedule"} <= {found.rule for found in hunt(kernels.MAPPED, **stated).bugs}
