"""The resources of a cubin's kernels, read from the cubin, whatever the compiler wrote to its log.

A compiler that takes a kernel from a cache writes no log, and older ones omit what newer ones report; the binary has the
figures that a launch needs. A cubin is an ELF file for machine 190 (EM_CUDA). Its section ``.nv.info`` has registers and
stack by symbol, ``.nv.info.NAME`` the barriers of one kernel, ``.nv.shared.NAME`` is as large as its static shared memory.
It does not say how much of the stack is spilled registers: only a log does. pyelftools reads ELF too, but this
package needs nothing that is not in the standard library.

`misplaced_shared` finds what linkers before CUDA 13.1 do wrong; `parameter_counts` is what the loader goes by.
"""

from __future__ import annotations

import struct

from driver_ctypes.errors import ArgumentError
from driver_ctypes.modules import jitlog
from driver_ctypes.modules.images import dynamic_alignments, is_cubin, kind_of
from driver_ctypes.modules.jitlog import Resources
from driver_ctypes.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


_SYMBOL_TABLE = 2  # SHT_SYMTAB
_FUNCTION, _ENTRY = 2, 0x10  # STT_FUNC; in st_other, STO_CUDA_ENTRY: a kernel, and no device function
_HEADER, _SECTION, _SYMBOL = struct.Struct("<40xQI8xHH"), struct.Struct("<II16xQQI12x8x"), struct.Struct("<IBBH16x")

# The attributes of .nv.info: their form, and their numbers (EIATTR_...)
_ATTRIBUTE = struct.Struct("<BBH")
_SIZED = 4  # the value is the size of what follows; of other forms it is the value itself
_FRAME_SIZE, _MIN_STACK_SIZE, _REGISTERS, _BARRIERS = 0x11, 0x12, 0x2F, 0x4C
_PARAMETER, _PARAMETER_BYTES = 0x17, 0x19  # one for each parameter of a kernel; of all of them together

_INFO, _SHARED = ".nv.info.", ".nv.shared."  # and a kernel's name

_EXECUTED = (".text", ".nv.constant", ".nv.global.init")

_SYSTEM_SHARED = 1024
"""Bytes that the section counts and no program declared, from sm_90 on."""


class _Section(NamedTuple):
    name: str
    type: int
    data: bytes
    size: int
    link: int


def cubin_resources(image: bytes, log: str = "") -> dict[str, Resources]:
    """Registers, barriers, stack and shared memory of each kernel of a cubin, by name; from the *log* of the compiler that
    made it, constant memory and spills. Spills are None if there is a stack and the log does not report it. For an
    image that is not a cubin, what the log reports. Raises ArgumentError for a damaged cubin, and for what is not an image.
    """
    said = jitlog.resources(log)
    if not is_cubin(image):
        if image and kind_of(image) == "ptx" and b".version" not in image:
            raise ArgumentError(
                f"{image[:20]!r}... is not a cubin or any other image", hint="pass what a linker or an assembler made"
            )
        return said
    try:
        found = _read(image)
    except (struct.error, LookupError, ValueError) as error:
        raise ArgumentError(
            f"the cubin of {len(image)} bytes is damaged: {error}", hint="read the whole file"
        ) from None
    for name, used in found.items():
        logged = said.get(name)
        if logged is not None and (logged.registers or not used.stack):
            found[name] = used._replace(
                constant=logged.constant, spill_stores=logged.spill_stores, spill_loads=logged.spill_loads
            )
    return found


def misplaced_shared(image: bytes, ptx: str) -> dict[str, tuple[int, int]]:
    """Kernels of a cubin made of *ptx* whose dynamic shared memory does not begin at a multiple of the alignment that the
    text declares: (where it begins, the alignment) by name. Dynamic shared memory follows the kernel's static one; where a
    linker forgets the alignment of ``.extern .shared``, a kernel faults (misaligned address) or reads the wrong tile.
    """
    wanted = dynamic_alignments(ptx)
    if not wanted or not is_cubin(image):
        return {}
    found = {}
    system = _SYSTEM_SHARED if _architecture(image) >= 90 else 0
    sizes = {section.name: section.size for section in _sections(image) if section.name.startswith(_SHARED)}
    for name, alignment in wanted.items():
        begin = max(0, sizes.get(_SHARED + name, 0) - system)
        if begin % alignment:
            found[name] = begin, alignment
    return found


