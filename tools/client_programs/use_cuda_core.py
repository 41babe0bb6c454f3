"""cuda-core: C++ compiled by NVRTC to PTX, to a cubin, to LTO-IR, and linked from two cubins; a stream, a graph."""

from __future__ import annotations

import ctypes
from typing import Any

from cuda.core import (
    Device,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    Linker,
    LinkerOptions,
    Program,
    ProgramOptions,
    launch,
)

ADD = 'extern "C" __global__ void add(int* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += n; }'
CALLER = 'extern "C" __device__ int twice(int); extern "C" __global__ void add(int* x, int n) { x[threadIdx.x] += twice(n / 2); }'
TWICE = 'extern "C" __device__ int twice(int x) { return 2 * x; }'
COUNT = 256


def compiled(kind: str, architecture: str) -> Any:
    """The program as PTX or as a cubin; "linked" of two cubins, "ltoir" of two files of LTO-IR."""
    if kind in ("ptx", "cubin"):
        return Program(ADD, "c++", ProgramOptions(arch=architecture)).compile(kind)
    link_time = kind == "ltoir"
    options = ProgramOptions(arch=architecture, relocatable_device_code=True, link_time_optimization=link_time or None)
    parts = [Program(text, "c++", options).compile(kind if link_time else "cubin") for text in (CALLER, TWICE)]
    return Linker(*parts, options=LinkerOptions(arch=architecture, link_time_optimization=link_time or None)).link(
        "cubin"
    )


def main() -> None:
    device = Device()
    device.set_current()
    stream = device.create_stream()
    buffer = LegacyPinnedMemoryResource().allocate(4 * COUNT, stream=stream)
    numbers = (ctypes.c_int * COUNT).from_address(int(buffer.handle))
    numbers[:] = list(range(COUNT))
    config, expected = LaunchConfig(grid=1, block=COUNT), 0
    for kind in ("ptx", "cubin", "linked", "ltoir"):
        kernel = compiled(kind, f"sm_{device.arch}").get_kernel("add")
        launch(stream, config, kernel, buffer, ctypes.c_int(COUNT))
        stream.sync()
        expected += COUNT
        assert list(numbers) == [i + expected for i in range(COUNT)], kind
    builder = device.create_graph_builder().begin_building()
    for _ in range(3):
        launch(builder, config, kernel, buffer, ctypes.c_int(COUNT))
    builder.end_building().complete().launch(stream)
    stream.sync()
    assert numbers[1] == 1 + expected + 3 * COUNT
    buffer.close()
    print("right")


main()
