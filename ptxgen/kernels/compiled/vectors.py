"""vectors.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ptxgen.kernels.template_functions import member as _member
from ptxgen.text.template_helpers import f32 as _f32
from ptxgen.text.template_helpers import literal as _literal

SOURCE = "e3f209f96ed4505fea29b4991bb63186"
USES: list[Any] = []


def macros(*, target: Any) -> SimpleNamespace:

    def raw(name: Any, type: Any, i: Any, vector: Any) -> str:
        _text: list[Any] = []
        if _member(type, 'bits') >= 32:
            _text += ('%', name, i,)
        elif vector * _member(type, 'bits') >= 32:
            _text += ('%', name, 'w', i * _member(type, 'bits') // 32,)
        else:
            _text += ('%', name, 'h', i,)
        return "".join(map(str, _text))


    def registers(name: Any, type: Any, count: Any, vector: Any) -> str:
        _text: list[Any] = []
        _text += ('\t.reg .', _member(type, 'storage') if _member(type, 'bits') >= 32 else 'f32', ' %', name, '<', count, '>;\n',)
        if _member(type, 'bits') < 32 and vector * _member(type, 'bits') >= 32:
            _text += ('\t.reg .b32 %', name, 'w<', count * _member(type, 'bits') // 32, '>;\n',)
        elif _member(type, 'bits') < 32:
            _text += ('\t.reg .b16 %', name, 'h<', count, '>;\n',)
        return "".join(map(str, _text))


    def preset(name: Any, type: Any, first: Any, vector: Any, value: Any) -> str:
        _text: list[Any] = []
        if _member(type, 'bits') == 32:
            for i in range(first, first + vector):
                _text += ('\tmov.f32 %', name, i, ', ', _f32(value), ';\n',)
        elif vector > 1 and _member(type, 'bits') == 16:
            for i in range(first, first + vector, 2):
                _text += ('\tmov.b32 ', raw(name, type, i, vector), ', ', _literal(value, type), _literal(value, type)[2:], ';\n',)
        else:
            _text += ('\tmov.b16 ', raw(name, type, first, vector), ', ', _literal(value, type), ';\n',)
        return "".join(map(str, _text))


    def access(type: Any, vector: Any) -> str:
        _text: list[Any] = []
        words = vector if _member(type, 'bits') >= 32 else vector * _member(type, 'bits') // 32
        if words > 1:
            _text += ('.v', words,)
        _text += ('.',)
        if _member(type, 'bits') >= 32:
            _text += (type,)
        elif words:
            _text += ('b32',)
        else:
            _text += ('b', _member(type, 'bits') * vector,)
        return "".join(map(str, _text))


    def operands(name: Any, type: Any, first: Any, vector: Any) -> str:
        _text: list[Any] = []
        step = max([32 // _member(type, 'bits'), 1])
        words = vector // step
        if words > 1:
            _text += ('{ ',)
            loop_items = list(range(words))
            for loop_index, w in enumerate(loop_items):
                _text += (raw(name, type, first + w * step, vector), ', ' if not loop_index == len(loop_items) - 1 else '',)
            _text += ('}',)
        else:
            _text += (raw(name, type, first, vector),)
        return "".join(map(str, _text))


    def place(address: Any, offset: Any) -> str:
        _text: list[Any] = []
        _text += ('[', address, '+%d' % offset if offset else '', ']',)
        return "".join(map(str, _text))


    def load(name: Any, type: Any, first: Any, vector: Any, address: Any, offset: Any, how: Any = '', guard: Any = '', space: Any = 'global') -> str:
        _text: list[Any] = []
        _text += ('\t', guard, 'ld.', space, how, access(type, vector), ' ', operands(name, type, first, vector), ', ', place(address, offset), ';\n',)
        return "".join(map(str, _text))


    def store(name: Any, type: Any, first: Any, vector: Any, address: Any, offset: Any, how: Any = '', guard: Any = '') -> str:
        _text: list[Any] = []
        _text += ('\t', guard, 'st.global', how, access(type, vector), ' ', place(address, offset), ', ', operands(name, type, first, vector), ';\n',)
        return "".join(map(str, _text))


    def widen(name: Any, type: Any, first: Any, vector: Any) -> str:
        _text: list[Any] = []
        if _member(type, 'bits') == 16 and vector > 1:
            _text += (
                '\t{\n',
                '\t.reg .b16 %half_low, %half_high;\n',
            )
            for i in range(first, first + vector, 2):
                _text += (
                    '\tmov.b32 { %half_low, %half_high}, ', raw(name, type, i, vector), ';\n',
                    widened('%%%s%d' % (name, i), type, '%half_low'), widened('%%%s%d' % (name, i + 1), type, '%half_high'),
                )
            _text += ('\t}\n',)
        elif _member(type, 'bits') == 8 and vector > 1:
            for i in range(first, first + vector, 4):
                _text += (widened4(['%%%s%d' % (name, i), '%%%s%d' % (name, i + 1), '%%%s%d' % (name, i + 2), '%%%s%d' % (name, i + 3)], type, raw(name, type, i, vector)),)
        elif _member(type, 'bits') < 32:
            _text += (widened('%%%s%d' % (name, first), type, raw(name, type, first, vector)),)
        return "".join(map(str, _text))


    def widened(f: Any, type: Any, h: Any) -> str:
        _text: list[Any] = []
        if type == 'f16':
            _text += ('\tcvt.f32.f16 ', f, ', ', h, ';\n',)
        elif type == 'bf16':
            _text += ('\tmov.b32 ', f, ', {0, ', h, '};\n',)
        elif type in ('s8', 'u8'):
            _text += ('\tcvt.rn.f32.', type, ' ', f, ', ', h, ';\n',)
        else:
            _text += (
                '\t{\n',
                '\t.reg .b16 %byte_low, %byte_high;\n',
                '\t.reg .b32 %byte_pair;\n',
                '\tcvt.rn.f16x2.', type, 'x2 %byte_pair, ', h, ';\n',
                '\tmov.b32 { %byte_low, %byte_high}, %byte_pair;\n',
                '\tcvt.f32.f16 ', f, ', %byte_low;\n',
                '\t}\n',
            )
        return "".join(map(str, _text))


    def widened4(f: Any, type: Any, word: Any) -> str:
        _text: list[Any] = []
        _text += ('\t{\n',)
        if type in ('s8', 'u8'):
            _text += ('\t.reg .b32 %byte;\n',)
            for loop_index, register in enumerate(f):
                _text += (
                    '\tbfe.', 's32' if type == 's8' else 'u32', ' %byte, ', word, ', ', 8 * loop_index, ', 8;\n',
                    '\tcvt.rn.f32.', 's32' if type == 's8' else 'u32', ' ', register, ', %byte;\n',
                )
        else:
            _text += (
                '\t.reg .b16 %byte_low, %byte_high;\n',
                '\t.reg .b32 %byte_pair0, %byte_pair1;\n',
                '\tmov.b32 { %byte_low, %byte_high}, ', word, ';\n',
                '\tcvt.rn.f16x2.', type, 'x2 %byte_pair0, %byte_low;\n',
                '\tcvt.rn.f16x2.', type, 'x2 %byte_pair1, %byte_high;\n',
            )
            for pair in (0, 1):
                _text += (
                    '\tmov.b32 { %byte_low, %byte_high}, %byte_pair', pair, ';\n',
                    '\tcvt.f32.f16 ', f[2 * pair], ', %byte_low;\n',
                    '\tcvt.f32.f16 ', f[2 * pair + 1], ', %byte_high;\n',
                )
        _text += ('\t}\n',)
        return "".join(map(str, _text))


    def narrow(name: Any, type: Any, first: Any, vector: Any) -> str:
        _text: list[Any] = []
        if _member(type, 'bits') == 16 and vector > 1:
            for i in range(first, first + vector, 2):
                _text += (narrowed2(raw(name, type, i, vector), type, '%%%s%d' % (name, i), '%%%s%d' % (name, i + 1)),)
        elif _member(type, 'bits') == 8 and vector > 1:
            for i in range(first, first + vector, 4):
                _text += (narrowed4(raw(name, type, i, vector), type, ['%%%s%d' % (name, i), '%%%s%d' % (name, i + 1), '%%%s%d' % (name, i + 2), '%%%s%d' % (name, i + 3)]),)
        elif _member(type, 'bits') < 32:
            _text += (narrowed(raw(name, type, first, vector), type, '%%%s%d' % (name, first)),)
        return "".join(map(str, _text))


    def narrowed4(word: Any, type: Any, f: Any) -> str:
        _text: list[Any] = []
        _text += ('\t{\n',)
        if type == 's8':
            _text += ('\t.reg .b32 %byte<4>;\n',)
            for loop_index, register in enumerate(f):
                _text += ('\tcvt.rni.s32.f32 %byte', loop_index, ', ', register, ';\n',)
            _text += (
                '\tcvt.pack.sat.s8.s32.b32 ', word, ', %byte3, %byte2, 0;\n',
                '\tcvt.pack.sat.s8.s32.b32 ', word, ', %byte1, %byte0, ', word, ';\n',
            )
        else:
            _text += (
                '\t.reg .b16 %byte_low, %byte_high;\n',
                '\tcvt.rn.satfinite.', type, 'x2.f32 %byte_low, ', f[1], ', ', f[0], ';\n',
                '\tcvt.rn.satfinite.', type, 'x2.f32 %byte_high, ', f[3], ', ', f[2], ';\n',
                '\tmov.b32 ', word, ', { %byte_low, %byte_high};\n',
            )
        _text += ('\t}\n',)
        return "".join(map(str, _text))


    def narrowed2(word: Any, type: Any, f: Any, g: Any) -> str:
        _text: list[Any] = []
        if target[3:5] == '75':
            _text += (
                '\t{\n',
                '\t.reg .b16 %half_low, %half_high;\n',
                narrowed('%half_low', type, f), narrowed('%half_high', type, g), '\tmov.b32 ', word, ', { %half_low, %half_high};\n',
                '\t}\n',
            )
        else:
            _text += ('\tcvt.rn.', type, 'x2.f32 ', word, ', ', g, ', ', f, ';\n',)
        return "".join(map(str, _text))


    def narrowed(h: Any, type: Any, f: Any) -> str:
        _text: list[Any] = []
        if type == 's8':
            _text += ('\tcvt.rni.sat.s8.f32 ', h, ', ', f, ';\n',)
        elif _member(type, 'bits') == 8:
            _text += ('\tcvt.rn.satfinite.', type, 'x2.f32 ', h, ', ', _f32(0), ', ', f, ';\n',)
        elif type == 'bf16' and target[3:5] == '75':
            _text += (
                '\t{\n',
                '\t.reg .pred %half_nan;\n',
                '\t.reg .b32 %half_round, %half_odd;\n',
                '\tmov.b32 %half_round, ', f, ';\n',
                '\tshr.u32 %half_odd, %half_round, 16;\n',
                '\tand.b32 %half_odd, %half_odd, 1;\n',
                '\tadd.u32 %half_round, %half_round, %half_odd;\n',
                '\tadd.u32 %half_round, %half_round, 32767;\n',
                '\tshr.u32 %half_round, %half_round, 16;\n',
                '\tsetp.nan.f32 %half_nan, ', f, ', ', f, ';\n',
                '\tselp.b32 %half_round, 32767, %half_round, %half_nan;\n',
                '\tcvt.u16.u32 ', h, ', %half_round;\n',
                '\t}\n',
            )
        else:
            _text += ('\tcvt.rn.', type, '.f32 ', h, ', ', f, ';\n',)
        return "".join(map(str, _text))

    return SimpleNamespace(raw=raw, registers=registers, preset=preset, access=access, operands=operands, place=place, load=load, store=store, widen=widen, widened=widened, widened4=widened4, narrow=narrow, narrowed4=narrowed4, narrowed2=narrowed2, narrowed=narrowed)
