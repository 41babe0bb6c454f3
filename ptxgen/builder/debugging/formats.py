"""A Python format and its values as a format of C's printf and arguments as vprintf takes them."""

from __future__ import annotations

import re
from string import Formatter

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder.core.numbers import plain
from ptxgen.builder.core.source import build_error
from ptxgen.builder.memory.arrays import DeviceArray
from ptxgen.builder.memory.pointers import ptr
from ptxgen.builder.values.scalars import Float, Value, f32, f64, pred, s32, s64, u8, u16, u32, u64
from ptxgen.builder.values.vectors import vec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.errors import BuildError

__all__ = ["MOST_VALUES", "PrintedText", "printed_text"]

MOST_VALUES = 32
"""Arguments that vprintf takes beside the format (CUDA C++ Programming Guide, "Formatted Output")."""

_SPEC = re.compile(
    r"(?:(?P<fill>.)?(?P<align>[<>=^]))?(?P<sign>[-+ ])?(?P<alternate>#)?(?P<zero>0)?(?P<width>\d+)?(?P<group>[,_])?"
    r"(?:\.(?P<precision>\d+))?(?P<kind>[a-zA-Z%])?"
)
_INTEGERS, _FLOATS = "dxXo", "eEfFgG"


class PrintedText(NamedTuple):
    """`form` is C's format, `values` give the value that each conversion prints, of 4 or 8 bytes, when they are called: the
    instructions that convert it stand where it is printed."""

    form: str
    values: tuple[Callable[[], Value], ...]


class _Numbered:
    """Which value a field means: `{}` the next one, `{2}` the third."""

    def __init__(self, text: str, values: tuple[Any, ...]) -> None:
        self.text = text
        self.values = values
        self.named: set[int] = set()
        self._automatic = 0
        self._manual = False

    def value(self, field: str) -> Any:
        if field and not field.isdecimal():
            raise _refused(self.text, f"the field {{{field}}}", "{} or {0}: values have no names")
        self._manual = self._manual or field != ""
        if self._manual and (field == "" or self._automatic):
            raise _refused(self.text, "fields with a number and fields without", "{} {}, or {0} {1}")
        index = int(field) if field else self._automatic
        self._automatic += field == ""
        if index >= len(self.values):
            raise _refused(
                self.text, f"a field for value {index}", f"a value for each field, and {len(self.values)} given"
            )
        self.named.add(index)
        return self.values[index]


def _refused(text: str, what: str, expected: str, hint: str | None = None) -> BuildError:
    return build_error("PTX221", f"the format {text!r} has {what}", expected=expected, hint=hint)


def printed_text(text: Any, values: tuple[Any, ...]) -> PrintedText:
    """The text that a thread prints: fields of `text` are Python's, those of device values as far as printf has the same.

    What is no value of the device is known while building, and becomes part of the text.
    """
    if not isinstance(text, str):
        raise build_error("PTX220", f"a format is a str, not {text!r:.60}", hint='k.print("{}", x)')
    if "\0" in text:
        raise _refused(text, "a NUL character", "a text that does not contain the end of a text")
    numbered = _Numbered(text, values)
    form: list[str] = []
    found: list[Callable[[], Value]] = []
    for literal, field, spec, conversion in _parsed(text):
        form.append(literal.replace("%", "%%"))
        if field is None:
            continue
        value = numbered.value(field)
        value = value.pointer if isinstance(value, DeviceArray) else plain(value)
        if isinstance(value, vec):
            raise build_error(
                "PTX220", f"{type(value).__name__} is printed lane by lane", hint='k.print("{} {}", v[0], v[1])'
            )
        if not isinstance(value, Value):
            form.append(_known(value, conversion, spec or "", text).replace("%", "%%"))
            continue
        if conversion:
            raise _refused(text, f"!{conversion} for a value of the device", "{}, or with a format after a colon")
        converted, passed = _conversion(value, spec or "", text)
        form.append(converted)
        found.append(passed)
    if len(numbered.named) < len(values):
        raise _refused(
            text, f"fields for {len(numbered.named)} values", f"a field for each of the {len(values)} values"
        )
    if len(found) > MOST_VALUES:
        raise _refused(text, f"{len(found)} values of the device", f"{MOST_VALUES} at most, so many vprintf takes")
    return PrintedText("".join(form), tuple(found))


def _parsed(text: str) -> Iterator[tuple[str, str | None, str | None, str | None]]:
    try:
        yield from Formatter().parse(text)
    except ValueError as wrong:
        raise _refused(text, f"an error: {wrong}", "Python's format syntax, with {{ and }} for braces") from None


_SHOWN: dict[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}


