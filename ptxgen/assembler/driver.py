"""The CUDA version of NVIDIA's driver on this machine, asked without opening it: another process loads the library."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import lru_cache

__all__ = ["driver_version"]

_SIGNS = ("/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-ctrl-gpu", "/proc/driver/nvidia/version")
"""Files of NVIDIA's kernel modules, and of WSL's: without them there is nothing to ask."""

_ASK = """
import ctypes, sys
for path in sys.argv[1:]:
    try:
        library = ctypes.CDLL(path)
    except OSError:
        continue
    version = ctypes.c_int()
    if library.cuDriverGetVersion(ctypes.byref(version)) == 0:
        print(version.value)
        break
"""


@lru_cache(maxsize=1)
def driver_version() -> tuple[int, int] | None:
    """(13, 0) for a driver of CUDA 13.0; None where there is none."""
    if not os.environ.get("PTXGEN_LIBCUDA") and not any(map(os.path.exists, _SIGNS)):
        return None
    return ask()


def ask() -> tuple[int, int] | None:
    """What the first library that answers says."""
    from driver_ctypes.loading.libcuda import candidates

    try:
        command = [sys.executable, "-I", "-S", "-c", _ASK, *candidates()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        number = int(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return number // 1000, number % 1000 // 10
