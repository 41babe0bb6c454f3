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

from ptxgen.errors import PtxError, PtxSyntaxError
from ptxgen.golden.files import GoldenDamaged, GoldenFile, Text, content, file_path, files_of, read, split, target_order
from ptxgen.golden.levels import PINNED, judge
from ptxgen.golden.programs import Emitted, emitted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from os import PathLike

    from ptxgen.golden.levels import Judgement, Limits

__all__ = [
    "FOLDER",
    "Blessed",
    "GoldenDamaged",
    "GoldenMismatch",
    "Pinned",
    "bless",
    "check",
    "drop",
    "golden_text",
    "goldens",
    "orphans",
    "strays",
    "unused",
]

FOLDER = "golden"
"""Where goldens lie when nobody says, relative to the working directory."""


class GoldenMismatch(PtxError):
    """A program is not what was pinned, or nothing was pinned. `path` is the file, `target` that of the program, `diff` the
    difference in words, unified where texts were compared: "" where nothing is pinned for that target."""

    def __init__(self, path: Path, target: str, diff: str) -> None:
        self.path = path
        self.target = target
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


def check(
    name: str,
    variant: str | Mapping[str, object],
    program: object,
    *,
    folder: str | PathLike[str] = FOLDER,
    level: str = "exact",
    limits: Limits | None = None,
) -> None:
    """Compare a program's PTX with its golden, as closely as `level` says (`ptxgen.golden.levels`).

    Raises GoldenMismatch with the difference, GoldenDamaged where the file cannot be understood, NotPtxError for an object
    without PTX, and what `judge` raises.
    """
    for each in emitted(name, variant, program):
        path, found = compared(each, folder, level, limits)
        if found.fails:
            raise GoldenMismatch(path, each.target, found.difference)


def compared(
    now: Emitted, folder: str | PathLike[str], level: str = "exact", limits: Limits | None = None
) -> tuple[Path, Judgement]:
    """The file that stands for the program's target, and what differs. Raises what `check` does; GoldenMismatch only where
    nothing is pinned."""
    file = _entry(now.name, now.variant, now.target, folder)
    pinned = file.restored(now.target)
    try:
        return file.path, judge(level, f"{file.path} for {now.target}", pinned, now.ptx, limits)
    except PtxSyntaxError as wrong:
        if any(place.file == PINNED for found in wrong.diagnostics for place in found.locations):
            raise GoldenDamaged(file.path, f"it does not parse\n{wrong}") from None
        raise


class Blessed(NamedTuple):
    """A golden that was written, and what speaks against trusting it: no assembler here knows its target."""

    path: Path
    remark: str


def bless(
    name: str,
    variant: str | Mapping[str, object],
    program: object,
    *,
    folder: str | PathLike[str] = FOLDER,
    level: str = "exact",
    limits: Limits | None = None,
    strict: bool = True,
) -> Path | None:
    """Pin a program as it is now; returns the file in which it stands, None if at this level it was pinned like this before.

    What is pinned for other targets stays, though it may move to another file. Raises VerifyError when the verifier has
    an error or, `strict`, any finding, AssembleError when an assembler refuses the program for its own target, AssemblerMissing,
    `strict`, when none here knows that target, PtxSyntaxError for what is not PTX, GoldenDamaged when a file of the variant
    cannot be understood. Then nothing is written.
    """
    (now,) = emitted(name, variant, program)
    written = renew(now, folder, level, limits, strict=strict)
    return written and written.path


def renew(
    now: Emitted,
    folder: str | PathLike[str],
    level: str = "exact",
    limits: Limits | None = None,
    *,
    strict: bool = True,
) -> Blessed | None:
    """Pin what is emitted now, where it differs; what `bless` does, and raises, for a program whose names are known."""
    try:
        if not compared(now, folder, level, limits)[1].difference:
            return None
    except (GoldenMismatch, GoldenDamaged):  # a target in two files is mended here
        pass
    remark = _accepted(now, strict)
    return Blessed(_pin(now.name, now.variant, now.target, now.ptx, folder), remark)


def _accepted(now: Emitted, strict: bool) -> str:
    """Raises what is wrong with a program; returns what could not be found out."""
    from ptxgen.assembler import AssemblerMissing, assemble
    from ptxgen.text import parse
    from ptxgen.verifier import assert_valid

    label = f"{now.name}/{now.variant}.{now.target}.ptx"
    assert_valid(now.module or parse(now.ptx, name=label), strict=strict)
    try:
        assemble(now.ptx, now.target, name=label)
    except AssemblerMissing as missing:
        if strict:
            raise
        return f"not assembled: {str(missing).partition(chr(10))[0]}"
    return ""


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


def unused(used: Iterable[tuple[str, str, str]], *, folder: str | PathLike[str] = FOLDER) -> list[Pinned]:
    """The entries of a folder that are none of these (name, variant, target). Raises GoldenDamaged."""
    known = set(used)
    return [entry for entry in goldens(folder) if entry[:3] not in known]


def strays(folder: str | PathLike[str] = FOLDER) -> list[Path]:
    """The files of a folder of goldens that are none, unless their names begin with a dot."""
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file() and not path.name.startswith("."))
    return [file for file in files if not (file.match("*.*.ptx") and len(file.relative_to(folder).parts) == 2)]


def orphans(emitted: Iterable[tuple[str, str, str]], *, folder: str | PathLike[str] = FOLDER) -> list[str]:
    """The goldens of a folder that no emitted (name, variant, target) needs, and its strays, each with how to remove it."""
    found = [
        f"{entry.path} stands for {entry.target}, which nothing emits: "
        f"ptxgen.golden.drop({entry.name!r}, {entry.variant!r}, {entry.target!r})"
        for entry in unused(emitted, folder=folder)
    ]
    return found + [f"{file} is not a golden: delete it" for file in strays(folder)]


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
    if ptx is not None and "// golden:" in ptx:
        raise PtxError(f"{path} cannot be pinned: it has a line '// golden:', as a golden of several targets has")
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
