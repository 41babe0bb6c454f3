"""Numbers and thread counts of barriers, as far as they are constants (manual 9.7.13.1)."""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.bodies.launch_bounds import cta_threads
from ptxgen.dataflow.calls.participation import takes_part_in
from ptxgen.dataflow.threads.uniformity import WARP_SIZE
from ptxgen.ir import Immediate, Operand

if TYPE_CHECKING:
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["NumberedBarrier", "barriers", "check_barriers"]

BARRIERS = 16
"""How many a CTA has."""


class NumberedBarrier(NamedTuple):
    """A barrier instruction: `kind` is "sync", "arrive" or "red"; `number` and `threads` are None where no constants.

    `counted`: it says how many threads take part. `written`: that number is a constant in the instruction itself.
    """

    position: int
    kind: str
    number: int | None
    counted: bool
    threads: int | None
    written: bool


def barriers(body: CheckedBody) -> list[NumberedBarrier]:
    """The barriers of a body, those of warps and clusters not among them."""
    found = []
    for position in sorted([*body.at.get("bar", ()), *body.at.get("barrier", ())]):
        instruction = body.instructions[position]
        words = instruction.op.split(".")
        if "warp" in words or "cluster" in words or body.forms[position] is None:
            continue
        kind = next(word for word in words if word in ("sync", "arrive", "red"))
        operands: tuple[Operand, ...] = instruction.operands
        if kind == "red":
            operands = operands[1:-1]
        number = body.constant(operands[0], position)
        count = body.constant(operands[1], position) if len(operands) > 1 else None
        written = len(operands) > 1 and isinstance(operands[1], Immediate)
        found.append(NumberedBarrier(position, kind, number, len(operands) > 1, count, written))
    return found


def check_barriers(body: CheckedBody) -> None:
    """Warn of counts that no number of warps reaches, and of arrivals that no thread waits for."""
    found = barriers(body)
    for barrier in found:
        _check_number(body, barrier)
        if barrier.threads is not None:
            _check_count(body, barrier, barrier.threads)
    if body.function.is_entry and not any(takes_part_in(body, position) for position in body.at.get("call", ())):
        _check_partners(body, found)


def _check_number(body: CheckedBody, barrier: NumberedBarrier) -> None:
    operand = body.instructions[barrier.position].operands[1 if barrier.kind == "red" else 0]
    if barrier.number is not None and not isinstance(operand, Immediate) and not 0 <= barrier.number < BARRIERS:
        body.report(
            "PTX505",
            f"a CTA has no barrier {barrier.number}",
            barrier.position,
            expected=f"a number from 0 to {BARRIERS - 1}",
        )


def _check_count(body: CheckedBody, barrier: NumberedBarrier, count: int) -> None:
    """An immediate has been judged by the table; here it is compared with the CTA's size."""
    op = body.instructions[barrier.position].op
    nobody = barrier.kind == "arrive" and count == 0
    if nobody or (not barrier.written and (count % WARP_SIZE or count == 0)):
        body.report(
            "PTX504",
            f"{op} for {count} threads: barriers count whole warps" if count else f"{op} for no threads",
            barrier.position,
            expected=f"a multiple of {WARP_SIZE}",
            hint=str(-(-count // WARP_SIZE) * WARP_SIZE) if count else None,
            severity="error" if nobody and barrier.written else "warning",
        )
        return
    limit, whose = body.context.target.max_threads, "a CTA has at most"
    threads = cta_threads(body.function)
    if threads is not None:
        limit = threads
        whose = f"the CTAs of {body.function.name} have"
    if count > limit and not (barrier.written and count > body.context.target.max_threads):
        body.report(
            "PTX505",
            f"{op} waits for {count} threads, {whose} {limit}",
            barrier.position,
            expected=f"at most {limit}",
        )


def _check_partners(body: CheckedBody, found: list[NumberedBarrier]) -> None:
    """Arrivals at a barrier where no wait has the same thread count."""
    waits = [barrier for barrier in found if barrier.kind != "arrive"]
    if any(barrier.number is None for barrier in waits):
        return
    for barrier in found:
        if barrier.kind != "arrive" or barrier.number is None or not barrier.threads or barrier.threads % WARP_SIZE:
            continue
        own = [w for w in waits if w.number == barrier.number]
        counts = sorted({w.threads for w in own if w.threads is not None})
        if barrier.threads in counts or any(w.threads is None for w in own):
            continue
        where = f"barrier {barrier.number} for {barrier.threads} threads"
        body.report(
            "PTX506",
            f"nobody waits at {where}"
            + (f": those that wait there count {' or '.join(map(str, counts))}" if counts else ""),
            barrier.position,
            expected=f"bar.sync {barrier.number}, {barrier.threads}",
        )
