"""The folders of caches, and the environment variables that choose them."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from driver_ctypes.errors import CacheUnwritableError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["cache_folder", "cache_path"]

FOLDER_VARIABLE = "PTXGEN_CACHE_DIR"


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder of this package's caches: ``PTXGEN_CACHE_DIR``, else ``ptxgen`` in the user's cache folder.

    Raises CacheUnwritableError where the user, or the one named as ``~name``, has no home.
    """
    from pathlib import Path  # takes longer to import than a start can spare

    return Path(cache_path(environ))


def cache_path(environ: Mapping[str, str] = os.environ) -> str:
    """The same as text."""
    chosen = environ.get(FOLDER_VARIABLE)
    if chosen:
        whole = os.path.expanduser(chosen)
        if whole.startswith("~"):
            raise CacheUnwritableError(
                f"{FOLDER_VARIABLE} is {chosen!r}: there is no such home directory", hint="write the whole path"
            )
        return os.path.join(os.getcwd(), whole)
    if sys.platform == "win32" and environ.get("LOCALAPPDATA"):
        return os.path.join(environ["LOCALAPPDATA"], "ptxgen", "cache")
    shared = environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(shared):  # the XDG specification ignores relative ones
        return os.path.join(shared, "ptxgen")
    home = os.path.expanduser("~")
    if home.startswith("~"):
        raise CacheUnwritableError("this user has no home folder", hint=f"set {FOLDER_VARIABLE}")
    return os.path.join(home, ".cache", "ptxgen")
