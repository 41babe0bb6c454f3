"""A function's head: `@px.kernel` with typed parameters where that says the same, else `@px.declare` with the head as text."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.builder.memory.pointers import ptr
from ptxgen.builder.values.scalars import SCALARS
from ptxgen.builder.values.vectors import vec
from ptxgen.ir import Address, Function, Register, Symbol, Variable
from ptxgen.isa.forms import opcodes, opcodes_with
from ptxgen.text.printer import print_module
from ptxgen.transpile.nodes import Step

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.transpile.names import Names
    from ptxgen.transpile.nodes import Node

__all__ = ["Head", "declared_head", "head_text", "kernel_head"]

_ACCESSES = opcodes_with("load") | opcodes_with("store")

_BOUNDS = {
    "maxntid": "max_threads", "reqntid": "threads", "minnctapersm": "min_ctas", "maxnreg": "max_registers",
    "reqnctapercluster": "cluster",
}  # fmt: skip
"""Directive -> parameter of `px.kernel`, in the order in which it writes them."""

_BY_ALIGNMENT = {
    1: ("u8", 1), 2: ("u16", 1), 4: ("u32", 1), 8: ("u64", 1), 16: ("u32", 4), 32: ("u32", 8),
}  # fmt: skip

_OF_BUILDER = re.compile(r"%(p|rs|r|rd|rq|f|fd)\d+")


class Head(NamedTuple):
    """`decorator` and `parameters` as text. `skip`: positions of instructions that the builder writes by itself;
    `forced`: by register number, the name and type of what they leave; `needs`: types that the head names."""

    decorator: str
    parameters: tuple[str, ...]
    skip: frozenset[int] = frozenset()
    forced: dict[int, tuple[str, Any]] = {}  # noqa: RUF012  # never changed
    registers: dict[str, str] = {}  # noqa: RUF012
    needs: frozenset[str] = frozenset()


def kernel_head(function: Function, nodes: list[Node], body: Body, names: Names) -> Head | None:
    """The head as `@px.kernel`; None where the builder would write another, or load parameters elsewhere."""
    decorator = _bounds(function)
    if decorator is None or not function.is_entry or function.linkage != "visible" or function.attributes:
        return None
    last = nodes[-1] if nodes else None
    if not isinstance(last, Step) or last.instruction.op != "ret" or last.instruction.pred is not None:
        return None  # the builder would add one
    if not names.keeps(function.name):
        return None
    steps = iter(nodes)
    skip: set[int] = set()
    forced: dict[int, tuple[str, Any]] = {}
    texts: list[str] = []
    needs: set[str] = set()
    loads = [load for load in body.memory if body.instructions[load].op.startswith("ld.param")]
    for parameter in function.parameters:
        if not names.keeps(parameter.name) or parameter.name in opcodes() or parameter.name == function.name:
            return None
        loaded = _loaded(parameter, steps, body)
        if loaded is None or _mentions(body, parameter.name) != 1:
            return None
        positions, number = loaded
        type_, text = _type(parameter, number, body)
        if type_ is None:
            return None
        skip.update(positions)
        needs.update(re.findall(r"\b[a-z]+\d+\b", text))
        forced[number] = (names.new(parameter.name), type_)
        texts.append(f"{parameter.name}: {text}")
    if len(loads) != len(function.parameters):
        return None
    return Head(decorator, tuple(texts), frozenset(skip), forced, needs=frozenset(needs))


def _bounds(function: Function) -> str | None:
    """The decorator, or None for directives that it cannot say."""
    stated = [directive.name for directive in function.directives]
    if stated != [name for name in _BOUNDS if name in stated]:
        return None
    texts = []
    for directive in function.directives:
        values = directive.arguments
        if not values or not all(isinstance(each, int) for each in values):
            return None
        value = str(values[0]) if len(values) == 1 else f"({', '.join(map(str, values))})"
        texts.append(f"{_BOUNDS[directive.name]}={value}")
    return f"px.kernel({', '.join(texts)})" if texts else "px.kernel"


def _loaded(parameter: Variable, steps: Any, body: Body) -> tuple[list[int], int] | None:
    """The next nodes, where they are what the builder writes to load a parameter: (positions, number of what they leave)."""
    pointer = parameter.pointer is not None
    if parameter.space != "param" or parameter.shape or parameter.vector != 1 or parameter.align is not None:
        return None
    if parameter.pointer is not None and (parameter.pointer[0] != "global" or parameter.type.name != "u64"):
        return None
    load = next(steps, None)
    if not isinstance(load, Step) or load.instruction.pred is not None:
        return None
    if load.instruction.op != f"ld.param.{parameter.type.name}":
        return None
    if load.instruction.operands[1] != Address(Symbol(parameter.name)):
        return None
    number = _made(load, body)
    if number is None or not pointer:
        return None if number is None else ([load.position], number)
    convert = next(steps, None)
    if not isinstance(convert, Step) or convert.instruction.op != "cvta.to.global.u64" or convert.instruction.pred:
        return None
    if body.reads[convert.position] != [number] or sum(numbers.count(number) for numbers in body.reads) != 1:
        return None
    converted = _made(convert, body)
    return None if converted is None else ([load.position, convert.position], converted)


def _made(step: Step, body: Body) -> int | None:
    """The number of the register that an instruction alone writes."""
    target = step.instruction.operands[0]
    if not isinstance(target, Register) or target.lanes > 1:
        return None
    number = body.number(target, step.position)
    if number is None or sum(number in numbers for numbers in body.writes) != 1:
        return None
    return number


def _mentions(body: Body, name: str) -> int:
    """How often an address names a parameter; 2 where anything else does."""
    count = 0
    for instruction in body.instructions:
        for operand in instruction.operands:
            if isinstance(operand, Symbol) and operand.name == name:
                return 2
            if isinstance(operand, Address) and isinstance(operand.base, Symbol) and operand.base.name == name:
                count += 1
    return count


def _type(parameter: Variable, number: int, body: Body) -> tuple[Any, str]:
    """The type of a parameter, and its text; (None, "") where none stands for it."""
    if parameter.pointer is None:
        type_ = SCALARS.get(parameter.type.name)
        register = body.registers[number]
        if type_ is None or type_.memory != parameter.type.name or type_.storage.bits != register.type.bits:
            return None, ""
        return type_, parameter.type.name
    name, lanes = _element(parameter.pointer[1], number, body)
    if not name:
        return None, ""
    if lanes == 1:
        return ptr.__class_getitem__(SCALARS[name]), f"px.ptr[{name}]"
    return ptr.__class_getitem__(vec.__class_getitem__((SCALARS[name], lanes))), f"px.ptr[px.vec[{name}, {lanes}]]"


def _element(alignment: int | None, number: int, body: Body) -> tuple[str, int]:
    """What a pointer is to: elements of the size that it is aligned to, of the type that is accessed most often there."""
    known = _BY_ALIGNMENT.get(alignment or 0)
    if known is None:
        return "", 1
    near = {number}
    for reads, writes, instruction in zip(body.reads, body.writes, body.instructions):
        if number in reads and len(writes) == 1 and instruction.opcode in ("mad", "add"):
            near.add(writes[0])
    found: Counter[str] = Counter()
    for position in body.memory:
        instruction = body.instructions[position]
        words = instruction.op.split(".")
        if instruction.opcode in _ACCESSES and "global" in words and not near.isdisjoint(body.reads[position]):
            type_ = SCALARS.get(words[-1])
            if type_ is not None and type_.isa.bytes * known[1] == alignment:
                found[words[-1]] += 1
    return (found.most_common(1)[0][0] if found else known[0]), known[1]


def declared_head(function: Function, names: Names) -> Head:
    """The head as `@px.declare`: registers among results and parameters are arguments of the Python function."""
    registers: dict[str, str] = {}

    def kept(variables: tuple[Variable, ...]) -> tuple[Variable, ...]:
        found = []
        for each in variables:
            if each.space == "reg":
                registers[each.name] = names.new(each.name)
                if _OF_BUILDER.fullmatch(each.name):
                    each = Variable("reg", each.type, f"{each.name}_in", shape=each.shape, vector=each.vector)
            found.append(each)
        return tuple(found)

    results = kept(function.results)
    made = Function(
        function.name,
        is_entry=function.is_entry,
        results=results,
        parameters=kept(function.parameters),
        linkage=function.linkage,
        directives=function.directives,
        attributes=function.attributes,
    )
    return Head(f"px.declare({head_text(made)})", tuple(registers.values()), registers=registers)


def head_text(function: Function) -> str:
    """A function's head as a Python string."""
    from ptxgen.ir import Module
    from ptxgen.transpile.writing import quoted

    empty = print_module(Module((9, 0), "sm_90"))
    text = print_module(Module((9, 0), "sm_90", [function]))[len(empty) :].strip()
    if function.body is None and text.endswith(";"):
        text = text[:-1]
    joined = re.sub(r"\(\s+", "(", re.sub(r"\s+\)", ")", " ".join(text.split())))
    if len(joined) <= 100 or '"' in joined:
        return quoted(joined)
    rows = text.expandtabs(4).split("\n")
    return '"""\n' + "\n".join(f"    {row}" for row in rows) + '\n"""'
