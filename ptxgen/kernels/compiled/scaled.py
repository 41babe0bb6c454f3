"""scaled.ptx.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from typing import Any

from ptxgen.kernels.compiled import codes as _codes
from ptxgen.kernels.compiled import vectors as _vectors
from ptxgen.kernels.template_functions import member as _member
from ptxgen.text.template_helpers import f32 as _f32

SOURCE = "1995288303971808f08828034ef03ea7"
USES: list[Any] = [_codes, _vectors]


def render(*, format: Any, group: Any, scale: Any, zeros: Any, result: Any, threads: Any, target: Any, version: Any) -> str:
    _text: list[Any] = []
    _from_codes = _codes.macros(scale=scale, target=target, zeros=zeros)
    NF4 = _from_codes.NF4
    load_scale = _from_codes.load_scale
    scale_row = _from_codes.scale_row
    _from_vectors = _vectors.macros(target=target)
    registers = _from_vectors.registers
    narrow = _from_vectors.narrow
    store = _from_vectors.store
    widened = _from_vectors.widened
    widened4 = _from_vectors.widened4
    bytes = 8 if format == 'e4m3' else 4
    _text += (
        '.version ', version, '\n',
        '.target ', target, '\n',
        '.address_size 64\n',
        '\n',
    )
    if format == 'nf4':
        _text += ('.const .align 4 .f32 nf4_values[16] = { ',)
        loop_items = list(NF4)
        for loop_index, each in enumerate(loop_items):
            _text += (_f32(each), ', ' if not loop_index == len(loop_items) - 1 else '',)
        _text += (' };\n',)
    _text += (
        '.visible .entry dequantise(\n',
        '\t.param .u64 n,\n',
        '\t.param .u64 .ptr .global .align ', bytes, ' w,\n',
        '\t.param .u64 .ptr .global .align ', 4 * _member(result, 'bytes'), ' y,\n',
        '\t.param .u32 columns,\n',
        '\t.param .u64 .ptr .global .align ', _member(scale, 'bytes'), ' scales,\n',
        '\t.param .u32 scale_step,\n',
        '\t.param .u32 scale_shift,\n',
        '\t.param .u64 .ptr .global .align 1 zeros\n',
        ')\n',
        '.maxntid ', threads, '\n',
        '{\n',
        '\t.reg .pred %more;\n',
        '\t.reg .b16 %raw, %raw_zero;\n',
        '\t.reg .b32 %thread, %cta, %size, %columns, %row, %column, %step, %shift_rows, %code<2>, %number, %zero, %values;\n',
        '\t.reg .b64 %count, %w, %y, %scales, %zeros, %eighth, %at, %wide;\n',
        '\t.reg .f32 %scale;\n',
    )
    if format == 'nf4':
        _text += ('\t.shared .align 4 .f32 table[16];\n',)
    _text += (
        registers('v', result, 8, 4), '\n',
        '\tld.param.u64 %count, [n];\n',
        '\tld.param.u64 %w, [w];\n',
        '\tcvta.to.global.u64 %w, %w;\n',
        '\tld.param.u64 %y, [y];\n',
        '\tcvta.to.global.u64 %y, %y;\n',
        '\tld.param.u32 %columns, [columns];\n',
        '\tld.param.u64 %scales, [scales];\n',
        '\tcvta.to.global.u64 %scales, %scales;\n',
        '\tld.param.u32 %step, [scale_step];\n',
        '\tld.param.u32 %shift_rows, [scale_shift];\n',
    )
    if zeros:
        _text += (
            '\tld.param.u64 %zeros, [zeros];\n',
            '\tcvta.to.global.u64 %zeros, %zeros;\n',
        )
    _text += (
        '\tmov.u32 %thread, %tid.x;\n',
        '\tmov.u32 %cta, %ctaid.x;\n',
        '\tmov.u32 %size, %ntid.x;\n',
    )
    if format == 'nf4':
        _text += (
            '\tmov.u32 %values, table;\n',
            '\tsetp.lt.u32 %more, %thread, 16;\n',
            '\t@!%more bra $filled;\n',
            '\tmov.u64 %at, nf4_values;\n',
            '\tmad.wide.u32 %at, %thread, 4, %at;\n',
            '\tld.const.f32 %scale, [%at];\n',
            '\tmad.lo.u32 %number, %thread, 4, %values;\n',
            '\tst.shared.f32 [%number], %scale;\n',
            '$filled:\n',
            '\tbarrier.sync 0;\n',
        )
    _text += (
        '\tcvt.u64.u32 %eighth, %cta;\n',
        '\tcvt.u64.u32 %wide, %size;\n',
        '\tmul.lo.u64 %eighth, %eighth, %wide;\n',
        '\tcvt.u64.u32 %wide, %thread;\n',
        '\tadd.u64 %eighth, %eighth, %wide;\n',
        '\tshl.b64 %at, %eighth, 3;\n',
        '\tsetp.lt.u64 %more, %at, %count;\n',
        '\t@!%more bra $done;\n',
        '\tcvt.u64.u32 %wide, %columns;\n',
        '\tdiv.u64 %wide, %at, %wide;\n',
        '\tcvt.u32.u64 %row, %wide;\n',
        '\tmul.wide.u32 %wide, %row, %columns;\n',
        '\tsub.u64 %wide, %at, %wide;\n',
        '\tcvt.u32.u64 %column, %wide;\n',
    )
    if group:
        _text += ('\tdiv.u32 %column, %column, ', group, ';\n',)
    else:
        _text += ('\tmov.b32 %column, 0;\n',)
    _text += (
        scale_row('%scales', '%scales', '%row', '%shift_rows', '%step', _member(scale, 'bytes')), '\tmad.wide.u32 %scales, %column, ', _member(scale, 'bytes'), ', %scales;\n',
        load_scale('%scale' if scale == 'f32' else '%raw', scale, '%scales', ''),
    )
    if scale != 'f32':
        _text += (widened('%scale', scale, '%raw'),)
    if zeros:
        _text += (
            scale_row('%zeros', '%zeros', '%row', '%shift_rows', '%step', 1), '\tmad.wide.u32 %zeros, %column, 1, %zeros;\n',
            load_scale('%raw_zero', 'u8', '%zeros', ''), '\tcvt.u32.u16 %zero, %raw_zero;\n',
        )
    elif format == 'int4':
        _text += ('\tmov.b32 %zero, 8;\n',)
    _text += (
        '\tmad.lo.u64 %w, %eighth, ', bytes, ', %w;\n',
        '\tmad.lo.u64 %y, %at, ', _member(result, 'bytes'), ', %y;\n',
    )
    if format == 'e4m3':
        _text += ('\tld.global.v2.b32 { %code0, %code1}, [%w];\n',)
        for word in (0, 1):
            _text += (widened4(['%%v%d' % (4 * word), '%%v%d' % (4 * word + 1), '%%v%d' % (4 * word + 2), '%%v%d' % (4 * word + 3)], format, '%%code%d' % word),)
    else:
        _text += ('\tld.global.b32 %code0, [%w];\n',)
        for i in range(8):
            _text += ('\tbfe.u32 %number, %code0, ', 4 * (i + 1 - 2 * (i % 2) if format == 'nf4' else i), ', 4;\n',)
            if format == 'nf4':
                _text += (
                    '\tmad.lo.u32 %number, %number, 4, %values;\n',
                    '\tld.shared.f32 %v', i, ', [%number];\n',
                )
            else:
                _text += (
                    '\tsub.s32 %number, %number, %zero;\n',
                    '\tcvt.rn.f32.s32 %v', i, ', %number;\n',
                )
    for i in range(8):
        _text += ('\tmul.rn.f32 %v', i, ', %v', i, ', %scale;\n',)
    for first in (0, 4):
        _text += (narrow('v', result, first, 4), store('v', result, first, 4, '%y', first * _member(result, 'bytes')),)
    _text += (
        '$done:\n',
        '\tret;\n',
        '}\n',
    )
    return "".join(map(str, _text))
