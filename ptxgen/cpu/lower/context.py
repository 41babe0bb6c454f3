"""What a lowering works with: the lane in hand, its registers as values, the machine's records, and checked memory."""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from ptxgen import ir
from ptxgen.cpu import record_layout
from ptxgen.cpu.emit import BITS, Emitter, LlvmValue
from ptxgen.cpu.flat import FlatAddress, FlatKernel, FlatOperand, Inverse, Op, Reg
from ptxgen.cpu.lower.memory_checks import check_blocks, check_window, rotated
from ptxgen.cpu.lower.several_lanes import where
from ptxgen.cpu.lower.windows import cluster_pointer, has_ranks, in_window, own_offset
from ptxgen.cpu.rt.copies import lane_copies
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.records import MemoryRecord
from ptxgen.cpu.sanitizer.probe import Bounds, Probe
from ptxgen.cpu.unsupported import unsupported
from ptxgen.isa.types import TYPES, ScalarType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ptxgen.cpu.lower.checks import CheckGroup
    from ptxgen.cpu.lower.reach import Reach

__all__ = ["LoweringContext", "Static", "representation"]

SLOT = 16
"""Bytes of a memory instruction's slot in the launch record: base, bytes >> log2 size."""


def representation(type: ScalarType) -> str:
    """The LLVM type that holds a value of a PTX type: f32 and f64 as floats, all other formats as their bits."""
    if type.kind == "p":
        return "i1"
    if type.name == "f32":
        return "float"
    if type.name == "f64":
        return "double"
    return f"i{max(type.bits, 8)}"


class Static(NamedTuple):
    """A module variable; its address is that of a symbol of the same name."""

    space: str
    nbytes: int


