"""The cache of cubins and of compilers' logs, and the caches of the process: which they are, and which loads use them."""

from __future__ import annotations

import os

from driver_ctypes.caches.code import CodeStore
from driver_ctypes.caches.folder import cache_path
from driver_ctypes.errors import CacheError, CacheWarning
from driver_ctypes.lifetime import in_child
from driver_ctypes.primitives import Lock
from driver_ctypes.typing import TYPE_CHECKING, ClassVar, TypeVar
from driver_ctypes.validate import instance

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class CubinCache(CodeStore):
    """Cubins and logs in a folder, for any number of threads and processes."""

    suffix = ".cubin"

    def __init__(self, folder: Path | str | None = None, *, limit: int | None = None, strict: bool = False) -> None:
        """*folder*: where the files lie (default: ``cubin`` in `cache_folder`); *limit*: bytes of all files together.

        With *strict*, exceptions take the place of warnings: CacheUnwritableError, CacheFullError, CacheUnsafeError,
        CacheCorruptError.
        """
        place = os.path.join(cache_path(), "cubin") if folder is None else folder
        super().__init__(place, limit=limit, strict=strict)


Made = TypeVar("Made", bound=CodeStore)

SWITCH_VARIABLE = "PTXGEN_CACHE"

_OFF = ("0", "off", "no", "false")


class _Process:
    cache: CubinCache | None = None
    chosen = False
    others: ClassVar[dict[str, CodeStore | None]] = {}  # by folder
    lock = Lock()


def _after_fork_in_child() -> None:
    """A thread that does not exist in the child may have held the lock."""
    _Process.lock = Lock()


in_child(_after_fork_in_child)


def cubin_cache() -> CubinCache | None:
    """The process's cache, which ``Context.load(..., cache=True)`` uses, and on NVIDIA's driver every load; None where it was
    turned off (``PTXGEN_CACHE=0``)."""
    with _Process.lock:
        if not _Process.chosen:
            _Process.cache, _Process.chosen = _from_environment(CubinCache), True
        return _Process.cache


def set_cubin_cache(cache: CubinCache | None) -> None:
    """Let every load of PTX on NVIDIA's driver use *cache* from now on; with None none does. Raises ArgumentTypeError."""
    if cache is not None:
        instance(cache, CubinCache, "set_cubin_cache", "CubinCache(folder) is one")
    with _Process.lock:
        _Process.cache, _Process.chosen = cache, True


def code_store(folder: str, kind: type[CodeStore] = CodeStore) -> CodeStore | None:
    """The process's cache of another kind, in this folder of `cache_folder`; None where caches were turned off
    (``PTXGEN_CACHE=0``), or there is no place for one."""
    with _Process.lock:
        if folder not in _Process.others:
            _Process.others[folder] = _from_environment(lambda: kind(os.path.join(cache_path(), folder)))
        return _Process.others[folder]


def _from_environment(make: Callable[[], Made]) -> Made | None:
    if os.environ.get(SWITCH_VARIABLE, "").lower() in _OFF:
        return None
    try:
        return make()
    except CacheError as problem:
        import warnings

        warnings.warn(f"{problem}\n  Code is compiled at every start.", CacheWarning, stacklevel=2)
        return None
