"""Values that nothing reads: untidy, not wrong, and so a finding of style."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_unused_values"]

_EFFECTS = frozenset({"writes", "orders", "barrier", "control", "converged"})
"""An instruction with one of these is not there for its result alone."""


def check_unused_values(body: CheckedBody) -> None:
    """PTX601: an instruction whose results nothing reads and that does nothing else. Only when style is asked for.

    What reads a value only to make the next one in the same registers (a counter, an accumulator) does not count as a reader.
    """
    uses = body.chains.uses
    for position in range(len(body.instructions)):
        registers = body.writes[position]
        if not _is_pure(body, position):
            continue
        readers = {where for register in registers for where in uses.get(register, ())}
        if not _feeds_itself(body, readers, registers):
            continue
        names = [body.registers[register].name for register in dict.fromkeys(registers)]
        shown = ", ".join(names) if len(names) <= 4 else f"{names[0]}, ..., {names[-1]}"
        what = "the answer" if body.registers[registers[0]].type.kind == "p" else "the value"
        other = " but the instruction that makes its next value" if readers else ""
        body.report(
            "PTX601",
            f"nothing reads {what} of {body.instructions[position].op} in {shown}{other}",
            position,
            hint="delete it",
        )


def _is_pure(body: CheckedBody, position: int) -> bool:
    """Is an instruction there for the registers that it writes alone?"""
    form = body.forms[position]
    if form is None or not body.writes[position] or form.form.opcode == "call":
        return False
    effects = form.form.effects & _EFFECTS
    if effects == {"converged"}:  # what wants all lanes is there for its results alone, too, if it is part of a product
        return "matrix" in form.form.traits and form.form.opcode != "tcgen05"
    return not effects


def _feeds_itself(body: CheckedBody, readers: set[int], registers: list[int]) -> bool:
    """Do all that read these registers write only them, and do nothing else?"""
    own = set(registers)
    return all(_is_pure(body, reader) and own.issuperset(body.writes[reader]) for reader in readers)
