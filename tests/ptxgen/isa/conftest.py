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
    if found.versions[-1] < VERSIONS[-1]:
        newest, known = (".".join(map(str, version)) for version in (VERSIONS[-1], found.versions[-1]))
        pytest.skip(f"{found.name} ends at PTX {known}, the table at {newest}: pip install -U nvidia-nvjitlink")
    return found
