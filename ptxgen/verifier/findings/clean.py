"""PTX texts of which the verifier has nothing to say, so that no text is verified twice: not when a driver gets what this
process has built and verified, and not by the next process, where there is a place to keep verdicts in.

A verdict holds for a text and a version of this package. Only the digests of texts are kept, the latest ones. Of a module that
gets the lowest PTX version that is enough, that version is kept as well: to work it out takes the rows of all its instructions.
"""

from __future__ import annotations

from driver_ctypes.primitives import OrderedDict
from ptxgen.stores import kept_verdict, verdict_found

__all__ = ["is_clean", "lowest_version", "note_clean", "note_lowest_version"]

_MOST = 1024

_clean: OrderedDict[str, str] = OrderedDict()
"""By digest, "", or of a text as it is before it gets its version, that version."""


def is_clean(text: str) -> bool:
    """Has the verifier looked at this text, and found neither errors nor warnings?"""
    return _known(_digest(text)) is not None


def note_clean(text: str) -> None:
    """The verifier has found nothing."""
    _note(_digest(text), "")


def lowest_version(text: str) -> tuple[int, int] | None:
    """The lowest PTX version for a module that prints as this text, where the verifier has found nothing in it then."""
    known = _known(_digest(_LOWEST + text))
    if known is None:
        return None
    major, _, minor = known.partition(".")
    return int(major), int(minor)


def note_lowest_version(text: str, version: tuple[int, int]) -> None:
    """The module that prints as this text has got that version, and the verifier has found nothing."""
    _note(_digest(_LOWEST + text), f"{version[0]}.{version[1]}")


_LOWEST = "the lowest version for\n"


def _known(digest: str) -> str | None:
    verdict = _clean.get(digest)
    if verdict is None:
        verdict = kept_verdict(digest)
        if verdict is not None:
            _remember(digest, verdict)
    return verdict


def _note(digest: str, verdict: str) -> None:
    if digest not in _clean:
        _remember(digest, verdict)
        verdict_found(digest, verdict)


def _remember(digest: str, verdict: str) -> None:
    _clean[digest] = verdict
    while len(_clean) > _MOST:
        try:
            _clean.popitem(last=False)
        except KeyError:  # another thread was quicker
            return


def _digest(text: str) -> str:
    from driver_ctypes.hashing import blake2b

    return blake2b(text.encode(), digest_size=32).hexdigest()
