"""From what is written on the command line to the program that it names."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptxgen.cli.options import trusts_templates
from ptxgen.cli.programs import LibraryKernel, ModuleFunction, PtxAtRevision, PtxFile, PythonKernel, Template

if TYPE_CHECKING:
    from types import ModuleType

    from ptxgen.cli.programs import ProgramArgument

__all__ = ["find", "find_all"]

_WANTED = (
    "a program is FILE.ptx, REVISION:FILE.ptx, FILE.ptx.j2, FILE.py:KERNEL, MODULE:KERNEL, or a variant of the library such as "
    "saxpy/f32"
)


def find(reference: str, settings: dict[str, str]) -> ProgramArgument:
    """The program that a reference names. Raises click.UsageError when there is no such thing."""
    if (setting := re.fullmatch(r"([A-Za-z_]\w*)=.*", reference)) and not Path(reference).exists():
        raise click.UsageError(
            f"{reference!r} is not a program; parameter {setting[1]!r} is given by --set {reference}"
        )
    place, name = _split(reference)
    suffix = Path(place).suffix
    if suffix in (".ptx", ".j2", ".py") and not Path(place).is_file():
        revision, colon, path = place.partition(":")
        if suffix == ".ptx" and colon and revision and not settings:
            return PtxAtRevision(revision, path, name)
        raise click.UsageError(f"no file {place}")
    if suffix == ".ptx":
        if settings:
            raise click.UsageError(f"{place} is PTX text: it has no parameters to --set")
        return PtxFile(place, name)
    if suffix == ".j2":
        return Template(place, name, settings, trust=trusts_templates())
    if "/" in reference and suffix != ".py" and not Path(place).exists():
        return _from_library(reference, settings)
    return _from_python(place, _loaded(place), name, settings)


def find_all(reference: str, settings: dict[str, str]) -> list[ProgramArgument]:
    """The programs that a reference names: of a Python file without a name behind it, each of its kernels."""
    if Path(reference).suffix != ".py" or not Path(reference).is_file():
        return [find(reference, settings)]
    module = _loaded(reference)
    names = _kernels_of(module) or [None]
    return [_from_python(reference, module, name, settings) for name in names]


def _loaded(place: str) -> ModuleType:
    with redirect_stdout(sys.stderr):  # what a file prints is not part of a command's output
        return _load_file(Path(place)) if Path(place).suffix == ".py" else _import(place)


def _kernels_of(module: ModuleType) -> list[str | None]:
    from ptxgen.builder import Kernel

    return [key for key, value in vars(module).items() if isinstance(value, Kernel)]


def _from_library(label: str, settings: dict[str, str]) -> ProgramArgument:
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


def _from_python(place: str, module: ModuleType, name: str | None, settings: dict[str, str]) -> ProgramArgument:
    from ptxgen.builder import Kernel

    kernels = _kernels_of(module)
    if name is None and len(kernels) == 1:
        name = kernels[0]
    found = getattr(module, name, None) if name else None
    if isinstance(found, Kernel):
        return PythonKernel(f"{place}:{name}", found, settings)
    if inspect.isfunction(found):
        return ModuleFunction(f"{place}:{name}", found, settings)
    wrong = f"has no kernel {name!r}" if name else "has several kernels" if kernels else "has no kernel"
    known = (
        f"; name one of them: {place}:{' or :'.join(map(str, kernels))}"
        if kernels
        else " (a function under @px.kernel)"
    )
    raise click.UsageError(f"{place} {wrong}{known}")


def _load_file(path: Path) -> ModuleType:
    """Run a Python file as a module; its folder comes first on the path, as `python FILE` has it.

    Findings name the file as it was given.
    """
    sys.path.insert(0, str(path.resolve().parent))
    name = f"ptxgen_program_{path.stem}"  # a file called random.py must not become the module random
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), module.__dict__)
    return module


def _import(name: str) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise click.UsageError(f"{name!r} is no program; {_WANTED}")
    sys.path.insert(0, "")  # the working directory, as `python -m` has it
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise
        raise click.UsageError(f"no module {name!r}, and no file of that name; {_WANTED}") from None
