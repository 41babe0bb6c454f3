"""Epilogues of products as operations take them: a function, and arrays of any library and numbers that it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.errors import BuildError
from ptxgen.ops.operands import Operand, read

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Epilogue", "arguments_key", "read_epilogue"]


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


def read_epilogue(function: Any, arguments: Sequence[Any], matrices: int) -> Epilogue:
    """BuildError for arguments that are neither arrays on a device nor numbers, of three dimensions for another number of
    matrices, or without a function that takes them."""
    if function is None and arguments:
        raise BuildError(f"{len(arguments)} arguments without an epilogue", hint="epilogue=..., which takes them")
    found = (each if _number(each) else read(f"argument {index}", each) for index, each in enumerate(arguments))
    made = Epilogue(function, tuple(found))
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


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
