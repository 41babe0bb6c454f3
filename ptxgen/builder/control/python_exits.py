"""The first return, break or continue of a Python function that leaves a body which a device's `with` has opened."""

from __future__ import annotations

import ast
import inspect
import threading

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType

__all__ = ["PythonExit", "first_exit"]

_BODIES = frozenset({"if_", "if_else", "while_", "do_while", "range", "pred"})
_parsing = threading.Lock()
"""Python 3.11 raises SystemError where two threads parse at a time ("AST constructor recursion depth mismatch")."""


class PythonExit(NamedTuple):
    """A statement that leaves a body: "return", "break" or "continue", its line, the body's method, and whether the loop that
    it is about is a `k.range`."""

    word: str
    line: int
    body: str
    device_loop: bool


def first_exit(code: CodeType, lines: list[str], shown: list[str]) -> PythonExit | None:
    """The first such statement of a function; None too where `lines`, which begin with it, are no longer those of the code.
    `shown` are those of its lines that anything was compiled for."""
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
