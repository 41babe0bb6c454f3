"""One entry of a cache: its key, and its file, in which everything is checksummed together with the key."""

from __future__ import annotations

import os
import struct
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

_MAGIC = b"ptxgenC1"
_HEAD = struct.Struct("<8s32sQQ")  # magic, checksum, bytes of the log, bytes of the image
_DIGEST_BYTES = 32


class Entry(NamedTuple):
    """Code from the cache, with the compiler's info log of the day it was made."""

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


def unpack(key: str, data: bytes) -> Entry | None:
    """The entry, or None where anything of it, its length or its place is not what was written."""
    if len(data) < _HEAD.size:
        return None
    magic, checksum, log_bytes, image_bytes = _HEAD.unpack_from(data)
    body = memoryview(data)[_HEAD.size :]
    if magic != _MAGIC or len(body) != log_bytes + image_bytes:
        return None
    text, image = bytes(body[:log_bytes]), bytes(body[log_bytes:])
    return Entry(image, text.decode(errors="replace")) if _checksum(key, text, image) == checksum else None


def _checksum(key: str, text: bytes, image: bytes) -> bytes:
    return bytes.fromhex(key_of(key, text, image))


def write(path: Path, data: bytes) -> None:
    """A new file that only this user may read. It is not synced: what a power cut leaves of it fails its checksum."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600)
    with open(descriptor, "wb") as file:
        file.write(data)


def remove(path: Path) -> bool:
    """Remove a file; whether it is gone."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return False
    return True
