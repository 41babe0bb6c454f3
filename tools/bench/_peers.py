"""The main program of a benchmark that compares operations with libraries: works, one by one, and what they have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import ptxgen as px
from tools.bench._command import command, print_json
from tools.bench._compiled import fill_cache
from tools.bench._page import means
from tools.bench._timer import Timer

__all__ = ["COPY", "PEAK", "Work", "compare", "floor"]

PEAK = {"bf16": 989e12, "f16": 989e12, "e4m3": 1979e12, "f32": 495e12, "s8": 1979e12}
"""Operations a second of the tensor cores by the elements' type, dense, f32 as tf32 (NVIDIA H200 datasheet)."""

COPY = 4.2e12
"""Bytes a second of a device copy on an H200 (`arrays.py`)."""


class Work(Protocol):
    """One row. `name` is "table: what", `floor` in microseconds."""

    @property
    def name(self) -> str: ...
    @property
    def operations(self) -> float: ...
    @property
    def floor(self) -> float: ...


W = TypeVar("W", bound=Work)


def floor(operations: float, element: str, moved: float = 0.0) -> float:
    """Microseconds of the operations at the datasheet's peak, or of the bytes at a copy's bandwidth, whichever is longer."""
    return 1e6 * max(operations / PEAK[element], moved / COPY)


def compare(
    doc: str | None,
    works: Sequence[W],
    tiny: Sequence[W],
    *,
    on_gpu: Callable[[W, Timer], dict[str, float]],
    on_cpu: Callable[[W], float],
    rounds: int = 9,
    build: Callable[[W], Any] | None = None,
) -> None:
    """Parse the command line, and print each work's row. `on_gpu` gives microseconds of "ours" and of each peer, `on_cpu` of
    ours, checked; both raise where a result is wrong. `build` makes torch.compile's kernels of a work."""
    parser = command(doc)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--only", nargs="+", default=[""], help="rows whose name has one of these texts")
    if build is not None:
        parser.add_argument("--compile", action="store_true", help="make torch.compile's kernels, and time nothing")
    given = parser.parse_args()
    wanted = [work for work in (tiny if given.tiny else works) if any(text in work.name for text in given.only)]
    if build is not None and given.compile:
        return fill_cache(build, wanted)
    device = px.device(given.device) if given.device else px.device()
    timer = Timer(device, 1 if given.tiny else given.rounds)
    rows: list[dict[str, Any]] = []
    for work in wanted:
        peers = on_gpu(work, timer) if device.kind == "cuda" else {"ours": on_cpu(work)}
        ours = peers.pop("ours")
        ratio = min(peers.values()) / ours if peers else None
        rows.append(
            {"name": work.name, "unit": "us", "ours": ours, "peers": peers, "ratio": ratio, "floor": work.floor}
        )
        if not given.json:
            beside = "  ".join(f"{name} {each:.2f}" for name, each in peers.items())
            speed = (
                f"{ours:10.2f} us, {work.operations / ours / 1e6:5.0f} TFLOP/s, {work.floor / ours:4.0%} of the floor"
            )
            print(f"{work.name:60s} {speed}  {beside}{f'  {ratio:.3f}' if ratio else ''}", flush=True)
    if given.json:
        print_json(rows)
    else:
        for table, (mean, least, count) in means(rows).items():
            print(f"{table}, {count} rows: geometric mean {mean:.3f}, least {least:.3f}")
