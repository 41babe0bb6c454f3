"""Clusters that are taken from the grid by one that runs (manual 9.7.13.17: clusterlaunchcontrol)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu import record_layout
from ptxgen.cpu.rt.records import MemoryRecord
from ptxgen.cpu.rt.scheduler import first_of_cluster

if TYPE_CHECKING:
    from ptxgen.cpu.emit import Emitter, LlvmValue

__all__ = ["CANCELED", "RESPONSE_BYTES", "write_cancel"]

RESPONSE_BYTES = 16
CANCELED = 1
"""The last word of a response whose first three are the coordinates of a cluster's first CTA; in others all are 0."""


def write_cancel(e: Emitter, *arguments: LlvmValue) -> None:
    """`void cancel(launch, response)`: the next cluster that the worker would start counts as done; its response, of four words.

    Clusters that another worker has taken, and not started, stay that one's: the manual promises nobody that there is one left.
    """
    launch = MemoryRecord(e, record_layout.LaunchRecord, arguments[0])
    response = arguments[1]
    for word in range(4):
        e.store(e.const("i32", 0), e.offset(response, 4 * word))
    with e.if_(e.call("claim", "i1", launch.pointer)):
        number, size = launch.get("next_cta"), launch.get("cluster_ctas").zext("i64")
        launch.set("next_cta", number + size)
        launch.add("done_ctas", size)
        for axis, value in enumerate(first_of_cluster(launch, number.udiv(size))):
            e.store(value.trunc("i32"), e.offset(response, 4 * axis))
        e.store(e.const("i32", CANCELED), e.offset(response, 12))
    e.line("ret void")
