"""A barrier of the whole grid, for kernels that are launched cooperatively.

One counter in global memory: the leader of each CTA adds one and waits until all have. The host sets it to zero before each
launch; it only grows, so that no CTA can miss a phase, and the barrier may stand in a loop: a CTA's own ticket says which
phase it waits for (PTX manual 9.7.13: atom with .acq_rel, ld with .acquire).

A kernel may also be cut at its barriers (`ptxgen.runtime.splitting`); for that it is traced with `marked_barriers`, where a
barrier is a label.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from ptxgen.build import u32

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.build import Builder

__all__ = ["BARRIER_VARIABLE", "grid_barrier", "marked_barriers"]

BARRIER_VARIABLE = "_ptxgen_grid_barrier"
"""The module variable that the backend zeroes before each cooperative launch."""

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
    """Wait for every thread of the grid; what they wrote before is seen after it. Every thread must come here, and the launch
    be cooperative: CTAs that are not resident would never come. At most 2^32 arrivals of CTAs in a launch.
    """
    marks = _marks.get()
    if marks is not None:
        marks.append(k.label("grid_barrier"))
        k.place(marks[-1])
        k.barrier()
        return
    counter = k.global_(BARRIER_VARIABLE, u32)
    k.barrier()
    leader = (k.tid.x | k.tid.y | k.tid.z) == 0
    with k.if_(leader):
        ctas: Any = k.nctaid.x * k.nctaid.y * k.nctaid.z
        k.fence()
        ticket = k.atomic_add(counter, 0, 1, order="acq_rel")
        phase_end = (ticket // ctas + 1) * ctas
        arrived = k.var(u32, 0)
        with k.while_(lambda: arrived < phase_end):
            arrived.set(counter.load(0, "acquire", "gpu"))
    k.barrier()
