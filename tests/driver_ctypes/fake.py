"""A small CUDA driver in Python: handlers behind real C function pointers, made from the ABI table.

Device memory is host memory, work runs when it is queued, kernels only record what they were launched with. What the
real driver refuses (a wrong thread's context, work that cannot be captured, a dead context) this one refuses too, and
any call can be made to fail: ``fake.fail("cuMemAlloc_v2", 2, on_call=3)``.
"""

from __future__ import annotations

import ctypes
import re
import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from driver_ctypes.abi import structs
from driver_ctypes.abi.functions import FUNCTIONS, prototype
from driver_ctypes.contexts.device import Driver

INVALID_VALUE, OUT_OF_MEMORY, NOT_INITIALIZED = 1, 2, 3
INVALID_CONTEXT, INVALID_HANDLE, NOT_FOUND, NOT_READY = 201, 400, 500, 600
CAPTURE_UNSUPPORTED, CAPTURE_INVALIDATED, CAPTURE_UNJOINED = 900, 901, 904

DEVICE_ATTRIBUTES = {
    1: 1024, 2: 1024, 3: 1024, 4: 64, 5: 2**31 - 1, 6: 65535, 7: 65535, 8: 49152, 10: 32, 16: 4,
    75: 9, 76: 0, 95: 1, 97: 232448, 120: 1,
}  # fmt: skip

