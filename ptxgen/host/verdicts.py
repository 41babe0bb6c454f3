"""What the verifier had nothing to say of, kept from one process to the next on machines with a GPU.

There the driver's code comes from its own cache, and verifying would be the most of what the first use of a kernel takes. On the
CPU device the cache of compiled code has the verdicts (`ptxgen.emulated_driver.modules.keeping`).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ptxgen.stores import are_verdicts_kept, keep_verdicts

if TYPE_CHECKING:
    from ptxgen.emulated_driver.modules.disk import Disk

__all__ = ["FOLDER", "keep", "store"]

FOLDER = "verdicts"
"""Its folder in `driver_ctypes.cache_folder()`."""


def keep() -> None:
    """Keep verdicts from now on, unless they are kept already."""
    if not are_verdicts_kept():
        keep_verdicts(_verdict, _keep_verdict)


@cache
def store() -> Disk | None:
    """The cache, opened when somebody first asks; None where caches are off, or the sources are just being changed."""
    from driver_ctypes.caches.process import code_store
    from driver_ctypes.errors import CacheError
    from ptxgen.emulated_driver.modules.disk import open_verdicts

    kept = code_store(FOLDER)
    try:
        return None if kept is None else open_verdicts(kept)
    except CacheError:
        return None


def _verdict(digest: str) -> str | None:
    found = store()
    kept = None if found is None else found.get(digest)
    return None if kept is None else kept.decode()


def _keep_verdict(digest: str, verdict: str) -> None:
    found = store()
    if found is not None:
        found.put(verdict.encode(), digest)
