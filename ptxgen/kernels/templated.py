"""A kernel that a Jinja template renders: launched, loaded and printed like one that is built in Python."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ptxgen.builder.entry import DEFAULT_TARGET
from ptxgen.builder.judging import load_judged
from ptxgen.collector import rarely_collected
from ptxgen.isa.targets import parse_version
from ptxgen.verifier.verification import judgement

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.builder.judging import Judge
    from ptxgen.host import Device, KernelHandle
    from ptxgen.ir import Module

__all__ = ["TemplateKernel"]


class TemplateKernel:
    """The one kernel of a template with its parameters; the template also takes the parameter `target`."""

    def __init__(self, name: str, template: str, **parameters: Any) -> None:
        self.__name__ = name
        self.template = template
        self.parameters = parameters
        self._handles: dict[Device, KernelHandle] = {}

    def __repr__(self) -> str:
        parameters = ", ".join(f"{k}={v!r}" for k, v in self.parameters.items())
        return f"<kernel {self.__name__}({parameters}) from {self.template}>"

    @rarely_collected()
    def module(
        self, *, target: str = DEFAULT_TARGET, version: str | tuple[int, int] = "auto", strict: bool = False
    ) -> Module:
        """Render, parse and verify. TemplateError, PtxSyntaxError or VerifyError name the template's line."""
        module, judge = self._built(target, version, strict)
        if judge is not None:
            judge()
        return module

    def _built(
        self, target: str, version: str | tuple[int, int] = "auto", strict: bool = False
    ) -> tuple[Module, Judge]:
        """The module, and what is left to judge of it."""
        from ptxgen.kernels.template_functions import compiled
        from ptxgen.text.library import render_library

        module = render_library(self.template, compiled(self.template), target=target, **self.parameters)
        if version != "auto":
            module.version = parse_version(version) if isinstance(version, str) else version
        return module, judgement(module, strict=strict, lowest=version == "auto")

    def on(self, device: Device | None = None) -> KernelHandle:
        """The kernel loaded on a device (default: the current one), built for its target. Loaded once."""
        from ptxgen.host import current_device

        place = device or current_device()
        known = self._handles.get(place)
        if known is None or known.stale:
            with rarely_collected():
                known = self._handles[place] = load_judged(place, *self._built(place.target))[self.__name__]
        return known

    def bind(
        self, grid: Any, block: Any, *, shared: int | None = None, device: Device | None = None
    ) -> Callable[..., None]:
        """A launcher for one configuration, on the stream that is current now."""
        return self.on(device).bind(grid, block, shared=shared)

    def __getitem__(self, shape: tuple[Any, Any]) -> Callable[..., None]:
        grid, block = shape
        return partial(self._launch, grid, block)

    def _launch(self, grid: Any, block: Any, *arguments: Any, shared: int | None = None, stream: Any = None) -> None:
        from ptxgen.host import device_of

        self.on(device_of(arguments)).launch(grid, block, arguments, shared=shared, stream=stream)
