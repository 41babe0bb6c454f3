"""Epilogues of products as operations take them: a function, and arrays of any library and numbers that it reads."""

from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.builder.core.numbers import plain, shown
from ptxgen.errors import BuildError
from ptxgen.host import Array
from ptxgen.ops.operands import Operand, read

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Epilogue", "arguments_key", "read_arguments", "read_epilogue"]


class Epilogue(NamedTuple):
    """The function, or None, and what it takes behind (k, value, row, column)."""

    function: Any
    arguments: tuple[Any, ...]

    @property
    def operands(self) -> dict[str, Operand]:
        """The arrays among the arguments."""
        return {f"argument {index}": each for index, each in enumerate(self.arguments) if isinstance(each, Operand)}

    @property
    def options(self) -> dict[str, Any]:
        """Keywords of a kernel's plan."""
        return {"epilogue": self.function, "arguments": self.arguments}


def read_arguments(function: Any, arguments: Any) -> tuple[Any, ...]:
    """The arguments, scalars of numpy as the numbers that they hold. BuildError for what is neither a tuple nor a list, for a
    function that is none, and for numbers that are not of s32 or f32."""
    if type(arguments) is tuple and not arguments and function is None:
        return arguments
    if not isinstance(arguments, (tuple, list)):
        raise BuildError(f"arguments is {type(arguments).__name__}", hint="a tuple of arrays and numbers: (bias,)")
    if function is not None and (not callable(function) or getattr(type(function), "__hash__", None) is None):
        raise BuildError(f"epilogue is {function!r:.60}", hint="a hashable function of (k, value, row, column, ...)")
    found = tuple([plain(each) if not isinstance(each, Array) else each for each in arguments])
    for index, each in enumerate(found):
        if not _number(each):
            continue
        if isinstance(each, int) and not -(1 << 31) <= each < 1 << 31:
            raise BuildError(f"argument {index} is {shown(each)}", hint="an int of s32, or a float")
        if isinstance(each, float) and LARGEST < abs(each) < math.inf:
            raise BuildError(
                f"argument {index} is {each!r}", hint="a float of f32; float('inf') where infinity is meant"
            )
    return found


LARGEST = float.fromhex("0x1.fffffep+127")
"""The largest number of f32."""


def read_epilogue(function: Any, arguments: Sequence[Any], matrices: int) -> Epilogue:
    """BuildError for arguments that are neither arrays on a device nor numbers, of three dimensions for another number of
    matrices, or without a function that takes them."""
    if function is None and arguments:
        raise BuildError(f"{len(arguments)} arguments without an epilogue", hint="epilogue=..., which takes them")
    found = (each if _number(each) else read(f"argument {index}", each) for index, each in enumerate(arguments))
    made = Epilogue(function, tuple(found))
    _check_callable(function, len(arguments))
    for name, each in made.operands.items():
        if len(each.shape) == 3 and each.shape[0] != matrices:
            raise BuildError(f"{name} has the shape {each.shape}", hint=f"{matrices} matrices, or two dimensions")
    return made


def arguments_key(arguments: Sequence[Any]) -> tuple[Any, tuple[Any, ...]]:
    """(what tells numbers from others as an option of `LaunchCache.find`, the arrays)."""
    if not arguments:
        return None, ()
    numbers = tuple(repr(each) if _number(each) else None for each in arguments)
    return numbers, tuple(each for each, number in zip(arguments, numbers) if number is None)


def _check_callable(function: Any, count: int) -> None:
    """BuildError for a function that does not take that many arguments."""
    if function is None:
        return
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of a function that is not Python's nobody knows
        return
    try:
        signature.bind(*range(4 + count))
    except TypeError as unfit:
        raise BuildError(
            f"the epilogue takes {signature} and gets 4 values and {count} arguments: {unfit}",
            hint="(k, value, row, column), and a parameter for each of the arguments",
        ) from None


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
