"""What the threads of a warp and of a CTA do together: shuffles, votes, matches, barriers."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f16, f32, f64, s8, s16, s32, s64, u8, u16, u32, u64
from ptxgen.builder.values import Value

E = TypeVar("E", bound=Value)
EVERY = [u8, s8, u16, s16, u32, s32, u64, s64, f16, bf16, f32, f64]
LANES = np.arange(32)


# ---- shuffles --------------------------------------------------------------------------------------------------------


@px.kernel
def shuffles(k: px.Builder, x: px.ptr[E], z: px.ptr[E], *, element: type[E], mode: str, amount: int, width: int):
    i = k.tid.x
    z[i] = getattr(k, f"shfl_{mode}")(x[i], amount, width=width)


def source_lane(mode, amount, width):
    """Which lane each lane reads: its own where the wanted one is outside the segment (manual 9.7.9.6).

    A butterfly is only held back at the upper end: over a distance of the width or more it reaches lower segments.
    """
    first = LANES // width * width
    last = first + width - 1
    wanted = {"up": LANES - amount, "down": LANES + amount, "xor": LANES ^ amount, "idx": first + amount % width}[mode]
    return np.where((wanted <= last) & ((wanted >= first) | (mode == "xor")), wanted, LANES)


@pytest.mark.parametrize("mode", ["up", "down", "xor", "idx"])
@pytest.mark.parametrize("width", [1, 2, 4, 8, 16, 32])
@pytest.mark.parametrize("amount", [0, 1, 3, 16, 31])
def test_shuffles_of_every_width(run, mode, width, amount):
    x = LANES.astype(np.uint32) + 100
    _, z = run(shuffles, x, x * 0, element=u32, mode=mode, amount=amount, width=width)
    assert z.tolist() == (source_lane(mode, amount, width) + 100).tolist()


@pytest.mark.parametrize("element", EVERY)
def test_shuffles_of_every_type(run, dev, element):
    x = dev.array(LANES * (-3 if element.isa.is_signed else 3), element)
    _, z = run(shuffles, x, dev.zeros(32, element), element=element, mode="xor", amount=5, width=32)
    assert z.tolist() == x.numpy()[LANES ^ 5].tolist()


@px.kernel
def moving_shuffles(k: px.Builder, x: px.ptr[f32], lanes: px.ptr[u32], z: px.ptr[f32], inside: px.ptr[u32]):
    i = k.tid.x
    z[i] = k.shfl_idx(x[i], lanes[i])
    found, valid = k.shfl_down(x[i], lanes[i], valid=True)
    z[i + 32] = found
    inside[i] = valid.to(u32)


def test_the_lane_may_be_computed_and_whether_it_was_there_is_known(run):
    rng = np.random.default_rng(1)
    x, lanes = rng.standard_normal(32).astype(np.float32), rng.integers(0, 32, 32, dtype=np.uint32)
    _, _, z, inside = run(moving_shuffles, x, lanes, np.zeros(64, np.float32), lanes * 0)
    there = LANES + lanes < 32
    assert z[:32].tolist() == x[lanes].tolist()
    assert z[32:].tolist() == np.where(there, x[np.minimum(LANES + lanes, 31)], x).tolist()
    assert inside.tolist() == there.tolist()


@px.kernel
def part_of_a_warp(k: px.Builder, z: px.ptr[u32]):
    """Only the lower half takes part, and says so."""
    i = k.tid.x
    with k.if_(i < 16):
        z[i] = k.shfl_xor(i, 1, mask=0xFFFF)
        k.syncwarp(0xFFFF)
        z[i + 32] = k.ballot(i % 2 == 0, mask=0xFFFF)


def test_a_mask_names_the_lanes_that_take_part(run):
    (z,) = run(part_of_a_warp, np.zeros(64, np.uint32))
    assert z[:16].tolist() == (LANES[:16] ^ 1).tolist()
    assert set(z[32:48].tolist()) == {0x5555}
    assert not z[16:32].any()


# ---- votes and matches -----------------------------------------------------------------------------------------------


@px.kernel
def votes(k: px.Builder, x: px.ptr[u32], z: px.ptr[u32]):
    i = k.tid.x
    p = x[i] != 0
    for row, outcome in enumerate([k.any(p), k.all(p), k.uni(p)]):
        z[i + 32 * row] = outcome.to(u32)
    z[i + 96] = k.ballot(p)
    z[i + 128] = k.ballot(~p)


@pytest.mark.parametrize("bits", [0, 1, 0xFFFFFFFF, 0x7FFFFFFF, 0xF0F0F0F0])
def test_votes(run, bits):
    _, z = run(votes, (bits >> LANES & 1).astype(np.uint32), np.zeros(160, np.uint32))
    expected = [bits != 0, bits == 0xFFFFFFFF, bits in (0, 0xFFFFFFFF), bits, bits ^ 0xFFFFFFFF]
    assert [set(row) for row in z.reshape(5, 32).tolist()] == [{int(v)} for v in expected]


@px.kernel
def matches(k: px.Builder, x: px.ptr[E], z: px.ptr[px.b32], *, element: type[E]):
    z[k.tid.x] = k.match_any(x[k.tid.x])


@pytest.mark.parametrize("element", [u32, s64])
def test_lanes_that_hold_the_same_value_find_each_other(run, dev, element):
    x = LANES * 7 % 5
    _, z = run(matches, dev.array(x, element), dev.zeros(32, u32), element=element)
    assert z.tolist() == [sum(1 << int(lane) for lane in LANES if x[lane] == v) for v in x]


@px.kernel
def active(k: px.Builder, z: px.ptr[u32]):
    with k.if_(k.tid.x < 5):
        z[k.tid.x] = k.activemask()


def test_active_lanes(run):
    (z,) = run(active, np.zeros(32, np.uint32))
    assert all(mask >> lane & 1 and mask <= 0b11111 for lane, mask in enumerate(z[:5].tolist()))


# ---- barriers --------------------------------------------------------------------------------------------------------


@px.kernel
def cta_votes(k: px.Builder, limit: u32, z: px.ptr[u32]):
    i = k.tid.x
    p = i < limit
    z[i] = k.barrier_any(p).to(u32) + 2 * k.barrier_all(p, id=1).to(u32)
    z[i + k.ntid.x] = k.barrier_count(p)


@pytest.mark.parametrize("limit", [0, 1, 95, 96])
def test_barriers_that_vote(run, limit):
    (z,) = run(cta_votes, limit, np.zeros(192, np.uint32), block=96)
    assert set(z[:96].tolist()) == {(limit > 0) + 2 * (limit == 96)}
    assert set(z[96:].tolist()) == {limit}


@px.kernel
def named_barriers(k: px.Builder, z: px.ptr[u32]):
    """Two halves of a CTA exchange at barriers of their own, a different number of times."""
    mine = k.shared(u32, 128)
    i = k.tid.x
    with k.if_else(i < 64) as (lower, upper):
        with lower:
            mine[i] = i
            k.barrier(1, 64)
            z[i] = mine[k.const(u32, 63) - i]
        with upper:
            mine[i] = 0
            for _ in k.range(3):
                k.barrier(2, 64)
                seen = mine[(i + 1) % 64 + 64]
                k.barrier(2, threads=64)
                mine[i] = seen + 1
            z[i] = mine[i]


def test_parts_of_a_cta_have_barriers_of_their_own(run):
    (z,) = run(named_barriers, np.zeros(128, np.uint32), block=128)
    assert z[:64].tolist() == list(range(63, -1, -1))
    assert set(z[64:].tolist()) == {3}


@px.kernel
def sums(k: px.Builder, x: px.ptr[f32], z: px.ptr[f32]):
    """The sum of a CTA's elements by halving distances."""
    mine = k.shared(f32, 128)
    i = k.tid.x
    mine[i] = x[k.global_id.x]
    distance = k.var(u32, 64)
    with k.while_(lambda: distance != 0):
        k.barrier()
        with k.if_(i < distance):
            mine[i] = mine[i] + mine[i + distance]
        distance >>= 1
    with k.if_(i == 0):
        z[k.ctaid.x] = mine[0]


