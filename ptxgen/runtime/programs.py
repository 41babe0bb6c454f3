"""A program for the backend: a kernel whose parameters say what each is for.

    @program(workgroup=256)
    def scale(k: px.Builder, x: Annotated[ptr[f32], input_()], y: Annotated[ptr[f32], output()], params: Params):
        i = k.global_id.x
        with k.if_(i < params.element_count):
            y[i] = x[i] * 2.0

The kernel's own parameters are one 64-bit pointer for each binding but the shared ones, in the bindings' order, and then that
of the parameter words: the element count of the launch, and for each binding number its own.
"""

from __future__ import annotations

import inspect
import itertools
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints, overload

from ptxgen.build import Kernel, kernel, ptr, u32
from ptxgen.build.pointers import vec
from ptxgen.runtime.errors import ValidationError
from ptxgen.runtime.keys import digest, fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FunctionType

    from ptxgen.build import Builder

__all__ = [
    "ROLES",
    "Binding",
    "Params",
    "Program",
    "Role",
    "inout",
    "input_",
    "output",
    "program",
    "shared",
    "uniform",
]

ROLES = ("input", "output", "inout", "uniform", "shared")
PARAMS = "params_buf"
"""The last parameter of every kernel of a program."""

_numbers = itertools.count(1)


class Role(NamedTuple):
    """What a parameter is for. `elements`: how many, 0 where each dispatch says so; `like`: the binding that has as many;
    `number`: its place among the bindings, by default that among the parameters."""

    role: str
    elements: int = 0
    like: str | None = None
    number: int | None = None


def input_(count: int = 0, *, number: int | None = None) -> Role:
    """Read: each dispatch brings its bytes."""
    return Role("input", count, None, number)


def uniform(count: int = 0, *, number: int | None = None) -> Role:
    """Read, and the same for every thread: a few words that each dispatch brings."""
    return Role("uniform", count, None, number)


def output(count: int = 0, *, like: str | None = None, number: int | None = None) -> Role:
    """Written, from zeros. Without a count it has that of the binding `like`, or as many elements as the launch."""
    return Role("output", count, like, number)


def inout(count: int = 0, *, number: int | None = None) -> Role:
    """Brought by each dispatch, changed, and given back."""
    return Role("inout", count, None, number)


def shared(count: int, *, number: int | None = None) -> Role:
    """Shared memory of each CTA: no parameter of the kernel, and no handle."""
    return Role("shared", count, None, number)


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
        """Whether a dispatch brings its bytes."""
        return self.role in ("input", "inout", "uniform")

    @property
    def gives_output(self) -> bool:
        """Whether a dispatch gives its bytes back."""
        return self.role in ("output", "inout")


class Params:
    """The parameter words, in the kernel: loaded where they are asked for."""

    def __init__(self, words: Any, numbers: dict[str, int]) -> None:
        self._words, self._numbers = words, numbers

    @property
    def element_count(self) -> u32:
        """Elements of this launch."""
        return self._words[0]  # type: ignore[no-any-return]

    def length(self, name: str) -> u32:
        """Elements of a binding."""
        if name not in self._numbers:
            raise ValidationError(f"no binding {name!r}", fix=f"one of {', '.join(self._numbers)}")
        return self._words[1 + self._numbers[name]]  # type: ignore[no-any-return]


class Program:
    """A function under `program`. It builds one kernel; `using(...)` fixes compile-time parameters."""

    def __init__(
        self, function: FunctionType, workgroup: tuple[int, int, int], options: dict[str, Any], bounds: dict[str, Any]
    ) -> None:
        self.name = self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self.workgroup = workgroup
        self.options = options
        self._function, self._bounds = function, bounds
        self.bindings = _bindings(function)
        self.shared_bytes = sum(b.elements * b.size for b in self.bindings if b.role == "shared")
        self.kernel = self._kernel()
        content = fingerprint(function, tuple(workgroup), dict(sorted(options.items())), bounds)
        self.portable = content is not None
        """Whether another process would know the program by its key."""
        shape = [repr((b.name, b.number, b.role, b.type.__name__, b.elements, b.like)) for b in self.bindings]
        self.key = digest("ptxgen-program.v1", content or f"of this process, number {next(_numbers)}", *shape)
        """What it is, for caches."""

    def __repr__(self) -> str:
        return f"<program {self.name}({', '.join(f'{b.name}: {b.role}' for b in self.bindings)})>"

    def using(self, **options: Any) -> Program:
        """The same program with compile-time parameters fixed."""
        return Program(self._function, self.workgroup, {**self.options, **options}, self._bounds)

    def ptx(self, target: str) -> str:
        """Its PTX, verified."""
        return self.kernel.ptx(target=target)

    @property
    def pointers(self) -> tuple[Binding, ...]:
        """The bindings that are parameters of the kernel, in their order."""
        return tuple(b for b in self.bindings if b.role != "shared")

    def _kernel(self) -> Kernel:
        """The kernel of the ABI, which calls the function with what it asks for."""
        function, options = self._function, self.options
        numbers = {binding.name: binding.number for binding in self.bindings}
        places = {binding.name: place for place, binding in enumerate(self.pointers)}
        order = [name for name in inspect.signature(function).parameters if name in numbers]
        local = {binding.name: binding for binding in self.bindings if binding.role == "shared"}
        wants_params = any(hint is Params for hint in _hints(function).values())

        def entry(k: Builder, *values: Any) -> None:
            given = [
                k.shared(local[name].type.element, local[name].elements).pointer
                if name in local
                else values[places[name]]
                for name in order
            ]
            params = [Params(values[-1], numbers)] if wants_params else []
            function(k, *given, *params, **options)

        parameters = [(binding.name, binding.type) for binding in self.pointers] + [(PARAMS, ptr[u32])]
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        shown = [inspect.Parameter("k", kind), *[inspect.Parameter(name, kind) for name, _ in parameters]]
        entry.__name__ = self.name
        entry.__doc__ = function.__doc__
        entry.__annotations__ = dict(parameters)
        entry.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
        return kernel(**self._bounds)(entry)


