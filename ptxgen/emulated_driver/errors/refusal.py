"""What a driver function raises instead of returning a code: the code, and a text for the log."""

from __future__ import annotations

from driver_ctypes.abi import enums

__all__ = ["Refusal", "invalid_handle", "invalid_value", "is_fatal"]


class Refusal(Exception):
    """A call is refused with a CUresult; `text`, if any, goes to the driver's log before the line that names the
    code.
    """

    def __init__(self, code: int, text: str = "") -> None:
        super().__init__(code, text)
        self.code = int(code)
        self.text = text


def invalid_value(text: str = "") -> Refusal:
    return Refusal(enums.CUresult.ERROR_INVALID_VALUE, text)


def invalid_handle(kind: str, handle: int | None) -> Refusal:
    """The caller's handle is null, stale or was never one."""
    return Refusal(enums.CUresult.ERROR_INVALID_HANDLE, f"{handle or 0:#x} is not a live {kind}")


def is_fatal(code: int) -> bool:
    """Does a code leave a context unusable for good?"""
    each = enums.CUresult
    return code in (
        each.ERROR_ECC_UNCORRECTABLE, each.ERROR_NVLINK_UNCORRECTABLE, each.ERROR_CONTAINED, each.ERROR_ILLEGAL_ADDRESS,
        each.ERROR_LAUNCH_TIMEOUT, each.ERROR_ASSERT, each.ERROR_HARDWARE_STACK_ERROR, each.ERROR_ILLEGAL_INSTRUCTION,
        each.ERROR_MISALIGNED_ADDRESS, each.ERROR_INVALID_ADDRESS_SPACE, each.ERROR_INVALID_PC, each.ERROR_LAUNCH_FAILED,
        each.ERROR_TENSOR_MEMORY_LEAK, each.ERROR_MPS_CLIENT_TERMINATED, each.ERROR_EXTERNAL_DEVICE,
    )  # fmt: skip
