"""What the verifier found clean, kept from one process to the next where there is a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from driver_ctypes.caches.code import CodeStore
from ptxgen import stores
from ptxgen.emulated_driver.modules.disk import open_verdicts
from ptxgen.host import verdicts
from ptxgen.verifier.findings import clean

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A process that keeps no verdicts yet, with an empty cache."""
    monkeypatch.setattr(stores, "_asked", [])
    monkeypatch.setattr(stores, "_told", [])
    monkeypatch.setattr(clean, "_clean", clean._clean.copy())
    monkeypatch.setattr("driver_ctypes.caches.process.code_store", lambda folder: CodeStore(tmp_path / folder))
    verdicts.store.cache_clear()
    yield
    verdicts.store.cache_clear()


def test_the_next_process_knows_what_was_clean(process: None) -> None:
    verdicts.keep()
    clean.note_clean("a program")
    clean.note_lowest_version("a draft", (8, 6))
    clean._clean.clear()
    verdicts.store.cache_clear()
    assert clean.is_clean("a program")
    assert clean.lowest_version("a draft") == (8, 6)
    assert clean.lowest_version("a program") is None
    assert not clean.is_clean("another")


def test_whoever_keeps_verdicts_already_goes_on(process: None) -> None:
    kept: dict[str, str] = {}
    stores.keep_verdicts(kept.get, kept.__setitem__)
    verdicts.keep()
    clean.note_clean("a program")
    assert len(kept) == 1


def test_without_a_cache_nothing_is_kept(process: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("driver_ctypes.caches.process.code_store", lambda folder: None)
    verdicts.keep()
    clean.note_clean("a program")
    clean._clean.clear()
    assert not clean.is_clean("a program")


def test_other_sources_know_nothing(process: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept = CodeStore(tmp_path / "verdicts")
    open_verdicts(kept).put(b"", "digest")
    assert open_verdicts(kept).get("digest") == b""
    from ptxgen.emulated_driver.modules import disk

    found = disk.sources()
    assert found is not None
    monkeypatch.setattr(disk, "sources", lambda without: found._replace(marks="changed", root=str(tmp_path)))
    assert open_verdicts(kept).get("digest") is None
