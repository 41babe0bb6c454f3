"""From the arguments of a call to the target that XLA calls, its results and its attributes."""

from __future__ import annotations

import math
import threading
from hashlib import blake2b
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.arguments.parameter import same_bits
from driver_ctypes.errors import ArgumentCountError, ArgumentError, ArgumentTypeError
from driver_ctypes.interop.elements import element_named
from driver_ctypes.lifetime import renew_in_child
from ptxgen.builder import Kernel
from ptxgen.builder.signatures import options_key
from ptxgen.errors import BuildError
from ptxgen.host.by_name import by_name
from ptxgen.host.formats import numpy_module, numpy_name, pack_numbers
from ptxgen.isa.types import TYPES
from ptxgen.jax import abi
from ptxgen.jax.handlers import KernelCall, Passed
from ptxgen.jax.programs import Program
from ptxgen.jax.targets import register_function, register_kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from driver_ctypes.arguments.parameter import Parameter
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
        out: Any,
        grid: Any,
        block: Any,
        scalars: Mapping[str, Any],
        options: Mapping[str, Any],
        mutates: Collection[str],
        shared: Any,
        cluster: Any,
        cooperative: bool,
        entry: str | None,
    ) -> None:
        if options and not isinstance(kernel, Kernel):
            raise ArgumentError("options of a module", hint="a module has no compile-time parameters: kernel.using(...)")
        self._kernel, self._entry = kernel, entry
        self._programs: dict[Any, Program] = {}
        self._options = dict(options)
        constant = not any(callable(each) and not isinstance(each, type) for each in options.values())
        first = self._program({}) if constant and self._is_complete() else None
        self.name = first.name if first is not None else getattr(kernel, "__name__", "kernel")
        names = [each.name for each in first.parameters] if first is not None else _parameter_names(kernel)
        self._results = _result_functions(self.name, names, out)
        for what, stated in (("out", self._results), ("scalars", scalars), ("mutates", mutates)):
            _check_names(self.name, what, stated, names)
        known = [name for name in names if name not in self._results and name not in scalars]
        _check_names(self.name, "mutates", mutates, known)
        self.arguments, self._mutates = tuple(known), frozenset(mutates)
        self._asked = {
            name: by_name(f"{self.name}: {name}", value, known)
            for name, value in {"grid": grid, "block": block, "shared": shared, "cluster": cluster}.items()
        }
        self._cooperative = cooperative
        self._scalars = {name: by_name(f"{self.name}: scalars[{name!r}]", each, known) for name, each in scalars.items()}
        self._out = {name: by_name(f"{self.name}: out[{name!r}]", each, known) for name, each in self._results.items()}
        self._chosen = {name: by_name(f"{self.name}: options[{name!r}]", each, known) for name, each in options.items()}

    def _is_complete(self) -> bool:
        """Whether the compile-time parameters are known before a call."""
        kernel = self._kernel
        if not isinstance(kernel, Kernel):
            return True
        return all(name in (*kernel.fixed, *self._options) for name in kernel.signature.required)

    def _program(self, chosen: Mapping[str, Any]) -> Program:
        options = {**self._options, **chosen}
        key = options_key(options)
        known = self._programs.get(key)
        if known is None:
            kernel = self._kernel.using(**options) if isinstance(self._kernel, Kernel) and options else self._kernel
            known = self._programs[key] = Program(kernel, self._entry)
        return known

    def bind(self, arguments: Sequence[Any], options: Mapping[str, Any]) -> BoundCall:
        if options:
            raise ArgumentError(
                f"{self.name} is called with {', '.join(options)}=",
                hint="arguments are positional; compile-time parameters are fixed by options= or kernel.using(...)",
            )
        if len(arguments) != len(self.arguments):
            raise ArgumentCountError(
                f"{self.name} is called with {len(arguments)} arguments, expected {len(self.arguments)}: "
                f"{', '.join(self.arguments) or 'none'}",
                hint=f"results: {', '.join(self._out) or 'none'}; scalars: {', '.join(self._scalars) or 'none'}",
            )
        given = dict(zip(self.arguments, arguments))
        program = self._program({name: each(given) for name, each in self._chosen.items()})
        results = {name: each(given) for name, each in self._out.items()}
        _check_shapes(self.name, tuple(results.values()))
        passed = _Passing(program, given | {name: each(given) for name, each in self._scalars.items()}, results, self._mutates)
        grid, block, shared, cluster = (each(given) for each in self._asked.values())
        extents = _extents("grid", grid)
        found = tuple(passed.results)
        if 0 in extents and any(math.prod(each.shape) for each in found):
            raise ArgumentError(
                f"{self.name}: a grid of {extents}, and results of {', '.join(str(tuple(each.shape)) for each in found)}",
                hint="a grid of at least one CTA",
            )
        launch = KernelCall(
            tuple(passed.parameters), _extents("block", block), program.shared if shared is None else int(shared),
            None if cluster is None else _extents("cluster", cluster), self._cooperative,
        )  # fmt: skip
        attributes = {**passed.attributes, "grid": numpy_module().array(extents, "int32")}
        target = _kernel_target(program, launch)
        return BoundCall(target, found, attributes, len(found) == 1, passed.aliases, empty=0 in extents)


