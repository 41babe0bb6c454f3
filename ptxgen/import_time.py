"""When this process began to import the package. `ptxgen/__init__.py` imports this module before any other."""

from __future__ import annotations

from time import time

imported_at = time()
"""Seconds since the epoch. Sources that are younger need not be what runs."""
