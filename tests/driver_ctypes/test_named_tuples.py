"""The NamedTuple of `driver_ctypes.typing` beside that of `typing`: the first tuples of a class, and those that its own function
makes."""

from __future__ import annotations

import copy
import pickle
import typing
from collections.abc import Callable
from typing import Any

import pytest

from driver_ctypes import typing as ours


class Ours(ours.NamedTuple):
    """A point."""

    x: int
    y: int = 2
    name: str = ""

    def moved(self) -> Ours:
        return self._replace(x=self.x + 1)


class Theirs(typing.NamedTuple):
    """A point."""

    x: int
    y: int = 2
    name: str = ""

    def moved(self) -> Theirs:
        return self._replace(x=self.x + 1)


class Checked(Ours):
    """A class above may check what it is given."""

    __slots__ = ()

    def __new__(cls, x: int, y: int = 7) -> Checked:
        if x < 0:
            raise ValueError("x is at least 0")
        return super().__new__(cls, x, y, "checked")


SAME: list[Callable[[Any], Any]] = [
    lambda kind: tuple(kind(1)),
    lambda kind: tuple(kind(1, name="a")),
    lambda kind: tuple(kind(*[1, 2, "b"])),
    lambda kind: tuple(kind(1).moved()),
    lambda kind: repr(kind(1)).partition("(")[2],
    lambda kind: kind(1)._asdict(),
    lambda kind: tuple(kind._make([1, 2, "c"])),
    lambda kind: (kind._fields, kind._field_defaults, kind.__match_args__, kind.__doc__),
    lambda kind: kind(1) == (1, 2, "") and hash(kind(1)) == hash((1, 2, "")),
    lambda kind: (kind(1).x, kind(1).name, hasattr(kind(1), "__dict__")),
    lambda kind: (tuple(copy.copy(kind(1))), tuple(copy.deepcopy(kind(1)))),
]
WRONG: list[Callable[[Any], Any]] = [
    lambda kind: kind(),
    lambda kind: kind(1, 2, "", 4),
    lambda kind: kind(1, x=1),
    lambda kind: kind(1, z=1),
    lambda kind: kind._make([1]),
]


@pytest.mark.parametrize("turn", range(10))
def test_tuples_behave_as_those_of_typing(turn: int) -> None:
    for ask in SAME:
        assert ask(Ours) == ask(Theirs)
    for ask in WRONG:
        with pytest.raises(TypeError):
            ask(Ours)
    back = pickle.loads(pickle.dumps(Ours(turn)))
    assert type(back) is Ours
    assert back == (turn, 2, "")
    with pytest.raises(AttributeError):
        back.x = 3  # type: ignore[misc]


def test_a_derived_class_keeps_its_own_way_of_making() -> None:
    for turn in range(20):
        made = Checked(turn)
        assert (made, type(made)) == ((turn, 7, "checked"), Checked)
    with pytest.raises(ValueError, match="at least 0"):
        Checked(-1)
    assert Ours(1) == (1, 2, "")
