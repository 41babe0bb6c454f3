"""Textures: what `tex`, `tld4` and `txq` give, by geometry, filter, address mode and format."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import driver_ctypes as dc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import ptxgen as px
    from driver_ctypes.contexts.context import Context

__all__ = ["CASES", "TextureCase", "run_case", "textures"]

_DTYPES = {
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "s8": np.int8, "s16": np.int16, "s32": np.int32,
    "f16": np.float16, "f32": np.float32,
}  # fmt: skip
_KERNEL = """.version 8.3
.target sm_90
.address_size 64
.visible .entry samples(.param .u64 texture, .param .u64 in, .param .u64 out, .param .u32 count)
{{
	.reg .b32 %r<16>; .reg .f32 %f<16>; .reg .b64 %d<4>; .reg .b32 %i; .reg .b64 %a, %tex; .reg .pred %p;
	ld.param.u64 %tex, [texture]; ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u32 %r1, [count];
	mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %i, %tid.x; mad.lo.u32 %i, %r2, %r3, %i;
	setp.ge.u32 %p, %i, %r1; @%p ret;
	mad.wide.u32 %a, %i, {stride}, %d1;
	{loads}
	mov.b32 %r12, 0; mov.b32 %r13, 0; mov.b32 %r14, 0; mov.b32 %r15, 0;
	{instruction}
	mad.wide.u32 %a, %i, 16, %d2;
	st.global.v4.b32 [%a], {{%r12, %r13, %r14, %r15}};
	ret;
}}
"""


class TextureCase(NamedTuple):
    """`instruction` reads %f0, %f1, ... (or integers %r4, ...) as drawn, and writes %r12 to %r15."""

    name: str
    shape: tuple[int, ...]
    """Width, height, depth; or layers, or faces, as the depth."""
    instruction: str
    draw: Callable[[np.random.Generator, int], list[np.ndarray[Any, Any]]]
    format: str = "f32"
    channels: int = 1
    levels: int = 0
    array: Mapping[str, bool] = MappingProxyType({})
    sampling: Mapping[str, Any] = MappingProxyType({})


def _texels(case: TextureCase, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """What an array of that shape holds."""
    random = np.random.default_rng(5)
    size = int(np.prod([max(n, 1) for n in shape])) * case.channels
    kind: Any = np.dtype(_DTYPES[case.format])
    if kind.kind == "f":
        return random.uniform(-1, 1, size).astype(kind)
    info = np.iinfo(kind)
    return random.integers(info.min, info.max, size, dtype=kind, endpoint=True)


def run_case(context: Context, case: TextureCase, count: int, seed: int = 1) -> np.ndarray[Any, Any]:
    """(count, 4) words: the results of that many samples."""
    columns = [np.ascontiguousarray(c).view(np.uint32) for c in case.draw(np.random.default_rng(seed), count)]
    operands = np.ascontiguousarray(np.stack(columns, axis=1))
    loads = "\n\t".join(
        f"ld.global.b32 %{'f' if c.dtype == np.float32 else 'r'}{k if c.dtype == np.float32 else 4 + k}, [%a+{4 * k}];"
        for k, c in enumerate(case.draw(np.random.default_rng(seed), 1))
    )
    text = _KERNEL.format(stride=4 * len(columns), loads=loads, instruction=case.instruction)
    out = np.zeros((count, 4), np.uint32)
    width, height, depth = (*case.shape, 0, 0)[:3]
    options: dict[str, Any] = {"channels": case.channels, **case.array}
    if case.levels:
        source: Any = dc.create_mipmapped_array(
            context, case.format, width, height, depth, levels=case.levels, **options
        )
        for number in range(case.levels):
            level = source.level(number)
            form = level.form
            level.write(_texels(case, (form.width, form.height, form.depth)))
    else:
        source = dc.create_array(context, case.format, width, height, depth, **options)
        source.write(_texels(case, case.shape))
    with source, dc.create_texture(source, **case.sampling) as texture, context.alloc(operands.nbytes) as given:
        with context.alloc(out.nbytes) as results:
            context.copy_to_device(given, operands)
            function = context.load(text).function("samples")
            function.launch(
                -(-count // 256), 256, texture.handle.to_bytes(8, "little"), given, results, count.to_bytes(4, "little")
            )
            context.copy_to_host(out, results)
    return out


def uniform(*ranges: tuple[float, float]) -> Callable[[np.random.Generator, int], list[np.ndarray[Any, Any]]]:
    """Floats drawn from each range."""
    return lambda random, count: [random.uniform(low, high, count).astype(np.float32) for low, high in ranges]


def integers(*ranges: tuple[int, int]) -> Callable[[np.random.Generator, int], list[np.ndarray[Any, Any]]]:
    """Integers drawn from each range."""
    return lambda random, count: [random.integers(low, high, count).astype(np.int32) for low, high in ranges]


def mixed(
    first: tuple[int, int], *ranges: tuple[float, float]
) -> Callable[[np.random.Generator, int], list[np.ndarray[Any, Any]]]:
    """An integer in %r4, floats in %f1 and on."""
    return lambda random, count: [*integers(first)(random, count), *uniform(*ranges)(random, count)]


_NORMAL = {"normalized_coordinates": True}
_BORDER = {"address": "border", "border": (0.25, 0.5, 0.75, 2.0)}
_FILTERS = ("point", "linear")
_AROUND = uniform((-5, 55), (-5, 42))
_FLAT = (50, 37)


def fetch(name: str, coordinates: str, rest: str = "", targets: str = "%r12, %r13, %r14, %r15") -> str:
    """The instruction of that name."""
    return f"{name} {{{targets}}}, [%tex, {{{coordinates}}}]{rest};"


_1D = fetch("tex.1d.v4.f32.f32", "%f0")
_2D = fetch("tex.2d.v4.f32.f32", "%f0, %f1")
_LEVEL = fetch("tex.level.2d.v4.f32.f32", "%f0, %f1", ", %f2")
_GRADIENTS = fetch("tex.grad.2d.v4.f32.f32", "%f0, %f1", ", {%f2, %f3}, {%f4, %f5}")


def _addresses() -> Iterator[TextureCase]:
    for address in ("wrap", "clamp", "mirror", "border"):
        for filter in _FILTERS:
            how = {"address": address, "filter": filter, **_NORMAL}
            yield TextureCase(f"1d {filter} {address}", (97,), _1D, uniform((-2, 3)), sampling=how)
            yield TextureCase(f"2d {filter} {address}", _FLAT, _2D, uniform((-2, 3), (-1, 2)), sampling=how)
    for filter in _FILTERS:
        how = {"filter": filter}
        yield TextureCase(f"1d {filter} unnormalized", (97,), _1D, uniform((-5, 102)), sampling=how)
        yield TextureCase(
            f"2d {filter} unnormalized border", _FLAT, _2D, _AROUND, sampling={**how, "address": "border"}
        )
    whole = fetch("tex.2d.v4.f32.s32", "%r4, %r5")
    yield TextureCase("2d integer positions", _FLAT, whole, integers((-3, 53), (-3, 40)))
    yield TextureCase("2d integer positions border", _FLAT, whole, integers((-3, 53), (-3, 40)), sampling=_BORDER)
    moved = fetch("tex.2d.v4.f32.f32", "%f0, %f1", ", {-3, 5}")
    yield TextureCase("2d offsets", _FLAT, moved, _AROUND, sampling={"filter": "linear"})


def _geometries() -> Iterator[TextureCase]:
    for filter in _FILTERS:
        how = {"filter": filter, "address": "wrap", **_NORMAL}
        cube = {**how, "address": "clamp"}
        threefold = fetch("tex.3d.v4.f32.f32", "%f0, %f1, %f2, %f2")
        yield TextureCase(f"3d {filter}", (17, 13, 11), threefold, uniform(*[(-1, 2)] * 3), sampling=how)
        yield TextureCase(
            f"1d array {filter}", (33, 0, 7), fetch("tex.a1d.v4.f32.f32", "%r4, %f1"), mixed((-1, 9), (-1, 2)),
            array={"layered": True}, sampling=how,
        )  # fmt: skip
        yield TextureCase(
            f"2d array {filter}", (33, 21, 7), fetch("tex.a2d.v4.f32.f32", "%r4, %f1, %f2, %f2"),
            mixed((0, 7), (-1, 2), (-1, 2)), array={"layered": True}, sampling=how,
        )  # fmt: skip
        yield TextureCase(
            f"cube {filter}", (16, 16, 6), fetch("tex.cube.v4.f32.f32", "%f0, %f1, %f2, %f2"), uniform(*[(-1, 1)] * 3),
            array={"cubemap": True}, sampling=cube,
        )  # fmt: skip
        yield TextureCase(
            f"cube array {filter}", (8, 8, 18), fetch("tex.acube.v4.f32.f32", "%r4, %f1, %f2, %f3"),
            mixed((0, 3), *[(-1, 1)] * 3), array={"cubemap": True, "layered": True}, sampling=cube,
        )  # fmt: skip


def _mipmaps() -> Iterator[TextureCase]:
    for filter in _FILTERS:
        for levels in _FILTERS:
            how = {"filter": filter, "mipmap_filter": levels, "address": "wrap", **_NORMAL}
            biased = {**how, "mipmap_bias": 0.7, "mipmap_clamp": (0.5, 3.25)}
            name, draw = f"{filter} {levels}", uniform((-1, 2), (-1, 2), (-1, 6))
            yield TextureCase(f"2d level {name}", (32, 32), _LEVEL, draw, levels=5, sampling=how)
            yield TextureCase(f"2d bias {name}", (32, 32), _LEVEL, draw, levels=5, sampling=biased)
            slopes = uniform((-1, 2), (-1, 2), *[(-0.5, 0.5)] * 4)
            yield TextureCase(f"2d gradients {name}", (32, 32), _GRADIENTS, slopes, levels=5, sampling=how)


def _formats() -> Iterator[TextureCase]:
    for format in ("u8", "s8", "u16", "s16"):
        for filter in _FILTERS:
            how = {"filter": filter, "read": "normalized"}
            yield TextureCase(f"{format} {filter} normalized", _FLAT, _2D, _AROUND, format, 4, sampling=how)
    for channels in (1, 2, 4):
        for format in ("u8", "s8", "u16", "s16", "u32", "s32"):
            read = fetch(f"tex.2d.v4.{format[0]}32.f32", "%f0, %f1")
            yield TextureCase(f"{format}x{channels}", _FLAT, read, _AROUND, format, channels)
        for filter in _FILTERS:
            how = {"filter": filter}
            yield TextureCase(f"f16x{channels} {filter}", _FLAT, _2D, _AROUND, "f16", channels, sampling=how)
        yield TextureCase(f"f32x{channels} border", _FLAT, _2D, _AROUND, "f32", channels, sampling=_BORDER)
    srgb = {"read": "normalized", "srgb": True}
    yield TextureCase("u8 srgb", (256,), _1D, uniform((0, 256)), "u8", 4, sampling=srgb)
    halves = fetch("tex.2d.v2.f16x2.f32", "%f0, %f1", targets="%r12, %r13")
    yield TextureCase("2d halves", _FLAT, halves, _AROUND, "f32", 4)


def _gathers() -> Iterator[TextureCase]:
    for component in "rgba":
        four = fetch(f"tld4.{component}.2d.v4.f32.f32", "%f0, %f1")
        yield TextureCase(f"gather {component}", _FLAT, four, _AROUND, "f32", 4, array={"gather": True})
    how = {"address": "wrap", **_NORMAL}
    four = fetch("tld4.r.2d.v4.f32.f32", "%f0, %f1")
    yield TextureCase("gather normalized", _FLAT, four, uniform((-1, 2), (-1, 2)), array={"gather": True}, sampling=how)


CASES = [*_addresses(), *_geometries(), *_mipmaps(), *_formats(), *_gathers()]


def textures(samples: int, only: str) -> Iterator[Callable[[px.Device], dict[str, np.ndarray[Any, Any]]]]:
    """A case each."""
    for case in CASES:
        if only in case.name:
            yield partial(_batch, case, samples)


def _batch(case: TextureCase, samples: int, device: px.Device) -> dict[str, np.ndarray[Any, Any]]:
    return {case.name: run_case(device.context, case, samples)}
