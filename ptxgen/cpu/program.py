"""A module made ready for this device: its variables in the arena, its kernels lowered."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.kernel import Kernel
from ptxgen.cpu.lower.context import Static
from ptxgen.cpu.lower.function import lower_kernel
from ptxgen.cpu.normalize import flatten
from ptxgen.cpu.rt.library import warm_up
from ptxgen.cpu.unsupported import undefined, unsupported

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.cpu.arena import Arena

__all__ = ["Program", "compile_module"]


class Program:
    """The kernels and variables of a module. `globals` maps a .global or .const variable to (address, bytes)."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.kernels: dict[str, Kernel] = {}
        self.globals: dict[str, tuple[int, int]] = {}
        self._blocks: list[int] = []

    def close(self) -> None:
        """Frees the module's variables and its kernels' memory; its kernels must not be launched again."""
        for kernel in self.kernels.values():
            kernel.close()
        blocks, self._blocks = self._blocks, []
        if self.arena.is_open:
            for block in blocks:
                self.arena.free(block)


def compile_module(module: ir.Module, arena: Arena) -> Program:
    """Makes every kernel of a module ready to launch and allocates its variables.

    Raises UnsupportedError, naming the instruction and its line, for what this device does not run; MemoryError when the
    variables do not fit.
    """
    if module.address_size != 64:
        raise unsupported(f"modules with .address_size {module.address_size}", hint=".address_size 64")
    warm_up()
    program = Program(arena)
    try:
        addresses, statics = _place_variables(module, program)
        for entry in module.entries:
            if entry.body is not None:
                flat = flatten(module, entry, addresses)
                program.kernels[entry.name] = Kernel(entry, flat, lower_kernel(flat, statics), arena)
    except BaseException:
        program.close()
        raise
    return program


def _variables(module: ir.Module) -> Iterator[tuple[str, ir.Variable]]:
    """(key, variable) of all .global and .const variables: by name in the module, by identity in bodies."""
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
                    yield f"{id(statement)}", statement


def _place_variables(module: ir.Module, program: Program) -> tuple[dict[str, int], dict[str, Static]]:
    addresses: dict[str, int] = {}
    statics: dict[str, Static] = {}
    placed: list[tuple[ir.Variable, int]] = []
    for key, variable in _variables(module):
        if variable.linkage == "extern" and variable.init is None:
            raise undefined(f"the variable {variable.name!r} of another module", variable.source)
        if variable.type.kind == "o":
            raise unsupported(f"the .{variable.type.name} {variable.name!r}", variable.source)
        size = max(variable.size, 1)
        address = program.arena.allocate(size, variable.alignment, read_only=variable.space == "const")
        program._blocks.append(address)
        addresses[key] = address
        statics[variable.name] = Static(variable.space, address, size)
        if key == variable.name:
            program.globals[key] = (address, size)
        placed.append((variable, address))
    for variable, address in placed:  # zero where no value is given (manual 5.4.4)
        data = b"" if variable.init is None else b"".join(_bytes(variable.init, variable, addresses))
        size = max(variable.size, 1)
        program.arena.raw(address, size)[:] = data.ljust(size, b"\0")
    return addresses, statics


def _bytes(init: ir.program.Initializer, variable: ir.Variable, addresses: dict[str, int]) -> Iterator[bytes]:
    """The initialiser's bytes, in order (manual 5.4.4)."""
    width = variable.type.bytes
    if isinstance(init, tuple):
        for element in init:
            yield from _bytes(element, variable, addresses)
    elif isinstance(init, ir.Immediate):
        yield _encode(init, variable)
    else:
        inner = init.symbol if isinstance(init, ir.Masked) else init
        symbol = inner.symbol if isinstance(inner, ir.Generic) else inner
        if symbol.name not in addresses:
            raise unsupported(f"the address of {symbol.name!r} as an initial value", variable.source)
        address = addresses[symbol.name] + symbol.offset
        if isinstance(init, ir.Masked):
            address = (address & init.mask) >> (((init.mask & -init.mask).bit_length() - 1) // 8 * 8)
        yield (address & ((1 << 8 * width) - 1)).to_bytes(width, "little")


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
