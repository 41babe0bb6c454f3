"""The machine and its devices: what they are called and what they say of themselves.

A program sees the limits that it would see on the device's product, an H200 where nothing else is said.
"""

from __future__ import annotations

from driver_ctypes.abi import enums
from ptxgen.emulated_driver.calls.registry import INIT, NOTHING, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.pointers import need, put_bytes, put_i32, put_text, put_u64
from ptxgen.emulated_driver.state.cpu_device import Device
from ptxgen.emulated_driver.state.machine import driver_version, machine


@entry("cuInit", needs=NOTHING)
def init(flags: int) -> None:
    if flags:
        raise invalid_value("cuInit takes 0")
    machine.start()


@entry("cuDriverGetVersion", needs=NOTHING)
def driver_get_version(out: int | None) -> None:
    put_i32(out, driver_version())


@entry("cuDeviceGetCount", needs=INIT)
def device_get_count(out: int | None) -> None:
    put_i32(out, len(machine.devices))


@entry("cuDeviceGet", needs=INIT)
def device_get(out: int | None, ordinal: int) -> None:
    need(out)
    put_i32(out, machine.device(ordinal).ordinal)


def processor() -> str:
    """What the processor is called, for the device's name."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return " ".join(line.partition(":")[2].split())
    except OSError:
        pass
    import platform

    return platform.processor() or platform.machine() or "unknown processor"


@entry("cuDeviceGetName", needs=INIT)
def device_get_name(out: int | None, room: int, ordinal: int) -> None:
    product = machine.device(ordinal).product
    put_text(out, room, f"ptxgen CPU as {product.name} ({processor()})".encode())


@entry("cuDeviceGetUuid_v2", needs=INIT)
def device_get_uuid(out: int | None, ordinal: int) -> None:
    """The same in every run on the same machine."""
    import platform
    import uuid

    machine.device(ordinal)
    made = uuid.uuid5(uuid.NAMESPACE_DNS, f"ptxgen-cpu-{platform.node()}-{ordinal}").bytes
    put_bytes(out, made)


@entry("cuDeviceTotalMem_v2", needs=INIT)
def device_total_mem(out: int | None, ordinal: int) -> None:
    put_u64(out, machine.device(ordinal).total_memory)


@entry("cuDeviceGetAttribute", needs=INIT)
def device_get_attribute(out: int | None, attribute: int, ordinal: int) -> None:
    put_i32(out, attribute_of(machine.device(ordinal), attribute))


_PCI_BUS_ID, _LINEAR_WIDTH = 33, 69  # CUdevice_attribute


def attribute_of(device: Device, attribute: int) -> int:
    from ptxgen.emulated_driver.contexts.attributes import attributes_of

    if attribute == _PCI_BUS_ID:
        return device.ordinal
    value = attributes_of(device.product).get(attribute)
    if value is None:
        raise invalid_value(f"device attribute {attribute} is unknown")
    return value


_FORMATS = (0x01, 0x02, 0x03, 0x08, 0x09, 0x0A, 0x10, 0x20)  # CUarray_format of whole channels


@entry("cuDeviceGetTexture1DLinearMaxWidth", needs=INIT)
def device_get_linear_width(out: int | None, format_: int, channels: int, ordinal: int) -> None:
    """In elements, whatever they are."""
    need(out)
    device = machine.device(ordinal)
    if format_ not in _FORMATS or channels not in (1, 2, 4):
        raise invalid_value(f"{channels} channels of format {format_:#x}: 1, 2 or 4 of 8 to 32 bits")
    put_u64(out, attribute_of(device, _LINEAR_WIDTH))


def _bus_id(ordinal: int) -> str:
    return f"0000:{ordinal:02X}:00.0"


@entry("cuDeviceGetPCIBusId", needs=INIT)
def device_get_pci_bus_id(out: int | None, room: int, ordinal: int) -> None:
    machine.device(ordinal)
    put_text(out, room, _bus_id(ordinal).encode())


@entry("cuDeviceGetByPCIBusId", needs=INIT)
def device_get_by_pci_bus_id(out: int | None, text: bytes | None) -> None:
    need(out)
    wanted = (text or b"").decode(errors="replace").upper()
    for device in machine.devices:
        if wanted in (_bus_id(device.ordinal), _bus_id(device.ordinal)[5:]):
            put_i32(out, device.ordinal)
            return
    import re

    is_id = re.fullmatch(r"(?:[0-9A-F]{4,8}:)?[0-9A-F]{2}:[0-9A-F]{2}\.[0-9A-F]", wanted)
    code = enums.CUresult.ERROR_INVALID_DEVICE if is_id else enums.CUresult.ERROR_INVALID_VALUE
    raise Refusal(code, f"no device is at {wanted!r}")


@entry("cuProfilerStart", unsafe=True)
def profiler_start(context: object) -> None:
    """There is no profiler to start; the call is allowed where it is on hardware."""


@entry("cuProfilerStop", unsafe=True)
def profiler_stop(context: object) -> None:
    """See cuProfilerStart."""
