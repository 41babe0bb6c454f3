"""What a Python function does, as a digest: its code, its constants, and the values that its names mean now.

Functions that it calls are followed, and modules to what is taken from them. If something's content cannot be determined there is
no digest: an object of an unknown kind, a name that is not yet defined, a call that could read anything (`eval`, `globals`,
`getattr`), an access to frames and namespaces (`f.__globals__`). Then nothing built from the function may be reused.

This package's own functions and types are known by their names: see `toolchain`. One that is replaced in the running
process is not noticed.
"""

from __future__ import annotations

import dis
import sys
from functools import lru_cache, partial
from itertools import takewhile
from types import BuiltinFunctionType, CodeType, FunctionType, GenericAlias, ModuleType, NoneType, UnionType
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin, get_type_hints

from ptxgen.builder import Kernel
from ptxgen.builder.functions import DeviceFunction
from ptxgen.runtime.keys import digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["fingerprint"]

_PLAIN = frozenset({int, float, complex, str, bytes, bool, NoneType, type(Ellipsis), range})
"""Known by type and repr. Their subclasses may carry anything."""

_PURE_BUILTINS = frozenset(
    "abs all any ascii bin callable chr divmod format hex isinstance issubclass iter len max min next oct ord pow print "
    "repr round sorted sum __build_class__".split()
)
"""Functions that look at nothing but their arguments."""

STAMPED_ROOMS = ("builder", "errors", "ir", "isa", "kernels", "runtime.programs")
"""Of this package: what makes a program out of arguments alone. `toolchain` stamps their files, so names are enough."""

_INNER = frozenset({"gi_frame", "cr_frame", "ag_frame", "tb_frame", "f_back", "f_globals", "f_locals", "f_builtins"})
_ATTRIBUTE = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
_NAME = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"})
_CHANGES = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL"})
_IMPORTABLE = "math"


class _Unknown(Exception):
    """A value whose content cannot be determined."""


def fingerprint(function: FunctionType, *more: object) -> str | None:
    """The digest of what *function* would do if it were called now, and of further values; None if it cannot be determined."""
    walk = _ContentWalk()
    try:
        parts = [part for value in (function, *more) for part in walk.parts(value)]
        parts += walk.hints(function)
    except (_Unknown, RecursionError):
        return None
    return digest("ptxgen-function.v2", *parts)


