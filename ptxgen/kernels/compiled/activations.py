"""activations.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ptxgen.kernels.template_functions import member as _member
from ptxgen.text.template_helpers import f32 as _f32

SOURCE = "26c40332a834f9e52d10415a985dff04"
USES: list[Any] = []


def macros(*, about: Any, about_x: Any, few: Any, format: Any, teams: Any, tiny: Any, type: Any, unroll: Any, zeros: Any) -> SimpleNamespace:
    record_bytes = 16 if format == 'q6_k' else 8

    def activation_registers() -> str:
        _text: list[Any] = []
        _text += (
            '\t.reg .pred %inside, %first_of_unit, %second_of_unit, %upper_chunk;\n',
            '\t.reg .b16 %x_low, %x_high;\n',
            '\t.reg .b32 %x_pair<', 4 * unroll, '>, %x_column<', unroll, '>, %x_chunk<', unroll, '>, %x_all, %x_first, %x_from, %x_most, %x_next, %x_to, %chunks;\n',
            '\t.reg .b64 %x_at;\n',
            '\t.reg .f32 %x_of<8>, %x_factor, %x_back, %x_total, %x_other;\n',
        )
        return "".join(map(str, _text))


    def write_activations(threads: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\tshl.b32 %chunks, %units, 2;\n',
            '\tmul.lo.u32 %x_all, %chunks, ', 1 if few else '%x_columns', ';\n',
            '\tmov.b32 %x_first, 0;\n',
            '$chunks:\n',
        )
        for i in range(unroll):
            _text += (load_chunk(i, threads),)
        _text += (
            '\tsetp.eq.u32 %inside, %x_first, 0;\n',
            '\t@%inside barrier.arrive 1, ', threads + 32 * teams, ';\n',
        )
        for i in range(unroll):
            if i:
                _text += (
                    '\tadd.u32 %x_next, %x_first, ', i * threads, ';\n',
                    '\tsetp.ge.u32 %inside, %x_next, %x_all;\n',
                    '\t@%inside bra $written;\n',
                )
            _text += (normalised(4 * i), write_chunk(i, threads),)
        _text += (
            '\tadd.u32 %x_first, %x_first, ', unroll * threads, ';\n',
            '\tsetp.lt.u32 %inside, %x_first, %x_all;\n',
            '\t@%inside bra $chunks;\n',
            '$written:\n',
        )
        return "".join(map(str, _text))


    def load_chunk(i: Any, threads: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\tadd.u32 %x_chunk', i, ', %x_first, %thread;\n',
            '\tadd.u32 %x_chunk', i, ', %x_chunk', i, ', ', i * threads, ';\n',
            '\tsetp.lt.u32 %inside, %x_chunk', i, ', %x_all;\n',
        )
        if few:
            _text += ('\tmov.b32 %x_column', i, ', 0;\n',)
        else:
            _text += (
                '\tdiv.u32 %x_column', i, ', %x_chunk', i, ', %chunks;\n',
                '\trem.u32 %x_chunk', i, ', %x_chunk', i, ', %chunks;\n',
            )
        if format == 'q6_k':
            _text += (
                '\tshr.u32 %x_from, %x_chunk', i, ', 5;\n',
                '\tshl.b32 %x_from, %x_from, 8;\n',
            )
            for (bits, times) in ((17, 8), (6, 16), (8, 2)):
                _text += (
                    '\tand.b32 %x_next, %x_chunk', i, ', ', bits, ';\n',
                    '\tmad.lo.u32 %x_from, %x_next, ', times, ', %x_from;\n',
                )
        elif _member(about_x, 'split'):
            _text += (
                '\tshr.u32 %x_from, %x_chunk', i, ', 2;\n',
                '\tand.b32 %x_next, %x_chunk', i, ', 3;\n',
                '\tshl.b32 %x_next, %x_next, 2;\n',
                '\tmad.lo.u32 %x_from, %x_from, 32, %x_next;\n',
            )
        else:
            _text += ('\tshl.b32 %x_from, %x_chunk', i, ', 3;\n',)
        _text += ('\tsetp.lt.and.u32 %inside, %x_from, %columns, %inside;\n',)
        if not few:
            _text += ('\tsetp.lt.and.u32 %inside, %x_column', i, ', %batch, %inside;\n',)
        _text += (
            '\tcvt.u64.u32 %x_at, %x_column', i, ';\n',
            '\tmul.lo.u64 %x_at, %x_at, %step_x;\n',
            '\tmad.lo.u64 %x_at, %x_at, 2, %x;\n',
            '\tmad.wide.u32 %x_at, %x_from, 2, %x_at;\n',
        )
        for j in range(4):
            _text += ('\tmov.b32 %x_pair', 4 * i + j, ', 0;\n',)
        _text += (
            '\t@%inside ld.global.v2.b32 { %x_pair', 4 * i, ', %x_pair', 4 * i + 1, '}, [%x_at];\n',
            '\t@%inside ld.global.v2.b32 { %x_pair', 4 * i + 2, ', %x_pair', 4 * i + 3, '}, [%x_at+', 32 if _member(about_x, 'split') else 8, '];\n',
        )
        return "".join(map(str, _text))


    def normalised(at: Any) -> str:
        _text: list[Any] = []
        (fraction, raise_) = (7, 0) if type == 'bf16' else (10, 112)
        _text += ('\tand.b32 %x_most, %x_pair', at, ', 0x7FFF7FFF;\n',)
        for j in (1, 2, 3):
            _text += (
                '\tand.b32 %x_next, %x_pair', at + j, ', 0x7FFF7FFF;\n',
                '\tmax.u16x2 %x_most, %x_most, %x_next;\n',
            )
        _text += (
            '\tshr.u32 %x_next, %x_most, 16;\n',
            '\tand.b32 %x_most, %x_most, 0xFFFF;\n',
            '\tmax.u32 %x_most, %x_most, %x_next;\n',
        )
        for distance in (1, 2):
            _text += (
                '\tshfl.sync.bfly.b32 %x_next, %x_most, ', distance, ', 31, -1;\n',
                '\tmax.u32 %x_most, %x_most, %x_next;\n',
            )
        _text += (
            '\tshr.u32 %x_most, %x_most, ', fraction, ';\n',
            '\tsub.u32 %x_most, ', 127 + 127 + 15 - raise_, ', %x_most;\n',
            '\tmin.u32 %x_most, %x_most, 253;\n',
            '\tshl.b32 %x_next, %x_most, 23;\n',
            '\tmov.b32 %x_factor, %x_next;\n',
            '\tsub.u32 %x_most, ', 254 + tiny, ', %x_most;\n',
            '\tshl.b32 %x_most, %x_most, 23;\n',
            '\tmov.b32 %x_back, %x_most;\n',
        )
        for j in range(4):
            if type == 'bf16':
                _text += (
                    '\tshl.b32 %x_next, %x_pair', at + j, ', 16;\n',
                    '\tmov.b32 %x_of', 2 * j, ', %x_next;\n',
                    '\tand.b32 %x_next, %x_pair', at + j, ', 0xFFFF0000;\n',
                    '\tmov.b32 %x_of', 2 * j + 1, ', %x_next;\n',
                )
            else:
                _text += (
                    '\tmov.b32 { %x_low, %x_high}, %x_pair', at + j, ';\n',
                    '\tcvt.f32.f16 %x_of', 2 * j, ', %x_low;\n',
                    '\tcvt.f32.f16 %x_of', 2 * j + 1, ', %x_high;\n',
                )
        _text += ('\tmov.f32 %x_total, ', _f32(0), ';\n',)
        for j in range(8):
            _text += (
                '\tmul.rn.f32 %x_of', j, ', %x_of', j, ', %x_factor;\n',
                '\tadd.rn.f32 %x_total, %x_total, %x_of', j, ';\n',
            )
        for distance in (1,) if format == 'q6_k' else (1, 2):
            _text += (
                '\tshfl.sync.bfly.b32 %x_other, %x_total, ', distance, ', 31, -1;\n',
                '\tadd.rn.f32 %x_total, %x_total, %x_other;\n',
            )
        _text += (
            '\tmul.rn.f32 %x_total, %x_total, ', _f32((1.0 if _member(about, 'least') or zeros else -_member(about, 'zero')) / (4096.0 * 4096.0 if tiny else 1.0)), ';\n',
            '\tmul.rn.f32 %x_total, %x_total, %x_back;\n',
        )
        if _member(about_x, 'odd'):
            _text += (
                '\tand.b32 %x_next, %thread, 4;\n',
                '\tsetp.ne.u32 %upper_chunk, %x_next, 0;\n',
                '\t@%upper_chunk mul.rn.f32 %x_back, %x_back, ', _f32(0.0625), ';\n',
            )
        return "".join(map(str, _text))


    def write_chunk(i: Any, threads: Any) -> str:
        _text: list[Any] = []
        at = 4 * i
        for j in range(4):
            (one, other) = _member(about_x, 'pairs')[j]
            if j in _member(about_x, 'high'):
                _text += (
                    '\tmul.rn.f32 %x_of', one, ', %x_of', one, ', ', _f32(0.0625), ';\n',
                    '\tmul.rn.f32 %x_of', other, ', %x_of', other, ', ', _f32(0.0625), ';\n',
                )
            _text += ('\tcvt.rn.f16x2.f32 %x_pair', at + j, ', %x_of', other, ', %x_of', one, ';\n',)
        _text += (
            '\tadd.u32 %x_next, %x_first, %thread;\n',
            '\tadd.u32 %x_next, %x_next, ', i * threads, ';\n',
            '\tsetp.lt.u32 %inside, %x_next, %x_all;\n',
            '\tmad.lo.u32 %x_to, %x_column', i, ', %x_pitch, %xs;\n',
            '\tmad.lo.u32 %x_to, %x_chunk', i, ', 16, %x_to;\n',
            '\t@%inside st.shared.v4.b32 [%x_to], { %x_pair', at, ', %x_pair', at + 1, ', %x_pair', at + 2, ', %x_pair', at + 3, '};\n',
            '\tshr.u32 %x_from, %x_chunk', i, ', 2;\n',
        )
        if not few:
            _text += ('\tmad.lo.u32 %x_from, %x_from, 8, %x_column', i, ';\n',)
        _text += (
            '\tmad.lo.u32 %x_to, %x_from, ', record_bytes, ', %records;\n',
            '\tand.b32 %x_next, %thread, 3;\n',
            '\tsetp.eq.and.u32 %first_of_unit, %x_next, 0, %inside;\n',
            '\t@%first_of_unit st.shared.v2.f32 [%x_to], { %x_back, %x_total};\n',
        )
        if format == 'q6_k':
            _text += (
                '\tsetp.eq.and.u32 %second_of_unit, %x_next, 2, %inside;\n',
                '\t@%second_of_unit st.shared.v2.f32 [%x_to+8], { %x_total, %x_total};\n',
            )
        return "".join(map(str, _text))

    return SimpleNamespace(record_bytes=record_bytes, activation_registers=activation_registers, write_activations=write_activations, load_chunk=load_chunk, normalised=normalised, write_chunk=write_chunk)
