"""One entry of a cache: its key, and its file, in which everything is checksummed together with the key."""

from __future__ import annotations

import os
import struct
from typing import NamedTuple

from driver_ctypes.hashing import blake2b

_MAGIC = b"ptxgenC1"
_HEAD = struct.Struct("<8s32sQQ")  # magic, checksum, bytes of the log, bytes of the image
_DIGEST_BYTES = 32


class Entry(NamedTuple):
    """Code from the cache, with the compiler's info log of the time it was compiled."""

    image: bytes
    log: str


def key_of(*parts: bytes | str | int) -> str:
    """The key of what the parts describe: each is counted with its length, so that no two lists of parts are one."""
    digest = blake2b(digest_size=_DIGEST_BYTES, person=b"ptxgen cubin")
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def pack(key: str, image: bytes, log: str) -> bytes:
    text = log.encode()
    return _HEAD.pack(_MAGIC, _checksum(key, text, image), len(text), len(image)) + text + image


def read(key: str, file: int, size: int) -> Entry | None:
    """The entry in an open file of *size* bytes, or None if its content, length or name is not what was written.

    Its header is read first: if the file is not an entry, nothing else is read, however large it is.
    """
    head = _read(file, _HEAD.size)
    if len(head) < _HEAD.size:
        return None
    magic, checksum, log_bytes, image_bytes = _HEAD.unpack(head)
    if magic != _MAGIC or _HEAD.size + log_bytes + image_bytes != size:
        return None
    text, image = _read(file, log_bytes), _read(file, image_bytes)
    return Entry(image, text.decode(errors="replace")) if _checksum(key, text, image) == checksum else None


def _read(file: int, count: int) -> bytes:
    """The next bytes of a file; fewer where it ends."""
    parts = []
    while count and (part := os.read(file, count)):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _checksum(key: str, text: bytes, image: bytes) -> bytes:
    return bytes.fromhex(key_of(key, text, image))


def write(name: str, data: bytes, folder: int) -> None:
    """A new file in an open folder that only this user may read. It is not synced: what a power cut leaves of it fails its
    checksum."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    with open(os.open(name, flags, 0o600, dir_fd=folder), "wb") as file:
        file.write(data)


def remove(name: str, folder: int) -> bool:
    """Remove a file of an open folder; whether it is gone."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
