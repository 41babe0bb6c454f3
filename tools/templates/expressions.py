"""Jinja's expressions as Python's. A row of the table gives a text, and how strongly its outermost operator binds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from jinja2 import nodes

from ptxgen.text.template_helpers import FILTERS
from tools.templates.scopes import Scope, spelled

__all__ = ["CHOSEN", "expression", "is_loop"]

Written = tuple[str, int]
CHOSEN, NEGATED, COMPARED, ADDED, UNARY, ATOM = 1, 4, 5, 7, 9, 10

BINARY: dict[type[nodes.Node], Written] = {
    nodes.Or: ("or", 2), nodes.And: ("and", 3), nodes.Add: ("+", ADDED), nodes.Sub: ("-", ADDED), nodes.Mul: ("*", 8),
    nodes.Div: ("/", 8), nodes.FloorDiv: ("//", 8), nodes.Mod: ("%", 8),
}  # fmt: skip
COMPARISONS = {
    "eq": "==", "ne": "!=", "lt": "<", "lteq": "<=", "gt": ">", "gteq": ">=", "in": "in", "notin": "not in",
}  # fmt: skip
FUNCTIONS = {"length": "len", "list": "list", "int": "int", "min": "min", "max": "max"}
"""Filters that are functions of Python."""

CHOICES: dict[str, Callable[[str, list[str]], str]] = {
    "selectattr": lambda items, of: f"[_each for _each in {items} if _each[{of[0]}] {of[1][1:-1]} {of[2]}]",
    "reject": lambda items, of: f"[_each for _each in {items} if not _each {of[0][1:-1]} {of[1]}]",
    "map": lambda items, of: f"[_each[{of[0]}] for _each in {items}]",
}
"""Filters that choose from a list by an index, or by a test that is an operator of Python."""


def expression(node: nodes.Node, scope: Scope, at_least: int = 0) -> str:
    """Python's text, in parentheses where its operator binds less than that."""
    if type(node) not in EXPRESSIONS:
        raise scope.needs.refuse(node, type(node).__name__)
    text, binds = EXPRESSIONS[type(node)](node, scope)
    return text if binds >= at_least else f"({text})"


def is_loop(node: nodes.Node) -> bool:
    """Is it Jinja's variable of a loop?"""
    return isinstance(node, nodes.Name) and node.name == "loop"


def _list(items: Iterable[nodes.Node], scope: Scope) -> str:
    return ", ".join([expression(item, scope) for item in items])


def _binary(node: nodes.BinExpr, scope: Scope) -> Written:
    sign, binds = BINARY[type(node)]
    return f"{expression(node.left, scope, binds)} {sign} {expression(node.right, scope, binds + 1)}", binds


def _compare(node: nodes.Compare, scope: Scope) -> Written:
    rest = [f" {COMPARISONS[each.op]} {expression(each.expr, scope, COMPARED + 1)}" for each in node.ops]
    return f"{expression(node.expr, scope, COMPARED + 1)}{''.join(rest)}", COMPARED


def _conditional(node: nodes.CondExpr, scope: Scope) -> Written:
    """Without an else it is an undefined value of the lenient kind, which prints as nothing and is false."""
    other = "''" if node.expr2 is None else expression(node.expr2, scope, CHOSEN)
    return (
        f"{expression(node.expr1, scope, CHOSEN + 1)} if {expression(node.test, scope, CHOSEN + 1)} else {other}",
        CHOSEN,
    )


def _constant(node: nodes.Const, scope: Scope) -> Written:
    is_negative = isinstance(node.value, (int, float)) and node.value < 0
    return repr(node.value), UNARY if is_negative else ATOM


def _tuple(node: nodes.Tuple, scope: Scope) -> Written:
    return f"({_list(node.items, scope)}{',' * (len(node.items) == 1)})", ATOM


def _dict(node: nodes.Dict, scope: Scope) -> Written:
    items = [f"{expression(each.key, scope)}: {expression(each.value, scope)}" for each in node.items]
    return f"{{{', '.join(items)}}}", ATOM


