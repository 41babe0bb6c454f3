"""The machine around the driver: what its files say of the kernel module, device nodes, WSL and containers.

Reads files only, never the driver; tests pass another *root* of the file system.
"""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Host", "influences", "inspect_host"]

_KERNEL_MODULE = re.compile(r"\b(\d+\.\d+(?:\.\d+)?)\b")
_LIBRARY_VERSION = re.compile(r"libcuda\.so\.(\d+\.\d+(?:\.\d+)?)$")
_CONTAINER_MARKS = ((".dockerenv", "Docker"), ("run/.containerenv", "Podman"), ("singularity.d", "Singularity"))

# Variables that change what the driver or this package does (CUDA Programming Guide, environment variables; NVIDIA
# Container Toolkit, environment variables).
_VARIABLES = re.compile(
    r"PTXGEN_.*|DRIVER_CTYPES_.*|CUDA_.*|NVIDIA_VISIBLE_DEVICES|NVIDIA_DRIVER_CAPABILITIES|NVIDIA_DISABLE_REQUIRE|LD_LIBRARY_PATH|"
    r"LD_PRELOAD|XDG_CACHE_HOME"
)


class Host(NamedTuple):
    """What the file system says. Versions are texts such as "580.159.04"; None where there is none."""

    system: str
    machine: str
    wsl: bool
    container: str | None
    """The kind of container that this process runs in, if any."""
    kernel_module: str | None
    """Version of the loaded NVIDIA kernel module."""
    device_nodes: tuple[str, ...]
    """NVIDIA's files in /dev."""
    unreadable: tuple[str, ...]
    """Those of them that this user may not open."""
    tegra: bool
    """Whether it is a Jetson or another Tegra system, where the driver is part of the system image."""


def inspect_host(root: Path = Path("/"), system: str = "", machine: str = "") -> Host:
    """Look at the machine."""
    nodes = sorted((root / "dev").glob("nvidia*")) + [root / "dev" / "dxg"]
    nodes = [node for node in nodes if node.exists() and not node.is_dir()]
    return Host(
        system=system or platform.system(),
        machine=machine or platform.machine(),
        wsl=_is_wsl(root),
        container=_container(root),
        kernel_module=_kernel_module(root),
        device_nodes=tuple([_shown(node, root) for node in nodes]),
        unreadable=tuple([_shown(node, root) for node in nodes if not os.access(node, os.R_OK | os.W_OK)]),
        tegra=(root / "etc" / "nv_tegra_release").exists(),
    )


def influences(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment's variables that change what the driver or this package does."""
    return {name: value for name, value in sorted(environ.items()) if _VARIABLES.fullmatch(name)}


def library_version(path: str) -> str | None:
    """The driver's version in the name of its library, where it has one."""
    found = _LIBRARY_VERSION.search(path)
    return found[1] if found else None


def _shown(node: Path, root: Path) -> str:
    return "/" + node.relative_to(root).as_posix()


def _is_wsl(root: Path) -> bool:
    return "microsoft" in _read(root / "proc" / "sys" / "kernel" / "osrelease").lower()


def _container(root: Path) -> str | None:
    for mark, name in _CONTAINER_MARKS:
        if (root / mark).exists():
            return name
    groups = _read(root / "proc" / "1" / "cgroup")
    for word, name in (("kubepods", "Kubernetes"), ("docker", "Docker"), ("lxc", "LXC"), ("containerd", "containerd")):
        if word in groups:
            return name
    return None


def _kernel_module(root: Path) -> str | None:
    """From /proc/driver/nvidia/version, "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  ..." """
    first = _read(root / "proc" / "driver" / "nvidia" / "version").partition("\n")[0]
    found = _KERNEL_MODULE.search(first.partition("Module")[2])
    return found[1] if found else None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
