"""Programs that the tests of this room dispatch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

import ptxgen as px
from ptxgen import f32, ptr, u32
from ptxgen.runtime import Params, grid_barrier, inout, input_, output, program, shared, uniform


@program(workgroup=128)
def scale(
    k: px.Builder,
    x: Annotated[ptr[f32], input_()],
    y: Annotated[ptr[f32], output()],
    params: Params,
    *,
    factor: float = 2.0,
) -> None:
    """y = factor * x."""
    i = k.global_id.x
    with k.if_(i < params.element_count):
        y[i] = x[i] * factor


@program
def open_scale(
    k: px.Builder, x: Annotated[ptr[f32], input_()], y: Annotated[ptr[f32], output()], params: Params
) -> None:
    """y = 2 x, whatever the workgroup."""
    i = k.global_id.x
    with k.if_(i < params.element_count):
        y[i] = x[i] * 2.0


@program(workgroup=64)
def step(k: px.Builder, x: Annotated[ptr[u32], inout()], params: Params) -> None:
    """x = 2 x + 1, in place."""
    i = k.global_id.x
    with k.if_(i < params.element_count):
        x[i] = x[i] * 2 + 1


@program(workgroup=64)
def blend(
    k: px.Builder,
    mixed: Annotated[ptr[f32], output(like="a", number=3)],
    a: Annotated[ptr[f32], input_(number=0)],
    weights: Annotated[ptr[f32], uniform(2, number=1)],
    tile: Annotated[ptr[f32], shared(64, number=2)],
    params: Params,
) -> None:
    """mixed = a * weights[0] + (a of the thread beside) * weights[1], through shared memory."""
    i, t = k.global_id.x, k.tid.x
    with k.if_(i < params.length("a")):
        tile[t] = a[i]
    k.barrier()
    with k.if_(i < params.length("a")):
        mixed[i] = a[i] * weights[0] + tile[t ^ 1] * weights[1]


@program(workgroup=64)
def ranks(k: px.Builder, x: Annotated[ptr[u32], inout()], total: Annotated[ptr[u32], output(1)]) -> None:
    """Every thread adds its element to the total, three times; then all see it: x = total of that round, summed."""
    i = k.global_id.x
    seen = k.var(u32, 0)
    with k.range(3) as _:
        k.atomic_add(total, 0, x[i])
        grid_barrier(k)
        seen += total.load(0, "relaxed", "gpu")
        grid_barrier(k)
    x[i] = seen


def raw(outputs: Sequence[Any]) -> list[bytes]:
    """Outputs as their bytes, whatever form they have."""
    return [bytes(memoryview(output).cast("B") if len(output) else b"") for output in outputs]


def floats(*values: float) -> bytes:
    return np.array(values, np.float32).tobytes()


def words(*values: int) -> bytes:
    return np.array(values, np.uint32).tobytes()


def ramp(n: int, start: float = 0) -> np.ndarray:
    return np.arange(start, start + n, dtype=np.float32)


def as_floats(data: bytes) -> np.ndarray:
    return np.frombuffer(data, np.float32)


def as_words(data: bytes) -> list[int]:
    return np.frombuffer(data, np.uint32).tolist()