def _concat(node: nodes.Concat, scope: Scope) -> Written:
    return " + ".join([f"str({expression(each, scope)})" for each in node.nodes]), ADDED


def _of_loop(attribute: str, index: str, items: str | None) -> Written:
    """`items` has a name where a loop asks for its last one."""
    return {
        "index0": (index, ATOM), "index": (f"{index} + 1", ADDED), "first": (f"{index} == 0", COMPARED),
        "last": (f"{index} == len({items}) - 1", COMPARED),
    }[attribute]  # fmt: skip


def _getattr(node: nodes.Getattr, scope: Scope) -> Written:
    if is_loop(node.node):
        return _of_loop(node.attr, scope.find("loop_index"), scope.known("loop_items"))
    scope.needs.support.add("member")
    return f"_member({expression(node.node, scope)}, {node.attr!r})", ATOM


def _getitem(node: nodes.Getitem, scope: Scope) -> Written:
    return f"{expression(node.node, scope, ATOM)}[{expression(node.arg, scope)}]", ATOM


def _slice(node: nodes.Slice, scope: Scope) -> Written:
    ends = [node.start, node.stop, *([node.step] if node.step else [])]
    return ":".join(["" if end is None else expression(end, scope) for end in ends]), 0


def _call(node: nodes.Call, scope: Scope) -> Written:
    if node.dyn_args or node.dyn_kwargs:
        raise scope.needs.refuse(node, "*arguments")
    if isinstance(node.node, nodes.Getattr):  # a method of Python
        called = f"{expression(node.node.node, scope, ATOM)}.{node.node.attr}"
    else:
        called = expression(node.node, scope, ATOM)
    arguments = [expression(each, scope) for each in node.args]
    arguments += [f"{spelled(each.key)}={expression(each.value, scope)}" for each in node.kwargs]
    return f"{called}({', '.join(arguments)})", ATOM


def _filter(node: nodes.Filter, scope: Scope) -> Written:
    if node.node is None:
        raise scope.needs.refuse(node, "a block of a filter")
    value = expression(node.node, scope)
    arguments = [expression(each, scope) for each in (*node.args, *[each.value for each in node.kwargs])]
    if node.name in FILTERS:
        scope.needs.helpers.add(node.name)
        return f"_{node.name}({', '.join([value, *arguments])})", ATOM
    if node.name in FUNCTIONS and not arguments:
        return f"{FUNCTIONS[node.name]}({value})", ATOM
    if node.name == "join" and len(arguments) == 1:
        return f"{expression(node.args[0], scope, ATOM)}.join(map(str, {value}))", ATOM
    if node.name in CHOICES:
        return CHOICES[node.name](value, arguments), ATOM
    raise scope.needs.refuse(node, f"the filter {node.name}")


def _test(node: nodes.Test, scope: Scope) -> Written:
    if node.name != "number":
        raise scope.needs.refuse(node, f"the test {node.name}")
    return f"isinstance({expression(node.node, scope)}, (int, float))", ATOM


EXPRESSIONS: dict[type[nodes.Node], Callable[[Any, Scope], Written]] = {
    **dict.fromkeys(BINARY, _binary),
    nodes.Name: lambda node, scope: (scope.find(node.name), ATOM),
    nodes.NSRef: lambda node, scope: (f"{scope.find(node.name)}.{node.attr}", ATOM),
    nodes.Const: _constant,
    nodes.Tuple: _tuple,
    nodes.List: lambda node, scope: (f"[{_list(node.items, scope)}]", ATOM),
    nodes.Dict: _dict,
    nodes.Not: lambda node, scope: (f"not {expression(node.node, scope, NEGATED)}", NEGATED),
    nodes.Neg: lambda node, scope: (f"-{expression(node.node, scope, UNARY)}", UNARY),
    nodes.Compare: _compare,
    nodes.CondExpr: _conditional,
    nodes.Concat: _concat,
    nodes.Getattr: _getattr,
    nodes.Getitem: _getitem,
    nodes.Slice: _slice,
    nodes.Call: _call,
    nodes.Filter: _filter,
    nodes.Test: _test,
}
