"""What the PTX shows of a kernel's parameters: which are addresses of memory, and what is loaded and stored there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.compilation import flattened
from ptxgen.cpu.flat import FlatAddress, Reg
from ptxgen.cpu.sanitizer.provenance import origin_of, origins
from ptxgen.errors import UnsupportedError
from ptxgen.ir import Alias, Function, Module, Sink, Variable
from ptxgen.ir.node import Node
from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.cpu.flat import FlatOperand
    from ptxgen.ir import Instruction

__all__ = ["Usage", "depends_on_order", "only_kernel", "parameter_usage", "uses_dynamic_shared"]


class Usage(NamedTuple):
    """Of one parameter: whether it is an address; the type of what is accessed there, "" where none is seen; the first
    instruction that writes there."""

    is_pointer: bool = False
    element: str = ""
    writer: Instruction | None = None


def only_kernel(module: Module, name: str) -> Module:
    """The module with one kernel, and the functions and variables that it leads to: others cost time and are not hunted in, and
    where this device does not run one of them, that is no matter."""
    named: dict[str, list[Node]] = {}
    for item in module.items:
        if isinstance(item, (Function, Variable, Alias)):
            named.setdefault(item.name, []).append(item)
    kept, left = {name}, [name]
    while left:
        for word in _words_in(named[left.pop()]):
            if word in named and word not in kept:
                kept.add(word)
                left.append(word)
    items = [item for item in module.items if not isinstance(item, (Function, Variable, Alias)) or item.name in kept]
    return Module(
        module.version, module.target, items, target_options=module.target_options, address_size=module.address_size,
        name=module.name,
    )  # fmt: skip


def _words_in(items: list[Node]) -> Iterator[str]:
    """Every text in a part of a program, names of functions and variables among them."""
    stack: list[object] = [*items]
    while stack:
        each = stack.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, Node):
            stack += [getattr(each, field) for field in each._fields]
        elif isinstance(each, (tuple, list)):
            stack += each


def parameter_usage(module: Module, entry: Function) -> list[Usage]:
    """One for each parameter, in order."""
    found = [Usage(parameter.pointer is not None) for parameter in entry.parameters]
    try:
        flat = flattened(module, entry.name)[1]
    except UnsupportedError:
        return found
    known = origins(flat)
    pointers = {offset: number for number, (_, offset, size) in enumerate(flat.parameters) if size == 8}
    for op in flat.ops:
        if op.opcode == "cvta":
            target = op.operands[0]
            for origin in known.get(target, ()) if isinstance(target, Reg) else ():
                if origin.space == "param" and origin.offset in pointers:
                    number = pointers[origin.offset]
                    found[number] = found[number]._replace(is_pointer=True)
        for place in _addresses(op.operands):
            named = origin_of(place, flat, known)
            if named is None or named.space != "param" or named.offset not in pointers:
                continue
            number = pointers[named.offset]
            usage = found[number]
            writes = op.opcode in opcodes_with("store", "atomic")
            type = next((word for word in reversed(op.op.split(".")) if word in TYPES), "")
            found[number] = Usage(True, usage.element or type, usage.writer or (op.origin if writes else None))
    return found


def _addresses(operands: tuple[FlatOperand, ...]) -> Iterator[FlatAddress]:
    for operand in operands:
        if isinstance(operand, FlatAddress) and operand.frame is None:
            yield operand


_CLOCKS = frozenset({"clock", "clock64", "clock_hi", "globaltimer", "globaltimer_lo", "globaltimer_hi"})


def depends_on_order(module: Module) -> str:
    """Why results may rightly differ between schedules: an instruction that tells in which order threads ran; "" for none."""
    for function in module.functions:
        for instruction in function.instructions():
            words = instruction.op.split(".")
            if words[0] in opcodes_with("atomic"):
                if any(word in TYPES and TYPES[word].is_float for word in words):
                    return f"{instruction.op} adds floats in whatever order threads come"
                if words[0] == "atom" and not isinstance(instruction.operands[0], Sink):
                    return f"{instruction.op} gives what was there before, which depends on who came first"
            if any(getattr(operand, "name", "").lstrip("%") in _CLOCKS for operand in instruction.operands):
                return f"{instruction.op} reads a clock"
    return ""


def uses_dynamic_shared(module: Module) -> bool:
    """Is there shared memory whose size the launch states?"""
    return any(v.space == "shared" and v.linkage == "extern" for v in module.variables)
