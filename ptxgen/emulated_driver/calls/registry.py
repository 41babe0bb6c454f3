"""Which driver functions there are: `entry` registers a Python function under the symbol that it stands for.

A driver function has the C prototype's arguments (pointers as int or None). It returns nothing on success and raises
Refusal otherwise.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

NOTHING, INIT, CONTEXT = 0, 1, 2
"""What a function needs: nothing, cuInit, or a current context, which it gets as its first argument."""

F = TypeVar("F", bound="Callable[..., None]")


class DriverFunction(NamedTuple):
    function: Callable[..., None]
    needs: int
    unsafe: bool


ENTRIES: dict[str, DriverFunction] = {}


def entry(symbol: str, *, needs: int = CONTEXT, unsafe: bool = False) -> Callable[[F], F]:
    """Registers a driver function under its exported symbol.

    `unsafe`: it may not be called while a capture of the wrong mode goes on ("potentially unsafe API call").
    """

    def register(function: F) -> F:
        ENTRIES[symbol] = DriverFunction(function, needs, unsafe)
        return function

    return register
