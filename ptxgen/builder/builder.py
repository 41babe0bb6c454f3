"""The builder: what a kernel function gets as its first argument.

The class body is the index of what a kernel may do: each operation is a function in the file of its kind, written against
`FunctionBuilder`, which makes the registers and appends the instructions.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ptxgen.builder.control import structured, suppression
from ptxgen.builder.core.function_builder import FunctionBuilder
from ptxgen.builder.core.source import build_error
from ptxgen.builder.debugging import checking, printing
from ptxgen.builder.exact import statements
from ptxgen.builder.exact.chain import InstructionChain
from ptxgen.builder.memory import arrays, atomics, copies, ordering
from ptxgen.builder.memory.pointers import ptr
from ptxgen.builder.threads import warp
from ptxgen.builder.threads.indices import Dimensions, GlobalIndex, GridSize
from ptxgen.builder.tiles import (
    barriers,
    block_scaled,
    clusters,
    device_tile,
    fragments,
    mma,
    partial_sums,
    pipeline,
    roles,
    schedule,
    shared_depth,
    tensor_copies,
    tensor_memory,
    tile_queue,
)
from ptxgen.builder.values import arithmetic, integers, math, variables
from ptxgen.builder.values.scalars import SCALARS, Value, pred, u32, u64
from ptxgen.isa.specials import special

if TYPE_CHECKING:
    from ptxgen.builder.exact.chains import Ptx

__all__ = ["Builder"]

V = TypeVar("V", bound=Value)


class Builder(FunctionBuilder):
    """Builds one function. See the methods; `k.ptx` gives every instruction exactly."""

    types = SCALARS

    # Values

    const = variables.constant
    var = variables.variable
    vec = variables.vector
    select = arithmetic.select
    fma = arithmetic.fma
    min = arithmetic.minimum
    max = arithmetic.maximum
    clamp = math.clamp
    abs = math.absolute
    sqrt = math.sqrt
    rsqrt = math.rsqrt
    rcp = math.rcp
    exp2 = math.exp2
    exp = math.exp
    log2 = math.log2
    log = math.log
    sin = math.sin
    cos = math.cos
    tanh = math.tanh
    div = math.div
    floor = math.floor
    ceil = math.ceil
    trunc = math.trunc
    round = math.to_nearest
    is_nan = math.is_nan
    is_inf = math.is_inf
    is_finite = math.is_finite
    canonical = math.canonical

    total_div = integers.total_div
    total_rem = integers.total_rem
    add_sat = integers.add_sat
    sub_sat = integers.sub_sat
    mul_sat = integers.mul_sat
    abs_diff = integers.abs_diff
    rotl = integers.rotl
    rotr = integers.rotr
    mulhi = integers.mulhi
    mul_wide = integers.mul_wide
    popc = integers.popc
    clz = integers.clz
    ctz = integers.ctz
    brev = integers.brev

    allow = suppression.allow

    # Control flow

    if_ = structured.if_
    if_else = structured.if_else
    while_ = structured.while_
    do_while = structured.do_while
    range = structured.range_
    break_ = structured.break_
    continue_ = structured.continue_
    pred = structured.predicated
    return_ = structured.return_
    trap = structured.trap

    # Memory

    shared = arrays.shared
    dynamic_shared = arrays.dynamic_shared
    local = arrays.local
    constant = arrays.constant
    global_ = arrays.global_
    atomic_add = atomics.atomic_add
    atomic_min = atomics.atomic_min
    atomic_max = atomics.atomic_max
    atomic_and = atomics.atomic_and
    atomic_or = atomics.atomic_or
    atomic_xor = atomics.atomic_xor
    atomic_exch = atomics.atomic_exch
    atomic_cas = atomics.atomic_cas
    atomic_inc = atomics.atomic_inc
    atomic_dec = atomics.atomic_dec
    reduce_add = atomics.reduce_add
    reduce_min = atomics.reduce_min
    reduce_max = atomics.reduce_max
    fence = atomics.fence
    ordered = ordering.ordered
    copy_async = copies.copy_async
    copy_commit = copies.copy_commit
    copy_wait = copies.copy_wait

    # Tiles, and who works on them

    tile = device_tile.tile
    sums = fragments.sums
    warp_sums = mma.warp_sums
    block_scaled_sums = block_scaled.block_scaled_sums
    wgmma_commit = fragments.wgmma_commit
    wgmma_wait = fragments.wgmma_wait
    commit_products = tensor_memory.commit_products
    tensor_memory = tensor_memory.tensor_memory
    mbarrier = barriers.mbarrier
    named_barrier = barriers.named_barrier
    turns = barriers.turns
    start_barriers = barriers.start_barriers
    copy_pipeline = pipeline.copy_pipeline
    pipeline = pipeline.pipeline
    tile_cluster = clusters.tile_cluster
    partial_sums = partial_sums.partial_sums
    roles = roles.roles
    launch_dependents = schedule.launch_dependents
    wait_for_dependencies = schedule.wait_for_dependencies
    plain_tiles = schedule.plain_tiles
    persistent_tiles = schedule.persistent_tiles
    dynamic_tiles = tile_queue.dynamic_tiles
    launch_control_tiles = tile_queue.launch_control_tiles
    stream_k_tiles = shared_depth.stream_k_tiles
    split_k_tiles = shared_depth.split_k_tiles
    publish_shared = tensor_copies.publish_shared
    bulk_commit = tensor_copies.bulk_commit
    bulk_wait = tensor_copies.bulk_wait

    # In PTX's own words, beside `ptx`; `place` puts a label here

    block = statements.block
    directive = statements.directive
    named_register = statements.named_register
    registers = statements.registers

    # Seeing inside

    print = printing.print_
    check = checking.check

    # Warps and CTAs

    barrier = warp.barrier
    barrier_any = warp.barrier_any
    barrier_all = warp.barrier_all
    barrier_count = warp.barrier_count
    syncwarp = warp.syncwarp
    shfl_up = warp.shfl_up
    shfl_down = warp.shfl_down
    shfl_xor = warp.shfl_xor
    shfl_idx = warp.shfl_idx
    any = warp.vote_any
    all = warp.vote_all
    uni = warp.vote_uni
    ballot = warp.ballot
    match_any = warp.match_any
    warp_reduce = warp.warp_reduce
    activemask = warp.activemask

    def special(self, name: str) -> Any:
        """The value of a special register, `k.special("%laneid")`; read once a scope unless it changes."""
        known = special(name)
        if known is None:
            raise build_error("PTX301", f"unknown special register {name}", hint="a full name such as %tid.x")
        return self.read_special(pred if known.type.kind == "p" else u64 if known.type.bits == 64 else u32, name)

    @property
    def tid(self) -> Dimensions:
        """The thread's index in its CTA: `.x`, `.y`, `.z`."""
        return Dimensions(self, "%tid")

    @property
    def ntid(self) -> Dimensions:
        """The CTA's size in threads."""
        return Dimensions(self, "%ntid")

    @property
    def ctaid(self) -> Dimensions:
        """The CTA's index in the grid."""
        return Dimensions(self, "%ctaid")

    @property
    def nctaid(self) -> Dimensions:
        """The grid's size in CTAs."""
        return Dimensions(self, "%nctaid")

    @property
    def global_id(self) -> GlobalIndex:
        """The thread's index in the grid, ctaid * ntid + tid."""
        return GlobalIndex(self)

    @property
    def grid_size(self) -> GridSize:
        """The grid's size in threads, nctaid * ntid."""
        return GridSize(self)

    @property
    def lane(self) -> u32:
        """The thread's lane in its warp, 0 to 31."""
        return self.read_special(u32, "%laneid")

    @property
    def clock(self) -> u64:
        """A 64-bit cycle counter."""
        return self.read_special(u64, "%clock64")

    @cached_property
    def ptx(self) -> Ptx:
        """Exactly one instruction: `k.ptx.add.rn.f32(d, a, b)`, or `k.ptx["ld.shared::cta.v4.f32"]((a, b, c, d), p)`."""
        return cast("Ptx", InstructionChain(self))

    def pointer(self, address: u64, element: type[V], space: str = "global") -> ptr[V]:
        """A pointer from a 64-bit (shared: 32-bit) integer address."""
        kind: type[ptr[V]] = ptr.__class_getitem__(element)
        return kind(self, self.use(address), self.scope, space=space)
