"""Conditions that kernels check (`k.check`), and the error that tells of one that did not hold.

A module that checks has a variable CHECKS: the address of a record in page-locked memory, and a state. The kernel writes the
record (see ptxgen.builder.debugging.checking) and traps; whoever notices the fault finds the record, since host memory stays
when the context is lost. Of check N, the variable CHECK + N has the text and the name of the function that it stands in.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import DeviceAssertError
from ptxgen.ir import Immediate, Symbol, resolve

if TYPE_CHECKING:
    import driver_ctypes
    from driver_ctypes.contexts.context import Context
    from driver_ctypes.memory.host import PinnedBuffer
    from ptxgen.errors import Location
    from ptxgen.ir import Function, Module, Variable

__all__ = ["CHECK", "CHECKS", "STATE", "VALUES_AT", "CheckFailedError", "watch_checks"]

CHECKS = "_ptxgen_checks"
STATE = 8
"""Where in CHECKS the state lies: 0, 1 while a thread writes the record, 2 from then on."""
CHECK = "_ptxgen_check_"
VALUES_AT = 32
"""Where in the record the values begin, as vprintf takes them; before them: number of the check, ctaid, tid."""
_RECORD = struct.Struct("<7I")
_BYTES = 512
"""Of a record: 32 values of 8 bytes fit."""


class CheckFailedError(DeviceAssertError):
    """A condition that a kernel checks did not hold.

    `kernel` is the kernel's name (where several call the function that checks, their names with commas between), `failure`
    the check's text with its values, `cta` and `thread` are where it failed, `place` is the line of the check, or None.
    """

    def __init__(
        self,
        message: str = "",
        *,
        kernel: str = "",
        failure: str = "",
        cta: tuple[int, int, int] = (0, 0, 0),
        thread: tuple[int, int, int] = (0, 0, 0),
        places: tuple[Location, ...] = (),
        **fields: Any,
    ) -> None:
        if kernel:  # else it is a copy, whose message has all of it
            told = [
                f"check failed{f': {failure}' if failure else ''}",
                f"  kernel {kernel}, CTA {cta}, thread {thread}",
            ]
            told += [f"  {place.listed()}  {place.excerpt()}".rstrip() for place in places]
            message = "\n".join([*told, f"  {message}"])
        super().__init__(message, **fields)
        self.kernel = kernel
        self.failure = failure
        self.cta = cta
        self.thread = thread
        self.place: Location | None = places[0] if places else None


def watch_checks(context: Context, module: Module, loaded: driver_ctypes.Module) -> None:
    """Give a loaded module that checks its record, and let the errors of its context tell what is in it."""
    if not any(v.name == CHECKS and v.space == "global" for v in module.variables):
        return
    with context.beside_captures():  # the first launch of a kernel, which loads it, may be in one
        record = context.alloc_pinned(_BYTES, mapped=True)
        record.view[:] = bytes(_BYTES)
        context.copy_to_device(loaded.global_(CHECKS)[0], struct.pack("<Q", record.device_pointer))
    loaded.explain_faults(lambda: _failure(module, record))


def _failure(module: Module, record: PinnedBuffer) -> dict[str, Any] | None:
    """What a record says, as the fields of a CheckFailedError; None where nothing is in it."""
    if record.closed:
        return None
    data = bytes(record.view)
    number, *where = _RECORD.unpack_from(data)
    variable = next((v for v in module.variables if number and v.name == f"{CHECK}{number}"), None)
    if variable is None:
        return None
    text, function, *_ = [*_contents(variable).split("\0"), ""]
    return {
        "family": CheckFailedError, "kernel": ", ".join(_kernels_of(module, function)), "failure": _told(text, data),
        "cta": tuple(where[:3]), "thread": tuple(where[3:]), "places": resolve(variable.source),
    }  # fmt: skip


def _contents(variable: Variable) -> str:
    init = variable.init if isinstance(variable.init, tuple) else ()
    return bytes(each.value & 0xFF for each in init if isinstance(each, Immediate)).decode(errors="replace")


def _told(text: str, data: bytes) -> str:
    """A check's text with the values in a record."""
    from ptxgen.cpu.printf import ArgumentReader, format_text

    reader = ArgumentReader(lambda offset, nbytes: data[VALUES_AT + offset :][:nbytes].ljust(nbytes, b"\0"))
    return format_text(text, reader, lambda address: f"0x{address:x}")


def _kernels_of(module: Module, name: str) -> list[str]:
    """The kernels that come to a function: itself, or those whose calls lead there."""
    reached, found = {name}, 0
    while found < len(reached):
        found = len(reached)
        reached |= {function.name for function in module.functions if _callees(function) & reached}
    return [entry.name for entry in module.entries if entry.name in reached]


def _callees(function: Function) -> set[str]:
    calls = [instruction for instruction in function.instructions() if instruction.opcode == "call"]
    return {each.name for call in calls for each in call.operands if isinstance(each, Symbol)}
