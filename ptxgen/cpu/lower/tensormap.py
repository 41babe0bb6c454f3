"""Fields of a tensor map, replaced in memory, and its copy (manual 9.7.9.26, 9.7.13.16).

ptxgen.emulated_driver.memory.tensormaps says where the fields lie.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen import ir
from ptxgen.cpu.flat import FlatAddress, Op
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.rt.tensor import MAP_BYTES
from ptxgen.cpu.unsupported import unsupported
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.lower.context import LoweringContext

SPACES = "global shared::cta"
PART = 16
"""Bytes that are copied at once."""
U32, U64 = TYPES["b32"], TYPES["b64"]


class Field(NamedTuple):
    """`bits` bits from bit `at` of the 32-bit word number `word`; what is stored is the new value less `less`."""

    word: int
    at: int
    bits: int
    less: int = 0


FIELDS = {
    "swizzle_atomicity": Field(2, 22, 2),
    "rank": Field(2, 4, 3),
    "interleave_layout": Field(2, 11, 2),
    "swizzle_mode": Field(2, 13, 2),
    "fill_mode": Field(2, 15, 1),
}
_TYPE, _ROUNDS = Field(2, 7, 4), Field(2, 16, 1)
_ATOMICITY = Field(2, 22, 2)
"""Of the swizzle of 128 bytes. Its mode clears the lower bit (measured, H200); that there is another one above is ours, no device
of sm_100 was at hand."""
_CODES = {number: number for number in range(16)} | {11: 7, 12: 8}
"""The number of an element type -> its code in the map; 11 and 12 are f32 that is rounded to tf32, and no copy here takes those
behind."""


def _numbered(field: str, number: int) -> Field:
    """A field that the map has for each dimension."""
    if field == "global_dim":
        return Field(8 + number, 0, 32, less=1)
    if field == "element_stride":
        return Field(13, 3 * number, 3, less=1)
    return Field(13, 24, 8, less=1) if number == 0 else Field(14, 8 * (number - 1), 8, less=1)  # box_dim


def _replace(
    k: LoweringContext, place: FlatAddress, space: str, field: Field, value: ir.Immediate | None, op: Op
) -> None:
    """Stores a field; the value is the operation's last operand, or this one."""
    e = k.e
    pointer = k.access(place.plus(4 * field.word), space, 4, write=True)
    new = k.read(op.operands[-1] if value is None else value, U32) - field.less
    if field.bits < 32:
        mask = ((1 << field.bits) - 1) << field.at
        new = (e.load("i32", pointer) & ~mask) | ((new << field.at) & mask)
    e.store(new, pointer)


@lowers(
    "tensormap.replace.tile.field{.ss}.b1024.b32", raw=True, destinations=0, ss=SPACES,
    field="rank box_dim global_dim element_stride elemtype interleave_layout swizzle_mode swizzle_atomicity fill_mode",
)  # fmt: skip
def replace(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    place, *rest = op.operands
    space = (form.ss or "").partition("::")[0]
    assert isinstance(place, FlatAddress)
    with k.when(k.guard()):
        if form.field == "elemtype":
            number = rest[0].value if isinstance(rest[0], ir.Immediate) else -1
            if number not in _CODES:
                raise unsupported(f"{op.op} with the type {number}", op.origin.source, "0 to 15")
            _replace(k, place, space, _TYPE, ir.Immediate(_CODES[number]), op)
            if number in (11, 12):  # the other types leave the bit as it is (measured, H200)
                _replace(k, place, space, _ROUNDS, ir.Immediate(1), op)
        elif len(rest) == 2:
            assert isinstance(rest[0], ir.Immediate)
            _replace(k, place, space, _numbered(form.field, rest[0].value), None, op)
        else:
            _replace(k, place, space, FIELDS[form.field], None, op)
            if form.field == "swizzle_mode":
                _replace(k, place, space, _ATOMICITY, ir.Immediate(0), op)


@lowers("tensormap.replace.tile.global_address{.ss}.b1024.b64", raw=True, destinations=0, ss=SPACES)
def replace_address(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    place, value = op.operands
    assert isinstance(place, FlatAddress)
    with k.when(k.guard()):
        pointer = k.access(place, (form.ss or "").partition("::")[0], 8, write=True)
        k.e.store(k.read(value, U64), pointer)


@lowers("tensormap.replace.tile.global_stride{.ss}.b1024.b64", raw=True, destinations=0, ss=SPACES)
def replace_stride(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """In units of 16 bytes; bits 32 to 35 of their number lie apart."""
    place, number, value = op.operands
    assert isinstance(place, FlatAddress)
    assert isinstance(number, ir.Immediate)
    e, space, shift = k.e, (form.ss or "").partition("::")[0], 4 * number.value
    with k.when(k.guard()):
        units = k.read(value, U64) >> 4
        e.store(units.trunc("i32"), k.access(place.plus(4 * (3 + number.value)), space, 4, write=True))
        high = k.access(place.plus(28), space, 4, write=True)
        kept = e.load("i32", high) & ~(15 << shift)
        e.store(kept | (((units >> 32).trunc("i32") & 15) << shift), high)


@lowers(
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned", raw=True, destinations=0,
    scope="cta cluster gpu sys",
)  # fmt: skip
def copy(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """All lanes of the warp copy the same map; a fence is nothing here, where tensor copies read a map when they are issued."""
    to, source = op.operands[:2]
    assert isinstance(to, FlatAddress)
    assert isinstance(source, FlatAddress)
    with k.when(k.guard()):
        for at in range(0, MAP_BYTES, PART):
            words = k.e.load("i128", k.access(source.plus(at), "shared", PART, write=False))
            k.e.store(words, k.access(to.plus(at), "global", PART, write=True))
