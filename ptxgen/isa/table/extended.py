"""Extended-precision integer arithmetic: the carry in and out rows (manual 9.7.2)."""

ROWS = """
.type = u32 s32 u64(4.3) s64(4.3)
section 9.7.2.2 ; carry
addc{.cc}.type                 d, a, b
section 9.7.2.4 ; carry
subc{.cc}.type                 d, a, b
section 9.7.2.6 ; carry
madc.mode{.cc}.type            d, a, b, c   ; mode = hi lo ; since 3.0 sm_20
"""
