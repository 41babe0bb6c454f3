"""Errors of a backend. Every text has the form "what. Fix: how."

One class a kind; `variant` is its stable name in logs. The driver's exception is the cause.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar

from driver_ctypes.errors import ContextLostError, CudaError, Error, FatalError, JitError, LaunchConfigError
from driver_ctypes.errors import OutOfMemoryError as DriverOutOfMemoryError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "BackendError",
    "CooperativeResidencyError",
    "DeviceLostError",
    "DeviceMemoryError",
    "DispatchError",
    "InvalidProgramError",
    "KernelCompileError",
    "PoisonedLockError",
    "UnsupportedFeatureError",
    "ValidationError",
    "translated",
    "translation",
]


class BackendError(Error):
    """Root of the backend's errors, and what fits none of the others."""

    variant: ClassVar[str] = "Other"

    def __init__(self, what: str, *, fix: str) -> None:
        super().__init__(what, hint=fix)

    @property
    def fix(self) -> str:
        """What to do about it."""
        return self.hint or ""

    def __str__(self) -> str:
        return f"{self.args[0]}. Fix: {self.hint}."


class DeviceMemoryError(BackendError, MemoryError):
    """Device or pinned memory is exhausted, or a dispatch would not fit the budget. `requested` and `available` in bytes."""

    variant = "DeviceOutOfMemory"

    def __init__(self, what: str, *, fix: str, requested: int = 0, available: int = 0) -> None:
        super().__init__(what, fix=fix)
        self.requested, self.available = requested, available


class DeviceLostError(BackendError):
    """A fault has made the context unusable, and this backend with it."""

    variant = "DeviceLost"


class UnsupportedFeatureError(BackendError):
    """The device or the backend does not do that. `name` is the feature, `backend` the device's name."""

    variant = "UnsupportedFeature"

    def __init__(self, name: str, backend: str, *, fix: str) -> None:
        super().__init__(f"{backend} does not support {name}", fix=fix)
        self.name, self.backend = name, backend


class PoisonedLockError(BackendError):
    """A lock of this backend was not released by its holder."""

    variant = "PoisonedLock"


class KernelCompileError(BackendError):
    """The driver's compiler refuses a program. `compiler_message` is its answer."""

    variant = "KernelCompileFailed"

    def __init__(self, backend: str, compiler_message: str, *, fix: str) -> None:
        super().__init__(f"{backend} cannot compile the kernel: {compiler_message}", fix=fix)
        self.backend, self.compiler_message = backend, compiler_message


class DispatchError(BackendError):
    """The driver refuses a call. `code` is its result, None where no call was made."""

    variant = "DispatchFailed"

    def __init__(self, message: str, *, fix: str, code: int | None = None) -> None:
        super().__init__(message, fix=fix)
        self.code = code


class ValidationError(BackendError):
    """A program that contradicts itself, or the device's limits."""

    variant = "Validation"


class InvalidProgramError(BackendError, ValueError):
    """Inputs, handles or settings that do not fit the program."""

    variant = "InvalidProgram"


class CooperativeResidencyError(BackendError):
    """A cooperative grid larger than what is resident at once. `blocks` were asked for, `resident` fit; `unsplit` says why the
    program was not launched in parts instead, "" where it has no grid barrier."""

    variant = "CooperativeResidencyExceeded"

    def __init__(self, name: str, blocks: int, resident: int, unsplit: str = "") -> None:
        also = f", and it is not split at its barriers: {unsplit}" if unsplit else ""
        super().__init__(
            f"{name} asks for a cooperative grid of {blocks} CTAs, {resident} can be resident at once{also}",
            fix="launch at most that many CTAs and let each loop over the work, or use smaller CTAs",
        )
        self.blocks, self.resident, self.unsplit = blocks, resident, unsplit


@contextmanager
def translated(doing: str, backend: str) -> Iterator[None]:
    """The driver's exceptions in the body, as this room's errors."""
    try:
        yield
    except (CudaError, LaunchConfigError) as error:
        raise translation(error, doing, backend) from error


def translation(error: CudaError | LaunchConfigError, doing: str, backend: str) -> BackendError:
    """A driver's error as this room's; the caller raises it from the driver's."""
    said = f"{doing}: {error.args[0]}"
    if isinstance(error, DriverOutOfMemoryError):
        return DeviceMemoryError(said, fix="free resident buffers, call cleanup(), or dispatch smaller parts")
    if isinstance(error, (FatalError, ContextLostError)):
        what = f"{doing}: the device's context is lost: {error.args[0]}"
        return DeviceLostError(what, fix=error.hint or "acquire the backend anew")
    if isinstance(error, JitError):
        fix = "correct the program, or set PTXGEN_PTX_DUMP_DIR to keep its PTX"
        return KernelCompileError(backend, str(error.args[0]), fix=fix)
    code = error.code if isinstance(error, CudaError) else None
    return DispatchError(said, code=code, fix=error.hint or "see the driver's answer above")
