"""optimiser.ptx.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from typing import Any

from ptxgen.kernels.compiled import streams as _streams
from ptxgen.kernels.template_functions import member as _member
from ptxgen.text.template_helpers import f32 as _f32
from ptxgen.text.template_helpers import types as _types

SOURCE = "f6370cee45ecf0ca578e8d9584cf33b0"
USES: list[Any] = [_streams]


def render(*, op: Any, type: Any, clipped: Any, vector: Any, unroll: Any, threads: Any, target: Any, version: Any) -> str:
    _text: list[Any] = []
    _from_streams = _streams.macros(target=target)
    stream = _from_streams.stream
    adam = op != 'lion'
    kinds = dict(p=type, g=type, m=_member(_types, 'f32'), v=_member(_types, 'f32'))
    states = ['m', 'v'] if adam else ['m']
    numbers = [('rate', 'f32'), ('decay', 'f32'), ('beta1', 'f32'), ('more1', 'f32'), ('beta2', 'f32'), ('more2', 'f32')] + ([('root', 'f32'), ('eps', 'f32')] if adam else []) + ([('most', 'f32')] if clipped else [])

    def before() -> str:
        _text: list[Any] = []
        if clipped:
            _text += (
                '\tld.param.u64 %at_squares, [squares];\n',
                '\tcvta.to.global.u64 %at_squares, %at_squares;\n',
                '\tld.global.f32 %factor, [%at_squares];\n',
                '\tsqrt.rn.f32 %factor, %factor;\n',
                '\tadd.rn.f32 %factor, %factor, ', _f32(1e-06), ';\n',
                '\tdiv.rn.f32 %factor, %most, %factor;\n',
                '\tmin.f32 %factor, %factor, ', _f32(1), ';\n',
            )
        _text += ('\tneg.f32 %rate, %rate;\n',)
        return "".join(map(str, _text))


    def step(i: Any) -> str:
        _text: list[Any] = []
        (p, g, m, v) = (str('%p') + str(i), str('%g') + str(i), str('%m') + str(i), str('%v') + str(i))
        if clipped:
            _text += ('\tmul.rn.f32 ', g, ', ', g, ', %factor;\n',)
        if op == 'adam':
            _text += ('\tfma.rn.f32 ', g, ', %decay, ', p, ', ', g, ';\n',)
        else:
            _text += ('\tmul.rn.f32 ', p, ', ', p, ', %decay;\n',)
        if adam:
            _text += (
                '\tmul.rn.f32 ', m, ', ', m, ', %beta1;\n',
                '\tfma.rn.f32 ', m, ', ', g, ', %more1, ', m, ';\n',
                '\tmul.rn.f32 %u, ', g, ', ', g, ';\n',
                '\tmul.rn.f32 ', v, ', ', v, ', %beta2;\n',
                '\tfma.rn.f32 ', v, ', %u, %more2, ', v, ';\n',
                '\tsqrt.rn.f32 %u, ', v, ';\n',
                '\tfma.rn.f32 %u, %u, %root, %eps;\n',
                '\tdiv.rn.f32 %u, ', m, ', %u;\n',
                '\tfma.rn.f32 ', p, ', %rate, %u, ', p, ';\n',
            )
        else:
            _text += (
                '\tmul.rn.f32 %u, ', m, ', %beta1;\n',
                '\tfma.rn.f32 %u, ', g, ', %more1, %u;\n',
                '\tcopysign.f32 %sign, %u, ', _f32(1), ';\n',
                '\tsetp.eq.f32 %below, %u, ', _f32(0), ';\n',
                '\tselp.f32 %sign, ', _f32(0), ', %sign, %below;\n',
                '\tsetp.nan.f32 %below, %u, %u;\n',
                '\tselp.f32 %sign, %u, %sign, %below;\n',
                '\tfma.rn.f32 ', p, ', %rate, %sign, ', p, ';\n',
                '\tmul.rn.f32 ', m, ', ', m, ', %beta2;\n',
                '\tfma.rn.f32 ', m, ', ', g, ', %more2, ', m, ';\n',
            )
        return "".join(map(str, _text))

    declared = str('\t.reg .f32 %u') + str(', %sign' if not adam else '') + str(', %factor' if clipped else '') + str(';\n') + str('\t.reg .b64 %at_squares;\n' if clipped else '')
    _text += (
        '.version ', version, '\n',
        '.target ', target, '\n',
        '.address_size 64\n',
        '\n',
    )

    def _caller_1(i: Any, place: Any) -> str:
        _text: list[Any] = []
        _text += (step(i),)
        return "".join(map(str, _text))

    _text += (stream('optimiser', ['p', 'g'] + states, ['p'] + states, kinds, vector, unroll, threads, numbers, declared, before(), False, ['squares'] if clipped else [], caller=_caller_1),)
    return "".join(map(str, _text))
