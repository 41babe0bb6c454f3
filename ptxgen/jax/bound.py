"""From the arguments of a call to the target that XLA calls, its results and its attributes."""

from __future__ import annotations

import math
import threading
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.arguments.parameter import same_bits
from driver_ctypes.errors import ArgumentCountError, ArgumentError, ArgumentTypeError
from driver_ctypes.interop.elements import element_named
from driver_ctypes.lifetime import renew_in_child
from ptxgen.host.formats import numpy_module, numpy_name, pack_numbers
from ptxgen.isa.types import TYPES
from ptxgen.jax import abi
from ptxgen.jax.handlers import KernelCall, Passed
from ptxgen.jax.programs import Program
from ptxgen.jax.targets import register_function, register_kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from driver_ctypes.arguments.parameter import Parameter
    from ptxgen.builder import Kernel
    from ptxgen.ir import Module

__all__ = ["BoundCall", "FunctionBody", "KernelBody"]

_names = count()
_lock = threading.RLock()
renew_in_child(globals(), "_lock", threading.RLock)


class BoundCall(NamedTuple):
    """A call for certain shapes. `results` are like `jax.ShapeDtypeStruct`; `single`: one result, not in a tuple; `aliases`: which
    operand becomes which result; `empty`: there is nothing to compute."""

    target: str
    results: tuple[Any, ...]
    attributes: dict[str, Any]
    single: bool
    aliases: dict[int, int]
    empty: bool = False


class FunctionBody:
    """A function that launches, as what is called."""

    def __init__(self, function: Callable[..., None], out: Callable[..., Any]) -> None:
        self.name = getattr(function, "__name__", type(function).__name__)
        self._function, self._out = function, out
        self._target: str | None = None

    def bind(self, arguments: Sequence[Any], options: Mapping[str, Any]) -> BoundCall:
        for each in arguments:
            if not hasattr(each, "shape"):
                raise ArgumentTypeError(f"{self.name} is given {each!r:.60}", hint="arrays; numbers and strings by keyword")
        for name, value in options.items():
            if not isinstance(value, (bool, int, float, str)):
                raise ArgumentTypeError(f"{self.name}: {name}={value!r:.60}", hint="options are numbers or strings")
        found = self._out(*arguments, **options)
        several = isinstance(found, (tuple, list))
        results = tuple(found) if several else (found,)
        _check_shapes(self.name, results)
        return BoundCall(self._registered(), results, dict(options), not several, {})

    def _registered(self) -> str:
        with _lock:
            if self._target is None:
                name = f"ptxgen.{getattr(self._function, '__module__', '')}.{self.name}.{next(_names)}"
                for platform in ("cpu", "CUDA"):
                    register_function(name, platform, self._run)
                self._target = name
            return self._target

    def _run(self, operands: Sequence[Any], results: Sequence[Any], attributes: dict[str, Any]) -> None:
        self._function(*operands, *results, **attributes)


class KernelBody:
    """A kernel with its launch, as what is called."""

    def __init__(
        self,
        kernel: Kernel | Module | str,
        *,
        out: Callable[..., Any],
        grid: Any,
        block: Any,
        scalars: dict[str, Callable[..., Any]],
        mutates_args: tuple[str, ...],
        shared: int | None,
        cluster: Any,
        cooperative: bool,
        entry: str | None,
    ) -> None:
        self.program = Program(kernel, entry)
        self.name = self.program.name
        self._out, self._grid, self._block, self._scalars = out, grid, block, scalars
        self._mutates, self._shared, self._cooperative = mutates_args, shared, cooperative
        self._cluster = None if cluster is None else _extents("cluster", cluster)

    def bind(self, arguments: Sequence[Any], options: Mapping[str, Any]) -> BoundCall:
        if options:
            raise ArgumentError(
                f"{self.name} is called with {', '.join(options)}=",
                hint="arguments are positional; compile-time parameters are fixed by kernel.using(...)",
            )
        return _Binding(self, arguments).bound

    def target(self, call: KernelCall) -> str:
        """The target of a launch whose parameters come from there; registered once, by what it launches."""
        digest = self.program.digest
        with _lock:
            known = _targets.get((digest, self.name, call))
            if known is None:
                known = f"ptxgen.{self.name}.{digest}.{len(_targets)}"
                register_kernel(known, self.program, call, _Launch(self.program, call))
                _targets[digest, self.name, call] = known
            return known


