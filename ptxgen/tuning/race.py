"""Rounds: every round times each candidate that is left once, and after the first, second, fourth, ... only the better half
stays (successive halving). So most of the time goes to those near the top, and a slow moment of the machine slows all."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.tuning.candidates import Candidate

__all__ = ["race"]

_FINALISTS = 4
"""So many stay to the end."""

_NEAR = 1.02
"""Whoever takes at most this part of the best one's time stays too."""


def race(
    candidates: Sequence[Candidate],
    rounds: int,
    measure: Callable[[Candidate], None],
    done: Callable[[int, int, str], None],
) -> None:
    """Time the candidates, which are all left; those that halving drops are told the reason. Every other round goes backwards,
    so that no place in the order is better. `done` is told of each measurement: how many there are, how many there will be at
    least, the fastest so far."""
    racing = list(candidates)
    measured = 0
    for number in range(rounds):
        order = racing if number % 2 == 0 else racing[::-1]
        for each in order:
            measure(each)
            measured += 1
            best = min(racing, key=_score)
            done(
                measured,
                max(measured, len(candidates) + (rounds - 1) * min(len(candidates), _FINALISTS)),
                str(best.config),
            )
        racing = [each for each in racing if not each.reason]
        if not racing:
            return
        finished = number + 1
        if finished < rounds and finished & (finished - 1) == 0:
            racing = _better_half(racing, finished)


def _score(candidate: Candidate) -> float:
    return math.inf if candidate.reason else candidate.row().order


def _better_half(racing: list[Candidate], rounds: int) -> list[Candidate]:
    ranked = sorted(racing, key=_score)  # stable: the order breaks ties
    best = _score(ranked[0])
    places = max(_FINALISTS, (len(ranked) + 1) // 2)
    for place, each in enumerate(ranked):
        if place >= places and _score(each) > _NEAR * best:
            factor = _score(each) / best if best else math.inf
            each.reason = f"slower: {factor:.2f} times the best after round {rounds}"
    return [each for each in racing if not each.reason]
