"""The machine code of handlers: what XLA calls, made by LLVM at run time, without a compiler.

A handler is ``XLA_FFI_Error *handler(XLA_FFI_CallFrame *frame)``. Asked for its metadata, it reports the oldest version of the
interface. One of a kernel on a GPU reads buffers and attributes, and launches on XLA's stream without entering Python: 0.1 us
beside the driver's own time. One of an operation calls what `replays` made of its launches. Everything else, what a handler does
not know yet and every mistake, goes to the Python function `State.slow`, so that there is one place that says what is wrong.
After the end of the interpreter a handler refuses.
"""

from __future__ import annotations

import ctypes
from typing import NamedTuple

from driver_ctypes.abi.enums import CUlaunchAttributeID
from driver_ctypes.abi.structs import CUlaunchAttribute, CUlaunchConfig
from driver_ctypes.machine_code.texts import compile_functions
from driver_ctypes.trampoline.shared import DECLARATIONS, Writer, constant
from ptxgen.jax import abi

__all__ = [
    "DONE",
    "MOST_CONTEXTS",
    "RETRY",
    "UNFIT",
    "Entry",
    "KernelCall",
    "Passed",
    "State",
    "global_bytes",
    "new_handler",
]

DONE, RETRY = 0, 1
"""What `State.slow` returns, if not an error: the call is complete, or is to be made once more by machine code."""

UNFIT = -1
"""What `State.slow` is told, in the place of a driver's code, where buffers or attributes are not those of the kernel."""

MOST_CONTEXTS = 64


class Entry(ctypes.Structure):
    """A kernel as it is loaded on a context, or the replay of an operation on a stream."""

    _fields_ = (
        ("context", ctypes.c_void_p),  # CUcontext; CUstream of a replay
        ("function", ctypes.c_void_p),  # CUfunction; the replay
        ("last", ctypes.c_void_p),  # where the context notes whose launch was the last
    )


class State(ctypes.Structure):
    """What a handler's machine code and Python share."""

    _fields_ = (
        ("guard", ctypes.c_uint64),  # not 0: take the slow path
        ("under_way", ctypes.c_uint64),  # launches that have begun
        ("serial", ctypes.c_uint64),  # its number among the launches of a context
        ("slow", ctypes.c_void_p),  # slow(frame, code) -> DONE, RETRY or an XLA_FFI_Error*
        ("launch", ctypes.c_void_p),  # cuLaunchKernelEx
        ("context_of", ctypes.c_void_p),  # cuStreamGetCtx
        ("loaded", ctypes.c_uint64),  # how many of the entries are filled
        ("entries", Entry * MOST_CONTEXTS),
    )


class Passed(NamedTuple):
    """Where one parameter of a kernel comes from: ``operand`` and ``result`` number `place`, or the attribute `name`."""

    source: str
    place: int = 0
    name: str = ""
    size: int = 8
    types: tuple[int, ...] = ()
    """The XLA_FFI_DataTypes of a buffer that fits."""
    aligned: int = 1


class KernelCall(NamedTuple):
    """A launch with all that does not differ from call to call. The grid is the attribute "grid"."""

    parameters: tuple[Passed, ...]
    block: tuple[int, int, int]
    shared: int
    cluster: tuple[int, int, int] | None
    cooperative: bool


def new_handler(state: State, kernel: KernelCall | None, *, replays: bool = False) -> int:
    """The address of a new handler. *state* must live for ever, and XLA may call the handler as long. With neither a *kernel* nor
    *replays* in the state's entries every call goes to ``state.slow``. Compiling takes about 5 ms.
    """
    name = "handler"
    text = _Handler(ctypes.addressof(state), kernel, replays).text(name)
    return compile_functions(text, name)[name]


_ENDED = b"the Python interpreter that this operation belongs to has ended"

_FIND = """
define internal ptr @{name}.find(ptr %frame, ptr %wanted, i64 %length) {{
  %names.at = getelementptr i8, ptr %frame, i64 {names}
  %names = load ptr, ptr %names.at
  %items.at = getelementptr i8, ptr %frame, i64 {items}
  %items = load ptr, ptr %items.at
  %count.at = getelementptr i8, ptr %frame, i64 {count}
  %count = load i64, ptr %count.at
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %other ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %look, label %none
look:
  %span.at = getelementptr ptr, ptr %names, i64 %i
  %span = load ptr, ptr %span.at
  %size.at = getelementptr i8, ptr %span, i64 {span_size}
  %size = load i64, ptr %size.at
  %fits = icmp eq i64 %size, %length
  br i1 %fits, label %compare, label %other
compare:
  %text = load ptr, ptr %span
  %difference = call i32 {memcmp}(ptr %text, ptr %wanted, i64 %length)
  %same = icmp eq i32 %difference, 0
  br i1 %same, label %found, label %other
other:
  %next = add i64 %i, 1
  br label %loop
found:
  %item.at = getelementptr ptr, ptr %items, i64 %i
  %item = load ptr, ptr %item.at
  ret ptr %item
none:
  ret ptr null
}}
"""
"""The attribute of a name, in whatever order XLA passes them."""

