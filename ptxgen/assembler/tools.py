"""The assemblers of this machine: where they are, their versions, what they can assemble for.

Looked for, in this order: what `PTXGEN_PTXAS` and `PTXGEN_NVJITLINK` name; the wheels (nvidia-cuda-nvcc, nvidia-nvjitlink)
on `sys.path`; `CUDA_HOME`, `CUDA_PATH`, /usr/local/cuda, `PATH` and `LD_LIBRARY_PATH`; the ptxas inside the wheel triton; and
the system's own library folders. Every ptxas comes before every nvJitLink (`choice` says why), of several nvJitLinks the
newest first.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from functools import lru_cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

from ptxgen.assembler import nvjitlink, ptxas
from ptxgen.assembler.choice import place
from ptxgen.assembler.driver import driver_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Assembler", "assemblers", "candidates", "in_order", "probe"]

_VARIABLES = ("PTXGEN_NVJITLINK", "PTXGEN_PTXAS", "CUDA_HOME", "CUDA_PATH", "PATH", "LD_LIBRARY_PATH")
_SYSTEM_LIBRARIES = ("libnvJitLink.so.13", "libnvJitLink.so.12")
_ADVICE = {
    "nvjitlink": "pip install nvidia-nvjitlink",
    "ptxas": "it comes with the CUDA toolkit and with pip install nvidia-cuda-nvcc (the extra ptxas)",
}


class Assembler:
    """A tool that turns PTX into a cubin. `reason` says why it cannot be used; None when it can.

    `name` is "nvjitlink" or "ptxas", `version` like "13.5", `targets` like ("sm_75", ..., "sm_121f").
    """

    __slots__ = ("name", "path", "reason", "targets", "version")

    def __init__(
        self, name: str, path: str, *, version: str = "", targets: tuple[str, ...] = (), reason: str | None = None
    ) -> None:
        self.name: str = name
        self.path: str = path
        self.version: str = version
        self.targets: tuple[str, ...] = targets
        self.reason: str | None = reason

    @property
    def available(self) -> bool:
        return self.reason is None

    def __str__(self) -> str:
        return f"{self.name} {self.version}".rstrip()

    def __repr__(self) -> str:
        state = f"{self.targets[0]}..{self.targets[-1]}" if self.available and self.targets else self.reason
        return f"<{self} at {self.path}: {state}>"


def assemblers() -> tuple[Assembler, ...]:
    """Every assembler found, the preferred one first. What is broken or not there is in it too, with the reason."""
    probed = in_order([probe(name, path) for name, path in candidates()], driver_version())
    found = [tool for tool in probed if tool.available or tool.path not in _SYSTEM_LIBRARIES]
    for name, advice in _ADVICE.items():
        if not any(tool.name == name for tool in found):
            found.append(Assembler(name, "", reason=f"not found; {advice}"))
    return tuple(found)


def in_order(tools: Iterable[Assembler], driver: tuple[int, ...] | None) -> Iterable[Assembler]:
    """The tools, the preferred one first (`choice`); those that are equally good, and without a driver all, stay in order."""
    return tools if driver is None else sorted(tools, key=lambda tool: place(tool.name, tool.version, driver))


@lru_cache(maxsize=64)
def probe(name: str, path: str) -> Assembler:
    """Ask the tool itself for its version and targets; an unusable one comes back with the reason."""
    try:
        version, targets = nvjitlink.about(path) if name == "nvjitlink" else ptxas.about(path)
    except OSError as error:
        return Assembler(name, path, reason=str(error))
    return Assembler(name, path, version=version, targets=targets)


def candidates() -> tuple[tuple[str, str], ...]:
    """(name, path) of everything that looks like an assembler, each file once, the preferred first."""
    return _look(tuple(sys.path), tuple(os.environ.get(variable) for variable in _VARIABLES))


@lru_cache(maxsize=8)
def _look(path: tuple[str, ...], variables: tuple[str | None, ...]) -> tuple[tuple[str, str], ...]:
    """Looking through folders takes half a millisecond: once for each state of what says where to look."""
    found: dict[str, tuple[str, str]] = {}
    for name, paths in (("ptxas", _executables()), ("nvjitlink", _libraries())):
        for each in paths:
            found.setdefault(os.path.realpath(each) if os.path.isabs(each) else each, (name, each))
    return tuple(found.values())


def _libraries() -> Iterator[str]:
    if named := os.environ.get("PTXGEN_NVJITLINK"):
        yield named
    folders = [*_wheel_folders("nvidia", "*/lib"), *(home / "lib64" for home in _cuda_homes())]
    folders += [Path(entry) for entry in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if entry]
    files = [file for folder in folders for file in folder.glob("libnvJitLink.so.*")]
    yield from map(str, sorted(files, key=_library_version, reverse=True))
    yield from _SYSTEM_LIBRARIES  # the loader looks in ldconfig's folders


def _library_version(file: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", file.name))


def _executables() -> Iterator[str]:
    if named := os.environ.get("PTXGEN_PTXAS"):
        yield named
    folders = [*map(str, _wheel_folders("nvidia", "*/bin")), *(str(home / "bin") for home in _cuda_homes())]
    folders += [os.environ.get("PATH", os.defpath), *map(str, _wheel_folders("triton", "backends/nvidia/bin"))]
    for folder in folders:
        if found := shutil.which("ptxas", path=folder):
            yield found


def _cuda_homes() -> list[Path]:
    named = [os.environ.get(variable) for variable in ("CUDA_HOME", "CUDA_PATH")]
    return [Path(home) for home in (*named, "/usr/local/cuda") if home]


def _wheel_folders(package: str, pattern: str) -> list[Path]:
    """Folders inside an installed package, without importing it."""
    spec = PathFinder.find_spec(package, sys.path)
    places = spec.submodule_search_locations if spec else None
    return [folder for place in places or () for folder in sorted(Path(place).glob(pattern))]
