"""The machine code of launchers, made ahead by a thread while a GPU's driver compiles the kernels: it takes 0.1 s where no
process has made it before. A fork waits for it: what a thread is just importing could never be imported in the child. So does the
end of the process, for what the next ones need not make again.
"""

from __future__ import annotations

import os
import threading

from driver_ctypes.errors import Error
from driver_ctypes.launch.native import shapes_of
from driver_ctypes.machine_code import llvm  # its handlers of forks, registered before those here, come later
from driver_ctypes.trampoline.choice import is_native, preparing
from driver_ctypes.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from driver_ctypes.arguments.signature import Signature

__all__ = ["llvm", "prepare_launchers", "preparing"]


def prepare_launchers(signatures: Iterable[Signature]) -> None:
    """Make what launchers of kernels with these signatures will need, if it is machine code. The caller holds `preparing`."""
    try:
        if is_native():
            from driver_ctypes.trampoline.code import function_address

            for signature in signatures:
                function_address(shapes_of(signature))
    except Error:  # who binds a launcher is told
        return


def _end() -> None:
    with preparing:
        pass


_before_the_end = getattr(threading, "_register_atexit", None)  # what `atexit` calls comes after LLVM is closed
if _before_the_end is not None:
    _before_the_end(_end)

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=preparing.acquire, after_in_parent=preparing.release, after_in_child=preparing.release)
