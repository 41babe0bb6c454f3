"""A backend of the device under test, which leaves nothing behind."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

import ptxgen as px
from ptxgen.runtime import Backend
from ptxgen.runtime.code import toolchain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def the_toolchain_is_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs are kept on disk also where a source file is being edited while the tests run."""
    monkeypatch.setattr(toolchain, "_stamped", lambda root: "a stamp")
    monkeypatch.setattr(toolchain, "_known", [])


@pytest.fixture
def backend(device_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Backend]:
    """After the test it is closed, and not one handle more lives than before."""
    monkeypatch.setenv("PTXGEN_PTX_SOURCE_CACHE_DIR", str(tmp_path / "ptx-source"))
    context = px.device(device_name).context
    gc.collect()
    before = context.live_handles()
    with Backend.acquire(device_name) as made:
        yield made
    gc.collect()
    assert context.live_handles() == before
