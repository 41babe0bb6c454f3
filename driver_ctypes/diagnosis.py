"""What is there and what is missing, as data: for ``info`` commands and bug reports."""

from __future__ import annotations

from typing import NamedTuple

from driver_ctypes.abi.functions import FUNCTIONS
from driver_ctypes.drivers import Driver, driver
from driver_ctypes.errors import DriverNotFoundError, Error


class DeviceSummary(NamedTuple):
    """One device."""

    ordinal: int
    name: str
    uuid: str
    compute_capability: tuple[int, int]
    total_memory: int
    """Bytes."""


class Diagnosis(NamedTuple):
    """One driver, found or not."""

    name: str
    usable: bool
    """Whether it opened and shows a device."""
    library: str | None
    """Path or name of its library; None for an emulated driver, or where none was found."""
    version: int
    """1000 * major + 10 * minor of the newest CUDA it supports; 0 where it did not open."""
    missing: tuple[str, ...]
    """Functions of the table that it lacks."""
    devices: tuple[DeviceSummary, ...]
    tried: tuple[tuple[str, str], ...]
    """(candidate, why not) of each library that was not taken."""
    problem: str | None
    """What is wrong, if anything."""
    advice: str | None
    """What to do about it."""


def diagnose(name: str = "cuda") -> Diagnosis:
    """Look at driver *name*. Raises nothing: what goes wrong is in the answer."""
    try:
        found = driver(name)
        devices = tuple([_summary(found, ordinal) for ordinal in range(found.device_count())])
    except Error as error:
        tried = error.tried if isinstance(error, DriverNotFoundError) else ()
        return Diagnosis(name, False, None, 0, (), (), tried, error.args[0], error.hint)
    missing = tuple([symbol for symbol in FUNCTIONS if not found.has(symbol)])
    problem, advice = None, None
    if not devices:
        problem = "the driver works, but shows no device"
        advice = "check CUDA_VISIBLE_DEVICES and nvidia-smi; in a container, pass the GPU in (--gpus all)"
    library = getattr(found.resolve, "path", None)
    return Diagnosis(name, bool(devices), library, found.version, missing, devices, (), problem, advice)


def _summary(found: Driver, ordinal: int) -> DeviceSummary:
    device = found.device(ordinal)
    return DeviceSummary(ordinal, device.name, device.uuid, device.compute_capability, device.total_memory)
