"""Operations over device arrays that take several launches or scratch memory: scan, sort, and what is built from them.

An operation is an object made for a device, a type and a largest size: it holds its scratch memory and its loaded kernels, so
that a call only launches, on the current stream, and may be captured. May import everything up to `runtime`; the kernels
themselves live in ptxgen.kernels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.ops.argsort import ArgSort
    from ptxgen.ops.backward import attention_backward
    from ptxgen.ops.biases import (
        bias_gelu,
        bias_gelu_backward,
        bias_relu,
        bias_relu_backward,
        bias_silu,
        bias_silu_backward,
    )
    from ptxgen.ops.channels import group_norm, group_norm_backward
    from ptxgen.ops.closure import Closure, ClosureOverflowError
    from ptxgen.ops.convolutions import conv1d_depthwise
    from ptxgen.ops.decode import attention_decode
    from ptxgen.ops.dedup import Dedup
    from ptxgen.ops.dimensions import permute
    from ptxgen.ops.elements import (
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
    from ptxgen.ops.embeddings import embedding, embedding_backward
    from ptxgen.ops.filter import Filter
    from ptxgen.ops.flash import attention
    from ptxgen.ops.gemm import MatmulChoice, matmul
    from ptxgen.ops.groupby import GroupBy
    from ptxgen.ops.grouped import grouped_matmul
    from ptxgen.ops.histogram import Histogram
    from ptxgen.ops.join import HashTable, Join, SemiJoin
    from ptxgen.ops.join_graph import JoinGraphs
    from ptxgen.ops.kv_cache import cache_append
    from ptxgen.ops.layers import dropout, optimiser_step, quantise, rotary
    from ptxgen.ops.loop_join import LoopJoin
    from ptxgen.ops.merge_join import MergeJoin, SortedTable
    from ptxgen.ops.operands import transposed
    from ptxgen.ops.packed import attention_packed
    from ptxgen.ops.pairs import JoinOverflowError, Pairs
    from ptxgen.ops.picks import argmax, sample, topk
    from ptxgen.ops.quantised import block_matmul, block_numbers
    from ptxgen.ops.reduce import Reduce
    from ptxgen.ops.rows import (
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
    from ptxgen.ops.scaled import scaled_matmul
    from ptxgen.ops.scan import Scan
    from ptxgen.ops.select import Select
    from ptxgen.ops.sets import RowSets
    from ptxgen.ops.sort import Sort
    from ptxgen.ops.sparse import CompressedMatrix, compress, sparse_matmul
    from ptxgen.ops.sums import column_sums

__all__ = [
    "ArgSort",
    "Closure",
    "ClosureOverflowError",
    "CompressedMatrix",
    "Dedup",
    "Filter",
    "GroupBy",
    "HashTable",
    "Histogram",
    "Join",
    "JoinGraphs",
    "JoinOverflowError",
    "LoopJoin",
    "MatmulChoice",
    "MergeJoin",
    "Pairs",
    "Reduce",
    "RowSets",
    "Scan",
    "Select",
    "SemiJoin",
    "Sort",
    "SortedTable",
    "argmax",
    "attention",
    "attention_backward",
    "attention_decode",
    "attention_packed",
    "bias_gelu",
    "bias_gelu_backward",
    "bias_relu",
    "bias_relu_backward",
    "bias_silu",
    "bias_silu_backward",
    "block_matmul",
    "block_numbers",
    "cache_append",
    "cast",
    "column_sums",
    "compress",
    "conv1d_depthwise",
    "cross_entropy",
    "cross_entropy_backward",
    "dropout",
    "elementwise",
    "embedding",
    "embedding_backward",
    "geglu",
    "gelu",
    "gelu_backward",
    "group_norm",
    "group_norm_backward",
    "grouped_matmul",
    "layer_norm",
    "layer_norm_backward",
    "log_softmax",
    "log_softmax_backward",
    "matmul",
    "optimiser_step",
    "permute",
    "quantise",
    "rms_norm",
    "rms_norm_backward",
    "rotary",
    "sample",
    "scaled_matmul",
    "silu",
    "silu_backward",
    "softmax",
    "softmax_backward",
    "sparse_matmul",
    "swiglu",
    "swiglu_backward",
    "topk",
    "transposed",
]  # fmt: skip

_EXPORTS = {
    "argsort": "ArgSort",
    "backward": "attention_backward",
    "biases": "bias_gelu bias_gelu_backward bias_relu bias_relu_backward bias_silu bias_silu_backward",
    "channels": "group_norm group_norm_backward",
    "closure": "Closure ClosureOverflowError",
    "convolutions": "conv1d_depthwise",
    "decode": "attention_decode",
    "dedup": "Dedup",
    "dimensions": "permute",
    "elements": "cast elementwise geglu gelu gelu_backward silu silu_backward swiglu swiglu_backward",
    "embeddings": "embedding embedding_backward",
    "filter": "Filter",
    "flash": "attention",
    "groupby": "GroupBy",
    "grouped": "grouped_matmul",
    "histogram": "Histogram",
    "join": "HashTable Join SemiJoin",
    "join_graph": "JoinGraphs",
    "kv_cache": "cache_append",
    "layers": "dropout optimiser_step quantise rotary",
    "loop_join": "LoopJoin",
    "gemm": "MatmulChoice matmul",
    "merge_join": "MergeJoin SortedTable",
    "operands": "transposed",
    "packed": "attention_packed",
    "pairs": "JoinOverflowError Pairs",
    "picks": "argmax sample topk",
    "quantised": "block_matmul block_numbers",
    "reduce": "Reduce",
    "rows": "cross_entropy cross_entropy_backward layer_norm layer_norm_backward log_softmax"
    " log_softmax_backward rms_norm rms_norm_backward softmax softmax_backward",
    "scaled": "scaled_matmul",
    "scan": "Scan",
    "select": "Select",
    "sets": "RowSets",
    "sort": "Sort",
    "sparse": "CompressedMatrix compress sparse_matmul",
    "sums": "column_sums",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
