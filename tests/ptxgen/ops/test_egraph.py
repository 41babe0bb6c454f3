"""E-graphs on the device, beside the host mirror: what is found, what is merged, and what is said about bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptxgen as px
from ptxgen import u32, u64
from ptxgen.kernels import egraph_pairs
from ptxgen.kernels.egraph_pairs import pair_at
from ptxgen.ops.egraph import (
    Discovery,
    EGraph,
    FixedPoint,
    IntegrityError,
    LaunchConfig,
    OpIdRegistry,
    PlanError,
    RunError,
    Snapshot,
    apply_equivalences,
    canonicalization_round,
    collect_equivalences,
    discover,
    fixed_point,
    mirror_fixed_point,
    pack_image,
    plan_artifact,
    plan_buckets,
    plan_resident_buckets,
    plan_signature_buckets,
    plan_unions,
    plan_work,
    read_back,
    refresh,
    rewrite,
    run,
    structural,
    structural_ptx,
    upload,
    warm,
)
from ptxgen.ops.egraph import plan as planning
from ptxgen.ops.egraph.plan import DEFAULT_LAUNCH

BASE = [
    (10, "lit", []), (20, "lit", []), (30, "add", [10, 20]), (40, "add", [10, 20]), (50, "add", [20, 10]),
]  # fmt: skip
WITH_MUL = [*BASE, (60, "mul", [30, 40]), (70, "mul", [30, 40])]
TOWER = [
    (10, "lit", []), (20, "lit", []), (30, "add", [10, 10]), (40, "add", [10, 20]), (50, "mul", [30, 30]),
    (60, "mul", [30, 40]),
]  # fmt: skip


@pytest.fixture(scope="module")
def dev(device_name):
    return px.device(device_name)


@pytest.fixture(autouse=True)
def nothing_is_left(dev):
    """Every array, stream and graph of a test is closed in it; modules stay, for they are loaded once."""
    before = dev.context.live_handles()
    yield
    after = dev.context.live_handles()
    assert [kind for kind in after if kind != "module" and after[kind] > before.get(kind, 0)] == []


def by_plan(dev, image, *, capacity=None, config=DEFAULT_LAUNCH):
    """The host's plan, run: upload, buckets, artifact, launch."""
    with upload(dev, image) as resident:
        buckets = plan_signature_buckets(image, resident.view(), config)
        return run(resident, plan_artifact(buckets, capacity=capacity))


BOTH = pytest.mark.parametrize("find", [discover, by_plan], ids=["discover", "run"])


# ---- what is found ---------------------------------------------------------------------------------------------------


@BOTH
def test_two_literals_and_two_sums_are_equal(dev, find):
    found = find(dev, pack_image(Snapshot.build(BASE)))
    assert (found.emitted_pair_count, found.pairs) == (2, [(10, 20), (30, 40)])
    assert (found.device_reported_count, found.overflowed_output_capacity) == (2, False)


@BOTH
def test_products_of_them_make_a_third_pair(dev, find):
    found = find(dev, pack_image(Snapshot.build(WITH_MUL)))
    assert (found.emitted_pair_count, found.pairs) == (3, [(10, 20), (30, 40), (60, 70)])


@BOTH
def test_rows_whose_signatures_were_made_to_collide_are_compared(dev, find):
    rows = [(1, "a", []), (2, "b", []), (3, "c", [1]), (4, "c", [2]), (5, "c", [1, 2])]
    found = find(dev, pack_image(Snapshot.build(rows), signatures=np.full(5, 77, np.uint32)))
    assert (found.emitted_pair_count, found.pairs) == (0, [])


@BOTH
def test_equal_rows_of_different_signatures_are_not_met(dev, find):
    image = pack_image(Snapshot.build(BASE), signatures=np.arange(5, dtype=np.uint32))
    assert find(dev, image).pairs == []


@BOTH
@pytest.mark.parametrize("rows", [[], BASE[:1], [(7, "lit", [])] * 3], ids=["none", "one", "redundant"])
def test_nothing_to_find(dev, find, rows):
    found = find(dev, pack_image(Snapshot.build(rows)))
    assert (found.emitted_pair_count, found.pairs, found.overflowed_output_capacity) == (0, [], False)


