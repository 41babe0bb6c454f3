"""What the library's templates have made, kept from one process to the next beside what the verifier found clean.

Jinja takes 40 ms to import, and 0.1 s or more to compile a template; a text that is known takes neither.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ptxgen.host import verdicts
from ptxgen.sources import files
from ptxgen.text.template_files import LIBRARY

if TYPE_CHECKING:
    from ptxgen.emulated_driver.modules.disk import Disk

__all__ = ["TemplateTexts", "template_texts"]


class TemplateTexts:
    """Texts of the templates as they were when this was made."""

    def __init__(self, store: Disk) -> None:
        self._store = store
        self._marks = _marks()

    def get(self, key: str) -> str | None:
        """The text, or None."""
        found = self._store.get("text of a template", self._marks, key)
        return None if found is None else found.decode()

    def put(self, key: str, text: str) -> None:
        """Keep a text, unless a template has changed meanwhile."""
        if self._marks == _marks():
            self._store.put(text.encode(), "text of a template", self._marks, key)


def template_texts() -> TemplateTexts | None:
    """Those of the templates as they are now; None where nothing is kept."""
    store = verdicts.store()
    return None if store is None else TemplateTexts(store)


def _marks() -> str:
    """What the file system says of the templates and of Jinja; equal marks mean equal contents, on this machine."""
    marks = {name: mark for name, _path, mark in files(LIBRARY)}
    jinja = find_spec("jinja2")
    if jinja is not None and jinja.origin is not None:
        marks[jinja.origin] = os.stat(jinja.origin)
    return "\n".join([f"{n} {m.st_size} {m.st_mtime_ns} {m.st_ctime_ns} {m.st_ino}" for n, m in sorted(marks.items())])