def _known(value: Any, conversion: str | None, spec: str, text: str) -> str:
    """A value that Python has."""
    shown = value if conversion is None else _SHOWN[conversion](value)
    try:
        formatted = format(shown, spec)
    except (ValueError, TypeError) as wrong:
        raise _refused(text, f"{{:{spec}}} for {value!r:.60}", f"a format of its type: {wrong}") from None
    if "\0" in formatted:
        raise _refused(text, f"a NUL character in {value!r:.60}", "a text that does not contain the end of a text")
    return formatted


def _conversion(value: Value, spec: str, text: str) -> tuple[str, Callable[[], Value]]:
    """(printf's conversion, what makes the argument)."""
    parts = _SPEC.fullmatch(spec)
    if parts is None:
        raise _refused(text, f"{{:{spec}}}", "a width, a precision and a letter, such as {:8.3f} or {:08x}")
    kind, size, passed = _argument(value, parts["kind"], text)
    integer = kind in "duxXo"
    wrong = (
        ("a fill character" if parts["fill"] not in (None, " ") else None)
        or (f"the alignment {parts['align']}" if parts["align"] in ("=", "^") else None)
        or ("0 beside an alignment" if parts["zero"] and parts["align"] else None)
        or (f"the separator {parts['group']}" if parts["group"] else None)
        or ("a precision for an integer" if integer and parts["precision"] else None)
        or (f"a sign for .{value.isa.name}" if kind in "uxXo" and parts["sign"] in ("+", " ") else None)
        or ("# in a format that has none" if parts["alternate"] and kind in "duo" else None)
    )
    if wrong:
        raise _refused(text, f"{wrong} in {{:{spec}}}", "what printf can do: < or >, a sign, 0, a width, a precision")
    flags = (
        ("-" if parts["align"] == "<" else "")
        + (parts["sign"] if parts["sign"] in ("+", " ") else "")
        + (
            parts["alternate"]
            or ("#" if (isinstance(value, ptr) or value.isa.kind == "b") and not parts["kind"] else "")
        )
        + (parts["zero"] or "")
    )
    precision = f".{parts['precision']}" if parts["precision"] else ""
    return f"%{flags}{parts['width'] or ''}{precision}{size}{kind}", passed


def _argument(value: Value, asked: str | None, text: str) -> tuple[str, str, Callable[[], Value]]:
    """(letter of the conversion, its size, what makes the argument)."""
    if isinstance(value, ptr):
        return _letter(asked, "x", "xX", value, text), "" if value.space == "shared" else "ll", lambda: value.address
    if isinstance(value, pred):
        return _letter(asked, "u", "d", value, text), "", lambda: value.to(u32)
    isa = value.isa
    if isa.kind == "b" and isa.bits <= 64:
        wide: Any = u64 if isa.bits == 64 else u32
        return _letter(asked, "x", "xXo", value, text), _size(wide), lambda: _as_bits(value, wide)
    if isa.is_integer and isa.kind in "us":
        signed = isa.is_signed
        integer: Any = (s64 if signed else u64) if isa.bits == 64 else (s32 if signed else u32)
        natural = "d" if signed else "u"
        return _letter(asked, natural, _INTEGERS, value, text), _size(integer), lambda: value.to(integer)
    if isa.name in ("f16", "bf16", "f32", "f64", "e4m3", "e5m2"):
        return _letter(asked, "g", _FLOATS, value, text), "", lambda: _as_double(value)
    hint = "x.bits(u32), and each half by itself" if isinstance(value, Float) else "its parts, as 64-bit integers"
    raise build_error("PTX220", f"a .{isa.name} value cannot be printed", hint=hint)


def _letter(asked: str | None, natural: str, allowed: str, value: Value, text: str) -> str:
    if asked is None or (asked == "d" and natural == "u"):
        return natural
    if asked not in allowed:
        known = ", ".join(f"{{:{each}}}" for each in allowed)
        raise _refused(text, f"{{:{asked}}} for .{value.isa.name}", f"{{}} or {known}")
    return asked


def _size(type: Any) -> str:
    return "ll" if type.isa.bits == 64 else ""


def _as_bits(value: Value, type: Any) -> Value:
    """Untyped bits as an unsigned integer."""
    if value.isa.bits == type.isa.bits:
        found: Value = value.bits(type)
    else:
        narrow: Any = u8 if value.isa.bits == 8 else u16
        found = value.bits(narrow).to(type)
    return found


def _as_double(value: Value) -> Value:
    """As C passes floats to printf: in double precision, which holds every value of the others."""
    if value.isa.name in ("f64", "f32", "f16"):
        return value.to(f64)
    return value.to(f32).to(f64)
