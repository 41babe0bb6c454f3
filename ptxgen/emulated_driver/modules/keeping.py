"""What this process keeps from one to the next: compiled code, and verdicts of the verifier. Importing this file says so to those
who make them; the cache itself is opened when somebody first asks."""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.stores import keep_verdicts, set_store

if TYPE_CHECKING:
    from ptxgen.emulated_driver.modules.disk import Disk

__all__ = ["disk"]


def disk() -> Disk | None:
    """The process's cache of compiled code. What it needs is imported when it is first asked for."""
    from ptxgen.emulated_driver.modules import disk

    return disk.disk()


def _verdict(digest: str) -> str | None:
    found = disk()
    kept = None if found is None else found.get("clean", digest)
    return None if kept is None else kept.decode()


def _keep_verdict(digest: str, verdict: str) -> None:
    found = disk()
    if found is not None:
        found.put(verdict.encode(), "clean", digest)


set_store(disk)
keep_verdicts(_verdict, _keep_verdict)
