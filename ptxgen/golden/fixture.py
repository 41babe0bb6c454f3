"""What the fixture `golden` does in one test: compare or bless each target, and keep a record of it."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING

from ptxgen.errors import Error
from ptxgen.golden.programs import emitted
from ptxgen.golden.store import GoldenMismatch, compared, renew

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ptxgen.golden.levels import Limits
    from ptxgen.golden.programs import Emitted
    from ptxgen.golden.records import Record

__all__ = ["Golden"]


class Golden:
    """The fixture `golden`: call it to compare, or under `--bless` to pin. `record` is what was done so far, `failure` what
    it has raised."""

    def __init__(self, folder: Path, *, blessing: Sequence[str], ask: bool, level: str, strict: bool) -> None:
        self.folder = folder
        self.failure: Error | None = None
        self.record: Record = {"used": [], "written": [], "pending": []}
        self._blessing = blessing
        self._ask = ask
        self._level = level
        self._strict = strict

    def __call__(
        self,
        name: str,
        variant: str | Mapping[str, object],
        program: object,
        *,
        targets: str | Sequence[str] | None = None,
        level: str | None = None,
        limits: Limits | None = None,
    ) -> None:
        """Compare a program with what is pinned for each of its targets.

        `variant` is a name, or the compile-time parameters. `program` is PTX text, a pathlib.Path, a module, an object
        that a compiler gave (`ptxgen.golden.programs`), or what makes one of these when it is called with the parameters
        and `target=`: a kernel of ptxgen, a function. `targets` are those to make it for. `level` is "exact", "semantic"
        or "resources"; `limits` by how much each metric may become worse for "resources", over what `levels.py` has.

        Raises GoldenMismatch with the differences of all targets, GoldenDamaged, NotPtxError; under `--bless`, what
        `ptxgen.golden.bless` raises.
        """
        try:
            self._judge_all(emitted(name, variant, program, targets), level or self._level, limits)
        except Error as failure:
            self.failure = failure
            raise

    def _judge_all(self, programs: Sequence[Emitted], level: str, limits: Limits | None) -> None:
        wrong = []
        for now in programs:
            self.record["used"].append([now.name, now.variant, now.target])
            try:
                self._judge(now, level, limits)
            except GoldenMismatch as mismatch:
                wrong.append(mismatch)
        if wrong:
            raise _together(wrong)

    def _judge(self, now: Emitted, level: str, limits: Limits | None) -> None:
        if not any(_meant(pattern, now) for pattern in self._blessing):
            path, found = compared(now, self.folder, level, limits)
            if found.fails:
                raise GoldenMismatch(path, now.target, found.difference)
        elif not self._ask:
            written = renew(now, self.folder, level, limits, strict=self._strict)
            if written is not None:
                self.record["written"].append([str(written.path), written.remark])
        else:
            try:
                path, found = compared(now, self.folder, level, limits)
            except GoldenMismatch as nothing_pinned:
                self.record["pending"].append([*now[:4], str(nothing_pinned.path), ""])
            else:
                if found.difference:
                    self.record["pending"].append([*now[:4], str(path), found.difference])


def _meant(pattern: str, now: Emitted) -> bool:
    names = (now.name, f"{now.name}/{now.variant}", f"{now.name}/{now.variant}.{now.target}")
    return any(fnmatch.fnmatchcase(each, pattern) for each in names)


def _together(wrong: Sequence[GoldenMismatch]) -> GoldenMismatch:
    """One error for the targets of one call; a difference that several have is shown once."""
    first = wrong[0]
    if len(wrong) == 1:
        return first
    shown: dict[str, list[GoldenMismatch]] = {}
    for each in wrong:
        shown.setdefault(change_of(each.diff), []).append(each)
    parts = []
    for same in shown.values():
        others = f"\n(the same for {', '.join(each.target for each in same[1:])})" if len(same) > 1 else ""
        parts.append((same[0].diff or f"nothing is pinned for {same[0].target}") + others)
    return GoldenMismatch(first.path, ", ".join(each.target for each in wrong), "\n".join(parts))


def change_of(difference: str) -> str:
    """A difference without the file and the lines where it is: equal where the same is changed in the same way."""
    return "\n".join(line for line in difference.splitlines() if not line.startswith(("--- ", "+++ ", "@@ ")))
