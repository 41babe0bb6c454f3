"""Loading a module that was built here: a thread judges it while the driver compiles it, which takes longer and holds no lock of
Python.
"""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING

from ptxgen.builder.core.module_builder import warn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ptxgen.errors import Diagnostic
    from ptxgen.host import ArgumentKind, Device, KernelHandle
    from ptxgen.ir import Module

    Judge = Callable[[], list[Diagnostic]] | None

__all__ = ["load_judged"]


def load_judged(
    device: Device,
    module: Module,
    judge: Judge,
    kinds: Mapping[str, tuple[ArgumentKind, ...]] | None = None,
) -> dict[str, KernelHandle]:
    """The module's kernels on a device. `judge` says what is left to say of it, None where nothing is: VerifyError comes before
    anything that the driver says, and warnings before a launch. The CPU device compiles in Python: there it is judged first."""
    if judge is None:
        return device.load(module, kinds=kinds)
    if device.kind == "cpu":
        warn(judge())
        return device.load(module, kinds=kinds)
    verdict = _Verdict(judge)
    try:
        return device.load(module, kinds=kinds)
    finally:
        warn(verdict.wait())


class _Verdict:
    """What a function gives or raises in a thread of its own."""

    def __init__(self, judge: Callable[[], list[Diagnostic]]) -> None:
        self._judge = judge
        self._found: list[Diagnostic] = []
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, name="ptxgen verifier", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._found = self._judge()
        except BaseException as error:  # for the thread that waits
            self._error = error

    def wait(self) -> list[Diagnostic]:
        self._thread.join()
        if self._error is not None:
            raise self._error from None
        return self._found
