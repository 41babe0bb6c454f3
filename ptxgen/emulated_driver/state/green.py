"""Green contexts, as streams and threads know them."""

from __future__ import annotations

from itertools import count

from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.emulated_driver.state.handles import Handles

if TYPE_CHECKING:
    from ptxgen.emulated_driver.state.context import Context

__all__ = ["GreenContext", "green_of", "greens"]

_ids = count(1)


class GreenContext:
    """A primary context with so many of its device's multiprocessors.

    context_handle: what may be made current for it. `contexts` leads from there to the primary context.
    """

    __slots__ = ("context_handle", "handle", "id", "multiprocessors", "primary")

    def __init__(self, primary: Context, contexts: Handles[Context], multiprocessors: int) -> None:
        self.primary = primary
        self.multiprocessors = multiprocessors
        self.context_handle = contexts.add(primary)
        self.id = next(_ids)
        self.handle = greens.add(self)


greens: Handles[GreenContext] = Handles("green context")


def green_of(context_handle: int | None) -> GreenContext | None:
    """The green context that this handle of a context is for; None for any other."""
    return next((each for each in greens if each.context_handle == context_handle), None)
