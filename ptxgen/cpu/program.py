"""A module made ready for this device: first a relocatable program, which depends on the PTX alone; then its variables get
addresses in the arena, and its kernels can be launched. What compiles is imported when something is compiled."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.executable import Kernel, KernelOperations
from ptxgen.cpu.handles import HANDLES, initial_record
from ptxgen.cpu.normalize.functions import ModuleFunctions
from ptxgen.cpu.relocatable import RelocatableKernel, RelocatableProgram, RelocatableVariable, Relocation
from ptxgen.cpu.textures import ImageRecord
from ptxgen.cpu.unsupported import UndefinedError, undefined, unsupported
from ptxgen.errors import UnsupportedError
from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.products import PLAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.cpu.arena import Arena
    from ptxgen.cpu.lower.context import Static
    from ptxgen.isa.products import Product

__all__ = ["LoadedProgram", "compile_module", "compile_relocatable", "variable_symbols"]

BOUNDS = ("reqntid", "maxntid", "minnctapersm", "maxnreg", "reqnctapercluster", "explicitcluster", "maxclusterrank")
"""Directives that say how a kernel may be launched."""


class LoadedProgram:
    """The kernels and variables of a module. `globals` maps a .global or .const variable to (address, bytes), `images` a .texref,
    .surfref or .samplerref to its handle, `refused` a kernel that this device does not run to the reasons.

    `module` gives the program, for messages; `key` is what its code is kept under on disk, "" where it is not;
    `product` the device that it runs on. Raises MemoryError when the variables do not fit.
    """

    def __init__(
        self,
        relocatable: RelocatableProgram,
        arena: Arena,
        module: Callable[[], ir.Module],
        key: str = "",
        *,
        product: Product = PLAIN,
    ) -> None:
        self.arena = arena
        self.relocatable = relocatable
        self.kernels: dict[str, Kernel] = {}
        self.refused = dict(relocatable.refused)
        self.globals: dict[str, tuple[int, int]] = {}
        self.images: dict[str, int] = {}
        self._module = module
        self._operations_of: dict[str, KernelOperations] = {}
        self._blocks: list[int] = []
        try:
            addresses = self._place_variables()
        except BaseException:
            self.close()
            raise
        for kernel in relocatable.kernels:
            made = Kernel(kernel, arena, addresses, self._operations, key, self._lowered, product)
            self.kernels[kernel.name] = made

    def _place_variables(self) -> dict[str, int]:
        addresses: dict[str, int] = {}
        for v in self.relocatable.variables:
            if v.space in HANDLES:
                handle = self.arena.textures().add(ImageRecord.from_buffer_copy(v.data))
                self.images[v.name] = addresses[v.symbol] = handle
                continue
            address = self.arena.allocate(v.nbytes, v.alignment, read_only=v.space == "const")
            self._blocks.append(address)
            addresses[v.symbol] = address
            if v.name:
                self.globals[v.name] = (address, v.nbytes)
        for v in self.relocatable.variables:
            if v.space in HANDLES:
                continue
            data = bytearray(v.data.ljust(v.nbytes, b"\0"))
            for link in v.relocations:
                shift = ((link.mask & -link.mask).bit_length() - 1) // 8 * 8
                base = addresses[link.symbol] if link.symbol else 0
                value = ((base + link.addend) & link.mask) >> shift
                data[link.at : link.at + link.nbytes] = (value & ((1 << 8 * link.nbytes) - 1)).to_bytes(
                    link.nbytes, "little"
                )
            self.arena.raw(addresses[v.symbol], v.nbytes)[:] = data
            self.arena.note_written(addresses[v.symbol], v.nbytes)
        return addresses

    def _operations(self, name: str) -> KernelOperations:
        """The operations of a kernel, whose numbers its code tells. Found anew, since only messages ask for them."""
        from ptxgen.cpu.normalize.statements import flatten
        from ptxgen.dataflow.bodies.source_lines import files_of

        found = self._operations_of.get(name)
        if found is None:
            module = self._module()
            entry = next(entry for entry in module.entries if entry.name == name)
            flat = flatten(module, entry, dict(variable_symbols(module)))
            found = self._operations_of[name] = KernelOperations(
                flat.ops,
                files_of(module),
                flat.shared_variables,
                flat.regs,
                flat.local_variables,
                entry.parameters,
                flat.stack_calls,
            )
        return found

    def _lowered(self, name: str, tools: frozenset[str], lanes: int) -> RelocatableKernel:
        """A kernel lowered once more: for tools of the sanitizer, or to run so many lanes at once."""
        from ptxgen.cpu.lower.context import Static

        module = self._module()
        entry = next(entry for entry in module.entries if entry.name == name and entry.body is not None)
        statics = {v.symbol: Static(v.space, v.nbytes) for v in self.relocatable.variables}
        return _plan_kernel(module, entry, dict(variable_symbols(module)), statics, tools, lanes)

    def close(self) -> None:
        """Frees the module's variables and its kernels' memory; its kernels must not be launched again."""
        for kernel in self.kernels.values():
            kernel.close()
        blocks, self._blocks = self._blocks, []
        if self.arena.is_open:
            for block in blocks:
                self.arena.free(block)
            for name in list(self.images):
                self.arena.textures().remove(self.images.pop(name))


def compile_module(module: ir.Module, arena: Arena) -> LoadedProgram:
    """Makes every kernel of a module ready to launch and allocates its variables.

    Raises UnsupportedError, naming the instruction and its line, where this device runs none of the kernels; MemoryError when
    the variables do not fit.
    """
    return LoadedProgram(compile_relocatable(module), arena, lambda: module)


def compile_relocatable(module: ir.Module) -> RelocatableProgram:
    """What a module becomes on this device, wherever its variables will lie.

    A kernel that this device does not run is among `refused`, alone. Raises UnsupportedError where that is so of every kernel,
    and UndefinedError for a name that nothing defines, which a GPU's driver does not load either.
    """
    if module.address_size != 64:
        raise unsupported(f"modules with .address_size {module.address_size}", hint=".address_size 64")
    from ptxgen.cpu.lower.context import Static
    from ptxgen.cpu.rt.libraries import warm_up

    warm_up()
    variables = _relocatable_variables(module)
    statics = {v.symbol: Static(v.space, v.nbytes) for v in variables}
    symbols = dict(variable_symbols(module))
    kernels, refused = [], []
    for entry in module.entries:
        if entry.body is None:
            continue
        try:
            kernels.append(_plan_kernel(module, entry, symbols, statics))
        except UndefinedError:
            raise
        except UnsupportedError as reason:
            refused.append((entry.name, tuple(reason.diagnostics)))
    if refused and not kernels:
        raise UnsupportedError(diagnostics=[finding for _, reasons in refused for finding in reasons])
    sizes = [sum(v.size for v in module.variables if v.space == space) for space in ("global", "const")]
    return RelocatableProgram(module.target, sizes[0], sizes[1], variables, tuple(kernels), tuple(refused))


def _plan_kernel(
    module: ir.Module,
    entry: ir.Function,
    symbols: dict[int, str],
    statics: dict[str, Static],
    tools: frozenset[str] = frozenset(),
    lanes: int = 0,
) -> RelocatableKernel:
    from ptxgen.cpu.lower.kernel_text import lower_kernel
    from ptxgen.cpu.normalize.statements import flatten

    flat = flatten(module, entry, symbols)
    code = lower_kernel(flat, statics, tools, lanes)
    stated = [(name, entry.directive(name)) for name in BOUNDS]
    bounds = {name: tuple(int(n) for n in found.arguments) for name, found in stated if found is not None}
    barriers = any(i.opcode in opcodes_with("barrier") for i in entry.instructions())
    return RelocatableKernel(
        flat.name, flat.parameters, flat.parameter_bytes, flat.shared_bytes, flat.local_bytes, flat.local_stride, bounds,
        barriers, code, code.text.count("\n"), b"",
    )  # fmt: skip


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


def variable_symbols(module: ir.Module) -> Iterator[tuple[int, str]]:
    """(id of a variable, its symbol): a name that no function of generated code has."""
    for number, (name, variable) in enumerate(_variables(module)):
        yield id(variable), f":{name}" if name else f":{variable.name}:{number}"


def _relocatable_variables(module: ir.Module) -> tuple[RelocatableVariable, ...]:
    symbols = dict(variable_symbols(module))
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
