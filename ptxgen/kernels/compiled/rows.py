"""rows.ptx.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ptxgen.kernels.compiled import reductions as _reductions
from ptxgen.kernels.compiled import vectors as _vectors
from ptxgen.kernels.template_functions import member as _member
from ptxgen.text.template_helpers import ceil_div as _ceil_div
from ptxgen.text.template_helpers import f32 as _f32
from ptxgen.text.template_helpers import sm_of as _sm_of
from ptxgen.text.template_helpers import types as _types

SOURCE = "87c3d3c4834f427fe19cb033470e7ebd"
USES: list[Any] = [_reductions, _vectors]


def render(*, op: Any, type: Any, lanes: Any, items: Any, vector: Any, cluster: Any, stages: Any, reread: Any, whole: Any, weighted: Any, biased: Any, residual: Any, saved: Any, index: Any, result: Any, dependent: Any, target: Any, version: Any) -> str:
    _text: list[Any] = []
    _from_vectors = _vectors.macros(target=target)
    registers = _from_vectors.registers
    preset = _from_vectors.preset
    load = _from_vectors.load
    store = _from_vectors.store
    widen = _from_vectors.widen
    narrow = _from_vectors.narrow
    _from_reductions = _reductions.macros()
    divide = _from_reductions.divide
    fold = _from_reductions.fold
    over_lanes = _from_reductions.lanes
    merge_online = _from_reductions.merge_online
    merge_moments = _from_reductions.merge_moments
    merge_sums = _from_reductions.merge_sums
    backward = op.endswith('backward')
    grouped = op.startswith('group_norm')
    moments = op in ('layer_norm', 'group_norm')
    norm = moments or op == 'rms_norm'
    norm_backward = op in ('layer_norm_backward', 'rms_norm_backward', 'group_norm_backward')
    layer = grouped or op.startswith('layer')
    entropy = op.startswith('cross_entropy')
    online = op in ('softmax', 'log_softmax', 'cross_entropy')
    inputs = ['x'] + (['g'] if backward and not entropy or op == 'channel_sums' else []) + (['r'] if residual else [])
    outputs = ([] if op in ('cross_entropy', 'channel_sums') else ['y']) + (['z'] if residual else [])
    affine = (['weight'] if weighted else []) + (['bias'] if biased else [])
    vectors = [] if grouped else affine
    saves = ['mean', 'scale', 'd_weight', 'd_bias'] if op == 'channel_sums' or op == 'group_norm_backward' and saved else (['mean'] if layer else []) + ['scale'] if norm and saved or norm_backward else ['scale'] if op == 'quantise' else ['logs'] if op == 'cross_entropy' and saved or op == 'cross_entropy_backward' else []
    by_channel = op == 'group_norm_backward' and saved
    partials = (['d_weight'] if weighted else []) + (['d_bias'] if layer and weighted else []) if norm_backward and not grouped else []
    sums = {'online': ['largest', 'total'], 'moments': ['mean', 'squares'] + ([] if whole else ['count']), 'sums2': ['total', 'other'], 'sums': ['total'], 'maximum': ['largest']}
    made = result if op == 'quantise' else type
    limit = {'s8': 127, 'e4m3': 448}[result]
    kind = 'online' if online else 'maximum' if op == 'quantise' else 'moments' if moments else 'sums2' if op in ('layer_norm_backward', 'group_norm_backward', 'channel_sums') else '' if op == 'cross_entropy_backward' else 'sums'
    block = lanes if lanes > 32 or cluster > 1 else 128
    per_cta = block // lanes
    accesses = items // vector
    parts = SimpleNamespace(names=[])
    for j in range(accesses if by_channel else 0):
        parts.names = _member(parts, 'names') + ['total%d' % j, 'other%d' % j]
    state = _member(parts, 'names') or sums.get(kind, [])
    width = lanes * cluster
    bytes = vector * _member(type, 'bytes')
    warps = lanes // 32 * cluster if lanes * cluster > 32 else 1
    persistent = norm_backward and not grouped or stages > 0
    copies = len(inputs) * accesses
    slot = copies * lanes * bytes
    buffers = 2 if persistent else 1
    early = op == 'rms_norm' and _member(type, 'bits') == 16 and not stages and not reread
    kinds = dict(x=type, g=type, r=type, y=made, z=type, weight=type, bias=type)
    sizes = ['groups', 'channels', 'area'] if grouped else ['channels'] if op == 'channel_sums' else []
    guarded = per_cta > 1 and (lanes < 32 or persistent) or cluster > 1 and not persistent
    log2e = 1.4426950408889634
    lowest = -3.4028234663852886e+38
    _text += ('\n',)
    unguarded = whole and not guarded

    def guard(j: Any) -> str:
        _text: list[Any] = []
        _text += ('' if unguarded else '@%own ' if whole else '@%%in%d ' % j,)
        return "".join(map(str, _text))


    def conditions(first: Any) -> str:
        _text: list[Any] = []
        for j in [j for j in range(accesses) if not whole]:
            _text += (
                '\tadd.u32 %step, ', first, ', ', j * width, ';\n',
                '\tsetp.lt.u32 %in', j, ', %step, %last;\n',
            )
            if guarded:
                _text += ('\tand.pred %in', j, ', %in', j, ', %own;\n',)
        return "".join(map(str, _text))


    def load_tile(early_2: Any = False) -> str:
        _text: list[Any] = []
        for loop_index, name in enumerate(inputs):
            number = loop_index
            for j in range(accesses):
                if not unguarded:
                    _text += (preset(name, type, j * vector, vector, '-inf' if online else 0),)
                if stages:
                    _text += (load(name, type, j * vector, vector, '%staged_at', (number * accesses + j) * lanes * bytes, '', guard(j), 'shared'),)
                else:
                    _text += (load(name, type, j * vector, vector, str('%at_') + str(name), j * width * bytes, '', guard(j)),)
        if early_2:
            _text += (fetch_vectors(),)
        if op == 'cross_entropy' and not reread:
            _text += (fetch_label(),)
        for name in inputs:
            for j in range(accesses):
                _text += (widen(name, type, j * vector, vector),)
        if residual:
            for i in range(items):
                _text += ('\tadd.rn.f32 %x', i, ', %x', i, ', %r', i, ';\n',)
        return "".join(map(str, _text))


    def fetch_label() -> str:
        _text: list[Any] = []
        _text += (
            '\tsetp.eq.u32 %labelled, %place_in_row, 0;\n',
            '\tand.pred %labelled, %labelled, %counted;\n',
        )
        if guarded:
            _text += ('\tand.pred %labelled, %labelled, %own;\n',)
        _text += (
            '\tmul.lo.u64 %wide, %row64, %step_x;\n',
            '\tadd.u64 %wide, %wide, %x;\n',
            '\tmad.lo.u64 %wide, %target, ', _member(type, 'bytes'), ', %wide;\n',
            preset('label', type, 0, 1, 0), load('label', type, 0, 1, '%wide', 0, '', '@%labelled '),
        )
        return "".join(map(str, _text))


    def fetch_vectors() -> str:
        _text: list[Any] = []
        for name in vectors:
            for j in range(accesses):
                if not unguarded:
                    _text += (preset(name, type, j * vector, vector, 0),)
                _text += (load(name, type, j * vector, vector, str('%at_') + str(name), j * width * bytes, '', guard(j)),)
        return "".join(map(str, _text))


    def load_vectors() -> str:
        _text: list[Any] = []
        for j in [j for j in range(accesses) if grouped and affine]:
            _text += (
                '\tadd.u32 %step, %tile, ', j * width, ';\n',
                '\tmul.lo.u32 %step, %step, ', vector, ';\n',
                '\tdiv.u32 %step, %step, %area;\n',
                '\tadd.u32 %step, %step, %channel;\n',
            )
            for name in affine:
                _text += (
                    '\tmad.wide.u32 %wide, %step, ', _member(type, 'bytes'), ', %', name, ';\n',
                    preset(name, type, j, 1, 0), load(name, type, j, 1, '%wide', 0, '', guard(j)), widen(name, type, j, 1),
                )
        if not stages and not early:
            _text += (fetch_vectors(),)
        for name in vectors:
            for j in range(accesses):
                _text += (widen(name, type, j * vector, vector),)
        return "".join(map(str, _text))


    def copy_row(row: Any, stage: Any, bar: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\t{\n',
            '\t.reg .pred %there;\n',
            '\t.reg .b32 %to;\n',
            '\t.reg .b64 %from;\n',
            '\tsetp.lt.and.u32 %there, ', row, ', %rows, %copier;\n',
            '\tcvt.u64.u32 %from, ', row, ';\n',
            '\tmad.lo.u64 %from, %from, %copy_step, %copy_from;\n',
            '\tadd.u32 %to, %copy_to, ', stage, ';\n',
            '\t@%there mbarrier.arrive.expect_tx.shared::cta.b64 _, [', bar, '], %copy_bytes;\n',
            '\tsetp.ne.and.u32 %there, %copy_bytes, 0, %there;\n',
            '\t@%there cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%to], [%from], %copy_bytes, [', bar, '];\n',
            '\t}\n',
        )
        return "".join(map(str, _text))


    def next_stage() -> str:
        _text: list[Any] = []
        _text += (
            '\tmad.lo.u32 %ahead, %apart, ', stages, ', %row;\n',
            copy_row('%ahead', '%stage', '%filled'), '\tadd.u32 %stage, %stage, ', slot, ';\n',
            '\tadd.u32 %filled, %filled, 8;\n',
            '\tsetp.eq.u32 %more, %stage, ', stages * slot, ';\n',
            '\t@%more mov.b32 %stage, 0;\n',
            '\t@%more sub.u32 %filled, %filled, ', 8 * stages, ';\n',
            '\t@%more xor.b32 %parity, %parity, 1;\n',
        )
        return "".join(map(str, _text))


    def store_tile(name: Any, source_2: Any) -> str:
        _text: list[Any] = []
        for j in range(accesses):
            _text += (narrow(source_2, kinds[name], j * vector, vector), store(source_2, kinds[name], j * vector, vector, str('%at_') + str(name), j * width * vector * _member(kinds[name], 'bytes'), '', guard(j)),)
        return "".join(map(str, _text))


    def normalised(i: Any) -> str:
        _text: list[Any] = []
        if layer or op == 'channel_sums':
            _text += ('\tsub.rn.f32 %x', i, ', %x', i, ', %mean;\n',)
        _text += ('\tmul.rn.f32 %x', i, ', %x', i, ', %scale;\n',)
        return "".join(map(str, _text))


    def weighed(i: Any) -> str:
        _text: list[Any] = []
        if weighted:
            _text += ('\tmul.rn.f32 %g', i, ', %g', i, ', ', factor('weight', i), ';\n',)
        return "".join(map(str, _text))


    def factor(name: Any, i: Any) -> str:
        _text: list[Any] = []
        _text += ('%', name, i // vector if grouped else i,)
        return "".join(map(str, _text))


    def accumulate() -> str:
        _text: list[Any] = []
        x = SimpleNamespace(list=[], terms=[])
        for i in range(items):
            x.list = _member(x, 'list') + ['%%x%d' % i]
            x.terms = _member(x, 'terms') + ['%%t%d' % i]
        if online:
            _text += (
                fold('%part', 'max', _member(x, 'list')), '\tmax.f32 %top, %largest, %part;\n',
                '\tsub.rn.f32 %part, %largest, %top;\n',
                '\tmul.rn.f32 %part, %part, ', _f32(log2e), ';\n',
                '\tex2.approx.ftz.f32 %part, %part;\n',
                '\tmul.rn.f32 %total, %total, %part;\n',
                '\tmov.f32 %largest, %top;\n',
            )
            for i in range(items):
                _text += (
                    '\tsub.rn.f32 %t', i, ', %x', i, ', %top;\n',
                    '\tmul.rn.f32 %t', i, ', %t', i, ', ', _f32(log2e), ';\n',
                    '\tex2.approx', '.ftz' if reread or op != 'softmax' else '', '.f32 %t', i, ', %t', i, ';\n',
                )
                if op == 'log_softmax' and i >= 4:
                    _text += ('\tadd.rn.f32 %t', i % 4, ', %t', i % 4, ', %t', i, ';\n',)
            _text += (fold('%part', 'add', _member(x, 'terms')[:4] if op == 'log_softmax' else _member(x, 'terms')), '\tadd.rn.f32 %total, %total, %part;\n',)
        elif moments:
            (n, mean) = ('%n', '%part') if reread else ('%count', '%mean')
            _text += (fold(mean, 'add', _member(x, 'list')),)
            if whole:
                _text += ('\tmul.rn.f32 ', mean, ', ', mean, ', ', _f32(1 / items), ';\n',)
            else:
                _text += ('\tmov.f32 ', n, ', ', _f32(0), ';\n',)
                for j in range(accesses):
                    _text += ('\t@%in', j, ' add.rn.f32 ', n, ', ', n, ', ', _f32(vector), ';\n',)
                _text += (
                    '\tmax.f32 %top, ', n, ', ', _f32(1), ';\n',
                    divide(mean, '%top'),
                )
            for i in range(4):
                _text += ('\tmov.f32 %part_squares', i, ', ', _f32(0), ';\n',)
            for j in range(accesses):
                for i in range(j * vector, (j + 1) * vector):
                    _text += (
                        '\tsub.rn.f32 %t', i, ', %x', i, ', ', mean, ';\n',
                        '\t', '' if whole else guard(j), 'fma.rn.f32 %part_squares', i % 4, ', %t', i, ', %t', i, ', %part_squares', i % 4, ';\n',
                    )
            _text += (fold('%part_squares0' if reread else '%squares', 'add', ['%part_squares0', '%part_squares1', '%part_squares2', '%part_squares3']),)
            if reread:
                _text += (merge_moments(['%count', n], ['%mean', mean], ['%squares', '%part_squares0'], 1),)
        elif op == 'quantise':
            for i in range(items):
                _text += ('\tabs.f32 %t', i, ', %x', i, ';\n',)
            _text += (fold('%part', 'max', _member(x, 'terms')), '\tmax.f32 %largest, %largest, %part;\n',)
        elif op == 'rms_norm':
            for i in range(items):
                _text += ('\tfma.rn.f32 %total', i % 2 or '', ', %x', i, ', %x', i, ', %total', i % 2 or '', ';\n',)
        elif op == 'softmax_backward':
            for i in range(items):
                _text += ('\tfma.rn.f32 %total', i % 2 or '', ', %x', i, ', %g', i, ', %total', i % 2 or '', ';\n',)
        elif op == 'log_softmax_backward':
            for i in range(items):
                _text += ('\tadd.rn.f32 %total', i % 2 or '', ', %total', i % 2 or '', ', %g', i, ';\n',)
        elif op == 'channel_sums':
            for i in range(items):
                _text += (
                    normalised(i), '\tfma.rn.f32 %total, %g', i, ', %x', i, ', %total;\n',
                    '\tadd.rn.f32 %other, %other, %g', i, ';\n',
                )
        elif by_channel:
            for i in range(items):
                _text += (
                    normalised(i), '\tfma.rn.f32 %total', i // vector, ', %g', i, ', %x', i, ', %total', i // vector, ';\n',
                    '\tadd.rn.f32 %other', i // vector, ', %other', i // vector, ', %g', i, ';\n',
                )
        elif norm_backward:
            _text += (load_vectors(),)
            for i in range(items):
                _text += (normalised(i),)
                if partials:
                    _text += ('\tfma.rn.f32 %d_weight', i, ', %g', i, ', %x', i, ', %d_weight', i, ';\n',)
                    if layer:
                        _text += ('\tadd.rn.f32 %d_bias', i, ', %d_bias', i, ', %g', i, ';\n',)
                _text += (weighed(i),)
                if layer and items > vector and not whole:
                    _text += ('\t@%in', i // vector, ' fma.rn.f32 %total, %g', i, ', %x', i, ', %total;\n',)
                else:
                    _text += ('\tfma.rn.f32 %total, %g', i, ', %x', i, ', %total;\n',)
                if layer:
                    _text += ('\tadd.rn.f32 %other, %other, %g', i, ';\n',)
        return "".join(map(str, _text))

    _text += ('\n',)

    def merge(width_2: Any, many: Any, size: Any) -> str:
        _text: list[Any] = []
        if by_channel:
            for name in state:
                _text += (over_lanes(str('%') + str(name), 'add', width_2),)
        else:
            _text += (merged(width_2, many, size),)
        return "".join(map(str, _text))


    def merged(width_2: Any, many: Any, size: Any) -> str:
        _text: list[Any] = []
        parts_2 = SimpleNamespace(lists=[])
        for name in state:
            list = SimpleNamespace(of=[])
            for e in range(many):
                list.of = _member(list, 'of') + ['%%%s%s' % (name, e if e else '')]
            parts_2.lists = _member(parts_2, 'lists') + [_member(list, 'of')]
        if kind == 'online':
            _text += (merge_online(_member(parts_2, 'lists')[0], _member(parts_2, 'lists')[1], width_2),)
        elif kind == 'maximum':
            if many > 1:
                _text += (fold(_member(parts_2, 'lists')[0][0], 'max', _member(parts_2, 'lists')[0]),)
            _text += (over_lanes(_member(parts_2, 'lists')[0][0], 'max', width_2),)
        elif kind == 'moments':
            _text += (merge_moments(size if whole else _member(parts_2, 'lists')[2], _member(parts_2, 'lists')[0], _member(parts_2, 'lists')[1], width_2),)
        elif kind:
            _text += (merge_sums(_member(parts_2, 'lists'), width_2),)
        return "".join(map(str, _text))

    entries = max([_ceil_div(warps, 32), 1])

    def send_parts() -> str:
        _text: list[Any] = []
        if persistent:
            _text += (
                '\tand.b32 %place, %taken, 1;\n',
                '\tmul.lo.u32 %buffer, %place, ', 4 * len(state) * warps, ';\n',
            )
            if cluster > 1:
                _text += (
                    '\tmad.lo.u32 %arrived, %place, 8, %arrivals;\n',
                    '\tbfe.u32 %turn, %taken, 1, 1;\n',
                )
            _text += ('\tadd.u32 %taken, %taken, 1;\n',)
        elif cluster > 1:
            _text += ('\tbarrier.cluster.wait.aligned;\n',)
        if cluster > 1:
            _text += (
                '\tbar.warp.sync -1;\n',
                '\tsetp.eq.u32 %first, %lane_id, 0;\n',
                '\t@%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [%arrived], ', 4 * len(state) * cluster, ';\n',
                '\tsetp.lt.u32 %first, %lane_id, ', cluster, ';\n',
                '\t{\n',
                '\t.reg .b32 %there, %there_arrived;\n',
                '\tmapa.shared::cluster.u32 %there_arrived, %arrived, %lane_id;\n',
                '\tmapa.shared::cluster.u32 %there, %slot, %lane_id;\n',
            )
            if persistent:
                _text += ('\tadd.u32 %there, %there, %buffer;\n',)
            for loop_index, name in enumerate(state):
                _text += ('\t@%first st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%there', '+%d' % (4 * loop_index * warps) if loop_index else '', '], %', name, ', [%there_arrived];\n',)
            _text += ('\t}\n',)
        else:
            _text += ('\tsetp.eq.u32 %first, %lane_id, 0;\n',)
            if persistent:
                _text += ('\tadd.u32 %place, %slot, %buffer;\n',)
            for loop_index, name in enumerate(state):
                _text += ('\t@%first st.shared.f32 [%', 'place' if persistent else 'slot', '+%d' % (4 * loop_index * warps) if loop_index else '', '], %', name, ';\n',)
        return "".join(map(str, _text))


    def await_parts() -> str:
        _text: list[Any] = []
        if cluster > 1:
            _text += (
                '$arriving:\n',
                '\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %first, [%arrived], ', '%turn' if persistent else 0, ';\n',
                '\t@!%first bra $arriving;\n',
            )
        else:
            _text += ('\tbarrier.sync 0;\n',)
        if persistent:
            _text += ('\tadd.u32 %place, %entry, %buffer;\n',)
        if by_channel:
            _text += (weigh_channels(),)
        else:
            _text += (merge_parts(),)
        return "".join(map(str, _text))


    def merge_parts() -> str:
        _text: list[Any] = []
        for loop_index, name in enumerate(state):
            number = loop_index
            for e in range(entries):
                _text += ('\tld.shared.f32 %', name, e or '', ', [%', 'place' if persistent else 'entry', '+', 4 * (number * warps + 32 * e), '];\n',)
        _text += (merge(min([warps, 32]), entries, 32 * items),)
        return "".join(map(str, _text))

    begins = 'place' if persistent else 'entry'

    def weigh_channels() -> str:
        _text: list[Any] = []
        _text += (
            '\tmov.f32 %total, ', _f32(0), ';\n',
            '\tmov.f32 %other, ', _f32(0), ';\n',
        )
        for first in range(0, accesses * warps, 32):
            _text += (
                '\t{\n',
                '\t.reg .pred %there;\n',
                '\t.reg .b32 %chunk, %at;\n',
                '\t.reg .f32 %one, %two;\n',
                '\tadd.u32 %chunk, %lane_id, ', first, ';\n',
                '\tmul.lo.u32 %at, %chunk, ', 32 * vector, ';\n',
                '\tsetp.lt.u32 %there, %at, %columns;\n',
            )
            if accesses * warps < 32:
                _text += ('\tsetp.lt.and.u32 %there, %chunk, ', accesses * warps, ', %there;\n',)
            _text += (
                '\tdiv.u32 %at, %at, %area;\n',
                '\tadd.u32 %at, %at, %channel;\n',
                '\tmad.wide.u32 %wide, %at, ', _member(type, 'bytes'), ', %weight;\n',
                registers('share', type, 1, 1), preset('share', type, 0, 1, 0), load('share', type, 0, 1, '%wide', 0, '', '@%there '), widen('share', type, 0, 1), part_place('%at', '%chunk'), '\n',
                '\tmov.f32 %one, ', _f32(0), ';\n',
                '\tmov.f32 %two, ', _f32(0), ';\n',
                '\t@%there ld.shared.f32 %one, [%at];\n',
                '\t@%there ld.shared.f32 %two, [%at+', 4 * warps, '];\n',
                '\tfma.rn.f32 %total, %one, %share0, %total;\n',
                '\tfma.rn.f32 %other, %two, %share0, %other;\n',
                '\t}\n',
            )
        _text += (over_lanes('%total', 'add', 32), over_lanes('%other', 'add', 32),)
        return "".join(map(str, _text))


    def part_place(at: Any, chunk: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\tand.b32 ', at, ', ', chunk, ', ', -warps % 4294967296, ';\n',
            '\tadd.u32 ', at, ', ', at, ', ', chunk, ';\n',
            '\tmad.lo.u32 ', at, ', ', at, ', 4, %parts;\n',
        )
        if persistent:
            _text += ('\tadd.u32 ', at, ', ', at, ', %buffer;\n',)
        return "".join(map(str, _text))


    def store_channels() -> str:
        _text: list[Any] = []
        _text += ('\tmov.b32 %channel, %thread;\n',)
        if cluster > 1:
            _text += (
                '\tsetp.ne.u32 %more, %rank, 0;\n',
                '\tselp.b32 %channel, %channels, %thread, %more;\n',
            )
        if guarded:
            _text += ('\t@!%own mov.b32 %channel, %channels;\n',)
        _text += (
            '\tsetp.lt.u32 %more, %channel, %channels;\n',
            '\t@!%more bra $channels_done;\n',
            '\t{\n',
            '\t.reg .b32 %chunk, %end, %at;\n',
            '\t.reg .f32 %one, %two;\n',
            '\tdiv.u32 %end, %area, ', 32 * vector, ';\n',
            '$channels:\n',
            '\tmul.lo.u32 %chunk, %channel, %end;\n',
            '\tadd.u32 %step, %chunk, %end;\n',
            '\tmov.f32 %total, ', _f32(0), ';\n',
            '\tmov.f32 %other, ', _f32(0), ';\n',
            '$parts:\n',
            part_place('%at', '%chunk'), '\tld.shared.f32 %one, [%at];\n',
            '\tld.shared.f32 %two, [%at+', 4 * warps, '];\n',
            '\tadd.rn.f32 %total, %total, %one;\n',
            '\tadd.rn.f32 %other, %other, %two;\n',
            '\tadd.u32 %chunk, %chunk, 1;\n',
            '\tsetp.lt.u32 %more, %chunk, %step;\n',
            '\t@%more bra $parts;\n',
            '\tmad.lo.u32 %at, %row, %channels, %channel;\n',
        )
        for (name, value) in (('d_weight', 'total'), ('d_bias', 'other')):
            _text += (
                '\tmad.wide.u32 %wide, %at, 4, %to_', name, ';\n',
                '\tst.global.f32 [%wide], %', value, ';\n',
            )
        _text += (
            '\tadd.u32 %channel, %channel, ', lanes, ';\n',
            '\tsetp.lt.u32 %more, %channel, %channels;\n',
            '\t@%more bra $channels;\n',
            '\t}\n',
            '$channels_done:\n',
        )
        return "".join(map(str, _text))

    _text += ('\n',)

    def finish() -> str:
        _text: list[Any] = []
        if op == 'softmax':
            _text += ('\trcp.approx.f32 %factor, %total;\n',)
            if not reread:
                _text += (
                    '\tsub.rn.f32 %part, %top, %largest;\n',
                    '\tmul.rn.f32 %part, %part, ', _f32(log2e), ';\n',
                    '\tex2.approx.f32 %part, %part;\n',
                    '\tmul.rn.f32 %factor, %factor, %part;\n',
                )
        elif online:
            _text += (
                '\tlg2.approx.f32 %factor, %total;\n',
                '\tmul.rn.f32 %factor, %factor, ', _f32(0.6931471805599453), ';\n',
            )
        elif norm:
            _text += (
                '\tfma.rn.f32 %part, %', 'squares' if moments else 'total', ', %share, %eps;\n',
                '\trsqrt.approx.f32 %scale, %part;\n',
            )
        elif op == 'quantise':
            _text += (
                '\tdiv.rn.f32 %scale, %largest, ', _f32(limit), ';\n',
                '\tdiv.rn.f32 %factor, ', _f32(limit), ', %largest;\n',
                '\tsetp.eq.f32 %more, %largest, ', _f32(0), ';\n',
                '\tselp.f32 %factor, ', _f32(0), ', %factor, %more;\n',
            )
        elif norm_backward:
            _text += ('\tmul.rn.f32 %total, %total, %share;\n',)
            if layer:
                _text += ('\tmul.rn.f32 %other, %other, %share;\n',)
        return "".join(map(str, _text))


    def results() -> str:
        _text: list[Any] = []
        if op == 'quantise':
            for i in range(items):
                _text += ('\tmul.rn.f32 %t', i, ', %x', i, ', %factor;\n',)
        elif op == 'softmax':
            for i in range(items):
                if reread:
                    _text += (
                        '\tsub.rn.f32 %t', i, ', %x', i, ', %largest;\n',
                        '\tmul.rn.f32 %t', i, ', %t', i, ', ', _f32(log2e), ';\n',
                        '\tex2.approx.f32 %t', i, ', %t', i, ';\n',
                    )
                _text += ('\tmul.rn.f32 %x', i, ', %t', i, ', %factor;\n',)
        elif op == 'log_softmax':
            for i in range(items):
                _text += (
                    '\tsub.rn.f32 %x', i, ', %x', i, ', %largest;\n',
                    '\tsub.rn.f32 %x', i, ', %x', i, ', %factor;\n',
                )
        elif norm:
            _text += (load_vectors(),)
            for i in range(items):
                if layer:
                    _text += (
                        '\tsub.rn.f32 %t', i, ', %x', i, ', %mean;\n',
                        '\tmul.rn.f32 %t', i, ', %t', i, ', %scale;\n',
                    )
                else:
                    _text += ('\tmul.rn.f32 %t', i, ', %x', i, ', %scale;\n',)
                if weighted and biased:
                    _text += ('\tfma.rn.f32 %t', i, ', %t', i, ', ', factor('weight', i), ', ', factor('bias', i), ';\n',)
                elif weighted:
                    _text += ('\tmul.rn.f32 %t', i, ', %t', i, ', ', factor('weight', i), ';\n',)
                elif biased:
                    _text += ('\tadd.rn.f32 %t', i, ', %t', i, ', ', factor('bias', i), ';\n',)
        elif op == 'softmax_backward':
            for i in range(items):
                _text += (
                    '\tsub.rn.f32 %g', i, ', %g', i, ', %total;\n',
                    '\tmul.rn.f32 %x', i, ', %x', i, ', %g', i, ';\n',
                )
        elif op == 'log_softmax_backward':
            for i in range(items):
                _text += (
                    '\tmul.rn.f32 %x', i, ', %x', i, ', ', _f32(log2e), ';\n',
                    '\tex2.approx.f32 %x', i, ', %x', i, ';\n',
                    '\tneg.f32 %x', i, ', %x', i, ';\n',
                    '\tfma.rn.f32 %x', i, ', %x', i, ', %total, %g', i, ';\n',
                )
        elif op == 'cross_entropy_backward':
            for j in range(accesses):
                _text += (
                    '\tadd.u32 %column, %tile, ', j * width, ';\n',
                    '\tmul.lo.u32 %column, %column, ', vector, ';\n',
                    '\tsub.u32 %column, %label, %column;\n',
                )
                for i in range(j * vector, (j + 1) * vector):
                    _text += (
                        '\tsub.rn.f32 %x', i, ', %x', i, ', %logs;\n',
                        '\tmul.rn.f32 %x', i, ', %x', i, ', ', _f32(log2e), ';\n',
                        '\tex2.approx.f32 %x', i, ', %x', i, ';\n',
                        '\tsetp.eq.u32 %first, %column, ', i - j * vector, ';\n',
                        '\tselp.f32 %part, ', _f32(1), ', ', _f32(0), ', %first;\n',
                        '\tsub.rn.f32 %x', i, ', %x', i, ', %part;\n',
                        '\tmul.rn.f32 %x', i, ', %x', i, ', %gradient;\n',
                        '\tselp.f32 %x', i, ', %x', i, ', ', _f32(0), ', %counted;\n',
                    )
        elif norm_backward:
            if by_channel:
                _text += (load_vectors(),)
                for i in range(items):
                    _text += (weighed(i),)
            elif reread:
                _text += (load_vectors(),)
                for i in range(items):
                    _text += (normalised(i), weighed(i),)
            for i in range(items):
                _text += (
                    '\tneg.f32 %part, %total;\n',
                    '\tfma.rn.f32 %x', i, ', %x', i, ', %part, %g', i, ';\n',
                )
                if layer:
                    _text += ('\tsub.rn.f32 %x', i, ', %x', i, ', %other;\n',)
                _text += ('\tmul.rn.f32 %x', i, ', %x', i, ', %scale;\n',)
        return "".join(map(str, _text))

    _text += ('\n',)
    arrays = inputs + outputs
    moving = arrays + vectors
    targets = ['targets'] if entropy else []
    others = (['gradients'] if op == 'cross_entropy_backward' else ['losses'] if op == 'cross_entropy' else []) + saves
    align = {'targets': _member(index, 'bytes')}
    exchanged = warps > 1 and kind
    scalars = list([_each for _each in [('mean', 'mean'), ('scale', 'scale'), ('logs', 'logs'), ('gradients', 'gradient')] if _each[0] in others]) if norm_backward or op in ('cross_entropy_backward', 'channel_sums') else []

    def fetch_scalars() -> str:
        _text: list[Any] = []
        _text += ('\tsetp.lt.u32 %more, %next, %rows;\n',)
        for (name, r) in scalars:
            if guarded:
                _text += ('\tmov.f32 %next_', r, ', ', _f32(0), ';\n',)
            _text += (
                '\tmad.wide.u32 %wide, %next, 4, %to_', name, ';\n',
                '\t@%more ld.global.f32 %next_', r, ', [%wide];\n',
            )
        return "".join(map(str, _text))

    _text += ('\n',)
    halves = ['total1'] if kind == 'sums' and items > 1 and not norm_backward else []

    def begin() -> str:
        _text: list[Any] = []
        for name in [name for name in state + halves if reread or not moments]:
            _text += ('\tmov.f32 %', name, ', ', _f32(lowest if name == 'largest' and online else 0), ';\n',)
        return "".join(map(str, _text))


    def row_addresses() -> str:
        _text: list[Any] = []
        for name in arrays:
            _text += ('\tmad.lo.u64 %at_', name, ', %row64, %step_', name, ', %', name, ';\n',)
        for name in [name for name in vectors if not stages]:
            _text += ('\tmov.b64 %at_', name, ', %', name, ';\n',)
        if reread:
            _text += ('\tmov.b32 %tile, %place_in_row;\n',)
        return "".join(map(str, _text))


    def tiles(name: Any, caller: Any = None) -> str:
        _text: list[Any] = []
        _text += (
            '\tsetp.lt.u32 %more, %tile, %last;\n',
            '\t@!%more bra $', name, '_done;\n',
            '$', name, ':\n',
            conditions('%tile'), load_tile(), caller(), '\tadd.u32 %tile, %tile, ', accesses * width, ';\n',
        )
        for name_2 in moving:
            _text += ('\tadd.u64 %at_', name_2, ', %at_', name_2, ', ', accesses * width * vector * _member(kinds[name_2], 'bytes'), ';\n',)
        _text += (
            '\tsetp.lt.u32 %more, %tile, %last;\n',
            '\t@%more bra $', name, ';\n',
            '$', name, '_done:\n',
        )
        return "".join(map(str, _text))

    _text += (
        '\n',
        '.version ', version, '\n',
        '.target ', target, '\n',
        '.address_size 64\n',
        '\n',
    )
    if stages:
        _text += ('.extern .shared .align 16 .b8 staged[];\n',)
    _text += ('.visible .entry rows(\n',)
    for name in arrays:
        _text += (
            '\t.param .u64 .ptr .global .align ', vector * _member(kinds[name], 'bytes'), ' ', name, ',\n',
            '\t.param .u64 ', name, '_step,\n',
        )
    for name in affine:
        _text += ('\t.param .u64 .ptr .global .align ', _member(type, 'bytes') if grouped else bytes, ' ', name, ',\n',)
    for name in targets + others + partials:
        _text += ('\t.param .u64 .ptr .global .align ', align.get(name, 4) if name not in partials else 4 * min([vector, 4]), ' ', name, ',\n',)
    if norm:
        _text += ('\t.param .f32 eps,\n',)
    if norm or norm_backward:
        _text += ('\t.param .f32 share,\n',)
    for name in sizes:
        _text += ('\t.param .u32 ', name, ',\n',)
    _text += (
        '\t.param .u32 rows,\n',
        '\t.param .u32 columns\n',
        ')\n',
        '.maxntid ', block, '\n',
    )
    if moments and per_cta > 1 and items == 32 and _member(type, 'bits') == 16:
        _text += ('.minnctapersm 7\n',)
    elif op == 'rms_norm' and lanes == 512 and items == 32 and cluster == 1 and not stages and not reread:
        _text += ('.minnctapersm 2\n',)
    if cluster > 1:
        _text += ('.reqnctapercluster ', cluster, '\n',)
    _text += (
        '{\n',
        '\t.reg .pred ', '' if whole and not partials else '%%in<%d>, ' % accesses, '%more;\n',
        '\t.reg .b32 %thread, %group, %rows, %columns, %last, %row, %place_in_row, %step, %tile;\n',
        '\t.reg .b64 %row64, %wide;\n',
        '\t.reg .f32 %part, %top, %factor;\n',
    )
    if guarded:
        _text += ('\t.reg .pred %own;\n',)
    for name in inputs + vectors:
        _text += (registers(name, type, items, vector),)
    for name in [name for name in affine if grouped]:
        _text += (
            registers(name, type, accesses, 1), '\n',
            '\t.reg .b64 %', name, ';\n',
        )
    if op == 'channel_sums':
        _text += ('\t.reg .b64 %group64;\n',)
    if sizes:
        _text += ('\t.reg .b32 %', ', %'.join(map(str, sizes)), ', %channel' if grouped else '', ';\n',)
    _text += ('\t.reg .f32 %t<', items, '>;\n',)
    if (norm or op == 'quantise') and _member(made, 'bits') < 32:
        _text += ('\t.reg .', 'b32' if vector > 1 else 'b16', ' %t', 'w' if vector > 1 else 'h', '<', items * _member(made, 'bits') // 32 if vector > 1 else items, '>;\n',)
    for name in state:
        _text += ('\t.reg .f32 %', name, ';\n',)
        for e in range(1, entries):
            _text += ('\t.reg .f32 %', name, e, ';\n',)
    if halves and entries == 1:
        _text += ('\t.reg .f32 %total1;\n',)
    if moments:
        _text += ('\t.reg .f32 %n, %part_squares<4>;\n',)
    if norm or norm_backward:
        _text += ('\t.reg .f32 %share;\n',)
    if norm:
        _text += ('\t.reg .f32 %eps, %scale;\n',)
    if op == 'quantise':
        _text += ('\t.reg .f32 %scale;\n',)
    if by_channel:
        _text += (
            '\t.reg .f32 %total, %other;\n',
            '\t.reg .b32 %parts;\n',
        )
    if norm_backward or op == 'channel_sums':
        _text += ('\t.reg .f32 %scale', ', %mean' if layer or op == 'channel_sums' else '', ';\n',)
        for name in partials:
            _text += ('\t.reg .f32 %', name, '<', items, '>;\n',)
    if persistent:
        _text += ('\t.reg .b32 %apart;\n',)
        if scalars:
            _text += (
                '\t.reg .b32 %next;\n',
                '\t.reg .f32 %next_', ', %next_'.join(map(str, [_each[1] for _each in scalars])), ';\n',
            )
    if stages:
        _text += (
            '\t.reg .pred %copier;\n',
            '\t.reg .b32 %copy_to, %copy_bytes, %ahead, %stage, %staged_at, %filled, %parity;\n',
            '\t.reg .b64 %copy_from, %copy_step;\n',
            '\t.shared .align 8 .b64 filled[', stages, '];\n',
        )
    if entropy:
        _text += ('\t.reg .pred %counted;\n',)
        if op == 'cross_entropy':
            _text += (
                '\t.reg .pred %labelled;\n',
                registers('label', type, 1, 1),
            )
        else:
            _text += (
                '\t.reg .b32 %label, %column;\n',
                '\t.reg .f32 %gradient;\n',
            )
        _text += (
            '\t.reg .b64 %target;\n',
            '\t.reg .f32 %logs;\n',
        )
    if exchanged or entropy:
        _text += ('\t.reg .pred %first;\n',)
    if exchanged:
        _text += (
            '\t.reg .b32 %lane_id, %slot, %entry, %rank', ', %buffer, %place' if persistent else '', ';\n',
            '\t.shared .align 16 .f32 exchanged[', len(state) * warps * buffers, '];\n',
        )
        if persistent:
            _text += ('\t.reg .b32 %taken;\n',)
        if cluster > 1:
            _text += (
                '\t.reg .b32 %arrivals, %arrived', ', %turn' if persistent else '', ';\n',
                '\t.shared .align 8 .b64 arrivals[', buffers, '];\n',
            )
    elif cluster > 1:
        _text += ('\t.reg .b32 %rank;\n',)
    for name in moving:
        _text += ('\t.reg .b64 %', name, ', %at_', name, ', %%step_%s' % name if name in arrays else '', ';\n',)
    for name in targets + others + partials:
        _text += ('\t.reg .b64 %to_', name, ';\n',)
    _text += (
        '\n',
        '\tmov.u32 %thread, %tid.x;\n',
    )
    if cluster > 1 and exchanged:
        _text += (
            '\tmov.u32 %arrivals, arrivals;\n',
            '\tsetp.eq.u32 %more, %thread, 0;\n',
        )
        for b in range(buffers):
            _text += ('\t@%more mbarrier.init.shared::cta.b64 [%arrivals+', 8 * b, '], ', lanes // 32, ';\n',)
        _text += ('\t@%more fence.mbarrier_init.release.cluster;\n',)
        if not persistent:
            _text += ('\tmov.b32 %arrived, %arrivals;\n',)
        _text += ('\tbarrier.cluster.arrive.relaxed.aligned;\n',)
    _text += (
        '\tmov.u32 %group, %ctaid.x;\n',
        '\tld.param.u32 %rows, [rows];\n',
        '\tld.param.u32 %columns, [columns];\n',
    )
    if norm:
        _text += ('\tld.param.f32 %eps, [eps];\n',)
    if norm or norm_backward:
        _text += ('\tld.param.f32 %share, [share];\n',)
    for name in sizes:
        _text += ('\tld.param.u32 %', name, ', [', name, '];\n',)
    for name in moving + (affine if grouped else []):
        _text += (
            '\tld.param.u64 %', name, ', [', name, '];\n',
            '\tcvta.to.global.u64 %', name, ', %', name, ';\n',
        )
    for name in targets + others + partials:
        _text += (
            '\tld.param.u64 %to_', name, ', [', name, '];\n',
            '\tcvta.to.global.u64 %to_', name, ', %to_', name, ';\n',
        )
    for name in arrays:
        _text += (
            '\tld.param.u64 %step_', name, ', [', name, '_step];\n',
            '\tmul.lo.u64 %step_', name, ', %step_', name, ', ', _member(kinds[name], 'bytes'), ';\n',
        )
    if dependent and _sm_of(target) >= 90:
        _text += (
            '\tgriddepcontrol.launch_dependents;\n',
            '\tgriddepcontrol.wait;\n',
        )
    _text += ('\tshr.u32 %last, %columns, ', {1: 0, 2: 1, 4: 2, 8: 3}[vector], ';\n',)
    if cluster > 1:
        _text += (
            '\tmov.u32 %rank, %cluster_ctarank;\n',
            '\tmad.lo.u32 %place_in_row, %rank, ', lanes, ', %thread;\n',
            '\tdiv.u32 %group, %group, ', cluster, ';\n',
        )
    else:
        _text += ('\tand.b32 %place_in_row, %thread, ', lanes - 1, ';\n',)
    if stages:
        _text += (
            '\tsetp.lt.u32 %copier, %thread, ', copies, ';\n',
            '\tand.b32 %step, %thread, ', accesses - 1, ';\n',
            '\tmul.lo.u32 %step, %step, ', width, ';\n',
        )
        if cluster > 1:
            _text += ('\tmad.lo.u32 %step, %rank, ', lanes, ', %step;\n',)
        _text += (
            '\tmov.b64 %copy_from, %', inputs[0], ';\n',
            '\tmov.b64 %copy_step, %step_', inputs[0], ';\n',
        )
        for loop_index, name in enumerate(inputs[1:]):
            _text += (
                '\tsetp.ge.u32 %more, %thread, ', (loop_index + 1) * accesses, ';\n',
                '\tselp.b64 %copy_from, %', name, ', %copy_from, %more;\n',
                '\tselp.b64 %copy_step, %step_', name, ', %copy_step, %more;\n',
            )
        _text += (
            '\tmad.wide.u32 %copy_from, %step, ', bytes, ', %copy_from;\n',
            '\tsub.u32 %copy_bytes, %last, %step;\n',
            '\tmax.s32 %copy_bytes, %copy_bytes, 0;\n',
            '\tmin.s32 %copy_bytes, %copy_bytes, ', lanes, ';\n',
            '\tmul.lo.u32 %copy_bytes, %copy_bytes, ', bytes, ';\n',
            '\tmov.u32 %copy_to, staged;\n',
            '\tmad.lo.u32 %copy_to, %thread, ', lanes * bytes, ', %copy_to;\n',
            '\tmov.b32 %stage, 0;\n',
            '\tmov.b32 %parity, 0;\n',
            '\tmov.u32 %filled, filled;\n',
            '\tsetp.eq.u32 %more, %thread, 0;\n',
        )
        for s in range(stages):
            _text += ('\t@%more mbarrier.init.shared::cta.b64 [%filled+', 8 * s, '], ', copies, ';\n',)
        _text += (
            '\t@%more fence.mbarrier_init.release.cluster;\n',
            '\tbarrier.sync 0;\n',
        )
    for name in moving:
        _text += ('\tmad.wide.u32 %', name, ', %place_in_row, ', vector * _member(kinds[name], 'bytes'), ', %', name, ';\n',)
    if not reread:
        _text += ('\tmov.b32 %tile, %place_in_row;\n',)
    if exchanged:
        _text += (
            '\tmov.u32 %lane_id, %laneid;\n',
            '\tshr.u32 %slot, %thread, 5;\n',
        )
        if cluster > 1:
            _text += ('\tmad.lo.u32 %slot, %rank, ', lanes // 32, ', %slot;\n',)
        _text += ('\tmov.u32 %entry, exchanged;\n',)
        if by_channel:
            _text += ('\tmov.b32 %parts, %entry;\n',)
        _text += (
            '\tmad.lo.u32 %slot, %slot, 4, %entry;\n',
            '\tand.b32 %step, %lane_id, ', min([warps, 32]) - 1, ';\n',
            '\tmad.lo.u32 %entry, %step, 4, %entry;\n',
        )
        if persistent:
            _text += ('\tmov.b32 %taken, 0;\n',)
    for name in partials:
        for i in range(items):
            _text += ('\tmov.f32 %', name, i, ', ', _f32(0), ';\n',)
    if persistent:
        _text += ('\tmov.u32 %apart, %nctaid.x;\n',)
        if cluster > 1 and exchanged:
            _text += ('\tbarrier.cluster.wait.aligned;\n',)
        if cluster > 1:
            _text += ('\tdiv.u32 %apart, %apart, ', cluster, ';\n',)
        _text += ('\tmul.lo.u32 %row, %group, ', per_cta, ';\n',)
        if stages:
            _text += ('\tmov.b32 %ahead, %row;\n',)
            for s in range(stages):
                _text += (copy_row('%ahead', s * slot, '%%filled+%d' % (8 * s)), '\tadd.u32 %ahead, %ahead, %apart;\n',)
            for name in vectors:
                _text += ('\tmov.b64 %at_', name, ', %', name, ';\n',)
            _text += (conditions('%place_in_row'), fetch_vectors(),)
        if scalars:
            if per_cta > 1:
                _text += (
                    '\tshr.u32 %next, %thread, ', {1: 0, 2: 1, 4: 2, 8: 3, 16: 4, 32: 5}[lanes], ';\n',
                    '\tadd.u32 %next, %row, %next;\n',
                )
            else:
                _text += ('\tmov.b32 %next, %row;\n',)
            _text += (fetch_scalars(),)
        _text += (
            '\tsetp.lt.u32 %more, %row, %rows;\n',
            '\t@!%more bra $rows_done;\n',
            '$rows:\n',
        )
    if per_cta > 1:
        _text += ('\tshr.u32 %step, %thread, ', {1: 0, 2: 1, 4: 2, 8: 3, 16: 4, 32: 5}[lanes], ';\n',)
        if persistent:
            _text += ('\tadd.u32 %step, %row, %step;\n',)
        else:
            _text += ('\tmad.lo.u32 %row, %group, ', per_cta, ', %step;\n',)
    elif not persistent:
        _text += ('\tmov.b32 %row, %group;\n',)
    mine = '%step' if per_cta > 1 and persistent else '%row'
    if guarded:
        _text += ('\tsetp.lt.u32 %own, ', mine, ', %rows;\n',)
    elif not persistent:
        _text += (
            '\tsetp.lt.u32 %more, %row, %rows;\n',
            '\t@!%more bra $done;\n',
        )
    own = '@%own ' if guarded else ''
    _text += (
        '\tcvt.u64.u32 %row64, ', mine, ';\n',
        row_addresses(),
    )
    if grouped:
        _text += (
            '\trem.u32 %channel, %row, %groups;\n',
            '\tmul.lo.u32 %channel, %channel, %channels;\n',
        )
    if op == 'channel_sums':
        _text += (
            '\tdiv.u32 %step, %row, %channels;\n',
            '\tcvt.u64.u32 %group64, %step;\n',
        )
    for (name, r) in scalars:
        if persistent:
            _text += ('\tmov.f32 %', r, ', %next_', r, ';\n',)
        else:
            if own:
                _text += ('\tmov.f32 %', r, ', ', _f32(0), ';\n',)
            _text += (
                '\tmad.lo.u64 %wide, ', '%group64' if op == 'channel_sums' else '%row64', ', 4, %to_', name, ';\n',
                '\t', own, 'ld.global.f32 %', r, ', [%wide];\n',
            )
    if persistent and scalars:
        _text += (
            '\tmad.lo.u32 %next, %apart, ', per_cta, ', %next;\n',
            fetch_scalars(),
        )
    if entropy:
        _text += (
            '\tmad.lo.u64 %wide, %row64, ', _member(index, 'bytes'), ', %to_targets;\n',
            '\tmov.b64 %target, -1;\n',
            '\t', own, 'ld.global.', index, ' %target, [%wide];\n',
            '\tcvt.u64.u32 %wide, %columns;\n',
            '\tsetp.lt.u64 %counted, %target, %wide;\n',
        )
        if op != 'cross_entropy':
            _text += ('\tcvt.u32.u64 %label, %target;\n',)
    _text += (begin(),)
    if stages:
        _text += (
            '\tmov.u32 %staged_at, staged;\n',
            '\tmad.lo.u32 %staged_at, %thread, ', bytes, ', %staged_at;\n',
            '\tadd.u32 %staged_at, %staged_at, %stage;\n',
            '$filling:\n',
            '\tmbarrier.try_wait.parity.shared::cta.b64 %more, [%filled], %parity;\n',
            '\t@!%more bra $filling;\n',
            load_tile(), accumulate(),
        )
    elif not reread:
        _text += (conditions('%place_in_row'), load_tile(early), accumulate(),)
    elif kind:

        def _caller_1() -> str:
            _text: list[Any] = []
            _text += (accumulate(),)
            return "".join(map(str, _text))

        _text += (tiles('sums', caller=_caller_1),)
    if halves:
        _text += ('\tadd.rn.f32 %total, %total, %total1;\n',)
    if kind:
        _text += (merge(min([lanes, 32]), 1, items),)
    if exchanged:
        _text += (send_parts(), await_parts(),)
    elif stages:
        _text += ('\tbarrier.sync 0;\n',)
    if stages:
        _text += (next_stage(),)
    _text += (finish(),)
    if others and op != 'cross_entropy_backward' and not norm_backward or op == 'cross_entropy':
        _text += ('\tsetp.eq.u32 %more, %place_in_row, 0;\n',)
        if own:
            _text += ('\tand.pred %more, %more, %own;\n',)
        if op == 'cross_entropy':
            if reread:
                _text += (fetch_label(),)
            _text += (
                '\tadd.rn.f32 %logs, %largest, %factor;\n',
                widen('label', type, 0, 1), '\tsub.rn.f32 %part, %label0, %largest;\n',
                '\tsub.rn.f32 %part, %factor, %part;\n',
                '\tselp.f32 %part, %part, ', _f32(0), ', %labelled;\n',
                '\tmad.lo.u64 %wide, %row64, 4, %to_losses;\n',
                '\t@%more st.global.f32 [%wide], %part;\n',
            )
        for (name, value) in [('d_weight', 'total'), ('d_bias', 'other')] if op == 'channel_sums' else zip(saves, saves):
            _text += (
                '\tmad.lo.u64 %wide, %row64, 4, %to_', name, ';\n',
                '\t@%more st.global.f32 [%wide], %', value, ';\n',
            )
    if outputs:
        source = 't' if norm or op == 'quantise' else 'x'
        if reread:
            _text += (row_addresses(),)

            def _caller_2() -> str:
                _text: list[Any] = []
                if residual:
                    _text += (store_tile('z', 'x'),)
                _text += (results(), store_tile('y', source),)
                return "".join(map(str, _text))

            _text += (tiles('results', caller=_caller_2),)
        else:
            if residual:
                _text += (store_tile('z', 'x'),)
            _text += (results(), store_tile('y', source),)
    if by_channel:
        _text += (store_channels(),)
    if persistent:
        _text += (
            '\tmad.lo.u32 %row, %apart, ', per_cta, ', %row;\n',
            '\tsetp.lt.u32 %more, %row, %rows;\n',
            '\t@%more bra $rows;\n',
            '$rows_done:\n',
        )
        for loop_index, name in enumerate(partials):
            if loop_index == 0:
                _text += ('\tmov.u32 %step, %thread;\n',)
                if per_cta > 1:
                    _text += (
                        '\tshr.u32 %step, %thread, ', {1: 0, 2: 1, 4: 2, 8: 3, 16: 4, 32: 5}[lanes], ';\n',
                        '\tmad.lo.u32 %row, %group, ', per_cta, ', %step;\n',
                    )
                else:
                    _text += ('\tmov.b32 %row, %group;\n',)
                _text += (
                    '\tmul.wide.u32 %row64, %row, %columns;\n',
                    '\tmul.lo.u32 %tile, %place_in_row, ', vector, ';\n',
                    '\tcvt.u64.u32 %wide, %tile;\n',
                    '\tadd.u64 %row64, %row64, %wide;\n',
                )
                for j in range(accesses):
                    _text += (
                        '\tadd.u32 %step, %place_in_row, ', j * width, ';\n',
                        '\tsetp.lt.u32 %in', j, ', %step, %last;\n',
                    )
            _text += ('\tmad.lo.u64 %wide, %row64, 4, %to_', name, ';\n',)
            piece = min([vector, 4])
            for j in range(accesses):
                for i in range(0, vector, piece):
                    _text += (store(name, _member(_types, 'f32'), j * vector + i, piece, '%wide', 4 * (j * width * vector + i), '', '@%%in%d ' % j),)
    _text += (
        '$done:\n',
        '\tret;\n',
        '}\n',
    )
    return "".join(map(str, _text))
