"""What a parse gave, compared: modules with the places of everything in them, and findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.errors import Diagnostic
    from ptxgen.ir import Module

__all__ = ["differs"]


def differs(one: tuple[Module, list[Diagnostic]], other: tuple[Module, list[Diagnostic]]) -> str | None:
    """Where two parses differ; None where they are the same."""
    (module, findings), (other_module, other_findings) = one, other
    if findings != other_findings:
        return f"the findings are {findings} and {other_findings}"
    if module != other_module:
        return f"the modules are\n{module}\n---- and\n{other_module}"
    for node, other_node in zip(_nodes(module), _nodes(other_module), strict=True):
        places, other_places = resolve(node.source), resolve(other_node.source)  # type: ignore[attr-defined]
        if places != other_places or [each.text for each in places] != [each.text for each in other_places]:
            return f"{node} stands at {places} and at {other_places}"
    return None


def _nodes(node: object) -> Iterator[object]:
    """Everything in a module that has a source, in order."""
    if isinstance(node, (list, tuple)):
        for each in node:
            yield from _nodes(each)
        return
    if hasattr(node, "source"):
        yield node
    for name in getattr(node, "_fields", ()):
        yield from _nodes(getattr(node, name))
