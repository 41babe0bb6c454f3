"""What a cached program depends on, as a key: blake2b over a domain and every part, each with its length.

A Python function is known by what it does: its code, its constants, and the values that its names mean, functions among
them followed. Where a name means something that cannot be told by content (an object of an unknown kind), there is no
fingerprint, and the program is cached for this process alone.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, get_type_hints

from ptxgen.build import Kernel
from ptxgen.build.functions import DeviceFunction

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CONTRACT", "RAW_PTX_DOMAIN", "SOURCE_DOMAIN", "digest", "fingerprint", "module_key", "source_key"]

CONTRACT = "ptxgen.runtime.program.v1"
"""Changes with the kernel ABI: pointers of the bindings in their order, then that of the parameter words."""

SOURCE_DOMAIN = "ptxgen-ptx-source-key.v1"
RAW_PTX_DOMAIN = "ptxgen-raw-ptx-artifact.v1"


def digest(domain: str, *parts: object) -> str:
    """64 hexadecimal digits. No two lists of parts have one key: each is counted with its length."""
    state = blake2b(digest_size=32)
    for part in (domain, *parts):
        data = part if isinstance(part, bytes) else str(part).encode()
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()


def source_key(program: str, target: str, warp_size: int, policy: str, features: tuple[str, ...]) -> str:
    """The key of a program's PTX: the contract, the program, how it is dispatched, what the device has, its target."""
    return digest(SOURCE_DOMAIN, CONTRACT, program, policy, ",".join(features), target, warp_size)


def module_key(domain: str, source: str, capability: tuple[int, int]) -> str:
    """The key of loaded code: its source's key (or its text), and the device's compute capability."""
    return digest(domain, source, *capability)


# --- functions --------------------------------------------------------------------------------------------------------

_PLAIN = (int, float, complex, str, bytes, bool, type(None), type(Ellipsis))


class _Unknown(Exception):
    """A value whose content cannot be told."""


def fingerprint(function: FunctionType, *more: object) -> str | None:
    """The digest of what *function* does, and of further plain values; None where it cannot be told."""
    seen: dict[int, int] = {}
    try:
        parts = [part for value in (function, *more) for part in _parts(value, seen)]
    except _Unknown:
        return None
    return digest("ptxgen-function.v1", _toolchain(), *parts)


def _parts(value: Any, seen: dict[int, int]) -> Iterator[object]:
    """What a value is, as parts of a digest."""
    if isinstance(value, _PLAIN):
        yield f"{type(value).__name__}:{value!r}"
    elif isinstance(value, (tuple, list)):
        yield f"{type(value).__name__} of {len(value)}"
        for each in value:
            yield from _parts(each, seen)
    elif isinstance(value, frozenset):
        yield f"frozenset {sorted(map(repr, value))}"
    elif isinstance(value, dict):
        yield f"dict of {len(value)}"
        for key in value:
            yield from _parts(key, seen)
            yield from _parts(value[key], seen)
    elif isinstance(value, CodeType):
        yield from _code(value, seen)
    elif isinstance(value, FunctionType):
        yield from _function(value, seen)
    elif isinstance(value, (Kernel, DeviceFunction)):
        yield from _parts([value._function, getattr(value, "_options", {}), getattr(value, "_bounds", {})], seen)
    elif isinstance(value, ModuleType) and _is_ours(value.__name__):
        yield f"module {value.__name__}"
    elif isinstance(value, (type, BuiltinFunctionType)) and _is_ours(value.__module__ or ""):
        yield f"{value.__module__}.{value.__qualname__}"
    else:
        raise _Unknown(value)


def _function(function: FunctionType, seen: dict[int, int]) -> Iterator[object]:
    number = seen.get(id(function))
    if number is not None:  # it calls itself, or was met before
        yield f"function {number}"
        return
    seen[id(function)] = len(seen)
    if _is_ours(function.__module__ or "") and function.__closure__ is None:
        yield f"{function.__module__}.{function.__qualname__}"
        return
    yield from _code(function.__code__, seen)
    yield from _parts([function.__defaults__ or (), function.__kwdefaults__ or {}], seen)
    inside = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            inside[name] = cell.cell_contents
        except ValueError:
            yield f"{name} is empty"
            continue
        yield name
        yield from _parts(inside[name], seen)
    for name in _names(function.__code__):
        if name in function.__globals__:
            yield name
            yield from _parts(function.__globals__[name], seen)
    try:
        hints = get_type_hints(function, localns=inside, include_extras=True)
    except (NameError, TypeError) as unknown:
        raise _Unknown(function) from unknown
    for name, hint in hints.items():
        yield f"{name}: {hint!r}"


def _code(code: CodeType, seen: dict[int, int]) -> Iterator[object]:
    yield code.co_code
    yield repr((code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_argcount))
    for constant in code.co_consts:
        yield from _parts(constant, seen)


def _names(code: CodeType) -> list[str]:
    """Global names of the code and of the code inside it."""
    found = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found += _names(constant)
    return list(dict.fromkeys(found))


_KNOWN = ("ptxgen", "driver_ctypes", "builtins", "math", "typing", "__future__")


def _is_ours(module: str) -> bool:
    """Is it of this package, whose files the toolchain's stamp counts, or of a library that changes with Python alone?"""
    return module.partition(".")[0] in _KNOWN


@lru_cache(maxsize=1)
def _toolchain() -> str:
    """This Python, and every file of this package by its size and time: whatever could make other PTX of one program."""
    root = Path(__file__).resolve().parents[1]
    stamps = []
    for path in sorted(root.rglob("*.py")):
        found = path.stat()
        stamps.append(f"{path.relative_to(root)} {found.st_size} {found.st_mtime_ns}")
    return digest("ptxgen-toolchain.v1", sys.version, *stamps)
