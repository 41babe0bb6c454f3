"""The arguments of a kernel's cases: as they are stated, `n=1..4096 x=random:f32:n`, and guessed where nothing is stated.

A statement is what `ptxgen run` takes (`ptxgen.host.argument_text`), and more: a number may be a range or a list, an extent may
be arithmetic over the names of numbers, and an array whose text has no seed is filled anew for each case. `_` leaves an argument
to be guessed. Statements are in the order of the parameters, each with a name before it or not; the name of a parameter means
that parameter, any other one names the argument for the others' extents.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

from driver_ctypes.errors import ArgumentTypeError
from ptxgen.host.argument_text import FORMS, MAKERS, SWIZZLES, array_text, map_text
from ptxgen.host.formats import as_scalar_type
from ptxgen.hunt.domains import Choice, Domain, Expression, Number, Range, SpecificationError, domain, expression
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ptxgen.hunt.usage import Usage
    from ptxgen.ir import Variable

__all__ = ["ArrayArgument", "FixedArgument", "MapArgument", "NumberArgument", "arguments_of"]

GUESSED_ELEMENTS = 1 << 18
"""Of an array whose size nobody states."""
_FILLS = ("zeros", "ones", "random", "edges")
_SEEDS = Range(0, 1 << 16)


class FixedArgument(NamedTuple):
    """The same text in every case: a file, bytes."""

    name: str
    text: str
    guess: str = ""

    def domains(self) -> dict[str, Domain]:
        return {}

    def written(self, numbers: Mapping[str, Number]) -> str:
        return self.text


class NumberArgument(NamedTuple):
    """A number from a domain."""

    name: str
    values: Domain
    guess: str = ""

    def domains(self) -> dict[str, Domain]:
        return {self.name: self.values}

    def written(self, numbers: Mapping[str, Number]) -> str:
        return str(numbers[self.name])


class ArrayArgument(NamedTuple):
    """A new array; `maker` is None where each case may fill it in another way, `seed` where each draws its own."""

    name: str
    maker: str | None
    type: str
    extent: tuple[Expression, ...]
    seed: int | None = None
    guess: str = ""

    def domains(self) -> dict[str, Domain]:
        found: dict[str, Domain] = {}
        if self.maker is None:
            found[f"{self.name}:fill"] = Choice(tuple(range(len(_FILLS))), _FILLS.index("random"))
        if self.seed is None and self.maker in (None, "random", "edges"):
            found[f"{self.name}:seed"] = _SEEDS
        return found

    def written(self, numbers: Mapping[str, Number]) -> str:
        maker = self.maker or _FILLS[int(numbers[f"{self.name}:fill"])]
        seed = self.seed if self.seed is not None else int(numbers.get(f"{self.name}:seed", 0))
        extent = tuple(max(each.value(numbers), 0) for each in self.extent)
        return array_text(maker, self.type, extent, seed if maker in ("random", "edges") else 0)


class MapArgument(NamedTuple):
    """A tensor map over a new array; extents of the tensor and of the box, innermost first."""

    name: str
    type: str
    extent: tuple[Expression, ...]
    box: tuple[Expression, ...]
    swizzle: str
    seed: int | None = None
    guess: str = ""

    def domains(self) -> dict[str, Domain]:
        return {f"{self.name}:seed": _SEEDS} if self.seed is None else {}

    def written(self, numbers: Mapping[str, Number]) -> str:
        seed = self.seed if self.seed is not None else int(numbers[f"{self.name}:seed"])
        shapes = [tuple(max(each.value(numbers), 1) for each in shape) for shape in (self.extent, self.box)]
        return map_text(self.type, shapes[0], shapes[1], self.swizzle, seed)


Argument = FixedArgument | NumberArgument | ArrayArgument | MapArgument
"""Each has a name, what of it is a `guess` in words ("" for nothing), `domains` of what is drawn, and its text in a case."""


def arguments_of(parameters: Sequence[Variable], usage: Sequence[Usage], statements: Sequence[str]) -> list[Argument]:
    """One for each parameter. Raises SpecificationError."""
    names = [parameter.name for parameter in parameters]
    stated: dict[int, tuple[str, str]] = {}
    for position, statement in enumerate(statements):
        name, equals, text = statement.partition("=")
        if not equals:
            name, text = "", statement
        index = names.index(name) if name in names else position
        if equals and not name.isidentifier() and name not in names:
            raise SpecificationError(
                f"{statement!r}: {name!r} cannot be a name", hint="a letter, then letters, digits or _"
            )
        if index >= len(names):
            raise SpecificationError(
                f"{statement!r} is the statement of number {position}, and the kernel has {len(names)} parameters",
                hint=f"they are {', '.join(names)}" if names else "it takes no arguments",
            )
        if index in stated:
            raise SpecificationError(f"the parameter {names[index]} is stated twice, the second time by {statement!r}")
        stated[index] = name or names[index], text
    found = []
    for index, (parameter, used) in enumerate(zip(parameters, usage)):
        name, text = stated.get(index, (parameter.name, "_"))
        found.append(_guessed(name, parameter, used) if text == "_" else _stated(name, text, used))
    taken = [each.name for each in found]
    for name in taken:
        if taken.count(name) > 1:
            raise SpecificationError(f"two arguments are called {name}")
    return found


def _stated(name: str, text: str, used: Usage) -> Argument:
    maker, _, rest = text.partition(":")
    if maker in MAKERS:
        return _array(name, maker, rest, text)
    if maker == "map":
        return _map(name, rest, text)
    if maker == "bytes" or re.search(r"\.npy(:\w+)?$", text):
        return FixedArgument(name, text)
    try:
        values = domain(text)
    except ValueError:
        values = None
    if values is None:
        raise SpecificationError(
            f"{name}: {text!r} is no argument", hint=f"a range 1..4096, a list 1,7,128, _ for a guess, or\n{FORMS}"
        )
    return NumberArgument(name, values)


def _array(name: str, maker: str, rest: str, text: str) -> ArrayArgument:
    type, _, shape = rest.partition(":")
    shape, colon, seed = shape.partition(":")
    if type not in TYPES or not shape or (colon and not seed.isdecimal()):
        raise SpecificationError(
            f"{name}: {text!r} is not like {maker}:f32:1024, {maker}:f32:n*4 or {maker}:f32:64x32:7"
        )
    as_scalar_type(type)  # or an error that says which types arrays have
    parts = shape.split("x") if re.fullmatch(r"\d+(x\d+)*", shape) else [shape]
    return ArrayArgument(name, maker, type, tuple(map(expression, parts)), int(seed) if colon else None)


def _map(name: str, rest: str, text: str) -> MapArgument:
    type, *parts = rest.split(":")
    swizzle, seed = (*parts[2:], "", "")[:2]
    if type not in TYPES or not 2 <= len(parts) <= 4 or swizzle not in SWIZZLES or not (seed or "0").isdecimal():
        raise SpecificationError(f"{name}: {text!r} is not like map:bf16:256x128:64x32 or map:f16:n*64x64:64x8:128B:7")
    as_scalar_type(type)
    extent, box = (_extents(shape) for shape in parts[:2])
    if len(extent) != len(box):
        raise SpecificationError(f"{name}: {text!r} has {len(extent)} extents, and {len(box)} of its box")
    return MapArgument(name, type, extent, box, SWIZZLES[swizzle], int(seed) if seed else None)


def _extents(shape: str) -> tuple[Expression, ...]:
    """The extents of a text, with x between them: `64x32`, `n*64x(m+7)//8`."""
    return tuple(map(expression, re.split(r"(?<=[\w)])x(?=[\d(]|[A-Za-z_]\w*(?:\W|$))", shape)))


def _guessed(name: str, parameter: Variable, used: Usage) -> Argument:
    if parameter.shape or parameter.vector > 1:
        known = (
            "a tensor map is stated as map:bf16:256x128:64x32"
            if parameter.size == 128
            else "nothing says what it holds"
        )
        what = f"{name}: {parameter.size} zero bytes; {known}"
        return FixedArgument(name, f"bytes:{'00' * parameter.size}", what)
    if used.is_pointer:
        type = _array_type(used.element)
        what = f"{name}: an array of {GUESSED_ELEMENTS} .{type}, as " + (
            "its accesses are of that type" if used.element else "it is an address, and no access shows of what"
        )
        return ArrayArgument(name, None, type, (expression(str(GUESSED_ELEMENTS)),), guess=what)
    if parameter.type.is_float:
        return NumberArgument(name, Choice((1.0, 0.0, 0.5, -2.0)), f"{name}: one of 1, 0, 0.5 and -2")
    most = min(1024, (1 << (parameter.type.bits - 1)) - 1)
    return NumberArgument(name, Range(0, most), f"{name}: a number from 0 to {most}")


def _array_type(element: str) -> str:
    try:
        return as_scalar_type(element).name if element else "u8"
    except ArgumentTypeError:
        return "u8"


def split_statements(text: str) -> list[str]:
    """The statements of one text, with blanks between them; quotes as in a shell. Raises SpecificationError."""
    try:
        return shlex.split(text)
    except ValueError as wrong:
        raise SpecificationError(f"{text!r}: {wrong}") from None
