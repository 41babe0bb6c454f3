"""pieces.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ptxgen.text.template_helpers import ceil_div as _ceil_div

SOURCE = "c681a2e07ea8b8e0fc2b6a57c8806520"
USES: list[Any] = []


def macros(*, warps: Any, whole: Any) -> SimpleNamespace:

    def chunk_place(row: Any, at: Any, i: Any, chunks: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\tadd.u32 ', at, ', %lane, ', 32 * i, ';\n',
            '\tdiv.u32 ', row, ', ', at, ', ', chunks, ';\n',
            '\trem.u32 ', at, ', ', at, ', ', chunks, ';\n',
            '\tmul.lo.u32 ', at, ', ', at, ', 16;\n',
        )
        return "".join(map(str, _text))


    def chunk_step(chunks: Any, pitch: Any) -> str:
        _text: list[Any] = []
        _text += (512 if pitch == 16 * chunks else 32 // chunks * pitch if 32 % chunks == 0 else 0,)
        return "".join(map(str, _text))


    def chunk_places(chunks: Any, pitch: Any, aligned: Any, paired: Any) -> str:
        _text: list[Any] = []
        each = _ceil_div(16 * chunks, 32)
        step = int(chunk_step(chunks, pitch))
        _text += (
            '\t.reg .b32 %chunk_to<', 1 if step else each, '>, %chunk_row, %chunk_at;\n',
            '\t.reg .b64 %chunk_from<', each, '>;\n',
            '\t.reg .pred %last_chunk;\n',
        )
        if 16 * chunks % 32:
            _text += ('\tsetp.lt.u32 %last_chunk, %lane, 16;\n',)
        for i in range(each):
            _text += (chunk_place('%chunk_row', '%chunk_at', i, chunks),)
            if not i or not step:
                _text += ('\tmad.lo.u32 %chunk_to', i, ', %chunk_row, ', pitch, ', %chunk_at;\n',)
            if paired:
                _text += (
                    '\tsetp.ge.u32 %in, %chunk_row, 8;\n',
                    '\t@%in sub.u32 %chunk_row, %chunk_row, 8;\n',
                    '\tselp.b32 %from, %rows, 0, %in;\n',
                    '\tadd.u32 %chunk_row, %from, %chunk_row;\n',
                )
            _text += (
                '\tcvt.u64.u32 %wide, %chunk_row;\n',
                '\tmul.lo.u64 %chunk_from', i, ', %wide, %pitch;\n',
            )
            if aligned:
                _text += (
                    '\tcvt.u64.u32 %wide, %chunk_at;\n',
                    '\tadd.u64 %chunk_from', i, ', %chunk_from', i, ', %wide;\n',
                )
        return "".join(map(str, _text))


    def copy_piece(number: Any, per256: Any, chunks: Any, pitch: Any, aligned: Any, paired: Any) -> str:
        _text: list[Any] = []
        step = int(chunk_step(chunks, pitch))
        _text += (
            '\t{\n',
            '\t.reg .pred %there, %inside;\n',
            '\t.reg .b32 %to, %size, %first_row;\n',
            '\t.reg .b64 %first, %source, %end, %left, %chunk_wide;\n',
            '$wrap', number, ':\n',
            '\tsetp.lt.u32 %there, %ahead, %pieces;\n',
            '\t@%there bra $wrapped', number, ';\n',
            '\tsub.u32 %ahead, %ahead, %pieces;\n',
            '\tadd.u32 %ahead_group, %ahead_group, %grid;\n',
            '\tbra $wrap', number, ';\n',
            '$wrapped', number, ':\n',
            '\tsetp.lt.u32 %there, %ahead_group, %groups;\n',
            '\t@!%there bra $copied', number, ';\n',
        )
        if step:
            _text += ('\tadd.u32 %to, %into, %chunk_to0;\n',)
        _text += (
            '\tmul.lo.u32 %first_row, %ahead_group, ', 8 if paired else 16, ';\n',
            '\tcvt.u64.u32 %first, %first_row;\n',
            '\tmad.lo.u64 %first, %first, %pitch, %w;\n',
            '\tmad.wide.u32 %first, %ahead, ', per256, ', %first;\n',
        )
        if aligned:
            _text += (
                '\tadd.u32 %size, %first_row, ', 8 if paired else 16, ';\n',
                '\tsetp.le.u32 %inside, %size, %rows;\n',
            )
            if not whole:
                _text += (
                    '\tmad.lo.u32 %size, %ahead, 256, 256;\n',
                    '\tsetp.le.and.u32 %inside, %size, %columns, %inside;\n',
                )
            _text += ('\t@!%inside bra $edge', number, ';\n',)
            for i in range(_ceil_div(16 * chunks, 32)):
                _text += ('\tadd.u64 %source, %first, %chunk_from', i, ';\n',)
                if not step:
                    _text += ('\tadd.u32 %to, %into, %chunk_to', i, ';\n',)
                _text += ('\t', '@%last_chunk ' if 32 * i + 32 > 16 * chunks else '', 'cp.async.cg.shared.global [%to+', step * i, '], [%source], 16;\n',)
            _text += (
                '\tbra $started', number, ';\n',
                '$edge', number, ':\n',
            )
        _text += (
            '\tmad.wide.u32 %end, %ahead, ', per256, ', 0;\n',
            '\tsub.u64 %end, %pitch, %end;\n',
        )
        for i in range(_ceil_div(16 * chunks, 32)):
            _text += (
                chunk_place('%chunk_row', '%chunk_at', i, chunks), '\tcvt.u64.u32 %chunk_wide, %chunk_at;\n',
                '\tadd.u64 %source, %first, %chunk_from', i, ';\n',
            )
            if aligned:
                _text += ('\tsub.s64 %left, %end, %chunk_wide;\n',)
            else:
                _text += (
                    '\tadd.u64 %left, %source, %end;\n',
                    '\tand.b64 %source, %source, -16;\n',
                    '\tadd.u64 %source, %source, %chunk_wide;\n',
                    '\tsub.s64 %left, %left, %source;\n',
                )
            _text += (
                '\tmax.s64 %left, %left, 0;\n',
                '\tmin.s64 %left, %left, 16;\n',
                '\tcvt.u32.u64 %size, %left;\n',
            )
            if paired:
                _text += ('\tand.b32 %chunk_row, %chunk_row, 7;\n',)
            _text += (
                '\tadd.u32 %chunk_row, %first_row, %chunk_row;\n',
                '\tsetp.lt.u32 %inside, %chunk_row, %rows;\n',
                '\tselp.b32 %size, %size, 0, %inside;\n',
                '\tsetp.ne.u32 %inside, %size, 0;\n',
                '\tselp.b64 %source, %source, %w, %inside;\n',
            )
            if not step:
                _text += ('\tadd.u32 %to, %into, %chunk_to', i, ';\n',)
            _text += ('\t', '@%last_chunk ' if 32 * i + 32 > 16 * chunks else '', 'cp.async.cg.shared.global [%to+', step * i, '], [%source], 16, %size;\n',)
        if aligned:
            _text += ('$started', number, ':\n',)
        _text += (
            '\tadd.u32 %into, %into, ', 16 * pitch, ';\n',
            '\tsetp.ge.u32 %inside, %into, %end_of_slots;\n',
            '\tselp.b32 %into, %slots, %into, %inside;\n',
            '\tadd.u32 %ahead, %ahead, ', warps, ';\n',
            '$copied', number, ':\n',
            '\tcp.async.commit_group;\n',
            '\t}\n',
        )
        return "".join(map(str, _text))

    return SimpleNamespace(chunk_place=chunk_place, chunk_step=chunk_step, chunk_places=chunk_places, copy_piece=copy_piece)
