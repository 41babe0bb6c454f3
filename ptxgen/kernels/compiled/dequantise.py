"""dequantise.ptx.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from typing import Any

from ptxgen.kernels.compiled import blocks as _blocks
from ptxgen.kernels.compiled import vectors as _vectors
from ptxgen.kernels.template_functions import member as _member

SOURCE = "cf0fa3608170f1c704f80a8fcef728db"
USES: list[Any] = [_blocks, _vectors]


def render(*, format: Any, result: Any, threads: Any, target: Any, version: Any) -> str:
    _text: list[Any] = []
    _from_blocks = _blocks.macros()
    BLOCKS = _from_blocks.BLOCKS
    common_registers = _from_blocks.common_registers
    common_scales = _from_blocks.common_scales
    quants = _from_blocks.quants
    unit_scale = _from_blocks.unit_scale
    _from_vectors = _vectors.macros(target=target)
    registers = _from_vectors.registers
    narrow = _from_vectors.narrow
    store = _from_vectors.store
    about = BLOCKS[format]
    small = _member(about, 'elements') == 32
    _text += (
        '.version ', version, '\n',
        '.target ', target, '\n',
        '.address_size 64\n',
        '\n',
        '.visible .entry dequantise(\n',
        '\t.param .u64 n,\n',
        '\t.param .u64 .ptr .global .align ', _member(about, 'align'), ' w,\n',
        '\t.param .u64 .ptr .global .align ', 4 * _member(result, 'bytes'), ' y\n',
        ')\n',
        '.maxntid ', threads, '\n',
        '{\n',
        '\t.reg .pred %more;\n',
        '\t.reg .b32 %thread, %cta, %size, %lane, %low, %high, %byte;\n',
        '\t.reg .b64 %count, %w, %y, %number, %block, %mine, %at, %lane64;\n',
        '\t.reg .f32 %scale, %least;\n',
        common_registers(), '\n',
        registers('v', result, 8, 4), '\n',
        '\tld.param.u64 %count, [n];\n',
        '\tld.param.u64 %w, [w];\n',
        '\tcvta.to.global.u64 %w, %w;\n',
        '\tld.param.u64 %y, [y];\n',
        '\tcvta.to.global.u64 %y, %y;\n',
        '\tmov.u32 %thread, %tid.x;\n',
        '\tmov.u32 %cta, %ctaid.x;\n',
        '\tmov.u32 %size, %ntid.x;\n',
        '\tand.b32 %lane, %thread, 3;\n',
        '\tshl.b32 %lane, %lane, 2;\n',
        '\tcvt.u64.u32 %lane64, %lane;\n',
        '\tshr.u32 %thread, %thread, 2;\n',
        '\tshr.u32 %size, %size, 2;\n',
        '\tmad.lo.u32 %thread, %cta, %size, %thread;\n',
        '\tcvt.u64.u32 %number, %thread;\n',
        '\tmul.lo.u64 %at, %number, ', _member(about, 'elements'), ';\n',
        '\tsetp.lt.u64 %more, %at, %count;\n',
        '\t@!%more bra $done;\n',
        '\tmad.lo.u64 %block, %number, ', _member(about, 'bytes'), ', %w;\n',
        '\tadd.u64 %mine, %lane64, %block;\n',
        '\tadd.u64 %at, %at, %lane64;\n',
        '\tmad.lo.u64 %at, %at, ', _member(result, 'bytes'), ', %y;\n',
        common_scales(format, 'global', '%block', 0, 'all'),
    )
    for j in range(_member(about, 'elements') // 32):
        _text += (quants(format, j, 'global', '%block', '%mine', 0, _member(about, 'align'), '%lane', '%low', '%high'),)
        if format == 'q8_0':
            _text += (
                '\txor.b32 %low, %low, 0x80808080;\n',
                '\txor.b32 %high, %high, 0x80808080;\n',
            )
        for (word, first) in (('%low', 0), ('%high', 4)):
            if _member(about, 'halves') or not first:
                _text += (unit_scale(format, 'global', 2 * j + first // 4 if _member(about, 'halves') else j, 0, '%block', 0, 'never' if j < 4 else 'always', '%scale', '%least'),)
            for i in range(4):
                _text += ('\tbfe.u32 %byte, ', word, ', ', 8 * i, ', 8;\n',)
                if _member(about, 'zero'):
                    _text += ('\tsub.s32 %byte, %byte, ', _member(about, 'zero'), ';\n',)
                _text += (
                    '\tcvt.rn.f32.s32 %v', first + i, ', %byte;\n',
                    '\tmul.rn.f32 %v', first + i, ', %v', first + i, ', %scale;\n',
                )
                if _member(about, 'least'):
                    _text += ('\tadd.rn.f32 %v', first + i, ', %v', first + i, ', %least;\n',)
            _text += (narrow('v', result, first, 4), store('v', result, first, 4, '%at', (32 * j + 4 * first) * _member(result, 'bytes')),)
    _text += (
        '$done:\n',
        '\tret;\n',
        '}\n',
    )
    return "".join(map(str, _text))
