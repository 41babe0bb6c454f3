"""Registers that one instruction writes twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_destinations"]


def check_destinations(body: CheckedBody) -> None:
    """PTX314: a register stands twice among those that an instruction writes: one of the two values is lost."""
    for position, written in enumerate(body.writes):
        if len(written) > 1 and len(set(written)) < len(written):
            twice = next(number for number in written if written.count(number) > 1)
            name = body.registers[twice].name
            body.report(
                "PTX314",
                f"{body.instructions[position].op} writes {name} twice: one of the values is lost",
                position,
                expected="another register for each value, or _ where nobody needs it",
            )
