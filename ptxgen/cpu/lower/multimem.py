"""Operations on all memory behind a multicast address (manual 9.7.9.14), a device after the other."""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ptxgen.cpu.flat import FlatAddress, FlatOperand, Op
from ptxgen.cpu.lower.atomic import apply, new_value
from ptxgen.cpu.lower.context import representation
from ptxgen.cpu.lower.memory import SCOPES, elements
from ptxgen.cpu.lower.registry import FormModifiers, lowers
from ptxgen.cpu.multicast import MOST_RANGES, MulticastRange
from ptxgen.cpu.rt.formats import narrow, widen
from ptxgen.cpu.rt.half import bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16
from ptxgen.cpu.rt.memory import FaultKind
from ptxgen.cpu.rt.records import MemoryRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.cpu.emit import Emitter, LlvmValue
    from ptxgen.cpu.lower.context import LoweringContext
    from ptxgen.isa.types import ScalarType

_SLOTS = {"sem": "relaxed acquire release", "scope": SCOPES, "weak": "weak", "vec": "v2 v4 v8"}
_ORDER = "{.weak}{.sem}{.scope}{.global}"
_INTEGERS, _HALVES = "b32 b64 u32 u64 s32 s64", "f16 bf16 f16x2 bf16x2"
_EIGHTS = "e4m3 e5m2 e4m3x2 e5m2x2 e4m3x4 e5m2x4"


def find_range(e: Emitter, table: LlvmValue, address: LlvmValue, nbytes: LlvmValue) -> LlvmValue:
    """The row of the table in whose range the bytes lie, as an i64; 0 where there is none."""
    found = e.var("i64", 0)
    with e.count(0, e.const("i64", MOST_RANGES)) as number:
        place = table + number * ctypes.sizeof(MulticastRange)
        row = MemoryRecord(e, MulticastRange, e.ptr(place))
        offset, size = address - row.get("base"), row.get("bytes")
        with e.if_(offset.ult(size) & (size - offset).uge(nbytes)):
            found.set(place)
    return found.get()


@contextmanager
def replicas(k: LoweringContext, place: FlatOperand, nbytes: int) -> Iterator[tuple[LlvmValue, LlvmValue]]:
    """Its body runs for each device behind the address: (the device's number, an i64; the pointer to its bytes)."""
    assert isinstance(place, FlatAddress)
    e, address = k.e, k.address(place)
    size = e.const("i64", nbytes)
    k.fault_if((address & (nbytes - 1)).ne(0), FaultKind.MISALIGNED_ADDRESS, address, nbytes)
    table = k.launch.get("multicast")
    row = e.var("i64", 0)
    with e.if_(table.ne(0)):
        row.set(e.use(find_range, table, address, size))
    k.fault_if(row.get().eq(0), FaultKind.MULTICAST_ADDRESS, address, nbytes)
    record = MemoryRecord(e, MulticastRange, e.ptr(row.get()))
    offset = address - record.get("base")
    with e.count(0, record.get("count")) as number:
        yield number, e.ptr(record.get("replicas", number) + offset)


@lowers(f"multimem.st{_ORDER}{{.acc}}{{.vec}}.type", raw=True, destinations=0, slots=_SLOTS,
        type=f"{_INTEGERS} f32 f64 {_HALVES} {_EIGHTS}", acc="acc::f16 acc::f32")  # fmt: skip
