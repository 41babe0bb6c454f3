"""What is there, what is missing and what to do about it, as data: for ``info`` commands and bug reports.

`inspect_host` reads files only, never the driver: what they say of the kernel module, device nodes, WSL and containers. Tests
pass another *root* of the file system.
"""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

from driver_ctypes.abi.functions import FUNCTIONS
from driver_ctypes.contexts.device import Driver
from driver_ctypes.drivers.registry import driver
from driver_ctypes.errors import CudaError, DriverNotFoundError, Error
from driver_ctypes.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from driver_ctypes.caches.jit import JitCacheSettings


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


_SYSTEM_DRIVER_MISMATCH, _UNKNOWN, _NO_DEVICE = 803, 999, 100
_FEW = 4  # names of a long list that a report shows
_OLDEST = 11000  # what this package is tested with at the least; older drivers lack half of the table


class DeviceSummary(NamedTuple):
    """One device."""

    ordinal: int
    name: str
    uuid: str
    compute_capability: tuple[int, int]
    total_memory: int
    """Bytes."""


class Candidate(NamedTuple):
    """A library that was looked at. ``reason`` says why it was not taken; "" for the one that was."""

    library: str
    reason: str

    @property
    def taken(self) -> bool:
        """Whether it is the driver's."""
        return not self.reason


class MissingFunction(NamedTuple):
    """A function of the table that the driver lacks. ``since`` is the CUDA version that introduced it, as
    1000 * major + 10 * minor.
    """

    symbol: str
    since: int


class CodeCache(NamedTuple):
    """The cache of compiled code on disk."""

    folder: str | None
    """None where it is turned off."""
    entries: int
    nbytes: int
    limit: int
    """Bytes."""
    problem: str | None


class Finding(NamedTuple):
    """Something that is wrong or worth knowing, and what to do about it."""

    what: str
    advice: str


class Diagnosis(NamedTuple):
    """One driver, found or not. ``str()`` of it is a report."""

    name: str
    usable: bool
    """Whether it opened and shows a device."""
    library: str | None
    """Path or name of its library; None for an emulated driver, or where none was found."""
    file: str | None
    """The file behind that, with links resolved."""
    version: int
    """1000 * major + 10 * minor of the newest CUDA it supports; 0 where it did not open."""
    candidates: tuple[Candidate, ...]
    """Every library that was tried, in order."""
    missing: tuple[MissingFunction, ...]
    """Functions of the table that it lacks."""
    devices: tuple[DeviceSummary, ...]
    host: Host
    environment: dict[str, str]
    """Variables that change what the driver or this package does."""
    launcher: str
    """How kernels are launched, "native (...)" or "ctypes (...)" with the reason, or why they cannot be."""
    code_cache: CodeCache
    jit_cache: JitCacheSettings
    """The driver's own cache of compiled PTX."""
    findings: tuple[Finding, ...]
    """What is wrong, the most severe first; then what else is worth knowing."""

    @property
    def problem(self) -> str | None:
        """What prevents the use of the driver, if anything."""
        return self.findings[0].what if self.findings and not self.usable else None

    @property
    def advice(self) -> str | None:
        """What to do about that."""
        return self.findings[0].advice if self.findings and not self.usable else None

    def __str__(self) -> str:
        return "\n".join(_report(self))


def diagnose(name: str = "cuda") -> Diagnosis:
    """Look at driver *name* and the machine around it. Never raises: errors are in the report."""
    host = inspect_host()
    found, devices, findings, candidates = _open(name, host)
    resolve = found.resolve if found is not None else None
    library = getattr(resolve, "path", None)
    missing: tuple[MissingFunction, ...] = ()
    if found is not None:
        missing = tuple([MissingFunction(s, spec.version) for s, spec in FUNCTIONS.items() if not found.has(s)])
    if library:
        candidates = (*getattr(resolve, "tried", ()), (library, ""))
    from driver_ctypes.caches.jit import jit_cache_settings

    settings = jit_cache_settings()
    code = code_cache()
    return Diagnosis(
        name=name,
        usable=bool(devices),
        library=library,
        file=getattr(resolve, "file", None),
        version=found.version if found is not None else 0,
        candidates=tuple([Candidate(*candidate) for candidate in candidates]),
        missing=missing,
        devices=devices,
        host=host,
        environment={name: value for name, value in influences().items() if name not in settings.chosen},
        launcher=_launcher(),
        code_cache=code,
        jit_cache=settings,
        findings=(*findings, *_notes(name, found, host, settings, code)),
    )


