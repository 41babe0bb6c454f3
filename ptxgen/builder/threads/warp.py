"""What the threads of a warp or a CTA do together (manual 9.7.9.6, 9.7.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from ptxgen.builder.core.numbers import plain
from ptxgen.builder.core.source import build_error
from ptxgen.builder.values import arithmetic, conversions
from ptxgen.builder.values.scalars import SCALARS, Integer, Value, b32, pred, s32, u16, u32
from ptxgen.ir import Immediate, Pair, Register, Vector
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.ir import Operand

__all__ = [
    "activemask",
    "ballot",
    "barrier",
    "barrier_all",
    "barrier_any",
    "barrier_count",
    "match_any",
    "shfl_down",
    "shfl_idx",
    "shfl_up",
    "shfl_xor",
    "syncwarp",
    "vote_all",
    "vote_any",
    "vote_uni",
    "warp_reduce",
    "word",
]

V = TypeVar("V", bound=Value)
Word = Integer | int
FULL = 0xFFFFFFFF


def word(k: FunctionBuilder, value: object, what: str) -> Operand:
    """A 32-bit operand. BuildError for `what` of another type."""
    number = plain(value)
    if isinstance(number, int):
        return Immediate(number)
    if not isinstance(value, Value) or value.isa.bits != 32 or value.isa.is_float:
        raise build_error("PTX220", f"{what} is a 32-bit integer", hint=f"{what}.to(u32)")
    return k.use(value)


def barrier(k: FunctionBuilder, id: int = 0, threads: int | None = None) -> None:
    """Wait for all threads of the CTA, or for `threads` of them (a multiple of 32) at the named barrier `id` (0 to 15)."""
    if not 0 <= id <= 15:
        raise build_error("PTX205", f"barrier {id}", expected="0 to 15")
    if threads is not None and (threads <= 0 or threads % 32):
        raise build_error("PTX205", f"a barrier of {threads} threads", expected="a positive multiple of 32")
    k.emit("bar.sync", Immediate(id), *([] if threads is None else [Immediate(threads)]))


def _barrier_vote(k: FunctionBuilder, op: str, condition: pred, id: int) -> pred:
    found = k.emit1(pred, f"bar.red.{op}.pred", Immediate(id), k.truth(condition))
    k.expect_use(found)
    return found


def barrier_any(k: FunctionBuilder, condition: pred, id: int = 0) -> pred:
    """A barrier that tells whether the condition holds in any thread of the CTA."""
    return _barrier_vote(k, "or", condition, id)


def barrier_all(k: FunctionBuilder, condition: pred, id: int = 0) -> pred:
    """A barrier that tells whether the condition holds in every thread of the CTA."""
    return _barrier_vote(k, "and", condition, id)


def barrier_count(k: FunctionBuilder, condition: pred, id: int = 0) -> u32:
    """A barrier that counts the threads of the CTA in which the condition holds."""
    return k.emit1(u32, "bar.red.popc.u32", Immediate(id), k.truth(condition))


def syncwarp(k: FunctionBuilder, mask: Word = FULL) -> None:
    """Wait for the lanes of the mask, and order their memory accesses."""
    k.emit("bar.warp.sync", word(k, mask, "mask"))


def _shuffle(k: FunctionBuilder, mode: str, value: V, lane: Word, width: int, mask: Word, valid: bool) -> Any:
    if width not in (1, 2, 4, 8, 16, 32):
        raise build_error("PTX221", f"a shuffle width of {width}", expected="a power of two up to 32")
    segments = (32 - width) << 8
    clamp = Immediate(segments | (0 if mode == "up" else 31))
    operands = (word(k, lane, "lane"), clamp, word(k, mask, "mask"))
    bits = value.isa.bits
    if value.isa.kind == "p" or bits > 64:
        raise build_error("PTX220", f"a shuffle of .{value.isa.name}", hint="k.ballot(p), or p.to(u32)")
    if bits == 64:
        if valid:
            raise build_error("PTX220", "valid= with a 64-bit value", hint="shuffle its halves with k.ptx.shfl")
        return _shuffle_64(k, mode, value, operands)
    wide: Any = value
    if bits < 32:
        half = conversions.bitcast(value, u16) if bits == 16 else value
        wide = conversions.convert(half, u32)
    result = k.register(wide.storage)
    inside = k.register(TYPES["pred"]) if valid else None
    target = result if inside is None else Pair(result, inside)
    k.emit(f"shfl.sync.{mode}.b32", target, k.use(wide), *operands)
    found: Any = type(wide)(k, result, k.scope)
    if bits < 32:
        narrow = conversions.convert(found, u16 if bits == 16 else SCALARS[value.isa.name])
        found = conversions.bitcast(narrow, type(value)) if bits == 16 else narrow
    return found if inside is None else (found, pred(k, inside, k.scope))


def _shuffle_64(k: FunctionBuilder, mode: str, value: V, operands: tuple[Any, ...]) -> V:
    low, high = k.register(TYPES["b32"]), k.register(TYPES["b32"])
    k.emit("mov.b64", Vector((low, high)), k.use(value))
    moved: list[Register] = []
    for part in (low, high):
        moved.append(k.register(TYPES["b32"]))
        k.emit(f"shfl.sync.{mode}.b32", moved[-1], part, *operands)
    return k.emit1(type(value), "mov.b64", Vector(tuple(moved)))


@overload
def shfl_up(
    k: FunctionBuilder, value: V, delta: Word, *, width: int = ..., mask: Word = ..., valid: Literal[False] = ...
) -> V: ...
@overload
def shfl_up(
    k: FunctionBuilder, value: V, delta: Word, *, width: int = ..., mask: Word = ..., valid: Literal[True]
) -> tuple[V, pred]: ...
def shfl_up(
    k: FunctionBuilder, value: V, delta: Word, *, width: int = 32, mask: Word = FULL, valid: bool = False
) -> Any:
    """The value of the lane `delta` below, own value where there is none; `valid=True` also returns whether there was."""
    return _shuffle(k, "up", value, delta, width, mask, valid)


@overload
def shfl_down(
    k: FunctionBuilder, value: V, delta: Word, *, width: int = ..., mask: Word = ..., valid: Literal[False] = ...
) -> V: ...
@overload
def shfl_down(
    k: FunctionBuilder, value: V, delta: Word, *, width: int = ..., mask: Word = ..., valid: Literal[True]
) -> tuple[V, pred]: ...
def shfl_down(
    k: FunctionBuilder, value: V, delta: Word, *, width: int = 32, mask: Word = FULL, valid: bool = False
) -> Any:
    """The value of the lane `delta` above, own value where there is none."""
    return _shuffle(k, "down", value, delta, width, mask, valid)


@overload
def shfl_xor(
    k: FunctionBuilder, value: V, lanes: Word, *, width: int = ..., mask: Word = ..., valid: Literal[False] = ...
) -> V: ...
@overload
def shfl_xor(
    k: FunctionBuilder, value: V, lanes: Word, *, width: int = ..., mask: Word = ..., valid: Literal[True]
) -> tuple[V, pred]: ...
def shfl_xor(
    k: FunctionBuilder, value: V, lanes: Word, *, width: int = 32, mask: Word = FULL, valid: bool = False
) -> Any:
    """The value of the lane whose number differs in the bits of `lanes`."""
    return _shuffle(k, "bfly", value, lanes, width, mask, valid)


@overload
def shfl_idx(
    k: FunctionBuilder, value: V, lane: Word, *, width: int = ..., mask: Word = ..., valid: Literal[False] = ...
) -> V: ...
@overload
def shfl_idx(
    k: FunctionBuilder, value: V, lane: Word, *, width: int = ..., mask: Word = ..., valid: Literal[True]
) -> tuple[V, pred]: ...
def shfl_idx(
    k: FunctionBuilder, value: V, lane: Word, *, width: int = 32, mask: Word = FULL, valid: bool = False
) -> Any:
    """The value of a lane (counted within segments of `width`)."""
    return _shuffle(k, "idx", value, lane, width, mask, valid)


def _vote(k: FunctionBuilder, mode: str, condition: pred, mask: Word) -> pred:
    found = k.emit1(pred, f"vote.sync.{mode}.pred", k.truth(condition), word(k, mask, "mask"))
    k.expect_use(found)
    return found


def vote_any(k: FunctionBuilder, condition: pred, mask: Word = FULL) -> pred:
    """Does it hold in any lane of the mask?"""
    return _vote(k, "any", condition, mask)


def vote_all(k: FunctionBuilder, condition: pred, mask: Word = FULL) -> pred:
    """Does it hold in every lane of the mask?"""
    return _vote(k, "all", condition, mask)


def vote_uni(k: FunctionBuilder, condition: pred, mask: Word = FULL) -> pred:
    """Is it the same in every lane of the mask?"""
    return _vote(k, "uni", condition, mask)


def ballot(k: FunctionBuilder, condition: pred, mask: Word = FULL) -> u32:
    """The set of lanes in which it holds, one bit a lane."""
    operands = (k.truth(condition), word(k, mask, "mask"))
    return k.emit1(u32, "vote.sync.ballot.b32", *operands)


def match_any(k: FunctionBuilder, value: Value, mask: Word = FULL) -> b32:
    """The set of lanes that hold the same value."""
    if value.isa.bits not in (32, 64):
        raise build_error("PTX220", f"match of .{value.isa.name}", expected="a 32- or 64-bit value")
    operands = (k.use(value), word(k, mask, "mask"))
    return k.emit1(b32, f"match.any.sync.b{value.isa.bits}", *operands)


def activemask(k: FunctionBuilder) -> u32:
    """The lanes that run together here; a snapshot, no promise."""
    return k.emit1(u32, "activemask.b32")


_REDUCTIONS = ("add", "mul", "min", "max", "and", "or", "xor")


def warp_reduce(k: FunctionBuilder, op: str, value: V, *, width: int = 32) -> V:
    """The values of all lanes of a warp, or of each segment of `width` lanes, under "add", "mul", "min", "max", "and", "or" or
    "xor": in every lane, the same bits. All lanes take part.

    One `redux.sync` for integers of up to 32 bits over whole warps on sm_80 and newer, but for "mul"; else log2(width)
    shuffles, whose tree is symmetric.
    """
    isa = value.isa
    if op not in _REDUCTIONS:
        raise build_error("PTX221", f"a reduction by {op!r}", expected=", ".join(_REDUCTIONS))
    if isa.kind not in "usf" or (isa.is_float and op in ("and", "or", "xor")):
        raise build_error(
            "PTX220", f"a reduction of .{isa.name} by {op!r}", expected="an integer, or a float and no logic"
        )
    if width not in (1, 2, 4, 8, 16, 32):
        raise build_error("PTX221", f"a reduction over {width} lanes", expected="a power of two up to 32")
    if width == 32 and isa.is_integer and isa.bits <= 32 and op != "mul" and k.target.sm >= 80:
        wide: Any = conversions.convert(value, s32 if isa.is_signed else u32)
        suffix = "b32" if op in ("and", "or", "xor") else wide.isa.name
        reduced = k.emit1(type(wide), f"redux.sync.{op}.{suffix}", k.use(wide), Immediate(FULL))
        return conversions.convert(reduced, type(value))
    result: V = value
    while width > 1:
        width //= 2
        result = arithmetic.binary(op, result, shfl_xor(k, result, width))
    return result
