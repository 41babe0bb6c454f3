"""Jinja templates: typed parameters, what the text becomes, and errors that name the template's line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ptxgen import ir
from ptxgen.errors import Diagnostic, Location, PtxSyntaxError, TemplateError
from ptxgen.isa.types import TYPES
from ptxgen.text import parse, render, render_text

HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"

SCALE = (
    """{# ptxgen: parameter type: type(f32, f64) = f32 #}
{# ptxgen:
   parameter unroll: int(1..8) = 2    -- elements of one thread
#}
{% macro scale(i) %}
	ld.global.{{ type }} {{ reg(type, i) }}, [%rd1+{{ i * type.bytes }}];
	{# twice as much #}
	mul.{{ type }} {{ reg(type, i) }}, {{ reg(type, i) }}, {{ 2|literal(type) }};
{% endmacro %}
"""
    + HEADER
    + """
.visible .entry scale(.param .u64 x)
{
	.reg .{{ type }} {{ type.prefix }}<{{ unroll }}>;
	.reg .u64 %rd<2>;
	ld.param.u64 %rd1, [x];
{% for i in range(unroll) %}
	{{ scale(i) }}
{%- endfor %}
	ret;
}
"""
)


def instructions(module: ir.Module) -> list[tuple[str, int]]:
    """Every opcode with its template line."""
    return [(i.op, template_line(i)) for f in module.functions for i in f.instructions()]


def template_line(node: ir.Instruction) -> int:
    _, place = places(node)
    return place.line


def places(node: ir.Instruction) -> tuple[Location, Location]:
    text, template = ir.resolve(node.source)
    return text, template


def body(text: str, **parameters: object) -> ir.Module:
    """A template of a kernel's body; its first line is line 5 of the template."""
    return render_text(f"{HEADER}.entry k {{\n{text}\n}}\n", name="k.ptx.j2", **parameters)


def finding(template: str, **parameters: object) -> Diagnostic:
    with pytest.raises(TemplateError) as caught:
        render_text(template, name="bad.j2", **parameters)
    return caught.value.diagnostics[0]


# What a template becomes.


def test_a_template_becomes_a_module() -> None:
    module = render_text(SCALE, type="f64", unroll=1)
    assert module == parse(
        HEADER
        + """.visible .entry scale(.param .u64 x) {
  .reg .f64 %fd<1>; .reg .u64 %rd<2>;
  ld.param.u64 %rd1, [x];
  ld.global.f64 %fd0, [%rd1+0];
  mul.f64 %fd0, %fd0, 0d4000000000000000;
  ret;
}"""
    )


def test_defaults() -> None:
    assert render_text(SCALE) == render_text(SCALE, type="f32", unroll=2)


@pytest.mark.parametrize(
    "expression, text",
    [
        ("1.5|f32", "0f3FC00000"),
        ("-0.0|f32", "0f80000000"),
        ("1e50|f32", "0f7F800000"),
        ("1.5|f64", "0d3FF8000000000000"),
        ("1.5|f16", "0x3E00"),
        ("1e9|f16", "0x7C00"),
        ("-1e9|f16", "0xFC00"),
        ("1.5|bf16", "0x3FC0"),
        ("1.01|bf16", "0x3F81"),
        ("1e50|bf16", "0x7F80"),
        ("nan|bf16", "0x7FC0"),
        ("3|literal('u32')", "3"),
        ("3|literal('f32')", "0f40400000"),
        ("reg('f32', 3)", "%f3"),
        ("types.f64.bits", "64"),
        ("types.bf16.bytes", "2"),
        ("types.bf16.storage", "b16"),
        ("types.bf16.prefix", "%rs"),
        ("types.f16.prefix", "%h"),
        ("types.u64.prefix", "%rd"),
        ("types.pred.prefix", "%p"),
        ("types.f32.bitwise", "b32"),
        ("types.f16x2.lanes", "2"),
        ("types.s32.kind", "s"),
        ("types.s32.is_signed and types.u8.is_integer and not types.u8.is_float", "True"),
        ("types.s8.storage", "b16"),
        ("types.e4m3.storage", "b16"),
        ("'add.' ~ types.f32", "add.f32"),
        ("types.f32 == 'f32'", "True"),
        ("ceil_div(9, 4)", "3"),
        ("max(1, 2)", "2"),
    ],
)
def test_helpers(expression: str, text: str) -> None:
    module = render_text(f"// {{{{ {expression} }}}}\n" + HEADER, nan=float("nan"), search=()) if "nan" in expression else (
        render_text(f"// {{{{ {expression} }}}}\n" + HEADER)
    )  # fmt: skip
    assert module.items == [ir.Comment(text)]


# Parameters.


@pytest.mark.parametrize(
    "declared, given, value",
    [
        ("int", 5, "5"),
        ("int(1..8)", 8, "8"),
        ("int(1..)", 1000, "1000"),
        ("int(..8)", -5, "-5"),
        ("int = 0x10", None, "16"),
        ("int(-4..4) = -4", None, "-4"),
        ("float", 0.5, "0.5"),
        ("float(0..1)", 1, "1.0"),
        ("float = 1e-3", None, "0.001"),
        ("bool", True, "True"),
        ("bool = false", None, "False"),
        ("str", "a b", "a b"),
        ("str = saxpy", None, "saxpy"),
        ("str = 'a b'  -- a name", None, "a b"),
        ("choice(add, mul)", "mul", "mul"),
        ("choice(1, 2, 4) = 4", None, "4"),
        ("choice(1, 2, 4)", 2, "2"),
        ("choice(f32, add)", "f32", "f32"),
        ("type", "u32", "u32"),
        ("type(f32, f64)", ".f64", "f64"),
        ("type", TYPES["bf16"], "bf16"),
        ("type", type("f16", (), {}), "f16"),  # a class that is called like the type
        ("type = f32", None, "f32"),
    ],
)
def test_parameter(declared: str, given: object, value: str) -> None:
    template = f"{{# ptxgen: parameter p: {declared} #}}// {{{{ p }}}}\n{HEADER}"
    assert render_text(template, **({} if given is None else {"p": given})).items == [ir.Comment(value)]


@pytest.mark.parametrize(
    "declared, given, message, expected",
    [
        ("int(1..8)", 9, "parameter 'p' is 9 (int)", "an int from 1 to 8"),
        ("int(1..)", 0, "parameter 'p' is 0 (int)", "an int, at least 1"),
        ("int(..8)", 9, "parameter 'p' is 9 (int)", "an int, at most 8"),
        ("int", 1.0, "parameter 'p' is 1.0 (float)", "an int"),
        ("int", True, "parameter 'p' is True (bool)", "an int"),
        ("int", "4", "parameter 'p' is '4' (str)", "an int"),
        ("float(0..1)", 2, "parameter 'p' is 2 (int)", "a number from 0.0 to 1.0"),
        ("float", "x", "parameter 'p' is 'x' (str)", "a number"),
        ("bool", 1, "parameter 'p' is 1 (int)", "True or False"),
        ("str", 1, "parameter 'p' is 1 (int)", "a str"),
        ("choice(add, mul)", "sub", "parameter 'p' is 'sub' (str)", "one of add, mul"),
        ("choice(1, 2)", "1", "parameter 'p' is '1' (str)", "one of 1, 2"),
        ("choice(1, 2)", True, "parameter 'p' is True (bool)", "one of 1, 2"),
        ("type(f32, f64)", "u32", "parameter 'p' is 'u32' (str)", "a PTX type, one of f32, f64"),
        ("type", "float", "parameter 'p' is 'float' (str)", "a PTX type"),
        ("type", 32, "parameter 'p' is 32 (int)", "a PTX type"),
    ],
)
def test_wrong_parameter(declared: str, given: object, message: str, expected: str) -> None:
    found = finding(f"\n{{# ptxgen: parameter p: {declared} #}}", p=given)
    assert (found.code, found.message, found.expected) == ("PTX153", message, expected)
    assert found.locations == (Location("template", "bad.j2", 2),)


def test_missing_and_unknown_parameters_are_all_named() -> None:
    with pytest.raises(TemplateError) as caught:
        render_text("{# ptxgen:\nparameter size: int\nparameter type: type\n#}", name="bad.j2", sise=3, type="u3")
    assert str(caught.value) == (
        """bad.j2: wrong parameters
error PTX153: parameter 'size' is missing
  bad.j2:2         parameter size: int
  needs            an int
error PTX153: parameter 'type' is 'u3' (str)
  bad.j2:3         parameter type: type
  needs            a PTX type
error PTX153: unknown parameter 'sise'
  bad.j2:1
  needs            one of size, type
  instead          did you mean 'size'?"""
    )


def test_without_declarations_what_the_template_uses_is_known() -> None:
    template = HEADER + ".global .b32 x[{{ size }}];"
    assert render_text(template, size=3).variables[0].shape == (3,)
    assert finding(template, size=3, seize=4).message == "unknown parameter 'seize'"
    assert finding(template).message == "'size' is undefined"


def test_an_iterator_is_no_trap() -> None:
    module = render_text(HEADER + "{% for n in names %}.global .b32 {{ n }};\n{% endfor %}", names=iter(["a", "b"]))
    assert [v.name for v in module.variables] == ["a", "b"]


@pytest.mark.parametrize(
    "declaration, message",
    [
        ("parameter p int", "not a declaration of a parameter"),
        ("p: int", "not a declaration of a parameter"),
        ("parameter p: itn", "parameter 'p' has the unknown kind 'itn'"),
        ("parameter p: int(5)", "parameter 'p' has the limits (5)"),
        ("parameter p: int(a..b)", "parameter 'p' has the limits (a..b)"),
        ("parameter p: str(1..2)", "parameter 'p' has the limits (1..2)"),
        ("parameter p: type(f31)", "parameter 'p': 'f31' is not a PTX type"),
        ("parameter p: choice()", "parameter 'p' has an empty choice"),
        ("parameter p: choice", "parameter 'p' has an empty choice"),
        ("parameter p: int(1..8) = 9", "the default of parameter 'p' is 9"),
        ("parameter p: int = x", "the default of parameter 'p' is x"),
        ("parameter p: bool = 1", "the default of parameter 'p' is 1"),
        ("parameter p: choice(a, b) = c", "the default of parameter 'p' is c"),
        ("parameter search: int", "a parameter cannot be called 'search'"),
        ("parameter p: int\nparameter p: int", "parameter 'p' is declared twice"),
    ],
)
def test_wrong_declaration(declaration: str, message: str) -> None:
    found = finding(f"\n{{# ptxgen: {declaration} #}}")
    assert (found.code, found.message) == ("PTX154", message)
    assert found.locations[0].line == 2 + declaration.count("\n")


# Places.


def test_every_instruction_knows_its_template_line() -> None:
    assert instructions(render_text(SCALE, name="scale.ptx.j2")) == [
        ("ld.param.u64", 18), ("ld.global.f32", 6), ("mul.f32", 8), ("ld.global.f32", 6), ("mul.f32", 8), ("ret", 22),
    ]  # fmt: skip


def test_a_source_is_the_line_of_the_text_and_of_the_template() -> None:
    first = next(render_text(SCALE, name="scale.ptx.j2").function("scale").instructions())
    text, template = places(first)
    assert (text.kind, str(text)) == ("ptx", "<rendered scale.ptx.j2>:9:2")
    assert (template.kind, str(template)) == ("template", "scale.ptx.j2:18")
    assert text.excerpt() == template.excerpt() == "ld.param.u64 %rd1, [x];"


@pytest.mark.parametrize(
    "text, lines",
    [
        ("a;\n\nb;", [5, 7]),
        ("a; {# of two\nlines #} b;\nc;", [5, 5, 7]),  # one line of text, and so one place
        ("{% for i in range(2) %}\na;\n{% endfor %}\nb;", [6, 6, 8]),
        ("{% for i in range(2) -%}\n  a;\n{% endfor -%}\n\n  b;", [6, 6, 9]),
        ("{% if true %}\na;\n{% else %}\nb;\n{% endif %}\nc;", [6, 10]),
        ("{{ 'a;' }}\n{{ 'b;' }}\n", [5, 6]),
        ("{% if true %}\n{{ 'a;' }}\n{% endif %}\n{{ 'b;' }}", [6, 8]),
        ("{{ 'a;\nb;' }}\nc;", [5, 5, 7]),
        ("{% set x = 1 %}\na {{ x }};\n{% set y = 2 %}\nb;", [6, 8]),
        ("{% macro m() %}\na;\nb;\n{% endmacro %}\n{{ m() }}{{ m() }}\nc;", [6, 7, 6, 7, 10]),
        ("{% macro m() %}\na;\n{{ caller() }}\n{% endmacro %}\n{% call m() %}\nb;\n{% endcall %}\nc;", [6, 10, 12]),
        ("{% set t %}\na;\nb;\n{% endset %}\n{{ t }}\nc;", [6, 7, 10]),
        ("{% set t %}\n\na;\nb;\n{% endset %}\n{{ t|trim }}\nc;", [7, 8, 11]),
        ("{% filter indent(4) %}\na;\n\nb;\n{% endfilter %}\nc;", [6, 8, 10]),
        ("{% filter upper %}\na;\n{% endfilter %}\nb;", [6, 8]),
        ("{% filter replace('a', 'c') %}\na;\nb;\n{% endfilter %}\nb;", [6, 7, 9]),
        ("{% raw %}\nmov {%r1, %r2}, 1;\n{% endraw %}\nb;", [6, 8]),
        ("{% for i in range(9) %}{% if i == 3 %}{% break %}{% endif %}\na;\n{% endfor %}", [6, 6, 6]),
        ("mov {%+ if true %}1,\n 2{% endif %};\nb;", [5, 7]),
    ],
)
def test_lines(text: str, lines: list[int]) -> None:
    assert [line for _, line in instructions(body(text))] == lines


def test_lines_when_a_filter_refuses_marked_text() -> None:
    module = body("{% set n %}4{% endset %}\nmov {{ n|int('x')|abs }};\nb;")
    assert instructions(module) == [("mov", 4), ("b", 7)]  # exact for lines that are printed as they are written
    assert next(module.function("k").instructions()).operands == (ir.Immediate(4),)


def test_marks_leave_no_trace_in_the_text() -> None:
    module = body("{% set t %}\nab\n{% endset %}\nmov {{ t|length }}, {{ t|trim|length }};")
    assert next(module.function("k").instructions()).operands == (ir.Immediate(3), ir.Immediate(2))


# Files.


def test_files_and_includes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "macros.j2").write_text("{% macro done() %}\n  ret;\n{% endmacro %}\n")
    (tmp_path / "parts" / "tail.j2").write_text("\n  exit;\n")
    (tmp_path / "main.ptx.j2").write_text(
        "{% from 'parts/macros.j2' import done %}\n"
        + HEADER
        + ".entry k {\n{{ done() }}\n{% include 'parts/tail.j2' %}\n}\n"
    )
    module = render(tmp_path / "main.ptx.j2")
    found = [(i.op, *map(str, places(i)[1:])) for i in module.function("k").instructions()]
    parts = tmp_path / "parts"
    assert found == [("ret", f"{parts / 'macros.j2'}:2"), ("exit", f"{parts / 'tail.j2'}:2")]
    assert places(next(module.function("k").instructions()))[1].excerpt() == "ret;"
    monkeypatch.chdir(tmp_path)
    assert render("main.ptx.j2") == module
    assert render("main.ptx.j2", search=["elsewhere"]) == module
    monkeypatch.chdir(tmp_path.parent)
    assert render("main.ptx.j2", search=[tmp_path]) == module


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.ptx.j2"
    path.write_text(HEADER + "// one\n")
    assert render(path).items == [ir.Comment("one")]
    path.write_text(HEADER + "// two\n")
    assert render(path).items == [ir.Comment("two")]


@pytest.mark.parametrize("package", ["ptxgen.text", "ptxgen"])
def test_a_template_lies_next_to_its_caller(tmp_path: Path, package: str) -> None:
    (tmp_path / "near.ptx.j2").write_text(HEADER + "// {{ word }}\n")
    (tmp_path / "caller.py").write_text(
        f"from {package} import render\nprint(render('near.ptx.j2', word='found').items)\n"
    )
    root = Path(__file__).parents[3]
    shown = subprocess.run(
        [sys.executable, str(tmp_path / "caller.py")],
        env={"PYTHONPATH": str(root)}, cwd=root, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert shown.stdout == "[Comment(text='found')]\n"


def test_no_such_template(tmp_path: Path) -> None:
    with pytest.raises(TemplateError) as caught:
        render("nowhere.ptx.j2", search=[tmp_path])
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == ("PTX150", "no template 'nowhere.ptx.j2'")
    assert found.expected is not None
    assert str(tmp_path) in found.expected


# Errors.


@pytest.mark.parametrize(
    "template, code, line, message",
    [
        ("\n{% for %}", "PTX151", 2, "template syntax: "),
        ("\n\n{{ 1 + }}", "PTX151", 3, "template syntax: "),
        ("\n{% if true %}", "PTX151", 2, "template syntax: "),
        ("{{ 1|nofilter }}", "PTX151", 1, "template syntax: No filter named 'nofilter'."),
        ("\n{{ nothing }}", "PTX152", 2, "'nothing' is undefined"),
        ("\n{{ types.f31.bits }}", "PTX152", 2, "'dict object' has no attribute 'f31'"),
        ("\n{{ 1 // 0 }}", "PTX152", 2, "ZeroDivisionError: "),
        ("\n{{ 1.5|literal('u32') }}", "PTX152", 2, "ValueError: 1.5 is not an integer, as .u32 needs"),
        ("\n{{ 1|literal('tf32') }}", "PTX152", 2,
         "ValueError: no immediates of type .tf32; literal() knows f32, f64, f16, bf16 and integer types"),
        ("\n\n{% include 'gone.j2' %}", "PTX150", 3, "no template 'gone.j2'"),
    ],
)  # fmt: skip
def test_an_error_names_the_template_line(template: str, code: str, line: int, message: str) -> None:
    found = finding(template)
    assert (found.code, found.locations[0].line) == (code, line)
    assert found.message.startswith(message)
    assert found.locations[0].kind == "template"
    assert found.locations[0].excerpt() == template.split("\n")[line - 1].strip()


def test_an_error_in_a_macro_names_both_lines() -> None:
    found = finding("{% macro m(x) %}\n{{ 1 // x }}\n{% endmacro %}\n\n{{ m(0) }}\n")
    assert [place.line for place in found.locations] == [2, 5]


@pytest.mark.parametrize(
    "text, hint",
    [
        ("mov.b64 {%f1, %f2}, %rd1;", "a vector of registers needs a space in a template: '{ %f1, %f2}'"),
        (".global .b32 x[2][2] = {{1, 2}, {3, 4}};", "nested braces need a space in a template"),
        ("{{ oops }}", "give it as a parameter, or declare it"),
    ],
)
def test_what_to_do(text: str, hint: str) -> None:
    found = finding(text)
    assert found.hint is not None
    assert found.hint.startswith(hint)


def test_a_syntax_error_in_the_text_names_the_template_line_too() -> None:
    with pytest.raises(PtxSyntaxError) as caught:
        body("{% for i in range(2) %}\nmov.u32 {{ i }}\n{% endfor %}\nret;")
    assert [[str(place) for place in found.locations] for found in caught.value.diagnostics] == [
        ["<rendered k.ptx.j2>:5:10", "k.ptx.j2:6"],
        ["<rendered k.ptx.j2>:6:10", "k.ptx.j2:6"],
    ]


def test_jinja_is_loaded_by_the_first_template_only() -> None:
    code = (
        "import sys; from ptxgen.text import parse, render, render_text;"
        "parse('.version 8.0 .target sm_80'); print('jinja2' in sys.modules);"
        "render_text('.version 8.0 .target sm_80'); print('jinja2' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["False", "True"]
