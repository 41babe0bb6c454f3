"""What the CUDA programming guide says of texture fetching, in numpy; and a way to run a fetch at many positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import driver_ctypes as dc

if TYPE_CHECKING:
    from driver_ctypes.session.session import Session

KERNEL = """.version 8.3
.target sm_90
.address_size 64
{before}
.visible .entry fetch(.param .u64 image, .param .u64 in, .param .u64 out, .param .u32 count)
{{
	.reg .b32 %r<16>; .reg .f32 %f<8>; .reg .b64 %d<8>; .reg .b32 %i; .reg .b64 %a, %image; .reg .pred %p, %q; .reg .b16 %h<4>;
	ld.param.u64 %image, [image]; ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u32 %r1, [count];
	mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %i, %tid.x; mad.lo.u32 %i, %r2, %r3, %i;
	setp.ge.u32 %p, %i, %r1; @%p ret;
	mad.wide.u32 %a, %i, 16, %d1;
	ld.global.v4.b32 {{%r4, %r5, %r6, %r7}}, [%a];
	mov.b32 %f0, %r4; mov.b32 %f1, %r5; mov.b32 %f2, %r6; mov.b32 %f3, %r7;
	mov.b32 %r12, 0; mov.b32 %r13, 0; mov.b32 %r14, 0; mov.b32 %r15, 0;
	{instruction}
	mad.wide.u32 %a, %i, 16, %d2;
	st.global.v4.b32 [%a], {{%r12, %r13, %r14, %r15}};
	ret;
}}
"""
TARGETS = "{%r12, %r13, %r14, %r15}"


def fetch(context: Session, image: Any, instruction: str, operands: np.ndarray[Any, Any], before: str = "") -> Any:
    """Runs the instruction for each row of up to four words, %f0 to %f3 or %r4 to %r7; (rows, 4) words, %r12 to %r15."""
    count = len(operands)
    given = np.zeros((count, 4), np.uint32)
    given[:, : operands.shape[1]] = np.ascontiguousarray(operands).view(np.uint32)
    out = np.zeros((count, 4), np.uint32)
    with context.alloc(given.nbytes) as source, context.alloc(out.nbytes) as target:
        context.copy_to_device(source, given)
        with context.load(KERNEL.format(instruction=instruction, before=before)) as module:
            arguments = int(image).to_bytes(8, "little"), source, target, count.to_bytes(4, "little")
            module.function("fetch").launch(-(-count // 64), 64, *arguments)
            context.copy_to_host(out, target)
    return out


def stand_in(i: Any, extent: int, mode: str) -> Any:
    """The element that stands for element i; -1 for the border."""
    if mode == "clamp":
        return np.clip(i, 0, extent - 1)
    if mode == "wrap":
        return i % extent
    if mode == "mirror":
        turn = i % (2 * extent)
        return np.where(turn < extent, turn, 2 * extent - 1 - turn)
    return np.where((i >= 0) & (i < extent), i, -1)


def element(texels: Any, index: tuple[Any, ...], border: float = 0.0) -> Any:
    """texels[..., y, x] for indices (x, y, ...), of which -1 is the border."""
    outside = np.any([i < 0 for i in index], axis=0)
    found = texels[tuple(np.maximum(i, 0) for i in reversed(index))]
    return np.where(outside, border, found)


def nearest(texels: Any, positions: Any, mode: str, border: float = 0.0) -> Any:
    """The element whose place a position, in elements, lies in."""
    extents = texels.shape[::-1]
    index = tuple(stand_in(np.floor(x).astype(int), n, mode) for x, n in zip(positions, extents))
    return element(texels, index, border)


def linear(texels: Any, positions: Any, mode: str, border: float = 0.0) -> Any:
    """The weighted mean of the elements around a position; weights have 8 bits."""
    extents = texels.shape[::-1]
    first = [np.floor(x - 0.5).astype(int) for x in positions]
    weights = [np.round((x - 0.5 - i) * 256) / 256 for x, i in zip(positions, first)]
    total = 0.0
    for corner in range(1 << len(extents)):
        sides = [corner >> d & 1 for d in range(len(extents))]
        index = tuple(stand_in(i + s, n, mode) for i, s, n in zip(first, sides, extents))
        weight = np.prod([w if s else 1 - w for w, s in zip(weights, sides)], axis=0)
        total = total + weight * element(texels, index, border)
    return total


def create(context: Session, texels: Any, **options: Any) -> Any:
    """An array of these elements (of one channel), layers or faces first."""
    width, height, depth = (*texels.shape[::-1], 0, 0)[:3]
    if options.get("layered") and texels.ndim == 2:
        width, height, depth = texels.shape[1], 0, texels.shape[0]
    formats = {"float32": "f32", "float16": "f16", "uint8": "u8", "int8": "s8", "uint16": "u16", "int16": "s16",
               "uint32": "u32", "int32": "s32"}  # fmt: skip
    array = dc.create_array(context, formats[texels.dtype.name], width, height, depth, **options)
    array.write(np.ascontiguousarray(texels))
    return array
