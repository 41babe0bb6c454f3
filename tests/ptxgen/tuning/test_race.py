"""Successive halving: who is timed how often, and who wins."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ptxgen.kernels.space import Config
from ptxgen.tuning.candidates import Candidate
from ptxgen.tuning.race import race


def raced(times: list[float], rounds: int) -> tuple[list[Candidate], list[int]]:
    """The candidates after the race, and the order in which they were measured."""
    candidates = [Candidate(Config({"n": number})) for number in range(len(times))]
    order: list[int] = []

    def measure(candidate: Candidate) -> None:
        number = candidate.config["n"]
        order.append(number)
        candidate.times.setdefault((1,), []).append(times[number])

    race(candidates, rounds, measure, lambda *how: None)
    return candidates, order


def test_half_goes_after_rounds_one_two_four_and_eight() -> None:
    candidates, order = raced([float(n) for n in range(1, 41)], rounds=9)
    counts = [order.count(number) for number in range(40)]
    assert counts == [9] * 4 + [8] + [4] * 5 + [2] * 10 + [1] * 20
    assert [candidate.config["n"] for candidate in candidates if not candidate.reason] == [0, 1, 2, 3]
    assert candidates[39].reason == "slower: 40.00 times the best after round 1"


def test_every_other_round_goes_backwards() -> None:
    assert raced([1.0, 2.0, 3.0], rounds=3)[1] == [0, 1, 2, 2, 1, 0, 0, 1, 2]


def test_who_is_near_the_best_stays() -> None:
    candidates, _ = raced([1.0] * 6 + [1.015, 1.03], rounds=3)
    assert [bool(candidate.reason) for candidate in candidates] == [False] * 7 + [True]


def test_a_candidate_that_fails_meanwhile_is_out() -> None:
    candidates = [Candidate(Config({"n": number})) for number in range(2)]

    def measure(candidate: Candidate) -> None:
        candidate.times.setdefault((1,), []).append(1.0 + candidate.config["n"])
        if len(candidate.times[1,]) == 2:
            candidate.reason = "failed"

    race(candidates, 5, measure, lambda *how: None)
    assert [len(candidate.times[1,]) for candidate in candidates] == [2, 2]


@given(st.lists(st.floats(0, 100), min_size=1, max_size=60), st.integers(1, 12))
def test_the_fastest_is_never_dropped(times: list[float], rounds: int) -> None:
    candidates, order = raced(times, rounds)
    best = times.index(min(times))
    assert not candidates[best].reason
    assert order.count(best) == rounds
    assert len(order) <= len(times) * rounds
