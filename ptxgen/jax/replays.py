"""Launches of an operation as machine code: what Python launched once for buffers of a form, made again for any such buffers.

A replay is ``i32 replay(XLA_FFI_CallFrame *frame, CUstream stream)``. It has every launch with its values, and takes the
addresses from XLA's buffers; `cuTensorMapReplaceAddress` moves the tensor maps. It returns the driver's code, or `UNFIT` where a
buffer lies on another boundary than the first one did.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.abi.structs import CUlaunchAttribute, CUlaunchConfig
from driver_ctypes.launch.sending import Slot, pack_arguments
from driver_ctypes.machine_code.texts import compile_functions
from driver_ctypes.trampoline.shared import DECLARATIONS, Writer, constant
from ptxgen.jax import abi
from ptxgen.jax.handlers import UNFIT, global_bytes
from ptxgen.kernels.plan import KernelPlan
from ptxgen.ops.launches import Fill
from ptxgen.ops.recorded import ADDRESS_UNIT, NotAFormError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from driver_ctypes.contexts.context import Context
    from ptxgen.ops.recorded import RecordedLaunch

__all__ = ["Replayed", "new_replay", "replayed"]

_MAP_ALIGNMENT = 64  # bytes, of the memory of a tensor map (CUDA driver API, cuTensorMapReplaceAddress)


class Replayed(NamedTuple):
    """A launch as the driver takes it."""

    function: int
    config: bytes
    """CUlaunchConfig, but for the stream and the attributes' address."""
    attributes: bytes
    """CUlaunchAttributes."""
    arguments: bytes
    offsets: tuple[int, ...]
    """Of each parameter in the arguments."""
    places: tuple[tuple[int, int, int, bool], ...]
    """(where in the arguments, which buffer, how many bytes behind its beginning, is it a tensor map)."""


class ReplayedFill(NamedTuple):
    """Zeros into so many bytes from an address: of the operation's own memory, or from the beginning of a buffer."""

    address: int
    size: int
    buffer: int | None = None


def replayed(each: RecordedLaunch) -> Replayed | ReplayedFill:
    """A launch that was recorded, checked and packed once more. NotAFormError for what machine code does not do: copies, bytes
    other than zeros, tensor maps at other places than multiples of 64 bytes."""
    plan, place = each.launch.plan, each.launch.place
    if plan is Fill:
        pointer, byte, size = each.launch.arguments
        if byte:
            raise NotAFormError
        return (
            ReplayedFill(each.places[0].offset, size, each.places[0].array)
            if each.places
            else ReplayedFill(pointer, size)
        )
    if not isinstance(plan, KernelPlan):
        raise NotAFormError
    handle = plan.kernel.on(place)
    function, shared = handle.function, handle.entry.dynamic_shared if plan.shared is None else plan.shared
    stream = each.launch.stream
    configured = function.configure(plan.grid, plan.block, shared=shared, stream=stream, **plan.attributes)
    signature = configured.signature
    slot = Slot(function, signature)
    slot.configure(configured.config, stream or 0)
    pack_arguments(function, signature, slot, each.launch.arguments)
    places = []
    for position, array, offset, structure, _ in each.places:
        at = signature.offsets[position]
        if structure is not None and at % _MAP_ALIGNMENT:
            raise NotAFormError
        places.append((at, array, offset, structure is not None))
    attributes = bytes(slot.attributes)[: slot.config.numAttrs * ctypes.sizeof(CUlaunchAttribute)]
    return Replayed(
        function.handle, bytes(slot.config), attributes, bytes(slot.buffer), tuple(signature.offsets), tuple(places)
    )


def new_replay(
    launches: Sequence[Replayed | ReplayedFill], operands: int, residues: Sequence[int], context: Context
) -> int:
    """The address of a function that makes the launches. Its buffers are the *operands* and then the results, each that many
    bytes behind a multiple of `ADDRESS_UNIT`. Compiling takes about 10 ms."""
    name = "replay"
    text = _Replay(name, launches, operands, residues, context).text()
    return compile_functions(text, name)[name]


