"""`abi.numbers` are the members of `abi.enums`."""

from __future__ import annotations

import pytest

from driver_ctypes.abi import enums, numbers

CLASSES = sorted(name for name in vars(numbers) if name.startswith("CU"))


@pytest.mark.parametrize("name", CLASSES)
def test_numbers_are_those_of_the_enumeration(name: str) -> None:
    stated = {each: value for each, value in vars(getattr(numbers, name)).items() if not each.startswith("_")}
    members = getattr(enums, name).__members__
    assert stated
    assert stated == {each: int(members[each]) for each in stated}
