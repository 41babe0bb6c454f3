"""Where each parameter of a kernel comes from: operands, results and attributes of XLA's call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes.arguments.parameter import same_bits
from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from driver_ctypes.interop.elements import element_named
from ptxgen.host.formats import numpy_module, numpy_name, pack_numbers
from ptxgen.isa.types import TYPES
from ptxgen.jax import abi
from ptxgen.jax.handlers import Passed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from driver_ctypes.arguments.parameter import Parameter
    from ptxgen.jax.programs import Program

__all__ = ["Passing", "check_array", "extents", "plain"]


class Passing:
    """Where each parameter of a kernel comes from in a call: operands, results and attributes of XLA's."""

    def __init__(
        self, program: Program, values: Mapping[str, Any], results: Mapping[str, Any], mutates: Collection[str]
    ) -> None:
        self.name: str = program.name
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
        np = numpy_module()
        number = value.item() if hasattr(value, "item") else value
        if not isinstance(number, (int, float)):
            raise ArgumentTypeError(
                f"{self.name}: {name!r} is a {kind}, and was given {value!r:.60}", name=name, hint="a number"
            )
        type_ = TYPES[kind]
        held = f"uint{type_.bits}" if type_.bits < 32 and type_.is_float else numpy_name(type_)
        return np.frombuffer(pack_numbers([number], type_), held)[0]


def check_array(kernel: str, parameter: Parameter, value: Any) -> None:
    """ArgumentTypeError where a pointer to elements of a known type is given something else than an array."""
    if parameter.element is not None and value is not None and getattr(value, "ndim", None) is None:
        raise ArgumentTypeError(
            f"{kernel}: {parameter.name!r} points to .{parameter.element.name}, and was given {value!r:.60}",
            name=parameter.name,
            hint="an array",
        )


def plain(attribute: Any, kind: str) -> Any:
    """An attribute as the number that a launch from Python takes: floats of 16 bits come as their bits."""
    if kind not in ("f16", "bf16"):
        return attribute
    np = numpy_module()
    if kind == "f16":
        return float(np.uint16(attribute).view(np.float16))
    return float((np.uint32(attribute) << np.uint32(16)).view(np.float32))


def extents(name: str, stated: Any) -> tuple[int, int, int]:
    found = tuple(stated) if isinstance(stated, (tuple, list)) else (stated,)
    try:
        every = (*[each.__index__() for each in found], 1, 1)
    except (AttributeError, TypeError):
        raise ArgumentTypeError(f"{name} is {stated!r:.60}", hint="an integer, or up to three") from None
    if not 1 <= len(found) <= 3 or any(not 0 <= each < 1 << 31 for each in every):
        raise ArgumentError(f"{name} is {stated!r:.60}", hint="one to three integers of 31 bits")
    return every[0], every[1], every[2]
