"""Templates of strangers: known escapes from Jinja's sandbox, files outside the folders, and what never ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxgen.errors import Diagnostic, TemplateError
from ptxgen.ir import resolve
from ptxgen.isa.types import TYPES
from ptxgen.text import TemplateLimits, render, render_text, template_process
from ptxgen.text.template_helpers import GLOBALS

HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"

ESCAPES = [
    "{{ lipsum.__globals__ }}",
    "{{ lipsum.__globals__['os'].popen('id').read() }}",
    "{{ lipsum['__globals__'] }}",
    "{{ lipsum|attr('__globals__') }}",
    "{{ lipsum|attr('__glo' ~ 'bals__')|string }}",
    "{{ lipsum|attr('\\x5f\\x5fglobals\\x5f\\x5f') }}",
    "{{ ([lipsum]|map(attribute='__globals__')|first).os }}",
    "{{ ([lipsum]|map('attr', '__globals__')|first).os }}",
    "{{ ([lipsum]|groupby('__globals__')|first).grouper.os }}",
    "{{ [lipsum]|sort(attribute='__globals__.os') }}",
    "{{ [lipsum, lipsum]|sum('__code__') }}",
    "{{ cycler.__init__.__globals__.os }}",
    "{{ joiner.__init__.__globals__.os }}",
    "{{ namespace.__init__.__globals__.os }}",
    "{{ self.__init__.__globals__ }}",
    "{{ self._TemplateReference__context.environment.globals }}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ ''['__class__'] }}",
    "{{ ().__class__.__base__.__subclasses__() }}",
    "{{ '{0.__class__.__mro__}'.format(1) }}",
    "{{ '{0.__globals__}'.format(lipsum) }}",
    "{{ '{f.__globals__}'.format_map({'f': lipsum}) }}",
    "{{ ('{0.__globals__}'|attr('format'))(lipsum) }}",
    "{{ (['{0.__globals__}'.format]|map('attr', '__self__')|first).upper() }}",
    "{% set f = '{0.__globals__}'.format %}{{ f(lipsum) }}",
    "{% for f in ['{0.__globals__}'.format] %}{{ f(lipsum) }}{% endfor %}",
    "{{ types.f32.__class__.storage.fget.__globals__ }}",
    "{{ types.f32._type.__class__ }}",
    "{{ reg.__globals__ }}",
    "{{ ceil_div.__code__.co_consts }}",
    "{{ ceil_div.func_globals }}{{ ceil_div.__builtins__ }}",
    "{% macro m() %}{{ caller.__call__ }}{% endmacro %}{{ m._func.__globals__ }}",
    "{{ loop.__init__ }}{% for x in [1] %}{{ loop.__init__.__globals__ }}{% endfor %}",
    "{{ range.__init__.__globals__ }}{{ (range(1)|map('string')).gi_frame.f_globals }}",
    "{% set g = [1]|map('string') %}{{ g.gi_frame.f_builtins }}",
    "{{ dict.__base__ }}{{ dict.mro() }}",
    "{% do types.update({'f32': 'u8'}) %}",
    "{% do types.clear() %}",
    "{% do types.pop('f32') %}",
    "{% set types.f32 = 'u8' %}",
    "{% do word.append('x') %}",
    "{% import self._TemplateReference__context.name as m %}",
]

BOMBS = [
    ("{% for a in range(99999) %}{% for b in range(99999) %}\n{% if a %}{% endif %}{% endfor %}{% endfor %}", "0.1 s"),
    ("{{ 'a' * 10**12 }}", "more memory"),
    ("{{ '%0999999999d'|format(1) }}{{ 'a'|center(10**9) }}", "more memory"),
    ("{% set x = 9 ** (9 ** 9) %}", "0.1 s"),  # one operation: the kernel ends the process after the second
    ("{% if 1 %}" * 300 + "{% endif %}" * 300, "RecursionError"),
    ("{# ptxgen: parameter a: int" + " " * 3000 + "! #}", "0.1 s"),
]


def finding(source: str, **given: object) -> Diagnostic:
    with pytest.raises(TemplateError) as caught:
        render_text(source, name="strange.j2", **given)  # type: ignore[arg-type]
    return caught.value.diagnostics[0]


@pytest.mark.parametrize("template", ESCAPES)
def test_an_escape_is_refused(template: str) -> None:
    word = ["a"]
    known = dict(GLOBALS["types"])
    found = finding(f"{HEADER}\n{template}", **({"word": word} if "word" in template else {}))
    assert found.code in ("PTX151", "PTX152", "PTX155")
    assert (word, GLOBALS["types"]) == (["a"], known)
    assert not any(secret in str(found) for secret in ("<module", "builtin_function", "<class 'object'", "uid="))


def test_a_refusal_says_where_and_what_to_do() -> None:
    found = finding(f"{HEADER}{{{{ lipsum.__globals__ }}}}")
    assert (found.code, found.locations[0].line) == ("PTX155", 4)
    assert found.message == "the sandbox refuses this: access to attribute '__globals__' of 'function' object is unsafe"
    assert "trust=True" in str(found.hint)
    found = finding("{% set x = [] %}\n{% do x.append(1) %}")
    assert (found.code, found.locations[0].line) == ("PTX155", 2)
    assert str(found.hint).startswith("make a new object: ")


def test_what_is_trusted_runs_as_it_is() -> None:
    text = (
        HEADER + "{% set x = [] %}{% do x.append(1) %}// {{ x }} {{ x.__class__.__name__ }} {{ range(200000)|length }}"
    )
    assert "[1] list 200000" in str(render_text(text, trust=True))


@pytest.mark.parametrize("limits", [None, TemplateLimits()])
def test_files_are_those_of_the_folders(tmp_path: Path, limits: TemplateLimits | None) -> None:
    (tmp_path / "secret").write_text("// secret")
    inner = tmp_path / "inner"
    (inner / "parts").mkdir(parents=True)
    (inner / "parts" / "part.j2").write_text("// {{ types.f32 }} of a part\n")
    (inner / "link.j2").symlink_to(tmp_path / "secret")
    (inner / "folder").symlink_to(tmp_path)
    main = inner / "main.ptx.j2"
    reasons = {
        "../secret": "is not a relative path without '..'",
        "parts/../../secret": "is not a relative path without '..'",
        str(tmp_path / "secret"): "is not a relative path without '..'",
        "link.j2": "is a link to",
        "folder/secret": "is a link to",
    }
    for name, reason in list(reasons.items())[: None if limits is None else 1]:
        for how in (f"include '{name}' ignore missing", f"extends '{name}'", f"import '{name}' as m"):
            main.write_text(f"{HEADER}\n{{% {how} %}}\n")
            with pytest.raises(TemplateError) as caught:
                render(main, limits=limits)
            found = caught.value.diagnostics[0]
            assert (found.code, found.locations[0].line) == ("PTX155", 5)
            assert reason in found.message
            assert "secret" not in str(found.locations[0].excerpt().replace(name, ""))
            if limits is not None:
                break
    main.write_text(HEADER + "{% include 'parts/part.j2' %}")
    assert "f32 of a part" in str(render(main, limits=limits))
    main.write_text(HEADER + "{% include '../secret' %}")
    assert "// secret" in str(render(main, trust=True))


def test_a_text_includes_nothing_of_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.j2").write_text("// here")
    with pytest.raises(TemplateError, match=r"no template 'here.j2'"):
        render_text(HEADER + "{% include 'here.j2' %}")
    for where in ({"search": [tmp_path]}, {"name": str(tmp_path / "main.j2")}, {"trust": True}):
        assert "// here" in str(render_text(HEADER + "{% include 'here.j2' %}", **where))


@pytest.mark.parametrize("template, told", BOMBS, ids=[text[:30] for text, _ in BOMBS])
def test_what_never_ends_is_ended(template: str, told: str) -> None:
    found = finding(template, limits=TemplateLimits(seconds=0.1, megabytes=512))
    assert found.code == ("PTX152" if told == "RecursionError" else "PTX156")
    assert told in found.message
    assert found.locations[0].file == "strange.j2"
    assert found.code == "PTX152" or "0.1 s of processor time, 512 MB of memory" in str(found.expected)


def test_the_text_has_a_limit_without_a_child_too() -> None:
    found = finding("{% for i in range(99999) %}\n{{ 'x' * 1000 }}\n{% endfor %}")
    assert (found.code, found.message) == ("PTX156", "the text is longer than 16777216 characters")


def test_a_child_renders_the_same() -> None:
    text = (
        "{# ptxgen: parameter type: type #}{# ptxgen: parameter n: int = 2 #}"
        + HEADER
        + ".entry k {\n{% for i in range(n) %}\n\t.reg .{{ type }} {{ reg(type, i) }};\n{% endfor %}\n\tret;\n}\n"
    )
    here = render_text(text, type=TYPES["f64"])
    there = render_text(text, type=TYPES["f64"], limits=TemplateLimits())
    assert here == there
    assert [resolve(i.source) for f in here.functions for i in f.instructions()] == [
        resolve(i.source) for f in there.functions for i in f.instructions()
    ]
    free = HEADER + "// {{ names|join('+') }} {{ more.a }}\n"
    assert "a+b 0.5" in str(render_text(free, names=iter("ab"), more={"a": 0.5}, limits=TemplateLimits()))


@pytest.mark.parametrize("value", [object(), {1: 2}, b"x", {"a": {1}}])
def test_what_cannot_be_given_to_a_child(value: object) -> None:
    found = finding(HEADER + "{{ p }}", p=value, limits=TemplateLimits())
    assert (found.code, found.message.split(" is a ")[0]) == ("PTX153", "parameter 'p'")
    assert found.expected is not None


def test_limits_that_are_none() -> None:
    for limits in (TemplateLimits(seconds=0), TemplateLimits(seconds=float("inf")), TemplateLimits(megabytes=-1)):
        with pytest.raises(ValueError, match="positive numbers"):
            render_text(HEADER, limits=limits)
    with pytest.raises(TypeError, match="trust or limits"):
        render_text(HEADER, limits=TemplateLimits(), trust=True)


@pytest.mark.parametrize(
    "child, told",
    [
        (
            "import os; os.kill(os.getpid(), 11)",
            "its interpreter was ended by SIGSEGV: nested too deeply, or too large",
        ),
        (
            "import os; os.kill(os.getpid(), 24)",
            "it takes more than 1 s of processor time, or more memory than there is",
        ),
        ("raise MemoryError", "it takes more than 1024 MB of memory"),
        ("raise KeyError('x')", "its interpreter ended with status 1: KeyError: 'x'"),
        ("print('[]')", "its interpreter ended with status 0: no message"),
        ("print('{}')", "its interpreter ended with status 0: no message"),
        ('print(\'{"text": 5, "lines": [], "places": [0]}\')', "its interpreter ended with status 0: no message"),
        ("import time; time.sleep(60)", "it is not done in 0.3 s, or answers without end"),
    ],
)
def test_a_child_that_ends_otherwise(child: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template_process, "_START", child)
    if "sleep" in child:
        monkeypatch.setattr(template_process, "_LEAST_PATIENCE", 0.3)
    found = finding(HEADER, limits=TemplateLimits(seconds=0.01 if "sleep" in child else 1))
    assert (found.code, found.message) == ("PTX156", told)
