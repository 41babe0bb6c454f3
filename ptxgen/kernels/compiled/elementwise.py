"""elementwise.ptx.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from typing import Any

from ptxgen.kernels.compiled import functions as _functions
from ptxgen.kernels.compiled import streams as _streams
from ptxgen.kernels.template_functions import member as _member
from ptxgen.text.template_helpers import literal as _literal
from ptxgen.text.template_helpers import types as _types

SOURCE = "0063ef6d91df3b38b5213ac4f2d6f95a"
USES: list[Any] = [_functions, _streams]


def render(*, op: Any, type: Any, result: Any, vector: Any, unroll: Any, threads: Any, target: Any, version: Any) -> str:
    _text: list[Any] = []
    _from_streams = _streams.macros(target=target)
    stream = _from_streams.stream
    _from_functions = _functions.macros()
    exp = _from_functions.exp
    sigmoid = _from_functions.sigmoid
    tanh = _from_functions.tanh
    silu = _from_functions.silu
    gelu = _from_functions.gelu
    silu_slope = _from_functions.silu_slope
    gelu_slope = _from_functions.gelu_slope
    binary = op in ('add', 'sub', 'mul', 'div', 'min', 'max', 'swiglu', 'geglu', 'silu_backward', 'gelu_backward')
    made = _types[result] if result else type
    c = _member(_types, 'f32') if _member(type, 'bits') < 32 else type
    rn = '.rn' if _member(c, 'is_float') else ''
    sources = ['x', 'y', 'w'] if op == 'swiglu_backward' else ['x', 'y'] if binary else ['x']
    results = ['z', 'v'] if op == 'swiglu_backward' else ['z']
    kinds = dict(x=type, y=type, w=type, z=made, v=made)
    fast = _member(made, 'bits') < 32
    _text += ('\n',)

    def apply(i: Any) -> str:
        _text: list[Any] = []
        (x, y, z) = (str('%x') + str(i), str('%y') + str(i), str('%z') + str(i))
        if op in ('add', 'sub'):
            _text += ('\t', op, rn, '.', c, ' ', z, ', ', x, ', ', y, ';\n',)
        elif op == 'mul':
            _text += ('\tmul', rn or '.lo', '.', c, ' ', z, ', ', x, ', ', y, ';\n',)
        elif op in ('div', 'min', 'max'):
            _text += ('\t', op, rn if op == 'div' else '', '.', c, ' ', z, ', ', x, ', ', y, ';\n',)
        elif op in ('abs', 'neg'):
            _text += ('\t', op, '.', c, ' ', z, ', ', x, ';\n',)
        elif op == 'sqrt':
            _text += ('\tsqrt.rn.', c, ' ', z, ', ', x, ';\n',)
        elif op == 'relu':
            _text += (
                '\tsetp.lt.', c, ' %below, ', x, ', ', _literal(0, c), ';\n',
                '\tselp.', _member(c, 'storage'), ' ', z, ', ', _literal(0, c), ', ', x, ', %below;\n',
            )
        elif op == 'exp':
            _text += (exp(z, x, fast),)
        elif op == 'sigmoid':
            _text += (sigmoid(z, x, fast),)
        elif op == 'silu':
            _text += (silu(z, x, fast),)
        elif op == 'gelu':
            _text += (gelu(z, x),)
        elif op == 'tanh':
            _text += (tanh(z, x, type),)
        elif op == 'swiglu':
            _text += (silu(z, x, fast), '\tmul.rn.f32 ', z, ', ', z, ', ', y, ';\n',)
        elif op == 'geglu':
            _text += (gelu(z, x), '\tmul.rn.f32 ', z, ', ', z, ', ', y, ';\n',)
        elif op == 'silu_backward':
            _text += (silu_slope(z, x, fast), '\tmul.rn.f32 ', z, ', ', z, ', ', y, ';\n',)
        elif op == 'gelu_backward':
            _text += (gelu_slope(z, x), '\tmul.rn.f32 ', z, ', ', z, ', ', y, ';\n',)
        elif op == 'swiglu_backward':
            _text += (
                silu_slope(z, x, fast), '\tmul.rn.f32 ', z, ', ', z, ', ', y, ';\n',
                '\tmul.rn.f32 ', z, ', ', z, ', %w', i, ';\n',
                silu('%%v%d' % i, x, fast), '\tmul.rn.f32 %v', i, ', %v', i, ', %w', i, ';\n',
            )
        elif op == 'cast':
            _text += ('\tmov.f32 ', z, ', ', x, ';\n',)
        return "".join(map(str, _text))

    _text += (
        '\n',
        '.version ', version, '\n',
        '.target ', target, '\n',
        '.address_size 64\n',
        '\n',
    )

    def _caller_1(i: Any, place: Any) -> str:
        _text: list[Any] = []
        _text += (apply(i),)
        return "".join(map(str, _text))

    _text += (stream('elementwise', sources, results, kinds, vector, unroll, threads, caller=_caller_1),)
    return "".join(map(str, _text))
