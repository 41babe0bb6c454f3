"""gemv_blocks.ptx.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from typing import Any

from ptxgen.kernels.compiled import activations as _activations
from ptxgen.kernels.compiled import blocks as _blocks
from ptxgen.kernels.compiled import codes as _codes
from ptxgen.kernels.compiled import products as _products
from ptxgen.kernels.compiled import ring as _ring
from ptxgen.kernels.compiled import units as _units
from ptxgen.kernels.compiled import vectors as _vectors
from ptxgen.kernels.template_functions import member as _member
from ptxgen.text.template_helpers import ceil_div as _ceil_div
from ptxgen.text.template_helpers import f32 as _f32

SOURCE = "34be973cb266f4ddbe0731aa5431e331"
USES: list[Any] = [_activations, _blocks, _codes, _products, _ring, _units, _vectors]


def render(*, format: Any, type: Any, result: Any, width: Any, whole: Any, stages: Any, teams: Any, group: Any, scale: Any, zeros: Any, glu: Any, bias: Any, constant: Any, target: Any, version: Any) -> str:
    _text: list[Any] = []
    _from_blocks = _blocks.macros()
    BLOCKS = _from_blocks.BLOCKS
    CODED = _from_blocks.CODED
    warps = 8
    held = 2
    unroll = 4
    about = BLOCKS[format]
    scaled = format in CODED
    coded = scaled
    per256 = _member(about, 'bytes') * 256 // _member(about, 'elements')
    aligned = per256 % 16 == 0 and (whole or _member(about, 'align') == 16)
    uneven = _member(about, 'align') == 2 and (not aligned or format == 'q6_k')
    chunks = _ceil_div(warps * per256 + (0 if aligned else 18), 16)
    pitch = 16 * (chunks + 1 - chunks % 2)
    slot = 16 * pitch
    unit = 16 if format == 'q6_k' else 32
    mma = 'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32'
    tiny = 12 if format != 'e4m3' else 0
    records = 4 if format == 'q6_k' else 2
    paired = glu != 'none'
    biased = bias != 'none'
    bias_bytes = 4 if bias == 'f32' else 2
    rows_of_cta = 8 if paired else 16
    part_bytes = 64 * width * warps
    threads = 32 * teams * (warps + 1)
    few = width == 1
    zero_bytes = 128 if few else 576
    x_pad = 0 if few else 64
    sums = 2 if few else 4
    own_scales = 4 if format == 'q6_k' else 1 if group > 32 else 2
    _from_units = _units.macros(about=about, coded=coded, format=format, uneven=uneven)
    UNITS = _from_units.UNITS
    chunk = _from_units.chunk
    chunk_of_16 = _from_units.chunk_of_16
    own_place = _from_units.own_place
    own_places = _from_units.own_places
    own_units = _from_units.own_units
    shared_place = _from_units.shared_place
    shared_scales = _from_units.shared_scales
    shared_unit = _from_units.shared_unit
    unit_registers = _from_units.unit_registers
    about_x = UNITS[format]
    _from_activations = _activations.macros(about=about, about_x=about_x, few=few, format=format, teams=teams, tiny=tiny, type=type, unroll=unroll, zeros=zeros)
    activation_registers = _from_activations.activation_registers
    write_activations = _from_activations.write_activations
    _from_codes = _codes.macros(scale=scale, target=target, zeros=zeros)
    load_scale = _from_codes.load_scale
    scale_row = _from_codes.scale_row
    _from_products = _products.macros(bias=bias, bias_bytes=bias_bytes, biased=biased, glu=glu, group=group, paired=paired, result=result, scale=scale, scaled=scaled, target=target, zeros=zeros)
    finished = _from_products.finished
    load_parameters = _from_products.load_parameters
    load_scale_parameters = _from_products.load_scale_parameters
    parameters = _from_products.parameters
    _from_ring = _ring.macros(aligned=aligned, paired=paired, per256=per256, pitch=pitch, rows_of_cta=rows_of_cta, slot=slot, stages=stages, warps=warps, whole=whole)
    empty_stage = _from_ring.empty_stage
    fill_stage = _from_ring.fill_stage
    init_ring = _from_ring.init_ring
    ring_registers = _from_ring.ring_registers
    waits = _from_ring.waits
    _from_vectors = _vectors.macros(target=target)
    widened = _from_vectors.widened
    _text += ('\n',)

    def load_scales() -> str:
        _text: list[Any] = []
        for h in range(own_scales):
            _text += (
                '\tmad.lo.u32 %k, %piece, 4, %t;\n',
                '\tmad.lo.u32 %k, %k, 2, ', h, ';\n',
            )
            if not whole:
                _text += (
                    '\tshl.b32 %from, %k, 5;\n',
                    '\tsetp.lt.u32 %in, %from, %columns;\n',
                )
            _text += ('\tshr.u32 %k, %k, ', {32: 0, 64: 1, 128: 2}[group], ';\n',)
            guard = '' if whole else '@%in '
            for r in (0, 1):
                _text += (
                    '\tmad.wide.u32 %at, %k, ', _member(scale, 'bytes'), ', %scale_row', r, ';\n',
                    load_scale(('%%scale%d_%d' if scale == 'f32' else '%%raw%d_%d') % (r, h), scale, '%at', guard),
                )
                if zeros:
                    _text += (
                        '\tcvt.u64.u32 %wide, %k;\n',
                        '\tadd.u64 %at, %zero_row', r, ', %wide;\n',
                        load_scale('%%zero%d_%d' % (r, h), 'u8', '%at', guard),
                    )
        return "".join(map(str, _text))


    def widen_scales() -> str:
        _text: list[Any] = []
        for r in (0, 1):
            for h in range(own_scales):
                if scale != 'f32':
                    _text += (widened('%%scale%d_%d' % (r, h), scale, '%%raw%d_%d' % (r, h)),)
                if zeros:
                    _text += (widen_zero(r, h),)
        return "".join(map(str, _text))


    def widen_zero(r: Any, h: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\tcvt.rn.f32.u16 %least', r, '_', h, ', %zero', r, '_', h, ';\n',
            '\tneg.f32 %least', r, '_', h, ', %least', r, '_', h, ';\n',
        )
        return "".join(map(str, _text))

    _text += ('\n',)

    def own_activations() -> str:
        _text: list[Any] = []
        for i in range(0, 16, 4):
            _text += ('\tld.shared.v4.b32 { %b', i, ', %b', i + 1, ', %b', i + 2, ', %b', i + 3, '}, [%x_place+', 4 * i, '];\n',)
        _text += (
            '\tmad.lo.u32 %record, %piece, 4, %t;\n',
            '\tmad.lo.u32 %record, %record, ', 8 * records, ', %records;\n',
        )
        for i in range(0, 2 * records, 4):
            _text += ('\tld.shared.v4.f32 { %record', i, ', %record', i + 1, ', %record', i + 2, ', %record', i + 3, '}, [%record+', 4 * i, '];\n',)
        return "".join(map(str, _text))

    _text += ('\n',)

    def add_scaled(sum: Any, c: Any, scale_of: Any, least: Any, back: Any, total: Any) -> str:
        _text: list[Any] = []
        if _member(about, 'zero') and not zeros:
            _text += ('\tfma.rn.f32 ', c, ', ', c, ', ', back, ', ', total, ';\n',)
        else:
            _text += ('\tmul.rn.f32 ', c, ', ', c, ', ', back, ';\n',)
            if zeros:
                _text += ('\tfma.rn.f32 ', c, ', ', total, ', ', least, ', ', c, ';\n',)
        if scaled and not group:
            _text += ('\tadd.rn.f32 ', sum, ', ', sum, ', ', c, ';\n',)
        else:
            _text += ('\tfma.rn.f32 ', sum, ', ', c, ', ', scale_of, ', ', sum, ';\n',)
        if _member(about, 'least'):
            _text += ('\tfma.rn.f32 ', sum, ', ', total, ', ', least, ', ', sum, ';\n',)
        return "".join(map(str, _text))


    def add_own(h: Any, part: Any) -> str:
        _text: list[Any] = []
        for r in (0, 1):
            number = 2 * h + part if unit == 16 else h % own_scales
            _text += (add_scaled('%%sum%d' % r, '%%c%d' % (4 * h + 8 * part + 2 * r + h), '%%scale%d_%d' % (r, number), '%%least%d_%d' % (r, number if group or _member(about, 'least') else 0), '%%record%d' % (h * records), '%%record%d' % (h * records + 1 + part)),)
        return "".join(map(str, _text))


    def add_shared(j: Any, part: Any, first: Any) -> str:
        _text: list[Any] = []
        (number, of_lane) = (8 * (j // 4) + 4 * (j % 2) + 2 * part + j // 2 % 2, 4) if unit == 16 else (j, 2)
        for r in (0, 1):
            for name in () if scaled and not group else ('scale', 'least') if _member(about, 'least') or zeros else ('scale',):
                _text += ('\tshfl.sync.idx.b32 %shared_', name, r, ', %', name, r, '_', number % of_lane % own_scales, ', ', number // of_lane, ', 0x1C1F, -1;\n',)
            for column in (0, 1):
                _text += (add_scaled('%%sum%d' % (2 * r + column), '%%c%d' % (first + 2 * r + column), '%%shared_scale%d' % r, '%%shared_least%d' % r if group or _member(about, 'least') else '%%least%d_0' % r, '%%record%d' % (records * column), '%%record%d' % (records * column + 1 + part)),)
        return "".join(map(str, _text))

    _text += ('\n',)

    def own_products() -> str:
        _text: list[Any] = []
        for h in (0, 1):
            for m in range(4):
                for r in (0, 1):
                    _text += (chunk(r, h, m, ['%%a%d' % r, '%%a%d' % (2 + r), '%%a%d' % (4 + r), '%%a%d' % (6 + r)], h),)
                first = 4 * h + 8 * (m // 2 if unit == 16 else 0)
                c = '{ %%c%d, %%c%d, %%c%d, %%c%d}' % (first, first + 1, first + 2, first + 3)
                for half in (0, 1):
                    at = 4 * m + 2 * half
                    _text += ('\t', mma, ' ', c, ', { %a', 4 * half, ', %a', 4 * half + 1, ', %a', 4 * half + 2, ', %a', 4 * half + 3, '}, { %b', at, ', %b', at + 1, '}, ', c if half or m % (unit // 8) else '{ %none, %none, %none, %none}', ';\n',)
        for h in (0, 1):
            for part in range(32 // unit):
                _text += (add_own(h, part),)
        return "".join(map(str, _text))

    _text += ('\n',)

    def shared_products() -> str:
        _text: list[Any] = []
        _text += (
            '\tmad.lo.u32 %record, %piece, ', 256 * records, ', %records;\n',
            '\tmad.lo.u32 %record, %t_there, ', 8 * records, ', %record;\n',
        )
        for j in range(8):
            first = 4 * (j % 2)
            if format == 'q6_k':
                _text += (
                    '\tld.shared.v2.b32 { %b0, %b1}, [%x_place+', 64 * j, '];\n',
                    '\tld.shared.v2.b32 { %b2, %b3}, [%x_place+', 64 * j + 32, '];\n',
                )
            else:
                _text += ('\tld.shared.v4.b32 { %b', first, ', %b', first + 1, ', %b', first + 2, ', %b', first + 3, '}, [%x_place+', 64 * j, '];\n',)
            for i in range(0, 2 * records, 4):
                _text += ('\tld.shared.v4.f32 { %record', i, ', %record', i + 1, ', %record', i + 2, ', %record', i + 3, '}, [%record+', 32 * records * j + 4 * i, '];\n',)
            for r in (0, 1):
                a = ['%%a%d' % r, '%%a%d' % (2 + r), '%%a%d' % (4 + r), '%%a%d' % (6 + r)]
                _text += (shared_unit(r, j),)
                if format == 'q6_k':
                    _text += (chunk_of_16(r, j, 0, a[:2]), chunk_of_16(r, j, 1, a[2:]),)
                else:
                    _text += (chunk(r, j % 2, 0, a, j),)
            for half in (0, 1):
                at = first + 4 * half if unit == 16 else first
                c = '{ %%c%d, %%c%d, %%c%d, %%c%d}' % (at, at + 1, at + 2, at + 3)
                b = 2 * half if unit == 16 else first + 2 * half
                _text += ('\t', mma, ' ', c, ', { %a', 4 * half, ', %a', 4 * half + 1, ', %a', 4 * half + 2, ', %a', 4 * half + 3, '}, { %b', b, ', %b', b + 1, '}, ', c if half and unit == 32 else '{ %none, %none, %none, %none}', ';\n',)
            for part in range(32 // unit):
                _text += (add_shared(j, part, first + 4 * part),)
        return "".join(map(str, _text))

    _text += (
        '.version ', version, '\n',
        '.target ', target, '\n',
        '.address_size 64\n',
        '\n',
        '.extern .shared .align 16 .b8 staged[];\n',
        '.visible .entry gemv(\n',
        parameters(), ')\n',
        '.maxntid ', threads, '\n',
        '.minnctapersm 1\n',
        '{\n',
        '\t.reg .pred %more, %in, %active, %within;\n',
        '\t.reg .b32 %thread, %lane, %warp, %team, %g, %t, %rows, %columns, %batch, %pieces, %units, %groups, %grid, %k, %from;\n',
        '\t.reg .b32 %piece, %group, %base, %place, %xs, %x_place, %x_stride, %x_pitch, %records, %record, %zeros_at, %x_columns, %t_there, %part, %row, %other;\n',
        '\t.reg .b32 %shift<2>, %b<', 16 if few else 8, '>, %a<8>;\n',
        '\t.reg .b64 %w, %x, %y, %step_x, %step_y, %pitch, %at, %wide;\n',
        '\t.reg .f32 %sum<', sums, '>, %c<16>, %none, %record<', 2 * records, '>, %scale, %result<', 2 * width, '>, %shared_scale<2>, %shared_least<2>;\n',
        '\t.reg .b16 %rounded;\n',
        '\t.shared .align 16 .b8 parts[', teams * stages * part_bytes, '];\n',
        '\t.shared .align 8 .b8 bars[', teams * stages * 16, '];\n',
        activation_registers(), ring_registers(), unit_registers(),
    )
    if biased:
        _text += (
            '\t.reg .b64 %bias;\n',
            '\t.reg .b16 %raw_bias;\n',
            '\t.reg .f32 %added;\n',
        )
    if scaled:
        _text += (
            '\t.reg .b32 %step, %shift_rows;\n',
            '\t.reg .b64 %scales, %zeros, %scale_row<2>, %zero_row<2>;\n',
            '\t.reg .b16 %raw0_<2>, %raw1_<2>, %zero0_<2>, %zero1_<2>;\n',
        )
    _text += (
        '\n',
        load_parameters(), load_scale_parameters(), '\tgriddepcontrol.launch_dependents;\n',
        '\tmov.u32 %thread, %tid.x;\n',
        '\tmov.u32 %group, %ctaid.x;\n',
        '\tmov.u32 %grid, %nctaid.x;\n',
        '\tand.b32 %lane, %thread, 31;\n',
        '\tshr.u32 %warp, %thread, 5;\n',
        '\tsetp.ge.u32 %copies, %warp, ', teams * warps, ';\n',
        '\tshr.u32 %team, %warp, 3;\n',
        '\tsub.u32 %k, %warp, ', teams * warps, ';\n',
        '\tselp.b32 %team, %k, %team, %copies;\n',
        '\tand.b32 %warp, %warp, ', warps - 1, ';\n',
        '\tmad.lo.u32 %group, %group, ', teams, ', %team;\n',
        '\tmul.lo.u32 %grid, %grid, ', teams, ';\n',
        '\tshr.u32 %g, %lane, 2;\n',
        '\tand.b32 %t, %lane, 3;\n',
        '\tadd.u32 %pieces, %columns, 255;\n',
        '\tshr.u32 %pieces, %pieces, 8;\n',
        '\tshl.b32 %units, %pieces, 3;\n',
        '\tadd.u32 %groups, %rows, ', rows_of_cta - 1, ';\n',
        '\tdiv.u32 %groups, %groups, ', rows_of_cta, ';\n',
        '\tdiv.u32 %k, %columns, ', _member(about, 'elements'), ';\n',
        '\tmul.wide.u32 %pitch, %k, ', _member(about, 'bytes'), ';\n',
        '\n',
        '\tmov.u32 %xs, staged;\n',
    )
    if not few:
        _text += (
            '\tadd.u32 %x_columns, %batch, 1;\n',
            '\tand.b32 %x_columns, %x_columns, -2;\n',
        )
    _text += (
        '\tmad.lo.u32 %x_pitch, %units, 64, ', x_pad, ';\n',
        '\tmad.lo.u32 %records, %x_pitch, ', width if few else '%x_columns', ', %xs;\n',
        '\tmad.lo.u32 %zeros_at, %units, ', 4 * records * width, ', %records;\n',
        '\tadd.u32 %stages_at, %zeros_at, ', zero_bytes, ';\n',
        '\tmad.lo.u32 %stages_at, %team, ', stages * slot, ', %stages_at;\n',
        '\tmov.u32 %part, parts;\n',
        '\tmad.lo.u32 %part, %team, ', stages * part_bytes, ', %part;\n',
        '\tmov.u32 %full, bars;\n',
        '\tmad.lo.u32 %full, %team, ', stages * 16, ', %full;\n',
        init_ring(), '\tsetp.lt.u32 %in, %thread, ', zero_bytes // 4, ';\n',
        '\tmad.lo.u32 %k, %thread, 4, %zeros_at;\n',
        '\t@%in st.shared.b32 [%k], 0;\n',
        '\tmov.b32 %base, 0;\n',
        '\tmov.b32 %stage, 0;\n',
        '\tmov.b32 %parity, 0;\n',
        '\tbarrier.sync 0;\n',
        '\t@%copies bra $copier;\n',
        '\n',
        '\tgriddepcontrol.wait;\n',
        write_activations(32 * warps * teams), '\n',
        '\tbarrier.sync 2, ', 32 * warps * teams, ';\n',
    )
    if few:
        _text += (
            '\tshr.u32 %k, %g, 1;\n',
            '\tsetp.eq.u32 %active, %k, %t;\n',
            '\tmad.lo.u32 %xs, %g, 64, %xs;\n',
        )
    else:
        _text += (
            '\tsetp.lt.u32 %active, %g, %batch;\n',
            '\tmul.lo.u32 %k, %t, 2;\n',
            '\tsetp.lt.u32 %in, %k, %batch;\n',
            '\tselp.b32 %t_there, %t, 0, %in;\n',
            '\tmad.lo.u32 %xs, %g, %x_pitch, %xs;\n',
            '\tmad.lo.u32 %xs, %t, ', 8 if format == 'q6_k' else 16, ', %xs;\n',
        )
    _text += (
        '\tselp.b32 %xs, %xs, %zeros_at, %active;\n',
        '\tselp.b32 %x_stride, 512, 0, %active;\n',
        '\tmov.f32 %none, ', _f32(0), ';\n',
        own_places(), '\t', '\tmad.lo.u32 %k, %warp, 16, %g;\n',
        '\tmad.lo.u32 %part, %k, ', 4 * width, ', %part;\n',
    )
    if not few:
        _text += ('\tmad.lo.u32 %part, %t, 8, %part;\n',)
    _text += (
        '\n',
        '$groups:\n',
        '\tsetp.ge.u32 %more, %group, %groups;\n',
        '\t@%more ret;\n',
        '\tmov.b32 %base, 0;\n',
    )
    for i in range(sums):
        _text += ('\tmov.f32 %sum', i, ', ', _f32(0), ';\n',)
    if scaled and (group or zeros):
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
                    _text += (load_scale('%%zero%d_0' % r, 'u8', '%%zero_row%d' % r, ''), widen_zero(r, 0),)
    _text += (
        '$stage:\n',
        '\tadd.u32 %piece, %base, %warp;\n',
        '\tsetp.lt.u32 %there, %piece, %pieces;\n',
        '\tselp.b32 %piece, %piece, 0, %there;\n',
        '\tmad.lo.u32 %x_place, %piece, %x_stride, %xs;\n',
    )
    if few:
        _text += (own_activations(),)
    if group:
        _text += (load_scales(),)
    _text += (
        '\tmad.lo.u32 %bar, %stage, 8, %full;\n',
        waits('$filled', '%parity'), '\t@!%there bra $multiplied;\n',
        '\n',
        '\tmad.lo.u32 %place, %stage, ', slot, ', %stages_at;\n',
        '\tmad.lo.u32 %place, %warp, ', per256, ', %place;\n',
        '\tmad.lo.u32 %place, %g, ', pitch, ', %place;\n',
    )
    for r in (0, 1):
        _text += ('\tadd.u32 %shift', r, ', %place, ', 8 * r * pitch, ';\n',)
        if not aligned:
            _text += ('\tmad.lo.u32 %k, %group, ', rows_of_cta, ', %g;\n',)
            if not paired and r:
                _text += ('\tadd.u32 %k, %k, 8;\n',)
            _text += (
                '\tsub.u32 %from, %rows, 1;\n',
                '\tmin.u32 %k, %k, %from;\n',
            )
            if paired and r:
                _text += ('\tadd.u32 %k, %k, %rows;\n',)
            _text += (
                '\tcvt.u32.u64 %from, %pitch;\n',
                '\tmul.lo.u32 %k, %k, %from;\n',
                '\tmad.lo.u32 %k, %base, ', per256, ', %k;\n',
                '\tand.b32 %k, %k, 15;\n',
                '\tadd.u32 %shift', r, ', %shift', r, ', %k;\n',
            )
        _text += (str(own_place(r)) + str(own_units(r)) if few else str(shared_place(r)) + str(shared_scales(r)),)
    if group:
        _text += (widen_scales(),)
    _text += (
        own_products() if few else shared_products(), '\n',
        '$multiplied:\n',
        '\tadd.u32 %base, %base, ', warps, ';\n',
        '\tsetp.ge.u32 %ends, %base, %pieces;\n',
        '\t@!%ends bra $emptied;\n',
    )
    for distance in (1, 2) if few else ():
        for i in range(sums):
            _text += (
                '\tshfl.sync.bfly.b32 %c', i, ', %sum', i, ', ', distance, ', 31, -1;\n',
                '\tadd.rn.f32 %sum', i, ', %sum', i, ', %c', i, ';\n',
            )
    _text += (
        '\tmad.lo.u32 %k, %stage, ', part_bytes, ', %part;\n',
        '\tsetp.eq.u32 %in, %t, 0;\n',
    )
    for r in (0, 1):
        if not few:
            _text += ('\tst.shared.v2.f32 [%k+', 256 * r, '], { %sum', 2 * r, ', %sum', 2 * r + 1, '};\n',)
        else:
            _text += ('\t@%in st.shared.f32 [%k+', 32 * r, '], %sum', r, ';\n',)
    _text += (
        '$emptied:\n',
        empty_stage(), '\t@!%ends bra $stage;\n',
        '\tadd.u32 %group, %group, %grid;\n',
        '\tbra $groups;\n',
        '\n',
        '$copier:\n',
    )
    if not constant:
        _text += ('\tgriddepcontrol.wait;\n',)
    _text += (
        '\tmov.b32 %filled, 0;\n',
        '\tmov.b32 %old_stage, 0;\n',
        '\tmov.b32 %old_base, 0;\n',
        '\tmov.b32 %old_group, %group;\n',
        '$first:\n',
        '\tsetp.ge.u32 %more, %group, %groups;\n',
        '\t@%more bra $turns;\n',
        fill_stage('_first'), '\tadd.u32 %filled, %filled, 1;\n',
        '\tsetp.ne.u32 %more, %filled, ', held, ';\n',
        '\t@%more bra $go_on;\n',
        '\tbarrier.sync 1, ', threads, ';\n',
        '$go_on:\n',
        '\tsetp.lt.u32 %more, %filled, ', stages, ';\n',
        '\t@%more bra $first;\n',
        '$turns:\n',
        '\tsetp.ge.u32 %more, %filled, ', held, ';\n',
        '\t@%more bra $all_held;\n',
        '\tbarrier.sync 1, ', threads, ';\n',
        '$all_held:\n',
    )
    if constant:
        _text += ('\tgriddepcontrol.wait;\n',)
    _text += (
        '$turn:\n',
        '\tsetp.ge.u32 %more, %old_group, %groups;\n',
        '\t@%more ret;\n',
        '\tmad.lo.u32 %bar, %old_stage, 8, %full;\n',
        '\tadd.u32 %bar, %bar, ', 8 * stages, ';\n',
        waits('$empty', '%parity'),
    )
    for i in range(_ceil_div(rows_of_cta * width, 32)):
        for half in range(2 if paired else 1):
            _text += ('\tmov.f32 %result', width * half + i, ', ', _f32(0), ';\n',)
    _text += (
        '\tadd.u32 %old_base, %old_base, ', warps, ';\n',
        '\tsetp.ge.u32 %ends, %old_base, %pieces;\n',
        '\t@!%ends bra $taken;\n',
    )
    results = rows_of_cta * width
    _text += (
        '\tand.b32 %from, %lane, ', min([results, 32]) - 1, ';\n',
        '\tmad.lo.u32 %k, %old_stage, ', part_bytes, ', %part;\n',
        '\tmad.lo.u32 %k, %from, 4, %k;\n',
    )
    for i in range(_ceil_div(results, 32)):
        for half in range(2 if paired else 1):
            for other in range(warps):
                _text += (
                    '\tld.shared.f32 %c0, [%k+', 128 * i + 32 * width * half + 64 * width * other, '];\n',
                    '\tadd.rn.f32 %result', width * half + i, ', %result', width * half + i, ', %c0;\n',
                )
    _text += (
        '$taken:\n',
        '\tsetp.ge.u32 %more, %group, %groups;\n',
        '\t@%more bra $refilled;\n',
        fill_stage('_next'), '\n',
        '$refilled:\n',
        '\t@!%ends bra $stored;\n',
        '\tmov.b32 %old_base, 0;\n',
    )
    for i in range(_ceil_div(results, 32)):
        _text += (
            '\tadd.u32 %k, %lane, ', 32 * i, ';\n',
            '\tdiv.u32 %row, %k, ', width, ';\n',
            '\trem.u32 %from, %k, ', width, ';\n',
            '\tsetp.lt.u32 %in, %row, ', rows_of_cta, ';\n',
            '\tmad.lo.u32 %row, %old_group, ', rows_of_cta, ', %row;\n',
            '\tsetp.lt.and.u32 %in, %row, %rows, %in;\n',
        )
        if not few:
            _text += ('\tsetp.lt.and.u32 %in, %from, %batch, %in;\n',)
        _text += ('\t@!%in bra $finished', i, ';\n',)
        for half in range(2 if paired else 1):
            _text += ('\tmul.rn.f32 %c', half, ', %result', width * half + i, ', ', _f32(4096.0 if tiny else 1.0), ';\n',)
        _text += (
            finished(), '\n',
            '$finished', i, ':\n',
        )
    _text += (
        '\tadd.u32 %old_group, %old_group, %grid;\n',
        '$stored:\n',
        '\tadd.u32 %old_stage, %old_stage, 1;\n',
        '\tsetp.eq.u32 %in, %old_stage, ', stages, ';\n',
        '\tselp.b32 %old_stage, 0, %old_stage, %in;\n',
        '\t@%in xor.b32 %parity, %parity, 1;\n',
        '\tbra $turn;\n',
        '}\n',
    )
    return "".join(map(str, _text))
