"""An editor for benchmarks and tests: a client of `ptxgen lsp` over pipes, which waits for each answer."""

from __future__ import annotations

import asyncio
import re
import sys
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls.lsp.client import LanguageClient
from pygls.protocol import LanguageServerProtocol

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator, Sequence

__all__ = ["Editor", "editor"]

T = TypeVar("T")
_PATIENCE = 60.0  # seconds for an answer
COMMAND = (sys.executable, "-m", "ptxgen", "lsp")


class _Protocol(LanguageServerProtocol):
    """Notes when a message is there and decoded, by the clock and by this process's time: before pygls makes its classes of it,
    which no other client does."""

    decoded = (0.0, 0.0)

    def structure_message(self, data: dict[str, Any]) -> Any:
        if "jsonrpc" in data:
            self.decoded = (perf_counter(), process_time())
        return super().structure_message(data)


class Editor:
    """One client with its server. `client` has the protocol's requests as coroutines, for `run`.

    `texts` are the open files as this side has them; `diagnostics` what the server published last, by address.
    """

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.client = LanguageClient("editor", "1", protocol_cls=_Protocol)
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.diagnostics: dict[str, types.PublishDiagnosticsParams] = {}
        self.stderr = b""

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
        def _(params: types.PublishDiagnosticsParams) -> None:
            self.diagnostics[params.uri] = params

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The result of a request; TimeoutError where none comes."""
        return self.loop.run_until_complete(asyncio.wait_for(coroutine, _PATIENCE))

    @property
    def decoded(self) -> tuple[float, float]:
        """When the last message came: `perf_counter`, `process_time`."""
        assert isinstance(self.client.protocol, _Protocol)
        return self.client.protocol.decoded

    def start(self, options: dict[str, Any] | None = None) -> types.InitializeResult:
        """Start the server and shake hands with it."""
        self.run(self.client.start_io(*COMMAND))
        found = self.run(
            self.client.initialize_async(
                types.InitializeParams(types.ClientCapabilities(), initialization_options=options)
            )
        )
        self.client.initialized(types.InitializedParams())
        return found

    def stop(self) -> int | None:
        """Shut the server down; its exit status."""
        server = self.client._server
        assert server is not None
        if server.returncode is None:
            self.run(self.client.shutdown_async(None))
            self.client.exit(None)
        assert server.stderr is not None
        self.stderr = self.run(server.stderr.read())
        self.run(self.client.stop())  # type: ignore[no-untyped-call]
        self.loop.close()
        return server.returncode

    def processor_time(self) -> float:
        """Seconds that the server's threads have run, without those of its worker; 0 where the system does not say it."""
        server = self.client._server
        tasks = Path(f"/proc/{server.pid}/task") if server is not None else Path()
        stats = [path.read_text() for path in tasks.glob("*/schedstat")]
        return sum(int(text.split()[0]) for text in stats) / 1e9

    # ---- files

    def open(self, uri: str, text: str, language: str = "ptx") -> None:
        self.texts[uri], self.versions[uri] = text, 1
        item = types.TextDocumentItem(uri, language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, uri: str, start: int, end: int, text: str) -> None:
        """Replace what is between two offsets."""
        range_ = types.Range(self.position(uri, start), self.position(uri, end))
        self.apply(uri, [types.TextEdit(range_, text)])

    def apply(self, uri: str, edits: Sequence[types.TextEdit]) -> None:
        """Make the edits of an answer in one version, the last ones first, as editors do."""
        text = self.texts[uri]
        starts = [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text)), len(text)]
        parts: list[str] = []
        end, changes = len(text), []
        for edit in sorted(edits, key=lambda each: (each.range.start.line, each.range.start.character), reverse=True):
            first, last = (_offset(text, starts, place) for place in (edit.range.start, edit.range.end))
            parts += [text[last:end], edit.new_text]
            end = first
            changes.append(types.TextDocumentContentChangePartial(edit.range, edit.new_text))
        self.texts[uri] = "".join(reversed([*parts, text[:end]]))
        self.versions[uri] += 1
        version = types.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(version, changes))

    def published(self, uri: str) -> list[types.Diagnostic]:
        """The diagnostics of the present version, when they have come."""

        async def wait() -> list[types.Diagnostic]:
            while (found := self.diagnostics.get(uri)) is None or found.version != self.versions[uri]:
                await asyncio.sleep(0.005)
            return list(found.diagnostics)

        return self.run(wait())

    def position(self, uri: str, offset: int) -> types.Position:
        """The place of an offset; lines end with a newline here."""
        before = self.texts[uri][:offset].split("\n")
        return types.Position(len(before) - 1, len(before[-1].encode("utf-16-le")) // 2)

    def at(self, uri: str, text: str, behind: int = 0) -> types.TextDocumentPositionParams:
        """The place so many characters behind the first one of a text."""
        offset = self.texts[uri].index(text) + behind
        return types.TextDocumentPositionParams(types.TextDocumentIdentifier(uri), self.position(uri, offset))


def _offset(text: str, starts: list[int], place: types.Position) -> int:
    line = text[starts[place.line] : starts[place.line + 1]].encode("utf-16-le")
    return starts[place.line] + len(line[: 2 * place.character].decode("utf-16-le"))


@contextmanager
def editor(options: dict[str, Any] | None = None) -> Iterator[Editor]:
    """An editor with a server that is started, and ended behind the block."""
    made = Editor()
    made.start(options)
    try:
        yield made
    finally:
        made.stop()
