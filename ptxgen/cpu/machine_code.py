"""A kernel's machine code in memory."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ptxgen.cpu.jit import Tier, lanes_at_once, load_object
from ptxgen.cpu.rt.libraries import libraries

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ptxgen.cpu.relocatable import RelocatableKernel

__all__ = ["Code"]


class Code:
    """Machine code of one tier, and with one kind of products: `run(launch record)`, `geometry(launch record)` and the warp
    function's address."""

    __slots__ = ("_libraries", "geometry", "label", "products", "run", "tier", "warp")

    def __init__(
        self, tier: Tier, products: str, relocatable: RelocatableKernel, code: bytes, symbols: Mapping[str, int]
    ) -> None:
        lanes = lanes_at_once() if tier is Tier.FAST and not relocatable.code.tools else 0
        needed = libraries(relocatable.code, fused=products == "fast", lanes=lanes)
        library = load_object(code, needed, symbols)
        core = needed[0].addresses
        self.tier = tier
        self.label = tier.name.lower()
        self.products = products
        self._libraries = (library, *needed)
        self.warp = library.addresses["warp"]
        self.run: Callable[[int], int] = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64)(core["grid"])
        self.geometry: Callable[[int], None] = ctypes.CFUNCTYPE(None, ctypes.c_uint64)(core["geometry"])
