"""The kinds of programs that commands work on: PTX files, templates, kernels and functions in Python, the library's variants."""

from __future__ import annotations

import inspect
import sys
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ptxgen.errors import PtxWarning
from ptxgen.verifier import assert_valid, at_lowest_target

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.builder import Kernel
    from ptxgen.errors import Diagnostic
    from ptxgen.host import Device, KernelHandle
    from ptxgen.ir import Module
    from ptxgen.isa.types import ScalarType
    from ptxgen.kernels import Variant

__all__ = ["LibraryKernel", "ModuleFunction", "ProgramArgument", "PtxAtRevision", "PtxFile", "PythonKernel", "Template"]


class ProgramArgument:
    """One program of the command line. `settings` are the texts of `--set`, converted to what the program expects."""

    def __init__(self, reference: str, entry: str | None) -> None:
        self.reference = reference
        self.entry = entry

    def build(self, target: str | None, version: str) -> Module:
        """The module, which need not be verified yet."""
        raise click.UsageError(f"{self.reference} makes no module")

    def module(
        self, target: str | None = None, version: str = "auto", *, strict: bool = False
    ) -> tuple[Module, list[Diagnostic]]:
        """The verified module and the verifier's warnings.

        Raises what is wrong with it: PtxSyntaxError, TemplateError, BuildError, VerifyError.
        """
        with warnings.catch_warnings(), redirect_stdout(sys.stderr):  # of what the program prints while it is built
            warnings.simplefilter("ignore", PtxWarning)  # they come back as values from the line below
            module = self.build(target, version)
            if target == version == "auto":
                module = at_lowest_target(module)
        return module, assert_valid(module, strict=strict)

    def load(self, device: Device) -> KernelHandle:
        """The kernel to launch, on a device."""
        module, _ = self.module(self.target_for(device))
        return device.load(module)[self.entry_of(module)]

    def element(self, index: int) -> ScalarType | None:
        """What an argument points to, where the program says it: PTX text does not."""
        return None

    def target_for(self, device: Device) -> str | None:
        """The target to build for on a device; None when the program's own text says it."""
        return device.target

    def entry_of(self, module: Module) -> str:
        """The name of the kernel that is meant."""
        names = [entry.name for entry in module.entries]
        if self.entry in names:
            return self.entry
        if self.entry is None and len(names) == 1:
            return names[0]
        wrong = f"has no kernel {self.entry!r}" if self.entry else "has several kernels" if names else "has no kernel"
        known = f"; name one of them: {self.reference}:{' or :'.join(names)}" if names else ""
        raise click.UsageError(f"{self.reference} {wrong}{known}")


class PtxFile(ProgramArgument):
    """PTX text. It says its own target and version."""

    def text(self) -> str:
        """The PTX."""
        from ptxgen.text.files import read_source

        return read_source(self.reference)

    def build(self, target: str | None, version: str) -> Module:
        from ptxgen.text import parse

        if version != "auto":
            raise click.UsageError(f"{self.reference} states its own .version; --version is for kernels in Python")
        module = parse(self.text(), name=self.reference)
        if target not in (None, "auto", module.target):
            raise click.UsageError(f"{self.reference} is for {module.target}, not {target}")
        return module

    def target_for(self, device: Device) -> str | None:
        return None


class PtxAtRevision(PtxFile):
    """PTX text as it is in a revision of the git repository that the working directory is in; its path counts from there."""

    def __init__(self, revision: str, path: str, entry: str | None) -> None:
        super().__init__(f"{revision}:{path}", entry)
        self.revision = revision
        self.path = path

    def text(self) -> str:
        path = self.path if self.path.startswith(("./", "../", "/")) else f"./{self.path}"
        from ptxgen.cli.git import git
        from ptxgen.text.files import source_text

        return source_text(git("show", "--end-of-options", f"{self.revision}:{path}"), self.reference)


class Template(ProgramArgument):
    """A Jinja template, rendered under limits unless it is trusted. `--target` is its parameter `target`, where it has one."""

    def __init__(self, reference: str, entry: str | None, settings: dict[str, str], *, trust: bool) -> None:
        super().__init__(reference, entry)
        self.settings = settings
        self.trust = trust

    def build(self, target: str | None, version: str) -> Module:
        from ptxgen.text.template import render_settings

        module = render_settings(Path(self.reference).resolve(), self.settings, target=target, trust=self.trust)
        if target not in (None, "auto", module.target) and "target" not in self.settings:
            raise click.UsageError(f"{self.reference} makes a module for {module.target}, not {target}")
        return module


class PythonKernel(ProgramArgument):
    """A function under `@px.kernel`."""

    def __init__(self, reference: str, kernel: Kernel, settings: dict[str, str]) -> None:
        super().__init__(reference, kernel.__name__)
        defaults = kernel.signature.options
        self.kernel = kernel.using(**{n: _like(defaults.get(n), text) for n, text in settings.items()})

    def build(self, target: str | None, version: str) -> Module:
        from ptxgen.builder.entry import DEFAULT_TARGET

        return self.kernel.module(target=target or DEFAULT_TARGET, version=version)

    def load(self, device: Device) -> KernelHandle:
        return self.kernel.on(device)

    def element(self, index: int) -> ScalarType | None:
        parameters = self.kernel.signature.parameters
        pointed = getattr(parameters[index].type, "element", None) if index < len(parameters) else None
        pointed = getattr(pointed, "element", pointed)  # of a vector, its lanes' type
        return getattr(pointed, "isa", None)


class ModuleFunction(ProgramArgument):
    """A Python function that returns a module; `--set` gives its parameters, `--target` the one called `target`."""

    def __init__(self, reference: str, function: Callable[..., Any], settings: dict[str, str]) -> None:
        super().__init__(reference, None)
        self.function = function
        self.settings = settings

    def build(self, target: str | None, version: str) -> Module:
        from ptxgen.ir import Module

        parameters = inspect.signature(self.function).parameters
        values = {n: _like(parameters[n].default if n in parameters else None, t) for n, t in self.settings.items()}
        if "target" in parameters and target not in (None, "auto"):
            values.setdefault("target", target)
        try:
            inspect.signature(self.function).bind(**values)
        except TypeError as wrong:
            raise click.UsageError(f"{self.reference}: {wrong}; --set gives a parameter") from None
        module = self.function(**values)
        if not isinstance(module, Module):
            raise click.UsageError(
                f"{self.reference} is not a kernel, and returns {type(module).__name__}, not a module"
            )
        if version != "auto" or target not in (None, "auto", module.target):
            raise click.UsageError(f"{self.reference} made a module for {module.target}; it decides target and version")
        return module


class LibraryKernel(ProgramArgument):
    """A variant of a kernel of ptxgen's library."""

    def __init__(self, variant: Variant) -> None:
        super().__init__(variant.label, variant.kernel.__name__)
        self.variant = variant
        self.kernel = variant.kernel

    def build(self, target: str | None, version: str) -> Module:
        from ptxgen.builder.entry import DEFAULT_TARGET

        return self.kernel.module(target=target or DEFAULT_TARGET, version=version)

    def load(self, device: Device) -> KernelHandle:
        return self.kernel.on(device)


def _like(default: Any, text: str) -> Any:
    """The text as the kind of thing that a kernel's parameter has for a default; a type's name is that type."""
    from ptxgen.builder import SCALARS
    from ptxgen.text.template_parameters import literal_or_word

    if isinstance(default, str):
        return text
    if text in SCALARS:
        return SCALARS[text]
    return literal_or_word(text)
