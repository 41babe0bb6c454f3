"""A fuzz target of whose cases 3 raises, 5 ends the process, 7 hangs and 9 takes memory."""

from __future__ import annotations

import os
import time

from tools.fuzz._target import Target


class Faulty(Target):
    seconds = 2.0

    def __init__(self) -> None:
        self.taken: list[bytes] = []

    def draw(self, rng) -> str:
        return str(rng.randrange(10))

    def judge(self, case: str) -> None:
        if case == "3":
            raise KeyError("three")
        if case == "5":
            os._exit(5)
        if case == "7":
            while True:
                pass
        if case == "9":
            self.taken = [bytes([1]) * (1 << 24) for _ in range(16)]
            time.sleep(60)


def target() -> Faulty:
    return Faulty()
