"""From the arguments of a call to the target that XLA calls, its results and its attributes."""

from __future__ import annotations

import math
import threading
from functools import partial
from hashlib import blake2b
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.errors import ArgumentCountError, ArgumentError, ArgumentTypeError
from driver_ctypes.lifetime import renew_in_child
from ptxgen.builder import Kernel
from ptxgen.builder.signatures import options_key
from ptxgen.errors import BuildError
from ptxgen.host.by_name import by_name
from ptxgen.host.formats import numpy_module
from ptxgen.jax.handlers import KernelCall
from ptxgen.jax.passing import Passing, check_array, extents, plain
from ptxgen.jax.programs import Program
from ptxgen.jax.targets import register_function, register_kernel, register_operation

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from ptxgen.ir import Module

__all__ = ["BoundCall", "FunctionBody", "KernelBody"]

_names = count()
_lock = threading.RLock()
renew_in_child(globals(), "_lock", threading.RLock)


class BoundCall(NamedTuple):
    """A call for certain shapes. `results` are like `jax.ShapeDtypeStruct`; `single`: one result, not in a tuple; `aliases`:
    which operand becomes which result; `empty`: there is nothing to compute."""

    target: str
    results: tuple[Any, ...]
    attributes: dict[str, Any]
    single: bool
    aliases: dict[int, int]
    empty: bool = False


class FunctionBody:
    """A function that launches, as what is called."""

    def __init__(self, function: Callable[..., None], out: Callable[..., Any], replayed: bool = False) -> None:
        named = function.func if isinstance(function, partial) else function
        self.name: Any | str = getattr(named, "__name__", type(function).__name__)
        self._function, self._out, self._replayed = function, out, replayed
        self._targets: dict[Any, str] = {}
        """By the form of the arguments where the launches are replayed, else one."""

    def bind(self, arguments: Sequence[Any], options: Mapping[str, Any]) -> BoundCall:
        for each in arguments:
            if not hasattr(each, "shape"):
                raise ArgumentTypeError(
                    f"{self.name} is given {each!r:.60}", hint="arrays; numbers and strings by keyword"
                )
        for name, value in options.items():
            if not isinstance(value, (bool, int, float, str)):
                raise ArgumentTypeError(f"{self.name}: {name}={value!r:.60}", hint="options are numbers or strings")
        found = self._out(*arguments, **options)
        several = isinstance(found, (tuple, list))
        results = tuple(found) if several else (found,)
        _check_shapes(self.name, results)
        form = (tuple((each.shape, str(each.dtype)) for each in arguments), tuple(options.items()))
        return BoundCall(self._registered(form if self._replayed else None), results, dict(options), not several, {})

    def _registered(self, form: Any) -> str:
        with _lock:
            known = self._targets.get(form)
            if known is None:
                known = self._targets[form] = f"ptxgen.{self.name}.{next(_names)}"
                if form is not None:
                    register_operation(known, self._run)
                else:
                    for platform in ("cpu", "CUDA"):
                        register_function(known, platform, self._run)
            return known

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
            raise ArgumentError(
                "options of a module", hint="a module has no compile-time parameters: kernel.using(...)"
            )
        self._kernel, self._entry = kernel, entry
        self._programs: dict[Any, Program] = {}
        self._options = dict(options)
        constant = not any(callable(each) and not isinstance(each, type) for each in options.values())
        first = self._program({}) if constant and self._is_complete() else None
        self.name: str = first.name if first is not None else getattr(kernel, "__name__", "kernel")
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
        self._scalars = {
            name: by_name(f"{self.name}: scalars[{name!r}]", each, known) for name, each in scalars.items()
        }
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
        for parameter in program.parameters:
            check_array(self.name, parameter, given.get(parameter.name))
        results = {name: each(given) for name, each in self._out.items()}
        _check_shapes(self.name, tuple(results.values()))
        passed = Passing(
            program, given | {name: each(given) for name, each in self._scalars.items()}, results, self._mutates
        )
        grid, block, shared, cluster = (each(given) for each in self._asked.values())
        whole = extents("grid", grid)
        found = tuple(passed.results)
        if 0 in whole and any(math.prod(each.shape) for each in found):
            raise ArgumentError(
                f"{self.name}: a grid of {whole}, and results of {', '.join(str(tuple(each.shape)) for each in found)}",
                hint="a grid of at least one CTA",
            )
        launch = KernelCall(
            tuple(passed.parameters), extents("block", block), program.shared if shared is None else int(shared),
            None if cluster is None else extents("cluster", cluster), self._cooperative,
        )  # fmt: skip
        attributes = {**passed.attributes, "grid": numpy_module().array(whole, "int32")}
        target = _kernel_target(program, launch)
        return BoundCall(target, found, attributes, len(found) == 1, passed.aliases, empty=0 in whole)


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
            f"{name}: {what} names {wrong!r}",
            hint=f"of {', '.join(known) or 'none'}; in a tuple or a mapping",
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
            sources[passed.source][passed.place]
            if passed.source in sources
            else plain(attributes[passed.name], parameter.kind)
            for parameter, passed in zip(self.program.parameters, self.call.parameters)
        ]
        device = next(each.device for each in (*operands, *results))
        call = self.call
        self.program.on(device).launch(
            attributes["grid"],
            call.block,
            tuple(values),
            shared=call.shared,
            cluster=call.cluster,
            cooperative=call.cooperative,
        )


def _check_shapes(name: str, results: tuple[Any, ...]) -> None:
    for each in results:
        if not (hasattr(each, "shape") and hasattr(each, "dtype")):
            raise ArgumentTypeError(
                f"out of {name} returned {each!r:.60}",
                hint="something with shape and dtype: jax.ShapeDtypeStruct(shape, dtype)",
            )