_SIZES = {"b8": 1, "b16": 2, "b32": 4, "b64": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}
_SIZES |= {f"{sign}{bits}": bits // 8 for sign in "us" for bits in (8, 16, 32, 64)}


@dataclass
class Kernel:
    name: str
    sizes: list[int]
    attributes: dict[int, int]


@dataclass
class Launch:
    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    stream: int
    args: list[bytes]
    attributes: dict[int, bytes]
    thread: int


@dataclass
class Node:
    kind: int
    params: Any = None
    attributes: dict[int, structs.CUlaunchAttributeValue] = field(default_factory=dict)
    keep: Any = None


class Fake:
    """The driver's state, and one method for each function it has."""

    def __init__(self, *, version: int = 13000, devices: int = 1, lacks: tuple[str, ...] = ()) -> None:
        self.version = version
        self.devices = devices
        self.lacks = set(lacks)
        self.attributes = dict(DEVICE_ATTRIBUTES)
        self.calls: list[tuple[str, int]] = []  # (symbol, thread)
        self.failures: dict[str, list[tuple[int, int]]] = {}  # symbol -> [(call number, code)]
        self.counts: Counter[str] = Counter()
        self.asked: dict[str, int] = {}  # symbol -> version it was resolved with
        self.launches: list[Launch] = []
        self.on_launch: Any = None
        self.launch_needs_context = False
        self.logs: list[str] = []
        self.jit_answers: dict[str, tuple[int, str, str]] = {}  # image -> (code, error log, info log)
        self.sticky = 0
        self.memory: dict[int, Any] = {}
        self.pinned: dict[int, Any] = {}
        self.streams: dict[int, int] = {}  # handle -> flags
        self.events: dict[int, Any] = {}
        self.modules: dict[int, dict[str, int]] = {}
        self.kernels: dict[int, Kernel] = {}
        self.graphs: dict[int, list[Node]] = {}
        self.execs: dict[int, int] = {}
        self.capturing: dict[int, list[Node]] = {}  # stream -> nodes
        self.origins: set[int] = set()
        self.broken: set[int] = set()
        self.recorded_in: dict[int, list[Node]] = {}  # event -> capture
        self.retained: Counter[int] = Counter()
        self.capture_mode = threading.local()
        self.current = threading.local()
        self._next = 0x1000
        self._keep: list[Any] = []
        self._lock = threading.Lock()

    # --- being a driver -----------------------------------------------------------------------------------------------

    def open(self, name: str = "fake", **options: Any) -> Driver:
        return Driver(name, self.resolve, **options)

    def resolve(self, symbol: str, version: int) -> int:
        self.asked[symbol] = version
        handler = getattr(self, symbol, None)
        if handler is None or symbol in self.lacks:
            return 0
        kind = prototype(symbol if symbol in FUNCTIONS else f"{symbol}_v2")

        def called(*args: Any) -> int:
            with self._lock:
                self.counts[symbol] += 1
                self.calls.append((symbol, threading.get_ident()))
                injected = [code for call, code in self.failures.get(symbol, ()) if call in (0, self.counts[symbol])]
            if injected:
                return injected[0]
            return handler(*args) or 0

        pointer = kind(called)
        self._keep.append(pointer)
        return ctypes.cast(pointer, ctypes.c_void_p).value or 0

    def fail(self, symbol: str, code: int, on_call: int | None = None) -> None:
        """Let *symbol* return *code*: on its next call, on call number *on_call* from 1, or on every call (0)."""
        number = self.counts[symbol] + 1 if on_call is None else on_call
        self.failures.setdefault(symbol, []).append((number, code))

    def symbols(self) -> list[str]:
        return [symbol for symbol, _ in self.calls]

    def handle(self) -> int:
        with self._lock:
            self._next += 0x10
            return self._next

    def live(self) -> dict[str, int]:
        """Handles that nobody has freed."""
        names = ("memory", "pinned", "streams", "events", "modules", "graphs", "execs")
        return {name: len(getattr(self, name)) for name in names if getattr(self, name)}

    def _context(self, unsafe: bool = True) -> int:
        """What any context-dependent call checks first; an *unsafe* one may not be captured by its thread."""
        if self.sticky:
            return self.sticky
        if not getattr(self.current, "value", 0):
            return INVALID_CONTEXT
        if unsafe and self.capturing and getattr(self.capture_mode, "value", 1) != 2:
            self.broken |= self.origins
            return CAPTURE_UNSUPPORTED
        return 0

    def _queue(self, stream: int, node: Node) -> bool:
        """Record the work where its stream captures; otherwise it runs now."""
        if (stream or 0) in self.capturing:
            self.capturing[stream].append(node)
            return True
        return False

    # --- driver, devices, contexts ------------------------------------------------------------------------------------

    def cuInit(self, flags):
        return 0 if self.devices else 100

    def cuDriverGetVersion(self, out):
        write(ctypes.c_int, out, self.version)

    def cuGetErrorName(self, code, out):
        name = {0: b"CUDA_SUCCESS", 1: b"CUDA_ERROR_INVALID_VALUE", 2: b"CUDA_ERROR_OUT_OF_MEMORY"}.get(code)
        return self._string(name, out)

    def cuGetErrorString(self, code, out):
        return self._string({1: b"invalid argument", 2: b"out of memory"}.get(code), out)

    def _string(self, text, out):
        if text is None:
            return INVALID_VALUE
        buffer = ctypes.create_string_buffer(text)
        self._keep.append(buffer)
        write(ctypes.c_void_p, out, ctypes.addressof(buffer))
        return 0

    def cuDeviceGetCount(self, out):
        write(ctypes.c_int, out, self.devices)

    def cuDeviceGet(self, out, ordinal):
        write(ctypes.c_int, out, ordinal)

    def cuDeviceGetName(self, out, size, device):
        ctypes.memmove(out, b"Fake GPU\0", 9)

    def cuDeviceGetUuid_v2(self, out, device):
        ctypes.memmove(out, bytes(range(16)), 16)

    def cuDeviceTotalMem_v2(self, out, device):
        write(ctypes.c_size_t, out, 1 << 30)

    def cuDeviceGetAttribute(self, out, attribute, device):
        if attribute not in self.attributes:
            return INVALID_VALUE
        write(ctypes.c_int, out, self.attributes[attribute])

    def cuDevicePrimaryCtxRetain(self, out, device):
        self.retained[device] += 1
        write(ctypes.c_void_p, out, 0xC0000 + device)

    def cuDevicePrimaryCtxRelease_v2(self, device):
        self.retained[device] -= 1

    def cuDevicePrimaryCtxReset_v2(self, device):
        self.sticky = 0
        for owned in (self.memory, self.pinned, self.streams, self.events, self.modules, self.graphs, self.execs):
            owned.clear()

    def cuCtxGetCurrent(self, out):
        write(ctypes.c_void_p, out, getattr(self.current, "value", 0))

    def cuCtxSetCurrent(self, context):
        self.current.value = context or 0

    def cuCtxSynchronize(self):
        return self._context()

    def cuCtxGetStreamPriorityRange(self, least, greatest):
        write(ctypes.c_int, least, 0)
        write(ctypes.c_int, greatest, -5)

    def cuThreadExchangeStreamCaptureMode(self, mode):
        before = getattr(self.capture_mode, "value", 0)
        self.capture_mode.value = ctypes.c_int.from_address(mode).value
        write(ctypes.c_int, mode, before)

    def cuLogsCurrent(self, position, flags):
        write(ctypes.c_uint32, position, len(self.logs))

    def cuLogsDumpToMemory(self, position, buffer, size, flags):
        start = ctypes.c_uint32.from_address(position).value
        text = "\n".join(self.logs[start:]).encode() + b"\0"
        ctypes.memmove(buffer, text, len(text))
        write(ctypes.c_size_t, size, len(text) - 1)
        write(ctypes.c_uint32, position, len(self.logs))

    # --- memory -------------------------------------------------------------------------------------------------------

    def cuMemGetInfo_v2(self, free, total):
        write(ctypes.c_size_t, free, (1 << 30) - sum(map(len, self.memory.values())))
        write(ctypes.c_size_t, total, 1 << 30)
        return self._context(unsafe=False)

    def cuMemAlloc_v2(self, out, size):
        if code := self._context():
            return code
        if size > 1 << 30:
            return OUT_OF_MEMORY
        buffer = ctypes.create_string_buffer(size)
        self.memory[ctypes.addressof(buffer)] = buffer
        write(ctypes.c_uint64, out, ctypes.addressof(buffer))

    def cuMemFree_v2(self, address):
        return self._context() or self._drop(self.memory, address)

    def cuMemHostAlloc(self, out, size, flags):
        if code := self._context():
            return code
        buffer = ctypes.create_string_buffer(size)
        self.pinned[ctypes.addressof(buffer)] = buffer
        write(ctypes.c_void_p, out, ctypes.addressof(buffer))

    def cuMemFreeHost(self, address):
        return self._context() or self._drop(self.pinned, address)

    def _drop(self, owned, handle):
        return 0 if owned.pop(handle, None) is not None else INVALID_HANDLE

    def _copy(self, dst, src, size):
        if code := self._context():
            return code
        ctypes.memmove(dst, src, size)

    cuMemcpyHtoD_v2 = cuMemcpyDtoH_v2 = cuMemcpyDtoD_v2 = _copy

    def _copy_async(self, dst, src, size, stream):
        if code := self._context(unsafe=False):
            return code
        copy = structs.CUDA_MEMCPY3D(dstDevice=dst, srcHost=src, WidthInBytes=size, Height=1, Depth=1)
        if not self._queue(stream, Node(1, copy)):
            ctypes.memmove(dst, src, size)

    cuMemcpyHtoDAsync_v2 = cuMemcpyDtoHAsync_v2 = cuMemcpyDtoDAsync_v2 = _copy_async

    def cuMemsetD8_v2(self, dst, value, count):
        return self._fill(dst, value, count, 1)

    def cuMemsetD16_v2(self, dst, value, count):
        return self._fill(dst, value, count, 2)

    def cuMemsetD32_v2(self, dst, value, count):
        return self._fill(dst, value, count, 4)

    def cuMemsetD8Async(self, dst, value, count, stream):
        return self._fill(dst, value, count, 1, stream)

    def cuMemsetD16Async(self, dst, value, count, stream):
        return self._fill(dst, value, count, 2, stream)

    def cuMemsetD32Async(self, dst, value, count, stream):
        return self._fill(dst, value, count, 4, stream)

    def _fill(self, dst, value, count, width, stream=0):
        if code := self._context(unsafe=False):
            return code
        params = structs.CUDA_MEMSET_NODE_PARAMS_v1(dst, 0, value, width, count, 1)
        if not self._queue(stream, Node(2, params)):
            ctypes.memmove(dst, value.to_bytes(width, "little") * count, width * count)

    # --- streams and events -------------------------------------------------------------------------------------------

    def cuStreamCreateWithPriority(self, out, flags, priority):
        if code := self._context():
            return code
        handle = self.handle()
        self.streams[handle] = flags
        write(ctypes.c_void_p, out, handle)

    def cuStreamDestroy_v2(self, stream):
        return self._context(unsafe=False) or self._drop_stream(stream)

    def _drop_stream(self, stream):
        return 0 if self.streams.pop(stream, None) is not None else INVALID_HANDLE

    def cuStreamSynchronize(self, stream):
        return self._context(unsafe=False) or self._not_captured(stream)

    def cuStreamQuery(self, stream):
        return self._context(unsafe=False) or self._not_captured(stream)

    def _not_captured(self, stream):
        if (stream or 0) in self.capturing:
            self.broken |= self.origins
            return CAPTURE_UNSUPPORTED
        return 0

    def cuStreamIsCapturing(self, stream, out):
        write(ctypes.c_int, out, int((stream or 0) in self.capturing))

    def cuStreamGetCaptureInfo_v2(self, stream, status, identity, graph, nodes, number):
        captured = self.capturing.get(stream or 0)
        broken = any(self.capturing.get(origin) is captured for origin in self.broken)
        write(ctypes.c_int, status, 0 if captured is None else 2 if broken else 1)
        if captured is not None and not broken:
            write(ctypes.c_uint64, identity, id(captured))

    def cuStreamWaitEvent(self, stream, event, flags):
        if event not in self.events:
            return INVALID_HANDLE
        if event in self.recorded_in:
            self.capturing[stream] = self.recorded_in[event]

    def cuEventCreate(self, out, flags):
        if code := self._context(unsafe=False):
            return code
        handle = self.handle()
        self.events[handle] = flags
        write(ctypes.c_void_p, out, handle)

    def cuEventDestroy_v2(self, event):
        return self._context(unsafe=False) or (0 if self.events.pop(event, None) is not None else INVALID_HANDLE)

    def cuEventRecord(self, event, stream):
        if code := self._context(unsafe=False):
            return code
        self.recorded_in.pop(event, None)
        if (stream or 0) in self.capturing:
            self.recorded_in[event] = self.capturing[stream]

    def cuEventSynchronize(self, event):
        return self._context(unsafe=False) or (0 if event in self.events else INVALID_HANDLE)

    def cuEventQuery(self, event):
        return self._context(unsafe=False)

    def cuEventElapsedTime_v2(self, out, start, end):
        write(ctypes.c_float, out, 1.5)

    cuEventElapsedTime = cuEventElapsedTime_v2

    # --- modules and launches -----------------------------------------------------------------------------------------

    def cuModuleLoadDataEx(self, out, image, count, options, values):
        if code := self._context():
            return code
        text = ctypes.string_at(image).decode()
        keys = (ctypes.c_int * count).from_address(options)
        slots = (ctypes.c_void_p * count).from_address(values)
        options = dict(zip(keys, slots))
        code, errors, info = self.jit_answers.get(text, (0 if ".entry" in text else 200, "", ""))
        for log, buffer, size in ((info, 3, 4), (errors, 5, 6)):
            data = log.encode()[: (options[size] or 0) - 1]
            ctypes.memmove(options[buffer], data + b"\0", len(data) + 1)
        if code:
            return code
        handle = self.handle()
        self.modules[handle] = {}
        for name, params in re.findall(r"\.entry\s+(\w+)\s*\(([^)]*)\)", text):
            kernel = self.handle()
            attributes = {0: 1024, 1: 0, 2: 0, 3: 0, 4: 16, 5: 90, 6: 90, 8: 49152, 10: 0, 11: 0, 12: 0, 13: 0, 14: 0}
            self.kernels[kernel] = Kernel(name, [size_of(p) for p in params.split(",") if p.strip()], attributes)
            self.modules[handle][name] = kernel
        write(ctypes.c_void_p, out, handle)

    def cuModuleUnload(self, module):
        return self._context() or (0 if self.modules.pop(module, None) is not None else INVALID_HANDLE)

    def cuModuleGetFunction(self, out, module, name):
        if name.decode() not in self.modules[module]:
            return NOT_FOUND
        write(ctypes.c_void_p, out, self.modules[module][name.decode()])

    def cuModuleGetFunctionCount(self, out, module):
        write(ctypes.c_uint32, out, len(self.modules[module]))

    def cuModuleEnumerateFunctions(self, out, count, module):
        (ctypes.c_void_p * count).from_address(out)[:] = list(self.modules[module].values())

    def cuModuleGetGlobal_v2(self, address, size, module, name):
        if name != b"table":
            return NOT_FOUND
        write(ctypes.c_uint64, address, 0xABC000)
        write(ctypes.c_size_t, size, 64)

    def cuFuncGetName(self, out, function):
        return self._string(self.kernels[function].name.encode(), out)

    def cuFuncGetAttribute(self, out, attribute, function):
        write(ctypes.c_int, out, self.kernels[function].attributes[attribute])

    def cuFuncSetAttribute(self, function, attribute, value):
        self.kernels[function].attributes[attribute] = value

    def cuFuncGetParamInfo(self, function, index, offset, size):
        sizes = self.kernels[function].sizes
        if index >= len(sizes):
            return INVALID_VALUE
        write(ctypes.c_size_t, offset, 0)
        write(ctypes.c_size_t, size, sizes[index])

    def cuOccupancyMaxActiveBlocksPerMultiprocessor(self, out, function, block, shared):
        write(ctypes.c_int, out, 2048 // block)

    def cuOccupancyMaxPotentialClusterSize(self, out, function, config):
        write(ctypes.c_int, out, 16)

    def cuLaunchKernelEx(self, config, function, pointers, extra):
        if self.sticky:
            return self.sticky
        if self.launch_needs_context and not getattr(self.current, "value", 0):
            return INVALID_CONTEXT
        kernel = self.kernels.get(function)
        if kernel is None:
            return INVALID_HANDLE
        if self.on_launch is not None and (code := self.on_launch(kernel)):
            return code
        c = structs.CUlaunchConfig.from_address(config)
        slots = (ctypes.c_void_p * max(len(kernel.sizes), 1)).from_address(pointers)
        args = [ctypes.string_at(slot, size) for slot, size in zip(slots, kernel.sizes)]
        attributes = (structs.CUlaunchAttribute * c.numAttrs).from_address(c.attrs) if c.numAttrs else ()
        grid, block = (c.gridDimX, c.gridDimY, c.gridDimZ), (c.blockDimX, c.blockDimY, c.blockDimZ)
        stream = c.hStream or 0
        by_id = {a.id: bytes(a.value) for a in attributes}
        if not self._queue(stream, self._kernel_node(function, grid, block, c.sharedMemBytes, args, attributes)):
            self.launches.append(
                Launch(kernel.name, grid, block, c.sharedMemBytes, stream, args, by_id, threading.get_ident())
            )
        return 0

    def _kernel_node(self, function, grid, block, shared, args, attributes):
        buffers = [ctypes.create_string_buffer(arg, len(arg)) for arg in args]
        pointers = (ctypes.c_void_p * max(len(args), 1))(*map(ctypes.addressof, buffers))
        params = structs.CUDA_KERNEL_NODE_PARAMS_v2(function, *grid, *block, shared, ctypes.addressof(pointers))
        copies = {a.id: structs.CUlaunchAttributeValue.from_buffer_copy(a.value) for a in attributes}
        return Node(0, params, copies, (buffers, pointers, args))

    # --- capture and graphs -------------------------------------------------------------------------------------------

    def cuStreamBeginCapture_v2(self, stream, mode):
        if code := self._context(unsafe=False):
            return code
        if not stream or stream in self.capturing:
            return CAPTURE_UNSUPPORTED
        self.capturing[stream] = []
        self.origins.add(stream)

    def cuStreamEndCapture(self, stream, out):
        nodes = self.capturing.get(stream)
        if nodes is None:
            return 401
        joined = [other for other, captured in self.capturing.items() if captured is nodes]
        for other in joined:
            del self.capturing[other]
        self.origins.discard(stream)
        write(ctypes.c_void_p, out, 0)
        if stream in self.broken:
            self.broken.discard(stream)
            return CAPTURE_INVALIDATED
        graph = self.handle()
        self.graphs[graph] = nodes
        write(ctypes.c_void_p, out, graph)

    def cuGraphDestroy(self, graph):
        return 0 if self.graphs.pop(graph, None) is not None else INVALID_HANDLE

    def cuGraphGetNodes(self, graph, out, count):
        nodes = self.graphs[graph]
        write(ctypes.c_size_t, count, len(nodes))
        if out:
            (ctypes.c_void_p * len(nodes)).from_address(out)[:] = [0x10 + id(node) for node in nodes]

    def cuGraphGetEdges_v2(self, graph, sources, targets, data, count):
        nodes = self.graphs[graph]
        edges = [(nodes[i], nodes[i + 1]) for i in range(len(nodes) - 1)]
        write(ctypes.c_size_t, count, len(edges))
        if sources:
            for i, (a, b) in enumerate(edges):
                (ctypes.c_void_p * len(edges)).from_address(sources)[i] = 0x10 + id(a)
                (ctypes.c_void_p * len(edges)).from_address(targets)[i] = 0x10 + id(b)

    def _node(self, handle):
        return next(node for nodes in self.graphs.values() for node in nodes if 0x10 + id(node) == handle)

    def cuGraphNodeGetType(self, node, out):
        write(ctypes.c_int, out, self._node(node).kind)

    def _node_params(self, node, out):
        params = self._node(node).params
        ctypes.memmove(out, ctypes.addressof(params), ctypes.sizeof(params))

    cuGraphKernelNodeGetParams_v2 = cuGraphMemcpyNodeGetParams = cuGraphMemsetNodeGetParams = _node_params
    cuGraphHostNodeGetParams = cuGraphChildGraphNodeGetGraph = cuGraphEventRecordNodeGetEvent = _node_params
    cuGraphEventWaitNodeGetEvent = cuGraphMemAllocNodeGetParams = cuGraphMemFreeNodeGetParams = _node_params

    def cuGraphKernelNodeGetAttribute(self, node, attribute, out):
        value = self._node(node).attributes.get(attribute)
        if value is not None:
            ctypes.memmove(out, ctypes.addressof(value), ctypes.sizeof(value))

    def cuGraphInstantiateWithParams(self, out, graph, params):
        p = structs.CUDA_GRAPH_INSTANTIATE_PARAMS.from_address(params)
        bad = next((node for node in self.graphs[graph] if node.kind == 13), None)
        if bad is not None:
            p.hErrNode_out, p.result_out = 0x10 + id(bad), 3
            return INVALID_VALUE
        return self._instantiate(out, graph)

    def cuGraphInstantiateWithFlags(self, out, graph, flags):
        return self._instantiate(out, graph)

    def _instantiate(self, out, graph):
        handle = self.handle()
        self.execs[handle] = graph
        write(ctypes.c_void_p, out, handle)

    def cuGraphExecDestroy(self, handle):
        return 0 if self.execs.pop(handle, None) is not None else INVALID_HANDLE

    def cuGraphUpload(self, handle, stream):
        return 0 if handle in self.execs else INVALID_HANDLE

    def cuGraphLaunch(self, handle, stream):
        if code := self._context(unsafe=False):
            return code
        for node in self.graphs[self.execs[handle]]:
            if node.kind == 0:
                p, (_, _, args) = node.params, node.keep
                grid, block = (p.gridDimX, p.gridDimY, p.gridDimZ), (p.blockDimX, p.blockDimY, p.blockDimZ)
                name = self.kernels[p.func].name
                self.launches.append(
                    Launch(name, grid, block, p.sharedMemBytes, stream or 0, args, {}, threading.get_ident())
                )
            elif node.kind == 1:
                ctypes.memmove(node.params.dstDevice, node.params.srcHost, node.params.WidthInBytes)


def write(kind: Any, address: int | None, value: int) -> None:
    kind.from_address(address).value = value


def size_of(param: str) -> int:
    """Bytes of a PTX parameter declaration."""
    kind, count = re.search(r"\.(\w+)\s+\w+(?:\[(\d+)\])?\s*$", param.strip()).groups()
    return _SIZES[kind] * int(count or 1)