def _open(
    name: str, host: Host
) -> tuple[Driver | None, tuple[DeviceSummary, ...], list[Finding], tuple[tuple[str, str], ...]]:
    """(the driver, its devices, what is wrong, libraries looked at)."""
    try:
        found = driver(name)
    except DriverNotFoundError as error:
        return None, (), [_no_library(error, host)], error.tried
    except Error as error:
        return None, (), [_no_start(error, host)], ()
    try:
        devices = tuple([_summary(found, ordinal) for ordinal in range(found.device_count())])
    except Error as error:
        return None if found.dead else found, (), [Finding(str(error.args[0]), error.hint or "")], ()
    return found, devices, [] if devices else [_no_device(host)], ()


def _summary(found: Driver, ordinal: int) -> DeviceSummary:
    device = found.device(ordinal)
    return DeviceSummary(ordinal, device.name, device.uuid, device.compute_capability, device.total_memory)


# --- what is wrong ----------------------------------------------------------------------------------------------------


def _no_library(error: DriverNotFoundError, host: Host) -> Finding:
    what = str(error.args[0]).partition("\n")[0]  # `candidates` lists what was tried
    if "PTXGEN_LIBCUDA" in (error.hint or "") or any("stub" in reason for _, reason in error.tried):
        return Finding(what, error.hint or "")
    if host.wsl:
        return Finding(
            f"{what}, under WSL",
            "install NVIDIA's driver for Windows, and none inside WSL; then `wsl --shutdown` and start again: "
            "/usr/lib/wsl/lib/libcuda.so.1 must be there",
        )
    if host.container:
        return Finding(
            f"{what}, in a container ({host.container})",
            "start the container with the NVIDIA Container Toolkit (docker run --gpus all; in Kubernetes request "
            "nvidia.com/gpu), with NVIDIA_DRIVER_CAPABILITIES=compute,utility",
        )
    if host.kernel_module:
        return Finding(
            f"{what}, but the kernel module {host.kernel_module} is loaded",
            f"install the driver's user-space libraries of version {host.kernel_module} (package libnvidia-compute or "
            "nvidia-driver-cuda), or name libcuda.so.1 in PTXGEN_LIBCUDA",
        )
    return Finding(what, error.hint or "install the NVIDIA driver, or use the CPU device")


def _no_start(error: Error, host: Host) -> Finding:
    what, code = str(error.args[0]), error.code if isinstance(error, CudaError) else 0
    if code == _SYSTEM_DRIVER_MISMATCH:
        loaded = f" (loaded: {host.kernel_module})" if host.kernel_module else ""
        where = "the container's libcuda must come from the host" if host.container else "reboot after a driver update"
        return Finding(f"{what}\n  the library and the kernel module{loaded} have different versions", where)
    if host.unreadable:
        return Finding(
            f"{what}\n  this user may not open {', '.join(host.unreadable)}",
            "add the user to the group that owns them (video or render), or correct their modes",
        )
    if code == _UNKNOWN and "/dev/nvidia-uvm" not in host.device_nodes and host.system == "Linux" and not host.wsl:
        return Finding(
            f"{what}\n  /dev/nvidia-uvm is not there", "run `nvidia-modprobe -u -c=0`, or pass it to the container"
        )
    return Finding(what, error.hint or "")


def _no_device(host: Host) -> Finding:
    hidden = influences().get("CUDA_VISIBLE_DEVICES")
    what = "the driver works, but shows no device"
    if hidden is not None:
        return Finding(
            f"{what}: CUDA_VISIBLE_DEVICES is {hidden!r}", "unset CUDA_VISIBLE_DEVICES, or list devices in it"
        )
    if host.container and not host.device_nodes:
        return Finding(f"{what}: the container has no /dev/nvidia*", "pass the GPU in (docker run --gpus all)")
    if host.unreadable:
        return Finding(f"{what}: this user may not open {', '.join(host.unreadable)}", "add the user to their group")
    return Finding(what, "check CUDA_VISIBLE_DEVICES and nvidia-smi; in a container, pass the GPU in (--gpus all)")


