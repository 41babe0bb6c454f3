"""What CUDA checks of the shape of a launch. A shape that was found legal for a function is remembered there."""

from __future__ import annotations

from driver_ctypes.abi import enums
from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.launch.residency import blocks_per_sm
from ptxgen.emulated_driver.state.shape import NO_CLUSTER, Fit
from ptxgen.isa.targets import Target

if TYPE_CHECKING:
    from ptxgen.emulated_driver.modules.loading import Function
    from ptxgen.emulated_driver.state.shape import Dim, Shape

_KEPT_SHAPES = 4096


def check(function: Function, shape: Shape) -> Fit:
    """Refuses a shape the device or the kernel does not allow; shapes that passed are remembered."""
    found = function.fit.get(shape)
    if found is not None:
        return found
    _check_extents("grid", shape.grid, Target.max_grid)
    _check_extents("block", shape.block, Target.max_block)
    threads = shape.block[0] * shape.block[1] * shape.block[2]
    if threads > function.max_threads:
        raise invalid_value(f"{threads} threads in a block; {function.name!r} allows {function.max_threads}")
    if function.required_block != NO_CLUSTER and shape.block != function.required_block:
        raise invalid_value(f"block {shape.block}; {function.name!r} requires {function.required_block} (.reqntid)")
    if shape.shared > function.max_dynamic:
        raise invalid_value(
            f"{shape.shared} bytes of dynamic shared memory; {function.name!r} allows {function.max_dynamic}"
            " (attribute MAX_DYNAMIC_SHARED_SIZE_BYTES)"
        )
    _check_cluster(function, shape)
    if shape.cooperative:
        _check_resident(function, shape, threads)
    if len(function.fit) >= _KEPT_SHAPES:
        function.forget_shapes()
    resident = function.product.multiprocessors * max(blocks_per_sm(function, threads, shape.shared), 1)
    found = function.fit[shape] = Fit(shape, resident)
    return found


def _check_extents(what: str, extents: Dim, limits: Dim) -> None:
    if not all(0 < extent <= limit for extent, limit in zip(extents, limits)):
        raise invalid_value(f"{what} {extents}: each extent must be from 1 to {limits}")


def _check_cluster(function: Function, shape: Shape) -> None:
    cluster = shape.cluster
    if function.cluster != NO_CLUSTER and cluster not in (NO_CLUSTER, function.cluster):
        raise cluster_refused(f"cluster {cluster}; {function.name!r} requires {function.cluster} (.reqnctapercluster)")
    if cluster == NO_CLUSTER:
        cluster = function.cluster
    if cluster == NO_CLUSTER:
        if function.cluster_must_be_set:
            raise cluster_refused(f"{function.name!r} must be launched with a cluster size (.explicitcluster)")
        return
    target = function.product.target
    most = target.largest_cluster if function.non_portable else target.max_cluster
    blocks = cluster[0] * cluster[1] * cluster[2]
    if blocks > 1 and not most:
        raise cluster_refused(f"cluster {cluster}: {function.product.name} ({target.name}) has no clusters")
    if not 0 < blocks <= max(most, 1):
        raise cluster_refused(f"cluster {cluster} has {blocks} blocks: 1 to {most} are allowed")
    if function.largest_cluster and blocks > function.largest_cluster:
        allowed = f"{function.name!r} allows {function.largest_cluster} (.maxclusterrank)"
        raise cluster_refused(f"cluster {cluster} has {blocks} blocks; {allowed}")
    if any(extent % size for extent, size in zip(shape.grid, cluster)):
        raise cluster_refused(f"grid {shape.grid} is not a multiple of the cluster {cluster}")


def cluster_refused(text: str) -> Refusal:
    return Refusal(enums.CUresult.ERROR_INVALID_CLUSTER_SIZE, text)


def _check_resident(function: Function, shape: Shape, threads: int) -> None:
    _check_room(shape, function.product.multiprocessors * blocks_per_sm(function, threads, shape.shared))


def check_part(function: Function, shape: Shape, resident: int, multiprocessors: int) -> None:
    """Refuses a cooperative launch in a stream of a green context with so few multiprocessors. `resident`: as Fit has it."""
    _check_room(shape, resident // function.product.multiprocessors * multiprocessors)


def _check_room(shape: Shape, room: int) -> None:
    blocks = shape.grid[0] * shape.grid[1] * shape.grid[2]
    if blocks > room:
        raise Refusal(
            enums.CUresult.ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
            f"a cooperative grid of {blocks} blocks; {room} fit on the device at once",
        )
