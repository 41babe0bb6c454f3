"""A session in a notebook: where it is, the lines around, the values that the instruction in hand takes and gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ptxgen.debugger.show import listing_text
from ptxgen.debugger.values import text_of
from ptxgen.markup import box, listing, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.debugger.points import Breakpoint, Stop
    from ptxgen.debugger.program import Program
    from ptxgen.debugger.threads import Thread, Warp
    from ptxgen.markup import Html

__all__ = ["session_html"]


class Shown(Protocol):
    """What is shown of a `session.Session`."""

    program: Program
    stop: Stop
    ptx: bool

    @property
    def breakpoints(self) -> Sequence[Breakpoint]: ...

    @property
    def thread(self) -> Thread | None: ...

    @property
    def warp(self) -> Warp: ...


def session_html(session: Shown) -> str:
    """As a box of a notebook."""
    parts: list[Html] = [listing(str(session.stop))]
    thread = session.thread
    here = thread.instruction if thread is not None else None
    if thread is not None and here is not None:
        marks = [n for each in session.breakpoints if each.enabled for n in each.instructions]
        parts.append(listing(listing_text(session.program, here, ptx=session.ptx, marks=marks)))
        rows = session.warp.registers(thread.stack[0].calls)
        lanes = [n for n in range(32) if thread.state.live >> n & 1]
        heads = ("register", "type", *(f"lane {n}" for n in lanes))
        cells = [(row.name, row.type.name, *(text_of(row.values[n], row.type) for n in lanes)) for row in rows]
        parts.append(table(heads, cells))
    return box(repr(session).strip("<>"), *parts)
