"""A short run of the soak: captures, updates and failed captures leave nothing behind (tools/bench/graph_soak.py)."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_captures_updates_and_failed_captures_leave_memory_flat(device_name):
    sys.path.insert(0, str(ROOT / "tools" / "bench"))
    try:
        import graph_soak
    finally:
        sys.path.remove(str(ROOT / "tools" / "bench"))
    report = graph_soak.soak(graph_soak.open_context(device_name), 400)
    assert report["rounds"] == 400
