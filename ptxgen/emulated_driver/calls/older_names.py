"""Names of older CUDA versions for functions that are offered under newer ones."""

from __future__ import annotations

__all__ = ["OLDER_NAMES"]

OLDER_NAMES = {
    f"cu{name}": f"cu{name}_v2"
    for name in (
        "CtxCreate", "CtxDestroy", "CtxPopCurrent", "CtxPushCurrent", "DeviceGetUuid", "DevicePrimaryCtxRelease",
        "DevicePrimaryCtxReset", "DevicePrimaryCtxSetFlags", "EventDestroy", "GraphInstantiate", "IpcOpenMemHandle",
        "LinkAddData", "LinkAddFile", "LinkCreate", "MemHostRegister", "StreamDestroy",
    )
}  # fmt: skip
"""Exports of older CUDA versions, and the newer ones that take the same arguments. Those whose addresses have 32 bits are not
offered: the device's have more."""
