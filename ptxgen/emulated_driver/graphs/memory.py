"""What a device's graphs have of its memory: the attributes, and giving back."""

from __future__ import annotations

from driver_ctypes.abi import enums
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import invalid_value
from ptxgen.emulated_driver.memory.graph_memory import memory_in_use, note_use, reset_high
from ptxgen.emulated_driver.pointers import get_u64, need, put_u64
from ptxgen.emulated_driver.state.machine import machine

A = enums.CUgraphMem_attribute


@entry("cuDeviceGetGraphMemAttribute", needs=INIT)
def device_get_graph_mem_attribute(ordinal: int, attribute: int, out: int | None) -> None:
    machine.device(ordinal)
    (used, reserved), (used_high, reserved_high) = memory_in_use(ordinal), note_use(ordinal)
    values = {
        A.USED_MEM_CURRENT: used, A.USED_MEM_HIGH: used_high,
        A.RESERVED_MEM_CURRENT: reserved, A.RESERVED_MEM_HIGH: reserved_high,
    }  # fmt: skip
    if attribute not in values:
        raise invalid_value(f"graph memory attribute {attribute} is unknown")
    put_u64(out, values[A(attribute)])


@entry("cuDeviceSetGraphMemAttribute", needs=INIT)
def device_set_graph_mem_attribute(ordinal: int, attribute: int, value: int | None) -> None:
    """The high marks can be set to 0, which lets them begin anew."""
    machine.device(ordinal)
    need(value)
    assert value is not None
    if attribute not in (A.USED_MEM_HIGH, A.RESERVED_MEM_HIGH) or get_u64(value):
        raise invalid_value(f"graph memory attribute {attribute} cannot be set to {get_u64(value)}")
    reset_high(ordinal, int(attribute == A.RESERVED_MEM_HIGH))


@entry("cuDeviceGraphMemTrim", needs=INIT)
def device_graph_mem_trim(ordinal: int) -> None:
    """Nothing is kept that no graph needs."""
    machine.device(ordinal)
