"""`ptxgen info`: what this machine has, what it lacks, and what to do about it."""

from __future__ import annotations

import json
import platform
import sys
from typing import Any

import click

from ptxgen import __version__
from ptxgen.cli import show

__all__ = ["info", "survey"]

_PACKAGES = {
    "jinja2": "templates",
    "llvmlite": "the CPU device",
    "numpy": "arrays on the host",
    "click": "this command",
    "rich": "this command",
    "pillow": "pictures of arrays",
    "nvidia-nvjitlink": "assembling without a GPU",
    "nvidia-cuda-nvcc": "ptxas: assembling whole programs",
}
_EXTRAS = {
    "numpy": "numpy", "click": "cli", "rich": "cli", "pillow": "image", "nvidia-nvjitlink": "assemble",
    "nvidia-cuda-nvcc": "ptxas",
}  # fmt: skip


@click.command()
@click.option("--memory", is_flag=True, help="Say how much memory each device has, and how much is used, and no more.")
@click.option(
    "--watch", metavar="SECONDS", type=click.FloatRange(min=0, min_open=True), help="The same every so many seconds."
)
@click.option("--times", type=click.IntRange(1), help="With --watch: how often.  [default: until interrupted]")
@click.option("--json", "json_", is_flag=True, help="The same as JSON; with --watch a document a line.")
def info(memory: bool, watch: float | None, times: int | None, json_: bool) -> None:
    """Say which drivers, devices, assemblers and packages were found, and what is missing and why.

    \b
    ptxgen info
    ptxgen info --watch 2

    Memory is that of all processes, as the driver counts it; to ask, a context is opened on each device.
    """
    if memory or watch is not None:
        _watch(watch, 1 if watch is None else times, json_)
        return
    found = survey()
    if json_:
        show.as_json(found)
    else:
        _print(found)


def _watch(seconds: float | None, times: int | None, json_: bool) -> None:
    from ptxgen.host.memory_monitor import watch

    for look in watch(seconds or 1.0, times=times):
        if json_:
            click.echo(json.dumps([each.to_dict() for each in look]))
        else:
            for each in look:
                click.echo(str(each))


def survey() -> dict[str, Any]:
    """Everything that `info` says, as plain data."""
    from driver_ctypes.caches.jit import jit_cache_settings
    from driver_ctypes.drivers.diagnosis import influences

    chosen = _chosen()
    drivers = [_driver(name) for name in ("cuda", "cpu")]
    own = jit_cache_settings()
    assemblers = _assemblers()
    packages = [_package(name, use) for name, use in _PACKAGES.items()]
    return {
        "ptxgen": __version__,
        "python": platform.python_version(),
        "executable": sys.executable,
        "platform": f"{platform.system()} {platform.machine()}",
        "environment": {name: value for name, value in influences().items() if name not in own.chosen},
        "device": chosen,
        "host": _host(),
        "drivers": drivers,
        "caches": _caches(own._asdict()),
        "assemblers": assemblers,
        "packages": packages,
        "missing": _missing(drivers, assemblers, packages),
    }


def _driver(name: str) -> dict[str, Any]:
    from driver_ctypes import diagnose

    found = diagnose(name)
    return {
        "name": name,
        "usable": found.usable,
        "version": _version(found.version) if found.version else None,
        "library": found.library,
        "file": found.file,
        "launcher": found.launcher,
        "devices": [
            {
                "name": f"{name}:{each.ordinal}",
                "product": each.name,
                "compute_capability": "{}.{}".format(*each.compute_capability),
                "memory": each.total_memory,
                "uuid": each.uuid,
            }
            for each in found.devices
        ],
        "problem": found.problem,
        "candidates": [
            {"library": each.library, "taken": each.taken, "reason": each.reason} for each in found.candidates
        ],
        "advice": found.advice,
        "missing": [{"function": each.symbol, "since": _version(each.since)} for each in found.missing],
        "findings": [finding._asdict() for finding in found.findings],
    }


def _version(number: int) -> str:
    """A CUDA version as the driver counts it: 13000 is 13.0."""
    return f"{number // 1000}.{number % 1000 // 10}"


def _host() -> dict[str, Any]:
    from driver_ctypes.drivers.diagnosis import inspect_host

    return inspect_host()._asdict()


def _caches(jit: dict[str, Any]) -> dict[str, Any]:
    """The caches of compiled code: this package's, of cubins and of the CPU device, and the driver's own."""
    from driver_ctypes.drivers.diagnosis import code_cache
    from ptxgen.emulated_driver.modules.disk import status

    return {"code": code_cache()._asdict(), "cpu": status()._asdict(), "driver": jit}


def _assemblers() -> list[dict[str, Any]]:
    from ptxgen.assembler import assemblers

    return [
        {
            "name": tool.name,
            "version": tool.version or None,
            "path": tool.path or None,
            "targets": list(tool.targets),
            "problem": tool.reason,
        }
        for tool in assemblers()
    ]


def _package(name: str, use: str) -> dict[str, Any]:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return {"name": name, "version": version(name), "use": use}
    except PackageNotFoundError:
        return {"name": name, "version": None, "use": use}


