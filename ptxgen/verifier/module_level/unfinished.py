"""What a module says of itself that it is not finished: remarks, and nothing that could be launched or linked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ptxgen.ir import Block, Comment, Function, Variable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ptxgen.ir import Source
    from ptxgen.verifier.program.context import VerifierContext

__all__ = ["check_unfinished"]

_WORDS = re.compile(
    r"\b(TODO|FIXME|XXX|HACK|placeholder|stub(?:bed)?|not (?:yet )?implemented|unimplemented)\b", re.IGNORECASE
)


def check_unfinished(context: VerifierContext) -> None:
    """PTX608: comments that say so; PTX610: a module without a kernel or anything visible. Only when style is asked for."""
    if not context.style:
        return
    items = list(context.module)
    for comment, source in _comments(items, None):
        found = _WORDS.search(comment.text)
        if found is not None:
            context.report(
                "PTX608",
                f"this comment says {found[0]!r}",
                source,
                hint="finish it, or delete the comment",
                severity="warning",
            )
    named = [item for item in items if isinstance(item, (Function, Variable))]
    if named and not any(
        (isinstance(item, Function) and item.is_entry) or item.linkage in ("visible", "common", "weak")
        for item in named
    ):
        context.report(
            "PTX610",
            f"{context.module.name} has no kernel, and nothing in it is visible",
            named[0].source,
            expected=".visible .entry, or .visible .func for a library",
            severity="warning",
        )


def _comments(items: Iterable[object], source: Source | None) -> Iterator[tuple[Comment, Source | None]]:
    """Every comment, with the place of what stands behind it, or of what it stands in."""
    waiting: list[Comment] = []
    for item in items:
        if isinstance(item, Comment):
            waiting.append(item)
            continue
        own = getattr(item, "source", None)
        if own is not None:
            yield from ((comment, own) for comment in waiting)
            waiting.clear()
        if isinstance(item, Function) and item.body is not None:
            yield from _comments(item.body.statements, item.source)
        elif isinstance(item, Block):
            yield from _comments(item.statements, source)
    yield from ((comment, source) for comment in waiting)
