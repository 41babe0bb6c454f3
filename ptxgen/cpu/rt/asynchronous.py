"""The functions that kernels with asynchronous copies, mbarriers, wgmma or tensor memory link against."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.rt.bulk import (
    write_bulk_advance,
    write_bulk_finish,
    write_bulk_settle,
    write_bulk_start,
    write_bulk_wait,
    write_copies_exit,
)
from ptxgen.cpu.rt.copies import (
    write_copies_drain,
    write_copies_wait,
    write_copy_finish,
    write_copy_start,
    write_draw,
    write_spoil,
)
from ptxgen.cpu.rt.launch_control import write_cancel
from ptxgen.cpu.rt.mbarrier import (
    write_mbarrier_arrive,
    write_mbarrier_init,
    write_mbarrier_test,
    write_mbarrier_transact,
    write_mbarrier_valid,
)
from ptxgen.cpu.rt.spans import write_span
from ptxgen.cpu.rt.tensor_checks import write_tensor_check
from ptxgen.cpu.rt.tensor_memory import write_tensor_alloc, write_tensor_free
from ptxgen.cpu.rt.tensor_moves import write_tensor_move
from ptxgen.cpu.rt.wgmma import (
    write_wgmma_commit,
    write_wgmma_exit,
    write_wgmma_run,
    write_wgmma_start,
    write_wgmma_touch,
    write_wgmma_wait,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ASYNC"]

ASYNC: dict[str, tuple[str, tuple[str, ...], Callable[..., None]]] = {
    "cancel": ("void", ("ptr", "ptr"), write_cancel),
    "span": ("i64", ("i64", "i64", "i64", "i32", "ptr", "i32", "i32"), write_span),
    "draw": ("i1", ("ptr",), write_draw),
    "spoil": ("void", ("i64", "i64"), write_spoil),
    "copy_start": ("void", ("ptr", "i64", "i64", "i32", "i32"), write_copy_start),
    "copy_finish": ("void", ("ptr",), write_copy_finish),
    "copies_drain": ("void", ("ptr", "i32"), write_copies_drain),
    "copies_wait": ("void", ("ptr", "i32"), write_copies_wait),
    "copies_exit": ("void", ("ptr", "ptr", "i32"), write_copies_exit),
    "bulk_start": ("ptr", ("ptr", "ptr", "i32", "ptr", "i64", "i64", "i32", "i32", "i32"), write_bulk_start),
    "bulk_finish": ("void", ("ptr", "ptr", "i32"), write_bulk_finish),
    "bulk_wait": ("void", ("ptr", "ptr", "i32", "i32"), write_bulk_wait),
    "bulk_settle": ("void", ("ptr", "ptr"), write_bulk_settle),
    "bulk_advance": ("i1", ("ptr", "ptr", "ptr"), write_bulk_advance),
    "tensor_check": ("i64", ("ptr", "ptr", "i32", "i32", "i32", "ptr", "i32", "i32"), write_tensor_check),
    "tensor_move": ("void", ("ptr", "ptr", "i64", "i32", "i64"), write_tensor_move),
    "tensor_alloc": ("i32", ("ptr", "i32", "i32", "i32"), write_tensor_alloc),
    "tensor_free": ("i1", ("ptr", "i32", "i32", "i32", "i32"), write_tensor_free),
    "wgmma_start": ("ptr", ("ptr", "ptr", "i32"), write_wgmma_start),
    "wgmma_run": ("void", ("ptr", "ptr", "i32"), write_wgmma_run),
    "wgmma_commit": ("void", ("ptr",), write_wgmma_commit),
    "wgmma_wait": ("i1", ("ptr", "ptr", "i32"), write_wgmma_wait),
    "wgmma_touch": ("void", ("ptr", "ptr", "i64"), write_wgmma_touch),
    "wgmma_exit": ("void", ("ptr", "ptr"), write_wgmma_exit),
    "mbarrier_valid": ("i64", ("ptr", "ptr", "i32", "i32"), write_mbarrier_valid),
    "mbarrier_init": ("i1", ("ptr", "i32", "ptr", "i32", "i32"), write_mbarrier_init),
    "mbarrier_arrive": ("i64", ("ptr", "i32", "i32", "i32", "ptr", "i32", "i32"), write_mbarrier_arrive),
    "mbarrier_transact": ("i1", ("ptr", "i64", "ptr", "i32", "i32"), write_mbarrier_transact),
    "mbarrier_test": ("i32", ("ptr", "i32", "i32", "ptr", "ptr", "i32", "i32"), write_mbarrier_test),
}
"""Beside the libraries CORE and SYNC."""
