"""streams.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ptxgen.kernels.compiled import vectors as _vectors
from ptxgen.kernels.template_functions import member as _member
from ptxgen.text.template_helpers import types as _types

SOURCE = "3043411e71989c72db4f970bc4b82af8"
USES: list[Any] = [_vectors]


def macros(*, target: Any) -> SimpleNamespace:
    _from_vectors = _vectors.macros(target=target)
    raw_registers = _from_vectors.registers
    load = _from_vectors.load
    store = _from_vectors.store
    widen = _from_vectors.widen
    narrow = _from_vectors.narrow

    def stream(name: Any, sources: Any, results: Any, kinds: Any, vector: Any, unroll: Any, threads: Any, numbers: Any = (), declared: Any = '', before: Any = '', indexed: Any = False, pointers: Any = (), caller: Any = None) -> str:
        _text: list[Any] = []
        every = sources + list([_each for _each in results if not _each in sources])
        _text += (
            '.visible .entry ', name, '(\n',
            '\t.param .u64 n,\n',
        )
        for (number, kind) in numbers:
            _text += ('\t.param .', kind, ' ', number, ',\n',)
        for pointer in pointers:
            _text += ('\t.param .u64 .ptr .global .align 4 ', pointer, ',\n',)
        loop_items = list(every)
        for loop_index, array in enumerate(loop_items):
            _text += ('\t.param .u64 .ptr .global .align ', vector * _member(kinds[array], 'bytes'), ' ', array, ',' if not loop_index == len(loop_items) - 1 else '', '\n',)
        _text += (
            ')\n',
            '.maxntid ', threads, '\n',
            '{\n',
            '\t.reg .pred %below, %more;\n',
            '\t.reg .b32 %thread, %ctas, %cta, %size;\n',
            '\t.reg .b64 %count, %tiles, %tile, %lane, %step, %first', ', %origin' if indexed else '', ';\n',
        )
        for (number, kind) in numbers:
            _text += ('\t.reg .', kind if kind == 'f32' else 'b%d' % _member(_types[kind], 'bits'), ' %', number, ';\n',)
        for array in every:
            _text += (
                '\t.reg .b64 %', array, ', %address_', array, ';\n',
                raw_registers(array, kinds[array], vector * unroll, vector),
            )
            if _member(kinds[array], 'bits') < 32 and vector > 1:
                _text += ('\t.reg .b16 %', array, 'h0;\n',)
        _text += (declared,)
        for (number, kind) in numbers:
            _text += ('\tld.param.', kind, ' %', number, ', [', number, '];\n',)
        _text += ('\tld.param.u64 %count, [n];\n',)
        for array in every:
            _text += (
                '\tld.param.u64 %', array, ', [', array, '];\n',
                '\tcvta.to.global.u64 %', array, ', %', array, ';\n',
            )
        _text += (
            before, '\tmov.u32 %thread, %tid.x;\n',
            '\tmov.u32 %cta, %ctaid.x;\n',
            '\tmov.u32 %ctas, %nctaid.x;\n',
            '\tmov.u32 %size, %ntid.x;\n',
            '\tcvt.u64.u32 %lane, %thread;\n',
            '\tcvt.u64.u32 %tile, %cta;\n',
            '\tcvt.u64.u32 %step, %ctas;\n',
            '\tdiv.u64 %tiles, %count, ', threads * unroll * vector, ';\n',
            '\tsetp.lt.u64 %more, %tile, %tiles;\n',
            '\t@!%more bra $rest;\n',
            '$tiles:\n',
            '\tmad.lo.u64 %first, %tile, ', threads * unroll, ', %lane;\n',
        )
        for array in every:
            _text += ('\tmad.lo.u64 %address_', array, ', %first, ', vector * _member(kinds[array], 'bytes'), ', %', array, ';\n',)
        if indexed:
            _text += ('\tmul.lo.u64 %origin, %first, ', vector, ';\n',)
        _text += (loads(sources, kinds, unroll, vector, threads * vector),)
        for j in range(unroll):
            _text += (widened(sources, kinds, j, vector),)
            for i in range(j * vector, (j + 1) * vector):
                _text += (caller(i, j * threads * vector + i - j * vector),)
            _text += (stored(results, kinds, j, vector, threads * vector),)
        _text += (
            '\tadd.u64 %tile, %tile, %step;\n',
            '\tsetp.lt.u64 %more, %tile, %tiles;\n',
            '\t@%more bra $tiles;\n',
            '$rest:\n',
            '\tmul.lo.u64 %first, %tiles, ', threads * unroll * vector, ';\n',
            '\tmad.wide.u32 %lane, %cta, %size, %lane;\n',
            '\tadd.u64 %first, %first, %lane;\n',
            '\tmul.wide.u32 %step, %ctas, %size;\n',
            '\tsetp.lt.u64 %more, %first, %count;\n',
            '\t@!%more bra $done;\n',
            '$elements:\n',
        )
        for array in every:
            _text += ('\tmad.lo.u64 %address_', array, ', %first, ', _member(kinds[array], 'bytes'), ', %', array, ';\n',)
        if indexed:
            _text += ('\tmov.b64 %origin, %first;\n',)
        _text += (
            loads(sources, kinds, 1, 1, 0), widened(sources, kinds, 0, 1), caller(0, -1), stored(results, kinds, 0, 1, 0), '\tadd.u64 %first, %first, %step;\n',
            '\tsetp.lt.u64 %more, %first, %count;\n',
            '\t@%more bra $elements;\n',
            '$done:\n',
            '\tret;\n',
            '}\n',
        )
        return "".join(map(str, _text))


    def loads(sources: Any, kinds: Any, count: Any, lanes: Any, distance: Any) -> str:
        _text: list[Any] = []
        for array in sources:
            for j in range(count):
                _text += (load(array, kinds[array], j * lanes, lanes, str('%address_') + str(array), j * distance * _member(kinds[array], 'bytes')),)
        return "".join(map(str, _text))


    def widened(sources: Any, kinds: Any, j: Any, lanes: Any) -> str:
        _text: list[Any] = []
        for array in sources:
            _text += (widen(array, kinds[array], j * lanes, lanes),)
        return "".join(map(str, _text))


    def stored(results: Any, kinds: Any, j: Any, lanes: Any, distance: Any) -> str:
        _text: list[Any] = []
        for array in results:
            _text += (narrow(array, kinds[array], j * lanes, lanes), store(array, kinds[array], j * lanes, lanes, str('%address_') + str(array), j * distance * _member(kinds[array], 'bytes')),)
        return "".join(map(str, _text))

    return SimpleNamespace(stream=stream, loads=loads, widened=widened, stored=stored)
