"""Advice that needs more than the verifier: what passes would do better, and what the assembler made of a kernel's registers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.errors import Diagnostic
from ptxgen.ir import resolve
from ptxgen.isa.targets import find_target
from ptxgen.passes.pipeline import edits
from ptxgen.passes.vectors import fuse_vectors
from ptxgen.resources.report import analyze
from ptxgen.resources.residency import occupancy
from ptxgen.verifier import verify

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.ir import Module, Source
    from ptxgen.resources.report import KernelReport, Report

__all__ = ["advise"]

_NEAR = 0.1
"""So small a part of its registers less, and a kernel that another CTA would then fit beside is worth a word."""


def advise(module: Module, *, threads: int | None = None, shared: int = 0, tool: str = "auto") -> list[Diagnostic]:
    """The findings of `verify(module, style=True)`, and behind them what passes and the assembler show.

    `threads`, `shared` and `tool` as for `analyze`. A module with errors gets these alone; without an assembler nothing is
    said of registers. Raises AssembleError for a module that the assembler refuses.
    """
    findings = verify(module, style=True)
    if any(finding.is_error for finding in findings):
        return findings
    report = analyze(module, threads=threads, shared=shared, tool=tool, findings=findings)
    return [*findings, *_vectors(module), *_registers(module, report), *report.losses]


def _finding(code: str, message: str, source: Source | None, *, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code, message, severity="warning", locations=resolve(source), hint=hint)


# --- passes -----------------------------------------------------------------------------------------------------------


def _vectors(module: Module) -> Iterator[Diagnostic]:
    """PTX614: neighbouring accesses that are one vector access, or would be with a promise of alignment."""
    for edit in edits(module):
        fuse_vectors(edit)
        instructions = edit.body.instructions
        for position, instruction in enumerate(instructions):
            for vector in edit.instead(position):
                text = f"neighbours of this {instruction.op} are one {vector.op} with it"
                yield _finding("PTX614", text, instruction.source, hint=vector.op)
        for position, why in edit.remarks:
            instruction = instructions[position]
            yield _finding("PTX614", f"{instruction.op} is {why}", instruction.source)


# --- the assembler ----------------------------------------------------------------------------------------------------


def _registers(module: Module, report: Report) -> Iterator[Diagnostic]:
    for kernel in report.functions:
        if kernel.resources is None:
            continue
        source = module.function(kernel.name).source
        used = kernel.resources
        if used.spill_stores or used.spill_loads:
            yield _finding(
                "PTX620",
                f"{kernel.name} spills registers: {used.spill_stores} bytes stored and {used.spill_loads} loaded by each thread, "
                f"with {used.registers} registers ({report.assembler})",
                source,
                hint="smaller tiles, fewer values alive at once, or a larger .maxnreg",
            )
        fewer = _fewer_registers(module, kernel)
        if fewer is not None:
            held = kernel.occupancy
            assert held is not None
            yield _finding(
                "PTX621",
                f"{kernel.name} takes {used.registers} registers: with {fewer}, a multiprocessor would hold {held.ctas + 1} CTAs "
                f"of {held.threads} threads in place of {held.ctas} ({report.assembler})",
                source,
                hint=f".maxnreg {fewer}, if it does not spill",
            )


def _fewer_registers(module: Module, kernel: KernelReport) -> int | None:
    """The most registers with which another CTA would be resident, where that is nearly what it takes."""
    held, used = kernel.occupancy, kernel.resources
    if held is None or used is None or held.limited_by != "registers" or not held.ctas:
        return None
    target = find_target(module.target)
    for registers in range(used.registers - 1, int(used.registers * (1 - _NEAR)) - 1, -1):
        if occupancy(target, held.threads, registers, held.shared).ctas > held.ctas:
            return registers
    return None
