"""What this process keeps from one to the next: compiled code, and verdicts of the verifier. Importing this file says so to those
who make them; the cache itself is opened when somebody first asks."""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.cpu.code.store import set_store
from ptxgen.verifier.findings.clean import keep_verdicts

if TYPE_CHECKING:
    from ptxgen.emulated_driver.modules.disk import Disk

__all__ = ["disk"]


def disk() -> Disk | None:
    """The process's cache of compiled code. What it needs is imported when it is first asked for."""
    from ptxgen.emulated_driver.modules import disk

    return disk.disk()


def _texts() -> Disk | None:
    from ptxgen.emulated_driver.modules import disk

    return disk.texts()


def _was_clean(digest: str) -> bool:
    found = disk()
    return found is not None and found.get("clean", digest) is not None


def _is_clean(digest: str) -> None:
    found = disk()
    if found is not None:
        found.put(b"", "clean", digest)


set_store(disk, _texts)
keep_verdicts(_was_clean, _is_clean)
