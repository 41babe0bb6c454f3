"""Texts that the library's templates made, kept from one process to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from driver_ctypes.caches.code import CodeStore
from ptxgen.emulated_driver.modules.disk import Disk
from ptxgen.host import verdicts
from ptxgen.ir import resolve
from ptxgen.kernels import template_texts
from ptxgen.kernels.templated import TemplateKernel
from ptxgen.text import template_engine

if TYPE_CHECKING:
    from pathlib import Path

KERNEL = TemplateKernel("optimiser", "optimiser.ptx.j2", op="lion", type="f32")


@pytest.fixture(autouse=True)
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Disk:
    """An empty cache."""
    made = Disk(CodeStore(tmp_path / "verdicts"), "these sources", None)
    monkeypatch.setattr(verdicts, "store", lambda: made)
    return made


def refuse(*_: object) -> None:
    raise AssertionError("a template is compiled")


def test_a_known_text_takes_no_jinja(monkeypatch: pytest.MonkeyPatch) -> None:
    first = KERNEL.module()
    with monkeypatch.context() as without:
        without.setattr(template_engine, "compiled", refuse)
        again = KERNEL.module()
        assert again == first
        assert again.version == first.version
        with pytest.raises(AssertionError, match="compiled"):
            KERNEL.module(target="sm_80")  # another text
    instruction = next(again.entries[0].instructions())
    assert [place.kind for place in resolve(instruction.source)] == ["ptx", "template"]
    assert resolve(instruction.source) == resolve(next(first.entries[0].instructions()).source)


def test_other_templates_know_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    KERNEL.module()
    monkeypatch.setattr(template_texts, "_marks", lambda: "changed")
    monkeypatch.setattr(template_engine, "compiled", refuse)
    with pytest.raises(AssertionError, match="compiled"):
        KERNEL.module()


def test_nothing_is_kept_of_templates_that_change_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = template_texts.template_texts()
    assert texts is not None
    monkeypatch.setattr(template_texts, "_marks", lambda: "changed")
    texts.put("key", "text")
    assert texts.get("key") is None


def test_without_a_cache_it_is_rendered(monkeypatch: pytest.MonkeyPatch) -> None:
    known = KERNEL.module()
    monkeypatch.setattr(verdicts, "store", lambda: None)
    assert KERNEL.module() == known
