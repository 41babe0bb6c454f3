"""codes.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ptxgen.kernels.compiled import vectors as _vectors
from ptxgen.text.template_helpers import literal as _literal

SOURCE = "09012a35229191e65a00addcd346ab7a"
USES: list[Any] = [_vectors]


def macros(*, scale: Any, target: Any, zeros: Any) -> SimpleNamespace:
    _from_vectors = _vectors.macros(target=target)
    widened = _from_vectors.widened
    NF4 = (-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0)

    def scale_row(d: Any, array: Any, row: Any, shift: Any, step: Any, size: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\t{\n',
            '\t.reg .b32 %scaled_row;\n',
            '\t.reg .b64 %scale_number;\n',
            '\tshr.u32 %scaled_row, ', row, ', ', shift, ';\n',
            '\tmul.wide.u32 %scale_number, %scaled_row, ', step, ';\n',
            '\tmad.lo.u64 ', d, ', %scale_number, ', size, ', ', array, ';\n',
            '\t}\n',
        )
        return "".join(map(str, _text))


    def pairs_of(format: Any, type: Any, a: Any, mine: Any, offset: Any, table: Any, ones: Any, less: Any) -> str:
        _text: list[Any] = []
        if format == type:
            _text += ('\tld.shared.v4.b32 { ', ', '.join(map(str, a)), '}, [', mine, '+', offset, '];\n',)
        else:
            _text += (
                '\t{\n',
                '\t.reg .b32 %code, %code_high;\n',
            )
            if format == 'nf4':
                _text += ('\tld.shared.b32 %code, [', mine, '+', offset, '];\n',)
                for i in range(4):
                    _text += (
                        '\tprmt.b32 %code_high, %code, 0, ', 17472 + i, ';\n',
                        '\tmad.lo.u32 %code_high, %code_high, 128, ', table, ';\n',
                        '\tld.shared.b32 ', a[i], ', [%code_high];\n',
                    )
            elif format == 'int4':
                _text += ('\tld.shared.b32 %code, [', mine, '+', offset, '];\n',)
                for i in range(4):
                    if i:
                        _text += ('\tshr.u32 %code, %code, 4;\n',)
                    _text += ('\tlop3.b32 ', a[i], ', %code, 0x000F000F, ', '0x43004300' if type == 'bf16' else '0x64006400', ', 0xEA;\n',)
                    if less:
                        _text += ('\tfma.rn.', type, 'x2 ', a[i], ', ', a[i], ', ', ones, ', ', less, ';\n',)
            else:
                _text += ('\t.reg .b16 %eighth<4>', ', %half_one, %half_other' if type == 'bf16' else '', ';\n',)
                if type == 'bf16':
                    _text += ('\t.reg .f32 %number_one, %number_other;\n',)
                _text += (
                    '\tld.shared.v2.b32 { %code, %code_high}, [', mine, '+', offset, '];\n',
                    '\tmov.b32 { %eighth0, %eighth1}, %code;\n',
                    '\tmov.b32 { %eighth2, %eighth3}, %code_high;\n',
                )
                for i in range(4):
                    _text += ('\tcvt.rn.f16x2.e4m3x2 ', a[i], ', %eighth', i, ';\n',)
                    if type == 'bf16':
                        _text += (
                            '\tmov.b32 { %half_one, %half_other}, ', a[i], ';\n',
                            '\tcvt.f32.f16 %number_one, %half_one;\n',
                            '\tcvt.f32.f16 %number_other, %half_other;\n',
                            '\tcvt.rn.bf16x2.f32 ', a[i], ', %number_other, %number_one;\n',
                        )
            _text += ('\t}\n',)
        return "".join(map(str, _text))


    def in_order(format: Any, type: Any, first: Any) -> str:
        _text: list[Any] = []
        b = ['%%b%d' % first, '%%b%d' % (first + 1), '%%b%d' % (first + 2), '%%b%d' % (first + 3)]
        if format == 'int4':
            _text += (
                '\t{\n',
                '\t.reg .b32 %pair_one, %pair_other;\n',
                '\tprmt.b32 %pair_one, ', b[0], ', ', b[2], ', 0x7632;\n',
                '\tprmt.b32 ', b[0], ', ', b[0], ', ', b[2], ', 0x5410;\n',
                '\tprmt.b32 %pair_other, ', b[1], ', ', b[3], ', 0x5410;\n',
                '\tprmt.b32 ', b[3], ', ', b[1], ', ', b[3], ', 0x7632;\n',
                '\tmov.b32 ', b[1], ', %pair_one;\n',
                '\tmov.b32 ', b[2], ', %pair_other;\n',
                '\t}\n',
            )
        elif format == 'q8_0' and type == 'bf16':
            _text += (
                '\t{\n',
                '\t.reg .b32 %pair_other;\n',
            )
            for (one, other) in ((b[0], b[1]), (b[2], b[3])):
                _text += (
                    '\tprmt.b32 %pair_other, ', one, ', ', other, ', 0x7632;\n',
                    '\tprmt.b32 ', one, ', ', one, ', ', other, ', 0x5410;\n',
                    '\tmov.b32 ', other, ', %pair_other;\n',
                )
            _text += ('\t}\n',)
        return "".join(map(str, _text))


    def load_scale(d: Any, type: Any, address: Any, guard: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\tmov.', 'f32' if type == 'f32' else 'b16', ' ', d, ', 0', 'f00000000' if type == 'f32' else '', ';\n',
            '\t', guard, 'ld.global.nc.', 'f32' if type == 'f32' else 'u8' if type == 'u8' else 'b16', ' ', d, ', [', address, '];\n',
        )
        return "".join(map(str, _text))


    def fill_pairs(type: Any, table: Any, thread: Any, warps: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\t{\n',
            '\t.reg .b16 %value_one, %value_other;\n',
            '\t.reg .b32 %pair, %entry, %from, %to;\n',
            '\t.reg .b64 %values, %value;\n',
            '\tmov.u64 %values, nf4_values;\n',
        )
        for first in range(0, 256, 32 * warps):
            _text += (
                '\tadd.u32 %entry, ', thread, ', ', first, ';\n',
                '\tshr.u32 %from, %entry, 4;\n',
                '\tmad.wide.u32 %value, %from, 2, %values;\n',
                '\tld.const.b16 %value_one, [%value];\n',
                '\tand.b32 %from, %entry, 15;\n',
                '\tmad.wide.u32 %value, %from, 2, %values;\n',
                '\tld.const.b16 %value_other, [%value];\n',
                '\tmov.b32 %pair, { %value_one, %value_other};\n',
                '\tmad.lo.u32 %to, %entry, 128, ', table, ';\n',
            )
            for i in range(8):
                _text += (
                    '\tadd.u32 %from, %entry, ', i, ';\n',
                    '\tand.b32 %from, %from, 7;\n',
                    '\tmad.lo.u32 %from, %from, 16, %to;\n',
                    '\tst.shared.v4.b32 [%from], { %pair, %pair, %pair, %pair};\n',
                )
        _text += ('\t}\n',)
        return "".join(map(str, _text))


    def values_of(type: Any) -> str:
        _text: list[Any] = []
        _text += ('.const .align 2 .b16 nf4_values[16] = { ',)
        loop_items = list(NF4)
        for loop_index, each in enumerate(loop_items):
            _text += (_literal(each, type), ', ' if not loop_index == len(loop_items) - 1 else '',)
        _text += (' };\n',)
        return "".join(map(str, _text))


    def widened_scale(r: Any, i: Any, raise_: Any) -> str:
        _text: list[Any] = []
        if scale != 'f32':
            _text += (widened('%%of%d_%d' % (r, i), scale, '%%raw%d_%d' % (r, i)),)
        if zeros:
            _text += (widened_zero(r, i, raise_),)
        return "".join(map(str, _text))


    def widened_zero(r: Any, i: Any, raise_: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\tcvt.rn.f32.u16 %less', r, '_', i, ', %zero', r, '_', i, ';\n',
            '\tsub.rn.f32 %less', r, '_', i, ', ', raise_, ', %less', r, '_', i, ';\n',
        )
        return "".join(map(str, _text))

    return SimpleNamespace(NF4=NF4, scale_row=scale_row, pairs_of=pairs_of, in_order=in_order, load_scale=load_scale, fill_pairs=fill_pairs, values_of=values_of, widened_scale=widened_scale, widened_zero=widened_zero)
