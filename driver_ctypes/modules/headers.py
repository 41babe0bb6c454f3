"""Kernels' parameters as their PTX text declares them, for those that come without a signature: names, floats, pointers.

    .visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 .ptr .global .align 16 x, .param .align 8 .b8 s[24])

Only the heads of entries are read, and only what is certain is used: parameters declared as pointers, and floats, which take
any number. Compilers write ``.u32`` for signed numbers too, ``.b32`` for any type, and ``.u64`` for pointers: those stay
``opaque``, values of a size, which take integers of either sign, and addresses if they have 8 bytes. Exact bytes are accepted for
everything. (PTX manual, "Kernel Function Parameter Attributes".)
"""

from __future__ import annotations

import ctypes
import re
import struct
from typing import TYPE_CHECKING, Any

from driver_ctypes.arguments.parameter import KINDS, Parameter
from driver_ctypes.arguments.signature import Signature, signature_from_sizes
from driver_ctypes.errors import ArgumentRangeError, ArgumentTypeError

if TYPE_CHECKING:
    from collections.abc import Sequence, Sized

    from driver_ctypes.session.session import Session

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ENTRY = re.compile(r"\.entry\s+([\w$%]+)\s*(?:\(([^)]*)\))?")
_PARAMETER = re.compile(
    r"\.param\s+(?:\.align\s+(?P<align>\d+)\s+)?\.(?P<type>[busf]\d+)\s+(?:\.align\s+(?P<aligned>\d+)\s+)?"
    r"(?P<pointer>\.ptr\s+(?:\.(?P<space>const|global|local|shared)\s+)?(?:\.align\s+(?P<pointee>\d+)\s+)?)?"
    r"(?P<name>[\w$%]+)\s*(?:\[\s*(?P<count>\d+)\s*\])?"
)


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


def heads_of(ptx: str, signatures: Sized) -> str:
    """The text to be asked for the heads of entries later: none where every entry has a signature."""
    return ptx if ptx.count(".entry") > len(signatures) else ""


def told_signature(ptx: str, name: str, sizes: Sequence[int] | None) -> Signature | None:
    """The signature of a kernel without one, from its head in the text, if that agrees with the *sizes* that
    the driver reports for the loaded code; else from the sizes alone. None where neither is known.
    """
    declared = declared_signature(ptx, name) if ptx else None
    if declared is not None and (sizes is None or [param.size for param in declared.params] == list(sizes)):
        return declared
    return signature_from_sizes(sizes) if sizes is not None else None


def declared_signature(ptx: str, name: str) -> Signature | None:
    """The parameters of the entry *name*; None where it is not there, or declares something that is not known here."""
    for found in _ENTRY.finditer(_COMMENT.sub(" ", ptx)):
        if found[1] == name:
            return _signature(found[2] or "")
    return None


def _signature(text: str) -> Signature | None:
    parameters = []
    for declaration in text.split(",") if text.strip() else ():
        said = _PARAMETER.fullmatch(declaration.strip())
        if said is None or int(said["type"][1:]) not in (8, 16, 32, 64):
            return None
        parameters.append(_parameter(said))
    return Signature(parameters)


def _parameter(said: re.Match[str]) -> Parameter:
    name, kind, size = said["name"], said["type"], int(said["type"][1:]) // 8
    if said["count"] is not None:
        return Parameter(name, "bytes", size * int(said["count"]), int(said["align"] or said["aligned"] or size))
    if said["pointer"] and said["space"] in (None, "global") and size == KINDS["pointer"][1]:
        return Parameter(name, "pointer", aligned=int(said["pointee"] or 1))
    if kind in _FLOATS:
        return Parameter(name, "bytes", size, size, structure=_FLOATS[kind])
    return Parameter(name, "opaque", size, size)
