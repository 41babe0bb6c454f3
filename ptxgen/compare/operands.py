"""What an operand is without its names: its shape, and the values that it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.compare.graph import Leaf
from ptxgen.ir import (
    Arguments,
    CallPrototype,
    CallTargets,
    Element,
    Function,
    Immediate,
    Label,
    Negated,
    Not,
    Pair,
    Register,
    Symbol,
    Variable,
    Vector,
    float_immediate,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.ir import Operand
    from ptxgen.isa.types import ScalarType

__all__ = ["CLASSES", "Names", "constant", "declaration_of", "narrowed", "parts_of", "written_shape"]

CLASSES = {Vector: "vector", Arguments: "arguments", Pair: "pair", Not: "not", Negated: "negated"}


def constant(immediate: Immediate, type_: ScalarType | None) -> Leaf:
    """A constant by the bits that it has in an operand of that type: 1.0 and 0f3F800000 are one, and so are -1 and 4294967295."""
    value, kind = immediate.value, immediate.kind
    if type_ is None:
        return Leaf(("constant", "bits", value))
    if kind != "int":
        if type_.bits == 64 and kind == "f32":
            value = float_immediate(immediate.as_float(), "f64").value
        elif type_.bits == 32 and kind == "f64":
            value = float_immediate(immediate.as_float(), "f32").value
    elif type_.name in ("f32", "f64"):
        value = float_immediate(float(value), type_.name).value
    return Leaf(("constant", "bits", value & ((1 << type_.bits) - 1)))


def narrowed(leaf: Leaf, type_: ScalarType | None) -> Leaf:
    """A constant in a register as an operand of that type reads it: the lower bits."""
    if type_ is None or leaf.label[:2] != ("constant", "bits") or type_.bits >= 64:
        return leaf
    assert isinstance(leaf.label[2], int)
    return Leaf(("constant", "bits", leaf.label[2] & ((1 << type_.bits) - 1)))


def declaration_of(variable: Variable) -> tuple[object, ...]:
    """All of a variable but its name."""
    return (
        variable.space, variable.type.name, variable.shape, variable.vector, variable.alignment, repr(variable.init),
        variable.linkage, tuple(sorted(variable.attributes)), variable.pointer,
    )  # fmt: skip


class Names:
    """What the names of symbols stand for in one function. `canonical`: a module's name -> the name that it is compared under."""

    def __init__(self, body: Body, canonical: Mapping[str, str]) -> None:
        self.body = body
        self.canonical = canonical
        function = body.function
        self.places = {id(each): ("parameter", place) for place, each in enumerate(function.parameters)}
        self.places |= {id(each): ("result", place) for place, each in enumerate(function.results)}
        self.own = {id(variable) for variable in body.variables}

    def leaf(self, symbol: Symbol, position: int) -> Leaf:
        """The value that a symbol is, its offset aside."""
        found = self.body.scopes[position].find(symbol.name)
        if id(found) in self.places:
            return Leaf(self.places[id(found)])
        if isinstance(found, Variable) and id(found) in self.own:
            return Leaf(("variable", declaration_of(found)), found)
        if isinstance(found, CallPrototype):
            signature = tuple(declaration_of(each) for each in (*found.results, *found.parameters))
            return Leaf(("prototype", len(found.results), signature, repr(found.directives)))
        if isinstance(found, CallTargets):
            return Leaf(("targets", *(self.canonical.get(name, name) for name in found.functions)))
        if isinstance(found, Label):
            return Leaf(("label",))
        if isinstance(found, (Variable, Function)):
            return Leaf(("name", self.canonical.get(symbol.name, symbol.name)))
        return Leaf(("unknown", symbol.name))


def parts_of(operand: Operand) -> tuple[Operand, ...] | None:
    """The operands inside of one; None for what has none."""
    if isinstance(operand, (Vector, Arguments)):
        return operand.elements
    if isinstance(operand, Pair):
        return (operand.first, operand.second)
    if isinstance(operand, (Not, Negated)):
        return (operand.operand,)
    return None


def written_shape(operand: Operand) -> object:
    """The shape of a destination: of registers, their sizes."""
    if isinstance(operand, Register):
        return (operand.type.bits, operand.type.kind == "p", operand.lanes)
    if isinstance(operand, Element):
        return ("element", operand.base.type.bits, operand.base.lanes, operand.name)
    inner = parts_of(operand)
    if inner is not None:
        return (CLASSES[type(operand)], *(written_shape(part) for part in inner))
    return type(operand).__name__
