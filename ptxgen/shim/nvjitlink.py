"""libnvJitLink.so.12 and .13 in their place: PTX linked to an image that the emulated driver loads.

The results are those of nvJitLink.h (13.5). What is linked is PTX: machine code and LTO-IR are refused, with a log that says how
to keep PTX.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import re
import traceback
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driver_ctypes.abi import enums
from ptxgen.emulated_driver.calls.stubs import stub_for
from ptxgen.emulated_driver.errors.refusal import Refusal
from ptxgen.emulated_driver.modules.fatbins import ARCHIVE, FATBIN, KEEP_PTX
from ptxgen.emulated_driver.modules.images import ELF, pack, register_limit, unpack
from ptxgen.emulated_driver.pointers import given_bytes
from ptxgen.isa.products import find_product
from ptxgen.shim.code import Answers

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.ir import Module
    from ptxgen.isa.products import Product

__all__ = ["ANSWERS", "LIBRARIES", "address_of"]

_VERSION = (12, 2)
"""What is said of itself: before 12.3 clients (numba-cuda, cuda-core) link PTX, from then on LTO-IR, which is NVIDIA's alone."""


class Result(IntEnum):
    """nvJitLinkResult."""

    SUCCESS = 0
    UNRECOGNIZED_OPTION = 1
    MISSING_ARCH = 2
    INVALID_INPUT = 3
    PTX_COMPILE = 4
    NVVM_COMPILE = 5
    INTERNAL = 6


_ARCHITECTURE = ("arch", "gpu-architecture")
_OPTIONS = frozenset(
    (
        *_ARCHITECTURE,
        *"Xnvvm Xptxas concurrent-ptxas-compile device-debug device-float128 device-stack-protector fma ftz g".split(),
        *"generate-line-info gen-opt-lto jump-table-density kernels-used lineinfo lto maxrregcount no-cache".split(),
        *"no-maxregs-warn optimize-unused-variables opt-level position-independent-code prec-div prec-sqrt ptx".split(),
        *"ptxas-options split-compile split-compile-extended time unused-variables variables-used verbose".split(),
    )
)
"""What its documentation names. But for the limit of registers they are taken without effect: they change machine code alone."""
_VIRTUAL = re.compile(r"^(compute|lto)_")

ANSWERS = Answers(*[int(Result.INTERNAL)] * 5)

_CUBIN, _PTX, _LTO_IR, _FATBIN, _OBJECT, _LIBRARY = range(1, 7)  # nvJitLinkInputType
_ANY = 10
_NO_INPUT = (enums.CUresult.ERROR_NO_BINARY_FOR_GPU, enums.CUresult.ERROR_INVALID_IMAGE)
_DRIVER_KINDS = {_CUBIN: 0, _PTX: 1, _FATBIN: 2, _OBJECT: 3, _LIBRARY: 4}  # CUjitInputType


class _Failure(Exception):
    def __init__(self, result: Result, log: str) -> None:
        super().__init__(log)
        self.result = result


def _kind_of(data: bytes) -> int:
    """Of an input whose caller leaves it open."""
    kinds = {FATBIN: _FATBIN, ARCHIVE: _LIBRARY, ELF: _OBJECT, b"BC\xc0\xde": _LTO_IR}
    return next((kind for magic, kind in kinds.items() if data.startswith(magic)), _PTX)


class _Link:
    """One handle: inputs, logs, and the result."""

    def __init__(self, product: Product, registers: int) -> None:
        self.product = product
        self.registers = registers  # the most of a thread's; 0 for no limit
        self.inputs: list[tuple[str, Module]] = []
        self.errors = b""
        self.ptx = b""
        self.image = b""

    def add(self, kind: int, data: bytes, name: str) -> None:
        text = unpack(data)
        if text is not None:
            kind, data = _PTX, text.encode()
        elif kind == _ANY:
            kind = _kind_of(data)
        if kind not in _DRIVER_KINDS:
            raise _Failure(Result.INVALID_INPUT, f"{name}: an input of LTO-IR: the CPU device runs PTX. {KEEP_PTX}")
        from ptxgen.emulated_driver.modules.linker import read_inputs  # programs that link nothing start sooner

        self.inputs += [(name, program) for program in read_inputs(_DRIVER_KINDS[kind], data, name, self.product)]

    def complete(self) -> None:
        from ptxgen.emulated_driver.modules.linker import join

        text = str(join(self.inputs))
        self.ptx, self.image = text.encode() + b"\0", pack(text, registers=self.registers)


_links: dict[int, _Link] = {}
_numbers = itertools.count(1)


def _link(handle: int | None) -> _Link:
    found = _links.get(handle or 0)
    if found is None:
        raise _Failure(Result.INVALID_INPUT, f"{handle}: no handle")
    return found


def _put(place: int | None, value: int) -> None:
    if not place:
        raise _Failure(Result.INVALID_INPUT, "a null pointer")
    ctypes.c_uint64.from_address(place).value = value


def _create(out: int | None, count: int, options: int | None) -> None:
    texts = list((ctypes.c_char_p * count).from_address(options)) if options and count else []
    target = ""
    for text in ((each or b"").decode(errors="replace") for each in texts):
        name, _, value = text.lstrip("-").partition("=")
        if not text.startswith("-") or not (name in _OPTIONS or name.startswith("O")):
            raise _Failure(Result.UNRECOGNIZED_OPTION, f"{text}: no option of nvJitLink")
        target = value if name in _ARCHITECTURE else target
    if not target:
        raise _Failure(Result.MISSING_ARCH, "-arch=sm_XX is missing")
    number = next(_numbers)
    _put(out, number)
    _links[number] = _Link(_product(target), register_limit(texts))


