"""Running a Python function once, with values for its parameters: what it does to the builder is the program."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from ptxgen.builder.builder import Builder
from ptxgen.builder.control.uncalled import check_calls
from ptxgen.builder.core.numbers import plain
from ptxgen.builder.core.source import build_error, calls_kernels, is_of_room, raised_at
from ptxgen.builder.suggestions import hint_for
from ptxgen.builder.values.python_protocols import no_lane_wise
from ptxgen.builder.values.scalars import Value
from ptxgen.builder.values.vectors import vec
from ptxgen.errors import BuildError, MissingMethodError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["current_builder", "trace"]


class _Active(threading.local):
    """The builders of the functions that a thread is tracing, the innermost last."""

    def __init__(self) -> None:
        self.builders: list[Builder] = []


_active = _Active()


def current_builder() -> Builder:
    """The builder of the function being traced in this thread."""
    if not _active.builders:
        raise BuildError(
            "a device function is called outside a kernel", hint="call it from a function under @px.kernel"
        )
    return _active.builders[-1]


@calls_kernels
def trace(k: Builder, function: Callable[..., Any], arguments: list[Any], options: dict[str, Any]) -> Any:
    """Run a Python function once, with values for its parameters; device functions that it calls belong to `k`."""
    check_calls(getattr(function, "__code__", None))
    _active.builders.append(k)
    try:
        return function(k, *arguments, **options)
    except AttributeError as missing:  # no __getattr__ of the builder: it would slow every use of it
        if isinstance(missing.obj, vec):
            raise no_lane_wise(missing.obj, missing.name, _is_ours(missing), raised_at(missing)) from None
        if _is_ours(missing) and not isinstance(missing.obj, Value):
            found, where = missing.obj, raised_at(missing)
            number = isinstance(plain(found), (int, float))
            raise build_error(
                "PTX220",
                f"{found!r:.60} is used where a value of the device is wanted",
                hint=f"k.const(type, {found!r})" if number else "a value, such as x[i]",
                source=where,
            ) from missing
        if not isinstance(missing.obj, Builder) or not missing.name:
            raise
        message = f"the builder has no {missing.name}{hint_for(missing.name, dir(Builder))}"
        raise build_error("PTX301", message, source=raised_at(missing), kind=MissingMethodError) from None
    finally:
        _active.builders.pop()
        k.callers.forget()


def _is_ours(missing: AttributeError) -> bool:
    """Is it an attribute that every value has, asked of something else by this room?"""
    if missing.name not in _OF_VALUES:
        return False
    step = missing.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return step is not None and is_of_room(step.tb_frame.f_code.co_filename)


_OF_VALUES = frozenset({"isa", "scope", "builder", "operand", "mutable", "to", "bits", "storage"})
