"""The page of a diagnostic code: of the documentation site where an editor's settings name one, else a file with what
`ptxgen explain` says."""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING

from driver_ctypes.caches.folder import cache_folder
from driver_ctypes.errors import CacheUnwritableError
from ptxgen.codes.index import INDEX
from ptxgen.lsp.answers.markdown import explained
from ptxgen.verifier.explanation import explain

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["page_of"]

_log = logging.getLogger(__name__)


def page_of(code: str, site: str = "") -> str | None:
    """The address of a code's page; None where there is none."""
    if code not in INDEX:
        return None
    if site:
        return f"{site.rstrip('/')}/codes/{code}.html"
    written = _written(code)
    return None if written is None else written.as_uri()


@cache
def _written(code: str) -> Path | None:
    """The page as a file in the caches' folder."""
    try:
        path = cache_folder() / "codes" / f"{code}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = explained(explain(code)) + "\n"
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
    except (OSError, CacheUnwritableError) as error:
        _log.warning("no page for %s: %s", code, error)
        return None
    return path
