"""The bindings of a program's parameters: their roles, and the bindings that follow from a function's annotations."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

from ptxgen.builder import ptr
from ptxgen.builder.values.vectors import vec
from ptxgen.runtime.errors import ValidationError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = [
    "ROLES", "Binding", "Role", "hints_of", "inout", "input_", "output", "persistent", "read_bindings", "shared",
    "uniform",
]  # fmt: skip

_KERNEL = re.compile("[A-Za-z][A-Za-z0-9_$]*|[_$%][A-Za-z0-9_$]+")
"""Identifiers (PTX manual 4.4)."""

ROLES = ("input", "output", "inout", "uniform", "shared", "persistent")


class Role(NamedTuple):
    """What a parameter is for. `elements`: how many, 0 where each dispatch says so; `like`: the binding that has as many;
    `number`: its place among the bindings, by default that among the parameters."""

    role: str
    elements: int = 0
    like: str | None = None
    number: int | None = None


def input_(count: int = 0, *, number: int | None = None) -> Role:
    """Read: each dispatch supplies its bytes."""
    return Role("input", count, None, number)


def uniform(count: int = 0, *, number: int | None = None) -> Role:
    """Read, and the same for every thread: a few words that each dispatch supplies."""
    return Role("uniform", count, None, number)


def output(count: int = 0, *, like: str | None = None, number: int | None = None) -> Role:
    """Written, from zeros. Without a count it has that of the binding `like`, or as many elements as the launch."""
    return Role("output", count, like, number)


def inout(count: int = 0, *, number: int | None = None) -> Role:
    """Supplied by each dispatch, changed, and returned."""
    return Role("inout", count, None, number)


def shared(count: int, *, number: int | None = None) -> Role:
    """Shared memory of each CTA: no parameter of the kernel, and no handle."""
    return Role("shared", count, None, number)


def persistent(count: int, *, number: int | None = None) -> Role:
    """Memory of the pipeline that stays on the device from dispatch to dispatch, zero at first: a dispatch neither supplies nor
    returns it, and it has no handle. `CompiledPipeline.state` reads, writes and resets it."""
    return Role("persistent", count, None, number)


class Binding(NamedTuple):
    """A parameter of a program with its role. `size` is the bytes of an element."""

    name: str
    number: int
    role: str
    type: Any
    size: int
    elements: int
    like: str | None

    @property
    def takes_input(self) -> bool:
        """Whether a dispatch supplies its bytes."""
        return self.role in ("input", "inout", "uniform")

    @property
    def gives_output(self) -> bool:
        """Whether a dispatch gives its bytes back."""
        return self.role in ("output", "inout")

    @property
    def takes_handle(self) -> bool:
        """Whether a dispatch on resident buffers takes one for it."""
        return self.role not in ("shared", "persistent")


def hints_of(function: Any) -> dict[str, Any]:
    """Annotations with what `Annotated` adds; names of the function's closure may occur in them."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    inside = {}
    for name, cell in cells.items():
        try:
            inside[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    try:
        return get_type_hints(function, localns=inside, include_extras=True)
    except NameError as unknown:
        raise ValidationError(
            f"program {function.__name__}: an annotation cannot be resolved: {unknown}",
            fix="import the name, or define it before the program",
        ) from None


def read_bindings(function: Any, helpers: Collection[type]) -> tuple[tuple[Binding, ...], tuple[type, ...]]:
    """(the bindings by their numbers, the helpers that the last parameters ask for, in their order).

    *helpers* are classes such as Params: a parameter behind the bindings that is annotated with one gets an object of it.
    ValidationError for a parameter without a role, and for numbers that are not 0, 1, ...
    """
    name = function.__name__
    if not _KERNEL.fullmatch(name):
        raise ValidationError(
            f"a program of {name!r}: no kernel can be called that",
            fix="make it of a function that def names, in letters, digits and _ of ASCII",
        )
    hints = hints_of(function)
    entries = list(inspect.signature(function).parameters.values())[1:]
    positional = [entry for entry in entries if entry.kind is not entry.KEYWORD_ONLY]
    asked: list[type] = []
    while positional and hints.get(positional[-1].name) in helpers:
        asked.insert(0, hints[positional.pop().name])
    if len(set(asked)) < len(asked):
        raise ValidationError(f"program {name}: it asks twice for {asked[0].__name__}", fix="ask once")
    found = [_binding(name, entry.name, place, hints.get(entry.name)) for place, entry in enumerate(positional)]
    found.sort(key=lambda binding: binding.number)
    numbers = [binding.number for binding in found]
    if numbers != list(range(len(found))):
        raise ValidationError(
            f"program {name}: its binding numbers are {numbers}", fix=f"number them 0 to {len(found) - 1}, each once"
        )
    _check_like(name, found)
    return tuple(found), tuple(asked)


def _binding(program_name: str, name: str, place: int, hint: Any) -> Binding:
    role = next((each for each in get_args(hint)[1:] if isinstance(each, Role)), None)
    type_ = get_args(hint)[0] if get_origin(hint) is Annotated else None
    if role is None or not (isinstance(type_, type) and issubclass(type_, ptr)):
        raise ValidationError(
            f"program {program_name}: parameter {name!r} is annotated with {hint!r}, which says no role",
            fix="annotate it Annotated[px.ptr[type], input_()], or uniform(), output(), inout(), shared(count), "
            "persistent(count); Params and Row come last",
        )
    element = type_.element
    size = element.element.isa.bytes * element.lanes if issubclass(element, vec) else element.isa.bytes
    whole = type(role.elements) is int
    if not whole or role.elements < 0 or (role.role in ("shared", "persistent") and role.elements == 0):
        raise ValidationError(
            f"program {program_name}: {role.role} binding {name!r} has {role.elements!r} elements",
            fix="give a positive count; only inputs and outputs of a dispatch may leave it open",
        )
    number = place if role.number is None else role.number
    return Binding(name, number, role.role, type_, size, role.elements, role.like)


def _check_like(name: str, found: Sequence[Binding]) -> None:
    sized = {binding.name for binding in found if binding.takes_input or binding.elements}
    for binding in found:
        if binding.like is not None and binding.like not in sized:
            raise ValidationError(
                f"program {name}: output {binding.name!r} is as long as {binding.like!r}, which has no length of its own",
                fix=f"name one of {', '.join(sorted(sized)) or 'its inputs'}",
            )
