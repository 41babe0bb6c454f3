"""PTX in the asm statements of CUDA C++ (Inline PTX Assembly in CUDA): the strings of one statement are one text, and the letters
of its constraints give the types of `%0`, `%1`, ..."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ptxgen.lsp.languages.blanks import Blanked
from ptxgen.lsp.model.positions import Span
from ptxgen.lsp.model.region import Region

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CONSTRAINTS", "asm_regions"]

CONSTRAINTS = {"h": "b16", "r": "b32", "l": "b64", "q": "b128", "f": "f32", "d": "f64", "n": "", "C": ""}
"""The letter of a constraint -> the type of the register; "" for a constant."""

_ASM = re.compile(
    r"""//[^\n]* | /\*[\s\S]*?(?:\*/|\Z)
      | R"(?P<tag>[^()\s\\]{0,16})\([\s\S]*?\)(?P=tag)" | "(?:\\[\s\S]|[^"\\\n])*"? | '(?:\\[\s\S]|[^'\\\n])'
      | \b(?P<asm>asm|__asm__|__asm)\b\s*(?:(?:volatile|__volatile__|goto|inline)\b\s*)*\(""",
    re.VERBOSE,
)
_TOKEN = re.compile(
    r"""^[ \t]*\#[ \t]*el(?:se|if)\b[\s\S]*?^[ \t]*\#[ \t]*endif\b[^\n]*    # of alternatives the first
      | //[^\n]* | /\*[\s\S]*?(?:\*/|\Z)
      | R"(?P<tag>[^()\s\\]{0,16})\((?P<raw>[\s\S]*?)\)(?P=tag)"
      | "(?P<string>(?:\\[\s\S]|[^"\\\n])*)(?:"|(?=\n)|\Z)
      | '(?:\\[\s\S]|[^'\\\n])'
      | \[\s*(?P<name>\w+)\s*\](?=\s*") | ::|[()\[\]{}:;]""",
    re.VERBOSE | re.MULTILINE,
)
_ESCAPE = re.compile(r"\\(?:\r\n|[\s\S])")
_PERCENT = re.compile(r"%%|%\[\s*(\w+)\s*\]|%[a-zA-Z]?\d+")


def asm_regions(source: str) -> tuple[Region, ...]:
    """Each asm statement's text."""
    return tuple(_regions(source)) if "asm" in source else ()


def _regions(source: str) -> Iterator[Region]:
    end = 0
    for found in _ASM.finditer(source):
        if found["asm"] is None or found.start() < end:
            continue
        statement = _Statement(source, found.end())
        end = statement.end
        if statement.strings:
            yield statement.region()


class _Statement:
    """`asm("..." "..." : outputs : inputs : clobbers)`, from behind its parenthesis on."""

    def __init__(self, source: str, start: int) -> None:
        self.source = source
        self.strings: list[tuple[Span, bool]] = []
        self.operands: list[tuple[str, str]] = []
        self._read(start)

    def _read(self, start: int) -> None:
        depth = part = 0
        name = ""
        self.end = len(self.source)
        for token in _TOKEN.finditer(self.source, start):
            sign = token[0]
            if token["name"]:
                name = token["name"] if depth == 0 else ""
            elif token["string"] is not None or token["raw"] is not None:
                if depth:
                    continue
                if part == 0:
                    raw = token["raw"] is not None
                    self.strings.append((Span(*token.span("raw" if raw else "string")), raw))
                elif part < 3:
                    self.operands.append((name, token["string"] or ""))
                    name = ""
            elif sign in "([{":
                depth += 1
            elif sign in ")]}":
                depth -= 1
                if depth < 0:
                    self.end = token.end()
                    return
            elif sign in (":", "::") and depth == 0:
                part += len(sign)
            elif sign == ";" and depth == 0:  # its parenthesis is missing
                self.end = token.end()
                return

    def region(self) -> Region:
        source = self.source
        span = Span(self.strings[0][0].start, self.strings[-1][0].end)
        text = Blanked(source, span)
        end = span.start
        for string, raw in self.strings:
            text.blank(end, string.start)
            end = string.end
            if not raw:
                for escape in _ESCAPE.finditer(source, *string):
                    new_line = escape[0] in ("\\n", "\\\n")
                    text.put(escape.start(), " " * (len(escape[0]) - 1) + ("\n" if new_line else " "))
            for percent in _PERCENT.finditer(source, *string):
                if percent[0] == "%%":
                    text.put(percent.start(), " %")
                elif percent[1]:  # %[name] becomes a name of the same length
                    text.put(percent.start(), _named(percent[0]))
        return Region(span, text.text, "statements", foreign=text.foreign, operands=self._types(text.text))

    def _types(self, text: str) -> dict[str, str]:
        """The operands by number, and those with a name by that as well."""
        types: dict[str, str] = {}
        for number, (name, constraint) in enumerate(self.operands):
            letter = next((sign for sign in constraint if sign in CONSTRAINTS), "n")
            if constraint.isdigit() and f"%{constraint}" in types:
                types[f"%{number}"] = types[f"%{constraint}"]
            else:
                types[f"%{number}"] = CONSTRAINTS[letter]
            if name:
                types.update(dict.fromkeys(re.findall(rf"%_+{name}_+(?!\w)", text), types[f"%{number}"]))
        return types


def _named(written: str) -> str:
    """`%[ name ]` as a name of PTX: `%__name__`."""
    return "%" + re.sub(r"\W", "_", written[1:])
