"""Run the structural-equivalence kernel over a plan that was made on the host.

KernelPlan and output lie in one slab of scratch memory, `bucket_words | bucket_rows | bucket_ends | output_pairs | output_count`:
one allocation, one copy of the plan; the output is cleared on the device.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.builder import u8, u32, u64
from ptxgen.host.formats import numpy_module
from ptxgen.isa.targets import TARGETS
from ptxgen.kernels.egraph import egraph_pairs
from ptxgen.ops.egraph.cleanup import Held
from ptxgen.ops.egraph.errors import PlanError, RunError, expect, expect_count
from ptxgen.ops.egraph.image import COLUMNS, ResidentImage
from ptxgen.ops.egraph.plan import RECORD_WORDS, U64_MAX, SignatureBuckets, Wave, waves_of
from ptxgen.ops.egraph.snapshot import U32_MAX

if TYPE_CHECKING:
    from ptxgen.host import Device, KernelHandle

__all__ = ["Artifact", "Equivalences", "ScratchSlab", "decode_unique", "plan_artifact", "run", "structural_ptx", "warm"]


PAIR_BYTES, COUNTER_BYTES = 8, 8


class Equivalences(NamedTuple):
    """What a run found.

    `unique` is a numpy array of (e-class, larger e-class), sorted and unique; `emitted_pair_count` pairs were written,
    repetitions included, `device_reported_count` wanted to be. An overflow is reported; `complete()` makes it an error.
    """

    emitted_pair_count: int
    unique: Any
    device_reported_count: int
    overflowed_output_capacity: bool

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """`unique` as a list."""
        return [(left, right) for left, right in self.unique.tolist()]

    def complete(self) -> Equivalences:
        """This, when it is all that there is. RunError when there was too little room."""
        if self.overflowed_output_capacity:
            raise RunError("OutputOverflow", reported=self.device_reported_count, capacity=self.emitted_pair_count)
        return self


class Artifact(NamedTuple):
    """A plan in the words that the kernel reads, and how much it may write."""

    bucket_words: Any
    bucket_rows: Any
    bucket_ends: Any
    candidate_pair_count: int
    max_equivalences: int
    pair_waves: tuple[Wave, ...]

    @property
    def bucket_count(self) -> int:
        return len(self.bucket_ends)

    @property
    def bucket_record_words(self) -> int:
        """Words of a bucket's record: signature, first row, rows, and the pairs in two halves."""
        return RECORD_WORDS

    @property
    def output_bytes(self) -> int:
        """Of the pairs that there is room for, two words each."""
        return PAIR_BYTES * self.max_equivalences


