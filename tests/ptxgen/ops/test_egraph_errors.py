"""What e-graphs say about bad input, and what is freed when something fails."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from driver_ctypes import CaptureError, ClosedError
from ptxgen.host import Array
from ptxgen.kernels.egraph import egraph_pairs
from ptxgen.ops.egraph import (
    Discovery,
    EGraph,
    FixedPoint,
    ImageLayout,
    LaunchConfig,
    PlanError,
    ResidentImage,
    RunError,
    Snapshot,
    canonicalization_round,
    discover,
    fixed_point,
    pack_image,
    plan_artifact,
    plan_buckets,
    plan_resident_buckets,
    plan_signature_buckets,
    plan_work,
    read_back,
    refresh,
    run,
    structural,
    structural_ptx,
    upload,
    warm,
)  # fmt: skip
from ptxgen.ops.egraph import plan as planning
from ptxgen.ops.egraph.errors import IntegrityError
from ptxgen.ops.egraph.plan import DEFAULT_LAUNCH
from ptxgen.ops.egraph.snapshot import u32_column
from tests.ptxgen.ops.egraph_kit import BASE, WITH_MUL

pytestmark = pytest.mark.usefixtures("nothing_is_left")


# Every way in which a plan can fail, as a call, with the text that it brings.
PLANS = {
    "ZeroThreadsPerBlock": (
        lambda dev: LaunchConfig(0).check(),
        "e-graph kernel launch has zero threads per block. Fix: use a positive threads_per_block, 256 unless measured "
        "otherwise.",
    ),
    "ZeroMaxBlocksPerLaunch": (
        lambda dev: plan_work(view_of(dev), LaunchConfig(1, 0)),
        "e-graph kernel launch has zero blocks per launch. Fix: use a positive max_blocks_per_launch, 65535 unless measured "
        "otherwise.",
    ),
    "CountOverflow": (
        lambda dev: many_pairs().candidate_pair_count,
        "e-graph kernel plan counter candidate_pair_count overflows 64 bits. Fix: split the signature buckets before planning.",
    ),
    "CountOverflow, blocks": (
        lambda dev: many_pairs()._replace(config=LaunchConfig(1)).total_blocks,
        "e-graph kernel plan counter total_blocks overflows 64 bits. Fix: split the signature buckets before planning.",
    ),
    "InvalidPtxTarget": (
        lambda dev: structural_ptx(0),
        "e-graph kernel cannot be generated for sm_0. Fix: probe the device and pass its compute capability.",
    ),
    "ImageViewMismatch": (
        lambda dev: plan_signature_buckets(pack_image(Snapshot.build(WITH_MUL)), view_of(dev)),
        "e-graph image and device view disagree about row count: image 7, view 5. Fix: make the view from the resident upload "
        "of the same image.",
    ),
    "ImageColumnOutOfBounds": (
        lambda dev: short_image(dev),
        "e-graph image column group_rows of row 4 spans words 42 to 47 of 46. Fix: pack the image again from a snapshot that "
        "passes validate_integrity.",
    ),
    "SignaturePairOrdinalOutOfBounds": (
        lambda dev: plan_buckets(np.zeros(3, np.uint32)).pair(0, 3),
        "pair ordinal 3 of signature bucket 0 is outside its 3 pairs. Fix: launch only pairs that the bucket's waves cover.",
    ),
    "SignatureBucketRowsOutOfBounds": (
        lambda dev: short_table(),
        "signature bucket 0 spans rows 0 + 4 of a table of 3. Fix: plan the buckets and their row table together.",
    ),
    "StorageReserveFailed": (
        lambda dev: no_room(),
        "e-graph plan cannot reserve 5 entries for bucket words: none left. Fix: split the e-graph, or free host memory.",
    ),
    "ByteSizeOverflow": (
        lambda dev: ImageLayout(1 << 61, 0, 0).byte_count,
        "e-graph device image of 13835058055282163713 words has no 64-bit byte size. Fix: split the e-graph before uploading "
        "it.",
    ),
}


@pytest.mark.parametrize("name", PLANS)
def test_every_planner_error_says_what_and_how_to_mend_it(dev, name):
    make, text = PLANS[name]
    with pytest.raises(PlanError) as caught:
        make(dev)
    assert caught.value.kind == name.split(",")[0]
    assert str(caught.value) == text


def test_every_kind_of_planner_error_is_raised_above():
    assert {name.split(",")[0] for name in PLANS} == set(PlanError.texts)


@pytest.mark.parametrize("field", ["child count", "eclass group count"])
def test_each_count_of_image_and_view_is_compared(dev, field):
    image = pack_image(Snapshot.build(BASE))
    view = view_of(dev)._replace(**{field.replace(" ", "_"): 99})
    with pytest.raises(PlanError, match=f"disagree about {field}: image [56], view 99"):
        plan_signature_buckets(image, view)


@pytest.mark.parametrize("wrong", [-1, 1.5, None, "256"])
def test_a_launch_needs_whole_positive_numbers(wrong):
    for config, kind in (
        (LaunchConfig(wrong), "ZeroThreadsPerBlock"),
        (LaunchConfig(1, wrong), "ZeroMaxBlocksPerLaunch"),
    ):
        with pytest.raises(PlanError) as caught:
            plan_buckets(np.zeros(2, np.uint32), config)
        assert caught.value.kind == kind


RUNS = {
    "WrongArgument": (lambda dev: upload(dev, None), "image is NoneType. Fix: pass a DeviceImage."),
    "WrongArgument, words": (
        lambda dev: upload(dev, pack_image(Snapshot.build(BASE))._replace(words=np.zeros(47))),
        "image.words is float64 of shape (47,). Fix: pass a one-dimensional array of u32.",
    ),
    "WrongArgument, resident": (lambda dev: fixed_point(3), "resident is int. Fix: pass a ResidentImage."),
    "WrongArgument, artifact": (
        lambda dev: on(dev, lambda resident: run(resident, None)),
        "artifact is NoneType. Fix: pass a Artifact.",
    ),
    "WrongArgument, column": (
        lambda dev: on(dev, lambda resident: resident.column("rows")),
        "column is 'rows'. Fix: pass row_eclass_ids, row_language_op_ids, row_children_offsets, row_children_lens, "
        "row_signatures, children, group_eclass_ids, group_offsets, group_rows.",
    ),
    "WrongArgument, e-class": (lambda dev: EGraph().find(0), "e-class is 0. Fix: pass an id below 0."),
    "BadCount": (lambda dev: Discovery(dev, -1), "most_rows is -1. Fix: an integer of 0 to 4294967295."),
    "BadCount, capacity": (
        lambda dev: Discovery(dev, 3, 1 << 32),
        "capacity is 4294967296. Fix: an integer of 0 to 4294967295.",
    ),
    "BadCount, plan": (
        lambda dev: plan_artifact(plan_buckets(np.zeros(2, np.uint32)), capacity=-1),
        "capacity is -1. Fix: an integer of 0 to 2305843009213693951.",
    ),
    "BadCount, rounds": (
        lambda dev: FixedPoint(dev, 1, 1, max_rounds=0),
        "max_rounds is 0. Fix: an integer of 1 to 4294967295.",
    ),
    "BadCount, float": (
        lambda dev: on(dev, lambda resident: fixed_point(resident, max_rounds=1.5, with_pairs=True)),
        "max_rounds is 1.5. Fix: an integer of 1 to 4294967295.",
    ),
    "BadReadback": (
        lambda dev: on(dev, lambda resident: fixed_point(resident, readback="all")),
        "unknown readback policy 'all'. Fix: use None, 'signatures' or 'full'.",
    ),
    "TooLarge": (
        lambda dev: on(dev, lambda resident: too_small(dev, resident)),
        "an e-graph of 5 rows and any children, this operation was made for at most 4 and any. Fix: make it for the largest "
        "e-graph that it will see.",
    ),
    "SpanOutOfBounds": (
        lambda dev: on(dev, lambda resident: ResidentImage(resident.array[:46], resident.layout).view()),
        "e-graph column group_rows ends at byte 188 of a resident image of 184 bytes. Fix: upload the image again with the "
        "layout that it was packed with.",
    ),
    "WaveTooLarge": (
        lambda dev: huge_wave(dev),
        "Fix: CUDA e-graph structural-equivalence wave pair count 4294967296 does not fit u32 launch accounting: at most "
        "4294967295. Split the wave before launch.",
    ),
    "OutputOverflow": (
        lambda dev: discover(dev, pack_image(Snapshot.build(BASE)), capacity=1).complete(),
        "2 structural equivalences for an output of 1 pairs. Fix: give it room for 2 pairs, or take the 1 that were written.",
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_every_error_of_a_run_says_what_and_how_to_mend_it(dev, name):
    make, text = RUNS[name]
    with pytest.raises(RunError) as caught:
        make(dev)
    assert (caught.value.kind, str(caught.value)) == (name.split(",")[0], text)


def on(dev, do):
    with upload(dev, pack_image(Snapshot.build(BASE))) as resident:
        return do(resident)


def too_small(dev, resident):
    with Discovery(dev, 4) as discovery:
        discovery(resident)


def view_of(dev):
    return on(dev, lambda resident: resident.view())


def many_pairs():
    """Four buckets of 2^32 - 1 rows: together more than 2^64 pairs."""
    counts = np.full(4, 0xFFFFFFFF, np.uint32)
    return planning.SignatureBuckets(counts, counts, counts, counts, DEFAULT_LAUNCH)


def no_room():
    def full(shape, kind):
        raise MemoryError("none left")

    buckets = plan_buckets(np.zeros(4, np.uint32))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np, "zeros", full)
        plan_artifact(buckets)


def short_table():
    buckets = plan_buckets(np.zeros(4, np.uint32))
    plan_artifact(buckets._replace(bucket_rows=buckets.bucket_rows[:3]))


def short_image(dev):
    image = pack_image(Snapshot.build(BASE))
    upload(dev, image._replace(words=image.words[:-1]))


def huge_wave(dev):
    image = pack_image(Snapshot.build(BASE))
    with upload(dev, image) as resident:
        artifact = plan_artifact(plan_signature_buckets(image, resident.view()))
        run(resident, artifact._replace(pair_waves=(planning.Wave(0, 1 << 32, 1, 32),)))


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


def test_a_device_on_which_another_image_lies_is_named(dev):
    class Elsewhere:
        name = "cuda:7"

    with upload(dev, pack_image(Snapshot.build(BASE))) as resident, Discovery(dev, 5) as discovery:
        discovery.device = Elsewhere()
        with pytest.raises(
            RunError, match=r"the e-graph lies on cpu:0|cuda:0, this operation was made for cuda:7\. Fix: "
        ):
            discovery(resident)


def test_a_run_that_is_all_there_is_complete(dev):
    found = discover(dev, pack_image(Snapshot.build(BASE)))
    assert found.complete() is found


def test_an_upload_that_fails_frees_its_memory(dev, monkeypatch):
    def fails(self, data):
        raise OSError("no copy")

    image = pack_image(Snapshot.build(BASE))
    before = dev.context.live_handles()
    with monkeypatch.context() as patch:
        patch.setattr(Array, "copy_from", fails)
        with pytest.raises(OSError, match="no copy"):
            upload(dev, image)
    assert dev.context.live_handles() == before


@pytest.mark.parametrize("failing", [1, 2, 4])
def test_a_wave_that_fails_frees_everything_and_the_others_have_ended(dev, monkeypatch, failing):
    """Waves before it are waited for: what they use is freed."""
    image = pack_image(Snapshot.build([(eclass, "lit", []) for eclass in range(4)]))
    made, ended = [], []
    plan, synchronize = egraph_pairs.structural_plan, type(dev.current_stream).synchronize

    def fails(*arguments, **how):
        made.append(how["first"])
        if len(made) == failing:
            raise OSError("no wave")
        return plan(*arguments, **how)

    with upload(dev, image) as resident:
        artifact = plan_artifact(plan_signature_buckets(image, resident.view(), LaunchConfig(1, 1)))
        assert len(artifact.pair_waves) == 6
        warm(dev)
        before = dev.context.live_handles()
        monkeypatch.setattr(egraph_pairs, "structural_plan", fails)
        monkeypatch.setattr(
            type(dev.current_stream), "synchronize", lambda stream: (ended.append(len(made)), synchronize(stream))[1]
        )
        with pytest.raises(OSError, match="no wave"):
            run(resident, artifact)
        monkeypatch.undo()
        assert ended[-1] == len(made) == failing
        assert dev.context.live_handles() == before


@pytest.mark.parametrize("body_fails", [False, True])
def test_memory_that_a_run_cannot_free_is_what_the_caller_hears_of(dev, monkeypatch, body_fails):
    image = pack_image(Snapshot.build(BASE))

    def stuck(self):
        self.slab.close()
        raise OSError("not freed")

    def fails(*_, **__):
        raise ValueError("the run's own")

    with upload(dev, image) as resident:
        artifact = plan_artifact(plan_signature_buckets(image, resident.view()))
        monkeypatch.setattr(structural.ScratchSlab, "close", stuck)
        if body_fails:
            monkeypatch.setattr(egraph_pairs, "structural_plan", fails)
        with pytest.raises(OSError, match="not freed") as caught:
            run(resident, artifact)
    assert isinstance(caught.value.__cause__, ValueError) == body_fails


def test_an_image_that_cannot_be_freed_is_what_a_discovery_tells_of(dev, monkeypatch):
    close = ResidentImage.close

    def stuck(self):
        close(self)
        raise OSError("not freed")

    monkeypatch.setattr(ResidentImage, "close", stuck)
    with pytest.raises(OSError, match="not freed"):
        discover(dev, pack_image(Snapshot.build(BASE)))


@pytest.mark.parametrize(
    "call",
    [
        lambda resident: resident.view(), lambda resident: fixed_point(resident), lambda resident: refresh(resident),
        lambda resident: read_back(resident, "full"), lambda resident: plan_resident_buckets(resident),
        lambda resident: canonicalization_round(resident), lambda resident: resident.download(),
    ],
    ids=["view", "fixed_point", "refresh", "read_back", "plan", "round", "download"],
)  # fmt: skip
def test_a_closed_image_says_so(dev, call):
    resident = upload(dev, pack_image(Snapshot.build(BASE)))
    resident.close()
    with pytest.raises(ClosedError, match="closed"):
        call(resident)


@pytest.mark.parametrize(
    "call", [lambda d, r: discover(d, pack_image(Snapshot.build(BASE))), lambda d, r: fixed_point(r)]
)
def test_waiting_while_a_graph_is_recorded_says_so_and_nothing_is_lost(dev, call):
    with upload(dev, pack_image(Snapshot.build(BASE))) as resident:
        with pytest.raises(CaptureError, match="take this call out of the captured body"), dev.capture():
            call(dev, resident)
        assert discover(dev, pack_image(Snapshot.build(BASE))).pairs == [(10, 20), (30, 40)]
    gc.collect()  # what the failed capture held


def test_a_column_does_not_lose_its_mask():
    masked = np.ma.masked_array(np.arange(3, dtype=np.uint32), mask=[0, 1, 0])
    with pytest.raises(IntegrityError, match=r"a masked array; give array.filled\(value\)"):
        u32_column("operators", masked)
