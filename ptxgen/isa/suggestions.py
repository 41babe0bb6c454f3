"""Names that may have been meant by an unknown one, the most similar first."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["similar_names"]

_LONGEST, _MOST = 100, 1000
"""A name that is longer is not likened to any, and not to more: likening takes the product of the lengths."""

_SAME_LENGTH, _SAME_BEGINNING = 0.1, 0.3
"""What counts beside likeness: slips of the keyboard mostly keep the length, and hit the beginning of a word least."""


def similar_names(name: str, known: Iterable[str], count: int = 3, *, cutoff: float = 0.6) -> list[str]:
    """The names of `known` that `name` was likely meant for, at most `count`; `cutoff` is the least likeness, 0 to 1.

    Likeness is twice the signs in common over all signs. Ties keep the order of `known`.
    """
    from difflib import SequenceMatcher  # only a mistake needs it

    if len(name) > _LONGEST:
        return []
    matcher = SequenceMatcher(None, b=name, autojunk=False)
    found = []
    for place, each in enumerate(islice(dict.fromkeys(known), _MOST)):
        if len(each) > _LONGEST:
            continue
        matcher.set_seq1(each)
        if matcher.real_quick_ratio() < cutoff or matcher.quick_ratio() < cutoff or (alike := matcher.ratio()) < cutoff:
            continue
        begins = next((i for i, (a, b) in enumerate(zip(name, each)) if a != b), min(len(name), len(each)))
        score = alike + _SAME_LENGTH * (len(each) == len(name)) + _SAME_BEGINNING * begins / max(len(name), 1)
        found.append((-score, place, each))
    return [each for _, _, each in sorted(found)[:count]]
