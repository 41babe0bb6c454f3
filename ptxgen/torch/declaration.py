"""What an operator is of: which of its arguments or results each parameter of the kernel is, and the schema that follows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_origin

from ptxgen.builder import Kernel, Struct, TensorMap, bf16, f16, f16x2, f32, f64, ptr
from ptxgen.errors import BuildError
from ptxgen.host.by_name import ByName, by_name

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ptxgen.builder.signatures import KernelParameter, Signature

__all__ = ["Argument", "Declaration", "declare"]

_NAME = re.compile(r"[A-Za-z_]\w*::[A-Za-z_]\w*")


class Argument(NamedTuple):
    """An argument of the operator: a "Tensor", a "SymInt" or a "float"."""

    name: str
    kind: str
    default: Any = None
    mutated: bool = False
    strided: bool = False
    """Whether the tensor may have gaps; else it lies in C order."""


class Declaration(NamedTuple):
    """A kernel as an operator."""

    name: str
    kernel: Kernel
    arguments: tuple[Argument, ...]
    results: tuple[str, ...]
    computed: dict[str, ByName]
    """Parameters of the kernel that are neither: numbers that follow from the arguments."""
    out: tuple[ByName, ...]
    grid: ByName
    block: ByName
    shared: ByName
    options: dict[str, ByName]
    attributes: dict[str, Any]
    """Further ones of the launch."""

    @property
    def tensors(self) -> tuple[int, ...]:
        """Which arguments are tensors."""
        return tuple(index for index, each in enumerate(self.arguments) if each.kind == "Tensor")

    @property
    def mutated(self) -> tuple[int, ...]:
        """Which arguments the kernel writes."""
        return tuple(index for index, each in enumerate(self.arguments) if each.mutated)

    @property
    def pointers(self) -> frozenset[str]:
        """Parameters of the kernel that are tensors."""
        return frozenset(each.name for each in self.kernel.signature.parameters if _is_tensor(each.type))

    @property
    def maps(self) -> frozenset[str]:
        """Those that are tensor maps."""
        return frozenset(each.name for each in self.kernel.signature.parameters if _is_map(each.type))

    @property
    def asked(self) -> frozenset[str]:
        """Arguments whose values or forms decide how the kernel is launched."""
        functions = (self.grid, self.block, self.shared, *self.options.values(), *self.computed.values())
        return frozenset(name for each in functions for name in each.names)

    @property
    def fixed(self) -> frozenset[str]:
        """Those, and what decides the results: whatever a call of the same form may rely on."""
        return self.asked.union(*[each.names for each in self.out])

    @property
    def schema(self) -> str:
        """In the notation of `torch.library.define`, without the name."""
        shown = [_shown(index, each) for index, each in enumerate(self.arguments)]
        returned = "Tensor" if len(self.results) == 1 else f"({', '.join(['Tensor'] * len(self.results))})"
        return f"({', '.join(shown)}) -> {returned}"


def _shown(index: int, argument: Argument) -> str:
    kind = f"Tensor(a{index}!)" if argument.mutated else argument.kind
    return f"{kind} {argument.name}" + (f"={argument.default}" if argument.default is not None else "")


def declare(
    name: Any, kernel: Any, *, grid: Any, block: Any, shared: Any, out: Any, scalars: Mapping[str, Any],
    options: Mapping[str, Any], mutates: Collection[str], strided: Collection[str],
    attributes: Mapping[str, Any],
) -> Declaration:  # fmt: skip
    """The operator of these. BuildError for whatever does not go together, with the parameter or the name that it is of."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise BuildError(f"an operator called {name!r}", hint='"namespace::name", as torch.ops.namespace.name')
    if not isinstance(kernel, Kernel):
        raise BuildError(f"{name}: {type(kernel).__name__} is not a kernel", hint="@px.kernel makes one of a function")
    signature, made = _signature(kernel, options), _results(name, kernel, out)
    names = [each.name for each in signature.parameters]
    tensors = [each.name for each in signature.parameters if _is_tensor(each.type)]
    given = [each for each in tensors if each not in made]
    _check_names(name, "out", made, tensors, "pointer")
    _check_names(name, "scalars", scalars, [each for each in names if each not in tensors], "number")
    _check_names(name, "mutates", mutates, given, "tensor argument")
    _check_names(name, "strided", strided, given, "tensor argument")
    _check_names(name, "options", options, list(signature.options), "compile-time parameter")
    if not given:
        raise BuildError(
            f"{name} has no tensor among its arguments: on which device is it?", hint="a pointer that is no result"
        )
    if not made and not mutates:
        last = tensors[-1]
        hint = f'out={{"{last}": lambda ...: torch.empty_like(...)}}, or mutates=("{last}",)'
        raise BuildError(f"{name} has neither a result nor a tensor that it changes", hint=hint)
    defaults = dict(zip(names[len(names) - len(signature.defaults) :], signature.defaults))
    arguments = tuple(
        _argument(name, each, defaults.get(each.name), each.name in mutates, each.name in strided)
        for each in signature.parameters
        if each.name not in made and each.name not in scalars
    )
    known = [each.name for each in arguments]
    functions = {
        what: {key: by_name(f"{name}: {what}[{key!r}]", each, known) for key, each in table.items()}
        for what, table in (("scalars", scalars), ("out", made), ("options", options))
    }
    launch = {
        what: by_name(f"{name}: {what}", each, known)
        for what, each in (("grid", grid), ("block", block), ("shared", shared))
    }
    return Declaration(
        name, kernel, arguments, tuple(made), computed=functions["scalars"], out=tuple(functions["out"].values()),
        options=functions["options"], attributes=dict(attributes), **launch,
    )  # fmt: skip


