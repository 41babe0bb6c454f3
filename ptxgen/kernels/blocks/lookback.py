"""Decoupled look-back: how the tiles of one launch learn what all tiles before them add up to, while all of them run.

D. Merrill and M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back" (NVIDIA NVR-2016-002). Each tile has a
state in global memory: nothing yet, its own total, or the total of everything up to and with it. A tile publishes its own
total at once, adds up those of the tiles before it until it meets one that knows its prefix, and publishes that. Tiles take
their numbers from a ticket, so whoever is waited for has begun, and the launch always comes to an end.

A state is one 64-bit word for each 32 bits of the value: the status above, the bits below. A word is read and written at
once, so no fence is needed; a value of two words is complete when both bear the same status.

The scratch memory is zero before the first launch, and nobody clears it again (`take_turn`): the ticket counts the launches too,
and a status bears the launch's number in its upper 30 bits, so that states of earlier launches are nothing yet. A state would be
mistaken only where it had not been written again in exactly 2^30 launches.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import s32, u32, u64
from ptxgen.kernels.blocks.collectives import WARP, combine, warp_reduce

if TYPE_CHECKING:
    from ptxgen.builder import Builder, ptr
    from ptxgen.builder.values import Value

__all__ = [
    "AGGREGATE",
    "PREFIX",
    "Turn",
    "before_tile",
    "publish_total",
    "take_ticket",
    "take_turn",
    "words_of",
]

AGGREGATE, PREFIX = 1, 2
"""Status of a state: the tile's own total; the total of all tiles up to it. 0, as memory is cleared, is nothing yet."""


def words_of(element: type[Value]) -> int:
    """64-bit words of a tile's state."""
    return element.isa.bytes // 4


def take_ticket(k: Builder, ticket: ptr[u32]) -> u32:
    """The number of this CTA's tile, in the order in which CTAs begin. `ticket` is 0 before the launch."""
    number = k.shared(u32, 1, name="tile_number")
    with k.if_(k.tid.x == 0):
        number[0] = k.atomic_add(ticket, 0, 1)
    k.barrier()
    return number[0]


class Turn(NamedTuple):
    """A CTA's tile, and what a status of this launch is combined with."""

    tile: u32
    launch: u32


def take_turn(k: Builder, ticket: ptr[u64]) -> Turn:
    """The number of this CTA's tile, in the order in which CTAs begin, and that of the launch. Whoever takes the last tile of a
    launch begins the next one: all others have theirs."""
    taken = k.shared(u64, 1, name="turn")
    with k.if_(k.tid.x == 0):
        found = k.atomic_add(ticket, 0, k.const(u64, 1))
        with k.if_(found.to(u32) == k.nctaid.x - 1):
            ticket.store(0, ((found >> 32) + 1) << 32)
        taken[0] = found
    k.barrier()
    found = taken[0]
    return Turn(found.to(u32), (found >> 32).to(u32) << 2)


def publish_total(k: Builder, states: ptr[u64], turn: Turn, total: Any, *, closed: Any = None) -> None:
    """Tell the tiles behind what this one adds up to: as soon as that is known. The whole CTA calls it. `closed`: where it holds,
    what is before the tile is nothing to those behind it, since a segment begins in it."""
    status = AGGREGATE if closed is None else k.select(closed, k.const(u32, PREFIX), AGGREGATE)
    with k.if_((k.tid.x == 0) & (turn.tile != 0)):
        _publish(k, states, turn, status, total)


def before_tile(
    k: Builder, op: str, states: ptr[u64], turn: Turn, whole: Any, nothing: int | float, *, pause: int = 0, closed: Any = None
) -> Any:  # fmt: skip
    """What all tiles before this one combine to, in every thread; `nothing` for the first tile. The whole CTA calls it, and is in
    step behind.

    `whole` is this tile's own, the same in every thread of the first warp, published before. The order of combination depends on
    which tiles have finished, so the sum of floating-point numbers may differ from run to run in its last bits. `pause`:
    nanoseconds to sleep before the first look, where it would mostly come too early: who looks again and again slows those who
    are waited for. `closed` is that of `publish_total`.
    """
    element, tile = type(whole), turn.tile
    known = k.shared(element, 1, name="before_tile")
    with k.if_(k.tid.x < WARP):
        prefix = k.var(element, nothing)
        with k.if_(tile != 0):
            if pause:
                k.ptx.nanosleep.u32(pause)
            place = k.var(s32, tile.to(s32) - 1 - k.lane.to(s32))
            with k.while_():
                status, value = _wait(k, states, turn.launch, place, element, nothing)
                found = k.ballot(status == PREFIX)
                nearest = k.clz(k.brev(found))  # the nearest lane that saw a prefix; 32 when none did
                used = k.select(k.lane <= nearest, value, k.const(element, nothing))
                prefix.set(combine(k, op, warp_reduce(k, op, used), prefix))
                with k.if_(found != 0):
                    k.break_()
                place -= WARP
        with k.if_(k.lane == 0 if closed is None else (k.lane == 0) & ((tile == 0) | ~closed)):
            _publish(k, states, turn, PREFIX, combine(k, op, prefix, whole))
        with k.if_(k.lane == 0):
            known[0] = prefix
    k.barrier()
    return known[0]


def _wait(
    k: Builder, states: ptr[u64], launch: u32, place: Any, element: type[Any], nothing: int | float
) -> tuple[Any, Any]:
    """(status, value) of a tile as soon as it has one. Before the first tile there is a prefix: of nothing."""
    status, value = k.var(u32, PREFIX), k.var(element, nothing)
    with k.pred(place >= 0):
        _read(k, states, launch, place, status, value)
    with k.while_(lambda: status - 1 > PREFIX - 1):  # none, or one of an earlier launch
        _read(k, states, launch, place, status, value)
    return status, value


def _publish(k: Builder, states: ptr[u64], turn: Turn, status: Any, value: Any) -> None:
    words = words_of(type(value))
    bits = value.bits(u32 if words == 1 else u64)
    mark = (turn.launch | status).to(u64) << 32
    for w in range(words):
        half = bits if words == 1 else (bits >> 32 * w).to(u32)
        states.store(turn.tile * words + w, half.to(u64) | mark, "relaxed.gpu")


def _read(k: Builder, states: ptr[u64], launch: u32, place: Any, status: Any, value: Any) -> None:
    """Set both variables; a status that is none means that the value is not there, or only in part."""
    words = words_of(type(value))
    found = [states.load(place * words + w, "relaxed.gpu") for w in range(words)]
    marks = [(word >> 32).to(u32) ^ launch for word in found]
    if words == 1:
        status.set(marks[0])
        value.set(found[0].to(u32).bits(type(value)))
        return
    status.set(k.select(marks[0] == marks[1], marks[0], k.const(u32, 0)))
    value.set(((found[1] << 32) | (found[0] & 0xFFFFFFFF)).bits(type(value)))
