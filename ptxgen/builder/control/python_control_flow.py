"""Python's return, break and continue inside the body of a device's branch: they would leave Python's `with`, not the device's
body, and everything behind them would be missing from the kernel. The source shows them; where there is none, nothing is said.

`python_exits` finds them in a function whose text has one of the words."""

from __future__ import annotations

import linecache
import re
import sys
from types import CodeType
from typing import TYPE_CHECKING

from ptxgen.errors import BuildError, Diagnostic, Location

if TYPE_CHECKING:
    from ptxgen.builder.control.python_exits import PythonExit
    from ptxgen.ir import PythonPlace

__all__ = ["check_python_exits"]

_checked: dict[
    int, tuple[CodeType, PythonExit | None]
] = {}  # by identity: a code object's hash is computed anew each time


_EXITS = re.compile(r"\b(?:return|break|continue)\b")
"""To look whether there may be such a statement takes less than to parse."""


def check_python_exits(source: PythonPlace | None, in_kernel: bool) -> None:
    """BuildError when the function that opened a body leaves one the Python way. Each function is looked at once."""
    if source is None:
        return
    code = source[0]
    known = _checked.get(id(code))
    if known is None:
        known = _checked[id(code)] = (code, _find(code))
    found = known[1]
    if found is None:
        return
    raise BuildError(
        "",
        [
            Diagnostic(
                "PTX324",
                f"Python's {found.word} inside the body of k.{found.body}: the body is built once, it does not run here",
                locations=(Location("python", code.co_filename, found.line),),
                hint=_remedy(found, in_kernel),
            )
        ],
    )


def _remedy(found: PythonExit, in_kernel: bool) -> str:
    if found.word == "return":
        return "k.return_()" if in_kernel else "a variable that the body sets, and one return at the function's end"
    if found.device_loop:
        return f"k.{found.word}_()"
    return f"outside the body: {found.word} of a Python loop determines what is built; a device's loop has k.{found.word}_()"


def _find(code: CodeType) -> PythonExit | None:
    """The first such statement of a function; None too when its source cannot be had, or is no longer that of the code."""
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :]
    shown = lines[: _last_line(code) - code.co_firstlineno + 1]
    if not _may_leave(code, shown):
        return None
    from ptxgen.builder.control.python_exits import first_exit  # parses, which few kernels need

    return first_exit(code, lines, shown)


def _may_leave(code: CodeType, shown: list[str]) -> bool:
    """Does a line of a function's own, and not of functions in it, say that it leaves something other than Python's `if`?"""
    inside = [each for each in code.co_consts if isinstance(each, CodeType) and each.co_name[0] != "<"]
    ends = {each.co_firstlineno - code.co_firstlineno: _last_line(each) - code.co_firstlineno for each in inside}
    end = -1
    for number, line in enumerate(shown):
        end = max(end, ends.get(number, -1))
        if (
            number > end
            and _EXITS.search(line)
            and not (line.lstrip().startswith("return") and _is_in_ifs(shown, number))
        ):
            return True
    return False


def _is_in_ifs(shown: list[str], number: int) -> bool:
    """Is all that a line stands in, up to the function, an `if`?"""
    first, indent = _indent(shown[0]), _indent(shown[number])
    for line in reversed(shown[1:number]):
        if first < _indent(line) < indent and not line.isspace():
            indent = _indent(line)
            if not line.lstrip().startswith(("if ", "elif ", "else:")):
                return False
    return True


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _last_line(code: CodeType) -> int:
    """The last line of a function that anything was compiled for, functions in it included."""
    last = [code.co_firstlineno, *[_last_line(each) for each in code.co_consts if isinstance(each, CodeType)]]
    if sys.version_info >= (3, 11):
        last += [end for _, end, _, _ in code.co_positions() if end is not None]
    else:
        last += [line for *_, line in code.co_lines() if line is not None]
    return max(last)
