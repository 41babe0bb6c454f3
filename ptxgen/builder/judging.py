"""A module that was built is judged by a thread while the driver compiles it, which takes longer and holds no lock of Python."""

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
    device: Device, module: Module, judge: Judge, kinds: Mapping[str, tuple[ArgumentKind, ...]] | None = None
) -> dict[str, KernelHandle]:
    """The module's kernels on a device. `judge` gives what is left to say of it, None where nothing is: VerifyError comes before
    anything that the driver says, and warnings before a launch. The CPU device compiles in Python: there it is judged first."""
    if judge is None or device.kind == "cpu":
        warn(judge() if judge is not None else [])
        return device.load(module, kinds=kinds)
    found: list[Diagnostic] = []
    wrong: list[BaseException] = []

    def run() -> None:
        try:
            found.extend(judge())
        except BaseException as error:  # for the thread that waits
            wrong.append(error)

    thread = Thread(target=run, name="ptxgen verifier", daemon=True)
    thread.start()
    try:
        return device.load(module, kinds=kinds)
    finally:
        thread.join()
        if wrong:
            raise wrong[0] from None
        warn(found)
