"""Object files of x86-64 (System V ABI, processor supplement) placed in memory, without LLVM.

Importing llvmlite takes longer than all else that a process needs to run a kernel that was compiled before. Only what LLVM
writes for this package's code is known here: position-independent code of the large model, whose references are 64 bits wide
and go through a global offset table. Everything else is `UnknownObjectError`, and left to LLVM's own linker.

An image is the allocated sections, one after the other, and behind them the table.
"""

from __future__ import annotations

import struct

from driver_ctypes.machine_code.memory import CodeMemory
from driver_ctypes.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Image", "Section", "Symbol", "UnknownObjectError", "exported", "place", "sections_of", "symbols_of"]

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")  # Elf64_Ehdr
_SECTION = struct.Struct("<IIQQQQIIQQ")  # Elf64_Shdr
_SYMBOL = struct.Struct("<IBBHQQ")  # Elf64_Sym
_RELOCATION = struct.Struct("<QQq")  # Elf64_Rela
_IDENT = b"\x7fELF\x02\x01\x01"  # 64 bits, little-endian
_RELOCATABLE, _X86_64 = 1, 62
_SYMTAB, _RELA, _NOBITS, _REL, _UNWIND = 2, 4, 8, 9, 0x70000001
_WRITE, _ALLOC = 1, 2
_UNDEFINED, _ABSOLUTE = 0, 0xFFF1
_GLOBAL = 1
_GOT = "_GLOBAL_OFFSET_TABLE_"

# Relocations: what is stored at P for a symbol at S whose slot of the table lies at G, with the table at GOT.
_64, _PC64, _GOTOFF64, _GOT64, _GOTPC64 = 1, 24, 25, 27, 29


class UnknownObjectError(Exception):
    """The object has something that is not known here."""


class Image(NamedTuple):
    """An object in memory; `exports` maps its global functions to their addresses."""

    memory: CodeMemory
    exports: dict[str, int]


class Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry: int


class Symbol(NamedTuple):
    name: str
    is_global: bool
    section: int
    value: int
    size: int = 0


def place(code: bytes, resolve: Callable[[str], int]) -> Image:
    """An object in executable memory. `resolve` gives the address of a name that it does not define, and raises what it
    likes. UnknownObjectError for an object that is not of the known kind; OSError of the system."""
    try:
        return _place(code, resolve)
    except (struct.error, IndexError, ValueError) as error:
        raise UnknownObjectError(f"no whole object file: {error}") from None


def exported(code: bytes) -> list[str]:
    """The names of an object's global functions, whatever processor of 64 bits it is for."""
    return [s.name for s in symbols_of(code, sections_of(code)) if s.is_global and s.section != _UNDEFINED]


def _place(code: bytes, resolve: Callable[[str], int]) -> Image:
    if _HEADER.unpack_from(code)[2] != _X86_64:
        raise UnknownObjectError("an object for another processor")
    sections = sections_of(code)
    bases, end = _lay_out(sections)
    symbols = symbols_of(code, sections)
    relocations = list(_relocations(code, sections, bases))
    slots: dict[int, int] = {}  # symbol -> its slot of the table
    for kind, index, _at, _addend in relocations:
        if kind == _GOT64:
            slots.setdefault(index, len(slots))
    table = -(-end // 8) * 8
    memory = CodeMemory(table + 8 * len(slots))
    start = memory.address

    def address_of(index: int) -> int:
        name, _is_global, section, value, _size = symbols[index]
        if section == _UNDEFINED:
            return start + table if name == _GOT else resolve(name)
        if section == _ABSOLUTE:
            return value
        if section not in bases:
            raise UnknownObjectError(f"the symbol {name!r} in section {section}")
        return start + bases[section] + value

    data = bytearray(table + 8 * len(slots))
    for number, base in bases.items():
        s = sections[number]
        if s.kind != _NOBITS:
            data[base : base + s.size] = code[s.offset : s.offset + s.size]
    known: dict[int, int] = {}
    for kind, index, at, addend in relocations:
        address = known.get(index)
        if address is None:
            address = known[index] = address_of(index)
        if kind == _GOT64:
            value = 8 * slots[index] + addend
        elif kind == _GOTOFF64:
            value = address + addend - start - table
        elif kind == _GOTPC64:
            value = table + addend - at
        elif kind == _PC64:
            value = address + addend - start - at
        elif kind == _64:
            value = address + addend
        else:
            raise UnknownObjectError(f"a relocation of kind {kind}")
        data[at : at + 8] = (value & 0xFFFF_FFFF_FFFF_FFFF).to_bytes(8, "little")
    for index, slot in slots.items():
        data[table + 8 * slot : table + 8 * slot + 8] = known[index].to_bytes(8, "little")
    memory.seal(data)
    defined = [i for i, s in enumerate(symbols) if s.is_global and s.section != _UNDEFINED]
    return Image(memory, {symbols[i].name: address_of(i) for i in defined})


def sections_of(code: bytes) -> list[Section]:
    head = _HEADER.unpack_from(code)
    if head[0][: len(_IDENT)] != _IDENT or head[1] != _RELOCATABLE:
        raise UnknownObjectError("no relocatable ELF file of 64 bits")
    offset, entry, count = head[6], head[11], head[12]
    found = [Section(*_SECTION.unpack_from(code, offset + i * entry)) for i in range(count)]
    for s in found:
        if s.kind != _NOBITS and s.offset + s.size > len(code):
            raise UnknownObjectError("a section beyond the end of the file")
    return found


def symbols_of(code: bytes, sections: list[Section]) -> list[Symbol]:
    tables = [s for s in sections if s.kind == _SYMTAB]
    if len(tables) != 1:
        raise UnknownObjectError(f"{len(tables)} symbol tables")
    names, rows = sections[tables[0].link].offset, code[tables[0].offset : tables[0].offset + tables[0].size]
    return [
        Symbol(code[names + at : code.index(b"\0", names + at)].decode(), info >> 4 == _GLOBAL, section, value, size)
        for at, info, _other, section, value, size in _SYMBOL.iter_unpack(rows)
    ]


def _lay_out(sections: list[Section]) -> tuple[dict[int, int], int]:
    """(where each section of the image begins, where the last one ends)."""
    bases, end = {}, 0
    for number, s in enumerate(sections):
        if not s.flags & _ALLOC or s.kind == _UNWIND:  # nothing unwinds through this code
            continue
        if s.flags & _WRITE:
            raise UnknownObjectError("data that can be written")
        end = -(-end // max(s.align, 1)) * max(s.align, 1)
        bases[number] = end
        end += s.size
    return bases, end


def _relocations(code: bytes, sections: list[Section], bases: dict[int, int]) -> Iterator[tuple[int, int, int, int]]:
    """(kind, symbol, offset in the image, addend) of each relocation."""
    for s in sections:
        if s.kind == _REL:
            raise UnknownObjectError("relocations without addends")
        if s.kind != _RELA or s.info not in bases:
            continue
        base, room = bases[s.info], sections[s.info].size
        for at, info, addend in _RELOCATION.iter_unpack(code[s.offset : s.offset + s.size]):
            if at + 8 > room:
                raise UnknownObjectError("a relocation beyond the end of its section")
            yield info & 0xFFFF_FFFF, info >> 32, base + at, addend
