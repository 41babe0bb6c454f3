"""bias.ptx.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from typing import Any

from ptxgen.kernels.compiled import functions as _functions
from ptxgen.kernels.compiled import vectors as _vectors
from ptxgen.kernels.template_functions import member as _member
from ptxgen.text.template_helpers import f32 as _f32
from ptxgen.text.template_helpers import types as _types

SOURCE = "416b1cfaf401dcc0d73f2c120c74cf4f"
USES: list[Any] = [_functions, _vectors]


def render(*, op: Any, type: Any, backward: Any, vector: Any, lanes: Any, unroll: Any, target: Any, version: Any) -> str:
    _text: list[Any] = []
    _from_vectors = _vectors.macros(target=target)
    registers = _from_vectors.registers
    preset = _from_vectors.preset
    load = _from_vectors.load
    store = _from_vectors.store
    widen = _from_vectors.widen
    narrow = _from_vectors.narrow
    _from_functions = _functions.macros()
    silu = _from_functions.silu
    gelu = _from_functions.gelu
    silu_slope = _from_functions.silu_slope
    gelu_slope = _from_functions.gelu_slope
    threads = 256
    per_cta = threads // lanes
    inputs = ['x', 'g'] if backward else ['x']
    arrays = inputs + ['y']
    bytes = vector * _member(type, 'bytes')
    fast = _member(type, 'bits') < 32
    each = vector * unroll
    _text += (
        '\n',
        '.version ', version, '\n',
        '.target ', target, '\n',
        '.address_size 64\n',
        '\n',
        '.visible .entry bias(\n',
    )
    for name in arrays:
        _text += (
            '\t.param .u64 .ptr .global .align ', bytes, ' ', name, ',\n',
            '\t.param .u64 ', name, '_step,\n',
        )
    _text += ('\t.param .u64 .ptr .global .align ', bytes, ' bias,\n',)
    if backward:
        _text += ('\t.param .u64 .ptr .global .align ', 4 * min([vector, 4]), ' sums,\n',)
    _text += (
        '\t.param .u32 tiles,\n',
        '\t.param .u32 rows,\n',
        '\t.param .u32 columns\n',
        ')\n',
        '.maxntid ', threads, '\n',
        '{\n',
        '\t.reg .pred %more, %in, %in<', unroll, '>;\n',
        '\t.reg .b32 %thread, %cta, %tiles, %tile, %groups, %row, %rows, %columns, %column, %down, %next;\n',
        '\t.reg .b64 %wide, %place;\n',
    )
    for name in arrays:
        _text += (
            '\t.reg .b64 %', name, ', %step_', name, ', %at_', name, ';\n',
            registers(name, type, each, vector),
        )
    _text += (registers('b', type, vector, vector), '\t.reg .b64 %bias', ', %sums' if backward else '', ';\n',)
    if backward:
        _text += ('\t.reg .f32 %sum<', vector, '>;\n',)
    _text += (
        '\t.reg .f32 %t;\n',
        '\n',
    )
    for name in ('tiles', 'rows', 'columns'):
        _text += ('\tld.param.u32 %', name, ', [', name, '];\n',)
    for name in arrays + ['bias'] + (['sums'] if backward else []):
        _text += (
            '\tld.param.u64 %', name, ', [', name, '];\n',
            '\tcvta.to.global.u64 %', name, ', %', name, ';\n',
        )
    for name in arrays:
        _text += (
            '\tld.param.u64 %step_', name, ', [', name, '_step];\n',
            '\tmul.lo.u64 %step_', name, ', %step_', name, ', ', _member(type, 'bytes'), ';\n',
        )
    _text += (
        '\tmov.u32 %thread, %tid.x;\n',
        '\tmov.u32 %cta, %ctaid.x;\n',
        '\tmov.u32 %groups, %nctaid.x;\n',
        '\tdiv.u32 %groups, %groups, %tiles;\n',
        '\trem.u32 %tile, %cta, %tiles;\n',
        '\tdiv.u32 %row, %cta, %tiles;\n',
        '\tand.b32 %column, %thread, ', lanes - 1, ';\n',
        '\tmad.lo.u32 %column, %tile, ', lanes, ', %column;\n',
        '\tmul.lo.u32 %column, %column, ', vector, ';\n',
        '\tshr.u32 %next, %thread, ', {1: 0, 2: 1, 4: 2, 8: 3, 16: 4, 32: 5, 64: 6, 128: 7, 256: 8}[lanes], ';\n',
        '\tmad.lo.u32 %row, %row, ', per_cta, ', %next;\n',
        '\tmul.lo.u32 %down, %groups, ', per_cta, ';\n',
        '\tsetp.ge.u32 %more, %column, %columns;\n',
        '\t@%more bra $done;\n',
        '\tcvt.u64.u32 %wide, %column;\n',
    )
    for name in arrays + ['bias']:
        _text += ('\tmad.lo.u64 %', name, ', %wide, ', _member(type, 'bytes'), ', %', name, ';\n',)
    if backward:
        _text += (
            '\tmul.wide.u32 %place, %row, %columns;\n',
            '\tadd.u64 %place, %place, %wide;\n',
            '\tmad.lo.u64 %sums, %place, 4, %sums;\n',
        )
        for i in range(vector):
            _text += ('\tmov.f32 %sum', i, ', ', _f32(0), ';\n',)
    _text += (
        load('b', type, 0, vector, '%bias', 0), widen('b', type, 0, vector), '\tsetp.lt.u32 %more, %row, %rows;\n',
        '\t@!%more bra $rows_done;\n',
        '$rows:\n',
    )
    for u in range(unroll):
        if u:
            _text += (
                '\tmad.lo.u32 %next, %down, ', u, ', %row;\n',
                '\tsetp.lt.u32 %in', u, ', %next, %rows;\n',
            )
        _text += ('\tcvt.u64.u32 %wide, %', 'next' if u else 'row', ';\n',)
        for name in inputs:
            _text += ('\tmad.lo.u64 %place, %wide, %step_', name, ', %', name, ';\n',)
            if u:
                _text += (preset(name, type, u * vector, vector, 0),)
            _text += (load(name, type, u * vector, vector, '%place', 0, '', '@%%in%d ' % u if u else ''),)
    for u in range(unroll):
        for name in inputs:
            _text += (widen(name, type, u * vector, vector),)
        for i in range(u * vector, (u + 1) * vector):
            _text += ('\tadd.rn.f32 %t, %x', i, ', %b', i % vector, ';\n',)
            if backward:
                if op == 'relu':
                    _text += (
                        '\tsetp.le.f32 %in, %t, ', _f32(0), ';\n',
                        '\tselp.f32 %y', i, ', ', _f32(0), ', %g', i, ', %in;\n',
                    )
                else:
                    _text += (silu_slope('%%y%d' % i, '%t', fast) if op == 'silu' else gelu_slope('%%y%d' % i, '%t'), '\tmul.rn.f32 %y', i, ', %y', i, ', %g', i, ';\n',)
                _text += ('\tadd.rn.f32 %sum', i % vector, ', %sum', i % vector, ', %y', i, ';\n',)
            elif op == 'relu':
                _text += (
                    '\tsetp.lt.f32 %in, %t, ', _f32(0), ';\n',
                    '\tselp.f32 %y', i, ', ', _f32(0), ', %t, %in;\n',
                )
            else:
                _text += (silu('%%y%d' % i, '%t', fast) if op == 'silu' else gelu('%%y%d' % i, '%t'),)
        if u:
            _text += ('\tmad.lo.u32 %next, %down, ', u, ', %row;\n',)
        _text += (
            '\tcvt.u64.u32 %wide, %', 'next' if u else 'row', ';\n',
            '\tmad.lo.u64 %at_y, %wide, %step_y, %y;\n',
            narrow('y', type, u * vector, vector), store('y', type, u * vector, vector, '%at_y', 0, '', '@%%in%d ' % u if u else ''),
        )
    _text += (
        '\tmad.lo.u32 %row, %down, ', unroll, ', %row;\n',
        '\tsetp.lt.u32 %more, %row, %rows;\n',
        '\t@%more bra $rows;\n',
        '$rows_done:\n',
    )
    if backward:
        piece = min([vector, 4])
        for i in range(0, vector, piece):
            _text += (store('sum', _member(_types, 'f32'), i, piece, '%sums', 4 * i),)
    _text += (
        '$done:\n',
        '\tret;\n',
        '}\n',
    )
    return "".join(map(str, _text))
