"""Asynchronous notifications of a device: they can be asked for, and none comes."""

from __future__ import annotations

from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import invalid_value
from ptxgen.emulated_driver.pointers import need, put_u64
from ptxgen.emulated_driver.state.handles import Handles
from ptxgen.emulated_driver.state.machine import machine

_listeners: Handles[int] = Handles("asynchronous notification", counted=False)


@entry("cuDeviceRegisterAsyncNotification", needs=INIT)
def device_register_notification(ordinal: int, function: int | None, data: int | None, out: int | None) -> None:
    """The device has no budget to be over, which is all that there is to be notified of."""
    need(function, out)
    put_u64(out, _listeners.add(machine.device(ordinal).ordinal))


@entry("cuDeviceUnregisterAsyncNotification", needs=INIT)
def device_unregister_notification(ordinal: int, handle: int | None) -> None:
    if _listeners.find(handle) != machine.device(ordinal).ordinal:
        raise invalid_value(f"{handle or 0:#x} is not a notification of device {ordinal}")
    _listeners.remove(handle)
