"""Snapshots, images and plans of e-graphs: what goes to the device, and what is launched over it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptxgen as px
from ptxgen import u32, u64
from ptxgen.kernels.egraph.egraph_pairs import pair_at
from ptxgen.ops.egraph import (
    IntegrityError,
    LaunchConfig,
    OpIdRegistry,
    PlanError,
    RunError,
    Snapshot,
    canonicalization_round,
    pack_image,
    plan_artifact,
    plan_buckets,
    plan_resident_buckets,
    plan_signature_buckets,
    plan_unions,
    plan_upload,
    plan_work,
    read_back,
    run,
    structural,
    structural_ptx,
    upload,
    warm,
)  # fmt: skip
from ptxgen.ops.egraph import plan as planning
from ptxgen.ops.egraph.image import COLUMNS
from tests.ptxgen.ops.egraph_kit import BASE, TOWER, WITH_MUL, by_plan

pytestmark = pytest.mark.usefixtures("nothing_is_left")


@px.kernel
def decode(k: px.Builder, count: u32, n: px.ptr[u32], ordinals: px.ptr[u64], out: px.ptr[u32]):
    t = k.global_id.x
    with k.if_(t < count):
        rows = n[t].to(u64)
        i, j = pair_at(k, n[t], (rows * (rows - 1)) >> 1, ordinals[t])
        out[2 * t] = i
        out[2 * t + 1] = j


def test_every_ordinal_of_small_buckets_is_decoded(dev):
    cases = [(n, o) for n in range(2, 20) for o in range(n * (n - 1) // 2)]
    expected = [(i, j) for n in range(2, 20) for i in range(n) for j in range(i + 1, n)]
    assert [planning.pair_at(n, o) for n, o in cases] == expected
    assert decoded(dev, cases) == expected


def test_ordinals_around_every_row_of_the_largest_buckets_are_decoded(dev):
    """Where a root of 53 bits could go wrong: the first and last pairs of rows of buckets of up to 2^32 - 1 rows."""
    cases = []
    for n in (2**20 + 1, 2**27, 2**31 + 3, 2**32 - 1):
        rows = {0, 1, 2, n // 3, n // 2, n - 4, n - 3, n - 2, *(n - 2**b for b in range(2, n.bit_length()))}
        for row in sorted(r for r in rows if 0 <= r <= n - 2):
            first = row * (2 * n - row - 1) // 2
            cases += [(n, first), (n, first + n - 2 - row)]
            cases += [(n, first - 1)] if row else []
    assert decoded(dev, cases) == [planning.pair_at(n, o) for n, o in cases]


def decoded(dev, cases):
    with (
        dev.array(np.array([n for n, _ in cases], np.uint32)) as n,
        dev.array(np.array([o for _, o in cases], np.uint64)) as ordinals,
        dev.empty(2 * len(cases), u32) as out,
    ):
        decode[-(-len(cases) // 128), 128](len(cases), n, ordinals, out)
        return [tuple(pair) for pair in out.numpy().reshape(-1, 2).tolist()]


def test_pairs_of_a_plan_are_in_bounds():
    buckets = plan_buckets(np.array([5, 5, 5, 1], np.uint32))
    assert [buckets.pair(0, o) for o in range(3)] == [(0, 1), (0, 2), (1, 2)]
    with pytest.raises(PlanError, match=r"pair ordinal 3 of signature bucket 0 is outside its 3 pairs\. Fix: "):
        buckets.pair(0, 3)


def test_buckets_are_runs_of_equal_signatures():
    """Rows 0 to 6; signature 9 thrice, 4 twice, the others once."""
    buckets = plan_buckets(np.array([9, 4, 1, 9, 4, 9, 2], np.uint32), LaunchConfig(2, 1))
    assert [tuple(bucket) for bucket in buckets.buckets] == [(4, 0, 2, 1), (9, 2, 3, 3)]
    assert buckets.bucket_rows.tolist() == [1, 4, 0, 3, 5]
    assert (buckets.candidate_pair_count, buckets.total_blocks) == (4, 3)
    assert [tuple(wave) for wave in buckets.waves] == [(0, 0, 1, 1, 2), (1, 0, 2, 1, 2), (1, 2, 1, 1, 2)]


@given(st.lists(st.integers(0, 20), max_size=80))
@settings(max_examples=20)
def test_the_plan_made_on_the_device_is_the_hosts(dev, signatures):
    rows = [(eclass, "lit", []) for eclass in range(len(signatures))]
    image = pack_image(Snapshot.build(rows), signatures=np.array(signatures, np.uint32))
    with upload(dev, image) as resident:
        ours, theirs = plan_resident_buckets(resident), plan_signature_buckets(image, resident.view())
    assert ours.buckets == theirs.buckets
    assert ours.bucket_rows.tolist() == theirs.bucket_rows.tolist()


def test_work_is_split_into_waves(dev):
    with upload(dev, pack_image(Snapshot.build(BASE))) as resident:
        plans = plan_work(resident.view(), LaunchConfig(2, 2))
    assert [(plan.kind, plan.items, [tuple(wave) for wave in plan.waves]) for plan in plans] == [
        ("RowScan", 5, [(0, 4, 2, 2), (4, 1, 1, 2)]),
        ("ChildEdgeScan", 6, [(0, 4, 2, 2), (4, 2, 1, 2)]),
        ("EclassGroupScan", 5, [(0, 4, 2, 2), (4, 1, 1, 2)]),
    ]


def test_many_small_waves_find_what_one_launch_finds(dev):
    image = pack_image(Snapshot.build(WITH_MUL))
    assert by_plan(dev, image, config=LaunchConfig(1, 1)).pairs == [(10, 20), (30, 40), (60, 70)]


def test_the_kernel_for_a_target_is_text():
    assert ".entry structural_pairs" in structural_ptx(90)


def test_the_kernel_is_warmed(dev):
    assert warm(dev).function.handle
    assert warm(dev) is warm(dev)


def test_operators_are_numbered_as_they_come():
    ops = OpIdRegistry(limit=2)
    assert [ops.intern(name) for name in ("add", "mul", "add", "sub")] == [0, 1, 0, 0xFFFFFFFF]
    assert ops.names == ("add", "mul")
    with pytest.raises(IntegrityError, match=r"operator count 3 does not fit u32\. Fix: "):
        ops.try_intern("sub")


def test_an_image_is_nine_columns_in_one_piece():
    image = pack_image(Snapshot.build([(9, "f", [4]), (4, "x", []), (9, "g", [4, 9])]))
    columns = {
        "row_eclass_ids": [9, 4, 9], "row_language_op_ids": [0, 1, 2], "row_children_offsets": [0, 1, 1],
        "row_children_lens": [1, 0, 2], "children": [4, 4, 9], "group_eclass_ids": [4, 9], "group_offsets": [0, 1, 3],
        "group_rows": [1, 0, 2],
    }  # fmt: skip
    assert {name: image.column(name).tolist() for name in columns} == columns
    assert image.layout.word_count == len(image.words) == 6 * 3 + 3 + 2 * 2 + 1
    assert image.layout.bytes_of("children") == (60, 12)


def mix(h, v):
    x = (h ^ (v + 0x9E3779B9 + (h << 6) + (h >> 2))) & 0xFFFFFFFF
    return (((x << 13 | x >> 19) & 0xFFFFFFFF) * 0x85EBCA6B) & 0xFFFFFFFF


def test_signatures_mix_operator_length_and_children():
    snapshot = Snapshot.build(WITH_MUL)
    expected = []
    for row in range(len(snapshot)):
        h = 0xA24BAED4
        children = snapshot.children_of(row)
        for v in (int(snapshot.op_ids[row]), len(children), *children):
            h = mix(h, v)
        expected.append(h)
    assert pack_image(snapshot).column("row_signatures").tolist() == expected


def columns(**changes):
    given = {
        "eclass_ids": [1, 2],
        "op_ids": [0, 0],
        "children_offsets": [0, 0],
        "children_lens": [0, 1],
        "children": [1],
    }
    return Snapshot.from_columns(**{**given, **changes}, ops=OpIdRegistry(["f"]))


@pytest.mark.parametrize(
    "changes, context, row, value",
    [
        ({"op_ids": [0, 1]}, "unknown language_op_id", 1, 1),
        ({"children_offsets": [0, 0xFFFFFFFF]}, "children range overflow", 1, 0xFFFFFFFF),
        ({"children_lens": [0, 2]}, "children range end", 1, 2),
        ({"children": [3]}, "dangling child eclass", 1, 3),
    ],
)
def test_what_is_no_egraph_is_named(changes, context, row, value):
    with pytest.raises(IntegrityError) as caught:
        pack_image(columns(**changes))
    assert caught.value.fields == {"context": context, "row": row, "value": value}
    assert str(caught.value).startswith(f"e-graph snapshot: {context} at row {row}: {value}. Fix: ")


@pytest.mark.parametrize("wrong", [-1, 1 << 32])
def test_an_id_that_does_not_fit_is_named(wrong):
    with pytest.raises(IntegrityError, match=f"e-class id {wrong} does not fit u32"):
        columns(eclass_ids=[1, wrong])


def test_a_resident_image_is_the_image(dev):
    image = pack_image(Snapshot.build(BASE))
    with upload(dev, image) as resident:
        view = resident.view()
        assert (view.row_count, view.child_count, view.eclass_group_count) == (5, 6, 5)
        assert view.pointers["children"] - view.pointers["row_eclass_ids"] == image.layout.bytes_of("children").offset
        assert np.array_equal(resident.download().words, image.words)
        assert (resident.byte_len, resident.word_count) == (image.words.nbytes, len(image.words))


@pytest.mark.parametrize("borrowed", [True, False])
def test_an_upload_is_planned_from_an_image_or_a_copy_of_it(dev, borrowed):
    """What a borrowed plan uploads is what the image holds then."""
    image = pack_image(Snapshot.build(BASE))
    plan = plan_upload(image, borrowed=borrowed)
    assert (plan.borrowed, np.shares_memory(plan.words, image.words)) == (borrowed, borrowed)
    assert plan.byte_count == image.words.nbytes
    assert [tuple(plan.byte_spans[name]) for name in COLUMNS] == [
        (0, 20), (20, 20), (40, 20), (60, 20), (80, 20), (100, 24), (124, 20), (144, 24), (168, 20),
    ]  # fmt: skip
    before = image.words.copy()
    image.column("row_eclass_ids")[0] = 11
    with upload(dev, plan) as resident:
        assert np.array_equal(resident.download().words, image.words if borrowed else before)


@pytest.mark.parametrize("policy", ["signatures", "full"])
def test_a_plan_is_made_from_columns_that_were_read_back(dev, policy):
    """As after a round of the fixed point: what is resident has moved on, the image has not."""
    image = pack_image(Snapshot.build(TOWER))
    with upload(dev, image) as resident:
        canonicalization_round(resident)
        snapshot = read_back(resident, policy)
        buckets = plan_signature_buckets(snapshot, resident.view())
        assert buckets.buckets == plan_resident_buckets(resident).buckets
        assert buckets.buckets != plan_signature_buckets(image, resident.view()).buckets
        assert run(resident, plan_artifact(buckets)).pairs == [(30, 40)]
        assert snapshot.byte_count == {"signatures": 4 * 6, "full": 4 * (5 * 6 + 8)}[policy]


def test_columns_that_were_read_back_must_fit_the_image(dev):
    with (
        upload(dev, pack_image(Snapshot.build(TOWER))) as resident,
        upload(dev, pack_image(Snapshot.build(BASE))) as other,
    ):
        with pytest.raises(PlanError, match="disagree about row count: image 6, view 5"):
            plan_signature_buckets(read_back(resident, "signatures"), other.view())
        view = resident.view()._replace(child_count=9)
        with pytest.raises(PlanError, match="disagree about child count: image 8, view 9"):
            plan_signature_buckets(read_back(resident, "full"), view)
        with pytest.raises(RunError, match=r"snapshot is of no column\. Fix: pass one that has row_signatures\."):
            plan_signature_buckets(read_back(resident, None), resident.view())


def test_an_artifact_is_the_plan_in_words():
    """Signature, first row, rows, and pairs in two halves; a bucket's pairs end where the next one's begin."""
    artifact = plan_artifact(plan_buckets(np.array([9, 4, 1, 9, 4, 9, 2], np.uint32)))
    assert artifact.bucket_words.tolist() == [4, 0, 2, 1, 0, 9, 2, 3, 3, 0]
    assert artifact.bucket_rows.tolist() == [1, 4, 0, 3, 5]
    assert artifact.bucket_ends.tolist() == [1, 4]
    assert (artifact.bucket_count, artifact.bucket_record_words, artifact.candidate_pair_count) == (2, 5, 4)
    assert (artifact.max_equivalences, artifact.output_bytes) == (4, 32)
    assert [tuple(wave) for wave in artifact.pair_waves] == [(0, 4, 1, 256)]
    large = planning.SignatureBuckets(*(np.array([n], np.uint32) for n in (7, 0, 1 << 17)), np.zeros(1 << 17, np.uint32),
                                      planning.DEFAULT_LAUNCH)  # fmt: skip
    assert plan_artifact(large, capacity=1).bucket_words.tolist() == [
        7,
        0,
        1 << 17,
        ((1 << 33) - (1 << 16)) % (1 << 32),
        1,
    ]


@pytest.mark.parametrize(
    "signatures, offsets, size",
    [([], [0, 4, 8, 16, 24], 32), ([5, 5], [0, 20, 32, 40, 48], 56), ([5, 5, 5, 5], [0, 20, 40, 48, 96], 104)],
)
def test_the_scratch_memory_is_one_slab_of_aligned_parts(dev, signatures, offsets, size):
    """Records and rows to 4 bytes, ends, pairs and the counter to 8; at least one element each, and the output cleared."""
    artifact = plan_artifact(plan_buckets(np.array(signatures, np.uint32)))
    scratch = structural.ScratchSlab(dev, artifact)
    try:
        assert (scratch.offsets, scratch.slab.size) == (offsets, size)
        assert scratch.bucket_words.numpy()[: len(artifact.bucket_words)].tolist() == artifact.bucket_words.tolist()
        assert scratch.bucket_rows.numpy()[: len(artifact.bucket_rows)].tolist() == artifact.bucket_rows.tolist()
        assert not scratch.output_pairs.numpy().any()
        assert scratch.output_count.numpy().tolist() == [0]
    finally:
        scratch.close()


SIGNATURES = ["74cff7ad", "867ad8f6", "0f31428b", "c534e867"]


def test_signatures_are_those_of_the_formula():
    """Pinned: no children, one, and two that are swapped."""
    rows = [(1, "lit", []), (2, "neg", [1]), (3, "sub", [1, 2]), (4, "sub", [2, 1])]
    assert [f"{word:08x}" for word in pack_image(Snapshot.build(rows)).column("row_signatures").tolist()] == SIGNATURES


def test_ids_that_do_not_fit_the_device_are_not_unioned():
    with pytest.raises(IntegrityError, match="e-class id -1 does not fit u32"):
        plan_unions([(3, -1)])


@pytest.mark.parametrize(
    "changes, says",
    [
        ({"eclass_ids": [1.5, 2.0]}, "e-class id of float64, shape (2,)"),
        ({"eclass_ids": ["a", "b"]}, "e-class id of <U1, shape (2,)"),
        ({"children": [[1]]}, "child e-class of int64, shape (1, 1)"),
        ({"op_ids": [0]}, "columns of unequal length: language_op_id 1, e-class ids 2"),
        ({"children_lens": [0, 1, 0]}, "columns of unequal length: children length 3, e-class ids 2"),
    ],
)
def test_columns_that_are_none_are_named(changes, says):
    with pytest.raises(IntegrityError) as caught:
        columns(**changes)
    assert says in str(caught.value)
    assert "Fix: " in str(caught.value)


def test_forced_signatures_are_one_a_row():
    with pytest.raises(IntegrityError, match="unequal length: signature 2, e-class ids 5"):
        pack_image(Snapshot.build(BASE), signatures=[1, 2])
