"""Surface instructions (manual 9.7.11)."""

ROWS = """
.cop = ca cg cs cv
.st_cop = wb cg cs wt
.mode = trap clamp zero
.flat = 1d*1 2d*2 3d*4
.array = a1d*2 a2d*4
.type = b8 b16 b32 b64
.narrow = b8 b16 b32
.vec = v2 v4

every image
section 9.7.11.1
lets d c vector
lets d c mixed
suld.b.flat{.cop}.type.mode          d:type+, [a:b64, {c*flat:s32}]            ; since 3.0 sm_20 ; reads
suld.b.flat{.cop}.vec.narrow.mode    {d*vec:narrow+}, [a:b64, {c*flat:s32}]    ; since 3.0 sm_20 ; reads
suld.b.flat{.cop}.v2.b64.mode        {d*2:b64}, [a:b64, {c*flat:s32}]          ; since 3.0 sm_20 ; reads
suld.b.array{.cop}.type.mode         d:type+, [a:b64, {c*array:s32}]           ; since 3.0 sm_20 ; reads
suld.b.array{.cop}.vec.narrow.mode   {d*vec:narrow+}, [a:b64, {c*array:s32}]   ; since 3.0 sm_20 ; reads
suld.b.array{.cop}.v2.b64.mode       {d*2:b64}, [a:b64, {c*array:s32}]         ; since 3.0 sm_20 ; reads
section 9.7.11.2
lets b c vector
lets b c mixed
lets b scalar
lets b constant
lets b float
sust.b.flat{.st_cop}.type.mode       [a:b64, {c*flat:s32}], b:type+            ; since 3.0 sm_20 ; writes
sust.b.flat{.st_cop}.vec.narrow.mode [a:b64, {c*flat:s32}], {b*vec:narrow+}    ; since 3.0 sm_20 ; writes
sust.b.flat{.st_cop}.v2.b64.mode     [a:b64, {c*flat:s32}], {b*2:b64}          ; since 3.0 sm_20 ; writes
sust.b.array{.st_cop}.type.mode      [a:b64, {c*array:s32}], b:type+           ; since 3.0 sm_20 ; writes
sust.b.array{.st_cop}.vec.narrow.mode [a:b64, {c*array:s32}], {b*vec:narrow+}  ; since 3.0 sm_20 ; writes
sust.b.array{.st_cop}.v2.b64.mode    [a:b64, {c*array:s32}], {b*2:b64}         ; since 3.0 sm_20 ; writes
sust.p.flat.b32.mode                 [a:b64, {c*flat:s32}], b:b32              ; since 3.0 sm_20 ; writes ; lets st_cop extra ; lets b wider
sust.p.flat.vec.b32.mode             [a:b64, {c*flat:s32}], {b*vec:b32}        ; since 3.0 sm_20 ; writes ; lets st_cop extra ; lets b wider
sust.p.array.b32.mode                [a:b64, {c*array:s32}], b:b32             ; since 3.0 sm_20 ; writes ; lets st_cop extra ; lets b wider
sust.p.array.vec.b32.mode            [a:b64, {c*array:s32}], {b*vec:b32}       ; since 3.0 sm_20 ; writes ; lets st_cop extra ; lets b wider
section 9.7.11.3
lets b wider
lets c vector
lets c mixed
sured.b.add.flat.type.mode           [a:b64, {c*flat:s32}], b                  ; type = u32 s32 u64 ; since 3.0 sm_20 ; reads ; writes
sured.b.op.flat.type.mode            [a:b64, {c*flat:s32}], b                  ; op = min max ; type = u32 s32 u64(8.1 sm_50) s64(8.1 sm_50) ; since 3.0 sm_20 ; reads ; writes
sured.b.op.flat.b32.mode             [a:b64, {c*flat:s32}], b                  ; op = and or ; since 3.0 sm_20 ; reads ; writes
sured.p.op.flat.b32.mode             [a:b64, {c*flat:s32}], b                  ; op = add min max and or ; since 3.0 sm_20 ; reads ; writes
sured.p.op.flat.b64.mode             [a:b64, {c*flat:s32}], b                  ; op = min max ; since 8.1 sm_50 ; reads ; writes
section 9.7.11.4
suq.query.b32                        d, [a:b64]   ; query = width height depth channel_data_type channel_order array_size(4.1) memory_layout(4.2) ; since 2.0 sm_20
"""
