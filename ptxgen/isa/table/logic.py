"""Logic and shift (manual 9.7.8) and prmt (9.7.9)."""

ROWS = """
.type = pred b16 b32 b64
every pure
section 9.7.8.1 ; commutes
and.type                       d, a, b
section 9.7.8.2 ; commutes
or.type                        d, a, b
section 9.7.8.3 ; commutes
xor.type                       d, a, b
section 9.7.8.4
not.type                       d, a
section 9.7.8.5
cnot.type                      d, a         ; type = b16 b32 b64
section 9.7.8.6
lop3.b32                       d, a, b, c, #lut<0..255>           ; lets d sink ; since 4.3 sm_50
lop3.bool.b32                  d_|p:pred, a, b, c, #lut<0..255>, {!}q_in:pred ; bool = or and ; since 8.2 sm_70
section 9.7.8.7
shf.l.mode.b32                 d, a, b, c:u32   ; mode = clamp wrap ; since 3.1 sm_32
shf.r.mode.b32                 d, a, b, c:u32   ; mode = clamp wrap ; since 3.1 sm_32
section 9.7.8.8 ; shift
shl.type                       d, a, b:u32      ; type = b16 b32 b64
section 9.7.8.9 ; shift
shr.type                       d, a, b:u32      ; type = b16 b32 b64 u16 u32 u64 s16 s32 s64
section 9.7.9.7
prmt.b32                       d, a, b, c       ; since 2.0 sm_20
prmt.b32.mode                  d, a, b, c       ; mode = f4e b4e rc8 ecl ecr rc16 ; since 2.0 sm_20
"""
