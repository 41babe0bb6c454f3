"""Images: what a caller hands over to be loaded, and the one kind of binary that this driver makes itself.

A linked program is an ELF file for no machine, with the PTX of the whole in a section of its own. It stands where a cubin
stands: callers keep it, write it to disk and load it, and need not know what is in it. What was compiled to be linked says so
in the file's type, as NVIDIA's cubins do.
"""

from __future__ import annotations

import struct

from driver_ctypes.abi import enums
from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.modules.fatbins import FATBIN, FATBIN_HEADER, WRAPPER, size_of
from ptxgen.emulated_driver.pointers import bytes_at, text_at

if TYPE_CHECKING:
    from collections.abc import Iterable

ELF = b"\x7fELF"

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")  # Elf64_Ehdr
_SECTION = struct.Struct("<IIQQQQIIQQ")  # Elf64_Shdr
_IDENT = ELF + bytes((2, 1, 1, 0x5A)) + bytes(8)  # 64 bits, little-endian, and an OS/ABI that nobody has
_MACHINE = 0  # EM_NONE
_NAMES = b"\0.shstrtab\0.ptxgen.ptx\0"
_PROGBITS, _STRTAB = 1, 3
_LARGEST = 1 << 31
"""Bytes of an image: more is damage."""
_RELOCATABLE, _WHOLE = 1, 2  # ET_REL, ET_EXEC


def pack(ptx: str, *, relocatable: bool = False, registers: int = 0) -> bytes:
    """An image that holds *ptx*. relocatable: a linker may take it for an input. registers: the most of a thread's that its
    compiler was asked to use, 0 for no limit; they stand where cubins have flags."""
    text = ptx.encode()
    names_at = _HEADER.size
    text_at = names_at + len(_NAMES)
    sections_at = text_at + len(text) + -(text_at + len(text)) % 8
    kind = _RELOCATABLE if relocatable else _WHOLE
    header = _HEADER.pack(_IDENT, kind, _MACHINE, 1, 0, 0, sections_at, registers, 64, 0, 0, 64, 3, 1)
    sections = (
        bytes(_SECTION.size),
        _SECTION.pack(1, _STRTAB, 0, 0, names_at, len(_NAMES), 0, 0, 1, 0),
        _SECTION.pack(11, _PROGBITS, 0, 0, text_at, len(text), 0, 0, 1, 0),
    )
    return (header + _NAMES + text).ljust(sections_at, b"\0") + b"".join(sections)


def unpack(image: bytes) -> str | None:
    """The PTX of an image that `pack` made; None for anything else, also for a damaged one."""
    if not image.startswith(_IDENT) or len(image) < _HEADER.size:
        return None
    sections_at = _HEADER.unpack_from(image)[6]
    if sections_at + 3 * _SECTION.size != len(image):
        return None
    offset, size = _SECTION.unpack_from(image, sections_at + 2 * _SECTION.size)[4:6]
    text = image[offset : offset + size]
    return text.decode("utf-8", "replace") if len(text) == size else None


def registers_of(image: bytes) -> int:
    """The limit of registers of an image that `pack` made; 0 where there is none, and for anything else."""
    return int(_HEADER.unpack_from(image)[7]) if unpack(image) is not None else 0


def register_limit(options: Iterable[bytes | None]) -> int:
    """What options of a compiler say of the most registers that a thread may use: the last one; 0 for no limit."""
    limit = 0
    for each in options:
        option, _, number = (each or b"").replace(b"=", b" ").partition(b" ")
        if option in (b"-maxrregcount", b"--maxrregcount") and number.isdigit() and len(number) < 10:
            limit = int(number)
    return limit


def is_relocatable(image: bytes) -> bool:
    """Whether a cubin, or an image in its place, was compiled to be linked."""
    return image.startswith(ELF) and image[16:18] == _RELOCATABLE.to_bytes(2, "little")


def is_binary(data: bytes) -> bool:
    """Whether it is an image other than text."""
    return data.startswith((ELF, FATBIN))


def read(address: int | None) -> bytes:
    """The image at an address. No length comes with it: a text ends at its NUL, a linked program and a fat binary where their
    headers say, and of another binary only the kind is read.
    """
    if not address:
        raise invalid_value("the image is null")
    if bytes_at(address, 4) == WRAPPER:
        address = int.from_bytes(bytes_at(address + 8, 8), "little")
        if not address or bytes_at(address, 4) != FATBIN:
            raise Refusal(enums.CUresult.ERROR_INVALID_IMAGE, "the structure of a fat binary points to none")
    magic = bytes_at(address, 4)  # a text of less than four characters is followed by its NUL in any case
    if magic == FATBIN:
        return _whole(address, size_of(_whole(address, FATBIN_HEADER)))
    if magic != ELF:
        return text_at(address)
    if bytes_at(address, 8) != _IDENT[:8]:
        return ELF
    header = _HEADER.unpack(_whole(address, _HEADER.size))
    return _whole(address, header[6] + header[11] * header[12])


def _whole(address: int, nbytes: int) -> bytes:
    data = bytes_at(address, nbytes) if nbytes <= _LARGEST else b""
    if len(data) < nbytes:
        raise Refusal(
            enums.CUresult.ERROR_INVALID_IMAGE, f"the image says that it has {nbytes} bytes; {len(data)} can be read"
        )
    return data