class LoweringContext:
    """The state of lowering one kernel. `e` writes the warp function; `lane` and `values` belong to the lane in hand.
    `read_special` gives special registers: `special.read_special`; `probe` is told of accesses and barriers.
    """

    def __init__(
        self,
        e: Emitter,
        kernel: FlatKernel,
        statics: dict[str, Static],
        read_special: Callable[[LoweringContext, str], LlvmValue],
        probe: Probe,
    ) -> None:
        self.probe = probe
        self._read_special = read_special
        self.e: Emitter = e
        self.kernel = kernel
        self.statics = statics
        self.ranked = has_ranks(kernel)
        self.op: Op = kernel.ops[0]
        self.lane: LlvmValue = e.const("i32", 0)  # its number
        self.lane64: LlvmValue = e.const("i64", 0)
        self.bit: LlvmValue = e.const("i32", 1)  # 1 << lane
        self.values: dict[Reg, LlvmValue] = {}
        self.slots = 0
        self.cold: list[str] = []  # blocks that are hardly ever run, written after all others
        self.mask = e.const("i32", 0)  # lanes that run the block in hand
        self.reload: Callable[[Reg], LlvmValue] | None = None
        self.uniform_values: dict[Reg, LlvmValue] = {}
        self.groups: dict[int, CheckGroup] = {}  # of the block in hand
        self.checked_groups: set[int] = set()
        self.lanes = 0  # of the block in hand at once; 0: one after the other
        self.first = e.const("i32", 0)  # where several are in hand: the number of the first of them,
        self.active = e.const("i1", 1)  # those that run, a vector,
        self.reaches: dict[int, Reach] = {}  # and where accesses lie that were checked together
        self._uniforms: dict[str, LlvmValue] = {}
        self.warp = MemoryRecord(e, record_layout.Warp, LlvmValue(e, "ptr", "%warp"))
        self.copies = MemoryRecord(e, record_layout.Copies, LlvmValue(e, "ptr", "%copies"))  # in kernels that have such
        self.has_wgmma = any(op.opcode == "wgmma" for op in kernel.ops)
        self.wgmma = MemoryRecord(
            e, record_layout.WgmmaQueue, LlvmValue(e, "ptr", "%wgmma")
        )  # in kernels that have such
        self.cta = self.uniform_record("cta", record_layout.Cta)
        self.launch = self.uniform_record("launch", record_layout.LaunchRecord)

    # -- values that are the same for every lane, computed once per call of the warp function ---------------------------

    def uniform(self, name: str, compute: Callable[[], LlvmValue]) -> LlvmValue:
        """`compute()`, written at the entry of the function the first time that `name` is asked for."""
        found = self._uniforms.get(name)
        if found is None:
            e = self.e
            body, e.lines = e.lines, e.allocas
            found = self._uniforms[name] = compute()
            e.lines = body
            e.invariant.add(found.text)
        return found

    def entered(self) -> tuple[int, int, int]:
        """How much there is of what the whole function shares, for `forget`."""
        return len(self.e.allocas), len(self._uniforms), self.slots

    def forget(self, entered: tuple[int, int, int]) -> None:
        """Takes back what was written at the entry of the function since, and the slots."""
        written, uniforms, self.slots = entered
        del self.e.allocas[written:]
        while len(self._uniforms) > uniforms:
            self._uniforms.popitem()

    @contextmanager
    def checks(self, groups: dict[int, CheckGroup]) -> Iterator[None]:
        """In its body, straight code, these accesses share their checks."""
        outer = self.groups, self.checked_groups, self.reaches
        self.groups, self.checked_groups, self.reaches = groups, set(), {}
        yield
        self.groups, self.checked_groups, self.reaches = outer

    def lower_uniform(self, op: Op, lower: Callable[[LoweringContext, Op], None]) -> None:
        """Writes an operation that is the same in every lane at the entry of the function."""
        e = self.e
        body, e.lines = e.lines, e.allocas
        self.values = self.uniform_values
        lower(self, op)
        self.values = {}
        e.lines = body
        e.invariant.update(value.text for value in self.uniform_values.values())

    @contextmanager
    def early(self) -> Iterator[None]:
        """Its body runs where what is asynchronous is done when it is started."""
        e = self.e
        not_always_late = self.uniform("early", lambda: self.launch.get("early_copies").ne(0))
        with e.if_(not_always_late), e.if_(e.call("draw", "i1", self.launch.pointer)):
            yield

    def lane_copies(self) -> MemoryRecord:
        """What the lane in hand has under way."""
        return lane_copies(self.copies, self.lane)

    def uniform_record(self, name: str, structure: type[ctypes.Structure]) -> MemoryRecord:
        return MemoryRecord(self.e, structure, self.uniform(name, lambda: self.e.ptr(self.warp.get(name))))

    # -- operands -----------------------------------------------------------------------------------------------------

    def get(self, reg: Reg) -> LlvmValue:
        """The register's value in the lane in hand, in the representation of its own type."""
        found = self.uniform_values.get(reg) or self.values.get(reg)
        if found is None:
            if self.reload is None:
                return self.e.undef(representation(reg.type))
            found = self.values[reg] = self.reload(reg)
        return found

    def read(self, operand: FlatOperand, type: ScalarType) -> LlvmValue:
        """An operand as a value of `type`: its bits, truncated when the register is wider (manual 9.4.1)."""
        if isinstance(operand, Reg):
            return self._fit(self.get(operand), representation(type), signed=False)
        if isinstance(operand, ir.Immediate):
            return self._immediate(operand, type)
        if isinstance(operand, ir.Special):
            return self._fit(self._read_special(self, operand.name), representation(type), signed=False)
        if isinstance(operand, Inverse):
            return ~self.get(operand.reg)
        if isinstance(operand, FlatAddress):
            number = in_window(self, operand) if operand.space == "shared" else self.address(operand)
            return self._fit(number, representation(type), signed=False)
        if isinstance(operand, ir.Sink):
            return self.e.undef(representation(type))
        raise unsupported(f"an operand of {self.op.op}", self.op.origin.source)

    def _fit(self, value: LlvmValue, target: str, *, signed: bool) -> LlvmValue:
        """The value's bits in another representation, truncated or extended."""
        if value.type == target:
            return value
        if value.is_float:
            value = value.bitcast(f"i{value.bits}")
        if target in ("float", "double"):
            return value.resize(f"i{BITS[target]}", signed).bitcast(target)
        return value.resize(target, signed)

    def _immediate(self, operand: ir.Immediate, type: ScalarType) -> LlvmValue:
        kind = representation(type)
        if operand.kind == "int":
            if kind in ("float", "double"):  # the verifier allows hexadecimal bits only in .b operands
                return self.e.const(f"i{BITS[kind]}", operand.value).bitcast(kind)
            return self.e.const(kind, operand.value)
        source = TYPES[operand.kind]
        if type.is_float and type.bits != source.bits and type.name in ("f32", "f64"):
            converted = ir.float_immediate(operand.as_float(), type.name)
            return self.e.const_float(kind, converted.value)
        if kind in ("float", "double"):
            return self.e.const_float(kind, operand.value)
        return self.e.const(kind, operand.value)

    def address(self, place: FlatAddress) -> LlvmValue:
        """The number that a place stands for, as i64: an address within its own space."""
        offset, register = place.offset, place.base
        if place.frame is not None:
            offset += place.frame.offset
            register = register or place.frame.base
        if register is None:
            if place.space in ("global", "const"):
                return self.symbol(place.name) + offset
            return self.e.const("i64", offset)
        base = self.get(register)
        if base.is_float:
            base = base.bitcast(f"i{base.bits}")
        if base.bits < 64:  # 32-bit addresses wrap in 32 bits
            return (base.resize("i32") + offset).zext("i64")
        return base + offset if offset else base

    def symbol(self, name: str) -> LlvmValue:
        """The address of a module variable, as i64."""
        self.e.module.declarations.setdefault(name, f'@"{name}" = external global i8')
        return LlvmValue(self.e, "i64", f'ptrtoint (ptr @"{name}" to i64)')

    def write(self, operand: FlatOperand, value: LlvmValue, type: ScalarType) -> None:
        """Sets a register; a register wider than `type` gets the value extended by the type's sign (manual 9.4.1)."""
        if isinstance(operand, ir.Sink):
            return
        assert isinstance(operand, Reg), operand
        self.values[operand] = self._fit(value, representation(operand.type), signed=type.is_signed)

    def set(self, operand: FlatOperand, value: LlvmValue, type: ScalarType) -> None:
        """`write`, in lanes where the guard of the operation in hand holds."""
        condition = self.guard()
        old = self.get(operand) if condition is not None and isinstance(operand, Reg) else None
        self.write(operand, value, type)
        if condition is not None and old is not None and isinstance(operand, Reg):
            self.values[operand] = condition.select(self.values[operand], old)

    # -- guards -------------------------------------------------------------------------------------------------------

    def guard(self) -> LlvmValue | None:
        """The predicate of the operation in hand; None when it is not guarded."""
        if self.op.guard is None:
            return None
        p = self.get(self.op.guard)
        return ~p if self.op.negated else p

    @contextmanager
    def when(self, condition: LlvmValue | None, needed: int = -1) -> Iterator[None]:
        """Runs its body only in lanes where the condition holds; registers that the body sets keep their value elsewhere.
        `needed`: those, as a set of ids held as bits, that somebody will look at behind it."""
        if condition is None:
            yield
            return
        if self.lanes:
            with where(self, condition.spread(self.lanes), needed):
                yield
            return
        e = self.e
        before = dict(self.values)
        origin, then, end = e.block, e.fresh("then"), e.fresh("end")
        e.branch(condition, then, end)
        e.label(then)
        yield
        changed = {reg: value.clean() for reg, value in self.changed(before, needed).items()}
        inner = e.block
        e.jump(end)
        e.label(end)
        for reg, value in changed.items():
            otherwise = before.get(reg) or e.undef(value.type)
            self.values[reg] = e.phi(value.type, [(value, inner), (otherwise, origin)])

    def changed(self, before: dict[Reg, LlvmValue], needed: int) -> dict[Reg, LlvmValue]:
        """The values that differ from those before, of registers that are needed; the others are forgotten."""
        changed = {reg: value for reg, value in self.values.items() if before.get(reg) is not value}
        for reg in changed:
            if not needed >> reg.id & 1:
                del self.values[reg]
        return {reg: value for reg, value in changed.items() if reg in self.values}

    # -- several lanes at once ----------------------------------------------------------------------------------------

    @contextmanager
    def each_alone(self, lanes: LlvmValue, *registers: Reg) -> Iterator[LlvmValue]:
        """Its body runs for each of some of the lanes in hand, a vector of i1, one after the other: its number among them. Of the
        registers it has these."""
        e, outer = self.e, (self.lanes, self.lane, self.lane64, self.bit, self.values)
        with e.each_bit(e.lanes_set(lanes).zext("i32")) as i:
            self.lanes, self.lane = 0, self.first + i
            self.lane64, self.bit = self.lane.zext("i64"), e.const("i32", 1) << self.lane
            self.values = {reg: e.extract(value, i) for reg, value in outer[-1].items() if reg in registers}
            yield i
        self.lanes, self.lane, self.lane64, self.bit, self.values = outer

    def active_bits(self) -> LlvmValue:
        """The lanes that run, as an i32 in which the first of those in hand is the lowest bit."""
        return self.e.lanes_set(self.active).zext("i32")

    def some_of(self, lanes: LlvmValue) -> LlvmValue:
        """Is a lane of a vector of i1 set?"""
        return self.e.lanes_set(lanes).ne(0)

    # -- faults -------------------------------------------------------------------------------------------------------

    @contextmanager
    def unlikely(self, condition: LlvmValue) -> Iterator[str]:
        """Its body is a block far from the others, run when the condition holds; it must end in a jump of its own.

        The label that it is given is where the usual path goes on.
        """
        e = self.e
        rare, go_on = e.fresh("rare"), e.fresh("on")
        e.line(f"br i1 {condition.one().text}, label %{rare}, label %{go_on}, !prof !0")
        body, e.lines = e.lines, self.cold
        e.label(rare)
        yield go_on
        e.lines = body
        e.label(go_on)

    def fault_if(self, condition: LlvmValue, kind: FaultKind, address: LlvmValue | None = None, size: int = 0) -> None:
        """Stops the launch when the condition holds."""
        with self.unlikely(condition):
            self.fault(kind, address, size)

    def fault(self, kind: FaultKind, address: LlvmValue | None = None, size: int = 0) -> None:
        """Notes a fault of the lane and instruction in hand and leaves the warp function."""
        e = self.e
        where = address if address is not None else e.const("i64", 0)
        numbers = [e.const("i32", n) for n in (int(kind), self.op.index)]
        e.invoke("fault", self.warp.pointer, *numbers, self.lane, where.resize("i64"), e.const("i32", size))
        e.jump("faulted")

    # -- memory -------------------------------------------------------------------------------------------------------

    def access(
        self, place: FlatAddress, space: str, size: int, *, write: bool, strong: bool = False,
        updates: bool = False, scope: str | None = None, values: Sequence[LlvmValue] = (),
    ) -> LlvmValue:  # fmt: skip
        """`pointer`, of which the sanitizer is told. `strong`, `updates`, `scope`, `values`: see Probe.access."""
        where = self.space_of(place, space)
        pointer = self.pointer(place, space, size, write=write, within=self.probe.bounds(self, place, where, size))
        self.probe.access(
            self, pointer, where, size, write=write, strong=strong, updates=updates, scope=scope, values=values
        )
        return pointer

    @staticmethod
    def space_of(place: FlatAddress, space: str) -> str:
        """The instruction's space, or that of the variable which it names; .shared::cta is .shared."""
        if place.frame is not None:
            return "local"
        if space == "shared::cta":
            return "shared"
        return place.space if space == "" and place.base is None and place.space != "param" else space

    def pointer(
        self, place: FlatAddress, space: str, size: int, *, write: bool, within: Bounds | None = None
    ) -> LlvmValue:
        """A pointer to `size` bytes (a power of two) that this access may touch; anything else is a fault.

        `space` is the instruction's: "global", "const", "shared", "shared::cluster", "local", "param", or "" for a generic
        address; a variable that is named then says its space, as assemblers read it. `within`: what the sanitizer asks of the
        address beside.
        """
        e = self.e
        space = self.space_of(place, space)
        if place.frame is not None and place.base is None and not 0 <= place.offset <= place.frame.size - size:
            self.fault_if(e.const("i1", 1), FaultKind.CALL_PARAMETER, e.const("i64", place.frame.size), size)
        if space == "shared::cluster" and self.ranked:
            pointer = cluster_pointer(self, in_window(self, place), size)
            if within is not None:
                self.probe.outside(self, within, pointer, size, self.op.index, write=write)
            return pointer
        space = space.partition("::")[0]
        address = self.within_space(place, space)
        group = self.group()
        if group is not None:
            if id(group) in self.checked_groups:
                return self._unchecked(address, space)
            self.checked_groups.add(id(group))
        static = self.statics.get(place.name) if place.space in ("global", "const") else None
        allowed = static is not None and place.base is None and not (write and static.space == "const")
        if static is not None and allowed and place.offset in range(0, static.nbytes - size + 1, size):
            return e.ptr(address)
        if within is not None:
            return self._bounded(address, space, size, within, write=write)
        return self.checked(address, space, size, write=write)

    def _bounded(self, address: LlvmValue, space: str, size: int, within: Bounds, *, write: bool) -> LlvmValue:
        """`checked` for an address that should lie within bounds, which lie in memory that may be touched: they are all that is
        asked of one that does."""
        shift, group = size.bit_length() - 1, self.group()
        first = address if group is None else self.within_space(group.lowest, space)
        room = 0 if group is None else group.span >> shift
        offset = first - within.start
        if offset.number is not None and group is None and within.holds(offset.number, size):
            return self._unchecked(address, space)
        limit = self.uniform(
            f"{within.name}.{shift}-{room}",
            lambda: self.e.intrinsic("llvm.usub.sat", within.nbytes >> shift, self.e.const("i64", room)),
        )
        with self.unlikely(rotated(self, offset, shift).uge(limit)) as go_on:
            self.checked(address, space, size, write=write)
            accesses = [(self.op.index, address, write)]
            if group is not None:
                accesses = [(a.op.index, self.within_space(a.place, space), a.write) for a in group.accesses]
            for number, where, writes in accesses:
                pointer = self._unchecked(where, space)
                self.probe.outside(self, within, pointer, size, number, write=writes)
            self.e.jump(go_on)
        return self._unchecked(address, space)

    def within_space(self, place: FlatAddress, space: str) -> LlvmValue:
        """The number that a place stands for in the thread's own window of its space."""
        return own_offset(self, place) if space == "shared" else self.address(place)

    def checked(self, address: LlvmValue, space: str, size: int, *, write: bool) -> LlvmValue:
        """`pointer` for an address that has been computed, an i64."""
        e = self.e
        if space == "shared":
            fixed = self.kernel.shared_bytes
            check_window(self, address, size, fixed, lambda: self.launch.get("shared_bytes").zext("i64"), "shared")
            return e.offset(self._shared_base(), address)
        if space == "local":
            check_window(self, address, size, self.kernel.local_bytes, self.local_limit, "local")
            return e.offset(self.local_base(), address)
        if space == "param":
            fixed = self.kernel.parameter_bytes
            check_window(self, address, size, fixed, lambda: e.const("i64", fixed), "param")
            return e.offset(self.uniform("param", lambda: e.ptr(self.launch.get("param"))), address)
        check_blocks(self, address, size, write=write, generic=space == "")
        return e.ptr(address)

    def _unchecked(self, address: LlvmValue, space: str) -> LlvmValue:
        return self.e.offset(self._shared_base(), address) if space == "shared" else self.e.ptr(address)

    def _shared_base(self) -> LlvmValue:
        return self.uniform("shared", lambda: self.e.ptr(self.cta.get("shared")))

    def local_base(self) -> LlvmValue:
        """Where the lane's local memory starts."""
        e = self.e
        first = self.uniform("local", lambda: e.ptr(self.warp.get("local")))
        return e.offset(first, self.local_offset())

    def local_offset(self) -> LlvmValue:
        """Where the lane's local memory starts in that of its warp; what a kernel with a stack has of it, the launch says."""
        if self.kernel.uses_stack:
            return self.lane64 * self.uniform("local.stride", lambda: self.launch.get("local_stride"))
        return self.lane64 * self.kernel.local_stride

    def local_limit(self) -> LlvmValue:
        """Bytes of the lane's local memory."""
        if self.kernel.uses_stack:
            return self.uniform("local.limit", lambda: self.launch.get("local_bytes"))
        return self.e.const("i64", self.kernel.local_bytes)

    def slot(self) -> LlvmValue:
        """The pointer to a new slot in the launch record."""
        self.slots += 1
        return self.e.offset(self.launch.pointer, self.slot_offset())

    def slot_offset(self) -> int:
        """Where the newest slot lies in the launch record."""
        return ctypes.sizeof(record_layout.LaunchRecord) + SLOT * (self.slots - 1)

    def group(self) -> CheckGroup | None:
        """The accesses that the check of the operation in hand stands for; None when it is alone."""
        return self.groups.get(id(self.op))