F = TypeVar("F", bound="Callable[..., Any]")


@overload
def program(function: Callable[..., Any] | Kernel, /) -> Program: ...
@overload
def program(
    *, workgroup: int | tuple[int, ...] = 256, max_registers: int | None = None
) -> Callable[[Callable[..., Any] | Kernel], Program]: ...
def program(
    function: Callable[..., Any] | Kernel | None = None,
    *,
    workgroup: int | tuple[int, ...] = 256,
    max_registers: int | None = None,
) -> Program | Callable[[Callable[..., Any] | Kernel], Program]:
    """Make a program of a function, or of a px kernel, whose parameters are annotated with roles:
    `x: Annotated[px.ptr[f32], input_()]`. A last parameter annotated `Params` gets the parameter words.

    *workgroup* is the CTA's size in threads. ValidationError for parameters that make no bindings.
    """
    size = tuple(workgroup) if isinstance(workgroup, tuple) else (workgroup,)
    if not 1 <= len(size) <= 3 or min(size) < 1:
        raise ValidationError(f"a workgroup of {workgroup!r}", fix="one to three positive numbers of threads")
    x, y, z = (*size, 1, 1)[:3]
    given = {} if max_registers is None else {"max_registers": max_registers}

    def make(made: Callable[..., Any] | Kernel) -> Program:
        if isinstance(made, Kernel):
            return Program(made._function, (x, y, z), dict(made._options), given)  # type: ignore[arg-type]
        return Program(made, (x, y, z), {}, given)  # type: ignore[arg-type]

    return make if function is None else make(function)


def _hints(function: Any) -> dict[str, Any]:
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


def _bindings(function: Any) -> tuple[Binding, ...]:
    """The bindings by their numbers. ValidationError for a parameter without a role, and for numbers that are not 0, 1, ..."""
    name = function.__name__
    hints = _hints(function)
    found: list[Binding] = []
    entries = list(inspect.signature(function).parameters.values())[1:]
    positional = [entry for entry in entries if entry.kind is not entry.KEYWORD_ONLY]
    for place, entry in enumerate(positional):
        hint = hints.get(entry.name)
        if hint is Params and place == len(positional) - 1:
            continue
        role = next((each for each in get_args(hint)[1:] if isinstance(each, Role)), None)
        type_ = get_args(hint)[0] if get_origin(hint) is Annotated else None
        if role is None or not (isinstance(type_, type) and issubclass(type_, ptr)):
            raise ValidationError(
                f"program {name}: parameter {entry.name!r} is annotated with {hint!r}, which says no role",
                fix="annotate it Annotated[px.ptr[type], input_()], or uniform(), output(), inout(), shared(count)",
            )
        found.append(_binding(name, entry.name, place, type_, role))
    found.sort(key=lambda binding: binding.number)
    numbers = [binding.number for binding in found]
    if numbers != list(range(len(found))):
        raise ValidationError(
            f"program {name}: its binding numbers are {numbers}", fix=f"number them 0 to {len(found) - 1}, each once"
        )
    _check_like(name, found)
    return tuple(found)


def _binding(program_name: str, name: str, place: int, type_: Any, role: Role) -> Binding:
    element = type_.element
    size = element.element.isa.bytes * element.lanes if issubclass(element, vec) else element.isa.bytes
    if role.elements < 0 or (role.role == "shared" and role.elements == 0):
        raise ValidationError(
            f"program {program_name}: {role.role} binding {name!r} has {role.elements} elements",
            fix="give a positive count; only bindings that a dispatch brings or takes may leave it open",
        )
    number = place if role.number is None else role.number
    return Binding(name, number, role.role, type_, size, role.elements, role.like)


def _check_like(name: str, found: list[Binding]) -> None:
    given = {binding.name for binding in found if binding.takes_input or binding.elements}
    for binding in found:
        if binding.like is not None and binding.like not in given:
            raise ValidationError(
                f"program {name}: output {binding.name!r} is as long as {binding.like!r}, which has no length of its own",
                fix=f"name one of {', '.join(sorted(given)) or 'its inputs'}",
            )
