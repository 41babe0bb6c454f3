"""The protocol as pygls has it, but for four things.

The texts of documents are the session's: pygls would keep them a second time, and fails at ranges outside of them. Columns count
UTF-16 code units, which every client knows. Colours and formatting are offered for PTX files alone where a client can tell them
apart: those of Python and C++ are other servers' work. Whoever makes an answer of thousands of places writes it as JSON: by way
of pygls' classes that would take ten times as long.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol, lsp_method

if TYPE_CHECKING:
    from collections.abc import Generator

    from pygls.lsp.server import LanguageServer

__all__ = ["PTX_FILES", "Json", "PtxProtocol", "register_formatting"]

PTX_FILES = [types.TextDocumentFilterLanguage("ptx"), types.TextDocumentFilterLanguage("ptx-jinja")]


class Json(str):
    """An answer that is JSON already."""

    __slots__ = ()


class PtxProtocol(LanguageServerProtocol):
    """Hands edits to the server's own functions alone, and sends `Json` as it is."""

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = None
        found = yield from super().lsp_initialize(params)
        if _registers_formatting(params.capabilities):
            found.capabilities.document_formatting_provider = None
        return found

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None

    def _send_data(self, data: Any) -> None:
        result = getattr(data, "result", None)
        if not isinstance(result, Json) or self.writer is None:
            super()._send_data(data)
            return
        body = f'{{"jsonrpc":"2.0","id":{json.dumps(data.id)},"result":{result}}}'.encode()
        self.writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


def _registers_formatting(capabilities: types.ClientCapabilities) -> bool:
    """Can the client be told later which files are formatted?"""
    document = capabilities.text_document
    return document is not None and document.formatting is not None and bool(document.formatting.dynamic_registration)


def register_formatting(server: LanguageServer) -> None:
    """Offer to format PTX files, where that was not offered for all files at the start."""
    if _registers_formatting(server.client_capabilities):
        options = types.DocumentFormattingRegistrationOptions(document_selector=PTX_FILES)
        registration = types.Registration("formatting", types.TEXT_DOCUMENT_FORMATTING, options)
        server.client_register_capability(types.RegistrationParams([registration]))
