"""Products of mxfp8, mxfp4 and nvfp4 on sm_120a: `gemm_tma` with the factors of each block taken by the tensor cores.

mxfp8 are e4m3 or e5m2 with a factor in ue8m0 for each 32 along K, mxfp4 e2m1 likewise (OCP Microscaling Formats 1.0), nvfp4
e2m1 with a factor in ue4m3 for each 16. Two e2m1 are a byte, the first one in its low half, so that tiles of any of them are
lines of 128 bytes. The factors are those of `factor_tile`: a step of the ring has 512 bytes of them for 128 rows of mxfp8,
1,024 of mxfp4, 2,048 of nvfp4, and tensor copies bring them with the elements.

Floor: 2*m*n*depth operations at 838 TFLOP/s of mxfp8 and 1,676 of the others (the rates of an RTX 5090 without sparsity), or
the bytes at 1.8 TB/s. A step of 128 x 128 nvfp4 is 36 KB for 8.4 MFLOP: 12 bytes a cycle of each multiprocessor, from L2.
No such device was at hand: it is assembled, and run on the CPU device.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, TensorMap, bf16, e4m3, kernel, ptr, s64, u8, u32
from ptxgen.builder.tiles.block_scaled import BLOCK_FORMATS
from ptxgen.builder.values import Value
from ptxgen.host.formats import decode
from ptxgen.kernels.blocks.factor_tiles import BAND, factor_tile
from ptxgen.kernels.cases import Case, HostArray, Tolerance, Variant, unit_roundoff
from ptxgen.kernels.matrices.epilogues import applied, passed
from ptxgen.kernels.matrices.factors import blocked
from ptxgen.kernels.matrices.gemm_mma import store_sums
from ptxgen.kernels.matrices.gemm_tma import Tiling, choose
from ptxgen.kernels.plan import KernelPlan, ceil_div, using

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "plan"]

R = TypeVar("R", bound=Value)
T = TypeVar("T", bound=Value)


@kernel
def gemm_block_scaled(
    k: Builder, m: u32, n: u32, depth: u32, batch: u32, a: TensorMap, b: TensorMap, scale_a: TensorMap, scale_b: TensorMap,
    c: ptr[R], c_row: s64, c_batch: s64, *arguments: T,
    format: str = "mxfp8", elements: tuple[type[Value], type[Value]] = (e4m3, e4m3),
    result: type[R] = bf16,  # type: ignore[assignment]  # unless stated
    bm: int = 128, bn: int = 128, stages: int = 5, warps: tuple[int, int] = (2, 4), group: int = 8, aligned: bool = True,
    epilogue: Any = None, argument_types: tuple[type[T], ...] = (),
) -> None:  # fmt: skip
    """C (batch, m, n) = A (batch, m, depth) B (batch, n, depth)^T, each element times its block's factor; as `gemm_tma`.

    Of 4-bit formats A and B are u8, two elements a byte. `scale_a` and `scale_b` are (batch, bands, 8 * words, 16) of u32: rows
    in bands of 128, `words` of four factors along the depth (`factor_tile`).
    """
    about, consumers = BLOCK_FORMATS[format], warps[0] * warps[1] // 4
    types = elements if about.bits == 8 else (u8, u8)
    wm, wn, bk = bm // warps[0], bn // warps[1], LINE * 8 // about.bits
    tile_a, tile_b = (k.tile(each, (rows, LINE), stages=stages, swizzle="64B") for each, rows in zip(types, (bm, bn)))
    scales_a, scales_b = (factor_tile(k, rows, bk, format, stages=stages) for rows in (bm, bn))
    pipe = k.pipeline(stages, consumers=4 * consumers)
    down, across, steps = (m + bm - 1) // bm, (n + bn - 1) // bn, (depth + bk - 1) // bk
    tiles = partial(k.persistent_tiles, down, across, group=group, batch=batch)

    with k.if_(k.tid.x == 0):
        for tensor in (a, b, scale_a, scale_b):
            tensor.prefetch()
    k.launch_dependents()
    with k.roles(load=1, multiply=consumers) as (load, multiply):
        k.wait_for_dependencies()
        with load, k.if_(k.tid.x == 0):
            for row, column, matrix in tiles():
                for stage in pipe.produce(steps):
                    a.load(tile_a[stage.index], (stage.step * LINE, row * bm, matrix), stage.barrier)
                    b.load(tile_b[stage.index], (stage.step * LINE, column * bn, matrix), stage.barrier)
                    scales_a.load(scale_a, stage, row * bm // BAND, matrix)
                    scales_b.load(scale_b, stage, column * bn // BAND, matrix)
        with multiply:
            total = k.block_scaled_sums(wm, wn, format, elements)
            warp = k.tid.x // 32 - 4
            my_row, my_column = warp // warps[1] * wm, warp % warps[1] * wn
            left, right = total.left(tile_a, my_row), total.right(tile_b, my_column)
            of_a, of_b = scales_a.of(my_row, wm), scales_b.of(my_column, wn)
            blocks = about.factors(depth)
            for row, column, matrix in tiles():
                total.clear()
                for stage in pipe.consume(steps):
                    factors = (of_a.read(stage, blocks, row * bm % BAND), of_b.read(stage, blocks, column * bn % BAND))
                    total.add_product(left[stage.index], right[stage.index], factors)
                corner = (row * bm + my_row, column * bn + my_column)
                found = total if epilogue is None else total.map(applied(k, epilogue, arguments, matrix), *corner)
                place = c.at(matrix.to(s64) * c_batch)
                store_sums(k, place, found, result, corner, (m, n), (c_row, k.const(s64, 1)), aligned)


LINE = 64
"""Bytes of a tile's line."""

