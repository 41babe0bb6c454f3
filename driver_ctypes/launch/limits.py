"""What a device and a kernel allow of a launch, checked before the driver is asked."""

from __future__ import annotations

import ctypes

from driver_ctypes import errors
from driver_ctypes.errors import LaunchConfigError
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from driver_ctypes.launch.attributes import Attribute
    from driver_ctypes.launch.kernel import LoadedKernel
    from driver_ctypes.session.device import DeviceBase

Dim3 = tuple[int, int, int]

# CUdevice_attribute
_MAX_THREADS_PER_BLOCK = 1
_MAX_BLOCK_DIM = (2, 3, 4)
_MAX_GRID_DIM = (5, 6, 7)
_MAX_SHARED_MEMORY_PER_BLOCK = 8
_MULTIPROCESSOR_COUNT = 16
_COOPERATIVE_LAUNCH = 95
_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97
_CLUSTER_LAUNCH = 120

# CUfunction_attribute
_F_MAX_THREADS_PER_BLOCK = 0
_F_SHARED_SIZE_BYTES = 1
_F_NUM_REGS = 4
_F_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
_F_CLUSTER_SIZE_MUST_BE_SET = 10
_F_REQUIRED_CLUSTER = (11, 12, 13)
_F_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14

_PORTABLE_CLUSTER = 8  # CTAs of a cluster that every device with clusters can run
_REMEMBERED = 64  # configurations of one kernel that are not checked again


class Config(NamedTuple):
    """A launch configuration that was checked. Grid and cluster count CTAs; *shared* is dynamic, in bytes."""

    grid: Dim3
    block: Dim3
    shared: int
    cluster: Dim3 | None
    cooperative: bool
    attributes: tuple[Attribute, ...] = ()

    def __str__(self) -> str:
        more = f", cluster {self.cluster}" if self.cluster else ""
        more += ", cooperative" if self.cooperative else ""
        more += "".join([f", {attribute}" for attribute in self.attributes])
        return f"grid {self.grid}, block {self.block}, {self.shared} bytes of dynamic shared memory{more}"


def check_config(function: LoadedKernel, grid: Any, block: Any, shared: int, cluster: Any, cooperative: bool) -> Config:
    """The normalised configuration. Raises LaunchConfigError naming the limit.

    Where the kernel may use more than the default 48 KiB of shared memory, or a cluster of more than 8 CTAs, only after
    an attribute is set, it is set here, once.
    """
    asked = (grid, block, shared, cluster, cooperative)
    known: Config | None = None
    try:
        known = function.configs.get(asked)
    except TypeError:  # a list, which has no hash
        pass
    if known is not None:
        return known
    config = Config(
        _dims(function, "grid", grid),
        _dims(function, "block", block),
        _shared(function, shared),
        _dims(function, "cluster", cluster) if cluster is not None else None,
        bool(cooperative),
    )
    device = function.context.device
    _check_block(function, device, config)
    _check_dims(function, "grid", config.grid, device, _MAX_GRID_DIM, "MAX_GRID_DIM")
    _check_shared(function, device, config)
    _check_cluster(function, device, config)
    if config.cooperative:
        _check_cooperative(function, device, config)
    _remember(function, asked, config)
    return config


def _remember(function: LoadedKernel, asked: Any, config: Config) -> None:
    if len(function.configs) >= _REMEMBERED:
        function.configs.clear()
    try:
        function.configs[asked] = config
    except TypeError:  # a list, which has no hash
        return


def _dims(function: LoadedKernel, what: str, value: Any) -> Dim3:
    """One to three positive integers as three."""
    given = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    try:
        dims = [int(dim.__index__()) for dim in given]
    except (AttributeError, TypeError):
        dims = []
    if not 1 <= len(dims) <= 3 or min(dims) < 1:
        raise LaunchConfigError(
            f"kernel {function.name!r}: {what}={value!r} is not one to three positive integers",
            limit=what,
            found=value,
            hint=f"pass {what} as an int or a tuple, x first; launch nothing where there is no work",
        )
    x, y, z = dims + [1] * (3 - len(dims))
    return x, y, z


