"""From the device back into a host e-graph: apply what was found, prove that it is right, restore congruence on the device."""

from __future__ import annotations

from time import perf_counter_ns
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.ops.egraph.canonical import fixed_point
from ptxgen.ops.egraph.image import pack_image, upload
from ptxgen.ops.egraph.mirror import collect_equivalences
from ptxgen.ops.egraph.plan import plan_buckets
from ptxgen.ops.egraph.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.host import Device
    from ptxgen.ops.egraph.host import EGraph

__all__ = ["Applied", "BridgeReport", "apply_equivalences", "bridge_equivalences", "rebuild_on"]

Pair = tuple[int, int]


class Applied(NamedTuple):
    """How many equivalences were given, named e-classes that exist, merged something, and followed by congruence."""

    requested: int
    valid: int
    merged: int
    rebuild_unions: int


def apply_equivalences(egraph: EGraph, pairs: Iterable[Pair]) -> Applied:
    """Merge what the device found into a host e-graph; ids that it does not have are skipped."""
    requested = valid = merged = 0
    for left, right in pairs:
        requested += 1
        if min(left, right) >= 0 and max(left, right) < egraph.class_count:
            valid += 1
            merged += egraph.union(left, right)
    return Applied(requested, valid, merged, egraph.rebuild())


class BridgeReport(NamedTuple):
    """What applying a batch did, and whether it was right.

    `missing` pairs the host finds and the batch does not have, `unexpected` ones the other way round. With
    `class_id_deterministic`, the batch backwards leads to the same id of every e-class. Times in nanoseconds: of the host's
    own search, of applying.
    """

    applied: Applied
    missing: tuple[Pair, ...]
    unexpected: tuple[Pair, ...]
    class_id_deterministic: bool
    host_ns: int
    apply_ns: int

    @property
    def recall_parity(self) -> bool:
        """Is the batch what the host finds, no more and no less?"""
        return not self.missing and not self.unexpected


def bridge_equivalences(egraph: EGraph, pairs: Iterable[Pair]) -> BridgeReport:
    """`apply_equivalences` with a proof: the host finds the equal rows too, and the batch is applied in both directions.

    The proof takes the host's time, of every pair of every bucket of signatures: it is for tests and for doubts.
    """
    batch = [(min(a, b), max(a, b)) for a, b in pairs]
    start = perf_counter_ns()
    snapshot = Snapshot.from_egraph(egraph)
    buckets = plan_buckets(pack_image(snapshot).column("row_signatures"))
    expected = set(collect_equivalences(snapshot, buckets).unique)
    host_ns = perf_counter_ns() - start
    backwards = egraph.copy()
    apply_equivalences(backwards, reversed(batch))
    start = perf_counter_ns()
    applied = apply_equivalences(egraph, batch)
    apply_ns = perf_counter_ns() - start
    same = all(egraph.find(eclass) == backwards.find(eclass) for eclass in range(egraph.class_count))
    missing, unexpected = expected - set(batch), set(batch) - expected
    return BridgeReport(applied, tuple(sorted(missing)), tuple(sorted(unexpected)), same, host_ns, apply_ns)


def rebuild_on(device: Device, egraph: EGraph) -> int:
    """`egraph.rebuild()` with the search on the device: upload, the fixed point, merge. How many unions that took."""
    if not egraph.class_count:
        return 0
    snapshot = Snapshot.from_egraph(egraph)
    with upload(device, pack_image(snapshot)) as resident:
        found = fixed_point(resident, readback="full", max_rounds=egraph.class_count)
    canonical = found.readback.columns["row_eclass_ids"].tolist()
    made = sum(egraph.union(eclass, root) for (eclass, _, _), root in zip(egraph.nodes(), canonical))
    return made + egraph.rebuild()
