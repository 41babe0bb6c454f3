"""The parameters that a template declares, and checks of the values for them.

A declaration is a line of a Jinja comment that starts with `ptxgen:`:

    {# ptxgen: parameter type: type(f16, f32, f64) = f32 #}
    {# ptxgen:
       parameter unroll: int(1..8) = 4      -- elements of one thread
       parameter op: choice(add, mul, max)
       parameter name: str                  -- no default: must be given
    #}

Kinds: `int`, `int(1..8)`, `int(1..)`, `float`, `float(0..1)`, `bool`, `str`, `choice(a, b, 4)` of words and integers,
and `type` or `type(f32, f64)`, a PTX type. A template that declares anything takes these parameters and no others.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ptxgen.errors import Diagnostic, Location, TemplateError
from ptxgen.isa.types import TYPES
from ptxgen.text.template_helpers import PtxType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Declaration", "check", "declarations", "from_texts", "literal_or_word", "type_name"]

_COMMENT = re.compile(r"\{#[-+]?\s*ptxgen:(.*?)[-+]?#\}", re.DOTALL)
_DECLARATION = re.compile(r"parameter\s+(\w+)\s*:\s*(\w+)\s*(?:\(([^)]*)\))?\s*(?:=\s*(.*?))?\s*(?:--.*)?", re.ASCII)
_KINDS = ("int", "float", "bool", "str", "choice", "type")
_RESERVED = frozenset(("search", "template", "trust", "limits", "self", "loop", "range"))
_NOUN = {"int": "an int", "float": "a number", "bool": "True or False", "str": "a str", "type": "a PTX type"}
_REQUIRED = object()


class Declaration:
    """One parameter: its kind with its limits, its default, and the place of its declaration."""

    __slots__ = ("choices", "default", "high", "kind", "low", "name", "place")

    def __init__(self, name: str, kind: str, place: Location) -> None:
        self.name: str = name
        self.kind: str = kind
        self.place: Location = place
        self.default: Any = _REQUIRED
        self.choices: tuple[Any, ...] = ()
        self.low: float | None = None
        self.high: float | None = None

    @property
    def required(self) -> bool:
        return self.default is _REQUIRED

    def expected(self) -> str:
        """What a caller may give, in words."""
        if self.choices:
            noun = "a PTX type, one of" if self.kind == "type" else "one of"
            return f"{noun} {', '.join(map(str, self.choices))}"
        text = _NOUN[self.kind]
        if self.low is None and self.high is None:
            return text
        if self.high is None:
            return f"{text}, at least {self.low}"
        return f"{text}, at most {self.high}" if self.low is None else f"{text} from {self.low} to {self.high}"

    def accept(self, value: object) -> Any:
        """The value as the template sees it; ValueError when it does not fit."""
        kind = self.kind
        if kind == "type":
            found = type_name(value)
            if found is None or (self.choices and found not in self.choices):
                raise ValueError
            return PtxType(found)
        if kind == "choice":
            word = value if isinstance(value, (str, int)) else type_name(value)
            for choice in self.choices:
                if choice == word and isinstance(choice, str) == isinstance(word, str) and not isinstance(word, bool):
                    return choice
            raise ValueError
        if kind == "bool":
            fits = isinstance(value, bool)
        elif kind == "str":
            fits = isinstance(value, str)
        elif isinstance(value, bool) or not hasattr(value, "__index__" if kind == "int" else "__float__"):
            fits = False
        else:
            value = int(value) if kind == "int" else float(value)  # type: ignore[call-overload, arg-type]
            fits = (self.low is None or value >= self.low) and (self.high is None or value <= self.high)
        if not fits:
            raise ValueError
        return value


def type_name(value: object) -> str | None:
    """ "f32" for "f32", ".f32", an isa type, or a class or object called f32; None for anything that names no type."""
    for name in (value, getattr(value, "name", None), getattr(value, "__name__", None)):
        if isinstance(name, str) and name.removeprefix(".") in TYPES:
            return name.removeprefix(".")
    return None


def declarations(source: str, name: str) -> dict[str, Declaration]:
    """The parameters that a template's comments declare, in their order.

    Raises TemplateError for a line that is not a declaration.
    """
    found: dict[str, Declaration] = {}
    lines = source.split("\n")
    for comment in _COMMENT.finditer(source):
        line = source.count("\n", 0, comment.start(1)) + 1
        for number, text in enumerate(comment[1].split("\n"), line):
            if text.strip():
                place = Location("template", name, number, None, lines[number - 1])
                declaration = _declaration(text.strip(), place)
                if declaration.name in found:
                    raise _wrong_declaration(place, f"parameter {declaration.name!r} is declared twice")
                found[declaration.name] = declaration
    return found


def _wrong_declaration(place: Location, message: str, expected: str | None = None) -> TemplateError:
    return TemplateError("", [Diagnostic("PTX154", message, locations=[place], expected=expected)])


def _declaration(text: str, place: Location) -> Declaration:
    match = _DECLARATION.fullmatch(text)
    if match is None:
        expected = "parameter NAME: KIND = DEFAULT, as in: parameter unroll: int(1..8) = 4"
        raise _wrong_declaration(place, "not a declaration of a parameter", expected)
    name, kind, limits, default = match.groups()
    if kind not in _KINDS:
        raise _wrong_declaration(place, f"parameter {name!r} has the unknown kind {kind!r}", ", ".join(_KINDS))
    if name in _RESERVED:
        raise _wrong_declaration(place, f"a parameter cannot be called {name!r}", "another name")
    declaration = Declaration(name, kind, place)
    _set_limits(declaration, limits, place)
    if default is not None:
        try:
            declaration.default = declaration.accept(_literal(kind, default, place))
        except ValueError:
            message = f"the default of parameter {name!r} is {default}"
            raise _wrong_declaration(place, message, declaration.expected()) from None
    return declaration


def _set_limits(declaration: Declaration, limits: str | None, place: Location) -> None:
    name, kind = declaration.name, declaration.kind
    if kind in ("choice", "type"):
        words = [word.strip() for word in limits.split(",")] if limits is not None else []
        declaration.choices = tuple(_word(word) for word in words)
        unknown = [word for word in words if kind == "type" and word not in TYPES]
        if unknown:
            message = f"parameter {name!r}: {unknown[0]!r} is not a PTX type"
            raise _wrong_declaration(place, message, "such as f32, u64, b16")
        if kind == "choice" and not all(words or [""]):
            raise _wrong_declaration(place, f"parameter {name!r} has an empty choice", "choice(a, b, ...)")
    elif limits is not None:
        low, dots, high = limits.partition("..")
        try:
            convert = int if kind == "int" else float
            declaration.low = convert(low) if low.strip() else None
            declaration.high = convert(high) if high.strip() else None
        except ValueError:
            dots = ""
        if not dots or kind in ("bool", "str"):
            raise _wrong_declaration(place, f"parameter {name!r} has the limits ({limits})", "int(1..8) or float(0..1)")


def _word(text: str) -> Any:
    """A choice: an integer, or a word, which carries `.bits` and its like when it names a type."""
    if re.fullmatch(r"-?[0-9]{1,300}", text):
        return int(text)
    return PtxType(text) if text in TYPES else text


def _literal(kind: str, text: str, place: Location) -> Any:
    """The value that a default's text stands for."""
    if kind == "bool":
        if text not in ("true", "false", "True", "False"):
            raise ValueError
        return text.lower() == "true"
    if kind == "int":
        return int(text, 0)
    if kind == "float":
        return float(text)
    if text[:1] in ("'", '"') and text[-1:] == text[:1]:
        text = text[1:-1]
    return _word(text) if kind == "choice" else text


