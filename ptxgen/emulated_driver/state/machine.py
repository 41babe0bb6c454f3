"""The machine: its devices, and what the environment says of them."""

from __future__ import annotations

import mmap
import os

from driver_ctypes.abi import enums
from driver_ctypes.primitives import Lock, cache
from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.cpu.cores import cores
from ptxgen.cpu.options import WATCHDOG, LaunchOptions, asynchrony
from ptxgen.emulated_driver.errors.log import log
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.state.cpu_device import Device
from ptxgen.emulated_driver.state.epoch import changed

if TYPE_CHECKING:
    from ptxgen.cpu.sanitizer.tools import Sanitizer
    from ptxgen.emulated_driver.state.capture import Capture
    from ptxgen.isa.products import Product

VERSION = 13000
"""The CUDA version that the driver states where the environment does not."""
_UNIT = 512
"""Bytes that cuMemAlloc gives at least, and the multiple that it rounds up to: a GPU lets pass what stays within."""


@cache
def driver_version() -> int:
    """What cuDriverGetVersion answers: functions of later CUDA versions are absent. cuInit refuses what is no version."""
    major, _, minor = (os.environ.get("PTXGEN_CPU_DRIVER") or "").partition(".")
    if not (major.isdecimal() and minor.isdecimal() and 11 <= int(major) <= 99 and len(minor) == 1):
        return VERSION
    return 1000 * int(major) + 10 * int(minor)


class Machine:
    """The whole: nothing is there before cuInit, and nothing after a fork."""

    def __init__(self) -> None:
        self.ready = False
        self.why_not_ready = "cuInit was not called"
        self.forked = False
        self.options = LaunchOptions()
        self.from_environment: Sanitizer | None = None
        self.devices: list[Device] = []
        self.stated = 0  # of them, by the environment
        self.unit = 1
        self.captures: list[Capture] = []  # all that go on, in any context
        self._lock = Lock()

    def start(self) -> None:
        if self.forked:
            raise Refusal(enums.CUresult.ERROR_NOT_INITIALIZED, self.why_not_ready)
        with self._lock:
            if not self.ready:
                text = os.environ.get("PTXGEN_CPU_DRIVER") or "13.0"
                if text != f"{driver_version() // 1000}.{driver_version() % 1000 // 10}":
                    raise invalid_value(f"PTXGEN_CPU_DRIVER is {text!r}, not a CUDA version from 11.0 on, such as 13.0")
                products = _products()
                memory = _memory(len(products))
                self.from_environment = _sanitizer()
                bounds = _choice("PTXGEN_CPU_BOUNDS", "exact", "units")
                self.options = LaunchOptions(
                    bounds=bounds,
                    copies=_copies(),
                    products=_choice("PTXGEN_CPU_PRODUCTS", "exact", "fast"),
                    watchdog=_seconds("PTXGEN_CPU_WATCHDOG", WATCHDOG),
                    time_limit=_seconds("PTXGEN_CPU_TIME_LIMIT", None),
                    waits=_choice("PTXGEN_CPU_WAITS", "stated", "injected"),
                    workers=_workers(),
                )
                self.unit = _UNIT if bounds == "units" else 1
                self.devices = [Device(ordinal, product, memory, self.unit) for ordinal, product in enumerate(products)]
                self.stated = len(self.devices)
                if not self.devices:
                    raise Refusal(enums.CUresult.ERROR_NO_DEVICE, "PTXGEN_CPU_DEVICES is 0")
                if self.from_environment is not None:
                    self.watch(self.from_environment)
                self.ready = True

    def watch(self, sanitizer: Sanitizer | None) -> None:
        """From now on these tools watch every launch; with None, none does."""
        for device in self.devices:
            device.watch(sanitizer)
        self.options = self.options.replaced(sanitizer=sanitizer)
        from ptxgen.emulated_driver.state.callers import set_watched

        set_watched(sanitizer is not None and "racecheck" in sanitizer.tools)

    def device(self, ordinal: int) -> Device:
        if not 0 <= ordinal < len(self.devices):
            raise Refusal(enums.CUresult.ERROR_INVALID_DEVICE, f"device {ordinal}: there are {len(self.devices)}")
        return self.devices[ordinal]

    def products(self) -> set[Product]:
        """What the devices are; before cuInit, the plain one."""
        from ptxgen.isa.products import PLAIN

        return {device.product for device in self.devices} or {PLAIN}

    def named(self, product: Product) -> Device:
        """The first device that is this product. There may be none yet: then it is one more, behind all others."""
        self.start()
        with self._lock:
            found = next((device for device in self.devices if device.product == product), None)
            if found is None:
                found = Device(len(self.devices), product, _memory(1), self.unit)
                found.watch(self.options.sanitizer)
                self.devices.append(found)
                changed()
            return found

    def after_fork(self) -> None:
        log.after_fork()
        self._lock = Lock()
        if self.ready:
            self.ready = False
            changed()
            self.forked = True
            self.why_not_ready = "this process was forked from one that had called cuInit; start workers with 'spawn'"


