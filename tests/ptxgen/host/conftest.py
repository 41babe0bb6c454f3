"""The device under test, left as it was found: no live handle more than before."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

import driver_ctypes
import ptxgen as px

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True, scope="session")
def launchers_are_quick_to_make() -> None:
    """How launches go is decided, as in a process that has made one launcher: see `test_first_launcher.py`."""
    driver_ctypes.launcher()


@pytest.fixture
def dev(device_name: str) -> Iterator[px.Device]:
    device = px.device(device_name)
    gc.collect()
    before = device.context.live_handles()
    yield device
    gc.collect()
    device.context.collect()
    after = device.context.live_handles()
    left = {kind: count for kind, count in after.items() if count > before.get(kind, 0) and kind != "module"}
    assert left == {}
