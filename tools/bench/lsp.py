#!/usr/bin/env python3
"""Milliseconds of each answer of the editor server, as a client over pipes sees them: from the request to the decoded JSON.

    tools/bench/lsp.py [--json] [--tiny] [--rounds N] [FILE.ptx]

FILE.ptx is what a compiler wrote, such as a GEMM of CUTLASS by `nvcc -arch=sm_90a -ptx`; without it, a generated kernel of 8,000
instructions. Each round asks at another place of the file, right behind an edit, while the check of the version before still
runs: nothing is remembered from the last answer. Two times, the median and the worst of each: by the clock, and what the
processors spent on it, in the server for the edit and the answer and in the client for the request and the JSON. Other work on
the machine delays the first; on a quiet one they are much the same. The worker that formats and checks counts by the clock alone.

There is no other server for PTX to compare with; the floor is an answer that needs no thought (a hover on nothing).
"""

from __future__ import annotations

import gc
import re
import sys
from collections import Counter
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from lsprotocol import types

from tools.bench._command import command, print_json
from tools.bench._editor import Editor, editor
from tools.bench._large_ptx import registers_used_once

if TYPE_CHECKING:
    from collections.abc import Callable

FILE = types.TextDocumentIdentifier("untitled:bench.ptx")
URI = FILE.uri
LIMIT = 100.0
"""What an answer may take, in ms."""


class Times(NamedTuple):
    """Milliseconds: by the clock, and of the processors."""

    spent: float
    ran: float


class Watch:
    """The times from here to the answer that came last."""

    def __init__(self, session: Editor) -> None:
        self.session = session
        self.server = session.processor_time()
        self.client = process_time()
        self.begin = perf_counter()

    def times(self) -> Times:
        end, client = self.session.decoded
        ran = self.session.processor_time() - self.server + client - self.client
        return Times((end - self.begin) * 1e3, ran * 1e3)


class Bench:
    """One open file, and the places in it that are asked about."""

    def __init__(self, session: Editor, text: str) -> None:
        self.session = session
        self.client = session.client
        self.draw = Random(1)
        self.colours = ""
        """The colours that this editor has, as the server names them."""
        session.open(URI, text)
        session.published(URI)

    def statement(self) -> int:
        """The offset of a random instruction with a register in it."""
        text = self.session.texts[URI]
        start = text.index("{", text.index(".entry"))
        while True:
            offset = text.find("\n", self.draw.randrange(start, len(text) - 200)) + 1
            line = text[offset : text.find("\n", offset)]
            if "%" in line and line.rstrip().endswith(";") and ".reg" not in line and line.strip()[:1].isalpha():
                return offset + len(line) - len(line.lstrip())

    def at(self, offset: int) -> Any:
        return self.session.position(URI, offset)

    def time(self, ask: Callable[[Bench], Any]) -> Times:
        """Edit, ask, and take the edit back; the times of the question."""
        offset = self.statement()
        line = self.session.texts[URI].rindex("\n", 0, offset) + 1
        watch = Watch(self.session)
        self.session.change(URI, line, line, "\t\n")
        request = ask(self)
        watch.begin, watch.client = perf_counter(), process_time()
        answer = self.session.run(request)
        times = watch.times()
        self.colours = getattr(answer, "result_id", None) or self.colours
        self.session.change(URI, line, line + 2, "")
        return times


def _register(b: Bench) -> Any:
    return b.at(b.session.texts[URI].index("%", b.statement()) + 1)


def _behind_a_dot(b: Bench) -> Any:
    """Behind the first dot of an instruction."""
    text, offset = b.session.texts[URI], b.statement()
    dot = text.find(".", offset, text.index("\n", offset))
    return b.at(dot + 1 if dot > 0 else offset)


def _operand(b: Bench) -> Any:
    text, offset = b.session.texts[URI], b.statement()
    return b.at(text.index("%", offset))


def _screen(b: Bench) -> types.Range:
    line = b.at(b.statement()).line
    return types.Range(types.Position(line, 0), types.Position(line + 60, 0))


