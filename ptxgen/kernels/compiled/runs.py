"""runs.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ptxgen.text.template_helpers import ceil_div as _ceil_div

SOURCE = "4550ba0a6dfb980a1c94de05b1ff334e"
USES: list[Any] = []


def macros(*, whole: Any) -> SimpleNamespace:

    def run_places(run: Any, pitch: Any, paired: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\t.reg .pred ', '%second, ' if run % 32 else '', '%last_chunk, ' if 2 * run % 32 else '', '%slot_half;\n',
            '\t.reg .b32 %run_to, %slot_row;\n',
            '\t.reg .b64 %run_from<2>;\n',
        )
        if run % 32:
            _text += ('\tsetp.ge.u32 %second, %lane, ', run % 32, ';\n',)
        if 2 * run % 32:
            _text += ('\tsetp.lt.u32 %last_chunk, %lane, ', 2 * run % 32, ';\n',)
        _text += (
            '\tshl.b32 %slot_row, %warp, 1;\n',
            '\tmul.lo.u32 %run_to, %slot_row, ', pitch, ';\n',
            '\tmad.lo.u32 %run_to, %lane, 16, %run_to;\n',
        )
        if paired:
            _text += (
                '\tsetp.ge.u32 %slot_half, %slot_row, 8;\n',
                '\tselp.b32 %from, %rows, 0, %slot_half;\n',
                '\tand.b32 %slot_row, %slot_row, 7;\n',
                '\tadd.u32 %from, %from, %slot_row;\n',
                '\tcvt.u64.u32 %wide, %from;\n',
            )
        else:
            _text += ('\tcvt.u64.u32 %wide, %slot_row;\n',)
        _text += (
            '\tmul.lo.u64 %run_from0, %wide, %pitch;\n',
            '\tmad.wide.u32 %run_from0, %lane, 16, %run_from0;\n',
            '\tadd.u64 %run_from1, %run_from0, %pitch;\n',
            '\tsub.u64 %run_from1, %run_from1, ', 16 * run, ';\n',
        )
        return "".join(map(str, _text))


    def copy_run(number: Any, warps: Any, run: Any, per256: Any, pitch: Any, aligned: Any, paired: Any) -> str:
        _text: list[Any] = []
        gap = pitch - 16 * run
        _text += (
            '\t{\n',
            '\t.reg .pred %there, %inside;\n',
            '\t.reg .b32 %to, %size, %first_row, %chunk, %row_here;\n',
            '\t.reg .b64 %first, %source<2>, %one, %end, %left;\n',
            '\tsetp.lt.u32 %there, %ahead_group, %groups;\n',
            '\t@!%there bra $copied', number, ';\n',
            '\tmul.lo.u32 %first_row, %ahead_group, ', 8 if paired else 16, ';\n',
            '\tcvt.u64.u32 %first, %first_row;\n',
            '\tmad.lo.u64 %first, %first, %pitch, %w;\n',
            '\tmad.wide.u32 %first, %ahead, ', per256, ', %first;\n',
            '\tadd.u64 %source0, %first, %run_from0;\n',
            '\tadd.u64 %source1, %first, %run_from1;\n',
            '\tadd.u32 %to, %into, %run_to;\n',
            '\tadd.u32 %size, %first_row, ', (8 if paired else 16) + (0 if aligned else 1), ';\n',
            '\tsetp.le.u32 %inside, %size, %rows;\n',
            '\tadd.u32 %size, %ahead, ', warps, ';\n',
            '\tsetp.le.and.u32 %inside, %size, %pieces, %inside;\n',
        )
        if not whole:
            _text += (
                '\tmul.lo.u32 %size, %size, 256;\n',
                '\tsetp.le.and.u32 %inside, %size, %columns, %inside;\n',
            )
        _text += ('\t@!%inside bra $edge', number, ';\n',)
        if not aligned:
            _text += (
                '\tand.b64 %source0, %source0, -16;\n',
                '\tand.b64 %source1, %source1, -16;\n',
            )
        for i in range(_ceil_div(2 * run, 32)):
            guard = '@%last_chunk ' if 32 * i + 32 > 2 * run else ''
            if 32 * i + 32 <= run:
                _text += ('\t', guard, 'cp.async.cg.shared.global [%to+', 512 * i, '], [%source0+', 512 * i, '], 16;\n',)
            else:
                if 32 * i < run:
                    _text += (
                        '\tselp.b64 %one, %source1, %source0, %second;\n',
                        '\tselp.b32 %size, ', gap, ', 0, %second;\n',
                        '\tadd.u32 %size, %to, %size;\n',
                        '\t', guard, 'cp.async.cg.shared.global [%size+', 512 * i, '], [%one+', 512 * i, '], 16;\n',
                    )
                else:
                    _text += ('\t', guard, 'cp.async.cg.shared.global [%to+', gap + 512 * i, '], [%source1+', 512 * i, '], 16;\n',)
        _text += (
            '\tbra $started', number, ';\n',
            '$edge', number, ':\n',
            '\tmad.wide.u32 %end, %ahead, ', per256, ', 0;\n',
            '\tsub.u64 %end, %pitch, %end;\n',
            '\tmov.b32 %chunk, 0;\n',
            '$chunk', number, ':\n',
            '\t.pragma "nounroll";\n',
            '\tadd.u32 %size, %chunk, %lane;\n',
            '\tsetp.ge.u32 %inside, %size, ', run, ';\n',
            '\tselp.b64 %one, %source1, %source0, %inside;\n',
            '\tselp.b64 %left, ', 16 * run, ', 0, %inside;\n',
            '\tadd.u64 %left, %left, %one;\n',
            '\tmul.wide.u32 %first, %lane, 16;\n',
            '\tsub.u64 %left, %left, %first;\n',
            '\tadd.u64 %left, %left, %end;\n',
            '\tand.b64 %one, %one, -16;\n',
            '\tmad.wide.u32 %one, %chunk, 16, %one;\n',
            '\tsub.s64 %left, %left, %one;\n',
            '\tmax.s64 %left, %left, 0;\n',
            '\tmin.s64 %left, %left, 16;\n',
            '\tcvt.u32.u64 %size, %left;\n',
            '\tselp.b32 %row_here, 1, 0, %inside;\n',
            '\tadd.u32 %row_here, %row_here, %slot_row;\n',
            '\tadd.u32 %row_here, %row_here, %first_row;\n',
            '\tsetp.lt.u32 %there, %row_here, %rows;\n',
            '\tselp.b32 %size, %size, 0, %there;\n',
            '\tsetp.ne.u32 %there, %size, 0;\n',
            '\tselp.b64 %one, %one, %w, %there;\n',
            '\tselp.b32 %row_here, ', gap, ', 0, %inside;\n',
            '\tmad.lo.u32 %row_here, %chunk, 16, %row_here;\n',
            '\tadd.u32 %row_here, %row_here, %to;\n',
            '\tadd.u32 %chunk, %chunk, 32;\n',
            '\tsetp.lt.u32 %there, %chunk, ', 2 * run, ';\n',
        )
        if 2 * run % 32:
            _text += ('\t@!%there bra $last', number, ';\n',)
        _text += (
            '\tcp.async.cg.shared.global [%row_here], [%one], 16, %size;\n',
            '\t@%there bra $chunk', number, ';\n',
        )
        if 2 * run % 32:
            _text += (
                '\tbra $started', number, ';\n',
                '$last', number, ':\n',
                '\t@%last_chunk cp.async.cg.shared.global [%row_here], [%one], 16, %size;\n',
            )
        _text += (
            '$started', number, ':\n',
            '\tadd.u32 %into, %into, ', 16 * pitch, ';\n',
            '\tsetp.ge.u32 %inside, %into, %end_of_slots;\n',
            '\tselp.b32 %into, %slots, %into, %inside;\n',
            '\tadd.u32 %ahead, %ahead, ', warps, ';\n',
            '\tsetp.ge.u32 %inside, %ahead, %pieces;\n',
            '\t@%inside mov.b32 %ahead, 0;\n',
            '\t@%inside add.u32 %ahead_group, %ahead_group, %grid;\n',
            '$copied', number, ':\n',
            '\tcp.async.commit_group;\n',
            '\t}\n',
        )
        return "".join(map(str, _text))

    return SimpleNamespace(run_places=run_places, copy_run=copy_run)
