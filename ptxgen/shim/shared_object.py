"""A shared object of x86-64 (ELF, System V ABI) from one relocatable object that LLVM wrote: the little that such a file needs.

Segments, in the order of the file: what is only read (hash table, symbols, relocations, constants), code, and data, which begin
with what is only written while the file is loaded. Exports have no versions, as those of NVIDIA's libcuda, or one, which is the
file's name. There is no
procedure linkage table: the object reaches other libraries through pointers in its data, so that all relocations of the
result are absolute, RELATIVE to the file itself or of 64 bits to an imported name.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

from driver_ctypes.machine_code.elf import Section, Symbol, sections_of, symbols_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["link"]

PAGE = 4096
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")  # Elf64_Ehdr
_PROGRAM = struct.Struct("<IIQQQQQQ")  # Elf64_Phdr
_SECTION = struct.Struct("<IIQQQQIIQQ")  # Elf64_Shdr
_SYMBOL = struct.Struct("<IBBHQQ")  # Elf64_Sym
_RELOCATION = struct.Struct("<QQq")  # Elf64_Rela
_IDENT = b"\x7fELF\x02\x01\x01" + bytes(9)
_SHARED, _X86_64 = 3, 62
_LOAD, _DYNAMIC, _STACK, _RELRO = 1, 2, 0x6474E551, 0x6474E552
_EXECUTE, _WRITE, _READ = 1, 2, 4
_PROGBITS, _STRTAB, _RELA, _DYNAMIC_SECTION, _NOBITS, _DYNSYM, _GNU_HASH = 1, 3, 4, 6, 8, 11, 0x6FFFFFF6
_SHF_WRITE, _SHF_ALLOC, _SHF_EXECUTE = 1, 2, 4
_UNDEFINED = 0
_GLOBAL_OBJECT, _GLOBAL_FUNCTION, _GLOBAL_NOTYPE = 0x11, 0x12, 0x10
_R_64, _R_PC32, _R_PLT32, _R_RELATIVE = 1, 2, 4, 8
_NEEDED, _STRTAB_TAG, _SYMTAB_TAG, _RELA_TAG, _RELASZ, _RELAENT, _STRSZ, _SYMENT, _SONAME = 1, 5, 6, 7, 8, 9, 10, 11, 14
_FLAGS, _HASH_TAG, _RELACOUNT = 30, 0x6FFFFEF5, 0x6FFFFFF9
_BIND_NOW = 8
_GNU_VERDEF, _GNU_VERSYM = 0x6FFFFFFD, 0x6FFFFFFF
_VERSYM_TAG, _VERDEF_TAG, _VERDEFNUM = 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFD
_LOCAL, _UNVERSIONED, _VERSIONED = 0, 1, 2
_VERSION, _VERSION_NAME = struct.Struct("<HHHHIII"), struct.Struct("<II")  # Elf64_Verdef, Elf64_Verdaux


class _Part(NamedTuple):
    """A section of the result. `source` is the number of the object's section that it is."""

    name: str
    kind: int
    flags: int
    size: int
    align: int
    source: int = -1


def link(code: bytes, soname: str, needed: Sequence[str], *, versioned: bool = False) -> bytes:
    """The shared object of that name. Every global function and variable of the object is exported, `versioned` under a version
    that bears that name too; what it does not define is imported from the libraries `needed`. ValueError for an object with
    relocations that the result could not have."""
    return _Link(code, soname, needed, versioned).file()


