"""Two programs side by side: what differs in meaning, and whether they are equal although their instructions differ.

`difference(old, new)` matches functions, blocks and instructions of two modules and says what changed in meaning: names of
registers and labels, the order of independent instructions, where declarations and constants stand are no change.
`text_difference` compares texts, line by line.

`changes.py` has the answer's classes. May import everything up to `tuning`; loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.compare.changes import Change, Difference
    from ptxgen.compare.equivalence import Equivalence, equivalent
    from ptxgen.compare.semantic import difference
    from ptxgen.compare.text import text_difference

__all__ = ["Change", "Difference", "Equivalence", "difference", "equivalent", "text_difference"]

_EXPORTS = {
    "changes": "Change Difference",
    "equivalence": "Equivalence equivalent",
    "semantic": "difference",
    "text": "text_difference",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
