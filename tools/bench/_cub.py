"""CUB itself beside our operations: C functions compiled by nvcc where the benchmark runs, called on our arrays."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import ptxgen as px
from ptxgen import u8

__all__ = ["Cub"]

_OPTIONS = ("-O3", "-std=c++17", "--extended-lambda", "-Xcompiler", "-fPIC", "-shared")


class Cub:
    """`cub = Cub.of(device, "cub_sorts.cu", ...)`, files beside this one, then `cub.call("sort_u32", keys, out, n=n)` gives a
    function that makes the call on the current stream, its scratch memory allocated. Numbers are passed as 32-bit integers,
    arrays as their addresses, which the caller keeps."""

    def __init__(self, device: px.Device, libraries: Sequence[ctypes.CDLL]) -> None:
        self._device, self._libraries = device, libraries

    @classmethod
    def of(cls, device: px.Device, *sources: str) -> Cub | None:
        """None without a GPU or without nvcc. Files are compiled side by side, half a minute each, and kept for the next run."""
        nvcc = shutil.which("nvcc")
        if device.kind != "cuda" or nvcc is None:
            return None
        target = f"-arch=sm_{device.target.removeprefix('sm_').rstrip('af')}"
        with ThreadPoolExecutor() as pool:
            built = pool.map(partial(_built, nvcc, target), [Path(__file__).with_name(source) for source in sources])
        return cls(device, [ctypes.CDLL(str(library)) for library in built])

    def call(self, name: str, *arguments: px.Array | int, n: int) -> Callable[[], None]:
        """CUB's algorithm over n elements."""
        function = next(getattr(library, name) for library in self._libraries if hasattr(library, name))
        given = [
            ctypes.c_uint32(each) if isinstance(each, int) else ctypes.c_void_p(each.pointer) for each in arguments
        ]
        size = ctypes.c_size_t(0)
        stream = ctypes.c_void_p(int(self._device.current_stream.handle))

        def run(scratch: ctypes.c_void_p | None) -> None:
            error = function(scratch, ctypes.byref(size), *given, ctypes.c_size_t(n), stream)
            if error:
                raise RuntimeError(f"CUB's {name} of {n} elements: CUDA error {error}")

        run(None)
        scratch = self._device.empty(max(1, size.value), u8)
        address = ctypes.c_void_p(scratch.pointer)

        def call(kept: px.Array = scratch) -> None:
            run(address)

        return call


def _built(nvcc: str, target: str, source: Path) -> Path:
    """The library of this source, of this compiler, for this target."""
    version = subprocess.run([nvcc, "--version"], capture_output=True, check=True).stdout
    key = hashlib.blake2b(source.read_bytes() + version + target.encode(), digest_size=8).hexdigest()
    library = Path(tempfile.gettempdir()) / f"ptxgen-bench-cub-{os.getuid()}" / f"{source.stem}-{key}.so"
    if not library.exists():
        library.parent.mkdir(mode=0o700, exist_ok=True)
        made = library.with_suffix(f".{os.getpid()}")
        subprocess.run([nvcc, *_OPTIONS, target, str(source), "-o", str(made)], check=True)
        made.replace(library)
    return library