def test_a_barrier_in_a_loop(run):
    x = np.arange(512, dtype=np.float32)
    _, z = run(sums, x, np.zeros(4, np.float32), grid=4, block=128)
    assert z.tolist() == x.reshape(4, 128).sum(axis=1).tolist()


# ---- reductions ------------------------------------------------------------------------------------------------------


@px.kernel
def reduces(k: px.Builder, x: px.ptr[E], z: px.ptr[E], *, element: type[E], op: str, width: int):
    z[k.tid.x] = k.warp_reduce(op, x[k.tid.x], width=width)


MEANING = {
    "add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}  # fmt: skip


@pytest.mark.parametrize("op", MEANING)
@pytest.mark.parametrize("element", EVERY)
def test_reductions(run, dev, element, op):
    if element.isa.is_float and op in ("and", "or", "xor"):
        with pytest.raises(px.BuildError, match=rf"a reduction of \.{element.__name__} by '{op}'"):
            reduces.module(element=element, op=op, width=32)
        return
    x = dev.array(
        np.where(LANES % 3 == 0, 3, 1) * (1 if op == "mul" and element.isa.is_float else LANES % 7 + 1), element
    )
    if op == "mul" and element.isa.is_float:
        x = dev.array(np.where(LANES % 8 == 0, 2, 1), element)
    for width in (32, 8, 1):
        values = x.numpy().reshape(-1, width)
        expected = MEANING[op].reduce(values, axis=1, dtype=values.dtype).repeat(width)
        _, z = run(reduces, x, dev.zeros(32, element), element=element, op=op, width=width)
        assert z.tolist() == expected.tolist()


def test_whole_warps_of_words_take_one_instruction():
    text = str(reduces.module(element=s32, op="max", width=32, target="sm_80"))
    assert text.count("redux.sync.max.s32") == 1
    assert "shfl" not in text
    assert str(reduces.module(element=s32, op="max", width=32, target="sm_75")).count("shfl.sync.bfly") == 5
    assert str(reduces.module(element=u32, op="mul", width=16)).count("shfl.sync.bfly") == 4


# ---- mistakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "mistake, complaint",
    [
        (lambda k, x: k.shfl_up(x, 1, width=12), r"a shuffle width of 12(.|\n)*a power of two up to 32"),
        (lambda k, x: k.shfl_up(x, k.tid.x.to(u64)), r"lane is a 32-bit integer(.|\n)*lane.to\(u32\)"),
        (lambda k, x: k.shfl_up(x != 0, 1), r"a shuffle of .pred(.|\n)*k.ballot"),
        (lambda k, x: k.shfl_up(x.to(u64), 1, valid=True), r"valid= with a 64-bit value"),
        (lambda k, x: k.match_any(x.to(u16)), r"match of .u16(.|\n)*a 32- or 64-bit value"),
        (lambda k, x: k.ballot(x), r"a condition is a predicate, not a .u32 value(.|\n)*x != 0"),
        (lambda k, x: k.barrier(16), r"barrier 16(.|\n)*0 to 15"),
        (lambda k, x: k.barrier(1, 40), r"a barrier of 40 threads(.|\n)*multiple of 32"),
        (lambda k, x: k.barrier(0, 0), r"a barrier of 0 threads"),
        (lambda k, x: k.warp_reduce("sum", x), r"a reduction by 'sum'(.|\n)*add, mul, min"),
        (lambda k, x: k.warp_reduce("add", x, width=12), r"a reduction over 12 lanes(.|\n)*a power of two up to 32"),
    ],
)
def test_mistakes(mistake, complaint):
    @px.kernel
    def wrong(k: px.Builder, x: u32):
        mistake(k, x)

    with pytest.raises(px.BuildError, match=complaint):
        wrong.module()


def test_these_kernels_assemble(assembles):
    assembles([shuffles.using(element=e, mode="up", amount=1, width=16) for e in EVERY], targets=["sm_75", "sm_90a"])
    assembles([moving_shuffles, part_of_a_warp, votes, active, cta_votes, named_barriers, sums])
    assembles([matches.using(element=e) for e in (u32, s64)])
    assembles([reduces.using(element=e, op="max", width=32) for e in EVERY], targets=["sm_75", "sm_90a"])
    assembles([reduces.using(element=e, op="xor", width=32) for e in (u8, s32, u64)])
