"""A document: after each edit its module, the places in it and its findings are those of a whole parse of the new text."""

from __future__ import annotations

from random import Random

from ptxgen.text import parts
from ptxgen.text.document import Document
from ptxgen.text.parser import read
from tools.fuzz._parsed import differs
from tools.fuzz._target import Target, Wrong
from tools.fuzz._text import compiled, mutated, seed_text

_EDITS = 8
_PART = 120
"""Characters of a part, so that a small text has many."""
_TYPED = (
    *"{ } /* */ // ; , : L: %r1 x [ 0x ret; .entry".split(),
    *("", " ", "\n", "\0", ".reg .f32 %r<3>;\n", "{ .reg .b32 %r1; }\n", " mov.u32 %r1, %r2;\n", ".loc 1 2 3\n"),
    *(".visible .entry other()\n{\nret;\n}\n", ".global .b32 g;\n", ".func f ;\n", ".reg .pred p;"),
)


class Documents(Target):
    """The edits of a case are those that its text, as a seed, draws."""

    seconds = 10.0

    def draw(self, rng: Random) -> str:
        text = compiled(rng) if rng.random() < 0.7 else seed_text(rng)
        return mutated(rng, text, rng.choice((0, 0, 0, 1)))

    def judge(self, case: str) -> None:
        size, parts.SIZE = parts.SIZE, _PART
        try:
            self._edit(case, Random(case))
        finally:
            parts.SIZE = size

    def _edit(self, case: str, rng: Random) -> None:
        document = Document(case)
        for _ in range(_EDITS):
            text = document.text
            start = rng.randrange(len(text) + 1)
            end = min(start + rng.choice((0, 0, 0, 1, 2, 5, 30, 400)), len(text))
            other = rng.randrange(len(text) + 1)
            replacement = rng.choice(_TYPED) if rng.random() < 0.6 else text[other : other + rng.randrange(60)]
            edited = document.edit(document.position(start), document.position(end), replacement)
            if edited.text != text[:start] + replacement + text[end:]:
                raise Wrong(f"the text is another one after {start, end, replacement}")
            wrong = differs((edited.module, list(edited.diagnostics)), read(edited.text))
            if wrong:
                raise Wrong(f"{start, end, replacement} in\n{text}\n---- edited and read: {wrong}")
            if not edited.diagnostics or rng.random() < 0.5:  # else it is undone
                document = edited


def target() -> Documents:
    return Documents()
