"""The environment variables of this room that turn something on or off; those that name folders are in `disk`.

They are read when a backend is acquired or a program compiled, never by a dispatch, except PTXGEN_VALIDATE_DISPATCH.

| variable | default | what 1 does |
|---|---|---|
| PTXGEN_CACHE | 1 | PTX and tuned workgroups are kept on disk |
| PTXGEN_GRAPH_REPLAY | 1 | host dispatches of small shapes replay graphs |
| PTXGEN_VALIDATE_DISPATCH | 1 | programs are checked against the device before they are compiled |
| PTXGEN_AUTOTUNER | 0 | open workgroups are tuned by measuring |
| PTXGEN_STAGE_TRACE | 0 | the stages of compilations are logged with their times |
| PTXGEN_NVTX_RANGES | 0 | compilations and dispatches are ranges in a profiler |
| PTXGEN_PROGRAM_AUDIT | 0 | PTX that the verifier warns about is refused, cached PTX too |
| PTXGEN_RESIDENT_SYNC_BEFORE_LAUNCH | 0 | a resident dispatch first waits for those before it |
| PTXGEN_RESIDENT_BORROWED_FALLBACK | 1 | resident dispatches take host data where a buffer is wanted |
"""

from __future__ import annotations

import os

from ptxgen.runtime.errors import BackendError

__all__ = ["flag"]

_OFF = ("0", "off", "no", "false")
_ON = ("1", "on", "yes", "true")


def flag(name: str, default: bool) -> bool:
    """Whether a variable is on; the default where it is not set, or empty. BackendError for another word."""
    text = os.environ.get(name, "").strip().lower()
    if not text:
        return default
    if text not in _ON + _OFF:
        raise BackendError(f"{name} is {text!r}", fix=f"write one of {', '.join(_ON + _OFF)}, or unset it")
    return text in _ON
