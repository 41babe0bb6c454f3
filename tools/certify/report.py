"""The certifier's result as the page docs/isa-certification.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.isa.forms import all_forms, chapters, forms_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tools.certify.run import Result
    from tools.certify.verdicts import Tool

__all__ = ["markdown", "table"]


def table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> list[str]:
    """The lines of a table, and an empty one."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return [*lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows), ""]


def markdown(result: Result, tool: Tool) -> str:
    """The page; deterministic for a result."""
    oldest, newest = (".".join(map(str, version)) for version in (tool.versions[0], tool.versions[-1]))
    lines = [
        "# The instruction table, certified",
        "",
        "Written by `tools/certify_isa.py --write`; do not edit.",
        "",
        f"{len(all_forms())} rows spell {result.names:,} instruction names. {tool.name} (PTX {oldest} to "
        f"{newest}, {len(tool.targets)} targets) was asked {result.questions:,} questions about them: accepted at the stated "
        "version and target, refused one PTX version below, refused on the targets that lack the form.",
        "",
        "## By chapter",
        "",
    ]
    rows = []
    for chapter, names in chapters().items():
        own = sum(len(forms_of(name)) for name in names)
        accepted, refused = sum(result.accepted[n] for n in names), sum(result.refused[n] for n in names)
        rows.append((chapter, len(names), own, accepted, refused))
    lines += table(("chapter", "opcodes", "rows", "accepted", "refused"), rows)
    lines += ["An opcode with rows in two chapters counts in both.", "", "## Accepted, by version and target", ""]
    lines += table(("PTX", "accepted"), ((f"{v[0]}.{v[1]}", n) for v, n in sorted(result.by_version.items())))
    lines += table(("target", "accepted"), ((t.name, result.by_target[t.name]) for t in tool.targets))
    lines += [
        "## Mutants",
        "",
        f"{result.mutants:,} instructions with one thing changed, judged by the verifier and by the assembler.",
        "",
    ]
    lines += table(("change", "same verdict"), sorted(result.agreed.items()))
    lines += ["## Known differences", ""]
    lines += table(
        ("reason", "instructions"),
        ((known.reason, n) for known, n in sorted(result.explained.items(), key=lambda item: -item[1])),
    )
    lines += [f"Differences without a reason: {len(result.unexplained)}.", ""]
    return "\n".join(lines)
