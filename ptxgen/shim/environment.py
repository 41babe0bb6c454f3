"""The environment in which a program finds this libcuda.so.1, whatever it is written with."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING

from driver_ctypes.caches.folder import cache_folder
from ptxgen.errors import UnsupportedError
from ptxgen.shim import nvjitlink, nvrtc
from ptxgen.shim.exports import LIBRARY
from ptxgen.shim.library import LIBRARIES, content_key, write_library

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["environment_for", "library_folder", "use_here"]


def library_folder() -> Path:
    """The folder of caches that has the library of this Python and this ptxgen; it is written where it is not there."""
    folder = cache_folder() / "cuda" / content_key()
    if not (folder / LIBRARY).is_file():
        write_library(folder)
    return folder


def environment_for(folder: Path, before: Mapping[str, str]) -> dict[str, str]:
    """The variables `before`, and those that clients read: the loader's path, numba-cuda's driver, Triton's driver and
    assemblers."""
    found = dict(before)
    if os.pathsep in str(folder):
        raise UnsupportedError(f"{folder}: a folder with a colon", hint="the loader takes it for two: PTXGEN_CACHE_DIR")
    # Clients look for these into their wheels first, but take what is loaded. A space would part a path.
    at = "" if any(each.isspace() for each in str(folder)) else f"{folder}/"
    preloaded = os.pathsep.join(at + name for name in (*nvjitlink.LIBRARIES, *nvrtc.LIBRARIES))
    for name, ours in (("LD_LIBRARY_PATH", str(folder)), ("LD_PRELOAD", preloaded)):
        rest = found.get(name)
        found[name] = f"{ours}{os.pathsep}{rest}" if rest else ours
    # A program passes where it passes on a GPU; memcheck and asynccheck are exact.
    found.setdefault("PTXGEN_CPU_BOUNDS", "units")
    found.setdefault("PTXGEN_CPU_WAITS", "injected")
    found["NUMBA_CUDA_DRIVER"] = str(folder / LIBRARY)
    found["TRITON_LIBCUDA_PATH"] = str(folder)
    found["TRITON_PTXAS_PATH"] = str(folder / "ptxas")
    found["TRITON_PTXAS_BLACKWELL_PATH"] = str(folder / "ptxas-blackwell")
    return found


def use_here() -> None:
    """Have this process, and those that it starts, use the library: what asks the loader for libcuda.so.1 from now on gets it."""
    folder = library_folder()
    for name in LIBRARIES:
        ctypes.CDLL(str(folder / name), ctypes.RTLD_GLOBAL)
    os.environ.update(environment_for(folder, os.environ))
