"""What a backend keeps on disk for the next process: PTX, and tuned workgroups; and their folders.

Both are stores of `driver_ctypes.caches`: every entry has a checksum over its content and key, and a damaged one is deleted
with a warning that names the file. A store that cannot be read, written or trusted is off, with a warning too.
"""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from driver_ctypes.caches.code import CodeStore
from driver_ctypes.caches.folder import cache_folder
from driver_ctypes.caches.process import CubinCache
from driver_ctypes.errors import CacheError, CacheWarning
from ptxgen.runtime.environment import flag
from ptxgen.runtime.errors import BackendError, InvalidProgramError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ptxgen.runtime.programs.program import Built

__all__ = [
    "SourceStore", "TunedStore", "cubin_store", "dump", "ptx_disk_cache_dir", "ptx_source_cache_dir", "source_store",
    "tuned_cache_dir", "tuned_store",
]  # fmt: skip

S = TypeVar("S", bound=CodeStore)

_SOURCES, _CUBINS, _TUNED = "PTXGEN_PTX_SOURCE_CACHE_DIR", "PTXGEN_PTX_CACHE_DIR", "PTXGEN_TUNED_CACHE_DIR"


def ptx_source_cache_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """`PTXGEN_PTX_SOURCE_CACHE_DIR`, else `ptx-source` in the caches' folder."""
    return _folder(environ, _SOURCES, "ptx-source")


def ptx_disk_cache_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """`PTXGEN_PTX_CACHE_DIR`, else `ptx-cache` in the caches' folder: for what the driver's compiler made of PTX."""
    return _folder(environ, _CUBINS, "ptx-cache")


def tuned_cache_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """`PTXGEN_TUNED_CACHE_DIR`, else `tuned` in the caches' folder: for the workgroups that measuring chose."""
    return _folder(environ, _TUNED, "tuned")


def _folder(environ: Mapping[str, str], variable: str, name: str) -> Path:
    """The variable's folder, else one in `driver_ctypes.cache_folder`. InvalidProgramError where the variable is empty."""
    chosen = environ.get(variable)
    if chosen == "":
        raise InvalidProgramError(
            f"{variable} is empty", fix="set it to a writable persistent folder, or unset it so that others are found"
        )
    return Path(chosen) if chosen else cache_folder(environ) / name


class SourceStore(CodeStore):
    """PTX by the keys of programs, with the other fields of `Built`."""

    suffix = ".source"
    variable = _SOURCES

    def find(self, key: str) -> Built | None:
        """What was kept, or None."""
        from ptxgen.runtime.programs.program import Built

        found = self.get(key)
        return Built(found.image.decode(), tuple(map(tuple, json.loads(found.log)))) if found is not None else None

    def keep(self, key: str, built: Built) -> None:
        """Keep it."""
        self.put(key, built.ptx.encode(), json.dumps(built.reach))


class TunedStore(CodeStore):
    """Threads of a CTA by the keys of kernels, with the nanoseconds of all sizes."""

    suffix = ".tuned"
    variable = _TUNED


def source_store() -> SourceStore | None:
    """Where PTX is kept; None where `PTXGEN_CACHE=0` turned caches off, or there is no place for one."""
    return _opened(SourceStore, ptx_source_cache_dir)


def tuned_store() -> TunedStore | None:
    """The same for tuned workgroups."""
    return _opened(TunedStore, tuned_cache_dir)


def cubin_store() -> CubinCache | None:
    """A cache of cubins for this backend's programs where `PTXGEN_PTX_CACHE_DIR` asks for one."""
    if os.environ.get(_CUBINS) is None:
        return None
    made = CubinCache(ptx_disk_cache_dir())
    made.variable = _CUBINS
    return made


def _opened(kind: type[S], folder: Callable[[], Path]) -> S | None:
    if not flag("PTXGEN_CACHE", True):
        return None
    try:
        return kind(folder())
    except CacheError as problem:
        warnings.warn(f"{problem}\n  Programs are built at every start.", CacheWarning, stacklevel=3)
        return None


def dump(text: str, key: str, *, failed: bool, environ: Mapping[str, str] = os.environ) -> Path | None:
    """Keep PTX for a look at it: all of it in `PTXGEN_PTX_DUMP_ALL_DIR`, what failed in `PTXGEN_PTX_DUMP_DIR`. BackendError where
    that folder cannot be written."""
    everything = environ.get("PTXGEN_PTX_DUMP_ALL_DIR")
    folder = everything or (environ.get("PTXGEN_PTX_DUMP_DIR") if failed else None)
    if not folder:
        return None
    path = Path(folder, f"{key}{'.failed' if failed else ''}.ptx")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        variable = "PTXGEN_PTX_DUMP_ALL_DIR" if everything else "PTXGEN_PTX_DUMP_DIR"
        raise BackendError(
            f"PTX cannot be kept in {folder}: {error}", fix=f"let {variable} name a folder that can be written"
        ) from error
    return path
