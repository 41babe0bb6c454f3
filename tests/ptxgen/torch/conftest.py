"""PyTorch's name of the device under test; everything here skips where PyTorch is not installed."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def place(device_name):
    return device_name
