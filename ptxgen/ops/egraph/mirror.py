"""The host mirror: what the device must find, by plain means. Also a small host e-graph to make snapshots of."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.ops.egraph.snapshot import Snapshot
from ptxgen.ops.egraph.union import UnionFind, plan_unions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ptxgen.ops.egraph.plan import SignatureBuckets

__all__ = [
    "Applied", "EGraph", "MirrorFixedPoint", "MirrorResult", "apply_equivalences", "collect_equivalences",
    "mirror_fixed_point",
]  # fmt: skip


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


class EGraph:
    """A host e-graph: `add(op, children)` gives an e-class, `union` merges two, `rebuild` restores congruence."""

    def __init__(self) -> None:
        self._classes = UnionFind()
        self._nodes: list[tuple[int, str, tuple[int, ...]]] = []
        self._known: dict[tuple[str, tuple[int, ...]], int] = {}

    @property
    def class_count(self) -> int:
        """Ids given so far."""
        return len(self._nodes)

    def find(self, eclass: int) -> int:
        """The canonical id of an e-class."""
        return self._classes.find(eclass)

    def add(self, op: str, children: Sequence[int] = (), *, fresh: bool = False) -> int:
        """The e-class of a node: that of an equal one, or (always, with `fresh`) a new one."""
        key = (op, tuple(self.find(child) for child in children))
        if not fresh and key in self._known:
            return self.find(self._known[key])
        eclass = len(self._nodes)
        self._nodes.append((eclass, *key))
        self._known.setdefault(key, eclass)
        return eclass

    def nodes(self) -> Iterator[tuple[int, str, tuple[int, ...]]]:
        """(e-class, operator, children) of every node, as it was added."""
        return iter(self._nodes)

    def union(self, a: int, b: int) -> bool:
        """Merge two e-classes; False when they are one already."""
        return self._classes.union(a, b)

    def rebuild(self) -> int:
        """Merge until equal nodes are in one e-class; how many unions that took."""
        made = 0
        while True:
            known: dict[tuple[str, tuple[int, ...]], int] = {}
            before = made
            for eclass, op, children in self._nodes:
                first = known.setdefault((op, tuple(map(self.find, children))), eclass)
                made += self.union(first, eclass)
            if made == before:
                self._known = known
                return made


class Applied(NamedTuple):
    """How many equivalences were given, named e-classes that exist, merged something, and followed by congruence."""

    requested: int
    valid: int
    merged: int
    rebuild_unions: int


def apply_equivalences(egraph: EGraph, pairs: Iterable[tuple[int, int]]) -> Applied:
    """Merge what the device found into a host e-graph; ids that it does not have are skipped."""
    requested = valid = merged = 0
    for left, right in pairs:
        requested += 1
        if max(left, right) < egraph.class_count:
            valid += 1
            merged += egraph.union(left, right)
    return Applied(requested, valid, merged, egraph.rebuild())
