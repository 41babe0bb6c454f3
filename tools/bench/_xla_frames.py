"""Call frames as XLA makes them: handlers are tested and timed without it (ptxgen.jax.abi has the structures)."""

from __future__ import annotations

import ctypes
from typing import Any

from ptxgen.jax import abi

XLA_TYPES = {"f32": 11, "u32": 8, "s32": 4, "bf16": 16}


class Xla:
    """The part of XLA that calls handlers: `call` returns the text of the error that the handler returned, or None."""

    def __init__(self, stream: int) -> None:
        self.stream = stream
        self.errors: list[tuple[int, str]] = []
        self._create = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.POINTER(abi.ErrorCreate))(self._error_create)
        self._get = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.POINTER(abi.StreamGet))(self._stream_get)
        create, get = (ctypes.cast(each, ctypes.c_void_p).value for each in (self._create, self._get))
        self.api = abi.Api(error_create=create, stream_get=get)
        self._kept: list[Any] = []

    def _error_create(self, stated: Any) -> int:
        self.errors.append((stated.contents.code, stated.contents.message.decode()))
        return 4096 + len(self.errors)

    def _stream_get(self, asked: Any) -> int:
        asked.contents.stream = self.stream
        return 0

    def call(self, handler: int, frame: abi.CallFrame) -> str | None:
        function = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.POINTER(abi.CallFrame))(handler)
        before = len(self.errors)
        answer = function(ctypes.byref(frame))
        assert bool(answer) == (len(self.errors) > before)
        return self.errors[-1][1] if answer else None

    def frame(
        self, operands: list[Any], results: list[Any], attributes: dict[str, Any], stage: int = abi.EXECUTE
    ) -> abi.CallFrame:
        """Operands and results are arrays of ours, or (type, address, shape); attributes numbers or lists of them."""
        made = abi.CallFrame(
            struct_size=ctypes.sizeof(abi.CallFrame), api=ctypes.pointer(self.api), stage=stage,
            arguments=self._buffers(operands), results=self._buffers(results), attributes=self._attributes(attributes),
        )  # fmt: skip
        self._kept.append(made)
        return made

    def metadata(self, handler: int) -> abi.Metadata:
        metadata = abi.Metadata()
        extension = abi.Extension(type=abi.METADATA_EXTENSION, metadata=ctypes.addressof(metadata))
        other = abi.Extension(type=77, next=ctypes.addressof(extension))  # one that no handler knows
        frame = abi.CallFrame(api=ctypes.pointer(self.api), extension_start=ctypes.addressof(other))
        assert self.call(handler, frame) is None
        return metadata

    def _keep(self, value: Any) -> Any:
        self._kept.append(value)
        return value

    def _buffers(self, arrays: list[Any]) -> abi.Buffers:
        made = []
        for each in arrays:
            type_, address, shape = each if isinstance(each, tuple) else (each.type.name, each.pointer, each.shape)
            dims = self._keep((ctypes.c_int64 * max(1, len(shape)))(*shape))
            buffer = abi.Buffer(dtype=XLA_TYPES[type_], data=address, rank=len(shape), dims=dims)
            made.append(ctypes.pointer(self._keep(buffer)))
        items = self._keep((ctypes.POINTER(abi.Buffer) * max(1, len(made)))(*made))
        return abi.Buffers(size=len(made), items=ctypes.cast(items, ctypes.POINTER(ctypes.POINTER(abi.Buffer))))

    def _attributes(self, values: dict[str, Any]) -> abi.Attributes:
        names, types, items = [], [], []
        for name, value in values.items():
            text = self._keep(ctypes.create_string_buffer(name.encode()))
            names.append(ctypes.pointer(self._keep(abi.ByteSpan(ctypes.addressof(text), len(name)))))
            if isinstance(value, (list, tuple)):
                numbers = self._keep((ctypes.c_int32 * len(value))(*value))
                item: Any = abi.NumberArray(4, len(value), ctypes.addressof(numbers))
                types.append(abi.ARRAY)
            else:
                code, number = (11, ctypes.c_float(value)) if isinstance(value, float) else (8, ctypes.c_uint32(value))
                item = abi.Scalar(code, ctypes.addressof(self._keep(number)))
                types.append(abi.SCALAR)
            items.append(ctypes.addressof(self._keep(item)))
        count = max(1, len(names))
        return abi.Attributes(
            size=len(names),
            types=ctypes.cast(self._keep((ctypes.c_int * count)(*types)), ctypes.POINTER(ctypes.c_int)),
            names=ctypes.cast(
                self._keep((ctypes.POINTER(abi.ByteSpan) * count)(*names)), ctypes.POINTER(ctypes.POINTER(abi.ByteSpan))
            ),
            items=ctypes.cast(self._keep((ctypes.c_void_p * count)(*items)), ctypes.POINTER(ctypes.c_void_p)),
        )
