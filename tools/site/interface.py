"""The public names of both packages as pages that Sphinx's autodoc fills: a page for each room that exports some."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import NamedTuple

import driver_ctypes
import ptxgen
from tools.site.docstrings import restructured
from tools.site.pages import Page

__all__ = ["INDEX", "interface_pages"]

INDEX = "api/index"

ROOMS = (
    "assembler", "emulated_driver", "golden", "isa.layouts", "kernels", "ops", "ops.egraph", "passes", "resources", "runtime",
    "strategies", "text", "tuning", "verifier",
)  # fmt: skip
"""The rooms of ptxgen that users import from, beside the names of the package itself."""


class Part(NamedTuple):
    """Public names that are documented together: the module that they are imported from, and the one that explains them."""

    page: str
    title: str
    module: str
    explained_by: str
    names: tuple[str, ...]


def interface_pages(sample: int | None = None) -> Iterator[Page]:
    """Every part, or a sample of them, and the list."""
    parts = [*_exported(ptxgen), *_rooms(), *_exported(driver_ctypes)]
    parts = parts if sample is None else parts[:: max(1, len(parts) // sample)]
    for part in parts:
        yield Page(f"api/{part.page}.rst", _page(part))
    yield Page(f"{INDEX}.rst", _index(parts))


def _exported(package: ModuleType) -> Iterator[Part]:
    """The names that a package exports, by the rooms that they come from."""
    rooms: dict[str, list[str]] = {}
    for path, names in package._EXPORTS.items():
        if path:
            rooms.setdefault(path.partition(".")[0], []).extend(names.split())
    for room, names in sorted(rooms.items()):
        name = f"{package.__name__}.{room}"
        yield Part(
            f"{package.__name__}-{room}", f"{package.__name__}: {room}", package.__name__, name, tuple(sorted(names))
        )


def _rooms() -> Iterator[Part]:
    """The rooms of ptxgen by themselves, without what the package exports too."""
    known = [getattr(ptxgen, name) for name in ptxgen.__all__]
    for room in ROOMS:
        module = importlib.import_module(f"ptxgen.{room}")
        names = [name for name in module.__all__ if not any(getattr(module, name) is each for each in known)]
        if names:
            path = f"ptxgen.{room}"
            yield Part(path, path, path, path, tuple(sorted(names)))


def _page(part: Part) -> str:
    said = (inspect.getdoc(importlib.import_module(part.explained_by)) or "").split("\n\n")[0]
    lines = [part.title, "=" * len(part.title), "", *restructured(said.splitlines())]
    lines += [f"These names are imported from ``{part.module}``.", "", f".. py:currentmodule:: {part.module}", ""]
    for name in part.names:
        lines += _directive(part.module, name)
    return "\n".join(lines)


def _directive(module: str, name: str) -> list[str]:
    """The directive of autodoc that documents a name."""
    thing = getattr(importlib.import_module(module), name)
    borrowed = ["   :no-index:"] * (
        module.partition(".")[0] != str(getattr(thing, "__module__", module)).partition(".")[0]
    )
    if inspect.isclass(thing):
        return [f".. autoclass:: {module}.{name}", "   :members:", "   :show-inheritance:", *borrowed, ""]
    kind = "autofunction" if inspect.isroutine(thing) else "autodata"
    return [f".. {kind}:: {module}.{name}", *["   :no-value:"] * (kind == "autodata"), *borrowed, ""]


def _index(parts: list[Part]) -> str:
    title = "Public names"
    lines = [title, "=" * len(title), ""]
    lines += ["Everything that the two packages export, by the rooms that it comes from. ``import ptxgen as px`` and"]
    lines += ["``import driver_ctypes as dc`` load a name when it is first used.", "", ".. toctree::", ""]
    return "\n".join([*lines, *(f"   {part.page}" for part in parts), ""])
