"""The goldens of this repository: what the library emits, for every variant and target of the catalogue.

After a change that is meant: `pytest tests/ptxgen/golden/test_goldens.py --bless`, then read the diff. Each variant is
emitted, verified strictly and assembled for every target that it is pinned for, also where targets share a file.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from driver_ctypes import cubin_resources
from ptxgen.assembler import Assembled, assemble_many
from ptxgen.golden import golden_text, goldens, orphans
from ptxgen.ir import Register
from ptxgen.isa.forms import traits
from ptxgen.kernels import CATALOGUE, TARGETS
from ptxgen.text import parse

if TYPE_CHECKING:
    from ptxgen.golden import Golden
    from ptxgen.ir import Module
    from ptxgen.kernels import Variant

FOLDER = Path(__file__).resolve().parents[3] / "golden"
PINNED = [
    pytest.param(variant, target, id=f"{variant.label}.{target}")
    for variants in CATALOGUE.values()
    for variant in variants
    for target in (*TARGETS, *variant.besides)
    if target not in variant.absent
]


@pytest.mark.parametrize("variant, target", PINNED)
def test_the_library_emits_its_golden(golden: Golden, variant: Variant, target: str) -> None:
    golden(variant.family, variant.name, variant.module(target, strict=True))


SPILLS = {
    "matmul/tile-128x128x8": (96, TARGETS, "two CTAs an SM leave 128 registers for 64 sums and the tile on its way"),
    "prefix/": (
        200,
        ("sm_75", "sm_80"),
        "five CTAs an SM (four of 64-bit elements) leave 96 registers (128): `prefix.CTAS`",
    ),
    "hash_build/u64": (64, ("sm_75", "sm_80"), "64 registers let every warp of the SM wait for memory"),
    "hash_probe/marks.u64": (64, ("sm_75", "sm_80"), "80 registers let more warps wait for memory"),
    "hash_probe/marks.hashed": (64, ("sm_75", "sm_80"), "80 registers let more warps wait for memory"),
    "hash_probe/pairs.": (32, ("sm_120",), "80 registers let more warps wait for memory"),
    "reduce_by_key/keys.u64.several": (
        16,
        ("sm_75",),
        "five CTAs an SM leave the accumulators of five columns no more",
    ),
    "radix_sort/u32.pairs": (16, ("sm_90a",), "ptxas gives up 8 bytes for 56 registers, and so one more CTA an SM"),
    "radix_sort/f16.pairs": (16, ("sm_90a",), "ptxas gives up 8 bytes for 56 registers, and so one more CTA an SM"),
    "reduce_by_key/marks": (8, ("sm_80",), "five CTAs an SM leave 48 registers"),
    "select/odd.u32.own": (8, ("sm_75", "sm_80", "sm_120"), "40 registers leave room for six CTAs an SM"),
    "select/ne.u8.columns": (128, TARGETS, "addresses of several columns are kept: four CTAs an SM leave 64 registers"),
    "merge/f32.pairs": (64, ("sm_75", "sm_80"), "80 registers let three CTAs an SM wait for memory"),
    "merge/u32.pairs": (8, ("sm_120",), "80 registers let three CTAs an SM wait for memory"),
    "merge/u8.descending": (32, ("sm_90a", "sm_100a", "sm_120"), "48 registers let five CTAs an SM wait for memory"),
    "topk/bf16.threads-512.tiled": (8, ("sm_75", "sm_80"), "64 registers leave room for two CTAs of 512 an SM"),
    "segmented_scan/sum.u64.exclusive": (16, ("sm_120",), "80 registers let three CTAs an SM wait for memory"),
    "attention_mma/d128.causal": (
        8,
        ("sm_90a", "sm_100a"),
        "blocks of 64 keys are faster than of 32 (H200), and leave no register for one number of a tile",
    ),
    "attention_packed_backward/keys.d128": (
        24,
        ("sm_90a",),
        "the loading warp's 24 registers hold no whole tile's numbers",
    ),
    "attention_backward/keys.d128.causal": (
        8,
        ("sm_90a",),
        "the loading warp's 24 registers hold no whole tile's numbers",
    ),
    "gemm_scaled/": (16, ("sm_90a",), "two steps' sums leave no register for numbers that are used once a tile"),
}
"""Kernels that keep part of a thread's state in local memory: most bytes of stack, on which targets, and why."""


def allowed_stack(label: str, target: str) -> int:
    return max((most for name, (most, on, _) in SPILLS.items() if label.startswith(name) and target in on), default=0)


def test_no_golden_is_an_orphan() -> None:
    emitted = [(variant.family, variant.name, target) for variant, target in (case.values for case in PINNED)]
    assert not orphans(emitted, folder=FOLDER)


def test_every_golden_assembles_for_its_target_and_nothing_is_to_be_said_against_it(assembler: object) -> None:
    pinned = goldens(FOLDER)
    assert pinned
    results = assemble_many((golden_text(*entry[:3], folder=FOLDER).encode(), entry.target) for entry in pinned)
    refused = [f"{entry}: {found}" for entry, found in zip(pinned, results) if not isinstance(found, Assembled)]
    assert not refused
    remarked = {str(entry): found.messages for entry, found in zip(pinned, results) if found.messages}
    assert not remarked
    spilling = {
        str(entry): used.stack
        for entry, found in zip(pinned, results)
        if isinstance(found, Assembled)
        for used in cubin_resources(found.cubin).values()
        if used.stack > allowed_stack(f"{entry.name}/{entry.variant}", entry.target)
    }
    assert not spilling


READ_BACK = {
    entry[:2]: entry.target for target in ("sm_100a", "sm_90a") for entry in goldens(FOLDER) if entry.target == target
}
"""For each variant one target: what an H200 has, or else a Blackwell."""


@pytest.fixture(scope="module", params=READ_BACK, ids="/".join)
def pinned(request: pytest.FixtureRequest) -> tuple[str, Module]:
    """A golden's text, and what it is read as."""
    name, variant = request.param
    text = golden_text(name, variant, READ_BACK[name, variant], folder=FOLDER)
    return text, parse(text, name=f"{name}/{variant}")


def test_a_golden_read_back_prints_the_same(pinned: tuple[str, Module]) -> None:
    text, module = pinned
    assert str(module) == text


def test_arithmetic_on_new_values_is_not_guarded(pinned: tuple[str, Module]) -> None:
    """A register that is written under a guard is alive around the whole loop. Assignments (mov) are, and what is computed from
    what was loaded under it."""
    for function in pinned[1].functions:
        body = [each for each in function.instructions() if each.operands and isinstance(each.operands[0], Register)]
        times = Counter(each.operands[0].name for each in body)
        under_guard = {each.operands[0].name for each in body if each.pred is not None}
        for each in body:
            said = traits(each.op)
            if each.pred is not None and "pure" in said and "copy" not in said and times[each.operands[0].name] == 1:
                read = re.findall(r"%[a-z]+\d+", ", ".join(map(str, each.operands[1:])))
                assert not under_guard.isdisjoint(read), str(each)


def test_no_text_is_pinned_twice() -> None:
    """What targets share is kept once: a file for each target would take three times as much."""
    assert sum(file.stat().st_size for file in FOLDER.rglob("*.ptx")) < 10_800_000