def plan_artifact(buckets: SignatureBuckets, *, capacity: int | None = None) -> Artifact:
    """Records, row table and waves of a plan; room for every candidate pair unless `capacity` says less."""
    np = numpy_module()
    expect("buckets", buckets, SignatureBuckets)
    ends = buckets.first_rows.astype(np.uint64) + buckets.row_counts
    wrong = np.flatnonzero(ends > len(buckets.bucket_rows))
    if wrong.size:
        index = int(wrong[0])
        raise PlanError(
            "SignatureBucketRowsOutOfBounds", bucket_index=index, first_bucket_row=int(buckets.first_rows[index]),
            row_count=int(buckets.row_counts[index]), bucket_rows_len=len(buckets.bucket_rows),
        )  # fmt: skip
    pairs, total = buckets.pair_counts, buckets.candidate_pair_count
    words = _reserve("bucket words", (buckets.bucket_count, RECORD_WORDS), np.uint32)
    columns = (
        buckets.signatures,
        buckets.first_rows,
        buckets.row_counts,
        pairs & np.uint64(U32_MAX),
        pairs >> np.uint64(32),
    )
    for column, values in enumerate(columns):
        words[:, column] = values
    room = total if capacity is None else expect_count("capacity", capacity, most=U64_MAX // PAIR_BYTES)
    waves = waves_of(total, buckets.config)
    return Artifact(words.reshape(-1), buckets.bucket_rows, np.cumsum(pairs, dtype=np.uint64), total, room, waves)


def _reserve(field: str, shape: tuple[int, ...], kind: Any) -> Any:
    """Zeros on the host. PlanError when there is no room for them."""
    np = numpy_module()
    try:
        return np.zeros(shape, kind)
    except MemoryError as error:
        raise PlanError("StorageReserveFailed", field=field, requested=prod(shape), message=str(error)) from error


class ScratchSlab:
    """The slab of an artifact, in device memory until `close()`. Sections have the least bytes that keep each addressable."""

    def __init__(self, device: Device, artifact: Artifact) -> None:
        np = numpy_module()
        parts = (artifact.bucket_words, artifact.bucket_rows, artifact.bucket_ends)
        sizes = [max(4, parts[0].nbytes), max(4, parts[1].nbytes), max(8, parts[2].nbytes)]
        sizes += [max(PAIR_BYTES, artifact.output_bytes), COUNTER_BYTES]
        self.offsets: list[int] = []
        end = 0
        for size, alignment in zip(sizes, (4, 4, 8, 8, 8)):
            self.offsets.append(-(-end // alignment) * alignment)
            end = self.offsets[-1] + size
        planned = _reserve("scratch bytes", (self.offsets[3],), np.uint8)
        for offset, part in zip(self.offsets, parts):
            planned[offset : offset + part.nbytes] = part.view(np.uint8)
        self.slab = device.empty(end, u8)
        try:
            self.slab[: len(planned)].copy_from(planned)
            self.slab[len(planned) :].fill(0)
        except BaseException:
            self.slab.close()
            raise
        words, rows, ends, pairs, count = (self.slab[o : o + n] for o, n in zip(self.offsets, sizes))
        self.bucket_words, self.bucket_rows = words.view(u32), rows.view(u32)
        self.bucket_ends, self.output_pairs, self.output_count = ends.view(u64), pairs.view(u32), count.view(u64)

    def close(self) -> None:
        """Free the slab."""
        self.slab.close()


def structural_ptx(target_sm: int) -> str:
    """The kernel's PTX for compute capability 90 (9.0), say. PlanError for one that PTX does not know."""
    target = f"sm_{target_sm}"
    if target not in TARGETS:
        raise PlanError("InvalidPtxTarget", target_sm=target_sm)
    return str(egraph_pairs.structural_pairs.module(target=target))


def warm(device: Device) -> KernelHandle:
    """The structural-equivalence kernel, built and loaded for the device. RunError when the driver knows no entry of it."""
    handle = egraph_pairs.structural_pairs.on(device)
    if not handle.function.handle:
        raise RunError("NullFunction")
    return handle


def run(resident: ResidentImage, artifact: Artifact) -> Equivalences:
    """Launch every wave on the current stream, wait, read and decode. The scratch memory is freed whatever happens."""
    expect("resident", resident, ResidentImage).view()
    expect("artifact", artifact, Artifact)
    device = resident.device
    warm(device)
    columns = tuple(resident.column(name) for name in COLUMNS[:6])
    with Held() as held:
        scratch = held.add(ScratchSlab(device, artifact))
        try:
            for wave in artifact.pair_waves:
                first, count = wave.first_item, wave.item_count
                if count > U32_MAX:
                    raise RunError("WaveTooLarge", pairs=count, message=f"at most {U32_MAX}")
                egraph_pairs.structural_plan(
                    columns, scratch.bucket_words, scratch.bucket_rows, scratch.bucket_ends, scratch.output_pairs,
                    scratch.output_count, buckets=artifact.bucket_count, first=first, end=first + count,
                    capacity=artifact.max_equivalences, blocks=wave.blocks, threads=wave.threads_per_block,
                ).launch()  # fmt: skip
        finally:
            device.current_stream.synchronize()  # nothing is freed that a kernel still uses
        return _read(scratch, artifact.max_equivalences)


def _read(scratch: ScratchSlab, capacity: int) -> Equivalences:
    reported = counter(scratch.output_count.bytes())
    emitted = min(reported, capacity)
    unique = decode_unique(scratch.output_pairs[: 2 * emitted].bytes(), emitted)
    return Equivalences(emitted, unique, reported, reported > capacity)


def counter(data: bytes | bytearray) -> int:
    """The 64-bit word that begins a readback. RunError when it is shorter."""
    if len(data) < COUNTER_BYTES:
        raise RunError("NoCounter")
    return int.from_bytes(data[:COUNTER_BYTES], "little")


def decode_unique(data: bytes | bytearray, count: int) -> Any:
    """Of `count` pairs of two u32 words: sorted by (left, right), each once. RunError when there are fewer."""
    np = numpy_module()
    if len(data) < PAIR_BYTES * expect_count("count", count, most=U64_MAX):
        raise RunError("NoPairs")
    pairs = np.frombuffer(data, np.uint32, 2 * count).reshape(-1, 2)
    keys = np.unique(pairs[:, 0].astype(np.uint64) << np.uint64(32) | pairs[:, 1])
    return np.stack([keys >> np.uint64(32), keys], axis=1).astype(np.uint32)
