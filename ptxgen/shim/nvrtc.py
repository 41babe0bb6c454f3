"""libnvrtc.so.13 in its place: NVIDIA's compiler, whose cubins carry their PTX.

Every function is the real library's own, but three: a cubin, and LTO-IR, are what the emulated driver and the nvJitLink beside
this library take, an image of the PTX that was compiled. The real library is looked for when the first function is called.
"""

from __future__ import annotations

import ctypes
import os
import sys
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ptxgen.emulated_driver.calls.stubs import stub_for
from ptxgen.emulated_driver.modules.images import is_relocatable, pack
from ptxgen.shim.code import Answers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["ANSWERS", "FUNCTIONS", "LIBRARY", "TEXTS", "address_of", "places"]

LIBRARY = "libnvrtc.so.13"


class Result(IntEnum):
    """nvrtcResult; nvrtcGetErrorString answers these names."""

    NVRTC_SUCCESS = 0
    NVRTC_ERROR_OUT_OF_MEMORY = 1
    NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2
    NVRTC_ERROR_INVALID_INPUT = 3
    NVRTC_ERROR_INVALID_PROGRAM = 4
    NVRTC_ERROR_INVALID_OPTION = 5
    NVRTC_ERROR_COMPILATION = 6
    NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7
    NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8
    NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9
    NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10
    NVRTC_ERROR_INTERNAL_ERROR = 11
    NVRTC_ERROR_TIME_FILE_WRITE_FAILED = 12
    NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED = 13
    NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED = 14
    NVRTC_ERROR_PCH_CREATE = 15
    NVRTC_ERROR_CANCELLED = 16


ANSWERS = Answers(*[int(Result.NVRTC_ERROR_INTERNAL_ERROR)] * 3)
TEXTS = {"nvrtcGetErrorString": tuple(each.name for each in Result)}
"""Answered by the library itself: a caller reads through the pointer whatever became of Python or of the real library."""

FUNCTIONS = tuple(
    "__nvrtcCPEx __nvrtcNvvmHandle nvrtcAddNameExpression nvrtcCompileProgram nvrtcCreateProgram nvrtcDestroyProgram "
    "nvrtcGetBundledHeadersInfo nvrtcGetCUBIN nvrtcGetCUBINSize nvrtcGetLTOIR nvrtcGetLTOIRSize nvrtcGetLoweredName "
    "nvrtcGetNumSupportedArchs nvrtcGetOptiXIR nvrtcGetOptiXIRSize nvrtcGetPCHCreateStatus nvrtcGetPCHHeapSize "
    "nvrtcGetPCHHeapSizeRequired nvrtcGetPTX nvrtcGetPTXSize nvrtcGetProgramLog nvrtcGetProgramLogSize nvrtcGetSupportedArchs "
    "nvrtcGetTileIR nvrtcGetTileIRSize nvrtcInstallBundledHeaders nvrtcRemoveBundledHeaders nvrtcSetFlowCallback "
    "nvrtcSetPCHHeapSize nvrtcVersion".split()
)
"""What releases 13.0 to 13.5 export, but for what TEXTS has."""

_LINK_TIME = (b"-dlto", b"--dlink-time-opt")
_GENERATES = (b"-gen-opt-lto", b"--gen-opt-lto")


def places() -> Iterator[Path]:
    """Where the real library may be: wheels, conda, toolkits, the loader's path."""
    for folder in sys.path:
        yield Path(folder, "nvidia", "cu13", "lib")
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(name):
            yield Path(os.environ[name], "lib64")
    yield Path(sys.prefix, "lib")
    yield from (Path(folder) for folder in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if folder)
    yield from (Path("/usr/local/cuda/lib64"), Path("/usr/local/cuda-13/lib64"), Path("/usr/lib/x86_64-linux-gnu"))


@cache
def _real() -> ctypes.CDLL | None:
    """By its path: under its name alone the loader would find ours. None, and a line on stderr, where there is none."""
    for folder in places():
        path, ours = folder / LIBRARY, (folder / "ptxas-blackwell").is_file()  # as `ptxgen shim` writes it
        if path.is_file() and not ours:
            return ctypes.CDLL(str(path))
    sys.stderr.write(
        f"{LIBRARY}: NVIDIA's compiler, which this library stands before, is not installed\n"
        "  Fix: pip install nvidia-cuda-nvrtc, or set CUDA_HOME to a toolkit of CUDA 13\n"
    )
    return None


