"""Textures: what `tex`, `tld4` and `txq` give, by geometry, filter, address mode and format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import driver_ctypes as dc

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver_ctypes.session.session import Session

__all__ = ["CASES", "TextureCase", "run_case"]

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
    array: dict[str, bool] = {}
    sampling: dict[str, Any] = {}


def _texels(case: TextureCase, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """What an array of that shape holds."""
    random = np.random.default_rng(5)
    size = int(np.prod([max(n, 1) for n in shape])) * case.channels
    kind = np.dtype(_DTYPES[case.format])
    if kind.kind == "f":
        return random.uniform(-1, 1, size).astype(kind)
    info = np.iinfo(kind)
    return random.integers(info.min, info.max, size, dtype=kind, endpoint=True)


def run_case(context: Session, case: TextureCase, count: int, seed: int = 1) -> np.ndarray[Any, Any]:
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
    options = {"channels": case.channels, **case.array}
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
            function.launch(-(-count // 256), 256, texture.handle.to_bytes(8, "little"), given, results, count.to_bytes(4, "little"))
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


_D = "{%r12, %r13, %r14, %r15}"
_NORMAL = {"normalized_coordinates": True}


def _cases() -> list[TextureCase]:
    one, two, three = "%f0", "{%f0, %f1}", "{%f0, %f1, %f2, %f2}"
    tex1, tex2, tex3 = (
        f"tex.{g}.v4.f32.f32 {_D}, [%tex, {c}];" for g, c in (("1d", "{%f0}"), ("2d", two), ("3d", three))
    )
    found = []
    for address in ("wrap", "clamp", "mirror", "border"):
        for filter in ("point", "linear"):
            more = {"address": address, "filter": filter, **_NORMAL}
            found.append(TextureCase(f"1d {filter} {address}", (97,), tex1, uniform((-2, 3)), sampling=more))
            found.append(TextureCase(f"2d {filter} {address}", (50, 37), tex2, uniform((-2, 3), (-1, 2)), sampling=more))
    for filter in ("point", "linear"):
        more = {"filter": filter, "address": "clamp"}
        found.append(TextureCase(f"1d {filter} unnormalized", (97,), tex1, uniform((-5, 102)), sampling=more))
        more = {"filter": filter, "address": "border"}
        found.append(TextureCase(f"2d {filter} unnormalized border", (50, 37), tex2, uniform((-5, 55), (-5, 42)), sampling=more))
        more = {"filter": filter, "address": "wrap", **_NORMAL}
        found.append(TextureCase(f"3d {filter}", (17, 13, 11), tex3, uniform(*[(-1, 2)] * 3), sampling=more))
        found.append(TextureCase(f"1d array {filter}", (33, 0, 7), "tex.a1d.v4.f32.f32 " + _D + ", [%tex, {%r4, %f1}];",
                                 mixed((-1, 9), (-1, 2)), array={"layered": True}, sampling=more))  # fmt: skip
        found.append(TextureCase(f"2d array {filter}", (33, 21, 7), "tex.a2d.v4.f32.f32 " + _D + ", [%tex, {%r4, %f1, %f2, %f2}];",
                                 mixed((0, 7), (-1, 2), (-1, 2)), array={"layered": True}, sampling=more))  # fmt: skip
        found.append(TextureCase(f"cube {filter}", (16, 16, 6), "tex.cube.v4.f32.f32 " + _D + ", [%tex, {%f0, %f1, %f2, %f2}];",
                                 uniform(*[(-1, 1)] * 3), array={"cubemap": True}, sampling={**more, "address": "clamp"}))  # fmt: skip
        found.append(TextureCase(f"cube seamless {filter}", (16, 16, 6), "tex.cube.v4.f32.f32 " + _D + ", [%tex, {%f0, %f1, %f2, %f2}];",
                                 uniform(*[(-1, 1)] * 3), array={"cubemap": True},
                                 sampling={**more, "address": "clamp", "seamless_cubemap": True}))  # fmt: skip
        found.append(TextureCase(f"cube array {filter}", (8, 8, 18), "tex.acube.v4.f32.f32 " + _D + ", [%tex, {%r4, %f1, %f2, %f3}];",
                                 mixed((0, 3), *[(-1, 1)] * 3), array={"cubemap": True, "layered": True},
                                 sampling={**more, "address": "clamp"}))  # fmt: skip
        for levels in ("point", "linear"):
            more = {"filter": filter, "mipmap_filter": levels, "address": "wrap", **_NORMAL}
            found.append(TextureCase(f"2d level {filter} {levels}", (32, 32), f"tex.level.2d.v4.f32.f32 {_D}, [%tex, {two}], %f2;",
                                     uniform((-1, 2), (-1, 2), (-1, 6)), levels=5, sampling=more))  # fmt: skip
            found.append(TextureCase(f"2d gradients {filter} {levels}", (32, 32),
                                     f"tex.grad.2d.v4.f32.f32 {_D}, [%tex, {two}], {{%f2, %f3}}, {{%f4, %f5}};",
                                     uniform((-1, 2), (-1, 2), *[(-0.5, 0.5)] * 4), levels=5, sampling=more))  # fmt: skip
            found.append(TextureCase(f"2d bias {filter} {levels}", (32, 32), f"tex.level.2d.v4.f32.f32 {_D}, [%tex, {two}], %f2;",
                                     uniform((-1, 2), (-1, 2), (-1, 6)), levels=5,
                                     sampling={**more, "mipmap_bias": 0.7, "mipmap_clamp": (0.5, 3.25)}))  # fmt: skip
    for format in ("u8", "s8", "u16", "s16"):
        for filter in ("point", "linear"):
            more = {"filter": filter, "read": "normalized", "address": "clamp"}
            found.append(TextureCase(f"{format} {filter} normalized", (50, 37), tex2, uniform((-5, 55), (-5, 42)), format=format,
                                     channels=4, sampling=more))  # fmt: skip
    for format in ("u8", "s8", "u16", "s16", "u32", "s32"):
        for channels in (1, 2, 4):
            instruction = f"tex.2d.v4.{'u32' if format[0] == 'u' else 's32'}.f32 {_D}, [%tex, {two}];"
            found.append(TextureCase(f"{format}x{channels}", (50, 37), instruction, uniform((-5, 55), (-5, 42)),
                                     format=format, channels=channels))  # fmt: skip
    for channels in (1, 2, 4):
        for filter in ("point", "linear"):
            more = {"filter": filter}
            found.append(TextureCase(f"f16x{channels} {filter}", (50, 37), tex2, uniform((-5, 55), (-5, 42)), format="f16",
                                     channels=channels, sampling=more))  # fmt: skip
        found.append(TextureCase(f"f32x{channels} border", (50, 37), tex2, uniform((-5, 55), (-5, 42)), channels=channels,
                                 sampling={"address": "border", "border": (0.25, 0.5, 0.75, 2.0)}))  # fmt: skip
    srgb = {"read": "normalized", "srgb": True}
    found.append(TextureCase("u8 srgb", (256,), tex1, uniform((0, 256)), format="u8", channels=4, sampling=srgb))
    whole = f"tex.2d.v4.f32.s32 {_D}, [%tex, {{%r4, %r5}}];"
    found.append(TextureCase("2d integer positions", (50, 37), whole, integers((-3, 53), (-3, 40))))
    found.append(TextureCase("2d integer positions border", (50, 37), whole, integers((-3, 53), (-3, 40)),
                             sampling={"address": "border", "border": (0.25, 0.5, 0.75, 2.0)}))  # fmt: skip
    found.append(TextureCase("2d offsets", (50, 37), f"tex.2d.v4.f32.f32 {_D}, [%tex, {two}], {{-3, 5}};",
                             uniform((-5, 55), (-5, 42)), sampling={"filter": "linear"}))  # fmt: skip
    found.append(TextureCase("2d halves", (50, 37), f"tex.2d.v2.f16x2.f32 {{%r12, %r13}}, [%tex, {two}];",
                             uniform((-5, 55), (-5, 42)), channels=4))  # fmt: skip
    for component in "rgba":
        found.append(TextureCase(f"gather {component}", (50, 37), f"tld4.{component}.2d.v4.f32.f32 {_D}, [%tex, {two}];",
                                 uniform((-5, 55), (-5, 42)), channels=4, array={"gather": True}))  # fmt: skip
    found.append(TextureCase("gather normalized", (50, 37), f"tld4.r.2d.v4.f32.f32 {_D}, [%tex, {two}];", uniform((-1, 2), (-1, 2)),
                             array={"gather": True}, sampling={"address": "wrap", **_NORMAL}))  # fmt: skip
    weights = TextureCase("weights", (2,), tex1, lambda _, n: [np.linspace(0.5, 1.5, n).astype(np.float32)],
                          sampling={"filter": "linear"})  # fmt: skip
    return [*found, weights]


CASES = _cases()
