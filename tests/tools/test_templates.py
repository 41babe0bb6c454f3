"""Jinja's templates as Python: what tools/compile_templates.py writes does what Jinja does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ptxgen.text.template_engine import compiled as jinja
from ptxgen.text.template_files import LIBRARY, TemplateFiles
from ptxgen.text.template_parameters import check, declarations
from tools import compile_templates
from tools.templates.files import Compiled, compiled
from tools.templates.scopes import Refused

DECLARED = """{# ptxgen:
   parameter target: str = sm_90a
   parameter n: int = 3
   parameter t: type(f16, f32) = f16
   parameter flag: bool = True
#}
"""

SAME = {
    "text": "a 'b' \"c\" \\n %d { } {{ n }}%%\n\tlast",
    "lines without blocks": "{% if flag %}\none\n  {% endif %}\ntwo{#- nothing -#}\n three\n",
    "a loop's variable is its own": "{% set i = 7 %}{% for i in range(n) %}{{ i }}{% endfor %}{{ i }}",
    "what a loop sets is its own": "{% set x = 1 %}{% for i in range(n) %}{% set x = x + i %}{{ x }}{% endfor %}{{ x }}",
    "loops in loops": "{% for i in range(n) %}{% for i in range(i) %}{{ i }}{{ loop.index }}{% endfor %}{{ i }}{% endfor %}",
    "what a branch sets is not": "{% if flag %}{% set x = 1 %}{% else %}{% set x = 2 %}{% endif %}{{ x }}",
    "a loop with a test": "{% for i in range(9) if i % 2 %}{{ loop.first }}{{ i }}{{ ', ' if not loop.last }}{% endfor %}",
    "pairs": "{% for a, b in [(1, 2), (3, 4)] %}{{ loop.index0 }}{{ a - b }}{% endfor %}",
    "a macro": "{% macro m(a, b=2) %}{{ a }}{{ b }}{% set a = 0 %}{{ a }}{% endmacro %}{{ m(n) }}{{ m(1, b=n) }}",
    "a macro asks when it is called": "{% macro m() %}{{ x }}{% endmacro %}{% set x = 5 %}{{ m() }}",
    "a macro's own": "{% set x = 1 %}{% macro m() %}{{ x }}{% set x = 2 %}{{ x }}{% endmacro %}{{ m() }}{{ x }}",
    "a macro called with text": "{% macro m() %}({{ caller(1) }}){% endmacro %}{% for j in range(n) %}"
    "{% call(i) m() %}{{ i + j }}{% endcall %}{% endfor %}",
    "a namespace": "{% set s = namespace(l=[]) %}{% for i in range(n) %}{% set s.l = s.l + [i] %}{% endfor %}{{ s.l }}",
    "an import": '{% from "vectors.j2" import load as l with context %}{{ l("x", t, 0, 4, "%a", 8) }}',
    "no else": "{{ 'x' if not flag }}|{{ 'y' if flag }}",
    "operators": "{{ -n % 2 }} {{ 7 // -2 }} {{ (1 - 2) - (3 - 4) }} {{ 2 * (n + 1) }} {{ 1 < n <= 3 }} {{ not n in [1] }}"
    "{{ not (flag and n) or (flag or n) and n }}",
    "texts": "{{ n ~ '-' ~ (n + 1) }} {{ '%d%%' % n }} {{ 'a.b'.startswith('a') }}",
    "members": "{{ t.bits }} {{ {'k': 5}.k }} {{ [1, 2, 3][1:] }} {{ types['s32'].bytes }} {{ (1,) }}",
    "filters": "{{ [n, 9]|min }}{{ [1, 2]|join(', ') }}{{ n|f32 }}{{ 1|literal(t) }}{{ [(1, 'a')]|map(attribute=1)|list }}",
    "choices": "{{ [('a', 1), ('b', 2)]|selectattr(0, 'in', ['b'])|list }}{{ [1, 2]|reject('in', [2])|list }}",
    "Python's words": "{% macro m(raise, class=1) %}{{ raise }}{{ class }}{% endmacro %}{{ m(n, class=4) }}",
    "tests": "{{ n is number }} {{ 'a' is number }}",
}  # fmt: skip


@pytest.mark.parametrize("text", SAME.values(), ids=list(SAME))
def test_python_gives_what_jinja_gives(text: str) -> None:
    source = DECLARED + text
    values = check(declarations(source, "case"), {}, "case")
    names: dict[str, Any] = {}
    exec(Compiled("case.ptx.j2", source).python(), names)
    assert names["render"](**values) == jinja(source, str(LIBRARY / "case"), TemplateFiles()).render(values)[0]


REFUSED = {
    "no declaration": ("{{ other }}", "other: neither set nor declared"),
    "a filter": ("{{ n|abs }}", "the filter abs"),
    "a statement": ("{% include 'x' %}", "Include"),
    "an expression": ("{{ n ** 2 }}", "Pow"),
    "a loop with else": ("{% for i in [] %}{% else %}x{% endfor %}", "a loop with else"),
    "a macro's default": ("{% macro m(a=n) %}{% endmacro %}", "a default that is not a constant"),
}  # fmt: skip


@pytest.mark.parametrize("text, message", REFUSED.values(), ids=list(REFUSED))
def test_what_is_not_translated_is_refused(text: str, message: str) -> None:
    with pytest.raises(Refused, match=message):
        Compiled("case.ptx.j2", DECLARED + text)


def test_the_files_are_what_the_templates_say() -> None:
    there = {path.name: path.read_text("utf-8") for path in compile_templates.FOLDER.glob("[!_]*.py")}
    assert compiled() == there, "run tools/compile_templates.py"


def test_the_command_writes_what_differs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(compile_templates, "FOLDER", tmp_path)
    monkeypatch.setattr(compile_templates, "compiled", lambda: {"a.py": "new", "b.py": "as it was"})
    for name, text in {"a.py": "old", "b.py": "as it was", "gone.py": "", "__init__.py": "own"}.items():
        Path(tmp_path, name).write_text(text)
    monkeypatch.setattr("sys.argv", ["compile_templates.py", "--check"])
    with pytest.raises(SystemExit, match=r"a\.py, gone\.py"):
        compile_templates.main()
    monkeypatch.setattr("sys.argv", ["compile_templates.py"])
    compile_templates.main()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "a.py": "new", "b.py": "as it was", "__init__.py": "own",
    }  # fmt: skip
