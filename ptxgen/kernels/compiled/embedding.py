"""embedding.ptx.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from typing import Any

from ptxgen.kernels.template_functions import member as _member

SOURCE = "21831d9a695c0d34fa726e174b367aa1"
USES: list[Any] = []


def render(*, unit: Any, index: Any, lanes: Any, unroll: Any, target: Any, version: Any) -> str:
    _text: list[Any] = []
    threads = 256
    per_cta = threads // lanes
    words = max([unit // 4, 1])
    kind = {1: 'b8', 2: 'b16', 4: 'b32', 8: 'v2.b32', 16: 'v4.b32'}[unit]

    def registers(u: Any) -> str:
        _text: list[Any] = []
        if words > 1:
            _text += ('{ ',)
            loop_items = list(range(words))
            for loop_index, w in enumerate(loop_items):
                _text += ('%word', u * words + w, ', ' if not loop_index == len(loop_items) - 1 else '',)
            _text += ('}',)
        else:
            _text += ('%word', u,)
        return "".join(map(str, _text))

    _text += (
        '\n',
        '.version ', version, '\n',
        '.target ', target, '\n',
        '.address_size 64\n',
        '\n',
        '.visible .entry embedding(\n',
        '\t.param .u64 .ptr .global .align ', unit, ' table,\n',
        '\t.param .u64 table_step,\n',
        '\t.param .u64 rows,\n',
        '\t.param .u64 .ptr .global .align ', _member(index, 'bytes'), ' indices,\n',
        '\t.param .u64 .ptr .global .align ', unit, ' out,\n',
        '\t.param .u64 out_step,\n',
        '\t.param .u32 count,\n',
        '\t.param .u32 units\n',
        ')\n',
        '.maxntid ', threads, '\n',
        '{\n',
        '\t.reg .pred %more, %there, %in<', unroll, '>;\n',
        '\t.reg .b32 %thread, %number, %count, %units, %unit, %next;\n',
        '\t.reg .b64 %table, %table_step, %rows, %indices, %out, %out_step, %index, %wide, %from, %to;\n',
        '\t.reg .', 'b16' if unit < 4 else 'b32', ' %word<', words * unroll, '>;\n',
        '\n',
        '\tld.param.u32 %count, [count];\n',
        '\tld.param.u32 %units, [units];\n',
        '\tld.param.u64 %table_step, [table_step];\n',
        '\tld.param.u64 %rows, [rows];\n',
        '\tld.param.u64 %out_step, [out_step];\n',
    )
    for name in ('table', 'indices', 'out'):
        _text += (
            '\tld.param.u64 %', name, ', [', name, '];\n',
            '\tcvta.to.global.u64 %', name, ', %', name, ';\n',
        )
    _text += (
        '\tmov.u32 %thread, %tid.x;\n',
        '\tmov.u32 %number, %ctaid.x;\n',
        '\tshr.u32 %next, %thread, ', {1: 0, 2: 1, 4: 2, 8: 3, 16: 4, 32: 5, 64: 6, 128: 7, 256: 8}[lanes], ';\n',
        '\tmad.lo.u32 %number, %number, ', per_cta, ', %next;\n',
        '\tsetp.lt.u32 %more, %number, %count;\n',
        '\t@!%more bra $done;\n',
        '\tmad.wide.u32 %from, %number, ', _member(index, 'bytes'), ', %indices;\n',
        '\tld.global.', index, ' %index, [%from];\n',
        '\tsetp.lt.u64 %there, %index, %rows;\n',
        '\tcvt.u64.u32 %wide, %number;\n',
        '\tmad.lo.u64 %from, %index, %table_step, %table;\n',
        '\tmad.lo.u64 %to, %wide, %out_step, %out;\n',
        '\tand.b32 %unit, %thread, ', lanes - 1, ';\n',
        '\tmul.wide.u32 %wide, %unit, ', unit, ';\n',
        '\tadd.u64 %from, %from, %wide;\n',
        '\tadd.u64 %to, %to, %wide;\n',
        '\tsetp.lt.u32 %more, %unit, %units;\n',
        '\t@!%more bra $done;\n',
        '$units:\n',
    )
    for u in range(unroll):
        _text += (
            '\tadd.u32 %next, %unit, ', u * lanes, ';\n',
            '\tsetp.lt.u32 %in', u, ', %next, %units;\n',
            '\tand.pred %more, %in', u, ', %there;\n',
        )
        for w in range(words):
            _text += ('\tmov.', 'b16' if unit < 4 else 'b32', ' %word', u * words + w, ', 0;\n',)
        _text += ('\t@%more ld.global.nc.', kind, ' ', registers(u), ', [%from', '+%d' % (u * lanes * unit) if u else '', '];\n',)
    for u in range(unroll):
        _text += ('\t@%in', u, ' st.global.', kind, ' [%to', '+%d' % (u * lanes * unit) if u else '', '], ', registers(u), ';\n',)
    _text += (
        '\tadd.u64 %from, %from, ', unroll * lanes * unit, ';\n',
        '\tadd.u64 %to, %to, ', unroll * lanes * unit, ';\n',
        '\tadd.u32 %unit, %unit, ', unroll * lanes, ';\n',
        '\tsetp.lt.u32 %more, %unit, %units;\n',
        '\t@%more bra $units;\n',
        '$done:\n',
        '\tret;\n',
        '}\n',
    )
    return "".join(map(str, _text))
