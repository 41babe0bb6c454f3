"""Where the NVIDIA driver's library is, and how its functions are looked up in it.

Order of search: ``PTXGEN_LIBCUDA`` (then nothing else), a libcuda that this process has loaded already, the loader's
own ``libcuda.so.1``, the places of WSL, Tegra, containers and distributions, and last ``libcuda.so``, which is often
the toolkit's stub: a library whose ``cuInit`` answers 34 is passed over.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from collections.abc import Callable, Iterator
from typing import Any

from driver_ctypes.abi.functions import FUNCTIONS, prototype
from driver_ctypes.errors import DriverNotFoundError

ENVIRONMENT_VARIABLE = "PTXGEN_LIBCUDA"

_STUB_LIBRARY = 34
_MAPS = "/proc/self/maps"
# Where the loader may not look: WSL's folder, Jetson's (Tegra), the device plugin's of Kubernetes, NixOS's.
_PLACES = (
    "/usr/lib/wsl/lib/libcuda.so.1",
    "/usr/local/nvidia/lib64/libcuda.so.1",
    "/run/opengl-driver/lib/libcuda.so.1",
)
_PLACES_OF = {
    "x86_64": ("/usr/lib/x86_64-linux-gnu/libcuda.so.1", "/usr/lib64/libcuda.so.1"),
    "aarch64": (
        "/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1",
        "/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1",
        "/usr/lib/aarch64-linux-gnu/libcuda.so.1",
        "/usr/lib64/libcuda.so.1",
    ),
}


def candidates(maps: str = _MAPS, machine: str = "") -> Iterator[str]:
    """Paths and names to try on this kind of *machine* ("x86_64", "aarch64"), in order, each once."""
    chosen = os.environ.get(ENVIRONMENT_VARIABLE)
    if chosen:
        yield chosen
        return
    if sys.platform == "win32":
        yield "nvcuda.dll"
        return
    yield from _loaded(maps)
    yield "libcuda.so.1"
    yield from _PLACES
    yield from _PLACES_OF.get(machine or platform.machine(), ())
    yield "libcuda.so"


def _loaded(maps: str) -> list[str]:
    """Paths of the libcuda that are mapped into this process, such as a framework's."""
    try:
        with open(maps, encoding="utf-8", errors="surrogateescape") as lines:
            paths = [line.split(None, 5)[5].rstrip("\n") for line in lines if "/libcuda.so" in line]
    except OSError:  # no /proc
        return []
    return list(dict.fromkeys(paths))


class DriverLibrary:
    """A loaded libcuda: ``library(symbol, version)`` gives the function's address, or 0 where the driver lacks it.

    The version is the one of the function's row, never the driver's: it selects the ABI.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.tried: tuple[tuple[str, str], ...] = ()
        """(candidate, why not) of each library that was looked at before."""
        self._dll = ctypes.CDLL(path)
        self._ask: Callable[[str, int], int] | None = None
        for symbol, ask in (("cuGetProcAddress_v2", self._ask_v2), ("cuGetProcAddress", self._ask_v1)):
            address = self._exported(symbol)
            if address:
                self._get = prototype(symbol)(address)
                self._ask = ask
                break

    def __call__(self, symbol: str, version: int) -> int:
        if symbol.startswith("cuGetProcAddress"):
            return self._exported(symbol)
        return (self._ask(symbol, version) if self._ask else 0) or self._exported(symbol)

    @property
    def file(self) -> str:
        """The file behind the path, with links resolved; the path itself where that cannot be seen."""
        loaded = [self.path] if os.path.isabs(self.path) else _loaded(_MAPS)
        return os.path.realpath(loaded[0]) if loaded else self.path

    @property
    def build(self) -> str:
        """Name, size and date of the file: no two builds of a driver have the same."""
        try:
            found = os.stat(self.file)
        except OSError:
            return self.file
        return f"{os.path.basename(self.file)} {found.st_size} {found.st_mtime_ns}"

    def _exported(self, symbol: str) -> int:
        function = getattr(self._dll, symbol, None)
        return 0 if function is None else ctypes.cast(function, ctypes.c_void_p).value or 0

    def _ask_v2(self, symbol: str, version: int) -> int:
        status = ctypes.c_int()
        return self._ask_with(symbol, version, ctypes.byref(status))

    def _ask_v1(self, symbol: str, version: int) -> int:
        return self._ask_with(symbol, version)

    def _ask_with(self, symbol: str, version: int, *status: Any) -> int:
        name = FUNCTIONS[symbol].name if symbol in FUNCTIONS else symbol
        address = ctypes.c_void_p()
        code = self._get(name.encode(), ctypes.byref(address), version, 0, *status)
        return 0 if code else address.value or 0


def find_libcuda() -> DriverLibrary:
    """The first candidate that loads and is not a stub. Raises DriverNotFoundError with every candidate and its reason."""
    tried: list[tuple[str, str]] = []
    for path in dict.fromkeys(candidates()):
        try:
            library = DriverLibrary(path)
        except OSError as error:
            tried.append((path, str(error)))
            continue
        address = library("cuInit", FUNCTIONS["cuInit"].version)
        if not address:
            tried.append((path, "it has no cuInit: not a CUDA driver"))
        elif prototype("cuInit")(address)(0) == _STUB_LIBRARY:
            tried.append((path, "it is the CUDA toolkit's stub, not the driver"))
        else:
            library.tried = tuple(tried)
            return library
    raise DriverNotFoundError("no NVIDIA driver library was found", tried=tried, hint=_advice(tried))


def _advice(tried: list[tuple[str, str]]) -> str:
    if os.environ.get(ENVIRONMENT_VARIABLE):
        return f"{ENVIRONMENT_VARIABLE} is set, so nothing else was tried; correct it or unset it"
    if any("stub" in reason for _, reason in tried):
        return "take the toolkit's stubs folder off LD_LIBRARY_PATH and install the NVIDIA driver"
    if os.path.exists("/dev/nvidiactl"):
        return (
            f"the kernel module is there: set {ENVIRONMENT_VARIABLE} to the driver's libcuda.so.1 (a container needs "
            "--gpus all)"
        )
    return 'install the NVIDIA driver, or use the CPU device: dc.driver("cpu"), which ptxgen brings'
