"""Python's return, break and continue inside the body of a device's branch: they would leave Python's `with`, not the device's
body, and everything behind them would be missing from the kernel. The source shows them; where there is none, nothing is said."""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import sys
import threading
from types import CodeType
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.errors import BuildError, Diagnostic, Location

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.ir import PythonPlace

__all__ = ["check_python_exits"]

_BODIES = frozenset({"if_", "if_else", "while_", "do_while", "range", "pred"})
_parsing = threading.Lock()
"""Python 3.11 raises SystemError where two threads parse at a time ("AST constructor recursion depth mismatch")."""
_checked: dict[
    int, tuple[CodeType, PythonExit | None]
] = {}  # by identity: a code object's hash is computed anew each time


_EXITS = re.compile(r"\b(?:return|break|continue)\b")
"""To look whether there may be such a statement takes less than to parse."""


class PythonExit(NamedTuple):
    """A statement that leaves a body: "return", "break" or "continue", its line, the body's method, and whether the loop that
    it is about is a `k.range`."""

    word: str
    line: int
    body: str
    device_loop: bool


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
    if not any(map(_EXITS.search, shown)):
        return None
    indented = shown[0][:1].isspace()
    try:
        tree = _parsed(shown, indented)
        if tree is None:
            # inspect.getsource would first look through every imported module for the one that the code is of
            tree = _parsed(inspect.getblock(lines), indented)
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    if tree is None:
        return None
    first = tree.body[0] if tree.body else None
    function = first.body[0] if indented and isinstance(first, ast.If) else first
    if not isinstance(function, ast.FunctionDef) or function.name != code.co_name:
        return None
    shift = code.co_firstlineno - 1 - indented
    found = next(_exits(function.body, "", False, False), None)
    return found._replace(line=found.line + shift) if found is not None else None


def _parsed(lines: list[str], indented: bool) -> ast.Module | None:
    """A function's lines; None where they are none."""
    text = "".join(lines)
    try:
        with _parsing:
            return ast.parse("if 1:\n" + text if indented else text)
    except SyntaxError:
        return None


def _last_line(code: CodeType) -> int:
    """The last line of a function that anything was compiled for, functions in it included."""
    last = [code.co_firstlineno, *[_last_line(each) for each in code.co_consts if isinstance(each, CodeType)]]
    if sys.version_info >= (3, 11):
        last += [end for _, end, _, _ in code.co_positions() if end is not None]
    else:
        last += [line for *_, line in code.co_lines() if line is not None]
    return max(last)


def _exits(statements: list[ast.stmt], body: str, device_loop: bool, free: bool) -> Iterator[PythonExit]:
    """Statements that leave `body` ("" is none). The innermost loop is a k.range or not, and is `free` to be left where it
    lies in the body itself."""
    for node in statements:
        if isinstance(node, ast.Return) and body:
            yield PythonExit("return", node.lineno, body, False)
        elif isinstance(node, (ast.Break, ast.Continue)) and body and not free:
            yield PythonExit("break" if isinstance(node, ast.Break) else "continue", node.lineno, body, device_loop)
        elif isinstance(node, ast.With):
            opened = next(filter(None, (_device_body(item.context_expr) for item in node.items)), "")
            yield from _exits(node.body, opened or body, device_loop, free and not opened)
        elif isinstance(node, (ast.For, ast.While)):
            ranged = isinstance(node, ast.For) and _device_body(node.iter) == "range"
            yield from _exits(node.body, body, ranged, True)
            yield from _exits(node.orelse, body, device_loop, free)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):  # those are for themselves
            for part in ast.iter_child_nodes(node):
                if isinstance(part, ast.stmt):
                    yield from _exits([part], body, device_loop, free)
                elif isinstance(part, (ast.ExceptHandler, ast.match_case)):
                    yield from _exits(part.body, body, device_loop, free)


def _device_body(expression: ast.expr) -> str:
    """The method's name of `k.if_(...)` and its like, else ""."""
    if isinstance(expression, ast.Call) and isinstance(expression.func, ast.Attribute):
        return expression.func.attr if expression.func.attr in _BODIES else ""
    return ""
