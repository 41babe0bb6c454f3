"""LLVM texts loaded as machine code: without LLVM, where an earlier process has left the object file of the same text."""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.cpu.code.elf import UnknownObjectError
from ptxgen.cpu.code.loading import load_placed
from ptxgen.stores import text_store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ptxgen.cpu.code.loading import LoadedObject

__all__ = ["load_text"]

_objects: dict[str, bytes] = {}


def load_text(text: str, symbols: Mapping[str, int]) -> LoadedObject:
    """The functions of a text, in new memory each time. Names that it does not define are looked up in `symbols`, then in the
    process. UnsupportedError without llvmlite, and where the system lets no code be made."""
    code = _objects.get(text)
    if code is None:
        code = _objects[text] = _kept(text)
    try:
        return load_placed(code, symbols)
    except UnknownObjectError:
        from ptxgen.cpu.jit import load_object

        return load_object(code, symbols=symbols)


def _kept(text: str) -> bytes:
    store = text_store()
    left = store.get("text", text) if store is not None else None
    if left is not None:
        return left
    from ptxgen.cpu.jit import Tier, object_code

    made = object_code(text, Tier.BASE)
    if store is not None:
        store.put(made, "text", text)
    return made