@BOTH
def test_overflow_is_reported_and_stays_in_its_memory(dev, find):
    """Ten equal rows make 45 pairs; there is room for 7, which are pairs that are there."""
    image = pack_image(Snapshot.build([(eclass, "lit", []) for eclass in range(10)]))
    found = find(dev, image, capacity=7)
    assert (found.emitted_pair_count, found.device_reported_count) == (7, 45)
    assert found.overflowed_output_capacity
    assert len(found.pairs) == 7
    assert all(left < right < 10 for left, right in found.pairs)


def test_what_is_beyond_the_capacity_is_not_touched(dev):
    image = pack_image(Snapshot.build([(eclass, "lit", []) for eclass in range(300)]))
    with upload(dev, image) as resident, Discovery(dev, 300, 5) as discovery:
        room = dev.full(64, 0x55555555, u64)
        own, discovery._pairs = discovery._pairs, room
        discovery(resident)
        assert discovery.count() == 300 * 299 // 2
        words = room.numpy()
        assert np.all(words[5:] == 0x55555555)
        assert not np.any(words[:5] == 0x55555555)
        own.close()


def test_a_discovery_grows_and_serves_again(dev):
    small, large = (pack_image(Snapshot.build([(e, "lit", []) for e in range(n)])) for n in (3, 60))
    with Discovery(dev, 60, 2) as discovery, upload(dev, small) as a, upload(dev, large) as b:
        discovery(b)
        assert discovery.equivalences(grow=False).overflowed_output_capacity
        found = discovery.equivalences()
        assert (len(found.pairs), discovery.capacity) == (60 * 59 // 2, 60 * 59 // 2)
        discovery(a)
        assert discovery.equivalences().pairs == [(0, 1), (0, 2), (1, 2)]


def test_a_discovery_is_captured_once_and_replayed(dev):
    image = pack_image(Snapshot.build(WITH_MUL))
    with Discovery(dev, 7) as discovery, upload(dev, image) as resident:
        discovery(resident)
        with dev.capture() as graph:
            discovery(resident)
        words = image.words.copy()
        words[image.layout["row_eclass_ids"].offset + 1] = 10  # the two literals are one e-class now
        resident.array.copy_from(words)
        graph.launch()
        assert discovery.equivalences().pairs == [(30, 40), (60, 70)]
        graph.close()


nodes = st.lists(
    st.tuples(st.integers(0, 30), st.sampled_from("abc"), st.lists(st.integers(0, 30), max_size=3)), max_size=60
)


def closed(rows):
    """Children that are e-classes of some row."""
    known = sorted({eclass for eclass, _, _ in rows})
    return [(eclass, op, [known[child % len(known)] for child in below]) for eclass, op, below in rows]


@given(nodes, st.booleans())
@settings(max_examples=30)
def test_random_rows_are_found_as_the_mirror_finds_them(dev, rows, collide):
    snapshot = Snapshot.build(closed(rows))
    image = pack_image(snapshot, signatures=np.zeros(len(rows), np.uint32) if collide else None)
    mirror = collect_equivalences(snapshot, plan_buckets(image.column("row_signatures")))
    for find in (discover, by_plan):
        found = find(dev, image)
        assert (found.emitted_pair_count, found.pairs) == (mirror.exact_pair_count, mirror.unique)


def test_large_buckets_among_small_ones(dev):
    """A group of 300 rows over blocks of places, pairs, and rows alone; some in one e-class."""
    rng = np.random.default_rng(5)
    ops = np.concatenate([np.zeros(300), np.repeat(np.arange(1, 200), 2), np.arange(200, 700)]).astype(np.uint32)
    order = rng.permutation(len(ops))
    ops, classes = ops[order], rng.integers(0, 900, len(ops)).astype(np.uint32)
    none = np.zeros(len(ops), np.uint32)
    names = OpIdRegistry(map(str, range(700)))
    snapshot = Snapshot.from_columns(classes, ops, none, none, none[:0], names)
    image = pack_image(snapshot)
    mirror = collect_equivalences(snapshot, plan_buckets(image.column("row_signatures")))
    for find in (discover, by_plan):
        found = find(dev, image)
        assert found.emitted_pair_count == mirror.exact_pair_count
        assert found.pairs == mirror.unique


# ---- pairs and plans -------------------------------------------------------------------------------------------------


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


def test_the_kernel_is_warmed(dev):
    assert warm(dev).function.handle
    assert warm(dev) is warm(dev)


# ---- snapshots and images --------------------------------------------------------------------------------------------


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


# ---- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong, kind",
    [
        (lambda dev: LaunchConfig(0).check(), "ZeroThreadsPerBlock"),
        (lambda dev: LaunchConfig(1, 0).check(), "ZeroMaxBlocksPerLaunch"),
        (lambda dev: by_plan(dev, pack_image(Snapshot.build(BASE)), capacity=-1), "BadCapacity"),
        (lambda dev: Discovery(dev, 3, 1 << 32), "BadCapacity"),
        (lambda dev: FixedPoint(dev, 1, 1, max_rounds=0), "BadRounds"),
        (lambda dev: other_image(dev), "ImageViewMismatch"),
        (lambda dev: short_table(), "SignatureBucketRowsOutOfBounds"),
        (lambda dev: short_image(dev), "ImageColumnOutOfBounds"),
        (lambda dev: too_large(dev), "TooLarge"),
        (lambda dev: read(dev, "all"), "BadReadback"),
        (lambda dev: huge_wave(dev), "WaveTooLarge"),
    ],
)
def test_bad_input_is_named_with_what_to_do(dev, wrong, kind):
    with pytest.raises((PlanError, RunError)) as caught:
        wrong(dev)
    assert caught.value.kind == kind
    assert "Fix: " in str(caught.value)
    assert str(caught.value).endswith(".")


