"""Operations over device arrays that take several launches or scratch memory: scan, sort, and what is built from them.

An operation is an object made for a device, a type and a largest size: it holds its scratch memory and its loaded kernels, so
that a call only launches, on the current stream, and may be captured. May import everything up to `runtime`; the kernels
themselves live in ptxgen.kernels. Functions beside them make one call with objects that are kept.

The map: `arguments`, `operands`, `launches`, `launch_cache`, `recorded`, `borrowing`, `calls`, `results` and `scratch` serve all
rooms. All but `egraph` take arrays of any library: the functions of `matrices`, `flash` (attention), `rows` and `elements` as
operands, the classes and functions of `arrays` and `joins` by their `Launches` or a `Call`, which give them arrays of ours, and
`queries` as columns of tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.ops.arrays.argsort import ArgSort
    from ptxgen.ops.arrays.counts import bincount, histogram
    from ptxgen.ops.arrays.dedup import Dedup
    from ptxgen.ops.arrays.filter import Filter
    from ptxgen.ops.arrays.groupby import GroupBy
    from ptxgen.ops.arrays.groups import Groups, groupby
    from ptxgen.ops.arrays.histogram import Histogram
    from ptxgen.ops.arrays.merge import merge
    from ptxgen.ops.arrays.orders import argsort, permutation, sort
    from ptxgen.ops.arrays.partial_sort import PartialSort
    from ptxgen.ops.arrays.permutations import random_rows
    from ptxgen.ops.arrays.reduce import Reduce
    from ptxgen.ops.arrays.scan import Scan
    from ptxgen.ops.arrays.segmented import SegmentedReduce, SegmentedScan
    from ptxgen.ops.arrays.segmented_sort import SegmentedSort
    from ptxgen.ops.arrays.select import Select
    from ptxgen.ops.arrays.sets import RowSets
    from ptxgen.ops.arrays.sets_of_rows import difference, intersection, union, unique
    from ptxgen.ops.arrays.sort import Sort
    from ptxgen.ops.arrays.totals import cumsum, reduce, scan, select
    from ptxgen.ops.calls import empty_cache
    from ptxgen.ops.elements.biases import (
        bias_gelu,
        bias_gelu_backward,
        bias_relu,
        bias_relu_backward,
        bias_silu,
        bias_silu_backward,
    )
    from ptxgen.ops.elements.convolutions import conv1d_depthwise
    from ptxgen.ops.elements.dimensions import permute
    from ptxgen.ops.elements.elements import (
        cast,
        elementwise,
        geglu,
        gelu,
        gelu_backward,
        silu,
        silu_backward,
        swiglu,
        swiglu_backward,
    )
    from ptxgen.ops.elements.embeddings import embedding, embedding_backward
    from ptxgen.ops.elements.layers import dropout, optimiser_step, quantise, rotary
    from ptxgen.ops.flash.backward import attention_backward
    from ptxgen.ops.flash.decode import attention_decode
    from ptxgen.ops.flash.forward import attention
    from ptxgen.ops.flash.kv_cache import cache_append
    from ptxgen.ops.flash.packed import attention_packed
    from ptxgen.ops.flash.packed_backward import attention_packed_backward
    from ptxgen.ops.joins.chunked import Chunk, Progress, join_chunks
    from ptxgen.ops.joins.chunked_closure import closure_chunks
    from ptxgen.ops.joins.closure import Closure, ClosureOverflowError
    from ptxgen.ops.joins.functions import isin, join
    from ptxgen.ops.joins.join import HashTable, Join, SemiJoin
    from ptxgen.ops.joins.join_graph import JoinGraphs
    from ptxgen.ops.joins.loop_join import LoopJoin
    from ptxgen.ops.joins.merge_join import MergeJoin, SortedTable
    from ptxgen.ops.joins.pairs import JoinOverflowError, Pairs
    from ptxgen.ops.matrices.block_scaled import block_scaled_matmul, blocked_factors
    from ptxgen.ops.matrices.gemm import MatmulChoice, matmul
    from ptxgen.ops.matrices.grouped import grouped_matmul
    from ptxgen.ops.matrices.quantised import block_matmul, block_numbers
    from ptxgen.ops.matrices.scaled import scaled_matmul
    from ptxgen.ops.matrices.sparse import CompressedMatrix, compress, sparse_matmul
    from ptxgen.ops.operands import transposed
    from ptxgen.ops.queries.expressions import where
    from ptxgen.ops.queries.query import Query
    from ptxgen.ops.queries.tables import Table, table
    from ptxgen.ops.rows.channels import group_norm, group_norm_backward
    from ptxgen.ops.rows.picks import argmax, sample, topk
    from ptxgen.ops.rows.rows import (
        cross_entropy,
        cross_entropy_backward,
        layer_norm,
        layer_norm_backward,
        log_softmax,
        log_softmax_backward,
        rms_norm,
        rms_norm_backward,
        softmax,
        softmax_backward,
    )
    from ptxgen.ops.rows.sums import column_sums

__all__ = [
    "ArgSort",
    "Chunk",
    "Closure",
    "ClosureOverflowError",
    "CompressedMatrix",
    "Dedup",
    "Filter",
    "GroupBy",
    "Groups",
    "HashTable",
    "Histogram",
    "Join",
    "JoinGraphs",
    "JoinOverflowError",
    "LoopJoin",
    "MatmulChoice",
    "MergeJoin",
    "Pairs",
    "PartialSort",
    "Progress",
    "Query",
    "Reduce",
    "RowSets",
    "Scan",
    "SegmentedReduce",
    "SegmentedScan",
    "SegmentedSort",
    "Select",
    "SemiJoin",
    "Sort",
    "SortedTable",
    "Table",
    "argmax",
    "argsort",
    "attention",
    "attention_backward",
    "attention_decode",
    "attention_packed",
    "attention_packed_backward",
    "bias_gelu",
    "bias_gelu_backward",
    "bias_relu",
    "bias_relu_backward",
    "bias_silu",
    "bias_silu_backward",
    "bincount",
    "block_matmul",
    "block_numbers",
    "block_scaled_matmul",
    "blocked_factors",
    "cache_append",
    "cast",
    "closure_chunks",
    "column_sums",
    "compress",
    "conv1d_depthwise",
    "cross_entropy",
    "cross_entropy_backward",
    "cumsum",
    "difference",
    "dropout",
    "elementwise",
    "embedding",
    "embedding_backward",
    "empty_cache",
    "geglu",
    "gelu",
    "gelu_backward",
    "group_norm",
    "group_norm_backward",
    "groupby",
    "grouped_matmul",
    "histogram",
    "intersection",
    "isin",
    "join",
    "join_chunks",
    "layer_norm",
    "layer_norm_backward",
    "log_softmax",
    "log_softmax_backward",
    "matmul",
    "merge",
    "optimiser_step",
    "permutation",
    "permute",
    "quantise",
    "random_rows",
    "reduce",
    "rms_norm",
    "rms_norm_backward",
    "rotary",
    "sample",
    "scaled_matmul",
    "scan",
    "select",
    "silu",
    "silu_backward",
    "softmax",
    "softmax_backward",
    "sort",
    "sparse_matmul",
    "swiglu",
    "swiglu_backward",
    "table",
    "topk",
    "transposed",
    "union",
    "unique",
    "where",
]  # fmt: skip

_EXPORTS = {
    "arrays.counts": "bincount histogram",
    "arrays.groups": "Groups groupby",
    "arrays.orders": "argsort permutation sort",
    "arrays.sets_of_rows": "difference intersection union unique",
    "arrays.totals": "cumsum reduce scan select",
    "calls": "empty_cache",
    "joins.functions": "isin join",
    "arrays.argsort": "ArgSort",
    "flash.backward": "attention_backward",
    "elements.biases": "bias_gelu bias_gelu_backward bias_relu bias_relu_backward bias_silu bias_silu_backward",
    "rows.channels": "group_norm group_norm_backward",
    "joins.closure": "Closure ClosureOverflowError",
    "elements.convolutions": "conv1d_depthwise",
    "flash.decode": "attention_decode",
    "arrays.dedup": "Dedup",
    "elements.dimensions": "permute",
    "elements.elements": "cast elementwise geglu gelu gelu_backward silu silu_backward swiglu swiglu_backward",
    "elements.embeddings": "embedding embedding_backward",
    "arrays.filter": "Filter",
    "flash.forward": "attention",
    "arrays.groupby": "GroupBy",
    "matrices.grouped": "grouped_matmul",
    "arrays.histogram": "Histogram",
    "joins.chunked": "Chunk Progress join_chunks",
    "joins.chunked_closure": "closure_chunks",
    "joins.join": "HashTable Join SemiJoin",
    "joins.join_graph": "JoinGraphs",
    "flash.kv_cache": "cache_append",
    "elements.layers": "dropout optimiser_step quantise rotary",
    "joins.loop_join": "LoopJoin",
    "matrices.block_scaled": "block_scaled_matmul blocked_factors",
    "matrices.gemm": "MatmulChoice matmul",
    "joins.merge_join": "MergeJoin SortedTable",
    "operands": "transposed",
    "flash.packed": "attention_packed",
    "flash.packed_backward": "attention_packed_backward",
    "joins.pairs": "JoinOverflowError Pairs",
    "rows.picks": "argmax sample topk",
    "matrices.quantised": "block_matmul block_numbers",
    "queries.expressions": "where",
    "queries.query": "Query",
    "queries.tables": "Table table",
    "arrays.merge": "merge",
    "arrays.partial_sort": "PartialSort",
    "arrays.permutations": "random_rows",
    "arrays.reduce": "Reduce",
    "rows.rows": "cross_entropy cross_entropy_backward layer_norm layer_norm_backward log_softmax"
    " log_softmax_backward rms_norm rms_norm_backward softmax softmax_backward",
    "matrices.scaled": "scaled_matmul",
    "arrays.scan": "Scan",
    "arrays.segmented": "SegmentedReduce SegmentedScan",
    "arrays.segmented_sort": "SegmentedSort",
    "arrays.select": "Select",
    "arrays.sets": "RowSets",
    "arrays.sort": "Sort",
    "matrices.sparse": "CompressedMatrix compress sparse_matmul",
    "rows.sums": "column_sums",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
