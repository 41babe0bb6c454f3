"""`--bless-ask`: each change is shown once, with all goldens that have it, and a person says whether it is meant.

Asked at the end, in the controlling process: tests do not stop for it, workers of pytest-xdist have no terminal, and the
same change of many goldens is one question. `cargo insta review` works so, and so does inline-snapshot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.errors import Error
from ptxgen.golden.files import target_order
from ptxgen.golden.fixture import change_of
from ptxgen.golden.programs import Emitted
from ptxgen.golden.store import renew

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from ptxgen.golden.records import Pending

__all__ = ["review"]

_QUESTION = "Bless it? [y]es, [n]o, [a]ll that follow, [q]uit: "
_COLOUR = {"+": "green", "-": "red", "@": "cyan"}
_ANSWERS = ("y", "n", "a", "q")


def review(
    pending: Sequence[Pending],
    folder: Path,
    *,
    say: Callable[..., None],
    ask: Callable[[str], str],
    strict: bool,
) -> tuple[list[list[str]], list[str]]:
    """Ask for each change, and bless those that are meant.

    Returns what was written (file, remark), and the names of what was not, each with the reason.
    """
    changes: dict[str, list[Pending]] = {}
    for each in sorted(pending, key=lambda each: (each.name, each.variant, target_order(each.target))):
        changes.setdefault(change_of(each.difference) or f"new {each.name}", []).append(each)
    written: list[list[str]] = []
    refused: list[str] = []
    answer = ""
    for number, same in enumerate(changes.values(), 1):
        if answer not in ("a", "q"):
            _show(same, f"{number} of {len(changes)}", say)
            answer = _answer(ask)
        for each in same:
            if answer not in ("y", "a"):
                refused.append(f"{each.label}: not blessed")
                continue
            try:
                done = renew(Emitted(each.name, each.variant, each.target, each.ptx), folder, strict=strict)
            except Error as wrong:
                refused.append(f"{each.label}: {wrong}")
            else:
                written += [[str(done.path), done.remark]] if done is not None else []
    return written, refused


def _show(same: Sequence[Pending], count: str, say: Callable[..., None]) -> None:
    names = [each.label for each in same]
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    say("")
    say(f"change {count}: {', '.join(names[:10])}{more}", bold=True)
    if not same[0].difference:
        for each in same:
            say(f"nothing is pinned yet: {each.path} would have {each.ptx.count(chr(10))} lines")
    for line in same[0].difference.splitlines():
        colour = _COLOUR.get(line[:1]) if line[:4] not in ("--- ", "+++ ") else None
        say(line, **({colour: True} if colour else {}))


def _answer(ask: Callable[[str], str]) -> str:
    while True:
        try:
            text = ask(_QUESTION).strip().lower()
        except (EOFError, KeyboardInterrupt):  # nobody is there, or does not want to be
            return "q"
        for answer in _ANSWERS:
            if text and (text == answer or {"y": "yes", "n": "no", "a": "all", "q": "quit"}[answer] == text):
                return answer
