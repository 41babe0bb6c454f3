"""Names that a room exports and loads on first use: `driver_ctypes.lazy`, under a name that every room may import.

The driver binding stands alone, so that the function is there; the rooms below `host` keep off the binding. At the bottom of the
floors, beside `errors`.
"""

from __future__ import annotations

from driver_ctypes.lazy import exports

__all__ = ["exports"]