def machine_code(image: bytes) -> dict[str, bytes]:
    """What of a cubin a processor executes or reads: by section, code, constants and initialised variables. Raises ArgumentError
    for what is not a cubin."""
    if not is_cubin(image):
        raise ArgumentError(f"{image[:20]!r}... is not a cubin", hint="pass what an assembler made")
    return {section.name: section.data for section in _sections(image) if section.name.startswith(_EXECUTED)}


def parameter_counts(image: bytes) -> dict[str, int]:
    """How many parameters each kernel of a cubin has; without those of which it does not say so."""
    found = {}
    try:
        for section in _sections(image) if is_cubin(image) else ():
            if section.name.startswith(_INFO):
                attributes = list(_attributes(section.data))
                count = sum(number == _PARAMETER for number, _value in attributes)
                if count or not dict(attributes).get(_PARAMETER_BYTES):
                    found[section.name.removeprefix(_INFO)] = count
    except (struct.error, LookupError, ValueError):
        return {}  # the driver says what is wrong with it
    return found


def _read(image: bytes) -> dict[str, Resources]:
    sections = list(_sections(image))
    table = {section.type: section for section in sections}[_SYMBOL_TABLE]
    names = sections[table.link].data
    kernels: dict[int, str] = {}
    for number, (at, kind, other, _place) in enumerate(_SYMBOL.iter_unpack(table.data)):
        if kind & 0xF == _FUNCTION and other & _ENTRY:
            kernels[number] = _text(names, at)
    by_name = {section.name: section for section in sections}
    by_symbol: dict[int, dict[int, int]] = {}
    for number, value in _attributes(by_name[".nv.info"].data):
        if number in (_FRAME_SIZE, _MIN_STACK_SIZE, _REGISTERS) and isinstance(value, bytes):
            symbol, amount = struct.unpack("<II", value)
            by_symbol.setdefault(symbol, {})[number] = amount
    newest = _architecture(image) >= 90
    found = {}
    for symbol, name in kernels.items():
        known = by_symbol.get(symbol, {})
        own = dict(_attributes(by_name[_INFO + name].data)) if _INFO + name in by_name else {}
        barriers = own.get(_BARRIERS, 0)
        stack = max(known.get(_FRAME_SIZE, 0), known.get(_MIN_STACK_SIZE, 0))
        shared = by_name[_SHARED + name].size if _SHARED + name in by_name else 0
        spills = None if stack else 0
        found[name] = Resources(
            registers=known.get(_REGISTERS, 0),
            barriers=barriers & 0xFF if isinstance(barriers, int) else 0,
            shared=max(0, shared - _SYSTEM_SHARED) if newest else shared,
            stack=stack,
            spill_stores=spills,
            spill_loads=spills,
        )
    return found


def _sections(image: bytes) -> Iterator[_Section]:
    offset, _flags, count, names_at = _HEADER.unpack_from(image)
    rows = [_SECTION.unpack_from(image, offset + number * _SECTION.size) for number in range(count)]
    _, _, begin, size, _ = rows[names_at]
    names = image[begin : begin + size]
    for at, kind, begin, size, link in rows:
        yield _Section(_text(names, at), kind, image[begin : begin + size], size, link)


def _attributes(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        form, number, value = _ATTRIBUTE.unpack_from(data, at)
        at += _ATTRIBUTE.size
        if form == _SIZED:
            yield number, data[at : at + value]
            at += value
        else:
            yield number, value


def _architecture(image: bytes) -> int:
    """90 of sm_90a. The header's flags have it, since version 8 of the ELF's ABI in their second byte."""
    flags = _HEADER.unpack_from(image)[1]
    return int(flags >> 8 & 0xFF if image[8] >= 8 else flags & 0xFF)


def _text(names: bytes, at: int) -> str:
    return names[at : names.index(b"\0", at)].decode()
