"""conv_depthwise.ptx.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from typing import Any

from ptxgen.kernels.compiled import functions as _functions
from ptxgen.kernels.compiled import vectors as _vectors
from ptxgen.kernels.template_functions import member as _member
from ptxgen.text.template_helpers import f32 as _f32

SOURCE = "7ba1a6af703c909330605139d351c8ee"
USES: list[Any] = [_functions, _vectors]


def render(*, type: Any, taps: Any, vector: Any, lanes: Any, unroll: Any, biased: Any, smooth: Any, target: Any, version: Any) -> str:
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
    threads = 256
    per_cta = threads // lanes
    bytes = vector * _member(type, 'bytes')
    ahead = vector if vector > 1 else taps - 1
    halo = 0 if taps == 1 else 1 if vector > 1 else taps - 1
    own = ['weight'] + (['bias'] if biased else [])

    def element(u: Any, i: Any) -> str:
        _text: list[Any] = []
        _text += ('%', 'x%d' % (u * vector + i) if i >= 0 else 'h%d' % (u * ahead + ahead + i),)
        return "".join(map(str, _text))

    _text += (
        '\n',
        '.version ', version, '\n',
        '.target ', target, '\n',
        '.address_size 64\n',
        '\n',
        '.visible .entry conv_depthwise(\n',
        '\t.param .u64 .ptr .global .align ', bytes, ' x,\n',
        '\t.param .u64 x_step,\n',
        '\t.param .u64 .ptr .global .align ', bytes, ' y,\n',
        '\t.param .u64 y_step,\n',
    )
    for name in own:
        _text += ('\t.param .u64 .ptr .global .align ', _member(type, 'bytes'), ' ', name, ',\n',)
    _text += (
        '\t.param .u32 rows,\n',
        '\t.param .u32 channels,\n',
        '\t.param .u32 length,\n',
        '\t.param .u32 tiles\n',
        ')\n',
        '.maxntid ', threads, '\n',
        '{\n',
        '\t.reg .pred %own, %in<', unroll, '>, %before;\n',
        '\t.reg .b32 %thread, %cta, %tiles, %tile, %rows, %row, %channels, %channel, %length, %access, %next;\n',
        '\t.reg .b64 %wide, %x, %y, %step',
    )
    for name in own:
        _text += (', %', name,)
    _text += (
        ';\n',
        '\t.reg .f32 %t;\n',
        registers('x', type, vector * unroll, vector), registers('y', type, vector * unroll, vector),
    )
    if taps > 1:
        _text += (registers('h', type, ahead * unroll, vector),)
    _text += (registers('w', type, taps, 1), registers('b', type, 1, 1), '\n',)
    for name in ('rows', 'channels', 'length', 'tiles'):
        _text += ('\tld.param.u32 %', name, ', [', name, '];\n',)
    for name in ['x', 'y'] + own:
        _text += (
            '\tld.param.u64 %', name, ', [', name, '];\n',
            '\tcvta.to.global.u64 %', name, ', %', name, ';\n',
        )
    _text += (
        '\tmov.u32 %thread, %tid.x;\n',
        '\tmov.u32 %cta, %ctaid.x;\n',
        '\trem.u32 %tile, %cta, %tiles;\n',
        '\tdiv.u32 %row, %cta, %tiles;\n',
        '\tshr.u32 %next, %thread, ', {1: 0, 2: 1, 4: 2, 8: 3, 16: 4, 32: 5, 64: 6, 128: 7, 256: 8}[lanes], ';\n',
        '\tmad.lo.u32 %row, %row, ', per_cta, ', %next;\n',
        '\tsetp.lt.u32 %own, %row, %rows;\n',
        '\t@!%own bra $done;\n',
        '\trem.u32 %channel, %row, %channels;\n',
        '\tmul.wide.u32 %wide, %channel, ', taps * _member(type, 'bytes'), ';\n',
        '\tadd.u64 %weight, %weight, %wide;\n',
    )
    for j in range(taps):
        _text += (load('w', type, j, 1, '%weight', j * _member(type, 'bytes')),)
    if biased:
        _text += (
            '\tmul.wide.u32 %wide, %channel, ', _member(type, 'bytes'), ';\n',
            '\tadd.u64 %bias, %bias, %wide;\n',
            load('b', type, 0, 1, '%bias', 0),
        )
    _text += (
        '\tshr.u32 %length, %length, ', {1: 0, 2: 1, 4: 2, 8: 3}[vector], ';\n',
        '\tand.b32 %access, %thread, ', lanes - 1, ';\n',
        '\tmad.lo.u32 %access, %tile, ', lanes * unroll, ', %access;\n',
        '\tcvt.u64.u32 %wide, %row;\n',
    )
    for name in ('x', 'y'):
        _text += (
            '\tld.param.u64 %step, [', name, '_step];\n',
            '\tmul.lo.u64 %step, %step, ', _member(type, 'bytes'), ';\n',
            '\tmad.lo.u64 %', name, ', %wide, %step, %', name, ';\n',
            '\tmul.wide.u32 %step, %access, ', bytes, ';\n',
            '\tadd.u64 %', name, ', %', name, ', %step;\n',
        )
    for u in range(unroll):
        _text += (
            '\tadd.u32 %next, %access, ', u * lanes, ';\n',
            '\tsetp.lt.u32 %in', u, ', %next, %length;\n',
            preset('x', type, u * vector, vector, 0), load('x', type, u * vector, vector, '%x', u * lanes * bytes, '', '@%%in%d ' % u),
        )
        for h in range(halo):
            _text += (
                '\tsetp.ge.u32 %before, %next, ', 1 if vector > 1 else ahead - h, ';\n',
                '\tand.pred %before, %before, %in', u, ';\n',
                preset('h', type, u * ahead + h, vector, 0), load('h', type, u * ahead + h, vector, '%x', u * lanes * bytes - (bytes if vector > 1 else (ahead - h) * bytes), '', '@%before '),
            )
    for j in range(taps):
        _text += (widen('w', type, j, 1),)
    if biased:
        _text += (widen('b', type, 0, 1),)
    else:
        _text += ('\tmov.f32 %b0, ', _f32(0), ';\n',)
    for u in range(unroll):
        _text += (widen('x', type, u * vector, vector),)
        for h in range(halo):
            _text += (widen('h', type, u * ahead + h, vector),)
        for i in range(vector):
            for j in range(taps):
                _text += ('\tfma.rn.f32 %t, %w', j, ', ', element(u, i - (taps - 1) + j), ', ', '%t' if j else '%b0', ';\n',)
            if smooth:
                _text += (silu('%%y%d' % (u * vector + i), '%t', _member(type, 'bits') < 32),)
            else:
                _text += ('\tmov.f32 %y', u * vector + i, ', %t;\n',)
        _text += (narrow('y', type, u * vector, vector), store('y', type, u * vector, vector, '%y', u * lanes * bytes, '', '@%%in%d ' % u),)
    _text += (
        '$done:\n',
        '\tret;\n',
        '}\n',
    )
    return "".join(map(str, _text))
