"""Attributes of launches and kernel nodes: what each may be, and the events that a launch records."""

from __future__ import annotations

from driver_ctypes.abi.launch_structs import CUlaunchAttributeValue
from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.emulated_driver import numbers
from ptxgen.emulated_driver.errors.refusal import invalid_value
from ptxgen.emulated_driver.streams.stream import GREATEST_PRIORITY, LEAST_PRIORITY

if TYPE_CHECKING:
    from ptxgen.emulated_driver.state.context import Stream
    from ptxgen.emulated_driver.state.edges import Edge
    from ptxgen.emulated_driver.state.graph import Node
    from ptxgen.emulated_driver.streams.events import Event

A = numbers.CUlaunchAttributeID

KEPT = (
    A.ACCESS_POLICY_WINDOW, A.CLUSTER_SCHEDULING_POLICY_PREFERENCE, A.PRIORITY, A.MEM_SYNC_DOMAIN_MAP, A.MEM_SYNC_DOMAIN,
    A.DEVICE_UPDATABLE_KERNEL_NODE, A.PREFERRED_SHARED_MEMORY_CARVEOUT,
)  # fmt: skip
"""What a node keeps and tells again: it changes nothing here, where work runs in order."""

NODE_ATTRIBUTES = frozenset(attribute for attribute in KEPT if attribute != A.DEVICE_UPDATABLE_KERNEL_NODE)
"""What the node of a captured launch takes over from the launch."""

HINTS = frozenset((
    A.IGNORE, A.PROGRAMMATIC_STREAM_SERIALIZATION, A.PROGRAMMATIC_EVENT, A.PREFERRED_CLUSTER_DIMENSION,
    A.LAUNCH_COMPLETION_EVENT, A.NVLINK_UTIL_CENTRIC_SCHEDULING, *NODE_ATTRIBUTES,
))  # fmt: skip
"""Attributes of a launch that change nothing of the kernel's work here."""

DEFAULTS = {A.MEM_SYNC_DOMAIN_MAP: 0x100}  # remote memory traffic in domain 1
_DOMAINS, _HARDWARE_DOMAINS = 2, 4  # the second is MEM_SYNC_DOMAIN_COUNT


def checked(attribute: int, wanted: CUlaunchAttributeValue) -> CUlaunchAttributeValue:
    """A value in its range: priorities are clamped, the others refused."""
    if attribute == A.PRIORITY:
        wanted.priority = min(max(wanted.priority, GREATEST_PRIORITY), LEAST_PRIORITY)
    elif attribute == A.MEM_SYNC_DOMAIN and not 0 <= wanted.memSyncDomain < _DOMAINS:
        raise invalid_value(f"memory synchronisation domain {wanted.memSyncDomain}: 0 or 1")
    elif attribute == A.MEM_SYNC_DOMAIN_MAP:
        domains = wanted.memSyncDomainMap
        if max(domains.default_, domains.remote) >= _HARDWARE_DOMAINS:
            raise invalid_value(
                f"memory synchronisation domains {domains.default_}, {domains.remote}: there are {_HARDWARE_DOMAINS}"
            )
    elif attribute == A.PREFERRED_SHARED_MEMORY_CARVEOUT and wanted.sharedMemCarveout > 100:
        raise invalid_value(f"a carve-out of {wanted.sharedMemCarveout} percent")
    return wanted


def event_of(attribute: int, value: CUlaunchAttributeValue) -> tuple[Event, Edge] | None:
    """(the event that a launch with this attribute records, what a kernel that waits for it waits for); None where it
    records none.
    """
    if attribute not in (A.PROGRAMMATIC_EVENT, A.LAUNCH_COMPLETION_EVENT):
        return None
    from ptxgen.emulated_driver.state.edges import BEGUN, LAUNCHED, PROGRAMMATIC
    from ptxgen.emulated_driver.streams.events import DISABLE_TIMING, INTERPROCESS, events

    if attribute == A.PROGRAMMATIC_EVENT:
        handle, edge = (
            value.programmaticEvent.event,
            BEGUN if value.programmaticEvent.triggerAtBlockStart else PROGRAMMATIC,
        )
    else:
        handle, edge = value.launchCompletionEvent.event, LAUNCHED
    event = events.get(handle)
    if not event.flags & DISABLE_TIMING or event.flags & INTERPROCESS:
        raise invalid_value("an event that a launch records has no timing, and is of one process")
    return event, edge


def record(stream: Stream, node: Node | None, event: Event, edge: Edge) -> None:
    """The launch has been done, or is a node of a capture."""
    if node is None:
        from ptxgen.emulated_driver.streams.events import EventRecord

        stream.do(EventRecord(event))
    else:
        event.captured, event.nodes = stream.capture, {node: edge}
