"""Which assembler is taken where the caller leaves it open.

Whole-program assembly is the rule: ptxas comes before nvJitLink, which assembles a program as a part of a larger one. A driver
loads cubins of its own CUDA major version, older and newer minor ones alike (CUDA's minor version compatibility), and those of
older majors; so tools of a newer major come last, and of two ptxas the one that is not newer than the driver comes first. What
does not know the program's target or its PTX version is passed over.
"""

from __future__ import annotations

__all__ = ["is_loaded_by", "numbers", "place", "takes_version"]

Version = tuple[int, ...]

_PTX_MINOR_OF_12 = {6: 5, 7: 6, 8: 7, 9: 8}
"""CUDA 12.6 brought no new PTX version; from 13.0 on, as before 12.6, the minor versions are the same."""


def numbers(version: str) -> Version:
    """(13, 5) of "13.5"; () of nothing."""
    return tuple(int(part) for part in version.split(".") if part.isdecimal())


def is_loaded_by(version: Version, driver: Version | None) -> bool:
    """Does a driver of this CUDA version load cubins of a tool of that one?"""
    return driver is None or version[:1] <= driver[:1]


def takes_version(version: Version, ptx: Version) -> bool:
    """Does a tool of this CUDA version know that PTX version?"""
    if not version:
        return True  # it does not say: asking it will tell
    major, minor = version[0], version[1] if len(version) > 1 else 0
    newest = major - 4, _PTX_MINOR_OF_12.get(minor, minor) if major == 12 else minor
    return ptx <= newest


def place(name: str, version: str, driver: Version) -> tuple[bool, bool, bool]:
    """What the tool called *name* is sorted by on a machine with this driver: the smallest is taken first."""
    release = numbers(version)
    return not is_loaded_by(release, driver), name != "ptxas", release > driver