def other_image(dev):
    with upload(dev, pack_image(Snapshot.build(BASE))) as resident:
        plan_signature_buckets(pack_image(Snapshot.build(WITH_MUL)), resident.view())


def short_table():
    buckets = plan_buckets(np.zeros(4, np.uint32))
    plan_artifact(buckets._replace(bucket_rows=buckets.bucket_rows[:3]))


def short_image(dev):
    image = pack_image(Snapshot.build(BASE))
    upload(dev, image._replace(words=image.words[:-1]))


def too_large(dev):
    with upload(dev, pack_image(Snapshot.build(BASE))) as resident, Discovery(dev, 4) as discovery:
        discovery(resident)


def read(dev, policy):
    with upload(dev, pack_image(Snapshot.build(BASE))) as resident:
        read_back(resident, policy)


def huge_wave(dev):
    image = pack_image(Snapshot.build(BASE))
    with upload(dev, image) as resident:
        artifact = plan_artifact(plan_signature_buckets(image, resident.view()))
        run(resident, artifact._replace(pair_waves=(planning.Wave(0, 1 << 32, 1, 32),)))


def test_the_kernel_for_a_target_is_text():
    assert ".entry structural_pairs" in structural_ptx(90)
    with pytest.raises(PlanError, match=r"cannot be generated for sm_0\. Fix: "):
        structural_ptx(0)


def test_a_kernel_without_an_entry_is_refused(dev, monkeypatch):
    class Nothing:
        class function:
            handle = 0

    monkeypatch.setattr(egraph_pairs.structural_pairs, "on", lambda device: Nothing, raising=False)
    with pytest.raises(RunError) as caught:
        warm(dev)
    assert str(caught.value) == (
        "Fix: CUDA e-graph structural-equivalence kernel loaded but resolved a null `main` function. "
        "Inspect generated PTX entry metadata before launch."
    )


def test_short_readbacks_are_refused():
    with pytest.raises(RunError, match="did not contain the 8-byte structural equivalence counter"):
        structural.counter(bytes(7))
    with pytest.raises(RunError, match="did not contain the planned structural equivalence output-pair range"):
        structural.decode_unique(bytes(15), 2)


def test_pairs_are_decoded_in_order_and_once():
    words = np.array([5, 6, 1, 9, 5, 6, 1, 2], np.uint32)
    assert structural.decode_unique(words.tobytes(), 4).tolist() == [[1, 2], [1, 9], [5, 6]]


def test_a_plan_without_room_on_the_host_is_refused(monkeypatch):
    def full(shape, kind):
        raise MemoryError("none left")

    buckets = plan_buckets(np.zeros(4, np.uint32))
    monkeypatch.setattr(np, "zeros", full)
    with pytest.raises(PlanError, match=r"cannot reserve 5 entries for bucket words: none left\. Fix: "):
        plan_artifact(buckets)


