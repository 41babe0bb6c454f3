"""What `px.explain` says, as Markdown: the pages of instructions, codes, directives, special registers and targets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ptxgen.verifier.explanation import Explanation
from ptxgen.verifier.explanation.pages import Topic
from tools.site.pages import block, code, plain, table

__all__ = ["explained", "titled"]

_HEADS = {
    "Forms": ("form", "since"),
    "Modifiers": ("set", "one of"),
    "Operands": ("operand", "", "takes", "type", "space", "range", ""),
    "CPU device": ("form", "results", "refused"),
}
_IN_CODE = {"Forms": (0,), "Modifiers": (0,), "Operands": (0, 3, 4), "CPU device": (0, 2), "Rule": (0,), "Rules": (0,)}
"""The columns that are names of programs, by heading."""


def titled(explanation: Explanation) -> str:
    """The heading of the page, and below it what the thing is."""
    return f"# {plain(explanation.name)}\n\n{plain(explanation.title)}\n"


def explained(explanation: Explanation, links: Mapping[str, str], language: str = "ptx", level: int = 2) -> str:
    """The topics of an explanation. `links` has the pages of instructions by name; `language` is that of the example."""
    return "\n".join(_topic(topic, links, language, level) for topic in explanation.topics)


def _topic(topic: Topic, links: Mapping[str, str], language: str, level: int) -> str:
    heading = f"{'#' * level} {plain(topic.heading)}\n\n" if topic.heading else ""
    if topic.code:
        return heading + block(topic.rows[0][0], language)
    if topic.heading == "Also":
        return heading + ", ".join(_linked(name, links) for row in topic.rows for name in row) + "\n"
    rows: Iterable[tuple[str, ...]] = topic.rows
    if topic.heading == "Forms":
        rows = ((f"{syntax} {operands}".rstrip(), since) for syntax, operands, since in topic.rows)
    if topic.heading == "Operands":
        rows = topic.rows[1:]
    if all(len(row) == 1 for row in topic.rows):
        return heading + "".join(f"- {plain(row[0])}\n" for row in topic.rows)
    in_code = _IN_CODE.get(topic.heading, ())
    head = _HEADS.get(topic.heading) or ("",) * max(map(len, topic.rows))
    cells = (tuple(code(cell) if index in in_code else plain(cell) for index, cell in enumerate(row)) for row in rows)
    return heading + table(head, cells)


def _linked(name: str, links: Mapping[str, str]) -> str:
    return f"[{code(name)}](/{links[name]})" if name in links else code(name)