class _ContentWalk:
    """A walk over a function and everything that it reaches."""

    def __init__(self) -> None:
        self._functions: dict[
            int, int
        ] = {}  # id -> in which order they were met; each is kept alive by the object that leads to it
        self._open: set[int] = set()  # containers that are being looked into

    def parts(self, value: Any) -> Iterator[object]:
        """What a value is, as parts of a digest."""
        kind = type(value)
        if kind in _PLAIN:
            yield f"{kind.__name__}:{value!r}"
        elif kind in (tuple, list, dict, partial) or (issubclass(kind, tuple) and _is_ours(kind)):
            yield from self._container(value)
        elif kind in (set, frozenset) and all(type(each) in _PLAIN for each in value):
            yield f"{kind.__name__} {sorted(map(repr, value))}"
        elif kind is CodeType:
            yield from self._code(value)
        elif kind is FunctionType:
            yield from self._function(value)
        elif kind in (Kernel, DeviceFunction):
            yield kind.__name__
            yield from self.parts(value._function)
            yield from self.hints(value._function)
            yield from self.parts({**getattr(value, "_options", {}), **getattr(value, "_bounds", {})})
        elif (isinstance(value, type) and _is_ours(value)) or (kind is BuiltinFunctionType and _is_pure(value)):
            yield f"{value.__module__}.{value.__qualname__}"
        else:
            raise _Unknown(value)

    def _container(self, value: Any) -> Iterator[object]:
        if id(value) in self._open:
            raise _Unknown(value)  # it contains itself
        self._open.add(id(value))
        items = value
        if isinstance(value, dict):
            items = [each for item in value.items() for each in item]
        elif isinstance(value, partial):
            items = [value.func, value.args, value.keywords, vars(value)]
        yield f"{type(value).__qualname__} of {len(items)}"
        for each in items:
            yield from self.parts(each)
        self._open.discard(id(value))

    def _function(self, function: FunctionType) -> Iterator[object]:
        number = self._functions.get(id(function))
        if number is not None:  # it calls itself, or was met before
            yield f"function {number}"
            return
        self._functions[id(function)] = len(self._functions)
        yield from self._code(function.__code__)
        yield from self.parts([function.__defaults__ or (), function.__kwdefaults__ or {}, vars(function)])
        cells: dict[str, Any] = {}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            try:
                cells[name] = cell.cell_contents
            except ValueError:  # it is not there yet
                raise _Unknown(function) from None
        if _is_ours(function) and not cells:
            yield f"{function.__module__}.{function.__qualname__}"
            return
        plain: Any = function  # type checkers do not all know the attribute
        builtins: dict[str, Any] = plain.__builtins__
        yield from self._names(function.__code__, cells, {**builtins, **function.__globals__, **cells})

    def _names(self, code: CodeType, cells: Mapping[str, Any], meaning: Mapping[str, Any]) -> Iterator[object]:
        """What the names in the code mean, and those in the code inside it."""
        reads = _reads(code)
        if reads is None:
            raise _Unknown(code)
        for name, is_cell, attributes in reads:
            if is_cell and name not in cells:
                continue  # a variable of the function's own
            if name not in meaning:
                raise _Unknown(name)  # it may mean anything by the time of the call
            value = meaning[name]
            yield name
            for attribute in attributes:
                if not isinstance(value, ModuleType):
                    break
                if not hasattr(value, attribute):
                    raise _Unknown(value)
                value = getattr(value, attribute)
                yield attribute
            yield from self.parts(value)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from self._names(constant, cells, meaning)

    def _code(self, code: CodeType) -> Iterator[object]:
        yield code.co_code
        yield getattr(code, "co_exceptiontable", b"")
        yield repr((code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags))
        yield repr((code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount))
        for constant in code.co_consts:
            yield from self.parts(constant)

    # --- annotations, which say what a program or a device function takes ---------------------------------------------

    def hints(self, function: Any) -> Iterator[object]:
        """The annotations of a function."""
        cells = {}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            cells[name] = cell.cell_contents  # `_function` has seen that it is there
        try:
            found = get_type_hints(function, localns=cells, include_extras=True)
        except (NameError, TypeError, AttributeError) as unknown:
            raise _Unknown(function) from unknown
        for name, hint in found.items():
            yield name
            yield from self._hint(hint)

    def _hint(self, hint: Any) -> Iterator[object]:
        metadata = getattr(hint, "__metadata__", ())
        inner = (hint.__origin__,) if metadata else get_args(hint)
        if inner and (isinstance(hint, (GenericAlias, UnionType)) or type(hint).__module__ == "typing"):
            yield f"{get_origin(hint)!r} of {len(inner)}"
            for each in inner:
                yield from self._hint(each)
            yield from self.parts(metadata)
        elif isinstance(hint, TypeVar) or type(hint).__module__ == "typing":
            yield repr(hint)  # typing's own, such as Any
        else:
            yield from self.parts(hint)


@lru_cache(1024)
def _reads(code: CodeType) -> tuple[tuple[str, bool, tuple[str, ...]], ...] | None:
    """What the code reads from outside: names, whether each may be a variable of an enclosing function, and the attributes that
    follow at once. None where it imports, writes globals, or looks into frames and namespaces."""
    steps = list(dis.get_instructions(code))
    found = []
    for place, step in enumerate(steps):
        name = step.argval
        if step.opname in _CHANGES or (step.opname == "IMPORT_NAME" and name != _IMPORTABLE):
            return None
        if step.opname in _ATTRIBUTE and (name.startswith("__") or name in _INNER):
            return None
        if step.opname in _NAME:
            attributes = takewhile(lambda each: each.opname in _ATTRIBUTE, steps[place + 1 :])
            found.append((name, "DEREF" in step.opname, tuple([each.argval for each in attributes])))
    return tuple(found)


def _is_ours(value: Any) -> bool:
    """Is it a type or function of this package that makes programs, of Python itself, or of `math`? The toolchain's stamp
    counts them."""
    name = value.__globals__.get("__name__") if isinstance(value, FunctionType) else value.__module__
    module = sys.modules.get(name or "")
    if module is None or (isinstance(value, FunctionType) and vars(module) is not value.__globals__):
        return False
    top, _, room = str(name).partition(".")
    if top == "ptxgen":
        return any(room == each or room.startswith(f"{each}.") for each in STAMPED_ROOMS)
    return name == "math" or (name == "builtins" and isinstance(value, type))


def _is_pure(function: Any) -> bool:
    return function.__module__ == "math" or (function.__module__ == "builtins" and function.__name__ in _PURE_BUILTINS)
