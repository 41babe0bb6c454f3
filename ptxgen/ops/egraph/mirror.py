"""The host mirror: what the device must find, by plain means."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.ops.egraph.union import plan_unions

if TYPE_CHECKING:
    from ptxgen.ops.egraph.plan import SignatureBuckets
    from ptxgen.ops.egraph.snapshot import Snapshot

__all__ = ["MirrorFixedPoint", "MirrorResult", "collect_equivalences", "mirror_fixed_point"]


class MirrorResult(NamedTuple):
    """What the candidate pairs of a plan are: equal rows of two e-classes, equal rows of one, or rows that differ."""

    exact_pair_count: int
    redundant_pair_count: int
    rejected_candidate_pair_count: int
    unique: list[tuple[int, int]]


def collect_equivalences(snapshot: Snapshot, buckets: SignatureBuckets) -> MirrorResult:
    """Compare every candidate pair of a plan."""
    eclasses = snapshot.eclass_ids.tolist()
    exact = redundant = rejected = 0
    unique: set[tuple[int, int]] = set()
    for bucket in buckets.buckets:
        rows = buckets.bucket_rows[bucket.first_bucket_row :][: bucket.row_count].tolist()
        contents = {row: (int(snapshot.op_ids[row]), tuple(snapshot.children_of(row))) for row in rows}
        for a, b in combinations(rows, 2):
            left, right = eclasses[a], eclasses[b]
            if contents[a] != contents[b]:
                rejected += 1
            elif left == right:
                redundant += 1
            else:
                exact += 1
                unique.add((min(left, right), max(left, right)))
    return MirrorResult(exact, redundant, rejected, sorted(unique))


class MirrorFixedPoint(NamedTuple):
    """The pairs and rewrites of each round, and the columns at the end."""

    rounds: list[tuple[list[tuple[int, int]], int]]
    eclass_ids: list[int]
    children: list[int]
    converged: bool


def mirror_fixed_point(snapshot: Snapshot, max_rounds: int) -> MirrorFixedPoint:
    """Rounds of finding equal rows and merging their e-classes, until there are none."""
    eclasses, children = snapshot.eclass_ids.tolist(), snapshot.children.tolist()
    heads = list(zip(snapshot.op_ids.tolist(), snapshot.children_offsets.tolist(), snapshot.children_lens.tolist()))
    rounds: list[tuple[list[tuple[int, int]], int]] = []
    converged = False
    while len(rounds) < max_rounds and not converged:
        equal = defaultdict(set)
        for eclass, (op, start, length) in zip(eclasses, heads):
            equal[op, tuple(children[start : start + length])].add(eclass)
        pairs = sorted({pair for classes in equal.values() for pair in combinations(sorted(classes), 2)})
        plan = plan_unions(pairs)
        mapping = dict(plan.canonical_rewrites)
        eclasses = [mapping.get(eclass, eclass) for eclass in eclasses]
        children = [mapping.get(child, child) for child in children]
        rounds.append((pairs, len(plan.canonical_rewrites)))
        converged = not pairs
    return MirrorFixedPoint(rounds, eclasses, children, converged)
