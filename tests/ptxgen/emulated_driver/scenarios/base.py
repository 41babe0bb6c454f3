"""What the programs are written with: a driver as an object, the kernels, the notebook, and things made beforehand."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable
from ctypes import byref, c_int, c_uint32, c_uint64, c_void_p
from typing import Any

PTX = b"""
.version 8.0
.target sm_90
.address_size 64

.visible .global .align 4 .b32 answer = 42;
.visible .const .align 8 .b8 table[64];

.visible .entry empty()
{
    ret;
}

.visible .entry store(.param .u64 p, .param .u32 value)
{
    .reg .b32 %r<6>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [p];
    ld.param.u32 %r1, [value];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    mul.wide.u32 %d2, %r5, 4;
    add.u64 %d3, %d1, %d2;
    st.global.u32 [%d3], %r1;
    ret;
}

.visible .entry increment(.param .u64 p)
{
    .reg .b32 %r<6>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [p];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    mul.wide.u32 %d2, %r5, 4;
    add.u64 %d3, %d1, %d2;
    ld.global.u32 %r1, [%d3];
    add.u32 %r1, %r1, 1;
    st.global.u32 [%d3], %r1;
    ret;
}

.visible .entry stop()
{
    trap;
    ret;
}

.visible .entry bounded() .maxntid 64, 1, 1
{
    ret;
}

.visible .entry required() .reqntid 32, 2, 1
{
    ret;
}

.visible .entry clustered() .explicitcluster .reqnctapercluster 2, 1, 1
{
    ret;
}

.visible .entry shared_kib()
{
    .shared .align 4 .b8 tile[1024];
    .reg .b32 %r<3>;
    mov.u32 %r1, %tid.x;
    st.shared.u32 [tile], %r1;
    ld.shared.u32 %r2, [tile];
    ret;
}

.visible .entry mixed(.param .u8 a, .param .u64 b, .param .u16 c, .param .f64 d, .param .align 4 .b8 e[12], .param .u32 f)
{
    ret;
}
"""


CONFIG = ctypes.c_uint32 * 14  # CUlaunchConfig: 56 bytes; words 8..9 stream, 10..11 attributes, 12 their count


class Cu:
    """A driver's functions as attributes: `cu.cuCtxSynchronize()` returns the result code."""

    def __init__(self, lookup: Callable[[str], int]) -> None:
        self._lookup = lookup

    def __getattr__(self, symbol: str) -> Any:
        from driver_ctypes.abi.functions import prototype

        address = self._lookup(symbol)
        if not address:
            raise AttributeError(f"this driver has no {symbol}")
        function = prototype(symbol)(address)
        setattr(self, symbol, function)
        return function

    def get(self, ctype: Any, symbol: str, *args: Any) -> Any:
        """The value of a function's first (out) argument; AssertionError with the code when it fails."""
        out = ctype()
        code = getattr(self, symbol)(byref(out), *args)
        assert code == 0, f"{symbol} answered {code}"
        return out.value

    def start(self) -> int:
        """cuInit, and device 0's primary context made current."""
        assert self.cuInit(0) == 0
        context = self.get(c_void_p, "cuDevicePrimaryCtxRetain", 0)
        assert self.cuCtxSetCurrent(context) == 0
        return int(context)

    def load(self, ptx: bytes = PTX) -> int:
        return int(self.get(c_void_p, "cuModuleLoadData", ptx))

    def function(self, module: int, name: bytes) -> int:
        return int(self.get(c_void_p, "cuModuleGetFunction", module, name))

    def alloc(self, nbytes: int) -> int:
        return int(self.get(c_uint64, "cuMemAlloc_v2", nbytes))

    def stream(self, flags: int = 0) -> int:
        return int(self.get(c_void_p, "cuStreamCreate", flags))

    def event(self, flags: int = 0) -> int:
        return int(self.get(c_void_p, "cuEventCreate", flags))

    def launch(
        self, function: int, *args: Any, grid: tuple[int, int, int] = (1, 1, 1), block: tuple[int, int, int] = (1, 1, 1),
        shared: int = 0, stream: int = 0,
    ) -> int:  # fmt: skip
        slots = (c_void_p * max(len(args), 1))(*[ctypes.addressof(a) for a in args])
        return int(self.cuLaunchKernel(function, *grid, *block, shared, stream, slots, None))

    def words(self, pointer: int, count: int) -> list[int]:
        host = (c_uint32 * count)()
        assert self.cuMemcpyDtoH_v2(host, pointer, 4 * count) == 0
        return list(host)

    def capturing(self, stream: int) -> int:
        return int(self.get_last(c_int, self.cuStreamIsCapturing, stream))

    @staticmethod
    def get_last(ctype: Any, function: Any, *args: Any) -> Any:
        """The value of a function's last (out) argument, or minus its code."""
        out = ctype()
        code = function(*args, byref(out))
        return out.value if code == 0 else -code

    def end_capture(self, stream: int) -> tuple[int, int]:
        graph = c_void_p()
        code = self.cuStreamEndCapture(stream, byref(graph))
        return code, graph.value or 0


