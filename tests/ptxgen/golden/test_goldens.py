"""The goldens of this repository: what the library emits, for every variant and target of the catalogue.

After a change that is meant: `pytest tests/ptxgen/golden/test_goldens.py --bless`, then read the diff.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ptxgen.assembler import Assembled, assemble_many
from ptxgen.golden import golden_path
from ptxgen.kernels import CATALOGUE, TARGETS
from ptxgen.text import parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.ir import Module
    from ptxgen.kernels import Variant

FOLDER = Path(__file__).resolve().parents[3] / "golden"
PINNED = [
    pytest.param(variant, target, id=f"{variant.label}.{target}")
    for variants in CATALOGUE.values()
    for variant in variants
    for target in TARGETS
    if target not in variant.absent
]


@pytest.mark.parametrize("variant, target", PINNED)
def test_the_library_emits_its_golden(
    golden: Callable[[str, str, Module], None], variant: Variant, target: str
) -> None:
    golden(variant.family, variant.name, variant.module(target, strict=True))


def test_no_golden_is_an_orphan() -> None:
    known = {golden_path(v.family, v.name, target, folder=FOLDER) for v, target in (case.values for case in PINNED)}
    orphans = sorted(path.relative_to(FOLDER).as_posix() for path in set(FOLDER.rglob("*.*")) - known)
    assert not orphans, "delete what no variant of the catalogue emits"


def test_every_golden_assembles_for_its_target(assembler: object) -> None:
    files = sorted(FOLDER.rglob("*.ptx"))
    assert files
    results = assemble_many((path.read_bytes(), path.suffixes[-2][1:]) for path in files)
    refused = [f"{path.name}: {found}" for path, found in zip(files, results) if not isinstance(found, Assembled)]
    assert not refused


@pytest.mark.parametrize(
    "path", sorted(FOLDER.rglob("*.sm_90a.ptx")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_a_golden_read_back_prints_the_same(path: Path) -> None:
    assert str(parse(path.read_text(), name=path.name)) == path.read_text()
