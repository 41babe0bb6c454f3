"""The types of `k.ptx.<instruction>(operands)`. Written by tools/make_stubs.py from the table; do not edit.

An alias in capitals is what may be given where the table says a type: values of that type and of its signed, unsigned or untyped
twin, or a register of the ir.
"""

from typing import Any, TypeVar, overload

from ptxgen.builder.memory.arrays import DeviceArray
from ptxgen.builder.memory.pointers import ptr
from ptxgen.builder.tiles.tensor_maps import TensorMap
from ptxgen.builder.values.vectors import vec
from ptxgen.builder.values.scalars import (
    b8, b16, b32, b64, b128, bf16, e4m3, e5m2, f16, f16x2, f32, f64, pred, s8, s16, s32, s64, u8, u16, u32, u64,
)
from ptxgen.ir import Address as _Address
from ptxgen.ir import Element, Not, Register, Sink, Special, Symbol

_T = TypeVar("_T")
Vector = tuple[_T, ...] | vec
New = type[Any]  # a type, where the call makes the value
Guard = pred | Not | None
Name = str | Symbol
Coordinates = list[Any] | _Address
Address = ptr[Any] | DeviceArray[Any] | TensorMap | list[Any] | _Address | u64 | s64 | b64 | u32 | s32 | b32
I16 = u8 | u16 | s8 | s16 | b8 | b16 | Register
I32 = u32 | s32 | b32 | ptr[Any] | DeviceArray[Any] | Register
I64 = u64 | s64 | b64 | ptr[Any] | DeviceArray[Any] | TensorMap | Register
U8X4 = u32 | s32 | b32 | f16x2 | ptr[Any] | DeviceArray[Any] | Register
F32 = b32 | f16x2 | f32 | Register
F16 = b8 | b16 | f16 | bf16 | e4m3 | e5m2 | Register
F32X2 = u64 | s64 | b64 | f64 | ptr[Any] | DeviceArray[Any] | TensorMap | Register
F64 = b64 | f64 | Register
E2M1X4 = u8 | u16 | s8 | s16 | b8 | b16 | f16 | bf16 | e4m3 | e5m2 | Register
B32 = u32 | s32 | b32 | f16x2 | f32 | ptr[Any] | DeviceArray[Any] | Register
PRED = pred | Register
B8 = Register
B128 = b128 | Register
B8_WIDER = u8 | u16 | u32 | u64 | s8 | s16 | s32 | s64 | b8 | b16 | b32 | b64 | b128 | f16 | bf16 | f16x2 | f32 | f64 | e4m3 | e5m2 | ptr[Any] | DeviceArray[Any] | TensorMap | Register
B32_WIDER = u32 | u64 | s32 | s64 | b32 | b64 | b128 | f16x2 | f32 | f64 | ptr[Any] | DeviceArray[Any] | TensorMap | Register
B64_WIDER = u64 | s64 | b64 | b128 | f64 | ptr[Any] | DeviceArray[Any] | TensorMap | Register
I8_WIDER = u8 | u16 | u32 | u64 | s8 | s16 | s32 | s64 | b8 | b16 | b32 | b64 | b128 | ptr[Any] | DeviceArray[Any] | TensorMap | Register
I32_WIDER = u32 | u64 | s32 | s64 | b32 | b64 | b128 | ptr[Any] | DeviceArray[Any] | TensorMap | Register
I64_WIDER = u64 | s64 | b64 | b128 | ptr[Any] | DeviceArray[Any] | TensorMap | Register
F32_WIDER = b32 | b64 | b128 | f16x2 | f32 | Register
F64_WIDER = b64 | b128 | f64 | Register
F16_WIDER = b8 | b16 | b32 | b64 | b128 | f16 | bf16 | f16x2 | e4m3 | e5m2 | Register

class _Chain:
    def __getitem__(self, name: str, /) -> Any: ...
class _add_u16(_Chain):
    def __call__(self, d: I16 | New, a: I16 | int, b: I16 | int, /, *, pred: Guard = ...) -> Any: ...
class _add_u32(_Chain):
    def __call__(self, d: I32 | New, a: I32 | int, b: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _add_u64(_Chain):
    def __call__(self, d: I64 | New, a: I64 | int, b: I64 | int, /, *, pred: Guard = ...) -> Any: ...
class _add_sat_u8x4(_Chain):
    def __call__(self, d: U8X4 | New, a: U8X4, b: U8X4, /, *, pred: Guard = ...) -> Any: ...
class _add_sat_f32_f16(_Chain):
    def __call__(self, d: F32 | New, a: F16, c: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _add_sat_f32(_Chain):
    f16: _add_sat_f32_f16
    bf16: _add_sat_f32_f16
    def __call__(self, d: F32 | New, a: F32 | float, b: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _add_sat_f16(_Chain):
    def __call__(self, d: F16 | New, a: F16, b: F16, /, *, pred: Guard = ...) -> Any: ...
class _add_sat(_Chain):
    s32: _add_u32
    u8x4: _add_sat_u8x4
    s8x4: _add_sat_u8x4
    u32: _add_u32
    u16x2: _add_sat_u8x4
    s16x2: _add_sat_u8x4
    f32: _add_sat_f32
    f16: _add_sat_f16
    f16x2: _add_sat_u8x4
class _add_cc(_Chain):
    u32: _add_u32
    s32: _add_u32
    u64: _add_u64
    s64: _add_u64
class _add_rn_ftz_sat_f32(_Chain):
    def __call__(self, d: F32 | New, a: F32 | float, b: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _add_rn_ftz_sat(_Chain):
    f32: _add_rn_ftz_sat_f32
    f16: _add_sat_f16
    f16x2: _add_sat_u8x4
class _add_rn_ftz_f32x2(_Chain):
    def __call__(self, d: F32X2 | New, a: F32X2, b: F32X2, /, *, pred: Guard = ...) -> Any: ...
class _add_rn_ftz(_Chain):
    sat: _add_rn_ftz_sat
    f32: _add_rn_ftz_sat_f32
    f32x2: _add_rn_ftz_f32x2
    f16: _add_sat_f16
    f16x2: _add_sat_u8x4
class _add_rn_sat(_Chain):
    f32: _add_sat_f32
    f16: _add_sat_f16
    f16x2: _add_sat_u8x4
class _add_rn_f64(_Chain):
    def __call__(self, d: F64 | New, a: F64 | float, b: F64 | float, /, *, pred: Guard = ...) -> Any: ...
class _add_rn_f32x2_f16x2_f32x2(_Chain):
    def __call__(self, d: F32X2 | New, a: U8X4, c: F32X2, /, *, pred: Guard = ...) -> Any: ...
class _add_rn_f32x2_f16x2(_Chain):
    f32x2: _add_rn_f32x2_f16x2_f32x2
class _add_rn_f32x2(_Chain):
    f16x2: _add_rn_f32x2_f16x2
    bf16x2: _add_rn_f32x2_f16x2
    def __call__(self, d: F32X2 | New, a: F32X2, b: F32X2, /, *, pred: Guard = ...) -> Any: ...
class _add_rn_satfinite_e4m3x4_e4m3x4(_Chain):
    def __call__(self, d: U8X4 | New, a: U8X4, c: U8X4, /, *, pred: Guard = ...) -> Any: ...
class _add_rn_satfinite_e4m3x4_e2m1x4(_Chain):
    def __call__(self, d: U8X4 | New, a: E2M1X4, c: U8X4, /, *, pred: Guard = ...) -> Any: ...
class _add_rn_satfinite_e4m3x4(_Chain):
    e4m3x4: _add_rn_satfinite_e4m3x4_e4m3x4
    e5m2x4: _add_rn_satfinite_e4m3x4_e4m3x4
    e2m3x4: _add_rn_satfinite_e4m3x4_e4m3x4
    e3m2x4: _add_rn_satfinite_e4m3x4_e4m3x4
    e2m1x4: _add_rn_satfinite_e4m3x4_e2m1x4
class _add_rn_satfinite(_Chain):
    e4m3x4: _add_rn_satfinite_e4m3x4
    e5m2x4: _add_rn_satfinite_e4m3x4
class _add_rn(_Chain):
    ftz: _add_rn_ftz
    sat: _add_rn_sat
    f32: _add_sat_f32
    f64: _add_rn_f64
    f32x2: _add_rn_f32x2
    f16: _add_sat_f16
    f16x2: _add_sat_u8x4
    bf16: _add_sat_f16
    bf16x2: _add_sat_u8x4
    satfinite: _add_rn_satfinite
    e4m3x4: _add_rn_satfinite_e4m3x4
    e5m2x4: _add_rn_satfinite_e4m3x4
class _add_rz_ftz_sat(_Chain):
    f32: _add_rn_ftz_sat_f32
class _add_rz_ftz_f16x2_f32x2_f32x2(_Chain):
    def __call__(self, d: U8X4 | New, a: F32X2, c: F32X2, /, *, pred: Guard = ...) -> Any: ...
class _add_rz_ftz_f16x2_f32x2(_Chain):
    f32x2: _add_rz_ftz_f16x2_f32x2_f32x2
class _add_rz_ftz_f16x2(_Chain):
    f32x2: _add_rz_ftz_f16x2_f32x2
class _add_rz_ftz(_Chain):
    sat: _add_rz_ftz_sat
    f32: _add_rn_ftz_sat_f32
    f32x2: _add_rn_ftz_f32x2
    f16x2: _add_rz_ftz_f16x2
class _add_rz_sat(_Chain):
    f32: _add_sat_f32
class _add_rz(_Chain):
    ftz: _add_rz_ftz
    sat: _add_rz_sat
    f32: _add_sat_f32
    f64: _add_rn_f64
    f32x2: _add_rn_f32x2
    bf16x2: _add_rz_ftz_f16x2
class _add_rm_ftz(_Chain):
    sat: _add_rz_ftz_sat
    f32: _add_rn_ftz_sat_f32
    f32x2: _add_rn_ftz_f32x2
class _add_rm(_Chain):
    ftz: _add_rm_ftz
    sat: _add_rz_sat
    f32: _add_sat_f32
    f64: _add_rn_f64
    f32x2: _add_rn_f32x2
class _add(_Chain):
    u16: _add_u16
    u32: _add_u32
    u64: _add_u64
    s16: _add_u16
    s32: _add_u32
    s64: _add_u64
    sat: _add_sat
    u16x2: _add_sat_u8x4
    s16x2: _add_sat_u8x4
    u8x4: _add_sat_u8x4
    s8x4: _add_sat_u8x4
    cc: _add_cc
    rn: _add_rn
    rz: _add_rz
    rm: _add_rm
    rp: _add_rm
    ftz: _add_rn_ftz
    f32: _add_sat_f32
    f64: _add_rn_f64
    f32x2: _add_rn_f32x2
    f16: _add_sat_f16
    f16x2: _add_sat_u8x4
    bf16: _add_sat_f16
    bf16x2: _add_sat_u8x4
    satfinite: _add_rn_satfinite
    e4m3x4: _add_rn_satfinite_e4m3x4
    e5m2x4: _add_rn_satfinite_e4m3x4
class _sub_sat(_Chain):
    s32: _add_u32
    u8x4: _add_sat_u8x4
    s8x4: _add_sat_u8x4
    f32: _add_sat_f32
    f16: _add_sat_f16
    f16x2: _add_sat_u8x4
class _sub(_Chain):
    u16: _add_u16
    u32: _add_u32
    u64: _add_u64
    s16: _add_u16
    s32: _add_u32
    s64: _add_u64
    sat: _sub_sat
    u8x4: _add_sat_u8x4
    s8x4: _add_sat_u8x4
    cc: _add_cc
    rn: _add_rn
    rz: _add_rz
    rm: _add_rm
    rp: _add_rm
    ftz: _add_rn_ftz
    f32: _add_sat_f32
    f64: _add_rn_f64
    f32x2: _add_rn_f32x2
    f16: _add_sat_f16
    f16x2: _add_sat_u8x4
    bf16: _add_sat_f16
    bf16x2: _add_sat_u8x4
    satfinite: _add_rn_satfinite
    e4m3x4: _add_rn_satfinite_e4m3x4
    e5m2x4: _add_rn_satfinite_e4m3x4
class _mul_hi(_Chain):
    u16: _add_u16
    u32: _add_u32
    u64: _add_u64
    s16: _add_u16
    s32: _add_u32
    s64: _add_u64
class _mul_wide_u16(_Chain):
    def __call__(self, d: I32 | New, a: I16 | int, b: I16 | int, /, *, pred: Guard = ...) -> Any: ...
class _mul_wide_u32(_Chain):
    def __call__(self, d: I64 | New, a: I32 | int, b: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _mul_wide(_Chain):
    u16: _mul_wide_u16
    u32: _mul_wide_u32
    s16: _mul_wide_u16
    s32: _mul_wide_u32
class _mul_rn_satfinite_e4m3x4_e4m3x4_e2m1x4(_Chain):
    def __call__(self, d: U8X4 | New, a: U8X4, b: E2M1X4, /, *, pred: Guard = ...) -> Any: ...
class _mul_rn_satfinite_e4m3x4_e4m3x4(_Chain):
    e4m3x4: _add_sat_u8x4
    e5m2x4: _add_sat_u8x4
    e2m3x4: _add_sat_u8x4
    e3m2x4: _add_sat_u8x4
    e2m1x4: _mul_rn_satfinite_e4m3x4_e4m3x4_e2m1x4
class _mul_rn_satfinite_e4m3x4_e2m1x4_e4m3x4(_Chain):
    def __call__(self, d: U8X4 | New, a: E2M1X4, b: U8X4, /, *, pred: Guard = ...) -> Any: ...
class _mul_rn_satfinite_e4m3x4_e2m1x4_e2m1x4(_Chain):
    def __call__(self, d: U8X4 | New, a: E2M1X4, b: E2M1X4, /, *, pred: Guard = ...) -> Any: ...
class _mul_rn_satfinite_e4m3x4_e2m1x4(_Chain):
    e4m3x4: _mul_rn_satfinite_e4m3x4_e2m1x4_e4m3x4
    e5m2x4: _mul_rn_satfinite_e4m3x4_e2m1x4_e4m3x4
    e2m3x4: _mul_rn_satfinite_e4m3x4_e2m1x4_e4m3x4
    e3m2x4: _mul_rn_satfinite_e4m3x4_e2m1x4_e4m3x4
    e2m1x4: _mul_rn_satfinite_e4m3x4_e2m1x4_e2m1x4
class _mul_rn_satfinite_e4m3x4(_Chain):
    e4m3x4: _mul_rn_satfinite_e4m3x4_e4m3x4
    e5m2x4: _mul_rn_satfinite_e4m3x4_e4m3x4
    e2m3x4: _mul_rn_satfinite_e4m3x4_e4m3x4
    e3m2x4: _mul_rn_satfinite_e4m3x4_e4m3x4
    e2m1x4: _mul_rn_satfinite_e4m3x4_e2m1x4
class _mul_rn_satfinite(_Chain):
    e4m3x4: _mul_rn_satfinite_e4m3x4
    e5m2x4: _mul_rn_satfinite_e4m3x4
class _mul_rn(_Chain):
    ftz: _add_rn_ftz
    sat: _add_rn_ftz_sat
    f32: _add_rn_ftz_sat_f32
    f64: _add_rn_f64
    f32x2: _add_rn_ftz_f32x2
    f16: _add_sat_f16
    f16x2: _add_sat_u8x4
    bf16: _add_sat_f16
    bf16x2: _add_sat_u8x4
    satfinite: _mul_rn_satfinite
    e4m3x4: _mul_rn_satfinite_e4m3x4
    e5m2x4: _mul_rn_satfinite_e4m3x4
class _mul_rz_ftz_f16x2_f32x2_f32x2(_Chain):
    def __call__(self, d: U8X4 | New, a: F32X2, b: F32X2, /, *, pred: Guard = ...) -> Any: ...
class _mul_rz_ftz_f16x2_f32x2(_Chain):
    f32x2: _mul_rz_ftz_f16x2_f32x2_f32x2
class _mul_rz_ftz_f16x2(_Chain):
    f32x2: _mul_rz_ftz_f16x2_f32x2
class _mul_rz_ftz(_Chain):
    sat: _add_rz_ftz_sat
    f32: _add_rn_ftz_sat_f32
    f32x2: _add_rn_ftz_f32x2
    f16x2: _mul_rz_ftz_f16x2
class _mul_rz(_Chain):
    ftz: _mul_rz_ftz
    sat: _add_rz_ftz_sat
    f32: _add_rn_ftz_sat_f32
    f64: _add_rn_f64
    f32x2: _add_rn_ftz_f32x2
    bf16x2: _mul_rz_ftz_f16x2
class _mul_rm(_Chain):
    ftz: _add_rm_ftz
    sat: _add_rz_ftz_sat
    f32: _add_rn_ftz_sat_f32
    f64: _add_rn_f64
    f32x2: _add_rn_ftz_f32x2
class _mul_f16x2_f16x2(_Chain):
    bf16x2: _add_sat_u8x4
class _mul_f16x2(_Chain):
    f16x2: _mul_f16x2_f16x2
    def __call__(self, d: U8X4 | New, a: U8X4, b: U8X4, /, *, pred: Guard = ...) -> Any: ...
class _mul_bf16x2_bf16x2(_Chain):
    f16x2: _add_sat_u8x4
class _mul_bf16x2(_Chain):
    bf16x2: _mul_bf16x2_bf16x2
    def __call__(self, d: U8X4 | New, a: U8X4, b: U8X4, /, *, pred: Guard = ...) -> Any: ...
class _mul(_Chain):
    hi: _mul_hi
    lo: _mul_hi
    wide: _mul_wide
    rn: _mul_rn
    rz: _mul_rz
    rm: _mul_rm
    rp: _mul_rm
    ftz: _add_rn_ftz
    sat: _add_rn_ftz_sat
    f32: _add_rn_ftz_sat_f32
    f64: _add_rn_f64
    f32x2: _add_rn_ftz_f32x2
    f16: _add_sat_f16
    f16x2: _mul_f16x2
    bf16: _add_sat_f16
    bf16x2: _mul_bf16x2
    satfinite: _mul_rn_satfinite
    e4m3x4: _mul_rn_satfinite_e4m3x4
    e5m2x4: _mul_rn_satfinite_e4m3x4
class _mad_hi_u16(_Chain):
    def __call__(self, d: I16 | New, a: I16 | int, b: I16 | int, c: I16 | int, /, *, pred: Guard = ...) -> Any: ...
class _mad_hi_u32(_Chain):
    def __call__(self, d: I32 | New, a: I32 | int, b: I32 | int, c: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _mad_hi_u64(_Chain):
    def __call__(self, d: I64 | New, a: I64 | int, b: I64 | int, c: I64 | int, /, *, pred: Guard = ...) -> Any: ...
class _mad_hi_sat(_Chain):
    s32: _mad_hi_u32
class _mad_hi_cc(_Chain):
    u32: _mad_hi_u32
    s32: _mad_hi_u32
    u64: _mad_hi_u64
    s64: _mad_hi_u64
class _mad_hi(_Chain):
    u16: _mad_hi_u16
    u32: _mad_hi_u32
    u64: _mad_hi_u64
    s16: _mad_hi_u16
    s32: _mad_hi_u32
    s64: _mad_hi_u64
    sat: _mad_hi_sat
    cc: _mad_hi_cc
class _mad_lo(_Chain):
    u16: _mad_hi_u16
    u32: _mad_hi_u32
    u64: _mad_hi_u64
    s16: _mad_hi_u16
    s32: _mad_hi_u32
    s64: _mad_hi_u64
    cc: _mad_hi_cc
class _mad_wide_u16(_Chain):
    def __call__(self, d: I32 | New, a: I16 | int, b: I16 | int, c: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _mad_wide_u32(_Chain):
    def __call__(self, d: I64 | New, a: I32 | int, b: I32 | int, c: I64 | int, /, *, pred: Guard = ...) -> Any: ...
class _mad_wide(_Chain):
    u16: _mad_wide_u16
    u32: _mad_wide_u32
    s16: _mad_wide_u16
    s32: _mad_wide_u32
class _mad_rn_ftz_sat_f32(_Chain):
    def __call__(self, d: F32 | New, a: F32 | float, b: F32 | float, c: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _mad_rn_ftz_sat(_Chain):
    f32: _mad_rn_ftz_sat_f32
class _mad_rn_ftz(_Chain):
    sat: _mad_rn_ftz_sat
    f32: _mad_rn_ftz_sat_f32
class _mad_rn_f64(_Chain):
    def __call__(self, d: F64 | New, a: F64 | float, b: F64 | float, c: F64 | float, /, *, pred: Guard = ...) -> Any: ...
class _mad_rn(_Chain):
    ftz: _mad_rn_ftz
    sat: _mad_rn_ftz_sat
    f32: _mad_rn_ftz_sat_f32
    f64: _mad_rn_f64
class _mad(_Chain):
    hi: _mad_hi
    lo: _mad_lo
    wide: _mad_wide
    rn: _mad_rn
    rz: _mad_rn
    rm: _mad_rn
    rp: _mad_rn
    ftz: _mad_rn_ftz
    sat: _mad_rn_ftz_sat
    f32: _mad_rn_ftz_sat_f32
class _mul24_hi(_Chain):
    u32: _add_u32
    s32: _add_u32
class _mul24(_Chain):
    hi: _mul24_hi
    lo: _mul24_hi
class _mad24_hi(_Chain):
    u32: _mad_hi_u32
    s32: _mad_hi_u32
    sat: _mad_hi_sat
class _mad24_lo(_Chain):
    u32: _mad_hi_u32
    s32: _mad_hi_u32
class _mad24(_Chain):
    hi: _mad24_hi
    lo: _mad24_lo
class _sad(_Chain):
    u16: _mad_hi_u16
    u32: _mad_hi_u32
    u64: _mad_hi_u64
    s16: _mad_hi_u16
    s32: _mad_hi_u32
    s64: _mad_hi_u64
class _div_approx(_Chain):
    ftz: _add_rz_ftz_sat
    f32: _add_rn_ftz_sat_f32
class _div_rn(_Chain):
    ftz: _add_rz_ftz_sat
    f32: _add_rn_ftz_sat_f32
    f64: _add_rn_f64
class _div(_Chain):
    u16: _add_u16
    u32: _add_u32
    u64: _add_u64
    s16: _add_u16
    s32: _add_u32
    s64: _add_u64
    approx: _div_approx
    full: _div_approx
    rn: _div_rn
    rz: _div_rn
    rm: _div_rn
    rp: _div_rn
class _abs_s16(_Chain):
    def __call__(self, d: I16 | New, a: I16 | int, /, *, pred: Guard = ...) -> Any: ...
class _abs_s32(_Chain):
    def __call__(self, d: I32 | New, a: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _abs_s64(_Chain):
    def __call__(self, d: I64 | New, a: I64 | int, /, *, pred: Guard = ...) -> Any: ...
class _abs_ftz_f32(_Chain):
    def __call__(self, d: F32 | New, a: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _abs_ftz_f16(_Chain):
    def __call__(self, d: F16 | New, a: F16, /, *, pred: Guard = ...) -> Any: ...
class _abs_ftz_f16x2(_Chain):
    def __call__(self, d: U8X4 | New, a: U8X4, /, *, pred: Guard = ...) -> Any: ...
class _abs_ftz(_Chain):
    f32: _abs_ftz_f32
    f16: _abs_ftz_f16
    f16x2: _abs_ftz_f16x2
class _abs_f64(_Chain):
    def __call__(self, d: F64 | New, a: F64 | float, /, *, pred: Guard = ...) -> Any: ...
class _abs(_Chain):
    s16: _abs_s16
    s32: _abs_s32
    s64: _abs_s64
    ftz: _abs_ftz
    f32: _abs_ftz_f32
    f64: _abs_f64
    f16: _abs_ftz_f16
    f16x2: _abs_ftz_f16x2
    bf16: _abs_ftz_f16
    bf16x2: _abs_ftz_f16x2
class _neg(_Chain):
    s16: _abs_s16
    s32: _abs_s32
    s64: _abs_s64
    s8x4: _abs_ftz_f16x2
    ftz: _abs_ftz
    f32: _abs_ftz_f32
    f64: _abs_f64
    f16: _abs_ftz_f16
    f16x2: _abs_ftz_f16x2
    bf16: _abs_ftz_f16
    bf16x2: _abs_ftz_f16x2
class _min_relu(_Chain):
    s32: _add_u32
    s16x2: _add_sat_u8x4
    s8x4: _add_sat_u8x4
class _min_ftz_NaN_f32(_Chain):
    @overload
    def __call__(self, d: F32 | New, a: F32 | float, b: F32 | float, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: F32 | New, a: F32 | float, b: F32 | float, c: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _min_ftz_NaN_xorsign(_Chain):
    abs: _add_rn_ftz_sat
class _min_ftz_NaN(_Chain):
    f32: _min_ftz_NaN_f32
    xorsign: _min_ftz_NaN_xorsign
    abs: _mad_rn_ftz_sat
    f16: _add_sat_f16
    f16x2: _add_sat_u8x4
class _min_ftz(_Chain):
    NaN: _min_ftz_NaN
    f32: _min_ftz_NaN_f32
    xorsign: _min_ftz_NaN_xorsign
    abs: _mad_rn_ftz_sat
    f16: _add_sat_f16
    f16x2: _add_sat_u8x4
class _min_NaN_xorsign_abs(_Chain):
    f32: _add_rn_ftz_sat_f32
    f16: _add_sat_f16
    f16x2: _add_sat_u8x4
    bf16: _add_sat_f16
    bf16x2: _add_sat_u8x4
class _min_NaN_xorsign(_Chain):
    abs: _min_NaN_xorsign_abs
class _min_NaN(_Chain):
    f32: _min_ftz_NaN_f32
    xorsign: _min_NaN_xorsign
    abs: _mad_rn_ftz_sat
    f16: _add_sat_f16
    f16x2: _add_sat_u8x4
    bf16: _add_sat_f16
    bf16x2: _add_sat_u8x4
class _min(_Chain):
    u16: _add_u16
    u32: _add_u32
    u64: _add_u64
    s16: _add_u16
    s32: _add_u32
    s64: _add_u64
    relu: _min_relu
    u16x2: _add_sat_u8x4
    s16x2: _add_sat_u8x4
    u8x4: _add_sat_u8x4
    s8x4: _add_sat_u8x4
    ftz: _min_ftz
    NaN: _min_NaN
    f32: _min_ftz_NaN_f32
    xorsign: _min_NaN_xorsign
    abs: _mad_rn_ftz_sat
    f64: _add_rn_f64
    f16: _add_sat_f16
    f16x2: _add_sat_u8x4
    bf16: _add_sat_f16
    bf16x2: _add_sat_u8x4
class _popc_b32(_Chain):
    def __call__(self, d: I32 | New, a: B32 | float, /, *, pred: Guard = ...) -> Any: ...
class _popc_b64(_Chain):
    def __call__(self, d: I32 | New, a: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _popc(_Chain):
    b32: _popc_b32
    b64: _popc_b64
class _bfind_shiftamt_u64(_Chain):
    def __call__(self, d: I32 | New, a: I64 | int, /, *, pred: Guard = ...) -> Any: ...
class _bfind_shiftamt(_Chain):
    u32: _abs_s32
    u64: _bfind_shiftamt_u64
    s32: _abs_s32
    s64: _bfind_shiftamt_u64
class _bfind(_Chain):
    shiftamt: _bfind_shiftamt
    u32: _abs_s32
    u64: _bfind_shiftamt_u64
    s32: _abs_s32
    s64: _bfind_shiftamt_u64
class _fns_b32(_Chain):
    def __call__(self, d: B32 | New, mask: B32 | float, base: B32 | float, offset: B32 | float, /, *, pred: Guard = ...) -> Any: ...
class _fns(_Chain):
    b32: _fns_b32
class _brev_b32(_Chain):
    def __call__(self, d: B32 | New, a: B32 | float, /, *, pred: Guard = ...) -> Any: ...
class _brev_b64(_Chain):
    def __call__(self, d: F32X2 | New, a: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _brev(_Chain):
    b32: _brev_b32
    b64: _brev_b64
class _bfe_u64(_Chain):
    def __call__(self, d: I64 | New, a: I64 | int, b: I32 | int, c: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _bfe(_Chain):
    u32: _mad_hi_u32
    u64: _bfe_u64
    s32: _mad_hi_u32
    s64: _bfe_u64
class _bfi_b32(_Chain):
    def __call__(self, d: B32 | New, a: B32 | float, b: B32 | float, c: I32 | int, len: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _bfi_b64(_Chain):
    def __call__(self, d: F32X2 | New, a: F32X2 | float, b: F32X2 | float, c: I32 | int, len: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _bfi(_Chain):
    b32: _bfi_b32
    b64: _bfi_b64
class _szext(_Chain):
    clamp: _mul24_hi
    wrap: _mul24_hi
class _bmsk_clamp_b32(_Chain):
    def __call__(self, d: B32 | New, a: B32 | float, b: B32 | float, /, *, pred: Guard = ...) -> Any: ...
class _bmsk_clamp(_Chain):
    b32: _bmsk_clamp_b32
class _bmsk(_Chain):
    clamp: _bmsk_clamp
    wrap: _bmsk_clamp
class _dp4a_u32_u32(_Chain):
    def __call__(self, d: I32 | New, a: B32 | float, b: B32 | float, c: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _dp4a_u32(_Chain):
    u32: _dp4a_u32_u32
    s32: _dp4a_u32_u32
class _dp4a(_Chain):
    u32: _dp4a_u32
    s32: _dp4a_u32
class _dp2a(_Chain):
    lo: _dp4a
    hi: _dp4a
class _clmad_hi(_Chain):
    u64: _mad_hi_u64
class _clmad(_Chain):
    hi: _clmad_hi
    lo: _clmad_hi
class _addc(_Chain):
    cc: _add_cc
    u32: _add_u32
    s32: _add_u32
    u64: _add_u64
    s64: _add_u64
class _madc_hi(_Chain):
    cc: _mad_hi_cc
    u32: _mad_hi_u32
    s32: _mad_hi_u32
    u64: _mad_hi_u64
    s64: _mad_hi_u64
class _madc(_Chain):
    hi: _madc_hi
    lo: _madc_hi
class _testp_finite_f32(_Chain):
    def __call__(self, p: PRED | New, a: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _testp_finite_f64(_Chain):
    def __call__(self, p: PRED | New, a: F64 | float, /, *, pred: Guard = ...) -> Any: ...
class _testp_finite(_Chain):
    f32: _testp_finite_f32
    f64: _testp_finite_f64
class _testp(_Chain):
    finite: _testp_finite
    infinite: _testp_finite
    number: _testp_finite
    notanumber: _testp_finite
    normal: _testp_finite
    subnormal: _testp_finite
class _copysign(_Chain):
    f32: _add_rn_ftz_sat_f32
    f64: _add_rn_f64
class _fma_rn_ftz_sat_f16(_Chain):
    def __call__(self, d: F16 | New, a: F16, b: F16, c: F16, /, *, pred: Guard = ...) -> Any: ...
class _fma_rn_ftz_sat_f16x2(_Chain):
    def __call__(self, d: U8X4 | New, a: U8X4, b: U8X4, c: U8X4, /, *, pred: Guard = ...) -> Any: ...
class _fma_rn_ftz_sat(_Chain):
    f32: _mad_rn_ftz_sat_f32
    f16: _fma_rn_ftz_sat_f16
    f16x2: _fma_rn_ftz_sat_f16x2
class _fma_rn_ftz_f32x2(_Chain):
    def __call__(self, d: F32X2 | New, a: F32X2, b: F32X2, c: F32X2, /, *, pred: Guard = ...) -> Any: ...
class _fma_rn_ftz_relu(_Chain):
    f16: _fma_rn_ftz_sat_f16
    f16x2: _fma_rn_ftz_sat_f16x2
class _fma_rn_ftz(_Chain):
    sat: _fma_rn_ftz_sat
    f32: _mad_rn_ftz_sat_f32
    f32x2: _fma_rn_ftz_f32x2
    f16: _fma_rn_ftz_sat_f16
    f16x2: _fma_rn_ftz_sat_f16x2
    relu: _fma_rn_ftz_relu
class _fma_rn_sat_f32_f16(_Chain):
    def __call__(self, d: F32 | New, a: F16, b: F16, c: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _fma_rn_sat_f32(_Chain):
    f16: _fma_rn_sat_f32_f16
    bf16: _fma_rn_sat_f32_f16
    def __call__(self, d: F32 | New, a: F32 | float, b: F32 | float, c: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _fma_rn_sat(_Chain):
    f32: _fma_rn_sat_f32
    f16: _fma_rn_ftz_sat_f16
    f16x2: _fma_rn_ftz_sat_f16x2
class _fma_rn_f32x2_f16x2_f32x2_f32x2(_Chain):
    def __call__(self, d: F32X2 | New, a: U8X4, b: F32X2, c: F32X2, /, *, pred: Guard = ...) -> Any: ...
class _fma_rn_f32x2_f16x2_f32x2(_Chain):
    f32x2: _fma_rn_f32x2_f16x2_f32x2_f32x2
class _fma_rn_f32x2_f16x2(_Chain):
    f32x2: _fma_rn_f32x2_f16x2_f32x2
class _fma_rn_f32x2(_Chain):
    f16x2: _fma_rn_f32x2_f16x2
    bf16x2: _fma_rn_f32x2_f16x2
    def __call__(self, d: F32X2 | New, a: F32X2, b: F32X2, c: F32X2, /, *, pred: Guard = ...) -> Any: ...
class _fma_rn_relu(_Chain):
    f16: _fma_rn_ftz_sat_f16
    f16x2: _fma_rn_ftz_sat_f16x2
    bf16: _fma_rn_ftz_sat_f16
    bf16x2: _fma_rn_ftz_sat_f16x2
class _fma_rn_oob(_Chain):
    f16: _fma_rn_ftz_sat_f16
    f16x2: _fma_rn_ftz_sat_f16x2
    bf16: _fma_rn_ftz_sat_f16
    bf16x2: _fma_rn_ftz_sat_f16x2
    relu: _fma_rn_relu
class _fma_rn_satfinite_e4m3x4_e4m3x4_e2m1x4(_Chain):
    def __call__(self, d: U8X4 | New, a: U8X4, b: E2M1X4, c: U8X4, /, *, pred: Guard = ...) -> Any: ...
class _fma_rn_satfinite_e4m3x4_e4m3x4(_Chain):
    e4m3x4: _fma_rn_ftz_sat_f16x2
    e5m2x4: _fma_rn_ftz_sat_f16x2
    e2m3x4: _fma_rn_ftz_sat_f16x2
    e3m2x4: _fma_rn_ftz_sat_f16x2
    e2m1x4: _fma_rn_satfinite_e4m3x4_e4m3x4_e2m1x4
class _fma_rn_satfinite_e4m3x4_e2m1x4_e4m3x4(_Chain):
    def __call__(self, d: U8X4 | New, a: E2M1X4, b: U8X4, c: U8X4, /, *, pred: Guard = ...) -> Any: ...
class _fma_rn_satfinite_e4m3x4_e2m1x4_e2m1x4(_Chain):
    def __call__(self, d: U8X4 | New, a: E2M1X4, b: E2M1X4, c: U8X4, /, *, pred: Guard = ...) -> Any: ...
class _fma_rn_satfinite_e4m3x4_e2m1x4(_Chain):
    e4m3x4: _fma_rn_satfinite_e4m3x4_e2m1x4_e4m3x4
    e5m2x4: _fma_rn_satfinite_e4m3x4_e2m1x4_e4m3x4
    e2m3x4: _fma_rn_satfinite_e4m3x4_e2m1x4_e4m3x4
    e3m2x4: _fma_rn_satfinite_e4m3x4_e2m1x4_e4m3x4
    e2m1x4: _fma_rn_satfinite_e4m3x4_e2m1x4_e2m1x4
class _fma_rn_satfinite_e4m3x4(_Chain):
    e4m3x4: _fma_rn_satfinite_e4m3x4_e4m3x4
    e5m2x4: _fma_rn_satfinite_e4m3x4_e4m3x4
    e2m3x4: _fma_rn_satfinite_e4m3x4_e4m3x4
    e3m2x4: _fma_rn_satfinite_e4m3x4_e4m3x4
    e2m1x4: _fma_rn_satfinite_e4m3x4_e2m1x4
class _fma_rn_satfinite(_Chain):
    e4m3x4: _fma_rn_satfinite_e4m3x4
    e5m2x4: _fma_rn_satfinite_e4m3x4
class _fma_rn(_Chain):
    ftz: _fma_rn_ftz
    sat: _fma_rn_sat
    f32: _fma_rn_sat_f32
    f64: _mad_rn_f64
    f32x2: _fma_rn_f32x2
    f16: _fma_rn_ftz_sat_f16
    f16x2: _fma_rn_ftz_sat_f16x2
    relu: _fma_rn_relu
    bf16: _fma_rn_ftz_sat_f16
    bf16x2: _fma_rn_ftz_sat_f16x2
    oob: _fma_rn_oob
    satfinite: _fma_rn_satfinite
    e4m3x4: _fma_rn_satfinite_e4m3x4
    e5m2x4: _fma_rn_satfinite_e4m3x4
class _fma_rz_ftz(_Chain):
    sat: _mad_rn_ftz_sat
    f32: _mad_rn_ftz_sat_f32
    f32x2: _fma_rn_ftz_f32x2
class _fma_rz_sat(_Chain):
    f32: _fma_rn_sat_f32
class _fma_rz(_Chain):
    ftz: _fma_rz_ftz
    sat: _fma_rz_sat
    f32: _fma_rn_sat_f32
    f64: _mad_rn_f64
    f32x2: _fma_rn_f32x2
class _fma(_Chain):
    rn: _fma_rn
    rz: _fma_rz
    rm: _fma_rz
    rp: _fma_rz
    satfinite: _fma_rn_satfinite
    e4m3x4: _fma_rn_satfinite_e4m3x4
    e5m2x4: _fma_rn_satfinite_e4m3x4
class _rcp_approx_ftz(_Chain):
    f32: _abs_ftz_f32
    f64: _abs_f64
class _rcp_approx(_Chain):
    ftz: _rcp_approx_ftz
    f32: _abs_ftz_f32
class _rcp_rn_ftz(_Chain):
    f32: _abs_ftz_f32
class _rcp_rn(_Chain):
    ftz: _rcp_rn_ftz
    f32: _abs_ftz_f32
    f64: _abs_f64
class _rcp(_Chain):
    approx: _rcp_approx
    rn: _rcp_rn
    rz: _rcp_rn
    rm: _rcp_rn
    rp: _rcp_rn
class _sqrt_approx(_Chain):
    ftz: _rcp_rn_ftz
    f32: _abs_ftz_f32
class _sqrt(_Chain):
    approx: _sqrt_approx
    rn: _rcp_rn
    rz: _rcp_rn
    rm: _rcp_rn
    rp: _rcp_rn
class _rsqrt_approx(_Chain):
    ftz: _rcp_approx_ftz
    f32: _abs_ftz_f32
    f64: _abs_f64
class _rsqrt(_Chain):
    approx: _rsqrt_approx
class _sin_approx_2pi(_Chain):
    ftz: _rcp_rn_ftz
class _sin_approx(_Chain):
    ftz: _rcp_rn_ftz
    f32: _abs_ftz_f32
    _2pi: _sin_approx_2pi
class _sin(_Chain):
    approx: _sin_approx
class _lg2(_Chain):
    approx: _sqrt_approx
class _ex2_approx_ftz(_Chain):
    f32: _abs_ftz_f32
    bf16: _abs_ftz_f16
    bf16x2: _abs_ftz_f16x2
class _ex2_approx(_Chain):
    ftz: _ex2_approx_ftz
    f32: _abs_ftz_f32
    f16: _abs_ftz_f16
    f16x2: _abs_ftz_f16x2
class _ex2(_Chain):
    approx: _ex2_approx
class _tanh_approx(_Chain):
    f32: _abs_ftz_f32
    f16: _abs_ftz_f16
    f16x2: _abs_ftz_f16x2
    bf16: _abs_ftz_f16
    bf16x2: _abs_ftz_f16x2
class _tanh(_Chain):
    approx: _tanh_approx
class _set_eq_u32_u64(_Chain):
    def __call__(self, d: I32 | New, a: I64 | int, b: I64 | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_u32_b16(_Chain):
    def __call__(self, d: I32 | New, a: E2M1X4 | float, b: E2M1X4 | float, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_u32_b32(_Chain):
    def __call__(self, d: I32 | New, a: B32 | float, b: B32 | float, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_u32_b64(_Chain):
    def __call__(self, d: I32 | New, a: F32X2 | float, b: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_u32_f32(_Chain):
    def __call__(self, d: I32 | New, a: F32 | float, b: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_u32_f64(_Chain):
    def __call__(self, d: I32 | New, a: F64 | float, b: F64 | float, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_u32_f16(_Chain):
    def __call__(self, d: I32 | New, a: F16, b: F16, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_u32_f16x2(_Chain):
    def __call__(self, d: I32 | New, a: U8X4, b: U8X4, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_u32(_Chain):
    u16: _mul_wide_u16
    u32: _add_u32
    u64: _set_eq_u32_u64
    s16: _mul_wide_u16
    s32: _add_u32
    s64: _set_eq_u32_u64
    b16: _set_eq_u32_b16
    b32: _set_eq_u32_b32
    b64: _set_eq_u32_b64
    f32: _set_eq_u32_f32
    f64: _set_eq_u32_f64
    f16: _set_eq_u32_f16
    f16x2: _set_eq_u32_f16x2
    bf16: _set_eq_u32_f16
    bf16x2: _set_eq_u32_f16x2
class _set_eq_f32_u16(_Chain):
    def __call__(self, d: F32 | New, a: I16 | int, b: I16 | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_f32_u32(_Chain):
    def __call__(self, d: F32 | New, a: I32 | int, b: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_f32_u64(_Chain):
    def __call__(self, d: F32 | New, a: I64 | int, b: I64 | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_f32_b16(_Chain):
    def __call__(self, d: F32 | New, a: E2M1X4 | float, b: E2M1X4 | float, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_f32_b32(_Chain):
    def __call__(self, d: F32 | New, a: B32 | float, b: B32 | float, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_f32_b64(_Chain):
    def __call__(self, d: F32 | New, a: F32X2 | float, b: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_f32_f64(_Chain):
    def __call__(self, d: F32 | New, a: F64 | float, b: F64 | float, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_f32(_Chain):
    u16: _set_eq_f32_u16
    u32: _set_eq_f32_u32
    u64: _set_eq_f32_u64
    s16: _set_eq_f32_u16
    s32: _set_eq_f32_u32
    s64: _set_eq_f32_u64
    b16: _set_eq_f32_b16
    b32: _set_eq_f32_b32
    b64: _set_eq_f32_b64
    f32: _add_rn_ftz_sat_f32
    f64: _set_eq_f32_f64
class _set_eq_ftz_u32(_Chain):
    f32: _set_eq_u32_f32
    f16: _set_eq_u32_f16
    f16x2: _set_eq_u32_f16x2
class _set_eq_ftz_f16_f32(_Chain):
    def __call__(self, d: F16 | New, a: F32 | float, b: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_ftz_f16(_Chain):
    f32: _set_eq_ftz_f16_f32
    f16: _add_sat_f16
class _set_eq_ftz_u16_f16(_Chain):
    def __call__(self, d: I16 | New, a: F16, b: F16, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_ftz_u16(_Chain):
    f16: _set_eq_ftz_u16_f16
class _set_eq_ftz(_Chain):
    u32: _set_eq_ftz_u32
    s32: _set_eq_ftz_u32
    f32: _add_rz_ftz_sat
    f16: _set_eq_ftz_f16
    u16: _set_eq_ftz_u16
    s16: _set_eq_ftz_u16
    f16x2: _mul_bf16x2_bf16x2
class _set_eq_and_u32_u16(_Chain):
    def __call__(self, d: I32 | New, a: I16 | int, b: I16 | int, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_u32_u32(_Chain):
    def __call__(self, d: I32 | New, a: I32 | int, b: I32 | int, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_u32_u64(_Chain):
    def __call__(self, d: I32 | New, a: I64 | int, b: I64 | int, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_u32_b16(_Chain):
    def __call__(self, d: I32 | New, a: E2M1X4 | float, b: E2M1X4 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_u32_b32(_Chain):
    def __call__(self, d: I32 | New, a: B32 | float, b: B32 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_u32_b64(_Chain):
    def __call__(self, d: I32 | New, a: F32X2 | float, b: F32X2 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_u32_f32(_Chain):
    def __call__(self, d: I32 | New, a: F32 | float, b: F32 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_u32_f64(_Chain):
    def __call__(self, d: I32 | New, a: F64 | float, b: F64 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_u32_f16(_Chain):
    def __call__(self, d: I32 | New, a: F16, b: F16, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_u32_f16x2(_Chain):
    def __call__(self, d: I32 | New, a: U8X4, b: U8X4, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_u32_bf16(_Chain):
    def __call__(self, d: I32 | New, a: F16, b: F16, c: PRED, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_u32_bf16x2(_Chain):
    def __call__(self, d: I32 | New, a: U8X4, b: U8X4, c: PRED, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_u32(_Chain):
    u16: _set_eq_and_u32_u16
    u32: _set_eq_and_u32_u32
    u64: _set_eq_and_u32_u64
    s16: _set_eq_and_u32_u16
    s32: _set_eq_and_u32_u32
    s64: _set_eq_and_u32_u64
    b16: _set_eq_and_u32_b16
    b32: _set_eq_and_u32_b32
    b64: _set_eq_and_u32_b64
    f32: _set_eq_and_u32_f32
    f64: _set_eq_and_u32_f64
    f16: _set_eq_and_u32_f16
    f16x2: _set_eq_and_u32_f16x2
    bf16: _set_eq_and_u32_bf16
    bf16x2: _set_eq_and_u32_bf16x2
class _set_eq_and_f32_u16(_Chain):
    def __call__(self, d: F32 | New, a: I16 | int, b: I16 | int, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_f32_u32(_Chain):
    def __call__(self, d: F32 | New, a: I32 | int, b: I32 | int, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_f32_u64(_Chain):
    def __call__(self, d: F32 | New, a: I64 | int, b: I64 | int, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_f32_b16(_Chain):
    def __call__(self, d: F32 | New, a: E2M1X4 | float, b: E2M1X4 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_f32_b32(_Chain):
    def __call__(self, d: F32 | New, a: B32 | float, b: B32 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_f32_b64(_Chain):
    def __call__(self, d: F32 | New, a: F32X2 | float, b: F32X2 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_f32_f32(_Chain):
    def __call__(self, d: F32 | New, a: F32 | float, b: F32 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_f32_f64(_Chain):
    def __call__(self, d: F32 | New, a: F64 | float, b: F64 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_f32(_Chain):
    u16: _set_eq_and_f32_u16
    u32: _set_eq_and_f32_u32
    u64: _set_eq_and_f32_u64
    s16: _set_eq_and_f32_u16
    s32: _set_eq_and_f32_u32
    s64: _set_eq_and_f32_u64
    b16: _set_eq_and_f32_b16
    b32: _set_eq_and_f32_b32
    b64: _set_eq_and_f32_b64
    f32: _set_eq_and_f32_f32
    f64: _set_eq_and_f32_f64
class _set_eq_and_ftz_u32(_Chain):
    f32: _set_eq_and_u32_f32
    f16: _set_eq_and_u32_f16
    f16x2: _set_eq_and_u32_f16x2
class _set_eq_and_ftz_f32(_Chain):
    f32: _set_eq_and_f32_f32
class _set_eq_and_ftz_f16_f32(_Chain):
    def __call__(self, d: F16 | New, a: F32 | float, b: F32 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_ftz_f16_f16(_Chain):
    def __call__(self, d: F16 | New, a: F16, b: F16, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_ftz_f16(_Chain):
    f32: _set_eq_and_ftz_f16_f32
    f16: _set_eq_and_ftz_f16_f16
class _set_eq_and_ftz_u16_f16(_Chain):
    def __call__(self, d: I16 | New, a: F16, b: F16, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_ftz_u16(_Chain):
    f16: _set_eq_and_ftz_u16_f16
class _set_eq_and_ftz_f16x2_f16x2(_Chain):
    def __call__(self, d: U8X4 | New, a: U8X4, b: U8X4, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_ftz_f16x2(_Chain):
    f16x2: _set_eq_and_ftz_f16x2_f16x2
class _set_eq_and_ftz(_Chain):
    u32: _set_eq_and_ftz_u32
    s32: _set_eq_and_ftz_u32
    f32: _set_eq_and_ftz_f32
    f16: _set_eq_and_ftz_f16
    u16: _set_eq_and_ftz_u16
    s16: _set_eq_and_ftz_u16
    f16x2: _set_eq_and_ftz_f16x2
class _set_eq_and_f16_u16(_Chain):
    def __call__(self, d: F16 | New, a: I16 | int, b: I16 | int, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_f16_u32(_Chain):
    def __call__(self, d: F16 | New, a: I32 | int, b: I32 | int, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_f16_u64(_Chain):
    def __call__(self, d: F16 | New, a: I64 | int, b: I64 | int, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_f16_b16(_Chain):
    def __call__(self, d: F16 | New, a: E2M1X4 | float, b: E2M1X4 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_f16_b32(_Chain):
    def __call__(self, d: F16 | New, a: B32 | float, b: B32 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_f16_b64(_Chain):
    def __call__(self, d: F16 | New, a: F32X2 | float, b: F32X2 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_f16_f64(_Chain):
    def __call__(self, d: F16 | New, a: F64 | float, b: F64 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_f16(_Chain):
    u16: _set_eq_and_f16_u16
    u32: _set_eq_and_f16_u32
    u64: _set_eq_and_f16_u64
    s16: _set_eq_and_f16_u16
    s32: _set_eq_and_f16_u32
    s64: _set_eq_and_f16_u64
    b16: _set_eq_and_f16_b16
    b32: _set_eq_and_f16_b32
    b64: _set_eq_and_f16_b64
    f32: _set_eq_and_ftz_f16_f32
    f64: _set_eq_and_f16_f64
    f16: _set_eq_and_ftz_f16_f16
class _set_eq_and_bf16_bf16(_Chain):
    def __call__(self, d: F16 | New, a: F16, b: F16, c: PRED, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_bf16(_Chain):
    u16: _set_eq_and_f16_u16
    u32: _set_eq_and_f16_u32
    u64: _set_eq_and_f16_u64
    s16: _set_eq_and_f16_u16
    s32: _set_eq_and_f16_u32
    s64: _set_eq_and_f16_u64
    b16: _set_eq_and_f16_b16
    b32: _set_eq_and_f16_b32
    b64: _set_eq_and_f16_b64
    f32: _set_eq_and_ftz_f16_f32
    f64: _set_eq_and_f16_f64
    f16: _set_eq_and_ftz_f16_f16
    bf16: _set_eq_and_bf16_bf16
class _set_eq_and_u16_bf16(_Chain):
    def __call__(self, d: I16 | New, a: F16, b: F16, c: PRED, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_u16(_Chain):
    f16: _set_eq_and_ftz_u16_f16
    bf16: _set_eq_and_u16_bf16
class _set_eq_and_bf16x2_bf16x2(_Chain):
    def __call__(self, d: U8X4 | New, a: U8X4, b: U8X4, c: PRED, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_and_bf16x2(_Chain):
    bf16x2: _set_eq_and_bf16x2_bf16x2
class _set_eq_and(_Chain):
    u32: _set_eq_and_u32
    s32: _set_eq_and_u32
    f32: _set_eq_and_f32
    ftz: _set_eq_and_ftz
    f16: _set_eq_and_f16
    bf16: _set_eq_and_bf16
    u16: _set_eq_and_u16
    s16: _set_eq_and_u16
    f16x2: _set_eq_and_ftz_f16x2
    bf16x2: _set_eq_and_bf16x2
class _set_eq_f16_u16(_Chain):
    def __call__(self, d: F16 | New, a: I16 | int, b: I16 | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_f16_u32(_Chain):
    def __call__(self, d: F16 | New, a: I32 | int, b: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_f16_u64(_Chain):
    def __call__(self, d: F16 | New, a: I64 | int, b: I64 | int, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_f16_b16(_Chain):
    def __call__(self, d: F16 | New, a: E2M1X4 | float, b: E2M1X4 | float, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_f16_b32(_Chain):
    def __call__(self, d: F16 | New, a: B32 | float, b: B32 | float, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_f16_b64(_Chain):
    def __call__(self, d: F16 | New, a: F32X2 | float, b: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_f16_f64(_Chain):
    def __call__(self, d: F16 | New, a: F64 | float, b: F64 | float, /, *, pred: Guard = ...) -> Any: ...
class _set_eq_f16(_Chain):
    u16: _set_eq_f16_u16
    u32: _set_eq_f16_u32
    u64: _set_eq_f16_u64
    s16: _set_eq_f16_u16
    s32: _set_eq_f16_u32
    s64: _set_eq_f16_u64
    b16: _set_eq_f16_b16
    b32: _set_eq_f16_b32
    b64: _set_eq_f16_b64
    f32: _set_eq_ftz_f16_f32
    f64: _set_eq_f16_f64
    f16: _add_sat_f16
class _set_eq_bf16(_Chain):
    u16: _set_eq_f16_u16
    u32: _set_eq_f16_u32
    u64: _set_eq_f16_u64
    s16: _set_eq_f16_u16
    s32: _set_eq_f16_u32
    s64: _set_eq_f16_u64
    b16: _set_eq_f16_b16
    b32: _set_eq_f16_b32
    b64: _set_eq_f16_b64
    f32: _set_eq_ftz_f16_f32
    f64: _set_eq_f16_f64
    f16: _add_sat_f16
    bf16: _add_sat_f16
class _set_eq_u16(_Chain):
    f16: _set_eq_ftz_u16_f16
    bf16: _set_eq_ftz_u16_f16
class _set_eq(_Chain):
    u32: _set_eq_u32
    s32: _set_eq_u32
    f32: _set_eq_f32
    ftz: _set_eq_ftz
    and_: _set_eq_and
    or_: _set_eq_and
    xor: _set_eq_and
    u8x4: _add_sat_u8x4
    u16x2: _add_sat_u8x4
    s8x4: _add_sat_u8x4
    s16x2: _add_sat_u8x4
    f16: _set_eq_f16
    bf16: _set_eq_bf16
    u16: _set_eq_u16
    s16: _set_eq_u16
    f16x2: _mul_bf16x2_bf16x2
    bf16x2: _mul_f16x2_f16x2
class _set_lo_u32(_Chain):
    u16: _mul_wide_u16
    u32: _add_u32
    u64: _set_eq_u32_u64
class _set_lo_f32(_Chain):
    u16: _set_eq_f32_u16
    u32: _set_eq_f32_u32
    u64: _set_eq_f32_u64
class _set_lo_and_u32(_Chain):
    u16: _set_eq_and_u32_u16
    u32: _set_eq_and_u32_u32
    u64: _set_eq_and_u32_u64
class _set_lo_and_f32(_Chain):
    u16: _set_eq_and_f32_u16
    u32: _set_eq_and_f32_u32
    u64: _set_eq_and_f32_u64
class _set_lo_and_f16(_Chain):
    u16: _set_eq_and_f16_u16
    u32: _set_eq_and_f16_u32
    u64: _set_eq_and_f16_u64
class _set_lo_and(_Chain):
    u32: _set_lo_and_u32
    s32: _set_lo_and_u32
    f32: _set_lo_and_f32
    f16: _set_lo_and_f16
    bf16: _set_lo_and_f16
class _set_lo_f16(_Chain):
    u16: _set_eq_f16_u16
    u32: _set_eq_f16_u32
    u64: _set_eq_f16_u64
class _set_lo(_Chain):
    u32: _set_lo_u32
    s32: _set_lo_u32
    f32: _set_lo_f32
    and_: _set_lo_and
    or_: _set_lo_and
    xor: _set_lo_and
    u8x4: _add_sat_u8x4
    u16x2: _add_sat_u8x4
    f16: _set_lo_f16
    bf16: _set_lo_f16
class _set_lt_u32(_Chain):
    u16: _mul_wide_u16
    u32: _add_u32
    u64: _set_eq_u32_u64
    s16: _mul_wide_u16
    s32: _add_u32
    s64: _set_eq_u32_u64
    f32: _set_eq_u32_f32
    f64: _set_eq_u32_f64
    f16: _set_eq_u32_f16
    f16x2: _set_eq_u32_f16x2
    bf16: _set_eq_u32_f16
    bf16x2: _set_eq_u32_f16x2
class _set_lt_f32(_Chain):
    u16: _set_eq_f32_u16
    u32: _set_eq_f32_u32
    u64: _set_eq_f32_u64
    s16: _set_eq_f32_u16
    s32: _set_eq_f32_u32
    s64: _set_eq_f32_u64
    f32: _add_rn_ftz_sat_f32
    f64: _set_eq_f32_f64
class _set_lt_and_u32(_Chain):
    u16: _set_eq_and_u32_u16
    u32: _set_eq_and_u32_u32
    u64: _set_eq_and_u32_u64
    s16: _set_eq_and_u32_u16
    s32: _set_eq_and_u32_u32
    s64: _set_eq_and_u32_u64
    f32: _set_eq_and_u32_f32
    f64: _set_eq_and_u32_f64
    f16: _set_eq_and_u32_f16
    f16x2: _set_eq_and_u32_f16x2
    bf16: _set_eq_and_u32_bf16
    bf16x2: _set_eq_and_u32_bf16x2
class _set_lt_and_f32(_Chain):
    u16: _set_eq_and_f32_u16
    u32: _set_eq_and_f32_u32
    u64: _set_eq_and_f32_u64
    s16: _set_eq_and_f32_u16
    s32: _set_eq_and_f32_u32
    s64: _set_eq_and_f32_u64
    f32: _set_eq_and_f32_f32
    f64: _set_eq_and_f32_f64
class _set_lt_and_f16(_Chain):
    u16: _set_eq_and_f16_u16
    u32: _set_eq_and_f16_u32
    u64: _set_eq_and_f16_u64
    s16: _set_eq_and_f16_u16
    s32: _set_eq_and_f16_u32
    s64: _set_eq_and_f16_u64
    f32: _set_eq_and_ftz_f16_f32
    f64: _set_eq_and_f16_f64
    f16: _set_eq_and_ftz_f16_f16
class _set_lt_and_bf16(_Chain):
    u16: _set_eq_and_f16_u16
    u32: _set_eq_and_f16_u32
    u64: _set_eq_and_f16_u64
    s16: _set_eq_and_f16_u16
    s32: _set_eq_and_f16_u32
    s64: _set_eq_and_f16_u64
    f32: _set_eq_and_ftz_f16_f32
    f64: _set_eq_and_f16_f64
    f16: _set_eq_and_ftz_f16_f16
    bf16: _set_eq_and_bf16_bf16
class _set_lt_and(_Chain):
    u32: _set_lt_and_u32
    s32: _set_lt_and_u32
    f32: _set_lt_and_f32
    ftz: _set_eq_and_ftz
    f16: _set_lt_and_f16
    bf16: _set_lt_and_bf16
    u16: _set_eq_and_u16
    s16: _set_eq_and_u16
    f16x2: _set_eq_and_ftz_f16x2
    bf16x2: _set_eq_and_bf16x2
class _set_lt_f16(_Chain):
    u16: _set_eq_f16_u16
    u32: _set_eq_f16_u32
    u64: _set_eq_f16_u64
    s16: _set_eq_f16_u16
    s32: _set_eq_f16_u32
    s64: _set_eq_f16_u64
    f32: _set_eq_ftz_f16_f32
    f64: _set_eq_f16_f64
    f16: _add_sat_f16
class _set_lt_bf16(_Chain):
    u16: _set_eq_f16_u16
    u32: _set_eq_f16_u32
    u64: _set_eq_f16_u64
    s16: _set_eq_f16_u16
    s32: _set_eq_f16_u32
    s64: _set_eq_f16_u64
    f32: _set_eq_ftz_f16_f32
    f64: _set_eq_f16_f64
    f16: _add_sat_f16
    bf16: _add_sat_f16
class _set_lt(_Chain):
    u32: _set_lt_u32
    s32: _set_lt_u32
    f32: _set_lt_f32
    ftz: _set_eq_ftz
    and_: _set_lt_and
    or_: _set_lt_and
    xor: _set_lt_and
    u8x4: _add_sat_u8x4
    u16x2: _add_sat_u8x4
    s8x4: _add_sat_u8x4
    s16x2: _add_sat_u8x4
    f16: _set_lt_f16
    bf16: _set_lt_bf16
    u16: _set_eq_u16
    s16: _set_eq_u16
    f16x2: _mul_bf16x2_bf16x2
    bf16x2: _mul_f16x2_f16x2
class _set_equ_u32(_Chain):
    f32: _set_eq_u32_f32
    f64: _set_eq_u32_f64
    f16: _set_eq_u32_f16
    f16x2: _set_eq_u32_f16x2
    bf16: _set_eq_u32_f16
    bf16x2: _set_eq_u32_f16x2
class _set_equ_f32(_Chain):
    f32: _add_rn_ftz_sat_f32
    f64: _set_eq_f32_f64
class _set_equ_and_u32(_Chain):
    f32: _set_eq_and_u32_f32
    f64: _set_eq_and_u32_f64
    f16: _set_eq_and_u32_f16
    f16x2: _set_eq_and_u32_f16x2
    bf16: _set_eq_and_u32_bf16
    bf16x2: _set_eq_and_u32_bf16x2
class _set_equ_and_f32(_Chain):
    f32: _set_eq_and_f32_f32
    f64: _set_eq_and_f32_f64
class _set_equ_and_f16(_Chain):
    f32: _set_eq_and_ftz_f16_f32
    f64: _set_eq_and_f16_f64
    f16: _set_eq_and_ftz_f16_f16
class _set_equ_and_bf16(_Chain):
    f32: _set_eq_and_ftz_f16_f32
    f64: _set_eq_and_f16_f64
    f16: _set_eq_and_ftz_f16_f16
    bf16: _set_eq_and_bf16_bf16
class _set_equ_and(_Chain):
    ftz: _set_eq_and_ftz
    u32: _set_equ_and_u32
    s32: _set_equ_and_u32
    f32: _set_equ_and_f32
    f16: _set_equ_and_f16
    bf16: _set_equ_and_bf16
    u16: _set_eq_and_u16
    s16: _set_eq_and_u16
    f16x2: _set_eq_and_ftz_f16x2
    bf16x2: _set_eq_and_bf16x2
class _set_equ_f16(_Chain):
    f32: _set_eq_ftz_f16_f32
    f64: _set_eq_f16_f64
    f16: _add_sat_f16
class _set_equ_bf16(_Chain):
    f32: _set_eq_ftz_f16_f32
    f64: _set_eq_f16_f64
    f16: _add_sat_f16
    bf16: _add_sat_f16
class _set_equ(_Chain):
    ftz: _set_eq_ftz
    u32: _set_equ_u32
    s32: _set_equ_u32
    f32: _set_equ_f32
    and_: _set_equ_and
    or_: _set_equ_and
    xor: _set_equ_and
    f16: _set_equ_f16
    bf16: _set_equ_bf16
    u16: _set_eq_u16
    s16: _set_eq_u16
    f16x2: _mul_bf16x2_bf16x2
    bf16x2: _mul_f16x2_f16x2
class _set(_Chain):
    eq: _set_eq
    ne: _set_eq
    lo: _set_lo
    ls: _set_lo
    hi: _set_lo
    hs: _set_lo
    lt: _set_lt
    le: _set_lt
    gt: _set_lt
    ge: _set_lt
    equ: _set_equ
    neu: _set_equ
    ltu: _set_equ
    leu: _set_equ
    gtu: _set_equ
    geu: _set_equ
    num: _set_equ
    nan: _set_equ
class _setp_eq_u16(_Chain):
    def __call__(self, p: PRED | Sink | New | tuple[PRED | Sink | New | Sink, PRED | New | Sink], a: I16 | int, b: I16 | int, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_u32(_Chain):
    def __call__(self, p: PRED | Sink | New | tuple[PRED | Sink | New | Sink, PRED | New | Sink], a: I32 | int, b: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_u64(_Chain):
    def __call__(self, p: PRED | Sink | New | tuple[PRED | Sink | New | Sink, PRED | New | Sink], a: I64 | int, b: I64 | int, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_b16(_Chain):
    def __call__(self, p: PRED | Sink | New | tuple[PRED | Sink | New | Sink, PRED | New | Sink], a: E2M1X4 | float, b: E2M1X4 | float, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_b32(_Chain):
    def __call__(self, p: PRED | Sink | New | tuple[PRED | Sink | New | Sink, PRED | New | Sink], a: B32 | float, b: B32 | float, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_b64(_Chain):
    def __call__(self, p: PRED | Sink | New | tuple[PRED | Sink | New | Sink, PRED | New | Sink], a: F32X2 | float, b: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_ftz_f32(_Chain):
    def __call__(self, p: PRED | Sink | New | tuple[PRED | Sink | New | Sink, PRED | New | Sink], a: F32 | float, b: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_ftz_f16(_Chain):
    def __call__(self, p: PRED | Sink | New, a: F16, b: F16, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_ftz_f16x2(_Chain):
    def __call__(self, p: tuple[PRED | Sink | New | Sink, PRED | New | Sink], a: U8X4, b: U8X4, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_ftz(_Chain):
    f32: _setp_eq_ftz_f32
    f16: _setp_eq_ftz_f16
    f16x2: _setp_eq_ftz_f16x2
class _setp_eq_f64(_Chain):
    def __call__(self, p: PRED | Sink | New | tuple[PRED | Sink | New | Sink, PRED | New | Sink], a: F64 | float, b: F64 | float, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_and_u16(_Chain):
    def __call__(self, p: PRED | Sink | New | tuple[PRED | Sink | New | Sink, PRED | New | Sink], a: I16 | int, b: I16 | int, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_and_u32(_Chain):
    def __call__(self, p: PRED | Sink | New | tuple[PRED | Sink | New | Sink, PRED | New | Sink], a: I32 | int, b: I32 | int, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_and_u64(_Chain):
    def __call__(self, p: PRED | Sink | New | tuple[PRED | Sink | New | Sink, PRED | New | Sink], a: I64 | int, b: I64 | int, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_and_b16(_Chain):
    def __call__(self, p: PRED | Sink | New | tuple[PRED | Sink | New | Sink, PRED | New | Sink], a: E2M1X4 | float, b: E2M1X4 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_and_b32(_Chain):
    def __call__(self, p: PRED | Sink | New | tuple[PRED | Sink | New | Sink, PRED | New | Sink], a: B32 | float, b: B32 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_and_b64(_Chain):
    def __call__(self, p: PRED | Sink | New | tuple[PRED | Sink | New | Sink, PRED | New | Sink], a: F32X2 | float, b: F32X2 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_and_ftz_f32(_Chain):
    def __call__(self, p: PRED | Sink | New | tuple[PRED | Sink | New | Sink, PRED | New | Sink], a: F32 | float, b: F32 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_and_ftz_f16(_Chain):
    def __call__(self, p: PRED | Sink | New, a: F16, b: F16, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_and_ftz_f16x2(_Chain):
    def __call__(self, p: tuple[PRED | Sink | New | Sink, PRED | New | Sink], a: U8X4, b: U8X4, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_and_ftz(_Chain):
    f32: _setp_eq_and_ftz_f32
    f16: _setp_eq_and_ftz_f16
    f16x2: _setp_eq_and_ftz_f16x2
class _setp_eq_and_f64(_Chain):
    def __call__(self, p: PRED | Sink | New | tuple[PRED | Sink | New | Sink, PRED | New | Sink], a: F64 | float, b: F64 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_and_bf16(_Chain):
    def __call__(self, p: PRED | Sink | New, a: F16, b: F16, c: PRED, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_and_bf16x2(_Chain):
    def __call__(self, p: tuple[PRED | Sink | New | Sink, PRED | New | Sink], a: U8X4, b: U8X4, c: PRED, /, *, pred: Guard = ...) -> Any: ...
class _setp_eq_and(_Chain):
    u16: _setp_eq_and_u16
    u32: _setp_eq_and_u32
    u64: _setp_eq_and_u64
    s16: _setp_eq_and_u16
    s32: _setp_eq_and_u32
    s64: _setp_eq_and_u64
    b16: _setp_eq_and_b16
    b32: _setp_eq_and_b32
    b64: _setp_eq_and_b64
    ftz: _setp_eq_and_ftz
    f32: _setp_eq_and_ftz_f32
    f64: _setp_eq_and_f64
    f16: _setp_eq_and_ftz_f16
    f16x2: _setp_eq_and_ftz_f16x2
    bf16: _setp_eq_and_bf16
    bf16x2: _setp_eq_and_bf16x2
class _setp_eq(_Chain):
    u16: _setp_eq_u16
    u32: _setp_eq_u32
    u64: _setp_eq_u64
    s16: _setp_eq_u16
    s32: _setp_eq_u32
    s64: _setp_eq_u64
    b16: _setp_eq_b16
    b32: _setp_eq_b32
    b64: _setp_eq_b64
    ftz: _setp_eq_ftz
    f32: _setp_eq_ftz_f32
    f64: _setp_eq_f64
    and_: _setp_eq_and
    or_: _setp_eq_and
    xor: _setp_eq_and
    f16: _setp_eq_ftz_f16
    f16x2: _setp_eq_ftz_f16x2
    bf16: _setp_eq_ftz_f16
    bf16x2: _setp_eq_ftz_f16x2
class _setp_lo_and(_Chain):
    u16: _setp_eq_and_u16
    u32: _setp_eq_and_u32
    u64: _setp_eq_and_u64
class _setp_lo(_Chain):
    u16: _setp_eq_u16
    u32: _setp_eq_u32
    u64: _setp_eq_u64
    and_: _setp_lo_and
    or_: _setp_lo_and
    xor: _setp_lo_and
class _setp_lt_and(_Chain):
    u16: _setp_eq_and_u16
    u32: _setp_eq_and_u32
    u64: _setp_eq_and_u64
    s16: _setp_eq_and_u16
    s32: _setp_eq_and_u32
    s64: _setp_eq_and_u64
    ftz: _setp_eq_and_ftz
    f32: _setp_eq_and_ftz_f32
    f64: _setp_eq_and_f64
    f16: _setp_eq_and_ftz_f16
    f16x2: _setp_eq_and_ftz_f16x2
    bf16: _setp_eq_and_bf16
    bf16x2: _setp_eq_and_bf16x2
class _setp_lt(_Chain):
    u16: _setp_eq_u16
    u32: _setp_eq_u32
    u64: _setp_eq_u64
    s16: _setp_eq_u16
    s32: _setp_eq_u32
    s64: _setp_eq_u64
    ftz: _setp_eq_ftz
    f32: _setp_eq_ftz_f32
    f64: _setp_eq_f64
    and_: _setp_lt_and
    or_: _setp_lt_and
    xor: _setp_lt_and
    f16: _setp_eq_ftz_f16
    f16x2: _setp_eq_ftz_f16x2
    bf16: _setp_eq_ftz_f16
    bf16x2: _setp_eq_ftz_f16x2
class _setp_equ_and(_Chain):
    ftz: _setp_eq_and_ftz
    f32: _setp_eq_and_ftz_f32
    f64: _setp_eq_and_f64
    f16: _setp_eq_and_ftz_f16
    f16x2: _setp_eq_and_ftz_f16x2
    bf16: _setp_eq_and_bf16
    bf16x2: _setp_eq_and_bf16x2
class _setp_equ(_Chain):
    ftz: _setp_eq_ftz
    f32: _setp_eq_ftz_f32
    f64: _setp_eq_f64
    and_: _setp_equ_and
    or_: _setp_equ_and
    xor: _setp_equ_and
    f16: _setp_eq_ftz_f16
    f16x2: _setp_eq_ftz_f16x2
    bf16: _setp_eq_ftz_f16
    bf16x2: _setp_eq_ftz_f16x2
class _setp(_Chain):
    eq: _setp_eq
    ne: _setp_eq
    lo: _setp_lo
    ls: _setp_lo
    hi: _setp_lo
    hs: _setp_lo
    lt: _setp_lt
    le: _setp_lt
    gt: _setp_lt
    ge: _setp_lt
    equ: _setp_equ
    neu: _setp_equ
    ltu: _setp_equ
    leu: _setp_equ
    gtu: _setp_equ
    geu: _setp_equ
    num: _setp_equ
    nan: _setp_equ
class _selp_b16(_Chain):
    def __call__(self, d: E2M1X4 | New, a: E2M1X4 | float, b: E2M1X4 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _selp_b32(_Chain):
    def __call__(self, d: B32 | New, a: B32 | float, b: B32 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _selp_b64(_Chain):
    def __call__(self, d: F32X2 | New, a: F32X2 | float, b: F32X2 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _selp_u16(_Chain):
    def __call__(self, d: I16 | New, a: I16 | int, b: I16 | int, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _selp_u64(_Chain):
    def __call__(self, d: I64 | New, a: I64 | int, b: I64 | int, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _selp_f64(_Chain):
    def __call__(self, d: F64 | New, a: F64 | float, b: F64 | float, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _selp(_Chain):
    b16: _selp_b16
    b32: _selp_b32
    b64: _selp_b64
    u16: _selp_u16
    u32: _set_eq_and_u32_u32
    u64: _selp_u64
    s16: _selp_u16
    s32: _set_eq_and_u32_u32
    s64: _selp_u64
    f32: _set_eq_and_f32_f32
    f64: _selp_f64
class _slct_b16_s32(_Chain):
    def __call__(self, d: E2M1X4 | New, a: E2M1X4 | float, b: E2M1X4 | float, c: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _slct_b16_f32(_Chain):
    def __call__(self, d: E2M1X4 | New, a: E2M1X4 | float, b: E2M1X4 | float, c: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _slct_b16(_Chain):
    s32: _slct_b16_s32
    f32: _slct_b16_f32
class _slct_b32_s32(_Chain):
    def __call__(self, d: B32 | New, a: B32 | float, b: B32 | float, c: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _slct_b32_f32(_Chain):
    def __call__(self, d: B32 | New, a: B32 | float, b: B32 | float, c: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _slct_b32(_Chain):
    s32: _slct_b32_s32
    f32: _slct_b32_f32
class _slct_b64_s32(_Chain):
    def __call__(self, d: F32X2 | New, a: F32X2 | float, b: F32X2 | float, c: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _slct_b64_f32(_Chain):
    def __call__(self, d: F32X2 | New, a: F32X2 | float, b: F32X2 | float, c: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _slct_b64(_Chain):
    s32: _slct_b64_s32
    f32: _slct_b64_f32
class _slct_u16_s32(_Chain):
    def __call__(self, d: I16 | New, a: I16 | int, b: I16 | int, c: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _slct_u16_f32(_Chain):
    def __call__(self, d: I16 | New, a: I16 | int, b: I16 | int, c: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _slct_u16(_Chain):
    s32: _slct_u16_s32
    f32: _slct_u16_f32
class _slct_u32_f32(_Chain):
    def __call__(self, d: I32 | New, a: I32 | int, b: I32 | int, c: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _slct_u32(_Chain):
    s32: _mad_hi_u32
    f32: _slct_u32_f32
class _slct_u64_s32(_Chain):
    def __call__(self, d: I64 | New, a: I64 | int, b: I64 | int, c: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _slct_u64_f32(_Chain):
    def __call__(self, d: I64 | New, a: I64 | int, b: I64 | int, c: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _slct_u64(_Chain):
    s32: _slct_u64_s32
    f32: _slct_u64_f32
class _slct_f32_s32(_Chain):
    def __call__(self, d: F32 | New, a: F32 | float, b: F32 | float, c: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _slct_f32(_Chain):
    s32: _slct_f32_s32
    f32: _mad_rn_ftz_sat_f32
class _slct_f64_s32(_Chain):
    def __call__(self, d: F64 | New, a: F64 | float, b: F64 | float, c: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _slct_f64_f32(_Chain):
    def __call__(self, d: F64 | New, a: F64 | float, b: F64 | float, c: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _slct_f64(_Chain):
    s32: _slct_f64_s32
    f32: _slct_f64_f32
class _slct_ftz_b16(_Chain):
    f32: _slct_b16_f32
class _slct_ftz_b32(_Chain):
    f32: _slct_b32_f32
class _slct_ftz_b64(_Chain):
    f32: _slct_b64_f32
class _slct_ftz_u16(_Chain):
    f32: _slct_u16_f32
class _slct_ftz_u32(_Chain):
    f32: _slct_u32_f32
class _slct_ftz_u64(_Chain):
    f32: _slct_u64_f32
class _slct_ftz_f64(_Chain):
    f32: _slct_f64_f32
class _slct_ftz(_Chain):
    b16: _slct_ftz_b16
    b32: _slct_ftz_b32
    b64: _slct_ftz_b64
    u16: _slct_ftz_u16
    u32: _slct_ftz_u32
    u64: _slct_ftz_u64
    s16: _slct_ftz_u16
    s32: _slct_ftz_u32
    s64: _slct_ftz_u64
    f32: _mad_rn_ftz_sat
    f64: _slct_ftz_f64
class _slct(_Chain):
    b16: _slct_b16
    b32: _slct_b32
    b64: _slct_b64
    u16: _slct_u16
    u32: _slct_u32
    u64: _slct_u64
    s16: _slct_u16
    s32: _slct_u32
    s64: _slct_u64
    f32: _slct_f32
    f64: _slct_f64
    ftz: _slct_ftz
class _and_pred(_Chain):
    def __call__(self, d: PRED | New, a: PRED | int, b: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _and_b16(_Chain):
    def __call__(self, d: E2M1X4 | New, a: E2M1X4 | float, b: E2M1X4 | float, /, *, pred: Guard = ...) -> Any: ...
class _and_b64(_Chain):
    def __call__(self, d: F32X2 | New, a: F32X2 | float, b: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _and(_Chain):
    pred: _and_pred
    b16: _and_b16
    b32: _bmsk_clamp_b32
    b64: _and_b64
class _not_pred(_Chain):
    def __call__(self, d: PRED | New, a: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _not_b16(_Chain):
    def __call__(self, d: E2M1X4 | New, a: E2M1X4 | float, /, *, pred: Guard = ...) -> Any: ...
class _not(_Chain):
    pred: _not_pred
    b16: _not_b16
    b32: _brev_b32
    b64: _brev_b64
class _cnot(_Chain):
    b16: _not_b16
    b32: _brev_b32
    b64: _brev_b64
class _lop3_b32(_Chain):
    def __call__(self, d: B32 | New, a: B32 | float, b: B32 | float, c: B32 | float, lut: int, /, *, pred: Guard = ...) -> Any: ...
class _lop3_or_b32(_Chain):
    def __call__(self, d: tuple[B32 | Sink | New | Sink, PRED | New | Sink], a: B32 | float, b: B32 | float, c: B32 | float, lut: int, q_in: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _lop3_or(_Chain):
    b32: _lop3_or_b32
class _lop3(_Chain):
    b32: _lop3_b32
    or_: _lop3_or
    and_: _lop3_or
class _shf_l_clamp(_Chain):
    b32: _slct_b32_s32
class _shf_l(_Chain):
    clamp: _shf_l_clamp
    wrap: _shf_l_clamp
class _shf(_Chain):
    l: _shf_l
    r: _shf_l
class _shl_b16(_Chain):
    def __call__(self, d: E2M1X4 | New, a: E2M1X4 | float, b: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _shl_b32(_Chain):
    def __call__(self, d: B32 | New, a: B32 | float, b: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _shl_b64(_Chain):
    def __call__(self, d: F32X2 | New, a: F32X2 | float, b: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _shl(_Chain):
    b16: _shl_b16
    b32: _shl_b32
    b64: _shl_b64
class _shr_u16(_Chain):
    def __call__(self, d: I16 | New, a: I16 | int, b: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _shr_u64(_Chain):
    def __call__(self, d: I64 | New, a: I64 | int, b: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _shr(_Chain):
    b16: _shl_b16
    b32: _shl_b32
    b64: _shl_b64
    u16: _shr_u16
    u32: _add_u32
    u64: _shr_u64
    s16: _shr_u16
    s32: _add_u32
    s64: _shr_u64
class _prmt_b32_f4e(_Chain):
    def __call__(self, d: B32 | New, a: B32 | float, b: B32 | float, c: B32 | float, /, *, pred: Guard = ...) -> Any: ...
class _prmt_b32(_Chain):
    f4e: _prmt_b32_f4e
    b4e: _prmt_b32_f4e
    rc8: _prmt_b32_f4e
    ecl: _prmt_b32_f4e
    ecr: _prmt_b32_f4e
    rc16: _prmt_b32_f4e
    def __call__(self, d: B32 | New, a: B32 | float, b: B32 | float, c: B32 | float, /, *, pred: Guard = ...) -> Any: ...
class _prmt(_Chain):
    b32: _prmt_b32
class _spcompress_b8_b2_sp__2_4_x1(_Chain):
    def __call__(self, q: Vector[B32 | Sink | New], d: Vector[B32 | Sink | New], a: Vector[B32 | float], descriptor: B32, /, *, pred: Guard = ...) -> Any: ...
class _spcompress_b8_b2_sp__2_4(_Chain):
    x1: _spcompress_b8_b2_sp__2_4_x1
    x2: _spcompress_b8_b2_sp__2_4_x1
    x4: _spcompress_b8_b2_sp__2_4_x1
    x8: _spcompress_b8_b2_sp__2_4_x1
    x16: _spcompress_b8_b2_sp__2_4_x1
    x32: _spcompress_b8_b2_sp__2_4_x1
    x64: _spcompress_b8_b2_sp__2_4_x1
class _spcompress_b8_b2(_Chain):
    sp__2_4: _spcompress_b8_b2_sp__2_4
class _spcompress_b8(_Chain):
    b2: _spcompress_b8_b2
    b4: _spcompress_b8_b2
class _spcompress(_Chain):
    b8: _spcompress_b8
    b16: _spcompress_b8
class _spdecompress_b8_b2_sp__1_2_x2(_Chain):
    def __call__(self, d: Vector[B32 | Sink | New], m: Vector[B32 | float], c: Vector[B32 | float], /, *, pred: Guard = ...) -> Any: ...
class _spdecompress_b8_b2_sp__1_2(_Chain):
    x2: _spdecompress_b8_b2_sp__1_2_x2
    x4: _spdecompress_b8_b2_sp__1_2_x2
    x8: _spdecompress_b8_b2_sp__1_2_x2
    x16: _spdecompress_b8_b2_sp__1_2_x2
    x32: _spdecompress_b8_b2_sp__1_2_x2
    x64: _spdecompress_b8_b2_sp__1_2_x2
class _spdecompress_b8_b2_sp__1_4(_Chain):
    x1: _spdecompress_b8_b2_sp__1_2_x2
    x2: _spdecompress_b8_b2_sp__1_2_x2
    x4: _spdecompress_b8_b2_sp__1_2_x2
    x8: _spdecompress_b8_b2_sp__1_2_x2
    x16: _spdecompress_b8_b2_sp__1_2_x2
    x32: _spdecompress_b8_b2_sp__1_2_x2
    x64: _spdecompress_b8_b2_sp__1_2_x2
class _spdecompress_b8_b2(_Chain):
    sp__1_2: _spdecompress_b8_b2_sp__1_2
    sp__1_4: _spdecompress_b8_b2_sp__1_4
    sp__2_4: _spdecompress_b8_b2_sp__1_4
class _spdecompress_b8_b4_sp__1_16(_Chain):
    x1: _spdecompress_b8_b2_sp__1_2_x2
    x2: _spdecompress_b8_b2_sp__1_2_x2
    x4: _spdecompress_b8_b2_sp__1_2_x2
    x8: _spdecompress_b8_b2_sp__1_2_x2
    x16: _spdecompress_b8_b2_sp__1_2_x2
    x32: _spdecompress_b8_b2_sp__1_2_x2
class _spdecompress_b8_b4(_Chain):
    sp__1_2: _spdecompress_b8_b2_sp__1_2
    sp__1_4: _spdecompress_b8_b2_sp__1_4
    sp__1_8: _spdecompress_b8_b2_sp__1_4
    sp__1_16: _spdecompress_b8_b4_sp__1_16
    sp__2_4: _spdecompress_b8_b2_sp__1_4
    sp__2_8: _spdecompress_b8_b2_sp__1_4
    sp__2_16: _spdecompress_b8_b4_sp__1_16
    sp__4_8: _spdecompress_b8_b2_sp__1_4
    sp__4_16: _spdecompress_b8_b4_sp__1_16
class _spdecompress_b8(_Chain):
    b2: _spdecompress_b8_b2
    b4: _spdecompress_b8_b4
class _spdecompress_b16_b2(_Chain):
    sp__1_2: _spdecompress_b8_b2_sp__1_4
    sp__1_4: _spdecompress_b8_b2_sp__1_4
    sp__2_4: _spdecompress_b8_b2_sp__1_4
class _spdecompress_b16_b4_sp__1_16(_Chain):
    x1: _spdecompress_b8_b2_sp__1_2_x2
    x2: _spdecompress_b8_b2_sp__1_2_x2
    x4: _spdecompress_b8_b2_sp__1_2_x2
    x8: _spdecompress_b8_b2_sp__1_2_x2
    x16: _spdecompress_b8_b2_sp__1_2_x2
class _spdecompress_b16_b4(_Chain):
    sp__1_2: _spdecompress_b8_b2_sp__1_4
    sp__1_4: _spdecompress_b8_b2_sp__1_4
    sp__1_8: _spdecompress_b8_b4_sp__1_16
    sp__1_16: _spdecompress_b16_b4_sp__1_16
    sp__2_4: _spdecompress_b8_b2_sp__1_4
    sp__2_8: _spdecompress_b8_b4_sp__1_16
    sp__2_16: _spdecompress_b16_b4_sp__1_16
class _spdecompress_b16(_Chain):
    b2: _spdecompress_b16_b2
    b4: _spdecompress_b16_b4
class _spdecompress(_Chain):
    b8: _spdecompress_b8
    b16: _spdecompress_b16
class _mov_b16(_Chain):
    def __call__(self, d: E2M1X4 | New | Vector[B8 | Sink | New], a: E2M1X4 | float | Special | Name | Vector[B8 | float | Special], /, *, pred: Guard = ...) -> Any: ...
class _mov_b32(_Chain):
    def __call__(self, d: B32 | New | Vector[E2M1X4 | Sink | New] | Vector[B8 | Sink | New], a: B32 | float | Special | Name | Vector[E2M1X4 | float | Special] | Vector[B8 | float | Special], /, *, pred: Guard = ...) -> Any: ...
class _mov_b64(_Chain):
    def __call__(self, d: F32X2 | New | Vector[B32 | Sink | New] | Vector[E2M1X4 | Sink | New], a: F32X2 | float | Special | Name | Vector[B32 | float | Special] | Vector[E2M1X4 | float | Special], /, *, pred: Guard = ...) -> Any: ...
class _mov_u16(_Chain):
    def __call__(self, d: I16 | New, a: I16 | int | Special | Name, /, *, pred: Guard = ...) -> Any: ...
class _mov_u32(_Chain):
    def __call__(self, d: I32 | New, a: I32 | int | Special | Name, /, *, pred: Guard = ...) -> Any: ...
class _mov_u64(_Chain):
    def __call__(self, d: I64 | New, a: I64 | int | Special | Name, /, *, pred: Guard = ...) -> Any: ...
class _mov_f32(_Chain):
    def __call__(self, d: F32 | New, a: F32 | float | Special | Name, /, *, pred: Guard = ...) -> Any: ...
class _mov_f64(_Chain):
    def __call__(self, d: F64 | New, a: F64 | float | Special | Name, /, *, pred: Guard = ...) -> Any: ...
class _mov_pred(_Chain):
    def __call__(self, d: PRED | New, a: PRED | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _mov_b128(_Chain):
    def __call__(self, d: B128 | New | Vector[F32X2 | Sink | New] | Vector[B32 | Sink | New], a: B128 | float | Special | Vector[F32X2 | float | Special] | Vector[B32 | float | Special], /, *, pred: Guard = ...) -> Any: ...
class _mov_v2_b16(_Chain):
    def __call__(self, d: Vector[E2M1X4 | Sink | New], a: Vector[E2M1X4 | float | Special], /, *, pred: Guard = ...) -> Any: ...
class _mov_v2_u16(_Chain):
    def __call__(self, d: Vector[I16 | Sink | New], a: Vector[I16 | int | Special], /, *, pred: Guard = ...) -> Any: ...
class _mov_v2_b32(_Chain):
    def __call__(self, d: Vector[B32 | Sink | New], a: Vector[B32 | float | Special], /, *, pred: Guard = ...) -> Any: ...
class _mov_v2_u32(_Chain):
    def __call__(self, d: Vector[I32 | Sink | New], a: Vector[I32 | int | Special], /, *, pred: Guard = ...) -> Any: ...
class _mov_v2_f32(_Chain):
    def __call__(self, d: Vector[F32 | Sink | New], a: Vector[F32 | float | Special], /, *, pred: Guard = ...) -> Any: ...
class _mov_v2_b64(_Chain):
    def __call__(self, d: Vector[F32X2 | Sink | New], a: Vector[F32X2 | float | Special], /, *, pred: Guard = ...) -> Any: ...
class _mov_v2_u64(_Chain):
    def __call__(self, d: Vector[I64 | Sink | New], a: Vector[I64 | int | Special], /, *, pred: Guard = ...) -> Any: ...
class _mov_v2_f64(_Chain):
    def __call__(self, d: Vector[F64 | Sink | New], a: Vector[F64 | float | Special], /, *, pred: Guard = ...) -> Any: ...
class _mov_v2(_Chain):
    b16: _mov_v2_b16
    u16: _mov_v2_u16
    s16: _mov_v2_u16
    b32: _mov_v2_b32
    u32: _mov_v2_u32
    s32: _mov_v2_u32
    f32: _mov_v2_f32
    b64: _mov_v2_b64
    u64: _mov_v2_u64
    s64: _mov_v2_u64
    f64: _mov_v2_f64
class _mov_v4(_Chain):
    b16: _mov_v2_b16
    u16: _mov_v2_u16
    s16: _mov_v2_u16
    b32: _mov_v2_b32
    u32: _mov_v2_u32
    s32: _mov_v2_u32
    f32: _mov_v2_f32
class _mov(_Chain):
    b16: _mov_b16
    b32: _mov_b32
    b64: _mov_b64
    u16: _mov_u16
    u32: _mov_u32
    u64: _mov_u64
    s16: _mov_u16
    s32: _mov_u32
    s64: _mov_u64
    f32: _mov_f32
    f64: _mov_f64
    pred: _mov_pred
    b128: _mov_b128
    v2: _mov_v2
    v4: _mov_v4
class _shfl_up_b32(_Chain):
    def __call__(self, d: B32 | New | tuple[B32 | New | Sink, PRED | New | Sink], a: B32 | float, b: B32 | float, c: B32 | float, /, *, pred: Guard = ...) -> Any: ...
class _shfl_up(_Chain):
    b32: _shfl_up_b32
class _shfl_sync_up_b32(_Chain):
    def __call__(self, d: B32 | New | tuple[B32 | New | Sink, PRED | New | Sink], a: B32 | float, b: B32 | float, c: B32 | float, membermask: B32 | float, /, *, pred: Guard = ...) -> Any: ...
class _shfl_sync_up(_Chain):
    b32: _shfl_sync_up_b32
class _shfl_sync(_Chain):
    up: _shfl_sync_up
    down: _shfl_sync_up
    bfly: _shfl_sync_up
    idx: _shfl_sync_up
class _shfl(_Chain):
    up: _shfl_up
    down: _shfl_up
    bfly: _shfl_up
    idx: _shfl_up
    sync: _shfl_sync
class _ld_weak_const_ca_b8(_Chain):
    def __call__(self, d: B8_WIDER | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_const_ca_b32(_Chain):
    def __call__(self, d: B32_WIDER | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_const_ca_b64(_Chain):
    def __call__(self, d: B64_WIDER | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_const_ca_u8(_Chain):
    def __call__(self, d: I8_WIDER | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_const_ca_u32(_Chain):
    def __call__(self, d: I32_WIDER | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_const_ca_u64(_Chain):
    def __call__(self, d: I64_WIDER | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_const_ca_f32(_Chain):
    def __call__(self, d: F32_WIDER | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_const_ca_f64(_Chain):
    def __call__(self, d: F64_WIDER | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_const_ca_v2_b8(_Chain):
    def __call__(self, d: Vector[B8_WIDER | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_const_ca_v2_b32(_Chain):
    def __call__(self, d: Vector[B32_WIDER | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_const_ca_v2_u8(_Chain):
    def __call__(self, d: Vector[I8_WIDER | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_const_ca_v2_u32(_Chain):
    def __call__(self, d: Vector[I32_WIDER | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_const_ca_v2_f32(_Chain):
    def __call__(self, d: Vector[F32_WIDER | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_const_ca_v2_b64(_Chain):
    def __call__(self, d: Vector[B64_WIDER | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_const_ca_v2_u64(_Chain):
    def __call__(self, d: Vector[I64_WIDER | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_const_ca_v2_f64(_Chain):
    def __call__(self, d: Vector[F64_WIDER | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_const_ca_v2(_Chain):
    b8: _ld_weak_const_ca_v2_b8
    b16: _ld_weak_const_ca_v2_b8
    b32: _ld_weak_const_ca_v2_b32
    u8: _ld_weak_const_ca_v2_u8
    u16: _ld_weak_const_ca_v2_u8
    u32: _ld_weak_const_ca_v2_u32
    s8: _ld_weak_const_ca_v2_u8
    s16: _ld_weak_const_ca_v2_u8
    s32: _ld_weak_const_ca_v2_u32
    f32: _ld_weak_const_ca_v2_f32
    b64: _ld_weak_const_ca_v2_b64
    u64: _ld_weak_const_ca_v2_u64
    s64: _ld_weak_const_ca_v2_u64
    f64: _ld_weak_const_ca_v2_f64
class _ld_weak_const_ca_v4(_Chain):
    b8: _ld_weak_const_ca_v2_b8
    b16: _ld_weak_const_ca_v2_b8
    b32: _ld_weak_const_ca_v2_b32
    u8: _ld_weak_const_ca_v2_u8
    u16: _ld_weak_const_ca_v2_u8
    u32: _ld_weak_const_ca_v2_u32
    s8: _ld_weak_const_ca_v2_u8
    s16: _ld_weak_const_ca_v2_u8
    s32: _ld_weak_const_ca_v2_u32
    f32: _ld_weak_const_ca_v2_f32
class _ld_weak_const_ca_b128(_Chain):
    def __call__(self, d: B128 | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_const_ca(_Chain):
    b8: _ld_weak_const_ca_b8
    b16: _ld_weak_const_ca_b8
    b32: _ld_weak_const_ca_b32
    b64: _ld_weak_const_ca_b64
    u8: _ld_weak_const_ca_u8
    u16: _ld_weak_const_ca_u8
    u32: _ld_weak_const_ca_u32
    u64: _ld_weak_const_ca_u64
    s8: _ld_weak_const_ca_u8
    s16: _ld_weak_const_ca_u8
    s32: _ld_weak_const_ca_u32
    s64: _ld_weak_const_ca_u64
    f32: _ld_weak_const_ca_f32
    f64: _ld_weak_const_ca_f64
    v2: _ld_weak_const_ca_v2
    v4: _ld_weak_const_ca_v4
    b128: _ld_weak_const_ca_b128
class _ld_weak_const(_Chain):
    ca: _ld_weak_const_ca
    cg: _ld_weak_const_ca
    cs: _ld_weak_const_ca
    lu: _ld_weak_const_ca
    cv: _ld_weak_const_ca
    b8: _ld_weak_const_ca_b8
    b16: _ld_weak_const_ca_b8
    b32: _ld_weak_const_ca_b32
    b64: _ld_weak_const_ca_b64
    u8: _ld_weak_const_ca_u8
    u16: _ld_weak_const_ca_u8
    u32: _ld_weak_const_ca_u32
    u64: _ld_weak_const_ca_u64
    s8: _ld_weak_const_ca_u8
    s16: _ld_weak_const_ca_u8
    s32: _ld_weak_const_ca_u32
    s64: _ld_weak_const_ca_u64
    f32: _ld_weak_const_ca_f32
    f64: _ld_weak_const_ca_f64
    v2: _ld_weak_const_ca_v2
    v4: _ld_weak_const_ca_v4
    b128: _ld_weak_const_ca_b128
class _ld_weak_global_ca_L2__cache_hint_L2__64B_b8(_Chain):
    def __call__(self, d: B8_WIDER | New, a: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_global_ca_L2__cache_hint_L2__64B_b32(_Chain):
    def __call__(self, d: B32_WIDER | New, a: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_global_ca_L2__cache_hint_L2__64B_b64(_Chain):
    def __call__(self, d: B64_WIDER | New, a: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_global_ca_L2__cache_hint_L2__64B_u8(_Chain):
    def __call__(self, d: I8_WIDER | New, a: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_global_ca_L2__cache_hint_L2__64B_u32(_Chain):
    def __call__(self, d: I32_WIDER | New, a: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_global_ca_L2__cache_hint_L2__64B_u64(_Chain):
    def __call__(self, d: I64_WIDER | New, a: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_global_ca_L2__cache_hint_L2__64B_f32(_Chain):
    def __call__(self, d: F32_WIDER | New, a: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_global_ca_L2__cache_hint_L2__64B_f64(_Chain):
    def __call__(self, d: F64_WIDER | New, a: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_b8(_Chain):
    def __call__(self, d: Vector[B8_WIDER | Sink | New], a: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_b32(_Chain):
    def __call__(self, d: Vector[B32_WIDER | Sink | New], a: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_u8(_Chain):
    def __call__(self, d: Vector[I8_WIDER | Sink | New], a: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_u32(_Chain):
    def __call__(self, d: Vector[I32_WIDER | Sink | New], a: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_f32(_Chain):
    def __call__(self, d: Vector[F32_WIDER | Sink | New], a: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_b64(_Chain):
    def __call__(self, d: Vector[B64_WIDER | Sink | New], a: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_u64(_Chain):
    def __call__(self, d: Vector[I64_WIDER | Sink | New], a: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_f64(_Chain):
    def __call__(self, d: Vector[F64_WIDER | Sink | New], a: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_global_ca_L2__cache_hint_L2__64B_v2(_Chain):
    b8: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_b8
    b16: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_b8
    b32: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_b32
    u8: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_u8
    u16: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_u8
    u32: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_u32
    s8: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_u8
    s16: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_u8
    s32: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_u32
    f32: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_f32
    b64: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_b64
    u64: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_u64
    s64: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_u64
    f64: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_f64
class _ld_weak_global_ca_L2__cache_hint_L2__64B_v8(_Chain):
    b32: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_b32
    u32: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_u32
    s32: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_u32
    f32: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_f32
class _ld_weak_global_ca_L2__cache_hint_L2__64B_b128(_Chain):
    def __call__(self, d: B128 | New, a: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _ld_weak_global_ca_L2__cache_hint_L2__64B(_Chain):
    b8: _ld_weak_global_ca_L2__cache_hint_L2__64B_b8
    b16: _ld_weak_global_ca_L2__cache_hint_L2__64B_b8
    b32: _ld_weak_global_ca_L2__cache_hint_L2__64B_b32
    b64: _ld_weak_global_ca_L2__cache_hint_L2__64B_b64
    u8: _ld_weak_global_ca_L2__cache_hint_L2__64B_u8
    u16: _ld_weak_global_ca_L2__cache_hint_L2__64B_u8
    u32: _ld_weak_global_ca_L2__cache_hint_L2__64B_u32
    u64: _ld_weak_global_ca_L2__cache_hint_L2__64B_u64
    s8: _ld_weak_global_ca_L2__cache_hint_L2__64B_u8
    s16: _ld_weak_global_ca_L2__cache_hint_L2__64B_u8
    s32: _ld_weak_global_ca_L2__cache_hint_L2__64B_u32
    s64: _ld_weak_global_ca_L2__cache_hint_L2__64B_u64
    f32: _ld_weak_global_ca_L2__cache_hint_L2__64B_f32
    f64: _ld_weak_global_ca_L2__cache_hint_L2__64B_f64
    v2: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2
    v4: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2
    v8: _ld_weak_global_ca_L2__cache_hint_L2__64B_v8
    b128: _ld_weak_global_ca_L2__cache_hint_L2__64B_b128
class _ld_weak_global_ca_L2__cache_hint(_Chain):
    L2__64B: _ld_weak_global_ca_L2__cache_hint_L2__64B
    L2__128B: _ld_weak_global_ca_L2__cache_hint_L2__64B
    L2__256B: _ld_weak_global_ca_L2__cache_hint_L2__64B
    b8: _ld_weak_global_ca_L2__cache_hint_L2__64B_b8
    b16: _ld_weak_global_ca_L2__cache_hint_L2__64B_b8
    b32: _ld_weak_global_ca_L2__cache_hint_L2__64B_b32
    b64: _ld_weak_global_ca_L2__cache_hint_L2__64B_b64
    u8: _ld_weak_global_ca_L2__cache_hint_L2__64B_u8
    u16: _ld_weak_global_ca_L2__cache_hint_L2__64B_u8
    u32: _ld_weak_global_ca_L2__cache_hint_L2__64B_u32
    u64: _ld_weak_global_ca_L2__cache_hint_L2__64B_u64
    s8: _ld_weak_global_ca_L2__cache_hint_L2__64B_u8
    s16: _ld_weak_global_ca_L2__cache_hint_L2__64B_u8
    s32: _ld_weak_global_ca_L2__cache_hint_L2__64B_u32
    s64: _ld_weak_global_ca_L2__cache_hint_L2__64B_u64
    f32: _ld_weak_global_ca_L2__cache_hint_L2__64B_f32
    f64: _ld_weak_global_ca_L2__cache_hint_L2__64B_f64
    v2: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2
    v4: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2
    v8: _ld_weak_global_ca_L2__cache_hint_L2__64B_v8
    b128: _ld_weak_global_ca_L2__cache_hint_L2__64B_b128
class _ld_weak_global_ca_L2__64B_v8(_Chain):
    b32: _ld_weak_const_ca_v2_b32
    u32: _ld_weak_const_ca_v2_u32
    s32: _ld_weak_const_ca_v2_u32
    f32: _ld_weak_const_ca_v2_f32
class _ld_weak_global_ca_L2__64B(_Chain):
    b8: _ld_weak_const_ca_b8
    b16: _ld_weak_const_ca_b8
    b32: _ld_weak_const_ca_b32
    b64: _ld_weak_const_ca_b64
    u8: _ld_weak_const_ca_u8
    u16: _ld_weak_const_ca_u8
    u32: _ld_weak_const_ca_u32
    u64: _ld_weak_const_ca_u64
    s8: _ld_weak_const_ca_u8
    s16: _ld_weak_const_ca_u8
    s32: _ld_weak_const_ca_u32
    s64: _ld_weak_const_ca_u64
    f32: _ld_weak_const_ca_f32
    f64: _ld_weak_const_ca_f64
    v2: _ld_weak_const_ca_v2
    v4: _ld_weak_const_ca_v2
    v8: _ld_weak_global_ca_L2__64B_v8
    b128: _ld_weak_const_ca_b128
class _ld_weak_global_ca(_Chain):
    L2__cache_hint: _ld_weak_global_ca_L2__cache_hint
    L2__64B: _ld_weak_global_ca_L2__64B
    L2__128B: _ld_weak_global_ca_L2__64B
    L2__256B: _ld_weak_global_ca_L2__64B
    b8: _ld_weak_const_ca_b8
    b16: _ld_weak_const_ca_b8
    b32: _ld_weak_const_ca_b32
    b64: _ld_weak_const_ca_b64
    u8: _ld_weak_const_ca_u8
    u16: _ld_weak_const_ca_u8
    u32: _ld_weak_const_ca_u32
    u64: _ld_weak_const_ca_u64
    s8: _ld_weak_const_ca_u8
    s16: _ld_weak_const_ca_u8
    s32: _ld_weak_const_ca_u32
    s64: _ld_weak_const_ca_u64
    f32: _ld_weak_const_ca_f32
    f64: _ld_weak_const_ca_f64
    v2: _ld_weak_const_ca_v2
    v4: _ld_weak_const_ca_v2
    v8: _ld_weak_global_ca_L2__64B_v8
    b128: _ld_weak_const_ca_b128
class _ld_weak_global_L1__evict_normal_L2__evict_normal_L2__cache_hint_L2__64B_v4(_Chain):
    b64: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_b64
    u64: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_u64
    s64: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_u64
    f64: _ld_weak_global_ca_L2__cache_hint_L2__64B_v2_f64
class _ld_weak_global_L1__evict_normal_L2__evict_normal_L2__cache_hint_L2__64B(_Chain):
    v4: _ld_weak_global_L1__evict_normal_L2__evict_normal_L2__cache_hint_L2__64B_v4
    v8: _ld_weak_global_ca_L2__cache_hint_L2__64B_v8
class _ld_weak_global_L1__evict_normal_L2__evict_normal_L2__cache_hint(_Chain):
    L2__64B: _ld_weak_global_L1__evict_normal_L2__evict_normal_L2__cache_hint_L2__64B
    L2__128B: _ld_weak_global_L1__evict_normal_L2__evict_normal_L2__cache_hint_L2__64B
    L2__256B: _ld_weak_global_L1__evict_normal_L2__evict_normal_L2__cache_hint_L2__64B
    v4: _ld_weak_global_L1__evict_normal_L2__evict_normal_L2__cache_hint_L2__64B_v4
    v8: _ld_weak_global_ca_L2__cache_hint_L2__64B_v8
class _ld_weak_global_L1__evict_normal_L2__evict_normal_L2__64B_v4(_Chain):
    b64: _ld_weak_const_ca_v2_b64
    u64: _ld_weak_const_ca_v2_u64
    s64: _ld_weak_const_ca_v2_u64
    f64: _ld_weak_const_ca_v2_f64
class _ld_weak_global_L1__evict_normal_L2__evict_normal_L2__64B(_Chain):
    v4: _ld_weak_global_L1__evict_normal_L2__evict_normal_L2__64B_v4
    v8: _ld_weak_global_ca_L2__64B_v8
class _ld_weak_global_L1__evict_normal_L2__evict_normal(_Chain):
    L2__cache_hint: _ld_weak_global_L1__evict_normal_L2__evict_normal_L2__cache_hint
    L2__64B: _ld_weak_global_L1__evict_normal_L2__evict_normal_L2__64B
    L2__128B: _ld_weak_global_L1__evict_normal_L2__evict_normal_L2__64B
    L2__256B: _ld_weak_global_L1__evict_normal_L2__evict_normal_L2__64B
    v4: _ld_weak_global_L1__evict_normal_L2__evict_normal_L2__64B_v4
    v8: _ld_weak_global_ca_L2__64B_v8
class _ld_weak_global_L1__evict_normal(_Chain):
    L2__cache_hint: _ld_weak_global_ca_L2__cache_hint
    L2__64B: _ld_weak_global_ca_L2__64B
    L2__128B: _ld_weak_global_ca_L2__64B
    L2__256B: _ld_weak_global_ca_L2__64B
    b8: _ld_weak_const_ca_b8
    b16: _ld_weak_const_ca_b8
    b32: _ld_weak_const_ca_b32
    b64: _ld_weak_const_ca_b64
    u8: _ld_weak_const_ca_u8
    u16: _ld_weak_const_ca_u8
    u32: _ld_weak_const_ca_u32
    u64: _ld_weak_const_ca_u64
    s8: _ld_weak_const_ca_u8
    s16: _ld_weak_const_ca_u8
    s32: _ld_weak_const_ca_u32
    s64: _ld_weak_const_ca_u64
    f32: _ld_weak_const_ca_f32
    f64: _ld_weak_const_ca_f64
    v2: _ld_weak_const_ca_v2
    v4: _ld_weak_const_ca_v2
    L2__evict_normal: _ld_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_first: _ld_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_last: _ld_weak_global_L1__evict_normal_L2__evict_normal
    v8: _ld_weak_global_ca_L2__64B_v8
    b128: _ld_weak_const_ca_b128
class _ld_weak_global(_Chain):
    ca: _ld_weak_global_ca
    cg: _ld_weak_global_ca
    cs: _ld_weak_global_ca
    lu: _ld_weak_global_ca
    cv: _ld_weak_global_ca
    L2__cache_hint: _ld_weak_global_ca_L2__cache_hint
    L2__64B: _ld_weak_global_ca_L2__64B
    L2__128B: _ld_weak_global_ca_L2__64B
    L2__256B: _ld_weak_global_ca_L2__64B
    b8: _ld_weak_const_ca_b8
    b16: _ld_weak_const_ca_b8
    b32: _ld_weak_const_ca_b32
    b64: _ld_weak_const_ca_b64
    u8: _ld_weak_const_ca_u8
    u16: _ld_weak_const_ca_u8
    u32: _ld_weak_const_ca_u32
    u64: _ld_weak_const_ca_u64
    s8: _ld_weak_const_ca_u8
    s16: _ld_weak_const_ca_u8
    s32: _ld_weak_const_ca_u32
    s64: _ld_weak_const_ca_u64
    f32: _ld_weak_const_ca_f32
    f64: _ld_weak_const_ca_f64
    v2: _ld_weak_const_ca_v2
    v4: _ld_weak_const_ca_v2
    L1__evict_normal: _ld_weak_global_L1__evict_normal
    L1__evict_unchanged: _ld_weak_global_L1__evict_normal
    L1__evict_first: _ld_weak_global_L1__evict_normal
    L1__evict_last: _ld_weak_global_L1__evict_normal
    L1__no_allocate: _ld_weak_global_L1__evict_normal
    v8: _ld_weak_global_ca_L2__64B_v8
    L2__evict_normal: _ld_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_first: _ld_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_last: _ld_weak_global_L1__evict_normal_L2__evict_normal
    b128: _ld_weak_const_ca_b128
class _ld_weak(_Chain):
    const: _ld_weak_const
    global_: _ld_weak_global
    local: _ld_weak_const
    param: _ld_weak_const
    param__entry: _ld_weak_const
    param__func: _ld_weak_const
    shared: _ld_weak_const
    shared__cta: _ld_weak_const
    shared__cluster: _ld_weak_const
    ca: _ld_weak_global_ca
    cg: _ld_weak_global_ca
    cs: _ld_weak_global_ca
    lu: _ld_weak_global_ca
    cv: _ld_weak_global_ca
    L2__cache_hint: _ld_weak_global_ca_L2__cache_hint
    L2__64B: _ld_weak_global_ca_L2__64B
    L2__128B: _ld_weak_global_ca_L2__64B
    L2__256B: _ld_weak_global_ca_L2__64B
    b8: _ld_weak_const_ca_b8
    b16: _ld_weak_const_ca_b8
    b32: _ld_weak_const_ca_b32
    b64: _ld_weak_const_ca_b64
    u8: _ld_weak_const_ca_u8
    u16: _ld_weak_const_ca_u8
    u32: _ld_weak_const_ca_u32
    u64: _ld_weak_const_ca_u64
    s8: _ld_weak_const_ca_u8
    s16: _ld_weak_const_ca_u8
    s32: _ld_weak_const_ca_u32
    s64: _ld_weak_const_ca_u64
    f32: _ld_weak_const_ca_f32
    f64: _ld_weak_const_ca_f64
    v2: _ld_weak_const_ca_v2
    v4: _ld_weak_const_ca_v2
    L1__evict_normal: _ld_weak_global_L1__evict_normal
    L1__evict_unchanged: _ld_weak_global_L1__evict_normal
    L1__evict_first: _ld_weak_global_L1__evict_normal
    L1__evict_last: _ld_weak_global_L1__evict_normal
    L1__no_allocate: _ld_weak_global_L1__evict_normal
    v8: _ld_weak_global_ca_L2__64B_v8
    L2__evict_normal: _ld_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_first: _ld_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_last: _ld_weak_global_L1__evict_normal_L2__evict_normal
    b128: _ld_weak_const_ca_b128
class _ld_global_ca(_Chain):
    L2__cache_hint: _ld_weak_global_ca_L2__cache_hint
    L2__64B: _ld_weak_global_ca_L2__64B
    L2__128B: _ld_weak_global_ca_L2__64B
    L2__256B: _ld_weak_global_ca_L2__64B
    b8: _ld_weak_const_ca_b8
    b16: _ld_weak_const_ca_b8
    b32: _ld_weak_const_ca_b32
    b64: _ld_weak_const_ca_b64
    u8: _ld_weak_const_ca_u8
    u16: _ld_weak_const_ca_u8
    u32: _ld_weak_const_ca_u32
    u64: _ld_weak_const_ca_u64
    s8: _ld_weak_const_ca_u8
    s16: _ld_weak_const_ca_u8
    s32: _ld_weak_const_ca_u32
    s64: _ld_weak_const_ca_u64
    f32: _ld_weak_const_ca_f32
    f64: _ld_weak_const_ca_f64
    v2: _ld_weak_const_ca_v2
    v4: _ld_weak_const_ca_v2
    v8: _ld_weak_global_ca_L2__64B_v8
    b128: _ld_weak_const_ca_b128
    nc: _ld_weak_global_ca
class _ld_global_b8(_Chain):
    proxy__readonly: _ld_weak_const_ca_b8
    def __call__(self, d: B8_WIDER | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_global_b32(_Chain):
    proxy__readonly: _ld_weak_const_ca_b32
    def __call__(self, d: B32_WIDER | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_global_b64(_Chain):
    proxy__readonly: _ld_weak_const_ca_b64
    def __call__(self, d: B64_WIDER | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_global_u8(_Chain):
    proxy__readonly: _ld_weak_const_ca_u8
    def __call__(self, d: I8_WIDER | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_global_u32(_Chain):
    proxy__readonly: _ld_weak_const_ca_u32
    def __call__(self, d: I32_WIDER | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_global_u64(_Chain):
    proxy__readonly: _ld_weak_const_ca_u64
    def __call__(self, d: I64_WIDER | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_global_f32(_Chain):
    proxy__readonly: _ld_weak_const_ca_f32
    def __call__(self, d: F32_WIDER | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_global_f64(_Chain):
    proxy__readonly: _ld_weak_const_ca_f64
    def __call__(self, d: F64_WIDER | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_global_v2_b8(_Chain):
    proxy__readonly: _ld_weak_const_ca_v2_b8
    def __call__(self, d: Vector[B8_WIDER | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_global_v2_b32(_Chain):
    proxy__readonly: _ld_weak_const_ca_v2_b32
    def __call__(self, d: Vector[B32_WIDER | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_global_v2_u8(_Chain):
    proxy__readonly: _ld_weak_const_ca_v2_u8
    def __call__(self, d: Vector[I8_WIDER | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_global_v2_u32(_Chain):
    proxy__readonly: _ld_weak_const_ca_v2_u32
    def __call__(self, d: Vector[I32_WIDER | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_global_v2_f32(_Chain):
    proxy__readonly: _ld_weak_const_ca_v2_f32
    def __call__(self, d: Vector[F32_WIDER | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_global_v2_b64(_Chain):
    proxy__readonly: _ld_weak_const_ca_v2_b64
    def __call__(self, d: Vector[B64_WIDER | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_global_v2_u64(_Chain):
    proxy__readonly: _ld_weak_const_ca_v2_u64
    def __call__(self, d: Vector[I64_WIDER | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_global_v2_f64(_Chain):
    proxy__readonly: _ld_weak_const_ca_v2_f64
    def __call__(self, d: Vector[F64_WIDER | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ld_global_v2(_Chain):
    b8: _ld_global_v2_b8
    b16: _ld_global_v2_b8
    b32: _ld_global_v2_b32
    u8: _ld_global_v2_u8
    u16: _ld_global_v2_u8
    u32: _ld_global_v2_u32
    s8: _ld_global_v2_u8
    s16: _ld_global_v2_u8
    s32: _ld_global_v2_u32
    f32: _ld_global_v2_f32
    b64: _ld_global_v2_b64
    u64: _ld_global_v2_u64
    s64: _ld_global_v2_u64
    f64: _ld_global_v2_f64
class _ld_global_v8(_Chain):
    b32: _ld_global_v2_b32
    u32: _ld_global_v2_u32
    s32: _ld_global_v2_u32
    f32: _ld_global_v2_f32
class _ld_global_nc(_Chain):
    b8: _ld_global_b8
    b16: _ld_global_b8
    b32: _ld_global_b32
    b64: _ld_global_b64
    u8: _ld_global_u8
    u16: _ld_global_u8
    u32: _ld_global_u32
    u64: _ld_global_u64
    s8: _ld_global_u8
    s16: _ld_global_u8
    s32: _ld_global_u32
    s64: _ld_global_u64
    f32: _ld_global_f32
    f64: _ld_global_f64
    v2: _ld_global_v2
    v4: _ld_global_v2
    v8: _ld_global_v8
    L2__cache_hint: _ld_weak_global_ca_L2__cache_hint
    L2__64B: _ld_weak_global_ca_L2__64B
    L2__128B: _ld_weak_global_ca_L2__64B
    L2__256B: _ld_weak_global_ca_L2__64B
    L1__evict_normal: _ld_weak_global_L1__evict_normal
    L1__evict_unchanged: _ld_weak_global_L1__evict_normal
    L1__evict_first: _ld_weak_global_L1__evict_normal
    L1__evict_last: _ld_weak_global_L1__evict_normal
    L1__no_allocate: _ld_weak_global_L1__evict_normal
    L2__evict_normal: _ld_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_first: _ld_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_last: _ld_weak_global_L1__evict_normal_L2__evict_normal
    b128: _ld_weak_const_ca_b128
class _ld_global(_Chain):
    ca: _ld_global_ca
    cg: _ld_global_ca
    cs: _ld_global_ca
    lu: _ld_weak_global_ca
    cv: _ld_weak_global_ca
    L2__cache_hint: _ld_weak_global_ca_L2__cache_hint
    L2__64B: _ld_weak_global_ca_L2__64B
    L2__128B: _ld_weak_global_ca_L2__64B
    L2__256B: _ld_weak_global_ca_L2__64B
    b8: _ld_global_b8
    b16: _ld_global_b8
    b32: _ld_global_b32
    b64: _ld_global_b64
    u8: _ld_global_u8
    u16: _ld_global_u8
    u32: _ld_global_u32
    u64: _ld_global_u64
    s8: _ld_global_u8
    s16: _ld_global_u8
    s32: _ld_global_u32
    s64: _ld_global_u64
    f32: _ld_global_f32
    f64: _ld_global_f64
    v2: _ld_global_v2
    v4: _ld_global_v2
    L1__evict_normal: _ld_weak_global_L1__evict_normal
    L1__evict_unchanged: _ld_weak_global_L1__evict_normal
    L1__evict_first: _ld_weak_global_L1__evict_normal
    L1__evict_last: _ld_weak_global_L1__evict_normal
    L1__no_allocate: _ld_weak_global_L1__evict_normal
    v8: _ld_global_v8
    L2__evict_normal: _ld_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_first: _ld_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_last: _ld_weak_global_L1__evict_normal_L2__evict_normal
    b128: _ld_weak_const_ca_b128
    nc: _ld_global_nc
class _ld_volatile_global(_Chain):
    L2__64B: _ld_weak_global_ca_L2__64B
    L2__128B: _ld_weak_global_ca_L2__64B
    L2__256B: _ld_weak_global_ca_L2__64B
    b8: _ld_weak_const_ca_b8
    b16: _ld_weak_const_ca_b8
    b32: _ld_weak_const_ca_b32
    b64: _ld_weak_const_ca_b64
    u8: _ld_weak_const_ca_u8
    u16: _ld_weak_const_ca_u8
    u32: _ld_weak_const_ca_u32
    u64: _ld_weak_const_ca_u64
    s8: _ld_weak_const_ca_u8
    s16: _ld_weak_const_ca_u8
    s32: _ld_weak_const_ca_u32
    s64: _ld_weak_const_ca_u64
    f32: _ld_weak_const_ca_f32
    f64: _ld_weak_const_ca_f64
    v2: _ld_weak_const_ca_v2
    v4: _ld_weak_const_ca_v2
    v8: _ld_weak_global_ca_L2__64B_v8
    b128: _ld_weak_const_ca_b128
class _ld_volatile(_Chain):
    global_: _ld_volatile_global
    local: _ld_weak_const_ca
    shared: _ld_weak_const_ca
    shared__cta: _ld_weak_const_ca
    shared__cluster: _ld_weak_const_ca
    L2__64B: _ld_weak_global_ca_L2__64B
    L2__128B: _ld_weak_global_ca_L2__64B
    L2__256B: _ld_weak_global_ca_L2__64B
    b8: _ld_weak_const_ca_b8
    b16: _ld_weak_const_ca_b8
    b32: _ld_weak_const_ca_b32
    b64: _ld_weak_const_ca_b64
    u8: _ld_weak_const_ca_u8
    u16: _ld_weak_const_ca_u8
    u32: _ld_weak_const_ca_u32
    u64: _ld_weak_const_ca_u64
    s8: _ld_weak_const_ca_u8
    s16: _ld_weak_const_ca_u8
    s32: _ld_weak_const_ca_u32
    s64: _ld_weak_const_ca_u64
    f32: _ld_weak_const_ca_f32
    f64: _ld_weak_const_ca_f64
    v2: _ld_weak_const_ca_v2
    v4: _ld_weak_const_ca_v2
    v8: _ld_weak_global_ca_L2__64B_v8
    b128: _ld_weak_const_ca_b128
class _ld_relaxed_cta_global(_Chain):
    L1__evict_normal: _ld_weak_global_L1__evict_normal
    L1__evict_unchanged: _ld_weak_global_L1__evict_normal
    L1__evict_first: _ld_weak_global_L1__evict_normal
    L1__evict_last: _ld_weak_global_L1__evict_normal
    L1__no_allocate: _ld_weak_global_L1__evict_normal
    L2__cache_hint: _ld_weak_global_ca_L2__cache_hint
    L2__64B: _ld_weak_global_ca_L2__64B
    L2__128B: _ld_weak_global_ca_L2__64B
    L2__256B: _ld_weak_global_ca_L2__64B
    b8: _ld_weak_const_ca_b8
    b16: _ld_weak_const_ca_b8
    b32: _ld_weak_const_ca_b32
    b64: _ld_weak_const_ca_b64
    u8: _ld_weak_const_ca_u8
    u16: _ld_weak_const_ca_u8
    u32: _ld_weak_const_ca_u32
    u64: _ld_weak_const_ca_u64
    s8: _ld_weak_const_ca_u8
    s16: _ld_weak_const_ca_u8
    s32: _ld_weak_const_ca_u32
    s64: _ld_weak_const_ca_u64
    f32: _ld_weak_const_ca_f32
    f64: _ld_weak_const_ca_f64
    v2: _ld_weak_const_ca_v2
    v4: _ld_weak_const_ca_v2
    L2__evict_normal: _ld_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_first: _ld_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_last: _ld_weak_global_L1__evict_normal_L2__evict_normal
    v8: _ld_weak_global_ca_L2__64B_v8
    b128: _ld_weak_const_ca_b128
class _ld_relaxed_cta(_Chain):
    global_: _ld_relaxed_cta_global
    shared: _ld_weak_const_ca
    shared__cta: _ld_weak_const_ca
    shared__cluster: _ld_weak_const_ca
    L1__evict_normal: _ld_weak_global_L1__evict_normal
    L1__evict_unchanged: _ld_weak_global_L1__evict_normal
    L1__evict_first: _ld_weak_global_L1__evict_normal
    L1__evict_last: _ld_weak_global_L1__evict_normal
    L1__no_allocate: _ld_weak_global_L1__evict_normal
    L2__cache_hint: _ld_weak_global_ca_L2__cache_hint
    L2__64B: _ld_weak_global_ca_L2__64B
    L2__128B: _ld_weak_global_ca_L2__64B
    L2__256B: _ld_weak_global_ca_L2__64B
    b8: _ld_weak_const_ca_b8
    b16: _ld_weak_const_ca_b8
    b32: _ld_weak_const_ca_b32
    b64: _ld_weak_const_ca_b64
    u8: _ld_weak_const_ca_u8
    u16: _ld_weak_const_ca_u8
    u32: _ld_weak_const_ca_u32
    u64: _ld_weak_const_ca_u64
    s8: _ld_weak_const_ca_u8
    s16: _ld_weak_const_ca_u8
    s32: _ld_weak_const_ca_u32
    s64: _ld_weak_const_ca_u64
    f32: _ld_weak_const_ca_f32
    f64: _ld_weak_const_ca_f64
    v2: _ld_weak_const_ca_v2
    v4: _ld_weak_const_ca_v2
    L2__evict_normal: _ld_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_first: _ld_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_last: _ld_weak_global_L1__evict_normal_L2__evict_normal
    v8: _ld_weak_global_ca_L2__64B_v8
    b128: _ld_weak_const_ca_b128
class _ld_relaxed(_Chain):
    cta: _ld_relaxed_cta
    cluster: _ld_relaxed_cta
    gpu: _ld_relaxed_cta
    sys: _ld_relaxed_cta
class _ld_mmio_relaxed_sys_global(_Chain):
    b128: _ld_weak_const_ca_b128
    b8: _ld_weak_const_ca_b8
    b16: _ld_weak_const_ca_b8
    b32: _ld_weak_const_ca_b32
    b64: _ld_weak_const_ca_b64
    u8: _ld_weak_const_ca_u8
    u16: _ld_weak_const_ca_u8
    u32: _ld_weak_const_ca_u32
    u64: _ld_weak_const_ca_u64
    s8: _ld_weak_const_ca_u8
    s16: _ld_weak_const_ca_u8
    s32: _ld_weak_const_ca_u32
    s64: _ld_weak_const_ca_u64
    f32: _ld_weak_const_ca_f32
    f64: _ld_weak_const_ca_f64
class _ld_mmio_relaxed_sys(_Chain):
    global_: _ld_mmio_relaxed_sys_global
    b128: _ld_weak_const_ca_b128
    b8: _ld_weak_const_ca_b8
    b16: _ld_weak_const_ca_b8
    b32: _ld_weak_const_ca_b32
    b64: _ld_weak_const_ca_b64
    u8: _ld_weak_const_ca_u8
    u16: _ld_weak_const_ca_u8
    u32: _ld_weak_const_ca_u32
    u64: _ld_weak_const_ca_u64
    s8: _ld_weak_const_ca_u8
    s16: _ld_weak_const_ca_u8
    s32: _ld_weak_const_ca_u32
    s64: _ld_weak_const_ca_u64
    f32: _ld_weak_const_ca_f32
    f64: _ld_weak_const_ca_f64
class _ld_mmio_relaxed(_Chain):
    sys: _ld_mmio_relaxed_sys
class _ld_mmio(_Chain):
    relaxed: _ld_mmio_relaxed
    acquire: _ld_mmio_relaxed
class _ld(_Chain):
    weak: _ld_weak
    const: _ld_weak_const
    global_: _ld_global
    local: _ld_weak_const
    param: _ld_weak_const
    param__entry: _ld_weak_const
    param__func: _ld_weak_const
    shared: _ld_weak_const
    shared__cta: _ld_weak_const
    shared__cluster: _ld_weak_const
    ca: _ld_weak_global_ca
    cg: _ld_weak_global_ca
    cs: _ld_weak_global_ca
    lu: _ld_weak_global_ca
    cv: _ld_weak_global_ca
    L2__cache_hint: _ld_weak_global_ca_L2__cache_hint
    L2__64B: _ld_weak_global_ca_L2__64B
    L2__128B: _ld_weak_global_ca_L2__64B
    L2__256B: _ld_weak_global_ca_L2__64B
    b8: _ld_global_b8
    b16: _ld_global_b8
    b32: _ld_global_b32
    b64: _ld_global_b64
    u8: _ld_global_u8
    u16: _ld_global_u8
    u32: _ld_global_u32
    u64: _ld_global_u64
    s8: _ld_global_u8
    s16: _ld_global_u8
    s32: _ld_global_u32
    s64: _ld_global_u64
    f32: _ld_global_f32
    f64: _ld_global_f64
    v2: _ld_global_v2
    v4: _ld_global_v2
    L1__evict_normal: _ld_weak_global_L1__evict_normal
    L1__evict_unchanged: _ld_weak_global_L1__evict_normal
    L1__evict_first: _ld_weak_global_L1__evict_normal
    L1__evict_last: _ld_weak_global_L1__evict_normal
    L1__no_allocate: _ld_weak_global_L1__evict_normal
    v8: _ld_global_v8
    L2__evict_normal: _ld_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_first: _ld_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_last: _ld_weak_global_L1__evict_normal_L2__evict_normal
    b128: _ld_weak_const_ca_b128
    volatile: _ld_volatile
    relaxed: _ld_relaxed
    acquire: _ld_relaxed
    mmio: _ld_mmio
class _ldu(_Chain):
    global_: _ld_weak_const_ca
    b8: _ld_weak_const_ca_b8
    b16: _ld_weak_const_ca_b8
    b32: _ld_weak_const_ca_b32
    b64: _ld_weak_const_ca_b64
    u8: _ld_weak_const_ca_u8
    u16: _ld_weak_const_ca_u8
    u32: _ld_weak_const_ca_u32
    u64: _ld_weak_const_ca_u64
    s8: _ld_weak_const_ca_u8
    s16: _ld_weak_const_ca_u8
    s32: _ld_weak_const_ca_u32
    s64: _ld_weak_const_ca_u64
    f32: _ld_weak_const_ca_f32
    f64: _ld_weak_const_ca_f64
    v2: _ld_weak_const_ca_v2
    v4: _ld_weak_const_ca_v4
    b128: _ld_weak_const_ca_b128
class _st_weak_global_wb_L2__cache_hint_b8(_Chain):
    def __call__(self, a: Address, b: B8_WIDER | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_L2__cache_hint_b32(_Chain):
    def __call__(self, a: Address, b: B32_WIDER | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_L2__cache_hint_b64(_Chain):
    def __call__(self, a: Address, b: B64_WIDER | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_L2__cache_hint_u8(_Chain):
    def __call__(self, a: Address, b: I8_WIDER | int, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_L2__cache_hint_u32(_Chain):
    def __call__(self, a: Address, b: I32_WIDER | int, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_L2__cache_hint_u64(_Chain):
    def __call__(self, a: Address, b: I64_WIDER | int, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_L2__cache_hint_f32(_Chain):
    def __call__(self, a: Address, b: F32_WIDER | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_L2__cache_hint_f64(_Chain):
    def __call__(self, a: Address, b: F64_WIDER | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_L2__cache_hint_v2_b8(_Chain):
    def __call__(self, a: Address, b: Vector[B8_WIDER | float], policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_L2__cache_hint_v2_b32(_Chain):
    def __call__(self, a: Address, b: Vector[B32_WIDER | float], policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_L2__cache_hint_v2_u8(_Chain):
    def __call__(self, a: Address, b: Vector[I8_WIDER | int], policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_L2__cache_hint_v2_u32(_Chain):
    def __call__(self, a: Address, b: Vector[I32_WIDER | int], policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_L2__cache_hint_v2_f32(_Chain):
    def __call__(self, a: Address, b: Vector[F32_WIDER | float], policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_L2__cache_hint_v2_b64(_Chain):
    def __call__(self, a: Address, b: Vector[B64_WIDER | float], policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_L2__cache_hint_v2_u64(_Chain):
    def __call__(self, a: Address, b: Vector[I64_WIDER | int], policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_L2__cache_hint_v2_f64(_Chain):
    def __call__(self, a: Address, b: Vector[F64_WIDER | float], policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_L2__cache_hint_v2(_Chain):
    b8: _st_weak_global_wb_L2__cache_hint_v2_b8
    b16: _st_weak_global_wb_L2__cache_hint_v2_b8
    b32: _st_weak_global_wb_L2__cache_hint_v2_b32
    u8: _st_weak_global_wb_L2__cache_hint_v2_u8
    u16: _st_weak_global_wb_L2__cache_hint_v2_u8
    u32: _st_weak_global_wb_L2__cache_hint_v2_u32
    s8: _st_weak_global_wb_L2__cache_hint_v2_u8
    s16: _st_weak_global_wb_L2__cache_hint_v2_u8
    s32: _st_weak_global_wb_L2__cache_hint_v2_u32
    f32: _st_weak_global_wb_L2__cache_hint_v2_f32
    b64: _st_weak_global_wb_L2__cache_hint_v2_b64
    u64: _st_weak_global_wb_L2__cache_hint_v2_u64
    s64: _st_weak_global_wb_L2__cache_hint_v2_u64
    f64: _st_weak_global_wb_L2__cache_hint_v2_f64
class _st_weak_global_wb_L2__cache_hint_v8(_Chain):
    b32: _st_weak_global_wb_L2__cache_hint_v2_b32
    u32: _st_weak_global_wb_L2__cache_hint_v2_u32
    s32: _st_weak_global_wb_L2__cache_hint_v2_u32
    f32: _st_weak_global_wb_L2__cache_hint_v2_f32
class _st_weak_global_wb_L2__cache_hint_b128(_Chain):
    def __call__(self, a: Address, b: B128 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_L2__cache_hint(_Chain):
    b8: _st_weak_global_wb_L2__cache_hint_b8
    b16: _st_weak_global_wb_L2__cache_hint_b8
    b32: _st_weak_global_wb_L2__cache_hint_b32
    b64: _st_weak_global_wb_L2__cache_hint_b64
    u8: _st_weak_global_wb_L2__cache_hint_u8
    u16: _st_weak_global_wb_L2__cache_hint_u8
    u32: _st_weak_global_wb_L2__cache_hint_u32
    u64: _st_weak_global_wb_L2__cache_hint_u64
    s8: _st_weak_global_wb_L2__cache_hint_u8
    s16: _st_weak_global_wb_L2__cache_hint_u8
    s32: _st_weak_global_wb_L2__cache_hint_u32
    s64: _st_weak_global_wb_L2__cache_hint_u64
    f32: _st_weak_global_wb_L2__cache_hint_f32
    f64: _st_weak_global_wb_L2__cache_hint_f64
    v2: _st_weak_global_wb_L2__cache_hint_v2
    v4: _st_weak_global_wb_L2__cache_hint_v2
    v8: _st_weak_global_wb_L2__cache_hint_v8
    b128: _st_weak_global_wb_L2__cache_hint_b128
class _st_weak_global_wb_b8(_Chain):
    def __call__(self, a: Address, b: B8_WIDER | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_b32(_Chain):
    def __call__(self, a: Address, b: B32_WIDER | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_b64(_Chain):
    def __call__(self, a: Address, b: B64_WIDER | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_u8(_Chain):
    def __call__(self, a: Address, b: I8_WIDER | int, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_u32(_Chain):
    def __call__(self, a: Address, b: I32_WIDER | int, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_u64(_Chain):
    def __call__(self, a: Address, b: I64_WIDER | int, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_f32(_Chain):
    def __call__(self, a: Address, b: F32_WIDER | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_f64(_Chain):
    def __call__(self, a: Address, b: F64_WIDER | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_v2_b8(_Chain):
    def __call__(self, a: Address, b: Vector[B8_WIDER | float], /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_v2_b32(_Chain):
    def __call__(self, a: Address, b: Vector[B32_WIDER | float], /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_v2_u8(_Chain):
    def __call__(self, a: Address, b: Vector[I8_WIDER | int], /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_v2_u32(_Chain):
    def __call__(self, a: Address, b: Vector[I32_WIDER | int], /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_v2_f32(_Chain):
    def __call__(self, a: Address, b: Vector[F32_WIDER | float], /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_v2_b64(_Chain):
    def __call__(self, a: Address, b: Vector[B64_WIDER | float], /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_v2_u64(_Chain):
    def __call__(self, a: Address, b: Vector[I64_WIDER | int], /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_v2_f64(_Chain):
    def __call__(self, a: Address, b: Vector[F64_WIDER | float], /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb_v2(_Chain):
    b8: _st_weak_global_wb_v2_b8
    b16: _st_weak_global_wb_v2_b8
    b32: _st_weak_global_wb_v2_b32
    u8: _st_weak_global_wb_v2_u8
    u16: _st_weak_global_wb_v2_u8
    u32: _st_weak_global_wb_v2_u32
    s8: _st_weak_global_wb_v2_u8
    s16: _st_weak_global_wb_v2_u8
    s32: _st_weak_global_wb_v2_u32
    f32: _st_weak_global_wb_v2_f32
    b64: _st_weak_global_wb_v2_b64
    u64: _st_weak_global_wb_v2_u64
    s64: _st_weak_global_wb_v2_u64
    f64: _st_weak_global_wb_v2_f64
class _st_weak_global_wb_v8(_Chain):
    b32: _st_weak_global_wb_v2_b32
    u32: _st_weak_global_wb_v2_u32
    s32: _st_weak_global_wb_v2_u32
    f32: _st_weak_global_wb_v2_f32
class _st_weak_global_wb_b128(_Chain):
    def __call__(self, a: Address, b: B128 | float, /, *, pred: Guard = ...) -> None: ...
class _st_weak_global_wb(_Chain):
    L2__cache_hint: _st_weak_global_wb_L2__cache_hint
    b8: _st_weak_global_wb_b8
    b16: _st_weak_global_wb_b8
    b32: _st_weak_global_wb_b32
    b64: _st_weak_global_wb_b64
    u8: _st_weak_global_wb_u8
    u16: _st_weak_global_wb_u8
    u32: _st_weak_global_wb_u32
    u64: _st_weak_global_wb_u64
    s8: _st_weak_global_wb_u8
    s16: _st_weak_global_wb_u8
    s32: _st_weak_global_wb_u32
    s64: _st_weak_global_wb_u64
    f32: _st_weak_global_wb_f32
    f64: _st_weak_global_wb_f64
    v2: _st_weak_global_wb_v2
    v4: _st_weak_global_wb_v2
    v8: _st_weak_global_wb_v8
    b128: _st_weak_global_wb_b128
class _st_weak_global_L1__evict_normal_L2__evict_normal_L2__cache_hint_v4(_Chain):
    b64: _st_weak_global_wb_L2__cache_hint_v2_b64
    u64: _st_weak_global_wb_L2__cache_hint_v2_u64
    s64: _st_weak_global_wb_L2__cache_hint_v2_u64
    f64: _st_weak_global_wb_L2__cache_hint_v2_f64
class _st_weak_global_L1__evict_normal_L2__evict_normal_L2__cache_hint(_Chain):
    v4: _st_weak_global_L1__evict_normal_L2__evict_normal_L2__cache_hint_v4
    v8: _st_weak_global_wb_L2__cache_hint_v8
class _st_weak_global_L1__evict_normal_L2__evict_normal_v4(_Chain):
    b64: _st_weak_global_wb_v2_b64
    u64: _st_weak_global_wb_v2_u64
    s64: _st_weak_global_wb_v2_u64
    f64: _st_weak_global_wb_v2_f64
class _st_weak_global_L1__evict_normal_L2__evict_normal(_Chain):
    L2__cache_hint: _st_weak_global_L1__evict_normal_L2__evict_normal_L2__cache_hint
    v4: _st_weak_global_L1__evict_normal_L2__evict_normal_v4
    v8: _st_weak_global_wb_v8
class _st_weak_global_L1__evict_normal(_Chain):
    L2__cache_hint: _st_weak_global_wb_L2__cache_hint
    b8: _st_weak_global_wb_b8
    b16: _st_weak_global_wb_b8
    b32: _st_weak_global_wb_b32
    b64: _st_weak_global_wb_b64
    u8: _st_weak_global_wb_u8
    u16: _st_weak_global_wb_u8
    u32: _st_weak_global_wb_u32
    u64: _st_weak_global_wb_u64
    s8: _st_weak_global_wb_u8
    s16: _st_weak_global_wb_u8
    s32: _st_weak_global_wb_u32
    s64: _st_weak_global_wb_u64
    f32: _st_weak_global_wb_f32
    f64: _st_weak_global_wb_f64
    v2: _st_weak_global_wb_v2
    v4: _st_weak_global_wb_v2
    L2__evict_normal: _st_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_first: _st_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_last: _st_weak_global_L1__evict_normal_L2__evict_normal
    v8: _st_weak_global_wb_v8
    b128: _st_weak_global_wb_b128
class _st_weak_global(_Chain):
    wb: _st_weak_global_wb
    cg: _st_weak_global_wb
    cs: _st_weak_global_wb
    wt: _st_weak_global_wb
    L2__cache_hint: _st_weak_global_wb_L2__cache_hint
    b8: _st_weak_global_wb_b8
    b16: _st_weak_global_wb_b8
    b32: _st_weak_global_wb_b32
    b64: _st_weak_global_wb_b64
    u8: _st_weak_global_wb_u8
    u16: _st_weak_global_wb_u8
    u32: _st_weak_global_wb_u32
    u64: _st_weak_global_wb_u64
    s8: _st_weak_global_wb_u8
    s16: _st_weak_global_wb_u8
    s32: _st_weak_global_wb_u32
    s64: _st_weak_global_wb_u64
    f32: _st_weak_global_wb_f32
    f64: _st_weak_global_wb_f64
    v2: _st_weak_global_wb_v2
    v4: _st_weak_global_wb_v2
    L1__evict_normal: _st_weak_global_L1__evict_normal
    L1__evict_unchanged: _st_weak_global_L1__evict_normal
    L1__evict_first: _st_weak_global_L1__evict_normal
    L1__evict_last: _st_weak_global_L1__evict_normal
    L1__no_allocate: _st_weak_global_L1__evict_normal
    v8: _st_weak_global_wb_v8
    L2__evict_normal: _st_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_first: _st_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_last: _st_weak_global_L1__evict_normal_L2__evict_normal
    b128: _st_weak_global_wb_b128
class _st_weak_local_wb_v4(_Chain):
    b8: _st_weak_global_wb_v2_b8
    b16: _st_weak_global_wb_v2_b8
    b32: _st_weak_global_wb_v2_b32
    u8: _st_weak_global_wb_v2_u8
    u16: _st_weak_global_wb_v2_u8
    u32: _st_weak_global_wb_v2_u32
    s8: _st_weak_global_wb_v2_u8
    s16: _st_weak_global_wb_v2_u8
    s32: _st_weak_global_wb_v2_u32
    f32: _st_weak_global_wb_v2_f32
class _st_weak_local_wb(_Chain):
    b8: _st_weak_global_wb_b8
    b16: _st_weak_global_wb_b8
    b32: _st_weak_global_wb_b32
    b64: _st_weak_global_wb_b64
    u8: _st_weak_global_wb_u8
    u16: _st_weak_global_wb_u8
    u32: _st_weak_global_wb_u32
    u64: _st_weak_global_wb_u64
    s8: _st_weak_global_wb_u8
    s16: _st_weak_global_wb_u8
    s32: _st_weak_global_wb_u32
    s64: _st_weak_global_wb_u64
    f32: _st_weak_global_wb_f32
    f64: _st_weak_global_wb_f64
    v2: _st_weak_global_wb_v2
    v4: _st_weak_local_wb_v4
    b128: _st_weak_global_wb_b128
class _st_weak_local(_Chain):
    wb: _st_weak_local_wb
    cg: _st_weak_local_wb
    cs: _st_weak_local_wb
    wt: _st_weak_local_wb
    b8: _st_weak_global_wb_b8
    b16: _st_weak_global_wb_b8
    b32: _st_weak_global_wb_b32
    b64: _st_weak_global_wb_b64
    u8: _st_weak_global_wb_u8
    u16: _st_weak_global_wb_u8
    u32: _st_weak_global_wb_u32
    u64: _st_weak_global_wb_u64
    s8: _st_weak_global_wb_u8
    s16: _st_weak_global_wb_u8
    s32: _st_weak_global_wb_u32
    s64: _st_weak_global_wb_u64
    f32: _st_weak_global_wb_f32
    f64: _st_weak_global_wb_f64
    v2: _st_weak_global_wb_v2
    v4: _st_weak_local_wb_v4
    b128: _st_weak_global_wb_b128
class _st_weak(_Chain):
    global_: _st_weak_global
    local: _st_weak_local
    param: _st_weak_local
    param__func: _st_weak_local
    shared: _st_weak_local
    shared__cta: _st_weak_local
    shared__cluster: _st_weak_local
    wb: _st_weak_global_wb
    cg: _st_weak_global_wb
    cs: _st_weak_global_wb
    wt: _st_weak_global_wb
    L2__cache_hint: _st_weak_global_wb_L2__cache_hint
    b8: _st_weak_global_wb_b8
    b16: _st_weak_global_wb_b8
    b32: _st_weak_global_wb_b32
    b64: _st_weak_global_wb_b64
    u8: _st_weak_global_wb_u8
    u16: _st_weak_global_wb_u8
    u32: _st_weak_global_wb_u32
    u64: _st_weak_global_wb_u64
    s8: _st_weak_global_wb_u8
    s16: _st_weak_global_wb_u8
    s32: _st_weak_global_wb_u32
    s64: _st_weak_global_wb_u64
    f32: _st_weak_global_wb_f32
    f64: _st_weak_global_wb_f64
    v2: _st_weak_global_wb_v2
    v4: _st_weak_global_wb_v2
    L1__evict_normal: _st_weak_global_L1__evict_normal
    L1__evict_unchanged: _st_weak_global_L1__evict_normal
    L1__evict_first: _st_weak_global_L1__evict_normal
    L1__evict_last: _st_weak_global_L1__evict_normal
    L1__no_allocate: _st_weak_global_L1__evict_normal
    v8: _st_weak_global_wb_v8
    L2__evict_normal: _st_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_first: _st_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_last: _st_weak_global_L1__evict_normal_L2__evict_normal
    b128: _st_weak_global_wb_b128
class _st_relaxed_cta_global_L1__evict_normal_L2__cache_hint_v4(_Chain):
    b64: _st_weak_global_wb_L2__cache_hint_v2_b64
    u64: _st_weak_global_wb_L2__cache_hint_v2_u64
    s64: _st_weak_global_wb_L2__cache_hint_v2_u64
    f64: _st_weak_global_wb_L2__cache_hint_v2_f64
    b8: _st_weak_global_wb_L2__cache_hint_v2_b8
    b16: _st_weak_global_wb_L2__cache_hint_v2_b8
    b32: _st_weak_global_wb_L2__cache_hint_v2_b32
    u8: _st_weak_global_wb_L2__cache_hint_v2_u8
    u16: _st_weak_global_wb_L2__cache_hint_v2_u8
    u32: _st_weak_global_wb_L2__cache_hint_v2_u32
    s8: _st_weak_global_wb_L2__cache_hint_v2_u8
    s16: _st_weak_global_wb_L2__cache_hint_v2_u8
    s32: _st_weak_global_wb_L2__cache_hint_v2_u32
    f32: _st_weak_global_wb_L2__cache_hint_v2_f32
class _st_relaxed_cta_global_L1__evict_normal_L2__cache_hint(_Chain):
    v4: _st_relaxed_cta_global_L1__evict_normal_L2__cache_hint_v4
    v8: _st_weak_global_wb_L2__cache_hint_v8
    b128: _st_weak_global_wb_L2__cache_hint_b128
    b8: _st_weak_global_wb_L2__cache_hint_b8
    b16: _st_weak_global_wb_L2__cache_hint_b8
    b32: _st_weak_global_wb_L2__cache_hint_b32
    b64: _st_weak_global_wb_L2__cache_hint_b64
    u8: _st_weak_global_wb_L2__cache_hint_u8
    u16: _st_weak_global_wb_L2__cache_hint_u8
    u32: _st_weak_global_wb_L2__cache_hint_u32
    u64: _st_weak_global_wb_L2__cache_hint_u64
    s8: _st_weak_global_wb_L2__cache_hint_u8
    s16: _st_weak_global_wb_L2__cache_hint_u8
    s32: _st_weak_global_wb_L2__cache_hint_u32
    s64: _st_weak_global_wb_L2__cache_hint_u64
    f32: _st_weak_global_wb_L2__cache_hint_f32
    f64: _st_weak_global_wb_L2__cache_hint_f64
    v2: _st_weak_global_wb_L2__cache_hint_v2
class _st_relaxed_cta_global_L1__evict_normal_v4(_Chain):
    b64: _st_weak_global_wb_v2_b64
    u64: _st_weak_global_wb_v2_u64
    s64: _st_weak_global_wb_v2_u64
    f64: _st_weak_global_wb_v2_f64
    b8: _st_weak_global_wb_v2_b8
    b16: _st_weak_global_wb_v2_b8
    b32: _st_weak_global_wb_v2_b32
    u8: _st_weak_global_wb_v2_u8
    u16: _st_weak_global_wb_v2_u8
    u32: _st_weak_global_wb_v2_u32
    s8: _st_weak_global_wb_v2_u8
    s16: _st_weak_global_wb_v2_u8
    s32: _st_weak_global_wb_v2_u32
    f32: _st_weak_global_wb_v2_f32
class _st_relaxed_cta_global_L1__evict_normal(_Chain):
    L2__evict_normal: _st_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_first: _st_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_last: _st_weak_global_L1__evict_normal_L2__evict_normal
    L2__cache_hint: _st_relaxed_cta_global_L1__evict_normal_L2__cache_hint
    v4: _st_relaxed_cta_global_L1__evict_normal_v4
    v8: _st_weak_global_wb_v8
    b128: _st_weak_global_wb_b128
    b8: _st_weak_global_wb_b8
    b16: _st_weak_global_wb_b8
    b32: _st_weak_global_wb_b32
    b64: _st_weak_global_wb_b64
    u8: _st_weak_global_wb_u8
    u16: _st_weak_global_wb_u8
    u32: _st_weak_global_wb_u32
    u64: _st_weak_global_wb_u64
    s8: _st_weak_global_wb_u8
    s16: _st_weak_global_wb_u8
    s32: _st_weak_global_wb_u32
    s64: _st_weak_global_wb_u64
    f32: _st_weak_global_wb_f32
    f64: _st_weak_global_wb_f64
    v2: _st_weak_global_wb_v2
class _st_relaxed_cta_global(_Chain):
    L1__evict_normal: _st_relaxed_cta_global_L1__evict_normal
    L1__evict_unchanged: _st_relaxed_cta_global_L1__evict_normal
    L1__evict_first: _st_relaxed_cta_global_L1__evict_normal
    L1__evict_last: _st_relaxed_cta_global_L1__evict_normal
    L1__no_allocate: _st_relaxed_cta_global_L1__evict_normal
    L2__evict_normal: _st_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_first: _st_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_last: _st_weak_global_L1__evict_normal_L2__evict_normal
    L2__cache_hint: _st_relaxed_cta_global_L1__evict_normal_L2__cache_hint
    v4: _st_relaxed_cta_global_L1__evict_normal_v4
    v8: _st_weak_global_wb_v8
    b128: _st_weak_global_wb_b128
    b8: _st_weak_global_wb_b8
    b16: _st_weak_global_wb_b8
    b32: _st_weak_global_wb_b32
    b64: _st_weak_global_wb_b64
    u8: _st_weak_global_wb_u8
    u16: _st_weak_global_wb_u8
    u32: _st_weak_global_wb_u32
    u64: _st_weak_global_wb_u64
    s8: _st_weak_global_wb_u8
    s16: _st_weak_global_wb_u8
    s32: _st_weak_global_wb_u32
    s64: _st_weak_global_wb_u64
    f32: _st_weak_global_wb_f32
    f64: _st_weak_global_wb_f64
    v2: _st_weak_global_wb_v2
class _st_relaxed_cta_shared(_Chain):
    b128: _st_weak_global_wb_b128
    b8: _st_weak_global_wb_b8
    b16: _st_weak_global_wb_b8
    b32: _st_weak_global_wb_b32
    b64: _st_weak_global_wb_b64
    u8: _st_weak_global_wb_u8
    u16: _st_weak_global_wb_u8
    u32: _st_weak_global_wb_u32
    u64: _st_weak_global_wb_u64
    s8: _st_weak_global_wb_u8
    s16: _st_weak_global_wb_u8
    s32: _st_weak_global_wb_u32
    s64: _st_weak_global_wb_u64
    f32: _st_weak_global_wb_f32
    f64: _st_weak_global_wb_f64
    v2: _st_weak_global_wb_v2
    v4: _st_weak_local_wb_v4
class _st_relaxed_cta(_Chain):
    global_: _st_relaxed_cta_global
    L1__evict_normal: _st_relaxed_cta_global_L1__evict_normal
    L1__evict_unchanged: _st_relaxed_cta_global_L1__evict_normal
    L1__evict_first: _st_relaxed_cta_global_L1__evict_normal
    L1__evict_last: _st_relaxed_cta_global_L1__evict_normal
    L1__no_allocate: _st_relaxed_cta_global_L1__evict_normal
    L2__evict_normal: _st_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_first: _st_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_last: _st_weak_global_L1__evict_normal_L2__evict_normal
    L2__cache_hint: _st_relaxed_cta_global_L1__evict_normal_L2__cache_hint
    v4: _st_relaxed_cta_global_L1__evict_normal_v4
    v8: _st_weak_global_wb_v8
    shared: _st_relaxed_cta_shared
    shared__cta: _st_relaxed_cta_shared
    shared__cluster: _st_relaxed_cta_shared
    b128: _st_weak_global_wb_b128
    b8: _st_weak_global_wb_b8
    b16: _st_weak_global_wb_b8
    b32: _st_weak_global_wb_b32
    b64: _st_weak_global_wb_b64
    u8: _st_weak_global_wb_u8
    u16: _st_weak_global_wb_u8
    u32: _st_weak_global_wb_u32
    u64: _st_weak_global_wb_u64
    s8: _st_weak_global_wb_u8
    s16: _st_weak_global_wb_u8
    s32: _st_weak_global_wb_u32
    s64: _st_weak_global_wb_u64
    f32: _st_weak_global_wb_f32
    f64: _st_weak_global_wb_f64
    v2: _st_weak_global_wb_v2
class _st_relaxed(_Chain):
    cta: _st_relaxed_cta
    cluster: _st_relaxed_cta
    gpu: _st_relaxed_cta
    sys: _st_relaxed_cta
class _st_volatile_global(_Chain):
    v4: _st_relaxed_cta_global_L1__evict_normal_v4
    v8: _st_weak_global_wb_v8
    b128: _st_weak_global_wb_b128
    b8: _st_weak_global_wb_b8
    b16: _st_weak_global_wb_b8
    b32: _st_weak_global_wb_b32
    b64: _st_weak_global_wb_b64
    u8: _st_weak_global_wb_u8
    u16: _st_weak_global_wb_u8
    u32: _st_weak_global_wb_u32
    u64: _st_weak_global_wb_u64
    s8: _st_weak_global_wb_u8
    s16: _st_weak_global_wb_u8
    s32: _st_weak_global_wb_u32
    s64: _st_weak_global_wb_u64
    f32: _st_weak_global_wb_f32
    f64: _st_weak_global_wb_f64
    v2: _st_weak_global_wb_v2
class _st_volatile(_Chain):
    global_: _st_volatile_global
    v4: _st_relaxed_cta_global_L1__evict_normal_v4
    v8: _st_weak_global_wb_v8
    local: _st_relaxed_cta_shared
    shared: _st_relaxed_cta_shared
    shared__cta: _st_relaxed_cta_shared
    shared__cluster: _st_relaxed_cta_shared
    b128: _st_weak_global_wb_b128
    b8: _st_weak_global_wb_b8
    b16: _st_weak_global_wb_b8
    b32: _st_weak_global_wb_b32
    b64: _st_weak_global_wb_b64
    u8: _st_weak_global_wb_u8
    u16: _st_weak_global_wb_u8
    u32: _st_weak_global_wb_u32
    u64: _st_weak_global_wb_u64
    s8: _st_weak_global_wb_u8
    s16: _st_weak_global_wb_u8
    s32: _st_weak_global_wb_u32
    s64: _st_weak_global_wb_u64
    f32: _st_weak_global_wb_f32
    f64: _st_weak_global_wb_f64
    v2: _st_weak_global_wb_v2
class _st_mmio_relaxed_sys_global(_Chain):
    b128: _st_weak_global_wb_b128
    b8: _st_weak_global_wb_b8
    b16: _st_weak_global_wb_b8
    b32: _st_weak_global_wb_b32
    b64: _st_weak_global_wb_b64
    u8: _st_weak_global_wb_u8
    u16: _st_weak_global_wb_u8
    u32: _st_weak_global_wb_u32
    u64: _st_weak_global_wb_u64
    s8: _st_weak_global_wb_u8
    s16: _st_weak_global_wb_u8
    s32: _st_weak_global_wb_u32
    s64: _st_weak_global_wb_u64
    f32: _st_weak_global_wb_f32
    f64: _st_weak_global_wb_f64
class _st_mmio_relaxed_sys(_Chain):
    global_: _st_mmio_relaxed_sys_global
    b128: _st_weak_global_wb_b128
    b8: _st_weak_global_wb_b8
    b16: _st_weak_global_wb_b8
    b32: _st_weak_global_wb_b32
    b64: _st_weak_global_wb_b64
    u8: _st_weak_global_wb_u8
    u16: _st_weak_global_wb_u8
    u32: _st_weak_global_wb_u32
    u64: _st_weak_global_wb_u64
    s8: _st_weak_global_wb_u8
    s16: _st_weak_global_wb_u8
    s32: _st_weak_global_wb_u32
    s64: _st_weak_global_wb_u64
    f32: _st_weak_global_wb_f32
    f64: _st_weak_global_wb_f64
class _st_mmio_relaxed(_Chain):
    sys: _st_mmio_relaxed_sys
class _st_mmio(_Chain):
    relaxed: _st_mmio_relaxed
    release: _st_mmio_relaxed
class _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_b32(_Chain):
    def __call__(self, a: Address, b: B32 | float, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_b64(_Chain):
    def __call__(self, a: Address, b: F32X2 | float, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_u32(_Chain):
    def __call__(self, a: Address, b: I32 | int, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_u64(_Chain):
    def __call__(self, a: Address, b: I64 | int, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_f32(_Chain):
    def __call__(self, a: Address, b: F32 | float, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_f64(_Chain):
    def __call__(self, a: Address, b: F64 | float, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_b128(_Chain):
    def __call__(self, a: Address, b: B128 | float, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v2_b32(_Chain):
    def __call__(self, a: Address, b: Vector[B32 | float], mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v2_u32(_Chain):
    def __call__(self, a: Address, b: Vector[I32 | int], mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v2_f32(_Chain):
    def __call__(self, a: Address, b: Vector[F32 | float], mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v2_b64(_Chain):
    def __call__(self, a: Address, b: Vector[F32X2 | float], mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v2_u64(_Chain):
    def __call__(self, a: Address, b: Vector[I64 | int], mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v2_f64(_Chain):
    def __call__(self, a: Address, b: Vector[F64 | float], mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v2(_Chain):
    b32: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v2_b32
    u32: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v2_u32
    s32: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v2_u32
    f32: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v2_f32
    b64: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v2_b64
    u64: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v2_u64
    s64: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v2_u64
    f64: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v2_f64
class _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v4(_Chain):
    b32: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v2_b32
    u32: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v2_u32
    s32: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v2_u32
    f32: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v2_f32
class _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes(_Chain):
    b32: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_b32
    b64: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_b64
    u32: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_u32
    u64: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_u64
    s32: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_u32
    s64: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_u64
    f32: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_f32
    f64: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_f64
    b128: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_b128
    v2: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v2
    v4: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_v4
class _st_async_weak_shared__cluster(_Chain):
    mbarrier__complete_tx__bytes: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes
class _st_async_weak(_Chain):
    shared__cluster: _st_async_weak_shared__cluster
    mbarrier__complete_tx__bytes: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes
class _st_async_mmio_release_sys_global_b8(_Chain):
    def __call__(self, a: Address, b: B8 | float, /, *, pred: Guard = ...) -> None: ...
class _st_async_mmio_release_sys_global_b16(_Chain):
    def __call__(self, a: Address, b: E2M1X4 | float, /, *, pred: Guard = ...) -> None: ...
class _st_async_mmio_release_sys_global_b32(_Chain):
    def __call__(self, a: Address, b: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _st_async_mmio_release_sys_global_b64(_Chain):
    def __call__(self, a: Address, b: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _st_async_mmio_release_sys_global_u8(_Chain):
    def __call__(self, a: Address, b: B8 | int, /, *, pred: Guard = ...) -> None: ...
class _st_async_mmio_release_sys_global_u16(_Chain):
    def __call__(self, a: Address, b: I16 | int, /, *, pred: Guard = ...) -> None: ...
class _st_async_mmio_release_sys_global_u32(_Chain):
    def __call__(self, a: Address, b: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _st_async_mmio_release_sys_global_u64(_Chain):
    def __call__(self, a: Address, b: I64 | int, /, *, pred: Guard = ...) -> None: ...
class _st_async_mmio_release_sys_global_f32(_Chain):
    def __call__(self, a: Address, b: F32 | float, /, *, pred: Guard = ...) -> None: ...
class _st_async_mmio_release_sys_global_f64(_Chain):
    def __call__(self, a: Address, b: F64 | float, /, *, pred: Guard = ...) -> None: ...
class _st_async_mmio_release_sys_global(_Chain):
    b8: _st_async_mmio_release_sys_global_b8
    b16: _st_async_mmio_release_sys_global_b16
    b32: _st_async_mmio_release_sys_global_b32
    b64: _st_async_mmio_release_sys_global_b64
    u8: _st_async_mmio_release_sys_global_u8
    u16: _st_async_mmio_release_sys_global_u16
    u32: _st_async_mmio_release_sys_global_u32
    u64: _st_async_mmio_release_sys_global_u64
    s8: _st_async_mmio_release_sys_global_u8
    s16: _st_async_mmio_release_sys_global_u16
    s32: _st_async_mmio_release_sys_global_u32
    s64: _st_async_mmio_release_sys_global_u64
    f32: _st_async_mmio_release_sys_global_f32
    f64: _st_async_mmio_release_sys_global_f64
class _st_async_mmio_release_sys(_Chain):
    global_: _st_async_mmio_release_sys_global
    b8: _st_async_mmio_release_sys_global_b8
    b16: _st_async_mmio_release_sys_global_b16
    b32: _st_async_mmio_release_sys_global_b32
    b64: _st_async_mmio_release_sys_global_b64
    u8: _st_async_mmio_release_sys_global_u8
    u16: _st_async_mmio_release_sys_global_u16
    u32: _st_async_mmio_release_sys_global_u32
    u64: _st_async_mmio_release_sys_global_u64
    s8: _st_async_mmio_release_sys_global_u8
    s16: _st_async_mmio_release_sys_global_u16
    s32: _st_async_mmio_release_sys_global_u32
    s64: _st_async_mmio_release_sys_global_u64
    f32: _st_async_mmio_release_sys_global_f32
    f64: _st_async_mmio_release_sys_global_f64
class _st_async_mmio_release(_Chain):
    sys: _st_async_mmio_release_sys
class _st_async_mmio(_Chain):
    release: _st_async_mmio_release
class _st_async_release(_Chain):
    gpu: _st_async_mmio_release_sys
    sys: _st_async_mmio_release_sys
class _st_async(_Chain):
    weak: _st_async_weak
    shared__cluster: _st_async_weak_shared__cluster
    mbarrier__complete_tx__bytes: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes
    mmio: _st_async_mmio
    release: _st_async_release
class _st_bulk_weak_shared__cta(_Chain):
    def __call__(self, a: Address, size: I64 | int | I32, zero: int, /, *, pred: Guard = ...) -> None: ...
class _st_bulk_weak(_Chain):
    shared__cta: _st_bulk_weak_shared__cta
    def __call__(self, a: Address, size: I64 | int | I32, zero: int, /, *, pred: Guard = ...) -> None: ...
class _st_bulk(_Chain):
    weak: _st_bulk_weak
    shared__cta: _st_bulk_weak_shared__cta
    def __call__(self, a: Address, size: I64 | int | I32, zero: int, /, *, pred: Guard = ...) -> None: ...
class _st(_Chain):
    weak: _st_weak
    global_: _st_weak_global
    local: _st_weak_local
    param: _st_weak_local
    param__func: _st_weak_local
    shared: _st_weak_local
    shared__cta: _st_weak_local
    shared__cluster: _st_weak_local
    wb: _st_weak_global_wb
    cg: _st_weak_global_wb
    cs: _st_weak_global_wb
    wt: _st_weak_global_wb
    L2__cache_hint: _st_weak_global_wb_L2__cache_hint
    b8: _st_weak_global_wb_b8
    b16: _st_weak_global_wb_b8
    b32: _st_weak_global_wb_b32
    b64: _st_weak_global_wb_b64
    u8: _st_weak_global_wb_u8
    u16: _st_weak_global_wb_u8
    u32: _st_weak_global_wb_u32
    u64: _st_weak_global_wb_u64
    s8: _st_weak_global_wb_u8
    s16: _st_weak_global_wb_u8
    s32: _st_weak_global_wb_u32
    s64: _st_weak_global_wb_u64
    f32: _st_weak_global_wb_f32
    f64: _st_weak_global_wb_f64
    v2: _st_weak_global_wb_v2
    v4: _st_weak_global_wb_v2
    L1__evict_normal: _st_weak_global_L1__evict_normal
    L1__evict_unchanged: _st_weak_global_L1__evict_normal
    L1__evict_first: _st_weak_global_L1__evict_normal
    L1__evict_last: _st_weak_global_L1__evict_normal
    L1__no_allocate: _st_weak_global_L1__evict_normal
    v8: _st_weak_global_wb_v8
    L2__evict_normal: _st_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_first: _st_weak_global_L1__evict_normal_L2__evict_normal
    L2__evict_last: _st_weak_global_L1__evict_normal_L2__evict_normal
    b128: _st_weak_global_wb_b128
    relaxed: _st_relaxed
    release: _st_relaxed
    volatile: _st_volatile
    mmio: _st_mmio
    async_: _st_async
    bulk: _st_bulk
class _prefetch_global_L1(_Chain):
    def __call__(self, a: Address, /, *, pred: Guard = ...) -> None: ...
class _prefetch_global_L1__32B(_Chain):
    valid_addr: _prefetch_global_L1
class _prefetch_global(_Chain):
    L1: _prefetch_global_L1
    L2: _prefetch_global_L1
    L2__evict_last: _prefetch_global_L1
    L2__evict_normal: _prefetch_global_L1
    L1__32B: _prefetch_global_L1__32B
class _prefetch_local(_Chain):
    L1: _prefetch_global_L1
    L2: _prefetch_global_L1
class _prefetch_const(_Chain):
    tensormap: _prefetch_global_L1
class _prefetch(_Chain):
    global_: _prefetch_global
    local: _prefetch_local
    L1: _prefetch_global_L1
    L2: _prefetch_global_L1
    L1__32B: _prefetch_global_L1__32B
    const: _prefetch_const
    param: _prefetch_const
    tensormap: _prefetch_global_L1
class _prefetchu(_Chain):
    L1: _prefetch_global_L1
class _applypriority_global_L2__evict_normal(_Chain):
    def __call__(self, a: Address, size: int, /, *, pred: Guard = ...) -> None: ...
class _applypriority_global(_Chain):
    L2__evict_normal: _applypriority_global_L2__evict_normal
class _applypriority_async_bulk_global_bulk_group_L2__evict_normal(_Chain):
    def __call__(self, a: Address, size: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _applypriority_async_bulk_global_bulk_group(_Chain):
    L2__evict_normal: _applypriority_async_bulk_global_bulk_group_L2__evict_normal
class _applypriority_async_bulk_global(_Chain):
    bulk_group: _applypriority_async_bulk_global_bulk_group
class _applypriority_async_bulk_tensor_1d_global_bulk_group_tile_L2__evict_normal_override__global_address_override__global_dim(_Chain):
    def __call__(self, map: Coordinates, /, *, pred: Guard = ...) -> None: ...
class _applypriority_async_bulk_tensor_1d_global_bulk_group_tile_L2__evict_normal_override__global_address(_Chain):
    override__global_dim: _applypriority_async_bulk_tensor_1d_global_bulk_group_tile_L2__evict_normal_override__global_address_override__global_dim
    def __call__(self, map: Coordinates, /, *, pred: Guard = ...) -> None: ...
class _applypriority_async_bulk_tensor_1d_global_bulk_group_tile_L2__evict_normal(_Chain):
    override__global_address: _applypriority_async_bulk_tensor_1d_global_bulk_group_tile_L2__evict_normal_override__global_address
    def __call__(self, map: Coordinates, /, *, pred: Guard = ...) -> None: ...
class _applypriority_async_bulk_tensor_1d_global_bulk_group_tile(_Chain):
    L2__evict_normal: _applypriority_async_bulk_tensor_1d_global_bulk_group_tile_L2__evict_normal
class _applypriority_async_bulk_tensor_1d_global_bulk_group(_Chain):
    tile: _applypriority_async_bulk_tensor_1d_global_bulk_group_tile
    L2__evict_normal: _applypriority_async_bulk_tensor_1d_global_bulk_group_tile_L2__evict_normal
class _applypriority_async_bulk_tensor_1d_global(_Chain):
    bulk_group: _applypriority_async_bulk_tensor_1d_global_bulk_group
class _applypriority_async_bulk_tensor_1d(_Chain):
    global_: _applypriority_async_bulk_tensor_1d_global
    bulk_group: _applypriority_async_bulk_tensor_1d_global_bulk_group
class _applypriority_async_bulk_tensor_2d_global_bulk_group_tile_L2__evict_normal_override__global_address(_Chain):
    override__global_dim_stride: _applypriority_async_bulk_tensor_1d_global_bulk_group_tile_L2__evict_normal_override__global_address_override__global_dim
    def __call__(self, map: Coordinates, /, *, pred: Guard = ...) -> None: ...
class _applypriority_async_bulk_tensor_2d_global_bulk_group_tile_L2__evict_normal(_Chain):
    override__global_address: _applypriority_async_bulk_tensor_2d_global_bulk_group_tile_L2__evict_normal_override__global_address
    def __call__(self, map: Coordinates, /, *, pred: Guard = ...) -> None: ...
class _applypriority_async_bulk_tensor_2d_global_bulk_group_tile(_Chain):
    L2__evict_normal: _applypriority_async_bulk_tensor_2d_global_bulk_group_tile_L2__evict_normal
class _applypriority_async_bulk_tensor_2d_global_bulk_group_tile__gather4_L2__evict_normal(_Chain):
    override__global_address: _applypriority_async_bulk_tensor_1d_global_bulk_group_tile_L2__evict_normal_override__global_address_override__global_dim
    def __call__(self, map: Coordinates, /, *, pred: Guard = ...) -> None: ...
class _applypriority_async_bulk_tensor_2d_global_bulk_group_tile__gather4(_Chain):
    L2__evict_normal: _applypriority_async_bulk_tensor_2d_global_bulk_group_tile__gather4_L2__evict_normal
class _applypriority_async_bulk_tensor_2d_global_bulk_group(_Chain):
    tile: _applypriority_async_bulk_tensor_2d_global_bulk_group_tile
    L2__evict_normal: _applypriority_async_bulk_tensor_2d_global_bulk_group_tile_L2__evict_normal
    tile__gather4: _applypriority_async_bulk_tensor_2d_global_bulk_group_tile__gather4
class _applypriority_async_bulk_tensor_2d_global(_Chain):
    bulk_group: _applypriority_async_bulk_tensor_2d_global_bulk_group
class _applypriority_async_bulk_tensor_2d(_Chain):
    global_: _applypriority_async_bulk_tensor_2d_global
    bulk_group: _applypriority_async_bulk_tensor_2d_global_bulk_group
class _applypriority_async_bulk_tensor_3d_global_bulk_group_im2col_L2__evict_normal_override__global_address(_Chain):
    def __call__(self, map: Coordinates, o: Vector[I16 | int], /, *, pred: Guard = ...) -> None: ...
class _applypriority_async_bulk_tensor_3d_global_bulk_group_im2col_L2__evict_normal(_Chain):
    override__global_address: _applypriority_async_bulk_tensor_3d_global_bulk_group_im2col_L2__evict_normal_override__global_address
    def __call__(self, map: Coordinates, o: Vector[I16 | int], /, *, pred: Guard = ...) -> None: ...
class _applypriority_async_bulk_tensor_3d_global_bulk_group_im2col(_Chain):
    L2__evict_normal: _applypriority_async_bulk_tensor_3d_global_bulk_group_im2col_L2__evict_normal
class _applypriority_async_bulk_tensor_3d_global_bulk_group(_Chain):
    tile: _applypriority_async_bulk_tensor_2d_global_bulk_group_tile
    L2__evict_normal: _applypriority_async_bulk_tensor_2d_global_bulk_group_tile_L2__evict_normal
    im2col: _applypriority_async_bulk_tensor_3d_global_bulk_group_im2col
    im2col__w: _applypriority_async_bulk_tensor_3d_global_bulk_group_im2col
    im2col__w__128: _applypriority_async_bulk_tensor_3d_global_bulk_group_im2col
class _applypriority_async_bulk_tensor_3d_global(_Chain):
    bulk_group: _applypriority_async_bulk_tensor_3d_global_bulk_group
class _applypriority_async_bulk_tensor_3d(_Chain):
    global_: _applypriority_async_bulk_tensor_3d_global
    bulk_group: _applypriority_async_bulk_tensor_3d_global_bulk_group
class _applypriority_async_bulk_tensor(_Chain):
    _1d: _applypriority_async_bulk_tensor_1d
    _2d: _applypriority_async_bulk_tensor_2d
    _3d: _applypriority_async_bulk_tensor_3d
    _4d: _applypriority_async_bulk_tensor_3d
    _5d: _applypriority_async_bulk_tensor_3d
class _applypriority_async_bulk(_Chain):
    global_: _applypriority_async_bulk_global
    bulk_group: _applypriority_async_bulk_global_bulk_group
    tensor: _applypriority_async_bulk_tensor
class _applypriority_async(_Chain):
    bulk: _applypriority_async_bulk
class _applypriority(_Chain):
    global_: _applypriority_global
    L2__evict_normal: _applypriority_global_L2__evict_normal
    async_: _applypriority_async
class _discard_global(_Chain):
    L2: _applypriority_global_L2__evict_normal
class _discard(_Chain):
    global_: _discard_global
    L2: _applypriority_global_L2__evict_normal
class _createpolicy_range_global_L2__evict_last_L2__evict_first_b64(_Chain):
    def __call__(self, d: F32X2 | New, a: Address, primary_size: I32 | int, total_size: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _createpolicy_range_global_L2__evict_last_L2__evict_first(_Chain):
    b64: _createpolicy_range_global_L2__evict_last_L2__evict_first_b64
class _createpolicy_range_global_L2__evict_last(_Chain):
    L2__evict_first: _createpolicy_range_global_L2__evict_last_L2__evict_first
    L2__evict_unchanged: _createpolicy_range_global_L2__evict_last_L2__evict_first
    b64: _createpolicy_range_global_L2__evict_last_L2__evict_first_b64
class _createpolicy_range_global(_Chain):
    L2__evict_last: _createpolicy_range_global_L2__evict_last
    L2__evict_normal: _createpolicy_range_global_L2__evict_last
    L2__evict_first: _createpolicy_range_global_L2__evict_last
    L2__evict_unchanged: _createpolicy_range_global_L2__evict_last
class _createpolicy_range_fabric_L2__evict_last_L2__evict_first_b64(_Chain):
    def __call__(self, d: F32X2 | New, e: Address, primary_size: I32 | int, total_size: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _createpolicy_range_fabric_L2__evict_last_L2__evict_first(_Chain):
    b64: _createpolicy_range_fabric_L2__evict_last_L2__evict_first_b64
class _createpolicy_range_fabric_L2__evict_last(_Chain):
    L2__evict_first: _createpolicy_range_fabric_L2__evict_last_L2__evict_first
    L2__evict_unchanged: _createpolicy_range_fabric_L2__evict_last_L2__evict_first
    b64: _createpolicy_range_fabric_L2__evict_last_L2__evict_first_b64
class _createpolicy_range_fabric(_Chain):
    L2__evict_last: _createpolicy_range_fabric_L2__evict_last
    L2__evict_normal: _createpolicy_range_fabric_L2__evict_last
    L2__evict_first: _createpolicy_range_fabric_L2__evict_last
    L2__evict_unchanged: _createpolicy_range_fabric_L2__evict_last
class _createpolicy_range(_Chain):
    global_: _createpolicy_range_global
    L2__evict_last: _createpolicy_range_global_L2__evict_last
    L2__evict_normal: _createpolicy_range_global_L2__evict_last
    L2__evict_first: _createpolicy_range_global_L2__evict_last
    L2__evict_unchanged: _createpolicy_range_global_L2__evict_last
    fabric: _createpolicy_range_fabric
class _createpolicy_fractional_L2__evict_last_L2__evict_first_b64(_Chain):
    @overload
    def __call__(self, d: F32X2 | New, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: F32X2 | New, fraction: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _createpolicy_fractional_L2__evict_last_L2__evict_first(_Chain):
    b64: _createpolicy_fractional_L2__evict_last_L2__evict_first_b64
class _createpolicy_fractional_L2__evict_last(_Chain):
    L2__evict_first: _createpolicy_fractional_L2__evict_last_L2__evict_first
    L2__evict_unchanged: _createpolicy_fractional_L2__evict_last_L2__evict_first
    b64: _createpolicy_fractional_L2__evict_last_L2__evict_first_b64
class _createpolicy_fractional(_Chain):
    L2__evict_last: _createpolicy_fractional_L2__evict_last
    L2__evict_normal: _createpolicy_fractional_L2__evict_last
    L2__evict_first: _createpolicy_fractional_L2__evict_last
    L2__evict_unchanged: _createpolicy_fractional_L2__evict_last
class _createpolicy_cvt_L2_b64(_Chain):
    def __call__(self, d: I64 | New, access: I64 | int, /, *, pred: Guard = ...) -> Any: ...
class _createpolicy_cvt_L2(_Chain):
    b64: _createpolicy_cvt_L2_b64
class _createpolicy_cvt(_Chain):
    L2: _createpolicy_cvt_L2
class _createpolicy(_Chain):
    range: _createpolicy_range
    fractional: _createpolicy_fractional
    cvt: _createpolicy_cvt
class _isspacep_const(_Chain):
    def __call__(self, p: PRED | New, a: I64 | int | I32, /, *, pred: Guard = ...) -> Any: ...
class _isspacep(_Chain):
    const: _isspacep_const
    global_: _isspacep_const
    local: _isspacep_const
    shared: _isspacep_const
    shared__cta: _isspacep_const
    shared__cluster: _isspacep_const
    param: _isspacep_const
    param__entry: _isspacep_const
class _cvta_const_u64(_Chain):
    def __call__(self, d: I64 | New, a: I64 | int | Name, /, *, pred: Guard = ...) -> Any: ...
class _cvta_const_u32(_Chain):
    def __call__(self, d: I32 | New, a: I32 | int | Name, /, *, pred: Guard = ...) -> Any: ...
class _cvta_const(_Chain):
    u64: _cvta_const_u64
    u32: _cvta_const_u32
class _cvta_to_const(_Chain):
    u64: _abs_s64
    u32: _abs_s32
class _cvta_to(_Chain):
    const: _cvta_to_const
    global_: _cvta_to_const
    local: _cvta_to_const
    shared: _cvta_to_const
    shared__cta: _cvta_to_const
    shared__cluster: _cvta_to_const
    param: _cvta_to_const
    param__entry: _cvta_to_const
class _cvta(_Chain):
    const: _cvta_const
    global_: _cvta_const
    local: _cvta_const
    shared: _cvta_const
    shared__cta: _cvta_const
    shared__cluster: _cvta_const
    param: _cvta_const
    param__entry: _cvta_const
    to: _cvta_to
class _cvt_u8_u8(_Chain):
    def __call__(self, d: I8_WIDER | New, a: I8_WIDER | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_u8_u32(_Chain):
    def __call__(self, d: I8_WIDER | New, a: I32_WIDER | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_u8_u64(_Chain):
    def __call__(self, d: I8_WIDER | New, a: I64_WIDER | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_u8(_Chain):
    u8: _cvt_u8_u8
    u16: _cvt_u8_u8
    u32: _cvt_u8_u32
    u64: _cvt_u8_u64
    s8: _cvt_u8_u8
    s16: _cvt_u8_u8
    s32: _cvt_u8_u32
    s64: _cvt_u8_u64
class _cvt_u32_u8(_Chain):
    def __call__(self, d: I32_WIDER | New, a: I8_WIDER | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_u32_u32(_Chain):
    def __call__(self, d: I32_WIDER | New, a: I32_WIDER | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_u32_u64(_Chain):
    def __call__(self, d: I32_WIDER | New, a: I64_WIDER | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_u32(_Chain):
    u8: _cvt_u32_u8
    u16: _cvt_u32_u8
    u32: _cvt_u32_u32
    u64: _cvt_u32_u64
    s8: _cvt_u32_u8
    s16: _cvt_u32_u8
    s32: _cvt_u32_u32
    s64: _cvt_u32_u64
class _cvt_u64_u8(_Chain):
    def __call__(self, d: I64_WIDER | New, a: I8_WIDER | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_u64_u32(_Chain):
    def __call__(self, d: I64_WIDER | New, a: I32_WIDER | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_u64_u64(_Chain):
    def __call__(self, d: I64_WIDER | New, a: I64_WIDER | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_u64(_Chain):
    u8: _cvt_u64_u8
    u16: _cvt_u64_u8
    u32: _cvt_u64_u32
    u64: _cvt_u64_u64
    s8: _cvt_u64_u8
    s16: _cvt_u64_u8
    s32: _cvt_u64_u32
    s64: _cvt_u64_u64
class _cvt_sat_u8(_Chain):
    u16: _cvt_u8_u8
    u32: _cvt_u8_u32
    u64: _cvt_u8_u64
    s8: _cvt_u8_u8
    s16: _cvt_u8_u8
    s32: _cvt_u8_u32
    s64: _cvt_u8_u64
class _cvt_sat_u16(_Chain):
    u32: _cvt_u8_u32
    u64: _cvt_u8_u64
    s8: _cvt_u8_u8
    s16: _cvt_u8_u8
    s32: _cvt_u8_u32
    s64: _cvt_u8_u64
class _cvt_sat_u32(_Chain):
    u64: _cvt_u32_u64
    s8: _cvt_u32_u8
    s16: _cvt_u32_u8
    s32: _cvt_u32_u32
    s64: _cvt_u32_u64
class _cvt_sat_u64(_Chain):
    s8: _cvt_u64_u8
    s16: _cvt_u64_u8
    s32: _cvt_u64_u32
    s64: _cvt_u64_u64
class _cvt_sat_s8(_Chain):
    u8: _cvt_u8_u8
    u16: _cvt_u8_u8
    u32: _cvt_u8_u32
    u64: _cvt_u8_u64
    s16: _cvt_u8_u8
    s32: _cvt_u8_u32
    s64: _cvt_u8_u64
class _cvt_sat_s16(_Chain):
    u16: _cvt_u8_u8
    u32: _cvt_u8_u32
    u64: _cvt_u8_u64
    s32: _cvt_u8_u32
    s64: _cvt_u8_u64
class _cvt_sat_s32(_Chain):
    u32: _cvt_u32_u32
    u64: _cvt_u32_u64
    s64: _cvt_u32_u64
class _cvt_sat_s64(_Chain):
    u64: _cvt_u64_u64
class _cvt_sat_f64_f32(_Chain):
    def __call__(self, d: F64_WIDER | New, a: F32_WIDER | float | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_sat_f64_f16(_Chain):
    def __call__(self, d: F64_WIDER | New, a: F16_WIDER | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_sat_f64_f64(_Chain):
    def __call__(self, d: F64_WIDER | New, a: F64_WIDER | float | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_sat_f64(_Chain):
    f32: _cvt_sat_f64_f32
    f16: _cvt_sat_f64_f16
    f64: _cvt_sat_f64_f64
class _cvt_sat_f32_f16(_Chain):
    def __call__(self, d: F32_WIDER | New, a: F16_WIDER | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_sat_f32_f32(_Chain):
    def __call__(self, d: F32_WIDER | New, a: F32_WIDER | float | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_sat_f32(_Chain):
    f16: _cvt_sat_f32_f16
    f32: _cvt_sat_f32_f32
class _cvt_sat_f16_f16(_Chain):
    def __call__(self, d: F16_WIDER | New, a: F16_WIDER | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_sat_f16(_Chain):
    f16: _cvt_sat_f16_f16
class _cvt_sat(_Chain):
    u8: _cvt_sat_u8
    u16: _cvt_sat_u16
    u32: _cvt_sat_u32
    u64: _cvt_sat_u64
    s8: _cvt_sat_s8
    s16: _cvt_sat_s16
    s32: _cvt_sat_s32
    s64: _cvt_sat_s64
    f64: _cvt_sat_f64
    f32: _cvt_sat_f32
    f16: _cvt_sat_f16
class _cvt_rni_ftz_sat_u8_f32(_Chain):
    def __call__(self, d: I8_WIDER | New, a: F32_WIDER | float | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rni_ftz_sat_u8(_Chain):
    f32: _cvt_rni_ftz_sat_u8_f32
class _cvt_rni_ftz_sat_u32_f32(_Chain):
    def __call__(self, d: I32_WIDER | New, a: F32_WIDER | float | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rni_ftz_sat_u32(_Chain):
    f32: _cvt_rni_ftz_sat_u32_f32
class _cvt_rni_ftz_sat_u64_f32(_Chain):
    def __call__(self, d: I64_WIDER | New, a: F32_WIDER | float | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rni_ftz_sat_u64(_Chain):
    f32: _cvt_rni_ftz_sat_u64_f32
class _cvt_rni_ftz_sat_f32(_Chain):
    f32: _cvt_sat_f32_f32
class _cvt_rni_ftz_sat(_Chain):
    u8: _cvt_rni_ftz_sat_u8
    u16: _cvt_rni_ftz_sat_u8
    u32: _cvt_rni_ftz_sat_u32
    u64: _cvt_rni_ftz_sat_u64
    s8: _cvt_rni_ftz_sat_u8
    s16: _cvt_rni_ftz_sat_u8
    s32: _cvt_rni_ftz_sat_u32
    s64: _cvt_rni_ftz_sat_u64
    f32: _cvt_rni_ftz_sat_f32
class _cvt_rni_ftz(_Chain):
    sat: _cvt_rni_ftz_sat
    u8: _cvt_rni_ftz_sat_u8
    u16: _cvt_rni_ftz_sat_u8
    u32: _cvt_rni_ftz_sat_u32
    u64: _cvt_rni_ftz_sat_u64
    s8: _cvt_rni_ftz_sat_u8
    s16: _cvt_rni_ftz_sat_u8
    s32: _cvt_rni_ftz_sat_u32
    s64: _cvt_rni_ftz_sat_u64
    f32: _cvt_rni_ftz_sat_f32
class _cvt_rni_sat_u8_f64(_Chain):
    def __call__(self, d: I8_WIDER | New, a: F64_WIDER | float | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rni_sat_u8_f16(_Chain):
    def __call__(self, d: I8_WIDER | New, a: F16_WIDER | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rni_sat_u8(_Chain):
    f32: _cvt_rni_ftz_sat_u8_f32
    f64: _cvt_rni_sat_u8_f64
    f16: _cvt_rni_sat_u8_f16
class _cvt_rni_sat_u32_f64(_Chain):
    def __call__(self, d: I32_WIDER | New, a: F64_WIDER | float | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rni_sat_u32_f16(_Chain):
    def __call__(self, d: I32_WIDER | New, a: F16_WIDER | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rni_sat_u32(_Chain):
    f32: _cvt_rni_ftz_sat_u32_f32
    f64: _cvt_rni_sat_u32_f64
    f16: _cvt_rni_sat_u32_f16
class _cvt_rni_sat_u64_f64(_Chain):
    def __call__(self, d: I64_WIDER | New, a: F64_WIDER | float | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rni_sat_u64_f16(_Chain):
    def __call__(self, d: I64_WIDER | New, a: F16_WIDER | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rni_sat_u64(_Chain):
    f32: _cvt_rni_ftz_sat_u64_f32
    f64: _cvt_rni_sat_u64_f64
    f16: _cvt_rni_sat_u64_f16
class _cvt_rni_sat_f64(_Chain):
    f64: _cvt_sat_f64_f64
class _cvt_rni_sat(_Chain):
    u8: _cvt_rni_sat_u8
    u16: _cvt_rni_sat_u8
    u32: _cvt_rni_sat_u32
    u64: _cvt_rni_sat_u64
    s8: _cvt_rni_sat_u8
    s16: _cvt_rni_sat_u8
    s32: _cvt_rni_sat_u32
    s64: _cvt_rni_sat_u64
    f32: _cvt_rni_ftz_sat_f32
    f64: _cvt_rni_sat_f64
    f16: _cvt_sat_f16
class _cvt_rni_u8_bf16(_Chain):
    def __call__(self, d: B8 | New, a: F16 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rni_u8(_Chain):
    f32: _cvt_rni_ftz_sat_u8_f32
    f64: _cvt_rni_sat_u8_f64
    f16: _cvt_rni_sat_u8_f16
    bf16: _cvt_rni_u8_bf16
class _cvt_rni_u16_bf16(_Chain):
    def __call__(self, d: I16 | New, a: F16 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rni_u16(_Chain):
    f32: _cvt_rni_ftz_sat_u8_f32
    f64: _cvt_rni_sat_u8_f64
    f16: _cvt_rni_sat_u8_f16
    bf16: _cvt_rni_u16_bf16
class _cvt_rni_u32_bf16(_Chain):
    def __call__(self, d: I32 | New, a: F16 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rni_u32(_Chain):
    f32: _cvt_rni_ftz_sat_u32_f32
    f64: _cvt_rni_sat_u32_f64
    f16: _cvt_rni_sat_u32_f16
    bf16: _cvt_rni_u32_bf16
class _cvt_rni_u64_bf16(_Chain):
    def __call__(self, d: I64 | New, a: F16 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rni_u64(_Chain):
    f32: _cvt_rni_ftz_sat_u64_f32
    f64: _cvt_rni_sat_u64_f64
    f16: _cvt_rni_sat_u64_f16
    bf16: _cvt_rni_u64_bf16
class _cvt_rni_bf16_bf16(_Chain):
    def __call__(self, d: F16 | New, a: F16 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rni_bf16(_Chain):
    bf16: _cvt_rni_bf16_bf16
class _cvt_rni(_Chain):
    ftz: _cvt_rni_ftz
    sat: _cvt_rni_sat
    u8: _cvt_rni_u8
    u16: _cvt_rni_u16
    u32: _cvt_rni_u32
    u64: _cvt_rni_u64
    s8: _cvt_rni_u8
    s16: _cvt_rni_u16
    s32: _cvt_rni_u32
    s64: _cvt_rni_u64
    f32: _cvt_rni_ftz_sat_f32
    f64: _cvt_rni_sat_f64
    f16: _cvt_sat_f16
    bf16: _cvt_rni_bf16
class _cvt_rn_ftz_sat_f32_u8(_Chain):
    def __call__(self, d: F32_WIDER | New, a: I8_WIDER | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_ftz_sat_f32_u32(_Chain):
    def __call__(self, d: F32_WIDER | New, a: I32_WIDER | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_ftz_sat_f32_u64(_Chain):
    def __call__(self, d: F32_WIDER | New, a: I64_WIDER | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_ftz_sat_f32_f64(_Chain):
    def __call__(self, d: F32_WIDER | New, a: F64_WIDER | float | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_ftz_sat_f32(_Chain):
    u8: _cvt_rn_ftz_sat_f32_u8
    u16: _cvt_rn_ftz_sat_f32_u8
    u32: _cvt_rn_ftz_sat_f32_u32
    u64: _cvt_rn_ftz_sat_f32_u64
    s8: _cvt_rn_ftz_sat_f32_u8
    s16: _cvt_rn_ftz_sat_f32_u8
    s32: _cvt_rn_ftz_sat_f32_u32
    s64: _cvt_rn_ftz_sat_f32_u64
    f64: _cvt_rn_ftz_sat_f32_f64
class _cvt_rn_ftz_sat_f16_f32(_Chain):
    def __call__(self, d: F16_WIDER | New, a: F32_WIDER | float | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_ftz_sat_f16(_Chain):
    f32: _cvt_rn_ftz_sat_f16_f32
class _cvt_rn_ftz_sat(_Chain):
    f32: _cvt_rn_ftz_sat_f32
    f16: _cvt_rn_ftz_sat_f16
class _cvt_rn_ftz_bf16_f32(_Chain):
    def __call__(self, d: F16 | New, a: F32 | float | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_ftz_bf16(_Chain):
    f32: _cvt_rn_ftz_bf16_f32
class _cvt_rn_ftz_pzo(_Chain):
    bf16: _cvt_rn_ftz_bf16
class _cvt_rn_ftz(_Chain):
    sat: _cvt_rn_ftz_sat
    f32: _cvt_rn_ftz_sat_f32
    f16: _cvt_rn_ftz_sat_f16
    bf16: _cvt_rn_ftz_bf16
    pzo: _cvt_rn_ftz_pzo
class _cvt_rn_sat_f64_u8(_Chain):
    def __call__(self, d: F64_WIDER | New, a: I8_WIDER | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_sat_f64_u32(_Chain):
    def __call__(self, d: F64_WIDER | New, a: I32_WIDER | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_sat_f64_u64(_Chain):
    def __call__(self, d: F64_WIDER | New, a: I64_WIDER | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_sat_f64(_Chain):
    u8: _cvt_rn_sat_f64_u8
    u16: _cvt_rn_sat_f64_u8
    u32: _cvt_rn_sat_f64_u32
    u64: _cvt_rn_sat_f64_u64
    s8: _cvt_rn_sat_f64_u8
    s16: _cvt_rn_sat_f64_u8
    s32: _cvt_rn_sat_f64_u32
    s64: _cvt_rn_sat_f64_u64
class _cvt_rn_sat_f16_u8(_Chain):
    def __call__(self, d: F16_WIDER | New, a: I8_WIDER | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_sat_f16_u32(_Chain):
    def __call__(self, d: F16_WIDER | New, a: I32_WIDER | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_sat_f16_u64(_Chain):
    def __call__(self, d: F16_WIDER | New, a: I64_WIDER | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_sat_f16_f64(_Chain):
    def __call__(self, d: F16_WIDER | New, a: F64_WIDER | float | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_sat_f16(_Chain):
    u8: _cvt_rn_sat_f16_u8
    u16: _cvt_rn_sat_f16_u8
    u32: _cvt_rn_sat_f16_u32
    u64: _cvt_rn_sat_f16_u64
    s8: _cvt_rn_sat_f16_u8
    s16: _cvt_rn_sat_f16_u8
    s32: _cvt_rn_sat_f16_u32
    s64: _cvt_rn_sat_f16_u64
    f64: _cvt_rn_sat_f16_f64
    f32: _cvt_rn_ftz_sat_f16_f32
class _cvt_rn_sat(_Chain):
    f32: _cvt_rn_ftz_sat_f32
    f64: _cvt_rn_sat_f64
    f16: _cvt_rn_sat_f16
class _cvt_rn_f16(_Chain):
    u8: _cvt_rn_sat_f16_u8
    u16: _cvt_rn_sat_f16_u8
    u32: _cvt_rn_sat_f16_u32
    u64: _cvt_rn_sat_f16_u64
    s8: _cvt_rn_sat_f16_u8
    s16: _cvt_rn_sat_f16_u8
    s32: _cvt_rn_sat_f16_u32
    s64: _cvt_rn_sat_f16_u64
    f64: _cvt_rn_sat_f16_f64
    f32: _cvt_rn_ftz_sat_f16_f32
    bf16: _cvt_rni_bf16_bf16
class _cvt_rn_bf16_u8(_Chain):
    def __call__(self, d: F16 | New, a: B8 | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_bf16_u16(_Chain):
    def __call__(self, d: F16 | New, a: I16 | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_bf16_u32(_Chain):
    def __call__(self, d: F16 | New, a: I32 | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_bf16_u64(_Chain):
    def __call__(self, d: F16 | New, a: I64 | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_bf16_f64(_Chain):
    def __call__(self, d: F16 | New, a: F64 | float | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_bf16(_Chain):
    u8: _cvt_rn_bf16_u8
    u16: _cvt_rn_bf16_u16
    u32: _cvt_rn_bf16_u32
    u64: _cvt_rn_bf16_u64
    s8: _cvt_rn_bf16_u8
    s16: _cvt_rn_bf16_u16
    s32: _cvt_rn_bf16_u32
    s64: _cvt_rn_bf16_u64
    f64: _cvt_rn_bf16_f64
    f16: _cvt_rni_bf16_bf16
    f32: _cvt_rn_ftz_bf16_f32
class _cvt_rn_satfinite_f16x2_f32(_Chain):
    def __call__(self, d: B32_WIDER | New, a: F32_WIDER | float | Special, b: F32_WIDER | float | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_satfinite_f16x2(_Chain):
    f32: _cvt_rn_satfinite_f16x2_f32
class _cvt_rn_satfinite_bf16x2_f32(_Chain):
    def __call__(self, d: B32 | New, a: F32 | float | Special, b: F32 | float | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_satfinite_bf16x2_e4m3x2(_Chain):
    def __call__(self, d: B32 | New, a: E2M1X4 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_satfinite_bf16x2_e2m1x2(_Chain):
    def __call__(self, d: B32 | New, a: B8 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_satfinite_bf16x2(_Chain):
    f32: _cvt_rn_satfinite_bf16x2_f32
    e4m3x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    e5m2x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    e2m1x2: _cvt_rn_satfinite_bf16x2_e2m1x2
    e2m3x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    e3m2x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    s2f6x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    ue5m3x2: _cvt_rn_satfinite_bf16x2_e4m3x2
class _cvt_rn_satfinite_relu_tf32_f32(_Chain):
    def __call__(self, d: B32 | New, a: F32 | float | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_satfinite_relu_tf32(_Chain):
    f32: _cvt_rn_satfinite_relu_tf32_f32
class _cvt_rn_satfinite_relu_e4m3x2_f32(_Chain):
    def __call__(self, d: E2M1X4 | New, a: F32 | float | Special, b: F32 | float | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_satfinite_relu_e4m3x2_f16x2(_Chain):
    def __call__(self, d: E2M1X4 | New, a: B32 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_satfinite_relu_e4m3x2(_Chain):
    f32: _cvt_rn_satfinite_relu_e4m3x2_f32
    f16x2: _cvt_rn_satfinite_relu_e4m3x2_f16x2
    bf16x2: _cvt_rn_satfinite_relu_e4m3x2_f16x2
class _cvt_rn_satfinite_relu_e2m1x2_f32(_Chain):
    def __call__(self, d: B8 | New, a: F32 | float | Special, b: F32 | float | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_satfinite_relu_e2m1x2_f16x2(_Chain):
    def __call__(self, d: B8 | New, a: B32 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_satfinite_relu_e2m1x2(_Chain):
    f32: _cvt_rn_satfinite_relu_e2m1x2_f32
    f16x2: _cvt_rn_satfinite_relu_e2m1x2_f16x2
    bf16x2: _cvt_rn_satfinite_relu_e2m1x2_f16x2
class _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e4m3x2_f32(_Chain):
    def __call__(self, d: E2M1X4 | New, a: F32 | float | Special, b: F32 | float | Special, scale: B8 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e4m3x2_f16x2(_Chain):
    def __call__(self, d: E2M1X4 | New, a: B32 | Special, scale: B8 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e4m3x2(_Chain):
    f32: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e4m3x2_f32
    f16x2: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e4m3x2_f16x2
    bf16x2: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e4m3x2_f16x2
class _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e2m1x2_f32(_Chain):
    def __call__(self, d: B8 | New, a: F32 | float | Special, b: F32 | float | Special, scale: B8 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e2m1x2_f16x2(_Chain):
    def __call__(self, d: B8 | New, a: B32 | Special, scale: B8 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e2m1x2(_Chain):
    f32: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e2m1x2_f32
    f16x2: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e2m1x2_f16x2
    bf16x2: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e2m1x2_f16x2
class _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0(_Chain):
    e4m3x2: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e4m3x2
    e5m2x2: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e4m3x2
    e2m3x2: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e4m3x2
    e3m2x2: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e4m3x2
    e2m1x2: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e2m1x2
class _cvt_rn_satfinite_relu_pzo(_Chain):
    scaled__n1__ue8m0: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0
    e4m3x2: _cvt_rn_satfinite_relu_e4m3x2
    e5m2x2: _cvt_rn_satfinite_relu_e4m3x2
    e2m3x2: _cvt_rn_satfinite_relu_e4m3x2
    e3m2x2: _cvt_rn_satfinite_relu_e4m3x2
    e2m1x2: _cvt_rn_satfinite_relu_e2m1x2
    tf32: _cvt_rn_satfinite_relu_tf32
class _cvt_rn_satfinite_relu_scaled__n2__ue8m0_s2f6x2_f32(_Chain):
    def __call__(self, d: E2M1X4 | New, a: F32 | float | Special, b: F32 | float | Special, scale: E2M1X4 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_satfinite_relu_scaled__n2__ue8m0_s2f6x2_bf16x2(_Chain):
    def __call__(self, d: E2M1X4 | New, a: B32 | Special, scale: E2M1X4 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_satfinite_relu_scaled__n2__ue8m0_s2f6x2(_Chain):
    f32: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_s2f6x2_f32
    bf16x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_s2f6x2_bf16x2
class _cvt_rn_satfinite_relu_scaled__n2__ue8m0_bf16x2_s2f6x2(_Chain):
    def __call__(self, d: B32 | New, a: E2M1X4 | Special, scale: E2M1X4 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_satfinite_relu_scaled__n2__ue8m0_bf16x2(_Chain):
    s2f6x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_bf16x2_s2f6x2
class _cvt_rn_satfinite_relu_scaled__n2__ue8m0(_Chain):
    s2f6x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_s2f6x2
    bf16x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_bf16x2
class _cvt_rn_satfinite_relu_s2f6x2(_Chain):
    f32: _cvt_rn_satfinite_relu_e4m3x2_f32
    bf16x2: _cvt_rn_satfinite_relu_e4m3x2_f16x2
class _cvt_rn_satfinite_relu_bf16x2(_Chain):
    s2f6x2: _cvt_rn_satfinite_bf16x2_e4m3x2
class _cvt_rn_satfinite_relu(_Chain):
    tf32: _cvt_rn_satfinite_relu_tf32
    e4m3x2: _cvt_rn_satfinite_relu_e4m3x2
    e5m2x2: _cvt_rn_satfinite_relu_e4m3x2
    e2m1x2: _cvt_rn_satfinite_relu_e2m1x2
    e2m3x2: _cvt_rn_satfinite_relu_e4m3x2
    e3m2x2: _cvt_rn_satfinite_relu_e4m3x2
    pzo: _cvt_rn_satfinite_relu_pzo
    scaled__n1__ue8m0: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0
    scaled__n2__ue8m0: _cvt_rn_satfinite_relu_scaled__n2__ue8m0
    s2f6x2: _cvt_rn_satfinite_relu_s2f6x2
    bf16x2: _cvt_rn_satfinite_relu_bf16x2
class _cvt_rn_satfinite_scaled__n2__ue8m0_bf16x2_e2m1x2(_Chain):
    def __call__(self, d: B32 | New, a: B8 | Special, scale: E2M1X4 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rn_satfinite_scaled__n2__ue8m0_bf16x2(_Chain):
    e4m3x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_bf16x2_s2f6x2
    e5m2x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_bf16x2_s2f6x2
    e2m1x2: _cvt_rn_satfinite_scaled__n2__ue8m0_bf16x2_e2m1x2
    e2m3x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_bf16x2_s2f6x2
    e3m2x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_bf16x2_s2f6x2
    s2f6x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_bf16x2_s2f6x2
    ue5m3x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_bf16x2_s2f6x2
class _cvt_rn_satfinite_scaled__n2__ue8m0(_Chain):
    bf16x2: _cvt_rn_satfinite_scaled__n2__ue8m0_bf16x2
    s2f6x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_s2f6x2
class _cvt_rn_satfinite_pzo_bf16x2(_Chain):
    f32: _cvt_rn_satfinite_bf16x2_f32
class _cvt_rn_satfinite_pzo(_Chain):
    scaled__n1__ue8m0: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0
    e4m3x2: _cvt_rn_satfinite_relu_e4m3x2
    e5m2x2: _cvt_rn_satfinite_relu_e4m3x2
    e2m3x2: _cvt_rn_satfinite_relu_e4m3x2
    e3m2x2: _cvt_rn_satfinite_relu_e4m3x2
    e2m1x2: _cvt_rn_satfinite_relu_e2m1x2
    f16: _cvt_rn_ftz_sat_f16
    bf16: _cvt_rn_ftz_bf16
    f16x2: _cvt_rn_satfinite_f16x2
    bf16x2: _cvt_rn_satfinite_pzo_bf16x2
    tf32: _cvt_rn_satfinite_relu_tf32
class _cvt_rn_satfinite_scaled__n1__ue8m0(_Chain):
    e4m3x2: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e4m3x2
    e5m2x2: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e4m3x2
    e2m3x2: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e4m3x2
    e3m2x2: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e4m3x2
    e2m1x2: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e2m1x2
    ue5m3x2: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e4m3x2
class _cvt_rn_satfinite(_Chain):
    f16: _cvt_rn_ftz_sat_f16
    bf16: _cvt_rn_ftz_bf16
    f16x2: _cvt_rn_satfinite_f16x2
    bf16x2: _cvt_rn_satfinite_bf16x2
    relu: _cvt_rn_satfinite_relu
    tf32: _cvt_rn_satfinite_relu_tf32
    e4m3x2: _cvt_rn_satfinite_relu_e4m3x2
    e5m2x2: _cvt_rn_satfinite_relu_e4m3x2
    scaled__n2__ue8m0: _cvt_rn_satfinite_scaled__n2__ue8m0
    e2m1x2: _cvt_rn_satfinite_relu_e2m1x2
    e2m3x2: _cvt_rn_satfinite_relu_e4m3x2
    e3m2x2: _cvt_rn_satfinite_relu_e4m3x2
    pzo: _cvt_rn_satfinite_pzo
    scaled__n1__ue8m0: _cvt_rn_satfinite_scaled__n1__ue8m0
    s2f6x2: _cvt_rn_satfinite_relu_s2f6x2
    ue5m3x2: _cvt_rn_satfinite_relu_e4m3x2
class _cvt_rn_relu_satfinite_bf16x2(_Chain):
    f32: _cvt_rn_satfinite_bf16x2_f32
    e4m3x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    e5m2x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    e2m1x2: _cvt_rn_satfinite_bf16x2_e2m1x2
    e2m3x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    e3m2x2: _cvt_rn_satfinite_bf16x2_e4m3x2
class _cvt_rn_relu_satfinite_scaled__n2__ue8m0_bf16x2(_Chain):
    e4m3x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_bf16x2_s2f6x2
    e5m2x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_bf16x2_s2f6x2
    e2m1x2: _cvt_rn_satfinite_scaled__n2__ue8m0_bf16x2_e2m1x2
    e2m3x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_bf16x2_s2f6x2
    e3m2x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_bf16x2_s2f6x2
class _cvt_rn_relu_satfinite_scaled__n2__ue8m0(_Chain):
    bf16x2: _cvt_rn_relu_satfinite_scaled__n2__ue8m0_bf16x2
class _cvt_rn_relu_satfinite_pzo(_Chain):
    f16: _cvt_rn_ftz_sat_f16
    bf16: _cvt_rn_ftz_bf16
    f16x2: _cvt_rn_satfinite_f16x2
    bf16x2: _cvt_rn_satfinite_pzo_bf16x2
class _cvt_rn_relu_satfinite(_Chain):
    f16: _cvt_rn_ftz_sat_f16
    bf16: _cvt_rn_ftz_bf16
    f16x2: _cvt_rn_satfinite_f16x2
    bf16x2: _cvt_rn_relu_satfinite_bf16x2
    scaled__n2__ue8m0: _cvt_rn_relu_satfinite_scaled__n2__ue8m0
    pzo: _cvt_rn_relu_satfinite_pzo
class _cvt_rn_relu_f16x2(_Chain):
    f32: _cvt_rn_satfinite_f16x2_f32
    e4m3x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    e5m2x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    e2m1x2: _cvt_rn_satfinite_bf16x2_e2m1x2
    e2m3x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    e3m2x2: _cvt_rn_satfinite_bf16x2_e4m3x2
class _cvt_rn_relu_bf16x2(_Chain):
    f32: _cvt_rn_satfinite_bf16x2_f32
    e4m3x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    e5m2x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    e2m1x2: _cvt_rn_satfinite_bf16x2_e2m1x2
    e2m3x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    e3m2x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    s2f6x2: _cvt_rn_satfinite_bf16x2_e4m3x2
class _cvt_rn_relu_scaled__n2__ue8m0_bf16x2(_Chain):
    e4m3x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_bf16x2_s2f6x2
    e5m2x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_bf16x2_s2f6x2
    e2m1x2: _cvt_rn_satfinite_scaled__n2__ue8m0_bf16x2_e2m1x2
    e2m3x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_bf16x2_s2f6x2
    e3m2x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_bf16x2_s2f6x2
    s2f6x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_bf16x2_s2f6x2
class _cvt_rn_relu_scaled__n2__ue8m0(_Chain):
    bf16x2: _cvt_rn_relu_scaled__n2__ue8m0_bf16x2
class _cvt_rn_relu_pzo(_Chain):
    f16: _cvt_rn_ftz_sat_f16
    bf16: _cvt_rn_ftz_bf16
    f16x2: _cvt_rn_satfinite_f16x2
    bf16x2: _cvt_rn_satfinite_pzo_bf16x2
    tf32: _cvt_rn_satfinite_relu_tf32
class _cvt_rn_relu(_Chain):
    satfinite: _cvt_rn_relu_satfinite
    f16: _cvt_rn_ftz_sat_f16
    bf16: _cvt_rn_ftz_bf16
    f16x2: _cvt_rn_relu_f16x2
    bf16x2: _cvt_rn_relu_bf16x2
    tf32: _cvt_rn_satfinite_relu_tf32
    scaled__n2__ue8m0: _cvt_rn_relu_scaled__n2__ue8m0
    pzo: _cvt_rn_relu_pzo
class _cvt_rn_f16x2(_Chain):
    f32: _cvt_rn_satfinite_f16x2_f32
    e4m3x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    e5m2x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    e2m1x2: _cvt_rn_satfinite_bf16x2_e2m1x2
    e2m3x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    e3m2x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    ue5m3x2: _cvt_rn_satfinite_bf16x2_e4m3x2
class _cvt_rn_bf16x2(_Chain):
    f32: _cvt_rn_satfinite_bf16x2_f32
    e4m3x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    e5m2x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    e2m1x2: _cvt_rn_satfinite_bf16x2_e2m1x2
    e2m3x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    e3m2x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    ue8m0x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    s2f6x2: _cvt_rn_satfinite_bf16x2_e4m3x2
    ue5m3x2: _cvt_rn_satfinite_bf16x2_e4m3x2
class _cvt_rn_scaled__n2__ue8m0(_Chain):
    bf16x2: _cvt_rn_satfinite_scaled__n2__ue8m0_bf16x2
class _cvt_rn_scaled__n1__ue8m0(_Chain):
    ue5m3x2: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0_e4m3x2
class _cvt_rn(_Chain):
    ftz: _cvt_rn_ftz
    sat: _cvt_rn_sat
    f32: _cvt_rn_ftz_sat_f32
    f64: _cvt_rn_sat_f64
    f16: _cvt_rn_f16
    bf16: _cvt_rn_bf16
    satfinite: _cvt_rn_satfinite
    relu: _cvt_rn_relu
    f16x2: _cvt_rn_f16x2
    bf16x2: _cvt_rn_bf16x2
    tf32: _cvt_rn_satfinite_relu_tf32
    scaled__n2__ue8m0: _cvt_rn_scaled__n2__ue8m0
    pzo: _cvt_rn_relu_pzo
    ue5m3x2: _cvt_rn_satfinite_relu_e4m3x2
    scaled__n1__ue8m0: _cvt_rn_scaled__n1__ue8m0
class _cvt_rz_satfinite_relu_scaled__n2__ue8m0(_Chain):
    s2f6x2: _cvt_rn_satfinite_relu_scaled__n2__ue8m0_s2f6x2
class _cvt_rz_satfinite_relu(_Chain):
    tf32: _cvt_rn_satfinite_relu_tf32
    pzo: _cvt_rn_satfinite_relu_pzo
    scaled__n1__ue8m0: _cvt_rn_satfinite_relu_pzo_scaled__n1__ue8m0
    e4m3x2: _cvt_rn_satfinite_relu_e4m3x2
    e5m2x2: _cvt_rn_satfinite_relu_e4m3x2
    e2m3x2: _cvt_rn_satfinite_relu_e4m3x2
    e3m2x2: _cvt_rn_satfinite_relu_e4m3x2
    e2m1x2: _cvt_rn_satfinite_relu_e2m1x2
    scaled__n2__ue8m0: _cvt_rz_satfinite_relu_scaled__n2__ue8m0
    s2f6x2: _cvt_rn_satfinite_relu_s2f6x2
class _cvt_rz_satfinite(_Chain):
    f16: _cvt_rn_ftz_sat_f16
    bf16: _cvt_rn_ftz_bf16
    f16x2: _cvt_rn_satfinite_f16x2
    bf16x2: _cvt_rn_satfinite_pzo_bf16x2
    relu: _cvt_rz_satfinite_relu
    tf32: _cvt_rn_satfinite_relu_tf32
    ue8m0x2: _cvt_rn_satfinite_relu_s2f6x2
    pzo: _cvt_rn_satfinite_pzo
    scaled__n1__ue8m0: _cvt_rn_satfinite_scaled__n1__ue8m0
    e4m3x2: _cvt_rn_satfinite_relu_e4m3x2
    e5m2x2: _cvt_rn_satfinite_relu_e4m3x2
    e2m3x2: _cvt_rn_satfinite_relu_e4m3x2
    e3m2x2: _cvt_rn_satfinite_relu_e4m3x2
    e2m1x2: _cvt_rn_satfinite_relu_e2m1x2
    scaled__n2__ue8m0: _cvt_rz_satfinite_relu_scaled__n2__ue8m0
    s2f6x2: _cvt_rn_satfinite_relu_s2f6x2
    ue5m3x2: _cvt_rn_satfinite_relu_e4m3x2
class _cvt_rz_relu_satfinite(_Chain):
    f16: _cvt_rn_ftz_sat_f16
    bf16: _cvt_rn_ftz_bf16
    f16x2: _cvt_rn_satfinite_f16x2
    bf16x2: _cvt_rn_satfinite_pzo_bf16x2
    pzo: _cvt_rn_relu_satfinite_pzo
class _cvt_rz_relu(_Chain):
    satfinite: _cvt_rz_relu_satfinite
    f16: _cvt_rn_ftz_sat_f16
    bf16: _cvt_rn_ftz_bf16
    f16x2: _cvt_rn_satfinite_f16x2
    bf16x2: _cvt_rn_satfinite_pzo_bf16x2
    tf32: _cvt_rn_satfinite_relu_tf32
    pzo: _cvt_rn_relu_pzo
class _cvt_rz(_Chain):
    ftz: _cvt_rn_ftz
    sat: _cvt_rn_sat
    f32: _cvt_rn_ftz_sat_f32
    f64: _cvt_rn_sat_f64
    f16: _cvt_rn_f16
    bf16: _cvt_rn_bf16
    satfinite: _cvt_rz_satfinite
    relu: _cvt_rz_relu
    f16x2: _cvt_rn_satfinite_f16x2
    bf16x2: _cvt_rn_satfinite_pzo_bf16x2
    tf32: _cvt_rn_satfinite_relu_tf32
    ue8m0x2: _cvt_rn_satfinite_relu_s2f6x2
    pzo: _cvt_rn_relu_pzo
    ue5m3x2: _cvt_rn_satfinite_relu_e4m3x2
    scaled__n1__ue8m0: _cvt_rn_scaled__n1__ue8m0
class _cvt_rm_pzo(_Chain):
    f16: _cvt_rn_ftz_sat_f16
    bf16: _cvt_rn_ftz_bf16
class _cvt_rm(_Chain):
    ftz: _cvt_rn_ftz
    sat: _cvt_rn_sat
    f32: _cvt_rn_ftz_sat_f32
    f64: _cvt_rn_sat_f64
    f16: _cvt_rn_f16
    bf16: _cvt_rn_bf16
    pzo: _cvt_rm_pzo
class _cvt_rp_satfinite(_Chain):
    ue8m0x2: _cvt_rn_satfinite_relu_s2f6x2
    ue5m3x2: _cvt_rn_satfinite_relu_e4m3x2
class _cvt_rp(_Chain):
    ftz: _cvt_rn_ftz
    sat: _cvt_rn_sat
    f32: _cvt_rn_ftz_sat_f32
    f64: _cvt_rn_sat_f64
    f16: _cvt_rn_f16
    bf16: _cvt_rn_bf16
    satfinite: _cvt_rp_satfinite
    ue8m0x2: _cvt_rn_satfinite_relu_s2f6x2
    pzo: _cvt_rm_pzo
    ue5m3x2: _cvt_rn_satfinite_relu_e4m3x2
class _cvt_ftz_sat_f64(_Chain):
    f32: _cvt_sat_f64_f32
class _cvt_ftz_sat(_Chain):
    f64: _cvt_ftz_sat_f64
    f32: _cvt_sat_f32
class _cvt_ftz_f32_bf16(_Chain):
    def __call__(self, d: F32 | New, a: F16 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_ftz_f32(_Chain):
    f16: _cvt_sat_f32_f16
    f32: _cvt_sat_f32_f32
    bf16: _cvt_ftz_f32_bf16
class _cvt_ftz(_Chain):
    sat: _cvt_ftz_sat
    f64: _cvt_ftz_sat_f64
    f32: _cvt_ftz_f32
class _cvt_f64_bf16(_Chain):
    def __call__(self, d: F64 | New, a: F16 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_f64(_Chain):
    f32: _cvt_sat_f64_f32
    f16: _cvt_sat_f64_f16
    f64: _cvt_sat_f64_f64
    bf16: _cvt_f64_bf16
class _cvt_f16(_Chain):
    f16: _cvt_sat_f16_f16
    bf16: _cvt_rni_bf16_bf16
class _cvt_bf16(_Chain):
    f16: _cvt_rni_bf16_bf16
    bf16: _cvt_rni_bf16_bf16
class _cvt_rs_relu_satfinite_f16x2_f32(_Chain):
    def __call__(self, d: B32_WIDER | New, a: F32_WIDER | float | Special, b: F32_WIDER | float | Special, rbits: B32 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rs_relu_satfinite_f16x2(_Chain):
    f32: _cvt_rs_relu_satfinite_f16x2_f32
class _cvt_rs_relu_satfinite_bf16x2_f32(_Chain):
    def __call__(self, d: B32 | New, a: F32 | float | Special, b: F32 | float | Special, rbits: B32 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rs_relu_satfinite_bf16x2(_Chain):
    f32: _cvt_rs_relu_satfinite_bf16x2_f32
class _cvt_rs_relu_satfinite_e4m3x4_f32(_Chain):
    def __call__(self, d: U8X4 | New, a: Vector[F32 | float | Special], rbits: B32 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rs_relu_satfinite_e4m3x4(_Chain):
    f32: _cvt_rs_relu_satfinite_e4m3x4_f32
class _cvt_rs_relu_satfinite_e2m1x4_f32(_Chain):
    def __call__(self, d: E2M1X4 | New, a: Vector[F32 | float | Special], rbits: B32 | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_rs_relu_satfinite_e2m1x4(_Chain):
    f32: _cvt_rs_relu_satfinite_e2m1x4_f32
class _cvt_rs_relu_satfinite(_Chain):
    f16x2: _cvt_rs_relu_satfinite_f16x2
    bf16x2: _cvt_rs_relu_satfinite_bf16x2
    e4m3x4: _cvt_rs_relu_satfinite_e4m3x4
    e5m2x4: _cvt_rs_relu_satfinite_e4m3x4
    e2m3x4: _cvt_rs_relu_satfinite_e4m3x4
    e3m2x4: _cvt_rs_relu_satfinite_e4m3x4
    e2m1x4: _cvt_rs_relu_satfinite_e2m1x4
class _cvt_rs_relu(_Chain):
    satfinite: _cvt_rs_relu_satfinite
    f16x2: _cvt_rs_relu_satfinite_f16x2
    bf16x2: _cvt_rs_relu_satfinite_bf16x2
class _cvt_rs(_Chain):
    relu: _cvt_rs_relu
    satfinite: _cvt_rs_relu_satfinite
    f16x2: _cvt_rs_relu_satfinite_f16x2
    bf16x2: _cvt_rs_relu_satfinite_bf16x2
class _cvt_rna_satfinite(_Chain):
    tf32: _cvt_rn_satfinite_relu_tf32
class _cvt_rna(_Chain):
    satfinite: _cvt_rna_satfinite
    tf32: _cvt_rn_satfinite_relu_tf32
class _cvt_pack_sat_u16_s32(_Chain):
    def __call__(self, d: B32 | New, a: I32 | int | Special, b: I32 | int | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_pack_sat_u16(_Chain):
    s32: _cvt_pack_sat_u16_s32
class _cvt_pack_sat_u2_s32_b32(_Chain):
    def __call__(self, d: B32 | New, a: I32 | int | Special, b: I32 | int | Special, c: B32 | float | Special, /, *, pred: Guard = ...) -> Any: ...
class _cvt_pack_sat_u2_s32(_Chain):
    b32: _cvt_pack_sat_u2_s32_b32
class _cvt_pack_sat_u2(_Chain):
    s32: _cvt_pack_sat_u2_s32
class _cvt_pack_sat(_Chain):
    u16: _cvt_pack_sat_u16
    s16: _cvt_pack_sat_u16
    u2: _cvt_pack_sat_u2
    s2: _cvt_pack_sat_u2
    u4: _cvt_pack_sat_u2
    s4: _cvt_pack_sat_u2
    u8: _cvt_pack_sat_u2
    s8: _cvt_pack_sat_u2
class _cvt_pack(_Chain):
    sat: _cvt_pack_sat
class _cvt(_Chain):
    u8: _cvt_u8
    u16: _cvt_u8
    u32: _cvt_u32
    u64: _cvt_u64
    s8: _cvt_u8
    s16: _cvt_u8
    s32: _cvt_u32
    s64: _cvt_u64
    sat: _cvt_sat
    rni: _cvt_rni
    rzi: _cvt_rni
    rmi: _cvt_rni
    rpi: _cvt_rni
    rn: _cvt_rn
    rz: _cvt_rz
    rm: _cvt_rm
    rp: _cvt_rp
    ftz: _cvt_ftz
    f64: _cvt_f64
    f32: _cvt_ftz_f32
    f16: _cvt_f16
    bf16: _cvt_bf16
    rs: _cvt_rs
    rna: _cvt_rna
    pack: _cvt_pack
class _mapa_shared__cluster_u32(_Chain):
    def __call__(self, d: I32 | New, a: I32 | int | Name, b: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _mapa_shared__cluster_u64(_Chain):
    def __call__(self, d: I64 | New, a: I64 | int | Name, b: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _mapa_shared__cluster(_Chain):
    u32: _mapa_shared__cluster_u32
    u64: _mapa_shared__cluster_u64
class _mapa(_Chain):
    shared__cluster: _mapa_shared__cluster
    u32: _add_u32
    u64: _shr_u64
class _getctarank_shared__cluster_u64(_Chain):
    def __call__(self, d: I32 | New, a: I64 | int | Name, /, *, pred: Guard = ...) -> Any: ...
class _getctarank_shared__cluster(_Chain):
    u32: _cvta_const_u32
    u64: _getctarank_shared__cluster_u64
class _getctarank(_Chain):
    shared__cluster: _getctarank_shared__cluster
    u32: _abs_s32
    u64: _bfind_shiftamt_u64
class _cp_async_ca_shared_global_L2__cache_hint_L2__64B(_Chain):
    @overload
    def __call__(self, a: Address, b: Address, n: int, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, a: Address, b: Address, n: int, src_size: I32 | int | PRED, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_ca_shared_global_L2__cache_hint(_Chain):
    L2__64B: _cp_async_ca_shared_global_L2__cache_hint_L2__64B
    L2__128B: _cp_async_ca_shared_global_L2__cache_hint_L2__64B
    L2__256B: _cp_async_ca_shared_global_L2__cache_hint_L2__64B
    @overload
    def __call__(self, a: Address, b: Address, n: int, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, a: Address, b: Address, n: int, src_size: I32 | int | PRED, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_ca_shared_global_L2__64B(_Chain):
    @overload
    def __call__(self, a: Address, b: Address, n: int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, a: Address, b: Address, n: int, src_size: I32 | int | PRED, /, *, pred: Guard = ...) -> None: ...
class _cp_async_ca_shared_global(_Chain):
    L2__cache_hint: _cp_async_ca_shared_global_L2__cache_hint
    L2__64B: _cp_async_ca_shared_global_L2__64B
    L2__128B: _cp_async_ca_shared_global_L2__64B
    L2__256B: _cp_async_ca_shared_global_L2__64B
    @overload
    def __call__(self, a: Address, b: Address, n: int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, a: Address, b: Address, n: int, src_size: I32 | int | PRED, /, *, pred: Guard = ...) -> None: ...
class _cp_async_ca_shared(_Chain):
    global_: _cp_async_ca_shared_global
class _cp_async_ca(_Chain):
    shared: _cp_async_ca_shared
    shared__cta: _cp_async_ca_shared
class _cp_async_commit_group(_Chain):
    def __call__(self, *, pred: Guard = ...) -> None: ...
class _cp_async_wait_group(_Chain):
    def __call__(self, n: int, /, *, pred: Guard = ...) -> None: ...
class _cp_async_mbarrier_arrive_noinc_shared(_Chain):
    b64: _prefetch_global_L1
class _cp_async_mbarrier_arrive_noinc(_Chain):
    shared: _cp_async_mbarrier_arrive_noinc_shared
    shared__cta: _cp_async_mbarrier_arrive_noinc_shared
    b64: _prefetch_global_L1
class _cp_async_mbarrier_arrive(_Chain):
    noinc: _cp_async_mbarrier_arrive_noinc
    shared: _cp_async_mbarrier_arrive_noinc_shared
    shared__cta: _cp_async_mbarrier_arrive_noinc_shared
    b64: _prefetch_global_L1
class _cp_async_mbarrier(_Chain):
    arrive: _cp_async_mbarrier_arrive
class _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_L2__cache_hint_ignore_oob(_Chain):
    def __call__(self, a: Address, b: Address, size: I32 | int, left: I32 | int, right: I32 | int, bar: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_L2__cache_hint(_Chain):
    ignore_oob: _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_L2__cache_hint_ignore_oob
    def __call__(self, a: Address, b: Address, size: I32 | int, mbar: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_ignore_oob(_Chain):
    def __call__(self, a: Address, b: Address, size: I32 | int, left: I32 | int, right: I32 | int, bar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled(_Chain):
    L2__cache_hint: _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_L2__cache_hint
    ignore_oob: _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_ignore_oob
    def __call__(self, a: Address, b: Address, size: I32 | int, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000_L2__cache_hint(_Chain):
    def __call__(self, a: Address, b: Address, size: I32 | int, mbar: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000(_Chain):
    L2__cache_hint: _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000_L2__cache_hint
    def __call__(self, a: Address, b: Address, size: I32 | int, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes(_Chain):
    mbarrier__report__disabled: _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000
    L2__cache_hint: _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_L2__cache_hint
    ignore_oob: _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_ignore_oob
    def __call__(self, a: Address, b: Address, size: I32 | int, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_weak_shared__cta_global(_Chain):
    mbarrier__complete_tx__bytes: _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes
class _cp_async_bulk_weak_shared__cta(_Chain):
    global_: _cp_async_bulk_weak_shared__cta_global
class _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_L2__cache_hint(_Chain):
    def __call__(self, a: Address, b: Address, size: I32 | int, mbar: Address, mask: E2M1X4 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster(_Chain):
    L2__cache_hint: _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_L2__cache_hint
    def __call__(self, a: Address, b: Address, size: I32 | int, mbar: Address, mask: E2M1X4 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_L2__cache_hint(_Chain):
    def __call__(self, a: Address, b: Address, size: I32 | int, mbar: Address, mask: B32 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b(_Chain):
    L2__cache_hint: _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_L2__cache_hint
    def __call__(self, a: Address, b: Address, size: I32 | int, mbar: Address, mask: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled(_Chain):
    multicast__cluster: _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__16b: _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__32b: _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b
    L2__cache_hint: _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000_L2__cache_hint
    def __call__(self, a: Address, b: Address, size: I32 | int, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes(_Chain):
    mbarrier__report__disabled: _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    multicast__cluster: _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__16b: _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__32b: _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b
    L2__cache_hint: _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000_L2__cache_hint
    def __call__(self, a: Address, b: Address, size: I32 | int, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_weak_shared__cluster_global(_Chain):
    mbarrier__complete_tx__bytes: _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes
class _cp_async_bulk_weak_shared__cluster_shared__cta_mbarrier__complete_tx__bytes(_Chain):
    def __call__(self, a: Address, b: Address, size: I32 | int, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_weak_shared__cluster_shared__cta(_Chain):
    mbarrier__complete_tx__bytes: _cp_async_bulk_weak_shared__cluster_shared__cta_mbarrier__complete_tx__bytes
class _cp_async_bulk_weak_shared__cluster(_Chain):
    global_: _cp_async_bulk_weak_shared__cluster_global
    shared__cta: _cp_async_bulk_weak_shared__cluster_shared__cta
class _cp_async_bulk_weak_global_shared__cta_bulk_group_L2__cache_hint_cp_mask(_Chain):
    def __call__(self, a: Address, b: Address, size: I32 | int, policy: F32X2 | float, mask: E2M1X4 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_weak_global_shared__cta_bulk_group_L2__cache_hint(_Chain):
    cp_mask: _cp_async_bulk_weak_global_shared__cta_bulk_group_L2__cache_hint_cp_mask
    def __call__(self, a: Address, b: Address, size: I32 | int, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_weak_global_shared__cta_bulk_group_cp_mask(_Chain):
    def __call__(self, a: Address, b: Address, size: I32 | int, mask: E2M1X4 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_weak_global_shared__cta_bulk_group(_Chain):
    L2__cache_hint: _cp_async_bulk_weak_global_shared__cta_bulk_group_L2__cache_hint
    cp_mask: _cp_async_bulk_weak_global_shared__cta_bulk_group_cp_mask
    def __call__(self, a: Address, b: Address, size: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_weak_global_shared__cta(_Chain):
    bulk_group: _cp_async_bulk_weak_global_shared__cta_bulk_group
class _cp_async_bulk_weak_global(_Chain):
    shared__cta: _cp_async_bulk_weak_global_shared__cta
class _cp_async_bulk_weak(_Chain):
    shared__cta: _cp_async_bulk_weak_shared__cta
    shared__cluster: _cp_async_bulk_weak_shared__cluster
    global_: _cp_async_bulk_weak_global
class _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_L2__cache_hint_ignore_oob(_Chain):
    b128: _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_L2__cache_hint_ignore_oob
class _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_L2__cache_hint(_Chain):
    b128: _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000_L2__cache_hint
    ignore_oob: _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_L2__cache_hint_ignore_oob
class _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_ignore_oob(_Chain):
    b128: _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_ignore_oob
class _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled(_Chain):
    L2__cache_hint: _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_L2__cache_hint
    b128: _cp_async_bulk_weak_shared__cluster_shared__cta_mbarrier__complete_tx__bytes
    ignore_oob: _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_ignore_oob
class _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000_L2__cache_hint(_Chain):
    b128: _cp_async_bulk_weak_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000_L2__cache_hint
class _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000(_Chain):
    L2__cache_hint: _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000_L2__cache_hint
    b128: _cp_async_bulk_weak_shared__cluster_shared__cta_mbarrier__complete_tx__bytes
class _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes(_Chain):
    mbarrier__report__disabled: _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000
    L2__cache_hint: _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_L2__cache_hint
    b128: _cp_async_bulk_weak_shared__cluster_shared__cta_mbarrier__complete_tx__bytes
    ignore_oob: _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_ignore_oob
class _cp_async_bulk_relaxed_cta_shared__cta_global(_Chain):
    mbarrier__complete_tx__bytes: _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes
class _cp_async_bulk_relaxed_cta_shared__cta(_Chain):
    global_: _cp_async_bulk_relaxed_cta_shared__cta_global
class _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_L2__cache_hint(_Chain):
    b128: _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_L2__cache_hint
class _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_b128(_Chain):
    def __call__(self, a: Address, b: Address, size: I32 | int, mbar: Address, mask: E2M1X4 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster(_Chain):
    L2__cache_hint: _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_L2__cache_hint
    b128: _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_b128
class _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_L2__cache_hint(_Chain):
    b128: _cp_async_bulk_weak_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_L2__cache_hint
class _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_b128(_Chain):
    def __call__(self, a: Address, b: Address, size: I32 | int, mbar: Address, mask: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b(_Chain):
    L2__cache_hint: _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_L2__cache_hint
    b128: _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_b128
class _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled(_Chain):
    multicast__cluster: _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__16b: _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__32b: _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b
    L2__cache_hint: _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000_L2__cache_hint
    b128: _cp_async_bulk_weak_shared__cluster_shared__cta_mbarrier__complete_tx__bytes
class _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes(_Chain):
    mbarrier__report__disabled: _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    multicast__cluster: _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__16b: _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__32b: _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b
    L2__cache_hint: _cp_async_bulk_relaxed_cta_shared__cta_global_mbarrier__complete_tx__bytes_mbarrier__report__validity__per_16bytes__80000000_L2__cache_hint
    b128: _cp_async_bulk_weak_shared__cluster_shared__cta_mbarrier__complete_tx__bytes
class _cp_async_bulk_relaxed_cta_shared__cluster_global(_Chain):
    mbarrier__complete_tx__bytes: _cp_async_bulk_relaxed_cta_shared__cluster_global_mbarrier__complete_tx__bytes
class _cp_async_bulk_relaxed_cta_shared__cluster_shared__cta_mbarrier__complete_tx__bytes(_Chain):
    b128: _cp_async_bulk_weak_shared__cluster_shared__cta_mbarrier__complete_tx__bytes
class _cp_async_bulk_relaxed_cta_shared__cluster_shared__cta(_Chain):
    mbarrier__complete_tx__bytes: _cp_async_bulk_relaxed_cta_shared__cluster_shared__cta_mbarrier__complete_tx__bytes
class _cp_async_bulk_relaxed_cta_shared__cluster(_Chain):
    global_: _cp_async_bulk_relaxed_cta_shared__cluster_global
    shared__cta: _cp_async_bulk_relaxed_cta_shared__cluster_shared__cta
class _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_b128(_Chain):
    def __call__(self, a: Address, b: Address, size: I32 | int, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_cp_mask(_Chain):
    b128: _cp_async_bulk_weak_global_shared__cta_bulk_group_L2__cache_hint_cp_mask
class _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint(_Chain):
    b128: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_b128
    cp_mask: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_cp_mask
class _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_b128(_Chain):
    def __call__(self, a: Address, b: Address, size: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_cp_mask(_Chain):
    b128: _cp_async_bulk_weak_global_shared__cta_bulk_group_cp_mask
class _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group(_Chain):
    L2__cache_hint: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint
    b128: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_b128
    cp_mask: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_cp_mask
class _cp_async_bulk_relaxed_cta_global_shared__cta(_Chain):
    bulk_group: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group
class _cp_async_bulk_relaxed_cta_global(_Chain):
    shared__cta: _cp_async_bulk_relaxed_cta_global_shared__cta
class _cp_async_bulk_relaxed_cta(_Chain):
    shared__cta: _cp_async_bulk_relaxed_cta_shared__cta
    shared__cluster: _cp_async_bulk_relaxed_cta_shared__cluster
    global_: _cp_async_bulk_relaxed_cta_global
class _cp_async_bulk_relaxed_gpu_shared__cluster(_Chain):
    global_: _cp_async_bulk_relaxed_cta_shared__cluster_global
class _cp_async_bulk_relaxed_gpu(_Chain):
    shared__cta: _cp_async_bulk_relaxed_cta_shared__cta
    shared__cluster: _cp_async_bulk_relaxed_gpu_shared__cluster
    global_: _cp_async_bulk_relaxed_cta_global
class _cp_async_bulk_relaxed(_Chain):
    cta: _cp_async_bulk_relaxed_cta
    cluster: _cp_async_bulk_relaxed_cta
    gpu: _cp_async_bulk_relaxed_gpu
    sys: _cp_async_bulk_relaxed_gpu
class _cp_async_bulk_prefetch_L2_global_L2__cache_hint(_Chain):
    def __call__(self, a: Address, size: I32 | int, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_prefetch_L2_global(_Chain):
    L2__cache_hint: _cp_async_bulk_prefetch_L2_global_L2__cache_hint
    L2__evict_last: _applypriority_async_bulk_global_bulk_group_L2__evict_normal
    def __call__(self, a: Address, size: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_prefetch_L2(_Chain):
    global_: _cp_async_bulk_prefetch_L2_global
class _cp_async_bulk_prefetch_tensor_1d_L2_global_tile_L2__cache_hint_override__global_address_override__global_dim(_Chain):
    def __call__(self, map: Coordinates, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_prefetch_tensor_1d_L2_global_tile_L2__cache_hint_override__global_address(_Chain):
    override__global_dim: _cp_async_bulk_prefetch_tensor_1d_L2_global_tile_L2__cache_hint_override__global_address_override__global_dim
    def __call__(self, map: Coordinates, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_prefetch_tensor_1d_L2_global_tile_L2__cache_hint(_Chain):
    override__global_address: _cp_async_bulk_prefetch_tensor_1d_L2_global_tile_L2__cache_hint_override__global_address
    def __call__(self, map: Coordinates, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_prefetch_tensor_1d_L2_global_tile(_Chain):
    L2__cache_hint: _cp_async_bulk_prefetch_tensor_1d_L2_global_tile_L2__cache_hint
    override__global_address: _applypriority_async_bulk_tensor_1d_global_bulk_group_tile_L2__evict_normal_override__global_address
    L2__evict_last: _applypriority_async_bulk_tensor_1d_global_bulk_group_tile_L2__evict_normal
    def __call__(self, map: Coordinates, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_prefetch_tensor_1d_L2_global(_Chain):
    tile: _cp_async_bulk_prefetch_tensor_1d_L2_global_tile
    L2__cache_hint: _cp_async_bulk_prefetch_tensor_1d_L2_global_tile_L2__cache_hint
    override__global_address: _applypriority_async_bulk_tensor_1d_global_bulk_group_tile_L2__evict_normal_override__global_address
    L2__evict_last: _applypriority_async_bulk_tensor_1d_global_bulk_group_tile_L2__evict_normal
    def __call__(self, map: Coordinates, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_prefetch_tensor_1d_L2(_Chain):
    global_: _cp_async_bulk_prefetch_tensor_1d_L2_global
class _cp_async_bulk_prefetch_tensor_1d(_Chain):
    L2: _cp_async_bulk_prefetch_tensor_1d_L2
class _cp_async_bulk_prefetch_tensor_2d_L2_global_tile_L2__cache_hint_override__global_address(_Chain):
    override__global_dim_stride: _cp_async_bulk_prefetch_tensor_1d_L2_global_tile_L2__cache_hint_override__global_address_override__global_dim
    def __call__(self, map: Coordinates, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_prefetch_tensor_2d_L2_global_tile_L2__cache_hint(_Chain):
    override__global_address: _cp_async_bulk_prefetch_tensor_2d_L2_global_tile_L2__cache_hint_override__global_address
    def __call__(self, map: Coordinates, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_prefetch_tensor_2d_L2_global_tile(_Chain):
    L2__cache_hint: _cp_async_bulk_prefetch_tensor_2d_L2_global_tile_L2__cache_hint
    override__global_address: _applypriority_async_bulk_tensor_2d_global_bulk_group_tile_L2__evict_normal_override__global_address
    L2__evict_last: _applypriority_async_bulk_tensor_2d_global_bulk_group_tile_L2__evict_normal
    def __call__(self, map: Coordinates, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_prefetch_tensor_2d_L2_global_tile__gather4_L2__cache_hint(_Chain):
    override__global_address: _cp_async_bulk_prefetch_tensor_1d_L2_global_tile_L2__cache_hint_override__global_address_override__global_dim
    def __call__(self, map: Coordinates, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_prefetch_tensor_2d_L2_global_tile__gather4(_Chain):
    L2__cache_hint: _cp_async_bulk_prefetch_tensor_2d_L2_global_tile__gather4_L2__cache_hint
    override__global_address: _applypriority_async_bulk_tensor_1d_global_bulk_group_tile_L2__evict_normal_override__global_address_override__global_dim
    L2__evict_last: _applypriority_async_bulk_tensor_2d_global_bulk_group_tile__gather4_L2__evict_normal
    def __call__(self, map: Coordinates, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_prefetch_tensor_2d_L2_global(_Chain):
    tile: _cp_async_bulk_prefetch_tensor_2d_L2_global_tile
    L2__cache_hint: _cp_async_bulk_prefetch_tensor_2d_L2_global_tile_L2__cache_hint
    override__global_address: _applypriority_async_bulk_tensor_2d_global_bulk_group_tile_L2__evict_normal_override__global_address
    L2__evict_last: _applypriority_async_bulk_tensor_2d_global_bulk_group_tile_L2__evict_normal
    tile__gather4: _cp_async_bulk_prefetch_tensor_2d_L2_global_tile__gather4
    def __call__(self, map: Coordinates, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_prefetch_tensor_2d_L2(_Chain):
    global_: _cp_async_bulk_prefetch_tensor_2d_L2_global
class _cp_async_bulk_prefetch_tensor_2d(_Chain):
    L2: _cp_async_bulk_prefetch_tensor_2d_L2
class _cp_async_bulk_prefetch_tensor_3d_L2_global_im2col_L2__cache_hint_override__global_address(_Chain):
    def __call__(self, map: Coordinates, o: Vector[I16 | int], policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_prefetch_tensor_3d_L2_global_im2col_L2__cache_hint(_Chain):
    override__global_address: _cp_async_bulk_prefetch_tensor_3d_L2_global_im2col_L2__cache_hint_override__global_address
    def __call__(self, map: Coordinates, o: Vector[I16 | int], policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_prefetch_tensor_3d_L2_global_im2col(_Chain):
    L2__cache_hint: _cp_async_bulk_prefetch_tensor_3d_L2_global_im2col_L2__cache_hint
    override__global_address: _applypriority_async_bulk_tensor_3d_global_bulk_group_im2col_L2__evict_normal_override__global_address
    L2__evict_last: _applypriority_async_bulk_tensor_3d_global_bulk_group_im2col_L2__evict_normal
    def __call__(self, map: Coordinates, o: Vector[I16 | int], /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_prefetch_tensor_3d_L2_global(_Chain):
    tile: _cp_async_bulk_prefetch_tensor_2d_L2_global_tile
    L2__cache_hint: _cp_async_bulk_prefetch_tensor_2d_L2_global_tile_L2__cache_hint
    override__global_address: _applypriority_async_bulk_tensor_2d_global_bulk_group_tile_L2__evict_normal_override__global_address
    L2__evict_last: _applypriority_async_bulk_tensor_2d_global_bulk_group_tile_L2__evict_normal
    im2col: _cp_async_bulk_prefetch_tensor_3d_L2_global_im2col
    im2col__w: _cp_async_bulk_prefetch_tensor_3d_L2_global_im2col
    im2col__w__128: _cp_async_bulk_prefetch_tensor_3d_L2_global_im2col
    def __call__(self, map: Coordinates, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_prefetch_tensor_3d_L2(_Chain):
    global_: _cp_async_bulk_prefetch_tensor_3d_L2_global
class _cp_async_bulk_prefetch_tensor_3d(_Chain):
    L2: _cp_async_bulk_prefetch_tensor_3d_L2
class _cp_async_bulk_prefetch_tensor(_Chain):
    _1d: _cp_async_bulk_prefetch_tensor_1d
    _2d: _cp_async_bulk_prefetch_tensor_2d
    _3d: _cp_async_bulk_prefetch_tensor_3d
    _4d: _cp_async_bulk_prefetch_tensor_3d
    _5d: _cp_async_bulk_prefetch_tensor_3d
class _cp_async_bulk_prefetch(_Chain):
    L2: _cp_async_bulk_prefetch_L2
    tensor: _cp_async_bulk_prefetch_tensor
class _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint_override__global_address_override__global_dim(_Chain):
    def __call__(self, a: Address, map: Coordinates, mbar: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint_override__global_address(_Chain):
    override__global_dim: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint_override__global_address_override__global_dim
    def __call__(self, a: Address, map: Coordinates, mbar: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint(_Chain):
    override__global_address: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address_override__global_dim(_Chain):
    def __call__(self, a: Address, map: Coordinates, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address(_Chain):
    override__global_dim: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address_override__global_dim
    def __call__(self, a: Address, map: Coordinates, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1(_Chain):
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled(_Chain):
    cta_group__1: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes(_Chain):
    mbarrier__report__disabled: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    cta_group__1: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cta_global_tile(_Chain):
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes
class _cp_async_bulk_tensor_1d_shared__cta_global(_Chain):
    tile: _cp_async_bulk_tensor_1d_shared__cta_global_tile
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes
class _cp_async_bulk_tensor_1d_shared__cta(_Chain):
    global_: _cp_async_bulk_tensor_1d_shared__cta_global
class _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1_L2__cache_hint_override__global_address(_Chain):
    def __call__(self, a: Address, map: Coordinates, mbar: Address, mask: E2M1X4 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1_L2__cache_hint(_Chain):
    override__global_address: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1_L2__cache_hint_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, mask: E2M1X4 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1_override__global_address(_Chain):
    def __call__(self, a: Address, map: Coordinates, mbar: Address, mask: E2M1X4 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1(_Chain):
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, mask: E2M1X4 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster(_Chain):
    cta_group__1: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, mask: E2M1X4 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint_override__global_address_override__global_dim(_Chain):
    def __call__(self, a: Address, map: Coordinates, mbar: Address, mask: B32 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint_override__global_address(_Chain):
    override__global_dim: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint_override__global_address_override__global_dim
    def __call__(self, a: Address, map: Coordinates, mbar: Address, mask: B32 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint(_Chain):
    override__global_address: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, mask: B32 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_override__global_address_override__global_dim(_Chain):
    def __call__(self, a: Address, map: Coordinates, mbar: Address, mask: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_override__global_address(_Chain):
    override__global_dim: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_override__global_address_override__global_dim
    def __call__(self, a: Address, map: Coordinates, mbar: Address, mask: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1(_Chain):
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, mask: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b(_Chain):
    cta_group__1: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, mask: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled(_Chain):
    multicast__cluster: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__16b: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__32b: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b
    cta_group__1: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes(_Chain):
    mbarrier__report__disabled: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    multicast__cluster: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__16b: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__32b: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b
    cta_group__1: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_shared__cluster_global_tile(_Chain):
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes
class _cp_async_bulk_tensor_1d_shared__cluster_global(_Chain):
    tile: _cp_async_bulk_tensor_1d_shared__cluster_global_tile
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes
class _cp_async_bulk_tensor_1d_shared__cluster(_Chain):
    global_: _cp_async_bulk_tensor_1d_shared__cluster_global
class _cp_async_bulk_tensor_1d_global_shared__cta_tile_bulk_group_L2__cache_hint_override__global_address_override__global_dim(_Chain):
    def __call__(self, map: Coordinates, b: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_global_shared__cta_tile_bulk_group_L2__cache_hint_override__global_address(_Chain):
    override__global_dim: _cp_async_bulk_tensor_1d_global_shared__cta_tile_bulk_group_L2__cache_hint_override__global_address_override__global_dim
    def __call__(self, map: Coordinates, b: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_global_shared__cta_tile_bulk_group_L2__cache_hint(_Chain):
    override__global_address: _cp_async_bulk_tensor_1d_global_shared__cta_tile_bulk_group_L2__cache_hint_override__global_address
    def __call__(self, map: Coordinates, b: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_global_shared__cta_tile_bulk_group_override__global_address_override__global_dim(_Chain):
    def __call__(self, map: Coordinates, b: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_global_shared__cta_tile_bulk_group_override__global_address(_Chain):
    override__global_dim: _cp_async_bulk_tensor_1d_global_shared__cta_tile_bulk_group_override__global_address_override__global_dim
    def __call__(self, map: Coordinates, b: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_global_shared__cta_tile_bulk_group(_Chain):
    L2__cache_hint: _cp_async_bulk_tensor_1d_global_shared__cta_tile_bulk_group_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_1d_global_shared__cta_tile_bulk_group_override__global_address
    def __call__(self, map: Coordinates, b: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_1d_global_shared__cta_tile(_Chain):
    bulk_group: _cp_async_bulk_tensor_1d_global_shared__cta_tile_bulk_group
class _cp_async_bulk_tensor_1d_global_shared__cta(_Chain):
    tile: _cp_async_bulk_tensor_1d_global_shared__cta_tile
    bulk_group: _cp_async_bulk_tensor_1d_global_shared__cta_tile_bulk_group
class _cp_async_bulk_tensor_1d_global(_Chain):
    shared__cta: _cp_async_bulk_tensor_1d_global_shared__cta
class _cp_async_bulk_tensor_1d(_Chain):
    shared__cta: _cp_async_bulk_tensor_1d_shared__cta
    shared__cluster: _cp_async_bulk_tensor_1d_shared__cluster
    global_: _cp_async_bulk_tensor_1d_global
class _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint_override__global_address(_Chain):
    override__global_dim_stride: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint_override__global_address_override__global_dim
    def __call__(self, a: Address, map: Coordinates, mbar: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint(_Chain):
    override__global_address: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address(_Chain):
    override__global_dim_stride: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address_override__global_dim
    def __call__(self, a: Address, map: Coordinates, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1(_Chain):
    L2__cache_hint: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled(_Chain):
    cta_group__1: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes(_Chain):
    mbarrier__report__disabled: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    cta_group__1: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cta_global_tile(_Chain):
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes
class _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint(_Chain):
    override__global_address: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint_override__global_address_override__global_dim
    def __call__(self, a: Address, map: Coordinates, mbar: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1(_Chain):
    L2__cache_hint: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address_override__global_dim
    def __call__(self, a: Address, map: Coordinates, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled(_Chain):
    cta_group__1: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address_override__global_dim
    def __call__(self, a: Address, map: Coordinates, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes(_Chain):
    mbarrier__report__disabled: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    cta_group__1: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address_override__global_dim
    def __call__(self, a: Address, map: Coordinates, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4(_Chain):
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes
class _cp_async_bulk_tensor_2d_shared__cta_global(_Chain):
    tile: _cp_async_bulk_tensor_2d_shared__cta_global_tile
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes
    tile__gather4: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4
class _cp_async_bulk_tensor_2d_shared__cta(_Chain):
    global_: _cp_async_bulk_tensor_2d_shared__cta_global
class _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint_override__global_address(_Chain):
    override__global_dim_stride: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint_override__global_address_override__global_dim
    def __call__(self, a: Address, map: Coordinates, mbar: Address, mask: B32 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint(_Chain):
    override__global_address: _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, mask: B32 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_override__global_address(_Chain):
    override__global_dim_stride: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_override__global_address_override__global_dim
    def __call__(self, a: Address, map: Coordinates, mbar: Address, mask: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1(_Chain):
    L2__cache_hint: _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, mask: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b(_Chain):
    cta_group__1: _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, mask: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled(_Chain):
    multicast__cluster: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__16b: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__32b: _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b
    cta_group__1: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes(_Chain):
    mbarrier__report__disabled: _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    multicast__cluster: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__16b: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__32b: _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b
    cta_group__1: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cluster_global_tile(_Chain):
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes
class _cp_async_bulk_tensor_2d_shared__cluster_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint(_Chain):
    override__global_address: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint_override__global_address_override__global_dim
    def __call__(self, a: Address, map: Coordinates, mbar: Address, mask: B32 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cluster_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1(_Chain):
    L2__cache_hint: _cp_async_bulk_tensor_2d_shared__cluster_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_override__global_address_override__global_dim
    def __call__(self, a: Address, map: Coordinates, mbar: Address, mask: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cluster_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b(_Chain):
    cta_group__1: _cp_async_bulk_tensor_2d_shared__cluster_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_2d_shared__cluster_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_2d_shared__cluster_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_override__global_address_override__global_dim
    def __call__(self, a: Address, map: Coordinates, mbar: Address, mask: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cluster_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled(_Chain):
    multicast__cluster: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__16b: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__32b: _cp_async_bulk_tensor_2d_shared__cluster_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b
    cta_group__1: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address_override__global_dim
    def __call__(self, a: Address, map: Coordinates, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cluster_global_tile__gather4_mbarrier__complete_tx__bytes(_Chain):
    mbarrier__report__disabled: _cp_async_bulk_tensor_2d_shared__cluster_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_tensor_2d_shared__cluster_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_tensor_2d_shared__cluster_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_tensor_2d_shared__cluster_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_tensor_2d_shared__cluster_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_tensor_2d_shared__cluster_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    multicast__cluster: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__16b: _cp_async_bulk_tensor_1d_shared__cluster_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__32b: _cp_async_bulk_tensor_2d_shared__cluster_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b
    cta_group__1: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_2d_shared__cta_global_tile__gather4_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_1d_shared__cta_global_tile_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address_override__global_dim
    def __call__(self, a: Address, map: Coordinates, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_shared__cluster_global_tile__gather4(_Chain):
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_2d_shared__cluster_global_tile__gather4_mbarrier__complete_tx__bytes
class _cp_async_bulk_tensor_2d_shared__cluster_global(_Chain):
    tile: _cp_async_bulk_tensor_2d_shared__cluster_global_tile
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes
    tile__gather4: _cp_async_bulk_tensor_2d_shared__cluster_global_tile__gather4
class _cp_async_bulk_tensor_2d_shared__cluster(_Chain):
    global_: _cp_async_bulk_tensor_2d_shared__cluster_global
class _cp_async_bulk_tensor_2d_global_shared__cta_tile_bulk_group_L2__cache_hint_override__global_address(_Chain):
    override__global_dim_stride: _cp_async_bulk_tensor_1d_global_shared__cta_tile_bulk_group_L2__cache_hint_override__global_address_override__global_dim
    def __call__(self, map: Coordinates, b: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_global_shared__cta_tile_bulk_group_L2__cache_hint(_Chain):
    override__global_address: _cp_async_bulk_tensor_2d_global_shared__cta_tile_bulk_group_L2__cache_hint_override__global_address
    def __call__(self, map: Coordinates, b: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_global_shared__cta_tile_bulk_group_override__global_address(_Chain):
    override__global_dim_stride: _cp_async_bulk_tensor_1d_global_shared__cta_tile_bulk_group_override__global_address_override__global_dim
    def __call__(self, map: Coordinates, b: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_global_shared__cta_tile_bulk_group(_Chain):
    L2__cache_hint: _cp_async_bulk_tensor_2d_global_shared__cta_tile_bulk_group_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_2d_global_shared__cta_tile_bulk_group_override__global_address
    def __call__(self, map: Coordinates, b: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_global_shared__cta_tile(_Chain):
    bulk_group: _cp_async_bulk_tensor_2d_global_shared__cta_tile_bulk_group
class _cp_async_bulk_tensor_2d_global_shared__cta_tile__scatter4_bulk_group_L2__cache_hint(_Chain):
    override__global_address: _cp_async_bulk_tensor_1d_global_shared__cta_tile_bulk_group_L2__cache_hint_override__global_address_override__global_dim
    def __call__(self, map: Coordinates, b: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_global_shared__cta_tile__scatter4_bulk_group(_Chain):
    L2__cache_hint: _cp_async_bulk_tensor_2d_global_shared__cta_tile__scatter4_bulk_group_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_1d_global_shared__cta_tile_bulk_group_override__global_address_override__global_dim
    def __call__(self, map: Coordinates, b: Address, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_2d_global_shared__cta_tile__scatter4(_Chain):
    bulk_group: _cp_async_bulk_tensor_2d_global_shared__cta_tile__scatter4_bulk_group
class _cp_async_bulk_tensor_2d_global_shared__cta(_Chain):
    tile: _cp_async_bulk_tensor_2d_global_shared__cta_tile
    bulk_group: _cp_async_bulk_tensor_2d_global_shared__cta_tile_bulk_group
    tile__scatter4: _cp_async_bulk_tensor_2d_global_shared__cta_tile__scatter4
class _cp_async_bulk_tensor_2d_global(_Chain):
    shared__cta: _cp_async_bulk_tensor_2d_global_shared__cta
class _cp_async_bulk_tensor_2d(_Chain):
    shared__cta: _cp_async_bulk_tensor_2d_shared__cta
    shared__cluster: _cp_async_bulk_tensor_2d_shared__cluster
    global_: _cp_async_bulk_tensor_2d_global
class _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint_override__global_address(_Chain):
    def __call__(self, a: Address, map: Coordinates, mbar: Address, o: Vector[I16 | int], policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint(_Chain):
    override__global_address: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, o: Vector[I16 | int], policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address(_Chain):
    def __call__(self, a: Address, map: Coordinates, mbar: Address, o: Vector[I16 | int], /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1(_Chain):
    L2__cache_hint: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, o: Vector[I16 | int], /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled(_Chain):
    cta_group__1: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, o: Vector[I16 | int], /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes(_Chain):
    mbarrier__report__disabled: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    cta_group__1: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, o: Vector[I16 | int], /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_3d_shared__cta_global_im2col(_Chain):
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes
class _cp_async_bulk_tensor_3d_shared__cta_global(_Chain):
    tile: _cp_async_bulk_tensor_2d_shared__cta_global_tile
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_2d_shared__cta_global_tile_mbarrier__complete_tx__bytes
    im2col: _cp_async_bulk_tensor_3d_shared__cta_global_im2col
    im2col__w: _cp_async_bulk_tensor_3d_shared__cta_global_im2col
    im2col__w__128: _cp_async_bulk_tensor_3d_shared__cta_global_im2col
class _cp_async_bulk_tensor_3d_shared__cta(_Chain):
    global_: _cp_async_bulk_tensor_3d_shared__cta_global
class _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1_L2__cache_hint_override__global_address(_Chain):
    def __call__(self, a: Address, map: Coordinates, mbar: Address, o: Vector[I16 | int], mask: E2M1X4 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1_L2__cache_hint(_Chain):
    override__global_address: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1_L2__cache_hint_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, o: Vector[I16 | int], mask: E2M1X4 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1_override__global_address(_Chain):
    def __call__(self, a: Address, map: Coordinates, mbar: Address, o: Vector[I16 | int], mask: E2M1X4 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1(_Chain):
    L2__cache_hint: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, o: Vector[I16 | int], mask: E2M1X4 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster(_Chain):
    cta_group__1: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, o: Vector[I16 | int], mask: E2M1X4 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint_override__global_address(_Chain):
    def __call__(self, a: Address, map: Coordinates, mbar: Address, o: Vector[I16 | int], mask: B32 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint(_Chain):
    override__global_address: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, o: Vector[I16 | int], mask: B32 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_override__global_address(_Chain):
    def __call__(self, a: Address, map: Coordinates, mbar: Address, o: Vector[I16 | int], mask: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1(_Chain):
    L2__cache_hint: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, o: Vector[I16 | int], mask: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b(_Chain):
    cta_group__1: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, o: Vector[I16 | int], mask: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled(_Chain):
    multicast__cluster: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__16b: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__32b: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b
    cta_group__1: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, o: Vector[I16 | int], /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes(_Chain):
    mbarrier__report__disabled: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80000000: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__8000: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__80: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_16bytes__8: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    mbarrier__report__validity__per_element__ff: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled
    multicast__cluster: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__16b: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster
    multicast__cluster__32b: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_multicast__cluster__32b
    cta_group__1: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    cta_group__2: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1
    L2__cache_hint: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_L2__cache_hint
    override__global_address: _cp_async_bulk_tensor_3d_shared__cta_global_im2col_mbarrier__complete_tx__bytes_mbarrier__report__disabled_cta_group__1_override__global_address
    def __call__(self, a: Address, map: Coordinates, mbar: Address, o: Vector[I16 | int], /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk_tensor_3d_shared__cluster_global_im2col(_Chain):
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col_mbarrier__complete_tx__bytes
class _cp_async_bulk_tensor_3d_shared__cluster_global(_Chain):
    tile: _cp_async_bulk_tensor_2d_shared__cluster_global_tile
    mbarrier__complete_tx__bytes: _cp_async_bulk_tensor_2d_shared__cluster_global_tile_mbarrier__complete_tx__bytes
    im2col: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col
    im2col__w: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col
    im2col__w__128: _cp_async_bulk_tensor_3d_shared__cluster_global_im2col
class _cp_async_bulk_tensor_3d_shared__cluster(_Chain):
    global_: _cp_async_bulk_tensor_3d_shared__cluster_global
class _cp_async_bulk_tensor_3d_global_shared__cta(_Chain):
    tile: _cp_async_bulk_tensor_2d_global_shared__cta_tile
    bulk_group: _cp_async_bulk_tensor_2d_global_shared__cta_tile_bulk_group
    im2col_no_offs: _cp_async_bulk_tensor_2d_global_shared__cta_tile__scatter4
    im2col_no_offs__w: _cp_async_bulk_tensor_2d_global_shared__cta_tile__scatter4
class _cp_async_bulk_tensor_3d_global(_Chain):
    shared__cta: _cp_async_bulk_tensor_3d_global_shared__cta
class _cp_async_bulk_tensor_3d(_Chain):
    shared__cta: _cp_async_bulk_tensor_3d_shared__cta
    shared__cluster: _cp_async_bulk_tensor_3d_shared__cluster
    global_: _cp_async_bulk_tensor_3d_global
class _cp_async_bulk_tensor(_Chain):
    _1d: _cp_async_bulk_tensor_1d
    _2d: _cp_async_bulk_tensor_2d
    _3d: _cp_async_bulk_tensor_3d
    _4d: _cp_async_bulk_tensor_3d
    _5d: _cp_async_bulk_tensor_3d
class _cp_async_bulk_wait_group(_Chain):
    read: _cp_async_wait_group
    def __call__(self, n: int, /, *, pred: Guard = ...) -> None: ...
class _cp_async_bulk(_Chain):
    weak: _cp_async_bulk_weak
    shared__cta: _cp_async_bulk_weak_shared__cta
    relaxed: _cp_async_bulk_relaxed
    shared__cluster: _cp_async_bulk_weak_shared__cluster
    global_: _cp_async_bulk_weak_global
    prefetch: _cp_async_bulk_prefetch
    tensor: _cp_async_bulk_tensor
    commit_group: _cp_async_commit_group
    wait_group: _cp_async_bulk_wait_group
class _cp_async(_Chain):
    ca: _cp_async_ca
    cg: _cp_async_ca
    commit_group: _cp_async_commit_group
    wait_group: _cp_async_wait_group
    mbarrier: _cp_async_mbarrier
    wait_all: _cp_async_commit_group
    bulk: _cp_async_bulk
class _cp_reduce_async_bulk_shared__cluster_shared__cta_mbarrier__complete_tx__bytes_and(_Chain):
    b32: _cp_async_bulk_weak_shared__cluster_shared__cta_mbarrier__complete_tx__bytes
class _cp_reduce_async_bulk_shared__cluster_shared__cta_mbarrier__complete_tx__bytes_add(_Chain):
    u32: _cp_async_bulk_weak_shared__cluster_shared__cta_mbarrier__complete_tx__bytes
    s32: _cp_async_bulk_weak_shared__cluster_shared__cta_mbarrier__complete_tx__bytes
    u64: _cp_async_bulk_weak_shared__cluster_shared__cta_mbarrier__complete_tx__bytes
class _cp_reduce_async_bulk_shared__cluster_shared__cta_mbarrier__complete_tx__bytes_min(_Chain):
    u32: _cp_async_bulk_weak_shared__cluster_shared__cta_mbarrier__complete_tx__bytes
    s32: _cp_async_bulk_weak_shared__cluster_shared__cta_mbarrier__complete_tx__bytes
class _cp_reduce_async_bulk_shared__cluster_shared__cta_mbarrier__complete_tx__bytes_inc(_Chain):
    u32: _cp_async_bulk_weak_shared__cluster_shared__cta_mbarrier__complete_tx__bytes
class _cp_reduce_async_bulk_shared__cluster_shared__cta_mbarrier__complete_tx__bytes(_Chain):
    and_: _cp_reduce_async_bulk_shared__cluster_shared__cta_mbarrier__complete_tx__bytes_and
    or_: _cp_reduce_async_bulk_shared__cluster_shared__cta_mbarrier__complete_tx__bytes_and
    xor: _cp_reduce_async_bulk_shared__cluster_shared__cta_mbarrier__complete_tx__bytes_and
    add: _cp_reduce_async_bulk_shared__cluster_shared__cta_mbarrier__complete_tx__bytes_add
    min: _cp_reduce_async_bulk_shared__cluster_shared__cta_mbarrier__complete_tx__bytes_min
    max: _cp_reduce_async_bulk_shared__cluster_shared__cta_mbarrier__complete_tx__bytes_min
    inc: _cp_reduce_async_bulk_shared__cluster_shared__cta_mbarrier__complete_tx__bytes_inc
    dec: _cp_reduce_async_bulk_shared__cluster_shared__cta_mbarrier__complete_tx__bytes_inc
class _cp_reduce_async_bulk_shared__cluster_shared__cta(_Chain):
    mbarrier__complete_tx__bytes: _cp_reduce_async_bulk_shared__cluster_shared__cta_mbarrier__complete_tx__bytes
class _cp_reduce_async_bulk_shared__cluster(_Chain):
    shared__cta: _cp_reduce_async_bulk_shared__cluster_shared__cta
class _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_and(_Chain):
    b32: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_b128
    b64: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_b128
class _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_min(_Chain):
    u32: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_b128
    s32: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_b128
    u64: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_b128
    s64: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_b128
    f16: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_b128
    bf16: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_b128
class _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_add_noftz(_Chain):
    f16: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_b128
    bf16: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_b128
    f32: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_b128
class _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_add(_Chain):
    u32: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_b128
    s32: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_b128
    u64: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_b128
    f32: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_b128
    f64: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_b128
    noftz: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_add_noftz
class _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_inc(_Chain):
    u32: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_b128
class _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint(_Chain):
    and_: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_and
    or_: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_and
    xor: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_and
    min: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_min
    max: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_min
    add: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_add
    inc: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_inc
    dec: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint_inc
class _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_and(_Chain):
    b32: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_b128
    b64: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_b128
class _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_min(_Chain):
    u32: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_b128
    s32: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_b128
    u64: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_b128
    s64: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_b128
    f16: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_b128
    bf16: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_b128
class _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_add_noftz(_Chain):
    f16: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_b128
    bf16: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_b128
    f32: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_b128
class _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_add(_Chain):
    u32: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_b128
    s32: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_b128
    u64: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_b128
    f32: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_b128
    f64: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_b128
    noftz: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_add_noftz
class _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_inc(_Chain):
    u32: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_b128
class _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group(_Chain):
    L2__cache_hint: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_L2__cache_hint
    and_: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_and
    or_: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_and
    xor: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_and
    min: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_min
    max: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_min
    add: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_add
    inc: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_inc
    dec: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_inc
class _cp_reduce_async_bulk_relaxed_cta_global_shared__cta(_Chain):
    bulk_group: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group
class _cp_reduce_async_bulk_relaxed_cta_global(_Chain):
    shared__cta: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta
class _cp_reduce_async_bulk_relaxed_cta(_Chain):
    shared__cluster: _cp_reduce_async_bulk_shared__cluster
    global_: _cp_reduce_async_bulk_relaxed_cta_global
class _cp_reduce_async_bulk_relaxed_gpu(_Chain):
    global_: _cp_reduce_async_bulk_relaxed_cta_global
class _cp_reduce_async_bulk_relaxed(_Chain):
    cta: _cp_reduce_async_bulk_relaxed_cta
    cluster: _cp_reduce_async_bulk_relaxed_cta
    gpu: _cp_reduce_async_bulk_relaxed_gpu
    sys: _cp_reduce_async_bulk_relaxed_gpu
class _cp_reduce_async_bulk_tensor_1d_global_shared__cta(_Chain):
    add: _cp_async_bulk_tensor_1d_global_shared__cta
    min: _cp_async_bulk_tensor_1d_global_shared__cta
    max: _cp_async_bulk_tensor_1d_global_shared__cta
    inc: _cp_async_bulk_tensor_1d_global_shared__cta
    dec: _cp_async_bulk_tensor_1d_global_shared__cta
    and_: _cp_async_bulk_tensor_1d_global_shared__cta
    or_: _cp_async_bulk_tensor_1d_global_shared__cta
    xor: _cp_async_bulk_tensor_1d_global_shared__cta
class _cp_reduce_async_bulk_tensor_1d_global(_Chain):
    shared__cta: _cp_reduce_async_bulk_tensor_1d_global_shared__cta
class _cp_reduce_async_bulk_tensor_1d(_Chain):
    global_: _cp_reduce_async_bulk_tensor_1d_global
class _cp_reduce_async_bulk_tensor_2d_global_shared__cta_add(_Chain):
    tile: _cp_async_bulk_tensor_2d_global_shared__cta_tile
    bulk_group: _cp_async_bulk_tensor_2d_global_shared__cta_tile_bulk_group
class _cp_reduce_async_bulk_tensor_2d_global_shared__cta(_Chain):
    add: _cp_reduce_async_bulk_tensor_2d_global_shared__cta_add
    min: _cp_reduce_async_bulk_tensor_2d_global_shared__cta_add
    max: _cp_reduce_async_bulk_tensor_2d_global_shared__cta_add
    inc: _cp_reduce_async_bulk_tensor_2d_global_shared__cta_add
    dec: _cp_reduce_async_bulk_tensor_2d_global_shared__cta_add
    and_: _cp_reduce_async_bulk_tensor_2d_global_shared__cta_add
    or_: _cp_reduce_async_bulk_tensor_2d_global_shared__cta_add
    xor: _cp_reduce_async_bulk_tensor_2d_global_shared__cta_add
class _cp_reduce_async_bulk_tensor_2d_global(_Chain):
    shared__cta: _cp_reduce_async_bulk_tensor_2d_global_shared__cta
class _cp_reduce_async_bulk_tensor_2d(_Chain):
    global_: _cp_reduce_async_bulk_tensor_2d_global
class _cp_reduce_async_bulk_tensor_3d_global_shared__cta(_Chain):
    add: _cp_async_bulk_tensor_3d_global_shared__cta
    min: _cp_async_bulk_tensor_3d_global_shared__cta
    max: _cp_async_bulk_tensor_3d_global_shared__cta
    inc: _cp_async_bulk_tensor_3d_global_shared__cta
    dec: _cp_async_bulk_tensor_3d_global_shared__cta
    and_: _cp_async_bulk_tensor_3d_global_shared__cta
    or_: _cp_async_bulk_tensor_3d_global_shared__cta
    xor: _cp_async_bulk_tensor_3d_global_shared__cta
class _cp_reduce_async_bulk_tensor_3d_global(_Chain):
    shared__cta: _cp_reduce_async_bulk_tensor_3d_global_shared__cta
class _cp_reduce_async_bulk_tensor_3d(_Chain):
    global_: _cp_reduce_async_bulk_tensor_3d_global
class _cp_reduce_async_bulk_tensor(_Chain):
    _1d: _cp_reduce_async_bulk_tensor_1d
    _2d: _cp_reduce_async_bulk_tensor_2d
    _3d: _cp_reduce_async_bulk_tensor_3d
    _4d: _cp_reduce_async_bulk_tensor_3d
    _5d: _cp_reduce_async_bulk_tensor_3d
class _cp_reduce_async_bulk(_Chain):
    shared__cluster: _cp_reduce_async_bulk_shared__cluster
    relaxed: _cp_reduce_async_bulk_relaxed
    global_: _cp_reduce_async_bulk_relaxed_cta_global
    tensor: _cp_reduce_async_bulk_tensor
class _cp_reduce_async(_Chain):
    bulk: _cp_reduce_async_bulk
class _cp_reduce(_Chain):
    async_: _cp_reduce_async
class _cp(_Chain):
    async_: _cp_async
    reduce: _cp_reduce
class _ldmatrix_sync_aligned_m8n8_x1_trans_shared_b16(_Chain):
    def __call__(self, d: Vector[B32 | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ldmatrix_sync_aligned_m8n8_x1_trans_shared(_Chain):
    b16: _ldmatrix_sync_aligned_m8n8_x1_trans_shared_b16
class _ldmatrix_sync_aligned_m8n8_x1_trans(_Chain):
    shared: _ldmatrix_sync_aligned_m8n8_x1_trans_shared
    shared__cta: _ldmatrix_sync_aligned_m8n8_x1_trans_shared
    b16: _ldmatrix_sync_aligned_m8n8_x1_trans_shared_b16
class _ldmatrix_sync_aligned_m8n8_x1(_Chain):
    trans: _ldmatrix_sync_aligned_m8n8_x1_trans
    shared: _ldmatrix_sync_aligned_m8n8_x1_trans_shared
    shared__cta: _ldmatrix_sync_aligned_m8n8_x1_trans_shared
    b16: _ldmatrix_sync_aligned_m8n8_x1_trans_shared_b16
class _ldmatrix_sync_aligned_m8n8(_Chain):
    x1: _ldmatrix_sync_aligned_m8n8_x1
    x2: _ldmatrix_sync_aligned_m8n8_x1
    x4: _ldmatrix_sync_aligned_m8n8_x1
class _ldmatrix_sync_aligned_m16n16_x1_trans_shared_b8(_Chain):
    def __call__(self, d: Vector[B32 | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _ldmatrix_sync_aligned_m16n16_x1_trans_shared_b8x16(_Chain):
    b6x16_p32: _ldmatrix_sync_aligned_m16n16_x1_trans_shared_b8
    b4x16_p64: _ldmatrix_sync_aligned_m16n16_x1_trans_shared_b8
class _ldmatrix_sync_aligned_m16n16_x1_trans_shared(_Chain):
    b8: _ldmatrix_sync_aligned_m16n16_x1_trans_shared_b8
    b8x16: _ldmatrix_sync_aligned_m16n16_x1_trans_shared_b8x16
class _ldmatrix_sync_aligned_m16n16_x1_trans(_Chain):
    shared: _ldmatrix_sync_aligned_m16n16_x1_trans_shared
    shared__cta: _ldmatrix_sync_aligned_m16n16_x1_trans_shared
    b8: _ldmatrix_sync_aligned_m16n16_x1_trans_shared_b8
    b8x16: _ldmatrix_sync_aligned_m16n16_x1_trans_shared_b8x16
class _ldmatrix_sync_aligned_m16n16_x1(_Chain):
    trans: _ldmatrix_sync_aligned_m16n16_x1_trans
class _ldmatrix_sync_aligned_m16n16(_Chain):
    x1: _ldmatrix_sync_aligned_m16n16_x1
    x2: _ldmatrix_sync_aligned_m16n16_x1
class _ldmatrix_sync_aligned_m8n16_x1_shared_b8x16(_Chain):
    b6x16_p32: _ldmatrix_sync_aligned_m8n8_x1_trans_shared_b16
    b4x16_p64: _ldmatrix_sync_aligned_m8n8_x1_trans_shared_b16
class _ldmatrix_sync_aligned_m8n16_x1_shared_s8(_Chain):
    s4: _ldmatrix_sync_aligned_m8n8_x1_trans_shared_b16
class _ldmatrix_sync_aligned_m8n16_x1_shared(_Chain):
    b8x16: _ldmatrix_sync_aligned_m8n16_x1_shared_b8x16
    s8: _ldmatrix_sync_aligned_m8n16_x1_shared_s8
class _ldmatrix_sync_aligned_m8n16_x1(_Chain):
    shared: _ldmatrix_sync_aligned_m8n16_x1_shared
    shared__cta: _ldmatrix_sync_aligned_m8n16_x1_shared
    b8x16: _ldmatrix_sync_aligned_m8n16_x1_shared_b8x16
    s8: _ldmatrix_sync_aligned_m8n16_x1_shared_s8
class _ldmatrix_sync_aligned_m8n16(_Chain):
    x1: _ldmatrix_sync_aligned_m8n16_x1
    x2: _ldmatrix_sync_aligned_m8n16_x1
    x4: _ldmatrix_sync_aligned_m8n16_x1
class _ldmatrix_sync_aligned(_Chain):
    m8n8: _ldmatrix_sync_aligned_m8n8
    m16n16: _ldmatrix_sync_aligned_m16n16
    m8n16: _ldmatrix_sync_aligned_m8n16
class _ldmatrix_sync(_Chain):
    aligned: _ldmatrix_sync_aligned
class _ldmatrix(_Chain):
    sync: _ldmatrix_sync
class _stmatrix_sync_aligned_m8n8_x1_trans_shared_b16(_Chain):
    def __call__(self, a: Address, r: Vector[B32 | float], /, *, pred: Guard = ...) -> None: ...
class _stmatrix_sync_aligned_m8n8_x1_trans_shared(_Chain):
    b16: _stmatrix_sync_aligned_m8n8_x1_trans_shared_b16
class _stmatrix_sync_aligned_m8n8_x1_trans(_Chain):
    shared: _stmatrix_sync_aligned_m8n8_x1_trans_shared
    shared__cta: _stmatrix_sync_aligned_m8n8_x1_trans_shared
    b16: _stmatrix_sync_aligned_m8n8_x1_trans_shared_b16
class _stmatrix_sync_aligned_m8n8_x1(_Chain):
    trans: _stmatrix_sync_aligned_m8n8_x1_trans
    shared: _stmatrix_sync_aligned_m8n8_x1_trans_shared
    shared__cta: _stmatrix_sync_aligned_m8n8_x1_trans_shared
    b16: _stmatrix_sync_aligned_m8n8_x1_trans_shared_b16
class _stmatrix_sync_aligned_m8n8(_Chain):
    x1: _stmatrix_sync_aligned_m8n8_x1
    x2: _stmatrix_sync_aligned_m8n8_x1
    x4: _stmatrix_sync_aligned_m8n8_x1
class _stmatrix_sync_aligned_m16n8_x1_trans_shared(_Chain):
    b8: _stmatrix_sync_aligned_m8n8_x1_trans_shared_b16
class _stmatrix_sync_aligned_m16n8_x1_trans(_Chain):
    shared: _stmatrix_sync_aligned_m16n8_x1_trans_shared
    shared__cta: _stmatrix_sync_aligned_m16n8_x1_trans_shared
    b8: _stmatrix_sync_aligned_m8n8_x1_trans_shared_b16
class _stmatrix_sync_aligned_m16n8_x1(_Chain):
    trans: _stmatrix_sync_aligned_m16n8_x1_trans
class _stmatrix_sync_aligned_m16n8(_Chain):
    x1: _stmatrix_sync_aligned_m16n8_x1
    x2: _stmatrix_sync_aligned_m16n8_x1
    x4: _stmatrix_sync_aligned_m16n8_x1
class _stmatrix_sync_aligned(_Chain):
    m8n8: _stmatrix_sync_aligned_m8n8
    m16n8: _stmatrix_sync_aligned_m16n8
class _stmatrix_sync(_Chain):
    aligned: _stmatrix_sync_aligned
class _stmatrix(_Chain):
    sync: _stmatrix_sync
class _movmatrix_sync_aligned_m8n8_trans_b16(_Chain):
    def __call__(self, d: B32 | New, a: B32, /, *, pred: Guard = ...) -> Any: ...
class _movmatrix_sync_aligned_m8n8_trans(_Chain):
    b16: _movmatrix_sync_aligned_m8n8_trans_b16
class _movmatrix_sync_aligned_m8n8(_Chain):
    trans: _movmatrix_sync_aligned_m8n8_trans
class _movmatrix_sync_aligned(_Chain):
    m8n8: _movmatrix_sync_aligned_m8n8
class _movmatrix_sync(_Chain):
    aligned: _movmatrix_sync_aligned
class _movmatrix(_Chain):
    sync: _movmatrix_sync
class _red_async_relaxed_cluster_shared__cluster_mbarrier__complete_tx__bytes_inc(_Chain):
    u32: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_u32
class _red_async_relaxed_cluster_shared__cluster_mbarrier__complete_tx__bytes_min(_Chain):
    u32: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_u32
    s32: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_u32
class _red_async_relaxed_cluster_shared__cluster_mbarrier__complete_tx__bytes_and(_Chain):
    b32: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_b32
class _red_async_relaxed_cluster_shared__cluster_mbarrier__complete_tx__bytes_add(_Chain):
    u32: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_u32
    s32: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_u32
    u64: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_u64
    s64: _st_async_weak_shared__cluster_mbarrier__complete_tx__bytes_u64
class _red_async_relaxed_cluster_shared__cluster_mbarrier__complete_tx__bytes(_Chain):
    inc: _red_async_relaxed_cluster_shared__cluster_mbarrier__complete_tx__bytes_inc
    dec: _red_async_relaxed_cluster_shared__cluster_mbarrier__complete_tx__bytes_inc
    min: _red_async_relaxed_cluster_shared__cluster_mbarrier__complete_tx__bytes_min
    max: _red_async_relaxed_cluster_shared__cluster_mbarrier__complete_tx__bytes_min
    and_: _red_async_relaxed_cluster_shared__cluster_mbarrier__complete_tx__bytes_and
    or_: _red_async_relaxed_cluster_shared__cluster_mbarrier__complete_tx__bytes_and
    xor: _red_async_relaxed_cluster_shared__cluster_mbarrier__complete_tx__bytes_and
    add: _red_async_relaxed_cluster_shared__cluster_mbarrier__complete_tx__bytes_add
class _red_async_relaxed_cluster_shared__cluster(_Chain):
    mbarrier__complete_tx__bytes: _red_async_relaxed_cluster_shared__cluster_mbarrier__complete_tx__bytes
class _red_async_relaxed_cluster(_Chain):
    shared__cluster: _red_async_relaxed_cluster_shared__cluster
    mbarrier__complete_tx__bytes: _red_async_relaxed_cluster_shared__cluster_mbarrier__complete_tx__bytes
class _red_async_relaxed(_Chain):
    cluster: _red_async_relaxed_cluster
class _red_async_mmio_release_sys_global_add(_Chain):
    u32: _st_async_mmio_release_sys_global_u32
    s32: _st_async_mmio_release_sys_global_u32
    u64: _st_async_mmio_release_sys_global_u64
    s64: _st_async_mmio_release_sys_global_u64
class _red_async_mmio_release_sys_global_min(_Chain):
    u32: _st_async_mmio_release_sys_global_u32
    s32: _st_async_mmio_release_sys_global_u32
class _red_async_mmio_release_sys_global_inc(_Chain):
    u32: _st_async_mmio_release_sys_global_u32
class _red_async_mmio_release_sys_global_and(_Chain):
    b32: _st_async_mmio_release_sys_global_b32
class _red_async_mmio_release_sys_global(_Chain):
    add: _red_async_mmio_release_sys_global_add
    min: _red_async_mmio_release_sys_global_min
    max: _red_async_mmio_release_sys_global_min
    inc: _red_async_mmio_release_sys_global_inc
    dec: _red_async_mmio_release_sys_global_inc
    and_: _red_async_mmio_release_sys_global_and
    or_: _red_async_mmio_release_sys_global_and
    xor: _red_async_mmio_release_sys_global_and
class _red_async_mmio_release_sys(_Chain):
    global_: _red_async_mmio_release_sys_global
    add: _red_async_mmio_release_sys_global_add
    min: _red_async_mmio_release_sys_global_min
    max: _red_async_mmio_release_sys_global_min
    inc: _red_async_mmio_release_sys_global_inc
    dec: _red_async_mmio_release_sys_global_inc
    and_: _red_async_mmio_release_sys_global_and
    or_: _red_async_mmio_release_sys_global_and
    xor: _red_async_mmio_release_sys_global_and
class _red_async_mmio_release(_Chain):
    sys: _red_async_mmio_release_sys
class _red_async_mmio(_Chain):
    release: _red_async_mmio_release
class _red_async_release(_Chain):
    gpu: _red_async_mmio_release_sys
    sys: _red_async_mmio_release_sys
class _red_async(_Chain):
    relaxed: _red_async_relaxed
    mmio: _red_async_mmio
    release: _red_async_release
class _red_relaxed_cta_global_and_L2__cache_hint_b32(_Chain):
    def __call__(self, a: Address, b: B32 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _red_relaxed_cta_global_and_L2__cache_hint_b64(_Chain):
    def __call__(self, a: Address, b: F32X2 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _red_relaxed_cta_global_and_L2__cache_hint(_Chain):
    b32: _red_relaxed_cta_global_and_L2__cache_hint_b32
    b64: _red_relaxed_cta_global_and_L2__cache_hint_b64
class _red_relaxed_cta_global_and(_Chain):
    L2__cache_hint: _red_relaxed_cta_global_and_L2__cache_hint
    b32: _st_async_mmio_release_sys_global_b32
    b64: _st_async_mmio_release_sys_global_b64
class _red_relaxed_cta_global_add_L2__cache_hint_u32(_Chain):
    def __call__(self, a: Address, b: I32 | int, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _red_relaxed_cta_global_add_L2__cache_hint_u64(_Chain):
    def __call__(self, a: Address, b: I64 | int, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _red_relaxed_cta_global_add_L2__cache_hint_f32(_Chain):
    def __call__(self, a: Address, b: F32 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _red_relaxed_cta_global_add_L2__cache_hint_f64(_Chain):
    def __call__(self, a: Address, b: F64 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _red_relaxed_cta_global_add_L2__cache_hint_v2_f32(_Chain):
    def __call__(self, a: Address, b: Vector[F32 | float], policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _red_relaxed_cta_global_add_L2__cache_hint_v2(_Chain):
    f32: _red_relaxed_cta_global_add_L2__cache_hint_v2_f32
class _red_relaxed_cta_global_add_L2__cache_hint(_Chain):
    u32: _red_relaxed_cta_global_add_L2__cache_hint_u32
    s32: _red_relaxed_cta_global_add_L2__cache_hint_u32
    u64: _red_relaxed_cta_global_add_L2__cache_hint_u64
    f32: _red_relaxed_cta_global_add_L2__cache_hint_f32
    f64: _red_relaxed_cta_global_add_L2__cache_hint_f64
    v2: _red_relaxed_cta_global_add_L2__cache_hint_v2
    v4: _red_relaxed_cta_global_add_L2__cache_hint_v2
class _red_relaxed_cta_global_add_noftz_L2__cache_hint_f16(_Chain):
    def __call__(self, a: Address, b: F16, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _red_relaxed_cta_global_add_noftz_L2__cache_hint_f16x2(_Chain):
    def __call__(self, a: Address, b: U8X4, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _red_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16(_Chain):
    def __call__(self, a: Address, b: Vector[F16], policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _red_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16x2(_Chain):
    def __call__(self, a: Address, b: Vector[U8X4], policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _red_relaxed_cta_global_add_noftz_L2__cache_hint_v2(_Chain):
    f32: _red_relaxed_cta_global_add_L2__cache_hint_v2_f32
    f16: _red_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16
    bf16: _red_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16
    f16x2: _red_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16x2
    bf16x2: _red_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16x2
class _red_relaxed_cta_global_add_noftz_L2__cache_hint_v8(_Chain):
    f16: _red_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16
    bf16: _red_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16
class _red_relaxed_cta_global_add_noftz_L2__cache_hint(_Chain):
    f16: _red_relaxed_cta_global_add_noftz_L2__cache_hint_f16
    f16x2: _red_relaxed_cta_global_add_noftz_L2__cache_hint_f16x2
    bf16: _red_relaxed_cta_global_add_noftz_L2__cache_hint_f16
    bf16x2: _red_relaxed_cta_global_add_noftz_L2__cache_hint_f16x2
    f32: _red_relaxed_cta_global_add_L2__cache_hint_f32
    v2: _red_relaxed_cta_global_add_noftz_L2__cache_hint_v2
    v4: _red_relaxed_cta_global_add_noftz_L2__cache_hint_v2
    v8: _red_relaxed_cta_global_add_noftz_L2__cache_hint_v8
class _red_relaxed_cta_global_add_noftz_f16(_Chain):
    def __call__(self, a: Address, b: F16, /, *, pred: Guard = ...) -> None: ...
class _red_relaxed_cta_global_add_noftz_f16x2(_Chain):
    def __call__(self, a: Address, b: U8X4, /, *, pred: Guard = ...) -> None: ...
class _red_relaxed_cta_global_add_noftz_v2_f32(_Chain):
    def __call__(self, a: Address, b: Vector[F32 | float], /, *, pred: Guard = ...) -> None: ...
class _red_relaxed_cta_global_add_noftz_v2_f16(_Chain):
    def __call__(self, a: Address, b: Vector[F16], /, *, pred: Guard = ...) -> None: ...
class _red_relaxed_cta_global_add_noftz_v2_f16x2(_Chain):
    def __call__(self, a: Address, b: Vector[U8X4], /, *, pred: Guard = ...) -> None: ...
class _red_relaxed_cta_global_add_noftz_v2(_Chain):
    f32: _red_relaxed_cta_global_add_noftz_v2_f32
    f16: _red_relaxed_cta_global_add_noftz_v2_f16
    bf16: _red_relaxed_cta_global_add_noftz_v2_f16
    f16x2: _red_relaxed_cta_global_add_noftz_v2_f16x2
    bf16x2: _red_relaxed_cta_global_add_noftz_v2_f16x2
class _red_relaxed_cta_global_add_noftz_v8(_Chain):
    f16: _red_relaxed_cta_global_add_noftz_v2_f16
    bf16: _red_relaxed_cta_global_add_noftz_v2_f16
class _red_relaxed_cta_global_add_noftz(_Chain):
    L2__cache_hint: _red_relaxed_cta_global_add_noftz_L2__cache_hint
    f16: _red_relaxed_cta_global_add_noftz_f16
    f16x2: _red_relaxed_cta_global_add_noftz_f16x2
    bf16: _red_relaxed_cta_global_add_noftz_f16
    bf16x2: _red_relaxed_cta_global_add_noftz_f16x2
    f32: _st_async_mmio_release_sys_global_f32
    v2: _red_relaxed_cta_global_add_noftz_v2
    v4: _red_relaxed_cta_global_add_noftz_v2
    v8: _red_relaxed_cta_global_add_noftz_v8
class _red_relaxed_cta_global_add_v2(_Chain):
    f32: _red_relaxed_cta_global_add_noftz_v2_f32
class _red_relaxed_cta_global_add(_Chain):
    L2__cache_hint: _red_relaxed_cta_global_add_L2__cache_hint
    u32: _st_async_mmio_release_sys_global_u32
    s32: _st_async_mmio_release_sys_global_u32
    u64: _st_async_mmio_release_sys_global_u64
    f32: _st_async_mmio_release_sys_global_f32
    f64: _st_async_mmio_release_sys_global_f64
    noftz: _red_relaxed_cta_global_add_noftz
    v2: _red_relaxed_cta_global_add_v2
    v4: _red_relaxed_cta_global_add_v2
class _red_relaxed_cta_global_inc_L2__cache_hint(_Chain):
    u32: _red_relaxed_cta_global_add_L2__cache_hint_u32
class _red_relaxed_cta_global_inc(_Chain):
    L2__cache_hint: _red_relaxed_cta_global_inc_L2__cache_hint
    u32: _st_async_mmio_release_sys_global_u32
class _red_relaxed_cta_global_min_L2__cache_hint(_Chain):
    u32: _red_relaxed_cta_global_add_L2__cache_hint_u32
    s32: _red_relaxed_cta_global_add_L2__cache_hint_u32
    u64: _red_relaxed_cta_global_add_L2__cache_hint_u64
    s64: _red_relaxed_cta_global_add_L2__cache_hint_u64
class _red_relaxed_cta_global_min_noftz_L2__cache_hint_v2(_Chain):
    f16: _red_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16
    bf16: _red_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16
    f16x2: _red_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16x2
    bf16x2: _red_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16x2
class _red_relaxed_cta_global_min_noftz_L2__cache_hint(_Chain):
    v2: _red_relaxed_cta_global_min_noftz_L2__cache_hint_v2
    v4: _red_relaxed_cta_global_min_noftz_L2__cache_hint_v2
    v8: _red_relaxed_cta_global_add_noftz_L2__cache_hint_v8
class _red_relaxed_cta_global_min_noftz_v2(_Chain):
    f16: _red_relaxed_cta_global_add_noftz_v2_f16
    bf16: _red_relaxed_cta_global_add_noftz_v2_f16
    f16x2: _red_relaxed_cta_global_add_noftz_v2_f16x2
    bf16x2: _red_relaxed_cta_global_add_noftz_v2_f16x2
class _red_relaxed_cta_global_min_noftz(_Chain):
    L2__cache_hint: _red_relaxed_cta_global_min_noftz_L2__cache_hint
    v2: _red_relaxed_cta_global_min_noftz_v2
    v4: _red_relaxed_cta_global_min_noftz_v2
    v8: _red_relaxed_cta_global_add_noftz_v8
class _red_relaxed_cta_global_min(_Chain):
    L2__cache_hint: _red_relaxed_cta_global_min_L2__cache_hint
    u32: _st_async_mmio_release_sys_global_u32
    s32: _st_async_mmio_release_sys_global_u32
    u64: _st_async_mmio_release_sys_global_u64
    s64: _st_async_mmio_release_sys_global_u64
    noftz: _red_relaxed_cta_global_min_noftz
class _red_relaxed_cta_global(_Chain):
    and_: _red_relaxed_cta_global_and
    or_: _red_relaxed_cta_global_and
    xor: _red_relaxed_cta_global_and
    add: _red_relaxed_cta_global_add
    inc: _red_relaxed_cta_global_inc
    dec: _red_relaxed_cta_global_inc
    min: _red_relaxed_cta_global_min
    max: _red_relaxed_cta_global_min
class _red_relaxed_cta_shared_and(_Chain):
    b32: _st_async_mmio_release_sys_global_b32
    b64: _st_async_mmio_release_sys_global_b64
class _red_relaxed_cta_shared_add_noftz(_Chain):
    f16: _red_relaxed_cta_global_add_noftz_f16
    f16x2: _red_relaxed_cta_global_add_noftz_f16x2
    bf16: _red_relaxed_cta_global_add_noftz_f16
    bf16x2: _red_relaxed_cta_global_add_noftz_f16x2
    f32: _st_async_mmio_release_sys_global_f32
class _red_relaxed_cta_shared_add(_Chain):
    u32: _st_async_mmio_release_sys_global_u32
    s32: _st_async_mmio_release_sys_global_u32
    u64: _st_async_mmio_release_sys_global_u64
    f32: _st_async_mmio_release_sys_global_f32
    f64: _st_async_mmio_release_sys_global_f64
    noftz: _red_relaxed_cta_shared_add_noftz
class _red_relaxed_cta_shared(_Chain):
    and_: _red_relaxed_cta_shared_and
    or_: _red_relaxed_cta_shared_and
    xor: _red_relaxed_cta_shared_and
    add: _red_relaxed_cta_shared_add
    inc: _red_async_mmio_release_sys_global_inc
    dec: _red_async_mmio_release_sys_global_inc
    min: _red_async_mmio_release_sys_global_add
    max: _red_async_mmio_release_sys_global_add
class _red_relaxed_cta(_Chain):
    global_: _red_relaxed_cta_global
    shared: _red_relaxed_cta_shared
    shared__cta: _red_relaxed_cta_shared
    shared__cluster: _red_relaxed_cta_shared
    and_: _red_relaxed_cta_global_and
    or_: _red_relaxed_cta_global_and
    xor: _red_relaxed_cta_global_and
    add: _red_relaxed_cta_global_add
    inc: _red_relaxed_cta_global_inc
    dec: _red_relaxed_cta_global_inc
    min: _red_relaxed_cta_global_min
    max: _red_relaxed_cta_global_min
class _red_relaxed(_Chain):
    cta: _red_relaxed_cta
    cluster: _red_relaxed_cta
    gpu: _red_relaxed_cta
    sys: _red_relaxed_cta
    global_: _red_relaxed_cta_global
    shared: _red_relaxed_cta_shared
    shared__cta: _red_relaxed_cta_shared
    shared__cluster: _red_relaxed_cta_shared
    and_: _red_relaxed_cta_global_and
    or_: _red_relaxed_cta_global_and
    xor: _red_relaxed_cta_global_and
    add: _red_relaxed_cta_global_add
    inc: _red_relaxed_cta_global_inc
    dec: _red_relaxed_cta_global_inc
    min: _red_relaxed_cta_global_min
    max: _red_relaxed_cta_global_min
class _red(_Chain):
    async_: _red_async
    relaxed: _red_relaxed
    release: _red_relaxed
    cta: _red_relaxed_cta
    cluster: _red_relaxed_cta
    gpu: _red_relaxed_cta
    sys: _red_relaxed_cta
    global_: _red_relaxed_cta_global
    shared: _red_relaxed_cta_shared
    shared__cta: _red_relaxed_cta_shared
    shared__cluster: _red_relaxed_cta_shared
    and_: _red_relaxed_cta_global_and
    or_: _red_relaxed_cta_global_and
    xor: _red_relaxed_cta_global_and
    add: _red_relaxed_cta_global_add
    inc: _red_relaxed_cta_global_inc
    dec: _red_relaxed_cta_global_inc
    min: _red_relaxed_cta_global_min
    max: _red_relaxed_cta_global_min
class _tensormap_replace_tile_global_address_global_b1024_b64(_Chain):
    def __call__(self, a: Address, v: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _tensormap_replace_tile_global_address_global_b1024(_Chain):
    b64: _tensormap_replace_tile_global_address_global_b1024_b64
class _tensormap_replace_tile_global_address_global(_Chain):
    b1024: _tensormap_replace_tile_global_address_global_b1024
class _tensormap_replace_tile_global_address(_Chain):
    global_: _tensormap_replace_tile_global_address_global
    shared__cta: _tensormap_replace_tile_global_address_global
    b1024: _tensormap_replace_tile_global_address_global_b1024
class _tensormap_replace_tile_rank_global_b1024_b32(_Chain):
    def __call__(self, a: Address, v: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _tensormap_replace_tile_rank_global_b1024(_Chain):
    b32: _tensormap_replace_tile_rank_global_b1024_b32
class _tensormap_replace_tile_rank_global(_Chain):
    b1024: _tensormap_replace_tile_rank_global_b1024
class _tensormap_replace_tile_rank(_Chain):
    global_: _tensormap_replace_tile_rank_global
    shared__cta: _tensormap_replace_tile_rank_global
    b1024: _tensormap_replace_tile_rank_global_b1024
class _tensormap_replace_tile_box_dim_global_b1024_b32(_Chain):
    def __call__(self, a: Address, ord: int, v: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _tensormap_replace_tile_box_dim_global_b1024(_Chain):
    b32: _tensormap_replace_tile_box_dim_global_b1024_b32
class _tensormap_replace_tile_box_dim_global(_Chain):
    b1024: _tensormap_replace_tile_box_dim_global_b1024
class _tensormap_replace_tile_box_dim(_Chain):
    global_: _tensormap_replace_tile_box_dim_global
    shared__cta: _tensormap_replace_tile_box_dim_global
    b1024: _tensormap_replace_tile_box_dim_global_b1024
class _tensormap_replace_tile_global_stride_global_b1024_b64(_Chain):
    def __call__(self, a: Address, ord: int, v: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _tensormap_replace_tile_global_stride_global_b1024(_Chain):
    b64: _tensormap_replace_tile_global_stride_global_b1024_b64
class _tensormap_replace_tile_global_stride_global(_Chain):
    b1024: _tensormap_replace_tile_global_stride_global_b1024
class _tensormap_replace_tile_global_stride(_Chain):
    global_: _tensormap_replace_tile_global_stride_global
    shared__cta: _tensormap_replace_tile_global_stride_global
    b1024: _tensormap_replace_tile_global_stride_global_b1024
class _tensormap_replace_tile_elemtype_global_b1024_b32(_Chain):
    def __call__(self, a: Address, v: int, /, *, pred: Guard = ...) -> None: ...
class _tensormap_replace_tile_elemtype_global_b1024(_Chain):
    b32: _tensormap_replace_tile_elemtype_global_b1024_b32
class _tensormap_replace_tile_elemtype_global(_Chain):
    b1024: _tensormap_replace_tile_elemtype_global_b1024
class _tensormap_replace_tile_elemtype(_Chain):
    global_: _tensormap_replace_tile_elemtype_global
    shared__cta: _tensormap_replace_tile_elemtype_global
    b1024: _tensormap_replace_tile_elemtype_global_b1024
class _tensormap_replace_tile(_Chain):
    global_address: _tensormap_replace_tile_global_address
    rank: _tensormap_replace_tile_rank
    box_dim: _tensormap_replace_tile_box_dim
    global_dim: _tensormap_replace_tile_box_dim
    element_stride: _tensormap_replace_tile_box_dim
    global_stride: _tensormap_replace_tile_global_stride
    elemtype: _tensormap_replace_tile_elemtype
    interleave_layout: _tensormap_replace_tile_elemtype
    swizzle_mode: _tensormap_replace_tile_elemtype
    swizzle_atomicity: _tensormap_replace_tile_elemtype
    fill_mode: _tensormap_replace_tile_elemtype
class _tensormap_replace(_Chain):
    tile: _tensormap_replace_tile
class _tensormap_query_alloc_class_large_global_b1024(_Chain):
    def __call__(self, p: PRED | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _tensormap_query_alloc_class_large_global(_Chain):
    b1024: _tensormap_query_alloc_class_large_global_b1024
class _tensormap_query_alloc_class_large(_Chain):
    global_: _tensormap_query_alloc_class_large_global
    const: _tensormap_query_alloc_class_large_global
    param: _tensormap_query_alloc_class_large_global
    shared__cta: _tensormap_query_alloc_class_large_global
    b1024: _tensormap_query_alloc_class_large_global_b1024
class _tensormap_query(_Chain):
    alloc_class_large: _tensormap_query_alloc_class_large
class _tensormap_cp_fenceproxy_global_shared__cta_tensormap__generic_release_cta_sync_aligned(_Chain):
    def __call__(self, a: Address, b: Address, size: int, /, *, pred: Guard = ...) -> None: ...
class _tensormap_cp_fenceproxy_global_shared__cta_tensormap__generic_release_cta_sync(_Chain):
    aligned: _tensormap_cp_fenceproxy_global_shared__cta_tensormap__generic_release_cta_sync_aligned
class _tensormap_cp_fenceproxy_global_shared__cta_tensormap__generic_release_cta(_Chain):
    sync: _tensormap_cp_fenceproxy_global_shared__cta_tensormap__generic_release_cta_sync
class _tensormap_cp_fenceproxy_global_shared__cta_tensormap__generic_release(_Chain):
    cta: _tensormap_cp_fenceproxy_global_shared__cta_tensormap__generic_release_cta
    cluster: _tensormap_cp_fenceproxy_global_shared__cta_tensormap__generic_release_cta
    gpu: _tensormap_cp_fenceproxy_global_shared__cta_tensormap__generic_release_cta
    sys: _tensormap_cp_fenceproxy_global_shared__cta_tensormap__generic_release_cta
class _tensormap_cp_fenceproxy_global_shared__cta_tensormap__generic(_Chain):
    release: _tensormap_cp_fenceproxy_global_shared__cta_tensormap__generic_release
class _tensormap_cp_fenceproxy_global_shared__cta(_Chain):
    tensormap__generic: _tensormap_cp_fenceproxy_global_shared__cta_tensormap__generic
class _tensormap_cp_fenceproxy_global(_Chain):
    shared__cta: _tensormap_cp_fenceproxy_global_shared__cta
class _tensormap_cp_fenceproxy(_Chain):
    global_: _tensormap_cp_fenceproxy_global
class _tensormap(_Chain):
    replace: _tensormap_replace
    query: _tensormap_query
    cp_fenceproxy: _tensormap_cp_fenceproxy
class _multimem_ld_reduce_relaxed_cta_global_add_u32(_Chain):
    def __call__(self, d: I32 | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _multimem_ld_reduce_relaxed_cta_global_add_u64(_Chain):
    def __call__(self, d: I64 | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _multimem_ld_reduce_relaxed_cta_global_add_f32(_Chain):
    def __call__(self, d: F32 | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _multimem_ld_reduce_relaxed_cta_global_add_f64(_Chain):
    def __call__(self, d: F64 | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _multimem_ld_reduce_relaxed_cta_global_add_v2_f32(_Chain):
    def __call__(self, d: Vector[F32 | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _multimem_ld_reduce_relaxed_cta_global_add_v2_f16(_Chain):
    def __call__(self, d: Vector[F16 | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2(_Chain):
    def __call__(self, d: Vector[U8X4 | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _multimem_ld_reduce_relaxed_cta_global_add_v2_e4m3x2(_Chain):
    def __call__(self, d: Vector[E2M1X4 | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _multimem_ld_reduce_relaxed_cta_global_add_v2(_Chain):
    f32: _multimem_ld_reduce_relaxed_cta_global_add_v2_f32
    f16: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16
    bf16: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16
    f16x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
    bf16x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
    e4m3x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_e4m3x2
    e5m2x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_e4m3x2
    e4m3x4: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
    e5m2x4: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
class _multimem_ld_reduce_relaxed_cta_global_add_v4_e4m3(_Chain):
    def __call__(self, d: Vector[B8 | Sink | New], a: Address, /, *, pred: Guard = ...) -> Any: ...
class _multimem_ld_reduce_relaxed_cta_global_add_v4(_Chain):
    f32: _multimem_ld_reduce_relaxed_cta_global_add_v2_f32
    f16: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16
    bf16: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16
    f16x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
    bf16x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
    e4m3: _multimem_ld_reduce_relaxed_cta_global_add_v4_e4m3
    e5m2: _multimem_ld_reduce_relaxed_cta_global_add_v4_e4m3
    e4m3x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_e4m3x2
    e5m2x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_e4m3x2
    e4m3x4: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
    e5m2x4: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
class _multimem_ld_reduce_relaxed_cta_global_add_acc__f32_v2(_Chain):
    f16: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16
    bf16: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16
    f16x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
    bf16x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
class _multimem_ld_reduce_relaxed_cta_global_add_acc__f32_v8(_Chain):
    f16: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16
    bf16: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16
class _multimem_ld_reduce_relaxed_cta_global_add_acc__f32_f16x2(_Chain):
    def __call__(self, d: U8X4 | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _multimem_ld_reduce_relaxed_cta_global_add_acc__f32(_Chain):
    v2: _multimem_ld_reduce_relaxed_cta_global_add_acc__f32_v2
    v4: _multimem_ld_reduce_relaxed_cta_global_add_acc__f32_v2
    v8: _multimem_ld_reduce_relaxed_cta_global_add_acc__f32_v8
    f16x2: _multimem_ld_reduce_relaxed_cta_global_add_acc__f32_f16x2
    bf16x2: _multimem_ld_reduce_relaxed_cta_global_add_acc__f32_f16x2
class _multimem_ld_reduce_relaxed_cta_global_add_v8(_Chain):
    f16: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16
    bf16: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16
    e4m3: _multimem_ld_reduce_relaxed_cta_global_add_v4_e4m3
    e5m2: _multimem_ld_reduce_relaxed_cta_global_add_v4_e4m3
    e4m3x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_e4m3x2
    e5m2x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_e4m3x2
class _multimem_ld_reduce_relaxed_cta_global_add_acc__f16_v4(_Chain):
    e4m3: _multimem_ld_reduce_relaxed_cta_global_add_v4_e4m3
    e5m2: _multimem_ld_reduce_relaxed_cta_global_add_v4_e4m3
    e4m3x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_e4m3x2
    e5m2x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_e4m3x2
    e4m3x4: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
    e5m2x4: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
class _multimem_ld_reduce_relaxed_cta_global_add_acc__f16_v8(_Chain):
    e4m3: _multimem_ld_reduce_relaxed_cta_global_add_v4_e4m3
    e5m2: _multimem_ld_reduce_relaxed_cta_global_add_v4_e4m3
    e4m3x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_e4m3x2
    e5m2x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_e4m3x2
class _multimem_ld_reduce_relaxed_cta_global_add_acc__f16_v2(_Chain):
    e4m3x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_e4m3x2
    e5m2x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_e4m3x2
    e4m3x4: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
    e5m2x4: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
class _multimem_ld_reduce_relaxed_cta_global_add_acc__f16(_Chain):
    v4: _multimem_ld_reduce_relaxed_cta_global_add_acc__f16_v4
    v8: _multimem_ld_reduce_relaxed_cta_global_add_acc__f16_v8
    v2: _multimem_ld_reduce_relaxed_cta_global_add_acc__f16_v2
    e4m3x4: _multimem_ld_reduce_relaxed_cta_global_add_acc__f32_f16x2
    e5m2x4: _multimem_ld_reduce_relaxed_cta_global_add_acc__f32_f16x2
class _multimem_ld_reduce_relaxed_cta_global_add(_Chain):
    u32: _multimem_ld_reduce_relaxed_cta_global_add_u32
    s32: _multimem_ld_reduce_relaxed_cta_global_add_u32
    u64: _multimem_ld_reduce_relaxed_cta_global_add_u64
    f32: _multimem_ld_reduce_relaxed_cta_global_add_f32
    f64: _multimem_ld_reduce_relaxed_cta_global_add_f64
    v2: _multimem_ld_reduce_relaxed_cta_global_add_v2
    v4: _multimem_ld_reduce_relaxed_cta_global_add_v4
    acc__f32: _multimem_ld_reduce_relaxed_cta_global_add_acc__f32
    v8: _multimem_ld_reduce_relaxed_cta_global_add_v8
    f16x2: _multimem_ld_reduce_relaxed_cta_global_add_acc__f32_f16x2
    bf16x2: _multimem_ld_reduce_relaxed_cta_global_add_acc__f32_f16x2
    acc__f16: _multimem_ld_reduce_relaxed_cta_global_add_acc__f16
    e4m3x4: _multimem_ld_reduce_relaxed_cta_global_add_acc__f32_f16x2
    e5m2x4: _multimem_ld_reduce_relaxed_cta_global_add_acc__f32_f16x2
class _multimem_ld_reduce_relaxed_cta_global_min_v2(_Chain):
    f16: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16
    bf16: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16
    f16x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
    bf16x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
    e4m3x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_e4m3x2
    e5m2x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_e4m3x2
    e4m3x4: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
    e5m2x4: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
class _multimem_ld_reduce_relaxed_cta_global_min_v4(_Chain):
    f16: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16
    bf16: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16
    f16x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
    bf16x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
    e4m3: _multimem_ld_reduce_relaxed_cta_global_add_v4_e4m3
    e5m2: _multimem_ld_reduce_relaxed_cta_global_add_v4_e4m3
    e4m3x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_e4m3x2
    e5m2x2: _multimem_ld_reduce_relaxed_cta_global_add_v2_e4m3x2
    e4m3x4: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
    e5m2x4: _multimem_ld_reduce_relaxed_cta_global_add_v2_f16x2
class _multimem_ld_reduce_relaxed_cta_global_min(_Chain):
    u32: _multimem_ld_reduce_relaxed_cta_global_add_u32
    s32: _multimem_ld_reduce_relaxed_cta_global_add_u32
    u64: _multimem_ld_reduce_relaxed_cta_global_add_u64
    s64: _multimem_ld_reduce_relaxed_cta_global_add_u64
    v2: _multimem_ld_reduce_relaxed_cta_global_min_v2
    v4: _multimem_ld_reduce_relaxed_cta_global_min_v4
    v8: _multimem_ld_reduce_relaxed_cta_global_add_v8
    f16x2: _multimem_ld_reduce_relaxed_cta_global_add_acc__f32_f16x2
    bf16x2: _multimem_ld_reduce_relaxed_cta_global_add_acc__f32_f16x2
    e4m3x4: _multimem_ld_reduce_relaxed_cta_global_add_acc__f32_f16x2
    e5m2x4: _multimem_ld_reduce_relaxed_cta_global_add_acc__f32_f16x2
class _multimem_ld_reduce_relaxed_cta_global_and_b32(_Chain):
    def __call__(self, d: B32 | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _multimem_ld_reduce_relaxed_cta_global_and_b64(_Chain):
    def __call__(self, d: F32X2 | New, a: Address, /, *, pred: Guard = ...) -> Any: ...
class _multimem_ld_reduce_relaxed_cta_global_and(_Chain):
    b32: _multimem_ld_reduce_relaxed_cta_global_and_b32
    b64: _multimem_ld_reduce_relaxed_cta_global_and_b64
class _multimem_ld_reduce_relaxed_cta_global(_Chain):
    add: _multimem_ld_reduce_relaxed_cta_global_add
    min: _multimem_ld_reduce_relaxed_cta_global_min
    max: _multimem_ld_reduce_relaxed_cta_global_min
    and_: _multimem_ld_reduce_relaxed_cta_global_and
    or_: _multimem_ld_reduce_relaxed_cta_global_and
    xor: _multimem_ld_reduce_relaxed_cta_global_and
class _multimem_ld_reduce_relaxed_cta(_Chain):
    global_: _multimem_ld_reduce_relaxed_cta_global
    add: _multimem_ld_reduce_relaxed_cta_global_add
    min: _multimem_ld_reduce_relaxed_cta_global_min
    max: _multimem_ld_reduce_relaxed_cta_global_min
    and_: _multimem_ld_reduce_relaxed_cta_global_and
    or_: _multimem_ld_reduce_relaxed_cta_global_and
    xor: _multimem_ld_reduce_relaxed_cta_global_and
class _multimem_ld_reduce_relaxed(_Chain):
    cta: _multimem_ld_reduce_relaxed_cta
    cluster: _multimem_ld_reduce_relaxed_cta
    gpu: _multimem_ld_reduce_relaxed_cta
    sys: _multimem_ld_reduce_relaxed_cta
class _multimem_ld_reduce(_Chain):
    relaxed: _multimem_ld_reduce_relaxed
    acquire: _multimem_ld_reduce_relaxed
    weak: _multimem_ld_reduce_relaxed_cta
    global_: _multimem_ld_reduce_relaxed_cta_global
    add: _multimem_ld_reduce_relaxed_cta_global_add
    min: _multimem_ld_reduce_relaxed_cta_global_min
    max: _multimem_ld_reduce_relaxed_cta_global_min
    and_: _multimem_ld_reduce_relaxed_cta_global_and
    or_: _multimem_ld_reduce_relaxed_cta_global_and
    xor: _multimem_ld_reduce_relaxed_cta_global_and
class _multimem_st_relaxed_cta_global_v2_e4m3x2(_Chain):
    def __call__(self, a: Address, b: Vector[E2M1X4], /, *, pred: Guard = ...) -> None: ...
class _multimem_st_relaxed_cta_global_v2(_Chain):
    f32: _red_relaxed_cta_global_add_noftz_v2_f32
    f16x2: _red_relaxed_cta_global_add_noftz_v2_f16x2
    bf16x2: _red_relaxed_cta_global_add_noftz_v2_f16x2
    f16: _red_relaxed_cta_global_add_noftz_v2_f16
    bf16: _red_relaxed_cta_global_add_noftz_v2_f16
    e4m3x2: _multimem_st_relaxed_cta_global_v2_e4m3x2
    e5m2x2: _multimem_st_relaxed_cta_global_v2_e4m3x2
    e4m3x4: _red_relaxed_cta_global_add_noftz_v2_f16x2
    e5m2x4: _red_relaxed_cta_global_add_noftz_v2_f16x2
class _multimem_st_relaxed_cta_global_v4_e4m3(_Chain):
    def __call__(self, a: Address, b: Vector[B8], /, *, pred: Guard = ...) -> None: ...
class _multimem_st_relaxed_cta_global_v4(_Chain):
    f32: _red_relaxed_cta_global_add_noftz_v2_f32
    f16x2: _red_relaxed_cta_global_add_noftz_v2_f16x2
    bf16x2: _red_relaxed_cta_global_add_noftz_v2_f16x2
    f16: _red_relaxed_cta_global_add_noftz_v2_f16
    bf16: _red_relaxed_cta_global_add_noftz_v2_f16
    e4m3: _multimem_st_relaxed_cta_global_v4_e4m3
    e5m2: _multimem_st_relaxed_cta_global_v4_e4m3
    e4m3x2: _multimem_st_relaxed_cta_global_v2_e4m3x2
    e5m2x2: _multimem_st_relaxed_cta_global_v2_e4m3x2
    e4m3x4: _red_relaxed_cta_global_add_noftz_v2_f16x2
    e5m2x4: _red_relaxed_cta_global_add_noftz_v2_f16x2
class _multimem_st_relaxed_cta_global_v8(_Chain):
    f16: _red_relaxed_cta_global_add_noftz_v2_f16
    bf16: _red_relaxed_cta_global_add_noftz_v2_f16
    e4m3: _multimem_st_relaxed_cta_global_v4_e4m3
    e5m2: _multimem_st_relaxed_cta_global_v4_e4m3
    e4m3x2: _multimem_st_relaxed_cta_global_v2_e4m3x2
    e5m2x2: _multimem_st_relaxed_cta_global_v2_e4m3x2
class _multimem_st_relaxed_cta_global(_Chain):
    b32: _st_async_mmio_release_sys_global_b32
    b64: _st_async_mmio_release_sys_global_b64
    u32: _st_async_mmio_release_sys_global_u32
    u64: _st_async_mmio_release_sys_global_u64
    s32: _st_async_mmio_release_sys_global_u32
    s64: _st_async_mmio_release_sys_global_u64
    f32: _st_async_mmio_release_sys_global_f32
    f64: _st_async_mmio_release_sys_global_f64
    f16x2: _red_relaxed_cta_global_add_noftz_f16x2
    bf16x2: _red_relaxed_cta_global_add_noftz_f16x2
    v2: _multimem_st_relaxed_cta_global_v2
    v4: _multimem_st_relaxed_cta_global_v4
    v8: _multimem_st_relaxed_cta_global_v8
    e4m3x4: _red_relaxed_cta_global_add_noftz_f16x2
    e5m2x4: _red_relaxed_cta_global_add_noftz_f16x2
class _multimem_st_relaxed_cta(_Chain):
    global_: _multimem_st_relaxed_cta_global
    b32: _st_async_mmio_release_sys_global_b32
    b64: _st_async_mmio_release_sys_global_b64
    u32: _st_async_mmio_release_sys_global_u32
    u64: _st_async_mmio_release_sys_global_u64
    s32: _st_async_mmio_release_sys_global_u32
    s64: _st_async_mmio_release_sys_global_u64
    f32: _st_async_mmio_release_sys_global_f32
    f64: _st_async_mmio_release_sys_global_f64
    f16x2: _red_relaxed_cta_global_add_noftz_f16x2
    bf16x2: _red_relaxed_cta_global_add_noftz_f16x2
    v2: _multimem_st_relaxed_cta_global_v2
    v4: _multimem_st_relaxed_cta_global_v4
    v8: _multimem_st_relaxed_cta_global_v8
    e4m3x4: _red_relaxed_cta_global_add_noftz_f16x2
    e5m2x4: _red_relaxed_cta_global_add_noftz_f16x2
class _multimem_st_relaxed(_Chain):
    cta: _multimem_st_relaxed_cta
    cluster: _multimem_st_relaxed_cta
    gpu: _multimem_st_relaxed_cta
    sys: _multimem_st_relaxed_cta
class _multimem_st_async_release_gpu_global(_Chain):
    b32: _st_weak_global_wb_b32
    b64: _st_weak_global_wb_b64
    u32: _st_weak_global_wb_u32
    u64: _st_weak_global_wb_u64
    s32: _st_weak_global_wb_u32
    s64: _st_weak_global_wb_u64
    f32: _st_weak_global_wb_f32
    f64: _st_weak_global_wb_f64
    b8: _st_weak_global_wb_b8
    b16: _st_weak_global_wb_b8
    u8: _st_weak_global_wb_u8
    u16: _st_weak_global_wb_u8
    s8: _st_weak_global_wb_u8
    s16: _st_weak_global_wb_u8
class _multimem_st_async_release_gpu(_Chain):
    global_: _multimem_st_async_release_gpu_global
    b32: _st_weak_global_wb_b32
    b64: _st_weak_global_wb_b64
    u32: _st_weak_global_wb_u32
    u64: _st_weak_global_wb_u64
    s32: _st_weak_global_wb_u32
    s64: _st_weak_global_wb_u64
    f32: _st_weak_global_wb_f32
    f64: _st_weak_global_wb_f64
    b8: _st_weak_global_wb_b8
    b16: _st_weak_global_wb_b8
    u8: _st_weak_global_wb_u8
    u16: _st_weak_global_wb_u8
    s8: _st_weak_global_wb_u8
    s16: _st_weak_global_wb_u8
class _multimem_st_async_release(_Chain):
    gpu: _multimem_st_async_release_gpu
    sys: _multimem_st_async_release_gpu
class _multimem_st_async(_Chain):
    release: _multimem_st_async_release
class _multimem_st(_Chain):
    relaxed: _multimem_st_relaxed
    release: _multimem_st_relaxed
    weak: _multimem_st_relaxed_cta
    global_: _multimem_st_relaxed_cta_global
    b32: _st_async_mmio_release_sys_global_b32
    b64: _st_async_mmio_release_sys_global_b64
    u32: _st_async_mmio_release_sys_global_u32
    u64: _st_async_mmio_release_sys_global_u64
    s32: _st_async_mmio_release_sys_global_u32
    s64: _st_async_mmio_release_sys_global_u64
    f32: _st_async_mmio_release_sys_global_f32
    f64: _st_async_mmio_release_sys_global_f64
    f16x2: _red_relaxed_cta_global_add_noftz_f16x2
    bf16x2: _red_relaxed_cta_global_add_noftz_f16x2
    v2: _multimem_st_relaxed_cta_global_v2
    v4: _multimem_st_relaxed_cta_global_v4
    v8: _multimem_st_relaxed_cta_global_v8
    e4m3x4: _red_relaxed_cta_global_add_noftz_f16x2
    e5m2x4: _red_relaxed_cta_global_add_noftz_f16x2
    async_: _multimem_st_async
class _multimem_red_relaxed_cta_global_add_v2(_Chain):
    f32: _red_relaxed_cta_global_add_noftz_v2_f32
    f16x2: _red_relaxed_cta_global_add_noftz_v2_f16x2
    bf16x2: _red_relaxed_cta_global_add_noftz_v2_f16x2
    f16: _red_relaxed_cta_global_add_noftz_v2_f16
    bf16: _red_relaxed_cta_global_add_noftz_v2_f16
class _multimem_red_relaxed_cta_global_add(_Chain):
    u32: _st_async_mmio_release_sys_global_u32
    s32: _st_async_mmio_release_sys_global_u32
    u64: _st_async_mmio_release_sys_global_u64
    f32: _st_async_mmio_release_sys_global_f32
    f64: _st_async_mmio_release_sys_global_f64
    f16x2: _red_relaxed_cta_global_add_noftz_f16x2
    bf16x2: _red_relaxed_cta_global_add_noftz_f16x2
    v2: _multimem_red_relaxed_cta_global_add_v2
    v4: _multimem_red_relaxed_cta_global_add_v2
    v8: _red_relaxed_cta_global_add_noftz_v8
class _multimem_red_relaxed_cta_global(_Chain):
    add: _multimem_red_relaxed_cta_global_add
    min: _red_async_mmio_release_sys_global_add
    max: _red_async_mmio_release_sys_global_add
    and_: _red_relaxed_cta_shared_and
    or_: _red_relaxed_cta_shared_and
    xor: _red_relaxed_cta_shared_and
class _multimem_red_relaxed_cta(_Chain):
    global_: _multimem_red_relaxed_cta_global
    add: _multimem_red_relaxed_cta_global_add
    min: _red_async_mmio_release_sys_global_add
    max: _red_async_mmio_release_sys_global_add
    and_: _red_relaxed_cta_shared_and
    or_: _red_relaxed_cta_shared_and
    xor: _red_relaxed_cta_shared_and
class _multimem_red_relaxed(_Chain):
    cta: _multimem_red_relaxed_cta
    cluster: _multimem_red_relaxed_cta
    gpu: _multimem_red_relaxed_cta
    sys: _multimem_red_relaxed_cta
class _multimem_red_async_release_gpu_global_add(_Chain):
    u32: _st_async_mmio_release_sys_global_u32
    s32: _st_async_mmio_release_sys_global_u32
    u64: _st_async_mmio_release_sys_global_u64
class _multimem_red_async_release_gpu_global(_Chain):
    add: _multimem_red_async_release_gpu_global_add
class _multimem_red_async_release_gpu(_Chain):
    global_: _multimem_red_async_release_gpu_global
    add: _multimem_red_async_release_gpu_global_add
class _multimem_red_async_release(_Chain):
    gpu: _multimem_red_async_release_gpu
    sys: _multimem_red_async_release_gpu
class _multimem_red_async(_Chain):
    release: _multimem_red_async_release
class _multimem_red(_Chain):
    relaxed: _multimem_red_relaxed
    release: _multimem_red_relaxed
    global_: _multimem_red_relaxed_cta_global
    add: _multimem_red_relaxed_cta_global_add
    min: _red_async_mmio_release_sys_global_add
    max: _red_async_mmio_release_sys_global_add
    and_: _red_relaxed_cta_shared_and
    or_: _red_relaxed_cta_shared_and
    xor: _red_relaxed_cta_shared_and
    async_: _multimem_red_async
class _multimem_cp_async_bulk_weak_global_shared__cta_bulk_group(_Chain):
    cp_mask: _cp_async_bulk_weak_global_shared__cta_bulk_group_cp_mask
    def __call__(self, a: Address, b: Address, size: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _multimem_cp_async_bulk_weak_global_shared__cta(_Chain):
    bulk_group: _multimem_cp_async_bulk_weak_global_shared__cta_bulk_group
class _multimem_cp_async_bulk_weak_global(_Chain):
    shared__cta: _multimem_cp_async_bulk_weak_global_shared__cta
class _multimem_cp_async_bulk_weak(_Chain):
    global_: _multimem_cp_async_bulk_weak_global
class _multimem_cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group(_Chain):
    b128: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_b128
    cp_mask: _cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group_cp_mask
class _multimem_cp_async_bulk_relaxed_cta_global_shared__cta(_Chain):
    bulk_group: _multimem_cp_async_bulk_relaxed_cta_global_shared__cta_bulk_group
class _multimem_cp_async_bulk_relaxed_cta_global(_Chain):
    shared__cta: _multimem_cp_async_bulk_relaxed_cta_global_shared__cta
class _multimem_cp_async_bulk_relaxed_cta(_Chain):
    global_: _multimem_cp_async_bulk_relaxed_cta_global
class _multimem_cp_async_bulk_relaxed(_Chain):
    cta: _multimem_cp_async_bulk_relaxed_cta
    cluster: _multimem_cp_async_bulk_relaxed_cta
    gpu: _multimem_cp_async_bulk_relaxed_cta
    sys: _multimem_cp_async_bulk_relaxed_cta
class _multimem_cp_async_bulk(_Chain):
    weak: _multimem_cp_async_bulk_weak
    global_: _multimem_cp_async_bulk_weak_global
    relaxed: _multimem_cp_async_bulk_relaxed
class _multimem_cp_async(_Chain):
    bulk: _multimem_cp_async_bulk
class _multimem_cp_reduce_async_bulk_global_shared__cta_bulk_group(_Chain):
    and_: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_and
    or_: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_and
    xor: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_and
    min: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_min
    max: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_min
    add: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_add
    inc: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_inc
    dec: _cp_reduce_async_bulk_relaxed_cta_global_shared__cta_bulk_group_inc
class _multimem_cp_reduce_async_bulk_global_shared__cta(_Chain):
    bulk_group: _multimem_cp_reduce_async_bulk_global_shared__cta_bulk_group
class _multimem_cp_reduce_async_bulk_global(_Chain):
    shared__cta: _multimem_cp_reduce_async_bulk_global_shared__cta
class _multimem_cp_reduce_async_bulk_relaxed_cta(_Chain):
    global_: _multimem_cp_reduce_async_bulk_global
class _multimem_cp_reduce_async_bulk_relaxed(_Chain):
    cta: _multimem_cp_reduce_async_bulk_relaxed_cta
    cluster: _multimem_cp_reduce_async_bulk_relaxed_cta
    gpu: _multimem_cp_reduce_async_bulk_relaxed_cta
    sys: _multimem_cp_reduce_async_bulk_relaxed_cta
class _multimem_cp_reduce_async_bulk(_Chain):
    global_: _multimem_cp_reduce_async_bulk_global
    relaxed: _multimem_cp_reduce_async_bulk_relaxed
class _multimem_cp_reduce_async(_Chain):
    bulk: _multimem_cp_reduce_async_bulk
class _multimem_cp_reduce(_Chain):
    async_: _multimem_cp_reduce_async
class _multimem_cp(_Chain):
    async_: _multimem_cp_async
    reduce: _multimem_cp_reduce
class _multimem(_Chain):
    ld_reduce: _multimem_ld_reduce
    st: _multimem_st
    red: _multimem_red
    cp: _multimem_cp
class _fabric_try_get_async_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_b128(_Chain):
    def __call__(self, a: Address, e: Address, size: I32 | int, mbar: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _fabric_try_get_async_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_L2__cache_hint_relaxed_sys(_Chain):
    b128: _fabric_try_get_async_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_b128
class _fabric_try_get_async_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_L2__cache_hint_relaxed(_Chain):
    sys: _fabric_try_get_async_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_L2__cache_hint_relaxed_sys
class _fabric_try_get_async_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_L2__cache_hint(_Chain):
    relaxed: _fabric_try_get_async_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_L2__cache_hint_relaxed
class _fabric_try_get_async_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_b128(_Chain):
    def __call__(self, a: Address, e: Address, size: I32 | int, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _fabric_try_get_async_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys(_Chain):
    b128: _fabric_try_get_async_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_b128
class _fabric_try_get_async_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed(_Chain):
    sys: _fabric_try_get_async_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys
class _fabric_try_get_async_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric(_Chain):
    L2__cache_hint: _fabric_try_get_async_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_L2__cache_hint
    relaxed: _fabric_try_get_async_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed
class _fabric_try_get_async_shared__cta_mbarrier__complete_tx__bytes(_Chain):
    mbarrier__report__fabric: _fabric_try_get_async_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric
class _fabric_try_get_async_shared__cta(_Chain):
    mbarrier__complete_tx__bytes: _fabric_try_get_async_shared__cta_mbarrier__complete_tx__bytes
class _fabric_try_get_async(_Chain):
    shared__cta: _fabric_try_get_async_shared__cta
class _fabric_try_get(_Chain):
    async_: _fabric_try_get_async
class _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_b128(_Chain):
    def __call__(self, e: Address, b: Address, size: I32 | int, mbar: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys(_Chain):
    b128: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_b128
class _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed(_Chain):
    sys: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys
class _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint(_Chain):
    relaxed: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed
class _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_b128(_Chain):
    def __call__(self, e: Address, b: Address, size: I32 | int, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys(_Chain):
    b128: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_b128
class _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed(_Chain):
    sys: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys
class _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_cp_mask_L2__cache_hint_relaxed_sys_b128(_Chain):
    def __call__(self, e: Address, b: Address, size: I32 | int, mbar: Address, mask: E2M1X4 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_cp_mask_L2__cache_hint_relaxed_sys(_Chain):
    b128: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_cp_mask_L2__cache_hint_relaxed_sys_b128
class _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_cp_mask_L2__cache_hint_relaxed(_Chain):
    sys: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_cp_mask_L2__cache_hint_relaxed_sys
class _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_cp_mask_L2__cache_hint(_Chain):
    relaxed: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_cp_mask_L2__cache_hint_relaxed
class _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_cp_mask_relaxed_sys_b128(_Chain):
    def __call__(self, e: Address, b: Address, size: I32 | int, mbar: Address, mask: E2M1X4 | float, /, *, pred: Guard = ...) -> None: ...
class _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_cp_mask_relaxed_sys(_Chain):
    b128: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_cp_mask_relaxed_sys_b128
class _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_cp_mask_relaxed(_Chain):
    sys: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_cp_mask_relaxed_sys
class _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_cp_mask(_Chain):
    L2__cache_hint: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_cp_mask_L2__cache_hint
    relaxed: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_cp_mask_relaxed
class _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_counted__bytes(_Chain):
    L2__cache_hint: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint
    relaxed: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed
class _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric(_Chain):
    L2__cache_hint: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint
    relaxed: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed
    cp_mask: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_cp_mask
    counted__bytes: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_counted__bytes
class _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B(_Chain):
    mbarrier__report__fabric: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric
class _fabric_try_put_async_multimem_shared__cta(_Chain):
    mbarrier__complete_tx__16B: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B
class _fabric_try_put_async_multimem(_Chain):
    shared__cta: _fabric_try_put_async_multimem_shared__cta
class _fabric_try_put_async(_Chain):
    multimem: _fabric_try_put_async_multimem
    shared__cta: _fabric_try_put_async_multimem_shared__cta
class _fabric_try_put(_Chain):
    async_: _fabric_try_put_async
class _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and(_Chain):
    b32: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_b128
    b64: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_b128
class _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_min(_Chain):
    u32: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_b128
    s32: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_b128
    u64: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_b128
    s64: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_b128
    f16: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_b128
    bf16: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_b128
class _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_add(_Chain):
    u32: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_b128
    u64: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_b128
    f16: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_b128
    bf16: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_b128
    f32: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_b128
    f64: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_b128
class _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys(_Chain):
    and_: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and
    or_: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and
    xor: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and
    min: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_min
    max: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_min
    add: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_add
class _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed(_Chain):
    sys: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys
class _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint(_Chain):
    relaxed: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed
class _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and(_Chain):
    b32: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_b128
    b64: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_b128
class _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_min(_Chain):
    u32: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_b128
    s32: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_b128
    u64: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_b128
    s64: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_b128
    f16: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_b128
    bf16: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_b128
class _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_add(_Chain):
    u32: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_b128
    u64: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_b128
    f16: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_b128
    bf16: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_b128
    f32: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_b128
    f64: _fabric_try_put_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_b128
class _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys(_Chain):
    and_: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and
    or_: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and
    xor: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and
    min: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_min
    max: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_min
    add: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_add
class _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed(_Chain):
    sys: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys
class _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_counted__bytes(_Chain):
    L2__cache_hint: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint
    relaxed: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed
class _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric(_Chain):
    L2__cache_hint: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint
    relaxed: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed
    counted__bytes: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_counted__bytes
class _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B(_Chain):
    mbarrier__report__fabric: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric
class _fabric_try_red_async_multimem_shared__cta(_Chain):
    mbarrier__complete_tx__16B: _fabric_try_red_async_multimem_shared__cta_mbarrier__complete_tx__16B
class _fabric_try_red_async_multimem(_Chain):
    shared__cta: _fabric_try_red_async_multimem_shared__cta
class _fabric_try_red_async(_Chain):
    multimem: _fabric_try_red_async_multimem
    shared__cta: _fabric_try_red_async_multimem_shared__cta
class _fabric_try_red(_Chain):
    async_: _fabric_try_red_async
class _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32_sync(_Chain):
    def __call__(self, a: Address, e: Address, size: I32 | int, mbar: Address, membermask: int, /, *, pred: Guard = ...) -> None: ...
class _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32(_Chain):
    sync: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32_sync
class _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and(_Chain):
    b32: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32
    b64: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32
class _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_min(_Chain):
    u32: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32
    s32: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32
    u64: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32
    s64: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32
    f16: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32
    bf16: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32
    e4m3: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32
    e5m2: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32
class _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_add_acc__f16(_Chain):
    e4m3: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32
    e5m2: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32
class _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_add_acc__f32(_Chain):
    f16: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32
    bf16: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32
class _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_add(_Chain):
    u32: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32
    u64: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32
    f16: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32
    bf16: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32
    f32: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and_b32
    acc__f16: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_add_acc__f16
    acc__f32: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_add_acc__f32
class _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys(_Chain):
    and_: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and
    or_: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and
    xor: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_and
    min: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_min
    max: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_min
    add: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys_add
class _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed(_Chain):
    sys: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed_sys
class _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric(_Chain):
    relaxed: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric_relaxed
class _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes(_Chain):
    mbarrier__report__fabric: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes_mbarrier__report__fabric
class _fabric_try_pullred_async_multimem_shared__cta(_Chain):
    mbarrier__complete_tx__bytes: _fabric_try_pullred_async_multimem_shared__cta_mbarrier__complete_tx__bytes
class _fabric_try_pullred_async_multimem(_Chain):
    shared__cta: _fabric_try_pullred_async_multimem_shared__cta
class _fabric_try_pullred_async(_Chain):
    multimem: _fabric_try_pullred_async_multimem
class _fabric_try_pullred(_Chain):
    async_: _fabric_try_pullred_async
class _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and_b32(_Chain):
    def __call__(self, e: Address, a: Address, b: Address, mbar: Address, policy: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and(_Chain):
    b32: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and_b32
    b64: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and_b32
class _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_min(_Chain):
    u32: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and_b32
    s32: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and_b32
    u64: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and_b32
    s64: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and_b32
    f16x2: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and_b32
    bf16x2: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and_b32
class _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_add(_Chain):
    u32: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and_b32
    u64: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and_b32
    f32: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and_b32
    f64: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and_b32
    f16x2: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and_b32
    bf16x2: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and_b32
class _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_exch(_Chain):
    b32: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and_b32
    b64: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and_b32
    b128: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and_b32
class _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys(_Chain):
    and_: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and
    or_: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and
    xor: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_and
    min: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_min
    max: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_min
    add: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_add
    exch: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_exch
    cas: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys_exch
class _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed(_Chain):
    sys: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed_sys
class _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint(_Chain):
    relaxed: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint_relaxed
class _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and_b32(_Chain):
    def __call__(self, e: Address, a: Address, b: Address, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and(_Chain):
    b32: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and_b32
    b64: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and_b32
class _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_min(_Chain):
    u32: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and_b32
    s32: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and_b32
    u64: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and_b32
    s64: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and_b32
    f16x2: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and_b32
    bf16x2: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and_b32
class _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_add(_Chain):
    u32: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and_b32
    u64: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and_b32
    f32: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and_b32
    f64: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and_b32
    f16x2: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and_b32
    bf16x2: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and_b32
class _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_exch(_Chain):
    b32: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and_b32
    b64: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and_b32
    b128: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and_b32
class _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys(_Chain):
    and_: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and
    or_: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and
    xor: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_and
    min: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_min
    max: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_min
    add: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_add
    exch: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_exch
    cas: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys_exch
class _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed(_Chain):
    sys: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed_sys
class _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric(_Chain):
    L2__cache_hint: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_L2__cache_hint
    relaxed: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric_relaxed
class _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B(_Chain):
    mbarrier__report__fabric: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B_mbarrier__report__fabric
class _fabric_try_atom_async_shared__cta(_Chain):
    mbarrier__complete_tx__16B: _fabric_try_atom_async_shared__cta_mbarrier__complete_tx__16B
class _fabric_try_atom_async(_Chain):
    shared__cta: _fabric_try_atom_async_shared__cta
class _fabric_try_atom(_Chain):
    async_: _fabric_try_atom_async
class _fabric_submit(_Chain):
    op_restrict__fetching: _cp_async_commit_group
    commit_group: _cp_async_commit_group
    def __call__(self, *, pred: Guard = ...) -> None: ...
class _fabric_wait_sync_restrict__reads(_Chain):
    @overload
    def __call__(self, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, n: int, /, *, pred: Guard = ...) -> None: ...
class _fabric_wait(_Chain):
    sync_restrict__reads: _fabric_wait_sync_restrict__reads
    sync_restrict__read: _cp_async_wait_group
class _fabric(_Chain):
    try_get: _fabric_try_get
    try_put: _fabric_try_put
    try_red: _fabric_try_red
    try_pullred: _fabric_try_pullred
    try_atom: _fabric_try_atom
    submit: _fabric_submit
    wait: _fabric_wait
class _tex_1d_v4_u32_f32(_Chain):
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, depth: F32 | float | Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, e: Vector[I32 | int], depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_1d_v4_u32_s32(_Chain):
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, e: Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
class _tex_1d_v4_u32(_Chain):
    f32: _tex_1d_v4_u32_f32
    s32: _tex_1d_v4_u32_s32
class _tex_1d_v4_f32_f32(_Chain):
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, depth: F32 | float | Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, e: Vector[I32 | int], depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_1d_v4_f32_s32(_Chain):
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, e: Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
class _tex_1d_v4_f32(_Chain):
    f32: _tex_1d_v4_f32_f32
    s32: _tex_1d_v4_f32_s32
class _tex_1d_v4_f16_f32(_Chain):
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, depth: F32 | float | Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, e: Vector[I32 | int], depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_1d_v4_f16_s32(_Chain):
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, e: Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
class _tex_1d_v4_f16(_Chain):
    f32: _tex_1d_v4_f16_f32
    s32: _tex_1d_v4_f16_s32
class _tex_1d_v4(_Chain):
    u32: _tex_1d_v4_u32
    s32: _tex_1d_v4_u32
    f32: _tex_1d_v4_f32
    f16: _tex_1d_v4_f16
class _tex_1d_v2_f16x2_f32(_Chain):
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, depth: F32 | float | Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, e: Vector[I32 | int], depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_1d_v2_f16x2_s32(_Chain):
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, e: Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
class _tex_1d_v2_f16x2(_Chain):
    f32: _tex_1d_v2_f16x2_f32
    s32: _tex_1d_v2_f16x2_s32
class _tex_1d_v2(_Chain):
    f16x2: _tex_1d_v2_f16x2
class _tex_1d(_Chain):
    v4: _tex_1d_v4
    v2: _tex_1d_v2
class _tex_3d_v4_u32(_Chain):
    f32: _tex_1d_v4_u32_s32
    s32: _tex_1d_v4_u32_s32
class _tex_3d_v4_f32(_Chain):
    f32: _tex_1d_v4_f32_s32
    s32: _tex_1d_v4_f32_s32
class _tex_3d_v4_f16(_Chain):
    f32: _tex_1d_v4_f16_s32
    s32: _tex_1d_v4_f16_s32
class _tex_3d_v4(_Chain):
    u32: _tex_3d_v4_u32
    s32: _tex_3d_v4_u32
    f32: _tex_3d_v4_f32
    f16: _tex_3d_v4_f16
class _tex_3d_v2_f16x2(_Chain):
    f32: _tex_1d_v2_f16x2_s32
    s32: _tex_1d_v2_f16x2_s32
class _tex_3d_v2(_Chain):
    f16x2: _tex_3d_v2_f16x2
class _tex_3d(_Chain):
    v4: _tex_3d_v4
    v2: _tex_3d_v2
class _tex_cube_v4_u32_f32(_Chain):
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_cube_v4_u32(_Chain):
    f32: _tex_cube_v4_u32_f32
class _tex_cube_v4_f32_f32(_Chain):
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_cube_v4_f32(_Chain):
    f32: _tex_cube_v4_f32_f32
class _tex_cube_v4_f16_f32(_Chain):
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_cube_v4_f16(_Chain):
    f32: _tex_cube_v4_f16_f32
class _tex_cube_v4(_Chain):
    u32: _tex_cube_v4_u32
    s32: _tex_cube_v4_u32
    f32: _tex_cube_v4_f32
    f16: _tex_cube_v4_f16
class _tex_cube_v2_f16x2_f32(_Chain):
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_cube_v2_f16x2(_Chain):
    f32: _tex_cube_v2_f16x2_f32
class _tex_cube_v2(_Chain):
    f16x2: _tex_cube_v2_f16x2
class _tex_cube(_Chain):
    v4: _tex_cube_v4
    v2: _tex_cube_v2
class _tex_2dms_v4_u32(_Chain):
    s32: _tex_1d_v4_u32_s32
class _tex_2dms_v4_f32(_Chain):
    s32: _tex_1d_v4_f32_s32
class _tex_2dms_v4_f16(_Chain):
    s32: _tex_1d_v4_f16_s32
class _tex_2dms_v4(_Chain):
    u32: _tex_2dms_v4_u32
    s32: _tex_2dms_v4_u32
    f32: _tex_2dms_v4_f32
    f16: _tex_2dms_v4_f16
class _tex_2dms_v2_f16x2(_Chain):
    s32: _tex_1d_v2_f16x2_s32
class _tex_2dms_v2(_Chain):
    f16x2: _tex_2dms_v2_f16x2
class _tex_2dms(_Chain):
    v4: _tex_2dms_v4
    v2: _tex_2dms_v2
class _tex_base(_Chain):
    _1d: _tex_1d
    _2d: _tex_1d
    _3d: _tex_3d
    a1d: _tex_1d
    a2d: _tex_1d
    cube: _tex_cube
    acube: _tex_cube
    _2dms: _tex_2dms
    a2dms: _tex_2dms
class _tex_level_1d_v4_u32_f32(_Chain):
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, depth: F32 | float | Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, e: Vector[I32 | int], depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_level_1d_v4_u32_s32(_Chain):
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: I32 | int, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: I32 | int, e: Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
class _tex_level_1d_v4_u32(_Chain):
    f32: _tex_level_1d_v4_u32_f32
    s32: _tex_level_1d_v4_u32_s32
class _tex_level_1d_v4_f32_f32(_Chain):
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, depth: F32 | float | Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, e: Vector[I32 | int], depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_level_1d_v4_f32_s32(_Chain):
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: I32 | int, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: I32 | int, e: Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
class _tex_level_1d_v4_f32(_Chain):
    f32: _tex_level_1d_v4_f32_f32
    s32: _tex_level_1d_v4_f32_s32
class _tex_level_1d_v4_f16_f32(_Chain):
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, depth: F32 | float | Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, e: Vector[I32 | int], depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_level_1d_v4_f16_s32(_Chain):
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: I32 | int, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: I32 | int, e: Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
class _tex_level_1d_v4_f16(_Chain):
    f32: _tex_level_1d_v4_f16_f32
    s32: _tex_level_1d_v4_f16_s32
class _tex_level_1d_v4(_Chain):
    u32: _tex_level_1d_v4_u32
    s32: _tex_level_1d_v4_u32
    f32: _tex_level_1d_v4_f32
    f16: _tex_level_1d_v4_f16
class _tex_level_1d_v2_f16x2_f32(_Chain):
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, depth: F32 | float | Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, e: Vector[I32 | int], depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_level_1d_v2_f16x2_s32(_Chain):
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: I32 | int, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: I32 | int, e: Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
class _tex_level_1d_v2_f16x2(_Chain):
    f32: _tex_level_1d_v2_f16x2_f32
    s32: _tex_level_1d_v2_f16x2_s32
class _tex_level_1d_v2(_Chain):
    f16x2: _tex_level_1d_v2_f16x2
class _tex_level_1d(_Chain):
    v4: _tex_level_1d_v4
    v2: _tex_level_1d_v2
class _tex_level_3d_v4_u32_f32(_Chain):
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, e: Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
class _tex_level_3d_v4_u32(_Chain):
    f32: _tex_level_3d_v4_u32_f32
    s32: _tex_level_1d_v4_u32_s32
class _tex_level_3d_v4_f32_f32(_Chain):
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, e: Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
class _tex_level_3d_v4_f32(_Chain):
    f32: _tex_level_3d_v4_f32_f32
    s32: _tex_level_1d_v4_f32_s32
class _tex_level_3d_v4_f16_f32(_Chain):
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, e: Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
class _tex_level_3d_v4_f16(_Chain):
    f32: _tex_level_3d_v4_f16_f32
    s32: _tex_level_1d_v4_f16_s32
class _tex_level_3d_v4(_Chain):
    u32: _tex_level_3d_v4_u32
    s32: _tex_level_3d_v4_u32
    f32: _tex_level_3d_v4_f32
    f16: _tex_level_3d_v4_f16
class _tex_level_3d_v2_f16x2_f32(_Chain):
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, e: Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
class _tex_level_3d_v2_f16x2(_Chain):
    f32: _tex_level_3d_v2_f16x2_f32
    s32: _tex_level_1d_v2_f16x2_s32
class _tex_level_3d_v2(_Chain):
    f16x2: _tex_level_3d_v2_f16x2
class _tex_level_3d(_Chain):
    v4: _tex_level_3d_v4
    v2: _tex_level_3d_v2
class _tex_level_cube_v4_u32_f32(_Chain):
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_level_cube_v4_u32(_Chain):
    f32: _tex_level_cube_v4_u32_f32
class _tex_level_cube_v4_f32_f32(_Chain):
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_level_cube_v4_f32(_Chain):
    f32: _tex_level_cube_v4_f32_f32
class _tex_level_cube_v4_f16_f32(_Chain):
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_level_cube_v4_f16(_Chain):
    f32: _tex_level_cube_v4_f16_f32
class _tex_level_cube_v4(_Chain):
    u32: _tex_level_cube_v4_u32
    s32: _tex_level_cube_v4_u32
    f32: _tex_level_cube_v4_f32
    f16: _tex_level_cube_v4_f16
class _tex_level_cube_v2_f16x2_f32(_Chain):
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, lod: F32 | float, depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_level_cube_v2_f16x2(_Chain):
    f32: _tex_level_cube_v2_f16x2_f32
class _tex_level_cube_v2(_Chain):
    f16x2: _tex_level_cube_v2_f16x2
class _tex_level_cube(_Chain):
    v4: _tex_level_cube_v4
    v2: _tex_level_cube_v2
class _tex_level(_Chain):
    _1d: _tex_level_1d
    _2d: _tex_level_1d
    _3d: _tex_level_3d
    a1d: _tex_level_1d
    a2d: _tex_level_1d
    cube: _tex_level_cube
    acube: _tex_level_cube
class _tex_grad_1d_v4_u32_f32(_Chain):
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], depth: F32 | float | Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], e: Vector[I32 | int], depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_grad_1d_v4_u32_s32(_Chain):
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], e: Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
class _tex_grad_1d_v4_u32(_Chain):
    f32: _tex_grad_1d_v4_u32_f32
    s32: _tex_grad_1d_v4_u32_s32
class _tex_grad_1d_v4_f32_f32(_Chain):
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], depth: F32 | float | Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], e: Vector[I32 | int], depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_grad_1d_v4_f32_s32(_Chain):
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], e: Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
class _tex_grad_1d_v4_f32(_Chain):
    f32: _tex_grad_1d_v4_f32_f32
    s32: _tex_grad_1d_v4_f32_s32
class _tex_grad_1d_v4_f16_f32(_Chain):
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], depth: F32 | float | Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], e: Vector[I32 | int], depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_grad_1d_v4_f16_s32(_Chain):
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], e: Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
class _tex_grad_1d_v4_f16(_Chain):
    f32: _tex_grad_1d_v4_f16_f32
    s32: _tex_grad_1d_v4_f16_s32
class _tex_grad_1d_v4(_Chain):
    u32: _tex_grad_1d_v4_u32
    s32: _tex_grad_1d_v4_u32
    f32: _tex_grad_1d_v4_f32
    f16: _tex_grad_1d_v4_f16
class _tex_grad_1d_v2_f16x2_f32(_Chain):
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], depth: F32 | float | Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], e: Vector[I32 | int], depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_grad_1d_v2_f16x2_s32(_Chain):
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], e: Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
class _tex_grad_1d_v2_f16x2(_Chain):
    f32: _tex_grad_1d_v2_f16x2_f32
    s32: _tex_grad_1d_v2_f16x2_s32
class _tex_grad_1d_v2(_Chain):
    f16x2: _tex_grad_1d_v2_f16x2
class _tex_grad_1d(_Chain):
    v4: _tex_grad_1d_v4
    v2: _tex_grad_1d_v2
class _tex_grad_3d_v4_u32(_Chain):
    f32: _tex_grad_1d_v4_u32_s32
    s32: _tex_grad_1d_v4_u32_s32
class _tex_grad_3d_v4_f32(_Chain):
    f32: _tex_grad_1d_v4_f32_s32
    s32: _tex_grad_1d_v4_f32_s32
class _tex_grad_3d_v4_f16(_Chain):
    f32: _tex_grad_1d_v4_f16_s32
    s32: _tex_grad_1d_v4_f16_s32
class _tex_grad_3d_v4(_Chain):
    u32: _tex_grad_3d_v4_u32
    s32: _tex_grad_3d_v4_u32
    f32: _tex_grad_3d_v4_f32
    f16: _tex_grad_3d_v4_f16
class _tex_grad_3d_v2_f16x2(_Chain):
    f32: _tex_grad_1d_v2_f16x2_s32
    s32: _tex_grad_1d_v2_f16x2_s32
class _tex_grad_3d_v2(_Chain):
    f16x2: _tex_grad_3d_v2_f16x2
class _tex_grad_3d(_Chain):
    v4: _tex_grad_3d_v4
    v2: _tex_grad_3d_v2
class _tex_grad_cube_v4_u32_f32(_Chain):
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[I32 | Sink | New] | tuple[Vector[I32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_grad_cube_v4_u32(_Chain):
    f32: _tex_grad_cube_v4_u32_f32
class _tex_grad_cube_v4_f32_f32(_Chain):
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F32 | Sink | New] | tuple[Vector[F32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_grad_cube_v4_f32(_Chain):
    f32: _tex_grad_cube_v4_f32_f32
class _tex_grad_cube_v4_f16_f32(_Chain):
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F16 | Sink | New] | tuple[Vector[F16 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_grad_cube_v4_f16(_Chain):
    f32: _tex_grad_cube_v4_f16_f32
class _tex_grad_cube_v4(_Chain):
    u32: _tex_grad_cube_v4_u32
    s32: _tex_grad_cube_v4_u32
    f32: _tex_grad_cube_v4_f32
    f16: _tex_grad_cube_v4_f16
class _tex_grad_cube_v2_f16x2_f32(_Chain):
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d2: Vector[B32 | Sink | New] | tuple[Vector[B32 | Sink | New] | Sink, PRED | New | Sink], a: Coordinates, x: Vector[F32 | float], y: Vector[F32 | float], depth: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _tex_grad_cube_v2_f16x2(_Chain):
    f32: _tex_grad_cube_v2_f16x2_f32
class _tex_grad_cube_v2(_Chain):
    f16x2: _tex_grad_cube_v2_f16x2
class _tex_grad_cube(_Chain):
    v4: _tex_grad_cube_v4
    v2: _tex_grad_cube_v2
class _tex_grad(_Chain):
    _1d: _tex_grad_1d
    _2d: _tex_grad_1d
    _3d: _tex_grad_3d
    a1d: _tex_grad_1d
    a2d: _tex_grad_1d
    cube: _tex_grad_cube
    acube: _tex_grad_cube
class _tex(_Chain):
    _1d: _tex_1d
    _2d: _tex_1d
    _3d: _tex_3d
    a1d: _tex_1d
    a2d: _tex_1d
    cube: _tex_cube
    acube: _tex_cube
    _2dms: _tex_2dms
    a2dms: _tex_2dms
    base: _tex_base
    level: _tex_level
    grad: _tex_grad
class _tld4_r_2d_v4_u32(_Chain):
    f32: _tex_1d_v4_u32_f32
class _tld4_r_2d_v4_f32(_Chain):
    f32: _tex_1d_v4_f32_f32
class _tld4_r_2d_v4(_Chain):
    u32: _tld4_r_2d_v4_u32
    s32: _tld4_r_2d_v4_u32
    f32: _tld4_r_2d_v4_f32
class _tld4_r_2d(_Chain):
    v4: _tld4_r_2d_v4
class _tld4_r_cube_v4(_Chain):
    u32: _tex_cube_v4_u32
    s32: _tex_cube_v4_u32
    f32: _tex_cube_v4_f32
class _tld4_r_cube(_Chain):
    v4: _tld4_r_cube_v4
class _tld4_r(_Chain):
    _2d: _tld4_r_2d
    a2d: _tld4_r_2d
    cube: _tld4_r_cube
    acube: _tld4_r_cube
class _tld4(_Chain):
    r: _tld4_r
    g: _tld4_r
    b: _tld4_r
    a: _tld4_r
class _txq_width(_Chain):
    b32: _multimem_ld_reduce_relaxed_cta_global_and_b32
class _txq_level_width_b32(_Chain):
    def __call__(self, d: B32 | New, a: Address, lod: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _txq_level_width(_Chain):
    b32: _txq_level_width_b32
class _txq_level(_Chain):
    width: _txq_level_width
    height: _txq_level_width
    depth: _txq_level_width
class _txq(_Chain):
    width: _txq_width
    height: _txq_width
    depth: _txq_width
    channel_data_type: _txq_width
    channel_order: _txq_width
    normalized_coords: _txq_width
    array_size: _txq_width
    num_mipmap_levels: _txq_width
    num_samples: _txq_width
    force_unnormalized_coords: _txq_width
    filter_mode: _txq_width
    addr_mode_0: _txq_width
    addr_mode_1: _txq_width
    addr_mode_2: _txq_width
    level: _txq_level
class _istypep_texref(_Chain):
    def __call__(self, p: PRED | New, a: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _istypep(_Chain):
    texref: _istypep_texref
    samplerref: _istypep_texref
    surfref: _istypep_texref
class _suld_b_1d_ca_b8_trap(_Chain):
    def __call__(self, d: B8_WIDER | New, a: Coordinates, /, *, pred: Guard = ...) -> Any: ...
class _suld_b_1d_ca_b8(_Chain):
    trap: _suld_b_1d_ca_b8_trap
    clamp: _suld_b_1d_ca_b8_trap
    zero: _suld_b_1d_ca_b8_trap
class _suld_b_1d_ca_b32_trap(_Chain):
    def __call__(self, d: B32_WIDER | New, a: Coordinates, /, *, pred: Guard = ...) -> Any: ...
class _suld_b_1d_ca_b32(_Chain):
    trap: _suld_b_1d_ca_b32_trap
    clamp: _suld_b_1d_ca_b32_trap
    zero: _suld_b_1d_ca_b32_trap
class _suld_b_1d_ca_b64_trap(_Chain):
    def __call__(self, d: B64_WIDER | New, a: Coordinates, /, *, pred: Guard = ...) -> Any: ...
class _suld_b_1d_ca_b64(_Chain):
    trap: _suld_b_1d_ca_b64_trap
    clamp: _suld_b_1d_ca_b64_trap
    zero: _suld_b_1d_ca_b64_trap
class _suld_b_1d_ca_v2_b8_trap(_Chain):
    def __call__(self, d: Vector[B8_WIDER | Sink | New], a: Coordinates, /, *, pred: Guard = ...) -> Any: ...
class _suld_b_1d_ca_v2_b8(_Chain):
    trap: _suld_b_1d_ca_v2_b8_trap
    clamp: _suld_b_1d_ca_v2_b8_trap
    zero: _suld_b_1d_ca_v2_b8_trap
class _suld_b_1d_ca_v2_b32_trap(_Chain):
    def __call__(self, d: Vector[B32_WIDER | Sink | New], a: Coordinates, /, *, pred: Guard = ...) -> Any: ...
class _suld_b_1d_ca_v2_b32(_Chain):
    trap: _suld_b_1d_ca_v2_b32_trap
    clamp: _suld_b_1d_ca_v2_b32_trap
    zero: _suld_b_1d_ca_v2_b32_trap
class _suld_b_1d_ca_v2_b64_trap(_Chain):
    def __call__(self, d: Vector[F32X2 | Sink | New], a: Coordinates, /, *, pred: Guard = ...) -> Any: ...
class _suld_b_1d_ca_v2_b64(_Chain):
    trap: _suld_b_1d_ca_v2_b64_trap
    clamp: _suld_b_1d_ca_v2_b64_trap
    zero: _suld_b_1d_ca_v2_b64_trap
class _suld_b_1d_ca_v2(_Chain):
    b8: _suld_b_1d_ca_v2_b8
    b16: _suld_b_1d_ca_v2_b8
    b32: _suld_b_1d_ca_v2_b32
    b64: _suld_b_1d_ca_v2_b64
class _suld_b_1d_ca_v4(_Chain):
    b8: _suld_b_1d_ca_v2_b8
    b16: _suld_b_1d_ca_v2_b8
    b32: _suld_b_1d_ca_v2_b32
class _suld_b_1d_ca(_Chain):
    b8: _suld_b_1d_ca_b8
    b16: _suld_b_1d_ca_b8
    b32: _suld_b_1d_ca_b32
    b64: _suld_b_1d_ca_b64
    v2: _suld_b_1d_ca_v2
    v4: _suld_b_1d_ca_v4
class _suld_b_1d(_Chain):
    ca: _suld_b_1d_ca
    cg: _suld_b_1d_ca
    cs: _suld_b_1d_ca
    cv: _suld_b_1d_ca
    b8: _suld_b_1d_ca_b8
    b16: _suld_b_1d_ca_b8
    b32: _suld_b_1d_ca_b32
    b64: _suld_b_1d_ca_b64
    v2: _suld_b_1d_ca_v2
    v4: _suld_b_1d_ca_v4
class _suld_b(_Chain):
    _1d: _suld_b_1d
    _2d: _suld_b_1d
    _3d: _suld_b_1d
    a1d: _suld_b_1d
    a2d: _suld_b_1d
class _suld(_Chain):
    b: _suld_b
class _sust_b_1d_wb_b8_trap(_Chain):
    def __call__(self, a: Coordinates, b: B8_WIDER | float, /, *, pred: Guard = ...) -> None: ...
class _sust_b_1d_wb_b8(_Chain):
    trap: _sust_b_1d_wb_b8_trap
    clamp: _sust_b_1d_wb_b8_trap
    zero: _sust_b_1d_wb_b8_trap
class _sust_b_1d_wb_b32_trap(_Chain):
    def __call__(self, a: Coordinates, b: B32_WIDER | float, /, *, pred: Guard = ...) -> None: ...
class _sust_b_1d_wb_b32(_Chain):
    trap: _sust_b_1d_wb_b32_trap
    clamp: _sust_b_1d_wb_b32_trap
    zero: _sust_b_1d_wb_b32_trap
class _sust_b_1d_wb_b64_trap(_Chain):
    def __call__(self, a: Coordinates, b: B64_WIDER | float, /, *, pred: Guard = ...) -> None: ...
class _sust_b_1d_wb_b64(_Chain):
    trap: _sust_b_1d_wb_b64_trap
    clamp: _sust_b_1d_wb_b64_trap
    zero: _sust_b_1d_wb_b64_trap
class _sust_b_1d_wb_v2_b8_trap(_Chain):
    def __call__(self, a: Coordinates, b: Vector[B8_WIDER | float], /, *, pred: Guard = ...) -> None: ...
class _sust_b_1d_wb_v2_b8(_Chain):
    trap: _sust_b_1d_wb_v2_b8_trap
    clamp: _sust_b_1d_wb_v2_b8_trap
    zero: _sust_b_1d_wb_v2_b8_trap
class _sust_b_1d_wb_v2_b32_trap(_Chain):
    def __call__(self, a: Coordinates, b: Vector[B32_WIDER | float], /, *, pred: Guard = ...) -> None: ...
class _sust_b_1d_wb_v2_b32(_Chain):
    trap: _sust_b_1d_wb_v2_b32_trap
    clamp: _sust_b_1d_wb_v2_b32_trap
    zero: _sust_b_1d_wb_v2_b32_trap
class _sust_b_1d_wb_v2_b64_trap(_Chain):
    def __call__(self, a: Coordinates, b: Vector[F32X2 | float], /, *, pred: Guard = ...) -> None: ...
class _sust_b_1d_wb_v2_b64(_Chain):
    trap: _sust_b_1d_wb_v2_b64_trap
    clamp: _sust_b_1d_wb_v2_b64_trap
    zero: _sust_b_1d_wb_v2_b64_trap
class _sust_b_1d_wb_v2(_Chain):
    b8: _sust_b_1d_wb_v2_b8
    b16: _sust_b_1d_wb_v2_b8
    b32: _sust_b_1d_wb_v2_b32
    b64: _sust_b_1d_wb_v2_b64
class _sust_b_1d_wb_v4(_Chain):
    b8: _sust_b_1d_wb_v2_b8
    b16: _sust_b_1d_wb_v2_b8
    b32: _sust_b_1d_wb_v2_b32
class _sust_b_1d_wb(_Chain):
    b8: _sust_b_1d_wb_b8
    b16: _sust_b_1d_wb_b8
    b32: _sust_b_1d_wb_b32
    b64: _sust_b_1d_wb_b64
    v2: _sust_b_1d_wb_v2
    v4: _sust_b_1d_wb_v4
class _sust_b_1d(_Chain):
    wb: _sust_b_1d_wb
    cg: _sust_b_1d_wb
    cs: _sust_b_1d_wb
    wt: _sust_b_1d_wb
    b8: _sust_b_1d_wb_b8
    b16: _sust_b_1d_wb_b8
    b32: _sust_b_1d_wb_b32
    b64: _sust_b_1d_wb_b64
    v2: _sust_b_1d_wb_v2
    v4: _sust_b_1d_wb_v4
class _sust_b(_Chain):
    _1d: _sust_b_1d
    _2d: _sust_b_1d
    _3d: _sust_b_1d
    a1d: _sust_b_1d
    a2d: _sust_b_1d
class _sust_p_1d_b32_trap(_Chain):
    def __call__(self, a: Coordinates, b: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _sust_p_1d_b32(_Chain):
    trap: _sust_p_1d_b32_trap
    clamp: _sust_p_1d_b32_trap
    zero: _sust_p_1d_b32_trap
class _sust_p_1d_v2_b32_trap(_Chain):
    def __call__(self, a: Coordinates, b: Vector[B32 | float], /, *, pred: Guard = ...) -> None: ...
class _sust_p_1d_v2_b32(_Chain):
    trap: _sust_p_1d_v2_b32_trap
    clamp: _sust_p_1d_v2_b32_trap
    zero: _sust_p_1d_v2_b32_trap
class _sust_p_1d_v2(_Chain):
    b32: _sust_p_1d_v2_b32
class _sust_p_1d(_Chain):
    b32: _sust_p_1d_b32
    v2: _sust_p_1d_v2
    v4: _sust_p_1d_v2
class _sust_p(_Chain):
    _1d: _sust_p_1d
    _2d: _sust_p_1d
    _3d: _sust_p_1d
    a1d: _sust_p_1d
    a2d: _sust_p_1d
class _sust(_Chain):
    b: _sust_b
    p: _sust_p
class _sured_b_add_1d_u32_trap(_Chain):
    def __call__(self, a: Coordinates, b: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _sured_b_add_1d_u32(_Chain):
    trap: _sured_b_add_1d_u32_trap
    clamp: _sured_b_add_1d_u32_trap
    zero: _sured_b_add_1d_u32_trap
class _sured_b_add_1d_u64_trap(_Chain):
    def __call__(self, a: Coordinates, b: I64 | int, /, *, pred: Guard = ...) -> None: ...
class _sured_b_add_1d_u64(_Chain):
    trap: _sured_b_add_1d_u64_trap
    clamp: _sured_b_add_1d_u64_trap
    zero: _sured_b_add_1d_u64_trap
class _sured_b_add_1d(_Chain):
    u32: _sured_b_add_1d_u32
    s32: _sured_b_add_1d_u32
    u64: _sured_b_add_1d_u64
class _sured_b_add(_Chain):
    _1d: _sured_b_add_1d
    _2d: _sured_b_add_1d
    _3d: _sured_b_add_1d
class _sured_b_min_1d(_Chain):
    u32: _sured_b_add_1d_u32
    s32: _sured_b_add_1d_u32
    u64: _sured_b_add_1d_u64
    s64: _sured_b_add_1d_u64
class _sured_b_min(_Chain):
    _1d: _sured_b_min_1d
    _2d: _sured_b_min_1d
    _3d: _sured_b_min_1d
class _sured_b_and_1d(_Chain):
    b32: _sust_p_1d_b32
class _sured_b_and(_Chain):
    _1d: _sured_b_and_1d
    _2d: _sured_b_and_1d
    _3d: _sured_b_and_1d
class _sured_b(_Chain):
    add: _sured_b_add
    min: _sured_b_min
    max: _sured_b_min
    and_: _sured_b_and
    or_: _sured_b_and
class _sured_p_min_1d_b64_trap(_Chain):
    def __call__(self, a: Coordinates, b: F32X2 | float, /, *, pred: Guard = ...) -> None: ...
class _sured_p_min_1d_b64(_Chain):
    trap: _sured_p_min_1d_b64_trap
    clamp: _sured_p_min_1d_b64_trap
    zero: _sured_p_min_1d_b64_trap
class _sured_p_min_1d(_Chain):
    b32: _sust_p_1d_b32
    b64: _sured_p_min_1d_b64
class _sured_p_min(_Chain):
    _1d: _sured_p_min_1d
    _2d: _sured_p_min_1d
    _3d: _sured_p_min_1d
class _sured_p(_Chain):
    add: _sured_b_and
    min: _sured_p_min
    max: _sured_p_min
    and_: _sured_b_and
    or_: _sured_b_and
class _sured(_Chain):
    b: _sured_b
    p: _sured_p
class _suq(_Chain):
    width: _txq_width
    height: _txq_width
    depth: _txq_width
    channel_data_type: _txq_width
    channel_order: _txq_width
    array_size: _txq_width
    memory_layout: _txq_width
class _bra_uni(_Chain):
    def __call__(self, tgt: Name, /, *, pred: Guard = ...) -> None: ...
class _bra(_Chain):
    uni: _bra_uni
    def __call__(self, tgt: Name, /, *, pred: Guard = ...) -> None: ...
class _brx_idx_uni(_Chain):
    def __call__(self, index: I32 | int, tlist: Name, /, *, pred: Guard = ...) -> None: ...
class _brx_idx(_Chain):
    uni: _brx_idx_uni
    def __call__(self, index: I32 | int, tlist: Name, /, *, pred: Guard = ...) -> None: ...
class _brx(_Chain):
    idx: _brx_idx
class _call_uni(_Chain):
    def __call__(self, *operands: Any, pred: Guard = ...) -> Any: ...
class _call(_Chain):
    uni: _call_uni
    def __call__(self, *operands: Any, pred: Guard = ...) -> Any: ...
class _ret(_Chain):
    uni: _cp_async_commit_group
    def __call__(self, *, pred: Guard = ...) -> None: ...
class _bar_cta_sync(_Chain):
    @overload
    def __call__(self, a: I32 | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, a: I32 | int, b: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _bar_cta_arrive(_Chain):
    def __call__(self, a: I32 | int, b: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _bar_cta_red_popc_u32(_Chain):
    @overload
    def __call__(self, d: I32 | New, a: I32 | int, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: I32 | New, a: I32 | int, b: I32 | int, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _bar_cta_red_popc(_Chain):
    u32: _bar_cta_red_popc_u32
class _bar_cta_red_and_pred(_Chain):
    @overload
    def __call__(self, p: PRED | New, a: I32 | int, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, p: PRED | New, a: I32 | int, b: I32 | int, c: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _bar_cta_red_and(_Chain):
    pred: _bar_cta_red_and_pred
class _bar_cta_red(_Chain):
    popc: _bar_cta_red_popc
    and_: _bar_cta_red_and
    or_: _bar_cta_red_and
class _bar_cta(_Chain):
    sync: _bar_cta_sync
    arrive: _bar_cta_arrive
    red: _bar_cta_red
class _bar_warp_sync(_Chain):
    def __call__(self, membermask: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _bar_warp(_Chain):
    sync: _bar_warp_sync
class _bar(_Chain):
    cta: _bar_cta
    sync: _bar_cta_sync
    arrive: _bar_cta_arrive
    red: _bar_cta_red
    warp: _bar_warp
class _barrier_cta_sync(_Chain):
    aligned: _bar_cta_sync
    @overload
    def __call__(self, a: I32 | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, a: I32 | int, b: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _barrier_cta_arrive(_Chain):
    aligned: _bar_cta_arrive
    def __call__(self, a: I32 | int, b: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _barrier_cta_red_popc(_Chain):
    aligned: _bar_cta_red_popc
    u32: _bar_cta_red_popc_u32
class _barrier_cta_red_and(_Chain):
    aligned: _bar_cta_red_and
    pred: _bar_cta_red_and_pred
class _barrier_cta_red(_Chain):
    popc: _barrier_cta_red_popc
    and_: _barrier_cta_red_and
    or_: _barrier_cta_red_and
class _barrier_cta(_Chain):
    sync: _barrier_cta_sync
    arrive: _barrier_cta_arrive
    red: _barrier_cta_red
class _barrier_cluster_arrive_release(_Chain):
    aligned: _cp_async_commit_group
    def __call__(self, *, pred: Guard = ...) -> None: ...
class _barrier_cluster_arrive(_Chain):
    release: _barrier_cluster_arrive_release
    relaxed: _barrier_cluster_arrive_release
    aligned: _cp_async_commit_group
    def __call__(self, *, pred: Guard = ...) -> None: ...
class _barrier_cluster_wait(_Chain):
    acquire: _barrier_cluster_arrive_release
    aligned: _cp_async_commit_group
    def __call__(self, *, pred: Guard = ...) -> None: ...
class _barrier_cluster(_Chain):
    arrive: _barrier_cluster_arrive
    wait: _barrier_cluster_wait
class _barrier(_Chain):
    cta: _barrier_cta
    sync: _barrier_cta_sync
    arrive: _barrier_cta_arrive
    red: _barrier_cta_red
    cluster: _barrier_cluster
class _membar_proxy(_Chain):
    alias: _cp_async_commit_group
    async_: _cp_async_commit_group
class _membar(_Chain):
    cta: _cp_async_commit_group
    gl: _cp_async_commit_group
    sys: _cp_async_commit_group
    proxy: _membar_proxy
class _fence_sc(_Chain):
    cta: _cp_async_commit_group
    cluster: _cp_async_commit_group
    gpu: _cp_async_commit_group
    sys: _cp_async_commit_group
class _fence_acquire_sync_restrict__shared__cluster(_Chain):
    cluster: _cp_async_commit_group
class _fence_acquire(_Chain):
    cta: _cp_async_commit_group
    cluster: _cp_async_commit_group
    gpu: _cp_async_commit_group
    sys: _cp_async_commit_group
    sync_restrict__shared__cluster: _fence_acquire_sync_restrict__shared__cluster
class _fence_release(_Chain):
    cta: _cp_async_commit_group
    cluster: _cp_async_commit_group
    gpu: _cp_async_commit_group
    sys: _cp_async_commit_group
    sync_restrict__shared__cta: _fence_acquire_sync_restrict__shared__cluster
class _fence_mbarrier_init(_Chain):
    release: _fence_acquire_sync_restrict__shared__cluster
class _fence_proxy_alias_acquire(_Chain):
    sys: _cp_async_commit_group
class _fence_proxy_alias(_Chain):
    acquire: _fence_proxy_alias_acquire
    release: _fence_proxy_alias_acquire
    def __call__(self, *, pred: Guard = ...) -> None: ...
class _fence_proxy_async(_Chain):
    global_: _cp_async_commit_group
    shared__cta: _cp_async_commit_group
    shared__cluster: _cp_async_commit_group
    def __call__(self, *, pred: Guard = ...) -> None: ...
class _fence_proxy_tensormap__generic_acquire(_Chain):
    cta: _applypriority_global_L2__evict_normal
    cluster: _applypriority_global_L2__evict_normal
    gpu: _applypriority_global_L2__evict_normal
    sys: _applypriority_global_L2__evict_normal
class _fence_proxy_tensormap__generic(_Chain):
    release: _fence_sc
    acquire: _fence_proxy_tensormap__generic_acquire
class _fence_proxy_async__generic_acquire(_Chain):
    sync_restrict__shared__cluster: _fence_acquire_sync_restrict__shared__cluster
class _fence_proxy_async__generic_release(_Chain):
    sync_restrict__shared__cta: _fence_acquire_sync_restrict__shared__cluster
    sync_restrict__shared__cluster__read: _fence_acquire_sync_restrict__shared__cluster
class _fence_proxy_async__generic(_Chain):
    acquire: _fence_proxy_async__generic_acquire
    release: _fence_proxy_async__generic_release
class _fence_proxy_generic__fabric_alias(_Chain):
    acquire: _fence_proxy_alias_acquire
    release: _fence_proxy_alias_acquire
class _fence_proxy_generic__fabric(_Chain):
    alias: _fence_proxy_generic__fabric_alias
class _fence_proxy(_Chain):
    alias: _fence_proxy_alias
    async_: _fence_proxy_async
    tensormap__generic: _fence_proxy_tensormap__generic
    async__generic: _fence_proxy_async__generic
    generic__fabric: _fence_proxy_generic__fabric
    fabric__generic: _fence_proxy_generic__fabric
    fabric__fabric: _fence_proxy_generic__fabric
class _fence(_Chain):
    sc: _fence_sc
    acq_rel: _fence_sc
    acquire: _fence_acquire
    release: _fence_release
    cta: _cp_async_commit_group
    cluster: _cp_async_commit_group
    gpu: _cp_async_commit_group
    sys: _cp_async_commit_group
    mbarrier_init: _fence_mbarrier_init
    proxy: _fence_proxy
class _atom_relaxed_cta_global_and_L2__cache_hint_b32(_Chain):
    def __call__(self, d: B32 | Sink | New, a: Address, b: B32 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_and_L2__cache_hint_b64(_Chain):
    def __call__(self, d: F32X2 | Sink | New, a: Address, b: F32X2 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_and_L2__cache_hint(_Chain):
    b32: _atom_relaxed_cta_global_and_L2__cache_hint_b32
    b64: _atom_relaxed_cta_global_and_L2__cache_hint_b64
class _atom_relaxed_cta_global_and_b32(_Chain):
    def __call__(self, d: B32 | Sink | New, a: Address, b: B32 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_and_b64(_Chain):
    def __call__(self, d: F32X2 | Sink | New, a: Address, b: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_and(_Chain):
    L2__cache_hint: _atom_relaxed_cta_global_and_L2__cache_hint
    b32: _atom_relaxed_cta_global_and_b32
    b64: _atom_relaxed_cta_global_and_b64
class _atom_relaxed_cta_global_exch_L2__cache_hint_b128(_Chain):
    def __call__(self, d: B128 | Sink | New, a: Address, b: B128 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_exch_L2__cache_hint(_Chain):
    b32: _atom_relaxed_cta_global_and_L2__cache_hint_b32
    b64: _atom_relaxed_cta_global_and_L2__cache_hint_b64
    b128: _atom_relaxed_cta_global_exch_L2__cache_hint_b128
class _atom_relaxed_cta_global_exch_b128(_Chain):
    def __call__(self, d: B128 | Sink | New, a: Address, b: B128 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_exch(_Chain):
    L2__cache_hint: _atom_relaxed_cta_global_exch_L2__cache_hint
    b32: _atom_relaxed_cta_global_and_b32
    b64: _atom_relaxed_cta_global_and_b64
    b128: _atom_relaxed_cta_global_exch_b128
class _atom_relaxed_cta_global_add_L2__cache_hint_u32(_Chain):
    def __call__(self, d: I32 | Sink | New, a: Address, b: I32 | int, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_add_L2__cache_hint_u64(_Chain):
    def __call__(self, d: I64 | Sink | New, a: Address, b: I64 | int, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_add_L2__cache_hint_f32(_Chain):
    def __call__(self, d: F32 | Sink | New, a: Address, b: F32 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_add_L2__cache_hint_f64(_Chain):
    def __call__(self, d: F64 | Sink | New, a: Address, b: F64 | float, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_add_L2__cache_hint_v2_f32(_Chain):
    def __call__(self, d: Vector[F32 | Sink | New], a: Address, b: Vector[F32 | float], policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_add_L2__cache_hint_v2(_Chain):
    f32: _atom_relaxed_cta_global_add_L2__cache_hint_v2_f32
class _atom_relaxed_cta_global_add_L2__cache_hint(_Chain):
    u32: _atom_relaxed_cta_global_add_L2__cache_hint_u32
    s32: _atom_relaxed_cta_global_add_L2__cache_hint_u32
    u64: _atom_relaxed_cta_global_add_L2__cache_hint_u64
    f32: _atom_relaxed_cta_global_add_L2__cache_hint_f32
    f64: _atom_relaxed_cta_global_add_L2__cache_hint_f64
    v2: _atom_relaxed_cta_global_add_L2__cache_hint_v2
    v4: _atom_relaxed_cta_global_add_L2__cache_hint_v2
class _atom_relaxed_cta_global_add_u32(_Chain):
    def __call__(self, d: I32 | Sink | New, a: Address, b: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_add_u64(_Chain):
    def __call__(self, d: I64 | Sink | New, a: Address, b: I64 | int, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_add_f32(_Chain):
    def __call__(self, d: F32 | Sink | New, a: Address, b: F32 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_add_f64(_Chain):
    def __call__(self, d: F64 | Sink | New, a: Address, b: F64 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_add_noftz_L2__cache_hint_f16(_Chain):
    def __call__(self, d: F16 | Sink | New, a: Address, b: F16, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_add_noftz_L2__cache_hint_f16x2(_Chain):
    def __call__(self, d: U8X4 | Sink | New, a: Address, b: U8X4, policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16(_Chain):
    def __call__(self, d: Vector[F16 | Sink | New], a: Address, b: Vector[F16], policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16x2(_Chain):
    def __call__(self, d: Vector[U8X4 | Sink | New], a: Address, b: Vector[U8X4], policy: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_add_noftz_L2__cache_hint_v2(_Chain):
    f32: _atom_relaxed_cta_global_add_L2__cache_hint_v2_f32
    f16: _atom_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16
    bf16: _atom_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16
    f16x2: _atom_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16x2
    bf16x2: _atom_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16x2
class _atom_relaxed_cta_global_add_noftz_L2__cache_hint_v8(_Chain):
    f16: _atom_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16
    bf16: _atom_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16
class _atom_relaxed_cta_global_add_noftz_L2__cache_hint(_Chain):
    f16: _atom_relaxed_cta_global_add_noftz_L2__cache_hint_f16
    f16x2: _atom_relaxed_cta_global_add_noftz_L2__cache_hint_f16x2
    bf16: _atom_relaxed_cta_global_add_noftz_L2__cache_hint_f16
    bf16x2: _atom_relaxed_cta_global_add_noftz_L2__cache_hint_f16x2
    f32: _atom_relaxed_cta_global_add_L2__cache_hint_f32
    v2: _atom_relaxed_cta_global_add_noftz_L2__cache_hint_v2
    v4: _atom_relaxed_cta_global_add_noftz_L2__cache_hint_v2
    v8: _atom_relaxed_cta_global_add_noftz_L2__cache_hint_v8
class _atom_relaxed_cta_global_add_noftz_f16(_Chain):
    def __call__(self, d: F16 | Sink | New, a: Address, b: F16, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_add_noftz_f16x2(_Chain):
    def __call__(self, d: U8X4 | Sink | New, a: Address, b: U8X4, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_add_noftz_v2_f32(_Chain):
    def __call__(self, d: Vector[F32 | Sink | New], a: Address, b: Vector[F32 | float], /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_add_noftz_v2_f16(_Chain):
    def __call__(self, d: Vector[F16 | Sink | New], a: Address, b: Vector[F16], /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_add_noftz_v2_f16x2(_Chain):
    def __call__(self, d: Vector[U8X4 | Sink | New], a: Address, b: Vector[U8X4], /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_add_noftz_v2(_Chain):
    f32: _atom_relaxed_cta_global_add_noftz_v2_f32
    f16: _atom_relaxed_cta_global_add_noftz_v2_f16
    bf16: _atom_relaxed_cta_global_add_noftz_v2_f16
    f16x2: _atom_relaxed_cta_global_add_noftz_v2_f16x2
    bf16x2: _atom_relaxed_cta_global_add_noftz_v2_f16x2
class _atom_relaxed_cta_global_add_noftz_v8(_Chain):
    f16: _atom_relaxed_cta_global_add_noftz_v2_f16
    bf16: _atom_relaxed_cta_global_add_noftz_v2_f16
class _atom_relaxed_cta_global_add_noftz(_Chain):
    L2__cache_hint: _atom_relaxed_cta_global_add_noftz_L2__cache_hint
    f16: _atom_relaxed_cta_global_add_noftz_f16
    f16x2: _atom_relaxed_cta_global_add_noftz_f16x2
    bf16: _atom_relaxed_cta_global_add_noftz_f16
    bf16x2: _atom_relaxed_cta_global_add_noftz_f16x2
    f32: _atom_relaxed_cta_global_add_f32
    v2: _atom_relaxed_cta_global_add_noftz_v2
    v4: _atom_relaxed_cta_global_add_noftz_v2
    v8: _atom_relaxed_cta_global_add_noftz_v8
class _atom_relaxed_cta_global_add_v2(_Chain):
    f32: _atom_relaxed_cta_global_add_noftz_v2_f32
class _atom_relaxed_cta_global_add(_Chain):
    L2__cache_hint: _atom_relaxed_cta_global_add_L2__cache_hint
    u32: _atom_relaxed_cta_global_add_u32
    s32: _atom_relaxed_cta_global_add_u32
    u64: _atom_relaxed_cta_global_add_u64
    f32: _atom_relaxed_cta_global_add_f32
    f64: _atom_relaxed_cta_global_add_f64
    noftz: _atom_relaxed_cta_global_add_noftz
    v2: _atom_relaxed_cta_global_add_v2
    v4: _atom_relaxed_cta_global_add_v2
class _atom_relaxed_cta_global_inc_L2__cache_hint(_Chain):
    u32: _atom_relaxed_cta_global_add_L2__cache_hint_u32
class _atom_relaxed_cta_global_inc(_Chain):
    L2__cache_hint: _atom_relaxed_cta_global_inc_L2__cache_hint
    u32: _atom_relaxed_cta_global_add_u32
class _atom_relaxed_cta_global_min_L2__cache_hint(_Chain):
    u32: _atom_relaxed_cta_global_add_L2__cache_hint_u32
    s32: _atom_relaxed_cta_global_add_L2__cache_hint_u32
    u64: _atom_relaxed_cta_global_add_L2__cache_hint_u64
    s64: _atom_relaxed_cta_global_add_L2__cache_hint_u64
class _atom_relaxed_cta_global_min_noftz_L2__cache_hint_v2(_Chain):
    f16: _atom_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16
    bf16: _atom_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16
    f16x2: _atom_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16x2
    bf16x2: _atom_relaxed_cta_global_add_noftz_L2__cache_hint_v2_f16x2
class _atom_relaxed_cta_global_min_noftz_L2__cache_hint(_Chain):
    v2: _atom_relaxed_cta_global_min_noftz_L2__cache_hint_v2
    v4: _atom_relaxed_cta_global_min_noftz_L2__cache_hint_v2
    v8: _atom_relaxed_cta_global_add_noftz_L2__cache_hint_v8
class _atom_relaxed_cta_global_min_noftz_v2(_Chain):
    f16: _atom_relaxed_cta_global_add_noftz_v2_f16
    bf16: _atom_relaxed_cta_global_add_noftz_v2_f16
    f16x2: _atom_relaxed_cta_global_add_noftz_v2_f16x2
    bf16x2: _atom_relaxed_cta_global_add_noftz_v2_f16x2
class _atom_relaxed_cta_global_min_noftz(_Chain):
    L2__cache_hint: _atom_relaxed_cta_global_min_noftz_L2__cache_hint
    v2: _atom_relaxed_cta_global_min_noftz_v2
    v4: _atom_relaxed_cta_global_min_noftz_v2
    v8: _atom_relaxed_cta_global_add_noftz_v8
class _atom_relaxed_cta_global_min(_Chain):
    L2__cache_hint: _atom_relaxed_cta_global_min_L2__cache_hint
    u32: _atom_relaxed_cta_global_add_u32
    s32: _atom_relaxed_cta_global_add_u32
    u64: _atom_relaxed_cta_global_add_u64
    s64: _atom_relaxed_cta_global_add_u64
    noftz: _atom_relaxed_cta_global_min_noftz
class _atom_relaxed_cta_global_cas_b128(_Chain):
    def __call__(self, d: B128 | Sink | New, a: Address, b: B128 | float, c: B128 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_cas_b16(_Chain):
    def __call__(self, d: E2M1X4 | Sink | New, a: Address, b: E2M1X4 | float, c: E2M1X4 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_cas_b32(_Chain):
    def __call__(self, d: B32 | Sink | New, a: Address, b: B32 | float, c: B32 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_cas_b64(_Chain):
    def __call__(self, d: F32X2 | Sink | New, a: Address, b: F32X2 | float, c: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _atom_relaxed_cta_global_cas(_Chain):
    b128: _atom_relaxed_cta_global_cas_b128
    b16: _atom_relaxed_cta_global_cas_b16
    b32: _atom_relaxed_cta_global_cas_b32
    b64: _atom_relaxed_cta_global_cas_b64
class _atom_relaxed_cta_global(_Chain):
    and_: _atom_relaxed_cta_global_and
    or_: _atom_relaxed_cta_global_and
    xor: _atom_relaxed_cta_global_and
    exch: _atom_relaxed_cta_global_exch
    add: _atom_relaxed_cta_global_add
    inc: _atom_relaxed_cta_global_inc
    dec: _atom_relaxed_cta_global_inc
    min: _atom_relaxed_cta_global_min
    max: _atom_relaxed_cta_global_min
    cas: _atom_relaxed_cta_global_cas
class _atom_relaxed_cta_shared_and(_Chain):
    b32: _atom_relaxed_cta_global_and_b32
    b64: _atom_relaxed_cta_global_and_b64
class _atom_relaxed_cta_shared_exch(_Chain):
    b32: _atom_relaxed_cta_global_and_b32
    b64: _atom_relaxed_cta_global_and_b64
    b128: _atom_relaxed_cta_global_exch_b128
class _atom_relaxed_cta_shared_add_noftz(_Chain):
    f16: _atom_relaxed_cta_global_add_noftz_f16
    f16x2: _atom_relaxed_cta_global_add_noftz_f16x2
    bf16: _atom_relaxed_cta_global_add_noftz_f16
    bf16x2: _atom_relaxed_cta_global_add_noftz_f16x2
    f32: _atom_relaxed_cta_global_add_f32
class _atom_relaxed_cta_shared_add(_Chain):
    u32: _atom_relaxed_cta_global_add_u32
    s32: _atom_relaxed_cta_global_add_u32
    u64: _atom_relaxed_cta_global_add_u64
    f32: _atom_relaxed_cta_global_add_f32
    f64: _atom_relaxed_cta_global_add_f64
    noftz: _atom_relaxed_cta_shared_add_noftz
class _atom_relaxed_cta_shared_inc(_Chain):
    u32: _atom_relaxed_cta_global_add_u32
class _atom_relaxed_cta_shared_min(_Chain):
    u32: _atom_relaxed_cta_global_add_u32
    s32: _atom_relaxed_cta_global_add_u32
    u64: _atom_relaxed_cta_global_add_u64
    s64: _atom_relaxed_cta_global_add_u64
class _atom_relaxed_cta_shared(_Chain):
    and_: _atom_relaxed_cta_shared_and
    or_: _atom_relaxed_cta_shared_and
    xor: _atom_relaxed_cta_shared_and
    exch: _atom_relaxed_cta_shared_exch
    add: _atom_relaxed_cta_shared_add
    inc: _atom_relaxed_cta_shared_inc
    dec: _atom_relaxed_cta_shared_inc
    min: _atom_relaxed_cta_shared_min
    max: _atom_relaxed_cta_shared_min
    cas: _atom_relaxed_cta_global_cas
class _atom_relaxed_cta(_Chain):
    global_: _atom_relaxed_cta_global
    shared: _atom_relaxed_cta_shared
    shared__cta: _atom_relaxed_cta_shared
    shared__cluster: _atom_relaxed_cta_shared
    and_: _atom_relaxed_cta_global_and
    or_: _atom_relaxed_cta_global_and
    xor: _atom_relaxed_cta_global_and
    exch: _atom_relaxed_cta_global_exch
    add: _atom_relaxed_cta_global_add
    inc: _atom_relaxed_cta_global_inc
    dec: _atom_relaxed_cta_global_inc
    min: _atom_relaxed_cta_global_min
    max: _atom_relaxed_cta_global_min
    cas: _atom_relaxed_cta_global_cas
class _atom_relaxed(_Chain):
    cta: _atom_relaxed_cta
    cluster: _atom_relaxed_cta
    gpu: _atom_relaxed_cta
    sys: _atom_relaxed_cta
    global_: _atom_relaxed_cta_global
    shared: _atom_relaxed_cta_shared
    shared__cta: _atom_relaxed_cta_shared
    shared__cluster: _atom_relaxed_cta_shared
    and_: _atom_relaxed_cta_global_and
    or_: _atom_relaxed_cta_global_and
    xor: _atom_relaxed_cta_global_and
    exch: _atom_relaxed_cta_global_exch
    add: _atom_relaxed_cta_global_add
    inc: _atom_relaxed_cta_global_inc
    dec: _atom_relaxed_cta_global_inc
    min: _atom_relaxed_cta_global_min
    max: _atom_relaxed_cta_global_min
    cas: _atom_relaxed_cta_global_cas
class _atom(_Chain):
    relaxed: _atom_relaxed
    acquire: _atom_relaxed
    release: _atom_relaxed
    acq_rel: _atom_relaxed
    cta: _atom_relaxed_cta
    cluster: _atom_relaxed_cta
    gpu: _atom_relaxed_cta
    sys: _atom_relaxed_cta
    global_: _atom_relaxed_cta_global
    shared: _atom_relaxed_cta_shared
    shared__cta: _atom_relaxed_cta_shared
    shared__cluster: _atom_relaxed_cta_shared
    and_: _atom_relaxed_cta_global_and
    or_: _atom_relaxed_cta_global_and
    xor: _atom_relaxed_cta_global_and
    exch: _atom_relaxed_cta_global_exch
    add: _atom_relaxed_cta_global_add
    inc: _atom_relaxed_cta_global_inc
    dec: _atom_relaxed_cta_global_inc
    min: _atom_relaxed_cta_global_min
    max: _atom_relaxed_cta_global_min
    cas: _atom_relaxed_cta_global_cas
class _vote_all(_Chain):
    pred: _not_pred
class _vote_ballot_b32(_Chain):
    def __call__(self, d: B32 | New, a: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _vote_ballot(_Chain):
    b32: _vote_ballot_b32
class _vote_sync_all_pred(_Chain):
    def __call__(self, d: PRED | New, a: PRED | int, membermask: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _vote_sync_all(_Chain):
    pred: _vote_sync_all_pred
class _vote_sync_ballot_b32(_Chain):
    def __call__(self, d: B32 | New, a: PRED | int, membermask: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _vote_sync_ballot(_Chain):
    b32: _vote_sync_ballot_b32
class _vote_sync(_Chain):
    all: _vote_sync_all
    any: _vote_sync_all
    uni: _vote_sync_all
    ballot: _vote_sync_ballot
class _vote(_Chain):
    all: _vote_all
    any: _vote_all
    uni: _vote_all
    ballot: _vote_ballot
    sync: _vote_sync
class _match_any_sync_b32(_Chain):
    def __call__(self, d: B32 | New, a: B32 | float, membermask: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _match_any_sync_b64(_Chain):
    def __call__(self, d: B32 | New, a: F32X2 | float, membermask: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _match_any_sync(_Chain):
    b32: _match_any_sync_b32
    b64: _match_any_sync_b64
class _match_any(_Chain):
    sync: _match_any_sync
class _match_all_sync_b32(_Chain):
    def __call__(self, d: B32 | Sink | New | tuple[B32 | Sink | New | Sink, PRED | New | Sink], a: B32 | float, membermask: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _match_all_sync_b64(_Chain):
    def __call__(self, d: B32 | Sink | New | tuple[B32 | Sink | New | Sink, PRED | New | Sink], a: F32X2 | float, membermask: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _match_all_sync(_Chain):
    b32: _match_all_sync_b32
    b64: _match_all_sync_b64
class _match_all(_Chain):
    sync: _match_all_sync
class _match(_Chain):
    any: _match_any
    all: _match_all
class _activemask_b32(_Chain):
    def __call__(self, d: B32 | New, /, *, pred: Guard = ...) -> Any: ...
class _activemask(_Chain):
    b32: _activemask_b32
class _redux_sync_add_u32(_Chain):
    def __call__(self, d: I32 | New, a: I32 | int, membermask: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _redux_sync_add(_Chain):
    u32: _redux_sync_add_u32
    s32: _redux_sync_add_u32
class _redux_sync_min_abs_NaN_f32(_Chain):
    def __call__(self, d: F32 | New, a: F32 | float, membermask: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _redux_sync_min_abs_NaN(_Chain):
    f32: _redux_sync_min_abs_NaN_f32
class _redux_sync_min_abs(_Chain):
    NaN: _redux_sync_min_abs_NaN
    f32: _redux_sync_min_abs_NaN_f32
class _redux_sync_min(_Chain):
    u32: _redux_sync_add_u32
    s32: _redux_sync_add_u32
    abs: _redux_sync_min_abs
    NaN: _redux_sync_min_abs_NaN
    f32: _redux_sync_min_abs_NaN_f32
class _redux_sync_and(_Chain):
    b32: _match_any_sync_b32
class _redux_sync(_Chain):
    add: _redux_sync_add
    min: _redux_sync_min
    max: _redux_sync_min
    and_: _redux_sync_and
    or_: _redux_sync_and
    xor: _redux_sync_and
class _redux(_Chain):
    sync: _redux_sync
class _griddepcontrol(_Chain):
    launch_dependents: _cp_async_commit_group
    wait: _cp_async_commit_group
class _elect_sync(_Chain):
    def __call__(self, d: tuple[B32 | Sink | New | Sink, PRED | New | Sink], membermask: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _elect(_Chain):
    sync: _elect_sync
class _mbarrier_init_shared_b64(_Chain):
    def __call__(self, a: Address, count: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _mbarrier_init_shared(_Chain):
    b64: _mbarrier_init_shared_b64
class _mbarrier_init_layout__v0(_Chain):
    shared: _mbarrier_init_shared
    shared__cta: _mbarrier_init_shared
    b64: _mbarrier_init_shared_b64
class _mbarrier_init(_Chain):
    shared: _mbarrier_init_shared
    shared__cta: _mbarrier_init_shared
    b64: _mbarrier_init_shared_b64
    layout__v0: _mbarrier_init_layout__v0
    layout__v1: _mbarrier_init_layout__v0
class _mbarrier_expect_tx_shared_b64(_Chain):
    def __call__(self, a: Address, tx: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _mbarrier_expect_tx_shared(_Chain):
    b64: _mbarrier_expect_tx_shared_b64
class _mbarrier_expect_tx_shared__cluster_multicast__cluster__32b_b64(_Chain):
    def __call__(self, a: Address, tx: I32 | int, mask: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _mbarrier_expect_tx_shared__cluster_multicast__cluster__32b(_Chain):
    b64: _mbarrier_expect_tx_shared__cluster_multicast__cluster__32b_b64
class _mbarrier_expect_tx_shared__cluster(_Chain):
    b64: _mbarrier_expect_tx_shared_b64
    multicast__cluster__32b: _mbarrier_expect_tx_shared__cluster_multicast__cluster__32b
class _mbarrier_expect_tx_relaxed_cta(_Chain):
    shared: _mbarrier_expect_tx_shared
    shared__cta: _mbarrier_expect_tx_shared
    shared__cluster: _mbarrier_expect_tx_shared__cluster
    b64: _mbarrier_expect_tx_shared_b64
    multicast__cluster__32b: _mbarrier_expect_tx_shared__cluster_multicast__cluster__32b
class _mbarrier_expect_tx_relaxed(_Chain):
    cta: _mbarrier_expect_tx_relaxed_cta
    cluster: _mbarrier_expect_tx_relaxed_cta
class _mbarrier_expect_tx(_Chain):
    shared: _mbarrier_expect_tx_shared
    shared__cta: _mbarrier_expect_tx_shared
    shared__cluster: _mbarrier_expect_tx_shared__cluster
    b64: _mbarrier_expect_tx_shared_b64
    relaxed: _mbarrier_expect_tx_relaxed
    multicast__cluster__32b: _mbarrier_expect_tx_shared__cluster_multicast__cluster__32b
class _mbarrier_arrive_shared_b64(_Chain):
    @overload
    def __call__(self, d: F32X2 | New | Sink, a: Address, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: F32X2 | New | Sink, a: Address, count: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _mbarrier_arrive_shared(_Chain):
    b64: _mbarrier_arrive_shared_b64
class _mbarrier_arrive_shared__cluster_b64(_Chain):
    @overload
    def __call__(self, _: Sink, a: Address, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, _: Sink, a: Address, count: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _mbarrier_arrive_shared__cluster_multicast__cluster__32b_b64(_Chain):
    @overload
    def __call__(self, _: Sink, a: Address, mask: B32 | float, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, _: Sink, a: Address, count: I32 | int, mask: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _mbarrier_arrive_shared__cluster_multicast__cluster__32b(_Chain):
    b64: _mbarrier_arrive_shared__cluster_multicast__cluster__32b_b64
class _mbarrier_arrive_shared__cluster(_Chain):
    b64: _mbarrier_arrive_shared__cluster_b64
    multicast__cluster__32b: _mbarrier_arrive_shared__cluster_multicast__cluster__32b
class _mbarrier_arrive_expect_tx_shared_b64(_Chain):
    def __call__(self, d: F32X2 | Sink | New, a: Address, tx: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _mbarrier_arrive_expect_tx_shared(_Chain):
    b64: _mbarrier_arrive_expect_tx_shared_b64
class _mbarrier_arrive_expect_tx_shared__cluster_b64(_Chain):
    def __call__(self, _: Sink, a: Address, tx: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _mbarrier_arrive_expect_tx_shared__cluster_multicast__cluster__32b_b64(_Chain):
    def __call__(self, _: Sink, a: Address, tx: I32 | int, mask: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _mbarrier_arrive_expect_tx_shared__cluster_multicast__cluster__32b(_Chain):
    b64: _mbarrier_arrive_expect_tx_shared__cluster_multicast__cluster__32b_b64
class _mbarrier_arrive_expect_tx_shared__cluster(_Chain):
    b64: _mbarrier_arrive_expect_tx_shared__cluster_b64
    multicast__cluster__32b: _mbarrier_arrive_expect_tx_shared__cluster_multicast__cluster__32b
class _mbarrier_arrive_expect_tx_release_cta(_Chain):
    shared: _mbarrier_arrive_expect_tx_shared
    shared__cta: _mbarrier_arrive_expect_tx_shared
    b64: _mbarrier_arrive_expect_tx_shared_b64
    shared__cluster: _mbarrier_arrive_expect_tx_shared__cluster
    multicast__cluster__32b: _mbarrier_arrive_expect_tx_shared__cluster_multicast__cluster__32b
class _mbarrier_arrive_expect_tx_release(_Chain):
    cta: _mbarrier_arrive_expect_tx_release_cta
    cluster: _mbarrier_arrive_expect_tx_release_cta
class _mbarrier_arrive_expect_tx(_Chain):
    shared: _mbarrier_arrive_expect_tx_shared
    shared__cta: _mbarrier_arrive_expect_tx_shared
    b64: _mbarrier_arrive_expect_tx_shared_b64
    shared__cluster: _mbarrier_arrive_expect_tx_shared__cluster
    release: _mbarrier_arrive_expect_tx_release
    relaxed: _mbarrier_arrive_expect_tx_release
    multicast__cluster__32b: _mbarrier_arrive_expect_tx_shared__cluster_multicast__cluster__32b
class _mbarrier_arrive_release_cta(_Chain):
    shared: _mbarrier_arrive_shared
    shared__cta: _mbarrier_arrive_shared
    b64: _mbarrier_arrive_shared_b64
    shared__cluster: _mbarrier_arrive_shared__cluster
    multicast__cluster__32b: _mbarrier_arrive_shared__cluster_multicast__cluster__32b
class _mbarrier_arrive_release(_Chain):
    cta: _mbarrier_arrive_release_cta
    cluster: _mbarrier_arrive_release_cta
class _mbarrier_arrive_noComplete_shared_b64(_Chain):
    def __call__(self, d: F32X2 | New | Sink, a: Address, count: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _mbarrier_arrive_noComplete_shared(_Chain):
    b64: _mbarrier_arrive_noComplete_shared_b64
class _mbarrier_arrive_noComplete_release_cta_shared_b64(_Chain):
    def __call__(self, d: F32X2 | Sink | New, a: Address, count: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _mbarrier_arrive_noComplete_release_cta_shared(_Chain):
    b64: _mbarrier_arrive_noComplete_release_cta_shared_b64
class _mbarrier_arrive_noComplete_release_cta(_Chain):
    shared: _mbarrier_arrive_noComplete_release_cta_shared
    shared__cta: _mbarrier_arrive_noComplete_release_cta_shared
    b64: _mbarrier_arrive_noComplete_release_cta_shared_b64
class _mbarrier_arrive_noComplete_release(_Chain):
    cta: _mbarrier_arrive_noComplete_release_cta
class _mbarrier_arrive_noComplete(_Chain):
    shared: _mbarrier_arrive_noComplete_shared
    shared__cta: _mbarrier_arrive_noComplete_shared
    b64: _mbarrier_arrive_noComplete_shared_b64
    release: _mbarrier_arrive_noComplete_release
class _mbarrier_arrive(_Chain):
    shared: _mbarrier_arrive_shared
    shared__cta: _mbarrier_arrive_shared
    b64: _mbarrier_arrive_shared_b64
    shared__cluster: _mbarrier_arrive_shared__cluster
    expect_tx: _mbarrier_arrive_expect_tx
    release: _mbarrier_arrive_release
    relaxed: _mbarrier_arrive_release
    noComplete: _mbarrier_arrive_noComplete
    multicast__cluster__32b: _mbarrier_arrive_shared__cluster_multicast__cluster__32b
class _mbarrier_test_wait_shared_b64(_Chain):
    def __call__(self, p: PRED | New, a: Address, state: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _mbarrier_test_wait_shared(_Chain):
    b64: _mbarrier_test_wait_shared_b64
class _mbarrier_test_wait_parity_shared_b64(_Chain):
    def __call__(self, p: PRED | New, a: Address, phase: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _mbarrier_test_wait_parity_shared(_Chain):
    b64: _mbarrier_test_wait_parity_shared_b64
class _mbarrier_test_wait_parity_acquire_cta(_Chain):
    shared: _mbarrier_test_wait_parity_shared
    shared__cta: _mbarrier_test_wait_parity_shared
    b64: _mbarrier_test_wait_parity_shared_b64
class _mbarrier_test_wait_parity_acquire(_Chain):
    cta: _mbarrier_test_wait_parity_acquire_cta
    cluster: _mbarrier_test_wait_parity_acquire_cta
class _mbarrier_test_wait_parity_phase_type__primary_shared_b64(_Chain):
    @overload
    def __call__(self, p: PRED | New | tuple[PRED | New | Sink, PRED | New | Sink], a: Address, phase: I32 | int, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, p: PRED | New | tuple[PRED | New | Sink, PRED | New | Sink], d: B8 | New, a: Address, phase: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _mbarrier_test_wait_parity_phase_type__primary_shared(_Chain):
    b64: _mbarrier_test_wait_parity_phase_type__primary_shared_b64
class _mbarrier_test_wait_parity_phase_type__primary_acquire_cta(_Chain):
    shared: _mbarrier_test_wait_parity_phase_type__primary_shared
    shared__cta: _mbarrier_test_wait_parity_phase_type__primary_shared
    b64: _mbarrier_test_wait_parity_phase_type__primary_shared_b64
class _mbarrier_test_wait_parity_phase_type__primary_acquire(_Chain):
    cta: _mbarrier_test_wait_parity_phase_type__primary_acquire_cta
    cluster: _mbarrier_test_wait_parity_phase_type__primary_acquire_cta
class _mbarrier_test_wait_parity_phase_type__primary(_Chain):
    shared: _mbarrier_test_wait_parity_phase_type__primary_shared
    shared__cta: _mbarrier_test_wait_parity_phase_type__primary_shared
    b64: _mbarrier_test_wait_parity_phase_type__primary_shared_b64
    acquire: _mbarrier_test_wait_parity_phase_type__primary_acquire
    relaxed: _mbarrier_test_wait_parity_phase_type__primary_acquire
class _mbarrier_test_wait_parity_phase_type__conditional(_Chain):
    shared: _mbarrier_test_wait_parity_shared
    shared__cta: _mbarrier_test_wait_parity_shared
    b64: _mbarrier_test_wait_parity_shared_b64
    acquire: _mbarrier_test_wait_parity_acquire
    relaxed: _mbarrier_test_wait_parity_acquire
class _mbarrier_test_wait_parity(_Chain):
    shared: _mbarrier_test_wait_parity_shared
    shared__cta: _mbarrier_test_wait_parity_shared
    b64: _mbarrier_test_wait_parity_shared_b64
    acquire: _mbarrier_test_wait_parity_acquire
    relaxed: _mbarrier_test_wait_parity_acquire
    phase_type__primary: _mbarrier_test_wait_parity_phase_type__primary
    phase_type__conditional: _mbarrier_test_wait_parity_phase_type__conditional
class _mbarrier_test_wait_acquire_cta(_Chain):
    shared: _mbarrier_test_wait_shared
    shared__cta: _mbarrier_test_wait_shared
    b64: _mbarrier_test_wait_shared_b64
class _mbarrier_test_wait_acquire(_Chain):
    cta: _mbarrier_test_wait_acquire_cta
    cluster: _mbarrier_test_wait_acquire_cta
class _mbarrier_test_wait_phase_type__primary_shared_b64(_Chain):
    @overload
    def __call__(self, p: PRED | New | tuple[PRED | New | Sink, PRED | New | Sink], a: Address, state: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, p: PRED | New | tuple[PRED | New | Sink, PRED | New | Sink], d: B8 | New, a: Address, state: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _mbarrier_test_wait_phase_type__primary_shared(_Chain):
    b64: _mbarrier_test_wait_phase_type__primary_shared_b64
class _mbarrier_test_wait_phase_type__primary_acquire_cta(_Chain):
    shared: _mbarrier_test_wait_phase_type__primary_shared
    shared__cta: _mbarrier_test_wait_phase_type__primary_shared
    b64: _mbarrier_test_wait_phase_type__primary_shared_b64
class _mbarrier_test_wait_phase_type__primary_acquire(_Chain):
    cta: _mbarrier_test_wait_phase_type__primary_acquire_cta
    cluster: _mbarrier_test_wait_phase_type__primary_acquire_cta
class _mbarrier_test_wait_phase_type__primary(_Chain):
    shared: _mbarrier_test_wait_phase_type__primary_shared
    shared__cta: _mbarrier_test_wait_phase_type__primary_shared
    b64: _mbarrier_test_wait_phase_type__primary_shared_b64
    acquire: _mbarrier_test_wait_phase_type__primary_acquire
    relaxed: _mbarrier_test_wait_phase_type__primary_acquire
class _mbarrier_test_wait(_Chain):
    shared: _mbarrier_test_wait_shared
    shared__cta: _mbarrier_test_wait_shared
    b64: _mbarrier_test_wait_shared_b64
    parity: _mbarrier_test_wait_parity
    acquire: _mbarrier_test_wait_acquire
    relaxed: _mbarrier_test_wait_acquire
    phase_type__primary: _mbarrier_test_wait_phase_type__primary
class _mbarrier_try_wait_shared_b64(_Chain):
    @overload
    def __call__(self, p: PRED | New, a: Address, state: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, p: PRED | New, a: Address, state: F32X2 | float, hint: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _mbarrier_try_wait_shared(_Chain):
    b64: _mbarrier_try_wait_shared_b64
class _mbarrier_try_wait_parity_shared_b64(_Chain):
    @overload
    def __call__(self, p: PRED | New, a: Address, phase: I32 | int, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, p: PRED | New, a: Address, phase: I32 | int, hint: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _mbarrier_try_wait_parity_shared(_Chain):
    b64: _mbarrier_try_wait_parity_shared_b64
class _mbarrier_try_wait_parity_acquire_cta(_Chain):
    shared: _mbarrier_try_wait_parity_shared
    shared__cta: _mbarrier_try_wait_parity_shared
    b64: _mbarrier_try_wait_parity_shared_b64
class _mbarrier_try_wait_parity_acquire(_Chain):
    cta: _mbarrier_try_wait_parity_acquire_cta
    cluster: _mbarrier_try_wait_parity_acquire_cta
class _mbarrier_try_wait_parity_phase_type__primary_shared_b64(_Chain):
    @overload
    def __call__(self, p: PRED | New | tuple[PRED | New | Sink, PRED | New | Sink], a: Address, phase: I32 | int, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, p: PRED | New | tuple[PRED | New | Sink, PRED | New | Sink], a: Address | B8 | New, phase: I32 | int | Address, hint: I32 | int, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, p: PRED | New | tuple[PRED | New | Sink, PRED | New | Sink], d: B8 | New, a: Address, phase: I32 | int, hint: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _mbarrier_try_wait_parity_phase_type__primary_shared(_Chain):
    b64: _mbarrier_try_wait_parity_phase_type__primary_shared_b64
class _mbarrier_try_wait_parity_phase_type__primary_acquire_cta(_Chain):
    shared: _mbarrier_try_wait_parity_phase_type__primary_shared
    shared__cta: _mbarrier_try_wait_parity_phase_type__primary_shared
    b64: _mbarrier_try_wait_parity_phase_type__primary_shared_b64
class _mbarrier_try_wait_parity_phase_type__primary_acquire(_Chain):
    cta: _mbarrier_try_wait_parity_phase_type__primary_acquire_cta
    cluster: _mbarrier_try_wait_parity_phase_type__primary_acquire_cta
class _mbarrier_try_wait_parity_phase_type__primary(_Chain):
    shared: _mbarrier_try_wait_parity_phase_type__primary_shared
    shared__cta: _mbarrier_try_wait_parity_phase_type__primary_shared
    b64: _mbarrier_try_wait_parity_phase_type__primary_shared_b64
    acquire: _mbarrier_try_wait_parity_phase_type__primary_acquire
    relaxed: _mbarrier_try_wait_parity_phase_type__primary_acquire
class _mbarrier_try_wait_parity_phase_type__conditional(_Chain):
    shared: _mbarrier_try_wait_parity_shared
    shared__cta: _mbarrier_try_wait_parity_shared
    b64: _mbarrier_try_wait_parity_shared_b64
    acquire: _mbarrier_try_wait_parity_acquire
    relaxed: _mbarrier_try_wait_parity_acquire
class _mbarrier_try_wait_parity(_Chain):
    shared: _mbarrier_try_wait_parity_shared
    shared__cta: _mbarrier_try_wait_parity_shared
    b64: _mbarrier_try_wait_parity_shared_b64
    acquire: _mbarrier_try_wait_parity_acquire
    relaxed: _mbarrier_try_wait_parity_acquire
    phase_type__primary: _mbarrier_try_wait_parity_phase_type__primary
    phase_type__conditional: _mbarrier_try_wait_parity_phase_type__conditional
class _mbarrier_try_wait_acquire_cta(_Chain):
    shared: _mbarrier_try_wait_shared
    shared__cta: _mbarrier_try_wait_shared
    b64: _mbarrier_try_wait_shared_b64
class _mbarrier_try_wait_acquire(_Chain):
    cta: _mbarrier_try_wait_acquire_cta
    cluster: _mbarrier_try_wait_acquire_cta
class _mbarrier_try_wait_phase_type__primary_shared_b64(_Chain):
    @overload
    def __call__(self, p: PRED | New | tuple[PRED | New | Sink, PRED | New | Sink], a: Address, state: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, p: PRED | New | tuple[PRED | New | Sink, PRED | New | Sink], a: Address | B8 | New, state: F32X2 | float | Address, hint: I32 | int | F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, p: PRED | New | tuple[PRED | New | Sink, PRED | New | Sink], d: B8 | New, a: Address, state: F32X2 | float, hint: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _mbarrier_try_wait_phase_type__primary_shared(_Chain):
    b64: _mbarrier_try_wait_phase_type__primary_shared_b64
class _mbarrier_try_wait_phase_type__primary_acquire_cta(_Chain):
    shared: _mbarrier_try_wait_phase_type__primary_shared
    shared__cta: _mbarrier_try_wait_phase_type__primary_shared
    b64: _mbarrier_try_wait_phase_type__primary_shared_b64
class _mbarrier_try_wait_phase_type__primary_acquire(_Chain):
    cta: _mbarrier_try_wait_phase_type__primary_acquire_cta
    cluster: _mbarrier_try_wait_phase_type__primary_acquire_cta
class _mbarrier_try_wait_phase_type__primary(_Chain):
    shared: _mbarrier_try_wait_phase_type__primary_shared
    shared__cta: _mbarrier_try_wait_phase_type__primary_shared
    b64: _mbarrier_try_wait_phase_type__primary_shared_b64
    acquire: _mbarrier_try_wait_phase_type__primary_acquire
    relaxed: _mbarrier_try_wait_phase_type__primary_acquire
class _mbarrier_try_wait(_Chain):
    shared: _mbarrier_try_wait_shared
    shared__cta: _mbarrier_try_wait_shared
    b64: _mbarrier_try_wait_shared_b64
    parity: _mbarrier_try_wait_parity
    acquire: _mbarrier_try_wait_acquire
    relaxed: _mbarrier_try_wait_acquire
    phase_type__primary: _mbarrier_try_wait_phase_type__primary
class _mbarrier_pending_count_b64(_Chain):
    def __call__(self, d: I32 | New, state: F32X2 | float, /, *, pred: Guard = ...) -> Any: ...
class _mbarrier_pending_count_layout__v0(_Chain):
    b64: _mbarrier_pending_count_b64
class _mbarrier_pending_count(_Chain):
    b64: _mbarrier_pending_count_b64
    layout__v0: _mbarrier_pending_count_layout__v0
class _mbarrier_check_layout_layout__v0_shared(_Chain):
    b64: _tensormap_query_alloc_class_large_global_b1024
class _mbarrier_check_layout_layout__v0(_Chain):
    shared: _mbarrier_check_layout_layout__v0_shared
    shared__cta: _mbarrier_check_layout_layout__v0_shared
    b64: _tensormap_query_alloc_class_large_global_b1024
class _mbarrier_check_layout(_Chain):
    layout__v0: _mbarrier_check_layout_layout__v0
    layout__v1: _mbarrier_check_layout_layout__v0
class _mbarrier(_Chain):
    init: _mbarrier_init
    inval: _cp_async_mbarrier_arrive_noinc
    expect_tx: _mbarrier_expect_tx
    complete_tx: _mbarrier_expect_tx
    arrive: _mbarrier_arrive
    arrive_drop: _mbarrier_arrive
    test_wait: _mbarrier_test_wait
    try_wait: _mbarrier_try_wait
    pending_count: _mbarrier_pending_count
    check_layout: _mbarrier_check_layout
class _clusterlaunchcontrol_try_cancel_async_shared__cta_mbarrier__complete_tx__bytes_multicast__cluster__all_b128(_Chain):
    def __call__(self, a: Address, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _clusterlaunchcontrol_try_cancel_async_shared__cta_mbarrier__complete_tx__bytes_multicast__cluster__all(_Chain):
    b128: _clusterlaunchcontrol_try_cancel_async_shared__cta_mbarrier__complete_tx__bytes_multicast__cluster__all_b128
class _clusterlaunchcontrol_try_cancel_async_shared__cta_mbarrier__complete_tx__bytes(_Chain):
    multicast__cluster__all: _clusterlaunchcontrol_try_cancel_async_shared__cta_mbarrier__complete_tx__bytes_multicast__cluster__all
    b128: _clusterlaunchcontrol_try_cancel_async_shared__cta_mbarrier__complete_tx__bytes_multicast__cluster__all_b128
class _clusterlaunchcontrol_try_cancel_async_shared__cta(_Chain):
    mbarrier__complete_tx__bytes: _clusterlaunchcontrol_try_cancel_async_shared__cta_mbarrier__complete_tx__bytes
class _clusterlaunchcontrol_try_cancel_async(_Chain):
    shared__cta: _clusterlaunchcontrol_try_cancel_async_shared__cta
    mbarrier__complete_tx__bytes: _clusterlaunchcontrol_try_cancel_async_shared__cta_mbarrier__complete_tx__bytes
class _clusterlaunchcontrol_try_cancel(_Chain):
    async_: _clusterlaunchcontrol_try_cancel_async
class _clusterlaunchcontrol_query_cancel_is_canceled_pred_b128(_Chain):
    def __call__(self, p: PRED | New, response: B128 | float, /, *, pred: Guard = ...) -> Any: ...
class _clusterlaunchcontrol_query_cancel_is_canceled_pred(_Chain):
    b128: _clusterlaunchcontrol_query_cancel_is_canceled_pred_b128
class _clusterlaunchcontrol_query_cancel_is_canceled(_Chain):
    pred: _clusterlaunchcontrol_query_cancel_is_canceled_pred
class _clusterlaunchcontrol_query_cancel_get_first_ctaid_v4_b32_b128(_Chain):
    def __call__(self, d: Vector[B32 | Sink | New], response: B128 | float, /, *, pred: Guard = ...) -> Any: ...
class _clusterlaunchcontrol_query_cancel_get_first_ctaid_v4_b32(_Chain):
    b128: _clusterlaunchcontrol_query_cancel_get_first_ctaid_v4_b32_b128
class _clusterlaunchcontrol_query_cancel_get_first_ctaid_v4(_Chain):
    b32: _clusterlaunchcontrol_query_cancel_get_first_ctaid_v4_b32
class _clusterlaunchcontrol_query_cancel_get_first_ctaid(_Chain):
    v4: _clusterlaunchcontrol_query_cancel_get_first_ctaid_v4
class _clusterlaunchcontrol_query_cancel_get_first_ctaid__x_b32_b128(_Chain):
    def __call__(self, d: B32 | New, response: B128 | float, /, *, pred: Guard = ...) -> Any: ...
class _clusterlaunchcontrol_query_cancel_get_first_ctaid__x_b32(_Chain):
    b128: _clusterlaunchcontrol_query_cancel_get_first_ctaid__x_b32_b128
class _clusterlaunchcontrol_query_cancel_get_first_ctaid__x(_Chain):
    b32: _clusterlaunchcontrol_query_cancel_get_first_ctaid__x_b32
class _clusterlaunchcontrol_query_cancel(_Chain):
    is_canceled: _clusterlaunchcontrol_query_cancel_is_canceled
    get_first_ctaid: _clusterlaunchcontrol_query_cancel_get_first_ctaid
    get_first_ctaid__x: _clusterlaunchcontrol_query_cancel_get_first_ctaid__x
    get_first_ctaid__y: _clusterlaunchcontrol_query_cancel_get_first_ctaid__x
    get_first_ctaid__z: _clusterlaunchcontrol_query_cancel_get_first_ctaid__x
class _clusterlaunchcontrol(_Chain):
    try_cancel: _clusterlaunchcontrol_try_cancel
    query_cancel: _clusterlaunchcontrol_query_cancel
class _wmma_load_a_sync_aligned_row_m16n16k16_global_f16(_Chain):
    @overload
    def __call__(self, d: Vector[B32 | Sink | New], p: Address, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[B32 | Sink | New], p: Address, stride: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _wmma_load_a_sync_aligned_row_m16n16k16_global(_Chain):
    f16: _wmma_load_a_sync_aligned_row_m16n16k16_global_f16
    s8: _wmma_load_a_sync_aligned_row_m16n16k16_global_f16
    u8: _wmma_load_a_sync_aligned_row_m16n16k16_global_f16
    bf16: _wmma_load_a_sync_aligned_row_m16n16k16_global_f16
class _wmma_load_a_sync_aligned_row_m16n16k16(_Chain):
    global_: _wmma_load_a_sync_aligned_row_m16n16k16_global
    shared: _wmma_load_a_sync_aligned_row_m16n16k16_global
    shared__cta: _wmma_load_a_sync_aligned_row_m16n16k16_global
    f16: _wmma_load_a_sync_aligned_row_m16n16k16_global_f16
    s8: _wmma_load_a_sync_aligned_row_m16n16k16_global_f16
    u8: _wmma_load_a_sync_aligned_row_m16n16k16_global_f16
    bf16: _wmma_load_a_sync_aligned_row_m16n16k16_global_f16
class _wmma_load_a_sync_aligned_row_m16n16k8_global(_Chain):
    tf32: _wmma_load_a_sync_aligned_row_m16n16k16_global_f16
class _wmma_load_a_sync_aligned_row_m16n16k8(_Chain):
    global_: _wmma_load_a_sync_aligned_row_m16n16k8_global
    shared: _wmma_load_a_sync_aligned_row_m16n16k8_global
    shared__cta: _wmma_load_a_sync_aligned_row_m16n16k8_global
    tf32: _wmma_load_a_sync_aligned_row_m16n16k16_global_f16
class _wmma_load_a_sync_aligned_row_m8n8k4_global_f64(_Chain):
    @overload
    def __call__(self, d: Vector[F64 | New], p: Address, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F64 | New], p: Address, stride: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _wmma_load_a_sync_aligned_row_m8n8k4_global(_Chain):
    f64: _wmma_load_a_sync_aligned_row_m8n8k4_global_f64
class _wmma_load_a_sync_aligned_row_m8n8k4(_Chain):
    global_: _wmma_load_a_sync_aligned_row_m8n8k4_global
    shared: _wmma_load_a_sync_aligned_row_m8n8k4_global
    shared__cta: _wmma_load_a_sync_aligned_row_m8n8k4_global
    f64: _wmma_load_a_sync_aligned_row_m8n8k4_global_f64
class _wmma_load_a_sync_aligned_row_m8n8k32_global_s4(_Chain):
    @overload
    def __call__(self, d: Vector[B32 | New], p: Address, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[B32 | New], p: Address, stride: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _wmma_load_a_sync_aligned_row_m8n8k32_global(_Chain):
    s4: _wmma_load_a_sync_aligned_row_m8n8k32_global_s4
    u4: _wmma_load_a_sync_aligned_row_m8n8k32_global_s4
class _wmma_load_a_sync_aligned_row_m8n8k32(_Chain):
    global_: _wmma_load_a_sync_aligned_row_m8n8k32_global
    shared: _wmma_load_a_sync_aligned_row_m8n8k32_global
    shared__cta: _wmma_load_a_sync_aligned_row_m8n8k32_global
    s4: _wmma_load_a_sync_aligned_row_m8n8k32_global_s4
    u4: _wmma_load_a_sync_aligned_row_m8n8k32_global_s4
class _wmma_load_a_sync_aligned_row_m8n8k128_global(_Chain):
    b1: _wmma_load_a_sync_aligned_row_m8n8k32_global_s4
class _wmma_load_a_sync_aligned_row_m8n8k128(_Chain):
    global_: _wmma_load_a_sync_aligned_row_m8n8k128_global
    shared: _wmma_load_a_sync_aligned_row_m8n8k128_global
    shared__cta: _wmma_load_a_sync_aligned_row_m8n8k128_global
    b1: _wmma_load_a_sync_aligned_row_m8n8k32_global_s4
class _wmma_load_a_sync_aligned_row(_Chain):
    m16n16k16: _wmma_load_a_sync_aligned_row_m16n16k16
    m8n32k16: _wmma_load_a_sync_aligned_row_m16n16k16
    m32n8k16: _wmma_load_a_sync_aligned_row_m16n16k16
    m16n16k8: _wmma_load_a_sync_aligned_row_m16n16k8
    m8n8k4: _wmma_load_a_sync_aligned_row_m8n8k4
    m8n8k32: _wmma_load_a_sync_aligned_row_m8n8k32
    m8n8k128: _wmma_load_a_sync_aligned_row_m8n8k128
class _wmma_load_a_sync_aligned_col(_Chain):
    m16n16k16: _wmma_load_a_sync_aligned_row_m16n16k16
    m8n32k16: _wmma_load_a_sync_aligned_row_m16n16k16
    m32n8k16: _wmma_load_a_sync_aligned_row_m16n16k16
    m16n16k8: _wmma_load_a_sync_aligned_row_m16n16k8
    m8n8k4: _wmma_load_a_sync_aligned_row_m8n8k4
class _wmma_load_a_sync_aligned(_Chain):
    row: _wmma_load_a_sync_aligned_row
    col: _wmma_load_a_sync_aligned_col
class _wmma_load_a_sync(_Chain):
    aligned: _wmma_load_a_sync_aligned
class _wmma_load_a(_Chain):
    sync: _wmma_load_a_sync
class _wmma_load_b_sync_aligned(_Chain):
    row: _wmma_load_a_sync_aligned_col
    col: _wmma_load_a_sync_aligned_row
class _wmma_load_b_sync(_Chain):
    aligned: _wmma_load_b_sync_aligned
class _wmma_load_b(_Chain):
    sync: _wmma_load_b_sync
class _wmma_load_c_sync_aligned_row_m16n16k16_global_f32(_Chain):
    @overload
    def __call__(self, d: Vector[F32 | Sink | New], p: Address, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F32 | Sink | New], p: Address, stride: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _wmma_load_c_sync_aligned_row_m16n16k16_global_s32(_Chain):
    @overload
    def __call__(self, d: Vector[I32 | Sink | New], p: Address, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[I32 | Sink | New], p: Address, stride: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _wmma_load_c_sync_aligned_row_m16n16k16_global(_Chain):
    f16: _wmma_load_a_sync_aligned_row_m16n16k16_global_f16
    f32: _wmma_load_c_sync_aligned_row_m16n16k16_global_f32
    s32: _wmma_load_c_sync_aligned_row_m16n16k16_global_s32
class _wmma_load_c_sync_aligned_row_m16n16k16(_Chain):
    global_: _wmma_load_c_sync_aligned_row_m16n16k16_global
    shared: _wmma_load_c_sync_aligned_row_m16n16k16_global
    shared__cta: _wmma_load_c_sync_aligned_row_m16n16k16_global
    f16: _wmma_load_a_sync_aligned_row_m16n16k16_global_f16
    f32: _wmma_load_c_sync_aligned_row_m16n16k16_global_f32
    s32: _wmma_load_c_sync_aligned_row_m16n16k16_global_s32
class _wmma_load_c_sync_aligned_row_m16n16k8_global(_Chain):
    f32: _wmma_load_c_sync_aligned_row_m16n16k16_global_f32
class _wmma_load_c_sync_aligned_row_m16n16k8(_Chain):
    global_: _wmma_load_c_sync_aligned_row_m16n16k8_global
    shared: _wmma_load_c_sync_aligned_row_m16n16k8_global
    shared__cta: _wmma_load_c_sync_aligned_row_m16n16k8_global
    f32: _wmma_load_c_sync_aligned_row_m16n16k16_global_f32
class _wmma_load_c_sync_aligned_row_m8n8k4_global_f64(_Chain):
    @overload
    def __call__(self, d: Vector[F64 | Sink | New], p: Address, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F64 | Sink | New], p: Address, stride: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _wmma_load_c_sync_aligned_row_m8n8k4_global(_Chain):
    f64: _wmma_load_c_sync_aligned_row_m8n8k4_global_f64
class _wmma_load_c_sync_aligned_row_m8n8k4(_Chain):
    global_: _wmma_load_c_sync_aligned_row_m8n8k4_global
    shared: _wmma_load_c_sync_aligned_row_m8n8k4_global
    shared__cta: _wmma_load_c_sync_aligned_row_m8n8k4_global
    f64: _wmma_load_c_sync_aligned_row_m8n8k4_global_f64
class _wmma_load_c_sync_aligned_row_m8n8k32_global(_Chain):
    s32: _wmma_load_c_sync_aligned_row_m16n16k16_global_s32
class _wmma_load_c_sync_aligned_row_m8n8k32(_Chain):
    global_: _wmma_load_c_sync_aligned_row_m8n8k32_global
    shared: _wmma_load_c_sync_aligned_row_m8n8k32_global
    shared__cta: _wmma_load_c_sync_aligned_row_m8n8k32_global
    s32: _wmma_load_c_sync_aligned_row_m16n16k16_global_s32
class _wmma_load_c_sync_aligned_row(_Chain):
    m16n16k16: _wmma_load_c_sync_aligned_row_m16n16k16
    m8n32k16: _wmma_load_c_sync_aligned_row_m16n16k16
    m32n8k16: _wmma_load_c_sync_aligned_row_m16n16k16
    m16n16k8: _wmma_load_c_sync_aligned_row_m16n16k8
    m8n8k4: _wmma_load_c_sync_aligned_row_m8n8k4
    m8n8k32: _wmma_load_c_sync_aligned_row_m8n8k32
    m8n8k128: _wmma_load_c_sync_aligned_row_m8n8k32
class _wmma_load_c_sync_aligned(_Chain):
    row: _wmma_load_c_sync_aligned_row
    col: _wmma_load_c_sync_aligned_row
class _wmma_load_c_sync(_Chain):
    aligned: _wmma_load_c_sync_aligned
class _wmma_load_c(_Chain):
    sync: _wmma_load_c_sync
class _wmma_load(_Chain):
    a: _wmma_load_a
    b: _wmma_load_b
    c: _wmma_load_c
class _wmma_store_d_sync_aligned_row_m16n16k16_global_f16(_Chain):
    @overload
    def __call__(self, p: Address, r: Vector[B32], /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, p: Address, r: Vector[B32], stride: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _wmma_store_d_sync_aligned_row_m16n16k16_global_f32(_Chain):
    @overload
    def __call__(self, p: Address, r: Vector[F32 | float], /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, p: Address, r: Vector[F32 | float], stride: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _wmma_store_d_sync_aligned_row_m16n16k16_global_s32(_Chain):
    @overload
    def __call__(self, p: Address, r: Vector[I32 | int], /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, p: Address, r: Vector[I32 | int], stride: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _wmma_store_d_sync_aligned_row_m16n16k16_global(_Chain):
    f16: _wmma_store_d_sync_aligned_row_m16n16k16_global_f16
    f32: _wmma_store_d_sync_aligned_row_m16n16k16_global_f32
    s32: _wmma_store_d_sync_aligned_row_m16n16k16_global_s32
class _wmma_store_d_sync_aligned_row_m16n16k16(_Chain):
    global_: _wmma_store_d_sync_aligned_row_m16n16k16_global
    shared: _wmma_store_d_sync_aligned_row_m16n16k16_global
    shared__cta: _wmma_store_d_sync_aligned_row_m16n16k16_global
    f16: _wmma_store_d_sync_aligned_row_m16n16k16_global_f16
    f32: _wmma_store_d_sync_aligned_row_m16n16k16_global_f32
    s32: _wmma_store_d_sync_aligned_row_m16n16k16_global_s32
class _wmma_store_d_sync_aligned_row_m8n8k32_global(_Chain):
    s32: _wmma_store_d_sync_aligned_row_m16n16k16_global_s32
class _wmma_store_d_sync_aligned_row_m8n8k32(_Chain):
    global_: _wmma_store_d_sync_aligned_row_m8n8k32_global
    shared: _wmma_store_d_sync_aligned_row_m8n8k32_global
    shared__cta: _wmma_store_d_sync_aligned_row_m8n8k32_global
    s32: _wmma_store_d_sync_aligned_row_m16n16k16_global_s32
class _wmma_store_d_sync_aligned_row_m16n16k8_global(_Chain):
    f32: _wmma_store_d_sync_aligned_row_m16n16k16_global_f32
class _wmma_store_d_sync_aligned_row_m16n16k8(_Chain):
    global_: _wmma_store_d_sync_aligned_row_m16n16k8_global
    shared: _wmma_store_d_sync_aligned_row_m16n16k8_global
    shared__cta: _wmma_store_d_sync_aligned_row_m16n16k8_global
    f32: _wmma_store_d_sync_aligned_row_m16n16k16_global_f32
class _wmma_store_d_sync_aligned_row_m8n8k4_global_f64(_Chain):
    @overload
    def __call__(self, p: Address, r: Vector[F64 | float], /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, p: Address, r: Vector[F64 | float], stride: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _wmma_store_d_sync_aligned_row_m8n8k4_global(_Chain):
    f64: _wmma_store_d_sync_aligned_row_m8n8k4_global_f64
class _wmma_store_d_sync_aligned_row_m8n8k4(_Chain):
    global_: _wmma_store_d_sync_aligned_row_m8n8k4_global
    shared: _wmma_store_d_sync_aligned_row_m8n8k4_global
    shared__cta: _wmma_store_d_sync_aligned_row_m8n8k4_global
    f64: _wmma_store_d_sync_aligned_row_m8n8k4_global_f64
class _wmma_store_d_sync_aligned_row(_Chain):
    m16n16k16: _wmma_store_d_sync_aligned_row_m16n16k16
    m8n32k16: _wmma_store_d_sync_aligned_row_m16n16k16
    m32n8k16: _wmma_store_d_sync_aligned_row_m16n16k16
    m8n8k32: _wmma_store_d_sync_aligned_row_m8n8k32
    m8n8k128: _wmma_store_d_sync_aligned_row_m8n8k32
    m16n16k8: _wmma_store_d_sync_aligned_row_m16n16k8
    m8n8k4: _wmma_store_d_sync_aligned_row_m8n8k4
class _wmma_store_d_sync_aligned(_Chain):
    row: _wmma_store_d_sync_aligned_row
    col: _wmma_store_d_sync_aligned_row
class _wmma_store_d_sync(_Chain):
    aligned: _wmma_store_d_sync_aligned
class _wmma_store_d(_Chain):
    sync: _wmma_store_d_sync
class _wmma_store(_Chain):
    d: _wmma_store_d
class _wmma_mma_sync_aligned_row_row_m16n16k16_f16_f16_satfinite(_Chain):
    def __call__(self, d: Vector[B32 | Sink | New], a: Vector[B32], b: Vector[B32], c: Vector[B32], /, *, pred: Guard = ...) -> Any: ...
class _wmma_mma_sync_aligned_row_row_m16n16k16_f16_f16(_Chain):
    satfinite: _wmma_mma_sync_aligned_row_row_m16n16k16_f16_f16_satfinite
    def __call__(self, d: Vector[B32 | Sink | New], a: Vector[B32], b: Vector[B32], c: Vector[B32], /, *, pred: Guard = ...) -> Any: ...
class _wmma_mma_sync_aligned_row_row_m16n16k16_f16_f32_satfinite(_Chain):
    def __call__(self, d: Vector[B32 | Sink | New], a: Vector[B32], b: Vector[B32], c: Vector[F32 | float], /, *, pred: Guard = ...) -> Any: ...
class _wmma_mma_sync_aligned_row_row_m16n16k16_f16_f32(_Chain):
    satfinite: _wmma_mma_sync_aligned_row_row_m16n16k16_f16_f32_satfinite
    def __call__(self, d: Vector[B32 | Sink | New], a: Vector[B32], b: Vector[B32], c: Vector[F32 | float], /, *, pred: Guard = ...) -> Any: ...
class _wmma_mma_sync_aligned_row_row_m16n16k16_f16(_Chain):
    f16: _wmma_mma_sync_aligned_row_row_m16n16k16_f16_f16
    f32: _wmma_mma_sync_aligned_row_row_m16n16k16_f16_f32
class _wmma_mma_sync_aligned_row_row_m16n16k16_f32_f16_satfinite(_Chain):
    def __call__(self, d: Vector[F32 | Sink | New], a: Vector[B32], b: Vector[B32], c: Vector[B32], /, *, pred: Guard = ...) -> Any: ...
class _wmma_mma_sync_aligned_row_row_m16n16k16_f32_f16(_Chain):
    satfinite: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_f16_satfinite
    def __call__(self, d: Vector[F32 | Sink | New], a: Vector[B32], b: Vector[B32], c: Vector[B32], /, *, pred: Guard = ...) -> Any: ...
class _wmma_mma_sync_aligned_row_row_m16n16k16_f32_f32_satfinite(_Chain):
    def __call__(self, d: Vector[F32 | Sink | New], a: Vector[B32], b: Vector[B32], c: Vector[F32 | float], /, *, pred: Guard = ...) -> Any: ...
class _wmma_mma_sync_aligned_row_row_m16n16k16_f32_f32(_Chain):
    satfinite: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_f32_satfinite
    def __call__(self, d: Vector[F32 | Sink | New], a: Vector[B32], b: Vector[B32], c: Vector[F32 | float], /, *, pred: Guard = ...) -> Any: ...
class _wmma_mma_sync_aligned_row_row_m16n16k16_f32_bf16_bf16(_Chain):
    f32: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_f32_satfinite
class _wmma_mma_sync_aligned_row_row_m16n16k16_f32_bf16(_Chain):
    bf16: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_bf16_bf16
class _wmma_mma_sync_aligned_row_row_m16n16k16_f32(_Chain):
    f16: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_f16
    f32: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_f32
    bf16: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_bf16
class _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8_s32_satfinite(_Chain):
    def __call__(self, d: Vector[I32 | Sink | New], a: Vector[B32 | float], b: Vector[B32 | float], c: Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
class _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8_s32(_Chain):
    satfinite: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8_s32_satfinite
    def __call__(self, d: Vector[I32 | Sink | New], a: Vector[B32 | float], b: Vector[B32 | float], c: Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
class _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8(_Chain):
    s32: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8_s32
class _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8(_Chain):
    s8: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8
class _wmma_mma_sync_aligned_row_row_m16n16k16_s32_u8(_Chain):
    u8: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8
class _wmma_mma_sync_aligned_row_row_m16n16k16_s32(_Chain):
    s8: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8
    u8: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_u8
class _wmma_mma_sync_aligned_row_row_m16n16k16(_Chain):
    f16: _wmma_mma_sync_aligned_row_row_m16n16k16_f16
    f32: _wmma_mma_sync_aligned_row_row_m16n16k16_f32
    s32: _wmma_mma_sync_aligned_row_row_m16n16k16_s32
class _wmma_mma_sync_aligned_row_row_m16n16k8_f32_tf32(_Chain):
    tf32: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_bf16_bf16
class _wmma_mma_sync_aligned_row_row_m16n16k8_f32(_Chain):
    tf32: _wmma_mma_sync_aligned_row_row_m16n16k8_f32_tf32
class _wmma_mma_sync_aligned_row_row_m16n16k8(_Chain):
    f32: _wmma_mma_sync_aligned_row_row_m16n16k8_f32
class _wmma_mma_sync_aligned_row_row_m8n8k4_rn_f64_f64_f64_f64(_Chain):
    def __call__(self, d: Vector[F64 | Sink | New], a: Vector[F64 | float], b: Vector[F64 | float], c: Vector[F64 | float], /, *, pred: Guard = ...) -> Any: ...
class _wmma_mma_sync_aligned_row_row_m8n8k4_rn_f64_f64_f64(_Chain):
    f64: _wmma_mma_sync_aligned_row_row_m8n8k4_rn_f64_f64_f64_f64
class _wmma_mma_sync_aligned_row_row_m8n8k4_rn_f64_f64(_Chain):
    f64: _wmma_mma_sync_aligned_row_row_m8n8k4_rn_f64_f64_f64
class _wmma_mma_sync_aligned_row_row_m8n8k4_rn_f64(_Chain):
    f64: _wmma_mma_sync_aligned_row_row_m8n8k4_rn_f64_f64
class _wmma_mma_sync_aligned_row_row_m8n8k4_rn(_Chain):
    f64: _wmma_mma_sync_aligned_row_row_m8n8k4_rn_f64
class _wmma_mma_sync_aligned_row_row_m8n8k4(_Chain):
    rn: _wmma_mma_sync_aligned_row_row_m8n8k4_rn
    rz: _wmma_mma_sync_aligned_row_row_m8n8k4_rn
    rm: _wmma_mma_sync_aligned_row_row_m8n8k4_rn
    rp: _wmma_mma_sync_aligned_row_row_m8n8k4_rn
    f64: _wmma_mma_sync_aligned_row_row_m8n8k4_rn_f64
class _wmma_mma_sync_aligned_row_row(_Chain):
    m16n16k16: _wmma_mma_sync_aligned_row_row_m16n16k16
    m8n32k16: _wmma_mma_sync_aligned_row_row_m16n16k16
    m32n8k16: _wmma_mma_sync_aligned_row_row_m16n16k16
    m16n16k8: _wmma_mma_sync_aligned_row_row_m16n16k8
    m8n8k4: _wmma_mma_sync_aligned_row_row_m8n8k4
class _wmma_mma_sync_aligned_row_col_m8n8k32_s32_s4(_Chain):
    s4: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8
class _wmma_mma_sync_aligned_row_col_m8n8k32_s32_u4(_Chain):
    u4: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8
class _wmma_mma_sync_aligned_row_col_m8n8k32_s32(_Chain):
    s4: _wmma_mma_sync_aligned_row_col_m8n8k32_s32_s4
    u4: _wmma_mma_sync_aligned_row_col_m8n8k32_s32_u4
class _wmma_mma_sync_aligned_row_col_m8n8k32(_Chain):
    s32: _wmma_mma_sync_aligned_row_col_m8n8k32_s32
class _wmma_mma_sync_aligned_row_col(_Chain):
    m16n16k16: _wmma_mma_sync_aligned_row_row_m16n16k16
    m8n32k16: _wmma_mma_sync_aligned_row_row_m16n16k16
    m32n8k16: _wmma_mma_sync_aligned_row_row_m16n16k16
    m16n16k8: _wmma_mma_sync_aligned_row_row_m16n16k8
    m8n8k4: _wmma_mma_sync_aligned_row_row_m8n8k4
    m8n8k32: _wmma_mma_sync_aligned_row_col_m8n8k32
class _wmma_mma_sync_aligned_row(_Chain):
    row: _wmma_mma_sync_aligned_row_row
    col: _wmma_mma_sync_aligned_row_col
class _wmma_mma_sync_aligned_col(_Chain):
    row: _wmma_mma_sync_aligned_row_row
    col: _wmma_mma_sync_aligned_row_row
class _wmma_mma_sync_aligned(_Chain):
    row: _wmma_mma_sync_aligned_row
    col: _wmma_mma_sync_aligned_col
class _wmma_mma_sync(_Chain):
    aligned: _wmma_mma_sync_aligned
class _wmma_mma_xor_popc_sync_aligned_row_col_m8n8k128_s32_b1_b1(_Chain):
    s32: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8_s32_satfinite
class _wmma_mma_xor_popc_sync_aligned_row_col_m8n8k128_s32_b1(_Chain):
    b1: _wmma_mma_xor_popc_sync_aligned_row_col_m8n8k128_s32_b1_b1
class _wmma_mma_xor_popc_sync_aligned_row_col_m8n8k128_s32(_Chain):
    b1: _wmma_mma_xor_popc_sync_aligned_row_col_m8n8k128_s32_b1
class _wmma_mma_xor_popc_sync_aligned_row_col_m8n8k128(_Chain):
    s32: _wmma_mma_xor_popc_sync_aligned_row_col_m8n8k128_s32
class _wmma_mma_xor_popc_sync_aligned_row_col(_Chain):
    m8n8k128: _wmma_mma_xor_popc_sync_aligned_row_col_m8n8k128
class _wmma_mma_xor_popc_sync_aligned_row(_Chain):
    col: _wmma_mma_xor_popc_sync_aligned_row_col
class _wmma_mma_xor_popc_sync_aligned(_Chain):
    row: _wmma_mma_xor_popc_sync_aligned_row
class _wmma_mma_xor_popc_sync(_Chain):
    aligned: _wmma_mma_xor_popc_sync_aligned
class _wmma_mma_xor_popc(_Chain):
    sync: _wmma_mma_xor_popc_sync
class _wmma_mma_xor(_Chain):
    popc: _wmma_mma_xor_popc
class _wmma_mma(_Chain):
    sync: _wmma_mma_sync
    xor: _wmma_mma_xor
    and_: _wmma_mma_xor
class _wmma(_Chain):
    load: _wmma_load
    store: _wmma_store
    mma: _wmma_mma
class _mma_sync_aligned_m8n8k4_row_row_f16_f16_f16(_Chain):
    f16: _wmma_mma_sync_aligned_row_row_m16n16k16_f16_f16_satfinite
class _mma_sync_aligned_m8n8k4_row_row_f16_f16(_Chain):
    f16: _mma_sync_aligned_m8n8k4_row_row_f16_f16_f16
class _mma_sync_aligned_m8n8k4_row_row_f16(_Chain):
    f16: _mma_sync_aligned_m8n8k4_row_row_f16_f16
class _mma_sync_aligned_m8n8k4_row_row_f32_f16_f16(_Chain):
    f16: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_f16_satfinite
    f32: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_f32_satfinite
class _mma_sync_aligned_m8n8k4_row_row_f32_f16(_Chain):
    f16: _mma_sync_aligned_m8n8k4_row_row_f32_f16_f16
class _mma_sync_aligned_m8n8k4_row_row_f32(_Chain):
    f16: _mma_sync_aligned_m8n8k4_row_row_f32_f16
class _mma_sync_aligned_m8n8k4_row_row(_Chain):
    f16: _mma_sync_aligned_m8n8k4_row_row_f16
    f32: _mma_sync_aligned_m8n8k4_row_row_f32
class _mma_sync_aligned_m8n8k4_row_col(_Chain):
    f16: _mma_sync_aligned_m8n8k4_row_row_f16
    f32: _mma_sync_aligned_m8n8k4_row_row_f32
    rn: _wmma_mma_sync_aligned_row_row_m8n8k4_rn
    rz: _wmma_mma_sync_aligned_row_row_m8n8k4_rn
    rm: _wmma_mma_sync_aligned_row_row_m8n8k4_rn
    rp: _wmma_mma_sync_aligned_row_row_m8n8k4_rn
    f64: _wmma_mma_sync_aligned_row_row_m8n8k4_rn_f64
class _mma_sync_aligned_m8n8k4_row(_Chain):
    row: _mma_sync_aligned_m8n8k4_row_row
    col: _mma_sync_aligned_m8n8k4_row_col
class _mma_sync_aligned_m8n8k4_col(_Chain):
    row: _mma_sync_aligned_m8n8k4_row_row
    col: _mma_sync_aligned_m8n8k4_row_row
class _mma_sync_aligned_m8n8k4(_Chain):
    row: _mma_sync_aligned_m8n8k4_row
    col: _mma_sync_aligned_m8n8k4_col
class _mma_sync_aligned_m16n8k8_row_col_f32_f16(_Chain):
    f16: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_bf16_bf16
class _mma_sync_aligned_m16n8k8_row_col_f32(_Chain):
    f16: _mma_sync_aligned_m16n8k8_row_col_f32_f16
    bf16: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_bf16
    tf32: _wmma_mma_sync_aligned_row_row_m16n16k8_f32_tf32
class _mma_sync_aligned_m16n8k8_row_col(_Chain):
    f16: _mma_sync_aligned_m8n8k4_row_row_f16
    f32: _mma_sync_aligned_m16n8k8_row_col_f32
    rn: _wmma_mma_sync_aligned_row_row_m8n8k4_rn
    rz: _wmma_mma_sync_aligned_row_row_m8n8k4_rn
    rm: _wmma_mma_sync_aligned_row_row_m8n8k4_rn
    rp: _wmma_mma_sync_aligned_row_row_m8n8k4_rn
    f64: _wmma_mma_sync_aligned_row_row_m8n8k4_rn_f64
class _mma_sync_aligned_m16n8k8_row(_Chain):
    col: _mma_sync_aligned_m16n8k8_row_col
class _mma_sync_aligned_m16n8k8(_Chain):
    row: _mma_sync_aligned_m16n8k8_row
class _mma_sync_aligned_m16n8k16_row_col_f16_e4m3_e4m3_f16(_Chain):
    def __call__(self, d: Vector[B32 | Sink | New], a: Vector[B32 | float], b: Vector[B32 | float], c: Vector[B32], /, *, pred: Guard = ...) -> Any: ...
class _mma_sync_aligned_m16n8k16_row_col_f16_e4m3_e4m3(_Chain):
    f16: _mma_sync_aligned_m16n8k16_row_col_f16_e4m3_e4m3_f16
class _mma_sync_aligned_m16n8k16_row_col_f16_e4m3(_Chain):
    e4m3: _mma_sync_aligned_m16n8k16_row_col_f16_e4m3_e4m3
    e5m2: _mma_sync_aligned_m16n8k16_row_col_f16_e4m3_e4m3
class _mma_sync_aligned_m16n8k16_row_col_f16(_Chain):
    f16: _mma_sync_aligned_m8n8k4_row_row_f16_f16
    e4m3: _mma_sync_aligned_m16n8k16_row_col_f16_e4m3
    e5m2: _mma_sync_aligned_m16n8k16_row_col_f16_e4m3
class _mma_sync_aligned_m16n8k16_row_col_f32_e4m3_e4m3_f32(_Chain):
    def __call__(self, d: Vector[F32 | Sink | New], a: Vector[B32 | float], b: Vector[B32 | float], c: Vector[F32 | float], /, *, pred: Guard = ...) -> Any: ...
class _mma_sync_aligned_m16n8k16_row_col_f32_e4m3_e4m3(_Chain):
    f32: _mma_sync_aligned_m16n8k16_row_col_f32_e4m3_e4m3_f32
class _mma_sync_aligned_m16n8k16_row_col_f32_e4m3(_Chain):
    e4m3: _mma_sync_aligned_m16n8k16_row_col_f32_e4m3_e4m3
    e5m2: _mma_sync_aligned_m16n8k16_row_col_f32_e4m3_e4m3
class _mma_sync_aligned_m16n8k16_row_col_f32(_Chain):
    f16: _mma_sync_aligned_m16n8k8_row_col_f32_f16
    bf16: _wmma_mma_sync_aligned_row_row_m16n16k16_f32_bf16
    e4m3: _mma_sync_aligned_m16n8k16_row_col_f32_e4m3
    e5m2: _mma_sync_aligned_m16n8k16_row_col_f32_e4m3
class _mma_sync_aligned_m16n8k16_row_col_satfinite_s32_u8(_Chain):
    u8: _wmma_mma_xor_popc_sync_aligned_row_col_m8n8k128_s32_b1_b1
    s8: _wmma_mma_xor_popc_sync_aligned_row_col_m8n8k128_s32_b1_b1
class _mma_sync_aligned_m16n8k16_row_col_satfinite_s32(_Chain):
    u8: _mma_sync_aligned_m16n8k16_row_col_satfinite_s32_u8
    s8: _mma_sync_aligned_m16n8k16_row_col_satfinite_s32_u8
class _mma_sync_aligned_m16n8k16_row_col_satfinite(_Chain):
    s32: _mma_sync_aligned_m16n8k16_row_col_satfinite_s32
class _mma_sync_aligned_m16n8k16_row_col(_Chain):
    f16: _mma_sync_aligned_m16n8k16_row_col_f16
    f32: _mma_sync_aligned_m16n8k16_row_col_f32
    rn: _wmma_mma_sync_aligned_row_row_m8n8k4_rn
    rz: _wmma_mma_sync_aligned_row_row_m8n8k4_rn
    rm: _wmma_mma_sync_aligned_row_row_m8n8k4_rn
    rp: _wmma_mma_sync_aligned_row_row_m8n8k4_rn
    f64: _wmma_mma_sync_aligned_row_row_m8n8k4_rn_f64
    satfinite: _mma_sync_aligned_m16n8k16_row_col_satfinite
    s32: _mma_sync_aligned_m16n8k16_row_col_satfinite_s32
class _mma_sync_aligned_m16n8k16_row(_Chain):
    col: _mma_sync_aligned_m16n8k16_row_col
class _mma_sync_aligned_m16n8k16(_Chain):
    row: _mma_sync_aligned_m16n8k16_row
class _mma_sync_aligned_m16n8k4_row_col(_Chain):
    f32: _wmma_mma_sync_aligned_row_row_m16n16k8_f32
    rn: _wmma_mma_sync_aligned_row_row_m8n8k4_rn
    rz: _wmma_mma_sync_aligned_row_row_m8n8k4_rn
    rm: _wmma_mma_sync_aligned_row_row_m8n8k4_rn
    rp: _wmma_mma_sync_aligned_row_row_m8n8k4_rn
    f64: _wmma_mma_sync_aligned_row_row_m8n8k4_rn_f64
class _mma_sync_aligned_m16n8k4_row(_Chain):
    col: _mma_sync_aligned_m16n8k4_row_col
class _mma_sync_aligned_m16n8k4(_Chain):
    row: _mma_sync_aligned_m16n8k4_row
class _mma_sync_aligned_m16n8k32_row_col_f16(_Chain):
    e4m3: _mma_sync_aligned_m16n8k16_row_col_f16_e4m3
    e5m2: _mma_sync_aligned_m16n8k16_row_col_f16_e4m3
class _mma_sync_aligned_m16n8k32_row_col_f32(_Chain):
    e4m3: _mma_sync_aligned_m16n8k16_row_col_f32_e4m3
    e5m2: _mma_sync_aligned_m16n8k16_row_col_f32_e4m3
class _mma_sync_aligned_m16n8k32_row_col_kind__f8f6f4_f16_e4m3(_Chain):
    e4m3: _mma_sync_aligned_m16n8k16_row_col_f16_e4m3_e4m3
    e5m2: _mma_sync_aligned_m16n8k16_row_col_f16_e4m3_e4m3
    e3m2: _mma_sync_aligned_m16n8k16_row_col_f16_e4m3_e4m3
    e2m3: _mma_sync_aligned_m16n8k16_row_col_f16_e4m3_e4m3
    e2m1: _mma_sync_aligned_m16n8k16_row_col_f16_e4m3_e4m3
class _mma_sync_aligned_m16n8k32_row_col_kind__f8f6f4_f16(_Chain):
    e4m3: _mma_sync_aligned_m16n8k32_row_col_kind__f8f6f4_f16_e4m3
    e5m2: _mma_sync_aligned_m16n8k32_row_col_kind__f8f6f4_f16_e4m3
    e3m2: _mma_sync_aligned_m16n8k32_row_col_kind__f8f6f4_f16_e4m3
    e2m3: _mma_sync_aligned_m16n8k32_row_col_kind__f8f6f4_f16_e4m3
    e2m1: _mma_sync_aligned_m16n8k32_row_col_kind__f8f6f4_f16_e4m3
class _mma_sync_aligned_m16n8k32_row_col_kind__f8f6f4_f32_e4m3(_Chain):
    e4m3: _mma_sync_aligned_m16n8k16_row_col_f32_e4m3_e4m3
    e5m2: _mma_sync_aligned_m16n8k16_row_col_f32_e4m3_e4m3
    e3m2: _mma_sync_aligned_m16n8k16_row_col_f32_e4m3_e4m3
    e2m3: _mma_sync_aligned_m16n8k16_row_col_f32_e4m3_e4m3
    e2m1: _mma_sync_aligned_m16n8k16_row_col_f32_e4m3_e4m3
class _mma_sync_aligned_m16n8k32_row_col_kind__f8f6f4_f32(_Chain):
    e4m3: _mma_sync_aligned_m16n8k32_row_col_kind__f8f6f4_f32_e4m3
    e5m2: _mma_sync_aligned_m16n8k32_row_col_kind__f8f6f4_f32_e4m3
    e3m2: _mma_sync_aligned_m16n8k32_row_col_kind__f8f6f4_f32_e4m3
    e2m3: _mma_sync_aligned_m16n8k32_row_col_kind__f8f6f4_f32_e4m3
    e2m1: _mma_sync_aligned_m16n8k32_row_col_kind__f8f6f4_f32_e4m3
class _mma_sync_aligned_m16n8k32_row_col_kind__f8f6f4(_Chain):
    f16: _mma_sync_aligned_m16n8k32_row_col_kind__f8f6f4_f16
    f32: _mma_sync_aligned_m16n8k32_row_col_kind__f8f6f4_f32
class _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3_f32_ue8m0(_Chain):
    def __call__(self, d: Vector[F32 | Sink | New], a: Vector[B32], b: Vector[B32], c: Vector[F32 | float], scale_a: B32, byte_a: Vector[E2M1X4 | float], scale_b: B32, byte_b: Vector[E2M1X4 | float], /, *, pred: Guard = ...) -> Any: ...
class _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3_f32(_Chain):
    ue8m0: _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3_f32_ue8m0
class _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3(_Chain):
    f32: _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3_f32
class _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3(_Chain):
    e4m3: _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3
    e5m2: _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3
    e3m2: _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3
    e2m3: _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3
    e2m1: _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3
class _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32(_Chain):
    e4m3: _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3
    e5m2: _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3
    e3m2: _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3
    e2m3: _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3
    e2m1: _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3
class _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X(_Chain):
    f32: _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32
class _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale(_Chain):
    scale_vec__1X: _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X
    f32: _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32
class _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4(_Chain):
    block_scale: _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale
class _mma_sync_aligned_m16n8k32_row_col_satfinite_s32_u4(_Chain):
    u4: _wmma_mma_xor_popc_sync_aligned_row_col_m8n8k128_s32_b1_b1
    s4: _wmma_mma_xor_popc_sync_aligned_row_col_m8n8k128_s32_b1_b1
class _mma_sync_aligned_m16n8k32_row_col_satfinite_s32(_Chain):
    u8: _mma_sync_aligned_m16n8k16_row_col_satfinite_s32_u8
    s8: _mma_sync_aligned_m16n8k16_row_col_satfinite_s32_u8
    u4: _mma_sync_aligned_m16n8k32_row_col_satfinite_s32_u4
    s4: _mma_sync_aligned_m16n8k32_row_col_satfinite_s32_u4
class _mma_sync_aligned_m16n8k32_row_col_satfinite(_Chain):
    s32: _mma_sync_aligned_m16n8k32_row_col_satfinite_s32
class _mma_sync_aligned_m16n8k32_row_col_s32_u4_u4_s32_xor(_Chain):
    popc: _wmma_mma_sync_aligned_row_row_m16n16k16_s32_s8_s8_s32_satfinite
class _mma_sync_aligned_m16n8k32_row_col_s32_u4_u4_s32(_Chain):
    xor: _mma_sync_aligned_m16n8k32_row_col_s32_u4_u4_s32_xor
    and_: _mma_sync_aligned_m16n8k32_row_col_s32_u4_u4_s32_xor
    def __call__(self, d: Vector[I32 | Sink | New], a: Vector[B32 | float], b: Vector[B32 | float], c: Vector[I32 | int], /, *, pred: Guard = ...) -> Any: ...
class _mma_sync_aligned_m16n8k32_row_col_s32_u4_u4(_Chain):
    s32: _mma_sync_aligned_m16n8k32_row_col_s32_u4_u4_s32
class _mma_sync_aligned_m16n8k32_row_col_s32_u4(_Chain):
    u4: _mma_sync_aligned_m16n8k32_row_col_s32_u4_u4
    s4: _mma_sync_aligned_m16n8k32_row_col_s32_u4_u4
class _mma_sync_aligned_m16n8k32_row_col_s32(_Chain):
    u8: _mma_sync_aligned_m16n8k16_row_col_satfinite_s32_u8
    s8: _mma_sync_aligned_m16n8k16_row_col_satfinite_s32_u8
    u4: _mma_sync_aligned_m16n8k32_row_col_s32_u4
    s4: _mma_sync_aligned_m16n8k32_row_col_s32_u4
class _mma_sync_aligned_m16n8k32_row_col(_Chain):
    f16: _mma_sync_aligned_m16n8k32_row_col_f16
    f32: _mma_sync_aligned_m16n8k32_row_col_f32
    kind__f8f6f4: _mma_sync_aligned_m16n8k32_row_col_kind__f8f6f4
    kind__mxf8f6f4: _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4
    satfinite: _mma_sync_aligned_m16n8k32_row_col_satfinite
    s32: _mma_sync_aligned_m16n8k32_row_col_s32
class _mma_sync_aligned_m16n8k32_row(_Chain):
    col: _mma_sync_aligned_m16n8k32_row_col
class _mma_sync_aligned_m16n8k32(_Chain):
    row: _mma_sync_aligned_m16n8k32_row
class _mma_sync_aligned_m16n8k64_row_col_kind__mxf4_block_scale_scale_vec__2X_f32_e2m1(_Chain):
    e2m1: _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3
class _mma_sync_aligned_m16n8k64_row_col_kind__mxf4_block_scale_scale_vec__2X_f32(_Chain):
    e2m1: _mma_sync_aligned_m16n8k64_row_col_kind__mxf4_block_scale_scale_vec__2X_f32_e2m1
class _mma_sync_aligned_m16n8k64_row_col_kind__mxf4_block_scale_scale_vec__2X(_Chain):
    f32: _mma_sync_aligned_m16n8k64_row_col_kind__mxf4_block_scale_scale_vec__2X_f32
class _mma_sync_aligned_m16n8k64_row_col_kind__mxf4_block_scale(_Chain):
    scale_vec__2X: _mma_sync_aligned_m16n8k64_row_col_kind__mxf4_block_scale_scale_vec__2X
    f32: _mma_sync_aligned_m16n8k64_row_col_kind__mxf4_block_scale_scale_vec__2X_f32
class _mma_sync_aligned_m16n8k64_row_col_kind__mxf4(_Chain):
    block_scale: _mma_sync_aligned_m16n8k64_row_col_kind__mxf4_block_scale
class _mma_sync_aligned_m16n8k64_row_col_kind__mxf4nvf4_block_scale_scale_vec__4X_f32_e2m1_e2m1_f32(_Chain):
    ue4m3: _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3_f32_ue8m0
    ue8m0: _mma_sync_aligned_m16n8k32_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3_f32_ue8m0
class _mma_sync_aligned_m16n8k64_row_col_kind__mxf4nvf4_block_scale_scale_vec__4X_f32_e2m1_e2m1(_Chain):
    f32: _mma_sync_aligned_m16n8k64_row_col_kind__mxf4nvf4_block_scale_scale_vec__4X_f32_e2m1_e2m1_f32
class _mma_sync_aligned_m16n8k64_row_col_kind__mxf4nvf4_block_scale_scale_vec__4X_f32_e2m1(_Chain):
    e2m1: _mma_sync_aligned_m16n8k64_row_col_kind__mxf4nvf4_block_scale_scale_vec__4X_f32_e2m1_e2m1
class _mma_sync_aligned_m16n8k64_row_col_kind__mxf4nvf4_block_scale_scale_vec__4X_f32(_Chain):
    e2m1: _mma_sync_aligned_m16n8k64_row_col_kind__mxf4nvf4_block_scale_scale_vec__4X_f32_e2m1
class _mma_sync_aligned_m16n8k64_row_col_kind__mxf4nvf4_block_scale_scale_vec__4X(_Chain):
    f32: _mma_sync_aligned_m16n8k64_row_col_kind__mxf4nvf4_block_scale_scale_vec__4X_f32
class _mma_sync_aligned_m16n8k64_row_col_kind__mxf4nvf4_block_scale(_Chain):
    scale_vec__2X: _mma_sync_aligned_m16n8k64_row_col_kind__mxf4_block_scale_scale_vec__2X
    scale_vec__4X: _mma_sync_aligned_m16n8k64_row_col_kind__mxf4nvf4_block_scale_scale_vec__4X
class _mma_sync_aligned_m16n8k64_row_col_kind__mxf4nvf4(_Chain):
    block_scale: _mma_sync_aligned_m16n8k64_row_col_kind__mxf4nvf4_block_scale
class _mma_sync_aligned_m16n8k64_row_col_satfinite_s32(_Chain):
    u4: _mma_sync_aligned_m16n8k32_row_col_satfinite_s32_u4
    s4: _mma_sync_aligned_m16n8k32_row_col_satfinite_s32_u4
class _mma_sync_aligned_m16n8k64_row_col_satfinite(_Chain):
    s32: _mma_sync_aligned_m16n8k64_row_col_satfinite_s32
class _mma_sync_aligned_m16n8k64_row_col_s32(_Chain):
    u4: _mma_sync_aligned_m16n8k32_row_col_s32_u4
    s4: _mma_sync_aligned_m16n8k32_row_col_s32_u4
class _mma_sync_aligned_m16n8k64_row_col(_Chain):
    kind__mxf4: _mma_sync_aligned_m16n8k64_row_col_kind__mxf4
    kind__mxf4nvf4: _mma_sync_aligned_m16n8k64_row_col_kind__mxf4nvf4
    satfinite: _mma_sync_aligned_m16n8k64_row_col_satfinite
    s32: _mma_sync_aligned_m16n8k64_row_col_s32
class _mma_sync_aligned_m16n8k64_row(_Chain):
    col: _mma_sync_aligned_m16n8k64_row_col
class _mma_sync_aligned_m16n8k64(_Chain):
    row: _mma_sync_aligned_m16n8k64_row
class _mma_sync_aligned_m8n8k16_row_col(_Chain):
    satfinite: _mma_sync_aligned_m16n8k16_row_col_satfinite
    s32: _mma_sync_aligned_m16n8k16_row_col_satfinite_s32
class _mma_sync_aligned_m8n8k16_row(_Chain):
    col: _mma_sync_aligned_m8n8k16_row_col
class _mma_sync_aligned_m8n8k16(_Chain):
    row: _mma_sync_aligned_m8n8k16_row
class _mma_sync_aligned_m8n8k32_row_col(_Chain):
    satfinite: _mma_sync_aligned_m16n8k64_row_col_satfinite
    s32: _mma_sync_aligned_m16n8k64_row_col_s32
class _mma_sync_aligned_m8n8k32_row(_Chain):
    col: _mma_sync_aligned_m8n8k32_row_col
class _mma_sync_aligned_m8n8k32(_Chain):
    row: _mma_sync_aligned_m8n8k32_row
class _mma_sync_aligned_m8n8k128_row_col_s32_b1_b1_s32(_Chain):
    xor: _mma_sync_aligned_m16n8k32_row_col_s32_u4_u4_s32_xor
    and_: _mma_sync_aligned_m16n8k32_row_col_s32_u4_u4_s32_xor
class _mma_sync_aligned_m8n8k128_row_col_s32_b1_b1(_Chain):
    s32: _mma_sync_aligned_m8n8k128_row_col_s32_b1_b1_s32
class _mma_sync_aligned_m8n8k128_row_col_s32_b1(_Chain):
    b1: _mma_sync_aligned_m8n8k128_row_col_s32_b1_b1
class _mma_sync_aligned_m8n8k128_row_col_s32(_Chain):
    b1: _mma_sync_aligned_m8n8k128_row_col_s32_b1
class _mma_sync_aligned_m8n8k128_row_col(_Chain):
    s32: _mma_sync_aligned_m8n8k128_row_col_s32
class _mma_sync_aligned_m8n8k128_row(_Chain):
    col: _mma_sync_aligned_m8n8k128_row_col
class _mma_sync_aligned_m8n8k128(_Chain):
    row: _mma_sync_aligned_m8n8k128_row
class _mma_sync_aligned(_Chain):
    m8n8k4: _mma_sync_aligned_m8n8k4
    m16n8k8: _mma_sync_aligned_m16n8k8
    m16n8k16: _mma_sync_aligned_m16n8k16
    m16n8k4: _mma_sync_aligned_m16n8k4
    m16n8k32: _mma_sync_aligned_m16n8k32
    m16n8k64: _mma_sync_aligned_m16n8k64
    m8n8k16: _mma_sync_aligned_m8n8k16
    m8n8k32: _mma_sync_aligned_m8n8k32
    m8n8k128: _mma_sync_aligned_m8n8k128
    m16n8k128: _mma_sync_aligned_m8n8k128
    m16n8k256: _mma_sync_aligned_m8n8k128
class _mma_sync(_Chain):
    aligned: _mma_sync_aligned
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f32_e4m3_e4m3_f32(_Chain):
    def __call__(self, d: Vector[F32 | Sink | New], a: Vector[B32 | float], b: Vector[B32 | float], c: Vector[F32 | float], e: B32, f: int, /, *, pred: Guard = ...) -> Any: ...
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f32_e4m3_e4m3(_Chain):
    f32: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f32_e4m3_e4m3_f32
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f32_e4m3(_Chain):
    e4m3: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f32_e4m3_e4m3
    e5m2: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f32_e4m3_e4m3
    e3m2: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f32_e4m3_e4m3
    e2m3: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f32_e4m3_e4m3
    e2m1: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f32_e4m3_e4m3
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f32(_Chain):
    e4m3: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f32_e4m3
    e5m2: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f32_e4m3
    e3m2: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f32_e4m3
    e2m3: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f32_e4m3
    e2m1: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f32_e4m3
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f16_e4m3_e4m3_f16(_Chain):
    def __call__(self, d: Vector[B32 | Sink | New], a: Vector[B32 | float], b: Vector[B32 | float], c: Vector[B32], e: B32, f: int, /, *, pred: Guard = ...) -> Any: ...
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f16_e4m3_e4m3(_Chain):
    f16: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f16_e4m3_e4m3_f16
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f16_e4m3(_Chain):
    e4m3: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f16_e4m3_e4m3
    e5m2: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f16_e4m3_e4m3
    e3m2: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f16_e4m3_e4m3
    e2m3: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f16_e4m3_e4m3
    e2m1: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f16_e4m3_e4m3
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f16(_Chain):
    e4m3: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f16_e4m3
    e5m2: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f16_e4m3
    e3m2: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f16_e4m3
    e2m3: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f16_e4m3
    e2m1: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f16_e4m3
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4(_Chain):
    f32: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f32
    f16: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f16
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_f32_e4m3(_Chain):
    e4m3: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f32_e4m3_e4m3
    e5m2: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f32_e4m3_e4m3
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_f32(_Chain):
    e4m3: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_f32_e4m3
    e5m2: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_f32_e4m3
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_f16_e4m3(_Chain):
    e4m3: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f16_e4m3_e4m3
    e5m2: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f16_e4m3_e4m3
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_f16(_Chain):
    e4m3: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_f16_e4m3
    e5m2: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_f16_e4m3
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32_u8_u8_s32(_Chain):
    def __call__(self, d: Vector[I32 | Sink | New], a: Vector[B32 | float], b: Vector[B32 | float], c: Vector[I32 | int], e: B32, f: int, /, *, pred: Guard = ...) -> Any: ...
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32_u8_u8(_Chain):
    s32: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32_u8_u8_s32
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32_u8(_Chain):
    u8: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32_u8_u8
    s8: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32_u8_u8
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32_u4(_Chain):
    u4: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32_u8_u8
    s4: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32_u8_u8
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32(_Chain):
    u8: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32_u8
    s8: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32_u8
    u4: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32_u4
    s4: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32_u4
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite(_Chain):
    s32: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3_f32_ue8m0(_Chain):
    def __call__(self, d: Vector[F32 | Sink | New], a: Vector[B32], b: Vector[B32], c: Vector[F32 | float], e: B32, f: int, scale_a: B32, byte_a: Vector[E2M1X4 | float], scale_b: B32, byte_b: Vector[E2M1X4 | float], /, *, pred: Guard = ...) -> Any: ...
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3_f32(_Chain):
    ue8m0: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3_f32_ue8m0
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3(_Chain):
    f32: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3_f32
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3(_Chain):
    e4m3: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3
    e5m2: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3
    e3m2: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3
    e2m3: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3
    e2m1: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32(_Chain):
    e4m3: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3
    e5m2: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3
    e3m2: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3
    e2m3: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3
    e2m1: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X(_Chain):
    f32: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale(_Chain):
    scale_vec__1X: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X
    f32: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4(_Chain):
    block_scale: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col(_Chain):
    kind__f8f6f4: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4
    f32: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_f32
    f16: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_f16
    satfinite: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite
    s32: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32
    kind__mxf8f6f4: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row(_Chain):
    col: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col
class _mma_sp__ordered_metadata_sync_aligned_m16n8k64(_Chain):
    row: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row
class _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f16_f16_f16_f16(_Chain):
    def __call__(self, d: Vector[B32 | Sink | New], a: Vector[B32], b: Vector[B32], c: Vector[B32], e: B32, f: int, /, *, pred: Guard = ...) -> Any: ...
class _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f16_f16_f16(_Chain):
    f16: _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f16_f16_f16_f16
class _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f16_f16(_Chain):
    f16: _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f16_f16_f16
class _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f16(_Chain):
    f16: _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f16_f16
class _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f32_f16_f16_f32(_Chain):
    def __call__(self, d: Vector[F32 | Sink | New], a: Vector[B32], b: Vector[B32], c: Vector[F32 | float], e: B32, f: int, /, *, pred: Guard = ...) -> Any: ...
class _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f32_f16_f16(_Chain):
    f32: _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f32_f16_f16_f32
class _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f32_f16(_Chain):
    f16: _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f32_f16_f16
class _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f32_bf16(_Chain):
    bf16: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f32_e4m3_e4m3
class _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f32_tf32(_Chain):
    tf32: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__f8f6f4_f32_e4m3_e4m3
class _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f32(_Chain):
    f16: _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f32_f16
    bf16: _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f32_bf16
    tf32: _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f32_tf32
class _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col(_Chain):
    f16: _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f16
    f32: _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f32
class _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row(_Chain):
    col: _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col
class _mma_sp__ordered_metadata_sync_aligned_m16n8k16(_Chain):
    row: _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row
class _mma_sp__ordered_metadata_sync_aligned_m16n8k32_row_col_f32(_Chain):
    f16: _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f32_f16
    bf16: _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f32_bf16
class _mma_sp__ordered_metadata_sync_aligned_m16n8k32_row_col_satfinite_s32(_Chain):
    u8: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32_u8
    s8: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32_u8
class _mma_sp__ordered_metadata_sync_aligned_m16n8k32_row_col_satfinite(_Chain):
    s32: _mma_sp__ordered_metadata_sync_aligned_m16n8k32_row_col_satfinite_s32
class _mma_sp__ordered_metadata_sync_aligned_m16n8k32_row_col(_Chain):
    f16: _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f16
    f32: _mma_sp__ordered_metadata_sync_aligned_m16n8k32_row_col_f32
    satfinite: _mma_sp__ordered_metadata_sync_aligned_m16n8k32_row_col_satfinite
    s32: _mma_sp__ordered_metadata_sync_aligned_m16n8k32_row_col_satfinite_s32
class _mma_sp__ordered_metadata_sync_aligned_m16n8k32_row(_Chain):
    col: _mma_sp__ordered_metadata_sync_aligned_m16n8k32_row_col
class _mma_sp__ordered_metadata_sync_aligned_m16n8k32(_Chain):
    row: _mma_sp__ordered_metadata_sync_aligned_m16n8k32_row
class _mma_sp__ordered_metadata_sync_aligned_m16n8k8_row_col_f32(_Chain):
    tf32: _mma_sp__ordered_metadata_sync_aligned_m16n8k16_row_col_f32_tf32
class _mma_sp__ordered_metadata_sync_aligned_m16n8k8_row_col(_Chain):
    f32: _mma_sp__ordered_metadata_sync_aligned_m16n8k8_row_col_f32
class _mma_sp__ordered_metadata_sync_aligned_m16n8k8_row(_Chain):
    col: _mma_sp__ordered_metadata_sync_aligned_m16n8k8_row_col
class _mma_sp__ordered_metadata_sync_aligned_m16n8k8(_Chain):
    row: _mma_sp__ordered_metadata_sync_aligned_m16n8k8_row
class _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_satfinite_s32(_Chain):
    u4: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32_u4
    s4: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32_u4
class _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_satfinite(_Chain):
    s32: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_satfinite_s32
class _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4_block_scale_scale_vec__2X_f32_e2m1(_Chain):
    e2m1: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3
class _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4_block_scale_scale_vec__2X_f32(_Chain):
    e2m1: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4_block_scale_scale_vec__2X_f32_e2m1
class _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4_block_scale_scale_vec__2X(_Chain):
    f32: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4_block_scale_scale_vec__2X_f32
class _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4_block_scale(_Chain):
    scale_vec__2X: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4_block_scale_scale_vec__2X
    f32: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4_block_scale_scale_vec__2X_f32
class _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4(_Chain):
    block_scale: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4_block_scale
class _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4nvf4_block_scale_scale_vec__4X_f32_e2m1_e2m1_f32(_Chain):
    ue4m3: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3_f32_ue8m0
    ue8m0: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_kind__mxf8f6f4_block_scale_scale_vec__1X_f32_e4m3_e4m3_f32_ue8m0
class _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4nvf4_block_scale_scale_vec__4X_f32_e2m1_e2m1(_Chain):
    f32: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4nvf4_block_scale_scale_vec__4X_f32_e2m1_e2m1_f32
class _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4nvf4_block_scale_scale_vec__4X_f32_e2m1(_Chain):
    e2m1: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4nvf4_block_scale_scale_vec__4X_f32_e2m1_e2m1
class _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4nvf4_block_scale_scale_vec__4X_f32(_Chain):
    e2m1: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4nvf4_block_scale_scale_vec__4X_f32_e2m1
class _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4nvf4_block_scale_scale_vec__4X(_Chain):
    f32: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4nvf4_block_scale_scale_vec__4X_f32
class _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4nvf4_block_scale(_Chain):
    scale_vec__2X: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4_block_scale_scale_vec__2X
    scale_vec__4X: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4nvf4_block_scale_scale_vec__4X
class _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4nvf4(_Chain):
    block_scale: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4nvf4_block_scale
class _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col(_Chain):
    satfinite: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_satfinite
    s32: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_satfinite_s32
    kind__mxf4: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4
    kind__mxf4nvf4: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_kind__mxf4nvf4
class _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row(_Chain):
    col: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col
class _mma_sp__ordered_metadata_sync_aligned_m16n8k128(_Chain):
    row: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row
class _mma_sp__ordered_metadata_sync_aligned(_Chain):
    m16n8k64: _mma_sp__ordered_metadata_sync_aligned_m16n8k64
    m16n8k16: _mma_sp__ordered_metadata_sync_aligned_m16n8k16
    m16n8k32: _mma_sp__ordered_metadata_sync_aligned_m16n8k32
    m16n8k8: _mma_sp__ordered_metadata_sync_aligned_m16n8k8
    m16n8k128: _mma_sp__ordered_metadata_sync_aligned_m16n8k128
class _mma_sp__ordered_metadata_sync(_Chain):
    aligned: _mma_sp__ordered_metadata_sync_aligned
class _mma_sp__ordered_metadata(_Chain):
    sync: _mma_sp__ordered_metadata_sync
class _mma_sp_sync_aligned_m16n8k64_row_col(_Chain):
    f32: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_f32
    satfinite: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite
    s32: _mma_sp__ordered_metadata_sync_aligned_m16n8k64_row_col_satfinite_s32
class _mma_sp_sync_aligned_m16n8k64_row(_Chain):
    col: _mma_sp_sync_aligned_m16n8k64_row_col
class _mma_sp_sync_aligned_m16n8k64(_Chain):
    row: _mma_sp_sync_aligned_m16n8k64_row
class _mma_sp_sync_aligned_m16n8k128_row_col(_Chain):
    satfinite: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_satfinite
    s32: _mma_sp__ordered_metadata_sync_aligned_m16n8k128_row_col_satfinite_s32
class _mma_sp_sync_aligned_m16n8k128_row(_Chain):
    col: _mma_sp_sync_aligned_m16n8k128_row_col
class _mma_sp_sync_aligned_m16n8k128(_Chain):
    row: _mma_sp_sync_aligned_m16n8k128_row
class _mma_sp_sync_aligned(_Chain):
    m16n8k16: _mma_sp__ordered_metadata_sync_aligned_m16n8k16
    m16n8k32: _mma_sp__ordered_metadata_sync_aligned_m16n8k32
    m16n8k8: _mma_sp__ordered_metadata_sync_aligned_m16n8k8
    m16n8k64: _mma_sp_sync_aligned_m16n8k64
    m16n8k128: _mma_sp_sync_aligned_m16n8k128
class _mma_sp_sync(_Chain):
    aligned: _mma_sp_sync_aligned
class _mma_sp(_Chain):
    sync: _mma_sp_sync
class _mma(_Chain):
    sync: _mma_sync
    sp__ordered_metadata: _mma_sp__ordered_metadata
    sp: _mma_sp
class _wgmma_fence_sync(_Chain):
    aligned: _cp_async_commit_group
class _wgmma_fence(_Chain):
    sync: _wgmma_fence_sync
class _wgmma_wait_group_sync(_Chain):
    aligned: _cp_async_wait_group
class _wgmma_wait_group(_Chain):
    sync: _wgmma_wait_group_sync
class _wgmma_mma_async_sync_aligned_m64n8k16_f16_f16_f16(_Chain):
    @overload
    def __call__(self, d: Vector[B32 | New], a: Vector[B32], b: I64 | int, scale_d: PRED | int, scale_a: int, scale_b: int, trans_b: int, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[B32 | New], a: I64 | int, b: I64 | int, scale_d: PRED | int, scale_a: int, scale_b: int, trans_a: int, trans_b: int, /, *, pred: Guard = ...) -> Any: ...
class _wgmma_mma_async_sync_aligned_m64n8k16_f16_f16(_Chain):
    f16: _wgmma_mma_async_sync_aligned_m64n8k16_f16_f16_f16
class _wgmma_mma_async_sync_aligned_m64n8k16_f16(_Chain):
    f16: _wgmma_mma_async_sync_aligned_m64n8k16_f16_f16
class _wgmma_mma_async_sync_aligned_m64n8k16_f32_f16_f16(_Chain):
    @overload
    def __call__(self, d: Vector[F32 | New], a: Vector[B32], b: I64 | int, scale_d: PRED | int, scale_a: int, scale_b: int, trans_b: int, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F32 | New], a: I64 | int, b: I64 | int, scale_d: PRED | int, scale_a: int, scale_b: int, trans_a: int, trans_b: int, /, *, pred: Guard = ...) -> Any: ...
class _wgmma_mma_async_sync_aligned_m64n8k16_f32_f16(_Chain):
    f16: _wgmma_mma_async_sync_aligned_m64n8k16_f32_f16_f16
class _wgmma_mma_async_sync_aligned_m64n8k16_f32_bf16(_Chain):
    bf16: _wgmma_mma_async_sync_aligned_m64n8k16_f32_f16_f16
class _wgmma_mma_async_sync_aligned_m64n8k16_f32(_Chain):
    f16: _wgmma_mma_async_sync_aligned_m64n8k16_f32_f16
    bf16: _wgmma_mma_async_sync_aligned_m64n8k16_f32_bf16
class _wgmma_mma_async_sync_aligned_m64n8k16(_Chain):
    f16: _wgmma_mma_async_sync_aligned_m64n8k16_f16
    f32: _wgmma_mma_async_sync_aligned_m64n8k16_f32
class _wgmma_mma_async_sync_aligned_m64n8k8_f32_tf32_tf32(_Chain):
    def __call__(self, d: Vector[F32 | New], a: I64 | int | Vector[B32], b: I64 | int, scale_d: PRED | int, scale_a: int, scale_b: int, /, *, pred: Guard = ...) -> Any: ...
class _wgmma_mma_async_sync_aligned_m64n8k8_f32_tf32(_Chain):
    tf32: _wgmma_mma_async_sync_aligned_m64n8k8_f32_tf32_tf32
class _wgmma_mma_async_sync_aligned_m64n8k8_f32(_Chain):
    tf32: _wgmma_mma_async_sync_aligned_m64n8k8_f32_tf32
class _wgmma_mma_async_sync_aligned_m64n8k8(_Chain):
    f32: _wgmma_mma_async_sync_aligned_m64n8k8_f32
class _wgmma_mma_async_sync_aligned_m64n8k32_f16_e4m3_e4m3(_Chain):
    def __call__(self, d: Vector[B32 | New], a: I64 | int | Vector[B32], b: I64 | int, scale_d: PRED | int, scale_a: int, scale_b: int, /, *, pred: Guard = ...) -> Any: ...
class _wgmma_mma_async_sync_aligned_m64n8k32_f16_e4m3(_Chain):
    e4m3: _wgmma_mma_async_sync_aligned_m64n8k32_f16_e4m3_e4m3
    e5m2: _wgmma_mma_async_sync_aligned_m64n8k32_f16_e4m3_e4m3
class _wgmma_mma_async_sync_aligned_m64n8k32_f16(_Chain):
    e4m3: _wgmma_mma_async_sync_aligned_m64n8k32_f16_e4m3
    e5m2: _wgmma_mma_async_sync_aligned_m64n8k32_f16_e4m3
class _wgmma_mma_async_sync_aligned_m64n8k32_f32_e4m3(_Chain):
    e4m3: _wgmma_mma_async_sync_aligned_m64n8k8_f32_tf32_tf32
    e5m2: _wgmma_mma_async_sync_aligned_m64n8k8_f32_tf32_tf32
class _wgmma_mma_async_sync_aligned_m64n8k32_f32(_Chain):
    e4m3: _wgmma_mma_async_sync_aligned_m64n8k32_f32_e4m3
    e5m2: _wgmma_mma_async_sync_aligned_m64n8k32_f32_e4m3
class _wgmma_mma_async_sync_aligned_m64n8k32_satfinite_s32_s8_s8(_Chain):
    def __call__(self, d: Vector[I32 | New], a: I64 | int | Vector[B32 | float], b: I64 | int, scale_d: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _wgmma_mma_async_sync_aligned_m64n8k32_satfinite_s32_s8(_Chain):
    s8: _wgmma_mma_async_sync_aligned_m64n8k32_satfinite_s32_s8_s8
    u8: _wgmma_mma_async_sync_aligned_m64n8k32_satfinite_s32_s8_s8
class _wgmma_mma_async_sync_aligned_m64n8k32_satfinite_s32_u8(_Chain):
    u8: _wgmma_mma_async_sync_aligned_m64n8k32_satfinite_s32_s8_s8
    s8: _wgmma_mma_async_sync_aligned_m64n8k32_satfinite_s32_s8_s8
class _wgmma_mma_async_sync_aligned_m64n8k32_satfinite_s32(_Chain):
    s8: _wgmma_mma_async_sync_aligned_m64n8k32_satfinite_s32_s8
    u8: _wgmma_mma_async_sync_aligned_m64n8k32_satfinite_s32_u8
class _wgmma_mma_async_sync_aligned_m64n8k32_satfinite(_Chain):
    s32: _wgmma_mma_async_sync_aligned_m64n8k32_satfinite_s32
class _wgmma_mma_async_sync_aligned_m64n8k32(_Chain):
    f16: _wgmma_mma_async_sync_aligned_m64n8k32_f16
    f32: _wgmma_mma_async_sync_aligned_m64n8k32_f32
    satfinite: _wgmma_mma_async_sync_aligned_m64n8k32_satfinite
    s32: _wgmma_mma_async_sync_aligned_m64n8k32_satfinite_s32
class _wgmma_mma_async_sync_aligned_m64n40k32(_Chain):
    f16: _wgmma_mma_async_sync_aligned_m64n8k32_f16
    f32: _wgmma_mma_async_sync_aligned_m64n8k32_f32
class _wgmma_mma_async_sync_aligned_m64n8k256_s32_b1_b1_and(_Chain):
    popc: _wgmma_mma_async_sync_aligned_m64n8k32_satfinite_s32_s8_s8
class _wgmma_mma_async_sync_aligned_m64n8k256_s32_b1_b1(_Chain):
    and_: _wgmma_mma_async_sync_aligned_m64n8k256_s32_b1_b1_and
class _wgmma_mma_async_sync_aligned_m64n8k256_s32_b1(_Chain):
    b1: _wgmma_mma_async_sync_aligned_m64n8k256_s32_b1_b1
class _wgmma_mma_async_sync_aligned_m64n8k256_s32(_Chain):
    b1: _wgmma_mma_async_sync_aligned_m64n8k256_s32_b1
class _wgmma_mma_async_sync_aligned_m64n8k256(_Chain):
    s32: _wgmma_mma_async_sync_aligned_m64n8k256_s32
class _wgmma_mma_async_sync_aligned(_Chain):
    m64n8k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n16k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n24k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n32k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n40k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n48k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n56k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n64k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n72k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n80k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n88k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n96k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n104k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n112k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n120k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n128k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n136k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n144k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n152k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n160k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n168k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n176k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n184k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n192k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n200k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n208k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n216k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n224k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n232k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n240k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n248k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n256k16: _wgmma_mma_async_sync_aligned_m64n8k16
    m64n8k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n16k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n24k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n32k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n40k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n48k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n56k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n64k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n72k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n80k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n88k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n96k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n104k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n112k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n120k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n128k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n136k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n144k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n152k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n160k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n168k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n176k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n184k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n192k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n200k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n208k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n216k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n224k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n232k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n240k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n248k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n256k8: _wgmma_mma_async_sync_aligned_m64n8k8
    m64n8k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n16k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n24k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n32k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n40k32: _wgmma_mma_async_sync_aligned_m64n40k32
    m64n48k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n56k32: _wgmma_mma_async_sync_aligned_m64n40k32
    m64n64k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n72k32: _wgmma_mma_async_sync_aligned_m64n40k32
    m64n80k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n88k32: _wgmma_mma_async_sync_aligned_m64n40k32
    m64n96k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n104k32: _wgmma_mma_async_sync_aligned_m64n40k32
    m64n112k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n120k32: _wgmma_mma_async_sync_aligned_m64n40k32
    m64n128k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n136k32: _wgmma_mma_async_sync_aligned_m64n40k32
    m64n144k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n152k32: _wgmma_mma_async_sync_aligned_m64n40k32
    m64n160k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n168k32: _wgmma_mma_async_sync_aligned_m64n40k32
    m64n176k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n184k32: _wgmma_mma_async_sync_aligned_m64n40k32
    m64n192k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n200k32: _wgmma_mma_async_sync_aligned_m64n40k32
    m64n208k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n216k32: _wgmma_mma_async_sync_aligned_m64n40k32
    m64n224k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n232k32: _wgmma_mma_async_sync_aligned_m64n40k32
    m64n240k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n248k32: _wgmma_mma_async_sync_aligned_m64n40k32
    m64n256k32: _wgmma_mma_async_sync_aligned_m64n8k32
    m64n8k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n16k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n24k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n32k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n48k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n64k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n80k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n96k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n112k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n128k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n144k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n160k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n176k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n192k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n208k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n224k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n240k256: _wgmma_mma_async_sync_aligned_m64n8k256
    m64n256k256: _wgmma_mma_async_sync_aligned_m64n8k256
class _wgmma_mma_async_sync(_Chain):
    aligned: _wgmma_mma_async_sync_aligned
class _wgmma_mma_async_sp_sync_aligned_m64n8k32_f16_f16_f16(_Chain):
    @overload
    def __call__(self, d: Vector[B32 | New], a: Vector[B32], b: I64 | int, meta: B32, sel: int, scale_d: PRED | int, scale_a: int, scale_b: int, trans_b: int, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[B32 | New], a: I64 | int, b: I64 | int, meta: B32, sel: int, scale_d: PRED | int, scale_a: int, scale_b: int, trans_a: int, trans_b: int, /, *, pred: Guard = ...) -> Any: ...
class _wgmma_mma_async_sp_sync_aligned_m64n8k32_f16_f16(_Chain):
    f16: _wgmma_mma_async_sp_sync_aligned_m64n8k32_f16_f16_f16
class _wgmma_mma_async_sp_sync_aligned_m64n8k32_f16(_Chain):
    f16: _wgmma_mma_async_sp_sync_aligned_m64n8k32_f16_f16
class _wgmma_mma_async_sp_sync_aligned_m64n8k32_f32_f16_f16(_Chain):
    @overload
    def __call__(self, d: Vector[F32 | New], a: Vector[B32], b: I64 | int, meta: B32, sel: int, scale_d: PRED | int, scale_a: int, scale_b: int, trans_b: int, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: Vector[F32 | New], a: I64 | int, b: I64 | int, meta: B32, sel: int, scale_d: PRED | int, scale_a: int, scale_b: int, trans_a: int, trans_b: int, /, *, pred: Guard = ...) -> Any: ...
class _wgmma_mma_async_sp_sync_aligned_m64n8k32_f32_f16(_Chain):
    f16: _wgmma_mma_async_sp_sync_aligned_m64n8k32_f32_f16_f16
class _wgmma_mma_async_sp_sync_aligned_m64n8k32_f32_bf16(_Chain):
    bf16: _wgmma_mma_async_sp_sync_aligned_m64n8k32_f32_f16_f16
class _wgmma_mma_async_sp_sync_aligned_m64n8k32_f32(_Chain):
    f16: _wgmma_mma_async_sp_sync_aligned_m64n8k32_f32_f16
    bf16: _wgmma_mma_async_sp_sync_aligned_m64n8k32_f32_bf16
class _wgmma_mma_async_sp_sync_aligned_m64n8k32(_Chain):
    f16: _wgmma_mma_async_sp_sync_aligned_m64n8k32_f16
    f32: _wgmma_mma_async_sp_sync_aligned_m64n8k32_f32
class _wgmma_mma_async_sp_sync_aligned_m64n8k16_f32_tf32_tf32(_Chain):
    def __call__(self, d: Vector[F32 | New], a: I64 | int | Vector[B32], b: I64 | int, meta: B32, sel: int, scale_d: PRED | int, scale_a: int, scale_b: int, /, *, pred: Guard = ...) -> Any: ...
class _wgmma_mma_async_sp_sync_aligned_m64n8k16_f32_tf32(_Chain):
    tf32: _wgmma_mma_async_sp_sync_aligned_m64n8k16_f32_tf32_tf32
class _wgmma_mma_async_sp_sync_aligned_m64n8k16_f32(_Chain):
    tf32: _wgmma_mma_async_sp_sync_aligned_m64n8k16_f32_tf32
class _wgmma_mma_async_sp_sync_aligned_m64n8k16(_Chain):
    f32: _wgmma_mma_async_sp_sync_aligned_m64n8k16_f32
class _wgmma_mma_async_sp_sync_aligned_m64n8k64_f16_e4m3_e4m3(_Chain):
    def __call__(self, d: Vector[B32 | New], a: I64 | int | Vector[B32], b: I64 | int, meta: B32, sel: int, scale_d: PRED | int, scale_a: int, scale_b: int, /, *, pred: Guard = ...) -> Any: ...
class _wgmma_mma_async_sp_sync_aligned_m64n8k64_f16_e4m3(_Chain):
    e4m3: _wgmma_mma_async_sp_sync_aligned_m64n8k64_f16_e4m3_e4m3
    e5m2: _wgmma_mma_async_sp_sync_aligned_m64n8k64_f16_e4m3_e4m3
class _wgmma_mma_async_sp_sync_aligned_m64n8k64_f16(_Chain):
    e4m3: _wgmma_mma_async_sp_sync_aligned_m64n8k64_f16_e4m3
    e5m2: _wgmma_mma_async_sp_sync_aligned_m64n8k64_f16_e4m3
class _wgmma_mma_async_sp_sync_aligned_m64n8k64_f32_e4m3(_Chain):
    e4m3: _wgmma_mma_async_sp_sync_aligned_m64n8k16_f32_tf32_tf32
    e5m2: _wgmma_mma_async_sp_sync_aligned_m64n8k16_f32_tf32_tf32
class _wgmma_mma_async_sp_sync_aligned_m64n8k64_f32(_Chain):
    e4m3: _wgmma_mma_async_sp_sync_aligned_m64n8k64_f32_e4m3
    e5m2: _wgmma_mma_async_sp_sync_aligned_m64n8k64_f32_e4m3
class _wgmma_mma_async_sp_sync_aligned_m64n8k64_satfinite_s32_s8_s8(_Chain):
    def __call__(self, d: Vector[I32 | New], a: I64 | int | Vector[B32 | float], b: I64 | int, meta: B32, sel: int, scale_d: PRED | int, /, *, pred: Guard = ...) -> Any: ...
class _wgmma_mma_async_sp_sync_aligned_m64n8k64_satfinite_s32_s8(_Chain):
    s8: _wgmma_mma_async_sp_sync_aligned_m64n8k64_satfinite_s32_s8_s8
    u8: _wgmma_mma_async_sp_sync_aligned_m64n8k64_satfinite_s32_s8_s8
class _wgmma_mma_async_sp_sync_aligned_m64n8k64_satfinite_s32_u8(_Chain):
    u8: _wgmma_mma_async_sp_sync_aligned_m64n8k64_satfinite_s32_s8_s8
    s8: _wgmma_mma_async_sp_sync_aligned_m64n8k64_satfinite_s32_s8_s8
class _wgmma_mma_async_sp_sync_aligned_m64n8k64_satfinite_s32(_Chain):
    s8: _wgmma_mma_async_sp_sync_aligned_m64n8k64_satfinite_s32_s8
    u8: _wgmma_mma_async_sp_sync_aligned_m64n8k64_satfinite_s32_u8
class _wgmma_mma_async_sp_sync_aligned_m64n8k64_satfinite(_Chain):
    s32: _wgmma_mma_async_sp_sync_aligned_m64n8k64_satfinite_s32
class _wgmma_mma_async_sp_sync_aligned_m64n8k64(_Chain):
    f16: _wgmma_mma_async_sp_sync_aligned_m64n8k64_f16
    f32: _wgmma_mma_async_sp_sync_aligned_m64n8k64_f32
    satfinite: _wgmma_mma_async_sp_sync_aligned_m64n8k64_satfinite
    s32: _wgmma_mma_async_sp_sync_aligned_m64n8k64_satfinite_s32
class _wgmma_mma_async_sp_sync_aligned_m64n40k64(_Chain):
    f16: _wgmma_mma_async_sp_sync_aligned_m64n8k64_f16
    f32: _wgmma_mma_async_sp_sync_aligned_m64n8k64_f32
class _wgmma_mma_async_sp_sync_aligned(_Chain):
    m64n8k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n16k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n24k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n32k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n40k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n48k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n56k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n64k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n72k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n80k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n88k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n96k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n104k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n112k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n120k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n128k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n136k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n144k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n152k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n160k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n168k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n176k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n184k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n192k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n200k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n208k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n216k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n224k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n232k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n240k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n248k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n256k32: _wgmma_mma_async_sp_sync_aligned_m64n8k32
    m64n8k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n16k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n24k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n32k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n40k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n48k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n56k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n64k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n72k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n80k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n88k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n96k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n104k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n112k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n120k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n128k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n136k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n144k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n152k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n160k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n168k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n176k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n184k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n192k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n200k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n208k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n216k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n224k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n232k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n240k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n248k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n256k16: _wgmma_mma_async_sp_sync_aligned_m64n8k16
    m64n8k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n16k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n24k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n32k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n40k64: _wgmma_mma_async_sp_sync_aligned_m64n40k64
    m64n48k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n56k64: _wgmma_mma_async_sp_sync_aligned_m64n40k64
    m64n64k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n72k64: _wgmma_mma_async_sp_sync_aligned_m64n40k64
    m64n80k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n88k64: _wgmma_mma_async_sp_sync_aligned_m64n40k64
    m64n96k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n104k64: _wgmma_mma_async_sp_sync_aligned_m64n40k64
    m64n112k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n120k64: _wgmma_mma_async_sp_sync_aligned_m64n40k64
    m64n128k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n136k64: _wgmma_mma_async_sp_sync_aligned_m64n40k64
    m64n144k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n152k64: _wgmma_mma_async_sp_sync_aligned_m64n40k64
    m64n160k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n168k64: _wgmma_mma_async_sp_sync_aligned_m64n40k64
    m64n176k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n184k64: _wgmma_mma_async_sp_sync_aligned_m64n40k64
    m64n192k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n200k64: _wgmma_mma_async_sp_sync_aligned_m64n40k64
    m64n208k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n216k64: _wgmma_mma_async_sp_sync_aligned_m64n40k64
    m64n224k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n232k64: _wgmma_mma_async_sp_sync_aligned_m64n40k64
    m64n240k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
    m64n248k64: _wgmma_mma_async_sp_sync_aligned_m64n40k64
    m64n256k64: _wgmma_mma_async_sp_sync_aligned_m64n8k64
class _wgmma_mma_async_sp_sync(_Chain):
    aligned: _wgmma_mma_async_sp_sync_aligned
class _wgmma_mma_async_sp(_Chain):
    sync: _wgmma_mma_async_sp_sync
class _wgmma_mma_async(_Chain):
    sync: _wgmma_mma_async_sync
    sp: _wgmma_mma_async_sp
class _wgmma(_Chain):
    fence: _wgmma_fence
    commit_group: _wgmma_fence
    wait_group: _wgmma_wait_group
    mma_async: _wgmma_mma_async
class _tcgen05_alloc_cta_group__1_sync_aligned_shared__cta_b32(_Chain):
    def __call__(self, a: Address, columns: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_alloc_cta_group__1_sync_aligned_shared__cta(_Chain):
    b32: _tcgen05_alloc_cta_group__1_sync_aligned_shared__cta_b32
class _tcgen05_alloc_cta_group__1_sync_aligned_exclusive(_Chain):
    shared__cta: _tcgen05_alloc_cta_group__1_sync_aligned_shared__cta
    b32: _tcgen05_alloc_cta_group__1_sync_aligned_shared__cta_b32
class _tcgen05_alloc_cta_group__1_sync_aligned(_Chain):
    shared__cta: _tcgen05_alloc_cta_group__1_sync_aligned_shared__cta
    b32: _tcgen05_alloc_cta_group__1_sync_aligned_shared__cta_b32
    exclusive: _tcgen05_alloc_cta_group__1_sync_aligned_exclusive
class _tcgen05_alloc_cta_group__1_sync(_Chain):
    aligned: _tcgen05_alloc_cta_group__1_sync_aligned
class _tcgen05_alloc_cta_group__1(_Chain):
    sync: _tcgen05_alloc_cta_group__1_sync
class _tcgen05_alloc(_Chain):
    cta_group__1: _tcgen05_alloc_cta_group__1
    cta_group__2: _tcgen05_alloc_cta_group__1
class _tcgen05_dealloc_cta_group__1_sync_aligned_b32(_Chain):
    def __call__(self, taddr: B32 | float, columns: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_dealloc_cta_group__1_sync_aligned_exclusive(_Chain):
    b32: _tcgen05_dealloc_cta_group__1_sync_aligned_b32
class _tcgen05_dealloc_cta_group__1_sync_aligned(_Chain):
    b32: _tcgen05_dealloc_cta_group__1_sync_aligned_b32
    exclusive: _tcgen05_dealloc_cta_group__1_sync_aligned_exclusive
class _tcgen05_dealloc_cta_group__1_sync(_Chain):
    aligned: _tcgen05_dealloc_cta_group__1_sync_aligned
class _tcgen05_dealloc_cta_group__1(_Chain):
    sync: _tcgen05_dealloc_cta_group__1_sync
class _tcgen05_dealloc(_Chain):
    cta_group__1: _tcgen05_dealloc_cta_group__1
    cta_group__2: _tcgen05_dealloc_cta_group__1
class _tcgen05_relinquish_alloc_permit(_Chain):
    cta_group__1: _wgmma_fence
    cta_group__2: _wgmma_fence
class _tcgen05_ld_sync_aligned_16x64b_x1_pack__16b_b32(_Chain):
    def __call__(self, d: Vector[B32 | New], t: Address, /, *, pred: Guard = ...) -> Any: ...
class _tcgen05_ld_sync_aligned_16x64b_x1_pack__16b(_Chain):
    b32: _tcgen05_ld_sync_aligned_16x64b_x1_pack__16b_b32
class _tcgen05_ld_sync_aligned_16x64b_x1(_Chain):
    pack__16b: _tcgen05_ld_sync_aligned_16x64b_x1_pack__16b
    b32: _tcgen05_ld_sync_aligned_16x64b_x1_pack__16b_b32
class _tcgen05_ld_sync_aligned_16x64b(_Chain):
    x1: _tcgen05_ld_sync_aligned_16x64b_x1
    x2: _tcgen05_ld_sync_aligned_16x64b_x1
    x4: _tcgen05_ld_sync_aligned_16x64b_x1
    x8: _tcgen05_ld_sync_aligned_16x64b_x1
    x16: _tcgen05_ld_sync_aligned_16x64b_x1
    x32: _tcgen05_ld_sync_aligned_16x64b_x1
    x64: _tcgen05_ld_sync_aligned_16x64b_x1
    x128: _tcgen05_ld_sync_aligned_16x64b_x1
class _tcgen05_ld_sync_aligned_16x128b(_Chain):
    x1: _tcgen05_ld_sync_aligned_16x64b_x1
    x2: _tcgen05_ld_sync_aligned_16x64b_x1
    x4: _tcgen05_ld_sync_aligned_16x64b_x1
    x8: _tcgen05_ld_sync_aligned_16x64b_x1
    x16: _tcgen05_ld_sync_aligned_16x64b_x1
    x32: _tcgen05_ld_sync_aligned_16x64b_x1
    x64: _tcgen05_ld_sync_aligned_16x64b_x1
class _tcgen05_ld_sync_aligned_16x256b(_Chain):
    x1: _tcgen05_ld_sync_aligned_16x64b_x1
    x2: _tcgen05_ld_sync_aligned_16x64b_x1
    x4: _tcgen05_ld_sync_aligned_16x64b_x1
    x8: _tcgen05_ld_sync_aligned_16x64b_x1
    x16: _tcgen05_ld_sync_aligned_16x64b_x1
    x32: _tcgen05_ld_sync_aligned_16x64b_x1
class _tcgen05_ld_sync_aligned_16x32bx2_x1_pack__16b_b32(_Chain):
    def __call__(self, d: Vector[B32 | New], t: Address, half: int, /, *, pred: Guard = ...) -> Any: ...
class _tcgen05_ld_sync_aligned_16x32bx2_x1_pack__16b(_Chain):
    b32: _tcgen05_ld_sync_aligned_16x32bx2_x1_pack__16b_b32
class _tcgen05_ld_sync_aligned_16x32bx2_x1(_Chain):
    pack__16b: _tcgen05_ld_sync_aligned_16x32bx2_x1_pack__16b
    b32: _tcgen05_ld_sync_aligned_16x32bx2_x1_pack__16b_b32
class _tcgen05_ld_sync_aligned_16x32bx2(_Chain):
    x1: _tcgen05_ld_sync_aligned_16x32bx2_x1
    x2: _tcgen05_ld_sync_aligned_16x32bx2_x1
    x4: _tcgen05_ld_sync_aligned_16x32bx2_x1
    x8: _tcgen05_ld_sync_aligned_16x32bx2_x1
    x16: _tcgen05_ld_sync_aligned_16x32bx2_x1
    x32: _tcgen05_ld_sync_aligned_16x32bx2_x1
    x64: _tcgen05_ld_sync_aligned_16x32bx2_x1
    x128: _tcgen05_ld_sync_aligned_16x32bx2_x1
class _tcgen05_ld_sync_aligned(_Chain):
    _16x64b: _tcgen05_ld_sync_aligned_16x64b
    _32x32b: _tcgen05_ld_sync_aligned_16x64b
    _16x128b: _tcgen05_ld_sync_aligned_16x128b
    _16x256b: _tcgen05_ld_sync_aligned_16x256b
    _16x32bx2: _tcgen05_ld_sync_aligned_16x32bx2
class _tcgen05_ld_sync(_Chain):
    aligned: _tcgen05_ld_sync_aligned
class _tcgen05_ld_red_sync_aligned_32x32b_x2_min_u32(_Chain):
    def __call__(self, d: Vector[B32 | Sink | New], q: B32 | New, t: Address, /, *, pred: Guard = ...) -> Any: ...
class _tcgen05_ld_red_sync_aligned_32x32b_x2_min_abs_NaN(_Chain):
    f32: _tcgen05_ld_red_sync_aligned_32x32b_x2_min_u32
class _tcgen05_ld_red_sync_aligned_32x32b_x2_min_abs(_Chain):
    NaN: _tcgen05_ld_red_sync_aligned_32x32b_x2_min_abs_NaN
    f32: _tcgen05_ld_red_sync_aligned_32x32b_x2_min_u32
class _tcgen05_ld_red_sync_aligned_32x32b_x2_min(_Chain):
    u32: _tcgen05_ld_red_sync_aligned_32x32b_x2_min_u32
    s32: _tcgen05_ld_red_sync_aligned_32x32b_x2_min_u32
    abs: _tcgen05_ld_red_sync_aligned_32x32b_x2_min_abs
    NaN: _tcgen05_ld_red_sync_aligned_32x32b_x2_min_abs_NaN
    f32: _tcgen05_ld_red_sync_aligned_32x32b_x2_min_u32
class _tcgen05_ld_red_sync_aligned_32x32b_x2(_Chain):
    min: _tcgen05_ld_red_sync_aligned_32x32b_x2_min
    max: _tcgen05_ld_red_sync_aligned_32x32b_x2_min
class _tcgen05_ld_red_sync_aligned_32x32b(_Chain):
    x2: _tcgen05_ld_red_sync_aligned_32x32b_x2
    x4: _tcgen05_ld_red_sync_aligned_32x32b_x2
    x8: _tcgen05_ld_red_sync_aligned_32x32b_x2
    x16: _tcgen05_ld_red_sync_aligned_32x32b_x2
    x32: _tcgen05_ld_red_sync_aligned_32x32b_x2
    x64: _tcgen05_ld_red_sync_aligned_32x32b_x2
    x128: _tcgen05_ld_red_sync_aligned_32x32b_x2
class _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_u32(_Chain):
    def __call__(self, d: Vector[B32 | Sink | New], q: B32 | New, t: Address, half: int, /, *, pred: Guard = ...) -> Any: ...
class _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_abs_NaN(_Chain):
    f32: _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_u32
class _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_abs(_Chain):
    NaN: _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_abs_NaN
    f32: _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_u32
class _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min(_Chain):
    u32: _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_u32
    s32: _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_u32
    abs: _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_abs
    NaN: _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_abs_NaN
    f32: _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min_u32
class _tcgen05_ld_red_sync_aligned_16x32bx2_x2(_Chain):
    min: _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min
    max: _tcgen05_ld_red_sync_aligned_16x32bx2_x2_min
class _tcgen05_ld_red_sync_aligned_16x32bx2(_Chain):
    x2: _tcgen05_ld_red_sync_aligned_16x32bx2_x2
    x4: _tcgen05_ld_red_sync_aligned_16x32bx2_x2
    x8: _tcgen05_ld_red_sync_aligned_16x32bx2_x2
    x16: _tcgen05_ld_red_sync_aligned_16x32bx2_x2
    x32: _tcgen05_ld_red_sync_aligned_16x32bx2_x2
    x64: _tcgen05_ld_red_sync_aligned_16x32bx2_x2
    x128: _tcgen05_ld_red_sync_aligned_16x32bx2_x2
class _tcgen05_ld_red_sync_aligned(_Chain):
    _32x32b: _tcgen05_ld_red_sync_aligned_32x32b
    _16x32bx2: _tcgen05_ld_red_sync_aligned_16x32bx2
class _tcgen05_ld_red_sync(_Chain):
    aligned: _tcgen05_ld_red_sync_aligned
class _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_min_sp__2_4_abs_NaN_f32_b2(_Chain):
    def __call__(self, d2: Vector[B32 | Sink | New], d: Vector[B32 | Sink | New], q: B32 | New, t: Address, /, *, pred: Guard = ...) -> Any: ...
class _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_min_sp__2_4_abs_NaN_f32(_Chain):
    b2: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_min_sp__2_4_abs_NaN_f32_b2
class _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_min_sp__2_4_abs_NaN(_Chain):
    f32: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_min_sp__2_4_abs_NaN_f32
class _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_min_sp__2_4_abs(_Chain):
    NaN: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_min_sp__2_4_abs_NaN
    f32: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_min_sp__2_4_abs_NaN_f32
class _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_min_sp__2_4(_Chain):
    abs: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_min_sp__2_4_abs
    NaN: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_min_sp__2_4_abs_NaN
    f32: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_min_sp__2_4_abs_NaN_f32
class _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_min(_Chain):
    sp__2_4: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_min_sp__2_4
class _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4(_Chain):
    min: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_min
    max: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4_min
class _tcgen05_ld_red_spcompress_sync_aligned_32x32b(_Chain):
    x4: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4
    x8: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4
    x16: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4
    x32: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4
    x64: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4
    x128: _tcgen05_ld_red_spcompress_sync_aligned_32x32b_x4
class _tcgen05_ld_red_spcompress_sync_aligned(_Chain):
    _32x32b: _tcgen05_ld_red_spcompress_sync_aligned_32x32b
class _tcgen05_ld_red_spcompress_sync(_Chain):
    aligned: _tcgen05_ld_red_spcompress_sync_aligned
class _tcgen05_ld_red_spcompress(_Chain):
    sync: _tcgen05_ld_red_spcompress_sync
class _tcgen05_ld_red(_Chain):
    sync: _tcgen05_ld_red_sync
    spcompress: _tcgen05_ld_red_spcompress
class _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_min_sp__2_4_abs_f32_b2(_Chain):
    def __call__(self, d2: Vector[B32 | Sink | New], d: Vector[B32 | Sink | New], t: Address, /, *, pred: Guard = ...) -> Any: ...
class _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_min_sp__2_4_abs_f32(_Chain):
    b2: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_min_sp__2_4_abs_f32_b2
class _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_min_sp__2_4_abs(_Chain):
    f32: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_min_sp__2_4_abs_f32
class _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_min_sp__2_4(_Chain):
    abs: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_min_sp__2_4_abs
    f32: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_min_sp__2_4_abs_f32
class _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_min(_Chain):
    sp__2_4: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_min_sp__2_4
class _tcgen05_ld_spcompress_sync_aligned_32x32b_x4(_Chain):
    min: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_min
    max: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4_min
class _tcgen05_ld_spcompress_sync_aligned_32x32b(_Chain):
    x4: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4
    x8: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4
    x16: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4
    x32: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4
    x64: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4
    x128: _tcgen05_ld_spcompress_sync_aligned_32x32b_x4
class _tcgen05_ld_spcompress_sync_aligned(_Chain):
    _32x32b: _tcgen05_ld_spcompress_sync_aligned_32x32b
class _tcgen05_ld_spcompress_sync(_Chain):
    aligned: _tcgen05_ld_spcompress_sync_aligned
class _tcgen05_ld_spcompress(_Chain):
    sync: _tcgen05_ld_spcompress_sync
class _tcgen05_ld(_Chain):
    sync: _tcgen05_ld_sync
    red: _tcgen05_ld_red
    spcompress: _tcgen05_ld_spcompress
class _tcgen05_st_sync_aligned_16x64b_x1_unpack__16b_b32(_Chain):
    def __call__(self, t: Address, r: Vector[B32 | float], /, *, pred: Guard = ...) -> None: ...
class _tcgen05_st_sync_aligned_16x64b_x1_unpack__16b(_Chain):
    b32: _tcgen05_st_sync_aligned_16x64b_x1_unpack__16b_b32
class _tcgen05_st_sync_aligned_16x64b_x1(_Chain):
    unpack__16b: _tcgen05_st_sync_aligned_16x64b_x1_unpack__16b
    b32: _tcgen05_st_sync_aligned_16x64b_x1_unpack__16b_b32
class _tcgen05_st_sync_aligned_16x64b(_Chain):
    x1: _tcgen05_st_sync_aligned_16x64b_x1
    x2: _tcgen05_st_sync_aligned_16x64b_x1
    x4: _tcgen05_st_sync_aligned_16x64b_x1
    x8: _tcgen05_st_sync_aligned_16x64b_x1
    x16: _tcgen05_st_sync_aligned_16x64b_x1
    x32: _tcgen05_st_sync_aligned_16x64b_x1
    x64: _tcgen05_st_sync_aligned_16x64b_x1
    x128: _tcgen05_st_sync_aligned_16x64b_x1
class _tcgen05_st_sync_aligned_16x128b(_Chain):
    x1: _tcgen05_st_sync_aligned_16x64b_x1
    x2: _tcgen05_st_sync_aligned_16x64b_x1
    x4: _tcgen05_st_sync_aligned_16x64b_x1
    x8: _tcgen05_st_sync_aligned_16x64b_x1
    x16: _tcgen05_st_sync_aligned_16x64b_x1
    x32: _tcgen05_st_sync_aligned_16x64b_x1
    x64: _tcgen05_st_sync_aligned_16x64b_x1
class _tcgen05_st_sync_aligned_16x256b(_Chain):
    x1: _tcgen05_st_sync_aligned_16x64b_x1
    x2: _tcgen05_st_sync_aligned_16x64b_x1
    x4: _tcgen05_st_sync_aligned_16x64b_x1
    x8: _tcgen05_st_sync_aligned_16x64b_x1
    x16: _tcgen05_st_sync_aligned_16x64b_x1
    x32: _tcgen05_st_sync_aligned_16x64b_x1
class _tcgen05_st_sync_aligned_16x32bx2_x1_unpack__16b_b32(_Chain):
    def __call__(self, t: Address, half: int, r: Vector[B32 | float], /, *, pred: Guard = ...) -> None: ...
class _tcgen05_st_sync_aligned_16x32bx2_x1_unpack__16b(_Chain):
    b32: _tcgen05_st_sync_aligned_16x32bx2_x1_unpack__16b_b32
class _tcgen05_st_sync_aligned_16x32bx2_x1(_Chain):
    unpack__16b: _tcgen05_st_sync_aligned_16x32bx2_x1_unpack__16b
    b32: _tcgen05_st_sync_aligned_16x32bx2_x1_unpack__16b_b32
class _tcgen05_st_sync_aligned_16x32bx2(_Chain):
    x1: _tcgen05_st_sync_aligned_16x32bx2_x1
    x2: _tcgen05_st_sync_aligned_16x32bx2_x1
    x4: _tcgen05_st_sync_aligned_16x32bx2_x1
    x8: _tcgen05_st_sync_aligned_16x32bx2_x1
    x16: _tcgen05_st_sync_aligned_16x32bx2_x1
    x32: _tcgen05_st_sync_aligned_16x32bx2_x1
    x64: _tcgen05_st_sync_aligned_16x32bx2_x1
    x128: _tcgen05_st_sync_aligned_16x32bx2_x1
class _tcgen05_st_sync_aligned(_Chain):
    _16x64b: _tcgen05_st_sync_aligned_16x64b
    _32x32b: _tcgen05_st_sync_aligned_16x64b
    _16x128b: _tcgen05_st_sync_aligned_16x128b
    _16x256b: _tcgen05_st_sync_aligned_16x256b
    _16x32bx2: _tcgen05_st_sync_aligned_16x32bx2
class _tcgen05_st_sync(_Chain):
    aligned: _tcgen05_st_sync_aligned
class _tcgen05_st(_Chain):
    sync: _tcgen05_st_sync
class _tcgen05_cp_cta_group__1_128x256b_b8x16_b6x16_p32(_Chain):
    def __call__(self, t: Address, desc: I64 | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_cp_cta_group__1_128x256b_b8x16(_Chain):
    b6x16_p32: _tcgen05_cp_cta_group__1_128x256b_b8x16_b6x16_p32
    b4x16_p64: _tcgen05_cp_cta_group__1_128x256b_b8x16_b6x16_p32
class _tcgen05_cp_cta_group__1_128x256b(_Chain):
    b8x16: _tcgen05_cp_cta_group__1_128x256b_b8x16
    def __call__(self, t: Address, desc: I64 | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_cp_cta_group__1_64x128b(_Chain):
    warpx2__02_13: _tcgen05_cp_cta_group__1_128x256b
    warpx2__01_23: _tcgen05_cp_cta_group__1_128x256b
class _tcgen05_cp_cta_group__1_32x128b(_Chain):
    warpx4: _tcgen05_cp_cta_group__1_128x256b
class _tcgen05_cp_cta_group__1(_Chain):
    _128x256b: _tcgen05_cp_cta_group__1_128x256b
    _4x256b: _tcgen05_cp_cta_group__1_128x256b
    _128x128b: _tcgen05_cp_cta_group__1_128x256b
    _64x128b: _tcgen05_cp_cta_group__1_64x128b
    _32x128b: _tcgen05_cp_cta_group__1_32x128b
class _tcgen05_cp(_Chain):
    cta_group__1: _tcgen05_cp_cta_group__1
    cta_group__2: _tcgen05_cp_cta_group__1
class _tcgen05_shift_cta_group__1_down(_Chain):
    def __call__(self, t: Address, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_shift_cta_group__1(_Chain):
    down: _tcgen05_shift_cta_group__1_down
class _tcgen05_shift(_Chain):
    cta_group__1: _tcgen05_shift_cta_group__1
    cta_group__2: _tcgen05_shift_cta_group__1
class _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster_multicast__cluster_b64(_Chain):
    def __call__(self, mbar: Address, mask: E2M1X4 | float, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster_multicast__cluster(_Chain):
    b64: _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster_multicast__cluster_b64
class _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster_multicast__cluster__32b_b64(_Chain):
    def __call__(self, mbar: Address, mask: B32 | float, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster_multicast__cluster__32b(_Chain):
    b64: _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster_multicast__cluster__32b_b64
class _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster_b64(_Chain):
    def __call__(self, mbar: Address, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster(_Chain):
    multicast__cluster: _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster_multicast__cluster
    multicast__cluster__16b: _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster_multicast__cluster
    multicast__cluster__32b: _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster_multicast__cluster__32b
    b64: _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster_b64
class _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a(_Chain):
    shared__cluster: _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster
    multicast__cluster: _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster_multicast__cluster
    multicast__cluster__16b: _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster_multicast__cluster
    multicast__cluster__32b: _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster_multicast__cluster__32b
    b64: _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster_b64
class _tcgen05_commit_cta_group__1_mbarrier__arrive__one(_Chain):
    sync_restrict__shared__read__mma__a: _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a
    shared__cluster: _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster
    multicast__cluster: _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster_multicast__cluster
    multicast__cluster__16b: _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster_multicast__cluster
    multicast__cluster__32b: _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster_multicast__cluster__32b
    b64: _tcgen05_commit_cta_group__1_mbarrier__arrive__one_sync_restrict__shared__read__mma__a_shared__cluster_b64
class _tcgen05_commit_cta_group__1(_Chain):
    mbarrier__arrive__one: _tcgen05_commit_cta_group__1_mbarrier__arrive__one
class _tcgen05_commit(_Chain):
    cta_group__1: _tcgen05_commit_cta_group__1
    cta_group__2: _tcgen05_commit_cta_group__1
class _tcgen05_mma_cta_group__1_kind__f16_collector__a__fill_collector__b__fill(_Chain):
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float] | PRED | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, scale_d: int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__f16_collector__a__fill(_Chain):
    collector__b__fill: _tcgen05_mma_cta_group__1_kind__f16_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_cta_group__1_kind__f16_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_cta_group__1_kind__f16_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_cta_group__1_kind__f16_collector__a__fill_collector__b__fill
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float] | PRED | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, scale_d: int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__f16_ashift_collector__a__lastuse_collector__b__fill(_Chain):
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float] | PRED | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, scale_d: int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__f16_ashift_collector__a__lastuse(_Chain):
    collector__b__fill: _tcgen05_mma_cta_group__1_kind__f16_ashift_collector__a__lastuse_collector__b__fill
    collector__b__use: _tcgen05_mma_cta_group__1_kind__f16_ashift_collector__a__lastuse_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_cta_group__1_kind__f16_ashift_collector__a__lastuse_collector__b__fill
    collector__b__discard: _tcgen05_mma_cta_group__1_kind__f16_ashift_collector__a__lastuse_collector__b__fill
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float] | PRED | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, scale_d: int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__f16_ashift(_Chain):
    collector__a__lastuse: _tcgen05_mma_cta_group__1_kind__f16_ashift_collector__a__lastuse
    collector__a__discard: _tcgen05_mma_cta_group__1_kind__f16_ashift_collector__a__lastuse
    collector__b__fill: _tcgen05_mma_cta_group__1_kind__f16_ashift_collector__a__lastuse_collector__b__fill
    collector__b__use: _tcgen05_mma_cta_group__1_kind__f16_ashift_collector__a__lastuse_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_cta_group__1_kind__f16_ashift_collector__a__lastuse_collector__b__fill
    collector__b__discard: _tcgen05_mma_cta_group__1_kind__f16_ashift_collector__a__lastuse_collector__b__fill
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float] | PRED | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, scale_d: int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__f16(_Chain):
    collector__a__fill: _tcgen05_mma_cta_group__1_kind__f16_collector__a__fill
    collector__a__use: _tcgen05_mma_cta_group__1_kind__f16_collector__a__fill
    collector__a__lastuse: _tcgen05_mma_cta_group__1_kind__f16_collector__a__fill
    collector__a__discard: _tcgen05_mma_cta_group__1_kind__f16_collector__a__fill
    collector__b__fill: _tcgen05_mma_cta_group__1_kind__f16_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_cta_group__1_kind__f16_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_cta_group__1_kind__f16_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_cta_group__1_kind__f16_collector__a__fill_collector__b__fill
    ashift: _tcgen05_mma_cta_group__1_kind__f16_ashift
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float] | PRED | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, scale_d: int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill(_Chain):
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill(_Chain):
    collector__b__fill: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill(_Chain):
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse(_Chain):
    collector__b__fill: _tcgen05_mma_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill
    collector__b__use: _tcgen05_mma_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill
    collector__b__discard: _tcgen05_mma_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__f8f6f4_ashift(_Chain):
    collector__a__lastuse: _tcgen05_mma_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse
    collector__a__discard: _tcgen05_mma_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse
    collector__b__fill: _tcgen05_mma_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill
    collector__b__use: _tcgen05_mma_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill
    collector__b__discard: _tcgen05_mma_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__f8f6f4_decompress__lut__b_collector__a__fill_collector__b__fill(_Chain):
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, lut: Address, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, lut: Address, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__f8f6f4_decompress__lut__b_collector__a__fill(_Chain):
    collector__b__fill: _tcgen05_mma_cta_group__1_kind__f8f6f4_decompress__lut__b_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_cta_group__1_kind__f8f6f4_decompress__lut__b_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_cta_group__1_kind__f8f6f4_decompress__lut__b_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_cta_group__1_kind__f8f6f4_decompress__lut__b_collector__a__fill_collector__b__fill
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, lut: Address, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, lut: Address, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__f8f6f4_decompress__lut__b(_Chain):
    collector__a__fill: _tcgen05_mma_cta_group__1_kind__f8f6f4_decompress__lut__b_collector__a__fill
    collector__a__use: _tcgen05_mma_cta_group__1_kind__f8f6f4_decompress__lut__b_collector__a__fill
    collector__a__lastuse: _tcgen05_mma_cta_group__1_kind__f8f6f4_decompress__lut__b_collector__a__fill
    collector__a__discard: _tcgen05_mma_cta_group__1_kind__f8f6f4_decompress__lut__b_collector__a__fill
    collector__b__fill: _tcgen05_mma_cta_group__1_kind__f8f6f4_decompress__lut__b_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_cta_group__1_kind__f8f6f4_decompress__lut__b_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_cta_group__1_kind__f8f6f4_decompress__lut__b_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_cta_group__1_kind__f8f6f4_decompress__lut__b_collector__a__fill_collector__b__fill
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, lut: Address, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, lut: Address, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__f8f6f4(_Chain):
    collector__a__fill: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill
    collector__a__use: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill
    collector__a__lastuse: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill
    collector__a__discard: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill
    collector__b__fill: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    ashift: _tcgen05_mma_cta_group__1_kind__f8f6f4_ashift
    decompress__lut__b: _tcgen05_mma_cta_group__1_kind__f8f6f4_decompress__lut__b
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__ti16(_Chain):
    collector__a__fill: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill
    collector__a__use: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill
    collector__a__lastuse: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill
    collector__a__discard: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill
    collector__b__fill: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    ashift: _tcgen05_mma_cta_group__1_kind__f8f6f4_ashift
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__i8_ashift(_Chain):
    collector__a__lastuse: _tcgen05_mma_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill
    collector__a__discard: _tcgen05_mma_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__i8(_Chain):
    collector__a__fill: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__a__use: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__a__lastuse: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__a__discard: _tcgen05_mma_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    ashift: _tcgen05_mma_cta_group__1_kind__i8_ashift
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill(_Chain):
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, scale_a: Address, scale_b: Address, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill(_Chain):
    collector__b__fill: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, scale_a: Address, scale_b: Address, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X(_Chain):
    collector__a__fill: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__a__use: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__a__lastuse: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__a__discard: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__b__fill: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, scale_a: Address, scale_b: Address, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill_collector__b__fill(_Chain):
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, lut: Address, idesc: I32 | int, scale_a: Address, scale_b: Address, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill(_Chain):
    collector__b__fill: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill_collector__b__fill
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, lut: Address, idesc: I32 | int, scale_a: Address, scale_b: Address, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X(_Chain):
    collector__a__fill: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill
    collector__a__use: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill
    collector__a__lastuse: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill
    collector__a__discard: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill
    collector__b__fill: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill_collector__b__fill
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, lut: Address, idesc: I32 | int, scale_a: Address, scale_b: Address, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b(_Chain):
    scale_vec__1X: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X
    block32: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X
    collector__a__fill: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill
    collector__a__use: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill
    collector__a__lastuse: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill
    collector__a__discard: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill
    collector__b__fill: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b_scale_vec__1X_collector__a__fill_collector__b__fill
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, lut: Address, idesc: I32 | int, scale_a: Address, scale_b: Address, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale(_Chain):
    scale_vec__1X: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X
    block32: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X
    collector__a__fill: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__a__use: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__a__lastuse: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__a__discard: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__b__fill: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    decompress__lut__b: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_decompress__lut__b
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, scale_a: Address, scale_b: Address, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__mxf8f6f4(_Chain):
    block_scale: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale
class _tcgen05_mma_cta_group__1_kind__mxf4_block_scale(_Chain):
    scale_vec__2X: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X
    block32: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X
    collector__a__fill: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__a__use: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__a__lastuse: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__a__discard: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__b__fill: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, scale_a: Address, scale_b: Address, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_cta_group__1_kind__mxf4(_Chain):
    block_scale: _tcgen05_mma_cta_group__1_kind__mxf4_block_scale
class _tcgen05_mma_cta_group__1_kind__mxf4nvf4_block_scale(_Chain):
    scale_vec__2X: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X
    scale_vec__4X: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X
    block16: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X
    block32: _tcgen05_mma_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X
class _tcgen05_mma_cta_group__1_kind__mxf4nvf4(_Chain):
    block_scale: _tcgen05_mma_cta_group__1_kind__mxf4nvf4_block_scale
class _tcgen05_mma_cta_group__1(_Chain):
    kind__f16: _tcgen05_mma_cta_group__1_kind__f16
    kind__tf32: _tcgen05_mma_cta_group__1_kind__f16
    kind__f8f6f4: _tcgen05_mma_cta_group__1_kind__f8f6f4
    kind__ti16: _tcgen05_mma_cta_group__1_kind__ti16
    kind__i8: _tcgen05_mma_cta_group__1_kind__i8
    kind__mxf8f6f4: _tcgen05_mma_cta_group__1_kind__mxf8f6f4
    kind__mxf4: _tcgen05_mma_cta_group__1_kind__mxf4
    kind__mxf4nvf4: _tcgen05_mma_cta_group__1_kind__mxf4nvf4
class _tcgen05_mma_sp_cta_group__1_kind__f16_collector__a__fill_collector__b__fill(_Chain):
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, mask: Vector[B32 | float] | PRED | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, scale_d: int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_sp_cta_group__1_kind__f16_collector__a__fill(_Chain):
    collector__b__fill: _tcgen05_mma_sp_cta_group__1_kind__f16_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_sp_cta_group__1_kind__f16_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_sp_cta_group__1_kind__f16_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_sp_cta_group__1_kind__f16_collector__a__fill_collector__b__fill
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, mask: Vector[B32 | float] | PRED | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, scale_d: int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_sp_cta_group__1_kind__f16_ashift_collector__a__lastuse_collector__b__fill(_Chain):
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, meta: Address, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, meta: Address, idesc: I32 | int, mask: Vector[B32 | float] | PRED | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, meta: Address, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, scale_d: int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_sp_cta_group__1_kind__f16_ashift_collector__a__lastuse(_Chain):
    collector__b__fill: _tcgen05_mma_sp_cta_group__1_kind__f16_ashift_collector__a__lastuse_collector__b__fill
    collector__b__use: _tcgen05_mma_sp_cta_group__1_kind__f16_ashift_collector__a__lastuse_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_sp_cta_group__1_kind__f16_ashift_collector__a__lastuse_collector__b__fill
    collector__b__discard: _tcgen05_mma_sp_cta_group__1_kind__f16_ashift_collector__a__lastuse_collector__b__fill
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, meta: Address, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, meta: Address, idesc: I32 | int, mask: Vector[B32 | float] | PRED | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, meta: Address, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, scale_d: int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_sp_cta_group__1_kind__f16_ashift(_Chain):
    collector__a__lastuse: _tcgen05_mma_sp_cta_group__1_kind__f16_ashift_collector__a__lastuse
    collector__a__discard: _tcgen05_mma_sp_cta_group__1_kind__f16_ashift_collector__a__lastuse
    collector__b__fill: _tcgen05_mma_sp_cta_group__1_kind__f16_ashift_collector__a__lastuse_collector__b__fill
    collector__b__use: _tcgen05_mma_sp_cta_group__1_kind__f16_ashift_collector__a__lastuse_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_sp_cta_group__1_kind__f16_ashift_collector__a__lastuse_collector__b__fill
    collector__b__discard: _tcgen05_mma_sp_cta_group__1_kind__f16_ashift_collector__a__lastuse_collector__b__fill
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, meta: Address, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, meta: Address, idesc: I32 | int, mask: Vector[B32 | float] | PRED | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, meta: Address, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, scale_d: int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_sp_cta_group__1_kind__f16(_Chain):
    collector__a__fill: _tcgen05_mma_sp_cta_group__1_kind__f16_collector__a__fill
    collector__a__use: _tcgen05_mma_sp_cta_group__1_kind__f16_collector__a__fill
    collector__a__lastuse: _tcgen05_mma_sp_cta_group__1_kind__f16_collector__a__fill
    collector__a__discard: _tcgen05_mma_sp_cta_group__1_kind__f16_collector__a__fill
    collector__b__fill: _tcgen05_mma_sp_cta_group__1_kind__f16_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_sp_cta_group__1_kind__f16_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_sp_cta_group__1_kind__f16_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_sp_cta_group__1_kind__f16_collector__a__fill_collector__b__fill
    ashift: _tcgen05_mma_sp_cta_group__1_kind__f16_ashift
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, mask: Vector[B32 | float] | PRED | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, scale_d: int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill(_Chain):
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_collector__a__fill(_Chain):
    collector__b__fill: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill(_Chain):
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, meta: Address, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, meta: Address, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse(_Chain):
    collector__b__fill: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill
    collector__b__use: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill
    collector__b__discard: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, meta: Address, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, meta: Address, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_ashift(_Chain):
    collector__a__lastuse: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse
    collector__a__discard: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse
    collector__b__fill: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill
    collector__b__use: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill
    collector__b__discard: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, meta: Address, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, meta: Address, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_sp_cta_group__1_kind__f8f6f4(_Chain):
    collector__a__fill: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_collector__a__fill
    collector__a__use: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_collector__a__fill
    collector__a__lastuse: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_collector__a__fill
    collector__a__discard: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_collector__a__fill
    collector__b__fill: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    ashift: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_ashift
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_sp_cta_group__1_kind__i8_ashift(_Chain):
    collector__a__lastuse: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill
    collector__a__discard: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_ashift_collector__a__lastuse_collector__b__fill
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, meta: Address, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: Address, b: I64 | int, meta: Address, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_sp_cta_group__1_kind__i8(_Chain):
    collector__a__fill: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__a__use: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__a__lastuse: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    collector__a__discard: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4_collector__a__fill_collector__b__fill
    ashift: _tcgen05_mma_sp_cta_group__1_kind__i8_ashift
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, mask: Vector[B32 | float], enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill(_Chain):
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, scale_a: Address, scale_b: Address, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill(_Chain):
    collector__b__fill: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, scale_a: Address, scale_b: Address, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X(_Chain):
    collector__a__fill: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__a__use: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__a__lastuse: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__a__discard: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__b__fill: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, scale_a: Address, scale_b: Address, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale(_Chain):
    scale_vec__1X: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X
    block32: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X
    collector__a__fill: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__a__use: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__a__lastuse: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__a__discard: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__b__fill: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, scale_a: Address, scale_b: Address, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4(_Chain):
    block_scale: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale
class _tcgen05_mma_sp_cta_group__1_kind__mxf4_block_scale(_Chain):
    scale_vec__2X: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X
    block32: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X
    collector__a__fill: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__a__use: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__a__lastuse: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__a__discard: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill
    collector__b__fill: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__use: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__lastuse: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    collector__b__discard: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X_collector__a__fill_collector__b__fill
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, scale_a: Address, scale_b: Address, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_sp_cta_group__1_kind__mxf4(_Chain):
    block_scale: _tcgen05_mma_sp_cta_group__1_kind__mxf4_block_scale
class _tcgen05_mma_sp_cta_group__1_kind__mxf4nvf4_block_scale(_Chain):
    scale_vec__2X: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X
    scale_vec__4X: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X
    block16: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X
    block32: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4_block_scale_scale_vec__1X
class _tcgen05_mma_sp_cta_group__1_kind__mxf4nvf4(_Chain):
    block_scale: _tcgen05_mma_sp_cta_group__1_kind__mxf4nvf4_block_scale
class _tcgen05_mma_sp_cta_group__1(_Chain):
    kind__f16: _tcgen05_mma_sp_cta_group__1_kind__f16
    kind__tf32: _tcgen05_mma_sp_cta_group__1_kind__f16
    kind__f8f6f4: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4
    kind__ti16: _tcgen05_mma_sp_cta_group__1_kind__f8f6f4
    kind__i8: _tcgen05_mma_sp_cta_group__1_kind__i8
    kind__mxf8f6f4: _tcgen05_mma_sp_cta_group__1_kind__mxf8f6f4
    kind__mxf4: _tcgen05_mma_sp_cta_group__1_kind__mxf4
    kind__mxf4nvf4: _tcgen05_mma_sp_cta_group__1_kind__mxf4nvf4
class _tcgen05_mma_sp(_Chain):
    cta_group__1: _tcgen05_mma_sp_cta_group__1
    cta_group__2: _tcgen05_mma_sp_cta_group__1
class _tcgen05_mma_ws_cta_group__1_kind__f16_collector__b0__fill(_Chain):
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, enable: PRED | int, mask: I64 | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_ws_cta_group__1_kind__f16(_Chain):
    collector__b0__fill: _tcgen05_mma_ws_cta_group__1_kind__f16_collector__b0__fill
    collector__b0__use: _tcgen05_mma_ws_cta_group__1_kind__f16_collector__b0__fill
    collector__b0__lastuse: _tcgen05_mma_ws_cta_group__1_kind__f16_collector__b0__fill
    collector__b0__discard: _tcgen05_mma_ws_cta_group__1_kind__f16_collector__b0__fill
    collector__b1__fill: _tcgen05_mma_ws_cta_group__1_kind__f16_collector__b0__fill
    collector__b1__use: _tcgen05_mma_ws_cta_group__1_kind__f16_collector__b0__fill
    collector__b1__lastuse: _tcgen05_mma_ws_cta_group__1_kind__f16_collector__b0__fill
    collector__b1__discard: _tcgen05_mma_ws_cta_group__1_kind__f16_collector__b0__fill
    collector__b2__fill: _tcgen05_mma_ws_cta_group__1_kind__f16_collector__b0__fill
    collector__b2__use: _tcgen05_mma_ws_cta_group__1_kind__f16_collector__b0__fill
    collector__b2__lastuse: _tcgen05_mma_ws_cta_group__1_kind__f16_collector__b0__fill
    collector__b2__discard: _tcgen05_mma_ws_cta_group__1_kind__f16_collector__b0__fill
    collector__b3__fill: _tcgen05_mma_ws_cta_group__1_kind__f16_collector__b0__fill
    collector__b3__use: _tcgen05_mma_ws_cta_group__1_kind__f16_collector__b0__fill
    collector__b3__lastuse: _tcgen05_mma_ws_cta_group__1_kind__f16_collector__b0__fill
    collector__b3__discard: _tcgen05_mma_ws_cta_group__1_kind__f16_collector__b0__fill
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, idesc: I32 | int, enable: PRED | int, mask: I64 | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_ws_cta_group__1(_Chain):
    kind__f16: _tcgen05_mma_ws_cta_group__1_kind__f16
    kind__tf32: _tcgen05_mma_ws_cta_group__1_kind__f16
    kind__f8f6f4: _tcgen05_mma_ws_cta_group__1_kind__f16
    kind__ti16: _tcgen05_mma_ws_cta_group__1_kind__f16
    kind__i8: _tcgen05_mma_ws_cta_group__1_kind__f16
class _tcgen05_mma_ws_sp_cta_group__1_kind__f16_collector__b0__fill(_Chain):
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, enable: PRED | int, mask: I64 | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_ws_sp_cta_group__1_kind__f16(_Chain):
    collector__b0__fill: _tcgen05_mma_ws_sp_cta_group__1_kind__f16_collector__b0__fill
    collector__b0__use: _tcgen05_mma_ws_sp_cta_group__1_kind__f16_collector__b0__fill
    collector__b0__lastuse: _tcgen05_mma_ws_sp_cta_group__1_kind__f16_collector__b0__fill
    collector__b0__discard: _tcgen05_mma_ws_sp_cta_group__1_kind__f16_collector__b0__fill
    collector__b1__fill: _tcgen05_mma_ws_sp_cta_group__1_kind__f16_collector__b0__fill
    collector__b1__use: _tcgen05_mma_ws_sp_cta_group__1_kind__f16_collector__b0__fill
    collector__b1__lastuse: _tcgen05_mma_ws_sp_cta_group__1_kind__f16_collector__b0__fill
    collector__b1__discard: _tcgen05_mma_ws_sp_cta_group__1_kind__f16_collector__b0__fill
    collector__b2__fill: _tcgen05_mma_ws_sp_cta_group__1_kind__f16_collector__b0__fill
    collector__b2__use: _tcgen05_mma_ws_sp_cta_group__1_kind__f16_collector__b0__fill
    collector__b2__lastuse: _tcgen05_mma_ws_sp_cta_group__1_kind__f16_collector__b0__fill
    collector__b2__discard: _tcgen05_mma_ws_sp_cta_group__1_kind__f16_collector__b0__fill
    collector__b3__fill: _tcgen05_mma_ws_sp_cta_group__1_kind__f16_collector__b0__fill
    collector__b3__use: _tcgen05_mma_ws_sp_cta_group__1_kind__f16_collector__b0__fill
    collector__b3__lastuse: _tcgen05_mma_ws_sp_cta_group__1_kind__f16_collector__b0__fill
    collector__b3__discard: _tcgen05_mma_ws_sp_cta_group__1_kind__f16_collector__b0__fill
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, enable: PRED | int, /, *, pred: Guard = ...) -> None: ...
    @overload
    def __call__(self, d: Address, a: I64 | int | Address, b: I64 | int, meta: Address, idesc: I32 | int, enable: PRED | int, mask: I64 | int, /, *, pred: Guard = ...) -> None: ...
class _tcgen05_mma_ws_sp_cta_group__1(_Chain):
    kind__f16: _tcgen05_mma_ws_sp_cta_group__1_kind__f16
    kind__tf32: _tcgen05_mma_ws_sp_cta_group__1_kind__f16
    kind__f8f6f4: _tcgen05_mma_ws_sp_cta_group__1_kind__f16
    kind__ti16: _tcgen05_mma_ws_sp_cta_group__1_kind__f16
    kind__i8: _tcgen05_mma_ws_sp_cta_group__1_kind__f16
class _tcgen05_mma_ws_sp(_Chain):
    cta_group__1: _tcgen05_mma_ws_sp_cta_group__1
class _tcgen05_mma_ws(_Chain):
    cta_group__1: _tcgen05_mma_ws_cta_group__1
    sp: _tcgen05_mma_ws_sp
class _tcgen05_mma(_Chain):
    cta_group__1: _tcgen05_mma_cta_group__1
    cta_group__2: _tcgen05_mma_cta_group__1
    sp: _tcgen05_mma_sp
    ws: _tcgen05_mma_ws
class _tcgen05(_Chain):
    alloc: _tcgen05_alloc
    dealloc: _tcgen05_dealloc
    relinquish_alloc_permit: _tcgen05_relinquish_alloc_permit
    ld: _tcgen05_ld
    st: _tcgen05_st
    wait__ld: _wgmma_fence
    wait__st: _wgmma_fence
    cp: _tcgen05_cp
    shift: _tcgen05_shift
    fence__before_thread_sync: _cp_async_commit_group
    fence__after_thread_sync: _cp_async_commit_group
    commit: _tcgen05_commit
    mma: _tcgen05_mma
class _stacksave_u32(_Chain):
    def __call__(self, d: I32 | New, /, *, pred: Guard = ...) -> Any: ...
class _stacksave_u64(_Chain):
    def __call__(self, d: I64 | New, /, *, pred: Guard = ...) -> Any: ...
class _stacksave(_Chain):
    u32: _stacksave_u32
    u64: _stacksave_u64
class _stackrestore_u32(_Chain):
    def __call__(self, a: I32, /, *, pred: Guard = ...) -> None: ...
class _stackrestore_u64(_Chain):
    def __call__(self, a: I64, /, *, pred: Guard = ...) -> None: ...
class _stackrestore(_Chain):
    u32: _stackrestore_u32
    u64: _stackrestore_u64
class _alloca_u32(_Chain):
    @overload
    def __call__(self, d: I32 | New, size: I32 | int, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: I32 | New, size: I32 | int, align: int, /, *, pred: Guard = ...) -> Any: ...
class _alloca_u64(_Chain):
    @overload
    def __call__(self, d: I64 | New, size: I64 | int, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: I64 | New, size: I64 | int, align: int, /, *, pred: Guard = ...) -> Any: ...
class _alloca(_Chain):
    u32: _alloca_u32
    u64: _alloca_u64
class _vadd_u32_u32_u32_sat_add(_Chain):
    def __call__(self, d: I32 | New, a: I32 | int | Element, b: I32 | int | Element, c: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _vadd_u32_u32_u32_sat(_Chain):
    add: _vadd_u32_u32_u32_sat_add
    min: _vadd_u32_u32_u32_sat_add
    max: _vadd_u32_u32_u32_sat_add
    @overload
    def __call__(self, d: I32 | New, a: I32 | int | Element, b: I32 | int | Element, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: I32 | New, a: I32 | int | Element, b: I32 | int | Element, c: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _vadd_u32_u32_u32(_Chain):
    sat: _vadd_u32_u32_u32_sat
    add: _vadd_u32_u32_u32_sat_add
    min: _vadd_u32_u32_u32_sat_add
    max: _vadd_u32_u32_u32_sat_add
    @overload
    def __call__(self, d: I32 | New, a: I32 | int | Element, b: I32 | int | Element, /, *, pred: Guard = ...) -> Any: ...
    @overload
    def __call__(self, d: I32 | New, a: I32 | int | Element, b: I32 | int | Element, c: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _vadd_u32_u32(_Chain):
    u32: _vadd_u32_u32_u32
    s32: _vadd_u32_u32_u32
class _vadd_u32(_Chain):
    u32: _vadd_u32_u32
    s32: _vadd_u32_u32
class _vadd(_Chain):
    u32: _vadd_u32
    s32: _vadd_u32
class _vshl_u32_u32_u32_sat(_Chain):
    clamp: _vadd_u32_u32_u32_sat
    wrap: _vadd_u32_u32_u32_sat
class _vshl_u32_u32_u32(_Chain):
    sat: _vshl_u32_u32_u32_sat
    clamp: _vadd_u32_u32_u32_sat
    wrap: _vadd_u32_u32_u32_sat
class _vshl_u32_u32(_Chain):
    u32: _vshl_u32_u32_u32
class _vshl_u32(_Chain):
    u32: _vshl_u32_u32
    s32: _vshl_u32_u32
class _vshl(_Chain):
    u32: _vshl_u32
    s32: _vshl_u32
class _vmad_u32_u32_u32_sat(_Chain):
    shr7: _vadd_u32_u32_u32_sat_add
    shr15: _vadd_u32_u32_u32_sat_add
    def __call__(self, d: I32 | New, a: I32 | int | Element, b: I32 | int | Element, c: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _vmad_u32_u32_u32_po(_Chain):
    sat: _vmad_u32_u32_u32_sat
    shr7: _vadd_u32_u32_u32_sat_add
    shr15: _vadd_u32_u32_u32_sat_add
    def __call__(self, d: I32 | New, a: I32 | int | Element, b: I32 | int | Element, c: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _vmad_u32_u32_u32(_Chain):
    sat: _vmad_u32_u32_u32_sat
    shr7: _vadd_u32_u32_u32_sat_add
    shr15: _vadd_u32_u32_u32_sat_add
    po: _vmad_u32_u32_u32_po
    def __call__(self, d: I32 | New, a: I32 | int | Element, b: I32 | int | Element, c: I32 | int, /, *, pred: Guard = ...) -> Any: ...
class _vmad_u32_u32(_Chain):
    u32: _vmad_u32_u32_u32
    s32: _vmad_u32_u32_u32
class _vmad_u32(_Chain):
    u32: _vmad_u32_u32
    s32: _vmad_u32_u32
class _vmad(_Chain):
    u32: _vmad_u32
    s32: _vmad_u32
class _vset_u32_u32(_Chain):
    eq: _vadd_u32_u32_u32_sat
    ne: _vadd_u32_u32_u32_sat
    lt: _vadd_u32_u32_u32_sat
    le: _vadd_u32_u32_u32_sat
    gt: _vadd_u32_u32_u32_sat
    ge: _vadd_u32_u32_u32_sat
class _vset_u32(_Chain):
    u32: _vset_u32_u32
    s32: _vset_u32_u32
class _vset(_Chain):
    u32: _vset_u32
    s32: _vset_u32
class _vadd2_u32_u32_u32_sat(_Chain):
    def __call__(self, d: I32 | New, a: I32 | Element, b: I32 | Element, c: I32, /, *, pred: Guard = ...) -> Any: ...
class _vadd2_u32_u32_u32(_Chain):
    sat: _vadd2_u32_u32_u32_sat
    add: _vadd2_u32_u32_u32_sat
    def __call__(self, d: I32 | New, a: I32 | Element, b: I32 | Element, c: I32, /, *, pred: Guard = ...) -> Any: ...
class _vadd2_u32_u32(_Chain):
    u32: _vadd2_u32_u32_u32
    s32: _vadd2_u32_u32_u32
class _vadd2_u32(_Chain):
    u32: _vadd2_u32_u32
    s32: _vadd2_u32_u32
class _vadd2(_Chain):
    u32: _vadd2_u32
    s32: _vadd2_u32
class _vset2_u32_u32_eq(_Chain):
    add: _vadd2_u32_u32_u32_sat
    def __call__(self, d: I32 | New, a: I32 | Element, b: I32 | Element, c: I32, /, *, pred: Guard = ...) -> Any: ...
class _vset2_u32_u32(_Chain):
    eq: _vset2_u32_u32_eq
    ne: _vset2_u32_u32_eq
    lt: _vset2_u32_u32_eq
    le: _vset2_u32_u32_eq
    gt: _vset2_u32_u32_eq
    ge: _vset2_u32_u32_eq
class _vset2_u32(_Chain):
    u32: _vset2_u32_u32
    s32: _vset2_u32_u32
class _vset2(_Chain):
    u32: _vset2_u32
    s32: _vset2_u32
class _nanosleep_u32(_Chain):
    def __call__(self, t: I32 | int, /, *, pred: Guard = ...) -> None: ...
class _nanosleep(_Chain):
    u32: _nanosleep_u32
class _pmevent_mask(_Chain):
    def __call__(self, a: int, /, *, pred: Guard = ...) -> None: ...
class _pmevent(_Chain):
    mask: _pmevent_mask
    def __call__(self, a: int, /, *, pred: Guard = ...) -> None: ...
class _setmaxnreg_inc_sync_aligned(_Chain):
    u32: _cp_async_wait_group
class _setmaxnreg_inc_sync(_Chain):
    aligned: _setmaxnreg_inc_sync_aligned
class _setmaxnreg_inc(_Chain):
    sync: _setmaxnreg_inc_sync
class _setmaxnreg(_Chain):
    inc: _setmaxnreg_inc
    dec: _setmaxnreg_inc
class _trace(_Chain):
    mark: _cp_async_wait_group

class Ptx(_Chain):
    """Exactly one instruction, its modifiers in the manual's order."""

    add: _add
    """
    add.int
    add{.sat}.s32
    add.x2
    add{.sat}.x4
    add.sat.u32
    add.sat.type
    add.cc.type
    add{.rnd}{.ftz}{.sat}.f32
    add{.rnd}.f64
    add{.rnd}{.ftz}.f32x2
    add{.rn}{.ftz}{.sat}.half
    add{.rn}.bf
    add{.rnd}{.sat}.f32.atype
    add{.rnd}.f32x2.half2.f32x2
    add.rz.ftz.f16x2.f32x2.f32x2
    add.rz.bf16x2.f32x2.f32x2
    add{.rn}{.satfinite}.fp8.a4
    """
    sub: _sub
    """
    sub.int
    sub{.sat}.s32
    sub{.sat}.x4
    sub.cc.type
    sub{.rnd}{.ftz}{.sat}.f32
    sub{.rnd}.f64
    sub{.rnd}{.ftz}.f32x2
    sub{.rn}{.ftz}{.sat}.half
    sub{.rn}.bf
    sub{.rnd}{.sat}.f32.atype
    sub{.rnd}.f32x2.half2.f32x2
    sub.rz.ftz.f16x2.f32x2.f32x2
    sub.rz.bf16x2.f32x2.f32x2
    sub{.rn}{.satfinite}.fp8.a4
    """
    mul: _mul
    """
    mul.mode.int
    mul.wide.type
    mul{.rnd}{.ftz}{.sat}.f32
    mul{.rnd}.f64
    mul{.rnd}{.ftz}.f32x2
    mul{.rn}{.ftz}{.sat}.half
    mul{.rn}.bf
    mul.rz.ftz.f16x2.f32x2.f32x2
    mul.rz.bf16x2.f32x2.f32x2
    mul.f16x2.f16x2.bf16x2
    mul.bf16x2.bf16x2.f16x2
    mul{.rn}{.satfinite}.fp8.a4.b4
    """
    mad: _mad
    """
    mad.mode.int
    mad.hi.sat.s32
    mad.wide.type
    mad.mode.cc.type
    mad.rnd{.ftz}{.sat}.f32
    mad.rnd.f64
    mad{.ftz}{.sat}.f32
    """
    mul24: _mul24
    """mul24.mode.type"""
    mad24: _mad24
    """
    mad24.mode.type
    mad24.hi.sat.s32
    """
    sad: _sad
    """sad.int"""
    div: _div
    """
    div.int
    div.approx{.ftz}.f32
    div.full{.ftz}.f32
    div.rnd{.ftz}.f32
    div.rnd.f64
    """
    rem: _mul_hi
    """rem.int"""
    abs: _abs
    """
    abs.type
    abs{.ftz}.f32
    abs.f64
    abs{.ftz}.type
    """
    neg: _neg
    """
    neg.type
    neg.s8x4
    neg{.ftz}.f32
    neg.f64
    neg{.ftz}.type
    """
    min: _min
    """
    min.int
    min.relu.s32
    min.relu.s16x2
    min.x2
    min.x4
    min.relu.s8x4
    min{.ftz}{.NaN}.f32
    min{.ftz}{.NaN}.xorsign.abs.f32
    min{.ftz}{.NaN}{.abs}.f32
    min.f64
    min{.ftz}{.NaN}.type
    min{.ftz}{.NaN}.xorsign.abs.type
    min{.NaN}.type
    min{.NaN}.xorsign.abs.type
    """
    max: _min
    """
    max.int
    max.relu.s32
    max.relu.s16x2
    max.x2
    max.x4
    max.relu.s8x4
    max{.ftz}{.NaN}.f32
    max{.ftz}{.NaN}.xorsign.abs.f32
    max{.ftz}{.NaN}{.abs}.f32
    max.f64
    max{.ftz}{.NaN}.type
    max{.ftz}{.NaN}.xorsign.abs.type
    max{.NaN}.type
    max{.NaN}.xorsign.abs.type
    """
    popc: _popc
    """popc.type"""
    clz: _popc
    """clz.type"""
    bfind: _bfind
    """bfind{.shiftamt}.type"""
    fns: _fns
    """fns.b32"""
    brev: _brev
    """brev.type"""
    bfe: _bfe
    """bfe.type"""
    bfi: _bfi
    """bfi.type"""
    szext: _szext
    """szext.mode.type"""
    bmsk: _bmsk
    """bmsk.mode.b32"""
    dp4a: _dp4a
    """dp4a.atype.btype"""
    dp2a: _dp2a
    """dp2a.mode.atype.btype"""
    clmad: _clmad
    """clmad.mode.u64"""
    addc: _addc
    """addc{.cc}.type"""
    subc: _addc
    """subc{.cc}.type"""
    madc: _madc
    """madc.mode{.cc}.type"""
    testp: _testp
    """testp.op.type"""
    copysign: _copysign
    """copysign.type"""
    fma: _fma
    """
    fma.rnd{.ftz}{.sat}.f32
    fma.rnd.f64
    fma.rnd{.ftz}.f32x2
    fma.rn{.ftz}{.sat}.type
    fma.rn{.ftz}.relu.type
    fma.rn{.relu}.type
    fma.rn.oob.type
    fma.rn.oob.relu.type
    fma.rnd{.sat}.f32.atype
    fma.rnd.f32x2.atype.f32x2.f32x2
    fma{.rn}{.satfinite}.fp8.a4.b4
    """
    rcp: _rcp
    """
    rcp.approx{.ftz}.f32
    rcp.rnd{.ftz}.f32
    rcp.rnd.f64
    rcp.approx.ftz.f64
    """
    sqrt: _sqrt
    """
    sqrt.approx{.ftz}.f32
    sqrt.rnd{.ftz}.f32
    sqrt.rnd.f64
    """
    rsqrt: _rsqrt
    """
    rsqrt.approx{.ftz}.f32
    rsqrt.approx.f64
    rsqrt.approx.ftz.f64
    """
    sin: _sin
    """
    sin.approx{.ftz}.f32
    sin.approx.2pi.ftz.f32
    """
    cos: _sin
    """
    cos.approx{.ftz}.f32
    cos.approx.2pi.ftz.f32
    """
    lg2: _lg2
    """lg2.approx{.ftz}.f32"""
    ex2: _ex2
    """
    ex2.approx{.ftz}.f32
    ex2.approx.type
    ex2.approx.ftz.type
    """
    tanh: _tanh
    """
    tanh.approx.f32
    tanh.approx.type
    """
    set: _set
    """
    set.ucmp.dtype.utype
    set.icmp.dtype.stype
    set.bcmp.dtype.btype
    set.fcmp{.ftz}.dtype.f32
    set.fcmp.dtype.f64
    set.ucmp.bool.dtype.utype
    set.icmp.bool.dtype.stype
    set.bcmp.bool.dtype.btype
    set.fcmp.bool{.ftz}.dtype.f32
    set.fcmp.bool.dtype.f64
    set.ucmp.type
    set.icmp.type
    set.ucmp.half.utype
    set.icmp.half.stype
    set.bcmp.half.btype
    set.fcmp{.ftz}.half.f32
    set.fcmp.half.f64
    set.fcmp{.ftz}.half.f16
    set.fcmp{.ftz}.word.f16
    set.fcmp{.ftz}.dtype.f16x2
    set.fcmp.dtype.bf16
    set.fcmp.dtype.bf16x2
    set.ucmp.bool.half.utype
    set.icmp.bool.half.stype
    set.bcmp.bool.half.btype
    set.fcmp.bool{.ftz}.half.f32
    set.fcmp.bool.half.f64
    set.fcmp.bool{.ftz}.half.f16
    set.fcmp.bool{.ftz}.word.f16
    set.fcmp.bool{.ftz}.dtype.f16x2
    set.fcmp.bool.dtype.bf16
    set.fcmp.bool.dtype.bf16x2
    """
    setp: _setp
    """
    setp.ucmp.utype
    setp.icmp.stype
    setp.bcmp.btype
    setp.fcmp{.ftz}.f32
    setp.fcmp.f64
    setp.ucmp.bool.utype
    setp.icmp.bool.stype
    setp.bcmp.bool.btype
    setp.fcmp.bool{.ftz}.f32
    setp.fcmp.bool.f64
    setp.fcmp{.ftz}.f16
    setp.fcmp.bool{.ftz}.f16
    setp.fcmp{.ftz}.f16x2
    setp.fcmp.bool{.ftz}.f16x2
    setp.fcmp.bf16
    setp.fcmp.bool.bf16
    setp.fcmp.bf16x2
    setp.fcmp.bool.bf16x2
    """
    selp: _selp
    """selp.type"""
    slct: _slct
    """
    slct.dtype.s32
    slct{.ftz}.dtype.f32
    """
    and_: _and
    """and.type"""
    or_: _and
    """or.type"""
    xor: _and
    """xor.type"""
    not_: _not
    """not.type"""
    cnot: _cnot
    """cnot.type"""
    lop3: _lop3
    """
    lop3.b32
    lop3.bool.b32
    """
    shf: _shf
    """
    shf.l.mode.b32
    shf.r.mode.b32
    """
    shl: _shl
    """shl.type"""
    shr: _shr
    """shr.type"""
    prmt: _prmt
    """
    prmt.b32
    prmt.b32.mode
    """
    spcompress: _spcompress
    """
    spcompress.b8.b2.sp::2:4.x1
    spcompress.b8.b2.sp::2:4.x2
    spcompress.b8.b2.sp::2:4.x4
    spcompress.b8.b2.sp::2:4.x8
    spcompress.b8.b2.sp::2:4.x16
    spcompress.b8.b2.sp::2:4.x32
    spcompress.b8.b2.sp::2:4.x64
    spcompress.b8.b4.sp::2:4.x1
    spcompress.b8.b4.sp::2:4.x2
    spcompress.b8.b4.sp::2:4.x4
    spcompress.b8.b4.sp::2:4.x8
    spcompress.b8.b4.sp::2:4.x16
    spcompress.b8.b4.sp::2:4.x32
    spcompress.b8.b4.sp::2:4.x64
    spcompress.b16.b2.sp::2:4.x1
    spcompress.b16.b2.sp::2:4.x2
    spcompress.b16.b2.sp::2:4.x4
    spcompress.b16.b2.sp::2:4.x8
    spcompress.b16.b2.sp::2:4.x16
    spcompress.b16.b2.sp::2:4.x32
    spcompress.b16.b2.sp::2:4.x64
    spcompress.b16.b4.sp::2:4.x1
    spcompress.b16.b4.sp::2:4.x2
    spcompress.b16.b4.sp::2:4.x4
    spcompress.b16.b4.sp::2:4.x8
    spcompress.b16.b4.sp::2:4.x16
    spcompress.b16.b4.sp::2:4.x32
    spcompress.b16.b4.sp::2:4.x64
    """
    spdecompress: _spdecompress
    """
    spdecompress.b8.b2.sp::1:2.x2
    spdecompress.b8.b2.sp::1:2.x4
    spdecompress.b8.b2.sp::1:2.x8
    spdecompress.b8.b2.sp::1:2.x16
    spdecompress.b8.b2.sp::1:2.x32
    spdecompress.b8.b2.sp::1:2.x64
    spdecompress.b8.b2.sp::1:4.x1
    spdecompress.b8.b2.sp::1:4.x2
    spdecompress.b8.b2.sp::1:4.x4
    spdecompress.b8.b2.sp::1:4.x8
    spdecompress.b8.b2.sp::1:4.x16
    spdecompress.b8.b2.sp::1:4.x32
    spdecompress.b8.b2.sp::1:4.x64
    spdecompress.b8.b2.sp::2:4.x1
    spdecompress.b8.b2.sp::2:4.x2
    spdecompress.b8.b2.sp::2:4.x4
    spdecompress.b8.b2.sp::2:4.x8
    spdecompress.b8.b2.sp::2:4.x16
    spdecompress.b8.b2.sp::2:4.x32
    spdecompress.b8.b2.sp::2:4.x64
    spdecompress.b8.b4.sp::1:2.x2
    spdecompress.b8.b4.sp::1:2.x4
    spdecompress.b8.b4.sp::1:2.x8
    spdecompress.b8.b4.sp::1:2.x16
    spdecompress.b8.b4.sp::1:2.x32
    spdecompress.b8.b4.sp::1:2.x64
    spdecompress.b8.b4.sp::1:4.x1
    spdecompress.b8.b4.sp::1:4.x2
    spdecompress.b8.b4.sp::1:4.x4
    spdecompress.b8.b4.sp::1:4.x8
    spdecompress.b8.b4.sp::1:4.x16
    spdecompress.b8.b4.sp::1:4.x32
    spdecompress.b8.b4.sp::1:4.x64
    spdecompress.b8.b4.sp::1:8.x1
    spdecompress.b8.b4.sp::1:8.x2
    spdecompress.b8.b4.sp::1:8.x4
    spdecompress.b8.b4.sp::1:8.x8
    spdecompress.b8.b4.sp::1:8.x16
    spdecompress.b8.b4.sp::1:8.x32
    spdecompress.b8.b4.sp::1:8.x64
    spdecompress.b8.b4.sp::1:16.x1
    spdecompress.b8.b4.sp::1:16.x2
    spdecompress.b8.b4.sp::1:16.x4
    spdecompress.b8.b4.sp::1:16.x8
    spdecompress.b8.b4.sp::1:16.x16
    spdecompress.b8.b4.sp::1:16.x32
    spdecompress.b8.b4.sp::2:4.x1
    spdecompress.b8.b4.sp::2:4.x2
    spdecompress.b8.b4.sp::2:4.x4
    spdecompress.b8.b4.sp::2:4.x8
    spdecompress.b8.b4.sp::2:4.x16
    spdecompress.b8.b4.sp::2:4.x32
    spdecompress.b8.b4.sp::2:4.x64
    spdecompress.b8.b4.sp::2:8.x1
    spdecompress.b8.b4.sp::2:8.x2
    spdecompress.b8.b4.sp::2:8.x4
    spdecompress.b8.b4.sp::2:8.x8
    spdecompress.b8.b4.sp::2:8.x16
    spdecompress.b8.b4.sp::2:8.x32
    spdecompress.b8.b4.sp::2:8.x64
    spdecompress.b8.b4.sp::2:16.x1
    spdecompress.b8.b4.sp::2:16.x2
    spdecompress.b8.b4.sp::2:16.x4
    spdecompress.b8.b4.sp::2:16.x8
    spdecompress.b8.b4.sp::2:16.x16
    spdecompress.b8.b4.sp::2:16.x32
    spdecompress.b8.b4.sp::4:8.x1
    spdecompress.b8.b4.sp::4:8.x2
    spdecompress.b8.b4.sp::4:8.x4
    spdecompress.b8.b4.sp::4:8.x8
    spdecompress.b8.b4.sp::4:8.x16
    spdecompress.b8.b4.sp::4:8.x32
    spdecompress.b8.b4.sp::4:8.x64
    spdecompress.b8.b4.sp::4:16.x1
    spdecompress.b8.b4.sp::4:16.x2
    spdecompress.b8.b4.sp::4:16.x4
    spdecompress.b8.b4.sp::4:16.x8
    spdecompress.b8.b4.sp::4:16.x16
    spdecompress.b8.b4.sp::4:16.x32
    spdecompress.b16.b2.sp::1:2.x1
    spdecompress.b16.b2.sp::1:2.x2
    spdecompress.b16.b2.sp::1:2.x4
    spdecompress.b16.b2.sp::1:2.x8
    spdecompress.b16.b2.sp::1:2.x16
    spdecompress.b16.b2.sp::1:2.x32
    spdecompress.b16.b2.sp::1:2.x64
    spdecompress.b16.b2.sp::1:4.x1
    spdecompress.b16.b2.sp::1:4.x2
    spdecompress.b16.b2.sp::1:4.x4
    spdecompress.b16.b2.sp::1:4.x8
    spdecompress.b16.b2.sp::1:4.x16
    spdecompress.b16.b2.sp::1:4.x32
    spdecompress.b16.b2.sp::1:4.x64
    spdecompress.b16.b2.sp::2:4.x1
    spdecompress.b16.b2.sp::2:4.x2
    spdecompress.b16.b2.sp::2:4.x4
    spdecompress.b16.b2.sp::2:4.x8
    spdecompress.b16.b2.sp::2:4.x16
    spdecompress.b16.b2.sp::2:4.x32
    spdecompress.b16.b2.sp::2:4.x64
    spdecompress.b16.b4.sp::1:2.x1
    spdecompress.b16.b4.sp::1:2.x2
    spdecompress.b16.b4.sp::1:2.x4
    spdecompress.b16.b4.sp::1:2.x8
    spdecompress.b16.b4.sp::1:2.x16
    spdecompress.b16.b4.sp::1:2.x32
    spdecompress.b16.b4.sp::1:2.x64
    spdecompress.b16.b4.sp::1:4.x1
    spdecompress.b16.b4.sp::1:4.x2
    spdecompress.b16.b4.sp::1:4.x4
    spdecompress.b16.b4.sp::1:4.x8
    spdecompress.b16.b4.sp::1:4.x16
    spdecompress.b16.b4.sp::1:4.x32
    spdecompress.b16.b4.sp::1:4.x64
    spdecompress.b16.b4.sp::1:8.x1
    spdecompress.b16.b4.sp::1:8.x2
    spdecompress.b16.b4.sp::1:8.x4
    spdecompress.b16.b4.sp::1:8.x8
    spdecompress.b16.b4.sp::1:8.x16
    spdecompress.b16.b4.sp::1:8.x32
    spdecompress.b16.b4.sp::1:16.x1
    spdecompress.b16.b4.sp::1:16.x2
    spdecompress.b16.b4.sp::1:16.x4
    spdecompress.b16.b4.sp::1:16.x8
    spdecompress.b16.b4.sp::1:16.x16
    spdecompress.b16.b4.sp::2:4.x1
    spdecompress.b16.b4.sp::2:4.x2
    spdecompress.b16.b4.sp::2:4.x4
    spdecompress.b16.b4.sp::2:4.x8
    spdecompress.b16.b4.sp::2:4.x16
    spdecompress.b16.b4.sp::2:4.x32
    spdecompress.b16.b4.sp::2:4.x64
    spdecompress.b16.b4.sp::2:8.x1
    spdecompress.b16.b4.sp::2:8.x2
    spdecompress.b16.b4.sp::2:8.x4
    spdecompress.b16.b4.sp::2:8.x8
    spdecompress.b16.b4.sp::2:8.x16
    spdecompress.b16.b4.sp::2:8.x32
    spdecompress.b16.b4.sp::2:16.x1
    spdecompress.b16.b4.sp::2:16.x2
    spdecompress.b16.b4.sp::2:16.x4
    spdecompress.b16.b4.sp::2:16.x8
    spdecompress.b16.b4.sp::2:16.x16
    """
    mov: _mov
    """
    mov.type
    mov.pred
    mov.b128
    mov.v2.type
    mov.v4.type
    mov.b32
    mov.b64
    mov.b16
    """
    shfl: _shfl
    """
    shfl.mode.b32
    shfl.sync.mode.b32
    """
    ld: _ld
    """
    ld{.weak}{.ss}{.cop}{.hint}{.size}.any
    ld{.weak}{.ss}{.cop}{.hint}{.size}.vec.narrow
    ld{.weak}{.ss}{.cop}{.hint}{.size}.v2.wide64
    ld{.weak}{.global}.evict1{.hint}{.size}.any
    ld{.weak}{.global}.evict1{.hint}{.size}.vec.narrow
    ld{.weak}{.global}.evict1{.hint}{.size}.v2.wide64
    ld{.weak}{.global}{.cop}{.hint}{.size}.v4.wide64
    ld{.weak}{.global}{.cop}{.hint}{.size}.v8.word
    ld{.weak}{.global}.evict1{.evict2}{.hint}{.size}.v4.wide64
    ld{.weak}{.global}.evict1{.evict2}{.hint}{.size}.v8.word
    ld{.weak}{.global}.evict2{.hint}{.size}.v4.wide64
    ld{.weak}{.global}.evict2{.hint}{.size}.v8.word
    ld{.weak}{.ss}{.cop}{.hint}{.size}.b128
    ld{.weak}{.global}.evict1{.hint}{.size}.b128
    ld.volatile{.vol_ss}{.size}.any
    ld.volatile{.vol_ss}{.size}.vec.narrow
    ld.volatile{.vol_ss}{.size}.v2.wide64
    ld.sem.scope{.rel_ss}{.evict1_74}{.hint}{.size}.any
    ld.sem.scope{.rel_ss}{.evict1_74}{.hint}{.size}.vec.narrow
    ld.sem.scope{.rel_ss}{.evict1_74}{.hint}{.size}.v2.wide64
    ld.sem.scope{.global}{.evict1}{.evict2}{.hint}{.size}.v4.wide64
    ld.sem.scope{.global}{.evict1}{.evict2}{.hint}{.size}.v8.word
    ld.sem.scope{.rel_ss}{.evict1}{.hint}{.size}.b128
    ld.volatile{.global}{.size}.v4.wide64
    ld.volatile{.global}{.size}.v8.word
    ld.volatile{.vol_ss}{.size}.b128
    ld.mmio.relaxed.sys{.global}.b128
    ld.mmio.relaxed.sys{.global}.any
    ld.mmio.acquire.sys{.global}.b128
    ld.mmio.acquire.sys{.global}.any
    ld{.global}.any.proxy::readonly
    ld{.global}.vec.narrow.proxy::readonly
    ld{.global}.v2.wide64.proxy::readonly
    ld{.global}.v4.wide64.proxy::readonly
    ld{.global}.v8.word.proxy::readonly
    ld.global.nc.any.proxy::readonly
    ld.global.nc.vec.narrow.proxy::readonly
    ld.global.nc.v2.wide64.proxy::readonly
    ld.global.nc.v4.wide64.proxy::readonly
    ld.global.nc.v8.word.proxy::readonly
    ld.global{.nc_cop}.nc{.hint}{.size}.any
    ld.global{.nc_cop}.nc{.hint}{.size}.vec.narrow
    ld.global{.nc_cop}.nc{.hint}{.size}.v2.wide64
    ld.global.nc.evict1{.hint}{.size}.any
    ld.global.nc.evict1{.hint}{.size}.vec.narrow
    ld.global.nc.evict1{.hint}{.size}.v2.wide64
    ld.global{.nc_cop}.nc{.hint}{.size}.v4.wide64
    ld.global{.nc_cop}.nc{.hint}{.size}.v8.word
    ld.global.nc.evict1{.evict2}{.hint}{.size}.v4.wide64
    ld.global.nc.evict1{.evict2}{.hint}{.size}.v8.word
    ld.global.nc.evict2{.hint}{.size}.v4.wide64
    ld.global.nc.evict2{.hint}{.size}.v8.word
    ld.global{.nc_cop}.nc{.hint}{.size}.b128
    ld.global.nc.evict1{.hint}{.size}.b128
    """
    ldu: _ldu
    """
    ldu{.global}.any
    ldu{.global}.vec.narrow
    ldu{.global}.v2.wide64
    ldu{.global}.b128
    """
    st: _st
    """
    st{.weak}{.st_ss}{.st_cop}{.hint}.any
    st{.weak}{.st_ss}{.st_cop}{.hint}.vec.narrow
    st{.weak}{.st_ss}{.st_cop}{.hint}.v2.wide64
    st{.weak}{.global}.evict1{.hint}.any
    st{.weak}{.global}.evict1{.hint}.vec.narrow
    st{.weak}{.global}.evict1{.hint}.v2.wide64
    st{.weak}{.global}{.st_cop}{.hint}.v4.wide64
    st{.weak}{.global}{.st_cop}{.hint}.v8.word
    st{.weak}{.global}.evict1{.evict2}{.hint}.v4.wide64
    st{.weak}{.global}.evict1{.evict2}{.hint}.v8.word
    st{.weak}{.global}.evict2{.hint}.v4.wide64
    st{.weak}{.global}.evict2{.hint}.v8.word
    st{.weak}{.st_ss}{.st_cop}{.hint}.b128
    st{.weak}{.global}.evict1{.hint}.b128
    st.sem.scope{.global}{.evict1}{.evict2}{.hint}.v4.wide64
    st.sem.scope{.global}{.evict1}{.evict2}{.hint}.v8.word
    st.sem.scope{.rel_ss}{.evict1}{.hint}.b128
    st.volatile{.global}.v4.wide64
    st.volatile{.global}.v8.word
    st.volatile{.vol_ss}.b128
    st.mmio.relaxed.sys{.global}.b128
    st.volatile{.vol_ss}.any
    st.volatile{.vol_ss}.vec.narrow
    st.volatile{.vol_ss}.v2.wide64
    st.sem.scope{.rel_ss}{.evict1_74}{.hint}.any
    st.sem.scope{.rel_ss}{.evict1_74}{.hint}.vec.narrow
    st.sem.scope{.rel_ss}{.evict1_74}{.hint}.v2.wide64
    st.mmio.relaxed.sys{.global}.any
    st.mmio.release.sys{.global}.b128
    st.mmio.release.sys{.global}.any
    st.async{.weak}{.cluster}.bytes.type
    st.async{.weak}{.cluster}.bytes.vec.type
    st.async{.weak}{.cluster}.bytes.v2.type
    st.async{.mmio}.release.scope{.global}.type
    st.bulk{.weak}{.cta}
    """
    prefetch: _prefetch
    """
    prefetch{.space}.level
    prefetch.global.level
    prefetch{.global}.L1::32B.valid_addr
    prefetch{.space}.tensormap
    """
    prefetchu: _prefetchu
    """prefetchu.L1"""
    applypriority: _applypriority
    """
    applypriority{.global}.L2::evict_normal
    applypriority.async.bulk{.global}.bulk_group.L2::evict_normal
    applypriority.async.bulk.tensor.dim{.global}.bulk_group{.tile}.L2::evict_normal{.over}
    applypriority.async.bulk.tensor.2d{.global}.bulk_group.mode.L2::evict_normal{.over}
    applypriority.async.bulk.tensor.im_dim{.global}.bulk_group.im2col.L2::evict_normal{.over}
    applypriority.async.bulk.tensor.im_dim{.global}.bulk_group.mode.L2::evict_normal{.over}
    applypriority.async.bulk.tensor.dim{.global}.bulk_group{.tile}.L2::evict_normal.over.override::global_dim
    applypriority.async.bulk.tensor.strided_dim{.global}.bulk_group{.tile}.L2::evict_normal.over.override::global_dim_stride
    """
    discard: _discard
    """discard{.global}.L2"""
    createpolicy: _createpolicy
    """
    createpolicy.range{.global}.primary{.second}.b64
    createpolicy.range.fabric.primary{.second}.b64
    createpolicy.fractional.primary{.second}.b64
    createpolicy.cvt.L2.b64
    """
    isspacep: _isspacep
    """isspacep.window"""
    cvta: _cvta
    """
    cvta.window.type
    cvta.to.window.type
    """
    cvt: _cvt
    """
    cvt.ix.ia
    cvt.sat.u8.ia
    cvt.sat.u16.ia
    cvt.sat.u32.ia
    cvt.sat.u64.ia
    cvt.sat.s8.ia
    cvt.sat.s16.ia
    cvt.sat.s32.ia
    cvt.sat.s64.ia
    cvt.irnd{.ftz}{.sat}.ix.f32
    cvt.irnd{.sat}.ix.f64
    cvt.irnd{.sat}.ix.f16
    cvt.irnd.ix.bf16
    cvt.frnd{.ftz}{.sat}.f32.ia
    cvt.frnd{.sat}.f64.ia
    cvt.frnd{.sat}.f16.ia
    cvt.frnd.bf16.ia
    cvt{.ftz}{.sat}.f64.f32
    cvt.frnd{.ftz}{.sat}.f32.f64
    cvt{.ftz}{.sat}.f32.f16
    cvt{.sat}.f64.f16
    cvt.frnd{.sat}.f16.f64
    cvt.frnd{.ftz}{.sat}.f16.f32
    cvt.irnd{.ftz}{.sat}.f32.f32
    cvt.irnd{.sat}.f64.f64
    cvt.irnd{.sat}.f16.f16
    cvt{.ftz}{.sat}.f32.f32
    cvt{.sat}.f64.f64
    cvt{.sat}.f16.f16
    cvt{.ftz}.f32.bf16
    cvt.f64.bf16
    cvt.frnd.bf16.f64
    cvt{.frnd}.bf16.f16
    cvt{.frnd}.f16.bf16
    cvt{.irnd}.bf16.bf16
    cvt.frnd{.ftz}.bf16.f32
    cvt.rnd2.satfinite.f16.f32
    cvt.rnd2.relu{.satfinite}.f16.f32
    cvt.rnd2{.relu}.satfinite.bf16.f32
    cvt.rnd2.relu.bf16.f32
    cvt.rnd2{.relu}{.satfinite}.f16x2.f32
    cvt.rnd2{.relu}{.satfinite}.bf16x2.f32
    cvt.rs{.relu}{.satfinite}.f16x2.f32
    cvt.rs{.relu}{.satfinite}.bf16x2.f32
    cvt.rna{.satfinite}.tf32.f32
    cvt.rnd2{.satfinite}{.relu}.tf32.f32
    cvt.rn.satfinite{.relu}.f8.f32
    cvt.rn.satfinite{.relu}.f8.f16x2
    cvt.rn.satfinite{.relu}.f8.bf16x2
    cvt.rn{.relu}.f16x2.f8
    cvt.rn{.relu}{.satfinite}{.n2}.bf16x2.f8
    cvt.rn.satfinite{.relu}.e2m1x2.f32
    cvt.rn.satfinite{.relu}.e2m1x2.f16x2
    cvt.rn.satfinite{.relu}.e2m1x2.bf16x2
    cvt.rn{.relu}.f16x2.e2m1x2
    cvt.rn{.relu}{.satfinite}{.n2}.bf16x2.e2m1x2
    cvt.rn.satfinite{.relu}.f6.f32
    cvt.rn.satfinite{.relu}.f6.half2
    cvt.rn{.relu}.f16x2.f6
    cvt.rn{.relu}{.satfinite}{.n2}.bf16x2.f6
    cvt.rs{.relu}.satfinite.x4.f32
    cvt.rnd{.satfinite}.ue8m0x2.f32
    cvt.rnd{.satfinite}.ue8m0x2.bf16x2
    cvt.rn.bf16x2.ue8m0x2
    cvt.rz.satfinite{.relu}{.pzo}{.n1}.f86.f32
    cvt.rn.satfinite{.relu}.pzo{.n1}.f86.f32
    cvt.rn.satfinite{.relu}.n1.f86.f32
    cvt.rz.satfinite{.relu}{.pzo}{.n1}.f86.half2
    cvt.rn.satfinite{.relu}.pzo{.n1}.f86.half2
    cvt.rn.satfinite{.relu}.n1.f86.f16x2
    cvt.rn.satfinite{.relu}.n1.f86.bf16x2
    cvt.rz.satfinite{.relu}{.pzo}{.n1}.e2m1x2.f32
    cvt.rn.satfinite{.relu}.pzo{.n1}.e2m1x2.f32
    cvt.rn.satfinite{.relu}.n1.e2m1x2.f32
    cvt.rz.satfinite{.relu}{.pzo}{.n1}.e2m1x2.f16x2
    cvt.rz.satfinite{.relu}{.pzo}{.n1}.e2m1x2.bf16x2
    cvt.rn.satfinite{.relu}.pzo{.n1}.e2m1x2.f16x2
    cvt.rn.satfinite{.relu}.pzo{.n1}.e2m1x2.bf16x2
    cvt.rn.satfinite{.relu}.n1.e2m1x2.f16x2
    cvt.rn.satfinite{.relu}.n1.e2m1x2.bf16x2
    cvt.frnd.pzo.f16.f32
    cvt.rnd2.relu{.satfinite}.pzo.f16.f32
    cvt.rnd2.satfinite.pzo.f16.f32
    cvt.frnd{.ftz}.pzo.bf16.f32
    cvt.rnd2.relu{.satfinite}.pzo.bf16.f32
    cvt.rnd2.satfinite.pzo.bf16.f32
    cvt.rnd2{.relu}{.satfinite}.pzo.f16x2.f32
    cvt.rnd2{.relu}{.satfinite}.pzo.bf16x2.f32
    cvt.rnd2{.satfinite}{.relu}.pzo.tf32.f32
    cvt.rn.satfinite{.relu}{.n2}.s2f6x2.f32
    cvt.rz.satfinite{.relu}{.n2}.s2f6x2.f32
    cvt.rn.satfinite{.relu}{.n2}.s2f6x2.bf16x2
    cvt.rz.satfinite{.relu}{.n2}.s2f6x2.bf16x2
    cvt.rn{.satfinite}{.relu}{.n2}.bf16x2.s2f6x2
    cvt.rnd{.satfinite}.ue5m3x2.f32
    cvt.rnd2{.satfinite}.n1.ue5m3x2.f32
    cvt.rnd{.satfinite}.ue5m3x2.half2
    cvt.rnd2{.satfinite}.n1.ue5m3x2.f16x2
    cvt.rnd2{.satfinite}.n1.ue5m3x2.bf16x2
    cvt.rn.f16x2.ue5m3x2
    cvt.rn{.satfinite}{.n2}.bf16x2.ue5m3x2
    cvt.pack.sat.to.s32
    cvt.pack.sat.to.s32.b32
    """
    mapa: _mapa
    """
    mapa.shared::cluster.type
    mapa.type
    """
    getctarank: _getctarank
    """
    getctarank.shared::cluster.type
    getctarank.type
    """
    cp: _cp
    """
    cp.async.ca.sh.global{.hint}{.size}
    cp.async.cg.sh.global{.hint}{.size}
    cp.async.commit_group
    cp.async.wait_group
    cp.async.mbarrier.arrive{.noinc}{.sh}.b64
    cp.async.wait_all
    cp.async.bulk{.plain}.cta.global.bytes{.report}{.hint}
    cp.async.bulk{.plain}.cta.global.bytes{.unreported}{.hint}.ignore_oob
    cp.async.bulk.relaxed.scope.cta.global.bytes{.report}{.hint}.b128
    cp.async.bulk.relaxed.scope.cta.global.bytes{.unreported}{.hint}.ignore_oob.b128
    cp.async.bulk{.plain}.cluster.global.bytes{.report}{.multicast}{.hint}
    cp.async.bulk.relaxed.scope.cluster.global.bytes{.report}{.multicast}{.hint}.b128
    cp.async.bulk{.plain}.cluster.cta.bytes
    cp.async.bulk.relaxed.scope.cluster.cta.bytes.b128
    cp.async.bulk{.plain}.global.cta.bulk_group{.hint}
    cp.async.bulk.relaxed.scope.global.cta.bulk_group{.hint}.b128
    cp.async.bulk{.plain}.global.cta.bulk_group{.hint}.cp_mask
    cp.async.bulk.relaxed.scope.global.cta.bulk_group{.hint}.cp_mask.b128
    cp.reduce.async.bulk.cluster.cta.bytes.op.b32
    cp.reduce.async.bulk.relaxed.scope.cluster.cta.bytes.op.b32
    cp.reduce.async.bulk.cluster.cta.bytes.op.type
    cp.reduce.async.bulk.relaxed.scope.cluster.cta.bytes.op.type
    cp.reduce.async.bulk.cluster.cta.bytes.op.u32
    cp.reduce.async.bulk.relaxed.scope.cluster.cta.bytes.op.u32
    cp.reduce.async.bulk.cluster.cta.bytes.add.u64
    cp.reduce.async.bulk.relaxed.scope.cluster.cta.bytes.add.u64
    cp.reduce.async.bulk.global.cta.bulk_group{.hint}.op.type
    cp.reduce.async.bulk.relaxed.scope.global.cta.bulk_group{.hint}.op.type
    cp.reduce.async.bulk.global.cta.bulk_group{.hint}.add.type
    cp.reduce.async.bulk.relaxed.scope.global.cta.bulk_group{.hint}.add.type
    cp.reduce.async.bulk.global.cta.bulk_group{.hint}.op.u32
    cp.reduce.async.bulk.relaxed.scope.global.cta.bulk_group{.hint}.op.u32
    cp.reduce.async.bulk.global.cta.bulk_group{.hint}.add.noftz.type
    cp.reduce.async.bulk.relaxed.scope.global.cta.bulk_group{.hint}.add.noftz.type
    cp.async.bulk.prefetch.L2.global{.hint}
    cp.async.bulk.prefetch.L2.global.L2::evict_last
    cp.async.bulk.tensor.dim.cta.global{.tile}.bytes{.report}{.cta_group}{.hint}{.over}
    cp.async.bulk.tensor.2d.cta.global.mode.bytes{.report}{.cta_group}{.hint}{.over}
    cp.async.bulk.tensor.im_dim.cta.global.im2col.bytes{.report}{.cta_group}{.hint}{.over}
    cp.async.bulk.tensor.im_dim.cta.global.mode.bytes{.report}{.cta_group}{.hint}{.over}
    cp.async.bulk.tensor.dim.cluster.global{.tile}.bytes{.report}{.multicast}{.cta_group}{.hint}{.over}
    cp.async.bulk.tensor.2d.cluster.global.mode.bytes{.report}{.multicast}{.cta_group}{.hint}{.over}
    cp.async.bulk.tensor.im_dim.cluster.global.im2col.bytes{.report}{.multicast}{.cta_group}{.hint}{.over}
    cp.async.bulk.tensor.im_dim.cluster.global.mode.bytes{.report}{.multicast}{.cta_group}{.hint}{.over}
    cp.async.bulk.tensor.dim.global.cta{.tile}.bulk_group{.hint}{.over}
    cp.async.bulk.tensor.2d.global.cta.mode.bulk_group{.hint}{.over}
    cp.async.bulk.tensor.im_dim.global.cta.no_offs.bulk_group{.hint}{.over}
    cp.reduce.async.bulk.tensor.dim.global.cta.op{.tile}.bulk_group{.hint}{.over}
    cp.reduce.async.bulk.tensor.im_dim.global.cta.op.no_offs.bulk_group{.hint}{.over}
    cp.async.bulk.prefetch.tensor.dim.L2.global{.tile}{.hint}{.over}
    cp.async.bulk.prefetch.tensor.dim.L2.global{.tile}.L2::evict_last{.over}
    cp.async.bulk.prefetch.tensor.2d.L2.global.mode{.hint}{.over}
    cp.async.bulk.prefetch.tensor.2d.L2.global.mode.L2::evict_last{.over}
    cp.async.bulk.prefetch.tensor.im_dim.L2.global.im2col{.hint}{.over}
    cp.async.bulk.prefetch.tensor.im_dim.L2.global.im2col.L2::evict_last{.over}
    cp.async.bulk.prefetch.tensor.im_dim.L2.global.mode{.hint}{.over}
    cp.async.bulk.prefetch.tensor.im_dim.L2.global.mode.L2::evict_last{.over}
    cp.async.bulk.tensor.dim.cta.global{.tile}.bytes{.report}{.cta_group}{.hint}.over.override::global_dim
    cp.async.bulk.tensor.dim.cluster.global{.tile}.bytes{.report}{.wide_multicast}{.cta_group}{.hint}.over.override::global_dim
    cp.async.bulk.tensor.dim.global.cta{.tile}.bulk_group{.hint}.over.override::global_dim
    cp.reduce.async.bulk.tensor.dim.global.cta.op{.tile}.bulk_group{.hint}.over.override::global_dim
    cp.async.bulk.prefetch.tensor.dim.L2.global{.tile}{.hint}.over.override::global_dim
    cp.async.bulk.prefetch.tensor.dim.L2.global{.tile}.L2::evict_last.over.override::global_dim
    cp.async.bulk.tensor.strided_dim.cta.global{.tile}.bytes{.report}{.cta_group}{.hint}.over.override::global_dim_stride
    cp.async.bulk.tensor.strided_dim.cluster.global{.tile}.bytes{.report}{.wide_multicast}{.cta_group}{.hint}.over.override::global_dim_stride
    cp.async.bulk.tensor.strided_dim.global.cta{.tile}.bulk_group{.hint}.over.override::global_dim_stride
    cp.reduce.async.bulk.tensor.strided_dim.global.cta.op{.tile}.bulk_group{.hint}.over.override::global_dim_stride
    cp.async.bulk.prefetch.tensor.strided_dim.L2.global{.tile}{.hint}.over.override::global_dim_stride
    cp.async.bulk.prefetch.tensor.strided_dim.L2.global{.tile}.L2::evict_last.over.override::global_dim_stride
    cp.async.bulk.commit_group
    cp.async.bulk.wait_group{.read}
    """
    ldmatrix: _ldmatrix
    """
    ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16
    ldmatrix.sync.aligned.m16n16.num2.trans{.ss}.b8
    ldmatrix.sync.aligned.m8n16.num{.ss}.unpack
    ldmatrix.sync.aligned.m8n16.num{.ss}.s8.s4
    ldmatrix.sync.aligned.m16n16.num2.trans{.ss}.unpack
    """
    stmatrix: _stmatrix
    """
    stmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16
    stmatrix.sync.aligned.m16n8.num.trans{.ss}.b8
    """
    movmatrix: _movmatrix
    """movmatrix.sync.aligned.m8n8.trans.b16"""
    red: _red
    """
    red.async.relaxed.cluster{.cl}.bytes.op.u32
    red.async.relaxed.cluster{.cl}.bytes.op.type
    red.async.relaxed.cluster{.cl}.bytes.op.b32
    red.async.relaxed.cluster{.cl}.bytes.add.type
    red.async{.mmio}.release.scope{.global}.add.type
    red.async{.mmio}.release.scope{.global}.op.type
    red.async{.mmio}.release.scope{.global}.op.u32
    red.async{.mmio}.release.scope{.global}.op.b32
    red{.rsem}{.scope}{.space}.op{.hint}.type
    red{.rsem}{.scope}{.space}.add{.hint}.type
    red{.rsem}{.scope}{.space}.op{.hint}.u32
    red{.rsem}{.scope}{.space}.add.noftz{.hint}.type
    red{.rsem}{.scope}{.global}.add{.hint}.w.f32
    red{.rsem}{.scope}{.global}.add.noftz{.hint}.w.f32
    red{.rsem}{.scope}{.global}.op.noftz{.hint}.h.f16
    red{.rsem}{.scope}{.global}.op.noftz{.hint}.h.bf16
    red{.rsem}{.scope}{.global}.op.noftz{.hint}.w.type
    """
    tensormap: _tensormap
    """
    tensormap.replace.tile.global_address{.ss}.b1024.b64
    tensormap.replace.tile.rank{.ss}.b1024.b32
    tensormap.replace.tile.field{.ss}.b1024.b32
    tensormap.replace.tile.global_stride{.ss}.b1024.b64
    tensormap.replace.tile.elemtype{.ss}.b1024.b32
    tensormap.replace.tile.interleave_layout{.ss}.b1024.b32
    tensormap.replace.tile.swizzle_mode{.ss}.b1024.b32
    tensormap.replace.tile.swizzle_atomicity{.ss}.b1024.b32
    tensormap.replace.tile.fill_mode{.ss}.b1024.b32
    tensormap.query.alloc_class_large{.qss}.b1024
    tensormap.cp_fenceproxy.global.cta.tensormap::generic.release.scope.sync.aligned
    """
    multimem: _multimem
    """
    multimem.ld_reduce.sem_ld.scope{.global}.add.int_add
    multimem.ld_reduce{.weak}{.global}.add.int_add
    multimem.ld_reduce.sem_ld.scope{.global}.minmax.int_mm
    multimem.ld_reduce{.weak}{.global}.minmax.int_mm
    multimem.ld_reduce.sem_ld.scope{.global}.logic.bits
    multimem.ld_reduce{.weak}{.global}.logic.bits
    multimem.ld_reduce.sem_ld.scope{.global}.add.type
    multimem.ld_reduce{.weak}{.global}.add.type
    multimem.ld_reduce.sem_ld.scope{.global}.add.w.f32
    multimem.ld_reduce{.weak}{.global}.add.w.f32
    multimem.ld_reduce.sem_ld.scope{.global}.op{.acc32}.h.f16
    multimem.ld_reduce.sem_ld.scope{.global}.op{.acc32}.h.bf16
    multimem.ld_reduce{.weak}{.global}.op{.acc32}.h.f16
    multimem.ld_reduce{.weak}{.global}.op{.acc32}.h.bf16
    multimem.ld_reduce.sem_ld.scope{.global}.op{.acc32}.half4
    multimem.ld_reduce{.weak}{.global}.op{.acc32}.half4
    multimem.ld_reduce.sem_ld.scope{.global}.op{.acc32}.w.half4
    multimem.ld_reduce{.weak}{.global}.op{.acc32}.w.half4
    multimem.ld_reduce.sem_ld.scope{.global}.op{.acc16}.b.e4
    multimem.ld_reduce{.weak}{.global}.op{.acc16}.b.e4
    multimem.ld_reduce.sem_ld.scope{.global}.op{.acc16}.h.e8
    multimem.ld_reduce{.weak}{.global}.op{.acc16}.h.e8
    multimem.ld_reduce.sem_ld.scope{.global}.op{.acc16}.e16
    multimem.ld_reduce{.weak}{.global}.op{.acc16}.e16
    multimem.ld_reduce.sem_ld.scope{.global}.op{.acc16}.w.e16
    multimem.ld_reduce{.weak}{.global}.op{.acc16}.w.e16
    multimem.st.sem_st.scope{.global}.type
    multimem.st{.weak}{.global}.type
    multimem.st.sem_st.scope{.global}.w.type
    multimem.st{.weak}{.global}.w.type
    multimem.st.sem_st.scope{.global}.h.f16
    multimem.st.sem_st.scope{.global}.h.bf16
    multimem.st{.weak}{.global}.h.f16
    multimem.st{.weak}{.global}.h.bf16
    multimem.st.sem_st.scope{.global}.b.e4
    multimem.st{.weak}{.global}.b.e4
    multimem.st.sem_st.scope{.global}.h.e8
    multimem.st{.weak}{.global}.h.e8
    multimem.st.sem_st.scope{.global}.e16
    multimem.st{.weak}{.global}.e16
    multimem.st.sem_st.scope{.global}.w.e16
    multimem.st{.weak}{.global}.w.e16
    multimem.red.sem_st.scope{.global}.add.int_add
    multimem.red{.global}.add.int_add
    multimem.red.sem_st.scope{.global}.minmax.int_mm
    multimem.red{.global}.minmax.int_mm
    multimem.red.sem_st.scope{.global}.logic.bits
    multimem.red{.global}.logic.bits
    multimem.red.sem_st.scope{.global}.add.type
    multimem.red{.global}.add.type
    multimem.red.sem_st.scope{.global}.add.w.type
    multimem.red{.global}.add.w.type
    multimem.red.sem_st.scope{.global}.add.h.f16
    multimem.red.sem_st.scope{.global}.add.h.bf16
    multimem.red{.global}.add.h.f16
    multimem.red{.global}.add.h.bf16
    multimem.st.async.release.scope{.global}.type
    multimem.red.async.release.scope{.global}.add.int_add
    multimem.cp.async.bulk{.plain}.global.cta.bulk_group
    multimem.cp.async.bulk.relaxed.scope.global.cta.bulk_group.b128
    multimem.cp.async.bulk{.plain}.global.cta.bulk_group.cp_mask
    multimem.cp.async.bulk.relaxed.scope.global.cta.bulk_group.cp_mask.b128
    multimem.cp.reduce.async.bulk.global.cta.bulk_group.op.type
    multimem.cp.reduce.async.bulk.relaxed.scope.global.cta.bulk_group.op.type
    multimem.cp.reduce.async.bulk.global.cta.bulk_group.add.type
    multimem.cp.reduce.async.bulk.relaxed.scope.global.cta.bulk_group.add.type
    multimem.cp.reduce.async.bulk.global.cta.bulk_group.op.u32
    multimem.cp.reduce.async.bulk.relaxed.scope.global.cta.bulk_group.op.u32
    multimem.cp.reduce.async.bulk.global.cta.bulk_group.add.noftz.type
    multimem.cp.reduce.async.bulk.relaxed.scope.global.cta.bulk_group.add.noftz.type
    """
    fabric: _fabric
    """
    fabric.try_get.async.cta.bytes.report{.hint}.relaxed.sys.b128
    fabric.try_put.async{.multimem}.cta.chunks.report{.hint}.relaxed.sys.b128
    fabric.try_put.async{.multimem}.cta.chunks.report.cp_mask{.hint}.relaxed.sys.b128
    fabric.try_put.async{.multimem}.cta.chunks.report.counted{.hint}.relaxed.sys.b128
    fabric.try_red.async{.multimem}.cta.chunks.report{.hint}.relaxed.sys.op.type
    fabric.try_red.async{.multimem}.cta.chunks.report{.hint}.relaxed.sys.add.type
    fabric.try_red.async{.multimem}.cta.chunks.report.counted{.hint}.relaxed.sys.op.type
    fabric.try_red.async{.multimem}.cta.chunks.report.counted{.hint}.relaxed.sys.add.type
    fabric.try_pullred.async.multimem.cta.bytes.report.relaxed.sys.op.type.sync
    fabric.try_pullred.async.multimem.cta.bytes.report.relaxed.sys.add.type.sync
    fabric.try_pullred.async.multimem.cta.bytes.report.relaxed.sys.add.acc::f16.type.sync
    fabric.try_pullred.async.multimem.cta.bytes.report.relaxed.sys.add.acc::f32.type.sync
    fabric.try_atom.async.cta.chunks.report{.hint}.relaxed.sys.op.type
    fabric.try_atom.async.cta.chunks.report{.hint}.relaxed.sys.add.type
    fabric.submit{.op_restrict::fetching}
    fabric.submit.commit_group
    fabric.wait.sync_restrict::reads
    fabric.wait.sync_restrict::read
    """
    tex: _tex
    """
    tex.flat.v4.dtype.f32
    tex.flat.v2.f16x2.f32
    tex.3d.v4.dtype.f32
    tex.3d.v2.f16x2.f32
    tex.a1d.v4.dtype.f32
    tex.a1d.v2.f16x2.f32
    tex.a2d.v4.dtype.f32
    tex.a2d.v2.f16x2.f32
    tex.cube.v4.dtype.f32
    tex.cube.v2.f16x2.f32
    tex.acube.v4.dtype.f32
    tex.acube.v2.f16x2.f32
    tex.flat.v4.dtype.s32
    tex.flat.v2.f16x2.s32
    tex.3d.v4.dtype.s32
    tex.3d.v2.f16x2.s32
    tex.a1d.v4.dtype.s32
    tex.a1d.v2.f16x2.s32
    tex.a2d.v4.dtype.s32
    tex.a2d.v2.f16x2.s32
    tex.ms.v4.dtype.s32
    tex.ms.v2.f16x2.s32
    tex.ams.v4.dtype.s32
    tex.ams.v2.f16x2.s32
    tex.base.flat.v4.dtype.f32
    tex.base.flat.v2.f16x2.f32
    tex.base.3d.v4.dtype.f32
    tex.base.3d.v2.f16x2.f32
    tex.base.a1d.v4.dtype.f32
    tex.base.a1d.v2.f16x2.f32
    tex.base.a2d.v4.dtype.f32
    tex.base.a2d.v2.f16x2.f32
    tex.base.cube.v4.dtype.f32
    tex.base.cube.v2.f16x2.f32
    tex.base.acube.v4.dtype.f32
    tex.base.acube.v2.f16x2.f32
    tex.base.flat.v4.dtype.s32
    tex.base.flat.v2.f16x2.s32
    tex.base.3d.v4.dtype.s32
    tex.base.3d.v2.f16x2.s32
    tex.base.a1d.v4.dtype.s32
    tex.base.a1d.v2.f16x2.s32
    tex.base.a2d.v4.dtype.s32
    tex.base.a2d.v2.f16x2.s32
    tex.base.ms.v4.dtype.s32
    tex.base.ms.v2.f16x2.s32
    tex.base.ams.v4.dtype.s32
    tex.base.ams.v2.f16x2.s32
    tex.level.flat.v4.dtype.f32
    tex.level.flat.v2.f16x2.f32
    tex.level.3d.v4.dtype.f32
    tex.level.3d.v2.f16x2.f32
    tex.level.a1d.v4.dtype.f32
    tex.level.a1d.v2.f16x2.f32
    tex.level.a2d.v4.dtype.f32
    tex.level.a2d.v2.f16x2.f32
    tex.level.cube.v4.dtype.f32
    tex.level.cube.v2.f16x2.f32
    tex.level.acube.v4.dtype.f32
    tex.level.acube.v2.f16x2.f32
    tex.level.flat.v4.dtype.s32
    tex.level.flat.v2.f16x2.s32
    tex.level.3d.v4.dtype.s32
    tex.level.3d.v2.f16x2.s32
    tex.level.a1d.v4.dtype.s32
    tex.level.a1d.v2.f16x2.s32
    tex.level.a2d.v4.dtype.s32
    tex.level.a2d.v2.f16x2.s32
    tex.grad.flat.v4.dtype.f32
    tex.grad.flat.v2.f16x2.f32
    tex.grad.3d.v4.dtype.f32
    tex.grad.3d.v2.f16x2.f32
    tex.grad.a1d.v4.dtype.f32
    tex.grad.a1d.v2.f16x2.f32
    tex.grad.a2d.v4.dtype.f32
    tex.grad.a2d.v2.f16x2.f32
    tex.grad.cube.v4.dtype.f32
    tex.grad.cube.v2.f16x2.f32
    tex.grad.acube.v4.dtype.f32
    tex.grad.acube.v2.f16x2.f32
    tex.grad.flat.v4.dtype.s32
    tex.grad.flat.v2.f16x2.s32
    tex.grad.3d.v4.dtype.s32
    tex.grad.3d.v2.f16x2.s32
    tex.grad.a1d.v4.dtype.s32
    tex.grad.a1d.v2.f16x2.s32
    tex.grad.a2d.v4.dtype.s32
    tex.grad.a2d.v2.f16x2.s32
    """
    tld4: _tld4
    """
    tld4.comp.2d.v4.dtype.f32
    tld4.comp.a2d.v4.dtype.f32
    tld4.comp.cube.v4.dtype.f32
    tld4.comp.acube.v4.dtype.f32
    """
    txq: _txq
    """
    txq.query.b32
    txq.level.level_query.b32
    """
    istypep: _istypep
    """istypep.type"""
    suld: _suld
    """
    suld.b.flat{.cop}.type.mode
    suld.b.flat{.cop}.vec.narrow.mode
    suld.b.flat{.cop}.v2.b64.mode
    suld.b.array{.cop}.type.mode
    suld.b.array{.cop}.vec.narrow.mode
    suld.b.array{.cop}.v2.b64.mode
    """
    sust: _sust
    """
    sust.b.flat{.st_cop}.type.mode
    sust.b.flat{.st_cop}.vec.narrow.mode
    sust.b.flat{.st_cop}.v2.b64.mode
    sust.b.array{.st_cop}.type.mode
    sust.b.array{.st_cop}.vec.narrow.mode
    sust.b.array{.st_cop}.v2.b64.mode
    sust.p.flat.b32.mode
    sust.p.flat.vec.b32.mode
    sust.p.array.b32.mode
    sust.p.array.vec.b32.mode
    """
    sured: _sured
    """
    sured.b.add.flat.type.mode
    sured.b.op.flat.type.mode
    sured.b.op.flat.b32.mode
    sured.p.op.flat.b32.mode
    sured.p.op.flat.b64.mode
    """
    suq: _suq
    """suq.query.b32"""
    bra: _bra
    """bra{.uni}"""
    brx: _brx
    """brx.idx{.uni}"""
    call: _call
    """call{.uni}"""
    ret: _ret
    """ret{.uni}"""
    exit: _cp_async_commit_group
    """exit"""
    bar: _bar
    """
    bar{.cta}.sync
    bar{.cta}.arrive
    bar{.cta}.red.popc.u32
    bar{.cta}.red.bop.pred
    bar.warp.sync
    """
    barrier: _barrier
    """
    barrier{.cta}.sync{.aligned}
    barrier{.cta}.arrive{.aligned}
    barrier{.cta}.red.popc{.aligned}.u32
    barrier{.cta}.red.bop{.aligned}.pred
    barrier.cluster.arrive{.order}{.aligned}
    barrier.cluster.wait{.acquire}{.aligned}
    """
    membar: _membar
    """
    membar.level
    membar.proxy.kind
    """
    fence: _fence
    """
    fence{.sem}.scope
    fence.acquire.sync_restrict::shared::cluster.cluster
    fence.release.sync_restrict::shared::cta.cluster
    fence.mbarrier_init.release.cluster
    fence.proxy.alias
    fence.proxy.alias.sem.sys
    fence.proxy.async
    fence.proxy.async.space
    fence.proxy.tensormap::generic.release.scope
    fence.proxy.tensormap::generic.acquire.scope
    fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster
    fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster
    fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster
    fence.proxy.pair.alias.sem.sys
    """
    atom: _atom
    """
    atom{.sem}{.scope}{.space}.op{.hint}.type
    atom{.sem}{.scope}{.space}.exch{.hint}.type
    atom{.sem}{.scope}{.space}.add{.hint}.type
    atom{.sem}{.scope}{.space}.op{.hint}.u32
    atom{.sem}{.scope}{.space}.exch{.hint}.b128
    atom{.sem}{.scope}{.space}.cas.b128
    atom{.sem}{.scope}{.space}.cas.type
    atom{.sem}{.scope}{.space}.add.noftz{.hint}.type
    atom{.sem}{.scope}{.global}.add{.hint}.w.f32
    atom{.sem}{.scope}{.global}.add.noftz{.hint}.w.f32
    atom{.sem}{.scope}{.global}.op.noftz{.hint}.h.f16
    atom{.sem}{.scope}{.global}.op.noftz{.hint}.h.bf16
    atom{.sem}{.scope}{.global}.op.noftz{.hint}.w.type
    """
    vote: _vote
    """
    vote.mode.pred
    vote.ballot.b32
    vote.sync.mode.pred
    vote.sync.ballot.b32
    """
    match: _match
    """
    match.any.sync.type
    match.all.sync.type
    """
    activemask: _activemask
    """activemask.b32"""
    redux: _redux
    """
    redux.sync.op.type
    redux.sync.op.b32
    redux.sync.op{.abs}{.NaN}.f32
    """
    griddepcontrol: _griddepcontrol
    """griddepcontrol.action"""
    elect: _elect
    """elect.sync"""
    mbarrier: _mbarrier
    """
    mbarrier.init{.mss}.b64
    mbarrier.init.layout::v0{.mss}.b64
    mbarrier.init.layout::v1{.mss}.b64
    mbarrier.inval{.mss}.b64
    mbarrier.expect_tx{.any_mss}.b64
    mbarrier.expect_tx.relaxed.scope2{.any_mss}.b64
    mbarrier.complete_tx{.any_mss}.b64
    mbarrier.complete_tx.relaxed.scope2{.any_mss}.b64
    mbarrier.arrive{.mss}.b64
    mbarrier.arrive.cl.b64
    mbarrier.arrive.expect_tx{.mss}.b64
    mbarrier.arrive.expect_tx.cl.b64
    mbarrier.arrive.arrival.scope2{.mss}.b64
    mbarrier.arrive.arrival.scope2.cl.b64
    mbarrier.arrive.expect_tx.arrival.scope2{.mss}.b64
    mbarrier.arrive.expect_tx.arrival.scope2.cl.b64
    mbarrier.arrive.noComplete{.mss}.b64
    mbarrier.arrive.noComplete.release.cta{.mss}.b64
    mbarrier.arrive_drop{.mss}.b64
    mbarrier.arrive_drop.cl.b64
    mbarrier.arrive_drop.expect_tx{.mss}.b64
    mbarrier.arrive_drop.expect_tx.cl.b64
    mbarrier.arrive_drop.arrival.scope2{.mss}.b64
    mbarrier.arrive_drop.arrival.scope2.cl.b64
    mbarrier.arrive_drop.expect_tx.arrival.scope2{.mss}.b64
    mbarrier.arrive_drop.expect_tx.arrival.scope2.cl.b64
    mbarrier.arrive_drop.noComplete{.mss}.b64
    mbarrier.arrive_drop.noComplete.release.cta{.mss}.b64
    mbarrier.test_wait{.mss}.b64
    mbarrier.test_wait.parity{.mss}.b64
    mbarrier.test_wait.wait.scope2{.mss}.b64
    mbarrier.test_wait.parity.wait.scope2{.mss}.b64
    mbarrier.try_wait{.mss}.b64
    mbarrier.try_wait.parity{.mss}.b64
    mbarrier.try_wait.wait.scope2{.mss}.b64
    mbarrier.try_wait.parity.wait.scope2{.mss}.b64
    mbarrier.expect_tx{.cl}.all_ctas.b64
    mbarrier.expect_tx.relaxed.scope2{.cl}.all_ctas.b64
    mbarrier.complete_tx{.cl}.all_ctas.b64
    mbarrier.complete_tx.relaxed.scope2{.cl}.all_ctas.b64
    mbarrier.arrive{.cl}.all_ctas.b64
    mbarrier.arrive.expect_tx{.cl}.all_ctas.b64
    mbarrier.arrive.arrival.scope2{.cl}.all_ctas.b64
    mbarrier.arrive.expect_tx.arrival.scope2{.cl}.all_ctas.b64
    mbarrier.arrive_drop{.cl}.all_ctas.b64
    mbarrier.arrive_drop.expect_tx{.cl}.all_ctas.b64
    mbarrier.arrive_drop.arrival.scope2{.cl}.all_ctas.b64
    mbarrier.arrive_drop.expect_tx.arrival.scope2{.cl}.all_ctas.b64
    mbarrier.test_wait.phase_type::primary{.mss}.b64
    mbarrier.test_wait.phase_type::primary.wait.scope2{.mss}.b64
    mbarrier.test_wait.parity.phase_type::primary{.mss}.b64
    mbarrier.test_wait.parity.phase_type::conditional{.mss}.b64
    mbarrier.test_wait.parity.phase_type::primary.wait.scope2{.mss}.b64
    mbarrier.test_wait.parity.phase_type::conditional.wait.scope2{.mss}.b64
    mbarrier.try_wait.phase_type::primary{.mss}.b64
    mbarrier.try_wait.phase_type::primary.wait.scope2{.mss}.b64
    mbarrier.try_wait.parity.phase_type::primary{.mss}.b64
    mbarrier.try_wait.parity.phase_type::conditional{.mss}.b64
    mbarrier.try_wait.parity.phase_type::primary.wait.scope2{.mss}.b64
    mbarrier.try_wait.parity.phase_type::conditional.wait.scope2{.mss}.b64
    mbarrier.pending_count.b64
    mbarrier.pending_count.layout::v0.b64
    mbarrier.check_layout.layout{.mss}.b64
    """
    clusterlaunchcontrol: _clusterlaunchcontrol
    """
    clusterlaunchcontrol.try_cancel.async{.cta}.bytes{.multicast}.b128
    clusterlaunchcontrol.query_cancel.is_canceled.pred.b128
    clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128
    clusterlaunchcontrol.query_cancel.get.b32.b128
    """
    wmma: _wmma
    """
    wmma.load.a.sync.aligned.layout.shape{.ss}.f16
    wmma.load.b.sync.aligned.layout.shape{.ss}.f16
    wmma.load.c.sync.aligned.layout.shape{.ss}.f16
    wmma.load.c.sync.aligned.layout.shape{.ss}.f32
    wmma.load.a.sync.aligned.layout.ints{.ss}.i8
    wmma.load.b.sync.aligned.layout.ints_b{.ss}.i8
    wmma.load.c.sync.aligned.layout.shape{.ss}.s32
    wmma.load.a.sync.aligned.layout.bf{.ss}.bf16
    wmma.load.b.sync.aligned.layout.bf_b{.ss}.bf16
    wmma.load.a.sync.aligned.layout.m16n16k8{.ss}.tf32
    wmma.load.b.sync.aligned.layout.m16n16k8{.ss}.tf32
    wmma.load.c.sync.aligned.layout.m16n16k8{.ss}.f32
    wmma.load.a.sync.aligned.layout.m8n8k4{.ss}.f64
    wmma.load.b.sync.aligned.layout.m8n8k4{.ss}.f64
    wmma.load.c.sync.aligned.layout.m8n8k4{.ss}.f64
    wmma.load.a.sync.aligned.row.m8n8k32{.ss}.i4
    wmma.load.b.sync.aligned.col.m8n8k32{.ss}.i4
    wmma.load.c.sync.aligned.layout.m8n8k32{.ss}.s32
    wmma.load.a.sync.aligned.row.m8n8k128{.ss}.b1
    wmma.load.b.sync.aligned.col.m8n8k128{.ss}.b1
    wmma.load.c.sync.aligned.layout.m8n8k128{.ss}.s32
    wmma.store.d.sync.aligned.layout.shape{.ss}.f16
    wmma.store.d.sync.aligned.layout.shape{.ss}.f32
    wmma.store.d.sync.aligned.layout.shape{.ss}.s32
    wmma.store.d.sync.aligned.layout.small{.ss}.s32
    wmma.store.d.sync.aligned.layout.m16n16k8{.ss}.f32
    wmma.store.d.sync.aligned.layout.m8n8k4{.ss}.f64
    wmma.mma.sync.aligned.layout_a.layout_b.shape.f16.f16
    wmma.mma.sync.aligned.layout_a.layout_b.shape.f16.f32
    wmma.mma.sync.aligned.layout_a.layout_b.shape.f32.f16
    wmma.mma.sync.aligned.layout_a.layout_b.shape.f32.f32
    wmma.mma.sync.aligned.layout_a.layout_b.shape.f16.f16.satfinite
    wmma.mma.sync.aligned.layout_a.layout_b.shape.f16.f32.satfinite
    wmma.mma.sync.aligned.layout_a.layout_b.shape.f32.f16.satfinite
    wmma.mma.sync.aligned.layout_a.layout_b.shape.f32.f32.satfinite
    wmma.mma.sync.aligned.layout_a.layout_b.m16n16k16.s32.s8.s8.s32{.satfinite}
    wmma.mma.sync.aligned.layout_a.layout_b.m8n32k16.s32.s8.s8.s32{.satfinite}
    wmma.mma.sync.aligned.layout_a.layout_b.m32n8k16.s32.s8.s8.s32{.satfinite}
    wmma.mma.sync.aligned.layout_a.layout_b.m16n16k16.s32.u8.u8.s32{.satfinite}
    wmma.mma.sync.aligned.layout_a.layout_b.m8n32k16.s32.u8.u8.s32{.satfinite}
    wmma.mma.sync.aligned.layout_a.layout_b.m32n8k16.s32.u8.u8.s32{.satfinite}
    wmma.mma.sync.aligned.layout_a.layout_b.m16n16k16.f32.bf16.bf16.f32
    wmma.mma.sync.aligned.layout_a.layout_b.m8n32k16.f32.bf16.bf16.f32
    wmma.mma.sync.aligned.layout_a.layout_b.m32n8k16.f32.bf16.bf16.f32
    wmma.mma.sync.aligned.layout_a.layout_b.m16n16k8.f32.tf32.tf32.f32
    wmma.mma.sync.aligned.layout_a.layout_b.m8n8k4{.rnd}.f64.f64.f64.f64
    wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32{.satfinite}
    wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32{.satfinite}
    wmma.mma.op.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32
    """
    mma: _mma
    """
    mma.sync.aligned.m8n8k4.layout_a.layout_b.f16.f16.f16.f16
    mma.sync.aligned.m8n8k4.layout_a.layout_b.f32.f16.f16.f16
    mma.sync.aligned.m8n8k4.layout_a.layout_b.f32.f16.f16.f32
    mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16
    mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
    mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
    mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32
    mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
    mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32
    mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
    mma.sync.aligned.m16n8k16.row.col.f16.f8a.f8b.f16
    mma.sync.aligned.m16n8k16.row.col.f32.f8a.f8b.f32
    mma.sync.aligned.m16n8k32.row.col.f16.f8a.f8b.f16
    mma.sync.aligned.m16n8k32.row.col.f32.f8a.f8b.f32
    mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.f6a.f6b.f16
    mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.f8a.f8b.f32
    mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.f8a.f4b.f32
    mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.f4a.f6b.f32
    mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale{.scale_vec::2X}.f32.e2m1.e2m1.f32.ue8m0
    mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0
    mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3
    mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0
    mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale{.scale_vec::1X}.f32.f6a.f6b.f32.ue8m0
    mma.sync.aligned.m8n8k4.row.col{.rnd}.f64.f64.f64.f64
    mma.sync.aligned.m16n8k4.row.col{.rnd}.f64.f64.f64.f64
    mma.sync.aligned.m16n8k8.row.col{.rnd}.f64.f64.f64.f64
    mma.sync.aligned.m16n8k16.row.col{.rnd}.f64.f64.f64.f64
    mma.sync.aligned.m8n8k16.row.col{.satfinite}.s32.i8a.i8b.s32
    mma.sync.aligned.m16n8k16.row.col{.satfinite}.s32.i8a.i8b.s32
    mma.sync.aligned.m16n8k32.row.col{.satfinite}.s32.i8a.i8b.s32
    mma.sync.aligned.m8n8k32.row.col{.satfinite}.s32.i4a.i4b.s32
    mma.sync.aligned.m16n8k32.row.col{.satfinite}.s32.i4a.i4b.s32
    mma.sync.aligned.m16n8k64.row.col{.satfinite}.s32.i4a.i4b.s32
    mma.sync.aligned.m8n8k32.row.col.s32.i4a.i4b.s32.op.popc
    mma.sync.aligned.m16n8k32.row.col.s32.i4a.i4b.s32.op.popc
    mma.sync.aligned.m16n8k64.row.col.s32.i4a.i4b.s32.op.popc
    mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc
    mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc
    mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.op.popc
    mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.op.popc
    mma.sparse.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.f8a.f8b.f32
    mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16
    mma.sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16
    mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
    mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32
    mma.sp.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
    mma.sp.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32
    mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
    mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32
    mma.sp.sync.aligned.m16n8k64.row.col.f32.f8a.f8b.f32
    mma.sparse.sync.aligned.m16n8k64.row.col.f16.f8a.f8b.f16
    mma.sparse.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f16.f6a.f6b.f16
    mma.sparse.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.f8a.f4b.f32
    mma.sparse.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.f4a.f6b.f32
    mma.sp.sync.aligned.m16n8k32.row.col{.satfinite}.s32.i8a.i8b.s32
    mma.sp.sync.aligned.m16n8k64.row.col{.satfinite}.s32.i8a.i8b.s32
    mma.sp.sync.aligned.m16n8k64.row.col{.satfinite}.s32.i4a.i4b.s32
    mma.sp.sync.aligned.m16n8k128.row.col{.satfinite}.s32.i4a.i4b.s32
    mma.sparse.sync.aligned.m16n8k128.row.col.kind::mxf4.block_scale{.scale_vec::2X}.f32.e2m1.e2m1.f32.ue8m0
    mma.sparse.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0
    mma.sparse.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3
    mma.sparse.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0
    mma.sparse.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale{.scale_vec::1X}.f32.f6a.f6b.f32.ue8m0
    """
    wgmma: _wgmma
    """
    wgmma.fence.sync.aligned
    wgmma.commit_group.sync.aligned
    wgmma.wait_group.sync.aligned
    wgmma.mma_async.sync.aligned.f16k16.f16.f16.f16
    wgmma.mma_async.sync.aligned.f32k16.f32.f16.f16
    wgmma.mma_async.sync.aligned.f32k16.f32.bf16.bf16
    wgmma.mma_async.sync.aligned.f32k8.f32.tf32.tf32
    wgmma.mma_async.sync.aligned.f16k32.f16.f8a.f8b
    wgmma.mma_async.sync.aligned.f32k32.f32.f8a.f8b
    wgmma.mma_async.sync.aligned.s32k32{.satfinite}.s32.s8.s8
    wgmma.mma_async.sync.aligned.s32k32{.satfinite}.s32.u8.u8
    wgmma.mma_async.sync.aligned.s32k32{.satfinite}.s32.s8.u8
    wgmma.mma_async.sync.aligned.s32k32{.satfinite}.s32.u8.s8
    wgmma.mma_async.sync.aligned.s32k256.s32.b1.b1.and.popc
    wgmma.mma_async.sp.sync.aligned.f16k32.f16.f16.f16
    wgmma.mma_async.sp.sync.aligned.f32k32.f32.f16.f16
    wgmma.mma_async.sp.sync.aligned.f32k32.f32.bf16.bf16
    wgmma.mma_async.sp.sync.aligned.f32k16.f32.tf32.tf32
    wgmma.mma_async.sp.sync.aligned.f16k64.f16.f8a.f8b
    wgmma.mma_async.sp.sync.aligned.f32k64.f32.f8a.f8b
    wgmma.mma_async.sp.sync.aligned.s32k64{.satfinite}.s32.s8.s8
    wgmma.mma_async.sp.sync.aligned.s32k64{.satfinite}.s32.u8.u8
    wgmma.mma_async.sp.sync.aligned.s32k64{.satfinite}.s32.s8.u8
    wgmma.mma_async.sp.sync.aligned.s32k64{.satfinite}.s32.u8.s8
    """
    tcgen05: _tcgen05
    """
    tcgen05.alloc.cta_group.sync.aligned{.shared::cta}.b32
    tcgen05.dealloc.cta_group.sync.aligned.b32
    tcgen05.alloc.cta_group.sync.aligned.exclusive{.shared::cta}.b32
    tcgen05.dealloc.cta_group.sync.aligned.exclusive.b32
    tcgen05.relinquish_alloc_permit.cta_group.sync.aligned
    tcgen05.ld.sync.aligned.shape.num{.pack}.b32
    tcgen05.ld.sync.aligned.16x128b.num128{.pack}.b32
    tcgen05.ld.sync.aligned.16x256b.num256{.pack}.b32
    tcgen05.ld.sync.aligned.16x32bx2.num{.pack}.b32
    tcgen05.ld.red.sync.aligned.32x32b.several.redop.type
    tcgen05.ld.red.sync.aligned.16x32bx2.several.redop.type
    tcgen05.ld.red.sync.aligned.32x32b.several.redop{.abs}{.NaN}.f32
    tcgen05.ld.red.sync.aligned.16x32bx2.several.redop{.abs}{.NaN}.f32
    tcgen05.ld.spcompress.sync.aligned.32x32b.compressed.redop.sp::2:4{.abs}.f32.b2
    tcgen05.ld.spcompress.sync.aligned.32x32b.x64.redop.sp::2:4{.abs}.f32.b2
    tcgen05.ld.spcompress.sync.aligned.32x32b.x128.redop.sp::2:4{.abs}.f32.b2
    tcgen05.ld.red.spcompress.sync.aligned.32x32b.compressed.redop.sp::2:4{.abs}{.NaN}.f32.b2
    tcgen05.ld.red.spcompress.sync.aligned.32x32b.x64.redop.sp::2:4{.abs}{.NaN}.f32.b2
    tcgen05.ld.red.spcompress.sync.aligned.32x32b.x128.redop.sp::2:4{.abs}{.NaN}.f32.b2
    tcgen05.st.sync.aligned.shape.num{.unpack}.b32
    tcgen05.st.sync.aligned.16x128b.num128{.unpack}.b32
    tcgen05.st.sync.aligned.16x256b.num256{.unpack}.b32
    tcgen05.st.sync.aligned.16x32bx2.num{.unpack}.b32
    tcgen05.wait::ld.sync.aligned
    tcgen05.wait::st.sync.aligned
    tcgen05.cp.cta_group.size{.format}
    tcgen05.cp.cta_group.64x128b.warps{.format}
    tcgen05.cp.cta_group.32x128b.warpx4{.format}
    tcgen05.shift.cta_group.down
    tcgen05.fence::before_thread_sync
    tcgen05.fence::after_thread_sync
    tcgen05.commit.cta_group.mbarrier::arrive::one{.reads_of_a}{.shared::cluster}{.multicast}.b64
    tcgen05.mma.cta_group.kind{.collector}{.collect_b}
    tcgen05.mma.cta_group.scaled_kind{.collector}{.collect_b}
    tcgen05.mma.cta_group.kind::i8{.collector}
    tcgen05.mma.cta_group.kind::mxf8f6f4.block_scale{.mx8}{.collector}{.collect_b}
    tcgen05.mma.cta_group.kind::mxf4.block_scale{.mx4}{.collector}{.collect_b}
    tcgen05.mma.cta_group.kind::mxf4nvf4.block_scale.nv4{.collector}{.collect_b}
    tcgen05.mma.cta_group.kind{.ashift}{.collector}{.collect_b}
    tcgen05.mma.cta_group.scaled_kind{.ashift}{.collector}{.collect_b}
    tcgen05.mma.cta_group.kind::i8{.ashift}{.collector}
    tcgen05.mma.cta_group.kind::f8f6f4.decompress::lut::b{.collector}{.collect_b}
    tcgen05.mma.cta_group.kind::mxf8f6f4.block_scale.decompress::lut::b{.mx8}{.collector}{.collect_b}
    tcgen05.mma.sp.cta_group.kind{.collector}{.collect_b}
    tcgen05.mma.sp.cta_group.scaled_kind{.collector}{.collect_b}
    tcgen05.mma.sp.cta_group.kind::i8{.collector}
    tcgen05.mma.sp.cta_group.kind::mxf8f6f4.block_scale{.mx8}{.collector}{.collect_b}
    tcgen05.mma.sp.cta_group.kind::mxf4.block_scale{.mx4}{.collector}{.collect_b}
    tcgen05.mma.sp.cta_group.kind::mxf4nvf4.block_scale.nv4{.collector}{.collect_b}
    tcgen05.mma.sp.cta_group.kind{.ashift}{.collector}{.collect_b}
    tcgen05.mma.sp.cta_group.scaled_kind{.ashift}{.collector}{.collect_b}
    tcgen05.mma.sp.cta_group.kind::i8{.ashift}{.collector}
    tcgen05.mma.ws.cta_group::1.kind{.collector_b}
    tcgen05.mma.ws.cta_group::1.kind::i8{.collector_b}
    tcgen05.mma.ws.sp.cta_group::1.kind{.collector_b}
    tcgen05.mma.ws.sp.cta_group::1.kind::i8{.collector_b}
    """
    stacksave: _stacksave
    """stacksave.type"""
    stackrestore: _stackrestore
    """stackrestore.type"""
    alloca: _alloca
    """alloca.type"""
    vadd: _vadd
    """
    vadd.dtype.atype.btype{.sat}
    vadd.dtype.atype.btype{.sat}.op2
    """
    vsub: _vadd
    """
    vsub.dtype.atype.btype{.sat}
    vsub.dtype.atype.btype{.sat}.op2
    """
    vabsdiff: _vadd
    """
    vabsdiff.dtype.atype.btype{.sat}
    vabsdiff.dtype.atype.btype{.sat}.op2
    """
    vmin: _vadd
    """
    vmin.dtype.atype.btype{.sat}
    vmin.dtype.atype.btype{.sat}.op2
    """
    vmax: _vadd
    """
    vmax.dtype.atype.btype{.sat}
    vmax.dtype.atype.btype{.sat}.op2
    """
    vshl: _vshl
    """
    vshl.dtype.atype.u32{.sat}.mode
    vshl.dtype.atype.u32{.sat}.mode.op2
    """
    vshr: _vshl
    """
    vshr.dtype.atype.u32{.sat}.mode
    vshr.dtype.atype.u32{.sat}.mode.op2
    """
    vmad: _vmad
    """
    vmad.dtype.atype.btype{.sat}{.scale}
    vmad.dtype.atype.btype.po{.sat}{.scale}
    """
    vset: _vset
    """
    vset.atype.btype.cmp
    vset.atype.btype.cmp.op2
    """
    vadd2: _vadd2
    """
    vadd2.dtype.atype.btype{.sat}
    vadd2.dtype.atype.btype.add
    """
    vsub2: _vadd2
    """
    vsub2.dtype.atype.btype{.sat}
    vsub2.dtype.atype.btype.add
    """
    vavrg2: _vadd2
    """
    vavrg2.dtype.atype.btype{.sat}
    vavrg2.dtype.atype.btype.add
    """
    vabsdiff2: _vadd2
    """
    vabsdiff2.dtype.atype.btype{.sat}
    vabsdiff2.dtype.atype.btype.add
    """
    vmin2: _vadd2
    """
    vmin2.dtype.atype.btype{.sat}
    vmin2.dtype.atype.btype.add
    """
    vmax2: _vadd2
    """
    vmax2.dtype.atype.btype{.sat}
    vmax2.dtype.atype.btype.add
    """
    vset2: _vset2
    """
    vset2.atype.btype.cmp
    vset2.atype.btype.cmp.add
    """
    vadd4: _vadd2
    """
    vadd4.dtype.atype.btype{.sat}
    vadd4.dtype.atype.btype.add
    """
    vsub4: _vadd2
    """
    vsub4.dtype.atype.btype{.sat}
    vsub4.dtype.atype.btype.add
    """
    vavrg4: _vadd2
    """
    vavrg4.dtype.atype.btype{.sat}
    vavrg4.dtype.atype.btype.add
    """
    vabsdiff4: _vadd2
    """
    vabsdiff4.dtype.atype.btype{.sat}
    vabsdiff4.dtype.atype.btype.add
    """
    vmin4: _vadd2
    """
    vmin4.dtype.atype.btype{.sat}
    vmin4.dtype.atype.btype.add
    """
    vmax4: _vadd2
    """
    vmax4.dtype.atype.btype{.sat}
    vmax4.dtype.atype.btype.add
    """
    vset4: _vset2
    """
    vset4.atype.btype.cmp
    vset4.atype.btype.cmp.add
    """
    brkpt: _cp_async_commit_group
    """brkpt"""
    nanosleep: _nanosleep
    """nanosleep.u32"""
    pmevent: _pmevent
    """
    pmevent
    pmevent.mask
    """
    trap: _cp_async_commit_group
    """trap"""
    setmaxnreg: _setmaxnreg
    """setmaxnreg.action.sync.aligned.u32"""
    trace: _trace
    """trace.mark"""
