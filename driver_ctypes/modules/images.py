"""Images that a driver loads or links: PTX text, cubins, fatbins, host objects and archives of either."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from driver_ctypes.errors import ArgumentError, ArgumentTypeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

T = TypeVar("T")

_ARCHIVE, _ELF, _FATBIN = b"!<arch>\n", b"\x7fELF", b"\x50\xed\x55\xba"
_CUDA_MACHINE = 190  # EM_CUDA; an ELF file for another machine is a host object, perhaps with device code in it


class LinkedImage(bytes):
    """A cubin that was linked here; *heads* is what its PTX inputs declare of their kernels' parameters, by the kernels' names.
    A cubin itself has no more than their sizes.
    """

    heads: Mapping[str, str]

    def __new__(cls, data: bytes, heads: Mapping[str, str]) -> LinkedImage:
        made = super().__new__(cls, data)
        made.heads = heads
        return made

    def __getnewargs__(self) -> tuple[bytes, Mapping[str, str]]:  # type: ignore[override]  # bytes has one argument
        return bytes(self), self.heads


def is_cubin(image: bytes) -> bool:
    """Whether an image is an ELF file of device code."""
    return image.startswith(_ELF) and int.from_bytes(image[18:20], "little") == _CUDA_MACHINE


def kind_of(image: bytes) -> str:
    """ "library", "fatbin", "cubin" or "object", as its first bytes say; "ptx" for anything else."""
    if image.startswith(_ARCHIVE):
        return "library"
    if image.startswith(_FATBIN):
        return "fatbin"
    if image.startswith(_ELF):
        return "cubin" if is_cubin(image) else "object"
    return "ptx"


def read_image(image: Any) -> tuple[bytes, str]:
    """(bytes for the driver, PTX text if it is PTX). The driver takes no length, so a short image would be read beyond
    its end: text is NUL-terminated, and a binary's own length is checked.
    """
    if isinstance(image, str):
        image = image.encode()
    elif not isinstance(image, bytes):
        try:
            image = bytes(memoryview(image))
        except TypeError:
            raise ArgumentTypeError(
                f"an image is PTX text or bytes, not {type(image).__name__}", hint="pass str, bytes, or a buffer"
            ) from None
    length = _binary_length(image)
    if length is None:
        if b"\0" in image.rstrip(b"\0"):
            raise ArgumentError(
                "PTX text with a NUL in it: the driver would stop there", hint="pass the whole text only"
            )
        return image, image.rstrip(b"\0").decode(errors="replace")
    if length > len(image):
        raise ArgumentError(
            f"the binary is truncated: its header promises {length} bytes, it has {len(image)}",
            hint="read the whole file",
        )
    return image, ""


def several(values: Iterable[T], what: str) -> list[T]:
    """*values* as a list. Raises ArgumentTypeError for one text or one binary, which would be a list of characters, and
    for what is not a list at all.
    """
    if isinstance(values, (str, bytes, bytearray, memoryview)) or not hasattr(values, "__iter__"):
        raise ArgumentTypeError(
            f"{what}: {type(values).__name__} {values!r:.40} is not a list", hint="put it into one: [it]"
        )
    return list(values)


def _binary_length(image: bytes) -> int | None:
    """Bytes that a cubin's or fatbin's header promises, or an archive has; None for anything else, which is text then."""
    if image.startswith(_ARCHIVE):
        return len(image)
    if image.startswith(_ELF):
        if len(image) < 64:
            return 64
        sections = int.from_bytes(image[40:48], "little")  # e_shoff, e_shentsize * e_shnum
        return sections + int.from_bytes(image[58:60], "little") * int.from_bytes(image[60:62], "little")
    if image.startswith(_FATBIN):
        return int.from_bytes(image[6:8], "little") + int.from_bytes(image[8:16], "little")
    return None
