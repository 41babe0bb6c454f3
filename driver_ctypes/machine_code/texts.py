"""Functions of LLVM texts: without LLVM, where an earlier process has left the object file of the same text.

The text is all of the key: addresses are names in it, and come in when the code is loaded.
"""

from __future__ import annotations

from driver_ctypes.caches.code import key_of
from driver_ctypes.caches.process import code_store
from driver_ctypes.errors import Error
from driver_ctypes.machine_code.elf import UnknownObjectError
from driver_ctypes.machine_code.loading import load_placed
from driver_ctypes.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from driver_ctypes.machine_code.loading import LoadedObject

__all__ = ["FOLDER", "compile_functions", "lasting_functions", "load_text"]

FOLDER = "texts"
"""Of their object files, in `cache_folder`."""

_objects: dict[str, bytes] = {}
_for_ever: list[LoadedObject] = []


def load_text(text: str, known: Mapping[str, int]) -> LoadedObject:
    """The functions of a text, in new memory each time. Names that it does not define are looked up in `known`, then in the
    process; RuntimeError where one is nowhere. Error without llvmlite, and where the system lets no code be made."""
    code = _objects.get(text)
    if code is None:
        code = _objects[text] = _kept(text)
    return _load(code, known)


def lasting_functions(text: str, known: Mapping[str, int] | None = None) -> Mapping[str, int]:
    """The addresses of a text's functions for the life of the process; as `load_text`."""
    loaded = load_text(text, known or {})
    _for_ever.append(loaded)
    return loaded.addresses


def compile_functions(text: str, *symbols: str) -> dict[str, int]:
    """The addresses of *symbols* that a text with addresses of this process defines, for its life: nothing is kept for another.
    Error as of `load_text`, RuntimeError for a wrong text."""
    loaded = _load(_compiled(text), {})
    _for_ever.append(loaded)
    return {symbol: loaded.addresses[symbol] for symbol in symbols}


def _load(code: bytes, known: Mapping[str, int]) -> LoadedObject:
    try:
        return load_placed(code, known)
    except UnknownObjectError:
        from driver_ctypes.machine_code.llvm import link

        return link(code, known)
    except OSError as refused:
        raise Error(str(refused), hint="allow the process executable memory") from None


def _kept(text: str) -> bytes:
    store, key = code_store(FOLDER), key_of("text", text)
    left = store.get(key) if store is not None else None
    if left is not None:
        return left.image
    made = _compiled(text)
    if store is not None:
        store.put(key, made)
    return made


def _compiled(text: str) -> bytes:
    from driver_ctypes.machine_code.llvm import object_code

    try:
        return object_code(text)
    except ImportError as missing:
        raise Error(f"llvmlite cannot be imported ({missing})", hint="pip install llvmlite") from None
