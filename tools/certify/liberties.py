"""What assemblers take although no manual has it: the probe's findings that are no missing forms, each with its reason."""

from __future__ import annotations

import re
from typing import NamedTuple

from tools.certify.known import KNOWN

__all__ = ["LIBERTIES", "Liberty", "liberty"]


class Liberty(NamedTuple):
    """Regular expressions for the instruction and for the verifier's words, and why the table stays as it is."""

    instruction: str
    reason: str
    ours: str = ""


LIBERTIES: tuple[Liberty, ...] = ()


def liberty(text: str, ours: str) -> Liberty | None:
    """The entry that explains why this is taken; None when it is news. What the certifier knows is no news here."""
    for entry in LIBERTIES:
        if re.match(entry.instruction, text) and re.search(entry.ours, ours):
            return entry
    for known in KNOWN:
        if re.search(known.answer, "") and re.match(known.instruction, text) and re.search(known.ours, ours):
            return Liberty(known.instruction, known.reason, known.ours)
    return None
