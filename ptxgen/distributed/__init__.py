"""Several GPUs: groups of devices, collectives through NCCL, memory that every rank's kernels reach.

    groups   which devices work together, and the collectives over their arrays
    nccl     the collectives of GPUs, by NCCL's own Python package (the extra `nccl`)
    emulated the same calls over CPU devices of this process, so that programs are tried without GPUs
    symmetric    arrays of one shape on every device, whose addresses kernels have
    rows         rows of varying number from every rank to every rank, by kernels over such arrays
    overlapped   matrix products whose collectives run beside them

Either one process has all the devices, or each process has one. To add a collective, write it in `groups` and in the
`Communicator` protocol, and in both that fulfil it. May import everything up to `tuning`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.distributed.groups import Group, group, join, unique_id
    from ptxgen.distributed.overlapped import matmul_all_reduce
    from ptxgen.distributed.rows import RowExchange
    from ptxgen.distributed.symmetric import Symmetric

__all__ = ["Group", "RowExchange", "Symmetric", "group", "join", "matmul_all_reduce", "unique_id"]

_EXPORTS = {
    "groups": "Group group join unique_id",
    "overlapped": "matmul_all_reduce",
    "rows": "RowExchange",
    "symmetric": "Symmetric",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
