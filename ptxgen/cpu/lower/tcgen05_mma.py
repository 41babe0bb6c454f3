"""tcgen05.mma, dense and block-scaled (manual 9.7.16.10): one thread asks for the whole product, which is done at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.flat import FlatAddress, FlatOperand, Op
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.lower.tcgen05 import GROUPS, refuse, run, tensor_address
from ptxgen.cpu.rt.matrix.tcgen05_operands import Flag, Parameter
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.emit import LlvmValue
    from ptxgen.cpu.lower.context import LoweringContext

B64, U32, PRED = TYPES["b64"], TYPES["u32"], TYPES["pred"]
SLOTS = {
    "group": GROUPS,
    "kind": "kind::f16 kind::tf32 kind::f8f6f4 kind::i8",
    "scaled": "kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4",
    "vector": "scale_vec::1X scale_vec::2X scale_vec::4X block16 block32",
    "collector": "collector::a::fill collector::a::use collector::a::lastuse collector::a::discard",
}


@lowers("tcgen05.mma.group.kind{.collector}", slots=SLOTS, raw=True, destinations=0)
def mma(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """Collectors only keep A for the next instruction."""
    third = op.operands[4]
    rest = list(op.operands[5:])
    mask: tuple[FlatOperand, ...] = ()
    if isinstance(third, tuple):
        mask, third = third, rest.pop(0)
    with k.when(k.guard()):
        values: dict[int, LlvmValue] = {Parameter.MASK + n: k.read(one, U32).zext("i64") for n, one in enumerate(mask)}
        if rest:
            assert isinstance(rest[0], ir.Immediate)
            values[Parameter.SCALE_D] = k.e.const("i64", rest[0].value)
        values[Parameter.FLAGS] = k.read(third, PRED).zext("i64")
        _call(k, op, f"{form.group}.{form.kind}", values)


@lowers("tcgen05.mma.group.scaled.block_scale{.vector}{.collector}", slots=SLOTS, raw=True, destinations=0)
def mma_scaled(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    scale_a, scale_b, enable = op.operands[4:]
    with k.when(k.guard()):
        values: dict[int, LlvmValue] = {
            Parameter.SCALE_A: tensor_address(k, scale_a).zext("i64"),
            Parameter.SCALE_B: tensor_address(k, scale_b).zext("i64"),
            Parameter.FLAGS: k.read(enable, PRED).zext("i64"),
        }
        vector = f".{form.vector}" if form.vector else ""
        _call(k, op, f"{form.group}.{form.scaled}{vector}", values)


def _call(k: LoweringContext, op: Op, name: str, values: dict[int, LlvmValue]) -> None:
    e = k.e
    d, a, b, descriptor = op.operands[:4]
    if isinstance(a, FlatAddress):
        values[Parameter.FLAGS] = values[Parameter.FLAGS] | int(Flag.A_IN_TENSOR_MEMORY)
        values[Parameter.A] = tensor_address(k, a).zext("i64")
    else:
        values[Parameter.A] = k.read(a, B64)
    values |= {
        Parameter.D: tensor_address(k, d).zext("i64"),
        Parameter.B: k.read(b, B64),
        Parameter.DESCRIPTOR: k.read(descriptor, U32).zext("i64"),
    }
    parameters = e.var(f"[{Parameter.NUMBER + 1} x i64]").pointer
    for number in range(Parameter.NUMBER + 1):
        e.store(values.get(number, e.const("i64", 0)), e.offset(parameters, 8 * number))
    run(k, f"tcgen05.mma.{name}", parameters)
    refuse(k, parameters, Parameter.FAULT)
