"""Golden files: the comparison, what must be true of a module before it becomes one, and how a blessing changes them.

The files of a variant follow from what is pinned for each target, whatever the order in which that was blessed: equal
texts share a file (`files.py` says how), which is named after the first target. A change takes the lock of the
kernel's folder and replaces whole files, so that several processes may bless at once (pytest-xdist does).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.compare.text import text_difference
from ptxgen.errors import PtxError
from ptxgen.golden.files import GoldenDamaged, GoldenFile, Text, content, file_path, files_of, read, split, target_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

    from ptxgen.ir import Module

__all__ = [
    "FOLDER",
    "GoldenDamaged",
    "GoldenMismatch",
    "Pinned",
    "bless",
    "check",
    "drop",
    "golden_text",
    "goldens",
    "orphans",
]

FOLDER = "golden"
"""Where goldens lie when nobody says, relative to the working directory."""


class GoldenMismatch(PtxError):
    """A module is not what was pinned, or nothing was pinned. `path` is the file, `diff` is unified: "" where nothing is
    pinned for that target."""

    def __init__(self, path: Path, target: str, diff: str) -> None:
        self.path = path
        self.diff = diff
        if diff:
            message, hint = (
                f"{path} differs from what is emitted now for {target}\n{diff}",
                "read the diff; if it is meant, bless it",
            )
        else:
            message, hint = f"{path} does not exist, and nothing else is pinned for {target}", "bless it"
        super().__init__(message, hint=f"{hint} (pytest --bless, or ptxgen.golden.bless)")


class Pinned(NamedTuple):
    """One entry: what is pinned for a variant of a kernel and a target, and the file in which it stands."""

    name: str
    variant: str
    target: str
    path: Path


def golden_text(name: str, variant: str, target: str, *, folder: str | PathLike[str] = FOLDER) -> str:
    """The PTX that is pinned for a variant of a kernel and a target, to the byte.

    Raises GoldenMismatch where nothing is pinned, GoldenDamaged where the file cannot be understood.
    """
    return _entry(name, variant, target, folder).restored(target)


def check(name: str, variant: str, module: Module, *, folder: str | PathLike[str] = FOLDER) -> None:
    """Compare a module's text with its golden, to the byte.

    Raises GoldenMismatch with the difference, GoldenDamaged where the file cannot be understood.
    """
    file = _entry(name, variant, module.target, folder)
    pinned, emitted = file.restored(module.target), str(module)
    if pinned != emitted:
        label = f"{file.path} for {module.target}"
        lines = text_difference(pinned, emitted, f"{label} (pinned)", f"{label} (emitted now)")
        # Texts that differ in line ends alone make an empty diff.
        raise GoldenMismatch(
            file.path, module.target, "\n".join(lines) or "only line ends or the end of the file differ"
        )


def bless(name: str, variant: str, module: Module, *, folder: str | PathLike[str] = FOLDER) -> Path | None:
    """Pin a module as it is now; returns the file in which it stands, None if it was pinned like this before.

    What is pinned for other targets stays, though it may move to another file. Raises VerifyError when the verifier has
    any finding, AssembleError when an assembler refuses the module for its own target, AssemblerMissing when none here
    knows that target, GoldenDamaged when a file of the variant cannot be understood. Then nothing is written.
    """
    try:
        check(name, variant, module, folder=folder)
    except (GoldenMismatch, GoldenDamaged):  # a target in two files is mended here
        from ptxgen.assembler import assemble
        from ptxgen.verifier import assert_valid

        assert_valid(module, strict=True)
        ptx = str(module)
        assemble(ptx, module.target, name=file_path(name, variant, module.target, folder).name)
        return _pin(name, variant, module.target, ptx, folder)
    return None


def drop(name: str, variant: str, target: str, *, folder: str | PathLike[str] = FOLDER) -> None:
    """Forget what is pinned for one target; what the variant has for others stays. GoldenMismatch where nothing is pinned."""
    _entry(name, variant, target, folder)
    _pin(name, variant, target, None, folder)


def goldens(folder: str | PathLike[str] = FOLDER) -> list[Pinned]:
    """Every entry of every golden file, in the order of names and targets. Raises GoldenDamaged."""
    entries = []
    kernels = [path for path in Path(folder).iterdir() if path.is_dir()] if Path(folder).is_dir() else []
    for kernel in kernels:
        with _locked(kernel, fcntl.LOCK_SH):
            for path in kernel.glob("*.*.ptx"):
                variant, _, _ = path.name.removesuffix(".ptx").rpartition(".")
                entries += [Pinned(kernel.name, variant, target, path) for target in read(path).versions]
    return sorted(entries, key=lambda entry: (entry.name, entry.variant, target_order(entry.target)))


def orphans(emitted: Iterable[tuple[str, str, str]], *, folder: str | PathLike[str] = FOLDER) -> list[str]:
    """The goldens of a folder that no emitted (name, variant, target) needs, each with how to remove it.

    Files that are not goldens count too, unless their names begin with a dot.
    """
    known = set(emitted)
    found = [
        f"{entry.path} stands for {entry.target}, which nothing emits: "
        f"ptxgen.golden.drop({entry.name!r}, {entry.variant!r}, {entry.target!r})"
        for entry in goldens(folder)
        if entry[:3] not in known
    ]
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file() and not path.name.startswith("."))
    strays = [file for file in files if not (file.match("*.*.ptx") and len(file.relative_to(folder).parts) == 2)]
    return found + [f"{file} is not a golden: delete it" for file in strays]


def _entry(name: str, variant: str, target: str, folder: str | PathLike[str]) -> GoldenFile:
    """The file that stands for a target."""
    path = file_path(name, variant, target, folder)
    with _locked(path.parent, fcntl.LOCK_SH):
        found = [file for file in files_of(name, variant, folder) if target in file.versions]
    if not found:
        raise GoldenMismatch(path, target, "")
    if len(found) > 1:
        others = " and ".join(str(file.path) for file in found[1:])
        raise GoldenDamaged(found[0].path, f"{target} stands here and in {others}", f"bless {target} again")
    return found[0]


def _pin(name: str, variant: str, target: str, ptx: str | None, folder: str | PathLike[str]) -> Path:
    """Give a target another text, or none, and write the files that follow; returns where the target stands (stood)."""
    path = file_path(name, variant, target, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path.parent, fcntl.LOCK_EX):
        groups: dict[Text, dict[str, str]] = {}
        before = files_of(name, variant, folder)
        for file in before:
            for other, version in file.versions.items():
                if other == target:
                    continue
                if any(other in versions and text != file.text for text, versions in groups.items()):
                    raise GoldenDamaged(file.path, f"{other} stands here and in another file, with another text")
                groups.setdefault(file.text, {})[other] = version
        if ptx is not None:
            text, _, version = split(ptx)
            groups.setdefault(text, {})[target] = version
        after: dict[Path, str] = {}
        for text, versions in groups.items():
            held_by = file_path(name, variant, min(versions, key=target_order), folder)
            after[held_by] = content(text, versions)
            if target in versions:
                path = held_by
        # New files first: whatever interrupts this, no entry is lost (one that stands twice is reported, and blessed again).
        for file_now in sorted(after, key=lambda file_now: (file_now.exists(), file_now)):
            _replace(file_now, after[file_now])
        for file in before:
            if file.path not in after:
                file.path.unlink()
    return path


def _replace(path: Path, text: str) -> None:
    """Write a file at once: a reader sees the old one or the new one."""
    data = text.encode()
    if path.exists() and path.read_bytes() == data:
        return
    temporary = path.with_name(f".{path.name}.new")  # the lock is held: nobody else writes it
    temporary.write_bytes(data)
    temporary.replace(path)


@contextlib.contextmanager
def _locked(folder: Path, how: int) -> Iterator[None]:
    """Hold the lock of a kernel's folder. It is the folder itself, so that no lock file lies among the goldens."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:  # nothing is pinned there
        yield
        return
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)
