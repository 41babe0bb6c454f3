"""Which template line made each line of a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ptxgen.errors import Location

__all__ = ["Places"]


class Places(Sequence[Location]):
    """The place in the templates that made each line, found when somebody first asks: to find them takes a second rendering."""

    __slots__ = ("_find", "_found")

    def __init__(self, find: Callable[[], list[Location]]) -> None:
        self._find = find
        self._found: list[Location] | None = None

    def _all(self) -> list[Location]:
        if self._found is None:
            self._found = self._find()
        return self._found

    def __getitem__(self, index: Any) -> Any:
        return self._all()[index]

    def __len__(self) -> int:
        return len(self._all())

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy elsewhere has them."""
        return list, (self._all(),)