def _sanitizer() -> Sanitizer | None:
    """The tools that PTXGEN_SANITIZE names, with commas between. What they find goes to the log and the records too."""
    text = os.environ.get("PTXGEN_SANITIZE")
    if not text:
        return None
    from ptxgen.cpu.sanitizer.tools import Sanitizer

    try:
        found = Sanitizer(text.split(","))
    except ValueError as wrong:
        raise invalid_value(f"PTXGEN_SANITIZE is {text!r}: {wrong}") from None
    found.listeners.append(lambda finding: _tell(str(finding)))
    return found


def _tell(finding: str) -> None:
    from ptxgen.emulated_driver.state.record import recorded

    log.error(finding)
    for each in recorded:
        each.found(finding)


def _products() -> list[Product | None]:
    """The devices that are there from the start: so many plain ones, or one for each target of a list. None is the plain one
    where nobody says which that is."""
    capability = os.environ.get("PTXGEN_CPU_CAPABILITY")
    plain = _plain(capability) if capability else None
    text = os.environ.get("PTXGEN_CPU_DEVICES") or "1"
    if text.isdecimal() and int(text) <= 64:
        return int(text) * [plain]
    from ptxgen.isa.products import find_product

    try:
        return [find_product(name) for name in text.split(",")]
    except ValueError as error:
        wanted = "not a number from 0 to 64, or targets with commas between them"
        raise invalid_value(f"PTXGEN_CPU_DEVICES is {text!r}, {wanted}: {error}") from None


def _copies() -> str:
    text = os.environ.get("PTXGEN_CPU_COPIES") or "late"
    if asynchrony(text) is None:
        raise invalid_value(f"PTXGEN_CPU_COPIES is {text!r}, not late, early or random: and a seed")
    return text


def _workers() -> int:
    """Threads that run CTAs of a launch: as many as the process may use cores, where the environment says nothing."""
    text = os.environ.get("PTXGEN_CPU_WORKERS")
    if not text:
        return cores()
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise invalid_value(f"PTXGEN_CPU_WORKERS is {text!r}, not a number of threads from 1 to 1024")
    return int(text)


def _choice(variable: str, default: str, other: str) -> str:
    text = os.environ.get(variable, default)
    if text not in (default, other):
        raise invalid_value(f"{variable} is {text!r}, not {default} or {other}")
    return text


def _seconds(variable: str, default: float | None) -> float | None:
    """None, which is written as 0, is no limit."""
    text = os.environ.get(variable)
    if not text:
        return default
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise invalid_value(f"{variable} is {text!r}, not a number of seconds, or 0 for no limit")
    return seconds or None


def _plain(capability: str) -> Product:
    """What a device is that has no target's name."""
    from ptxgen.isa.products import find_product

    major, _, minor = capability.partition(".")
    try:
        if major.isdecimal() and minor.isdecimal() and len(minor) == 1:
            return find_product(f"sm_{int(major)}{minor}")
        said = ""
    except ValueError as error:
        said = f": {error}"
    raise invalid_value(f"PTXGEN_CPU_CAPABILITY is {capability!r}, not a compute capability such as 9.0{said}")


def _memory(count: int) -> int:
    """Bytes of each device, where that many are added."""
    stated = os.environ.get("PTXGEN_CPU_MEMORY") or ""
    return _bytes("PTXGEN_CPU_MEMORY", stated) if stated else _default_memory(count)


def _bytes(variable: str, text: str) -> int:
    unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1:].upper(), 1)
    digits = text[:-1] if unit > 1 else text
    if not digits.isdecimal() or int(digits) * unit < 1 << 20:
        raise invalid_value(f"{variable} is {text!r}, not a number of bytes (at least 1M) with K, M or G after it")
    return int(digits) * unit


def _physical_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // (1 << 20) * (1 << 20)


def _default_memory(count: int) -> int:
    """Bytes of each device: the machine's memory; where the process may not reserve as much address space (`ulimit -v`), the
    largest half, quarter, ... of it that leaves the host as much again, or 4 GiB.
    """
    memory = whole = _physical_memory()
    while not _is_free(count * (memory + memory // 8 + (1 << 25)) + min(memory, _FOR_HOST)):
        memory = memory // 2 // (1 << 20) * (1 << 20)
        if memory < _LEAST:
            raise Refusal(
                enums.CUresult.ERROR_OUT_OF_MEMORY,
                f"the process may not reserve {_LEAST >> 20} MiB of address space for each of {count} CPU devices, nor {whole} "
                "bytes, the machine's memory: raise its limit (ulimit -v), or state less in PTXGEN_CPU_MEMORY",
            )
    return memory


_FOR_HOST, _LEAST = 1 << 32, 1 << 24
_NORESERVE = 0x4000


def _is_free(nbytes: int) -> bool:
    """Does the system give so much address space? It is given back at once."""
    try:
        mmap.mmap(-1, nbytes, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE).close()
    except (OSError, OverflowError):
        return False
    return True


machine = Machine()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=machine.after_fork)
