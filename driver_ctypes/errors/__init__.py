"""Every exception of the package, under one root.

Two branches. Errors that the binding raises before it calls the driver derive from `Error` directly (a wrong argument, a closed
object, a driver that does not exist): `refused`. Result codes of the driver are a `CudaError`, with one subclass for each family
of result codes that a program handles differently: `answered`, which is loaded with the first of them that is asked for.
A module that a start loads asks for those where they are used. May import nothing but `typing` and `lazy`.
"""

from __future__ import annotations

from driver_ctypes.lazy import exports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from driver_ctypes.errors.answered import (
        CaptureError,
        ContextLostError,
        CudaError,
        DeviceAssertError,
        FatalError,
        GraphUpdateError,
        IllegalAddressError,
        IllegalInstructionError,
        InitializationError,
        InvalidHandleError,
        JitError,
        JitMessage,
        LaunchError,
        LaunchFailedError,
        LaunchTimeoutError,
        LinkError,
        MisalignedAddressError,
        NotFoundError,
        NotReadyError,
        NotSupportedError,
        OutOfMemoryError,
        source_place,
    )
    from driver_ctypes.errors.refused import (
        ArgumentCountError,
        ArgumentError,
        ArgumentRangeError,
        ArgumentTypeError,
        CacheCorruptError,
        CacheError,
        CacheFullError,
        CacheUnsafeError,
        CacheUnwritableError,
        CacheWarning,
        CleanupWarning,
        ClosedError,
        DeviceNotFoundError,
        DriverNotFoundError,
        Error,
        ForkedProcessError,
        HostFunctionError,
        LaunchConfigError,
        NoLoadableTargetError,
        NotAvailableError,
        SubinterpreterError,
    )

__all__ = [
    "ArgumentCountError",
    "ArgumentError",
    "ArgumentRangeError",
    "ArgumentTypeError",
    "CacheCorruptError",
    "CacheError",
    "CacheFullError",
    "CacheUnsafeError",
    "CacheUnwritableError",
    "CacheWarning",
    "CaptureError",
    "CleanupWarning",
    "ClosedError",
    "ContextLostError",
    "CudaError",
    "DeviceAssertError",
    "DeviceNotFoundError",
    "DriverNotFoundError",
    "Error",
    "FatalError",
    "ForkedProcessError",
    "GraphUpdateError",
    "HostFunctionError",
    "IllegalAddressError",
    "IllegalInstructionError",
    "InitializationError",
    "InvalidHandleError",
    "JitError",
    "JitMessage",
    "LaunchConfigError",
    "LaunchError",
    "LaunchFailedError",
    "LaunchTimeoutError",
    "LinkError",
    "MisalignedAddressError",
    "NoLoadableTargetError",
    "NotAvailableError",
    "NotFoundError",
    "NotReadyError",
    "NotSupportedError",
    "OutOfMemoryError",
    "SubinterpreterError",
    "source_place",
]

_EXPORTS = {
    "answered": (
        "CaptureError ContextLostError CudaError DeviceAssertError FatalError GraphUpdateError IllegalAddressError "
        "IllegalInstructionError InitializationError InvalidHandleError JitError JitMessage LaunchError "
        "LaunchFailedError LaunchTimeoutError LinkError MisalignedAddressError NotFoundError NotReadyError "
        "NotSupportedError OutOfMemoryError source_place"
    ),
    "refused": (
        "ArgumentCountError ArgumentError ArgumentRangeError ArgumentTypeError CacheCorruptError CacheError "
        "CacheFullError CacheUnsafeError CacheUnwritableError CacheWarning CleanupWarning ClosedError "
        "DeviceNotFoundError DriverNotFoundError Error ForkedProcessError HostFunctionError LaunchConfigError "
        "NoLoadableTargetError NotAvailableError SubinterpreterError"
    ),
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