_FRAME, _ATTRIBUTES, _BUFFERS = abi.CallFrame, abi.Attributes, abi.Buffers


class _Handler(Writer):
    """Writes one handler. Its value ``%frame`` is the call frame, ``%state`` the memory shared with Python, ``%code`` what the
    driver returned for a launch.
    """

    def __init__(self, state: int, kernel: KernelCall | None, replays: bool) -> None:
        super().__init__()
        self.address = state
        self.kernel = kernel
        self.replays = replays
        self.texts: list[bytes] = []

    def text(self, name: str) -> str:
        self.name = name
        self.lines.append(f"define ptr @{name}(ptr %frame) {{")
        self.block("entry")
        for memory, size in self._stack().items():
            self.lines.append(f"  %{memory} = alloca [{size} x i8], align 16")
        self.store("i32", "0", "%code")
        self.lines.append(f"  %state = inttoptr i64 {self.address} to ptr")
        self._metadata()
        if self.kernel is not None:
            self._launch(self.kernel)
        elif self.replays:
            self._replay()
        else:
            self.go("enter")
        self._python()
        self.lines.append("}")
        texts = [f"@{name}.text{i} = private constant {global_bytes(text)}" for i, text in enumerate(self.texts)]
        find = _FIND.format(
            name=name,
            names=_FRAME.attributes.offset + _ATTRIBUTES.names.offset,
            items=_FRAME.attributes.offset + _ATTRIBUTES.items.offset,
            count=_FRAME.attributes.offset + _ATTRIBUTES.size.offset,
            span_size=abi.ByteSpan.size.offset,
            memcmp=_address_of(ctypes.pythonapi.memcmp),
        )
        return "\n".join([*texts, find, *self.lines, DECLARATIONS])

    def _stack(self) -> dict[str, int]:
        """The handler's memory, in bytes."""
        sizes = {
            "code": 4,
            "asked": ctypes.sizeof(abi.StreamGet),
            "failure": ctypes.sizeof(abi.ErrorCreate),
            "context": 8,
        }
        if self.kernel is not None:
            count = max(1, len(self.kernel.parameters))
            sizes |= {"config": ctypes.sizeof(CUlaunchConfig), "values": 8 * count, "pointers": 8 * count}
            sizes["attributes"] = 2 * ctypes.sizeof(CUlaunchAttribute)
        return sizes

    # --- what every handler has ---------------------------------------------------------------------------------------

    def _metadata(self) -> None:
        """Answer what the handler is, where that is asked: by an extension of the frame."""
        extension = self.load("ptr", "%frame", _FRAME.extension_start.offset)
        first = self.last_label()
        look, report, other = self.new("look"), self.new("report"), self.new("other")
        self.go(look)
        self.block(look)
        at = f"%{self.new()}"
        following = f"%{self.new()}"
        self.lines.append(f"  {at} = phi ptr [ {extension}, %{first} ], [ {following}, %{other} ]")
        known = self.new("known")
        self.branch(self.let(f"icmp eq ptr {at}, null"), "begin", known)
        self.block(known)
        kind = self.load("i32", at, abi.Extension.type.offset)
        self.branch(self.let(f"icmp eq i32 {kind}, {abi.METADATA_EXTENSION}"), report, other)
        self.block(report)
        metadata = self.load("ptr", at, abi.Extension.metadata.offset)
        version = abi.Metadata.version.offset
        for field, number in zip((abi.ApiVersion.major, abi.ApiVersion.minor), abi.VERSION):
            self.store("i32", str(number), metadata, version + field.offset)
        traits = abi.COMMAND_BUFFER_COMPATIBLE if self.kernel is not None else 0
        self.store("i32", str(traits), metadata, abi.Metadata.traits.offset)
        self.lines.append("  ret ptr null")
        self.block(other)
        after = self.let(f"getelementptr i8, ptr {at}, i64 {abi.Extension.next.offset}")
        self.lines.append(f"  {following} = load ptr, ptr {after}")
        self.go(look)
        self.block("begin")

    def _python(self) -> None:
        """Enter Python, unless the interpreter has ended. Blocks ``slow`` and ``clear`` come from machine code under way."""
        if self.kernel is not None or self.replays:
            self.block("slow")
            self._under_way("sub")
            self.go("enter")
        self.block("enter")
        running = self.call("i32", "Py_IsInitialized")
        self.branch(self.let(f"icmp eq i32 {running}, 0"), "ended", "ask")
        self.block("ask")
        code = self.load("i32", "%code")
        answer = self.let(f"call ptr {self.state_field('slow')}(ptr %frame, i32 {code})")
        self.store("i32", "0", "%code")
        again = self.let(f"icmp eq ptr {answer}, {constant(RETRY)}")
        self.branch(again, "begin", "answered")
        self.block("answered")
        self.lines.append(f"  ret ptr {answer}")
        self.block("ended")
        self._refuse(_ENDED, abi.FAILED_PRECONDITION)

    def _refuse(self, message: bytes, code: int) -> None:
        """Return an error without Python."""
        fields = abi.ErrorCreate
        self.store("i64", str(abi.STRUCT_SIZES[fields]), "%failure")
        self.store("ptr", "null", "%failure", fields.extension_start.offset)
        self.store("ptr", self.constant(message + b"\0"), "%failure", fields.message.offset)
        self.store("i32", str(code), "%failure", fields.code.offset)
        made = self.let(f"call ptr {self.api('error_create')}(ptr %failure)")
        self.lines.append(f"  ret ptr {made}")

    # --- a launch -----------------------------------------------------------------------------------------------------

    def _launch(self, kernel: KernelCall) -> None:
        self._under_way("add")
        self.need_same("i64", self.state_field("guard", "i64"), "0")
        stream = self._stream()
        entry = self._entry(self._context(stream))
        stage = self.load("i32", "%frame", _FRAME.stage.offset)
        execute = self.new("execute")
        self.branch(self.let(f"icmp eq i32 {stage}, {abi.EXECUTE}"), execute, "done")
        self.block(execute)
        self.store("i32", str(UNFIT), "%code")
        for index, passed in enumerate(kernel.parameters):
            self._parameter(index, passed)
        self._configure(kernel, stream)
        serial = self.state_field("serial", "i64")
        self.store("i64", serial, self.load("ptr", entry, Entry.last.offset))
        function = self.load("ptr", entry, Entry.function.offset)
        launch = self.state_field("launch")
        code = self.let(f"call i32 {launch}(ptr %config, ptr {function}, ptr %pointers, ptr null)")
        self.store("i32", code, "%code")
        self.need_same("i32", code, "0")
        self._done()

    def _replay(self) -> None:
        """What was launched on this stream before, once more."""
        self._under_way("add")
        self.need_same("i64", self.state_field("guard", "i64"), "0")
        stream = self._stream()
        entry = self._entry(stream)
        self.store("i64", self.state_field("serial", "i64"), self.load("ptr", entry, Entry.last.offset))
        replay = self.load("ptr", entry, Entry.function.offset)
        code = self.let(f"call i32 {replay}(ptr %frame, ptr {stream})")
        self.store("i32", code, "%code")
        self.need_same("i32", code, "0")
        self._done()

    def _done(self) -> None:
        self.go("done")
        self.block("done")
        self._under_way("sub")
        self.lines.append("  ret ptr null")

    def _stream(self) -> str:
        fields = abi.StreamGet
        self.store("i64", str(abi.STRUCT_SIZES[fields]), "%asked")
        self.store("ptr", "null", "%asked", fields.extension_start.offset)
        self.store("ptr", self.load("ptr", "%frame", _FRAME.context.offset), "%asked", fields.context.offset)
        error = self.let(f"call ptr {self.api('stream_get')}(ptr %asked)")
        self.need_same("ptr", error, "null", "passed_on")
        later = self.new("b")
        self.go(later)
        self.block("passed_on")
        self._under_way("sub")
        self.lines.append(f"  ret ptr {error}")
        self.block(later)
        return self.load("ptr", "%asked", fields.stream.offset)

    def _context(self, stream: str) -> str:
        code = self.let(f"call i32 {self.state_field('context_of')}(ptr {stream}, ptr %context)")
        self.store("i32", code, "%code")
        self.need_same("i32", code, "0")
        return self.load("ptr", "%context")

    def _entry(self, wanted: str) -> str:
        """The entry of a context, or of a stream."""
        count = self.state_field("loaded", "i64")
        first, loop, look, other, found = (self.new(stem) for stem in ("first", "loop", "look", "other", "found"))
        self.go(first)
        self.block(first)
        self.go(loop)
        self.block(loop)
        i, following = f"%{self.new()}", f"%{self.new()}"
        self.lines.append(f"  {i} = phi i64 [ 0, %{first} ], [ {following}, %{other} ]")
        self.branch(self.let(f"icmp ult i64 {i}, {count}"), look, "slow")
        self.block(look)
        offset = self.let(f"mul i64 {i}, {ctypes.sizeof(Entry)}")
        begin = self.let(f"getelementptr i8, ptr %state, i64 {State.entries.offset}")
        entry = self.let(f"getelementptr i8, ptr {begin}, i64 {offset}")
        same = self.let(f"icmp eq ptr {self.load('ptr', entry)}, {wanted}")
        self.branch(same, found, other)
        self.block(other)
        self.lines.append(f"  {following} = add i64 {i}, 1")
        self.go(loop)
        self.block(found)
        return entry

    def _parameter(self, index: int, passed: Passed) -> None:
        """The value of one parameter, and where it is."""
        if passed.source == "attribute":
            value = self.load("ptr", self._attribute(passed.name), abi.Scalar.value.offset)
        else:
            buffers = _FRAME.arguments.offset if passed.source == "operand" else _FRAME.results.offset
            count = self.load("i64", "%frame", buffers + _BUFFERS.size.offset)
            self.need(self.let(f"icmp sgt i64 {count}, {passed.place}"))
            items = self.load("ptr", "%frame", buffers + _BUFFERS.items.offset)
            buffer = self.load("ptr", items, 8 * passed.place)
            data_type = self.load("i32", buffer, abi.Buffer.dtype.offset)
            fits = [self.let(f"icmp eq i32 {data_type}, {known}") for known in passed.types]
            if fits:
                any_ = fits[0]
                for each in fits[1:]:
                    any_ = self.let(f"or i1 {any_}, {each}")
                self.need(any_)
            address = self.load("i64", buffer, abi.Buffer.data.offset)
            if passed.aligned > 1:
                self.need_same("i64", self.let(f"and i64 {address}, {passed.aligned - 1}"), "0")
            self.store("i64", address, "%values", 8 * index)
            value = self.let(f"getelementptr i8, ptr %values, i64 {8 * index}")
        self.store("ptr", value, "%pointers", 8 * index)

    def _attribute(self, name: str) -> str:
        text = name.encode()
        found = self.let(f"call ptr @{self.name}.find(ptr %frame, ptr {self.constant(text)}, i64 {len(text)})")
        self.need(self.let(f"icmp ne ptr {found}, null"))
        return found

    def _configure(self, kernel: KernelCall, stream: str) -> None:
        """CUlaunchConfig: grid, block, shared memory, stream, attributes."""
        fields = CUlaunchConfig
        grid = self.load("ptr", self._attribute("grid"), abi.NumberArray.data.offset)
        for axis, field in enumerate((fields.gridDimX, fields.gridDimY, fields.gridDimZ)):
            self.store("i32", self.load("i32", grid, 4 * axis), "%config", field.offset)
        for extent, field in zip(kernel.block, (fields.blockDimX, fields.blockDimY, fields.blockDimZ)):
            self.store("i32", str(extent), "%config", field.offset)
        self.store("i32", str(kernel.shared), "%config", fields.sharedMemBytes.offset)
        self.store("ptr", stream, "%config", fields.hStream.offset)
        stated: list[tuple[CUlaunchAttributeID, tuple[int, ...]]] = []
        if kernel.cluster is not None:
            stated.append((CUlaunchAttributeID.CLUSTER_DIMENSION, kernel.cluster))
        if kernel.cooperative:
            stated.append((CUlaunchAttributeID.COOPERATIVE, (1,)))
        for number, (kind, words) in enumerate(stated):
            at = number * ctypes.sizeof(CUlaunchAttribute)
            self.store("i32", str(int(kind)), "%attributes", at)
            for word, value in enumerate(words):
                self.store("i32", str(value), "%attributes", at + CUlaunchAttribute.value.offset + 4 * word)
        self.store("ptr", "%attributes" if stated else "null", "%config", fields.attrs.offset)
        self.store("i32", str(len(stated)), "%config", fields.numAttrs.offset)

    # --- small things -------------------------------------------------------------------------------------------------

    def _under_way(self, operation: str) -> None:
        at = self.let(f"getelementptr i8, ptr %state, i64 {State.under_way.offset}")
        self.let(f"atomicrmw {operation} ptr {at}, i64 1 seq_cst")

    def state_field(self, field: str, type: str = "ptr") -> str:
        return self.load(type, "%state", getattr(State, field).offset)

    def api(self, function: str) -> str:
        api = self.load("ptr", "%frame", _FRAME.api.offset)
        return self.load("ptr", api, getattr(abi.Api, function).offset)

    def constant(self, text: bytes) -> str:
        self.texts.append(text)
        return f"@{self.name}.text{len(self.texts) - 1}"


def global_bytes(text: bytes) -> str:
    """The type and the value of a global variable with these bytes."""
    return f'[{len(text)} x i8] c"' + "".join(f"\\{each:02x}" for each in text) + '"'


def _address_of(function: ctypes._NamedFuncPointer) -> str:
    return constant(ctypes.cast(function, ctypes.c_void_p).value or 0)
