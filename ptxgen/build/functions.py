"""From a Python function's signature to parameters, and device functions (`@func`) that kernels call."""

from __future__ import annotations

import inspect
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from ptxgen.build.alignment import Alignment
from ptxgen.build.bounds import Bounded
from ptxgen.build.builder import Builder
from ptxgen.build.memory import Array
from ptxgen.build.misuse import no_lane_wise
from ptxgen.build.names import hint_for
from ptxgen.build.numbers import plain
from ptxgen.build.pointers import ptr
from ptxgen.build.program import Callee
from ptxgen.build.source import build_error, is_of_room, raised_at
from ptxgen.build.structs import Struct
from ptxgen.build.tensormaps import TensorMap
from ptxgen.build.values import Value
from ptxgen.build.vectors import vec
from ptxgen.errors import BuildError, MissingMethodError
from ptxgen.ir import Address, Arguments, Block, Function, Register, Symbol, Variable
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.build.program import ModuleBuilder

__all__ = ["DeviceFunction", "Parameter", "Signature", "func", "global_pointer", "trace", "tracing"]

R = TypeVar("R")


class _Active(threading.local):
    """The builders of the functions that a thread is tracing, the innermost last."""

    def __init__(self) -> None:
        self.builders: list[Builder] = []


_active = _Active()


class Parameter(NamedTuple):
    """A run-time parameter: a scalar type, a ptr type, a Struct class or TensorMap; or a type variable until it is chosen."""

    name: str
    type: Any


class Signature(NamedTuple):
    """A kernel function's parameters: those of the launch, and the keyword-only ones that are fixed while building."""

    parameters: tuple[Parameter, ...]
    options: dict[str, Any]
    required: tuple[str, ...]
    result: Any
    variables: dict[Any, str]  # type variable -> the compile-time parameter that chooses it
    defaults: tuple[Any, ...] = ()  # of the last parameters

    def completed(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments of a call, and the defaults of those that it leaves out."""
        missing = len(self.parameters) - len(arguments)
        return (*arguments, *self.defaults[-missing:]) if 0 < missing <= len(self.defaults) else arguments

    def typed(self, options: dict[str, Any]) -> Signature:
        """The signature with its type variables replaced by the types that the compile-time parameters choose."""
        if not self.variables:
            return self
        types = {variable: options[name] for variable, name in self.variables.items()}
        for name, chosen in zip(self.variables.values(), types.values()):
            if not (isinstance(chosen, type) and issubclass(chosen, Value)):
                raise BuildError(f"the compile-time parameter {name!r} is {chosen!r}", hint="a device type such as f32")
        parameters = tuple(Parameter(p.name, _substituted(p.type, types)) for p in self.parameters)
        return self._replace(parameters=parameters, result=_substituted(self.result, types))

    def chosen(self, name: str, given: dict[str, Any]) -> dict[str, Any]:
        """Every compile-time parameter's value; BuildError for an unknown or missing one."""
        unknown = [key for key in given if key not in self.options]
        missing = [key for key in self.required if key not in given]
        if unknown or missing:
            what = (
                f"has no compile-time parameter {unknown[0]!r}"
                if unknown
                else f"needs the compile-time parameter {missing[0]!r}"
            )
            raise BuildError(f"{name} {what}", hint=f"it has: {', '.join(self.options) or 'none'}")
        return {**self.options, **given}


def _substituted(type_: Any, types: dict[Any, Any]) -> Any:
    """The type with its variables replaced: `E`, `ptr[E]`, and tuples of them."""
    if isinstance(type_, TypeVar):
        return types[type_]
    if _is_pointer(type_):
        return get_origin(type_).__class_getitem__(_substituted(get_args(type_)[0], types))
    if get_origin(type_) is tuple:
        return tuple.__class_getitem__(tuple(_substituted(each, types) for each in get_args(type_)))
    return type_


def read_signature(function: Callable[..., Any]) -> Signature:
    """The signature of a kernel or device function; BuildError for an annotation that is no device type.

    A type variable stands for a type that a keyword-only parameter chooses: `x: px.ptr[E], *, element: type[E]`.
    """
    try:
        hints = get_type_hints(function, localns=_locals_of(function))
    except NameError as unknown:
        raise BuildError(
            f"{function.__name__}: an annotation cannot be resolved: {unknown}",
            hint="name it at the module's top level, or leave out `from __future__ import annotations`",
        ) from None
    variables = _variables(function, hints)
    parameters, options, required, defaults = [], {}, [], []
    entries = inspect.signature(function).parameters
    first = next(iter(entries.values()), None)
    if first is None or first.kind not in (first.POSITIONAL_ONLY, first.POSITIONAL_OR_KEYWORD):
        raise BuildError(
            f"{function.__name__} has no parameter for the builder", hint=f"def {function.__name__}(k: px.Builder, ...)"
        )
    for index, (name, entry) in enumerate(entries.items()):
        if index == 0:
            continue
        if entry.kind is entry.KEYWORD_ONLY:
            options[name] = None if entry.default is entry.empty else entry.default
            if entry.default is entry.empty:
                required.append(name)
            continue
        if entry.kind is not entry.POSITIONAL_OR_KEYWORD:
            raise BuildError(f"{function.__name__}: *{name} has no fixed number of parameters")
        if entry.default is not entry.empty:
            defaults.append(entry.default)
        type_: Any = hints.get(name)
        if _variable_of(type_) in variables:
            parameters.append(Parameter(name, type_))
            continue
        ok = isinstance(type_, type) and issubclass(type_, (Value, Struct, TensorMap))
        if not ok or (issubclass(type_, Value) and type_.isa.kind == "p"):
            raise BuildError(
                f"{function.__name__}: parameter {name!r} is annotated with {type_!r}",
                hint="a device type such as u32, f32, px.ptr[f32] or a px.Struct; keyword-only parameters are compile-time",
            )
        parameters.append(Parameter(name, type_))
    return Signature(tuple(parameters), options, tuple(required), hints.get("return"), variables, tuple(defaults))


def _variables(function: Callable[..., Any], hints: dict[str, Any]) -> dict[Any, str]:
    """The type variables that keyword-only parameters annotated `type[E]` choose."""
    found = {}
    code = function.__code__
    for name in code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]:
        hint = hints.get(name)
        if get_origin(hint) is type and isinstance(get_args(hint)[0], TypeVar):
            found[get_args(hint)[0]] = name
    return found


