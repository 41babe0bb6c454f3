"""How kernels are launched, chosen once: by machine code or by ctypes, and why.

A self-test decides: a launcher is run against a driver function of our own, and every byte must arrive. Where llvmlite is
missing, the build of Python is another one than was foreseen (free-threaded, not CPython), or anything in the test is off,
launches use ctypes.

``DRIVER_CTYPES_LAUNCHER=ctypes`` asks for the ctypes path; ``=native`` makes it an error where the native one cannot be,
and tries it on a Python newer than those that are known.
"""

from __future__ import annotations

import os
import sys
import threading

from driver_ctypes.errors import Error
from driver_ctypes.lifetime import renew_in_child
from driver_ctypes.typing import NamedTuple

ENVIRONMENT_VARIABLE = "DRIVER_CTYPES_LAUNCHER"

_NEWEST = 3, 14  # objects of a newer Python may be laid out otherwise, and the self-test might not survive that


class LauncherInfo(NamedTuple):
    """Which way launches go: *kind* is ``native`` or ``ctypes``; *reason* says why."""

    kind: str
    reason: str

    def __str__(self) -> str:
        return f"{self.kind} ({self.reason})"


_chosen: LauncherInfo | None = None
_lock = threading.Lock()
renew_in_child(globals(), "_lock")


preparing = threading.Lock()
"""Held by a thread that has launchers made ahead: who binds one meanwhile need not wait."""


def is_soon_decided() -> bool:
    """Whether a thread is about to choose."""
    return _chosen is None and preparing.locked()


def launcher() -> LauncherInfo:
    """How bound kernels are launched in this process; chosen on the first call. Raises Error where the environment
    asks for what cannot be had.
    """
    global _chosen
    if _chosen is None:
        with _lock:
            if _chosen is None:
                _chosen = choose(os.environ.get(ENVIRONMENT_VARIABLE, ""))
    return _chosen


def is_decided() -> bool:
    """Whether it was chosen already, which takes 0.1 s where no process has compiled launchers before."""
    return _chosen is not None


def is_native() -> bool:
    """Whether bound kernels are launched natively."""
    return (_chosen or launcher()).kind == "native"


def choose(wanted: str) -> LauncherInfo:
    """The way that *wanted* asks for: ``native``, ``ctypes``, or an empty string for the better one."""
    if wanted == "ctypes":
        return LauncherInfo("ctypes", f"{ENVIRONMENT_VARIABLE} asks for it")
    if wanted not in ("", "native"):
        raise Error(
            f"{ENVIRONMENT_VARIABLE}={wanted!r} names no launcher", hint="set it to native or ctypes, or unset it"
        )
    obstacle = _obstacle(unknown=wanted == "native")
    if not obstacle:
        return LauncherInfo("native", "machine code, self-test passed")
    if wanted == "native":
        raise Error(
            f"there is no native launcher: {obstacle}", hint=f"unset {ENVIRONMENT_VARIABLE} to launch by ctypes"
        )
    return LauncherInfo("ctypes", obstacle)


def _obstacle(unknown: bool) -> str:
    """What prevents native launchers here; empty if nothing does. *unknown* accepts a newer Python."""
    if sys.implementation.name != "cpython":
        return f"native launchers are made for CPython, this is {sys.implementation.name}"
    if "t" in getattr(sys, "abiflags", ""):
        return "this is a free-threaded build of Python"
    if sys.version_info[:2] > _NEWEST and not unknown:
        return f"native launchers are made for CPython up to {_NEWEST[0]}.{_NEWEST[1]}"
    from driver_ctypes.trampoline.selftest import failure

    return failure()
