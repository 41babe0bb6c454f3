"""What libcuda.so.1 exports: the names that driver 580 has (CUDA 13.0), in exports.txt."""

from __future__ import annotations

from importlib.resources import files

__all__ = ["FUNCTIONS", "LIBRARY", "VARIABLES"]

LIBRARY = "libcuda.so.1"

_NAMES = files("ptxgen.shim").joinpath("exports.txt").read_text("ascii").split()

_DEBUGGER_FUNCTIONS = frozenset(
    "cudbgApiAttach cudbgApiDetach cudbgApiInit cudbgGetAPI cudbgGetAPIVersion cudbgMain cudbgReportDriverApiError "
    "cudbgReportDriverInternalError".split()
)
_PATH_ROOM = 4096

VARIABLES: dict[str, int] = {
    name: _PATH_ROOM if name == "cudbgInjectionPath" else 8
    for name in _NAMES
    if name.startswith("cudbg") and name not in _DEBUGGER_FUNCTIONS
}
"""Name -> bytes. A debugger looks for them; there is none for the CPU device."""

FUNCTIONS: tuple[str, ...] = tuple(name for name in _NAMES if name not in VARIABLES)
"""The functions, in the order of their entries."""
