"""From what is written on the command line to a program: PTX files, templates, Python files and modules."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ptxgen.build.entry import DEFAULT_TARGET
from ptxgen.check import assert_valid
from ptxgen.errors import PtxWarning
from ptxgen.isa.targets import find_target, parse_version

if TYPE_CHECKING:
    from types import ModuleType

    from ptxgen.build import Kernel
    from ptxgen.device import Device, KernelHandle
    from ptxgen.errors import Diagnostic
    from ptxgen.ir import Module
    from ptxgen.isa.types import ScalarType
    from ptxgen.kernels import Variant

_WANTED = (
    "a program is FILE.ptx, FILE.ptx.j2, FILE.py:KERNEL, MODULE:KERNEL, or a variant of the library such as saxpy/f32"
)

__all__ = ["Program", "find", "settings_option", "target_option"]


class Program:
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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PtxWarning)  # they come back as values from the line below
            module = self.build(target, version)
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


class PtxFile(Program):
    """PTX text. It says its own target and version."""

    def build(self, target: str | None, version: str) -> Module:
        from ptxgen.text import parse

        if version != "auto":
            raise click.UsageError(f"{self.reference} states its own .version; --version is for kernels in Python")
        module = parse(Path(self.reference).read_text("utf-8"), name=self.reference)
        if target not in (None, module.target):
            raise click.UsageError(f"{self.reference} is for {module.target}, not {target}")
        return module

    def target_for(self, device: Device) -> str | None:
        return None


class Template(Program):
    """A Jinja template. `--target` is its parameter `target`, where it declares one."""

    def __init__(self, reference: str, entry: str | None, settings: dict[str, str]) -> None:
        super().__init__(reference, entry)
        self.settings = settings

    def build(self, target: str | None, version: str) -> Module:
        from ptxgen.text import render
        from ptxgen.text.template_parameters import declarations

        declared = declarations(Path(self.reference).read_text("utf-8"), self.reference)
        values: dict[str, Any] = {}
        for name, text in self.settings.items():
            kind = declared[name].kind if name in declared else "choice"
            values[name] = text if kind in ("str", "type") else _literal(text)
        if target is not None and ("target" in declared or not declared):
            values.setdefault("target", target)
        module = render(Path(self.reference).resolve(), **values)
        if target not in (None, module.target) and "target" not in self.settings:
            raise click.UsageError(f"{self.reference} makes a module for {module.target}, not {target}")
        return module


class PythonKernel(Program):
    """A function under `@px.kernel`."""

    def __init__(self, reference: str, kernel: Kernel, settings: dict[str, str]) -> None:
        super().__init__(reference, kernel.__name__)
        defaults = kernel.signature.options
        self.kernel = kernel.using(**{n: _like(defaults.get(n), text) for n, text in settings.items()})

    def build(self, target: str | None, version: str) -> Module:
        return self.kernel.module(target=target or DEFAULT_TARGET, version=version)

    def load(self, device: Device) -> KernelHandle:
        return self.kernel.on(device)

    def element(self, index: int) -> ScalarType | None:
        parameters = self.kernel.signature.parameters
        pointed = getattr(parameters[index].type, "element", None) if index < len(parameters) else None
        pointed = getattr(pointed, "element", pointed)  # of a vector, its lanes' type
        return getattr(pointed, "isa", None)


class LibraryKernel(Program):
    """A variant of a kernel of ptxgen's library."""

    def __init__(self, variant: Variant) -> None:
        super().__init__(variant.label, variant.kernel.__name__)
        self.kernel = variant.kernel

    def build(self, target: str | None, version: str) -> Module:
        return self.kernel.module(target=target or DEFAULT_TARGET, version=version)

    def load(self, device: Device) -> KernelHandle:
        return self.kernel.on(device)


def target_option(command: Any) -> Any:
    """`--target` and `--version`."""
    command = click.option(
        "--version", default="auto", callback=_version, show_default=True, help="PTX version, or auto: the lowest."
    )(command)
    return click.option(
        "--target", metavar="SM", callback=_target, help="What to build for: sm_75 ... sm_121a. [default: sm_90a]"
    )(command)


