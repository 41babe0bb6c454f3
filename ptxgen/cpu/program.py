"""A module made ready for this device: first a relocatable program, which depends on the PTX alone; then its variables get
addresses in the arena, and its kernels can be launched. Each kernel is compiled when it is first asked for; what compiles is
imported then."""

from __future__ import annotations

import os

from driver_ctypes.primitives import RLock
from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.cpu.executable import Kernel, KernelOperations
from ptxgen.cpu.relocatable import ProgramOutline, RelocatableKernel
from ptxgen.isa.products import PLAIN
from ptxgen.stores import current_store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ptxgen import ir
    from ptxgen.cpu.arena import Arena
    from ptxgen.isa.products import Product

__all__ = ["LoadedProgram", "RelocatableProgram", "compile_module", "compile_relocatable", "relocatable"]

_MEMORY = ("global", "const")
"""Spaces of variables that are memory; the others hold handles."""

_compiling = RLock()
"""Held while Python makes the code of a kernel: a fork waits for that, so that no child finds it half done."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_compiling.acquire, after_in_parent=_compiling.release, after_in_child=_compiling.release
    )


class RelocatableProgram:
    """A module wherever its variables will lie: its outline, and the code of its kernels, each made when somebody asks for it.

    `module` gives the program; `key` is what its code is kept under on disk, "" where it is not; `compiled` are kernels whose
    code is there already.
    """

    def __init__(
        self,
        outline: ProgramOutline,
        module: Callable[[], ir.Module],
        key: str = "",
        compiled: Mapping[str, RelocatableKernel] | None = None,
    ) -> None:
        self.outline = outline
        self.key = key
        self._module = module
        self._kernels = {(name, frozenset[str]()): kernel for name, kernel in (compiled or {}).items()}
        self._operations: dict[str, KernelOperations] = {}

    def kernel(self, name: str, tools: frozenset[str] = frozenset()) -> RelocatableKernel:
        """The code of a kernel, watched by these tools. Raises UnsupportedError where only now it turns out that this device does
        not run it."""
        found = self._kernels.get((name, tools))
        if found is None:
            with _compiling:
                found = self._kernels.get((name, tools)) or self._kept(name, tools)
                self._kernels[name, tools] = found
        return found

    def _kept(self, name: str, tools: frozenset[str]) -> RelocatableKernel:
        """What an earlier process has left, else made now and kept."""
        store = current_store() if self.key else None
        parts = ("kernel", self.key, name, *sorted(tools))
        left = store.get(*parts) if store is not None else None
        if left is not None:
            return RelocatableKernel.unpack(left)
        from ptxgen.cpu.compilation import compile_kernel

        made = compile_kernel(self._module(), name, self.outline.variables, tools)
        if store is not None:
            store.put(made.pack(), *parts)
        return made

    def lowered(self, name: str, tools: frozenset[str], lanes: int) -> RelocatableKernel:
        """The code of a kernel, watched by these tools, that runs so many lanes at once. It is compiled at once, and not kept."""
        from ptxgen.cpu.compilation import compile_kernel

        with _compiling:
            return compile_kernel(self._module(), name, self.outline.variables, tools, lanes)

    @property
    def kernels(self) -> tuple[RelocatableKernel, ...]:
        """The code of all."""
        return tuple(self.kernel(each.name) for each in self.outline.kernels)

    def operations(self, name: str) -> KernelOperations:
        """The operations of a kernel, whose numbers its code tells. Found anew, since only messages ask for them."""
        found = self._operations.get(name)
        if found is None:
            from ptxgen.cpu.compilation import flattened
            from ptxgen.dataflow.bodies.source_lines import files_of

            module = self._module()
            entry, flat = flattened(module, name)
            found = self._operations[name] = KernelOperations(
                flat.ops,
                files_of(module),
                flat.shared_variables,
                flat.regs,
                flat.local_variables,
                entry.parameters,
                flat.stack_calls,
            )
        return found


class LoadedProgram:
    """The kernels and variables of a module. `globals` maps a .global or .const variable to (address, bytes), `images` a .texref,
    .surfref or .samplerref to its handle, `refused` a kernel that this device does not run to the reasons.

    `product`: the device that it runs on. Raises MemoryError when the variables do not fit.
    """

    def __init__(self, relocatable: RelocatableProgram, arena: Arena, *, product: Product = PLAIN) -> None:
        self.arena = arena
        self.relocatable = relocatable
        self.kernels: dict[str, Kernel] = {}
        self.refused = dict(relocatable.outline.refused)
        self.globals: dict[str, tuple[int, int]] = {}
        self.images: dict[str, int] = {}
        self._blocks: list[int] = []
        try:
            addresses = self._place_variables()
        except BaseException:
            self.close()
            raise
        for kernel in relocatable.outline.kernels:
            self.kernels[kernel.name] = Kernel(kernel, arena, addresses, relocatable, product)

    def _place_variables(self) -> dict[str, int]:
        addresses: dict[str, int] = {}
        for v in self.relocatable.outline.variables:
            if v.space not in _MEMORY:
                from ptxgen.cpu.textures import ImageRecord

                handle = self.arena.textures().add(ImageRecord.from_buffer_copy(v.data))
                self.images[v.name] = addresses[v.symbol] = handle
                continue
            address = self.arena.allocate(v.nbytes, v.alignment, read_only=v.space == "const")
            self._blocks.append(address)
            addresses[v.symbol] = address
            if v.name:
                self.globals[v.name] = (address, v.nbytes)
        for v in self.relocatable.outline.variables:
            if v.space not in _MEMORY:
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


def relocatable(module: ir.Module, key: str = "") -> RelocatableProgram:
    """What a legal module becomes on this device: which kernels run is known, and their code made on demand.

    A kernel that this device does not run is among the outline's `refused`, alone. Raises UnsupportedError where that is so of
    every kernel, and UndefinedError for a name that nothing defines, which a GPU's driver does not load either.
    """
    from ptxgen.cpu.compilation import outline
    from ptxgen.cpu.rt.libraries import warm_up

    warm_up()
    found, compiled = outline(module)
    return RelocatableProgram(found, lambda: module, key, compiled)


def compile_relocatable(module: ir.Module) -> RelocatableProgram:
    """The same with the code of all kernels made now: of any module that was parsed, legal or not."""
    from ptxgen.cpu.compilation import outline

    found, compiled = outline(module, lower_all=True)
    return RelocatableProgram(found, lambda: module, compiled=compiled)


def compile_module(module: ir.Module, arena: Arena) -> LoadedProgram:
    """Makes every kernel of a module ready to launch and allocates its variables.

    Raises UnsupportedError, naming the instruction and its line, where this device runs none of the kernels; MemoryError when
    the variables do not fit.
    """
    return LoadedProgram(compile_relocatable(module), arena)
