"""Values that nothing reads: untidy, not wrong, and so a finding of style."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.check.body import Body

__all__ = ["check_unused"]

_EFFECTS = frozenset({"writes", "orders", "barrier", "control", "converged"})
"""An instruction with one of these is not there for its result alone."""


def check_unused(body: Body) -> None:
    """PTX601: an instruction whose results nothing reads and that does nothing else. Only when style is asked for."""
    if not body.context.style:
        return
    uses = body.chains.uses
    for position, registers in enumerate(body.writes):
        form = body.forms[position]
        if not registers or form is None or form.form.effects & _EFFECTS or form.form.opcode == "call":
            continue
        if any(register in uses for register in registers):
            continue
        names = ", ".join(body.registers[register].name for register in dict.fromkeys(registers))
        what = "the answer" if body.registers[registers[0]].type.kind == "p" else "the value"
        body.report(
            "PTX601", f"nothing reads {what} of {body.instructions[position].op} in {names}", position, hint="delete it"
        )
