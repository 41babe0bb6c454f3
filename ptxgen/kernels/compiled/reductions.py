"""reductions.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ptxgen.kernels.template_functions import member as _member
from ptxgen.text.template_helpers import f32 as _f32

SOURCE = "4e08149af448d8d99ee2949a5bb8b984"
USES: list[Any] = []


def macros() -> SimpleNamespace:

    def fold(out: Any, op: Any, registers: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\t{\n',
            '\t.reg .f32 %fold<', len(registers), '>;\n',
        )
        rn = '.rn' if op == 'add' else ''
        all = SimpleNamespace(level=registers, next=[], made=0)
        for step in [step for step in range(12) if len(_member(all, 'level')) > 1]:
            all.next = []
            for i in range(0, len(_member(all, 'level')) - 1, 2):
                _text += ('\t', op, rn, '.f32 %fold', _member(all, 'made'), ', ', _member(all, 'level')[i], ', ', _member(all, 'level')[i + 1], ';\n',)
                all.next = _member(all, 'next') + ['%%fold%d' % _member(all, 'made')]
                all.made = _member(all, 'made') + 1
            if len(_member(all, 'level')) % 2:
                all.next = _member(all, 'next') + [_member(all, 'level')[-1]]
            all.level = _member(all, 'next')
        _text += (
            '\tmov.f32 ', out, ', ', _member(all, 'level')[0], ';\n',
            '\t}\n',
        )
        return "".join(map(str, _text))


    def lanes(r: Any, op: Any, width: Any) -> str:
        _text: list[Any] = []
        if width > 1:
            _text += (
                '\t{\n',
                '\t.reg .f32 %lane_other;\n',
            )
            for distance in [distance for distance in (16, 8, 4, 2, 1) if distance < width]:
                _text += (
                    '\tshfl.sync.bfly.b32 %lane_other, ', r, ', ', distance, ', 31, -1;\n',
                    '\t', op, '.rn' if op == 'add' else '', '.f32 ', r, ', ', r, ', %lane_other;\n',
                )
            _text += ('\t}\n',)
        return "".join(map(str, _text))


    def merge_online(largest: Any, total: Any, width: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\t{\n',
            '\t.reg .f32 %merge_top, %merge_weight, %merge_all;\n',
            fold('%merge_top', 'max', largest), lanes('%merge_top', 'max', width),
        )
        for loop_index, (m, s) in enumerate(zip(largest, total)):
            _text += (
                '\tsub.rn.f32 %merge_weight, ', m, ', %merge_top;\n',
                '\tmul.rn.f32 %merge_weight, %merge_weight, ', _f32(1.4426950408889634), ';\n',
                '\tex2.approx.ftz.f32 %merge_weight, %merge_weight;\n',
            )
            if loop_index == 0:
                _text += ('\tmul.rn.f32 %merge_all, ', s, ', %merge_weight;\n',)
            else:
                _text += ('\tfma.rn.f32 %merge_all, ', s, ', %merge_weight, %merge_all;\n',)
        _text += (
            lanes('%merge_all', 'add', width), '\tmov.f32 ', largest[0], ', %merge_top;\n',
            '\tmov.f32 ', total[0], ', %merge_all;\n',
            '\t}\n',
        )
        return "".join(map(str, _text))


    def divide(total: Any, count: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\t{\n',
            '\t.reg .f32 %divide_share, %divide_quotient, %divide_rest;\n',
            '\trcp.approx.f32 %divide_share, ', count, ';\n',
            '\tmul.rn.f32 %divide_quotient, ', total, ', %divide_share;\n',
            '\tneg.f32 %divide_rest, %divide_quotient;\n',
            '\tfma.rn.f32 %divide_rest, %divide_rest, ', count, ', ', total, ';\n',
            '\tfma.rn.f32 ', total, ', %divide_rest, %divide_share, %divide_quotient;\n',
            '\t}\n',
        )
        return "".join(map(str, _text))


    def merge_moments(count: Any, mean: Any, squares: Any, width: Any) -> str:
        _text: list[Any] = []
        even = isinstance(count, (int, float))
        _text += (
            '\t{\n',
            '\t.reg .f32 %merge_mean, %merge_all, %merge_away;\n',
        )
        if even:
            _text += (fold('%merge_mean', 'add', mean), lanes('%merge_mean', 'add', width), '\tmul.rn.f32 %merge_mean, %merge_mean, ', _f32(1 / (width * len(mean))), ';\n',)
        else:
            _text += (
                '\t.reg .f32 %merge_n, %merge_some;\n',
                fold('%merge_n', 'add', count), lanes('%merge_n', 'add', width), '\tmax.f32 %merge_some, %merge_n, ', _f32(1), ';\n',
                '\tmul.rn.f32 %merge_mean, ', count[0], ', ', mean[0], ';\n',
            )
            for (c, m) in zip(count[1:], mean[1:]):
                _text += ('\tfma.rn.f32 %merge_mean, ', c, ', ', m, ', %merge_mean;\n',)
            _text += (lanes('%merge_mean', 'add', width), divide('%merge_mean', '%merge_some'), '\n',)
        for loop_index, (m, s) in enumerate(zip(mean, squares)):
            _text += (
                '\tsub.rn.f32 %merge_away, ', m, ', %merge_mean;\n',
                '\tmul.rn.f32 %merge_away, %merge_away, %merge_away;\n',
                '\tfma.rn.f32 ', s, ', ', _f32(count) if even else count[loop_index], ', %merge_away, ', s, ';\n',
            )
        _text += (
            fold('%merge_all', 'add', squares), lanes('%merge_all', 'add', width), '\tmov.f32 ', mean[0], ', %merge_mean;\n',
            '\tmov.f32 ', squares[0], ', %merge_all;\n',
        )
        if not even:
            _text += ('\tmov.f32 ', count[0], ', %merge_n;\n',)
        _text += ('\t}\n',)
        return "".join(map(str, _text))


    def merge_sums(each: Any, width: Any) -> str:
        _text: list[Any] = []
        for parts in each:
            if len(parts) > 1:
                _text += (fold(parts[0], 'add', parts),)
            _text += (lanes(parts[0], 'add', width),)
        return "".join(map(str, _text))

    return SimpleNamespace(fold=fold, lanes=lanes, merge_online=merge_online, divide=divide, merge_moments=merge_moments, merge_sums=merge_sums)
