"""A device of the machine: which product it is, and its memory. Its contexts are in `state.context`."""

from __future__ import annotations

from driver_ctypes.primitives import RLock
from driver_ctypes.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.cpu.arena import Arena
    from ptxgen.cpu.sanitizer.tools import Sanitizer
    from ptxgen.isa.products import Product

__all__ = ["Device"]


class Device:
    """One emulated device."""

    def __init__(self, ordinal: int, product: Product | None, total_memory: int, unit: int = 1) -> None:
        self.ordinal = ordinal
        self._product = product
        self.total_memory = total_memory
        self.unit = unit  # of bytes that kernels reach of a block, where memcheck does not watch
        self.lock = RLock()
        self.retained = 0
        self.primary_flags = 0
        self.physical = 0  # bytes of cuMemCreate
        self.watcher: Sanitizer | None = None  # is told of what is left when a context ends
        self._tools: frozenset[str] = frozenset()  # of the sanitizer, that watch now
        self.held = 0  # bytes that pools keep and nobody uses
        self.made_arena: Arena | None = None
        """Its memory, if anybody has asked for it yet: `arena` makes it."""

    @property
    def product(self) -> Product:
        """What it is: the plain one where nobody has said anything else."""
        if self._product is None:
            from ptxgen.isa.products import PLAIN

            self._product = PLAIN
        return self._product

    @property
    def arena(self) -> Arena:
        """Reserved on first use. The arena keeps a sixteenth of its range for the executor."""
        if self.made_arena is None:
            from ptxgen.cpu.arena import Arena

            with self.lock:
                if self.made_arena is None:
                    arena = Arena(-(-self.total_memory * 16 // 15 // 65536) * 65536 + (1 << 24))
                    arena.round_up(self.unit)
                    self.made_arena = arena
        return self.made_arena

    @property
    def used_memory(self) -> int:
        return (self.made_arena.in_use if self.made_arena is not None else 0) + self.physical + self.held

    def watch(self, sanitizer: Sanitizer | None) -> None:
        """From now on its memory is kept as these tools need it; with None, as at first."""
        before, self._tools = self._tools, sanitizer.tools if sanitizer is not None else frozenset()
        self.watcher = sanitizer if "memcheck" in self._tools else None
        if "racecheck" in self._tools - before:
            self.arena.history.forget()
        if "initcheck" in self._tools - before:  # in between, nobody noted what was written
            self.arena.track_writes()
        if self.watcher is not None:
            self.arena.keep_freed(self.arena.size // 4)
            self.arena.round_up(1)
        elif self.made_arena is not None:
            self.made_arena.keep_freed(0)
            self.made_arena.round_up(self.unit)
