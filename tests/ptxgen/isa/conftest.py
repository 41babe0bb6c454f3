"""The assembler that the table is certified with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ptxgen.isa.targets import VERSIONS
from tools.certify.verdicts import Tool, find_tool

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="session")
def tool(assembler: Callable[..., object]) -> Tool:
    """An nvJitLink that knows every PTX version of the table; an older one would refuse what it cannot know."""
    found = find_tool()
    assert found is not None
    _needs(found, VERSIONS[-1])
    return found


@pytest.fixture(scope="session")
def knows(assembler: Callable[..., object]) -> Callable[[tuple[int, int]], None]:
    """A function of a PTX version: it skips the test when the assembler does not know that version yet."""
    found = find_tool()
    assert found is not None
    return lambda version: _needs(found, version)


def _needs(found: Tool, version: tuple[int, int]) -> None:
    if found.versions[-1] < version:
        newest, known = (".".join(map(str, each)) for each in (VERSIONS[-1], found.versions[-1]))
        pytest.skip(f"{found.name} ends at PTX {known}, the table at {newest}: pip install -U nvidia-nvjitlink")
