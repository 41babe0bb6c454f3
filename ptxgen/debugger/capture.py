"""Takes a launch over from the call that makes it: its arguments are checked and packed as ever, and nothing has run yet."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from ptxgen.errors import DebugError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.executable import Kernel
    from ptxgen.cpu.options import LaunchOptions, LaunchRequest

__all__ = ["Capture", "captured"]


class Capture:
    """The first launch of a kernel, and those behind it. Those before it run as they do otherwise."""

    def __init__(self, kernel: str | None, skip: int, options: LaunchOptions) -> None:
        self._name = kernel
        self._skip = skip
        self._thread = threading.get_ident()
        self.options = options
        self.first: tuple[Kernel, LaunchRequest] | None = None
        self.later: list[tuple[Kernel, LaunchRequest]] = []
        self.seen: list[str] = []

    def takes(self, kernel: Kernel, request: LaunchRequest) -> bool:
        """A kernel is launched; what other threads launch meanwhile is theirs."""
        if threading.get_ident() != self._thread:
            return False
        self.seen.append(kernel.name)
        if self.first is not None:
            self.later.append((kernel, request))
            return True
        if self._name not in (None, kernel.name):
            return False
        if self._skip:
            self._skip -= 1
            return False
        self.first = (kernel, request)
        return True

    def run_later(self) -> None:
        """The launches behind it run, in their order."""
        later, self.later = self.later, []
        for kernel, (grid, block, params, shared, cluster, cooperative, room) in later:
            kernel.launch(
                grid, block, params, dynamic_shared=shared, cluster=cluster, cooperative=cooperative, room=room,
                options=self.options,
            )  # fmt: skip


def captured(call: Callable[[], Any], kernel: str | None, skip: int) -> Capture:
    """What a call launches on the CPU device. Raises DebugError where it launches no such kernel there."""
    from ptxgen.host.machine import device

    device("cpu")  # reads the environment, where it is the first
    from ptxgen.emulated_driver.state.machine import machine

    before = machine.options
    capture = Capture(kernel, skip, before)
    machine.options = before.replaced(debugger=capture)
    try:
        call()
    finally:
        machine.options = machine.options.replaced(debugger=before.debugger)
    if capture.first is None:
        named = f"a kernel {kernel!r}" if kernel is not None else "no kernel" if not capture.seen else "as many kernels"
        seen = f"it launched {', '.join(capture.seen)}" if capture.seen else "arrays of a GPU launch there"
        raise DebugError(
            f"the call did not launch {named.removeprefix('no ')} on the CPU device",
            hint=f'arrays of px.device("cpu"); {seen}',
        )
    return capture
