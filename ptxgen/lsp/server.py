"""The server: each request of the protocol calls one answer."""

from __future__ import annotations

import gc
import logging
import sys
import threading
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

import ptxgen
from ptxgen.lsp import conversion as to
from ptxgen.lsp.answers.actions import actions
from ptxgen.lsp.answers.completion import completion
from ptxgen.lsp.answers.formatting import formatting
from ptxgen.lsp.answers.hover import hover
from ptxgen.lsp.answers.inlay import inlay_hints
from ptxgen.lsp.answers.markdown import explained
from ptxgen.lsp.answers.navigation import definition, highlights, references
from ptxgen.lsp.answers.rename import RenameError, rename, renamed_span
from ptxgen.lsp.answers.semantic_tokens import KINDS, colours, encoded, semantic_tokens
from ptxgen.lsp.answers.signature import signatures
from ptxgen.lsp.answers.symbols import folds, symbols
from ptxgen.lsp.links import page_of
from ptxgen.lsp.protocol import PTX_FILES, Json, PtxProtocol, register_formatting
from ptxgen.lsp.session import Session
from ptxgen.verifier.explanation import explain

if TYPE_CHECKING:
    from ptxgen.lsp.document import Document
    from ptxgen.lsp.session import OpenFile

__all__ = ["make_server", "serve"]

_log = logging.getLogger(__name__)


