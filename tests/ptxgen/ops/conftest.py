"""The device that operations are tested on."""

from __future__ import annotations

import pytest

import ptxgen as px


@pytest.fixture(scope="module")
def dev(device_name):
    return px.device(device_name)


@pytest.fixture
def nothing_is_left(dev):
    """Every array, stream and graph of a test is closed in it; modules stay, for they are loaded once."""
    before = dev.context.live_handles()
    yield
    after = dev.context.live_handles()
    assert [kind for kind in after if kind != "module" and after[kind] > before.get(kind, 0)] == []
