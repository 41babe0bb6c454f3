"""The LLVM signature of all functions of matrix instructions, and what their names tell: see functions.py."""

from __future__ import annotations

__all__ = ["ARGUMENTS", "PREFIX", "has_fused"]

PREFIX = "matrix."
ARGUMENTS = ("ptr", "ptr", "ptr", "ptr")
"""warp, table, scalars, rows."""


def has_fused(name: str) -> bool:
    """Is there another function with sums by fused multiply-adds? Of tensor-core products that are not sparse and have no factors
    of scale."""
    op = name.removeprefix(PREFIX).partition("$")[0]
    words = set(op.split("."))
    return (
        "sync" in words
        and bool(words & {"mma", "mma_async"} and words & {"f16", "f32"})
        and not words & {"sp", "m8n8k4", "block_scale"}
    )
