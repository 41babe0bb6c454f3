"""Result codes of the driver: `CudaError`, and a class for each family of codes that a program handles differently."""

from __future__ import annotations

from driver_ctypes.errors.refused import Error
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class CudaError(Error):
    """A driver function returned another result than CUDA_SUCCESS.

    ``function`` is the exported symbol, ``code`` the result's number, ``name`` its C name, ``text`` the driver's words
    for it, ``arguments`` a summary of what was passed.
    """

    def __init__(
        self,
        message: str = "",
        *,
        function: str = "",
        code: int = 0,
        name: str = "",
        text: str = "",
        arguments: str = "",
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.function = function
        self.code = code
        self.name = name
        self.text = text
        self.arguments = arguments


class InitializationError(CudaError):
    """``cuInit`` failed: the library was found, but the driver does not work."""


class OutOfMemoryError(CudaError, MemoryError):
    """Device or pinned memory is exhausted."""


class InvalidHandleError(CudaError):
    """The driver does not know the handle or the context."""


class NotFoundError(CudaError, LookupError):
    """No function or variable of that name."""


class NotReadyError(CudaError):
    """The work that was queried has not finished."""


class NotSupportedError(CudaError):
    """The device or the driver cannot do that."""


class GraphUpdateError(CudaError):
    """An executable graph could not be updated. ``result`` is the CUgraphExecUpdateResult, ``node`` the handle of the node
    that prevents it, 0 if the driver names none.
    """

    result = 0
    node = 0


class CaptureError(CudaError):
    """A stream capture that cannot begin, was broken, or cannot end. ``code`` is 0 where the binding refused it."""


class LaunchError(CudaError):
    """A launch that was refused for its resources. The context stays usable."""


class FatalError(CudaError):
    """A sticky error: the context is lost, every later call on it fails, and the contents of its memory are lost."""


class IllegalAddressError(FatalError):
    """A kernel accessed memory outside every allocation."""


class MisalignedAddressError(FatalError):
    """A kernel accessed memory at an address that is not a multiple of the access size."""


class IllegalInstructionError(FatalError):
    """A kernel executed an instruction that the device does not know, or ``trap``."""


class LaunchTimeoutError(FatalError):
    """A kernel ran longer than the system allows."""


class DeviceAssertError(FatalError):
    """An assertion in a kernel failed."""


class LaunchFailedError(FatalError):
    """A kernel failed, and the driver does not report why."""


class ContextLostError(FatalError):
    """A call on a context that an earlier fault has made unusable. ``first`` is that fault."""

    def __init__(self, message: str = "", *, first: CudaError | None = None, **fields: Any) -> None:
        super().__init__(message, **fields)
        self.first = first


class JitMessage(NamedTuple):
    """One message of the log. ``line`` counts PTX lines from 1; None if the compiler named no line."""

    severity: str
    line: int | None
    text: str

    def __str__(self) -> str:
        where = f" (line {self.line})" if self.line is not None else ""
        return f"{self.severity}{where}: {self.text}"


class JitError(CudaError):
    """The driver refused a module image.

    ``log`` is the driver's error log, ``messages`` the same parsed, ``info`` its info log. ``str(error)`` shows each
    message with its PTX line and, where the loader was given a line map, the place in the source that made the line.
    """

    def __init__(
        self,
        message: str = "",
        *,
        log: str = "",
        info: str = "",
        messages: Iterable[JitMessage] = (),
        ptx: str = "",
        line_map: Callable[[int], str | None] | None = None,
        **fields: Any,
    ) -> None:
        super().__init__(message, **fields)
        self.log = log
        self.info = info
        self.messages: tuple[JitMessage, ...] = tuple(messages)
        self.ptx = ptx
        lines = {each.line for each in self.messages if each.line is not None} if line_map is not None else ()
        self.places: dict[int, str] = {line: place for line in sorted(lines) if (place := source_place(line_map, line))}
        """The places in the source that made the messages' PTX lines, by those lines."""

    def __str__(self) -> str:
        head, fix, hint = super().__str__().partition("\n  Fix: ")
        return head + "".join(f"\n{part}" for part in self._reports(context=1)) + fix + hint

    def ptx_lines(self, context: int = 2) -> str:
        """The PTX lines that the messages name, each with *context* lines around it, messages in between."""
        return "\n".join(self._reports(context))

    def _reports(self, context: int) -> list[str]:
        reports: list[str] = []
        from itertools import zip_longest

        for message, following in zip_longest(self.messages, self.messages[1:]):
            if message.line is None and message.severity == "fatal" and reports:
                continue  # "Ptx assembly aborted due to errors" adds nothing to the errors
            reports.append(f"  {message.severity}: {message.text}")
            if message.line is not None and (following is None or following.line != message.line):
                reports.extend(self._excerpt(message.line, context))
        return reports

    def _excerpt(self, line: int, context: int) -> list[str]:
        lines = self.ptx.splitlines()
        shown = range(max(1, line - context), min(len(lines), line + context) + 1)
        excerpt = [f"    {'>' if n == line else ' '} {n:5} | {lines[n - 1]}" for n in shown]
        place = self.places.get(line)
        return excerpt + ([f"      from {place}"] if place else [])


def source_place(line_map: Callable[[int], str | None] | None, line: int) -> str | None:
    """The place in the source that a line map has for a PTX line. If the map raises, only the place is missing."""
    try:
        return line_map(line) if line_map is not None else None
    except Exception as problem:
        return f"an unknown place: the line map raised {type(problem).__name__}: {problem}"


class LinkError(JitError):
    """The linker refused its inputs: names that no input defines, or that several define. ``undefined`` and
    ``defined_twice`` are these names.
    """

    def __init__(
        self,
        message: str = "",
        *,
        undefined: Iterable[str] = (),
        defined_twice: Iterable[str] = (),
        hint: str | None = None,
        **fields: Any,
    ) -> None:
        self.undefined: tuple[str, ...] = tuple(undefined)
        self.defined_twice: tuple[str, ...] = tuple(defined_twice)
        advice = []
        if self.undefined:
            advice.append(f"add the input that defines {', '.join(self.undefined)}, where it must be .visible")
        if self.defined_twice:
            advice.append(f"keep one definition of {', '.join(self.defined_twice)}: make others .weak or not .visible")
        super().__init__(message, hint="; ".join(advice) or hint or "see the linker's messages above", **fields)
