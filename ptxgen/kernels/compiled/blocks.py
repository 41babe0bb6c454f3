"""blocks.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ptxgen.kernels.template_functions import member as _member

SOURCE = "0718d0ffb531c1cf60733c3276ca4e37"
USES: list[Any] = []


def macros() -> SimpleNamespace:
    BLOCKS = dict(q4_0=dict(bytes=18, elements=32, zero=8, least=False, halves=False, align=2), q4_1=dict(bytes=20, elements=32, zero=0, least=True, halves=False, align=4), q5_0=dict(bytes=22, elements=32, zero=16, least=False, halves=False, align=2), q8_0=dict(bytes=34, elements=32, zero=128, least=False, halves=False, align=2), q4_k=dict(bytes=144, elements=256, zero=0, least=True, halves=False, align=16), q5_k=dict(bytes=176, elements=256, zero=0, least=True, halves=False, align=16), q6_k=dict(bytes=210, elements=256, zero=32, least=False, halves=True, align=2), nf4=dict(bytes=16, elements=32, zero=0, least=False, halves=False, align=16), int4=dict(bytes=16, elements=32, zero=8, least=False, halves=False, align=16), e4m3=dict(bytes=32, elements=32, zero=0, least=False, halves=False, align=16), bf16=dict(bytes=64, elements=32, zero=0, least=False, halves=False, align=16), f16=dict(bytes=64, elements=32, zero=0, least=False, halves=False, align=16))
    CODED = ('nf4', 'int4', 'e4m3')
    DENSE = ('bf16', 'f16')

    def word(d: Any, space: Any, align: Any, address: Any, offset: Any) -> str:
        _text: list[Any] = []
        if align >= 4:
            _text += ('\tld.', space, '.b32 ', d, ', [', address, '+', offset, '];\n',)
        else:
            _text += (
                '\t{\n',
                '\t.reg .b16 %word_low, %word_high;\n',
                '\tld.', space, '.b16 %word_low, [', address, '+', offset, '];\n',
                '\tld.', space, '.b16 %word_high, [', address, '+', offset + 2, '];\n',
                '\tmov.b32 ', d, ', { %word_low, %word_high};\n',
                '\t}\n',
            )
        return "".join(map(str, _text))


    def half(d: Any, space: Any, address: Any, offset: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\t{\n',
            '\t.reg .b16 %half_bits;\n',
            '\tld.', space, '.b16 %half_bits, [', address, '+', offset, '];\n',
            '\tcvt.f32.f16 ', d, ', %half_bits;\n',
            '\t}\n',
        )
        return "".join(map(str, _text))


    def quants(format: Any, j: Any, space: Any, block: Any, mine: Any, at: Any, align: Any, lane4: Any, low: Any, high: Any) -> str:
        quants_2: Any = quants
        _text: list[Any] = []
        if format in ('q4_0', 'q4_1', 'q5_0'):
            _text += (
                word(low, space, align, mine, at + {'q4_0': 2, 'q4_1': 4, 'q5_0': 6}[format]), '\tshr.u32 ', high, ', ', low, ', 4;\n',
                '\tand.b32 ', low, ', ', low, ', 0x0F0F0F0F;\n',
                '\tand.b32 ', high, ', ', high, ', 0x0F0F0F0F;\n',
            )
            if format == 'q5_0':
                _text += (
                    '\t{\n',
                    '\t.reg .b32 %fifth, %bit;\n',
                    word('%fifth', space, align, block, at + 2), '\tshr.u32 %fifth, %fifth, ', lane4, ';\n',
                    spread('%bit', '%fifth', 0), '\tor.b32 ', low, ', ', low, ', %bit;\n',
                    spread('%bit', '%fifth', 16), '\tor.b32 ', high, ', ', high, ', %bit;\n',
                    '\t}\n',
                )
        elif format == 'q8_0':
            _text += (word(low, space, align, mine, at + 2), word(high, space, align, mine, at + 18),)
        elif format in ('q4_k', 'q5_k'):
            quants_2 = 16 if format == 'q4_k' else 48
            _text += (word(low, space, align, mine, at + quants_2 + 32 * (j // 2)), word(high, space, align, mine, at + quants_2 + 32 * (j // 2) + 16),)
            for d in (low, high):
                if j % 2:
                    _text += ('\tshr.u32 ', d, ', ', d, ', 4;\n',)
                _text += ('\tand.b32 ', d, ', ', d, ', 0x0F0F0F0F;\n',)
            if format == 'q5_k':
                _text += (
                    '\t{\n',
                    '\t.reg .b32 %fifth;\n',
                )
                for loop_index, d in enumerate((low, high)):
                    _text += (
                        word('%fifth', space, align, mine, at + 16 + 16 * loop_index), '\t', 'shr.u32' if j > 4 else 'shl.b32', ' %fifth, %fifth, ', j - 4 if j > 4 else 4 - j, ';\n',
                        '\tand.b32 %fifth, %fifth, 0x10101010;\n',
                        '\tor.b32 ', d, ', ', d, ', %fifth;\n',
                    )
                _text += ('\t}\n',)
        elif format == 'q6_k':
            (part, sub) = (j // 4, j % 4)
            _text += (
                '\t{\n',
                '\t.reg .b32 %top;\n',
            )
            for loop_index, d in enumerate((low, high)):
                _text += (word(d, space, align, mine, at + 64 * part + 32 * (sub % 2) + 16 * loop_index),)
                if sub > 1:
                    _text += ('\tshr.u32 ', d, ', ', d, ', 4;\n',)
                _text += (
                    '\tand.b32 ', d, ', ', d, ', 0x0F0F0F0F;\n',
                    word('%top', space, align, mine, at + 128 + 32 * part + 16 * loop_index),
                )
                if sub == 3:
                    _text += ('\tshr.u32 %top, %top, 2;\n',)
                elif sub < 2:
                    _text += ('\tshl.b32 %top, %top, ', 4 - 2 * sub, ';\n',)
                _text += (
                    '\tand.b32 %top, %top, 0x30303030;\n',
                    '\tor.b32 ', d, ', ', d, ', %top;\n',
                )
            _text += ('\t}\n',)
        return "".join(map(str, _text))


    def common_scales(format: Any, space: Any, block: Any, r: Any, which: Any) -> str:
        _text: list[Any] = []
        if format in ('q4_k', 'q5_k'):
            _text += ('\tld.', space, '.v4.b32 { %pack_ds, %pack_scales, %pack_least, %pack_last}, [', block, '];\n',)
            if which != 'first':
                _text += (
                    '\tshr.u32 %pack', r, '_2, %pack_scales, 2;\n',
                    '\tand.b32 %pack', r, '_2, %pack', r, '_2, 0x30303030;\n',
                    '\tlop3.b32 %pack', r, '_2, %pack_last, 0x0F0F0F0F, %pack', r, '_2, 0xEA;\n',
                    '\tshr.u32 %pack_last, %pack_last, 4;\n',
                    '\tshr.u32 %pack', r, '_3, %pack_least, 2;\n',
                    '\tand.b32 %pack', r, '_3, %pack', r, '_3, 0x30303030;\n',
                    '\tlop3.b32 %pack', r, '_3, %pack_last, 0x0F0F0F0F, %pack', r, '_3, 0xEA;\n',
                )
            if which != 'last':
                _text += (
                    '\tand.b32 %pack', r, '_0, %pack_scales, 0x3F3F3F3F;\n',
                    '\tand.b32 %pack', r, '_1, %pack_least, 0x3F3F3F3F;\n',
                    '\tmov.b32 { %pack_half, %pack_other}, %pack_ds;\n',
                    '\tcvt.f32.f16 %pack_d', r, ', %pack_half;\n',
                    '\tcvt.f32.f16 %pack_m', r, ', %pack_other;\n',
                    '\tneg.f32 %pack_m', r, ', %pack_m', r, ';\n',
                )
        elif format == 'q6_k' and which != 'last':
            _text += (half('%%pack_d%d' % r, space, block, 208),)
        return "".join(map(str, _text))


    def common_registers() -> str:
        _text: list[Any] = []
        _text += (
            '\t.reg .b16 %pack_half, %pack_other;\n',
            '\t.reg .b32 %pack_ds, %pack_scales, %pack_least, %pack_last, %pack_byte, %pack0_<4>, %pack1_<4>;\n',
            '\t.reg .f32 %pack_d<2>, %pack_m<2>;\n',
        )
        return "".join(map(str, _text))


    def unit_scale(format: Any, space: Any, number: Any, r: Any, place: Any, shift: Any, last: Any, scale: Any, least: Any) -> str:
        _text: list[Any] = []
        if format in ('q4_k', 'q5_k'):
            for (d, common, which) in ((scale, '%%pack_d%d' % r, 0), (least, '%%pack_m%d' % r, 1)):
                (first, other) = ('%%pack%d_%d' % (r, which), '%%pack%d_%d' % (r, which + 2))
                if last in ('never', 'always'):
                    _text += ('\tshr.u32 %pack_byte, ', first if last == 'never' else other, ', ', shift, ';\n',)
                else:
                    _text += (
                        '\tselp.b32 %pack_byte, ', other, ', ', first, ', ', last, ';\n',
                        '\tshr.u32 %pack_byte, %pack_byte, ', shift, ';\n',
                    )
                _text += (
                    '\tbfe.u32 %pack_byte, %pack_byte, ', 8 * (number % 4), ', 8;\n',
                    '\tcvt.rn.f32.u32 ', d, ', %pack_byte;\n',
                    '\tmul.rn.f32 ', d, ', ', d, ', ', common, ';\n',
                )
        elif format == 'q6_k':
            _text += (
                '\tld.', space, '.s8 %pack_half, [', place, '+', 192 + number, '];\n',
                '\tcvt.rn.f32.s16 ', scale, ', %pack_half;\n',
                '\tmul.rn.f32 ', scale, ', ', scale, ', %pack_d', r, ';\n',
            )
        else:
            _text += (half(scale, space, place, number * _member(BLOCKS[format], 'bytes')),)
            if _member(BLOCKS[format], 'least'):
                _text += (half(least, space, place, number * _member(BLOCKS[format], 'bytes') + 2),)
        return "".join(map(str, _text))


    def spread(d: Any, bits: Any, first: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\tshr.u32 ', d, ', ', bits, ', ', first, ';\n',
            '\tand.b32 ', d, ', ', d, ', 15;\n',
            '\tmul.lo.u32 ', d, ', ', d, ', 0x00204081;\n',
            '\tand.b32 ', d, ', ', d, ', 0x01010101;\n',
            '\tshl.b32 ', d, ', ', d, ', 4;\n',
        )
        return "".join(map(str, _text))

    return SimpleNamespace(BLOCKS=BLOCKS, CODED=CODED, DENSE=DENSE, word=word, half=half, quants=quants, common_scales=common_scales, common_registers=common_registers, unit_scale=unit_scale, spread=spread)
