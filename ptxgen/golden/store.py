"""Golden files: where they lie, the comparison, and what must be true of a module before it becomes one."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from ptxgen.errors import PtxError

if TYPE_CHECKING:
    from os import PathLike

    from ptxgen.ir import Module

__all__ = ["FOLDER", "GoldenMismatch", "bless", "check", "golden_path"]

FOLDER = "golden"
"""Where goldens lie when nobody says, relative to the working directory."""

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")


class GoldenMismatch(PtxError):
    """A module is not what was pinned, or nothing was pinned. `diff` is unified, "" where there is no golden yet."""

    def __init__(self, path: Path, diff: str) -> None:
        self.path = path
        self.diff = diff
        if diff:
            message, hint = (
                f"{path} differs from what is emitted now\n{diff}",
                "read the diff; if it is meant, bless it",
            )
        else:
            message, hint = f"{path} does not exist", "bless it"
        super().__init__(message, hint=f"{hint} (pytest --bless, or ptxgen.golden.bless)")


def golden_path(name: str, variant: str, target: str, *, folder: str | PathLike[str] = FOLDER) -> Path:
    """The file that pins one variant of a kernel for one target. ValueError for a name that makes no portable file name."""
    for part in (name, variant, target):
        if not _NAME.fullmatch(part):
            raise ValueError(f"{part!r} cannot be part of a golden's path: letters, digits and _ . + - only")
    return Path(folder, name, f"{variant}.{target}.ptx")


def check(name: str, variant: str, module: Module, *, folder: str | PathLike[str] = FOLDER) -> None:
    """Compare a module with its golden, to the byte. Raises GoldenMismatch with the difference."""
    path = golden_path(name, variant, module.target, folder=folder)
    try:
        pinned = path.read_bytes().decode()
    except FileNotFoundError:
        raise GoldenMismatch(path, "") from None
    emitted = str(module)
    if pinned != emitted:
        lines = difflib.unified_diff(
            pinned.splitlines(), emitted.splitlines(), f"{path} (pinned)", f"{path} (emitted now)", lineterm=""
        )
        # Texts that differ in line ends alone make an empty diff.
        raise GoldenMismatch(path, "\n".join(lines) or "only line ends or the end of the file differ")


def bless(name: str, variant: str, module: Module, *, folder: str | PathLike[str] = FOLDER) -> Path | None:
    """Pin a module as it is now; returns the file written, None if it was pinned like this before.

    Raises VerifyError when the verifier has any finding, AssembleError when an assembler refuses the module for its own
    target, AssemblerMissing when none here knows that target. Then nothing is written.
    """
    path = golden_path(name, variant, module.target, folder=folder)
    try:
        check(name, variant, module, folder=folder)
    except GoldenMismatch:
        from ptxgen.assembler import assemble
        from ptxgen.verifier import assert_valid

        assert_valid(module, strict=True)
        text = str(module)
        assemble(text, module.target, name=path.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path
    return None
