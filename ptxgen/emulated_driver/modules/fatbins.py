"""Containers that NVIDIA's tools make: fat binaries, and the objects and archives that hold them. PTX is taken out of them.

A fat binary is a header and entries, each with a header of its own: its kind, its target, its flags, its sizes. Their layout is
in no manual; tools that are public (cuobjdump's output, decompressors) tell it, and what nvcc 13.5 writes agrees. Entries of PTX
are plain, or compressed: by LZ4, or, since CUDA 13, by zstd.
"""

from __future__ import annotations

import ctypes
import struct

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "ARCHIVE",
    "FATBIN",
    "FATBIN_HEADER",
    "KEEP_PTX",
    "WRAPPER",
    "ContainerError",
    "Fatbin",
    "fatbins_in",
    "size_of",
]

FATBIN, WRAPPER, ARCHIVE = struct.pack("<I", 0xBA55ED50), struct.pack("<I", 0x466243B1), b"!<arch>\n"
"""How a fat binary begins, the structure of nvcc's that points to one, and an archive of objects."""

KEEP_PTX = (
    "Fix: keep the PTX: nvcc -gencode arch=compute_90,code=compute_90 (not code=sm_90 alone); NVRTC and nvJitLink "
    "-arch=compute_90; or compile to PTX"
)

_HEADER = struct.Struct("<IHHQ")  # magic, version, bytes of this header, bytes of the entries
_ENTRY = struct.Struct("<HHIQIIHHIIIQQQ")
_PTX = 1
_LZ4, _ZSTD = 0x2000, 0x8000
_LARGEST = 1 << 30
"""Bytes of a decompressed entry: a size beyond it is damage, or an attack."""

_SECTION_HEADER, _SECTION = struct.Struct("<16sHHIQQQIHHHHHH"), struct.Struct("<IIQQQQIIQQ")
_SECTIONS = frozenset((b".nv_fatbin", b"__nv_relfatbin"))  # of a whole program, and of one with -rdc=true
_MEMBER = struct.Struct("16s12s6s6s8s10s2s")


class ContainerError(ValueError):
    """A container is damaged, or cannot be decompressed here; the text says which."""


class Fatbin(NamedTuple):
    """What of a fat binary matters here. `ptx`: its texts, oldest target first."""

    ptx: list[str]
    machine_code: bool


FATBIN_HEADER = _HEADER.size
"""Bytes of a fat binary's own header."""


def size_of(data: bytes) -> int:
    """The bytes of a fat binary, as its header says."""
    _magic, _version, header, size = _HEADER.unpack_from(data)
    return int(header + size)


def fatbins_in(data: bytes) -> Iterator[Fatbin]:
    """The fat binaries of a file: one itself, an object of a host compiler with some, or an archive of such objects.

    ContainerError for a damaged one.
    """
    if data.startswith(ARCHIVE):
        for member in _members(data):
            yield from fatbins_in(member)
    elif data.startswith(b"\x7fELF"):
        for section in _sections(data):
            yield from _in_a_row(section)
    elif data.startswith(FATBIN):
        yield from _in_a_row(data)