def _product(target: str) -> Product:
    """The device that is linked for."""
    try:
        return find_product(_VIRTUAL.sub("sm_", target))
    except ValueError as error:
        raise _Failure(Result.UNRECOGNIZED_OPTION, f"-arch={target}: {error}") from None


def _destroy(handle: int | None) -> None:
    if not handle:
        raise _Failure(Result.INVALID_INPUT, "a null pointer")
    place = ctypes.c_uint64.from_address(handle)
    _link(place.value)
    del _links[place.value]
    place.value = 0


def _add_data(handle: int | None, kind: int, data: int | None, size: int, name: bytes | None) -> None:
    _link(handle).add(kind, given_bytes(data, size) if data else b"", (name or b"<unnamed>").decode(errors="replace"))


def _add_file(handle: int | None, kind: int, name: bytes | None) -> None:
    path = Path(os.fsdecode(name or b""))
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _Failure(Result.INVALID_INPUT, f"{path}: {error.strerror}") from None
    _link(handle).add(kind, data, path.name)


def _complete(handle: int | None) -> None:
    _link(handle).complete()


def _size(what: Callable[[_Link], bytes]) -> Callable[..., None]:
    return lambda handle, place: _put(place, len(what(_link(handle))))


def _bytes(what: Callable[[_Link], bytes]) -> Callable[..., None]:
    def copy(handle: int | None, into: int | None) -> None:
        data = what(_link(handle))
        if data and not into:
            raise _Failure(Result.INVALID_INPUT, "a null pointer")
        if data and into:
            ctypes.memmove(into, data, len(data))

    return copy


def _version(major: int | None, minor: int | None) -> None:
    for place, value in zip((major, minor), _VERSION):
        if not place:
            raise _Failure(Result.INVALID_INPUT, "a null pointer")
        ctypes.c_uint32.from_address(place).value = value


def _errors(link: _Link) -> bytes:
    return link.errors + b"\0"


def _none(link: _Link) -> bytes:
    return b"\0"


def _no_ir(link: _Link) -> bytes:
    raise _Failure(Result.NVVM_COMPILE, "no LTO-IR was linked")


_POINTER, _NUMBER, _LENGTH, _NAME = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_size_t, ctypes.c_char_p
_TWO = (_POINTER, _POINTER)
_ENTRIES: dict[str, tuple[Callable[..., None], tuple[Any, ...]]] = {
    "Create": (_create, (_POINTER, _NUMBER, _POINTER)),
    "Destroy": (_destroy, (_POINTER,)),
    "AddData": (_add_data, (_POINTER, _NUMBER, _POINTER, _LENGTH, _NAME)),
    "AddFile": (_add_file, (_POINTER, _NUMBER, _NAME)),
    "Complete": (_complete, (_POINTER,)),
    "GetLinkedCubinSize": (_size(lambda link: link.image), _TWO),
    "GetLinkedCubin": (_bytes(lambda link: link.image), _TWO),
    "GetLinkedPtxSize": (_size(lambda link: link.ptx), _TWO),
    "GetLinkedPtx": (_bytes(lambda link: link.ptx), _TWO),
    "GetLinkedLTOIRSize": (_size(_no_ir), _TWO),
    "GetLinkedLTOIR": (_bytes(_no_ir), _TWO),
    "GetErrorLogSize": (_size(_errors), _TWO),
    "GetErrorLog": (_bytes(_errors), _TWO),
    "GetInfoLogSize": (_size(_none), _TWO),
    "GetInfoLog": (_bytes(_none), _TWO),
    "Version": (_version, _TWO),
}

_LATER = ("GetLinkedLTOIRSize", "GetLinkedLTOIR")
"""Functions that came with 13.0."""


def _functions(major: int, newest: int) -> tuple[str, ...]:
    """What the library of a CUDA release exports: each function, and the names that its headers, .0 to the newest, give it."""
    names = [name for name in _ENTRIES if major >= 13 or name not in _LATER]
    headers = [f"{major}_{minor}" for minor in range(newest + 1)]
    return (
        *(f"nvJitLink{name}" for name in names),
        *(f"__nvJitLink{name}_{header}" for name in names if name != "Version" for header in headers),
    )


LIBRARIES = {"libnvJitLink.so.13": _functions(13, 5), "libnvJitLink.so.12": _functions(12, 9)}
"""Name -> exports. They are the same functions."""

_kept: dict[str, tuple[Any, int]] = {}


def address_of(symbol: str) -> int:
    """The address of a function that C may call."""
    name = symbol.removeprefix("__").removeprefix("nvJitLink").partition("_")[0]
    if name not in _kept:
        function, types = _ENTRIES[name]
        made = ctypes.CFUNCTYPE(ctypes.c_int, *types)(_guarded(function, types))
        _kept[name] = made, stub_for(made)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
    return _kept[name][1]


def _guarded(function: Callable[..., None], types: tuple[Any, ...]) -> Callable[..., int]:
    """No exception crosses into C: its text goes to the handle's log."""

    def call(*arguments: Any) -> int:
        try:
            function(*arguments)
        except _Failure as failure:
            result, text = failure.result, str(failure)
        except Refusal as refusal:
            result = Result.INVALID_INPUT if refusal.code in _NO_INPUT else Result.PTX_COMPILE
            text = getattr(refusal, "error_log", "") or refusal.text
        except Exception:
            result, text = Result.INTERNAL, traceback.format_exc()
        else:
            return Result.SUCCESS
        link = _links.get(arguments[0] or 0)
        if link is not None:
            link.errors += text.encode() + b"\n"
        return result

    return call
