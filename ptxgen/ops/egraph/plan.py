"""What to launch over an image: waves of work, and buckets of rows with equal signatures.

Everything here is on the host and visible. `run` takes a plan as it is; `Discovery` (discovery.py) plans on the device.
"""

from __future__ import annotations

from math import isqrt
from numbers import Integral
from typing import Any, NamedTuple

from ptxgen.host.formats import numpy_module
from ptxgen.ops.egraph.errors import PlanError, expect
from ptxgen.ops.egraph.image import ColumnSnapshot, DeviceImage, DeviceView
from ptxgen.ops.egraph.snapshot import u32_column

__all__ = [
    "DEFAULT_LAUNCH", "Bucket", "LaunchConfig", "PairWave", "SignatureBuckets", "Wave", "WorkPlan", "pair_at", "plan_buckets",
    "plan_signature_buckets", "plan_work", "waves_of",
]  # fmt: skip

U64_MAX = (1 << 64) - 1
RECORD_WORDS = 5


class LaunchConfig(NamedTuple):
    """Threads of a CTA, and CTAs of a launch at most."""

    threads_per_block: int = 256
    max_blocks_per_launch: int = 65535

    def check(self) -> LaunchConfig:
        """PlanError for zero threads or zero blocks, and for anything but a number of them."""
        number: Any
        for kind, number in zip(("ZeroThreadsPerBlock", "ZeroMaxBlocksPerLaunch"), self):
            if not isinstance(number, Integral) or number < 1:
                raise PlanError(kind, found=number if number else "zero")
        return self

    @property
    def items_per_wave(self) -> int:
        return self.threads_per_block * self.max_blocks_per_launch


DEFAULT_LAUNCH = LaunchConfig()


class Wave(NamedTuple):
    """One launch over items `first_item` to `first_item + item_count`."""

    first_item: int
    item_count: int
    blocks: int
    threads_per_block: int


class WorkPlan(NamedTuple):
    """The waves of one kind of work ("RowScan", "ChildEdgeScan", "EclassGroupScan", ...)."""

    kind: str
    items: int
    waves: tuple[Wave, ...]


