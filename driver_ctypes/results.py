"""What each result code of the driver means: its class of errors, what to do about it, and the exception made of it.

A code that a program reacts to differently gets a class in `errors` and a row of `_FAMILIES`; one of which there is
advice to give gets a row of `_HINTS`.
"""

from __future__ import annotations

from driver_ctypes import errors
from driver_ctypes.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driver_ctypes.errors import CudaError

# Sticky errors, after which nothing on the context works: the header says "the process must be terminated" of most,
# and device assert (710), ECC (214) and NVLink (220) leave no usable context either.
FATAL_CODES = frozenset({214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911})

# The result of a driver that is shutting down; never an error while something is being freed.
BENIGN_AT_SHUTDOWN = frozenset({3, 4, 201, 709})

# Results of a load that are about the image, so that the JIT's log belongs to the error.
JIT_CODES = frozenset({200, 209, 218, 221, 222, 223, 225, 300})

_FAMILIES: dict[int, str] = {
    2: "OutOfMemoryError",
    201: "InvalidHandleError",
    400: "InvalidHandleError",
    709: "InvalidHandleError",
    301: "NotFoundError",
    302: "NotFoundError",
    500: "NotFoundError",
    600: "NotReadyError",
    801: "NotSupportedError",
    910: "GraphUpdateError",
    **dict.fromkeys((701, 703, 720, 912), "LaunchError"),
    **dict.fromkeys(range(900, 909), "CaptureError"),
    **dict.fromkeys(FATAL_CODES, "FatalError"),
    700: "IllegalAddressError",
    702: "LaunchTimeoutError",
    710: "DeviceAssertError",
    715: "IllegalInstructionError",
    716: "MisalignedAddressError",
    719: "LaunchFailedError",
    **dict.fromkeys(JIT_CODES, "JitError"),
}
"""Code -> the name of its class in `errors`."""


def says_nothing(code: int) -> bool:
    """Whether a result has no family of its own, so that a log beside it says more than the code does."""
    return code not in _FAMILIES


_ADDRESSES = ("cuMemcpy", "cuMemset")  # functions whose invalid value is mostly an address
_ADDRESS_HINT = "check that each address lies in live memory of this driver, with room for all of the bytes"

_HINTS: dict[int, str] = {
    2: "free buffers, or ask for less; context.memory_info() says what is left",
    34: "this library is the toolkit's stub; put the driver's own libcuda.so.1 on the library path, or PTXGEN_LIBCUDA",
    36: "update the NVIDIA driver",
    46: "another process holds the device exclusively; see nvidia-smi's compute mode",
    200: "the image is neither PTX nor a cubin or fatbin for this device; PTX begins with .version",
    201: "the driver call found no usable context on this thread",
    209: "the cubin is for another GPU; load PTX, or assemble for this device's compute capability",
    218: "see the messages above",
    221: "install the driver's PTX compiler (libnvidia-ptxjitcompiler.so.1), or load a cubin",
    222: "print the module for an older PTX version, or update the NVIDIA driver",
    400: "the object was destroyed, or belongs to another context",
    600: "synchronize first",
    700: "check the kernel's addresses against its buffers' sizes; compute-sanitizer or the CPU device finds the line",
    701: "use a smaller block, or limit the kernel's registers (.maxnreg, .maxntid)",
    702: "let the kernel end sooner (a GPU that drives a display stops long ones), or what a stream waits for come first",
    716: "a .v4.f32 access needs a 16-byte aligned address, a .v2 access 8 bytes, and so on",
    720: "launch fewer CTAs: all CTAs of a cooperative grid must be resident at once",
    802: "the system is still starting (fabric manager on NVSwitch machines); try again",
    803: "the driver library and the kernel module have different versions; reboot after a driver update",
    804: "the forward-compatibility libcuda does not support this GPU; take it off the library path",
    900: "take this call out of the captured body: synchronizing, allocating and the default stream cannot be captured",
    901: "see the first call that failed inside the captured body",
    904: "let the capturing stream wait for an event of every stream that joined it, before the capture ends",
    905: "record the event inside the same capture, or wait for it before the capture begins",
    906: "the default stream was used while a blocking stream captures; use a stream of your own",
    908: "end the capture on the thread that began it, or use mode='relaxed'",
    912: "use a cluster of at most 8 CTAs whose size divides the grid",
}


def cuda_error(
    function: str,
    code: int,
    *,
    name: str = "",
    text: str = "",
    arguments: str = "",
    detail: str = "",
    hint: str | None = None,
    family: type[CudaError] | None = None,
    **fields: Any,
) -> CudaError:
    """The exception for result *code* of *function*, of its *family*'s class (default: what the code says).

    *detail* is what else is known (the kernel, the driver's log); *fields* go to the class that has them (`JitError`).
    """
    family = family or getattr(errors, _FAMILIES.get(code, "CudaError"))
    if function == "cuInit":
        family = errors.InitializationError
    message = f"{function} failed: {name or 'CUresult'} ({code})"
    if text:
        message += f": {text}"
    if arguments:
        message += f"\n  called with: {arguments}"
    if detail:
        message += f"\n  {detail}"
    assert family is not None
    return family(
        message,
        function=function,
        code=code,
        name=name,
        text=text,
        arguments=arguments,
        hint=hint or (_ADDRESS_HINT if code == 1 and function.startswith(_ADDRESSES) else _HINTS.get(code)),
        **fields,
    )
