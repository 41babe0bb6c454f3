"""Texture instructions (manual 9.7.10).

The rows of tex are products: a way to choose the mipmap level, a geometry, the type of the coordinates, and four results or two
pairs of halves, with a predicate for resident memory or without. Which of them take a sampler of their own, an offset and a
depth to compare with is what nvJitLink 12.9 to 13.5 agree on, which is less than the manual promises (docs/isa-certification.md).
"""

_HEAD = """
.dtype = u32 s32 f32 f16(4.2)
.flat = 1d*1 2d*2
.ms = 2dms(3.2 sm_30)
.ams = a2dms(3.2 sm_30)
.comp = r g b a

every image
section 9.7.10.3
lets d j lod mixed
lets c j e lod vector
lets e scalar
lets e constant
"""

# geometry -> coordinates with float and with integer positions ("" for none), offsets, gradients
_SHAPES = {
    "flat": ("{c*flat:f32}", "{j*flat:s32}", "{e*flat:s32}", "flat"),
    "3d": ("{c*4:f32}", "{j*4:s32}", "{e*4:s32}", "4"),
    "a1d": ("{i:u32, c:f32}", "{i:u32, j:s32}", "{e*1:s32}", "1"),
    "a2d": ("{i:u32, c*3:f32}", "{i:u32, j*3:s32}", "{e*2:s32}", "2"),
    "cube": ("{c*4:f32}", "", "", "4"),
    "acube": ("{i:u32, c*3:f32}", "", "", "4"),
    "ms": ("", "{j*4:s32}", "{e*2:s32}", ""),
    "ams": ("", "{j:s32, i:u32, j*2:s32}", "{e*2:s32}", ""),
}
_DEPTH = frozenset({"flat", "a1d", "a2d", "cube", "acube"})
"""Geometries whose depth can be compared; only with float positions."""


def _rows(mode: str, shape: str, ctype: str) -> list[str]:
    """The operand lists of `tex<mode>` on a geometry, one for each way that samplers, offsets and depths go together."""
    floats, integers, offset, gradient = _SHAPES[shape]
    positions = floats if ctype == "f32" else integers
    if not positions or (shape in ("ms", "ams") and mode in (".level", ".grad")):
        return []
    level = {
        ".level": f", lod:{ctype}",
        ".grad": f", {{x*{gradient}:f32}}, {{y*{gradient}:f32}}",
    }.get(mode, "")
    depth = ", depth:f32" if ctype == "f32" and shape in _DEPTH else ""
    extras = (f"{{, {offset}}}" if offset else "") + (f"{{{depth}}}" if depth else "")
    alone, maybe, sampled = (f"[a:b64{sampler}, {positions}]{level}" for sampler in ("", "{, b}", ", b"))
    if mode == ".level":
        if shape in ("cube", "acube"):
            return [maybe + extras]
        own = [f"{sampled}{{{depth}}}", f"{sampled}, {offset}{depth}"] if depth else []
        return [alone + extras, *own]
    own_sampler = shape not in ("cube", "acube") and (mode != ".grad" or shape in ("flat", "3d"))
    return [(maybe if own_sampler else alone) + extras]


def _tex() -> str:
    lines = []
    for mode in ("", ".base", ".level", ".grad"):
        for ctype in ("f32", "s32"):
            for shape in _SHAPES:
                for operands in _rows(mode, shape, ctype):
                    for result, registers, since in (
                        ("v4.dtype", "{d*4:dtype}", ""),
                        ("v2.f16x2", "{d2*2:b32!}", " ; since 4.2"),
                    ):
                        name = f"tex{mode}.{shape}.{result}.{ctype}"
                        lines.append(f"{name}   {registers}, {operands}{since} ; reads")
                        lines.append(f"{name}   {registers}|p:pred, {operands} ; since 7.1 ; reads")
    return "\n".join(lines)


ROWS = f"""{_HEAD}{_tex()}

section 9.7.10.4
.dtype = u32 s32 f32
lets d mixed
lets c e vector
lets e scalar
lets e constant
tld4.comp.2d.v4.dtype.f32   {{d*4:dtype}}, [a:b64{{, b}}, {{c*2:f32}}]{{, {{e*2:s32}}}}{{, depth:f32}} ; since 3.1 sm_20 ; reads
tld4.comp.2d.v4.dtype.f32   {{d*4:dtype}}|p:pred, [a:b64{{, b}}, {{c*2:f32}}]{{, {{e*2:s32}}}}{{, depth:f32}} ; since 7.1 sm_20 ; reads
tld4.comp.a2d.v4.dtype.f32   {{d*4:dtype}}, [a:b64{{, b}}, {{i:u32, c*3:f32}}]{{, {{e*2:s32}}}}{{, depth:f32}} ; since 3.1 sm_20 ; reads
tld4.comp.a2d.v4.dtype.f32   {{d*4:dtype}}|p:pred, [a:b64{{, b}}, {{i:u32, c*3:f32}}]{{, {{e*2:s32}}}}{{, depth:f32}} ; since 7.1 sm_20 ; reads
tld4.comp.cube.v4.dtype.f32   {{d*4:dtype}}, [a:b64, {{c*4:f32}}]{{, depth:f32}} ; since 3.1 sm_20 ; reads
tld4.comp.cube.v4.dtype.f32   {{d*4:dtype}}|p:pred, [a:b64, {{c*4:f32}}]{{, depth:f32}} ; since 7.1 sm_20 ; reads
tld4.comp.acube.v4.dtype.f32   {{d*4:dtype}}, [a:b64, {{i:u32, c*3:f32}}]{{, depth:f32}} ; since 3.1 sm_20 ; reads
tld4.comp.acube.v4.dtype.f32   {{d*4:dtype}}|p:pred, [a:b64, {{i:u32, c*3:f32}}]{{, depth:f32}} ; since 7.1 sm_20 ; reads

section 9.7.10.5
.query = width height depth channel_data_type channel_order normalized_coords array_size(4.1) num_mipmap_levels(4.1) num_samples(4.1) force_unnormalized_coords filter_mode addr_mode_0 addr_mode_1 addr_mode_2
.level_query = width height depth
txq.query.b32                  d, [a:b64]          ; since 2.0
txq.level.level_query.b32      d, [a:b64], lod:s32 ; since 4.3 sm_30 ; lets lod vector
section 9.7.10.6
istypep.type                   p:pred, a:b64~  ; type = texref samplerref surfref ; since 4.0 sm_30
"""
