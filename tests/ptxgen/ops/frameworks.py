"""Arrays as other libraries have them, over memory of a device of ours: of a GPU, or of the CPU device, which else takes none."""

from __future__ import annotations

from typing import Any

from driver_ctypes.interop import dlpack
from ptxgen.host.formats import dlpack_type


class Interface:
    """With `__cuda_array_interface__`: numba's and CuPy's way."""

    def __init__(self, array: Any, *, stream: int | None = None, strides: Any = None) -> None:
        self.array = array
        self.shape = array.shape
        self.told = {"stream": stream, "strides": strides}

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        kind = {"f": "f", "s": "i"}.get(self.array.type.kind, "u")
        return {
            "shape": self.shape, "typestr": f"<{kind}{self.array.type.bytes}", "data": (self.array.pointer, False),
            "version": 3, **self.told,
        }  # fmt: skip


class Capsule:
    """With DLPack alone: JAX's way. It notes which streams it was made ready for."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.shape = array.shape
        self.readied: list[int | None] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.CUDA, 0

    def __dlpack__(self, *, stream: int | None = None, max_version: Any = None) -> Any:
        self.readied.append(stream)
        code = dlpack_type(self.array.type)
        return dlpack.give(self, self.array.pointer, self.shape, code, (dlpack.CUDA, 0), max_version is not None)


LIBRARIES = {"interface": Interface, "DLPack": Capsule}


def let_in(monkeypatch: Any, dev: Any) -> None:
    """Memory of other libraries is within the device's reach, as a GPU's is."""
    if dev.kind == "cpu":
        from ptxgen.host import machine
        from ptxgen.ops import operands

        monkeypatch.setattr(dev.context.driver, "foreign_pointers", True)
        monkeypatch.setattr(operands, "device", lambda _: dev)
        monkeypatch.setitem(machine._open, ("cuda", 0), dev)
