"""How special registers vary (manual chapter 10): between the threads of a CTA, and from one read to the next.

The only table of it: value numbers, uniformity, values of threads, passes and the executor's hoisting all ask here. How %tid
varies within a warp depends on the CTA's shape, which `threads/uniformity.py` knows.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from driver_ctypes.typing import NamedTuple

__all__ = ["Variation", "variation"]


class Variation(NamedTuple):
    """`same_in`: the largest group of threads that all read the same value. `changes`: may a later read give another value?

    "sometimes" is what the manual calls volatile: a thread may be moved to another processor while it runs.
    """

    same_in: Literal["thread", "warp", "cta"]
    changes: Literal["never", "sometimes", "always"]


_FIXED = Variation("cta", "never")
"""What a launch or the place of a CTA in it fixes: all that the table does not name."""

_VARIATIONS = {
    "tid": Variation("thread", "never"),
    "laneid": Variation("thread", "never"),
    "lanemask_eq": Variation("thread", "never"),
    "lanemask_le": Variation("thread", "never"),
    "lanemask_lt": Variation("thread", "never"),
    "lanemask_ge": Variation("thread", "never"),
    "lanemask_gt": Variation("thread", "never"),
    "warpid": Variation("warp", "sometimes"),
    "smid": Variation("cta", "sometimes"),
    "clock": Variation("warp", "always"),
    "clock_hi": Variation("warp", "always"),
    "clock64": Variation("warp", "always"),
    "globaltimer": Variation("warp", "always"),
    "globaltimer_lo": Variation("warp", "always"),
    "globaltimer_hi": Variation("warp", "always"),
}
_COUNTER = Variation("warp", "always")
"""The performance counters %pm0 to %pm7 and %pm0_64 to %pm7_64 (manual 10.25)."""


@cache
def variation(name: str) -> Variation:
    """How the special register of that name (`%tid.x`) varies."""
    stem = name.lstrip("%").partition(".")[0]
    return _COUNTER if stem[:2] == "pm" and stem[2:3].isdigit() else _VARIATIONS.get(stem, _FIXED)
