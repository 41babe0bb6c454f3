"""What two joins must have in common to share a captured graph: kind, key, classes of sizes, the form of the scan."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ptxgen.errors import BuildError
from ptxgen.kernels.plan import ceil_div
from ptxgen.ops.arguments import check_count

__all__ = [
    "NODE_LAYOUT_VERSION", "JoinGraphKey", "ScanTopology", "capacity_class", "scan_topology",
]  # fmt: skip

NODE_LAYOUT_VERSION = 1
"""Which kernels a graph has; another number never meets a graph of this one."""

SCAN_BLOCK = 256
U32_MAX = (1 << 32) - 1

JoinKind = Literal["Inner", "IndexedInner"]


def capacity_class(n: int) -> int:
    """The smallest power of two that is n or more: 1 for 0, and 2^32-1 beyond 2^31."""
    check_count("a capacity", n, most=U32_MAX)
    return min(1 << max(0, n - 1).bit_length(), U32_MAX)


class ScanTopology(NamedTuple):
    """The scan of `input_len` counts in blocks of 256: the sums of each level, and how many kernels it takes where each level
    is a launch. (Here a scan is one launch of any length; the topology tells graphs of different forms apart.)"""

    input_len: int
    block_size: int
    scratch_lengths: tuple[int, ...]
    kernel_node_count: int


def scan_topology(n: int) -> ScanTopology:
    """One kernel up to 256 counts, none for none; each level above adds two, one that sums and one that adds."""
    length = check_count("a scan's length", n, most=U32_MAX)
    nodes, levels = int(length > 0), []
    while length > SCAN_BLOCK:
        length = ceil_div(length, SCAN_BLOCK)
        levels.append(length)
        nodes += 2
    return ScanTopology(n, SCAN_BLOCK, tuple(levels), nodes)


class JoinGraphKey(NamedTuple):
    """The key of a join's graph (count, scan, materialise). The topology is that of the probe capacity as it is given, which
    is a class already where graphs are kept by class."""

    join_kind: JoinKind
    key_arity: int
    key_bytes: int
    probe_capacity_class: int
    output_capacity_class: int
    scan_topology: ScanTopology
    node_layout_version: int = NODE_LAYOUT_VERSION

    @classmethod
    def inner(cls, arity: int, key_bytes: int, probe_capacity: int, output_capacity: int) -> JoinGraphKey:
        """The key of a join that builds its table. BuildError for more than 255 columns, or a number beyond 32 bits."""
        return cls.of("Inner", arity, key_bytes, probe_capacity, output_capacity)

    @classmethod
    def indexed_inner(cls, arity: int, key_bytes: int, probe_capacity: int, output_capacity: int) -> JoinGraphKey:
        """The key of a join on a table that is there already."""
        return cls.of("IndexedInner", arity, key_bytes, probe_capacity, output_capacity)

    @classmethod
    def of(
        cls, kind: JoinKind, arity: int, key_bytes: int, probe_capacity: int, output_capacity: int
    ) -> JoinGraphKey:  # fmt: skip
        """The key of either kind."""
        if check_count("a key's arity", arity) > 255:
            raise BuildError(
                f"CSM CUDA Graph key arity {arity} exceeds u8::MAX", hint="join by at most 255 columns at a time"
            )
        check_count("a key's bytes", key_bytes, most=U32_MAX)
        classes = (capacity_class(probe_capacity), capacity_class(output_capacity))
        return cls(kind, arity, key_bytes, *classes, scan_topology(probe_capacity))
