"""Every kernel of the library and its variants. One row a kernel: its room and its file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.kernels.cases import Variant

__all__ = ["CATALOGUE", "TARGETS", "find"]

TARGETS = ("sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120")
"""What every variant is built, assembled and pinned for."""

_FILES = (
    "elements.saxpy",
    "arrays.reduction",
    "rows.softmax",
    "rows.rows",
    "elements.bias",
    "rows.column_sums",
    "elements.conv_depthwise",
    "rows.largest",
    "rows.topk",
    "rows.topk_cluster",
    "rows.nucleus",
    "rows.shortlist",
    "matrices.dequantise",
    "matrices.quantised",
    "attention.rotary",
    "attention.kv_cache",
    "elements.embedding",
    "elements.optimiser",
    "elements.dropout",
    "elements.embedding_backward",
    "elements.transpose",
    "elements.permute",
    "elements.permute_shifted",
    "matrices.matmul",
    "matrices.gemm_mma",
    "arrays.histogram",
    "arrays.binning",
    "arrays.scan",
    "arrays.prefix",
    "arrays.segmented_reduce",
    "arrays.segmented_scan",
    "arrays.merge",
    "arrays.radix_counts",
    "arrays.radix_sort",
    "arrays.radix_tile",
    "arrays.segment_lists",
    "arrays.segment_networks",
    "arrays.radix_segments",
    "arrays.radix_long_segments",
    "arrays.select",
    "joins.hash_keys",
    "joins.hash_frequent",
    "joins.hash_partition",
    "joins.hash_build",
    "joins.hash_runs",
    "joins.hash_probe",
    "joins.merge_join",
    "joins.loop_join",
    "arrays.gather",
    "arrays.masks",
    "arrays.segments",
    "arrays.reduce_by_key",
    "arrays.logsumexp",
    "arrays.canonical",
    "arrays.permutation",
    "arrays.group_cache",
    "arrays.group_offsets",
    "arrays.group_sample",
    "arrays.group_spread",
    "arrays.group_merge",
    "queries.aggregate",
    "joins.closure",
    "egraph.egraph",
    "egraph.egraph_classes",
    "egraph.egraph_pairs",
    "egraph.egraph_runs",
    "elements.elementwise",
    "matrices.gemm",
    "matrices.gemm_blackwell",
    "matrices.gemm_tma",
    "matrices.factors",
    "matrices.gemm_block_scaled",
    "matrices.gemm_grouped",
    "matrices.gemm_scaled",
    "matrices.gemm_f32",
    "matrices.gemm_sparse",
    "attention.attention",
    "attention.attention_fp8",
    "attention.attention_mma",
    "attention.attention_decode",
    "attention.attention_packed",
    "attention.attention_backward",
    "attention.attention_packed_backward",
)

CATALOGUE: dict[str, tuple[Variant, ...]] = {
    name.rpartition(".")[2]: tuple(import_module(f"ptxgen.kernels.{name}").VARIANTS) for name in _FILES
}
"""Kernel name -> its variants."""


def find(label: str) -> Variant:
    """The variant of a label such as "softmax/f16.columns-1024". KeyError, with what there is, for an unknown one."""
    family, _, name = label.partition("/")
    for variant in CATALOGUE.get(family, ()):
        if variant.name == name:
            return variant
    known = [variant.label for variants in CATALOGUE.values() for variant in variants]
    raise KeyError(f"no variant {label!r}; there are {', '.join(known)}")
