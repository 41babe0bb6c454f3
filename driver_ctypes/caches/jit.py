"""The driver's own cache of compiled PTX: its settings, and suitable ones where the user has set none.

The driver reads ``CUDA_CACHE_DISABLE``, ``CUDA_CACHE_PATH`` and ``CUDA_CACHE_MAXSIZE`` once, when it starts (CUDA
Programming Guide, environment variables). The user's settings stay as they are. If the driver's default folder
cannot be written, or another folder was chosen for all caches, the driver gets one that can be written.
"""

from __future__ import annotations

import os
import sys

from driver_ctypes.caches.folder import FOLDER_VARIABLE, cache_path
from driver_ctypes.errors import CacheError
from driver_ctypes.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import MutableMapping


DISABLE, PATH, MAXSIZE = "CUDA_CACHE_DISABLE", "CUDA_CACHE_PATH", "CUDA_CACHE_MAXSIZE"

DEFAULT_BYTES = 1 << 30
"""The driver's own limit on servers and desktops; on embedded systems it is 256 MiB, which one large program fills."""
_MOST = (1 << 32) - 1  # bytes: the driver's limit


class JitCacheSettings(NamedTuple):
    """The settings that the driver's cache uses or will use."""

    enabled: bool
    folder: str
    limit: int
    """Bytes."""
    chosen: tuple[str, ...]
    """The variables that this package set, not the user."""
    problems: tuple[str, ...]
    """What is wrong with the user's settings, each with what to do."""


class _JitSettings:
    ours: tuple[str, ...] = ()


def configure_jit_cache(environ: MutableMapping[str, str] | None = None) -> JitCacheSettings:
    """Give the driver's cache a limit, and a folder that can be written, where the user chose none.

    Called before libcuda is loaded; afterwards it has no effect. Returns what is in force.
    """
    place: MutableMapping[str, str] = os.environ if environ is None else environ
    ours = []
    if not place.get(MAXSIZE):
        place[MAXSIZE] = str(DEFAULT_BYTES)
        ours.append(MAXSIZE)
    if not place.get(PATH):
        folder = _own_folder(place)
        if folder is not None:
            place[PATH] = folder
            ours.append(PATH)
    if environ is None:
        _JitSettings.ours = (*_JitSettings.ours, *ours)
    return jit_cache_settings(place, ours=tuple(ours) if environ is not None else _JitSettings.ours)


def jit_cache_settings(
    environ: MutableMapping[str, str] | None = None, *, ours: tuple[str, ...] | None = None
) -> JitCacheSettings:
    """The settings in the environment, with what is wrong with them."""
    place: MutableMapping[str, str] = os.environ if environ is None else environ
    problems = []
    disabled = place.get(DISABLE, "0")
    folder = place.get(PATH) or _default_folder()
    limit = place.get(MAXSIZE) or str(DEFAULT_BYTES)
    if disabled not in ("0", "1"):
        problems.append(f"{DISABLE} is {disabled!r}: write 0 or 1")
    if not limit.isdecimal() or int(limit) > _MOST:
        problems.append(f"{MAXSIZE} is {limit!r}: write a number of bytes up to {_MOST}")
    elif int(limit) < DEFAULT_BYTES // 4 and disabled == "0":
        problems.append(
            f"{MAXSIZE} is {limit} bytes, which a few large programs fill: unset it, or write {DEFAULT_BYTES}"
        )
    if disabled == "0" and not _writable(folder):
        problems.append(f"the driver cannot write to its cache {folder}: set {PATH} to a folder that can be written")
    return JitCacheSettings(
        enabled=disabled != "1",
        folder=folder,
        limit=int(limit) if limit.isdecimal() else 0,
        chosen=_JitSettings.ours if ours is None else ours,
        problems=tuple(problems),
    )


def _default_folder() -> str:
    """The driver's default folder."""
    if sys.platform == "win32":
        return os.path.join(os.environ.get("APPDATA", ""), "NVIDIA", "ComputeCache")
    return os.path.join(os.path.expanduser("~"), ".nv", "ComputeCache")


def _own_folder(environ: MutableMapping[str, str]) -> str | None:
    """A folder of ours, where the user chose one for all caches or the driver's own cannot be written; created if necessary."""
    if not environ.get(FOLDER_VARIABLE) and _writable(_default_folder()):
        return None
    try:
        folder = os.path.join(cache_path(environ), "jit")
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except (OSError, CacheError):
        return None
    return folder


def _writable(folder: str) -> bool:
    """Whether files can be made in it, or it itself can be made."""
    while not os.path.exists(folder):
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above or os.curdir
    return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)
