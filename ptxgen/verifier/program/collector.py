"""Python's collector of cyclic garbage, while many objects are made that are all needed until the end.

It would look through them again and again, and through all objects of the program every so often: a tenth of a run and more.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["uncollected"]


@contextmanager
def uncollected() -> Iterator[None]:
    """No collection in the body, unless somebody else turns it on."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
