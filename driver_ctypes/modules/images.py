"""Images that a driver loads or links: PTX text, cubins, fatbins, host objects and archives of either. And kernels' parameters as
PTX text declares them, for those that come without a signature: names, floats, pointers.

    .visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 .ptr .global .align 16 x, .param .align 8 .b8 s[24])

Only the heads of entries are read, and only what is certain is used: parameters declared as pointers, and floats, which take
any number. Compilers write ``.u32`` for signed numbers too, ``.b32`` for any type, and ``.u64`` for pointers: those stay
``opaque``, values of a size, which take integers of either sign, and addresses if they have 8 bytes. Exact bytes are accepted for
everything. (PTX manual, "Kernel Function Parameter Attributes".)

`dynamic_alignments` reads from the text what linkers forget.
"""

from __future__ import annotations

import ctypes
import struct

from driver_ctypes.arguments.parameter import KINDS, Parameter
from driver_ctypes.arguments.signature import Signature, signature_from_sizes
from driver_ctypes.errors import ArgumentError, ArgumentRangeError, ArgumentTypeError
from driver_ctypes.typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from driver_ctypes.session.session import Session


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


_COMMENT = r"(?s)//[^\n]*|/\*.*?\*/"
_BODY = r"\.(entry|func)\b(?:\s*\([^)]*\))?\s*([\w$%]+)"  # a function's results stand before its name
_DYNAMIC = r"\.extern\s+\.shared\s+\.align\s+(\d+)\s+(?:\.v[24]\s+)?\.\w+\s+([\w$%]+)\s*\[\s*\]"
_GIVEN_ALIGNMENT = 16  # bytes
_SPACES = (".const", ".global", ".local", ".shared")


class Float:
    """A floating-point parameter known only from the text. Numbers are converted, ctypes' among them."""

    def __init__(self, kind: str) -> None:
        self.__name__ = kind
        self._code = f"<{KINDS[kind][0]}"

    def packed(self, value: Any, context: Session) -> bytes:
        """See `arguments.parameter.Structure`."""
        number = value.value if isinstance(value, ctypes._SimpleCData) else value
        try:
            return struct.pack(self._code, number)
        except OverflowError:
            raise ArgumentRangeError(
                f"{number!r} is too large for {self.__name__}", hint="pass float('inf') where an infinity is meant"
            ) from None
        except (struct.error, TypeError):
            raise ArgumentTypeError(
                f"expected a number, found {type(value).__name__} {value!r:.60}", hint="convert it with float()"
            ) from None

    def __reduce__(self) -> tuple[Any, ...]:
        return Float, (self.__name__,)

    def __eq__(self, other: object) -> bool:
        return self.__name__ == other.__name__ if isinstance(other, Float) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.__name__)


_FLOATS = {kind: Float(kind) for kind in ("f16", "f32", "f64")}


def told_signature(heads: Mapping[str, str], name: str, sizes: Sequence[int] | None) -> Signature | None:
    """The signature of a kernel without one, from its head in the text (`entry_heads`), if that agrees with the *sizes* that
    the driver reports for the loaded code; else from the sizes alone. None where neither is known.
    """
    declared = head_signature(heads[name]) if name in heads else None
    if declared is not None and (sizes is None or [param.size for param in declared.params] == list(sizes)):
        return declared
    return signature_from_sizes(sizes) if sizes is not None else None


def entry_heads(ptx: str) -> dict[str, str]:
    """What stands between the parentheses of each entry, by its name."""
    pieces = ptx.split(".entry")
    heads = [_entry_head(piece) for piece in pieces[1:]]
    lines = [piece[piece.rfind("\n") + 1 :] for piece in pieces]  # what stands before each, and one more
    if "/*" in ptx or any("/" in line or "/" in head for line, (_name, head) in zip(lines, heads)):
        import re  # with what comes with it, it takes longer than to load a program that is on disk

        heads = [_entry_head(piece) for piece in re.sub(_COMMENT, " ", ptx).split(".entry")[1:]]  # dear for a large one
    return {name: head for name, head in heads if name}


