"""Constants of asynchronous instructions: what assemblers refuse of them (errors), and what they let pass (warnings).

Assemblers judge immediates alone; a register that holds a constant gets a warning for the same value.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.ir import Immediate, Operand, Variable
from ptxgen.verifier.protocols.clusters import cluster_size

if TYPE_CHECKING:
    from ptxgen.dataflow.values.value_numbers import SymbolicAddress
    from ptxgen.verifier.protocols.view import View

__all__ = ["check_constants"]

_MBARRIER = (1 << 20) - 1  # of pending arrivals, and of bytes (manual 9.7.13.15.1)


class _Rule(NamedTuple):
    """Operand number `operand` of what starts with `op`: `low` to `high`, a multiple of `step`, a power of two.

    `refused`: assemblers refuse an immediate outside. `meaning` is for the reader.
    """

    op: str
    operand: int
    low: int
    high: int
    step: int
    power: bool
    refused: bool
    meaning: str


_EXCLUSIVE = "columns: a multiple of 32 from 32 to 576"
_RULES = (
    _Rule("setmaxnreg.", 0, 24, 256, 8, False, True, "registers: a multiple of 8 from 24 to 256"),
    _Rule("mbarrier.init.", 1, 1, _MBARRIER, 1, False, True, f"arrivals of a phase: 1 to {_MBARRIER}"),
    _Rule("mbarrier.arrive.expect_tx.", 2, 0, _MBARRIER, 1, False, False, f"bytes: 0 to {_MBARRIER}"),
    _Rule("mbarrier.arrive_drop.expect_tx.", 2, 0, _MBARRIER, 1, False, False, f"bytes: 0 to {_MBARRIER}"),
    _Rule("mbarrier.expect_tx.", 1, 0, _MBARRIER, 1, False, False, f"bytes: 0 to {_MBARRIER}"),
    _Rule("mbarrier.complete_tx.", 1, 0, _MBARRIER, 1, False, False, f"bytes: 0 to {_MBARRIER}"),
    _Rule("mbarrier.arrive", 2, 1, 1 << 32, 1, False, True, f"arrivals: 1 to {_MBARRIER}"),
    _Rule("mbarrier.arrive", 2, 1, _MBARRIER, 1, False, False, f"arrivals: 1 to {_MBARRIER}"),
    *(
        _Rule(f"tcgen05.{does}.cta_group::{group}.sync.aligned.exclusive.", 1, 32, 576, 32, False, True, _EXCLUSIVE)
        for does in ("alloc", "dealloc")
        for group in (1, 2)
    ),
    _Rule("tcgen05.alloc.", 1, 32, 512, 1, True, True, "columns: a power of two from 32 to 512"),
    _Rule("tcgen05.dealloc.", 1, 32, 512, 1, True, True, "columns: a power of two from 32 to 512"),
    _Rule("cp.async.bulk.prefetch.L2.", 1, 0, 1 << 32, 16, False, True, "bytes: a multiple of 16"),
    _Rule("cp.async.bulk.shared", 2, 0, 1 << 32, 16, False, True, "bytes: a multiple of 16"),
    _Rule("cp.async.bulk.global", 2, 0, 1 << 32, 16, False, True, "bytes: a multiple of 16"),
    _Rule("cp.reduce.async.bulk.shared", 2, 0, 1 << 32, 16, False, True, "bytes: a multiple of 16"),
    _Rule("cp.reduce.async.bulk.global", 2, 0, 1 << 32, 16, False, True, "bytes: a multiple of 16"),
)


def check_constants(view: View) -> None:
    """Report constants out of range, misaligned buffers of bulk copies, and CTAs that the cluster does not have."""
    for opcode in dict.fromkeys(rule.op.partition(".")[0] for rule in _RULES):
        for position in view.at(opcode):
            op = view.op(position)
            for rule in _RULES:
                if op.startswith(rule.op) and _breaks(view, rule, position):
                    break
            if opcode == "cp":
                _check_copy(view, position, op)


def _breaks(view: View, rule: _Rule, position: int) -> bool:
    """Report a constant that the rule forbids; True when the instruction is judged."""
    operands = view.body.instructions[position].operands
    operand: Operand | None = operands[rule.operand] if rule.operand < len(operands) else None
    value = None if operand is None else view.values.constant(operand, position)
    if value is None:
        return False
    value &= 0xFFFFFFFF
    fits = rule.low <= value <= rule.high and value % rule.step == 0 and (not rule.power or value & (value - 1) == 0)
    if fits:
        return rule.high != 1 << 32
    view.body.report(
        "PTX205",
        f"{'.'.join(view.op(position).split('.')[:2])} does not take {value}",
        position,
        expected=rule.meaning,
        hint=str(_nearest(rule, value)),
        severity="error" if rule.refused and isinstance(operand, Immediate) else "warning",
    )
    return True


def _nearest(rule: _Rule, value: int) -> int:
    value = min(max(value, rule.low), rule.high)
    if rule.power:
        return 1 << (value - 1).bit_length()
    return -(-value // rule.step) * rule.step


def _check_copy(view: View, position: int, op: str) -> None:
    """Shared memory of a bulk copy is aligned to 16 bytes, of a tensor copy to 128 (manual 9.7.9.25.4, 9.7.9.25.5)."""
    words = op.split(".")
    if "bulk" in words and "prefetch" not in words:
        alignment = 128 if "tensor" in words else 16
        for access in view.accesses_at.get(position, ()):
            _check_alignment(view, position, access.place, alignment)
    elif words[:2] == ["cp", "async"] and not {"ca", "cg"}.isdisjoint(words):
        size = view.values.constant(view.body.instructions[position].operands[2], position)
        for access in view.accesses_at.get(position, ()):
            _check_alignment(view, position, access.place, size or 4)
        _check_source_size(view, position, size)
    if "multicast::cluster" in words:
        _check_multicast(view, position, words)


def _check_source_size(view: View, position: int, size: int | None) -> None:
    """cp.async reads at most as many bytes as it writes, the rest is filled with zeros."""
    operands = view.body.instructions[position].operands
    source = view.values.constant(operands[3], position) if len(operands) > 3 else None
    if source is None or size is None or 0 <= source <= size:
        return
    view.body.report(
        "PTX205",
        f"cp.async copies {size} bytes and does not take {source} bytes of source",
        position,
        expected=f"0 to {size}",
        hint=str(size),
        severity="error" if isinstance(operands[3], Immediate) else "warning",
    )


def _check_alignment(view: View, position: int, place: SymbolicAddress, alignment: int) -> None:
    """Where the address is a constant number of bytes into a variable; dynamic shared memory starts where the driver puts it."""
    if not place.exact or place.symbol is None:
        return
    variable = view.body.scopes[position].find(place.symbol)
    if not isinstance(variable, Variable):
        return
    if place.offset % alignment:
        what = f"{place.symbol}+{place.offset}"
    elif variable.alignment % alignment and variable.linkage != "extern":
        what = f"{place.symbol}, which is aligned to {variable.alignment},"
    else:
        return
    view.body.report(
        "PTX527",
        f"{what} is not aligned to the {alignment} bytes that {'.'.join(view.op(position).split('.')[:4])} needs",
        position,
        expected=f".align {alignment}, and offsets that are multiples of {alignment}",
        hint=f".shared .align {alignment} .b8 {place.symbol}[...];",
    )


def _check_multicast(view: View, position: int, words: list[str]) -> None:
    index = 3 if "tensor" in words else 4
    operands = view.body.instructions[position].operands
    if "im2col" in words:
        index += 1
    mask = view.values.constant(operands[index], position) if index < len(operands) else None
    size = cluster_size(view)
    if mask is None:
        return
    if mask == 0 or (size is not None and mask >> size):
        view.body.report(
            "PTX528",
            f"multicast to the CTAs of mask {mask:#x}"
            + (f", and a cluster of this kernel has {size}" if mask else ": to nobody"),
            position,
            expected=f"bits of CTAs that the cluster has: {(1 << (size or 2)) - 1:#x} for all of {size or 2}",
        )
