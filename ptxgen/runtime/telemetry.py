"""Counters of what a backend did: bytes, launches, waits, times; a snapshot, a reset, and the text that Prometheus reads.

prometheus_client is not used: its counters take a lock and a method call for each increment, in the path of a dispatch, and the
text is a line a counter.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping

__all__ = ["COUNTERS", "LaunchTally", "Telemetry", "TelemetrySnapshot", "of_launches"]

MOST = (1 << 64) - 1
"""The range of a scraper's 64-bit counters: a count beyond it stays there, and says so in `telemetry_counter_overflows`."""

# name -> what it counts, as Prometheus shows it
COUNTERS = {
    "host_to_device_bytes": "bytes copied to the device",
    "device_to_host_bytes": "bytes copied from the device",
    "readback_bytes": "bytes of results that callers asked for",
    "transient_allocation_bytes_requested": "bytes that dispatches asked the device pool for",
    "resident_allocation_bytes_requested": "bytes of resident buffers that were allocated",
    "param_upload_bytes": "bytes of parameter words that were uploaded",
    "kernel_launches": "kernels launched directly",
    "tuning_launches": "kernels launched to measure workgroups",
    "graph_launches": "graphs replayed",
    "graph_kernel_launches": "kernels that ran inside replayed graphs",
    "graph_materialized_cache_hits": "dispatches answered from the output cache that was asked for",
    "graph_batched_replay_chunks": "rounds of batched replays",
    "graph_batched_replay_lanes": "lanes of all rounds of batched replays",
    "sync_points": "times the host waited for the device",
    "host_upload_operations": "copies to the device",
    "device_readback_operations": "copies from the device",
    "timed_dispatches": "dispatches that were to be timed",
    "timed_device_measurements": "of these, how many the device timed",
    "timed_dispatches_missing_device_time": "of these, how many it did not",
    "timed_wall_ns_total": "nanoseconds of timed dispatches on the host's clock",
    "timed_device_ns_total": "nanoseconds of timed dispatches on the device's clock",
    "timed_device_ns_max": "nanoseconds of the longest timed dispatch on the device's clock",
    "timed_enqueue_ns_total": "nanoseconds of timed dispatches until all was queued",
    "timed_wait_ns_total": "nanoseconds of timed dispatches that the host waited",
    "scheduled_thread_slots": "threads of all launches",
    "scheduled_thread_slot_overflows": "launches whose threads passed the counter",
    "telemetry_counter_overflows": "counters that stay at their largest value",
    "resident_borrowed_fallback_dispatches": "resident dispatches with host data",
    "launched_elements": "elements that launches were for",
    "wasted_thread_slots": "threads that had no element",
    "device_pool_hits": "transient allocations served from the pool",
    "device_pool_misses": "transient allocations that went to the driver",
    "launch_occupancy_bps_sum": "occupancy of measured launches in hundredths of a percent, summed",
    "occupancy_measured_launches": "launches whose occupancy the driver reported",
    "occupancy_unmeasured_launches": "launches whose occupancy it did not",
}

_GAUGES = ("logical_thread_utilization_bps", "logical_thread_waste_bps", "logical_elements_per_thread_slot_bps")


class TelemetrySnapshot(Mapping[str, int]):
    """Every counter at one moment, by name: `snapshot["kernel_launches"]`; and what follows from them."""

    __slots__ = ("counters",)

    def __init__(self, counters: dict[str, int]) -> None:
        self.counters = counters

    def __getitem__(self, name: str) -> int:
        return self.counters[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.counters)

    def __len__(self) -> int:
        return len(self.counters)

    def _bps(self, part: int) -> int:
        """Hundredths of a percent of all thread slots; 0 where none was scheduled."""
        slots = self.counters["scheduled_thread_slots"]
        return part * 10_000 // slots if slots else 0

    @property
    def logical_thread_utilization_bps(self) -> int:
        """Thread slots that had an element, in hundredths of a percent."""
        return self._bps(self.counters["scheduled_thread_slots"] - self.counters["wasted_thread_slots"])

    @property
    def logical_thread_waste_bps(self) -> int:
        """Thread slots that had none."""
        return self._bps(self.counters["wasted_thread_slots"])

    @property
    def logical_elements_per_thread_slot_bps(self) -> int:
        """Elements a thread slot; over 10,000 where threads take several."""
        return self._bps(self.counters["launched_elements"])

    def prometheus(self, prefix: str = "ptxgen_cuda", **labels: str) -> str:
        """The text format of Prometheus: a counter each, with what it counts."""
        shown = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())
        where = f"{{{shown}}}" if shown else ""
        lines = []
        for name, value in self.counters.items():
            kind = "gauge" if name == "timed_device_ns_max" else "counter"
            full = f"{prefix}_{name}"
            lines += [f"# HELP {full} {COUNTERS[name]}", f"# TYPE {full} {kind}", f"{full}{where} {value}"]
        for name in _GAUGES:
            full = f"{prefix}_{name}"
            lines += [f"# HELP {full} in hundredths of a percent", f"# TYPE {full} gauge"]
            lines.append(f"{full}{where} {getattr(self, name)}")
        return "\n".join(lines) + "\n"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


class LaunchTally:
    """What one launch of a kind adds to the counters: one number to count it by, added up when somebody looks."""

    __slots__ = ("launches", "over", "per_launch")

    def __init__(self, per_launch: dict[str, int]) -> None:
        self.per_launch = per_launch
        self.launches = 0
        self.over = False  # nothing will count on it


def of_launches(name: str, kernels: int, elements: int, threads: int) -> dict[str, int]:
    """What *kernels* launches for *elements* elements in *threads* threads each add; *name* is their own counter."""
    return {
        name: kernels,
        "launched_elements": kernels * elements,
        "scheduled_thread_slots": kernels * threads,
        "wasted_thread_slots": kernels * max(0, threads - elements),
        "scheduled_thread_slot_overflows": kernels * (threads > MOST),
    }


class Telemetry:
    """A backend's counters."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._counters = dict.fromkeys(COUNTERS, 0)
        self._tallies: list[LaunchTally] = []

    def add(self, **more: int) -> None:
        """Count."""
        with self.lock:
            counters = self._counters
            for name, number in more.items():
                counters[name] += number

    def highest(self, name: str, value: int) -> None:
        """Keep the largest value."""
        with self.lock:
            self._counters[name] = max(self._counters[name], value)

    def tally(self, per_launch: dict[str, int]) -> LaunchTally:
        """A tally: count each launch with ``with telemetry.lock: tally.launches += 1``."""
        made = LaunchTally(per_launch)
        with self.lock:
            self._tallies.append(made)
        return made

    def _fold(self, tally: LaunchTally) -> None:
        number, tally.launches = tally.launches, 0
        if number:
            for name, each in tally.per_launch.items():
                self._counters[name] += number * each

    def snapshot(self) -> TelemetrySnapshot:
        """All counters now, each within 64 bits."""
        with self.lock:
            for tally in self._tallies:
                self._fold(tally)
            self._tallies = [tally for tally in self._tallies if not tally.over]
            over = [name for name, value in self._counters.items() if value > MOST]
            for name in over:
                self._counters[name] = MOST
            self._counters["telemetry_counter_overflows"] += len(over)
            return TelemetrySnapshot(dict(self._counters))

    def reset(self) -> None:
        """Start all counters at 0; caches and resident buffers stay."""
        with self.lock:
            for tally in self._tallies:
                tally.launches = 0
            self._counters = dict.fromkeys(COUNTERS, 0)
