"""How many cores this process may use."""

from __future__ import annotations

import os

__all__ = ["cores"]


def cores() -> int:
    """Cores that this process may use: those that the system lets it run on, and no more than its control group grants."""
    try:
        found = len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS
        found = os.cpu_count() or 1
    return max(1, min(found, _granted()))


def _granted() -> int:
    """Cores that the control groups of the process grant (cgroup v2, cpu.max), rounded up; very many without a limit."""
    most = 1 << 20
    try:
        with open("/proc/self/cgroup") as file:
            path = next((line.strip()[3:] for line in file if line.startswith("0::")), "/")
    except OSError:
        return most
    while True:
        try:
            with open(f"/sys/fs/cgroup{path}/cpu.max") as file:
                quota, period = file.read().split()
                if quota != "max":
                    most = min(most, -(-int(quota) // int(period)))
        except (OSError, ValueError):
            pass  # a group without a limit of its own
        if path in ("", "/"):
            return most
        path = os.path.dirname(path)