def _shared(function: LoadedKernel, value: Any) -> int:
    if not hasattr(type(value), "__index__") or int(value.__index__()) < 0:
        raise LaunchConfigError(
            f"kernel {function.name!r}: shared={value!r} is not a number of bytes", limit="shared", found=value
        )
    return int(value.__index__())


def _check_dims(
    function: LoadedKernel, what: str, dims: Dim3, device: DeviceBase, attributes: tuple[int, int, int], limit: str
) -> None:
    for axis, dim, attribute in zip("XYZ", dims, attributes):
        allowed = device.attribute(attribute)
        if dim > allowed:
            raise LaunchConfigError(
                f"kernel {function.name!r}: {what} {dims} is too large: the device allows {allowed} in {axis.lower()} "
                f"({limit}_{axis})",
                limit=f"{limit}_{axis}",
                allowed=allowed,
                found=dim,
                hint=f"use another axis, or several elements for each thread so that the {what} shrinks",
            )


def _check_block(function: LoadedKernel, device: DeviceBase, config: Config) -> None:
    required = function.required_block
    if required is not None and config.block != required:
        raise LaunchConfigError(
            f"kernel {function.name!r}: block {config.block}; the kernel was made for blocks of {required} (.reqntid)",
            limit="the kernel's .reqntid",
            allowed=required,
            found=config.block,
            hint=f"launch it with block={_shortest(required)}, or build it without a required size",
        )
    x, y, z = config.block
    threads = x * y * z
    allowed, limit, hint = device.attribute(_MAX_THREADS_PER_BLOCK), "MAX_THREADS_PER_BLOCK", "use a smaller block"
    if threads <= allowed:
        _check_dims(function, "block", config.block, device, _MAX_BLOCK_DIM, "MAX_BLOCK_DIM")
        allowed = function.attribute(_F_MAX_THREADS_PER_BLOCK)
        limit = "the kernel's MAX_THREADS_PER_BLOCK"
        hint = (
            f"the kernel uses {function.attribute(_F_NUM_REGS)} registers a thread and may have a .maxntid: use a "
            "smaller block, or limit the registers with .maxnreg"
        )
    if threads > allowed:
        raise LaunchConfigError(
            f"kernel {function.name!r}: block {config.block} has {threads} threads; {allowed} are allowed ({limit})",
            limit=limit,
            allowed=allowed,
            found=threads,
            hint=hint,
        )


def _shortest(dims: Dim3) -> Any:
    """A size as one writes it: 64, (32, 8), (4, 4, 4)."""
    x, y, z = dims
    return dims if z > 1 else (x, y) if y > 1 else x


def _check_shared(function: LoadedKernel, device: DeviceBase, config: Config) -> None:
    static = function.attribute(_F_SHARED_SIZE_BYTES)
    per_block = device.attribute(_MAX_SHARED_MEMORY_PER_BLOCK)
    most = max(per_block, optional_attribute(device, _MAX_SHARED_MEMORY_PER_BLOCK_OPTIN))
    if static + config.shared > most:
        raise LaunchConfigError(
            f"kernel {function.name!r}: {config.shared} bytes of dynamic and {static} of static shared memory; the "
            f"device allows {most} together (MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)",
            limit="MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
            allowed=most - static,
            found=config.shared,
            hint="use smaller tiles or fewer stages",
        )
    if config.shared > function.attribute(_F_MAX_DYNAMIC_SHARED_SIZE_BYTES):
        function.set_attribute(_F_MAX_DYNAMIC_SHARED_SIZE_BYTES, most - static)


