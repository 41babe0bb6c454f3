"""The executor's own form of a kernel: one list of operations, names resolved, calls inlined.

Operands are those of the ir but for two: a register is a `Reg` (unique, whatever scope it came from) and a symbol or an
address is a `FlatAddress`. Labels are numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Union

if TYPE_CHECKING:
    from ptxgen import ir
    from ptxgen.isa.types import ScalarType

__all__ = [
    "Call",
    "FlatAddress",
    "FlatKernel",
    "FlatOperand",
    "Inverse",
    "LocalVariable",
    "Mark",
    "Op",
    "ParamVariable",
    "Reg",
    "Selection",
    "SharedVariable",
    "StackCall",
]


class Reg:
    """A scalar virtual register of one kernel; a vector register is several. Equal only to itself. `calls` are those around its
    function, as of an Op."""

    __slots__ = ("calls", "id", "name", "type")

    def __init__(self, id: int, name: str, type: ScalarType, calls: tuple[Call, ...] = ()) -> None:
        self.calls = calls
        self.id = id
        self.name = name
        self.type = type

    def __repr__(self) -> str:
        return f"{self.name}{self.type!r}#{self.id}"


class ParamVariable:
    """A `.param` variable of a body: the arguments and results of a call, private to each thread (manual 5.1.6.4).

    `fields` maps byte offsets to registers when every access agrees on the fields; else the variable lies in local memory at
    `offset`, from the register `base` on if there is one.
    """

    __slots__ = ("accesses", "align", "base", "exposed", "fields", "name", "offset", "size")

    def __init__(self, name: str, size: int, align: int, *, base: Reg | None = None, offset: int = 0) -> None:
        self.name = name
        self.size = size
        self.align = align
        self.accesses: set[tuple[int, int]] = set()  # (byte offset, bytes)
        self.exposed = False  # its address is taken
        self.fields: dict[int, Reg] = {}
        self.base = base
        self.offset = offset

    @property
    def fits_registers(self) -> bool:
        """Do the accesses cut the variable into fields that never overlap in part, and none lie beyond it?"""
        end = 0
        for offset, size in sorted(self.accesses):
            if offset < end:
                return False
            end = offset + size
        return not self.exposed and end <= self.size


class FlatAddress:
    """An address in a state space: a register plus an offset, or an offset alone.

    `space` is that of the symbol it was made from, "" when a register says where. Offsets of symbols: in .global and .const from
    the start of the variable that `name` is the symbol of; in .shared, .local and kernel .param from the start of the
    thread's own window. `frame` is set for the `.param` variables of a body.
    """

    __slots__ = ("base", "frame", "name", "offset", "space")

    def __init__(
        self, space: str, base: Reg | None, offset: int, name: str = "", frame: ParamVariable | None = None
    ) -> None:
        self.space = space
        self.base = base
        self.offset = offset
        self.name = name
        self.frame = frame

    def plus(self, offset: int) -> FlatAddress:
        return FlatAddress(self.space, self.base, self.offset + offset, self.name, self.frame)

    def __repr__(self) -> str:
        return f"FlatAddress({self.space!r}, {self.base}, {self.offset:#x})"


class Inverse:
    """`!p`."""

    __slots__ = ("reg",)

    def __init__(self, reg: Reg) -> None:
        self.reg = reg


class Selection:
    """An operand of a video instruction: the parts of a value that `selector` names ("" for all of it), perhaps with `-`."""

    __slots__ = ("negated", "operand", "selector")

    def __init__(self, operand: FlatOperand, selector: str = "", *, negated: bool = False) -> None:
        self.operand = operand
        self.selector = selector
        self.negated = negated


FlatOperand = Union[
    Reg, FlatAddress, Inverse, Selection, "ir.Special", "ir.Immediate", "ir.Sink", "tuple[FlatOperand, ...]", int
]  # a vector and a pair `p|q` are tuples, a label is an int


class Call(NamedTuple):
    """A function that runs, and the instruction that called it; a kernel was called by none."""

    function: str
    site: ir.Instruction | None


class Op:
    """One operation. `origin` is the instruction it comes from, `lines` the .loc in force there and at the calls around it, for
    messages; `calls` the functions around it, the kernel first; `guard` is the predicate, or None. `leads`: it is the first of
    its instruction's operations."""

    __slots__ = ("calls", "guard", "index", "leads", "lines", "negated", "op", "opcode", "operands", "origin")

    def __init__(
        self,
        op: str,
        operands: tuple[FlatOperand, ...],
        origin: ir.Instruction,
        guard: Reg | None = None,
        negated: bool = False,
    ) -> None:
        self.op = op
        self.opcode = op.partition(".")[0]
        self.operands = operands
        self.origin = origin
        self.guard = guard
        self.negated = negated
        self.index = 0
        self.lines: tuple[ir.LineDirective, ...] = ()
        self.calls: tuple[Call, ...] = ()
        self.leads = False

    def __repr__(self) -> str:
        return f"Op({self.op!r}, {self.operands!r})"


class Mark:
    """A label's position."""

    __slots__ = ("label",)

    def __init__(self, label: int) -> None:
        self.label = label


class LocalVariable(NamedTuple):
    """A variable in a thread's local memory, of a function: `size` bytes from `offset` on, which count from the register `base`
    if there is one."""

    function: str
    name: str
    offset: int
    size: int
    base: Reg | None = None


class SharedVariable(NamedTuple):
    """A variable in a kernel's shared memory. `size`, in bytes, is 0 where the launch says it."""

    name: str
    place: FlatAddress
    size: int

    @property
    def offset(self) -> int:
        return self.place.offset


class StackCall(NamedTuple):
    """A call through the stack: the operations that put registers of its caller there and take them back. cfg.py fills in which:
    those of `registers` that are still needed."""

    save: Op
    restore: Op
    registers: list[Reg]
    pointer: Reg
    """FP."""
    returned: Op
    """The first behind the call."""


class FlatKernel:
    """What normalize makes of an `.entry`."""

    __slots__ = (
        "dynamic_shared",
        "items",
        "local_bytes",
        "local_variables",
        "lockstep",
        "name",
        "ops",
        "parameter_bytes",
        "parameters",
        "regs",
        "shared_bytes",
        "shared_variables",
        "stack_calls",
        "uses_stack",
    )

    def __init__(self, name: str, *, lockstep: bool = False) -> None:
        self.name = name
        self.lockstep = lockstep  # lanes that are together read and write memory together, as before sm_70
        self.items: list[Op | Mark] = []
        self.ops: list[Op] = []
        self.regs: list[Reg] = []
        self.parameters: tuple[tuple[str, int, int], ...] = ()
        self.parameter_bytes = 0
        self.shared_bytes = 0  # static; dynamic shared memory follows
        self.shared_variables: list[SharedVariable] = []
        self.dynamic_shared = False  # declares `.extern .shared`
        self.local_bytes = 0  # but for the stack, which lies behind
        self.uses_stack = False
        self.stack_calls: list[StackCall] = []
        self.local_variables: list[LocalVariable] = []

    @property
    def local_stride(self) -> int:
        """Bytes from one lane's local memory to the next lane's."""
        return -(-self.local_bytes // 16) * 16