def settings_option(command: Any) -> Any:
    """`--set NAME=VALUE`, many times."""
    return click.option(
        "--set", "settings", metavar="NAME=VALUE", multiple=True, callback=_pairs,
        help="A compile-time parameter of the kernel or template. May be repeated.",
    )(command)  # fmt: skip


def find(reference: str, settings: dict[str, str]) -> Program:
    """The program that a reference names. Raises click.UsageError when there is no such thing."""
    place, name = _split(reference)
    suffix = Path(place).suffix
    if suffix in (".ptx", ".j2", ".py") and not Path(place).is_file():
        raise click.UsageError(f"no file {place}")
    if suffix == ".ptx":
        if settings:
            raise click.UsageError(f"{place} is PTX text: it has no parameters to --set")
        return PtxFile(place, name)
    if suffix == ".j2":
        return Template(place, name, settings)
    if "/" in reference and suffix != ".py":
        return _from_library(reference, settings)
    module = _load_file(Path(place)) if suffix == ".py" else _import(place)
    return _from_python(place, module, name, settings)


def _from_library(label: str, settings: dict[str, str]) -> Program:
    from ptxgen.kernels import CATALOGUE, find

    if settings:
        raise click.UsageError(f"{label} is a variant: its parameters are chosen; --set is for kernels")
    try:
        return LibraryKernel(find(label))
    except KeyError:
        family = label.partition("/")[0]
        known = [variant.label for variant in CATALOGUE[family]] if family in CATALOGUE else list(CATALOGUE)
        raise click.UsageError(f"the library has no {label!r}; there are {', '.join(known)}") from None


def _split(reference: str) -> tuple[str, str | None]:
    """ "file.py:kernel" -> ("file.py", "kernel"); a drive letter's colon is part of the path."""
    place, colon, name = reference.rpartition(":")
    return (place, name) if colon and name.isidentifier() and len(place) > 1 else (reference, None)


def _from_python(place: str, module: ModuleType, name: str | None, settings: dict[str, str]) -> Program:
    from ptxgen.build import Kernel

    kernels = {key: value for key, value in vars(module).items() if isinstance(value, Kernel)}
    if name is None and len(kernels) == 1:
        name = next(iter(kernels))
    if name not in kernels:
        wrong = f"has no kernel {name!r}" if name else "has several kernels" if kernels else "has no kernel"
        known = f"; name one of them: {place}:{' or :'.join(kernels)}" if kernels else " (a function under @px.kernel)"
        raise click.UsageError(f"{place} {wrong}{known}")
    return PythonKernel(f"{place}:{name}", kernels[name], settings)


def _load_file(path: Path) -> ModuleType:
    """Run a Python file as a module; its folder comes first on the path, as `python FILE` has it."""
    sys.path.insert(0, str(path.resolve().parent))
    name = f"ptxgen_program_{path.stem}"  # a file called random.py must not become the module random
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _import(name: str) -> ModuleType:
    sys.path.insert(0, "")  # the working directory, as `python -m` has it
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise
        raise click.UsageError(f"no module {name!r}, and no file of that name; {_WANTED}") from None


def _target(ctx: click.Context, option: click.Parameter, given: str | None) -> str | None:
    try:
        return given if given is None else find_target(given).name
    except ValueError as unknown:
        raise click.BadParameter(str(unknown), ctx, option) from None


def _version(ctx: click.Context, option: click.Parameter, given: str) -> str:
    try:
        if given != "auto":
            parse_version(given)
    except ValueError as wrong:
        raise click.BadParameter(str(wrong), ctx, option) from None
    return given


def _pairs(ctx: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    pairs = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise click.BadParameter(f"{text!r} is not NAME=VALUE", ctx, option)
        pairs[name] = value
    return pairs


def _literal(text: str) -> Any:
    """A number, true or false; anything else is a word."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for convert in (lambda t: int(t, 0), float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text


def _like(default: Any, text: str) -> Any:
    """The text as the kind of thing that a kernel's parameter has for a default; a type's name is that type."""
    from ptxgen.build import SCALARS

    if isinstance(default, str):
        return text
    if text in SCALARS:
        return SCALARS[text]
    return _literal(text)
