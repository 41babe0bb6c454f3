"""What NVIDIA's driver on this machine says of a program: it compiles it for its first device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driver_ctypes.drivers.registry import driver
from driver_ctypes.errors import Error, JitError, JitMessage
from ptxgen.assembler import AssembleError, AssemblerMissing

if TYPE_CHECKING:
    from driver_ctypes.modules.jitlog import Resources

__all__ = ["driver_resources"]

_DRIVER = "cuda"


def driver_resources(ptx: str, name: str) -> tuple[dict[str, Resources], str, tuple[JitMessage, ...]]:
    """(resources of each kernel, whose figures they are, the compiler's warnings). Raises AssemblerMissing where no driver or no
    device is here, AssembleError for a program that the driver refuses.
    """
    try:
        opened = driver(_DRIVER)
        device = opened.device(0)
        context = device.primary_context()
    except Error as problem:
        raise AssemblerMissing(f"no driver compiles here: {problem}", hint='tool="auto"') from None
    try:
        with context.load(ptx) as module:
            found = {kernel: module.function(kernel).resources for kernel in module.function_names()}
            said = module.warnings
    except JitError as refused:
        raise AssembleError(
            f"the driver refused {name} for {device!r}: {refused}", hint="assemble for its target"
        ) from None
    version, (major, minor) = opened.version, device.compute_capability
    who = f"driver of CUDA {version // 1000}.{version % 1000 // 10}, for sm_{major}{minor}"
    return found, who, said
