"""Candidates through an assembler and onto the device, in parallel, and what drops them then: an error, spills, a CTA that
does not fit, a driver that does not load them."""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.modules.cubin import cubin_resources
from ptxgen.assembler import AssembleError, AssemblerMissing, assemble
from ptxgen.assembler.pool import cpu_count
from ptxgen.errors import Error
from ptxgen.executors import in_pieces, size_of_pieces
from ptxgen.resources.residency import occupancy
from ptxgen.tuning.candidates import reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from driver_ctypes.modules.jitlog import Resources
    from ptxgen.host import Device
    from ptxgen.isa.targets import Target
    from ptxgen.tuning.candidates import Candidate

__all__ = ["Verdict", "assemble_all", "assembled", "assembled_piece", "load_all", "pool_of"]

Program = tuple[str, str, str]
"""PTX, target, entry."""


class Verdict(NamedTuple):
    """What an assembler said of a program: the resources of its kernel, the tool; or why there are none."""

    resources: Resources | None
    tool: str
    problem: str = ""
    missing: bool = False
    """There is no assembler here."""


def assembled(text: str, target: str, entry: str) -> Verdict:
    """One program."""
    try:
        done = assemble(text, target, name=entry, verbose=True)
    except AssemblerMissing as missing:
        return Verdict(None, "", str(missing), missing=True)
    except AssembleError as refused:
        return Verdict(None, "", reason_of("not assembled", refused))
    return Verdict(cubin_resources(done.cubin, done.log).get(entry), f"{done.tool} {done.version}")


def assembled_piece(programs: Sequence[Program]) -> list[Verdict]:
    """The verdict on each program, in whatever process an executor has."""
    return [assembled(*each) for each in programs]


@contextmanager
def pool_of(executor: Executor | None) -> Iterator[Executor]:
    """The caller's executor, which stays open; else threads, one a processor: the assemblers are processes of their own."""
    if executor is not None:
        yield executor
        return
    own = ThreadPoolExecutor(cpu_count())
    try:
        yield own
    finally:
        own.shutdown(wait=True, cancel_futures=True)


def assemble_all(
    built: Iterable[Candidate],
    known: dict[str, Verdict],
    target: Target,
    executor: Executor,
    most_spills: int | None,
    done: Callable[[int, int], None],
) -> str:
    """Assemble candidates while they are being built, each different program once (`known` is by PTX), and drop those that
    cannot run or spill. Returns whose figures they are, or why there are none. What was not begun when this ends early is
    cancelled."""
    waiting: dict[str, list[Candidate]] = {}

    def programs() -> Iterator[Program]:
        for each in built:
            if each.text not in waiting and each.text not in known:
                asked.append(each.text)
                yield each.text, target.name, each.entry
            waiting.setdefault(each.text, []).append(each)

    asked: list[str] = []
    answers = in_pieces(executor, assembled_piece, programs(), size=size_of_pieces(executor))
    for number, (program, verdict) in enumerate(answers):
        known[program[0]] = verdict
        done(number + 1, len(asked))
    who = ""
    for text, candidates in waiting.items():
        verdict = known[text]
        who = who or verdict.tool or (f"not known: {verdict.problem.splitlines()[0]}" if verdict.missing else "")
        for each in candidates:
            _judge(each, verdict, target, most_spills)
    return who


def load_all(candidates: Sequence[Candidate], device: Device, done: Callable[[int, int], None]) -> None:
    """Load the kernels, each once, in threads of this process, since a driver compiles several at once; what it refuses is
    dropped."""

    def load(kernel: Any) -> str:
        try:
            kernel.on(device)
        except Error as error:
            return reason_of("not loaded", error)
        return ""

    kernels = {id(each.config.kernel): each.config.kernel for each in candidates}
    problems: dict[int, str] = {}
    with pool_of(None) as threads:
        for key, problem in zip(kernels, threads.map(load, kernels.values())):
            problems[key] = problem
            done(len(problems), len(kernels))
    for each in candidates:
        each.reason = problems[id(each.config.kernel)]


def _judge(candidate: Candidate, verdict: Verdict, target: Target, most_spills: int | None) -> None:
    used = verdict.resources
    if used is None:
        candidate.reason = "" if verdict.missing else verdict.problem or "not assembled: the cubin has no such kernel"
        return
    candidate.registers = used.registers
    if used.spill_stores is not None and used.spill_loads is not None:
        candidate.spills = used.spill_stores + used.spill_loads
    if most_spills is not None and (candidate.spills or 0) > most_spills:
        candidate.reason = f"spills {candidate.spills} bytes a thread"
    elif candidate.threads is not None:
        held = occupancy(target, candidate.threads, used.registers, candidate.shared)
        if not held.ctas:
            candidate.reason = (
                f"{candidate.threads} threads of {used.registers} registers and {candidate.shared} bytes of shared memory: "
                f"no CTA fits ({held.limited_by})"
            )
