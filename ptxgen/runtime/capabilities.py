"""The capabilities of a device, probed once and checked: invalid values of a driver are found here and not in a launch."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from driver_ctypes.errors import CudaError
from ptxgen.runtime.errors import ValidationError

if TYPE_CHECKING:
    from driver_ctypes.contexts.device import Device

__all__ = ["Capabilities", "probe"]

_INVALID_VALUE = 1


class Capabilities(NamedTuple):
    """A device's properties and limits, and the name of its driver. Memory in bytes, clocks in kHz, bus width in bits; 0 where
    a driver does not say and nothing depends on it."""

    name: str
    ordinal: int
    compute_capability: tuple[int, int]
    total_memory: int
    max_threads_per_block: int
    max_block_dim: tuple[int, int, int]
    max_grid_dim: tuple[int, int, int]
    shared_memory_per_block: int
    shared_memory_per_sm: int
    warp_size: int
    cooperative_launch: bool
    concurrent_kernels: bool
    async_engine_count: int
    multi_processor_count: int
    l2_cache_bytes: int
    memory_clock_rate_khz: int
    core_clock_rate_khz: int
    global_memory_bus_width_bits: int
    max_registers_per_block: int
    max_registers_per_sm: int
    max_threads_per_sm: int
    max_blocks_per_sm: int
    driver: str = "cuda"

    @property
    def device(self) -> str:
        """What `px.device` takes: "cuda:0", "cpu:0"."""
        return f"{self.driver}:{self.ordinal}"

    @property
    def grid_sync(self) -> bool:
        """Whether grids can be launched whole: compute capability 6.0 and the driver's word."""
        return self.compute_capability >= (6, 0) and self.cooperative_launch

    @property
    def features(self) -> tuple[str, ...]:
        """What the device has that programs may be lowered to (PTX manual, notes on targets)."""
        major = self.compute_capability[0]
        found = {"SUBGROUP_OPS": True, "F16": major >= 6, "BF16": major >= 8, "TENSOR_CORES": major >= 7}
        found["ASYNC_COMPUTE"] = self.async_engine_count > 0
        return tuple([name for name, there in found.items() if there])


# CUdevice_attribute numbers (CUDA driver API, 6.1)
_BLOCK_DIM, _GRID_DIM = (2, 3, 4), (5, 6, 7)
_SINGLE = {
    "max_threads_per_block": 1, "shared_memory_per_block": 8, "shared_memory_per_sm": 81, "warp_size": 10,
    "async_engine_count": 40, "multi_processor_count": 16, "l2_cache_bytes": 38, "memory_clock_rate_khz": 36,
    "core_clock_rate_khz": 13, "global_memory_bus_width_bits": 37, "max_registers_per_block": 12,
    "max_registers_per_sm": 82, "max_threads_per_sm": 39, "max_blocks_per_sm": 106,
}  # fmt: skip
_COOPERATIVE, _CONCURRENT = 95, 31

_POSITIVE = (
    "total_memory", "max_threads_per_block", "shared_memory_per_block", "warp_size", "multi_processor_count",
    "shared_memory_per_sm", "max_registers_per_block", "max_registers_per_sm", "max_threads_per_sm",
)  # fmt: skip


def probe(device: Device) -> Capabilities:
    """Ask the driver, and `check` the answers."""

    def ask(number: int) -> int:
        try:
            return device.attribute(number)
        except CudaError as error:
            if error.code != _INVALID_VALUE:
                raise
            return 0  # unknown to an older driver

    x, y, z = map(ask, _BLOCK_DIM)
    gx, gy, gz = map(ask, _GRID_DIM)
    found = Capabilities(
        name=device.name,
        ordinal=device.ordinal,
        compute_capability=device.compute_capability,
        total_memory=device.total_memory,
        max_block_dim=(x, y, z),
        max_grid_dim=(gx, gy, gz),
        cooperative_launch=bool(ask(_COOPERATIVE)),
        concurrent_kernels=bool(ask(_CONCURRENT)),
        driver=device.driver.name,
        **{name: ask(number) for name, number in _SINGLE.items()},
    )
    check(found)
    return found


def check(found: Capabilities) -> None:
    """Raises ValidationError for an empty name, and where a number that must be positive is not."""
    wrong = [] if found.name else ["name is empty"]
    wrong += [] if found.compute_capability[0] > 0 else [f"compute_capability is {found.compute_capability}"]
    wrong += [f"{name} is {getattr(found, name)}" for name in _POSITIVE if getattr(found, name) <= 0]
    for name in ("max_block_dim", "max_grid_dim"):
        if min(getattr(found, name)) <= 0:
            wrong.append(f"{name} is {getattr(found, name)}")
    if wrong:
        raise ValidationError(
            f"device {found.ordinal} reports impossible capabilities: {'; '.join(wrong)}",
            fix="repair the driver's installation, or acquire another device",
        )
