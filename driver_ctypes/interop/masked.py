"""numpy's masked arrays: the buffer protocol gives their data and leaves out their mask, so no copy takes one."""

from __future__ import annotations

import sys

FILL_OR_DATA = "array.filled(value) with a value for the masked elements, or array.data with what lies under the mask"
"""What to do instead."""


def is_masked(kind: type) -> bool:
    """Whether objects of this class are masked arrays of numpy, which is not imported for it."""
    core = sys.modules.get("numpy.ma.core") or sys.modules.get("numpy.ma")
    masked = getattr(core, "MaskedArray", None)  # not there while another thread imports it: then nothing is one yet
    return masked is not None and issubclass(kind, masked)