class _Replay(Writer):
    """Writes one: ``%frame`` is the call frame, ``%stream`` XLA's stream, ``%code`` where the driver's code is kept."""

    def __init__(
        self, name: str, launches: Sequence[Any], operands: int, residues: Sequence[int], context: Context
    ) -> None:
        super().__init__()
        self.name, self.operands, self.residues = name, operands, residues
        self.launches, self.driver = launches, context.driver
        self.globals: list[str] = []

    def text(self) -> str:
        self.lines.append(f"define i32 @{self.name}(ptr %frame, ptr %stream) {{")
        self.block("entry")
        largest = max((len(each.arguments) for each in self.launches if isinstance(each, Replayed)), default=0)
        most = max((len(each.offsets) for each in self.launches if isinstance(each, Replayed)), default=0)
        sizes = {"code": 4, "config": ctypes.sizeof(CUlaunchConfig), "arguments": largest, "pointers": 8 * most}
        for memory, size in sizes.items():
            self.lines.append(f"  %{memory} = alloca [{max(8, size)} x i8], align {_MAP_ALIGNMENT}")
        self.store("i32", str(UNFIT), "%code")
        addresses = [self._buffer(index, residue) for index, residue in enumerate(self.residues)]
        for each in self.launches:
            if isinstance(each, Replayed):
                self._launch(each, addresses)
            else:
                self._fill(each, addresses)
        self.lines += ["  ret i32 0", "slow:", "  %failed = load i32, ptr %code", "  ret i32 %failed", "}"]
        return "\n".join([*self.globals, *self.lines, DECLARATIONS])

    def _buffer(self, index: int, residue: int) -> str:
        """The address of a buffer."""
        own = index < self.operands
        place = index if own else index - self.operands
        buffers = abi.CallFrame.arguments.offset if own else abi.CallFrame.results.offset
        items = self.load("ptr", "%frame", buffers + abi.Buffers.items.offset)
        address = self.load("i64", self.load("ptr", items, 8 * place), abi.Buffer.data.offset)
        self.need_same("i64", self.let(f"and i64 {address}, {ADDRESS_UNIT - 1}"), str(residue))
        return address

    def _launch(self, launch: Replayed, addresses: Sequence[str]) -> None:
        self._copy("%arguments", launch.arguments)
        for at, buffer, offset, is_map in launch.places:
            address = self.let(f"add i64 {addresses[buffer]}, {offset}")
            if is_map:
                map_ = self.let(f"getelementptr i8, ptr %arguments, i64 {at}")
                pointer = self.let(f"inttoptr i64 {address} to ptr")
                self._checked("cuTensorMapReplaceAddress", f"ptr {map_}, ptr {pointer}")
            else:
                self.store("i64", address, "%arguments", at)
        for index, at in enumerate(launch.offsets):
            self.store("ptr", self.let(f"getelementptr i8, ptr %arguments, i64 {at}"), "%pointers", 8 * index)
        self._copy("%config", launch.config)
        self.store("ptr", "%stream", "%config", CUlaunchConfig.hStream.offset)
        stated = self._global(launch.attributes) if launch.attributes else "null"
        self.store("ptr", stated, "%config", CUlaunchConfig.attrs.offset)
        function = constant(launch.function)
        self._checked("cuLaunchKernelEx", f"ptr %config, ptr {function}, ptr %pointers, ptr null")

    def _fill(self, fill: ReplayedFill, addresses: Sequence[str]) -> None:
        begin = str(fill.address)
        if fill.buffer is not None:
            begin = self.let(f"add i64 {addresses[fill.buffer]}, {fill.address}")
        self._checked("cuMemsetD8Async", f"i64 {begin}, i8 0, i64 {fill.size}, ptr %stream")

    def _checked(self, symbol: str, arguments: str) -> None:
        """Call the driver; its code is what the replay returns unless it is 0."""
        address = ctypes.cast(self.driver.raw(symbol), ctypes.c_void_p).value or 0
        code = self.let(f"call i32 {constant(address)}({arguments})")
        self.store("i32", code, "%code")
        self.need_same("i32", code, "0")

    def _copy(self, memory: str, content: bytes) -> None:
        if content:
            given = f"ptr {memory}, ptr {self._global(content)}, i64 {len(content)}, i1 false"
            self.lines.append(f"  call void @llvm.memcpy.p0.p0.i64({given})")

    def _global(self, content: bytes) -> str:
        name = f"@{self.name}.bytes{len(self.globals)}"
        self.globals.append(f"{name} = private constant {global_bytes(content)}, align 16")
        return name