_targets: dict[Any, str] = {}


class _Launch:
    """A kernel launched from Python, on the CPU device."""

    def __init__(self, program: Program, call: KernelCall) -> None:
        self.program, self.call = program, call

    def __call__(self, operands: Sequence[Any], results: Sequence[Any], attributes: dict[str, Any]) -> None:
        sources = {"operand": operands, "result": results}
        values = [
            _plain(attributes[passed.name], parameter.kind) if passed.source == "attribute" else sources[passed.source][passed.index]
            for parameter, passed in zip(self.program.parameters, self.call.parameters)
        ]
        device = next(each.device for each in (*operands, *results))
        call = self.call
        self.program.on(device).launch(
            attributes["grid"], call.block, tuple(values), shared=call.shared, cluster=call.cluster, cooperative=call.cooperative
        )


class _Binding:
    """The arguments of one call, told apart by the kernel's parameters."""

    def __init__(self, body: KernelBody, arguments: Sequence[Any]) -> None:
        self.body, self.arguments = body, arguments
        self.name, self.parameters = body.name, body.program.parameters
        names = [each.name for each in self.parameters]
        for stated, what in ((body._scalars, "scalars"), (body._mutates, "mutates_args")):
            unknown = [name for name in stated if name not in names]
            if unknown:
                raise ArgumentError(f"{self.name} has no parameter {unknown[0]!r}, of {what}", hint=f"it has: {', '.join(names)}")
        self.results = self._results(names)
        given = [each for each in self.parameters if each.name not in (*body._scalars, *self.results)]
        if len(given) != len(arguments):
            raise ArgumentCountError(
                f"{self.name} is called with {len(arguments)} arguments, expected {len(given)}: "
                f"{', '.join(each.name for each in given) or 'none'}",
                hint=f"results: {', '.join(self.results) or 'none'}; scalars: {', '.join(body._scalars) or 'none'}",
            )
        self.values = dict(zip((each.name for each in given), arguments))
        self.values |= {name: self._asked(scalar) for name, scalar in body._scalars.items()}
        self.bound = self._bound()

    def _asked(self, value: Any) -> Any:
        """A value that may be a function of the call's arguments."""
        return value(*self.arguments) if callable(value) else value

    def _results(self, names: list[str]) -> dict[str, Any]:
        """What `out` says, by the parameters' names."""
        found = self._asked(self.body._out)
        if not isinstance(found, dict):
            pointers = [each.name for each in self.parameters if each.kind == "pointer" and each.name not in self.body._mutates]
            if not pointers:
                raise ArgumentError(f"{self.name} has no pointer for a result", hint="out=lambda ...: {} for none")
            found = {pointers[-1]: found}
        for name in found:
            if name not in names or name in self.body._mutates or name in self.body._scalars:
                raise ArgumentError(f"out of {self.name} names {name!r}", hint=f"a pointer parameter: {', '.join(names)}")
        _check_shapes(self.name, tuple(found.values()))
        return found

    def _bound(self) -> BoundCall:
        passed: list[Passed] = []
        attributes: dict[str, Any] = {}
        results: list[Any] = []
        aliases: dict[int, int] = {}
        operands = 0
        for parameter in self.parameters:
            name = parameter.name
            if name in self.results:
                passed.append(self._buffer(parameter, "result", len(results), self.results[name]))
                results.append(self.results[name])
                continue
            value = self.values[name]
            if hasattr(value, "shape") and hasattr(value, "dtype") and value.shape is not None and parameter.kind == "pointer":
                passed.append(self._buffer(parameter, "operand", operands, value))
                if name in self.body._mutates:
                    aliases[operands] = len(results)
                    results.append(value)
                operands += 1
            else:
                attributes[f"value.{name}"] = self._number(parameter, value)
                passed.append(Passed("attribute", name=f"value.{name}", size=parameter.size))
        grid = _extents("grid", self._asked(self.body._grid))
        block = _extents("block", self._asked(self.body._block))
        empty = 0 in grid
        if empty and any(math.prod(each.shape) for each in results):
            raise ArgumentError(
                f"{self.name}: a grid of {grid}, and results of {', '.join(str(tuple(each.shape)) for each in results)}",
                hint="a grid of at least one CTA",
            )
        np = numpy_module()
        attributes["grid"] = np.array(grid, np.int32)
        shared = self.body.program.shared if self.body._shared is None else self.body._shared
        call = KernelCall(tuple(passed), block, shared, self.body._cluster, self.body._cooperative)
        single = len(results) == 1
        return BoundCall(self.body.target(call), tuple(results), attributes, single, aliases, empty)

    def _buffer(self, parameter: Parameter, source: str, index: int, array: Any) -> Passed:
        """An array for a pointer."""
        if parameter.kind != "pointer":
            raise ArgumentTypeError(
                f"{self.name}: {parameter.name!r} is a {parameter.kind} by value, and no result", name=parameter.name
            )
        element = element_named(str(array.dtype))
        if element is None:
            raise ArgumentTypeError(
                f"{self.name}: {parameter.name!r} is an array of {array.dtype}, which PTX has not", name=parameter.name,
                hint="x.astype(...)",
            )  # fmt: skip
        if parameter.element is not None and not same_bits(element, parameter.element):
            raise ArgumentTypeError(
                f"{self.name}: {parameter.name!r} points to .{parameter.element.name}, and the array is of {array.dtype}",
                name=parameter.name,
                hint="x.astype(...), or jax.lax.bitcast_convert_type",
            )
        types = () if parameter.element is None else abi.data_types_like(parameter.element)
        return Passed(source, index, types=types, aligned=parameter.aligned)

    def _number(self, parameter: Parameter, value: Any) -> Any:
        """A number as the attribute that becomes the parameter's bytes."""
        name, kind = parameter.name, "u64" if parameter.kind == "pointer" else parameter.kind
        if hasattr(value, "shape") and hasattr(value, "aval"):
            raise ArgumentTypeError(
                f"{self.name}: {name!r} is a {kind} by value, which is fixed when JAX traces the call, and was given an array",
                name=name,
                hint=f"a Python number (jax.jit's static_argnums), scalars={{{name!r}: ...}}, or a pointer in the kernel",
            )
        if parameter.kind == "pointer" and parameter.element is not None:
            raise ArgumentTypeError(
                f"{self.name}: {name!r} points to .{parameter.element.name}, and was given {value!r:.60}", name=name,
                hint="an array",
            )  # fmt: skip
        np = numpy_module()
        number = value.item() if hasattr(value, "item") else value
        if not isinstance(number, (int, float)):
            raise ArgumentTypeError(f"{self.name}: {name!r} is a {kind}, and was given {value!r:.60}", name=name, hint="a number")
        type_ = TYPES[kind]
        held = f"uint{type_.bits}" if type_.bits < 32 and type_.is_float else numpy_name(type_)
        return np.frombuffer(pack_numbers([number], type_), held)[0]


