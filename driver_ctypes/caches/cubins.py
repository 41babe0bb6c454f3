"""The cache of cubins and of compilers' logs: what a driver's compiler made of PTX and said of it, in a folder of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driver_ctypes.caches.code import CodeStore
from driver_ctypes.caches.folder import cache_folder

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["CubinCache"]


class CubinCache(CodeStore):
    """Cubins and logs in a folder, for any number of threads and processes."""

    suffix = ".cubin"

    def __init__(self, folder: Path | str | None = None, *, limit: int | None = None, strict: bool = False) -> None:
        """*folder*: where the files lie (default: ``cubin`` in `cache_folder`); *limit*: bytes of all files together.

        With *strict*, exceptions take the place of warnings: CacheUnwritableError, CacheFullError, CacheUnsafeError,
        CacheCorruptError.
        """
        super().__init__(cache_folder() / "cubin" if folder is None else folder, limit=limit, strict=strict)
