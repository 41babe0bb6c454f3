"""libnvrtc.so.12 and .13 in their place: NVIDIA's compiler, whose cubins carry their PTX.

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
from ptxgen.emulated_driver.modules.images import is_relocatable, pack, register_limit
from ptxgen.shim.code import Answers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["ANSWERS", "LIBRARIES", "TEXTS", "address_of", "places"]


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


ANSWERS = Answers(*[int(Result.NVRTC_ERROR_INTERNAL_ERROR)] * 5)
TEXTS = {"nvrtcGetErrorString": tuple(each.name for each in Result)}
"""Answered by the library itself: a caller reads through the pointer whatever became of Python or of the real library."""

_COMMON = (
    "__nvrtcCPEx nvrtcAddNameExpression nvrtcCompileProgram nvrtcCreateProgram nvrtcDestroyProgram nvrtcGetCUBIN "
    "nvrtcGetCUBINSize nvrtcGetLTOIR nvrtcGetLTOIRSize nvrtcGetLoweredName nvrtcGetNumSupportedArchs nvrtcGetOptiXIR "
    "nvrtcGetOptiXIRSize nvrtcGetPCHCreateStatus nvrtcGetPCHHeapSize nvrtcGetPCHHeapSizeRequired nvrtcGetPTX nvrtcGetPTXSize "
    "nvrtcGetProgramLog nvrtcGetProgramLogSize nvrtcGetSupportedArchs nvrtcSetFlowCallback nvrtcSetPCHHeapSize nvrtcVersion"
)
_OF_12 = "nvrtcGetNVVM nvrtcGetNVVMSize"
_OF_13 = (
    "__nvrtcNvvmHandle nvrtcGetBundledHeadersInfo nvrtcGetTileIR nvrtcGetTileIRSize nvrtcInstallBundledHeaders "
    "nvrtcRemoveBundledHeaders"
)
LIBRARIES = {
    "libnvrtc.so.13": tuple(sorted(f"{_COMMON} {_OF_13}".split())),
    "libnvrtc.so.12": tuple(sorted(f"{_COMMON} {_OF_12}".split())),
}
"""Name -> what releases 13.0 to 13.5 export, or 12.0 to 12.9, but for what TEXTS has."""

_LINK_TIME = (b"-dlto", b"--dlink-time-opt")
_GENERATES = (b"-gen-opt-lto", b"--gen-opt-lto")


_WHEELS = {"libnvrtc.so.13": "cu13", "libnvrtc.so.12": "cuda_nvrtc"}
"""The folder of the package `nvidia` that has a library."""


def places(library: str) -> Iterator[Path]:
    """Where the real library may be: wheels, conda, toolkits, the loader's path."""
    for folder in sys.path:
        yield Path(folder, "nvidia", _WHEELS[library], "lib")
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(name):
            yield Path(os.environ[name], "lib64")
    yield Path(sys.prefix, "lib")
    yield from (Path(folder) for folder in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if folder)
    release = library.rpartition(".")[2]
    yield from (
        Path("/usr/local/cuda/lib64"),
        Path(f"/usr/local/cuda-{release}/lib64"),
        Path("/usr/lib/x86_64-linux-gnu"),
    )


@cache
def _real(library: str) -> ctypes.CDLL | None:
    """By its path: under its name alone the loader would find ours. The other release's where this one is not installed: a client
    may have asked for a function of any. None, and a line on stderr, where there is none."""
    for name in (library, *(other for other in LIBRARIES if other != library)):
        for folder in places(name):
            path, ours = folder / name, (folder / "ptxas-blackwell").is_file()  # as `ptxgen shim` writes it
            if path.is_file() and not ours:
                return ctypes.CDLL(str(path))
    release = library.rpartition(".")[2]
    package = "nvidia-cuda-nvrtc" if release == "13" else f"nvidia-cuda-nvrtc-cu{release}"
    sys.stderr.write(
        f"{library}: NVIDIA's compiler, which this library stands before, is not installed\n"
        f"  Fix: pip install {package}, or set CUDA_HOME to a toolkit of CUDA {release}\n"
    )
    return None


_TWO = (ctypes.c_void_p, ctypes.c_void_p)
_THREE = (ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)


