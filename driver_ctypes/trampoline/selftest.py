"""Whether machine code and this build of Python understand each other: one launcher, tried before any is used.

It is launched at a driver function of our own, which reads the arguments back: every kind of parameter, at the ends of
its range, memory of ours and a tensor through a C exchange table; and that what must take the slow path takes it.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from typing import Any

from driver_ctypes.abi.structs import CUlaunchConfig
from driver_ctypes.errors import Error
from driver_ctypes.lifetime import Life
from driver_ctypes.trampoline.layout import DATA_POINTER, DLPACK_CUDA, State, slot_offset

_SHAPES = (
    ("pointer", 8), ("pointer", 8), ("pointer", 8), ("u8", 1), ("s16", 2), ("u32", 4), ("s32", 4), ("u64", 8), ("s64", 8),
    ("f16", 2), ("bf16", 2), ("f32", 4), ("f64", 8), ("bytes", 5), ("opaque", 4), ("opaque", 8),
)  # fmt: skip
_TENSOR_AT = 0x7F00_1234_5600
_MEMORY_AT = 0x7FEE_0000_1000


class _Memory:
    __slots__ = ("_address", "_life")

    def __init__(self, address: int, life: Life) -> None:
        self._address = address
        self._life = life


class _Tensor:
    """An array whose address only its C functions return."""


def failure() -> str:
    """What is wrong; empty where native launchers work."""
    try:
        return _layout_failure() or _launch_failure()
    except Error as refused:
        return str(refused.args[0])
    except Exception as error:  # LLVM may refuse in its own ways, such as memory that must not be executable
        return f"the native launcher's self-test failed: {type(error).__name__}: {error}"


def _layout_failure() -> str:
    probe = State()
    if ctypes.c_void_p.from_address(id(probe) + DATA_POINTER).value != ctypes.addressof(probe):
        return "a ctypes object of this Python has its data in another place"
    if sys.int_info.bits_per_digit != 30:
        return "an int of this Python has digits of another size"
    if ctypes.c_void_p.from_address(id(probe) + DATA_POINTER - 8).value != id(State):
        return "an object of this Python has its type in another place"
    memory = _Memory(_MEMORY_AT, Life(None))
    if not (slot_offset(memory, "_address") and slot_offset(memory, "_life") and slot_offset(Life(None), "context")):
        return "slots of this Python lie in other places"
    return ""


def _launch_failure() -> str:
    from driver_ctypes.trampoline.code import native_callable, new_state

    bench = _Bench()
    state = new_state(_SHAPES)
    bench.prepare(state)
    refused: list[tuple[Any, ...]] = []
    launch = native_callable(state, _SHAPES, "selftest", "", lambda *args: refused.append(args))
    good = (
        _MEMORY_AT, bench.memory, bench.tensor, 255, -(2**15), 2**32 - 1, -(2**31), 2**64 - 1, -(2**63),
        1.5, 1 + 2**-8 + 2**-30, 3, 0.1, b"bytes", -1, _MEMORY_AT,
    )  # fmt: skip
    expected = [
        struct.pack("<Q", _MEMORY_AT), struct.pack("<Q", _MEMORY_AT), struct.pack("<Q", _TENSOR_AT), b"\xff",
        struct.pack("<h", -(2**15)), b"\xff" * 4, struct.pack("<i", -(2**31)), b"\xff" * 8, struct.pack("<q", -(2**63)),
        struct.pack("<e", 1.5), b"\x81\x3f", struct.pack("<f", 3), struct.pack("<d", 0.1), b"bytes", b"\xff" * 4,
        struct.pack("<Q", _MEMORY_AT),
    ]  # fmt: skip
    before = [sys.getrefcount(value) for value in (bench.memory, bench.tensor, good)]
    if launch(*good) is not None or refused:
        return "the native launcher's self-test failed: good arguments were refused"
    if bench.received != (0, expected):
        return "the native launcher's self-test failed: other bytes arrived than were sent"
    for number in (0, 1, 2**30 - 1, 2**30, 2**60 - 1, 2**60, 2**64 - 1):
        launch(number, *good[1:])
        if bench.received[1][0] != struct.pack("<Q", number):
            return f"the native launcher's self-test failed: {number} arrived as something else"
    for position, wrong in (
        (0, -1),
        (1, _Memory(1, Life(None))),
        (3, 256),
        (5, -1),
        (8, 2**63),
        (11, 1e300),
        (13, b""),
    ):
        launch(*good[:position], wrong, *good[position + 1 :])
        if not refused or refused.pop()[position + 1] is not wrong:
            return f"the native launcher's self-test failed: {wrong!r} was taken for a {_SHAPES[position][0]}"
    bench.code = 1
    launch(*good)
    if refused != [(1, *good)]:
        return "the native launcher's self-test failed: an error of the driver was lost"
    refused.clear()
    if before != [sys.getrefcount(value) for value in (bench.memory, bench.tensor, good)]:
        return "the native launcher's self-test failed: it does not count references"
    return ""


class _Bench:
    """The driver that the self-test launches at."""

    def __init__(self) -> None:
        self.context = _Memory(0, Life(None))  # any object will do
        self.memory = _Memory(_MEMORY_AT, Life(self.context))
        self.tensor = _Tensor()
        self.code = 0
        self.received: tuple[int, list[bytes]] | None = None
        pointer, number = ctypes.c_void_p, ctypes.c_int
        self.functions = (
            ctypes.CFUNCTYPE(number, pointer, pointer, pointer, pointer)(self._launch),
            ctypes.CFUNCTYPE(number, pointer)(self._ask_context),
            ctypes.PYFUNCTYPE(number, ctypes.py_object, pointer)(self._tell_tensor),
            ctypes.PYFUNCTYPE(number, number, number, pointer)(self._tell_stream),
        )
        self.last = ctypes.c_uint64()

    def prepare(self, state: Any) -> None:
        launch, ask, tensor, stream = (ctypes.cast(f, ctypes.c_void_p).value for f in self.functions)
        state.guard, state.launch, state.ask_context, state.context_handle = 0, launch, ask, 0xC0
        state.context, state.last, state.serial = id(self.context), ctypes.addressof(self.last), 1
        state.stream, state.follows, state.dl_device = 0, 1, DLPACK_CUDA | 3 << 32
        ours, theirs = state.caches[1], state.caches[2]
        ours.type = id(_Memory)
        ours.address, ours.life = slot_offset(self.memory, "_address"), slot_offset(self.memory, "_life")
        theirs.type, theirs.exchange, theirs.work_stream = id(_Tensor), tensor, stream

    def _launch(self, config: int, function: int, pointers: int, extra: int) -> int:
        addresses = (ctypes.c_void_p * len(_SHAPES)).from_address(pointers)
        values = [ctypes.string_at(place or 0, size) for place, (_, size) in zip(addresses, _SHAPES)]
        self.received = (CUlaunchConfig.from_address(config).hStream or 0, values)
        return self.code

    def _ask_context(self, out: int) -> int:
        ctypes.c_void_p.from_address(out).value = 0xC0
        return 0

    def _tell_tensor(self, value: Any, out: int) -> int:
        ctypes.memmove(out, struct.pack("<QiiiBBHQQQ", _TENSOR_AT - 8, DLPACK_CUDA, 3, 1, 2, 32, 1, 0, 0, 8), 48)
        return 0 if value is self.tensor else -1

    def _tell_stream(self, device_type: int, ordinal: int, out: int) -> int:
        ctypes.c_uint64.from_address(out).value = 1  # the legacy default stream, which is stream 0
        return 0 if (device_type, ordinal) == (DLPACK_CUDA, 3) else -1
