"""A barrier of the whole grid, for kernels that are launched cooperatively.

One counter in global memory: what the leaders of all CTAs add in a phase is 2^31 together, so that its highest bit flips when
the last one arrives, and each waits until that bit has changed. After every phase the low bits are zero again: no
host resets it, the next launch may have another grid, and the barrier may be in a loop (PTX manual 9.7.13: atom with
.acq_rel, ld with .acquire; the counting is that of cooperative groups' grid.sync()).

A kernel may also be cut at its barriers (see splitting.py); for that it is traced with `marked_barriers`, where a
barrier is a label.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from ptxgen.builder import u32
from ptxgen.host.loading import GRID_BARRIER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.builder import Builder

__all__ = ["grid_barrier", "marked_barriers"]

_PHASE = 1 << 31

_marks: ContextVar[list[str] | None] = ContextVar("marks of grid barriers", default=None)


@contextmanager
def marked_barriers() -> Iterator[list[str]]:
    """While the body builds kernels, a grid barrier is a label and one `bar.sync`, which keeps it apart from labels that follow;
    the list has the labels' names, in the order of the code."""
    found: list[str] = []
    token = _marks.set(found)
    try:
        yield found
    finally:
        _marks.reset(token)


def grid_barrier(k: Builder) -> None:
    """Wait for every thread of the grid; what they wrote before is seen after it. Every thread must arrive here, and the launch
    must be cooperative: CTAs that are not resident would never arrive.
    """
    marks = _marks.get()
    if marks is not None:
        marks.append(k.label("grid_barrier"))
        k.place(marks[-1])
        k.barrier()
        return
    counter = k.global_(GRID_BARRIER, u32)
    k.barrier()
    leader = (k.tid.x | k.tid.y | k.tid.z) == 0
    with k.if_(leader):
        others: Any = k.nctaid.x * k.nctaid.y * k.nctaid.z - 1
        first = (k.ctaid.x | k.ctaid.y | k.ctaid.z) == 0
        k.fence()
        found = k.atomic_add(counter, 0, k.select(first, _PHASE - others, 1), order="acq_rel")
        now = k.var(u32, found)
        with k.while_(lambda: (now ^ found) < _PHASE):
            now.set(counter.load(0, "acquire", "gpu"))
    k.barrier()
