"""units.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ptxgen.kernels.compiled import blocks as _blocks
from ptxgen.kernels.template_functions import member as _member
from ptxgen.text.template_helpers import f32 as _f32

SOURCE = "037cffd15f54f313746af92f607a3be1"
USES: list[Any] = [_blocks]


def macros(*, about: Any, coded: Any, format: Any, uneven: Any) -> SimpleNamespace:
    _from_blocks = _blocks.macros()
    word = _from_blocks.word
    (ACROSS, TWO, NEXT) = (((0, 2), (1, 3), (4, 6), (5, 7)), ((0, 4), (1, 5), (2, 6), (3, 7)), ((0, 1), (2, 3), (4, 5), (6, 7)))
    UNITS = dict(q4_0=dict(split=True, pairs=ACROSS, high=(2, 3), odd=False), q4_1=dict(split=True, pairs=ACROSS, high=(2, 3), odd=False), q5_0=dict(split=True, pairs=NEXT, high=(), odd=False), q8_0=dict(split=True, pairs=NEXT, high=(), odd=False), q4_k=dict(split=True, pairs=ACROSS, high=(), odd=True), q5_k=dict(split=True, pairs=NEXT, high=(), odd=False), q6_k=dict(split=False, pairs=NEXT, high=(), odd=False), int4=dict(split=False, pairs=TWO, high=(1, 3), odd=False), e4m3=dict(split=False, pairs=NEXT, high=(), odd=False))

    def unit_registers() -> str:
        _text: list[Any] = []
        _text += (
            '\t.reg .b16 %low_half, %high_half;\n',
            '\t.reg .b32 %part0_<18>, %part1_<18>, %unit0_0_<8>, %unit0_1_<8>, %unit1_0_<8>, %unit1_1_<8>;\n',
            '\t.reg .b32 %head<4>, %own<2>, %upper<2>, %six<2>, %funnel<2>, %funnel_odd<2>, %byte, %bits, %own_shift, %head_shift;\n',
            '\t.reg .f32 %scale0_<4>, %scale1_<4>, %least0_<2>, %least1_<2>, %common, %common_least;\n',
            '\t.reg .pred %last_units;\n',
        )
        return "".join(map(str, _text))


    def words(r: Any, names: Any, offset: Any, base: Any = 'own') -> str:
        _text: list[Any] = []
        if uneven:
            _text += (
                '\t{\n',
                '\t.reg .b32 %whole<', len(names) + 1, '>;\n',
            )
            for i in range(len(names) + 1):
                _text += ('\tld.shared.b32 %whole', i, ', [%', base, r, '+', offset + 4 * i, '];\n',)
            for loop_index, name in enumerate(names):
                _text += ('\tprmt.b32 ', name, ', %whole', loop_index, ', %whole', loop_index + 1, ', %funnel', r, ';\n',)
            _text += ('\t}\n',)
        elif format in ('q4_k', 'q5_k') or coded:
            for i in range(0, len(names), 4):
                _text += ('\tld.shared.v4.b32 { ', ', '.join(map(str, names[i:i + 4])), '}, [%own', r, '+', offset + 4 * i, '];\n',)
        else:
            for loop_index, name in enumerate(names):
                _text += ('\tld.shared.b32 ', name, ', [%own', r, '+', offset + 4 * loop_index, '];\n',)
        return "".join(map(str, _text))


    def names_of(prefix: Any, first: Any, count: Any) -> str:
        _text: list[Any] = []
        for i in range(first, first + count):
            _text += (prefix, i, ' ',)
        return "".join(map(str, _text))


    def half_of(f: Any, word_2: Any, upper: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\tmov.b32 { %low_half, %high_half}, ', word_2, ';\n',
            '\tcvt.f32.f16 ', f, ', ', '%high_half' if upper else '%low_half', ';\n',
        )
        return "".join(map(str, _text))


    def own_units(r: Any) -> str:
        _text: list[Any] = []
        part = '%%part%d_' % r
        if format in ('q4_0', 'q8_0', 'q5_0'):
            quants = 8 if format == 'q8_0' else 4
            ahead = 1 if format == 'q5_0' else 0
            each = quants + ahead
            _text += (words(r, names_of(part, 0, 2 * each + 1).split(), 0), half_of('%%scale%d_0' % r, str(part) + str(0), False), half_of('%%scale%d_1' % r, str(part) + str(each), True),)
            for i in range(quants):
                _text += (
                    '\tprmt.b32 %unit', r, '_0_', i, ', ', part, i + ahead, ', ', part, i + ahead + 1, ', 0x5432;\n',
                    '\tmov.b32 %unit', r, '_1_', i, ', ', part, each + 1 + ahead + i, ';\n',
                )
            if ahead:
                _text += (
                    '\tprmt.b32 %unit', r, '_0_4, ', part, '0, ', part, '1, 0x5432;\n',
                    '\tmov.b32 %unit', r, '_1_4, ', part, each + 1, ';\n',
                )
        elif format == 'q4_1':
            _text += (words(r, names_of(part, 0, 10).split(), 0),)
            for h in (0, 1):
                _text += (half_of('%%scale%d_%d' % (r, h), str(part) + str(5 * h), False), half_of('%%least%d_%d' % (r, h), str(part) + str(5 * h), True),)
                for i in range(4):
                    _text += ('\tmov.b32 %unit', r, '_', h, '_', i, ', ', part, 5 * h + 1 + i, ';\n',)
        elif format in ('q4_k', 'q5_k'):
            _text += (
                '\tld.shared.v4.b32 { %head0, %head1, %head2, %head3}, [%shift', r, '];\n',
                words(r, names_of('%%unit%d_0_' % r, 0, 8).split(), 16 if format == 'q4_k' else 48),
            )
            if format == 'q5_k':
                for i in (0, 4):
                    _text += ('\tld.shared.v4.b32 { ', part, i, ', ', part, i + 1, ', ', part, i + 2, ', ', part, i + 3, '}, [%shift', r, '+', 16 + 4 * i, '];\n',)
                for i in range(8):
                    _text += ('\tshr.u32 ', part, i, ', ', part, i, ', %own_shift;\n',)
            _text += (own_scales_of_256(r),)
        elif format == 'q6_k':
            _text += (words(r, names_of(part, 0, 4).split(), 0), words(r, names_of(part, 4, 4).split(), 32), words(r, names_of(part, 8, 4).split(), 128, 'upper'),)
            for u in range(4):
                _text += (
                    '\tld.shared.s8 %low_half, [%six', r, '+', 192 + 2 * u, '];\n',
                    '\tcvt.rn.f32.s16 %scale', r, '_', u, ', %low_half;\n',
                )
            _text += (
                '\tld.shared.b16 %low_half, [%shift', r, '+208];\n',
                '\tcvt.f32.f16 %common, %low_half;\n',
            )
            for u in range(4):
                _text += ('\tmul.rn.f32 %scale', r, '_', u, ', %scale', r, '_', u, ', %common;\n',)
        else:
            for h in (0, 1):
                _text += (words(r, names_of('%%unit%d_%d_' % (r, h), 0, _member(about, 'bytes') // 4).split(), _member(about, 'bytes') * h),)
        return "".join(map(str, _text))


    def own_scales_of_256(r: Any) -> str:
        _text: list[Any] = []
        _text += (
            half_of('%common', '%head0', False), '\tcvt.f32.f16 %common_least, %high_half;\n',
            '\tneg.f32 %common_least, %common_least;\n',
        )
        for i in (1, 2, 3):
            _text += ('\tshr.u32 %head', i, ', %head', i, ', %head_shift;\n',)
        _text += ('\tshr.u32 %head0, %head3, 4;\n',)
        for (six, four) in (('%head1', '%head3'), ('%head2', '%head0')):
            _text += (
                '\tand.b32 ', four, ', ', four, ', 0x0F0F;\n',
                '\tshr.u32 %bits, ', six, ', 2;\n',
                '\tlop3.b32 ', four, ', %bits, 0x3030, ', four, ', 0xEA;\n',
                '\tand.b32 ', six, ', ', six, ', 0x3F3F;\n',
                '\tselp.b32 ', six, ', ', four, ', ', six, ', %last_units;\n',
            )
        for (f, six, common) in (('scale', '%head1', '%common'), ('least', '%head2', '%common_least')):
            _text += (
                '\tmul.rn.f32 ', common, ', ', common, ', ', _f32(16777216.0), ';\n',
                '\tprmt.b32 ', six, ', ', six, ', 0, 0x4140;\n',
                '\tmov.b32 { %low_half, %high_half}, ', six, ';\n',
                '\tcvt.f32.f16 %', f, r, '_0, %low_half;\n',
                '\tcvt.f32.f16 %', f, r, '_1, %high_half;\n',
            )
            for h in (0, 1):
                _text += ('\tmul.rn.f32 %', f, r, '_', h, ', %', f, r, '_', h, ', ', common, ';\n',)
        return "".join(map(str, _text))


    def own_places() -> str:
        _text: list[Any] = []
        _text += (
            '\tand.b32 %head_shift, %t, 1;\n',
            '\tshl.b32 %head_shift, %head_shift, 4;\n',
            '\tshl.b32 %own_shift, %t, 1;\n',
            '\tsetp.gt.u32 %last_units, %t, 1;\n',
        )
        return "".join(map(str, _text))


    def own_place(r: Any) -> str:
        _text: list[Any] = []
        if format == 'q6_k':
            _text += (
                '\tshr.u32 %byte, %t, 1;\n',
                '\tmad.lo.u32 %own', r, ', %byte, 64, %shift', r, ';\n',
                '\tadd.u32 %own', r, ', %own', r, ', %head_shift;\n',
                '\tmad.lo.u32 %upper', r, ', %byte, 32, %shift', r, ';\n',
                '\tadd.u32 %upper', r, ', %upper', r, ', %head_shift;\n',
                '\tand.b32 %bits, %t, 1;\n',
                '\tmad.lo.u32 %six', r, ', %byte, 8, %shift', r, ';\n',
                '\tadd.u32 %six', r, ', %six', r, ', %bits;\n',
            )
        else:
            _text += ('\tmad.lo.u32 %own', r, ', %t, ', 32 if _member(about, 'elements') == 256 else 2 * _member(about, 'bytes'), ', %shift', r, ';\n',)
        if uneven:
            _text += (
                '\tand.b32 %bits, %own', r, ', 2;\n',
                '\tmad.lo.u32 %funnel', r, ', %bits, 0x1111, 0x3210;\n',
                '\tsub.u32 %own', r, ', %own', r, ', %bits;\n',
            )
            if format == 'q6_k':
                _text += ('\tsub.u32 %upper', r, ', %upper', r, ', %bits;\n',)
        return "".join(map(str, _text))


    def byte_pairs(one: Any, other: Any, word_2: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\tprmt.b32 ', one, ', ', word_2, ', 0, 0x4140;\n',
            '\tprmt.b32 ', other, ', ', word_2, ', 0, 0x4342;\n',
        )
        return "".join(map(str, _text))


    def bytes_of(d: Any, word_2: Any, upper: Any, more: Any, at: Any, mask: Any) -> str:
        _text: list[Any] = []
        if upper:
            _text += (
                '\tshr.u32 ', d, ', ', word_2, ', 4;\n',
                '\tand.b32 ', d, ', ', d, ', 0x0F0F0F0F;\n',
            )
        else:
            _text += ('\tand.b32 ', d, ', ', word_2, ', 0x0F0F0F0F;\n',)
        if at == 4:
            _text += ('\tlop3.b32 ', d, ', ', more, ', ', mask, ', ', d, ', 0xEA;\n',)
        else:
            _text += (
                '\t', 'shl.b32' if at < 4 else 'shr.u32', ' %bits, ', more, ', ', 4 - at if at < 4 else at - 4, ';\n',
                '\tlop3.b32 ', d, ', %bits, ', mask, ', ', d, ', 0xEA;\n',
            )
        return "".join(map(str, _text))


    def chunk(r: Any, h: Any, m: Any, a: Any, bit: Any) -> str:
        _text: list[Any] = []
        unit = '%%unit%d_%d_' % (r, h)
        part = '%%part%d_' % r
        if format in ('q4_0', 'q4_1', 'int4'):
            (one, other, upper) = (0, 1, 2) if format != 'int4' else (0, 2, 1)
            upper_other = 3
            _text += (
                '\tshr.u32 %byte, ', unit, m, ', 8;\n',
                '\tand.b32 ', a[one], ', ', unit, m, ', 0x000F000F;\n',
                '\tand.b32 ', a[other], ', %byte, 0x000F000F;\n',
                '\tand.b32 ', a[upper], ', ', unit, m, ', 0x00F000F0;\n',
                '\tand.b32 ', a[upper_other], ', %byte, 0x00F000F0;\n',
            )
        elif format == 'q4_k':
            mask = '0x00F000F0' if h else '0x000F000F'
            for half in (0, 1):
                word_2 = '%%unit%d_0_%d' % (r, m + 4 * half)
                _text += (
                    '\tand.b32 ', a[2 * half], ', ', word_2, ', ', mask, ';\n',
                    '\tshr.u32 %byte, ', word_2, ', 8;\n',
                    '\tand.b32 ', a[2 * half + 1], ', %byte, ', mask, ';\n',
                )
        elif format == 'q8_0':
            for half in (0, 1):
                _text += (
                    '\txor.b32 %byte, ', unit, m + 4 * half, ', 0x80808080;\n',
                    byte_pairs(a[2 * half], a[2 * half + 1], '%byte'),
                )
        elif format == 'q5_0':
            for half in (0, 1):
                _text += (
                    '\tbfe.u32 %bits, ', unit, '4, ', 4 * m + 16 * half, ', 4;\n',
                    '\tmul.lo.u32 %bits, %bits, 0x02040810;\n',
                    bytes_of('%byte', str(unit) + str(m), half, '%bits', 4, '0x10101010'), byte_pairs(a[2 * half], a[2 * half + 1], '%byte'),
                )
        elif format == 'q5_k':
            for half in (0, 1):
                _text += (bytes_of('%byte', '%%unit%d_0_%d' % (r, m + 4 * half), h, str(part) + str(m + 4 * half), bit, '0x10101010'), byte_pairs(a[2 * half], a[2 * half + 1], '%byte'),)
        elif format == 'q6_k':
            sub = 2 * h + m // 2
            for half in (0, 1):
                i = 2 * (m % 2) + half
                _text += (bytes_of('%byte', str(part) + str(i + 4 * (sub % 2)), sub > 1, str(part) + str(8 + i), 2 * sub, '0x30303030'), byte_pairs(a[2 * half], a[2 * half + 1], '%byte'),)
        else:
            for half in (0, 1):
                _text += (
                    '\tmov.b32 { %low_half, %high_half}, ', unit, 2 * m + half, ';\n',
                    '\tcvt.rn.f16x2.e4m3x2 ', a[2 * half], ', %low_half;\n',
                    '\tcvt.rn.f16x2.e4m3x2 ', a[2 * half + 1], ', %high_half;\n',
                )
        return "".join(map(str, _text))


    def shared_place(r: Any) -> str:
        _text: list[Any] = []
        _text += ('\tmad.lo.u32 %own', r, ', %t, ', _member(about, 'bytes') // 4 if coded else 4, ', %shift', r, ';\n',)
        if uneven:
            _text += (
                '\tand.b32 %bits, %own', r, ', 2;\n',
                '\tsub.u32 %own', r, ', %own', r, ', %bits;\n',
                '\tmad.lo.u32 %funnel', r, ', %bits, 0x1111, 0x3210;\n',
                '\tmad.lo.u32 %funnel_odd', r, ', %bits, 0x1111, 0x5432;\n',
            )
        return "".join(map(str, _text))


    def shared_word(d: Any, r: Any, at: Any) -> str:
        _text: list[Any] = []
        if uneven:
            _text += (
                '\t{\n',
                '\t.reg .b32 %whole<2>;\n',
                '\tld.shared.b32 %whole0, [%own', r, '+', at - at % 4, '];\n',
                '\tld.shared.b32 %whole1, [%own', r, '+', at - at % 4 + 4, '];\n',
                '\tprmt.b32 ', d, ', %whole0, %whole1, ', '%funnel_odd' if at % 4 else '%funnel', r, ';\n',
                '\t}\n',
            )
        else:
            _text += (word(d, 'shared', 2 if at % 4 else 4, '%%own%d' % r, at),)
        return "".join(map(str, _text))


    def shared_unit(r: Any, j: Any) -> str:
        _text: list[Any] = []
        (unit, part, h) = ('%%unit%d_%d_' % (r, j % 2), '%%part%d_' % r, j % 2)
        if format in ('q4_0', 'q4_1'):
            _text += (shared_word(str(unit) + str(0), r, _member(about, 'bytes') * j + _member(about, 'bytes') - 16),)
        elif format == 'q8_0':
            _text += (shared_word(str(unit) + str(0), r, 34 * j + 2), shared_word(str(unit) + str(4), r, 34 * j + 18),)
        elif format == 'q5_0':
            _text += (shared_word(str(unit) + str(0), r, 22 * j + 6), shared_bits(str(unit) + str(4), r, 22 * j + 2),)
        elif format in ('q4_k', 'q5_k'):
            if not h:
                at = (16 if format == 'q4_k' else 48) + 16 * j
                _text += (shared_word(str(unit) + str(0), r, at), shared_word(str(unit) + str(4), r, at + 16),)
            if format == 'q5_k' and not j:
                _text += (shared_word(str(part) + str(0), r, 16), shared_word(str(part) + str(4), r, 32),)
        elif format == 'q6_k':
            at = 64 * (j // 4) + 16 * (j // 2 % 2)
            _text += (shared_word(str(part) + str(0), r, at), shared_word(str(part) + str(1), r, at + 32), shared_word(str(part) + str(8), r, 128 + 32 * (j // 4) + 16 * (j // 2 % 2)),)
        elif format == 'e4m3':
            _text += ('\tld.shared.v2.b32 { ', unit, '0, ', unit, '1}, [%own', r, '+', 32 * j, '];\n',)
        else:
            _text += ('\tld.shared.b32 ', unit, '0, [%own', r, '+', 16 * j, '];\n',)
        return "".join(map(str, _text))


    def shared_bits(d: Any, r: Any, at: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\tshl.b32 %bits, %t, 2;\n',
            '\tsub.u32 %byte, %own', r, ', %bits;\n',
        )
        if uneven:
            _text += (
                '\t{\n',
                '\t.reg .b32 %whole<2>;\n',
                '\tld.shared.b32 %whole0, [%byte+', at - at % 4, '];\n',
                '\tld.shared.b32 %whole1, [%byte+', at - at % 4 + 4, '];\n',
                '\tprmt.b32 ', d, ', %whole0, %whole1, ', '%funnel_odd' if at % 4 else '%funnel', r, ';\n',
                '\t}\n',
            )
        else:
            _text += (word(d, 'shared', 2 if at % 4 else 4, '%byte', at),)
        _text += ('\tshr.u32 ', d, ', ', d, ', %bits;\n',)
        return "".join(map(str, _text))


    def shared_scales(r: Any) -> str:
        _text: list[Any] = []
        if format in ('q4_k', 'q5_k'):
            _text += (
                '\tld.shared.v4.b32 { %head0, %head1, %head2, %head3}, [%shift', r, '];\n',
                own_scales_of_256(r),
            )
        elif format == 'q6_k':
            _text += (
                '\tmad.lo.u32 %byte, %t, 4, %shift', r, ';\n',
                '\tld.shared.b16 %high_half, [%shift', r, '+208];\n',
                '\tcvt.f32.f16 %common, %high_half;\n',
            )
            for u in range(4):
                _text += (
                    '\tld.shared.s8 %low_half, [%byte+', 192 + u, '];\n',
                    '\tcvt.rn.f32.s16 %scale', r, '_', u, ', %low_half;\n',
                    '\tmul.rn.f32 %scale', r, '_', u, ', %scale', r, '_', u, ', %common;\n',
                )
        elif not coded:
            _text += ('\tmad.lo.u32 %byte, %t, ', 2 * _member(about, 'bytes'), ', %shift', r, ';\n',)
            for h in (0, 1):
                _text += (
                    '\tld.shared.b16 %low_half, [%byte+', _member(about, 'bytes') * h, '];\n',
                    '\tcvt.f32.f16 %scale', r, '_', h, ', %low_half;\n',
                )
                if _member(about, 'least'):
                    _text += (
                        '\tld.shared.b16 %low_half, [%byte+', _member(about, 'bytes') * h + 2, '];\n',
                        '\tcvt.f32.f16 %least', r, '_', h, ', %low_half;\n',
                    )
        return "".join(map(str, _text))


    def chunk_of_16(r: Any, j: Any, half: Any, a: Any) -> str:
        _text: list[Any] = []
        _text += (bytes_of('%byte', '%%part%d_%d' % (r, half), j % 2, '%%part%d_8' % r, 4 * (j % 2) + 2 * half, '0x30303030'), byte_pairs(a[0], a[1], '%byte'),)
        return "".join(map(str, _text))

    return SimpleNamespace(ACROSS=ACROSS, TWO=TWO, NEXT=NEXT, UNITS=UNITS, unit_registers=unit_registers, words=words, names_of=names_of, half_of=half_of, own_units=own_units, own_scales_of_256=own_scales_of_256, own_places=own_places, own_place=own_place, byte_pairs=byte_pairs, bytes_of=bytes_of, chunk=chunk, shared_place=shared_place, shared_word=shared_word, shared_unit=shared_unit, shared_bits=shared_bits, shared_scales=shared_scales, chunk_of_16=chunk_of_16)
