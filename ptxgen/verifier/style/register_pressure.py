"""Registers and predicates alive at once, as the text orders it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.alive import alive_before, words

if TYPE_CHECKING:
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_predicates", "check_pressure", "live_registers"]


def check_pressure(body: CheckedBody) -> None:
    """PTX602: more values alive at once than a thread has registers. Only when style is asked for: assemblers reorder."""
    limit = body.context.target.max_registers
    stated = body.function.directive("maxnreg")
    if stated is not None and stated.arguments and isinstance(stated.arguments[0], int):
        limit = min(limit, stated.arguments[0])
    alive, position = live_registers(body)
    if alive > limit:
        body.report(
            "PTX602",
            f"values of {alive} registers are alive at {body.instructions[position].op}, a thread has {limit}: some will spill",
            position,
            hint="smaller tiles, or load later what is not needed yet",
        )


def check_predicates(body: CheckedBody) -> None:
    """PTX607: more predicates alive at once than a thread has. Only when style is asked for."""
    limit = body.context.target.max_predicates
    alive, position = _most_alive(body, [int(r.type.kind == "p") for r in body.registers])
    if alive > limit:
        body.report(
            "PTX607",
            f"{alive} predicates are alive at {body.instructions[position].op}, a thread has {limit}",
            position,
            hint="use each where it is made, or keep a mask of bits in an integer",
        )


def live_registers(body: CheckedBody) -> tuple[int, int]:
    """(the most 32-bit registers alive at once, the instruction before which they are), as the text orders it. Predicates do not
    count."""
    return _most_alive(body, words(body))


def _most_alive(body: CheckedBody, sizes: list[int]) -> tuple[int, int]:
    """(the largest sum of the sizes of registers alive at once, the first instruction before which they are)."""
    found = alive_before(body, sizes)
    most = max(found, default=0)
    return (most, found.index(most)) if most else (0, 0)
