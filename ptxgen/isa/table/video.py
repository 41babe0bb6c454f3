"""Video instructions, scalar and SIMD (manual 9.7.18)."""

from itertools import product

# Four bytes chosen out of the eight of both sources, in any order and as often as one likes (manual 9.7.18.2).
_BYTES = ".bytes = " + " ".join("b" + "".join(digits) for digits in product("01234567", repeat=4))

ROWS = (
    _BYTES
    + """
.dtype = u32 s32
.atype = u32 s32
.btype = u32 s32
.sel = b0 b1 b2 b3 h0 h1
.op2 = add min max
.cmp = eq ne lt le gt ge
.halves = h00 h01 h02 h03 h10 h11 h12 h13 h20 h21 h22 h23 h30 h31 h32 h33
.mask2 = h0 h1 h10
.mask4 = b0 b1 b10 b2 b20 b21 b210 b3 b30 b31 b310 b32 b320 b321 b3210

every pure
section 9.7.18.1.1
vadd.dtype.atype.btype{.sat}          d:dtype, a.sel:atype, b.sel:btype          ; since 2.0 sm_20
vadd.dtype.atype.btype{.sat}.op2      d:dtype, a.sel:atype, b.sel:btype, c:dtype ; since 2.0 sm_20
vadd.dtype.atype.btype{.sat}          d.sel:dtype, a.sel:atype, b.sel:btype, c:dtype ; since 2.0 sm_20
vsub.dtype.atype.btype{.sat}          d:dtype, a.sel:atype, b.sel:btype          ; since 2.0 sm_20
vsub.dtype.atype.btype{.sat}.op2      d:dtype, a.sel:atype, b.sel:btype, c:dtype ; since 2.0 sm_20
vsub.dtype.atype.btype{.sat}          d.sel:dtype, a.sel:atype, b.sel:btype, c:dtype ; since 2.0 sm_20
vabsdiff.dtype.atype.btype{.sat}          d:dtype, a.sel:atype, b.sel:btype          ; since 2.0 sm_20
vabsdiff.dtype.atype.btype{.sat}.op2      d:dtype, a.sel:atype, b.sel:btype, c:dtype ; since 2.0 sm_20
vabsdiff.dtype.atype.btype{.sat}          d.sel:dtype, a.sel:atype, b.sel:btype, c:dtype ; since 2.0 sm_20
vmin.dtype.atype.btype{.sat}          d:dtype, a.sel:atype, b.sel:btype          ; since 2.0 sm_20
vmin.dtype.atype.btype{.sat}.op2      d:dtype, a.sel:atype, b.sel:btype, c:dtype ; since 2.0 sm_20
vmin.dtype.atype.btype{.sat}          d.sel:dtype, a.sel:atype, b.sel:btype, c:dtype ; since 2.0 sm_20
vmax.dtype.atype.btype{.sat}          d:dtype, a.sel:atype, b.sel:btype          ; since 2.0 sm_20
vmax.dtype.atype.btype{.sat}.op2      d:dtype, a.sel:atype, b.sel:btype, c:dtype ; since 2.0 sm_20
vmax.dtype.atype.btype{.sat}          d.sel:dtype, a.sel:atype, b.sel:btype, c:dtype ; since 2.0 sm_20
section 9.7.18.1.2
vshl.dtype.atype.u32{.sat}.mode       d:dtype, a.sel:atype, b.sel:u32          ; mode = clamp wrap ; since 2.0 sm_20
vshl.dtype.atype.u32{.sat}.mode.op2   d:dtype, a.sel:atype, b.sel:u32, c:dtype ; mode = clamp wrap ; since 2.0 sm_20
vshl.dtype.atype.u32{.sat}.mode       d.sel:dtype, a.sel:atype, b.sel:u32, c:dtype ; mode = clamp wrap ; since 2.0 sm_20
vshr.dtype.atype.u32{.sat}.mode       d:dtype, a.sel:atype, b.sel:u32          ; mode = clamp wrap ; since 2.0 sm_20
vshr.dtype.atype.u32{.sat}.mode.op2   d:dtype, a.sel:atype, b.sel:u32, c:dtype ; mode = clamp wrap ; since 2.0 sm_20
vshr.dtype.atype.u32{.sat}.mode       d.sel:dtype, a.sel:atype, b.sel:u32, c:dtype ; mode = clamp wrap ; since 2.0 sm_20
section 9.7.18.1.3
vmad.dtype.atype.btype{.sat}{.scale}         d:dtype, a.sel:atype, b.sel:btype, c:dtype ; scale = shr7 shr15 ; since 2.0 sm_20 ; lets a b c negated
vmad.dtype.atype.btype.po{.sat}{.scale}      d:dtype, a.sel:atype, b.sel:btype, c:dtype ; scale = shr7 shr15 ; since 2.0 sm_20
section 9.7.18.1.4
vset.atype.btype.cmp           d:u32, a.sel:atype, b.sel:btype          ; since 2.0 sm_20
vset.atype.btype.cmp.op2       d:u32, a.sel:atype, b.sel:btype, c:u32   ; since 2.0 sm_20
vset.atype.btype.cmp           d.sel:u32, a.sel:atype, b.sel:btype, c:u32 ; since 2.0 sm_20
section 9.7.18.2.1
vadd2.dtype.atype.btype{.sat}   d.mask2:dtype, a.halves:atype^, b.halves:btype^, c:dtype^ ; since 3.0 sm_30
vadd2.dtype.atype.btype.add      d.mask2:dtype, a.halves:atype^, b.halves:btype^, c:dtype^ ; since 3.0 sm_30
vsub2.dtype.atype.btype{.sat}   d.mask2:dtype, a.halves:atype^, b.halves:btype^, c:dtype^ ; since 3.0 sm_30
vsub2.dtype.atype.btype.add      d.mask2:dtype, a.halves:atype^, b.halves:btype^, c:dtype^ ; since 3.0 sm_30
vavrg2.dtype.atype.btype{.sat}   d.mask2:dtype, a.halves:atype^, b.halves:btype^, c:dtype^ ; since 3.0 sm_30
vavrg2.dtype.atype.btype.add      d.mask2:dtype, a.halves:atype^, b.halves:btype^, c:dtype^ ; since 3.0 sm_30
vabsdiff2.dtype.atype.btype{.sat}   d.mask2:dtype, a.halves:atype^, b.halves:btype^, c:dtype^ ; since 3.0 sm_30
vabsdiff2.dtype.atype.btype.add      d.mask2:dtype, a.halves:atype^, b.halves:btype^, c:dtype^ ; since 3.0 sm_30
vmin2.dtype.atype.btype{.sat}   d.mask2:dtype, a.halves:atype^, b.halves:btype^, c:dtype^ ; since 3.0 sm_30
vmin2.dtype.atype.btype.add      d.mask2:dtype, a.halves:atype^, b.halves:btype^, c:dtype^ ; since 3.0 sm_30
vmax2.dtype.atype.btype{.sat}   d.mask2:dtype, a.halves:atype^, b.halves:btype^, c:dtype^ ; since 3.0 sm_30
vmax2.dtype.atype.btype.add      d.mask2:dtype, a.halves:atype^, b.halves:btype^, c:dtype^ ; since 3.0 sm_30
vset2.atype.btype.cmp           d.mask2:u32, a.halves:atype^, b.halves:btype^, c:u32^ ; since 3.0 sm_30
vset2.atype.btype.cmp.add       d.mask2:u32, a.halves:atype^, b.halves:btype^, c:u32^ ; since 3.0 sm_30
section 9.7.18.2.2
vadd4.dtype.atype.btype{.sat}   d.mask4:dtype, a.bytes:atype^, b.bytes:btype^, c:dtype^ ; since 3.0 sm_30
vadd4.dtype.atype.btype.add      d.mask4:dtype, a.bytes:atype^, b.bytes:btype^, c:dtype^ ; since 3.0 sm_30
vsub4.dtype.atype.btype{.sat}   d.mask4:dtype, a.bytes:atype^, b.bytes:btype^, c:dtype^ ; since 3.0 sm_30
vsub4.dtype.atype.btype.add      d.mask4:dtype, a.bytes:atype^, b.bytes:btype^, c:dtype^ ; since 3.0 sm_30
vavrg4.dtype.atype.btype{.sat}   d.mask4:dtype, a.bytes:atype^, b.bytes:btype^, c:dtype^ ; since 3.0 sm_30
vavrg4.dtype.atype.btype.add      d.mask4:dtype, a.bytes:atype^, b.bytes:btype^, c:dtype^ ; since 3.0 sm_30
vabsdiff4.dtype.atype.btype{.sat}   d.mask4:dtype, a.bytes:atype^, b.bytes:btype^, c:dtype^ ; since 3.0 sm_30
vabsdiff4.dtype.atype.btype.add      d.mask4:dtype, a.bytes:atype^, b.bytes:btype^, c:dtype^ ; since 3.0 sm_30
vmin4.dtype.atype.btype{.sat}   d.mask4:dtype, a.bytes:atype^, b.bytes:btype^, c:dtype^ ; since 3.0 sm_30
vmin4.dtype.atype.btype.add      d.mask4:dtype, a.bytes:atype^, b.bytes:btype^, c:dtype^ ; since 3.0 sm_30
vmax4.dtype.atype.btype{.sat}   d.mask4:dtype, a.bytes:atype^, b.bytes:btype^, c:dtype^ ; since 3.0 sm_30
vmax4.dtype.atype.btype.add      d.mask4:dtype, a.bytes:atype^, b.bytes:btype^, c:dtype^ ; since 3.0 sm_30
vset4.atype.btype.cmp           d.mask4:u32, a.bytes:atype^, b.bytes:btype^, c:u32^ ; since 3.0 sm_30
vset4.atype.btype.cmp.add       d.mask4:u32, a.bytes:atype^, b.bytes:btype^, c:u32^ ; since 3.0 sm_30
"""
)