class _Compiler:
    """One of the real libraries, with what takes the place of some of its functions."""

    def __init__(self, library: str, real: ctypes.CDLL) -> None:
        self.library = library
        self.real = real
        self.registers: dict[int, int] = {}  # of a program, the most that a thread may use
        self.linked: set[int] = set()  # programs that were compiled to be linked: their LTO-IR was asked for
        self.ours: dict[str, tuple[Callable[..., int], tuple[Any, ...]]] = {
            "nvrtcCompileProgram": (self.compile, _THREE),
            "nvrtcGetCUBINSize": (_size(self.cubin), _TWO),
            "nvrtcGetCUBIN": (_content(self.cubin), _TWO),
            "nvrtcGetLTOIRSize": (_size(self.link_time_ir), _TWO),
            "nvrtcGetLTOIR": (_content(self.link_time_ir), _TWO),
        }

    def compile(self, program: int | None, count: int, options: int | None) -> int:
        given = list((ctypes.c_char_p * count).from_address(options)) if options and count > 0 else []
        self.linked.discard(program or 0)
        self.registers[program or 0] = register_limit(given)
        if not any(each in _LINK_TIME for each in given):
            return int(self.real.nvrtcCompileProgram(ctypes.c_void_p(program), count, ctypes.c_void_p(options)))
        self.linked.add(program or 0)
        kept = [b"-rdc=true", *(each for each in given if each not in (*_LINK_TIME, *_GENERATES))]
        texts = (ctypes.c_char_p * len(kept))(*kept)
        return int(self.real.nvrtcCompileProgram(ctypes.c_void_p(program), len(kept), texts))

    def bytes_of(self, program: int | None, what: str) -> tuple[int, bytes]:
        """(result, bytes) of a pair of functions of the real library that answer a size and then the bytes."""
        size = ctypes.c_size_t()
        code = int(self.real[f"nvrtcGet{what}Size"](ctypes.c_void_p(program), ctypes.byref(size)))
        if code or not size.value:
            return code, b""
        made = ctypes.create_string_buffer(size.value)
        return int(self.real[f"nvrtcGet{what}"](ctypes.c_void_p(program), made)), made.raw

    def cubin(self, program: int | None) -> tuple[int, bytes]:
        code, cubin = self.bytes_of(program, "CUBIN")
        if code or not cubin:  # the target is a virtual one: there is none
            return code, cubin
        code, ptx = self.bytes_of(program, "PTX")
        registers = self.registers.get(program or 0, 0)
        text = ptx.rstrip(b"\0").decode()
        return code, pack(text, relocatable=is_relocatable(cubin), registers=registers) if not code else b""

    def link_time_ir(self, program: int | None) -> tuple[int, bytes]:
        if (program or 0) not in self.linked:
            return self.bytes_of(program, "LTOIR")
        code, ptx = self.bytes_of(program, "PTX")
        return code, pack(ptx.rstrip(b"\0").decode(), relocatable=True) if not code else b""

    def address_of(self, symbol: str) -> int:
        """Of a function: the real library's, or ours; 0 where its release has none."""
        if not hasattr(self.real, symbol):
            return 0
        if symbol not in self.ours:
            return ctypes.cast(self.real[symbol], ctypes.c_void_p).value or 0
        function, types = self.ours[symbol]
        made = ctypes.CFUNCTYPE(ctypes.c_int, *types)(_guarded(f"{self.library}: {symbol}", function))
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
        return stub_for(made)


@cache
def _compiler(library: str) -> _Compiler | None:
    real = _real(library)
    return _Compiler(library, real) if real is not None else None


def address_of(library: str, symbol: str) -> int:
    """The address of a function of a library; 0 where there is none."""
    compiler = _compiler(library)
    return compiler.address_of(symbol) if compiler is not None else 0


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


def _guarded(name: str, function: Callable[..., int]) -> Callable[..., int]:
    """No exception crosses into C."""

    def call(*arguments: Any) -> int:
        try:
            return int(function(*arguments))
        except Exception as error:
            sys.stderr.write(f"{name}: {error}\n")
            return Result.NVRTC_ERROR_INTERNAL_ERROR

    return call