def _entry_head(text: str) -> tuple[str, str]:
    """The name of an entry, and what stands between its parentheses, from the text behind the directive; "" for no name."""
    behind = text.lstrip()
    length = _name_length(behind) if behind is not text else 0
    rest = behind[length:].lstrip()
    return behind[:length], rest[1 : rest.find(")")] if rest.startswith("(") and ")" in rest else ""


def _name_length(text: str) -> int:
    """How many characters a name has that the text begins with."""
    return next((at for at, each in enumerate(text) if not each.isalnum() and each not in "_$%"), len(text))


def count_parameters(head: str) -> int:
    """How many parameters the head of an entry declares."""
    return head.count(".param")


def dynamic_alignments(ptx: str) -> dict[str, int]:
    """The alignment of the dynamic shared memory that each entry uses, by its name; without those that ask for no more than
    every launch gives. A device function that uses it may be called by any entry.
    """
    if ".extern" not in ptx or ".shared" not in ptx:
        return {}
    import re

    text = re.sub(_COMMENT, " ", ptx)
    declared = {name: int(align) for align, name in re.findall(_DYNAMIC, text) if int(align) > _GIVEN_ALIGNMENT}
    if not declared:
        return {}
    pieces = re.split(_BODY, text)  # what stands before the first, then kind, name and text of each
    bodies = list(zip(pieces[1::3], pieces[2::3], pieces[3::3]))
    shared = "".join(body for kind, _name, body in bodies if kind == "func")
    found = {}
    for kind, name, body in bodies:
        used = [align for symbol, align in declared.items() if _uses(symbol, body) or _uses(symbol, shared)]
        if kind == "entry" and used:
            found[name] = max(used)
    return found


def _uses(symbol: str, body: str) -> bool:
    import re

    return re.search(rf"(?<![\w$%]){re.escape(symbol)}(?![\w$%])", body) is not None


def head_signature(text: str) -> Signature | None:
    """The parameters that the head of an entry declares; None where one is of a kind that is not known here."""
    parameters = []
    for declaration in text.split(",") if text.strip() else ():
        try:
            parameters.append(_parameter(declaration.replace("[", " [ ").replace("]", " ] ").split()))
        except (IndexError, ValueError):
            return None
    return Signature(parameters)


def _parameter(words: list[str]) -> Parameter:
    """IndexError or ValueError for words that are no parameter of a known kind."""
    left = words[::-1]
    _take(left, ".param")
    align = _alignment(left)
    dot, kind = left[-1][:1], left.pop()[1:]
    size = {"8": 1, "16": 2, "32": 4, "64": 8}.get(kind[1:], 0)
    align = align or _alignment(left) or size
    pointer = left[-1] == ".ptr" and left.pop()
    space = left.pop() if pointer and left[-1] in _SPACES else ".global"
    pointee = _alignment(left) if pointer else 0
    name = left.pop()
    if not size or dot + kind[0] not in (".b", ".u", ".s", ".f") or _name_length(name) != len(name):
        raise ValueError(name)
    if left:
        _take(left, "[")
        count = _number(left.pop())
        _take(left, "]")
        if left:
            raise ValueError(left)
        return Parameter(name, "bytes", size * count, align)
    if pointer and space == ".global" and size == KINDS["pointer"][1]:
        return Parameter(name, "pointer", aligned=pointee or 1)
    if kind in _FLOATS:
        return Parameter(name, "bytes", size, size, structure=_FLOATS[kind])
    return Parameter(name, "opaque", size, size)


def _take(left: list[str], word: str) -> None:
    if left.pop() != word:
        raise ValueError(word)


def _alignment(left: list[str]) -> int:
    """0 where none is stated."""
    if left[-1] != ".align":
        return 0
    left.pop()
    return _number(left.pop())


def _number(word: str) -> int:
    if not word.isdecimal():
        raise ValueError(word)
    return int(word)
