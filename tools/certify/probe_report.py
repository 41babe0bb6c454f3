"""The probe's result as the last section of docs/isa-certification.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.certify.report import table

if TYPE_CHECKING:
    from tools.certify.probe import Probed
    from tools.certify.verdicts import Tool

__all__ = ["probe_markdown", "probe_section", "with_probe"]

HEADING = "\n## Forms that the table lacks\n"


def probe_markdown(probed: Probed, tool: Tool) -> str:
    """The section; deterministic for a result."""
    newest = ".".join(map(str, tool.versions[-1]))
    words = probed.lexicon
    lines = [
        HEADING,
        f"Written by `tools/certify_isa.py --probe --write`. Rows' examples, varied by every word that {tool.name} knows, at "
        f"PTX {newest}: what it takes and the verifier refuses is a lenient form with a reason, or a form that is missing.",
        "",
    ]
    lines += table(
        ("what", "count"),
        [
            ("candidates for words and names", words.asked),
            ("modifiers that the assembler knows", len(words.words)),
            ("of them not in the table", len(words.foreign)),
            ("names of instructions that the table cannot spell", len(words.names)),
            ("rows", probed.rows),
            *((f"questions: {round_}", count) for round_, count in probed.questions.items()),
            ("taken by the assembler", probed.taken),
            ("of them by the verifier too", probed.known),
            ("lenient forms", sum(probed.explained.values())),
            ("missing forms, by opcode and word", len(probed.missing)),
        ],
    )
    lines += [f"Taken behind any instruction, so not asked: {_list(probed.careless)}.", ""]
    lines += [f"Modifiers not in the table: {_list(words.foreign)}.", ""]
    lines += [f"Names not in the table: {_list(words.names)}.", ""]
    counts: dict[str, int] = {}
    for entry, count in probed.explained.items():
        counts[entry.reason] = counts.get(entry.reason, 0) + count
    ordered = sorted(counts, key=lambda reason: (-counts[reason], reason))
    lines += table(("lenient form", "instructions"), [(reason, counts[reason]) for reason in ordered])
    lines += table(
        ("missing", "target", "word", "instructions"),
        (
            (f"`{each.text}`".replace("|", "\\|"), each.place.target, each.word, each.instructions)
            for each in probed.missing
        ),
    )
    return "\n".join(lines)


def _list(words: tuple[str, ...]) -> str:
    return " ".join(f"`{word}`" for word in words) or "none"


def with_probe(page: str, section: str) -> str:
    """The page with this section at its end, in the place of the one that it has."""
    return page.partition(HEADING)[0] + section


def probe_section(page: str) -> str:
    """The section of a page; "" when it has none."""
    _, heading, rest = page.partition(HEADING)
    return heading + rest