_linked: set[int] = set()
"""Programs that were compiled to be linked: their LTO-IR was asked for."""


def _call(name: str, *arguments: Any) -> int:
    real = _real()
    if real is None:
        return Result.NVRTC_ERROR_INTERNAL_ERROR
    return int(real[name](*arguments))


def _compile(program: int | None, count: int, options: int | None) -> int:
    given = list((ctypes.c_char_p * count).from_address(options)) if options and count > 0 else []
    _linked.discard(program or 0)
    if not any(each in _LINK_TIME for each in given):
        return _call("nvrtcCompileProgram", ctypes.c_void_p(program), count, ctypes.c_void_p(options))
    _linked.add(program or 0)
    kept = [b"-rdc=true", *(each for each in given if each not in (*_LINK_TIME, *_GENERATES))]
    texts = (ctypes.c_char_p * len(kept))(*kept)
    return _call("nvrtcCompileProgram", ctypes.c_void_p(program), len(kept), texts)


def _bytes_of(program: int | None, what: str) -> tuple[int, bytes]:
    """(result, bytes) of a pair of functions of the real library that answer a size and then the bytes."""
    size = ctypes.c_size_t()
    code = _call(f"nvrtcGet{what}Size", ctypes.c_void_p(program), ctypes.byref(size))
    if code or not size.value:
        return code, b""
    made = ctypes.create_string_buffer(size.value)
    return _call(f"nvrtcGet{what}", ctypes.c_void_p(program), made), made.raw


def _cubin(program: int | None) -> tuple[int, bytes]:
    code, cubin = _bytes_of(program, "CUBIN")
    if code or not cubin:  # the target is a virtual one: there is none
        return code, cubin
    code, ptx = _bytes_of(program, "PTX")
    return code, pack(ptx.rstrip(b"\0").decode(), relocatable=is_relocatable(cubin)) if not code else b""


def _link_time_ir(program: int | None) -> tuple[int, bytes]:
    if (program or 0) not in _linked:
        return _bytes_of(program, "LTOIR")
    code, ptx = _bytes_of(program, "PTX")
    return code, pack(ptx.rstrip(b"\0").decode(), relocatable=True) if not code else b""


def _size(what: Callable[[int | None], tuple[int, bytes]]) -> Callable[..., int]:
    def answer(program: int | None, place: int | None) -> int:
        code, data = what(program)
        if not code and not place:
            return Result.NVRTC_ERROR_INVALID_INPUT
        if not code and place:
            ctypes.c_size_t.from_address(place).value = len(data)
        return code

    return answer


def _content(what: Callable[[int | None], tuple[int, bytes]]) -> Callable[..., int]:
    def answer(program: int | None, place: int | None) -> int:
        code, data = what(program)
        if not code and data and not place:
            return Result.NVRTC_ERROR_INVALID_INPUT
        if not code and place:
            ctypes.memmove(place, data, len(data))
        return code

    return answer


_TWO = (ctypes.c_void_p, ctypes.c_void_p)
_OURS: dict[str, tuple[Callable[..., int], tuple[Any, ...]]] = {
    "nvrtcCompileProgram": (_compile, (ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)),
    "nvrtcGetCUBINSize": (_size(_cubin), _TWO),
    "nvrtcGetCUBIN": (_content(_cubin), _TWO),
    "nvrtcGetLTOIRSize": (_size(_link_time_ir), _TWO),
    "nvrtcGetLTOIR": (_content(_link_time_ir), _TWO),
}


def address_of(symbol: str) -> int:
    """The address of a function: the real library's, or ours; 0 where the real library, or its release, has none."""
    real = _real()
    if real is None or not hasattr(real, symbol):
        return 0
    if symbol not in _OURS:
        return ctypes.cast(real[symbol], ctypes.c_void_p).value or 0
    function, types = _OURS[symbol]
    made = ctypes.CFUNCTYPE(ctypes.c_int, *types)(_guarded(symbol, function))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
    return stub_for(made)


def _guarded(symbol: str, function: Callable[..., int]) -> Callable[..., int]:
    """No exception crosses into C."""

    def call(*arguments: Any) -> int:
        try:
            return int(function(*arguments))
        except Exception as error:
            sys.stderr.write(f"{LIBRARY}: {symbol}: {error}\n")
            return Result.NVRTC_ERROR_INTERNAL_ERROR

    return call
