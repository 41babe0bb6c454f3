"""gemv.ptx.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from typing import Any

from ptxgen.kernels.compiled import blocks as _blocks
from ptxgen.kernels.compiled import codes as _codes
from ptxgen.kernels.compiled import pieces as _pieces
from ptxgen.kernels.compiled import products as _products
from ptxgen.kernels.compiled import runs as _runs
from ptxgen.kernels.template_functions import member as _member
from ptxgen.text.template_helpers import ceil_div as _ceil_div
from ptxgen.text.template_helpers import f32 as _f32
from ptxgen.text.template_helpers import literal as _literal
from ptxgen.text.template_helpers import sm_of as _sm_of

SOURCE = "37da24c9ec16388dde1025265439834a"
USES: list[Any] = [_blocks, _codes, _pieces, _products, _runs]


def render(*, format: Any, type: Any, result: Any, width: Any, whole: Any, warps: Any, stages: Any, group: Any, scale: Any, zeros: Any, glu: Any, bias: Any, constant: Any, target: Any, version: Any) -> str:
    _text: list[Any] = []
    _from_blocks = _blocks.macros()
    BLOCKS = _from_blocks.BLOCKS
    CODED = _from_blocks.CODED
    DENSE = _from_blocks.DENSE
    common_registers = _from_blocks.common_registers
    common_scales = _from_blocks.common_scales
    quants = _from_blocks.quants
    unit_scale = _from_blocks.unit_scale
    _from_codes = _codes.macros(scale=scale, target=target, zeros=zeros)
    fill_pairs = _from_codes.fill_pairs
    in_order = _from_codes.in_order
    load_scale = _from_codes.load_scale
    pairs_of = _from_codes.pairs_of
    scale_row = _from_codes.scale_row
    values_of = _from_codes.values_of
    widened_scale = _from_codes.widened_scale
    widened_zero = _from_codes.widened_zero
    _from_pieces = _pieces.macros(warps=warps, whole=whole)
    chunk_places = _from_pieces.chunk_places
    copy_piece = _from_pieces.copy_piece
    _from_runs = _runs.macros(whole=whole)
    copy_run = _from_runs.copy_run
    run_places = _from_runs.run_places
    about = BLOCKS[format]
    dense = format in DENSE
    scaled = format in CODED
    coded = scaled or dense
    per256 = _member(about, 'bytes') * 256 // _member(about, 'elements')
    aligned = per256 % 16 == 0 and (whole or _member(about, 'align') == 16)
    together = dense or format == 'q6_k' or width < 8 and format in ('q4_0', 'q4_1', 'q5_0', 'q8_0', 'q4_k')
    runs = together and warps == 8
    chunks = _ceil_div((warps if runs else 1) * per256 + (0 if aligned else 14), 16)
    pitch = 16 * (chunks + 4 if dense else chunks + 1 - chunks % 2)
    slot = 16 * pitch
    unit = 16 if _member(about, 'halves') else 32
    side = 8 // width
    sets = 256 // unit // side
    words = 2 if _member(about, 'halves') else 4
    own = 2 if width == 1 else 1
    at_once = sets // 2 if width == 8 else sets
    loaded = at_once // 2 if width == 8 and (coded or format == 'q5_k') else at_once
    sums = 2 if width == 1 else 4
    mma = 'mma.sync.aligned.m16n8k16.row.col.f32.%s.%s.f32' % (type, type)
    ones = '0x3F803F80' if type == 'bf16' else '0x3C003C00'
    by_signs = format == 'q8_0' and type == 'bf16'
    offset = 1 if by_signs else (128 if type == 'bf16' else 1024) + (0 if zeros else _member(about, 'zero'))
    raised = type == 'bf16' and not dense and format not in ('q8_0', 'nf4', 'e4m3') and not (_member(about, 'halves') and width > 2)
    summed = _member(about, 'least') or zeros or raised
    raise_ = _f32(-offset if raised else 0)
    dependent = _sm_of(target) >= 90
    early = width == 1 or width < 8 and not (coded and group) and not (_member(about, 'halves') and width == 4)
    copies_first = width < 8
    n = '%n' if early else '%b'
    table_bytes = 32768 if format == 'nf4' else 0
    paired = glu != 'none'
    biased = bias != 'none'
    bias_bytes = 4 if bias == 'f32' else 2
    rows_of_cta = 8 if paired else 16
    part_bytes = 64 * width * warps
    _from_products = _products.macros(bias=bias, bias_bytes=bias_bytes, biased=biased, glu=glu, group=group, paired=paired, result=result, scale=scale, scaled=scaled, target=target, zeros=zeros)
    finished = _from_products.finished
    load_parameters = _from_products.load_parameters
    load_scale_parameters = _from_products.load_scale_parameters
    parameters = _from_products.parameters
    _text += ('\n',)

    def numbers_of(j: Any) -> str:
        _text: list[Any] = []
        for r in (0, 1):
            a = ['%%a%d' % r, '%%a%d' % (2 + r), '%%a%d' % (4 + r), '%%a%d' % (6 + r)]
            if coded:
                _text += (pairs_of(format, type, a, '%%codes%d' % r, j * _member(about, 'bytes'), '%table', '%ones', '' if raised else '%less'),)
            else:
                at = 0 if _member(about, 'elements') == 256 else j * _member(about, 'bytes')
                _text += (quants(format, j, 'shared', '%%shift%d' % r, '%%mine%d' % r, at, 4 if aligned and (at + 2) % 4 == 0 else _member(about, 'align'), '%lane4', '%low', '%high'),)
                if format == 'q8_0' and not by_signs:
                    _text += (
                        '\txor.b32 %low, %low, 0x80808080;\n',
                        '\txor.b32 %high, %high, 0x80808080;\n',
                    )
                for (word, first) in (('%low', 0), ('%high', 2)):
                    for pair in (0, 1):
                        _text += (number_pair(a[first + pair], word, pair),)
        return "".join(map(str, _text))

    _text += ('\n',)

    def number_pair(d: Any, word: Any, pair: Any) -> str:
        _text: list[Any] = []
        if by_signs:
            _text += (
                '\t{\n',
                '\t.reg .b32 %bits, %sign;\n',
            )
            if pair:
                _text += ('\tshr.u32 ', word, ', ', word, ', 8;\n',)
            _text += (
                '\tlop3.b32 %bits, ', word, ', 0x007F007F, 0x43004300, 0xEA;\n',
                '\tlop3.b32 %sign, ', word, ', 0x00800080, 0x43004300, 0xEA;\n',
                '\tfma.rn.bf16x2 ', d, ', %sign, %less, %bits;\n',
                '\t}\n',
            )
        else:
            _text += ('\tprmt.b32 ', d, ', ', word, ', ', '0x43434343' if type == 'bf16' else '0x64646464', ', ', 17218 if pair else 16704, ';\n',)
            if not raised:
                _text += ('\tfma.rn.', type, 'x2 ', d, ', ', d, ', %ones, %less;\n',)
        return "".join(map(str, _text))

    _text += ('\n',)

    def activations(piece: Any, first: Any, upto: Any) -> str:
        _text: list[Any] = []
        _text += ('\tmad.wide.u32 %at, ', piece, ', 512, %x;\n',)
        if not whole:
            _text += ('\tmad.lo.u32 %k, ', piece, ', 256, %own_first;\n',)
        for s in range(first, upto):
            at = words * (s % loaded)
            if whole:
                guard = '@%column '
            else:
                guard = '@%in '
                _text += (
                    '\tadd.u32 %from, %k, ', s * side * unit, ';\n',
                    '\tsetp.lt.and.u32 %in, %from, %columns, %column;\n',
                )
                for i in range(words):
                    _text += ('\tmov.b32 ', n, at + i, ', 0;\n',)
            _text += ('\t', guard, 'ld.global.v2.b32 { ', n, at, ', ', n, at + 1, '}, [%at+', 2 * s * side * unit, '];\n',)
            if words == 4:
                _text += ('\t', guard, 'ld.global.v2.b32 { ', n, at + 2, ', ', n, at + 3, '}, [%at+', 2 * s * side * unit + (8 if coded else 32), '];\n',)
        return "".join(map(str, _text))

    _text += ('\n',)

    def load_scales(first: Any) -> str:
        _text: list[Any] = []
        _text += ('\tshl.b32 %k, %piece, 8;\n',)
        for r in (0, 1):
            _text += ('\tmad.wide.u32 %scale_at, %piece, ', 256 // group * _member(scale, 'bytes'), ', %scale_row', r, ';\n',)
            if zeros:
                _text += ('\tmad.wide.u32 %zero_at, %piece, ', 256 // group, ', %zero_row', r, ';\n',)
            for i in range(own * at_once):
                unit_of = '%%scale_of%d' % (own * first + i)
                if not whole:
                    _text += (
                        '\tmad.lo.u32 %from, ', unit_of, ', ', group, ', %k;\n',
                        '\tsetp.lt.u32 %in, %from, %columns;\n',
                    )
                guard = '' if whole else '@%in '
                _text += (
                    '\tmad.wide.u32 %at, ', unit_of, ', ', _member(scale, 'bytes'), ', %scale_at;\n',
                    load_scale(('%%of%d_%d' if scale == 'f32' else '%%raw%d_%d') % (r, i), scale, '%at', guard),
                )
                if zeros:
                    _text += (
                        '\tcvt.u64.u32 %wide, ', unit_of, ';\n',
                        '\tadd.u64 %at, %zero_at, %wide;\n',
                        load_scale('%%zero%d_%d' % (r, i), 'u8', '%at', guard),
                    )
        return "".join(map(str, _text))


    def widen_scales() -> str:
        _text: list[Any] = []
        for r in (0, 1):
            for i in range(own * at_once):
                _text += (widened_scale(r, i, raise_),)
        return "".join(map(str, _text))

    _text += ('\n',)

    def multiply(half: Any, first: Any, at: Any, fresh: Any) -> str:
        _text: list[Any] = []
        c = '{ %%c%d, %%c%d, %%c%d, %%c%d}' % (first, first + 1, first + 2, first + 3)
        _text += ('\t', mma, ' ', c, ', { %a', 4 * half, ', %a', 4 * half + 1, ', %a', 4 * half + 2, ', %a', 4 * half + 3, '}, { %b', at, ', %b', at + 1, '}, ', '{ %zero, %zero, %zero, %zero}' if fresh else c, ';\n',)
        return "".join(map(str, _text))

    _text += ('\n',)

    def keep(u: Any, first: Any) -> str:
        _text: list[Any] = []
        for r in (0, 1):
            for i in (u % 2,) if own == 2 else (0, 1):
                (d, c) = ('%%d%d' % (2 * r + i), '%%c%d' % (first + 2 * r + i))
                if u < own:
                    _text += ('\tmov.f32 ', d, ', ', c, ';\n',)
                else:
                    _text += ('\tselp.f32 ', d, ', ', c, ', ', d, ', %is_mine', u // own, ';\n',)
        return "".join(map(str, _text))

    _text += ('\n',)

    def scaled_sums(s: Any, c: Any) -> str:
        _text: list[Any] = []
        if summed:
            b = words * (s % loaded)
            _text += ('\t', mma, ' { %s0, %s1, %s2, %s3}, { %ones, %ones, %ones, %ones}, { %b', b, ', %b', b + 1, '}, { %zero, %zero, %zero, %zero};\n',)
            if words == 4:
                _text += ('\t', mma, ' { %s0, %s1, %s2, %s3}, { %ones, %ones, %ones, %ones}, { %b', b + 2, ', %b', b + 3, '}, { %s0, %s1, %s2, %s3};\n',)
        for r in (0, 1):
            for d in range(own):
                which = own * (s % at_once) + d if group else 0
                if not coded:
                    last = '%upper' if side == 8 else 'never' if s * side < 4 else 'always'
                    _text += (unit_scale(format, 'shared', s * side + d, r, '%%scale_place%d' % r, '%unit_shift', last, '%scale', '%least'),)
                    (scale_name, least_name) = ('%scale', '%least')
                else:
                    (scale_name, least_name) = ('%%of%d_%d' % (r, which), '%%less%d_%d' % (r, which))
                for i in (d,) if own == 2 else (0, 1):
                    sum = '%%sum%d' % (r if width == 1 else 2 * r + i)
                    if zeros or raised:
                        _text += ('\tfma.rn.f32 %', c[2 * r + i], ', %s', i, ', ', least_name if zeros else _f32(-offset), ', %', c[2 * r + i], ';\n',)
                    if coded and not group:
                        _text += ('\tadd.rn.f32 ', sum, ', ', sum, ', %', c[2 * r + i], ';\n',)
                    else:
                        _text += ('\tfma.rn.f32 ', sum, ', %', c[2 * r + i], ', ', scale_name, ', ', sum, ';\n',)
                    if _member(about, 'least'):
                        _text += ('\tfma.rn.f32 ', sum, ', %s', i, ', ', least_name, ', ', sum, ';\n',)
        return "".join(map(str, _text))

    _text += ('\n',)

    def store_sums() -> str:
        _text: list[Any] = []
        _text += (
            '\tsetp.lt.u32 %in, %thread, ', rows_of_cta * width, ';\n',
            '\t@!%in bra $stored;\n',
        )
        if runs:
            _text += (
                '\tsub.u32 %k, %parts, %part;\n',
                '\tmad.lo.u32 %k, %thread, 4, %k;\n',
            )
        else:
            _text += ('\tmad.lo.u32 %k, %thread, 4, %part;\n',)
        for half in range(2 if paired else 1):
            _text += ('\tld.shared.f32 %c', half, ', [%k+', 32 * width * half, '];\n',)
            for other in range(1, warps):
                _text += (
                    '\tld.shared.f32 %c2, [%k+', 32 * width * half + 64 * width * other, '];\n',
                    '\tadd.rn.f32 %c', half, ', %c', half, ', %c2;\n',
                )
        _text += (
            '\tdiv.u32 %row, %thread, ', width, ';\n',
            '\trem.u32 %from, %thread, ', width, ';\n',
            '\tmad.lo.u32 %row, ', '%ended' if runs else '%group', ', ', rows_of_cta, ', %row;\n',
            '\tsetp.lt.u32 %in, %row, %rows;\n',
            '\tsetp.lt.and.u32 %in, %from, %batch, %in;\n',
            '\t@!%in bra $stored;\n',
            finished(),
        )
        return "".join(map(str, _text))

    _text += ('\n',)

    def own_piece(d: Any, base: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\tadd.u32 ', d, ', ', base, ', %warp;\n',
            '\tsetp.lt.u32 %more, ', d, ', %pieces;\n',
            '\tselp.b32 ', d, ', ', d, ', 0, %more;\n',
        )
        return "".join(map(str, _text))

    _text += (
        '\n',
        '.version ', version, '\n',
        '.target ', target, '\n',
        '.address_size 64\n',
        '\n',
        '.extern .shared .align 16 .b8 staged[];\n',
        values_of(type) if format == 'nf4' else '', '\n',
        '.visible .entry gemv(\n',
        parameters(), ')\n',
        '.maxntid ', 32 * warps, '\n',
        '.minnctapersm ', 1 if dense or zeros and width == 8 else 2, '\n',
        '{\n',
        '\t.reg .pred %more, %in, %column, %within;\n',
        '\t.reg .b32 %thread, %lane, %warp, %g, %t, %lane4, %rows, %columns, %batch, %pieces, %groups, %grid, %k, %from;\n',
        '\t.reg .b32 %piece, %group, %next, %current, %slots, %end_of_slots, %part, %parts, %part_own, %row, %other', ', %base, %ended, %place' if runs else '', ';\n',
        '\t.reg .b32 %ahead, %ahead_group, %into, %unit, %ones, %less, %low, %high;\n',
        '\t.reg .b32 %shift<2>, %mine<2>, %b<', words * loaded, '>, ', '%%n<%d>, ' % (words * sets) if early else '', '%a<8>;\n',
        '\t.reg .b64 %w, %x, %y, %step_x, %step_y, %pitch, %at, %wide;\n',
        '\t.reg .f32 %sum<', sums, '>, %c<8>, %s<4>, %zero, %scale, %least;\n',
        '\t.reg .b16 %rounded;\n',
        '\t.shared .align 8 .b8 parts[', 2 * part_bytes, '];\n',
    )
    if not coded:
        _text += (
            '\t.reg .pred %upper;\n',
            '\t.reg .b32 %scale_place<2>, %unit_at, %unit_shift;\n',
            common_registers(),
        )
    if side > 1:
        _text += (
            '\t.reg .pred %is_mine<', side // own, '>;\n',
            '\t.reg .f32 %d<4>;\n',
        )
    if not whole:
        _text += ('\t.reg .b32 %own_first;\n',)
    if biased:
        _text += (
            '\t.reg .b64 %bias;\n',
            '\t.reg .b16 %raw_bias;\n',
            '\t.reg .f32 %added;\n',
        )
    if coded:
        _text += ('\t.reg .b32 %codes<2>;\n',)
    if scaled:
        _text += (
            '\t.reg .b32 %step, %shift_rows, %table;\n',
            '\t.reg .b64 %scales, %zeros, %scale_row<2>, %zero_row<2>;\n',
        )
        if group:
            _text += (
                '\t.reg .b32 %scale_of<', own * sets, '>;\n',
                '\t.reg .b64 %scale_at, %zero_at;\n',
            )
        for r in (0, 1):
            _text += (
                '\t.reg .f32 %of', r, '_<', own * at_once, '>, %less', r, '_<', own * at_once, '>;\n',
                '\t.reg .b16 %raw', r, '_<', own * at_once, '>, %zero', r, '_<', own * at_once, '>;\n',
            )
    _text += (
        '\n',
        load_parameters(),
    )
    if dependent:
        _text += ('\tgriddepcontrol.launch_dependents;\n',)
    _text += (
        '\tmov.u32 %thread, %tid.x;\n',
        '\tmov.u32 %group, %ctaid.x;\n',
        '\tmov.u32 %grid, %nctaid.x;\n',
        '\tand.b32 %lane, %thread, 31;\n',
        '\tshr.u32 %warp, %thread, 5;\n',
        '\tshr.u32 %g, %lane, 2;\n',
        '\tand.b32 %t, %lane, 3;\n',
        '\tshl.b32 %lane4, %t, 2;\n',
        '\tmov.b32 %ones, ', ones, ';\n',
    )
    if not raised:
        _text += ('\tmov.b32 %less, ', _literal(-offset, type), _literal(-offset, type)[2:], ';\n',)
    _text += (
        load_scale_parameters(), '\tmov.f32 %zero, ', _f32(0), ';\n',
        '\tadd.u32 %pieces, %columns, 255;\n',
        '\tshr.u32 %pieces, %pieces, 8;\n',
        '\tadd.u32 %groups, %rows, ', rows_of_cta - 1, ';\n',
        '\tdiv.u32 %groups, %groups, ', rows_of_cta, ';\n',
        '\tdiv.u32 %k, %columns, ', _member(about, 'elements'), ';\n',
        '\tmul.wide.u32 %pitch, %k, ', _member(about, 'bytes'), ';\n',
        '\n',
        '\tdiv.u32 %unit, %g, ', width, ';\n',
        '\trem.u32 %from, %g, ', width, ';\n',
        '\tsetp.lt.u32 %column, %from, %batch;\n',
        '\tmul.lo.u32 %k, %unit, ', unit, ';\n',
    )
    if not whole:
        _text += ('\tmov.b32 %own_first, %k;\n',)
    _text += (
        '\tmad.lo.u32 %k, %lane4, ', 2 if coded else 1, ', %k;\n',
        '\tcvt.u64.u32 %wide, %from;\n',
        '\tmul.lo.u64 %at, %wide, %step_x;\n',
        '\tcvt.u64.u32 %wide, %k;\n',
        '\tadd.u64 %at, %at, %wide;\n',
        '\tmad.lo.u64 %x, %at, 2, %x;\n',
    )
    for i in range(words * loaded):
        _text += ('\tmov.b32 ', n, i, ', 0;\n',)
    if width == 8:
        _text += ('\tmov.b32 %unit, 0;\n',)
    else:
        _text += (
            '\tmul.lo.u32 %unit, %t, 2;\n',
            '\tdiv.u32 %unit, %unit, ', width, ';\n',
        )
    for k in range(1, side // own if side > 1 else 0):
        _text += ('\tsetp.eq.u32 %is_mine', k, ', %unit, ', k * own, ';\n',)
    if not coded:
        _text += (
            '\tmul.lo.u32 %unit_at, %unit, ', 1 if _member(about, 'elements') == 256 else _member(about, 'bytes'), ';\n',
            '\tand.b32 %unit_shift, %unit, 3;\n',
            '\tshl.b32 %unit_shift, %unit_shift, 3;\n',
            '\tsetp.gt.u32 %upper, %unit, 3;\n',
        )
    if coded and group:
        for s in range(sets):
            for d in range(own):
                _text += (
                    '\tadd.u32 %k, %unit, ', s * side + d, ';\n',
                    '\tdiv.u32 %k, %k, ', group // 32, ';\n',
                    '\tmov.b32 %scale_of', own * s + d, ', %k;\n',
                )
    _text += (
        '\n',
        '\tmov.u32 %part, parts;\n',
        '\tmov.u32 %slots, staged;\n',
    )
    if table_bytes:
        _text += (
            '\tmad.lo.u32 %table, %lane, 4, %slots;\n',
            '\tmov.b32 %low, %slots;\n',
            '\tadd.u32 %slots, %slots, ', table_bytes, ';\n',
        )
    if not runs:
        _text += ('\tmad.lo.u32 %slots, %warp, ', stages * slot, ', %slots;\n',)
    _text += (
        '\tadd.u32 %end_of_slots, %slots, ', stages * slot, ';\n',
        '\tmul.lo.u32 %parts, %part, 2;\n',
        '\tadd.u32 %parts, %parts, ', part_bytes, ';\n',
        '\tmad.lo.u32 %part_own, %warp, 16, %g;\n',
        '\tmul.lo.u32 %part_own, %part_own, ', 4 * width, ';\n',
    )
    if width > 2:
        _text += (
            '\tand.b32 %k, %t, ', width // 2 - 1, ';\n',
            '\tmad.lo.u32 %part_own, %k, 8, %part_own;\n',
        )
    if runs:
        _text += (
            '\tmov.b32 %base, 0;\n',
            '\tmov.b32 %ahead, 0;\n',
            '\tmov.b32 %ended, -1;\n',
        )
    else:
        _text += (
            '\tmov.b32 %piece, %warp;\n',
            '\tmov.b32 %ahead, %warp;\n',
        )
    _text += (
        '\tmov.b32 %ahead_group, %group;\n',
        '\tmov.b32 %into, %slots;\n',
        '\tmov.b32 %current, %slots;\n',
        run_places(chunks, pitch, paired) if runs else chunk_places(chunks, pitch, aligned, paired), '\n',
    )
    if table_bytes:
        _text += (fill_pairs(type, '%low', '%thread', warps),)
    if dependent and not constant:
        _text += ('\tgriddepcontrol.wait;\n',)
    _text += (
        '\tmov.b32 %next, 0;\n',
        '$first:\n',
        copy_run('_first', warps, chunks, per256, pitch, aligned, paired) if runs else copy_piece('_first', per256, chunks, pitch, aligned, paired), '\tadd.u32 %next, %next, 1;\n',
        '\tsetp.lt.u32 %more, %next, ', stages - 1, ';\n',
        '\t@%more bra $first;\n',
    )
    if dependent and constant:
        _text += ('\tgriddepcontrol.wait;\n',)
    if table_bytes and not runs:
        _text += ('\tbarrier.sync 0;\n',)
    if early:
        if runs:
            _text += (own_piece('%next', '0'),)
        else:
            _text += ('\trem.u32 %next, %piece, %pieces;\n',)
        _text += (activations('%next', 0, sets),)
    _text += (
        '\n',
        '$groups:\n',
    )
    for i in range(sums):
        _text += ('\tmov.f32 %sum', i, ', ', _f32(0), ';\n',)
    if scaled:
        _text += ('\tmad.lo.u32 %row, %group, ', rows_of_cta, ', %g;\n',)
        for r in (0, 1):
            _text += (
                '\tadd.u32 %k, %row, ', 8 * r if not paired else '%rows' if r else 0, ';\n',
                '\tsetp.lt.u32 %in, ', '%row' if paired else '%k', ', %rows;\n',
                '\tselp.b32 %k, %k, 0, %in;\n',
                scale_row('%%scale_row%d' % r, '%scales', '%k', '%shift_rows', '%step', _member(scale, 'bytes')),
            )
            if zeros:
                _text += (scale_row('%%zero_row%d' % r, '%zeros', '%k', '%shift_rows', '%step', 1),)
                if not group:
                    _text += (load_scale('%%zero%d_0' % r, 'u8', '%%zero_row%d' % r, ''), widened_zero(r, 0, raise_),)
    if runs:
        _text += (
            '$stage:\n',
            '\tcp.async.wait_group ', stages - 2, ';\n',
            '\tbarrier.sync 0;\n',
            '\tsetp.lt.s32 %more, %ended, 0;\n',
            '\t@%more bra $stored;\n',
            store_sums(), '\n',
            '$stored:\n',
            '\tsetp.ge.u32 %more, %group, %groups;\n',
            '\t@%more ret;\n',
        )
        if early:
            for i in range(words * sets):
                _text += ('\tmov.b32 %b', i, ', %n', i, ';\n',)
            _text += (
                '\tadd.u32 %next, %base, ', warps, ';\n',
                '\tsetp.lt.u32 %more, %next, %pieces;\n',
                '\tselp.b32 %next, %next, 0, %more;\n',
                own_piece('%next', '%next'), activations('%next', 0, sets),
            )
        _text += (own_piece('%piece', '%base'),)
        if not early:
            _text += (activations('%piece', 0, loaded),)
        if coded and group:
            _text += (load_scales(0),)
        if copies_first:
            _text += (copy_run('_next', warps, chunks, per256, pitch, aligned, paired),)
        _text += (
            '\tadd.u32 %k, %base, %warp;\n',
            '\tsetp.ge.u32 %more, %k, %pieces;\n',
            '\t@%more bra $multiplied;\n',
        )
    else:
        _text += (
            '\tsetp.lt.u32 %more, %piece, %pieces;\n',
            '\t@!%more bra $summed;\n',
            '$pieces:\n',
        )
        if early:
            for i in range(words * sets):
                _text += ('\tmov.b32 %b', i, ', %n', i, ';\n',)
            _text += (
                '\tadd.u32 %next, %piece, ', warps, ';\n',
                '\tsetp.lt.u32 %more, %next, %pieces;\n',
                '\t@%more bra $same_group;\n',
                '\trem.u32 %next, %next, %pieces;\n',
                '$same_group:\n',
                activations('%next', 0, sets),
            )
        else:
            _text += (activations('%piece', 0, loaded),)
        if coded and group:
            _text += (load_scales(0),)
        _text += (
            '\tcp.async.wait_group ', stages - 2, ';\n',
            '\tbar.warp.sync -1;\n',
        )
    for s in range(loaded):
        _text += (in_order(format, type, words * s),)
    if runs:
        _text += (
            '\tmad.lo.u32 %place, %warp, ', per256, ', %current;\n',
            '\tmad.lo.u32 %place, %g, ', pitch, ', %place;\n',
        )
    else:
        _text += (copy_piece('_next', per256, chunks, pitch, aligned, paired),)
    for r in (0, 1):
        if runs:
            if aligned:
                _text += ('\tadd.u32 %shift', r, ', %place, ', 8 * r * pitch, ';\n',)
            else:
                _text += (
                    '\tmad.lo.u32 %k, %group, ', rows_of_cta, ', %g;\n',
                    '\tadd.u32 %k, %k, ', 8 * r if not paired else '%rows' if r else 0, ';\n',
                    '\tcvt.u32.u64 %from, %pitch;\n',
                    '\tmul.lo.u32 %k, %k, %from;\n',
                    '\tmad.lo.u32 %k, %base, ', per256, ', %k;\n',
                    '\tand.b32 %k, %k, 15;\n',
                    '\tadd.u32 %k, %k, ', 8 * r * pitch, ';\n',
                    '\tadd.u32 %shift', r, ', %place, %k;\n',
                )
        else:
            if aligned:
                _text += ('\tmad.lo.u32 %shift', r, ', %g, ', pitch, ', %current;\n',)
            else:
                if paired:
                    _text += (
                        '\tmad.lo.u32 %k, %group, ', rows_of_cta, ', %g;\n',
                        '\tadd.u32 %k, %k, ', '%rows' if r else 0, ';\n',
                    )
                else:
                    _text += (
                        '\tmad.lo.u32 %k, %group, ', rows_of_cta, ', %g;\n',
                        '\tadd.u32 %k, %k, ', 8 * r, ';\n',
                    )
                _text += (
                    '\tcvt.u32.u64 %from, %pitch;\n',
                    '\tmul.lo.u32 %k, %k, %from;\n',
                    '\tmad.lo.u32 %k, %piece, ', per256, ', %k;\n',
                    '\tand.b32 %k, %k, 15;\n',
                    '\tmad.lo.u32 %shift', r, ', %g, ', pitch, ', %current;\n',
                    '\tadd.u32 %shift', r, ', %shift', r, ', %k;\n',
                )
            if r:
                _text += ('\tadd.u32 %shift', r, ', %shift', r, ', ', 8 * pitch, ';\n',)
        _text += ('\tadd.u32 %mine', r, ', %lane4, %shift', r, ';\n',)
        if not coded:
            _text += (
                '\tadd.u32 %scale_place', r, ', %unit_at, %shift', r, ';\n',
                common_scales(format, 'shared', '%%shift%d' % r, r, 'first' if at_once < sets else 'all'),
            )
        if coded:
            _text += ('\tmad.lo.u32 %codes', r, ', %lane4, ', _member(about, 'bytes') // 16, ', %shift', r, ';\n',)
    if coded and group:
        _text += (widen_scales(),)
    for j in range(8):
        if j and at_once < sets and j % (4 if not coded else at_once) == 0:
            if coded and group:
                _text += (load_scales(j), widen_scales(),)
            elif not coded:
                _text += (common_scales(format, 'shared', '%shift0', 0, 'last'), common_scales(format, 'shared', '%shift1', 1, 'last'),)
        _text += (numbers_of(j),)
        for half in (0, 1):
            number = 2 * j + half if _member(about, 'halves') else j
            (s, u, first) = (number // side, number % side, 4 * (number % 2))
            if s >= loaded and not half and not _member(about, 'halves'):
                _text += (in_order(format, type, words * (s % loaded)),)
            _text += (multiply(half, first, words * (s % loaded) + (0 if _member(about, 'halves') else 2 * half), _member(about, 'halves') or not half),)
            if side > 1 and (_member(about, 'halves') or half):
                _text += (keep(u, first),)
            if u == side - 1 and (_member(about, 'halves') or half):
                _text += (scaled_sums(s, ('d0', 'd1', 'd2', 'd3') if side > 1 else ('c%d' % first, 'c%d' % (first + 1), 'c%d' % (first + 2), 'c%d' % (first + 3))),)
                if s + loaded < sets:
                    _text += (activations('%piece', s + loaded, s + loaded + 1),)
    if runs:
        _text += ('$multiplied:\n',)
        if not copies_first:
            _text += (copy_run('_next', warps, chunks, per256, pitch, aligned, paired),)
        _text += ('\tmov.b32 %ended, -1;\n',)
    _text += (
        '\tadd.u32 %current, %current, ', slot, ';\n',
        '\tsetp.ge.u32 %in, %current, %end_of_slots;\n',
        '\tselp.b32 %current, %slots, %current, %in;\n',
    )
    if runs:
        _text += (
            '\tadd.u32 %base, %base, ', warps, ';\n',
            '\tsetp.lt.u32 %more, %base, %pieces;\n',
            '\t@%more bra $stage;\n',
        )
    else:
        _text += (
            '\tadd.u32 %piece, %piece, ', warps, ';\n',
            '\tsetp.lt.u32 %more, %piece, %pieces;\n',
            '\t@%more bra $pieces;\n',
            '$summed:\n',
        )
    for distance in (1, 2) if width < 4 else (2,) if width == 4 else ():
        for i in range(sums):
            _text += (
                '\tshfl.sync.bfly.b32 %c', i, ', %sum', i, ', ', distance, ', 31, -1;\n',
                '\tadd.rn.f32 %sum', i, ', %sum', i, ', %c', i, ';\n',
            )
    _text += (
        '\tadd.u32 %k, %part, %part_own;\n',
        '\tsetp.lt.u32 %in, %t, ', _ceil_div(width, 2), ';\n',
    )
    for r in (0, 1):
        if width == 1:
            _text += ('\t@%in st.shared.f32 [%k+', 32 * r, '], %sum', r, ';\n',)
        else:
            _text += ('\t@%in st.shared.v2.f32 [%k+', 32 * width * r, '], { %sum', 2 * r, ', %sum', 2 * r + 1, '};\n',)
    if runs:
        _text += (
            '\tmov.b32 %ended, %group;\n',
            '\tsub.u32 %part, %parts, %part;\n',
            '\tmov.b32 %base, 0;\n',
            '\tadd.u32 %group, %group, %grid;\n',
            '\tbra $groups;\n',
        )
    else:
        _text += (
            '\tbarrier.sync 0;\n',
            store_sums(), '\n',
            '$stored:\n',
            '\tsub.u32 %part, %parts, %part;\n',
            '\tsub.u32 %piece, %piece, %pieces;\n',
            '\tadd.u32 %group, %group, %grid;\n',
            '\tsetp.lt.u32 %more, %group, %groups;\n',
            '\t@%more bra $groups;\n',
            '\tret;\n',
        )
    _text += ('}\n',)
    return "".join(map(str, _text))