KERNEL = gemm_block_scaled


LARGE, MIDDLE, SMALL = Tiling(128, 128, (2, 4), 5), Tiling(128, 64, (4, 2), 6), Tiling(64, 64, (2, 2), 8)
"""As those of `gemm_tma`, a stage with its factors: 90 KB of nvfp4, 87 and 80."""

TIMES = {LARGE: 1.0, MIDDLE: 0.83, SMALL: 0.74}


def plan(
    a: Any, b: Any, scale_a: Any, scale_b: Any, c: Any, *, m: int, n: int, depth: int, c_row: int, c_batch: int = 0,
    batch: int = 1, format: str = "mxfp8", elements: tuple[type[Value], type[Value]] = (e4m3, e4m3),
    result: type[Value] = bf16, tiling: Tiling | None = None, aligned: bool = True, processors: int = 170,
    epilogue: Any = None, arguments: Sequence[Any] = (),
) -> KernelPlan:  # fmt: skip
    """C = A B^T, as the kernel takes them; rows of C are `c_row` elements apart. `aligned`: at multiples of 16 bytes."""
    found = tiling or choose(m, n, batch, processors, TIMES)
    types, further = passed(arguments)
    kernel = using(
        gemm_block_scaled, format=format, elements=elements, result=result, aligned=aligned, epilogue=epilogue,
        **found._asdict(), **({"argument_types": types} if types else {}),
    )  # fmt: skip
    grid = max(1, min(found.tiles(m, n, batch), processors))
    given = (m, n, depth, batch, a, b, scale_a, scale_b, c, c_row, c_batch, *further)
    return KernelPlan(kernel, grid, found.threads, given, programmatic=True)


def factor_shape(rows: int, blocks: int, batch: int = 1) -> tuple[int, int, int, int]:
    """The layout's factors as a tensor map of u32 takes them: (batch, bands, lines, 16)."""
    return batch, ceil_div(rows, BAND), ceil_div(blocks, 4) * 8, 16


E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
"""Values of e2m1 without a sign (OCP Microscaling Formats 1.0, 5.3.3)."""


def decoded(codes: Any, format: str, element: type[Value] = e4m3) -> Any:
    """The numbers, float64, of bytes of elements (.., bytes of a row)."""
    import numpy as np

    if BLOCK_FORMATS[format].bits == 8:
        return decode(codes, element.isa).astype(np.float64)
    values = np.array((*E2M1, *(-each for each in E2M1)))
    return values[np.stack((codes & 15, codes >> 4), -1)].reshape(*codes.shape[:-1], -1)


