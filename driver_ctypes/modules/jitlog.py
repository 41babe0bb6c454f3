"""The log of the driver's PTX compiler and linker, as data: messages with their PTX lines, and each kernel's resources; the
options with log buffers that every call of them takes; and the exception for a call that failed.

The format is that of ptxas inside the driver (recorded from driver 580): ``ptxas application ptx input, line 8; error
: Arguments mismatch for instruction 'add'``, without file and line ``ptxas fatal   : ...``, from the loader ``error   :
...``, and continuation lines ``ptxas         .     0 bytes stack frame, ...``.
"""

from __future__ import annotations

import ctypes
import struct
from abc import abstractmethod

from driver_ctypes import errors
from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from driver_ctypes.results import JIT_CODES, says_nothing
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from driver_ctypes.validate import member, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from driver_ctypes.errors import CudaError, JitMessage
    from driver_ctypes.session.session import Session

# CUjit_option
_WALL_TIME, _INFO_LOG, _INFO_LOG_SIZE, _ERROR_LOG, _ERROR_LOG_SIZE, _LOG_VERBOSE = 2, 3, 4, 5, 6, 12
_OURS = frozenset({_WALL_TIME, _INFO_LOG, _INFO_LOG_SIZE, _ERROR_LOG, _ERROR_LOG_SIZE})

_MOST = (1 << 64) - 1  # an option's value is passed in a pointer

LOG_BYTES = 1 << 14
LONG_LOG_BYTES = 1 << 20
"""What a log that filled `LOG_BYTES` gets at the second try."""

# Patterns are text, which `re` compiles once a log is read: few loads have one.
_MESSAGE = r"(?:ptxas\s+)?(?:.*?, line (?P<line>\d+);\s*)?(?P<severity>info|warning|error|fatal)\s*:\s?(?P<text>.*)"
_CONTINUATION = r"ptxas\s+\.\s*(?P<text>.*)"
_FUNCTION = r"Compiling entry function '(?P<compiled>[^']+)'|Function properties for (?P<properties>[^\s;]+)"
_AMOUNTS: dict[str, str] = {
    "registers": r"Used (\d+) registers",
    "barriers": r"used (\d+) barriers",
    "shared": r"(\d+) bytes smem",
    "stack": r"(\d+) bytes stack frame",
    "spill_stores": r"(\d+) bytes spill stores",
    "spill_loads": r"(\d+) bytes spill loads",
}
_UNDEFINED = r"Undefined reference to '([^']+)'"
_DEFINED_TWICE = r"Multiple definition of '([^']+)'"
_NOT_SUPPORTED = 801
_GIVEN_UP = (
    "(C75"  # of "(C7504) Potential Performance Loss: 'setmaxnreg' ignored ...", which compilers call information
)
_CONSTANT = r"(\d+) bytes cmem\[\d+\]"


def checked_options(options: Mapping[Any, int]) -> dict[int, int]:
    """Options of the compiler by number. Raises ArgumentTypeError, ArgumentRangeError."""
    if not hasattr(options, "items"):
        raise ArgumentTypeError(
            f"JIT options are a mapping, not {type(options).__name__} {options!r:.60}",
            hint="options={CUjit_option.MAX_REGISTERS: 32}, for example",
        )
    return {
        member(option, "CUjit_option", "JIT option"): whole(value, f"the value of JIT option {option!r}", 0, _MOST)
        for option, value in options.items()
    }


class Logs:
    """The options of one call of the compiler, or of one linker: the caller's, and buffers for both logs and the time.

    Each option's value is in the pointer slot itself; the driver writes sizes and time back into the slots, so this
    must live as long as the call, or as the linker.
    """

    def __init__(self, options: Mapping[Any, int], room: int = LOG_BYTES, *, verbose: bool = True) -> None:
        """*verbose*: with what each kernel uses. Raises ArgumentError for options that are the logs' own."""
        chosen = checked_options(options)
        reserved = sorted(_OURS & chosen.keys())
        if reserved:
            raise ArgumentError(
                f"JIT options {reserved} are the log buffers and the time, which come by themselves",
                hint="leave them out",
            )
        self.room = room
        self._info, self._errors = ctypes.create_string_buffer(room), ctypes.create_string_buffer(room)
        slots = {
            _LOG_VERBOSE: int(verbose),
            **chosen,
            _INFO_LOG: ctypes.addressof(self._info),
            _INFO_LOG_SIZE: room,
            _ERROR_LOG: ctypes.addressof(self._errors),
            _ERROR_LOG_SIZE: room,
            _WALL_TIME: 0,
        }
        self.count: int = len(slots)
        self.keys: ctypes.Array[ctypes.c_int] = (ctypes.c_int * self.count)(*slots)
        self.values: ctypes.Array[ctypes.c_void_p] = (ctypes.c_void_p * self.count)(*slots.values())

    @property
    def info(self) -> str:
        """The info log."""
        return str(self._info.value.decode(errors="replace"))

    @property
    def errors(self) -> str:
        """The error log; warnings may be in it too."""
        return str(self._errors.value.decode(errors="replace"))

    @property
    def full(self) -> bool:
        """Whether the error log was cut, so that a longer one would say more."""
        return len(self._errors.value) >= self.room - 2

    @property
    def milliseconds(self) -> float:
        """The time that the compiler reports."""
        value = self.values[self.count - 1] or 0
        return float(struct.unpack("<f", struct.pack("<I", value & 0xFFFFFFFF))[0])


