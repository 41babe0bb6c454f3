"""Python functions called in the order of a stream's work, so that nothing can deadlock.

The driver does not call Python: it calls the C library's ``sem_post``, which takes no lock of the interpreter. A thread
of ours waits for that semaphore, and calls the functions, one after the other (`hostqueue`). So a function may take its time,
take locks and call CUDA; the stream's later work does not wait for it. What it raises is raised by the stream's next
synchronisation, which waits for the functions too; called by a function, of whichever stream, it waits for the device's
work alone, which waits for no function: else two of them would wait for each other.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from driver_ctypes.session.session import Session


class RaisingFunction(Protocol):
    """A function of a graph, with what it has raised."""

    context: Session
    streams: set[int]

    def raise_kept(self) -> None: ...


untold: list[RaisingFunction] = []
"""Functions of graphs that have raised, of which nobody has heard yet."""


def tell_of_graphs(context: Session, stream: int | None = None) -> None:
    """Raise HostFunctionError for what functions of graphs have raised: of those that were launched on a CUstream, or of
    all of the context. A function called by a stream gets no exceptions.
    """
    if not untold:
        return
    import threading

    from driver_ctypes.streams.hostqueue import Caller  # a thread needs `threading`, which a first launch does not

    if not isinstance(threading.current_thread(), Caller):
        for function in tuple(untold):
            if function.context.closed:
                untold.remove(function)
            elif function.context is context and (stream is None or stream in function.streams):
                function.raise_kept()


def synchronize(context: Session) -> None:
    """See `Context.synchronize`."""
    context.call("cuCtxSynchronize")
    if context.host_queues:
        for queue in list(context.host_queues):
            queue.finish()
    tell_of_graphs(context)
