"""The Pygments lexers: nothing is lost, nothing is unknown, and words are what the tables say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from pygments.lexers import find_lexer_class_for_filename, get_lexer_by_name
from pygments.token import Comment, Error, Keyword, Name, Number, Punctuation, Whitespace

from ptxgen.isa.forms import opcodes
from ptxgen.text.highlighting import PtxLexer, PtxTemplateLexer

ROOT = Path(__file__).resolve().parents[3]
GOLDENS = sorted((ROOT / "golden").rglob("*.ptx"))
TEMPLATES = sorted(path for folder in ("ptxgen", "tests", "examples") for path in (ROOT / folder).rglob("*.ptx.j2"))


def kinds(text: str) -> list[tuple[object, str]]:
    """What stands in a text, without blanks."""
    return [(kind, token) for _, kind, token in PtxLexer().get_tokens_unprocessed(text) if kind is not Whitespace]


def test_every_golden_comes_back_and_no_word_is_unknown() -> None:
    seen = set()
    for path in GOLDENS:
        text = path.read_text()
        tokens = list(PtxLexer().get_tokens_unprocessed(text))
        assert "".join(token for _, _, token in tokens) == text, path
        assert not [token for _, kind, token in tokens if kind is Error]
        seen |= {token for _, kind, token in tokens if kind is Keyword}
    assert {"ld", "st", "mma", "bar", "setp", "ret"} <= seen <= set(opcodes())


def test_the_parts_of_a_statement() -> None:
    assert kinds("$L1: @!%p1 ld.shared::cta.v4.f32 {%f1, _}, [x+0x10]; // why") == [
        (Name.Label, "$L1"),
        (Punctuation, ":"),
        (Punctuation, "@"),
        (kinds("!")[0][0], "!"),
        (Name.Variable, "%p1"),
        (Keyword, "ld"),
        (Keyword.Namespace, ".shared::cta"),
        (Name.Decorator, ".v4"),
        (Keyword.Type, ".f32"),
        (Punctuation, "{"),
        (Name.Variable, "%f1"),
        (Punctuation, ","),
        (kinds("_")[0][0], "_"),
        (Punctuation, "}"),
        (Punctuation, ","),
        (Punctuation, "["),
        (Name, "x"),
        (kinds("+")[0][0], "+"),
        (Number.Hex, "0x10"),
        (Punctuation, "]"),
        (Punctuation, ";"),
        (Comment.Single, "// why"),
    ]


@pytest.mark.parametrize(
    "text, kind",
    [
        (".reg", Keyword.Declaration),
        (".entry", Keyword.Declaration),
        (".maxntid", Keyword.Declaration),
        (".f32", Keyword.Type),
        ("%tid.x", Name.Variable.Magic),
        ("%tid", Name.Variable.Magic),
        ("%laneid", Name.Variable.Magic),
        ("%r17", Name.Variable),
        ("0f3F800000", Number.Float),
        ("1.5", Number.Float),
        ("17", Number.Integer),
        ("0b11", Number.Bin),
        ("ret", Keyword),
        ("nothing", Name),
        ("/* a\nb */", Comment.Multiline),
    ],
)
def test_words(text: str, kind: object) -> None:
    assert kinds(text) == [(kind, text)]


@pytest.mark.parametrize("opcode", opcodes())
def test_each_opcode_of_the_table_is_a_keyword(opcode: str) -> None:
    assert kinds(f"@p {opcode}.f32 d;")[2] == (Keyword, opcode)


def test_a_variable_may_have_an_opcodes_name() -> None:
    assert (Name, "add") in kinds("mov.u32 %r1, add;")


def test_any_text_comes_back() -> None:
    draw = Random(2)
    text = GOLDENS[0].read_text()[:3000]
    for _ in range(100):
        at = draw.randrange(len(text))
        torn = text[:at] + draw.choice(['"', "/*", "\x00", "é", "\r\n", "`", ".", "$", "%", ""]) + text[at + 3 :]
        assert "".join(token for _, _, token in PtxLexer().get_tokens_unprocessed(torn)) == torn


def test_templates() -> None:
    assert TEMPLATES
    for path in TEMPLATES:
        text = path.read_text()
        tokens = list(PtxTemplateLexer(stripnl=False, ensurenl=False).get_tokens(text))
        assert "".join(token for _, token in tokens) == text, path
        assert not [token for kind, token in tokens if kind is Error], path
        assert Keyword in {kind for kind, _ in tokens}


def test_pygments_finds_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """By entry points, which only an installed distribution has."""
    from importlib.metadata import EntryPoint

    from pygments import plugin

    groups = (ROOT / "pyproject.toml").read_text().partition('[project.entry-points."pygments.lexers"]\n')[2]
    rows = [row.split(" = ") for row in groups.partition("\n\n")[0].splitlines()]
    points = [EntryPoint(name, value.strip('"'), "pygments.lexers") for name, value in rows]
    monkeypatch.setattr(plugin, "iter_entry_points", lambda group: [each for each in points if each.group == group])
    assert isinstance(get_lexer_by_name("ptxgen"), PtxLexer)
    assert isinstance(get_lexer_by_name("ptx+jinja"), PtxTemplateLexer)
    assert find_lexer_class_for_filename("kernel.ptx") is PtxLexer
    assert find_lexer_class_for_filename("kernel.ptx.j2") is PtxTemplateLexer


def test_nothing_else_loads_pygments() -> None:
    loaded = "import sys, ptxgen.text, ptxgen.text.parser, ptxgen.cli.app; print('pygments' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