Note = Callable[[str, Any], None]


SCENARIOS: dict[str, Callable[[Cu, Note], None]] = {}


def scenario(function: Callable[[Cu, Note], None]) -> Callable[[Cu, Note], None]:
    SCENARIOS[function.__name__] = function
    return function


LATER: dict[str, Callable[[Cu, Note], None]] = {}
"""Programs of the later kinds of graph nodes, recorded in a file of their own (h200_graphs.json)."""


def later_scenario(function: Callable[[Cu, Note], None]) -> Callable[[Cu, Note], None]:
    LATER[function.__name__] = function
    return function


class Bench:
    """What the capture programs work on: made before the capture begins."""

    def __init__(self, cu: Cu, flags: int) -> None:
        self.cu = cu
        self.context = cu.start()
        self.module = cu.load()
        self.empty = cu.function(self.module, b"empty")
        self.increment = cu.function(self.module, b"increment")
        self.stream, self.other, self.free = cu.stream(flags), cu.stream(0), cu.stream(1)
        self.p = cu.alloc(256)
        self.host = (c_uint32 * 64)()
        self.pinned = cu.get(c_void_p, "cuMemHostAlloc", 256, 0)
        self.event, self.recorded, self.timed = cu.event(), cu.event(), cu.event()
        for event in (self.recorded, self.timed):
            cu.cuEventRecord(event, self.other)
        cu.cuCtxSynchronize()
        self.graph = cu.get(c_void_p, "cuGraphCreate", 0)
        node = c_void_p()
        cu.cuGraphAddEmptyNode(byref(node), self.graph, None, 0)
        self.node = node.value
        self.executable = cu.get(c_void_p, "cuGraphInstantiateWithFlags", self.graph, 0)
        self.executable2 = cu.get(c_void_p, "cuGraphInstantiateWithFlags", self.graph, 0)
        self.library = c_void_p()
        cu.cuLibraryLoadData(byref(self.library), PTX, None, None, 0, None, None, 0)
        cu.cuMemcpyHtoD_v2(self.p, self.host, 256)
        cu.cuCtxSynchronize()
        self.slots = (c_void_p * 1)()
        self.value = c_uint64(self.p)
        self.slots[0] = ctypes.addressof(self.value)
        self.host_function = ctypes.CFUNCTYPE(None, c_void_p)(lambda data: None)
        self.callback = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_void_p)(lambda s, code, data: None)


def out(ctype: Any = c_uint64) -> Any:
    return byref(ctype())


def then(*codes: int) -> list[int]:
    return list(codes)


def kernel_params(function: int, slots: Any, grid: int = 1, block: int = 64) -> Any:
    """CUDA_KERNEL_NODE_PARAMS_v2 as nine words of eight bytes."""
    words = (c_uint64 * 9)()
    words[0] = function
    (c_uint32 * 7).from_buffer(words, 8)[:] = [grid, 1, 1, block, 1, 1, 0]
    words[5] = ctypes.addressof(slots) if slots is not None else 0
    return words


def run(name: str, lookup: Callable[[str], int]) -> dict[str, Any]:
    """The answers of one program, as JSON would give them back."""
    answers: dict[str, Any] = {}

    def note(label: str, value: Any) -> None:
        assert label not in answers, f"{name}: two answers are called {label!r}"
        answers[label] = json.loads(json.dumps(value))

    {**SCENARIOS, **LATER}[name](Cu(lookup), note)
    return answers
