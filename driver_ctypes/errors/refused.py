"""The root, and what the binding refuses before it calls the driver."""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


class Error(Exception):
    """The root of all exceptions, of both packages of the distribution.

    *hint* says what to do about it, and is the last line of ``str(error)``.
    """

    def __init__(self, message: str = "", *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint

    def __str__(self) -> str:
        message = super().__str__()
        return f"{message}\n  Fix: {self.hint}" if self.hint else message


class DriverNotFoundError(Error):
    """No driver of that name. ``tried`` lists every candidate and why it was not taken."""

    def __init__(self, message: str = "", *, tried: Sequence[tuple[str, str]] = (), hint: str | None = None) -> None:
        lines = [f"\n  tried {candidate}: {reason}" for candidate, reason in tried]
        super().__init__(message + "".join(lines), hint=hint)
        self.tried: tuple[tuple[str, str], ...] = tuple(tried)


class NotAvailableError(Error):
    """The driver has no such function. ``needed`` and ``found`` are versions as ``cuDriverGetVersion`` counts them."""

    def __init__(
        self, message: str = "", *, symbol: str = "", needed: int = 0, found: int = 0, hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.symbol = symbol
        self.needed = needed
        self.found = found


class DeviceNotFoundError(Error, LookupError):
    """There is no device with that ordinal."""


class NoLoadableTargetError(Error):
    """None of the targets that were tried can be loaded on a device. ``tried`` has (target, the driver's answer) of each."""

    def __init__(self, message: str = "", *, tried: Sequence[tuple[str, str]] = (), hint: str | None = None) -> None:
        lines = [f"\n  {target}: {answer}" for target, answer in tried]
        super().__init__(message + "".join(lines), hint=hint)
        self.tried: tuple[tuple[str, str], ...] = tuple(tried)


class ClosedError(Error):
    """Use of an object after its ``close()``, or after its context went away."""


class ForkedProcessError(Error):
    """Use of a driver in a child made by ``fork`` after the parent had opened it: a driver cannot be used after a fork."""


class SubinterpreterError(Error):
    """Use of a driver in a sub-interpreter: its callbacks and launchers belong to the main interpreter."""


class ArgumentError(Error):
    """A launch or copy argument that does not fit. ``index`` counts from 0; ``name`` is the parameter's."""

    def __init__(
        self, message: str = "", *, index: int | None = None, name: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.index = index
        self.name = name


class ArgumentCountError(ArgumentError, TypeError):
    """Too few or too many arguments."""


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument of a type that the parameter cannot take."""


class ArgumentRangeError(ArgumentError, OverflowError, ValueError):
    """A value outside the parameter's range."""


class LaunchConfigError(Error, ValueError):
    """A grid, block, shared memory size or cluster that the device or the kernel does not allow.

    ``limit`` names the limit as the driver's attribute does, ``allowed`` is its value and ``found`` what was asked for.
    """

    def __init__(
        self, message: str = "", *, limit: str = "", allowed: Any = None, found: Any = None, hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.limit = limit
        self.allowed = allowed
        self.found = found


class HostFunctionError(Error):
    """A Python function that a graph or a stream called has raised: the exception is the cause."""


class CleanupWarning(ResourceWarning):
    """The driver refused to free something that garbage collection had left behind."""


class CacheError(Error):
    """The cache of compiled code cannot be used. Raised by caches that were made with ``strict=True``; others warn."""


class CacheUnwritableError(CacheError, OSError):
    """The cache's folder cannot be made, read or written."""


class CacheFullError(CacheError, OSError):
    """The disk or the user's quota has no room for the cache."""


class CacheUnsafeError(CacheError, PermissionError):
    """Other users can write to the cache's folder, so its code cannot be trusted."""


class CacheCorruptError(CacheError):
    """An entry of the cache was damaged. It was removed."""


class CacheWarning(UserWarning):
    """The cache of compiled code cannot use a damaged entry, or the whole cache is off."""