def _check_cluster(function: LoadedKernel, device: DeviceBase, config: Config) -> None:
    if not optional_attribute(device, _CLUSTER_LAUNCH):
        if config.cluster is not None:
            raise _cluster_error(function, config, "the device has no clusters (sm_90 and newer have)", 1)
        return
    x, y, z = (function.attribute(number) for number in _F_REQUIRED_CLUSTER)
    required = (x, y, z) if x else None
    if config.cluster is None and required is None:
        if function.attribute(_F_CLUSTER_SIZE_MUST_BE_SET):
            raise _cluster_error(function, config, "the kernel must be launched in clusters (.explicitcluster)", None)
        return
    if config.cluster is not None and required is not None and config.cluster != required:
        raise _cluster_error(function, config, f"the kernel was made for clusters of {required}", required)
    cluster = config.cluster or required or (1, 1, 1)
    if any(grid % size for grid, size in zip(config.grid, cluster)):
        raise _cluster_error(function, config, f"cluster {cluster} does not divide grid {config.grid}", None)
    ctas = cluster[0] * cluster[1] * cluster[2]
    if ctas > _PORTABLE_CLUSTER and config.cluster is not None:
        if not function.attribute(_F_NON_PORTABLE_CLUSTER_SIZE_ALLOWED):
            function.set_attribute(_F_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)
        most = _largest_cluster(function, config)
        if most is not None and ctas > most:
            raise _cluster_error(
                function, config, f"the device runs clusters of up to {most} CTAs of this kernel", most
            )


def _cluster_error(function: LoadedKernel, config: Config, why: str, allowed: Any) -> LaunchConfigError:
    return LaunchConfigError(
        f"kernel {function.name!r}: {config}: {why}",
        limit="cluster",
        allowed=allowed,
        found=config.cluster,
        hint="cluster and grid both count CTAs, and the cluster must divide the grid in each dimension",
    )


def _largest_cluster(function: LoadedKernel, config: Config) -> int | None:
    """CTAs of the largest cluster this configuration could run in; None where the driver does not tell."""
    context = function.context
    if not context.driver.has("cuOccupancyMaxPotentialClusterSize"):
        return None
    from driver_ctypes.abi.launch_structs import CUlaunchConfig

    launch = CUlaunchConfig(*config.grid, *config.block, config.shared)
    size = ctypes.c_int()
    context.call("cuOccupancyMaxPotentialClusterSize", ctypes.byref(size), function.handle, ctypes.byref(launch))
    return size.value


def _check_cooperative(function: LoadedKernel, device: DeviceBase, config: Config) -> None:
    """Every CTA of a cooperative grid must be resident at once."""
    if not optional_attribute(device, _COOPERATIVE_LAUNCH):
        raise LaunchConfigError(
            f"kernel {function.name!r}: the device cannot launch cooperatively", limit="COOPERATIVE_LAUNCH", found=True
        )
    context = function.context
    symbol = "cuOccupancyMaxActiveBlocksPerMultiprocessor"
    if not context.driver.has(symbol):
        return
    resident = ctypes.c_int()
    x, y, z = config.block
    context.call(symbol, ctypes.byref(resident), function.handle, x * y * z, config.shared)
    allowed = resident.value * device.attribute(_MULTIPROCESSOR_COUNT)
    ctas = config.grid[0] * config.grid[1] * config.grid[2]
    if ctas > allowed:
        raise LaunchConfigError(
            f"kernel {function.name!r}: a cooperative grid of {ctas} CTAs; {allowed} can be resident at once "
            f"({resident.value} on each of {device.attribute(_MULTIPROCESSOR_COUNT)} multiprocessors)",
            limit="resident CTAs",
            allowed=allowed,
            found=ctas,
            hint="launch at most that many CTAs and let each loop over the work",
        )


def optional_attribute(device: DeviceBase, attribute: int) -> int:
    """A device attribute, or 0 where the driver is too old to know it."""
    try:
        return device.attribute(attribute)
    except errors.CudaError as error:
        if error.code != 1:  # INVALID_VALUE
            raise
        return 0
