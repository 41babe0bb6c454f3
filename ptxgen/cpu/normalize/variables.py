"""Where variables lie: in a kernel's shared memory, in a thread's local memory, behind the symbol of a module's variable.
`.param` variables of bodies become registers where their accesses allow it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.flat import FlatAddress, LocalVariable, ParamVariable, SharedVariable
from ptxgen.cpu.unsupported import unsupported
from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ptxgen import ir
    from ptxgen.cpu.flat import FlatKernel, Op
    from ptxgen.cpu.normalize.activation import Activation
    from ptxgen.cpu.normalize.writer import Writer

__all__ = ["Variables", "layout_parameters"]


def layout_parameters(parameters: tuple[ir.Variable, ...]) -> tuple[tuple[tuple[str, int, int], ...], int]:
    """((name, offset, size) of each parameter, bytes of all): aligned one after the other (manual 5.1.6.1)."""
    rows, end = [], 0
    for p in parameters:
        offset = -(-end // p.alignment) * p.alignment
        rows.append((p.name, offset, p.size))
        end = offset + p.size
    return tuple(rows), end


class Variables:
    """Those of one kernel and its functions. `symbols` names each .global and .const variable by its `id`."""

    def __init__(self, module: ir.Module, kernel: FlatKernel, symbols: Mapping[int, str]) -> None:
        self._kernel = kernel
        self._symbols = symbols
        self._module = {v.name: v for v in module.variables}
        self._shared: dict[int, FlatAddress] = {}  # id of a variable -> its place
        self._dynamic: list[FlatAddress] = []
        self._dynamic_align = 1
        self._frames: list[tuple[ParamVariable, Activation | None]] = []

    def of_module(self, name: str) -> FlatAddress | None:
        """The place of a module's variable; None where there is no such."""
        variable = self._module.get(name)
        return None if variable is None else self._place(variable, f"variables in .{variable.space} space")

    def of_body(self, variable: ir.Variable, function: str, activation: Activation | None) -> FlatAddress:
        """The place of a variable that a function declares."""
        if variable.space == "local":
            base = None if activation is None else activation.frame_pointer
            offset = self._allocate_local(variable.size, variable.alignment, activation)
            self._kernel.local_variables.append(LocalVariable(function, variable.name, offset, variable.size, base))
            return FlatAddress("local", base, offset, variable.name)
        if variable.space == "param":
            return self.frame(variable.name, variable.size, variable.alignment, activation)
        return self._place(variable, f"a .{variable.space} variable in a function")

    def frame(self, name: str, size: int, align: int, activation: Activation | None) -> FlatAddress:
        """The place of a new `.param` variable, known when all its accesses are."""
        frame = ParamVariable(name, size, align, base=None if activation is None else activation.frame_pointer)
        self._frames.append((frame, activation))
        return FlatAddress("param", None, 0, name, frame)

    def moved(self, place: FlatAddress, offset: int) -> FlatAddress:
        """So many bytes behind a place."""
        found = place.plus(offset)
        if place in self._dynamic:
            self._dynamic.append(found)
        return found

    def note_accesses(self, op: Op) -> None:
        """How an operation uses `.param` variables of bodies."""
        for operand in op.operands:
            if isinstance(operand, FlatAddress) and operand.frame is not None:
                modifiers = op.op.split(".")
                type = TYPES.get(modifiers[-1])
                if modifiers[0] not in opcodes_with("load", "store") or type is None:
                    operand.frame.exposed = True
                    continue
                count = next((int(m[1:]) for m in modifiers if m in ("v2", "v4", "v8")), 1)
                for index in range(count):
                    operand.frame.accesses.add((operand.offset + index * type.bytes, type.bytes))

    def settle_frames(self, f: Writer) -> None:
        """Each `.param` variable becomes registers, or comes to lie in local memory."""
        for frame, activation in self._frames:
            f.activation = activation
            if frame.fits_registers:
                for offset, size in sorted(frame.accesses):
                    frame.fields[offset] = f.reg(f"{frame.name}+{offset}", TYPES[f"b{8 * size}"])
            else:
                frame.offset = self._allocate_local(frame.size, frame.align, activation)

    def settle_dynamic(self) -> None:
        """Dynamic shared memory begins behind all other."""
        if self._dynamic:
            k = self._kernel
            k.shared_bytes = -(-k.shared_bytes // self._dynamic_align) * self._dynamic_align
            for place in self._dynamic:
                place.offset += k.shared_bytes

    def _place(self, variable: ir.Variable, what: str) -> FlatAddress:
        if variable.space == "shared":
            if id(variable) not in self._shared:
                self._shared[id(variable)] = self._allocate_shared(variable)
            return self._shared[id(variable)]
        if id(variable) in self._symbols:
            return FlatAddress(variable.space, None, 0, self._symbols[id(variable)])
        raise unsupported(f"{what} ({variable.name!r})", variable.source)

    def _allocate_shared(self, variable: ir.Variable) -> FlatAddress:
        k = self._kernel
        if variable.linkage == "extern" or (variable.shape and variable.shape[0] is None):
            place = FlatAddress("shared", None, 0, variable.name)
            k.dynamic_shared = True
            self._dynamic.append(place)
            k.shared_variables.append(SharedVariable(variable.name, place, 0))
            self._dynamic_align = max(self._dynamic_align, variable.alignment)
            return place
        offset = -(-k.shared_bytes // variable.alignment) * variable.alignment
        k.shared_bytes = offset + variable.size
        place = FlatAddress("shared", None, offset, variable.name)
        k.shared_variables.append(SharedVariable(variable.name, place, variable.size))
        return place

    def _allocate_local(self, size: int, align: int, activation: Activation | None) -> int:
        if activation is not None:
            return activation.allocate(size, align)
        k = self._kernel
        offset = -(-k.local_bytes // align) * align
        k.local_bytes = offset + size
        return offset
