"""dropout.ptx.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from typing import Any

from ptxgen.kernels.compiled import philox as _philox
from ptxgen.kernels.compiled import streams as _streams
from ptxgen.text.template_helpers import f32 as _f32

SOURCE = "e6d7ae2434256c2556e57c38b04537cc"
USES: list[Any] = [_philox, _streams]


def render(*, type: Any, vector: Any, unroll: Any, threads: Any, target: Any, version: Any) -> str:
    _text: list[Any] = []
    _from_streams = _streams.macros(target=target)
    stream = _from_streams.stream
    _from_philox = _philox.macros()
    philox = _from_philox.philox
    kinds = dict(x=type, y=type)
    c = ['%c0', '%c1', '%c2', '%c3']

    def drawn(place: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\tadd.u64 %four, %origin, ', place, ';\n',
            '\tshr.u64 %four, %four, 2;\n',
            '\tmov.b64 { %c0, %c1}, %four;\n',
            '\tmov.b64 { %c2, %c3}, %offset;\n',
            philox(c, '%key0', '%key1'),
        )
        return "".join(map(str, _text))


    def kept(i: Any, word: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\tmul.rn.f32 %y', i, ', %x', i, ', %scale;\n',
            '\tsetp.ge.u32 %below, ', word, ', %threshold;\n',
            '\tselp.f32 %y', i, ', %y', i, ', ', _f32(0), ', %below;\n',
        )
        return "".join(map(str, _text))

    _text += (
        '.version ', version, '\n',
        '.target ', target, '\n',
        '.address_size 64\n',
        '\n',
    )
    before = '\tmov.b64 { %key0, %key1}, %seed;\n'
    declared = '\t.reg .b32 %c<4>, %key0, %key1, %which;\n\t.reg .b64 %four;\n'

    def _caller_1(i: Any, place: Any) -> str:
        _text: list[Any] = []
        if place < 0 or vector < 4:
            _text += (drawn(max([place, 0])), '\tcvt.u32.u64 %which, %origin;\n',)
            if place > 0:
                _text += ('\tadd.u32 %which, %which, ', place, ';\n',)
            _text += ('\tand.b32 %which, %which, 3;\n',)
            for word in range(1, 4):
                _text += (
                    '\tsetp.eq.u32 %below, %which, ', word, ';\n',
                    '\tselp.b32 %c0, %c', word, ', %c0, %below;\n',
                )
            _text += (kept(i, '%c0'),)
        else:
            if place % 4 == 0:
                _text += (drawn(place),)
            _text += (kept(i, str('%c') + str(place % 4)),)
        return "".join(map(str, _text))

    _text += (stream('dropout', ['x'], ['y'], kinds, vector, unroll, threads, [('seed', 'u64'), ('offset', 'u64'), ('threshold', 'u32'), ('scale', 'f32')], declared, before, True, caller=_caller_1),)
    return "".join(map(str, _text))
