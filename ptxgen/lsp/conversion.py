"""Our values as those of the protocol. Offsets become lines and columns here, and nowhere else but for colours."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.uris import from_fs_path

from ptxgen.lsp.model.positions import Position, Span, difference
from ptxgen.lsp.protocol import Json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ptxgen.lsp.answers.actions import Action
    from ptxgen.lsp.answers.completion import Item
    from ptxgen.lsp.answers.hover import Hover
    from ptxgen.lsp.answers.inlay import Inlay
    from ptxgen.lsp.answers.navigation import Highlight
    from ptxgen.lsp.answers.signature import Signatures
    from ptxgen.lsp.answers.symbols import Fold, Symbol
    from ptxgen.lsp.background.report import Finding
    from ptxgen.lsp.document import Document
    from ptxgen.lsp.model.positions import Edit

__all__ = [
    "action", "completion_list", "diagnostic", "edits", "folding", "highlight", "hover", "inlay", "position", "range_of",
    "semantic_delta", "semantic_tokens", "signature_help", "span_of", "symbol", "workspace_edit",
]  # fmt: skip

_SEVERITY = {"error": types.DiagnosticSeverity.Error, "warning": types.DiagnosticSeverity.Warning}
_ITEM = {
    "opcode": types.CompletionItemKind.Keyword,
    "modifier": types.CompletionItemKind.EnumMember,
    "directive": types.CompletionItemKind.Keyword,
    "type": types.CompletionItemKind.TypeParameter,
    "target": types.CompletionItemKind.Value,
    "register": types.CompletionItemKind.Variable,
    "label": types.CompletionItemKind.Reference,
    "variable": types.CompletionItemKind.Field,
    "function": types.CompletionItemKind.Function,
    "special": types.CompletionItemKind.Constant,
    "constant": types.CompletionItemKind.Value,
}
_SYMBOL = {
    "kernel": types.SymbolKind.Function,
    "function": types.SymbolKind.Function,
    "label": types.SymbolKind.Key,
    "table": types.SymbolKind.Array,
    "prototype": types.SymbolKind.Interface,
    "register": types.SymbolKind.Variable,
    "variable": types.SymbolKind.Field,
    "parameter": types.SymbolKind.Property,
}
_UNUSED = frozenset({"PTX310", "PTX601", "PTX603"})
"""Findings of what nothing uses: editors grey it out."""


def position(place: types.Position) -> Position:
    return Position(place.line, place.character)


def _position(document: Document, offset: int) -> types.Position:
    return types.Position(*document.lines.position(offset))


def range_of(document: Document, span: Span) -> types.Range:
    """A span as a range."""
    start, end = document.lines.positions(span)
    return types.Range(types.Position(*start), types.Position(*end))


def span_of(document: Document, range_: types.Range) -> Span:
    """A range as a span; one that ends before it starts is empty."""
    start = document.lines.offset(*position(range_.start))
    return Span(start, max(start, document.lines.offset(*position(range_.end))))


def hover(document: Document, found: Hover) -> types.Hover:
    text = types.MarkupContent(types.MarkupKind.Markdown, found.text)
    return types.Hover(text, range_of(document, found.span))


def completion_list(document: Document, items: Sequence[Item]) -> types.CompletionList:
    """The proposals, in the order in which they are."""
    ranges: dict[Span, types.Range] = {}
    found = []
    for number, item in enumerate(items):
        if item.span not in ranges:
            ranges[item.span] = range_of(document, item.span)
        found.append(
            types.CompletionItem(
                item.label,
                kind=_ITEM[item.kind],
                detail=item.detail or None,
                sort_text=f"{number:04}",
                text_edit=types.TextEdit(ranges[item.span], item.label),
                data=item.explain or None,
            )
        )
    return types.CompletionList(is_incomplete=False, items=found)


def signature_help(found: Signatures) -> types.SignatureHelp:
    signatures = [
        types.SignatureInformation(
            each.label,
            parameters=[types.ParameterInformation((start, end), words) for start, end, words in each.operands],
        )
        for each in found.found
    ]
    return types.SignatureHelp(signatures, found.active, found.operand)


def highlight(document: Document, found: Highlight) -> types.DocumentHighlight:
    kind = types.DocumentHighlightKind.Write if found.written else types.DocumentHighlightKind.Read
    return types.DocumentHighlight(range_of(document, found.span), kind)


def symbol(document: Document, found: Symbol) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        found.name,
        _SYMBOL[found.kind],
        range_of(document, found.span),
        range_of(document, found.own),
        detail=found.detail or None,
        children=[symbol(document, child) for child in found.children],
    )


def folding(found: Fold) -> types.FoldingRange:
    return types.FoldingRange(found.first, found.last, kind=found.kind)


def edits(document: Document, found: Iterable[Edit]) -> list[types.TextEdit]:
    return [types.TextEdit(range_of(document, edit.span), edit.text) for edit in found]


def workspace_edit(document: Document, uri: str, found: Sequence[Edit]) -> Json:
    """Edits of one file in text order, as a types.WorkspaceEdit."""
    texts = {text: json.dumps(text) for text in {edit.text for edit in found}}
    places = document.lines.places(offset for edit in found for offset in edit.span)
    written = ",".join(
        f'{{"range":{{"start":{{"line":{line},"character":{character}}},'
        f'"end":{{"line":{last},"character":{end}}}}},"newText":{texts[edit.text]}}}'
        for edit, (line, character), (last, end) in zip(found, places, places)
    )
    return Json(f'{{"changes":{{{json.dumps(uri)}:[{written}]}}}}')


def semantic_tokens(words: Sequence[str], version: str = "") -> Json:
    """Encoded colours as types.SemanticTokens."""
    return Json(f'{{"resultId":"{version}","data":[{",".join(words)}]}}')


def semantic_delta(old: list[str], new: list[str], version: str) -> Json:
    """What makes the new colours of the old ones, as types.SemanticTokensDelta: five numbers each."""
    start, end, words = difference(old, new)
    edit = f'{{"start":{5 * start},"deleteCount":{5 * (end - start)},"data":[{",".join(words)}]}}'
    return Json(f'{{"resultId":"{version}","edits":[{edit}]}}')


def inlay(document: Document, found: Inlay) -> types.InlayHint:
    return types.InlayHint(_position(document, found.offset), found.text, tooltip=found.tip or None, padding_left=True)


def diagnostic(document: Document, uri: str, found: Finding, link: Callable[[str], str | None]) -> types.Diagnostic:
    """A finding; `link` gives the page of its code."""
    parts = [found.message, found.expected and f"needs: {found.expected}", found.hint and f"instead: {found.hint}"]
    href = link(found.code)
    return types.Diagnostic(
        range_of(document, found.span),
        "\n".join(part for part in parts if part),
        severity=_SEVERITY.get(found.severity, types.DiagnosticSeverity.Information),
        code=found.code,
        code_description=types.CodeDescription(href) if href else None,
        source="ptxgen",
        tags=[types.DiagnosticTag.Unnecessary] if found.code in _UNUSED else None,
        related_information=[_related(uri, document, *place) for place in found.places] or None,
    )


def _related(uri: str, document: Document, file: str, line: int, text: str) -> types.DiagnosticRelatedInformation:
    """Another place of a finding; one in no file stands at the head of this one."""
    at = types.Position(max(line - 1, 0), 0)
    there = from_fs_path(file) if file.startswith("/") else None
    location = types.Location(there or uri, types.Range(at, at) if there else range_of(document, Span(0, 0)))
    return types.DiagnosticRelatedInformation(location, text or f"{file}:{line}")


def action(document: Document, uri: str, found: Action, link: Callable[[str], str | None]) -> types.CodeAction:
    return types.CodeAction(
        found.title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic(document, uri, found.finding, link)],
        is_preferred=found.preferred,
        edit=types.WorkspaceEdit(changes={uri: edits(document, found.edits)}),
    )