def from_texts(declared: Mapping[str, Declaration], texts: Mapping[str, str], target: str | None) -> dict[str, Any]:
    """The parameters that texts stand for: words where the declaration wants words, else numbers and booleans.

    `target`, unless the texts have one, goes to a template that declares it, or that declares nothing.
    """
    words = [name for name, parameter in declared.items() if parameter.kind in ("str", "type")]
    values = {name: text if name in words else literal_or_word(text) for name, text in texts.items()}
    if target not in (None, "auto") and ("target" in declared or not declared):
        values.setdefault("target", target)
    return values


def literal_or_word(text: str) -> Any:
    """A number, true or false; anything else is a word."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for convert in (lambda t: int(t, 0), float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text


def check(declared: Mapping[str, Declaration], arguments: Mapping[str, object], name: str) -> dict[str, Any]:
    """The values to render with: those given, checked, and the defaults of the others.

    Raises TemplateError that names every parameter which is unknown, missing or wrong, expected and found.
    """
    findings: list[Diagnostic] = []
    values: dict[str, Any] = {}
    for declaration in declared.values():
        if declaration.name in arguments:
            value = arguments[declaration.name]
            try:
                values[declaration.name] = declaration.accept(value)
            except ValueError:
                message = f"parameter {declaration.name!r} is {value!r} ({type(value).__name__})"
                findings.append(_finding(message, declaration))
        elif declaration.required:
            findings.append(_finding(f"parameter {declaration.name!r} is missing", declaration))
        else:
            values[declaration.name] = declaration.default
    findings += [unknown_parameter(other, list(declared), name) for other in arguments if other not in declared]
    if findings:
        raise TemplateError(f"{name}: wrong parameters", findings)
    return values


def _finding(message: str, declaration: Declaration) -> Diagnostic:
    return Diagnostic("PTX153", message, locations=[declaration.place], expected=declaration.expected())


def unknown_parameter(parameter: str, known: Sequence[str], name: str) -> Diagnostic:
    """The finding for a parameter that the template does not have."""
    import difflib

    similar = difflib.get_close_matches(parameter, known, n=1)
    hint = f"did you mean {similar[0]!r}?" if similar else None
    place = Location("template", name, 1)
    expected = f"one of {', '.join(known)}" if known else "no parameters"
    return Diagnostic("PTX153", f"unknown parameter {parameter!r}", locations=[place], expected=expected, hint=hint)
