"""ring.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


SOURCE = "e40696cf71ad54c6e02e44a4ac30ff8a"
USES: list[Any] = []


def macros(*, aligned: Any, paired: Any, per256: Any, pitch: Any, rows_of_cta: Any, slot: Any, stages: Any, warps: Any, whole: Any) -> SimpleNamespace:

    def ring_registers() -> str:
        _text: list[Any] = []
        _text += (
            '\t.reg .pred %there, %ends, %copies, %copied, %ends_here;\n',
            '\t.reg .b16 %two_bytes;\n',
            '\t.reg .b32 %stage, %parity, %full, %stages_at, %filled, %old_group, %old_base, %old_stage, %size, %left, %shifted, %to_zero, %to, %bar, %slot_row;\n',
            '\t.reg .b64 %source;\n',
        )
        return "".join(map(str, _text))


    def init_ring() -> str:
        _text: list[Any] = []
        _text += ('\tsetp.eq.and.u32 %in, %lane, 0, %copies;\n',)
        for s in range(stages):
            _text += (
                '\t@%in mbarrier.init.shared::cta.b64 [%full+', 8 * s, '], 16;\n',
                '\t@%in mbarrier.init.shared::cta.b64 [%full+', 8 * (stages + s), '], ', warps, ';\n',
            )
        _text += ('\t@%in fence.mbarrier_init.release.cluster;\n',)
        return "".join(map(str, _text))


    def waits(label: Any, parity: Any) -> str:
        _text: list[Any] = []
        _text += (
            label, ':\n',
            '\tmbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %in, [%bar], ', parity, ';\n',
            '\t@!%in bra ', label, ';\n',
        )
        return "".join(map(str, _text))


    def empty_stage() -> str:
        _text: list[Any] = []
        _text += (
            '\tbar.warp.sync -1;\n',
            '\tsetp.eq.u32 %in, %lane, 0;\n',
            '\t@%in mbarrier.arrive.release.cta.shared::cta.b64 _, [%bar+', 8 * stages, '];\n',
            '\tadd.u32 %stage, %stage, 1;\n',
            '\tsetp.eq.u32 %in, %stage, ', stages, ';\n',
            '\tselp.b32 %stage, 0, %stage, %in;\n',
            '\t@%in xor.b32 %parity, %parity, 1;\n',
        )
        return "".join(map(str, _text))


    def fill_stage(number: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\tmad.lo.u32 %bar, %stage, 8, %full;\n',
            '\tmad.lo.u32 %slot_row, %lane, ', pitch, ', %stages_at;\n',
            '\tmad.lo.u32 %slot_row, %stage, ', slot, ', %slot_row;\n',
            '\tmul.lo.u32 %row, %group, ', rows_of_cta, ';\n',
        )
        if paired:
            _text += (
                '\tand.b32 %k, %lane, 7;\n',
                '\tadd.u32 %row, %row, %k;\n',
            )
        else:
            _text += ('\tadd.u32 %row, %row, %lane;\n',)
        _text += (
            '\tsub.u32 %k, %rows, 1;\n',
            '\tmin.u32 %row, %row, %k;\n',
        )
        if paired:
            _text += (
                '\tsetp.gt.u32 %in, %lane, 7;\n',
                '\t@%in add.u32 %row, %row, %rows;\n',
            )
        _text += (
            '\tsetp.lt.u32 %copied, %lane, 16;\n',
            '\tcvt.u64.u32 %wide, %row;\n',
            '\tmad.lo.u64 %source, %wide, %pitch, %w;\n',
            '\tmul.lo.u32 %left, %base, ', per256, ';\n',
            '\tcvt.u64.u32 %wide, %left;\n',
            '\tadd.u64 %source, %source, %wide;\n',
            '\tcvt.u32.u64 %size, %pitch;\n',
            '\tsub.u32 %size, %size, %left;\n',
        )
        if not aligned or not whole:
            _text += ('\tsetp.le.and.u32 %ends_here, %size, ', warps * per256, ', %copied;\n',)
        _text += ('\tmin.u32 %size, %size, ', warps * per256, ';\n',)
        if not aligned:
            _text += (
                '\tcvt.u32.u64 %shifted, %source;\n',
                '\tand.b32 %shifted, %shifted, 15;\n',
                '\tand.b64 %source, %source, -16;\n',
                '\tadd.u32 %size, %size, %shifted;\n',
                '\tadd.u32 %left, %size, 19;\n',
                '\tselp.b32 %left, %size, %left, %ends_here;\n',
                '\tand.b32 %left, %left, -16;\n',
                '\tmov.b32 %k, %left;\n',
                '$rest', number, ':\n',
                '\tsetp.lt.and.u32 %in, %k, %size, %ends_here;\n',
                '\t@!%in bra $no_rest', number, ';\n',
                '\tcvt.u64.u32 %wide, %k;\n',
                '\tadd.u64 %wide, %wide, %source;\n',
                '\tld.global.b16 %two_bytes, [%wide];\n',
                '\tadd.u32 %to, %slot_row, %k;\n',
                '\tst.shared.b16 [%to], %two_bytes;\n',
                '\tadd.u32 %k, %k, 2;\n',
                '\tbra $rest', number, ';\n',
                '$no_rest', number, ':\n',
            )
        else:
            _text += ('\tmov.b32 %left, %size;\n',)
        if not whole:
            _text += (zeros_behind(number),)
        _text += (
            '\t@%copied mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%bar], %left;\n',
            '\tsetp.ne.and.u32 %copied, %left, 0, %copied;\n',
            '\t@%copied cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%slot_row], [%source], %left, [%bar];\n',
            '\tadd.u32 %stage, %stage, 1;\n',
            '\tsetp.eq.u32 %in, %stage, ', stages, ';\n',
            '\tselp.b32 %stage, 0, %stage, %in;\n',
            '\tadd.u32 %base, %base, ', warps, ';\n',
            '\tsetp.ge.u32 %in, %base, %pieces;\n',
            '\tselp.b32 %base, 0, %base, %in;\n',
            '\t@%in add.u32 %group, %group, %grid;\n',
        )
        return "".join(map(str, _text))


    def zeros_behind(number: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\tsub.u32 %k, %pieces, %base;\n',
            '\tmul.lo.u32 %to_zero, %k, ', per256, ';\n',
        )
        if not aligned:
            _text += (
                '\tadd.u32 %to_zero, %to_zero, %shifted;\n',
                '\tadd.u32 %to_zero, %to_zero, 4;\n',
            )
        _text += (
            '\tmov.b32 %k, %size;\n',
            '\tmov.b16 %two_bytes, 0;\n',
            '$zeros', number, ':\n',
            '\tsetp.lt.and.u32 %in, %k, %to_zero, %ends_here;\n',
            '\t@!%in bra $no_zeros', number, ';\n',
            '\tadd.u32 %to, %slot_row, %k;\n',
            '\tst.shared.b16 [%to], %two_bytes;\n',
            '\tadd.u32 %k, %k, 2;\n',
            '\tbra $zeros', number, ';\n',
            '$no_zeros', number, ':\n',
            '\tfence.proxy.async.shared::cta;\n',
        )
        return "".join(map(str, _text))

    return SimpleNamespace(ring_registers=ring_registers, init_ring=init_ring, waits=waits, empty_stage=empty_stage, fill_stage=fill_stage, zeros_behind=zeros_behind)
