"""A paused launch as text: listings, registers over a warp, threads, memory."""

from __future__ import annotations

import linecache
from typing import TYPE_CHECKING

from ptxgen.debugger.program import PTX
from ptxgen.debugger.values import text_of
from ptxgen.errors import DebugError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ptxgen.cpu.debugger.state import CtaState
    from ptxgen.cpu.rt.mbarrier import MbarrierState
    from ptxgen.debugger.program import Instruction, Program
    from ptxgen.debugger.threads import RegisterRow, Thread, Warp
    from ptxgen.debugger.values import Value
    from ptxgen.isa.types import ScalarType

__all__ = [
    "barriers_text", "lanes_text", "listing_text", "memory_text", "registers_text", "stack_text", "table_text",
    "warps_text",
]  # fmt: skip

_ACROSS = 8
"""Lanes of a row of registers."""


def lanes_text(lanes: int) -> str:
    """A mask of lanes as ranges: 0-15, 17."""
    from ptxgen.cpu.fault import lane_list

    return "all" if lanes == 0xFFFFFFFF else lane_list(lanes) or "none"


def table_text(rows: Sequence[Sequence[str]]) -> str:
    """Columns, aligned."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def stack_text(thread: Thread) -> str:
    """Its functions, the innermost first."""
    rows = []
    for number, frame in enumerate(thread.stack):
        here, sign = frame.instruction, "->" if number == thread.frame else "  "
        rows.append((sign, f"#{number}", frame.function, here.short_line, here.source_text))
    return table_text(rows) if rows else f"{thread} has exited"


# -- source -----------------------------------------------------------------------------------------------------------


def listing_text(
    program: Program, here: Instruction | None, *, ptx: bool, around: int = 5, marks: Iterable[int] = ()
) -> str:
    """Lines around an instruction, of the source or of the PTX: `->` is where it is, `*` where breakpoints are."""
    if here is None:
        raise DebugError("the launch has ended: there is no line to list")
    own = here.place if not ptx else None
    number = own.line if own is not None else here.ptx
    lines = linecache.getlines(own.file) if own is not None else program.listing
    instructions = (program.instructions[n] for n in marks if n in program.instructions)
    marked = {each.ptx if own is None else each.line[1] for each in instructions}
    first, last = max(number - around, 1), min(number + around, len(lines))
    rows = []
    for line in range(first, last + 1):
        sign = "->" if line == number else " *" if line in marked else "  "
        rows.append(f"{sign} {line:5}  {lines[line - 1].rstrip().expandtabs(8)}")
    return "\n".join(rows)


# -- values -----------------------------------------------------------------------------------------------------------


def registers_text(rows: Sequence[RegisterRow], lanes: int) -> str:
    """Registers of a warp. What is the same in all these lanes is told once."""
    return "\n".join(line for row in rows for line in _register(row, lanes))


def _register(row: RegisterRow, lanes: int) -> list[str]:
    head = f"{row.name:8} {row.type.name:5}"
    chosen = [n for n in range(32) if lanes >> n & 1]
    values = [row.values[n] for n in chosen]
    if len({(type(each), each) for each in values}) <= 1:
        return [f"{head} {text_of(values[0] if values else None, row.type)}"]
    pattern = _pattern(chosen, values, row.type)
    if pattern:
        return [f"{head} {pattern}"]
    texts = {n: text_of(row.values[n], row.type) if lanes >> n & 1 else "." for n in range(32)}
    width = max(map(len, texts.values()))
    groups = [range(first, first + _ACROSS) for first in range(0, 32, _ACROSS)]
    told = [
        f"{group[0]:2}: " + " ".join(texts[n].rjust(width) for n in group)
        for group in groups
        if any(lanes >> n & 1 for n in group)
    ]
    return [f"{head} {told[0]}", *(f"{'':14} {line}" for line in told[1:])]


def _pattern(lanes: Sequence[int], values: Sequence[Value | None], type: ScalarType) -> str:
    """Whole numbers that grow evenly with the lane, of three lanes or more."""
    if len(lanes) < 3 or not all(isinstance(each, int) and not isinstance(each, bool) for each in values):
        return ""
    numbers = [each for each in values if isinstance(each, int)]
    step, rest = divmod(numbers[1] - numbers[0], lanes[1] - lanes[0])
    base = numbers[0] - step * lanes[0]
    if rest or not step or any(number != base + step * lane for lane, number in zip(lanes, numbers)):
        return ""
    times = "lane" if step == 1 else f"{step} * lane"
    return f"{text_of(base, type)} + {times}" if base else times


def memory_text(address: int, values: Sequence[Value], type: ScalarType) -> str:
    """Elements of memory by address, as many a row as 32 bytes hold."""
    across = max(32 // type.bytes, 1)
    texts = [text_of(each, type) for each in values]
    width = max(map(len, texts), default=0)
    rows = []
    for first in range(0, len(texts), across):
        rows.append(
            f"{address + first * type.bytes:#x}: " + " ".join(t.rjust(width) for t in texts[first : first + across])
        )
    return "\n".join(rows)


# -- who is where -----------------------------------------------------------------------------------------------------


def warps_text(warps: Sequence[Warp], current: Thread | None) -> str:
    """Each warp by where its lanes are."""
    rows = [("", "CTA", "warp", "lanes", "", "where", "")]
    for warp in warps:
        state = warp.state
        sign = "->" if current is not None and current.state == state else "  "
        for each, lanes in warp.positions:
            waits = "wait" if lanes & state.waiting else ""
            ctaid = ",".join(map(str, state.cta.ctaid))
            rows.append((sign, ctaid, str(state.index), lanes_text(lanes), waits, f"{PTX}:{each.ptx}", each.text))
            sign = "  "
    return table_text(rows) if len(rows) > 1 else "no warp has threads left"


def barriers_text(ctas: Sequence[CtaState]) -> str:
    """Barriers and mbarriers that threads wait at, and what is under way."""
    rows: list[str] = []
    for cta in ctas:
        name = f"CTA {cta.ctaid}"
        for barrier in cta.barriers:
            expected = barrier.expected or "all"
            rows.append(f"{name}: barrier {barrier.number}: {barrier.arrived} of {expected} threads have arrived")
        for at in cta.mbarriers:
            rows.append(
                f"{name}: mbarrier at {at.offset:#x} of shared memory: {_mbarrier(at.state)}{_waiters(cta, at.offset)}"
            )
        for warp in cta.warps:
            copies, bulk, products = warp.under_way
            kinds = ((copies, "cp.async"), (bulk, "bulk copies or arrivals"), (products, "wgmma"))
            told = ", ".join(f"{number} {what}" for number, what in kinds if number)
            rows += [f"{name}: warp {warp.index}: under way: {told}"] if told else []
    return "\n".join(rows) or "nothing is waited for, and nothing under way"


def _mbarrier(state: MbarrierState | None) -> str:
    if state is None:
        return "not valid any more"
    return f"phase of parity {state.parity}, {state.pending} arrivals pending of {state.expected}, tx-count {state.tx}"


def _waiters(cta: CtaState, offset: int) -> str:
    found = []
    for warp in cta.warps:
        lanes = sum(1 << lane for lane in range(32) if warp.live >> lane & 1 and warp.awaited(lane) == offset)
        if lanes:
            found.append(f"warp {warp.index} (lanes {lanes_text(lanes)})")
    return f"; waited for by {', '.join(found)}" if found else ""
