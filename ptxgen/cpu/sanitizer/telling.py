"""From the records of a launch to findings."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.record_layout import Window
from ptxgen.cpu.sanitizer.findings import NO_THREAD, Access, Finding, text_of
from ptxgen.cpu.sanitizer.places import global_place, parameter_word
from ptxgen.cpu.sanitizer.shapes import LaunchShape, shape_of
from ptxgen.cpu.sanitizer.state_layout import CtaStart, FindingKind, FindingRecord
from ptxgen.cpu.sanitizer.texts import CLUSTER_ORDER, FLAG_ORDER, GRID_ORDER, ORDER, STREAM_ORDER, TEXTS, Text
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.cpu.arena import Arena
    from ptxgen.cpu.fault import Dim3
    from ptxgen.cpu.record_layout import LaunchRecord
    from ptxgen.cpu.sanitizer.history import HostCall, NumberedKernel, PastLaunch
    from ptxgen.cpu.sanitizer.launch import SanitizedKernel

__all__ = ["findings_of", "findings_of_host_work"]


_BARRIERS = frozenset({FindingKind.BARRIER_AFTER_EXIT, FindingKind.BARRIER_COUNTS})
_PLACELESS = frozenset({FindingKind.REGISTER_IN_FLIGHT, FindingKind.NOT_WAITED, FindingKind.OUTSIDE_TENSOR})
_SIZELESS = frozenset({FindingKind.OTHER_SWIZZLE, FindingKind.OTHER_ROWS})
_READS = frozenset(
    {
        FindingKind.OTHER_SWIZZLE,
        FindingKind.OTHER_ROWS,
        FindingKind.READ_AFTER_WRITE,
        FindingKind.UNINITIALISED,
        FindingKind.NO_PROXY_FENCE,
    }
)
_WRITES = frozenset({FindingKind.WRITE_AFTER_WRITE, FindingKind.WRITE_AFTER_READ})
_IN_LAUNCH = frozenset({*_WRITES, FindingKind.READ_AFTER_WRITE})


_VERBS = {FindingKind.NOT_WAITED: "exits at", FindingKind.OUTSIDE_TENSOR: "is at"}


def findings_of(
    kernel: SanitizedKernel, launch: LaunchRecord, found: Sequence[FindingRecord], first: int
) -> Iterator[Finding]:
    """The findings of a launch that has ended, as values. `first` is its first epoch."""
    shape = shape_of(launch)
    for record in found:
        kind = FindingKind(record.kind)
        text = TEXTS[kind]
        cta = (record.ctaid[0], record.ctaid[1], record.ctaid[2])
        access = _access(kernel, shape, record.instruction, record.who, cta)
        before = kernel.arena.history.find(record.other_epoch) if _is_older(kind, record, first) else None
        earlier = _earlier(kernel, shape, record, before)._replace(verb=text.earlier) if text.earlier else None
        space, variable, place = "", "", ""
        if kind in _BARRIERS:
            access = access._replace(verb="is at")
            what = text.what.format(number=record.address, count=record.size or "all")
        elif kind in _PLACELESS or not record.size:
            access = access._replace(verb=_VERBS.get(kind, "uses"))
            what = text.what
        else:
            space = _space(record)
            verb = "writes" if kind in _WRITES else "reads" if kind in _READS else access.verb
            access = access._replace(verb=verb)
            at = f"0x{record.address:x}"
            if space.startswith("shared"):
                variable, place = _variable(kernel, record)
            elif space == "global":
                variable, at = global_place(kernel, launch, record.address)
            size = f"{record.size} bytes" if kind not in _SIZELESS else "a matrix"
            what = f"{verb} {size} at {at} of .{space} memory{place}; "
            what += _where(kernel, launch, record, kind) or _numbered(text, record)
            if before is not None:
                what += f": the earlier one is of {_name(before)} that this one may run beside"
                access = access._replace(call=_call_of(kernel, first))
        nowhere = kind in _BARRIERS or kind in _PLACELESS or not record.size
        hint = STREAM_ORDER if before is not None else _hint(text, space, access, earlier)
        yield Finding(
            text.tool, text.kind, kernel.name, what, access, earlier, space,
            0 if nowhere else record.address, 0 if nowhere else record.size, variable, hint,
        )  # fmt: skip


def _numbered(text: Text, record: FindingRecord) -> str:
    """What is told, with the numbers that its record has in place of a size."""
    width = ("0", "32 bytes", "64 bytes", "128 bytes")
    theirs, own = width[record.size & 3], width[record.size >> 2 & 3]
    return text.what.format(theirs=theirs, own=own, row=record.size & 0xFFFF, line=record.size >> 16)


def _is_older(kind: FindingKind, record: FindingRecord, first: int) -> bool:
    """Was the earlier access made in an earlier launch?"""
    return kind in _IN_LAUNCH and 0 < record.other_epoch < first


def _hint(text: Text, space: str, access: Access, earlier: Access | None) -> str:
    if text.hint is not ORDER or earlier is None:
        return text.hint
    if access.cta == earlier.cta:
        return FLAG_ORDER if space == "global" else ORDER
    return GRID_ORDER if space == "global" else CLUSTER_ORDER


def _where(kernel: SanitizedKernel, launch: LaunchRecord, record: FindingRecord, kind: FindingKind) -> str:
    """Where an access should have been, if it lies elsewhere."""
    if kind is FindingKind.OUTSIDE_VARIABLE:
        source = kernel.shared_variables[record.other_instruction]
        return f"its address is made from {source.name}, which has {source.size} bytes at 0x{source.offset:x}"
    return _outside(kernel, launch, record) if kind is FindingKind.OUTSIDE_ALLOCATION else ""


def _verb(instruction: ir.Instruction) -> str:
    if instruction.opcode in opcodes_with("atomic"):
        return "updates"
    return "writes" if instruction.opcode in opcodes_with("writes") else "reads"


def _outside(kernel: SanitizedKernel, launch: LaunchRecord, record: FindingRecord) -> str:
    """What lies where an access should have been, and where it is."""
    name, value = parameter_word(kernel, launch, 8 * record.other_instruction)
    own, there = kernel.arena.block_of(value), kernel.arena.block_of(record.address)
    told = f"its address is made from parameter {name}"
    if own is not None:
        told += f", which leads into {own[1]} bytes"
    if there is not None and there != own:
        told += f"; this is byte {record.address - there[0]} of {there[1]} other ones"
    return told


def _space(record: FindingRecord) -> str:
    if record.window == Window.SHARED:
        return "shared" if record.owner == record.rank else "shared::cluster"
    return "local" if record.window == Window.LOCAL else "global"


def _variable(kernel: SanitizedKernel, record: FindingRecord) -> tuple[str, str]:
    """(name, where in it) of the shared variable at an offset; the last that begins before it, where none reaches so far."""
    before = [v for v in kernel.shared_variables if v.offset <= record.address]
    if not before:
        return "", ""
    found = max(before, key=lambda v: v.offset)
    return found.name, f" ({found.name} + {record.address - found.offset})"


def _access(kernel: NumberedKernel, shape: LaunchShape, number: int, who: int, cta: Dim3) -> Access:
    """`who` is an agent and a lane."""
    instruction = kernel.instruction(number)
    places = tuple(ir.resolve(instruction.source))
    lines = kernel.source_lines(number)
    return Access(_verb(instruction), cta, shape.thread(who), text_of(instruction), places, lines)


def _earlier(kernel: SanitizedKernel, shape: LaunchShape, record: FindingRecord, before: PastLaunch | None) -> Access:
    """The earlier of two accesses, of this launch or of one before it."""
    if before is not None:
        return _past(before, record)
    cta = shape.cta(max(record.other_cta - 1, 0))
    return _access(kernel, shape, record.other_instruction, record.other_who, cta)


def _past(before: PastLaunch, record: FindingRecord) -> Access:
    """The earlier of two accesses, of a launch, a copy or a fill before."""
    call = before.order.call if before.order is not None else None
    if before.kernel is None:
        return _host_access(call)
    index = _cta_of(before, before.shape.column(record.other_who), record.other_epoch)
    found = _access(before.kernel, before.shape, record.other_instruction, record.other_who, before.shape.cta(index))
    return found._replace(kernel=before.kernel.name, call=call)


def _host_access(call: HostCall | None) -> Access:
    assert call is not None
    return Access("", NO_THREAD, NO_THREAD, call.what, (), (), call=call)


def _name(before: PastLaunch) -> str:
    """Of an earlier launch, in a sentence."""
    if before.kernel is not None:
        return f"a launch of {before.kernel.name}"
    assert before.order is not None
    return f"a {before.order.call.what}"


def _call_of(kernel: SanitizedKernel, first: int) -> HostCall | None:
    """Who asked for the launch that has this first epoch."""
    launch = kernel.arena.history.find(first)
    return launch.order.call if launch is not None and launch.order is not None else None


def findings_of_host_work(arena: Arena, done: PastLaunch, found: Sequence[FindingRecord]) -> Iterator[Finding]:
    """The findings of a copy or a fill, as values."""
    for record in found:
        kind, before = FindingKind(record.kind), arena.history.find(record.other_epoch)
        if before is None or done.order is None:
            continue
        text, verb = TEXTS[kind], "writes" if kind in _WRITES else "reads"
        access = _host_access(done.order.call)._replace(verb=verb)
        earlier = _past(before, record)._replace(verb=text.earlier)
        base, nbytes = arena.block_of(record.address) or (record.address, 0)
        at = f"byte {record.address - base} of an allocation of {nbytes} bytes" if nbytes else f"0x{base:x}"
        what = f"a {access.instruction} {verb} {at}, and {_name(before)} that it may run beside {text.earlier} there"
        yield Finding(
            text.tool, text.kind, "" if before.kernel is None else before.kernel.name, what, access, earlier, "global",
            record.address, record.size, "", STREAM_ORDER,
        )  # fmt: skip


def _cta_of(past: PastLaunch, column: int, epoch: int) -> int:
    """The number of the CTA that had the column in that epoch; 0 where that was not kept."""
    size = ctypes.sizeof(CtaStart)
    for at in range(len(past.log) - size, -1, -size):
        start = CtaStart.from_buffer_copy(past.log, at)
        if start.column == column and start.epoch <= epoch:
            return int(start.index)
    return 0
