"""PTX texts of which the verifier has nothing to say, so that no text is verified twice: not when a driver gets what this
process has built and verified, and not by the next process, where there is a place to keep verdicts in.

A verdict holds for a text and a version of this package. Only the digests of texts are kept, the latest ones.
"""

from __future__ import annotations

from collections import OrderedDict

from driver_ctypes.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["are_kept", "is_clean", "keep_verdicts", "note_clean"]

_MOST = 1024

_clean: OrderedDict[str, None] = OrderedDict()
_asked: list[Callable[[str], bool]] = []
_told: list[Callable[[str], None]] = []


def keep_verdicts(ask: Callable[[str], bool], tell: Callable[[str], None]) -> None:
    """Let verdicts outlive the process: `ask(digest)` whether an earlier one found a text clean, `tell(digest)` of a new one."""
    _asked[:], _told[:] = [ask], [tell]


def are_kept() -> bool:
    """Do verdicts outlive the process?"""
    return bool(_asked)


def is_clean(text: str) -> bool:
    """Has the verifier looked at this text, and found neither errors nor warnings?"""
    digest = _digest(text)
    if digest in _clean:
        return True
    if any(ask(digest) for ask in _asked):
        _remember(digest)
        return True
    return False


def note_clean(text: str) -> None:
    """The verifier has found nothing."""
    digest = _digest(text)
    if digest not in _clean:
        _remember(digest)
        for tell in _told:
            tell(digest)


def _remember(digest: str) -> None:
    _clean[digest] = None
    while len(_clean) > _MOST:
        try:
            _clean.popitem(last=False)
        except KeyError:  # another thread was quicker
            return


def _digest(text: str) -> str:
    from driver_ctypes.hashing import blake2b

    return blake2b(text.encode(), digest_size=32).hexdigest()
