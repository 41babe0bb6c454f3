"""Device functions: what `@func` makes, and kernels call."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args, get_origin

from ptxgen.builder.builder import Builder
from ptxgen.builder.core.module_builder import Callee
from ptxgen.builder.core.numbers import plain
from ptxgen.builder.core.source import build_error
from ptxgen.builder.memory.arrays import DeviceArray
from ptxgen.builder.memory.bounded import Bounded
from ptxgen.builder.memory.pointers import ptr
from ptxgen.builder.memory.structs import Struct
from ptxgen.builder.signatures import read_signature
from ptxgen.builder.tiles.tensor_maps import TensorMap
from ptxgen.builder.tracing import current_builder, trace
from ptxgen.builder.values.scalars import Value
from ptxgen.builder.values.vectors import vec
from ptxgen.errors import BuildError
from ptxgen.ir import Address, Arguments, Block, Function, Register, Symbol, Variable
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.builder.core.module_builder import ModuleBuilder
    from ptxgen.builder.signatures import KernelParameter, Signature

__all__ = ["DeviceFunction", "func"]

R = TypeVar("R")


class DeviceFunction(Generic[R]):
    """A `.func`: called like the Python function it came from. Compile-time parameters make variants of it."""

    def __init__(self, function: Callable[..., R]) -> None:
        self._function = function
        self._signature: Signature | None = None
        self.__name__: str = function.__name__
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
        chosen = signature.chosen(self.__name__, options)
        signature = signature.typed(chosen)
        arguments = signature.completed(arguments)
        if len(arguments) != len(signature.parameters):
            raise build_error(
                "PTX306", f"{self.__name__} takes {len(signature.parameters)} arguments, not {len(arguments)}"
            )
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
        operands_in = tuple(value.flat() if isinstance(value, ptr) else k.use(value) for value in values)
        operands: list[Any] = [Symbol(callee.name), *([Arguments(operands_in)] if operands_in else [])]
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


def _argument(k: Builder, name: str, parameter: KernelParameter, value: Any) -> Any:
    type_ = parameter.type
    value = value.pointer if isinstance(value, DeviceArray) else plain(value)
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
                f"{name}: {type_!r} is not a result type", hint="a scalar type such as f32, or tuple[f32, u32]"
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
    outputs = returned if isinstance(returned, tuple) else () if returned is None else (returned,)
    if len(outputs) != len(types):
        raise build_error(
            "PTX306", f"{function.__name__} returns {len(outputs)} values, its annotation says {len(types)}"
        )
    results: tuple[Variable, ...] = ()
    if len(types) == 1:
        output = Register("%out", types[0].storage)
        results = (Variable("reg", output.type, output.name),)
        types[0](k, output, k.scope, mutable=True).set(outputs[0])
    elif types:
        packed, offsets = _packed(types)
        results = (packed,)
        for type_, value, offset in zip(types, outputs, offsets):
            ready = k.var(type_, value)
            k.emit(f"st.param.{type_.memory}", Address(Symbol(packed.name), offset), k.use(ready))
    k.emit("ret")
    made = Function(
        k.name,
        is_entry=False,
        parameters=tuple(parameters),
        results=results,
        body=k.finish(),
        source=(function.__code__, -1),
    )
    return Callee(made, tuple(each.alignment.bytes if isinstance(each, ptr) else 0 for each in arguments))
