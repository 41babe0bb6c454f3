"""Watching what kernels do on the CPU device: `px.sanitize`, and where findings surface."""

from __future__ import annotations

import atexit
import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ptxgen.cpu.sanitizer.tools import set_locator
from ptxgen.errors import PtxWarning, SanitizerError
from ptxgen.host.printed_lines import written_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.cpu.sanitizer.findings import Access, Finding
    from ptxgen.cpu.sanitizer.tools import Sanitizer

__all__ = ["located", "sanitize", "surface"]


def located(finding: Finding) -> Finding:
    """With the lines of Python functions and templates that the PTX comes from, before those of the PTX."""

    def placed(access: Access | None) -> Access | None:
        if access is None:
            return None
        return access._replace(places=written_at(access.kernel or finding.kernel, access.places, access.instruction))

    return finding._replace(access=placed(finding.access), earlier=placed(finding.earlier))


set_locator(located)


@contextmanager
def sanitize(*tools: str, strict: bool = True) -> Iterator[Sanitizer]:
    """Let these tools of the sanitizer watch every launch on the CPU device in the body, of any thread; all tools for none named.

    Gives the collector: its `findings` are those so far, each once. When the body ends, SanitizerError has them, if there are
    any; with `strict=False` nothing is raised. Kernels of a GPU are not watched. Raises ArgumentError for a tool that there is
    not.
    """
    from driver_ctypes.errors import ArgumentError
    from ptxgen.cpu.sanitizer.tools import TOOLS, Sanitizer
    from ptxgen.host.machine import device

    for each in tools:
        if each not in (*TOOLS, "all"):
            raise ArgumentError(f"the sanitizer has no tool {each!r}", hint=f"one of {', '.join(TOOLS)}; all for each")
    device("cpu")  # reads the environment, where it is the first
    from ptxgen.emulated_driver.state.machine import machine

    chosen, before = Sanitizer(tools or TOOLS), machine.options.sanitizer
    machine.watch(chosen)
    try:
        yield chosen
    finally:
        machine.watch(before)
    if strict:
        raise_findings(chosen)


def raise_findings(sanitizer: Sanitizer) -> None:
    """SanitizerError for what nobody was told of."""
    found = sanitizer.untold()
    if found:
        raise SanitizerError("\n".join(map(str, found)), findings=found)


def surface() -> None:
    """What the tools that PTXGEN_SANITIZE names have found since this was last asked: SanitizerError. Called where the work of
    a CPU device is waited for."""
    machine = sys.modules.get("ptxgen.emulated_driver.state.machine")
    watching = machine.machine.from_environment if machine is not None else None
    if watching is not None:
        raise_findings(watching)


@atexit.register
def _warn_at_exit() -> None:
    """Of findings that no synchronising call has raised: the process ends without one."""
    machine = sys.modules.get("ptxgen.emulated_driver.state.machine")
    watching = machine.machine.from_environment if machine is not None else None
    for finding in watching.untold() if watching is not None else ():
        warnings.warn(str(finding), PtxWarning, stacklevel=1)