def _in_a_row(data: bytes) -> Iterator[Fatbin]:
    """Fat binaries one after the other, at multiples of 8 bytes."""
    at = 0
    while at + _HEADER.size <= len(data) and data[at : at + 4] == FATBIN:
        _magic, _version, header, size = _HEADER.unpack_from(data, at)
        if header < _HEADER.size or at + header + size > len(data):
            raise ContainerError(f"a fat binary of {header + size} bytes is cut off after {len(data) - at}")
        yield _fatbin(data[at + header : at + header + size])
        at += -(-(header + size) // 8) * 8


def _fatbin(data: bytes) -> Fatbin:
    found: list[tuple[int, str]] = []
    machine_code, at = False, 0
    while at + _ENTRY.size <= len(data):
        (
            kind, _version, header, size, compressed, _options, _minor, _major, target, _name_at, _name_size, flags, _zero, whole,
        ) = _ENTRY.unpack_from(data, at)  # fmt: skip
        if header < _ENTRY.size or at + header + size > len(data):
            raise ContainerError(f"entry of {header + size} bytes at byte {at} of a fat binary ends after it")
        if kind == _PTX:
            content = data[at + header : at + header + size]
            text = _decompressed(content[: compressed or size], flags, whole)
            found.append((target, text.partition(b"\0")[0].decode("utf-8", "replace")))
        machine_code |= kind != _PTX
        at += header + size
    return Fatbin([text for _target, text in sorted(found, key=lambda each: each[0])], machine_code)


# --- decompression ----------------------------------------------------------------------------------------------------


def _decompressed(data: bytes, flags: int, size: int) -> bytes:
    if not flags & (_LZ4 | _ZSTD):
        return data
    if size > _LARGEST:
        raise ContainerError(f"an entry of a fat binary says that it has {size} bytes decompressed: at most {_LARGEST}")
    text = _zstd(data, size) if flags & _ZSTD else _lz4(data, size)
    if len(text) != size:
        raise ContainerError(f"an entry of a fat binary has {len(text)} bytes decompressed, and says {size}")
    return text


def _lz4(data: bytes, size: int) -> bytes:
    """A block of LZ4: literals, and copies of what went before. Its layout is LZ4's block format description."""
    made = bytearray()
    at, end = 0, len(data)
    try:
        while at < end:
            token = data[at]
            at, count = _lz4_length(data, at + 1, token >> 4)
            made += data[at : at + count]
            at += count
            if at >= end:
                break  # the last sequence has literals alone
            distance = data[at] | data[at + 1] << 8
            at, count = _lz4_length(data, at + 2, token & 15)
            count += 4
            if not 0 < distance <= len(made) or len(made) + count > size:
                raise ContainerError("an LZ4 entry of a fat binary is damaged")
            start = len(made) - distance
            if distance >= count:
                made += made[start : start + count]
            else:
                made += (made[start:] * (count // distance + 1))[:count]
    except IndexError:
        raise ContainerError("an LZ4 entry of a fat binary is cut off") from None
    return bytes(made)


def _lz4_length(data: bytes, at: int, length: int) -> tuple[int, int]:
    """Where a length ends, and the length: 15 is continued in bytes, the last of which is below 255."""
    if length == 15:
        while True:
            more = data[at]
            at, length = at + 1, length + more
            if more != 255:
                break
    return at, length


def _zstd(data: bytes, size: int) -> bytes:
    """By the system's library: Python has one of its own from 3.14 only."""
    try:
        library = ctypes.CDLL("libzstd.so.1")
    except OSError:
        raise ContainerError(
            "the PTX is compressed by zstd, and libzstd.so.1 is not installed\n"
            "  Fix: install it (Debian: libzstd1), or nvcc --compress-mode=speed, or --no-compress"
        ) from None
    library.ZSTD_decompress.restype = ctypes.c_size_t
    made = ctypes.create_string_buffer(max(size, 1))
    count = library.ZSTD_decompress(made, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data)))
    if count > size:  # error codes are the largest numbers
        raise ContainerError("a zstd entry of a fat binary is damaged")
    return made.raw[:count]


# --- objects and archives ---------------------------------------------------------------------------------------------


def _sections(data: bytes) -> Iterator[bytes]:
    """The sections of an ELF file of 64 bits that have fat binaries."""
    if len(data) < _SECTION_HEADER.size:
        return
    header = _SECTION_HEADER.unpack_from(data)
    at, each, count, names = header[6], header[11], header[12], header[13]
    if each != _SECTION.size or at + each * count > len(data) or names >= count:
        return
    rows = [_SECTION.unpack_from(data, at + each * number) for number in range(count)]
    for row in rows:
        start = rows[names][4] + row[0]
        if data[start : data.find(b"\0", start)] in _SECTIONS:
            yield data[row[4] : row[4] + row[5]]


def _members(data: bytes) -> Iterator[bytes]:
    at = len(ARCHIVE)
    while at + _MEMBER.size <= len(data):
        number = _MEMBER.unpack_from(data, at)[5].strip()
        if not number.isdigit():
            raise ContainerError(f"the archive is damaged at byte {at}")
        at += _MEMBER.size
        yield data[at : at + int(number)]
        at += int(number) + int(number) % 2