def serve(*, verbose: bool = False) -> None:
    """Speak the protocol over standard input and output until the client ends it. The log goes to standard error."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO if verbose else logging.WARNING, format="%(name)s: %(message)s"
    )
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_fault)
    make_server().start_io()


def _is_fault(record: logging.LogRecord) -> bool:
    """A rename that is refused is an answer, and no fault of the server."""
    error = record.exc_info[1] if record.exc_info else None
    return not (isinstance(error, JsonRpcException) and error.code == types.LSPErrorCodes.RequestFailed.value)


def make_server() -> LanguageServer:
    """The server with all its features."""
    server = LanguageServer("ptxgen", ptxgen.__version__, protocol_cls=PtxProtocol)
    session = Session(lambda uri, file: _publish(server, session, uri, file))
    _add_files(server, session)
    _add_explanations(server, session)
    _add_completions(server, session)
    _add_navigation(server, session)
    _add_changes(server, session)
    _add_looks(server, session)
    return server


def _document(session: Session, params: object) -> Document | None:
    """The document that a request is about."""
    return session.document(params.text_document.uri)  # type: ignore[attr-defined]


# ---- open files


def _add_files(server: LanguageServer, session: Session) -> None:
    @server.feature(types.INITIALIZE)
    def _(params: types.InitializeParams) -> None:
        session.set(params.initialization_options)

    @server.feature(types.INITIALIZED)
    def _(params: types.InitializedParams) -> None:
        threading.Thread(target=_warm, daemon=True).start()
        register_formatting(server)

    @server.feature(types.SHUTDOWN)
    def _(params: None) -> None:
        session.close()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def _(params: types.DidChangeConfigurationParams) -> None:
        settings = params.settings
        session.set(settings.get("ptxgen", settings) if isinstance(settings, dict) else None)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def _(params: types.DidOpenTextDocumentParams) -> None:
        session.opened(params.text_document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def _(params: types.DidChangeTextDocumentParams) -> None:
        session.changed(params.text_document.uri, params.text_document.version, params.content_changes)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def _(params: types.DidCloseTextDocumentParams) -> None:
        session.closed(params.text_document.uri)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))


def _warm() -> None:
    """Read the instruction table before somebody waits for it, and keep it out of the garbage collections to come: each would
    take 50 ms. Nearly all that an answer makes is freed without them: they may come a hundred times more seldom."""
    from ptxgen.isa.forms import all_forms

    all_forms()
    gc.collect()
    gc.freeze()
    gc.set_threshold(70_000, 10, 10)


def _publish(server: LanguageServer, session: Session, uri: str, file: OpenFile) -> None:
    document = file.document
    found = [
        to.diagnostic(document, uri, each, lambda code: page_of(code, session.settings.docs))
        for each in file.report.findings
    ]
    server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, document.version))
    workspace = server.client_capabilities.workspace
    if workspace is not None and workspace.inlay_hint is not None and workspace.inlay_hint.refresh_support:
        server.workspace_inlay_hint_refresh(None)


# ---- explanations


def _add_explanations(server: LanguageServer, session: Session) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def _(params: types.HoverParams) -> types.Hover | None:
        document = _document(session, params)
        found = None if document is None else hover(document, to.position(params.position))
        return None if document is None or found is None else to.hover(document, found)

    @server.feature(types.TEXT_DOCUMENT_SIGNATURE_HELP, types.SignatureHelpOptions([" ", ","], [","]))
    def _(params: types.SignatureHelpParams) -> types.SignatureHelp | None:
        document = _document(session, params)
        found = None if document is None else signatures(document, to.position(params.position))
        return None if found is None else to.signature_help(found)


def _add_completions(server: LanguageServer, session: Session) -> None:
    options = types.CompletionOptions([".", "%", "@", "[", ",", " ", ":"], resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, options)
    def _(params: types.CompletionParams) -> types.CompletionList | None:
        document = _document(session, params)
        return (
            None
            if document is None
            else to.completion_list(document, completion(document, to.position(params.position)))
        )

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    def _(item: types.CompletionItem) -> types.CompletionItem:
        page = explain(item.data) if isinstance(item.data, str) and len(item.data) < 200 else None
        if page is not None and page.found:
            item.documentation = types.MarkupContent(types.MarkupKind.Markdown, explained(page))
        return item


# ---- navigation


def _add_navigation(server: LanguageServer, session: Session) -> None:
    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def _(params: types.DefinitionParams) -> types.Location | None:
        document = _document(session, params)
        found = None if document is None else definition(document, to.position(params.position))
        if document is None or found is None:
            return None
        return types.Location(params.text_document.uri, to.range_of(document, found))

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def _(params: types.ReferenceParams) -> list[types.Location]:
        document = _document(session, params)
        if document is None:
            return []
        found = references(document, to.position(params.position), declaration=params.context.include_declaration)
        return [types.Location(params.text_document.uri, to.range_of(document, span)) for span in found]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def _(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        document = _document(session, params)
        if document is None:
            return []
        return [to.highlight(document, each) for each in highlights(document, to.position(params.position))]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def _(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        document = _document(session, params)
        return [] if document is None else [to.symbol(document, each) for each in symbols(document)]

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    def _(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        document = _document(session, params)
        return [] if document is None else [to.folding(each) for each in folds(document)]


# ---- changes


def _add_changes(server: LanguageServer, session: Session) -> None:
    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def _(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        document = _document(session, params)
        if document is None:
            return None
        try:
            span, name = renamed_span(document, to.position(params.position))
        except RenameError as error:
            raise _refused(error) from None
        return types.PrepareRenamePlaceholder(to.range_of(document, span), name)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def _(params: types.RenameParams) -> Json | None:
        document = _document(session, params)
        if document is None:
            return None
        try:
            found = rename(document, to.position(params.position), params.new_name)
        except RenameError as error:
            raise _refused(error) from None
        return to.workspace_edit(document, params.text_document.uri, found)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([types.CodeActionKind.QuickFix]))
    def _(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        file = session.files.get(uri)
        if file is None or file.report.version != file.document.version:
            return []  # the findings are of another text
        found = actions(file.document, file.report.findings, to.span_of(file.document, params.range))
        return [
            to.action(file.document, uri, each, lambda code: page_of(code, session.settings.docs)) for each in found
        ]

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    async def _(params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        found = await session.formatted(params.text_document.uri)
        if found is None or session.document(params.text_document.uri) is not found[0]:
            return None
        return to.edits(found[0], formatting(*found))


def _refused(error: RenameError) -> JsonRpcException:
    return JsonRpcException(str(error), types.LSPErrorCodes.RequestFailed.value)


# ---- looks


def _add_looks(server: LanguageServer, session: Session) -> None:
    legend = types.SemanticTokensLegend(list(KINDS), [])
    full = types.SemanticTokensFullDelta(delta=True)
    options = types.SemanticTokensRegistrationOptions(legend, document_selector=PTX_FILES, full=full, range=True)

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, options)
    def _(params: types.SemanticTokensParams) -> Json | None:
        file = session.files.get(params.text_document.uri)
        if file is None:
            return None
        file.colours = version, words = str(file.document.version), colours(file.document)
        return to.semantic_tokens(words, version)

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA)
    def _(params: types.SemanticTokensDeltaParams) -> Json | None:
        file = session.files.get(params.text_document.uri)
        if file is None:
            return None
        known, old = file.colours
        file.colours = version, words = str(file.document.version), colours(file.document)
        same = known == params.previous_result_id
        return to.semantic_delta(old, words, version) if same else to.semantic_tokens(words, version)

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, options)
    def _(params: types.SemanticTokensRangeParams) -> Json | None:
        document = _document(session, params)
        if document is None:
            return None
        span = to.span_of(document, params.range)
        return to.semantic_tokens(encoded(document, list(semantic_tokens(document, span))))

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def _(params: types.InlayHintParams) -> list[types.InlayHint]:
        file = session.files.get(params.text_document.uri)
        if file is None or not session.settings.hints:
            return []
        first, last = to.position(params.range.start), to.position(params.range.end)
        return [to.inlay(file.document, each) for each in inlay_hints(file.document, file.hints, first, last)]
