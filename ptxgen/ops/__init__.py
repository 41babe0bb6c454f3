"""Operations over device arrays that take several launches or scratch memory: scan, sort, and what is built from them.

An operation is an object made for a device, a type and a largest size: it holds its scratch memory and its loaded kernels, so
that a call only launches, on the current stream, and may be captured. May import everything up to `runtime`; the kernels
themselves live in ptxgen.kernels.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ptxgen.ops.argsort import ArgSort
    from ptxgen.ops.closure import Closure, ClosureOverflowError
    from ptxgen.ops.dedup import Dedup
    from ptxgen.ops.filter import Filter
    from ptxgen.ops.groupby import GroupBy
    from ptxgen.ops.histogram import Histogram
    from ptxgen.ops.join import HashTable, Join, Matching
    from ptxgen.ops.join_graph import JoinGraphs
    from ptxgen.ops.loop_join import LoopJoin
    from ptxgen.ops.merge_join import MergeJoin, SortedTable
    from ptxgen.ops.pairs import JoinOverflowError, Pairs
    from ptxgen.ops.reduce import Reduce
    from ptxgen.ops.scan import Scan
    from ptxgen.ops.select import Select
    from ptxgen.ops.sets import RowSets
    from ptxgen.ops.sort import Sort

__all__ = [
    "ArgSort", "Closure", "ClosureOverflowError", "Dedup", "Filter", "GroupBy", "HashTable", "Histogram", "Join",
    "JoinGraphs", "JoinOverflowError", "LoopJoin", "Matching", "MergeJoin", "Pairs", "Reduce", "RowSets", "Scan", "Select",
    "Sort", "SortedTable",
]  # fmt: skip

_HOME = {
    "HashTable": "join", "Join": "join", "Matching": "join", "JoinOverflowError": "pairs", "Pairs": "pairs",
    "LoopJoin": "loop_join", "MergeJoin": "merge_join", "SortedTable": "merge_join",
    "Closure": "closure", "ClosureOverflowError": "closure", "Dedup": "dedup", "Filter": "filter", "GroupBy": "groupby",
    "JoinGraphs": "join_graph", "RowSets": "sets",
    "ArgSort": "argsort", "Histogram": "histogram", "Reduce": "reduce", "Scan": "scan", "Select": "select", "Sort": "sort",
}  # fmt: skip


if not TYPE_CHECKING:  # a type checker would take any name

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f"ptxgen.ops.{_HOME[name]}"), name)
        return value