def _variable_of(hint: Any) -> Any:
    """E of `E` and of `ptr[E]`."""
    return get_args(hint)[0] if _is_pointer(hint) else hint


def _is_pointer(hint: Any) -> bool:
    """Is it `ptr[E]`, or `read_only[E]`?"""
    origin = get_origin(hint)
    return isinstance(origin, type) and issubclass(origin, ptr)


def _locals_of(function: Callable[..., Any]) -> dict[str, Any]:
    """What the function's closure holds: names that its annotations, as strings, may mean."""
    cells = function.__closure__ or ()
    found = {}
    for name, cell in zip(function.__code__.co_freevars, cells):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not yet assigned
            continue
    return found


def global_pointer(k: Builder, type_: Any, address: Any, alignment: Alignment | None = None) -> Any:
    """A pointer parameter: its generic address as a global one."""
    generic, converted = k.register(TYPES["b64"]), k.register(TYPES["b64"])
    k.emit("ld.param.u64", generic, address)
    k.emit("cvta.to.global.u64", converted, generic)
    return type_(k, converted, k.scope, alignment=alignment)


class tracing:
    """Makes a builder the one that device functions called in the body belong to."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder

    def __enter__(self) -> None:
        _active.builders.append(self._builder)

    def __exit__(self, *error: object) -> None:
        _active.builders.pop()


def current_builder() -> Builder:
    """The builder of the function being traced in this thread."""
    if not _active.builders:
        raise BuildError(
            "a device function is called outside a kernel", hint="call it from a function under @px.kernel"
        )
    return _active.builders[-1]


def trace(k: Builder, function: Callable[..., Any], arguments: list[Any], options: dict[str, Any]) -> Any:
    """Run a Python function once, with values for its parameters."""
    with tracing(k):
        try:
            return function(k, *arguments, **options)
        except AttributeError as missing:  # no __getattr__ of the builder: it would slow every use of it
            if isinstance(missing.obj, vec):
                raise no_lane_wise(missing.obj, missing.name, _is_ours(missing), raised_at(missing)) from None
            if _is_ours(missing) and not isinstance(missing.obj, Value):
                found, where = missing.obj, raised_at(missing)
                number = isinstance(plain(found), (int, float))
                raise build_error(
                    "PTX220",
                    f"{found!r:.60} is given where a value of the device is wanted",
                    hint=f"k.const(type, {found!r})" if number else "a value, such as x[i]",
                    source=where,
                ) from missing
            if not isinstance(missing.obj, Builder) or not missing.name:
                raise
            message = f"the builder has no {missing.name}{hint_for(missing.name, dir(Builder))}"
            raise build_error("PTX301", message, source=raised_at(missing), kind=MissingMethodError) from None


def _is_ours(missing: AttributeError) -> bool:
    """Is it an attribute that every value has, asked of something else by this room?"""
    if missing.name not in _OF_VALUES:
        return False
    step = missing.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return step is not None and is_of_room(step.tb_frame.f_code.co_filename)


_OF_VALUES = frozenset({"isa", "scope", "builder", "operand", "mutable", "to", "bits", "storage"})


class DeviceFunction(Generic[R]):
    """A `.func`: called like the Python function it came from. Compile-time parameters make variants of it."""

    def __init__(self, function: Callable[..., R]) -> None:
        self._function = function
        self._signature: Signature | None = None
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__

    def __call__(self, *arguments: Any, **options: Any) -> R:
        k = current_builder()
        if self._signature is None:
            self._signature = _callable(read_signature(self._function), self.__name__)
        signature = self._signature
        names = [parameter.name for parameter in signature.parameters]
        named = next((name for name in options if name in names), None)
        if named is not None:
            raise build_error(
                "PTX306",
                f"{self.__name__}: {named!r} is a parameter of the call, and those are positional",
                hint=f"{self.__name__}({', '.join(names)}); keywords are compile-time parameters",
            )
        arguments = signature.completed(arguments)
        if len(arguments) != len(signature.parameters):
            raise build_error(
                "PTX306", f"{self.__name__} takes {len(signature.parameters)} arguments, not {len(arguments)}"
            )
        chosen = signature.chosen(self.__name__, options)
        signature = signature.typed(chosen)
        values = [_argument(k, self.__name__, p, a) for p, a in zip(signature.parameters, arguments)]
        spaces = tuple(v.space for v in values if isinstance(v, ptr))
        key = (self, spaces, tuple(sorted(chosen.items())))
        known = k.module.functions.get(key)
        if known is None:
            with _unfinished(k.module, key, self.__name__):
                known = _build(k.module, self._function, signature, values, chosen)
            k.module.functions[key] = known
        for value, alignment in zip(values, known.alignments):
            if alignment:
                value.rely_on(alignment)
        result: R = self._call(k, known.function, signature, values)
        return result

    def _call(self, k: Builder, callee: Function, signature: Signature, values: list[Any]) -> Any:
        types = _result_types(self.__name__, signature.result)
        results = [t(k, k.register(t.storage), k.scope) for t in types]
        given = tuple(value.flat() if isinstance(value, ptr) else k.use(value) for value in values)
        operands: list[Any] = [Symbol(callee.name), *([Arguments(given)] if given else [])]
        name = "call.uni" if k.guard is None and k.scope.parent is None else "call"
        if len(types) <= 1:
            k.emit(name, *([Arguments((results[0].operand,))] if results else []), *operands)
            return None if not results else tuple(results) if get_origin(signature.result) is tuple else results[0]
        outer, k.statements = k.statements, []
        packed, offsets = _packed(types)
        k.statements.append(packed)
        k.emit(name, Arguments((Symbol(packed.name),)), *operands)
        for result, offset in zip(results, offsets):
            k.emit(f"ld.param.{type(result).memory}", result.operand, Address(Symbol(packed.name), offset))
        outer.append(Block(k.statements))
        k.statements = outer
        return tuple(results)


def _callable(signature: Signature, name: str) -> Signature:
    """The signature of a device function; BuildError where it takes what only a kernel can."""
    for parameter in signature.parameters:
        if isinstance(parameter.type, type) and issubclass(parameter.type, (Struct, TensorMap)):
            whole = parameter.type.__name__
            hint = "map.address, a u64" if issubclass(parameter.type, TensorMap) else "its fields, one by one"
            raise BuildError(
                f"{name}: parameter {parameter.name!r} is a {whole}, which only kernels take by value",
                hint=f"pass {hint}",
            )
    return signature


_DEEP = 64  # device functions that are built inside each other: more is a recursion that does not end


@contextmanager
def _unfinished(module: ModuleBuilder, key: Any, name: str) -> Iterator[None]:
    """A device function while it is built. BuildError where it is called before that has ended."""
    names = [*(each for _, each in module.unfinished), name]
    again = next((i for i, (other, _) in enumerate(module.unfinished) if other == key), None)
    if again is not None or len(names) > _DEEP:
        way = " -> ".join(names[again or 0 :] if len(names) <= _DEEP else [*names[:3], "..."])
        raise build_error(
            "PTX306",
            f"{name} calls itself while it is built: {way}",
            expected="a function that ends, or other compile-time parameters in each call until it does not call itself",
            hint="a loop, k.while_ or k.range, with a stack in k.local; PTX text (px.parse) may have a recursive .func",
        )
    module.unfinished.append((key, name))
    try:
        yield
    finally:
        module.unfinished.pop()


def _packed(types: tuple[Any, ...]) -> tuple[Variable, list[int]]:
    """Several results as the one .param array that the ABI returns (manual 7.1), and the offset of each."""
    offsets, end = [], 0
    for type_ in types:
        offsets.append(-(-end // type_.isa.bytes) * type_.isa.bytes)
        end = offsets[-1] + type_.isa.bytes
    align = max(type_.isa.bytes for type_ in types)
    return Variable("param", TYPES["b8"], "results", shape=(end,), align=align), offsets


def func(function: Callable[..., R]) -> DeviceFunction[R]:
    """Make a device function. Its first parameter is the builder; the annotated result is one type, a tuple of types or None."""
    return DeviceFunction(function)


def _argument(k: Builder, name: str, parameter: Parameter, value: Any) -> Any:
    type_ = parameter.type
    value = value.pointer if isinstance(value, Array) else plain(value)
    if isinstance(value, (int, float)) and issubclass(type_, Value) and not issubclass(type_, ptr):
        return k.const(type_, value)
    if isinstance(value, ptr) and issubclass(type_, ptr) and value.element is type_.element:
        if value.family is type_.family:
            return value
        raise build_error(
            "PTX306",
            f"{name}: argument {parameter.name!r} is {type(value).__name__}",
            expected=type_.__name__,
            hint="x.read_only() of memory that nobody writes"
            if value.family is ptr
            else f"annotate {parameter.name} px.{type(value).__name__}",
        )
    if type(value) is type_:
        return value
    found = f".{value.isa.name}" if isinstance(value, Value) and not isinstance(value, ptr) else type(value).__name__
    raise build_error(
        "PTX306",
        f"{name}: argument {parameter.name!r} is {found}",
        expected=type_.__name__,
        hint=_converted(type_, value),
    )


def _converted(type_: Any, value: Any) -> str | None:
    """How an argument becomes one of the type, if it can."""
    if isinstance(value, Bounded):
        return "the pointer and the count, and x.bounded(n) inside"
    if isinstance(value, ptr) and issubclass(type_, ptr):
        return f"x.cast({type_.element.__name__}) is the same memory as such elements"
    if isinstance(value, Value) and not isinstance(value, ptr) and not issubclass(type_, ptr):
        return f"x.to({type_.__name__})"
    return "an array or a pointer: x, x.at(i)" if issubclass(type_, ptr) else None


def _result_types(name: str, result: Any) -> tuple[Any, ...]:
    if result is None or result is type(None):
        return ()
    types = get_args(result) if get_origin(result) is tuple else (result,)
    for type_ in types:
        if (
            not (isinstance(type_, type) and issubclass(type_, Value))
            or issubclass(type_, (ptr, vec))
            or type_.isa.kind == "p"
        ):
            raise BuildError(
                f"{name}: {type_!r} is no result type", hint="a scalar type such as f32, or tuple[f32, u32]"
            )
    return types


def _build(
    module: ModuleBuilder,
    function: Callable[..., Any],
    signature: Signature,
    values: list[Any],
    options: dict[str, Any],
) -> Callee:
    k = Builder(module, module.unique(function.__name__))
    k.results = ()
    parameters: list[Variable] = []
    arguments: list[Any] = []
    for parameter, value in zip(signature.parameters, values):
        narrow = isinstance(value, ptr) and value.space == "shared"
        storage = TYPES["b32"] if narrow else parameter.type.storage
        register = Register(f"%in_{parameter.name}", storage)
        parameters.append(Variable("reg", storage, register.name))
        if isinstance(value, ptr):
            arguments.append(parameter.type(k, register, k.scope, space=value.space))
        else:
            arguments.append(parameter.type(k, register, k.scope))
    types = _result_types(function.__name__, signature.result)
    returned = trace(k, function, arguments, options)
    given = returned if isinstance(returned, tuple) else () if returned is None else (returned,)
    if len(given) != len(types):
        raise build_error(
            "PTX306", f"{function.__name__} returns {len(given)} values, its annotation says {len(types)}"
        )
    results: tuple[Variable, ...] = ()
    if len(types) == 1:
        output = Register("%out", types[0].storage)
        results = (Variable("reg", output.type, output.name),)
        types[0](k, output, k.scope, mutable=True).set(given[0])
    elif types:
        packed, offsets = _packed(types)
        results = (packed,)
        for type_, value, offset in zip(types, given, offsets):
            ready = k.var(type_, value)
            k.emit(f"st.param.{type_.memory}", Address(Symbol(packed.name), offset), k.use(ready))
    k.emit("ret")
    made = Function(k.name, is_entry=False, parameters=tuple(parameters), results=results, body=k.finish())
    return Callee(made, tuple(each.alignment.bytes if isinstance(each, ptr) else 0 for each in arguments))