def _signature(kernel: Kernel, options: Mapping[str, Any]) -> Signature:
    """The kernel's, with the types that its compile-time parameters choose where nothing of a call decides them."""
    found = kernel.signature
    known = {**found.options, **kernel.fixed, **{key: each for key, each in options.items() if isinstance(each, type)}}
    chosen = all(known.get(name) is not None for name in found.variables.values())
    return (
        found.typed(known)
        if chosen and not any(callable(each) and not isinstance(each, type) for each in options.values())
        else found
    )


def _results(name: str, kernel: Kernel, out: Any) -> dict[str, Any]:
    """Parameter of the kernel -> the function that makes the tensor, in the order of the results."""
    if out is None:
        return {}
    if not callable(out):
        return dict(out)
    if all(each.name != "out" for each in kernel.signature.parameters):
        raise BuildError(
            f"{name}: out is one function, and the kernel {kernel.__name__} has no parameter `out`",
            hint='out={"y": lambda x: torch.empty_like(x)} says which parameter is the result',
        )
    return {"out": out}


def _check_names(name: str, what: str, given: Collection[str], known: Collection[str], kind: str) -> None:
    wrong = next((each for each in given if each not in known), None)
    if isinstance(given, str) or wrong is not None:
        raise BuildError(
            f"{name}: {what} names {given if isinstance(given, str) else wrong!r}, which is no {kind} of the kernel",
            hint=f"{', '.join(known) or 'there is none'}" + ("; a tuple of names" if isinstance(given, str) else ""),
        )


def _is_tensor(type_: Any) -> bool:
    kind = get_origin(type_) if get_args(type_) else type_
    return isinstance(kind, type) and issubclass(kind, (ptr, TensorMap))


def _argument(name: str, parameter: KernelParameter, default: Any, mutated: bool, strided: bool) -> Argument:
    type_ = parameter.type
    if parameter.several:
        raise BuildError(
            f"{name}: *{parameter.name} of the kernel is no fixed argument", hint="kernel.using(types=(...))"
        )
    if _is_tensor(type_):
        return Argument(parameter.name, "Tensor", None, mutated, strided or _is_map(type_))
    if isinstance(type_, type) and issubclass(type_, Struct):
        raise BuildError(
            f"{name}: {parameter.name} is the structure {type_.__name__}", hint="its fields as parameters of their own"
        )
    isa = getattr(type_, "isa", None)
    if isa is not None and isa.kind in "usb" and isa.bits <= 64 and type_ is not f16x2:
        return Argument(parameter.name, "SymInt", default)
    if type_ in (f16, bf16, f32, f64):
        return Argument(parameter.name, "float", default)
    raise BuildError(
        f"{name}: no argument of an operator is the kernel's parameter {parameter.name} of {type_!r}",
        hint=f'scalars={{"{parameter.name}": lambda ...: ...}} computes it',
    )


def _is_map(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, TensorMap)