def _chosen() -> dict[str, str | None]:
    """What `px.device()` opens here. Makes the CPU driver known to driver_ctypes."""
    from ptxgen.errors import Error
    from ptxgen.host import device, devices

    try:
        devices()
        found = device()
    except Error as error:
        return {"name": None, "target": None, "problem": str(error)}
    return {"name": found.name, "target": found.target, "problem": None}


def _missing(
    drivers: list[dict[str, Any]], assemblers: list[dict[str, Any]], packages: list[dict[str, Any]]
) -> list[dict[str, str]]:
    """What is not there: what, why, what to do."""
    found = [
        {"what": f"driver {each['name']}", "why": each["problem"], "advice": each["advice"] or ""}
        for each in drivers
        if each["problem"]
    ]
    if not any(tool["version"] for tool in assemblers):
        why = "; ".join(f"{tool['name']}: {tool['problem']}" for tool in assemblers)
        found.append({"what": "assembler", "why": why, "advice": "pip install 'ptxgen[assemble]'"})
    there = {"nvidia-cuda-nvcc"} if any(tool["name"] == "ptxas" and tool["version"] for tool in assemblers) else set()
    for each in packages:
        if each["version"] is None and each["name"] not in there:
            name = each["name"]
            advice = f"pip install 'ptxgen[{_EXTRAS[name]}]'" if name in _EXTRAS else f"pip install {name}"
            found.append({"what": name, "why": f"not installed; needed for {each['use']}", "advice": advice})
    return found


def _print(found: dict[str, Any]) -> None:
    click.echo(f"ptxgen {found['ptxgen']}, Python {found['python']} ({found['executable']}), {found['platform']}")
    host = found["host"]
    around = [f"in a container ({host['container']})" if host["container"] else "", "under WSL" if host["wsl"] else ""]
    if any(around) or host["kernel_module"]:
        module = f"NVIDIA kernel module {host['kernel_module'] or 'not loaded'}"
        click.echo(", ".join([*filter(None, around), module]))
    for name, value in found["environment"].items():
        click.echo(f"{name}={value}")
    chosen = found["device"]
    click.echo(f"px.device() is {chosen['name']}, target {chosen['target']}" if chosen["name"] else chosen["problem"])
    show.table(
        ("device", "product", "compute capability", "memory", "driver"),
        [
            (each["name"], each["product"], each["compute_capability"], _gib(each["memory"]), driver["version"])
            for driver in found["drivers"]
            for each in driver["devices"]
        ],
    )
    usable = [tool for tool in found["assemblers"] if tool["targets"]]
    show.table(
        ("assembler", "version", "targets", "where"),
        [(t["name"], t["version"], f"{t['targets'][0]} to {t['targets'][-1]}", t["path"]) for t in usable],
    )
    installed = [each for each in found["packages"] if each["version"]]
    show.table(("package", "version", "for"), [(each["name"], each["version"], each["use"]) for each in installed])
    _print_drivers(found["drivers"])
    _print_caches(found["caches"])
    for each in found["missing"]:
        click.echo(f"missing: {each['what']}: {each['why']}\n  Fix: {each['advice']}")


def _print_drivers(drivers: list[dict[str, Any]]) -> None:
    """Of each driver that opened: its library, how it launches, and which functions of later CUDA versions it lacks."""
    for driver in drivers:
        if not driver["version"]:
            continue
        library = f", {driver['library']} ({driver['file']})" if driver["library"] else ""
        click.echo(f"driver {driver['name']}: CUDA {driver['version']}{library}; launches are {driver['launcher']}")
        later: dict[str, list[str]] = {}
        for each in driver["missing"]:
            later.setdefault(each["since"], []).append(each["function"])
        newer = {since: names for since, names in later.items() if _order(since) > _order(driver["version"])}
        for since, names in sorted(newer.items(), key=lambda item: _order(item[0])):
            click.echo(f"  without {len(names)} functions of CUDA {since}: {', '.join(names)}")
        for finding in driver["findings"] if driver["usable"] else []:
            click.echo(f"  note: {finding['what']}\n  Fix: {finding['advice']}")


def _order(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _print_caches(caches: dict[str, Any]) -> None:
    code, own = caches["code"], caches["driver"]
    if code["folder"] is None:
        click.echo("compiled code is not cached (PTXGEN_CACHE=0)")
    for what, cache in (("compiled code", code), ("compiled code of the CPU device", caches["cpu"])):
        if cache["folder"] is not None:
            used = f"{cache['nbytes'] / 2**20:.1f} of {cache['limit'] / 2**20:.0f} MiB"
            problem = f"; {cache['problem']}" if cache["problem"] else ""
            click.echo(f"{what}: {cache['entries']} entries, {used}, in {cache['folder']}{problem}")
    state = (
        f"{own['limit'] / 2**20:.0f} MiB at most in {own['folder']}" if own["enabled"] else "off (CUDA_CACHE_DISABLE=1)"
    )
    click.echo(f"the driver's own cache: {state}")


def _gib(size: int) -> str:
    return f"{size / 2**30:.0f} GiB"