def test_counts_of_more_than_64_bits_are_refused():
    counts = np.full(4, 0xFFFFFFFF, np.uint32)
    with pytest.raises(PlanError, match=r"counter candidate_pair_count overflows 64 bits\. Fix: "):
        planning.SignatureBuckets(counts, counts, counts, counts, DEFAULT_LAUNCH).candidate_pair_count


class Handle:
    """Closes, says so, and may fail."""

    def __init__(self, name, log, fails=False):
        self.name, self.log, self.fails = name, log, fails

    def close(self):
        self.log.append(self.name)
        if self.fails:
            raise OSError(self.name)


def test_all_is_freed_in_reverse_and_a_failure_to_free_wins():
    from ptxgen.ops.egraph.cleanup import Held

    log = []
    with pytest.raises(OSError, match="b") as caught, Held() as held:
        for name in "abc":
            held.add(Handle(name, log, fails=name == "b"))
        raise ValueError("the body's own")
    assert log == ["c", "b", "a"]
    assert isinstance(caught.value.__cause__, ValueError)
    with pytest.raises(ValueError, match="alone"), Held(Handle("d", log)):
        raise ValueError("alone")
    assert log[-1] == "d"


# ---- unions and rounds -----------------------------------------------------------------------------------------------


def test_unions_are_planned_to_the_smallest_id():
    plan = plan_unions([(5, 3), (3, 5), (7, 7), (9, 5), (2, 8)], LaunchConfig(2, 1))
    assert plan.pairs == [(2, 8), (3, 5), (5, 9)]
    assert plan.canonical_rewrites == [(5, 3), (8, 2), (9, 3)]
    assert (plan.ignored_self_pairs, plan.duplicate_pairs) == (1, 1)
    assert [wave.item_count for wave in plan.pair_waves] == [2, 1]
    assert plan.rewrite_words.tolist() == [5, 3, 8, 2, 9, 3]


def test_rewrites_and_signatures_on_the_device(dev):
    snapshot = Snapshot.build(WITH_MUL)
    with upload(dev, pack_image(snapshot)) as resident:
        rewrite(resident, plan_unions([(10, 20), (30, 40)]), LaunchConfig(4, 1))
        refresh(resident, LaunchConfig(4, 1))
        got = resident.download()
    assert got.column("row_eclass_ids").tolist() == [10, 10, 30, 30, 50, 60, 70]
    assert got.column("children").tolist() == [10, 10, 10, 10, 10, 10, 30, 30, 30, 30]
    again = [(e, op, [10 if c == 20 else 30 if c == 40 else c for c in below]) for e, op, below in WITH_MUL]
    assert got.column("row_signatures").tolist() == pack_image(Snapshot.build(again)).column("row_signatures").tolist()


FINAL = [10, 10, 30, 30, 50, 50], [10, 10, 10, 10, 30, 30, 30, 30]


def test_the_tower_falls_in_four_rounds_on_the_device(dev):
    with upload(dev, pack_image(Snapshot.build(TOWER))) as resident:
        result = fixed_point(resident, readback="full")
    assert (result.rewrites, result.converged, result.rounds, result.total_rewrites) == ((1, 1, 1, 0), True, 4, 3)
    got = result.readback.columns
    assert (got["row_eclass_ids"].tolist(), got["children"].tolist()) == FINAL
    assert result.readback.byte_count == 4 * (5 * 6 + 8)


def test_the_tower_falls_in_four_rounds_that_tell_what_they_found(dev):
    with upload(dev, pack_image(Snapshot.build(TOWER))) as resident:
        result = fixed_point(resident, with_pairs=True, readback="signatures")
        assert (
            resident.column("row_eclass_ids").numpy().tolist(),
            resident.column("children").numpy().tolist(),
        ) == FINAL
    assert result.pairs == ([(10, 20)], [(30, 40)], [(50, 60)], [])
    assert (result.rewrites, result.converged) == ((1, 1, 1, 0), True)
    assert result.readback.byte_count == 4 * 6
    assert len(set(result.readback.columns["row_signatures"].tolist())) == 3


def test_one_round_tells_its_pairs_and_its_plan(dev):
    with upload(dev, pack_image(Snapshot.build(TOWER))) as resident:
        found = canonicalization_round(resident)
    assert found.discovered.pairs == [(10, 20)]
    assert (found.plan.canonical_rewrites, found.rewrites, found.readback.byte_count) == ([(20, 10)], 1, 0)


