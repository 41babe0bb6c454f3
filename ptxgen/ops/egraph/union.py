"""From pairs of equal e-classes to rewrites: every e-class becomes the smallest id that it is equal to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.host.formats import numpy_module
from ptxgen.ops.egraph.errors import IntegrityError
from ptxgen.ops.egraph.plan import DEFAULT_LAUNCH, LaunchConfig, Wave, waves_of
from ptxgen.ops.egraph.snapshot import U32_MAX

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["UnionFind", "UnionPlan", "plan_unions"]


class UnionFind:
    """Sets of integers, each under its smallest member."""

    def __init__(self) -> None:
        self._above: dict[int, int] = {}

    def find(self, member: int) -> int:
        """The smallest member of the set; every place on the way then points at it."""
        above, root = self._above, member
        while (over := above.get(root, root)) != root:
            root = over
        while (over := above.get(member, member)) != root:
            above[member] = root
            member = over
        return root

    def copy(self) -> UnionFind:
        """The same sets."""
        made = UnionFind()
        made._above = dict(self._above)
        return made

    def union(self, a: int, b: int) -> bool:
        """Merge two sets; False when they are one already."""
        low, high = sorted((self.find(a), self.find(b)))
        if low == high:
            return False
        self._above[high] = low
        return True


class UnionPlan(NamedTuple):
    """`pairs`, ordered and unique; `canonical_rewrites` (e-class, representative), ascending; what was left out; waves."""

    pairs: list[tuple[int, int]]
    canonical_rewrites: list[tuple[int, int]]
    ignored_self_pairs: int
    duplicate_pairs: int
    pair_waves: tuple[Wave, ...]
    rewrite_waves: tuple[Wave, ...]

    @property
    def rewrite_words(self) -> Any:
        """The rewrites as the device takes them: two u32 words each."""
        np = numpy_module()
        return np.array(self.canonical_rewrites, np.uint32).reshape(-1)


def plan_unions(pairs: Iterable[tuple[int, int]], config: LaunchConfig = DEFAULT_LAUNCH) -> UnionPlan:
    """Drop pairs of one e-class with itself, order and dedup the others, and union them.

    `config` shapes the waves "UnionPairs" and "CanonicalRewrites". IntegrityError for an id that does not fit u32.
    """
    requested = [(min(a, b), max(a, b)) for a, b in pairs]
    outside = [member for pair in requested for member in pair if not 0 <= member <= U32_MAX]
    if outside:
        raise IntegrityError("DoesNotFit", context="e-class id", value=outside[0])
    proper = [pair for pair in requested if pair[0] != pair[1]]
    unique = sorted(set(proper))
    sets = UnionFind()
    for a, b in unique:
        sets.union(a, b)
    members = sorted({member for pair in unique for member in pair})
    rewrites = [(member, root) for member in members if (root := sets.find(member)) != member]
    return UnionPlan(
        unique, rewrites, len(requested) - len(proper), len(proper) - len(unique),
        waves_of(len(unique), config), waves_of(len(rewrites), config),
    )  # fmt: skip