def waves_of(items: int, config: LaunchConfig) -> tuple[Wave, ...]:
    """The fewest launches that cover the items."""
    config.check()
    threads, each = config.threads_per_block, config.items_per_wave
    counts = ((first, min(each, items - first)) for first in range(0, items, each))
    return tuple(Wave(first, count, -(-count // threads), threads) for first, count in counts)


def plan_work(view: DeviceView, config: LaunchConfig) -> tuple[WorkPlan, ...]:
    """Waves over the rows, the children and the e-classes of an image."""
    work = {
        "RowScan": view.row_count, "ChildEdgeScan": view.child_count, "EclassGroupScan": view.eclass_group_count,
    }  # fmt: skip
    return tuple(WorkPlan(kind, items, waves_of(items, config)) for kind, items in work.items())


class Bucket(NamedTuple):
    """Rows of one signature: `row_count` of the plan's `bucket_rows`, from `first_bucket_row` on."""

    signature: int
    first_bucket_row: int
    row_count: int
    candidate_pair_count: int


class PairWave(NamedTuple):
    """One launch over pairs of one bucket, as a kernel of one bucket needs it."""

    bucket_index: int
    first_pair: int
    pair_count: int
    blocks: int
    threads_per_block: int


class SignatureBuckets(NamedTuple):
    """Buckets as columns: row i of `signatures`, `first_rows` and `row_counts` is bucket i. `bucket_rows` are row ids."""

    signatures: Any
    first_rows: Any
    row_counts: Any
    bucket_rows: Any
    config: LaunchConfig

    @property
    def bucket_count(self) -> int:
        return len(self.signatures)

    @property
    def pair_counts(self) -> Any:
        """n(n-1)/2 of each bucket, as u64."""
        n = self.row_counts.astype("uint64")
        return n * (n - (n > 0)) // 2

    @property
    def candidate_pair_count(self) -> int:
        """PlanError when it has more than 64 bits."""
        total = sum(self.pair_counts.tolist())
        if total > U64_MAX:
            raise PlanError("CountOverflow", field="candidate_pair_count")
        return int(total)

    @property
    def buckets(self) -> list[Bucket]:
        columns = (self.signatures, self.first_rows, self.row_counts, self.pair_counts)
        return [Bucket(*row) for row in zip(*[column.tolist() for column in columns])]

    @property
    def waves(self) -> list[PairWave]:
        """A launch for each bucket, and more for a large one: what a kernel that knows one bucket needs."""
        return [
            PairWave(index, *wave)
            for index, pairs in enumerate(self.pair_counts.tolist())
            for wave in waves_of(pairs, self.config)
        ]

    @property
    def total_blocks(self) -> int:
        """CTAs of all waves."""
        total = sum(-(-pairs // self.config.threads_per_block) for pairs in self.pair_counts.tolist())
        if total > U64_MAX:
            raise PlanError("CountOverflow", field="total_blocks")
        return int(total)

    def pair(self, bucket_index: int, ordinal: int) -> tuple[int, int]:
        """The pair of places in a bucket that an ordinal names. PlanError when there is none."""
        pairs = int(self.pair_counts[bucket_index]) if 0 <= bucket_index < self.bucket_count else 0
        if not 0 <= ordinal < pairs:
            raise PlanError(
                "SignaturePairOrdinalOutOfBounds",
                bucket_index=bucket_index,
                pair_ordinal=ordinal,
                candidate_pair_count=pairs,
            )
        return pair_at(int(self.row_counts[bucket_index]), ordinal)


def pair_at(n: int, ordinal: int) -> tuple[int, int]:
    """(i, j) of an ordinal of the pairs (0,1), (0,2), ..., (0,n-1), (1,2), ...

    Counted from the end, the rows of the triangle have 1, 2, 3, ... pairs, so the row is a triangular root.
    """
    back = n * (n - 1) // 2 - 1 - ordinal
    row = (isqrt(8 * back + 1) - 1) // 2
    return n - 2 - row, n - 1 - (back - row * (row + 1) // 2)


def plan_signature_buckets(
    image: DeviceImage | ColumnSnapshot, view: DeviceView, config: LaunchConfig = DEFAULT_LAUNCH
) -> SignatureBuckets:
    """Buckets of an image that is resident, from the image itself or from columns that were read back from the device.
    PlanError when image and view are not of one e-graph; the counts that a snapshot of columns has are compared."""
    config.check()
    expect("view", view, DeviceView)
    if not isinstance(image, ColumnSnapshot):
        expect("image", image, DeviceImage)
    for field, ours in image.counts.items():
        theirs = {"row count": view.row_count, "child count": view.child_count}.get(field, view.eclass_group_count)
        if ours != theirs:
            raise PlanError("ImageViewMismatch", field=field, image=ours, view=theirs)
    return plan_buckets(image.column("row_signatures"), config)


def plan_buckets(signatures: Any, config: LaunchConfig = DEFAULT_LAUNCH) -> SignatureBuckets:
    """Every signature that two rows or more have, in ascending order; rows of a bucket ascend."""
    np = numpy_module()
    config.check()
    signatures = u32_column("signature", signatures)
    order = np.argsort(signatures, kind="stable").astype(np.uint32)
    ordered = signatures[order]
    heads = np.flatnonzero(np.concatenate([np.ones(min(1, len(ordered)), bool), ordered[1:] != ordered[:-1]]))
    lengths = np.diff(np.append(heads, len(ordered)))
    kept = lengths >= 2
    counts = lengths[kept].astype(np.uint32)
    ends = np.cumsum(counts, dtype=np.uint64)
    return SignatureBuckets(
        ordered[heads[kept]], (ends - counts).astype(np.uint32), counts, order[np.repeat(kept, lengths)], config
    )