def _parameter_names(kernel: Any) -> list[str]:
    """Of a kernel whose compile-time parameters are known at a call alone."""
    return [each.name for each in kernel.signature.parameters]


def _result_functions(name: str, parameters: Sequence[str], out: Any) -> dict[str, Any]:
    """Parameter -> what says its shape and type."""
    if out is None:
        return {}
    if not callable(out) and not hasattr(out, "shape"):
        return dict(out)
    if "out" not in parameters:
        raise BuildError(
            f"{name}: out is one function, and the kernel has no parameter `out`",
            hint='out={"y": lambda x: x} says which parameter is the result',
        )
    return {"out": out}


def _check_names(name: str, what: str, given: Collection[str], known: Collection[str]) -> None:
    wrong = given if isinstance(given, str) else next((each for each in given if each not in known), None)
    if wrong is not None:
        raise BuildError(
            f"{name}: {what} names {wrong!r}", hint=f"parameters: {', '.join(known) or 'none'}; names come in a tuple or a mapping"
        )


def _kernel_target(program: Program, launch: KernelCall) -> str:
    """The target of a launch whose parameters come from there; registered once, by what it launches."""
    with _lock:
        key = (program.digest, program.name, launch)
        known = _targets.get(key)
        if known is None:
            digest = blake2b(repr(key).encode(), digest_size=8).hexdigest()
            known = f"ptxgen.{program.name}.{digest}"
            register_kernel(known, program, launch, _Launch(program, launch))
            _targets[key] = known
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


class _Passing:
    """Where each parameter of a kernel comes from in a call: operands, results and attributes of XLA's."""

    def __init__(
        self, program: Program, values: Mapping[str, Any], results: Mapping[str, Any], mutates: Collection[str]
    ) -> None:
        self.name = program.name
        self.parameters: list[Passed] = []
        self.results: list[Any] = []
        self.attributes: dict[str, Any] = {}
        self.aliases: dict[int, int] = {}
        operands = 0
        for parameter in program.parameters:
            name = parameter.name
            if name in results:
                self.parameters.append(self._buffer(parameter, "result", len(self.results), results[name]))
                self.results.append(results[name])
            elif parameter.kind == "pointer" and getattr(values[name], "ndim", None) is not None:
                self.parameters.append(self._buffer(parameter, "operand", operands, values[name]))
                if name in mutates:
                    self.aliases[operands] = len(self.results)
                    self.results.append(values[name])
                operands += 1
            else:
                attribute = f"value.{name}"
                self.attributes[attribute] = self._number(parameter, values[name])
                self.parameters.append(Passed("attribute", name=attribute, size=parameter.size))

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