def store(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    _into_each(k, form, op, k.e.store)


@lowers(f"multimem.red{_ORDER}.do{{.acc}}{{.vec}}.type", raw=True, destinations=0, slots=_SLOTS, do="add min max and or xor",
        type=f"{_INTEGERS} f32 f64 {_HALVES}", acc="acc::f16 acc::f32")  # fmt: skip
def reduce(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    _into_each(k, form, op, lambda value, pointer: apply(k, form, pointer, value, shared=False))


def _into_each(k: LoweringContext, form: FormModifiers, op: Op, put: Callable[[LlvmValue, LlvmValue], object]) -> None:
    """Puts the elements of the second operand where they belong, on each device."""
    place, value = op.operands
    with k.when(k.guard()):
        values = [k.read(each, form.type).clean() for each in elements(value)]
        with replicas(k, place, form.type.bytes * len(values)) as (_, pointer):
            for i, each in enumerate(values):
                put(each, k.e.offset(pointer, i * form.type.bytes))


@lowers(f"multimem.ld_reduce{_ORDER}.do{{.acc}}{{.vec}}.type", raw=True, slots=_SLOTS, do="add min max and or xor",
        type=f"{_INTEGERS} f32 f64 {_HALVES} {_EIGHTS}", acc="acc::f16 acc::f32")  # fmt: skip
def load_reduce(k: LoweringContext, form: FormModifiers, op: Op) -> None:
    """Sums of halves are rounded at each step, or with `.acc::f32` once; those of fp8 at each step, with `.acc::f16` to f16. The
    manual does not say what becomes of sums beyond the numbers of fp8: the largest one, as in conversions."""
    target, place = op.operands
    targets, e, type = elements(target), k.e, form.type
    kind = representation(type)
    eights, acc = type.name in _EIGHTS.split(), form.get("acc")
    wide = eights or acc == "acc::f32"
    steps = ("f16" if acc else type.element) if eights else None
    with k.when(k.guard()):
        parts = type.lanes if wide else 1
        held = [[e.var("float" if wide else kind) for _ in range(parts)] for _ in targets]
        with replicas(k, place, type.bytes * len(targets)) as (number, pointer):
            first = number.eq(0)
            for i, totals in enumerate(held):
                value = e.load(kind, e.offset(pointer, i * type.bytes))
                values = _widened(e, value, type) if wide else [value]
                for total, each in zip(totals, values):
                    old = first.select(each, total.get())
                    if wide:
                        new = _together(e, form.do, old, each)
                        new = new if steps is None else _widen(e, _narrow(e, new, steps), steps)
                    else:
                        new = new_value(e, old, each, operation=form.do, type=type, in_memory=False)
                    total.set(first.select(each, new).clean())
        for destination, totals in zip(targets, held):
            found = [total.get() for total in totals]
            k.write(destination, _narrowed(e, found, type) if wide else found[0], type)


def _together(e: Emitter, operation: str, a: LlvmValue, b: LlvmValue) -> LlvmValue:
    if operation == "add":
        return a + b
    return e.intrinsic("llvm.minnum" if operation == "min" else "llvm.maxnum", a, b)


def _widened(e: Emitter, value: LlvmValue, type: ScalarType) -> list[LlvmValue]:
    """The elements of a value as f32."""
    bits = type.bits // type.lanes
    return [
        _widen(e, (value >> bits * lane).resize("i32") & (1 << bits) - 1, type.element) for lane in range(type.lanes)
    ]


def _narrowed(e: Emitter, values: list[LlvmValue], type: ScalarType) -> LlvmValue:
    bits, found = type.bits // type.lanes, e.const("i32", 0)
    for lane, value in enumerate(values):
        found = found | _narrow(e, value, type.element) << bits * lane
    return found.resize(representation(type))


def _widen(e: Emitter, bits: LlvmValue, format: str) -> LlvmValue:
    """An element in the low bits of an i32 as f32."""
    if format in ("f16", "bf16"):
        return e.use(bf16_to_f32 if format == "bf16" else f16_to_f32, bits.trunc("i16"))
    return e.use(widen, bits, format=format)


def _narrow(e: Emitter, value: LlvmValue, format: str) -> LlvmValue:
    """The nearest element, in the low bits of an i32."""
    if format in ("f16", "bf16"):
        return e.use(f32_to_bf16 if format == "bf16" else f32_to_f16, value).zext("i32")
    return e.use(narrow, value, format=format, satfinite=True)
