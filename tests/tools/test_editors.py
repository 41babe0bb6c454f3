"""tools/editors: the grammars are current, the settings agree with the server, and lines are coloured as they should be."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ptxgen.lsp.languages import LANGUAGES
from tests import extras
from tools.make_grammar import GRAMMARS, SYNTAXES, text

EDITORS = Path(__file__).resolve().parents[2] / "tools" / "editors"
PACKAGE = json.loads((EDITORS / "vscode" / "package.json").read_text())


@pytest.mark.parametrize("name", sorted(GRAMMARS))
def test_the_grammars_are_what_the_tables_say(name: str) -> None:
    assert (SYNTAXES / name).read_text("utf-8") == text(GRAMMARS[name]()), "run tools/make_grammar.py"


def scopes(line: str) -> dict[str, str]:
    """The words of a line that the grammar's patterns of one line match, each with its scope: the first match wins."""
    patterns = [each for each in GRAMMARS["ptx.tmLanguage.json"]()["patterns"] if "match" in each]
    found: dict[str, str] = {}
    at = 0
    while at < len(line):
        matches = [(re.compile(each["match"]).search(line, at), each) for each in patterns]
        first = min((match.start() for match, _ in matches if match), default=None)
        if first is None:
            break
        match, pattern = next((match, each) for match, each in matches if match and match.start() == first)
        for group, scope in pattern.get("captures", {"0": {"name": pattern.get("name", "")}}).items():
            if match[int(group)]:
                found[match[int(group)]] = scope["name"].removesuffix(".ptx")
        at = max(match.end(), at + 1)
    return found


@pytest.mark.parametrize(
    "line, word, scope",
    [
        ("\tld.global.f32 %f1, [%rd1];", "ld", "keyword.operator.instruction"),
        ("\tld.global.f32 %f1, [%rd1];", ".global.f32", "support.type.modifier"),
        ("\tld.global.f32 %f1, [%rd1];", "%f1", "variable.other.register"),
        ("\tmov.u32 %r1, %tid.x;", "%tid.x", "variable.language.special"),
        ("$L_1: ret;", "$L_1", "entity.name.label"),
        ("\tret;", "ret", "keyword.operator.instruction"),
        (".target sm_90a", "sm_90a", "constant.language.target"),
        (".visible .entry k()", ".entry", "keyword.other.directive"),
        ("\t.reg .b32 %r<5>;", ".b32", "storage.type"),
        ("\tmov.f32 %f1, 0f3F800000;", "0f3F800000", "constant.numeric"),
        ("add.u32 %r1, %r2, 1; // add %r3", "// add %r3", "comment.line.double-slash"),
        ("\tlddd.global %r1;", "lddd", ""),
    ],
)
def test_the_grammar_colours(line: str, word: str, scope: str) -> None:
    assert scopes(line).get(word, "") == scope


def test_the_extension_knows_the_servers_languages() -> None:
    for language, name in (("ptx", "ptx"), ("ptx-jinja", "template")):
        (entry,) = [each for each in PACKAGE["contributes"]["languages"] if each["id"] == language]
        assert tuple(entry["extensions"]) == LANGUAGES[name].suffixes
        assert language in LANGUAGES[name].ids
    assert {each["path"].rpartition("/")[2] for each in PACKAGE["contributes"]["grammars"]} == set(GRAMMARS)
    assert (EDITORS / "vscode" / PACKAGE["main"]).exists()


def test_every_setting_reaches_the_server() -> None:
    settings = extras.module("ptxgen.lsp.session").Settings()
    names = {name.removeprefix("ptxgen.") for name in PACKAGE["contributes"]["configuration"]["properties"]}
    assert names - {"command", "debugger", "embedded"} == set(vars(settings))
    assert all(f'"{name}"' in (EDITORS / "vscode" / "src" / "extension.js").read_text() for name in vars(settings))


@pytest.mark.skipif(
    shutil.which("node") is None, reason="node is not here: the extension's syntax is checked where it is"
)
def test_the_extension_is_javascript() -> None:
    subprocess.run(["node", "--check", EDITORS / "vscode" / "src" / "extension.js"], check=True)
