"""From a Python function's signature to parameters: those of the launch or the call, and those that are fixed while building."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin, get_type_hints

from driver_ctypes.typing import NamedTuple
from ptxgen.builder.memory.pointers import ptr
from ptxgen.builder.memory.structs import Struct
from ptxgen.builder.tiles.tensor_maps import TensorMap
from ptxgen.builder.values.scalars import Value
from ptxgen.errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["KernelParameter", "Signature", "option_names", "options_key", "read_signature"]


class KernelParameter(NamedTuple):
    """A run-time parameter: a scalar type, a ptr type, a Struct class or TensorMap; or a type variable until it is chosen.

    `several`: the `*name` of the function; as many parameters as types are chosen.
    """

    name: str
    type: Any
    several: bool = False


class Signature(NamedTuple):
    """A kernel function's parameters: those of the launch, and the keyword-only ones that are fixed while building."""

    parameters: tuple[KernelParameter, ...]
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
        many = {parameter.type for parameter in self.parameters if parameter.several}
        for (variable, name), chosen in zip(self.variables.items(), types.values()):
            several = variable in many
            each = chosen if several and isinstance(chosen, tuple) else (None if several else chosen,)
            if not all(isinstance(type_, type) and issubclass(type_, Value) for type_ in each):
                hint = "a tuple of device types, such as (px.ptr[f32], u32)" if several else "a device type such as f32"
                raise BuildError(f"the compile-time parameter {name!r} is {chosen!r}", hint=hint)
        parameters: list[KernelParameter] = []
        for parameter in self.parameters:
            if parameter.several:
                parameters += [
                    KernelParameter(f"{parameter.name}_{index}", type_)
                    for index, type_ in enumerate(types[parameter.type])
                ]
            else:
                parameters.append(KernelParameter(parameter.name, _substituted(parameter.type, types)))
        # In front of further parameters nothing is left out: which one is missing could not be told.
        defaults = () if any(types[variable] for variable in many) else self.defaults
        return self._replace(parameters=tuple(parameters), result=_substituted(self.result, types), defaults=defaults)

    def chosen(self, name: str, options: dict[str, Any]) -> dict[str, Any]:
        """Every compile-time parameter's value; BuildError for an unknown or missing one."""
        unknown = [key for key in options if key not in self.options]
        missing = [key for key in self.required if key not in options]
        if unknown or missing:
            what = (
                f"has no compile-time parameter {unknown[0]!r}"
                if unknown
                else f"needs the compile-time parameter {missing[0]!r}"
            )
            raise BuildError(f"{name} {what}", hint=f"it has: {', '.join(self.options) or 'none'}")
        return {**self.options, **options}


def options_key(options: Mapping[str, Any]) -> tuple[Any, ...]:
    """A dictionary key of compile-time parameters. Equal values that are not the same have different keys:
    1, 1.0 and True; 0.0 and -0.0.

    TypeError where one cannot be hashed.
    """
    return tuple([(name, type(value), _exactly(value)) for name, value in sorted(options.items())])


def _exactly(value: Any) -> Any:
    if type(value) in _EXACT:
        return value
    if isinstance(value, tuple):
        return tuple([(type(each), _exactly(each)) for each in value])
    return repr(value) if isinstance(value, Real) else value


