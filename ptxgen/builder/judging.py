"""A module that was built is judged by a thread while the driver compiles it, which takes longer and holds no lock of Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driver_ctypes.primitives import Lock, start_new_thread
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
    judged = Lock()
    judged.acquire()

    def run() -> None:
        from driver_ctypes.launch.preparing import prepare_launchers, preparing
        from ptxgen.host.loading import signature_of

        try:
            found.extend(judge())
        except BaseException as error:  # for the thread that waits
            wrong.append(error)
        with preparing:
            judged.release()
            prepare_launchers([signature_of(each, (kinds or {}).get(each.name)) for each in module.entries])

    start_new_thread(run, ())  # a Thread of threading starts when it runs: this one would wait for Python's lock
    try:
        return device.load(module, kinds=kinds)
    finally:
        judged.acquire()
        if wrong:
            raise wrong[0] from None
        warn(found)
