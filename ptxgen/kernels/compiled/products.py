"""products.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ptxgen.kernels.compiled import codes as _codes
from ptxgen.kernels.compiled import functions as _functions
from ptxgen.kernels.compiled import vectors as _vectors
from ptxgen.kernels.template_functions import member as _member

SOURCE = "d5bdaa5a931d88b06ac9a13d6bb53ff7"
USES: list[Any] = [_codes, _functions, _vectors]


def macros(*, bias: Any, bias_bytes: Any, biased: Any, glu: Any, group: Any, paired: Any, result: Any, scale: Any, scaled: Any, target: Any, zeros: Any) -> SimpleNamespace:
    _from_codes = _codes.macros(scale=scale, target=target, zeros=zeros)
    load_scale = _from_codes.load_scale
    scale_row = _from_codes.scale_row
    _from_functions = _functions.macros()
    gelu = _from_functions.gelu
    silu = _from_functions.silu
    _from_vectors = _vectors.macros(target=target)
    narrowed = _from_vectors.narrowed
    widened = _from_vectors.widened

    def parameters() -> str:
        _text: list[Any] = []
        _text += (
            '\t.param .u64 .ptr .global .align 16 w,\n',
            '\t.param .u64 .ptr .global .align 8 x,\n',
            '\t.param .u64 x_step,\n',
            '\t.param .u64 .ptr .global .align ', _member(result, 'bytes'), ' y,\n',
            '\t.param .u64 y_step,\n',
            '\t.param .u32 rows,\n',
            '\t.param .u32 columns,\n',
            '\t.param .u32 batch', ',' if scaled or biased else '', '\n',
        )
        if scaled:
            _text += (
                '\t.param .u64 .ptr .global .align ', _member(scale, 'bytes'), ' scales,\n',
                '\t.param .u32 scale_step,\n',
                '\t.param .u32 scale_shift,\n',
                '\t.param .u64 .ptr .global .align 1 zeros', ',' if biased else '', '\n',
            )
        if biased:
            _text += ('\t.param .u64 .ptr .global .align ', bias_bytes, ' bias\n',)
        return "".join(map(str, _text))


    def load_parameters() -> str:
        _text: list[Any] = []
        _text += (
            '\tld.param.u64 %w, [w];\n',
            '\tcvta.to.global.u64 %w, %w;\n',
            '\tld.param.u64 %x, [x];\n',
            '\tcvta.to.global.u64 %x, %x;\n',
            '\tld.param.u64 %y, [y];\n',
            '\tcvta.to.global.u64 %y, %y;\n',
            '\tld.param.u64 %step_x, [x_step];\n',
            '\tld.param.u64 %step_y, [y_step];\n',
            '\tld.param.u32 %rows, [rows];\n',
            '\tld.param.u32 %columns, [columns];\n',
            '\tld.param.u32 %batch, [batch];\n',
        )
        return "".join(map(str, _text))


    def load_scale_parameters() -> str:
        _text: list[Any] = []
        if scaled:
            _text += (
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
        return "".join(map(str, _text))


    def finished() -> str:
        _text: list[Any] = []
        for half in range(2 if paired else 1):
            _text += ('\tadd.u32 %other, %row, ', '%rows' if half else 0, ';\n',)
            if scaled and not group:
                _text += (scale_row('%at', '%scales', '%other', '%shift_rows', '%step', _member(scale, 'bytes')), load_scale('%scale' if scale == 'f32' else '%raw0_0', scale, '%at', ''),)
                if scale != 'f32':
                    _text += (widened('%scale', scale, '%raw0_0'),)
                _text += ('\tmul.rn.f32 %c', half, ', %c', half, ', %scale;\n',)
            if biased:
                _text += (
                    '\tld.param.u64 %bias, [bias];\n',
                    '\tcvta.to.global.u64 %bias, %bias;\n',
                    '\tmad.wide.u32 %at, %other, ', bias_bytes, ', %bias;\n',
                    load_scale('%added' if bias == 'f32' else '%raw_bias', bias, '%at', ''),
                )
                if bias != 'f32':
                    _text += (widened('%added', bias, '%raw_bias'),)
                _text += ('\tadd.rn.f32 %c', half, ', %c', half, ', %added;\n',)
        if paired:
            _text += (silu('%c2', '%c0', result != 'f32') if glu == 'silu' else gelu('%c2', '%c0'), '\tmul.rn.f32 %c0, %c2, %c1;\n',)
        _text += (
            '\tcvt.u64.u32 %wide, %from;\n',
            '\tcvt.u64.u32 %at, %row;\n',
            '\tmad.lo.u64 %wide, %wide, %step_y, %at;\n',
            '\tmad.lo.u64 %wide, %wide, ', _member(result, 'bytes'), ', %y;\n',
        )
        if result == 'f32':
            _text += ('\tst.global.f32 [%wide], %c0;\n',)
        else:
            _text += (narrowed('%rounded', result, '%c0'), '\tst.global.b16 [%wide], %rounded;\n',)
        return "".join(map(str, _text))

    return SimpleNamespace(parameters=parameters, load_parameters=load_parameters, load_scale_parameters=load_scale_parameters, finished=finished)
