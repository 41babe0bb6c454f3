"""What a driver function raises instead of returning a code: the code, and a text for the log."""

from __future__ import annotations

from driver_ctypes.abi.enums import CUresult

__all__ = ["FATAL", "CUresult", "Refusal", "invalid_handle", "invalid_value"]

_C = CUresult
FATAL = frozenset({
    _C.ERROR_ECC_UNCORRECTABLE, _C.ERROR_NVLINK_UNCORRECTABLE, _C.ERROR_CONTAINED, _C.ERROR_ILLEGAL_ADDRESS,
    _C.ERROR_LAUNCH_TIMEOUT, _C.ERROR_ASSERT, _C.ERROR_HARDWARE_STACK_ERROR, _C.ERROR_ILLEGAL_INSTRUCTION,
    _C.ERROR_MISALIGNED_ADDRESS, _C.ERROR_INVALID_ADDRESS_SPACE, _C.ERROR_INVALID_PC, _C.ERROR_LAUNCH_FAILED,
    _C.ERROR_TENSOR_MEMORY_LEAK, _C.ERROR_MPS_CLIENT_TERMINATED, _C.ERROR_EXTERNAL_DEVICE,
})  # fmt: skip
"""Codes that leave a context unusable for good."""


class Refusal(Exception):
    """A call is refused with a CUresult; `text`, if any, goes to the driver's log before the line that names the
    code.
    """

    def __init__(self, code: int, text: str = "") -> None:
        super().__init__(code, text)
        self.code = int(code)
        self.text = text


def invalid_value(text: str = "") -> Refusal:
    return Refusal(CUresult.ERROR_INVALID_VALUE, text)


def invalid_handle(kind: str, handle: int | None) -> Refusal:
    """The caller's handle is null, stale or was never one."""
    return Refusal(CUresult.ERROR_INVALID_HANDLE, f"{handle or 0:#x} is not a live {kind}")
