"""functions.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ptxgen.text.template_helpers import f32 as _f32

SOURCE = "11077bb21909be144fc51d1e426fb250"
USES: list[Any] = []


def macros() -> SimpleNamespace:
    log2e = 1.4426950408889634
    log2e_low = 1.9259630335e-08

    def exp(d: Any, x: Any, fast: Any) -> str:
        _text: list[Any] = []
        if fast:
            _text += (
                '\t{\n',
                '\t.reg .f32 %exponent;\n',
                '\tmul.rn.f32 %exponent, ', x, ', ', _f32(log2e), ';\n',
                '\tex2.approx.f32 ', d, ', %exponent;\n',
                '\t}\n',
            )
        else:
            _text += (
                '\t{\n',
                '\t.reg .f32 %exponent, %whole;\n',
                '\tmul.rn.f32 %whole, ', x, ', ', _f32(log2e), ';\n',
                '\tcvt.rni.f32.f32 %whole, %whole;\n',
                '\tmax.f32 %whole, %whole, ', _f32(-126), ';\n',
                '\tmin.f32 %whole, %whole, ', _f32(127), ';\n',
                '\tneg.f32 %exponent, %whole;\n',
                '\tfma.rn.f32 %exponent, ', x, ', ', _f32(log2e), ', %exponent;\n',
                '\tfma.rn.f32 %exponent, ', x, ', ', _f32(log2e_low), ', %exponent;\n',
                '\tex2.approx.f32 %exponent, %exponent;\n',
                '\tex2.approx.f32 %whole, %whole;\n',
                '\tmul.rn.f32 ', d, ', %exponent, %whole;\n',
                '\t}\n',
            )
        return "".join(map(str, _text))


    def sigmoid(d: Any, t: Any, fast: Any) -> str:
        _text: list[Any] = []
        if fast:
            _text += (
                '\tmul.rn.f32 ', d, ', ', t, ', ', _f32(-log2e), ';\n',
                sigmoid_of_power(d),
            )
        else:
            _text += (
                '\t{\n',
                '\t.reg .pred %negative;\n',
                '\t.reg .f32 %size, %power, %lost, %below;\n',
                '\tabs.f32 %size, ', t, ';\n',
                '\tmul.rn.f32 %power, %size, ', _f32(-log2e), ';\n',
                '\tneg.f32 %lost, %power;\n',
                '\tfma.rn.f32 %lost, %size, ', _f32(-log2e), ', %lost;\n',
                '\tfma.rn.f32 %lost, %size, ', _f32(-log2e_low), ', %lost;\n',
                '\tmul.rn.f32 %lost, %lost, ', _f32(0.6931471805599453), ';\n',
                '\tmin.f32 %lost, %lost, ', _f32(1), ';\n',
                '\tex2.approx.f32 %power, %power;\n',
                '\tfma.rn.f32 %power, %power, %lost, %power;\n',
                '\tadd.rn.f32 %below, %power, ', _f32(1), ';\n',
                '\trcp.approx.ftz.f32 %below, %below;\n',
                '\tsetp.lt.f32 %negative, ', t, ', ', _f32(0), ';\n',
                '\tselp.f32 %power, %power, ', _f32(1), ', %negative;\n',
                '\tmul.rn.f32 ', d, ', %power, %below;\n',
                '\t}\n',
            )
        return "".join(map(str, _text))


    def sigmoid_of_power(d: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\tex2.approx.ftz.f32 ', d, ', ', d, ';\n',
            '\tadd.rn.f32 ', d, ', ', d, ', ', _f32(1), ';\n',
            '\trcp.approx.ftz.f32 ', d, ', ', d, ';\n',
        )
        return "".join(map(str, _text))


    def tanh(d: Any, x: Any, type: Any) -> str:
        _text: list[Any] = []
        if type == 'bf16':
            _text += ('\ttanh.approx.f32 ', d, ', ', x, ';\n',)
        else:
            _text += (
                '\t{\n',
                '\t.reg .pred %small;\n',
                '\t.reg .f32 %size, %power, %below, %square;\n',
                '\tabs.f32 %size, ', x, ';\n',
                '\tmul.rn.f32 %power, %size, ', _f32(-2 * log2e), ';\n',
                '\tex2.approx.ftz.f32 %power, %power;\n',
                '\tadd.rn.f32 %below, %power, ', _f32(1), ';\n',
                '\trcp.approx.ftz.f32 %below, %below;\n',
                '\tsub.rn.f32 %power, ', _f32(1), ', %power;\n',
                '\tmul.rn.f32 %power, %power, %below;\n',
                '\tcopysign.f32 %power, ', x, ', %power;\n',
                '\tmul.rn.f32 %square, ', x, ', ', x, ';\n',
                '\tmov.f32 ', d, ', ', _f32(-0.005905843339860439), ';\n',
            )
            for factor in (0.02080536261200905, -0.05378667637705803, 0.13331958651542664, -0.33333298563957214):
                _text += ('\tfma.rn.f32 ', d, ', ', d, ', %square, ', _f32(factor), ';\n',)
            _text += (
                '\tmul.rn.f32 ', d, ', ', d, ', %square;\n',
                '\tfma.rn.f32 ', d, ', ', d, ', ', x, ', ', x, ';\n',
                '\tsetp.lt.f32 %small, %size, ', _f32(0.6), ';\n',
                '\tselp.f32 ', d, ', ', d, ', %power, %small;\n',
                '\t}\n',
            )
        return "".join(map(str, _text))


    def silu(d: Any, x: Any, fast: Any) -> str:
        _text: list[Any] = []
        _text += (sigmoid(d, x, fast), '\tmul.rn.f32 ', d, ', ', d, ', ', x, ';\n',)
        return "".join(map(str, _text))


    def gelu(d: Any, x: Any) -> str:
        _text: list[Any] = []
        _text += (gelu_share(d, x), '\tmul.rn.f32 ', d, ', ', d, ', ', x, ';\n',)
        return "".join(map(str, _text))


    def gelu_share(d: Any, x: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\tmul.rn.f32 ', d, ', ', x, ', ', x, ';\n',
            '\tfma.rn.f32 ', d, ', ', d, ', ', _f32(-0.07135481627260025 * log2e), ', ', _f32(-1.5957691216057308 * log2e), ';\n',
            '\tmul.rn.f32 ', d, ', ', d, ', ', x, ';\n',
            sigmoid_of_power(d),
        )
        return "".join(map(str, _text))


    def silu_slope(d: Any, x: Any, fast: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\t{\n',
            '\t.reg .f32 %share;\n',
            sigmoid('%share', x, fast), '\tsub.rn.f32 ', d, ', ', _f32(1), ', %share;\n',
            '\tmul.rn.f32 ', d, ', ', d, ', ', x, ';\n',
            '\tfma.rn.f32 ', d, ', ', d, ', %share, %share;\n',
            '\t}\n',
        )
        return "".join(map(str, _text))


    def gelu_slope(d: Any, x: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\t{\n',
            '\t.reg .f32 %share, %square;\n',
            gelu_share('%share', x), '\tmul.rn.f32 %square, ', x, ', ', x, ';\n',
            '\tfma.rn.f32 %square, %square, ', _f32(3 * 0.07135481627260025), ', ', _f32(1.5957691216057308), ';\n',
            '\tsub.rn.f32 ', d, ', ', _f32(1), ', %share;\n',
            '\tmul.rn.f32 ', d, ', ', d, ', %share;\n',
            '\tmul.rn.f32 ', d, ', ', d, ', ', x, ';\n',
            '\tfma.rn.f32 ', d, ', ', d, ', %square, %share;\n',
            '\t}\n',
        )
        return "".join(map(str, _text))

    return SimpleNamespace(log2e=log2e, log2e_low=log2e_low, exp=exp, sigmoid=sigmoid, sigmoid_of_power=sigmoid_of_power, tanh=tanh, silu=silu, gelu=gelu, gelu_share=gelu_share, silu_slope=silu_slope, gelu_slope=gelu_slope)
