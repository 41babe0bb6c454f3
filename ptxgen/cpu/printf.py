"""The formats of C's printf, as a kernel's vprintf reads them: CUDA C++ Programming Guide, "Formatted Output"."""

from __future__ import annotations

import math
import re
import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ArgumentReader", "format_text"]

_CONVERSION = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d*))?(?P<size>hh|h|ll|l|j|z|t)?(?P<kind>[diouxXcspfFeEgGaA%])"
)
_WIDE = frozenset({"l", "ll", "j", "z", "t"})
_INTEGERS, _FLOATS = frozenset("diouxX"), frozenset("fFeEgGaA")


class ArgumentReader:
    """Takes the arguments of a call of vprintf one by one from where C's varargs put them: each at a multiple of its size.

    `read(offset, nbytes)` gives their bytes.
    """

    def __init__(self, read: Callable[[int, int], bytes]) -> None:
        self._read = read
        self._offset = 0
        self.count = 0

    def integer(self, nbytes: int) -> int:
        """The next one, as an unsigned number."""
        return int.from_bytes(self._next(nbytes), "little")

    def double(self) -> float:
        found: float = struct.unpack("<d", self._next(8))[0]
        return found

    def _next(self, nbytes: int) -> bytes:
        start = -(-self._offset // nbytes) * nbytes
        self._offset = start + nbytes
        self.count += 1
        return self._read(start, nbytes)


class _Conversion(NamedTuple):
    flags: str
    width: str
    precision: str | None
    size: str
    kind: str

    def spelled(self, kind: str, *, without: str = "") -> str:
        """For Python's % operator, which pads, signs and rounds floats and texts as C does."""
        flags = "".join(flag for flag in self.flags if flag not in without)
        precision = "" if self.precision is None else f".{self.precision or 0}"
        return f"%{flags}{self.width}{precision}{kind}"


def format_text(form: str, arguments: ArgumentReader, string_at: Callable[[int], str]) -> str:
    """What vprintf prints. `string_at(address)` gives the text that a %s means. What C leaves undefined, such as an unknown
    conversion, is printed as it stands."""
    return _CONVERSION.sub(lambda found: _converted(found, arguments, string_at), form)


def _converted(found: re.Match[str], arguments: ArgumentReader, string_at: Callable[[int], str]) -> str:
    kind = found["kind"]
    if kind == "%":
        return "%"
    flags, width, precision = found["flags"], found["width"] or "", found["precision"]
    if width == "*":
        number = _signed(arguments.integer(4), 4)
        flags, width = (flags + "-" if number < 0 else flags), str(abs(number))
    if precision == "*":
        number = _signed(arguments.integer(4), 4)
        precision = str(number) if number >= 0 else None
    conversion = _Conversion(flags, width, precision, found["size"] or "", kind)
    if kind in _INTEGERS:
        return _integer(conversion, arguments.integer(8 if conversion.size in _WIDE else 4))
    if kind in _FLOATS:
        return _float(conversion, arguments.double())
    if kind == "c":
        return conversion.spelled("s", without="0+ #") % chr(arguments.integer(4) & 0xFF)
    address = arguments.integer(8)
    text = string_at(address) if kind == "s" else f"0x{address:x}"
    return conversion.spelled("s", without="0+ #") % text


def _integer(conversion: _Conversion, value: int) -> str:
    nbytes = {"hh": 1, "h": 2}.get(conversion.size, 8 if conversion.size in _WIDE else 4)
    value &= (1 << 8 * nbytes) - 1
    flags, kind, sign = conversion.flags, conversion.kind, ""
    if kind in "di":
        value = _signed(value, nbytes)
        sign = "-" if value < 0 else "+" if "+" in flags else " " if " " in flags else ""
    digits = format(abs(value), kind if kind in "oxX" else "d")
    if conversion.precision is not None:
        least = int(conversion.precision or 0)
        digits = digits.rjust(least, "0") if value or least else ""
    if "#" in flags and kind in "xX" and value:
        sign = f"0{kind}"
    if "#" in flags and kind == "o" and not digits.startswith("0"):
        digits = f"0{digits}"
    width = int(conversion.width or 0)
    if "0" in flags and "-" not in flags and conversion.precision is None:
        digits = digits.rjust(width - len(sign), "0")
    return (sign + digits).ljust(width) if "-" in flags else (sign + digits).rjust(width)


def _float(conversion: _Conversion, value: float) -> str:
    if not math.isfinite(value):
        kind = "F" if conversion.kind.isupper() else "f"
        return conversion.spelled(kind, without="0") % value
    if conversion.kind not in "aA":
        return conversion.spelled(conversion.kind) % value
    digits, _, exponent = value.hex().partition("p")
    shown = f"{digits.rstrip('0').rstrip('.') if '.' in digits else digits}p{exponent}"
    return _Conversion(conversion.flags, conversion.width, None, "", "s").spelled("s", without="0+ #") % (
        shown.upper() if conversion.kind == "A" else shown
    )


def _signed(value: int, nbytes: int) -> int:
    return value - (1 << 8 * nbytes) if value >> (8 * nbytes - 1) else value
