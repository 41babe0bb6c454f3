"""cuGetExportTable: what the CUDA runtime asks the driver for, and is not given."""

from __future__ import annotations

from driver_ctypes.abi import enums
from ptxgen.emulated_driver.calls.registry import NOTHING, entry
from ptxgen.emulated_driver.errors.refusal import Refusal
from ptxgen.emulated_driver.pointers import need
from ptxgen.emulated_driver.state.record import recorded

_NAME = "cuGetExportTable"
_TEXT = (
    "the CUDA runtime in this program (cudaMalloc, kernel<<<...>>>; libcudart, mostly linked into it) asks the driver for "
    "tables that are documented nowhere. The CPU device does not have them: the runtime answers cudaErrorNotSupported (801).\n"
    "  Fix: call the driver (cuMemAlloc, cuLaunchKernel), and load the kernels as PTX that `nvcc -ptx` or NVRTC compiles; "
    "cuda-core, numba-cuda and Triton do so"
)


@entry(_NAME, needs=NOTHING)
def get_export_table(out: int | None, identifier: int | None) -> None:
    """Refused, and said at the end of `ptxgen exec`: a program shows the runtime's error at most."""
    need(out, identifier)
    for listener in recorded:
        listener.refused(_NAME, _TEXT)
    raise Refusal(enums.CUresult.ERROR_NOT_SUPPORTED, _TEXT)
