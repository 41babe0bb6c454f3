"""What a module becomes on this device: its variables, which of its kernels run, and the code of each kernel.

A driver asks for the outline when it loads a module, and for a kernel when that is first launched (`ptxgen.cpu.program`).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.handles import initial_record
from ptxgen.cpu.lower.context import Static
from ptxgen.cpu.lower.kernel_text import lower_kernel
from ptxgen.cpu.normalize.functions import ModuleFunctions
from ptxgen.cpu.normalize.statements import flatten
from ptxgen.cpu.normalize.variables import layout_parameters
from ptxgen.cpu.refusals import Survey
from ptxgen.cpu.relocatable import (
    KernelOutline,
    ProgramOutline,
    RelocatableKernel,
    RelocatableVariable,
    Relocation,
)
from ptxgen.cpu.unsupported import UndefinedError, undefined, unsupported
from ptxgen.errors import UnsupportedError
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.cpu.flat import FlatKernel

__all__ = ["compile_kernel", "flattened", "outline"]

BOUNDS = ("reqntid", "maxntid", "minnctapersm", "maxnreg", "reqnctapercluster", "explicitcluster", "maxclusterrank")
"""Directives that say how a kernel may be launched."""


def outline(module: ir.Module, *, lower_all: bool = False) -> tuple[ProgramOutline, dict[str, RelocatableKernel]]:
    """A legal module but for the code of its kernels, and those kernels that had to be compiled to know whether they run.

    A kernel that this device does not run is among `refused`, alone. Raises UnsupportedError where that is so of every kernel,
    and UndefinedError for a name that nothing defines, which a GPU's driver does not load either. With `lower_all`, every kernel
    is compiled, so that the module need not be legal.
    """
    if module.address_size != 64:
        raise unsupported(f"modules with .address_size {module.address_size}", hint=".address_size 64")
    variables = _relocatable_variables(module)
    survey = Survey(module)
    kernels, refused = [], []
    compiled: dict[str, RelocatableKernel] = {}
    for entry in module.entries:
        if entry.body is None:
            continue
        try:
            if lower_all or not survey.surely_runs(entry):
                compiled[entry.name] = _compiled(module, entry, variables, frozenset())
        except UndefinedError:
            raise
        except UnsupportedError as reason:
            refused.append((entry.name, tuple(reason.diagnostics)))
        else:
            kernels.append(KernelOutline(entry.name, *layout_parameters(entry.parameters), _bounds(entry)))
    if refused and not kernels:
        raise UnsupportedError(diagnostics=[finding for _, reasons in refused for finding in reasons])
    in_global, in_const = (sum(v.size for v in module.variables if v.space == space) for space in ("global", "const"))
    return ProgramOutline(module.target, in_global, in_const, variables, tuple(kernels), tuple(refused)), compiled


def compile_kernel(
    module: ir.Module,
    name: str,
    variables: tuple[RelocatableVariable, ...],
    tools: frozenset[str],
    lanes: int = 0,
) -> RelocatableKernel:
    """The code of one kernel of a module with these variables, watched by these tools of the sanitizer, the profile or the
    debugger, or for so many lanes at once. Raises UnsupportedError."""
    return _compiled(module, _entry(module, name), variables, tools, lanes)


def flattened(module: ir.Module, name: str) -> tuple[ir.Function, FlatKernel]:
    """A kernel of the module, and its operations in the order of the numbers that its code tells."""
    entry = _entry(module, name)
    return entry, flatten(module, entry, dict(_symbols(module)))


def _entry(module: ir.Module, name: str) -> ir.Function:
    return next(entry for entry in module.entries if entry.name == name and entry.body is not None)


def _compiled(
    module: ir.Module,
    entry: ir.Function,
    variables: tuple[RelocatableVariable, ...],
    tools: frozenset[str],
    lanes: int = 0,
) -> RelocatableKernel:
    statics = {v.symbol: Static(v.space, v.nbytes) for v in variables}
    flat = flatten(module, entry, dict(_symbols(module)))
    code = lower_kernel(flat, statics, tools, lanes)
    barriers = any(i.opcode in opcodes_with("barrier") for i in entry.instructions())
    return RelocatableKernel(
        flat.name, flat.shared_bytes, flat.local_bytes, flat.local_stride, barriers, code, code.text.count("\n"), b""
    )


def _bounds(entry: ir.Function) -> dict[str, tuple[int, ...]]:
    stated = [(name, entry.directive(name)) for name in BOUNDS]
    return {name: tuple(int(n) for n in found.arguments) for name, found in stated if found is not None}


def _variables(module: ir.Module) -> Iterator[tuple[str, ir.Variable]]:
    """(name, variable) of all .global and .const variables; those of bodies have none."""
    for variable in module.variables:
        if variable.space in ("global", "const"):
            yield variable.name, variable
    for function in module.functions:
        stack = [function.body] if function.body is not None else []
        while stack:
            for statement in stack.pop():
                if isinstance(statement, ir.Block):
                    stack.append(statement)
                elif isinstance(statement, ir.Variable) and statement.space in ("global", "const"):
                    yield "", statement


def _symbols(module: ir.Module) -> Iterator[tuple[int, str]]:
    """(id of a variable, its symbol): a name that no function of generated code has."""
    for number, (name, variable) in enumerate(_variables(module)):
        yield id(variable), f":{name}" if name else f":{variable.name}:{number}"


def _relocatable_variables(module: ir.Module) -> tuple[RelocatableVariable, ...]:
    symbols = dict(_symbols(module))
    by_name = {name: symbols[id(variable)] for name, variable in _variables(module) if name}
    functions = ModuleFunctions(module)
    found = []
    for name, variable in _variables(module):
        if variable.linkage == "extern" and variable.init is None:
            raise undefined(f"the variable {variable.name!r} of another module", variable.source)
        if variable.type.kind == "o":
            record = bytes(initial_record(variable))
            found.append(RelocatableVariable(symbols[id(variable)], name, variable.type.name, 0, 1, record, ()))
            continue
        relocations: list[Relocation] = []
        data = bytearray()
        if variable.init is not None:  # zero where no value is given (manual 5.4.4)
            _write(variable.init, variable, by_name, functions, data, relocations)
        found.append(
            RelocatableVariable(
                symbols[id(variable)],
                name,
                variable.space,
                max(variable.size, 1),
                variable.alignment,
                bytes(data),
                tuple(relocations),
            )
        )
    return tuple(found)


def _write(
    init: ir.program.Initializer,
    variable: ir.Variable,
    symbols: dict[str, str],
    functions: ModuleFunctions,
    data: bytearray,
    relocations: list[Relocation],
) -> None:
    """Appends the initialiser's bytes, in order (manual 5.4.4)."""
    width = variable.type.bytes
    if isinstance(init, tuple):
        for element in init:
            _write(element, variable, symbols, functions, data, relocations)
    elif isinstance(init, ir.Immediate):
        data += _encode(init, variable)
    else:
        inner = init.symbol if isinstance(init, ir.Masked) else init
        symbol = inner.symbol if isinstance(inner, ir.Generic) else inner
        mask = init.mask if isinstance(init, ir.Masked) else -1
        if symbol.name in symbols:
            relocations.append(Relocation(len(data), width, symbols[symbol.name], symbol.offset, mask))
        elif symbol.name in functions.named:
            address = functions.address(symbol.name) + symbol.offset
            relocations.append(Relocation(len(data), width, "", address, mask))
        else:
            raise unsupported(f"the address of {symbol.name!r} as an initial value", variable.source)
        data += bytes(width)


def _encode(value: ir.Immediate, variable: ir.Variable) -> bytes:
    name, width = variable.type.name, variable.type.bytes
    if value.kind == "int" and not variable.type.is_float:
        return (value.value & ((1 << 8 * width) - 1)).to_bytes(width, "little")
    if name == "f64":
        return struct.pack("<d", value.as_float())
    if name == "f32":
        return value.value.to_bytes(4, "little") if value.kind == "f32" else struct.pack("<f", value.as_float())
    if value.kind == "int":
        return (value.value & ((1 << 8 * width) - 1)).to_bytes(width, "little")
    raise unsupported(f"a floating-point initial value of type .{name}", variable.source)
