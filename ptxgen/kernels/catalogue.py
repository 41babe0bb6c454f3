"""Every kernel of the library and its variants. One row a kernel: the name of its file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.kernels.cases import Variant

__all__ = ["CATALOGUE", "TARGETS", "find"]

TARGETS = ("sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120")
"""What every variant is built, assembled and pinned for."""

_FILES = (
    "saxpy",
    "reduction",
    "softmax",
    "rows",
    "bias",
    "column_sums",
    "conv_depthwise",
    "largest",
    "topk",
    "nucleus",
    "shortlist",
    "dequantise",
    "quantised",
    "rotary",
    "kv_cache",
    "embedding",
    "optimiser",
    "dropout",
    "embedding",
    "embedding_backward",
    "transpose",
    "permute",
    "permute_shifted",
    "matmul",
    "gemm_mma",
    "histogram",
    "scan",
    "prefix",
    "radix_sort",
    "select",
    "hash_keys",
    "hash_partition",
    "hash_build",
    "hash_probe",
    "merge_join",
    "loop_join",
    "gather",
    "masks",
    "segments",
    "logsumexp",
    "closure",
    "egraph",
    "egraph_classes",
    "egraph_pairs",
    "egraph_runs",
    "elementwise",
    "gemm",
    "gemm_blackwell",
    "gemm_grouped",
    "gemm_scaled",
    "gemm_f32",
    "gemm_sparse",
    "attention",
    "attention_decode",
    "attention_packed",
    "attention_backward",
)

CATALOGUE: dict[str, tuple[Variant, ...]] = {
    name: tuple(import_module(f"ptxgen.kernels.{name}").VARIANTS) for name in _FILES
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
