"""The open files of an editor: their texts, what was last found about each, and when each is checked again."""

from __future__ import annotations

import asyncio
import fnmatch
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.uris import to_fs_path

from ptxgen.lsp.answers.inlay import moved
from ptxgen.lsp.background.judge import BackgroundJudge
from ptxgen.lsp.background.judging import Job
from ptxgen.lsp.background.report import Report
from ptxgen.lsp.changes import Changes
from ptxgen.lsp.document import Document
from ptxgen.lsp.languages import language_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.lsp.background.report import Hint
    from ptxgen.lsp.model.positions import Edit

__all__ = ["OpenFile", "Session", "Settings"]

_QUIET = 0.05
"""Seconds without an edit before the syntax of a file is checked, a few milliseconds' work."""
_LONG_QUIET = 0.15
"""Seconds without an edit before the rest is."""
_log = logging.getLogger(__name__)


class Settings:
    """What an editor may set: `docs`, the address of the documentation site; `style`, whether advice is wanted; `hints`, whether
    lines have hints; `parameters`, for templates by a pattern of their names, {"*.ptx.j2": {"unroll": 4}}."""

    def __init__(self, given: object = None) -> None:
        values = given if isinstance(given, dict) else {}
        docs, parameters = values.get("docs"), values.get("parameters")
        self.docs = docs if isinstance(docs, str) else ""
        self.style = values.get("style") is True
        self.hints = values.get("hints") is not False
        self.parameters = parameters if isinstance(parameters, dict) else {}

    def parameters_of(self, name: str) -> dict[str, str]:
        """A template's parameters, as texts."""
        found: dict[str, str] = {}
        for pattern, values in self.parameters.items():
            if isinstance(values, dict) and fnmatch.fnmatch(name, f"*{str(pattern).lstrip('*')}"):
                found.update({str(key): str(value) for key, value in values.items()})
        return found


class OpenFile:
    """A file, its last report, and the report's hints, moved along with the edits since. `colours` are those that the editor
    has, behind the version they are of."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.report = Report(-1)
        self.hints: tuple[Hint, ...] = ()
        self.colours: tuple[str, list[str]] = ("", [])

    def edit(self, edits: Sequence[Edit], version: int) -> None:
        """Make edits of one text, the last ones first."""
        self.document = self.document.edited(edits, version)
        self.hints = moved(self.hints, edits)


class Session:
    """`publish` is called with the address of a file that has a new report."""

    def __init__(self, publish: Callable[[str, OpenFile], None]) -> None:
        self.files: dict[str, OpenFile] = {}
        self.settings = Settings()
        self._publish = publish
        self._judge = BackgroundJudge()
        self._thread = ThreadPoolExecutor(1, "ptxgen-lsp")
        self._waiting: dict[str, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._work: asyncio.Task[None] | None = None
        self._judged = ""

    # ---- the editor's side

    def opened(self, item: types.TextDocumentItem) -> None:
        name = to_fs_path(item.uri) or item.uri
        document = Document(name, item.text, language_of(name, item.language_id), item.version)
        self.files[item.uri] = OpenFile(document)
        self._later(item.uri)

    def changed(self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]) -> None:
        """Apply the changes of a version in their order."""
        file = self.files.get(uri)
        if file is None:
            _log.warning("an edit of %s, which is not open", uri)
            return
        together = Changes(file.document)
        for change in changes:
            if not together.add(change):
                file.edit(together.edits, version)
                together = Changes(file.document)
                together.add(change)
        file.edit(together.edits, version)
        self._later(uri)

    def closed(self, uri: str) -> None:
        self.files.pop(uri, None)
        self._waiting.pop(uri, None)
        if self._judged == uri:
            self._judge.cancel()

    def document(self, uri: str) -> Document | None:
        """The present version of a file; None for one that is not open."""
        file = self.files.get(uri)
        return None if file is None else file.document

    def set(self, given: object) -> None:
        """Other settings: every file is checked again."""
        self.settings = Settings(given)
        for uri in self.files:
            self._later(uri)

    async def formatted(self, uri: str) -> tuple[Document, str] | None:
        """A version and its formatted text; None for what cannot be formatted. A check gives way to it."""
        file = self.files.get(uri)
        if file is None or file.document.language != "ptx":
            return None
        document, judged = file.document, self._judged
        self._judge.cancel()
        text = await self._ask("formatted", self._job(document))
        if judged:
            self._later(judged)
        return None if text is None else (document, text)

    def close(self) -> None:
        """End the worker."""
        if self._timer is not None:
            self._timer.cancel()
        if self._work is not None:
            self._work.cancel()
        self.files.clear()
        self._waiting.clear()
        self._judge.cancel()
        self._judge.close()
        self._thread.shutdown(wait=False)

    # ---- the checks

    def _later(self, uri: str) -> None:
        """Check a file when its editor has been quiet for a moment; a check of an older version is of no use."""
        if self._judged == uri:
            self._judge.cancel()
        self._waiting[uri] = None
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(_QUIET, self._start)

    def _start(self) -> None:
        if self._work is None or self._work.done():
            self._work = asyncio.get_running_loop().create_task(self._check_waiting())

    async def _check_waiting(self) -> None:
        while self._waiting:
            uri = next(iter(self._waiting))
            del self._waiting[uri]
            if uri not in self.files:
                continue
            self._judged = uri
            try:
                await self._check(uri)
            except Exception:
                _log.exception("the check of %s failed", uri)
            finally:
                self._judged = ""

    async def _check(self, uri: str) -> None:
        """Syntax first; then all, where the text can be read, if no edit comes."""
        job = self._job(self.files[uri].document)
        for what, pause in (("syntax", 0.0), ("all", _LONG_QUIET - _QUIET)):
            await asyncio.sleep(pause)
            if uri in self._waiting:
                return
            report = await self._ask(what, job)
            file = self.files.get(uri)
            if not isinstance(report, Report) or file is None or file.document.version != report.version:
                return
            if what == "all" or not report.parsed:
                file.report = report
                if not any(each.severity == "error" for each in report.findings):  # else there are none
                    file.hints = report.hints
                self._publish(uri, file)
                return

    def _job(self, document: Document) -> Job:
        settings = self.settings
        return Job(
            document.name, document.text, document.language, document.version, settings.parameters_of(document.name),
            settings.style,
        )  # fmt: skip

    async def _ask(self, what: str, job: Job) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._judge.ask, what, job)