def _plain(attribute: Any, kind: str) -> Any:
    """An attribute as the number that a launch from Python takes: floats of 16 bits come as their bits."""
    if kind not in ("f16", "bf16"):
        return attribute
    np = numpy_module()
    if kind == "f16":
        return float(np.uint16(attribute).view(np.float16))
    return float((np.uint32(attribute) << np.uint32(16)).view(np.float32))


def _extents(name: str, stated: Any) -> tuple[int, int, int]:
    found = tuple(stated) if isinstance(stated, (tuple, list)) else (stated,)
    try:
        extents = (*[each.__index__() for each in found], 1, 1)
    except (AttributeError, TypeError):
        raise ArgumentTypeError(f"{name} is {stated!r:.60}", hint="an integer, or up to three") from None
    if not 1 <= len(found) <= 3 or any(not 0 <= each < 1 << 31 for each in extents):
        raise ArgumentError(f"{name} is {stated!r:.60}", hint="one to three integers of 31 bits")
    return extents[0], extents[1], extents[2]


def _check_shapes(name: str, results: tuple[Any, ...]) -> None:
    for each in results:
        if not (hasattr(each, "shape") and hasattr(each, "dtype")):
            raise ArgumentTypeError(
                f"out of {name} returned {each!r:.60}", hint="something with shape and dtype: jax.ShapeDtypeStruct(shape, dtype)"
            )
