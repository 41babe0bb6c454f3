"""What one thread asks the tensor cores for: tcgen05.mma in all its forms, .cp, .shift and .commit (manual 9.7.16.9 to 12).

It is done when an mbarrier that a commit names is waited for, or when the thread exits; or at once, where copies are: see
rt/bulk.py.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.cpu.emit import LlvmValue
from ptxgen.cpu.flat import FlatAddress, FlatOperand, Op
from ptxgen.cpu.lower.bulk import group, valid_mbarrier
from ptxgen.cpu.lower.cluster import members
from ptxgen.cpu.lower.copies import address_of, note_rank, start_bulk, started
from ptxgen.cpu.lower.matrix import note_products
from ptxgen.cpu.lower.mbarrier import good
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.lower.tcgen05 import GROUPS, tensor_address
from ptxgen.cpu.lower.windows import in_window
from ptxgen.cpu.record_layout import RANK_SHIFT, BulkCopy, BulkKind
from ptxgen.cpu.rt.clusters import OFFSET_MASK
from ptxgen.cpu.rt.matrix.functions import function_name
from ptxgen.cpu.rt.matrix.signature import ARGUMENTS
from ptxgen.cpu.rt.matrix.tcgen05_parameters import PARAMETERS, Flag, Parameter
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.unsupported import unsupported
from ptxgen.isa.layouts.instruction import KINDS
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.lower.context import LoweringContext

B64, U16, U32, PRED = TYPES["b64"], TYPES["u16"], TYPES["u32"], TYPES["pred"]
USES = ("fill", "use", "lastuse", "discard")
SLOTS = {
    "group": GROUPS,
    "kind": "kind::f16 kind::tf32 kind::f8f6f4 kind::i8",
    "scaled": "kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4",
    "vector": "scale_vec::1X scale_vec::2X scale_vec::4X block16 block32",
    "collector": " ".join(f"collector::a::{use}" for use in USES),
    "collector_b": " ".join(f"collector::b::{use}" for use in USES),
    "buffer": " ".join(f"collector::b{n}::{use}" for n in range(4) for use in USES),
}
TYPICAL = 128 * 128
"""Results of an instruction, to say how long it takes."""
assert BulkCopy.bytes.offset - BulkCopy.map.offset >= 4 * PARAMETERS


@lowers("tcgen05.mma{.sp}.group.kind{.ashift}{.collector}{.collector_b}", slots=SLOTS, raw=True, destinations=0)
def mma(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """Collectors only keep A or B for the next instruction."""
    matrices, rest = _split(op, sparse=bool(form.sp))
    mask: tuple[FlatOperand, ...] = rest[0] if isinstance(rest[0], tuple) else ()
    if mask:
        del rest[0]
    with k.when(k.guard()):
        values = _matrices(k, matrices) | {Parameter.MASK + n: k.read(one, U32) for n, one in enumerate(mask)}
        if len(rest) > 1:
            assert isinstance(rest[1], ir.Immediate)
            values[Parameter.SCALE_D] = k.e.const("i32", rest[1].value)
        values[Parameter.FLAGS] = values[Parameter.FLAGS] | k.read(rest[0], PRED).zext("i32")
        shift = ".ashift" if form.ashift else ""
        _multiply(k, f"{form.group}.{form.kind}{shift}", values, sparse=bool(form.sp))


@lowers(
    "tcgen05.mma{.sp}.group.scaled.block_scale{.vector}{.collector}{.collector_b}",
    slots=SLOTS,
    raw=True,
    destinations=0,
)
def mma_scaled(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    matrices, (scale_a, scale_b, enable) = _split(op, sparse=bool(form.sp))
    with k.when(k.guard()):
        values = _matrices(k, matrices)
        values[Parameter.SCALE_A] = tensor_address(k, scale_a)
        values[Parameter.SCALE_B] = tensor_address(k, scale_b)
        values[Parameter.FLAGS] = values[Parameter.FLAGS] | k.read(enable, PRED).zext("i32")
        vector = f".{form.vector}" if form.vector else ""
        _multiply(k, f"{form.group}.{form.scaled}{vector}", values, sparse=bool(form.sp))


@lowers("tcgen05.mma.ws{.sp}.cta_group::1.kind{.buffer}", slots=SLOTS, raw=True, destinations=0)
def mma_ws(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """Collectors only keep B."""
    matrices, (enable, *zeros) = _split(op, sparse=bool(form.sp))
    with k.when(k.guard()):
        values = _matrices(k, matrices)
        values[Parameter.FLAGS] = values[Parameter.FLAGS] | k.read(enable, PRED).zext("i32")
        if zeros:
            mask = k.read(zeros[0], B64)
            values |= {Parameter.MASK: mask.trunc("i32"), Parameter.MASK + 1: (mask >> 32).trunc("i32")}
        _multiply(k, f"cta_group::1.{form.kind}", values, sparse=bool(form.sp), ws=True)


def _split(op: Op, *, sparse: bool) -> tuple[dict[Parameter, FlatOperand], list[FlatOperand]]:
    """(the operands that all forms have, the others)."""
    order = [Parameter.D, Parameter.A, Parameter.B, *[Parameter.METADATA] * sparse, Parameter.DESCRIPTOR]
    return dict(zip(order, op.operands)), list(op.operands[len(order) :])


def _matrices(k: LoweringContext, operands: dict[Parameter, FlatOperand]) -> dict[int, LlvmValue]:
    a, in_tensor_memory = operands[Parameter.A], isinstance(operands[Parameter.A], FlatAddress)
    values: dict[int, LlvmValue] = {
        Parameter.D: tensor_address(k, operands[Parameter.D]),
        Parameter.A: tensor_address(k, a).zext("i64") if in_tensor_memory else k.read(a, B64),
        Parameter.B: k.read(operands[Parameter.B], B64),
        Parameter.DESCRIPTOR: k.read(operands[Parameter.DESCRIPTOR], U32),
        Parameter.FLAGS: k.e.const("i32", int(Flag.A_IN_TENSOR_MEMORY) if in_tensor_memory else 0),
    }
    if Parameter.METADATA in operands:
        values[Parameter.METADATA] = tensor_address(k, operands[Parameter.METADATA])
    return values


def _multiply(
    k: LoweringContext, name: str, values: dict[int, LlvmValue], *, sparse: bool = False, ws: bool = False
) -> None:
    kind = name.split("kind::")[1].split(".")[0]
    note_products(k, TYPICAL * KINDS[kind].k)
    _start(k, f"tcgen05.mma{'.ws' * ws}{'.sp' * sparse}.{name}", values)


COPIES = ("tcgen05.cp.group.size", "tcgen05.cp.group.64x128b.warps", "tcgen05.cp.group.32x128b.warpx4")


@lowers(*COPIES, *(f"{copy}.b8x16.format" for copy in COPIES), group=GROUPS, size="128x256b 4x256b 128x128b",
        warps="warpx2::02_13 warpx2::01_23", format="b6x16_p32 b4x16_p64", raw=True, destinations=0)  # fmt: skip
def copy(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    place, descriptor = op.operands
    with k.when(k.guard()):
        _start(k, op.op, {Parameter.D: tensor_address(k, place), Parameter.B: k.read(descriptor, B64)})


@lowers("tcgen05.shift.group.down", group=GROUPS, raw=True, destinations=0)
def shift(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    with k.when(k.guard()):
        _start(k, op.op, {Parameter.D: tensor_address(k, op.operands[0])})


def _start(k: LoweringContext, name: str, values: dict[int, LlvmValue]) -> None:
    """Puts a function with its parameters under way."""
    e = k.e
    zero = e.const("i64", 0)
    entry = start_bulk(k, BulkKind.TENSOR_CORE, group(k), zero, zero, e.const("i32", 0))
    function = function_name(name)
    e.module.declare(function, "void", ARGUMENTS)
    e.store(address_of(k, LlvmValue(e, "ptr", f"@{function}")), e.offset(entry, BulkCopy.function.offset))
    words = e.offset(entry, BulkCopy.map.offset)
    for number in range(PARAMETERS):
        e.store(e.const("i32", 0), e.offset(words, ctypes.sizeof(ctypes.c_uint32) * number))
    for number, value in values.items():
        e.store(value, e.offset(words, ctypes.sizeof(ctypes.c_uint32) * number))
    _started(k)


def _started(k: LoweringContext) -> None:
    """What is done at once may be a fault at once."""
    started(k)
    good(k, k.launch.get("fault_kind").eq(0))


@lowers("tcgen05.commit.group.mbarrier::arrive::one{.reads_of_a}{.space}{.multicast}.b64", group=GROUPS, space="shared::cluster",
        reads_of_a="sync_restrict::shared::read::mma::a", raw=True, destinations=0,
        multicast="multicast::cluster multicast::cluster::16b multicast::cluster::32b")  # fmt: skip
def commit(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """An arrival, behind all that the thread has asked for; one that waits for the reads of A alone comes no sooner."""
    e = k.e
    place, *mask = op.operands
    zero = e.const("i64", 0)

    def arrive(address: LlvmValue) -> None:
        pointer = valid_mbarrier(k, address)
        k.probe.order(k, pointer, releases=True, completes=True)
        note_rank(k, start_bulk(k, BulkKind.COMMIT, pointer, zero, zero, e.const("i32", 0)), address)

    with k.when(k.guard()):
        own = _in_cluster(k, form, place)
        if mask:
            with members(k, k.read(mask[0], U32 if form.multicast == "multicast::cluster::32b" else U16)) as rank:
                arrive((own & OFFSET_MASK) | (rank << RANK_SHIFT))
        else:
            arrive(own)
        _started(k)


def _in_cluster(k: LoweringContext, form: FormModifiers, place: FlatOperand) -> LlvmValue:
    """The address in .shared::cluster of an mbarrier. Where no space is named it is generic, but a number of 32 bits is taken for
    one in shared memory: assemblers do so, and Triton relies on it."""
    if not isinstance(place, FlatAddress):
        raise unsupported(f"{k.op.op} without the address of an mbarrier", k.op.origin.source)
    e, given = k.e, in_window(k, place)
    mine = given if k.ranked else given | (k.cta.get("rank").zext("i64") << RANK_SHIFT)
    if form.space or place.base is None:
        return mine
    found = given.ult(1 << 32).select(mine, e.call("cluster_address", "i64", given, k.warp.pointer))
    k.fault_if(found.eq(-1), FaultKind.MBARRIER_INVALID, given)
    return found
