"""The library's templates as functions of Python give what Jinja gives; Jinja stands in where a template was changed."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ptxgen.ir import resolve
from ptxgen.kernels import template_functions
from ptxgen.kernels.catalogue import TARGETS
from ptxgen.kernels.template_functions import compiled
from ptxgen.kernels.templated import TemplateKernel
from ptxgen.text import library, template_engine
from ptxgen.text.template_files import LIBRARY, TemplateFiles
from ptxgen.text.template_parameters import check, declarations

if TYPE_CHECKING:
    from ptxgen.text.template_parameters import Declaration

KERNEL = TemplateKernel("optimiser", "optimiser.ptx.j2", op="lion", type="f32")
DRAWS = 8


def drawn(declaration: Declaration, choose: random.Random) -> Any:
    """A value that a template's declaration allows; of numbers, a small one."""
    if declaration.name == "target":
        return choose.choice(TARGETS)
    if declaration.choices:
        return choose.choice(declaration.choices)
    if declaration.kind == "bool":
        return choose.random() < 0.5
    if declaration.kind == "int":
        numbers = [n for n in (0, 1, 2, 4, 8, 16, 32, 64) if (declaration.low or 0) <= n <= (declaration.high or 64)]
        return choose.choice(numbers or [declaration.low])
    return declaration.default


@pytest.mark.parametrize("template", sorted(path.name for path in LIBRARY.glob("*.ptx.j2")))
def test_a_function_gives_what_jinja_gives(template: str) -> None:
    path = LIBRARY / template
    source = path.read_text("utf-8")
    function = compiled(template)
    assert function is not None, "run tools/compile_templates.py"
    declared, choose = declarations(source, template), random.Random(template)
    for _ in range(DRAWS):
        values = check(declared, {name: drawn(each, choose) for name, each in declared.items()}, template)
        text, _places = template_engine.compiled(source, str(path), TemplateFiles()).render(values)
        assert function(**values) == text


def refuse(*_: object) -> None:
    raise AssertionError("a template is rendered by Jinja")


def test_a_kernel_takes_no_jinja_but_for_its_places(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as without:
        without.setattr(template_engine, "compiled", refuse)
        module = KERNEL.module()
    instruction = next(module.entries[0].instructions())
    assert [place.kind for place in resolve(instruction.source)] == ["ptx", "template"]


def test_a_process_that_builds_one_does_not_load_jinja() -> None:
    program = (
        "import sys; from ptxgen.kernels.elements.bias import VARIANTS; VARIANTS[0].module('sm_90a');"
        "sys.exit('jinja2' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize("changed", ["optimiser.ptx.j2", "vectors.j2"])
def test_a_changed_template_is_rendered_by_jinja(monkeypatch: pytest.MonkeyPatch, changed: str) -> None:
    known = KERNEL.module()
    text = (LIBRARY / changed).read_text("utf-8")
    digest = template_functions.digest
    monkeypatch.setattr(template_functions, "digest", lambda source: digest(source + " " * (source == text)))
    assert compiled("optimiser.ptx.j2") is None
    assert KERNEL.module() == known


def test_a_template_that_nobody_compiled_is_rendered_by_jinja(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    known = KERNEL.module()
    new = Path(tmp_path, "another.ptx.j2")
    new.write_text((LIBRARY / "optimiser.ptx.j2").read_text("utf-8"), "utf-8")
    monkeypatch.setattr(library, "TEMPLATES", str(tmp_path))
    assert compiled("another.ptx.j2") is None
    made = TemplateKernel("optimiser", "another.ptx.j2", op="lion", type="f32").module()
    assert str(made) == str(known)


def test_jinja_says_what_is_wrong_with_a_template_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    known = KERNEL.module()
    monkeypatch.setattr(template_functions, "compiled", lambda _: refuse)
    assert KERNEL.module() == known