class Resources(NamedTuple):
    """What one kernel uses, as its compiler says: bytes, except registers (for each thread) and barriers."""

    registers: int = 0
    barriers: int = 0
    shared: int = 0
    constant: int = 0
    stack: int = 0
    spill_stores: int | None = 0
    """None where it is not known: a binary has only the sum of stack and spills."""
    spill_loads: int | None = 0


def parse(log: str) -> tuple[JitMessage, ...]:
    """The messages of an error or info log. A line of no known form continues the message before it."""
    lines = list(filter(None, map(str.strip, log.splitlines())))
    if not lines:
        return ()
    import re

    messages: list[JitMessage] = []
    for line in lines:
        found = re.fullmatch(_MESSAGE, line)
        if found:
            number = found["line"]
            messages.append(
                errors.JitMessage(found["severity"], int(number) if number else None, found["text"].strip())
            )
            continue
        continuation = re.fullmatch(_CONTINUATION, line)
        text = continuation["text"].strip() if continuation else line
        if messages:
            last = messages[-1]
            messages[-1] = last._replace(text=f"{last.text}; {text}")
        else:
            messages.append(errors.JitMessage("info", None, text))
    return tuple(messages)


def resources(info_log: str) -> dict[str, Resources]:
    """Resources of each function that the info log speaks of, by name; empty where the driver took its binary cache."""
    import re

    found: dict[str, Resources] = {}
    name: str | None = None
    for message in parse(info_log):
        named = re.search(_FUNCTION, message.text)
        if named:
            name = named["compiled"] or named["properties"]
        if name is None:
            continue
        known = {key: int(match[1]) for key, what in _AMOUNTS.items() if (match := re.search(what, message.text))}
        constant = sum(map(int, re.findall(_CONSTANT, message.text)))
        if constant:
            known["constant"] = constant
        found[name] = found.get(name, Resources())._replace(**known)
    return found


def warnings(log: str) -> tuple[JitMessage, ...]:
    """What a compiler reports although it succeeded: warnings, what it gives up, and a message for each kernel that spills."""
    messages = [m._replace(severity="warning") if m.text.startswith(_GIVEN_UP) else m for m in parse(log)]
    said = [message for message in messages if message.severity == "warning"]
    for name, used in resources(log).items():
        if used.spill_stores or used.spill_loads:
            text = f"{name} spills registers: {used.spill_stores} bytes stored, {used.spill_loads} bytes loaded"
            said.append(errors.JitMessage("warning", None, text))
    return tuple(said)


class Logged:
    """An object with a compiler's info log: what the log says, as data."""

    @property
    @abstractmethod
    def info_log(self) -> str:
        """The compiler's info log; empty where nothing was compiled."""

    @property
    def messages(self) -> tuple[JitMessage, ...]:
        """What the PTX compiler said: warnings, and what each kernel uses."""
        return parse(self.info_log)

    @property
    def warnings(self) -> tuple[JitMessage, ...]:
        """Warnings about code that compiled: the compiler's warnings, and kernels that spill registers."""
        return warnings(self.info_log)

    @property
    def resources(self) -> dict[str, Resources]:
        """Registers, spills, stack, shared and constant memory of each kernel by name, from the same log;
        `Function.resources` has them for binaries too.
        """
        return resources(self.info_log)


def compile_error(
    context: Session,
    symbol: str,
    code: int,
    logs: Logs,
    ptx: str = "",
    line_map: Callable[[int], str | None] | None = None,
    detail: str = "",
) -> CudaError:
    """The exception for a call of the compiler or linker that failed: a `JitError` where its code or its log is about the
    program, a `LinkError` where that is about names. The result code for an undefined name depends on the driver.
    """
    log = logs.errors
    if code not in JIT_CODES and not (log and (says_nothing(code) or code == _NOT_SUPPORTED)):
        return context.error(symbol, code, detail="\n  ".join(filter(None, (detail, log))))
    fields: dict[str, Any] = {"log": log, "info": logs.info, "messages": parse(log), "ptx": ptx, "line_map": line_map}
    import re

    undefined, twice = (tuple(dict.fromkeys(re.findall(found, log))) for found in (_UNDEFINED, _DEFINED_TWICE))
    if undefined or twice or (symbol.startswith("cuLink") and code not in JIT_CODES):
        fields |= {"family": errors.LinkError, "undefined": undefined, "defined_twice": twice}
    elif code not in JIT_CODES:
        fields["family"] = errors.JitError
    elif any("syntax error" in message.text for message in fields["messages"]):
        fields["hint"] = (
            "see the messages above; a syntax error is often reported on the line after the one that lacks its semicolon"
        )
    return context.error(symbol, code, detail=detail, **fields)