_EXACT = frozenset({bool, int, str, type, type(None)})
"""Of one such type, equal values are the same."""


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
    """The signature of a kernel or device function; BuildError for an annotation that is not a device type.

    A type variable stands for a type that a keyword-only parameter chooses: `x: px.ptr[E], *, element: type[E]`; or, of the
    function's `*name`, for as many as a tuple has: `*more: T, types: tuple[type[T], ...] = ()`.
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
    entries = _stated(function)
    if not entries or entries[0].kind not in (_POSITIONAL_ONLY, _POSITIONAL):
        raise BuildError(
            f"{function.__name__} has no parameter for the builder", hint=f"def {function.__name__}(k: px.Builder, ...)"
        )
    for name, kind, default in entries[1:]:
        if kind == _OPTION:
            options[name] = None if default is _NOTHING else default
            if default is _NOTHING:
                required.append(name)
            continue
        if kind == _SEVERAL and hints.get(name) in variables:
            parameters.append(KernelParameter(name, hints[name], several=True))
            continue
        if kind != _POSITIONAL:
            raise BuildError(
                f"{function.__name__}: *{name} has no fixed number of parameters",
                hint=f"*{name}: T, types: tuple[type[T], ...] = () takes those that the compile-time parameter says",
            )
        if default is not _NOTHING:
            defaults.append(default)
        type_: Any = hints.get(name)
        if _variable_of(type_) in variables:
            parameters.append(KernelParameter(name, type_))
            continue
        ok = isinstance(type_, type) and issubclass(type_, (Value, Struct, TensorMap))
        if not ok or (
            issubclass(type_, Value)
            and (type_.isa.kind == "p" or (issubclass(type_, ptr) and not hasattr(type_, "element")))
        ):
            raise BuildError(
                f"{function.__name__}: parameter {name!r} is annotated with {type_!r}",
                hint="a device type such as u32, f32, px.ptr[f32] or a px.Struct; keyword-only parameters are compile-time",
            )
        parameters.append(KernelParameter(name, type_))
    return Signature(tuple(parameters), options, tuple(required), hints.get("return"), variables, tuple(defaults))


_POSITIONAL_ONLY, _POSITIONAL, _SEVERAL, _OPTION, _NAMED = range(5)
"""Kinds of parameters, numbered as those of `inspect.Parameter`."""
_NOTHING: Any = object()


class _Stated(NamedTuple):
    """A parameter as the function states it. `default` is _NOTHING where there is none."""

    name: str
    kind: int
    default: Any = _NOTHING


def _stated(function: Callable[..., Any]) -> list[_Stated]:
    """The parameters of a function. `inspect`, which takes 6 ms to import, is asked only where it states those of another."""
    if not function.__dict__.keys().isdisjoint(("__wrapped__", "__signature__")):
        import inspect

        entries = inspect.signature(function).parameters.values()
        return [_Stated(e.name, int(e.kind), _NOTHING if e.default is e.empty else e.default) for e in entries]
    code = function.__code__
    count, options = code.co_argcount, code.co_kwonlyargcount
    names, rest = code.co_varnames[: count + options], list(code.co_varnames[count + options :])
    found = [
        _Stated(name, _POSITIONAL_ONLY if place < code.co_posonlyargcount else _POSITIONAL)
        for place, name in enumerate(names[:count])
    ]
    given = function.__defaults__ or ()
    for place, default in enumerate(given, count - len(given)):
        found[place] = found[place]._replace(default=default)
    if code.co_flags & 0x4:  # *name
        found.append(_Stated(rest.pop(0), _SEVERAL))
    stated = function.__kwdefaults__ or {}
    found += [_Stated(name, _OPTION, stated.get(name, _NOTHING)) for name in names[count:]]
    if code.co_flags & 0x8:  # **name
        found.append(_Stated(rest.pop(0), _NAMED))
    return found


def option_names(function: Callable[..., Any]) -> list[str]:
    """The keyword-only parameters of a function; their types, which take longer to read, are not looked at."""
    return [each.name for each in _stated(function) if each.kind == _OPTION]


def _variables(function: Callable[..., Any], hints: dict[str, Any]) -> dict[Any, str]:
    """The type variables that keyword-only parameters annotated `type[E]`, or `tuple[type[E], ...]`, choose."""
    found = {}
    code = function.__code__
    for name in code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]:
        hint = hints.get(name)
        if get_origin(hint) is tuple and len(get_args(hint)) == 2 and get_args(hint)[1] is ...:
            hint = get_args(hint)[0]
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
