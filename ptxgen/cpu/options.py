"""How a launch runs, and what it tells afterwards."""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from ptxgen.cpu.fault import Dim3
    from ptxgen.cpu.profiler.collector import Profiler
    from ptxgen.cpu.request import Request
    from ptxgen.cpu.sanitizer.tools import Sanitizer

__all__ = ["FILLS", "WATCHDOG", "LaunchOptions", "LaunchRequest", "LaunchStats", "LaunchTaker", "asynchrony"]

FILLS = {"usual": 0, "ones": 1, "zeros": 2}
"""What shared memory may hold when a CTA begins -> `LaunchRecord.fills_shared`."""

WATCHDOG = 30.0
"""Seconds without progress after which a launch is ended, unless somebody says otherwise."""


def asynchrony(text: str) -> tuple[int, int] | None:
    """What the launch record has of a way of doing what is asynchronous: (mode, seed); None for what is no such way."""
    kind, colon, seed = text.partition(":")
    if kind == "random" and seed.isdecimal() and int(seed) < 1 << 64:
        return 2, int(seed)
    return None if colon else {"late": (0, 0), "early": (1, 0)}.get(kind)


class LaunchRequest(NamedTuple):
    """What `Kernel.launch` is asked for; see there."""

    grid: Dim3
    block: Dim3
    params: bytes
    dynamic_shared: int = 0
    cluster: Dim3 | None = None
    cooperative: bool = False
    room: int | None = None

    @classmethod
    def of(cls, request: Request, params: bytes) -> LaunchRequest:
        """What a request was made of, and parameters."""
        return cls(
            request.grid, request.block, params, request.dynamic_shared, request.cluster, request.cooperative, request.room
        )  # fmt: skip


class LaunchTaker(Protocol):
    """Who may take launches over: a debugger."""

    def takes(self, kernel: Any, request: LaunchRequest) -> bool:
        """Does it take this launch of an `executable.Kernel`? The launch then does nothing itself."""
        ...


class LaunchOptions:
    """Knobs of the executor; the defaults suit everyone who does not test schedules.

    bounds: what of its shared memory a CTA may touch: its bytes, "exact", or whole units of 128, "units", as a GPU lets pass. A
        sanitizer takes them exactly.
    copies: when what is asynchronous (copies, wgmma, tcgen05) is done. "late", when it is waited for and no sooner; "early", when
        it is started; "random:7", either, as drawn from that seed. Late shows missing waits and buffers that are given back
        too soon.
    budget: loop rounds of a warp before another warp runs. Small, so that the warps of a CTA walk through memory together.
    debugger: who is asked about each launch whether to take it over; None for nobody.
    max_resident: CTAs of a plain grid that may be in flight when they wait for each other; None for as many as the launch
        says that the device holds.
    products: "exact", so that tensor-core products have the bits that an H200's have, or "fast", by multiply-adds in f32. Sparse
        ones and those of tcgen05 are exact either way.
    profiler: where what the launch does is counted, instruction by instruction; None for nowhere.
    sanitizer: the tools that watch the launch, and where their findings go; None for none.
    shared: what the shared memory of a CTA holds when it begins: "ones", "zeros", or "usual", which is ones in kernels with
        asynchronous copies and under a sanitizer, and otherwise whatever was there.
    tier: "auto", or "base" or "fast" to force how code is compiled.
    time_limit: seconds of wall clock after which the launch is a fault of kind "timeout"; None for no limit.
    waits: what waits for wgmma: what the program states, "stated", or also, "injected", each touch of a register that a product
        under way has, since assemblers put a wait there (C7517) or behind every product of such a program (C7514, C7515).
    watchdog: seconds without any progress after which the launch is a fault of kind "no progress", see watchdog.py; None for
        no limit.
    workers: threads of the host that may run CTAs of one launch beside one another. With 1 the same program gives the same bits
        every time; with more, what depends on the order of CTAs on a GPU (sums of floats by atomics, tickets) does so here.
    """

    __slots__ = (
        "asynchrony", "bounds", "budget", "copies", "debugger", "max_resident", "products", "profiler", "sanitizer", "shared",
        "tier", "time_limit", "waits", "watchdog", "workers",
    )  # fmt: skip

    def __init__(
        self,
        *,
        bounds: str = "exact",
        budget: int = 16,
        copies: str = "late",
        debugger: LaunchTaker | None = None,
        max_resident: int | None = None,
        products: str = "exact",
        profiler: Profiler | None = None,
        sanitizer: Sanitizer | None = None,
        shared: str = "usual",
        tier: str = "auto",
        time_limit: float | None = None,
        waits: str = "stated",
        watchdog: float | None = WATCHDOG,
        workers: int = 1,
    ) -> None:
        if budget < 1 or (max_resident is not None and max_resident < 1):
            raise ValueError(f"budget and max_resident are at least 1, not {budget} and {max_resident}")
        if not hasattr(type(workers), "__index__") or workers < 1:
            raise ValueError(f"workers is at least 1, not {workers!r}")
        for name, limit in (("time_limit", time_limit), ("watchdog", watchdog)):
            if limit is not None and (not hasattr(limit, "__float__") or not 0 < limit < float("inf")):
                raise ValueError(f"{name} is a positive number of seconds, or None for no limit, not {limit!r}")
        if tier not in ("auto", "base", "fast"):
            raise ValueError(f'tier is "auto", "base" or "fast", not {tier!r}')
        how = asynchrony(copies)
        if how is None:
            raise ValueError(f'copies is "late", "early" or "random:" and a seed, not {copies!r}')
        if bounds not in ("exact", "units"):
            raise ValueError(f'bounds is "exact" or "units", not {bounds!r}')
        if products not in ("exact", "fast"):
            raise ValueError(f'products is "exact" or "fast", not {products!r}')
        if waits not in ("stated", "injected"):
            raise ValueError(f'waits is "stated" or "injected", not {waits!r}')
        if shared not in FILLS:
            raise ValueError(f"shared is one of {', '.join(FILLS)}, not {shared!r}")
        self.shared = shared
        self.bounds = bounds
        self.budget = budget
        self.copies = copies
        self.asynchrony = how
        self.debugger = debugger
        self.max_resident = max_resident
        self.products = products
        self.profiler = profiler
        self.sanitizer = sanitizer
        self.tier = tier
        self.time_limit = time_limit
        self.waits = waits
        self.watchdog = watchdog
        self.workers = workers

    @property
    def alone(self) -> bool:
        """Does one worker run the launch? What is watched, counted or drawn has one order."""
        return self.workers == 1 or self.asynchrony[0] == 2 or self.sanitizer is not None or self.profiler is not None

    @property
    def tools(self) -> frozenset[str]:
        """Those that the kernel must be compiled for."""
        found = self.sanitizer.tools if self.sanitizer is not None else frozenset()
        if self.profiler is None:
            return found
        from ptxgen.cpu.profiler.counters import TOOL

        return found | {TOOL}

    def replaced(self, **changes: Any) -> LaunchOptions:
        """The same with some of them changed."""
        given = {
            name: getattr(self, name) for name in self.__slots__ if name != "asynchrony"
        }  # which follows from `copies`
        return LaunchOptions(**{**given, **changes})


class LaunchStats(NamedTuple):
    """What a launch has done."""

    instructions: int
    """Executed instructions times lanes."""
    tier: str
    """The code that finished the launch."""
    products: str = "exact"
    """"fast" where the kernel has tensor-core products and they were made so."""
    workers: int = 1
    """Threads that have run its CTAs."""
