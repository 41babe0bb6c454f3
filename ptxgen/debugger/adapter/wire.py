"""Messages of the Debug Adapter Protocol: JSON behind a header with its length."""

from __future__ import annotations

import json
from typing import IO, Any

__all__ = ["read", "write"]

_LARGEST = 64 << 20
"""Bytes of a message that is read."""


def read(stream: IO[bytes]) -> dict[str, Any] | None:
    """The next message; None at the end of the stream. Raises ValueError for what is no message."""
    length = -1
    while line := stream.readline():
        name, _, value = line.decode("ascii", "replace").partition(":")
        if name.strip().lower() == "content-length":
            length = int(value)
        if not line.strip() and length >= 0:
            break
    if length < 0:
        return None
    if length > _LARGEST:
        raise ValueError(f"a message of {length} bytes")
    body = stream.read(length)
    if len(body) < length:
        return None
    found = json.loads(body)
    if not isinstance(found, dict):
        raise ValueError("a message is an object")
    return found


def write(stream: IO[bytes], message: dict[str, Any]) -> None:
    """One message."""
    body = json.dumps(message, allow_nan=False, default=str).encode()
    stream.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    stream.flush()
