"""The CTAs whose memory an instruction of tcgen05 works on: its own, or with .cta_group::2 a pair of the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.records import cta_of, launch_of, nth_cta

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.rt.records import MemoryRecord

__all__ = ["ctas_of"]


def ctas_of(
    warp: MemoryRecord, words: list[str], refuse: Callable[[LlvmValue, FaultKind, LlvmValue], None]
) -> list[MemoryRecord]:
    """Their records, that of the even rank first (manual 9.7.16.5.1: ranks that differ in the last bit make a pair)."""
    e, cta = warp.emitter, cta_of(warp)
    if "cta_group::2" not in words:
        return [cta]
    rank, size = cta.get("rank"), launch_of(warp).get("cluster_ctas")
    refuse((size & 1).ne(0), FaultKind.CTA_PAIR, size)
    first = e.ptr(cta.get("cluster"))
    found = [nth_cta(e, first, (rank & -2) + n) for n in range(2)]
    for number, one in enumerate(found):
        refuse(one.get("alive").eq(0), FaultKind.CLUSTER_EXITED, (rank & -2) + number)
    return found