class _Link:
    def __init__(self, code: bytes, soname: str, needed: Sequence[str], versioned: bool) -> None:
        self.code, self.sections = code, sections_of(code)
        self.symbols = symbols_of(code, self.sections)
        self.strings = bytearray(b"\0")
        self.soname, self.needed = self.string(soname), [self.string(each) for each in needed]
        self.version = _version(soname, self.soname) if versioned else b""
        self.relocations = list(self._relocations())
        self.imports = sorted({index for _, kind, index, _ in self.relocations if self._imported(kind, index)})
        self.exports = _Hash([s for s in self.symbols if s.is_global and s.section != _UNDEFINED])
        self.absolute = [each for each in self.relocations if each[1] == _R_64]

    def string(self, text: str) -> int:
        at = len(self.strings)
        self.strings += text.encode() + b"\0"
        return at

    def _imported(self, kind: int, index: int) -> bool:
        if self.symbols[index].section != _UNDEFINED:
            return False
        if kind != _R_64:
            raise ValueError(f"{self.symbols[index].name} is called in code; take its address in data")
        return True

    def _relocations(self) -> Iterator[tuple[tuple[int, int], int, int, int]]:
        """((section, offset), kind, symbol, addend) of each."""
        for s in self.sections:
            if s.kind != _RELA or not self.sections[s.info].flags & _SHF_ALLOC:
                continue
            for at, info, addend in _RELOCATION.iter_unpack(self.code[s.offset : s.offset + s.size]):
                kind = info & 0xFFFF_FFFF
                if kind not in (_R_64, _R_PC32, _R_PLT32):
                    raise ValueError(f"a relocation of kind {kind}")
                yield (s.info, at), kind, info >> 32, addend

    # ---- the layout -----------------------------------------------------------------------------------------------------

    def _of_object(self, writable: bool, executable: bool) -> list[_Part]:
        found = []
        for number, s in enumerate(self.sections):
            flags = s.flags & (_SHF_WRITE | _SHF_EXECUTE)
            wanted = _SHF_WRITE * writable | _SHF_EXECUTE * executable
            if s.flags & _SHF_ALLOC and s.size and s.kind in (_PROGBITS, _NOBITS) and flags == wanted:
                found.append(_Part(self._name(s), s.kind, s.flags, s.size, s.align, number))
        return sorted(found, key=lambda part: (part.kind == _NOBITS, not part.name.startswith(".data.rel.ro")))

    def _name(self, s: Section) -> str:
        names = self.sections[_HEADER.unpack_from(self.code)[13]].offset
        return self.code[names + s.name : self.code.index(b"\0", names + s.name)].decode()

    def file(self) -> bytes:
        """The bytes of the file."""
        names = {index: self.string(self.symbols[index].name) for index in self.imports}
        exported = [self.string(s.name) for s in self.exports.order]
        count = 1 + len(self.imports) + len(self.exports.order)
        dynamic = 16 * (len(self.needed) + 12 + 3 * bool(self.version))
        versions = (
            _Part(".gnu.version", _GNU_VERSYM, _SHF_ALLOC, 2 * count, 2),
            _Part(".gnu.version_d", _GNU_VERDEF, _SHF_ALLOC, len(self.version), 8),
        )
        parts = [
            _Part(".gnu.hash", _GNU_HASH, _SHF_ALLOC, self.exports.size, 8),
            _Part(".dynsym", _DYNSYM, _SHF_ALLOC, count * _SYMBOL.size, 8),
            _Part(".dynstr", _STRTAB, _SHF_ALLOC, len(self.strings), 1),
            *(versions if self.version else ()),
            _Part(".rela.dyn", _RELA, _SHF_ALLOC, len(self.absolute) * _RELOCATION.size, 8),
            *self._of_object(writable=False, executable=False),
            *self._of_object(writable=False, executable=True),
            _Part(".dynamic", _DYNAMIC_SECTION, _SHF_ALLOC | _SHF_WRITE, dynamic, 8),
            *self._of_object(writable=True, executable=False),
        ]
        addresses = self._place(parts)
        base = {part.source: address for part, address in zip(parts, addresses) if part.source >= 0}
        where = {part.name: (number + 1, address) for number, (part, address) in enumerate(zip(parts, addresses))}
        section_of = {part.source: number + 1 for number, part in enumerate(parts) if part.source >= 0}
        ends = [address + part.size for part, address in zip(parts, addresses) if part.kind != _NOBITS]
        data = bytearray(max(ends))
        for part, address in zip(parts, addresses):
            if part.source >= 0 and part.kind != _NOBITS:
                offset = self.sections[part.source].offset
                data[address : address + part.size] = self.code[offset : offset + part.size]

        def put(name: str, content: bytes) -> None:
            data[where[name][1] : where[name][1] + len(content)] = content

        put(".gnu.hash", self.exports.table(1 + len(self.imports)))
        put(".dynstr", bytes(self.strings))
        rows = [bytes(_SYMBOL.size), *(_SYMBOL.pack(names[i], _GLOBAL_NOTYPE, 0, 0, 0, 0) for i in self.imports)]
        for at, s in zip(exported, self.exports.order):
            kind = _GLOBAL_FUNCTION if self.sections[s.section].flags & _SHF_EXECUTE else _GLOBAL_OBJECT
            rows.append(_SYMBOL.pack(at, kind, 0, section_of[s.section], base[s.section] + s.value, max(s.size, 1)))
        put(".dynsym", b"".join(rows))
        if self.version:
            numbers = [_LOCAL, *[_UNVERSIONED] * len(self.imports), *[_VERSIONED] * len(self.exports.order)]
            put(".gnu.version", struct.pack(f"<{count}H", *numbers))
            put(".gnu.version_d", self.version)
        put(".rela.dyn", self._absolute(base))
        self._relative(data, base)
        put(".dynamic", self._dynamic(where, dynamic))
        return self._with_headers(data, parts, addresses, where)

    def _place(self, parts: Sequence[_Part]) -> list[int]:
        """Addresses, which are places in the file too: each segment on pages of its own, and what is written only while the file
        is loaded on others than the rest of the data."""
        end, last = _HEADER.size + 7 * _PROGRAM.size, _SHF_ALLOC
        found: list[int] = []
        for part in parts:
            flags = part.flags & (_SHF_WRITE | _SHF_EXECUTE) | (_protected(part) << 8)
            align = PAGE if found and flags != last else max(part.align, 1)
            last = flags
            end = -(-end // align) * align
            found.append(end)
            end += part.size
        return found

    def _absolute(self, base: dict[int, int]) -> bytes:
        """The relocations that are left to the loader, RELATIVE ones first."""
        relative, named = [], []
        for (section, at), _, index, addend in self.absolute:
            s, place = self.symbols[index], base[section] + at
            if s.section == _UNDEFINED:
                named.append(_RELOCATION.pack(place, (1 + self.imports.index(index)) << 32 | _R_64, addend))
            else:
                relative.append(_RELOCATION.pack(place, _R_RELATIVE, base[s.section] + s.value + addend))
        self.relative = len(relative)
        return b"".join(relative + named)

    def _relative(self, data: bytearray, base: dict[int, int]) -> None:
        """Distances within the file are known now."""
        for (section, at), kind, index, addend in self.relocations:
            if kind != _R_64:
                s, place = self.symbols[index], base[section] + at
                data[place : place + 4] = struct.pack("<i", base[s.section] + s.value + addend - place)

    def _dynamic(self, where: dict[str, tuple[int, int]], size: int) -> bytes:
        rows = [
            *((_NEEDED, each) for each in self.needed), (_SONAME, self.soname), (_HASH_TAG, where[".gnu.hash"][1]),
            (_STRTAB_TAG, where[".dynstr"][1]), (_STRSZ, len(self.strings)), (_SYMTAB_TAG, where[".dynsym"][1]),
            (_SYMENT, _SYMBOL.size), (_RELA_TAG, where[".rela.dyn"][1]), (_RELASZ, len(self.absolute) * _RELOCATION.size),
            (_RELAENT, _RELOCATION.size), (_RELACOUNT, self.relative), (_FLAGS, _BIND_NOW),
        ]  # fmt: skip
        if self.version:
            rows += [(_VERSYM_TAG, where[".gnu.version"][1]), (_VERDEF_TAG, where[".gnu.version_d"][1])]
            rows.append((_VERDEFNUM, 2))
        return b"".join(struct.pack("<QQ", tag, value) for tag, value in rows).ljust(size, b"\0")

    # ---- headers --------------------------------------------------------------------------------------------------------

    def _with_headers(
        self, data: bytearray, parts: Sequence[_Part], addresses: Sequence[int], where: dict[str, tuple[int, int]]
    ) -> bytes:
        names = bytearray(b"\0")
        rows = [bytes(_SECTION.size)]
        links = {
            ".gnu.hash": (".dynsym", 0),
            ".dynsym": (".dynstr", 1),
            ".rela.dyn": (".dynsym", 0),
            ".dynamic": (".dynstr", 0),
            ".gnu.version": (".dynsym", 0),
            ".gnu.version_d": (".dynstr", 2),
        }
        sizes = {".dynsym": _SYMBOL.size, ".rela.dyn": _RELOCATION.size, ".dynamic": 16, ".gnu.version": 2}
        for part, address in zip(parts, addresses):
            to, info = links.get(part.name, ("", 0))
            flags = part.flags & (_SHF_WRITE | _SHF_ALLOC | _SHF_EXECUTE)
            offset = min(address, len(data))
            rows.append(
                _SECTION.pack(
                    len(names), part.kind, flags, address, offset, part.size, where[to][0] if to else 0, info,
                    max(part.align, 1), sizes.get(part.name, 0),
                )
            )  # fmt: skip
            names += part.name.encode() + b"\0"
        at = len(data)
        rows.append(_SECTION.pack(len(names), _STRTAB, 0, 0, at, len(names) + 10, 0, 0, 1, 0))
        data += names + b".shstrtab\0"
        data += bytes(-len(data) % 8)
        segments = self._segments(parts, addresses, len(data))
        data[: _HEADER.size] = _HEADER.pack(
            _IDENT, _SHARED, _X86_64, 1, 0, _HEADER.size, len(data), 0, _HEADER.size, _PROGRAM.size, len(segments),
            _SECTION.size, len(rows), len(rows) - 1,
        )  # fmt: skip
        for number, segment in enumerate(segments):
            _PROGRAM.pack_into(data, _HEADER.size + number * _PROGRAM.size, *segment)
        return bytes(data) + b"".join(rows)

    def _segments(self, parts: Sequence[_Part], addresses: Sequence[int], end: int) -> list[tuple[int, ...]]:
        groups: dict[int, list[tuple[_Part, int]]] = {}
        for part, address in zip(parts, addresses):
            groups.setdefault(part.flags & (_SHF_WRITE | _SHF_EXECUTE), []).append((part, address))
        found: list[tuple[int, ...]] = []
        for flags, members in groups.items():
            first = members[0][1] if found else 0
            filled = max((a + p.size for p, a in members if p.kind != _NOBITS), default=first)
            whole = max(a + p.size for p, a in members)
            rights = _READ | (_WRITE if flags & _SHF_WRITE else 0) | (_EXECUTE if flags & _SHF_EXECUTE else 0)
            found.append((_LOAD, rights, first, first, first, filled - first, whole - first, PAGE))
        dynamic = next((p, a) for p, a in zip(parts, addresses) if p.name == ".dynamic")
        found.append((_DYNAMIC, _READ | _WRITE, *[dynamic[1]] * 3, *[dynamic[0].size] * 2, 8))
        found.append((_STACK, _READ | _WRITE, 0, 0, 0, 0, 0, 16))
        kept = [(p, a) for p, a in zip(parts, addresses) if _protected(p)]
        size = -(-(kept[-1][1] + kept[-1][0].size - kept[0][1]) // PAGE) * PAGE
        if kept[0][1] + size <= -(-end // PAGE) * PAGE:
            found.append((_RELRO, _READ, *[kept[0][1]] * 3, *[size] * 2, 1))
        return found


def _version(name: str, at: int) -> bytes:
    """The definitions of the file itself and of its one version; both have its name, which is string `at`."""
    rows = []
    for number, (flags, following) in enumerate(((1, _VERSION.size + _VERSION_NAME.size), (0, 0)), 1):
        rows.append(_VERSION.pack(1, flags, number, 1, _version_hash(name), _VERSION.size, following))
        rows.append(_VERSION_NAME.pack(at, 0))
    return b"".join(rows)


def _version_hash(name: str) -> int:
    """The hash of System V's ABI."""
    value = 0
    for byte in name.encode():
        value = (value << 4) + byte
        high = value & 0xF000_0000
        value = (value ^ high >> 24) & ~high
    return value


def _protected(part: _Part) -> bool:
    """Is it written only while the file is loaded?"""
    return part.name == ".dynamic" or part.name.startswith(".data.rel.ro")


class _Hash:
    """The GNU hash table of the exports, which stand in its order."""

    def __init__(self, exports: Sequence[Symbol]) -> None:
        self.buckets = max(1, len(exports) // 2)
        self.order = sorted(exports, key=lambda s: (_hashed(s.name) % self.buckets, s.name))
        self.words = 1
        while self.words * 8 < len(exports):
            self.words *= 2

    @property
    def size(self) -> int:
        return 16 + 8 * self.words + 4 * self.buckets + 4 * len(self.order)

    def table(self, first: int) -> bytes:
        """The table, of exports that begin with symbol `first`."""
        bloom, buckets, chain = [0] * self.words, [0] * self.buckets, []
        hashes = [_hashed(s.name) for s in self.order]
        for number, value in enumerate(hashes):
            bloom[value // 64 % self.words] |= 1 << (value % 64) | 1 << (value // 64 % 64)
            buckets[value % self.buckets] = buckets[value % self.buckets] or first + number
            last = number + 1 == len(hashes) or hashes[number + 1] % self.buckets != value % self.buckets
            chain.append(value & ~1 | last)
        head = struct.pack("<IIII", self.buckets, first, self.words, 6)
        return head + struct.pack(f"<{self.words}Q{self.buckets}I{len(chain)}I", *bloom, *buckets, *chain)


def _hashed(name: str) -> int:
    value = 5381
    for byte in name.encode():
        value = (value * 33 + byte) & 0xFFFF_FFFF
    return value
