"""The folders of caches, and the environment variables that choose them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from driver_ctypes.errors import CacheUnwritableError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["cache_folder"]

FOLDER_VARIABLE = "PTXGEN_CACHE_DIR"


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder of this package's caches: ``PTXGEN_CACHE_DIR``, else ``ptxgen`` in the user's cache folder.

    Raises CacheUnwritableError where the user, or the one named as ``~name``, has no home.
    """
    chosen = environ.get(FOLDER_VARIABLE)
    if chosen:
        try:
            return Path(chosen).expanduser().absolute()
        except RuntimeError as error:
            raise CacheUnwritableError(
                f"{FOLDER_VARIABLE} is {chosen!r}: {error}", hint="write the whole path"
            ) from None
    if sys.platform == "win32" and environ.get("LOCALAPPDATA"):
        return Path(environ["LOCALAPPDATA"], "ptxgen", "cache")
    shared = environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(shared):  # the XDG specification ignores relative ones
        return Path(shared, "ptxgen")
    try:
        return Path.home() / ".cache" / "ptxgen"
    except RuntimeError:
        raise CacheUnwritableError("this user has no home folder", hint=f"set {FOLDER_VARIABLE}") from None
