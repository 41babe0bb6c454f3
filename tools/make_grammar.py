#!/usr/bin/env python3
"""Writes the TextMate grammars of PTX, tools/editors/vscode/syntaxes, from the instruction table and the tables beside it.

    python tools/make_grammar.py            write them
    python tools/make_grammar.py --check    fail where they are not what the tables say

Editors colour by them what the words alone tell; names of the program are coloured by the editor server.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ptxgen.isa.directives import directives
from ptxgen.isa.forms import opcodes
from ptxgen.isa.specials import SPECIALS
from ptxgen.isa.targets import OLDER, TARGETS
from ptxgen.isa.types import TYPES

ROOT = Path(__file__).resolve().parent.parent
SYNTAXES = ROOT / "tools" / "editors" / "vscode" / "syntaxes"


_NUMBER = r"0[fFdD][0-9A-Fa-f]+|0[xX][0-9A-Fa-f]+U?|0[bB][01]+U?|\d+(\.\d+)?([eE][-+]?\d+)?U?"


def _words(names: list[str]) -> str:
    """An alternative of words, the longest first, so that none hides another."""
    return "|".join(re.escape(name) for name in sorted(set(names), key=lambda name: (-len(name), name)))


def _pattern(name: str, match: str, **captures: str) -> dict[str, Any]:
    found: dict[str, Any] = {"name": f"{name}.ptx", "match": match}
    if captures:
        found["captures"] = {number.lstrip("_"): {"name": f"{scope}.ptx"} for number, scope in captures.items()}
    return found


def ptx() -> dict[str, Any]:
    """The grammar of PTX."""
    names = [row.name[1:] for row in directives() if re.fullmatch(r"\.[a-z]\w*", row.name)]
    names = [name for name in names if name not in TYPES]
    specials = {name[1:].partition(".")[0] for name in SPECIALS}
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "PTX",
        "scopeName": "source.ptx",
        "fileTypes": ["ptx"],
        "patterns": [
            _pattern("comment.line.double-slash", r"//.*$"),
            {"name": "comment.block.ptx", "begin": r"/\*", "end": r"\*/"},
            {"name": "string.quoted.double.ptx", "begin": '"', "end": '"|$'},
            _pattern("entity.name.label", r"[A-Za-z_$%][\w$]*(?=\s*:(?!:))"),
            _pattern("keyword.control.guard", r"(@!?)\s*(?=[%$\w])"),
            {
                "match": rf"(?<![\w$%.])({_words(list(opcodes()))})((?:\.[\w:]+)*)(?![\w$])(?=\s|;|$)",
                "captures": {
                    "1": {"name": "keyword.operator.instruction.ptx"},
                    "2": {"name": "support.type.modifier.ptx"},
                },
            },
            _pattern("variable.language.special", rf"%({_words(sorted(specials))})(\.[xyzwrgba])?(?![\w$])"),
            _pattern("variable.other.register", r"%[\w$]+(\.[xyzwrgba](?![\w$]))?"),
            _pattern("storage.type", rf"\.({_words(list(TYPES))})(?![\w$])"),
            _pattern("keyword.other.directive", rf"\.({_words(names)})(?![\w$])"),
            _pattern("constant.language.target", rf"\b({_words([*TARGETS, *OLDER])})\b"),
            _pattern("constant.numeric", rf"\b({_NUMBER})\b"),
        ],
    }  # fmt: skip


def template() -> dict[str, Any]:
    """The grammar of Jinja templates of PTX."""
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "PTX template",
        "scopeName": "source.ptx.jinja",
        "fileTypes": ["ptx.j2", "ptx.jinja"],
        "patterns": [
            {"name": "comment.block.jinja.ptx", "begin": r"\{#", "end": r"#\}"},
            {"name": "meta.embedded.statement.jinja.ptx", "begin": r"\{%[-+]?", "end": r"[-+]?%\}", "patterns": [
                _pattern("keyword.control.jinja", r"\b(if|elif|else|endif|for|in|endfor|set|endset|macro|endmacro|call|endcall|"
                         r"include|import|from|as|do|break|continue|block|endblock|extends|filter|endfilter|raw|endraw|is|not|and|or)\b"),
                {"name": "string.quoted.jinja.ptx", "match": r"'[^']*'|\"[^\"]*\""},
                _pattern("constant.numeric.jinja", r"\b\d+\b"),
            ]},
            {"name": "meta.embedded.expression.jinja.ptx", "begin": r"\{\{[-+]?", "end": r"[-+]?\}\}", "patterns": [
                {"name": "string.quoted.jinja.ptx", "match": r"'[^']*'|\"[^\"]*\""},
                _pattern("variable.other.jinja", r"\b[A-Za-z_]\w*\b"),
            ]},
            {"include": "source.ptx"},
        ],
    }  # fmt: skip


GRAMMARS = {"ptx.tmLanguage.json": ptx, "ptx-template.tmLanguage.json": template}


def text(grammar: dict[str, Any]) -> str:
    """A grammar as its file has it."""
    return json.dumps(grammar, indent=2) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 where a file is not current")
    check = parser.parse_args().check
    for name, make in GRAMMARS.items():
        path, made = SYNTAXES / name, text(make())
        if check and (not path.exists() or path.read_text("utf-8") != made):
            sys.exit(f"{path.relative_to(ROOT)} is not what the tables say: run tools/make_grammar.py")
        if not check:
            path.write_text(made, "utf-8")


if __name__ == "__main__":
    main()
