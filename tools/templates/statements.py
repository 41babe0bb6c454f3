"""Jinja's statements as lines of Python. Text is added to the list `_text`; a line of a template is a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from jinja2 import nodes

from tools.templates.expressions import CHOSEN, expression, is_loop
from tools.templates.scopes import Scope, targets

__all__ = ["indented", "statements"]


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" if line else line for line in lines]


def statements(body: Iterable[nodes.Node], scope: Scope) -> list[str]:
    """Neighbouring outputs are one statement."""
    lines: list[str] = []
    parts: list[str] = []
    for node in body:
        if isinstance(node, nodes.Output):
            for part in node.nodes:
                if isinstance(part, nodes.TemplateData):
                    parts += [repr(line) for line in part.data.splitlines(keepends=True)]
                else:
                    parts.append(expression(part, scope, CHOSEN))
            continue
        lines += _output(parts)
        parts = []
        if type(node) not in STATEMENTS:
            raise scope.needs.refuse(node, type(node).__name__)
        lines += STATEMENTS[type(node)](node, scope)
    return lines + _output(parts)


def _output(parts: list[str]) -> list[str]:
    lines, line = [], ""
    for part in parts:
        line += f"{part}, "
        if part.endswith(r"\n'"):
            lines.append(line.rstrip())
            line = ""
    if line:
        lines.append(line.rstrip())
    return ["_text += (", *indented(lines), ")"] if len(lines) > 1 else [f"_text += ({each})" for each in lines]


def _block(body: list[nodes.Node], scope: Scope) -> list[str]:
    return indented(statements(body, scope) or ["pass"])


def _if(node: nodes.If, scope: Scope) -> list[str]:
    lines: list[str] = []
    for word, each in (("if", node), *(("elif", each) for each in node.elif_)):
        lines += [f"{word} {expression(each.test, scope)}:", *_block(each.body, scope)]
    return [*lines, "else:", *_block(node.else_, scope)] if node.else_ else lines


def _for(node: nodes.For, scope: Scope) -> list[str]:
    if node.else_ or node.recursive:
        raise scope.needs.refuse(node, "a loop with else, or recursive")
    items = expression(node.iter, scope)
    inner = Scope(scope.needs, scope, targets(node.target))
    target = expression(node.target, inner)
    if node.test is not None:
        items = f"[{target} for {target} in {items} if {expression(node.test, inner)}]"
    lines = []
    asked = {each.attr for each in node.find_all(nodes.Getattr) if is_loop(each.node)}
    if asked:
        index = inner.add("loop_index")
        if "last" in asked:
            lines.append(f"{inner.add('loop_items')} = list({items})")
            items = inner.add("loop_items")
        lines.append(f"for {index}, {target} in enumerate({items}):")
    else:
        lines.append(f"for {target} in {items}:")
    return [*lines, *indented([*inner.begin(node.body), *statements(node.body, inner)] or ["pass"])]


def _function(name: str, node: nodes.Macro | nodes.CallBlock, scope: Scope, *extra: str) -> list[str]:
    """A macro, or the body of a call, which gives its text."""
    inner = Scope(scope.needs, scope, [each.name for each in node.args])
    parameters = [f"{inner.names[each.name]}: Any" for each in node.args]
    for index, default in enumerate(node.defaults, len(parameters) - len(node.defaults)):
        if not isinstance(default, (nodes.Const, nodes.Tuple)):
            raise scope.needs.refuse(default, "a default that is not a constant")
        parameters[index] += f" = {expression(default, scope)}"
    parameters += [f"{inner.add(each)}: Any = None" for each in extra]
    body = [*inner.begin(node.body), "_text: list[Any] = []", *statements(node.body, inner)]
    return [
        "",
        f"def {name}({', '.join(parameters)}) -> str:",
        *indented([*body, 'return "".join(map(str, _text))']),
        "",
    ]


def _macro(node: nodes.Macro, scope: Scope) -> list[str]:
    calls_back = any(each.name == "caller" for each in node.find_all(nodes.Name))
    return _function(scope.add(node.name), node, scope, *["caller"] * calls_back)


def _call_block(node: nodes.CallBlock, scope: Scope) -> list[str]:
    scope.needs.blocks += 1
    name = f"_caller_{scope.needs.blocks}"
    call = expression(node.call, scope)
    comma = "" if call.endswith("()") else ", "
    return [*_function(name, node, scope), f"_text += ({call[:-1]}{comma}caller={name}),)"]


def _assign(node: nodes.Assign, scope: Scope) -> list[str]:
    return [f"{expression(node.target, scope)} = {expression(node.node, scope)}"]


STATEMENTS: dict[type[nodes.Node], Callable[[Any, Scope], list[str]]] = {
    nodes.Assign: _assign,
    nodes.CallBlock: _call_block,
    nodes.For: _for,
    nodes.If: _if,
    nodes.Macro: _macro,
}
"""An import is a file's: files.py."""
