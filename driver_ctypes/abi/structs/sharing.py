"""What names a device, and what other processes are given."""

from __future__ import annotations

from driver_ctypes.abi.structs.tokens import Structure, fields


class CUuuid(Structure):
    _fields_ = fields("bytes:u8[16]")


class CUipcEventHandle(Structure):
    _fields_ = fields("reserved:u8[64]")


class CUipcMemHandle(Structure):
    _fields_ = fields("reserved:u8[64]")


class CUmemPoolPtrExportData(Structure):
    _fields_ = fields("reserved:u8[64]")
