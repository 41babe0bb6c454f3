"""Modules that need packages of an extra."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

EXTRAS = {
    "pygls": "lsp", "lsprotocol": "lsp", "mcp": "mcp", "pydantic": "mcp", "distributed": "dask", "jax": "jax", "jaxlib": "jax",
    "torch": "torch",
}  # fmt: skip
"""Which extra brings each package."""


def module(name: str) -> ModuleType:
    """The module; the test, or the file of tests, is skipped where what it needs of an extra is not installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        pytest.skip(f"{name} needs {package}, of the extra {EXTRAS[package]}", allow_module_level=True)