def _notes(name: str, found: Driver | None, host: Host, settings: JitCacheSettings, code: CodeCache) -> list[Finding]:
    """What does not prevent the use of the driver, but is worth knowing."""
    notes = []
    if found is not None and found.version < _OLDEST:
        notes.append(
            Finding(f"the driver is for CUDA {_cuda(found.version)}", "update it: this package is for 11.0 and newer")
        )
    real = getattr(found.resolve, "file", None) if found is not None else None
    own = library_version(real) if real else None
    if own and host.kernel_module and own != host.kernel_module:
        notes.append(
            Finding(
                f"the library is of driver {own}, the kernel module of {host.kernel_module}",
                "that is right for CUDA's forward compatibility package only; else reboot, or reinstall the driver",
            )
        )
    if found is not None and found.cache_code:
        notes += [Finding(*problem.split(": ", 1)) for problem in settings.problems]
    if code.problem:
        notes.append(Finding(code.problem, "choose a folder that can be written with PTXGEN_CACHE_DIR"))
    return notes


# --- the rest ---------------------------------------------------------------------------------------------------------


def _launcher() -> str:
    from driver_ctypes.lifetime import opened_drivers
    from driver_ctypes.trampoline.choice import launcher

    if any(driver.dead for driver in opened_drivers()):  # LLVM's lock may have been held at the fork, for ever
        return "none: this process was forked from one that had opened a driver"
    try:
        return str(launcher())
    except Error as error:
        return f"none: {error.args[0]}"


def code_cache() -> CodeCache:
    """The state of the cache that loads use by default."""
    from driver_ctypes.caches.process import cubin_cache

    cache = cubin_cache()
    if cache is None:
        return CodeCache(None, 0, 0, 0, None)
    entries, nbytes = cache.size()
    problem = str(cache.problem.args[0]) if cache.problem else None
    return CodeCache(str(cache.folder), entries, nbytes, cache.limit, problem)


def _cuda(version: int) -> str:
    return f"{version // 1000}.{version % 1000 // 10}"


def _report(found: Diagnosis) -> list[str]:
    host = found.host
    about = [host.system, host.machine, "WSL" if host.wsl else "", f"in {host.container}" if host.container else ""]
    lines = [f"driver {found.name!r}: {'usable' if found.usable else 'not usable'}, on {' '.join(filter(None, about))}"]
    if found.version:
        lines.append(
            f"  CUDA {_cuda(found.version)}" + (f", library {found.library} ({found.file})" if found.library else "")
        )
    if host.kernel_module or host.device_nodes:
        lines.append(
            f"  kernel module {host.kernel_module or 'not loaded'}, nodes: {', '.join(host.device_nodes) or 'none'}"
        )
    lines += [f"  looked at {library}: {reason or 'taken'}" for library, reason in found.candidates]
    for device in found.devices:
        major, minor = device.compute_capability
        memory = f"{device.total_memory / 2**30:.0f} GiB"
        lines.append(
            f"  device {device.ordinal}: {device.name}, compute capability {major}.{minor}, {memory}, {device.uuid}"
        )
    newer = [each for each in found.missing if each.since > found.version]
    for since in sorted({each.since for each in newer}):
        names = [each.symbol for each in newer if each.since == since]
        lines.append(f"  missing, since CUDA {_cuda(since)}: {', '.join(names)}")
    others = [each.symbol for each in found.missing if each.since <= found.version]
    if others:
        few = ", ".join(others[:_FEW]) + (", ..." if len(others) > _FEW else "")
        lines.append(f"  not offered by this driver: {len(others)} functions ({few})")
    lines.append(f"  launches: {found.launcher}")
    code, driver_own = found.code_cache, found.jit_cache
    if code.folder is None:
        lines.append("  compiled code: not cached (PTXGEN_CACHE=0)")
    else:
        lines.append(f"  compiled code: {code.entries} entries, {code.nbytes} of {code.limit} bytes in {code.folder}")
    state = (
        f"up to {driver_own.limit} bytes in {driver_own.folder}" if driver_own.enabled else "off (CUDA_CACHE_DISABLE)"
    )
    lines.append(f"  the driver's own cache: {state}")
    lines += [f"  {name}={value}" for name, value in found.environment.items()]
    for finding in found.findings:
        lines += [f"  ! {finding.what}", *([f"    Fix: {finding.advice}"] if finding.advice else [])]
    return lines
