"""Memory of the host that kernels of the CPU device reach where it is, while it is lent to them."""

from __future__ import annotations

import threading
from contextlib import contextmanager

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ptxgen.host.machine import Device

__all__ = ["Span", "lent"]


class Span(NamedTuple):
    """So many bytes from an address on: what `Context.register` asks of memory."""

    address: int
    nbytes: int


_turn = threading.RLock()  # memory is lent once: two threads may have tensors over the same


@contextmanager
def lent(device: Device, spans: Iterable[Span]) -> Iterator[None]:
    """In the body, kernels of the CPU device reach these spans, and nothing beside them; they may overlap. At its end the device
    has done what it was given. Its owner keeps the memory until then.

    About 20 us for each span that is apart from the others, whatever its size: nothing is copied. Other threads that lend wait
    for their turn.
    """
    with _turn:
        context, held = device.context, []
        try:
            for each in _merged(spans):
                held.append(context.register(each, mapped=True))
            yield
            device.synchronize()
        finally:
            for one in held:
                if context.poisoned is None:  # after a fault it goes with the context
                    one.close()


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Those that overlap as one."""
    found: list[Span] = []
    for each in sorted(span for span in spans if span.nbytes):
        last = found[-1] if found else None
        if last is not None and each.address < last.address + last.nbytes:
            end = max(last.address + last.nbytes, each.address + each.nbytes)
            found[-1] = Span(last.address, end - last.address)
        else:
            found.append(each)
    return found
