"""`ptxgen info`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

    Command = Callable[..., Result]


def test_what_it_says_is_data(ptxgen: Command) -> None:
    import ptxgen as px

    said = json.loads(ptxgen("info", "--json").stdout)
    assert said["ptxgen"] == px.__version__
    assert [driver["name"] for driver in said["drivers"]] == ["cuda", "cpu"]
    cpu = said["drivers"][1]
    assert cpu["usable"]
    assert cpu["devices"][0]["name"] == "cpu:0"
    assert cpu["launcher"].split()[0] in ("native", "ctypes")
    assert {each["since"] for each in cpu["missing"]} >= {"13.1", "13.2"}
    assert {"code", "cpu", "driver"} == set(said["caches"])
    assert {"system", "wsl", "container", "kernel_module", "device_nodes"} <= set(said["host"])
    assert all(each["taken"] or each["reason"] for driver in said["drivers"] for each in driver["candidates"])
    assert {package["name"] for package in said["packages"]} >= {"llvmlite", "jinja2", "numpy"}


def test_for_people(ptxgen: Command, device_name: str) -> None:
    result = ptxgen("info")
    assert result.exit_code == 0
    assert f"{device_name}:0" in result.stdout
    assert "compiled code: " in result.stdout
    assert "compiled code of the CPU device: " in result.stdout
    assert "the driver's own cache: " in result.stdout


@pytest.mark.cpu_only
def test_what_is_missing_and_what_to_do(ptxgen: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.metadata

    real = importlib.metadata.version

    def version(name: str) -> str:
        if name == "nvidia-nvjitlink":
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    result = ptxgen("info")
    assert "missing: nvidia-nvjitlink: not installed; needed for assembling without a GPU" in result.stdout
    assert "Fix: pip install 'ptxgen[assemble]'" in result.stdout


def test_the_environment_is_shown(ptxgen: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTXGEN_DEVICE", "cpu")
    result = ptxgen("info")
    assert "PTXGEN_DEVICE=cpu" in result.stdout
    assert "px.device() is cpu:0" in result.stdout


def test_memory_of_the_devices(ptxgen: Command) -> None:
    (look,) = [json.loads(line) for line in ptxgen("info", "--memory", "--json").stdout.splitlines()]
    assert {"name", "product", "total", "free", "used", "percent", "seconds"} == set(look[0])
    assert "cpu:0" in [each["name"] for each in look]


def test_memory_over_time(ptxgen: Command) -> None:
    lines = ptxgen("info", "--watch", "0.01", "--times", "3", "--json").stdout.splitlines()
    assert len(lines) == 3
    seconds = [json.loads(line)[0]["seconds"] for line in lines]
    assert seconds == sorted(seconds)
    assert "GiB used (" in ptxgen("info", "--watch", "0.01", "--times", "1").stdout
    assert ptxgen("info", "--watch", "0").exit_code == 2