@pytest.mark.parametrize("with_pairs", [False, True])
def test_rounds_may_run_out(dev, with_pairs):
    with upload(dev, pack_image(Snapshot.build(TOWER))) as resident:
        result = fixed_point(resident, max_rounds=2, with_pairs=with_pairs)
        assert resident.column("row_eclass_ids").numpy().tolist() == [10, 10, 30, 30, 50, 60]
    assert (result.rewrites, result.converged) == ((1, 1), False)


@given(nodes)
@settings(max_examples=25)
def test_random_egraphs_reach_the_mirrors_fixed_point(dev, rows):
    snapshot = Snapshot.build(closed(rows))
    mirror = mirror_fixed_point(snapshot, 64)
    for with_pairs in (False, True):
        with upload(dev, pack_image(snapshot)) as resident:
            result = fixed_point(resident, readback="full", with_pairs=with_pairs)
        got = result.readback.columns
        assert got["row_eclass_ids"].tolist() == mirror.eclass_ids
        assert got["children"].tolist() == mirror.children
        assert list(result.rewrites) == [rewrites for _, rewrites in mirror.rounds]
        if result.pairs is not None:
            assert list(result.pairs) == [pairs for pairs, _ in mirror.rounds]


def test_a_long_chain_needs_more_than_one_look_at_the_state(dev):
    """f(f(...x)) and f(f(...y)) with x and y equal: one merge a round."""
    egraph = EGraph()
    a, b = egraph.add("x"), egraph.add("x", fresh=True)
    for _ in range(20):
        a, b = egraph.add("f", [a], fresh=True), egraph.add("f", [b], fresh=True)
    snapshot = Snapshot.from_egraph(egraph)
    with upload(dev, pack_image(snapshot)) as resident:
        result = fixed_point(resident)
    assert result.rewrites == (*[1] * 21, 0)
    assert result.control_bytes == sum(4 * (4 + n) for n in (4, 12, 28))


def test_rounds_are_captured_once_and_replayed(dev):
    with upload(dev, pack_image(Snapshot.build(TOWER))) as resident, FixedPoint(dev, 6, 8) as loop:
        loop(resident)
        resident.array.copy_from(pack_image(Snapshot.build(TOWER)).words)
        with dev.capture() as graph:
            loop.begin(resident)
            loop.rounds(resident, 6)
            loop.end(resident)
        graph.launch()
        assert (
            resident.column("row_eclass_ids").numpy().tolist(),
            resident.column("children").numpy().tolist(),
        ) == FINAL
        graph.close()


def test_the_whole_fixed_point_is_one_graph(dev):
    """The device ends the loop. Replayed over other contents of the same form, it takes another number of rounds."""
    tower, flat = (pack_image(Snapshot.build(TOWER)) for _ in range(2))
    flat.column("row_language_op_ids")[:] = range(6)  # an operator each: nothing is equal
    with upload(dev, tower) as resident, FixedPoint(dev, 6, 8) as loop:
        with loop.graph(resident) as graph:
            graph.launch()
            result = graph.result("full")
            assert (result.rewrites, result.converged) == ((1, 1, 1, 0), True)
            got = result.readback.columns
            assert (got["row_eclass_ids"].tolist(), got["children"].tolist()) == FINAL
            resident.array.copy_from(flat.words)
            graph.launch()
            assert graph.result().rewrites == (0,)
        with FixedPoint(dev, 6, 8, max_rounds=2) as short, short.graph(resident) as graph:
            resident.array.copy_from(tower.words)
            graph.launch()
            assert (graph.result().rewrites, graph.result().converged) == ((1, 1), False)


def test_what_the_device_found_is_merged_into_a_host_egraph(dev):
    egraph = EGraph()
    x, y = egraph.add("x"), egraph.add("x", fresh=True)
    egraph.add("f", [x]), egraph.add("f", [y])
    found = discover(dev, pack_image(Snapshot.from_egraph(egraph)))
    applied = apply_equivalences(egraph, [*found.pairs, (0, 99)])
    assert tuple(applied) == (2, 1, 1, 1)
    assert [egraph.find(eclass) for eclass in range(4)] == [0, 0, 2, 2]
    assert egraph.add("f", [y]) == 2