QUESTIONS: dict[str, Callable[[Bench], Any]] = {
    "nothing": lambda b: b.client.text_document_hover_async(types.HoverParams(FILE, types.Position(0, 0))),
    "hover: instruction": lambda b: b.client.text_document_hover_async(
        types.HoverParams(FILE, b.at(b.statement() + 1))
    ),
    "hover: register": lambda b: b.client.text_document_hover_async(types.HoverParams(FILE, _register(b))),
    "completion: modifiers": lambda b: b.client.text_document_completion_async(
        types.CompletionParams(FILE, _behind_a_dot(b))
    ),
    "completion: operands": lambda b: b.client.text_document_completion_async(
        types.CompletionParams(FILE, _operand(b))
    ),
    "completion: opcodes": lambda b: b.client.text_document_completion_async(
        types.CompletionParams(FILE, b.at(b.statement()))
    ),
    "signature": lambda b: b.client.text_document_signature_help_async(types.SignatureHelpParams(FILE, _operand(b))),
    "definition": lambda b: b.client.text_document_definition_async(types.DefinitionParams(FILE, _register(b))),
    "references": lambda b: b.client.text_document_references_async(
        types.ReferenceParams(types.ReferenceContext(include_declaration=True), FILE, _register(b))
    ),
    "highlights": lambda b: b.client.text_document_document_highlight_async(
        types.DocumentHighlightParams(FILE, _register(b))
    ),
    "rename": lambda b: b.client.text_document_prepare_rename_async(types.PrepareRenameParams(FILE, _register(b))),
    "symbols": lambda b: b.client.text_document_document_symbol_async(types.DocumentSymbolParams(FILE)),
    "folding": lambda b: b.client.text_document_folding_range_async(types.FoldingRangeParams(FILE)),
    "colours of a screen": lambda b: b.client.text_document_semantic_tokens_range_async(
        types.SemanticTokensRangeParams(FILE, _screen(b))
    ),
    "colours of all": lambda b: b.client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(FILE)),
    "colours that changed": lambda b: b.client.text_document_semantic_tokens_full_delta_async(
        types.SemanticTokensDeltaParams(FILE, b.colours)
    ),
    "hints of a screen": lambda b: b.client.text_document_inlay_hint_async(types.InlayHintParams(FILE, _screen(b))),
    "code actions": lambda b: b.client.text_document_code_action_async(
        types.CodeActionParams(FILE, _screen(b), types.CodeActionContext([]))
    ),
    "formatting": lambda b: b.client.text_document_formatting_async(
        types.DocumentFormattingParams(FILE, types.FormattingOptions(4, insert_spaces=False))
    ),
}


def rename_family(bench: Bench) -> Times:
    """A rename of the family whose registers are used most often: an edit for each of the uses."""
    uses = list(re.finditer(r"(%[a-z]+)(\d+)\b", bench.session.texts[URI]))
    ((stem, _),) = Counter(use[1] for use in uses).most_common(1)
    use = bench.draw.choice([use for use in uses if use[1] == stem])
    params = types.RenameParams(FILE, bench.at(use.start() + 1), f"%renamed_{stem[1:]}{use[2]}")
    watch = Watch(bench.session)
    bench.session.run(bench.client.text_document_rename_async(params))
    return watch.times()


def diagnostics(bench: Bench) -> tuple[Times, Times]:
    """From a keystroke that breaks a line, and from the one that mends it, to their diagnostics."""
    offset = bench.statement()
    end = bench.session.texts[URI].index(";", offset)
    found = []
    for start, stop, text in ((end, end + 1, ""), (end, end, ";")):
        watch = Watch(bench.session)
        bench.session.change(URI, start, stop, text)
        bench.session.published(URI)
        found.append(watch.times())
    return found[0], found[1]


def measure(text: str, rounds: int) -> dict[str, list[Times]]:
    """The times of each question."""
    gc.disable()  # the client's: it decodes what few editors decode in Python
    with editor() as session:
        bench = Bench(session, text)
        found = {name: [bench.time(ask) for _ in range(rounds)] for name, ask in QUESTIONS.items()}
        found["rename of a family"] = [rename_family(bench) for _ in range(rounds)]
        for _ in range(max(1, rounds // 5)):
            broken, mended = diagnostics(bench)
            found.setdefault("diagnostics: syntax", []).append(broken)
            found.setdefault("diagnostics: all", []).append(mended)
        return found


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="PTX; without it, a generated kernel")
    parser.add_argument("--rounds", type=int, default=15, help="questions of each kind")
    arguments = parser.parse_args()
    size, rounds = (200, 2) if arguments.tiny else (8_000, arguments.rounds)
    text = arguments.file.read_text() if arguments.file else registers_used_once(size)
    found = measure(text, rounds)
    medians = {name: median(each.spent for each in times) for name, times in found.items()}
    if arguments.json:
        floor = round(medians["nothing"], 2)
        print_json(
            [
                {
                    "name": f"lsp {name}",
                    "unit": "ms",
                    "ours": round(ours, 2),
                    "peers": {},
                    "ratio": None,
                    "floor": floor,
                }
                for name, ours in medians.items()
            ]
        )
        return
    print(f"{arguments.file or 'generated'}: {text.count(chr(10)):,} lines, {len(text):,} characters")
    print(f"ms of {rounds} questions each\n\n{'':<24}{'by the clock':>18}{'processors':>20}")
    print(f"{'':<24}" + f"{'median':>9}{'worst':>9}  " * 2)
    for name, times in found.items():
        columns = [(median(column), max(column)) for column in zip(*times)]
        over = "over 100 ms" if columns[0][1] > LIMIT and not name.startswith("diagnostics") else ""
        print(f"{name:<24}" + "".join(f"{middle:>9.1f}{worst:>9.1f}  " for middle, worst in columns) + over)


if __name__ == "__main__":
    main()