def factor_values(codes: Any, format: str) -> Any:
    """The numbers, float64, of bytes of factors; ue4m3 has no sign."""
    import numpy as np

    if BLOCK_FORMATS[format].factor == "ue4m3":
        return decode(codes & 0x7F, e4m3.isa).astype(np.float64)
    return np.where(codes == 0xFF, np.nan, np.exp2(codes.astype(np.float64) - 127))


def drawn(rng: np.random.Generator, format: str, shape: tuple[int, int, int]) -> tuple[Any, Any]:
    """Random finite bytes of elements and of factors about 1, of matrices (batch, rows, depth)."""
    import numpy as np

    about, (batch, rows, depth) = BLOCK_FORMATS[format], shape
    codes = rng.integers(0, 256, (batch, rows, depth * about.bits // 8), dtype=np.uint8)
    if about.bits == 8:
        codes = np.where(codes & 0x7C == 0x7C, codes & 0x83, codes)  # of e4m3 and e5m2
    low, high = (120, 135) if about.factor == "ue8m0" else (1, 0x7F)
    return codes, rng.integers(low, high, (batch, rows, about.factors(depth)), dtype=np.uint8)


def _case(
    size: tuple[int, int, int, int], rng: np.random.Generator, *, format: str, elements: tuple[type[Value], type[Value]],
    result: type[Value], tiling: Tiling,
) -> Case:  # fmt: skip
    """What pads the factors is NaN: it must not matter."""
    import numpy as np

    batch, m, n, depth = size
    about, given, matrices = BLOCK_FORMATS[format], {}, []
    for name, rows, element in zip("ab", (m, n), elements if BLOCK_FORMATS[format].bits == 8 else (u8, u8)):
        codes, scales = drawn(rng, format, (batch, rows, depth))
        values = decoded(codes, format, element)
        matrices.append(values * np.repeat(factor_values(scales, format), about.block, -1)[..., :depth])
        given[name] = HostArray(codes if element is u8 else values.astype(np.float32), element)
        held = np.where(blocked(np.ones_like(scales)), blocked(scales), 0xFF).astype(np.uint8).view(np.uint32)
        given[f"scale_{name}"] = HostArray(held.reshape(factor_shape(rows, about.factors(depth), batch)), u32)
    x, y = matrices
    expected, magnitude = x @ y.swapaxes(1, 2), np.abs(x) @ np.abs(y).swapaxes(1, 2)
    limit = magnitude * (depth + 2) * 2.0**-23 + np.abs(expected) * unit_roundoff(result) * 1.01 + 1e-30

    def planned(on: Any) -> KernelPlan:
        arrays = (on[name] for name in ("a", "b", "scale_a", "scale_b", "c"))
        return plan(
            *arrays, m=m, n=n, depth=depth, c_row=n, c_batch=m * n, batch=batch, format=format, elements=elements,
            result=result, tiling=tiling, aligned=n * result.isa.bytes % 16 == 0, processors=3,
        )  # fmt: skip

    return Case(
        {**given, "c": HostArray(np.zeros(expected.shape, np.float32), result)}, planned, {"c": expected},
        Tolerance(limit, "Higham, Accuracy and Stability, 3.1; products that are truncated"),
    )  # fmt: skip


_ABSENT = dict.fromkeys(
    ("sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120"), "block-scaled mma is an instruction of sm_120a"
)


def _variant(
    format: str, *sizes: Any, elements: tuple[type[Value], type[Value]] = (e4m3, e4m3), result: type[Value] = bf16,
    tiling: Tiling,
) -> Variant:  # fmt: skip
    fixed: dict[str, Any] = {"format": format, "elements": elements, "result": result}
    kernel, made = using(gemm_block_scaled, **fixed, **tiling._asdict()), partial(_case, **fixed, tiling=tiling)
    return Variant("gemm_block_scaled", format, kernel, made, sizes, _ABSENT, ("sm_120a",))


VARIANTS = (_variant("nvfp4", (1, 136, 72, 160), (2, 8, 64, 64), (1, 1, 8, 32), tiling=MIDDLE),)
