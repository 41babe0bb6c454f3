"""Conditions: the values that conditional nodes look at, and that kernels set.

A condition's handle is the address of its value in the device's memory. So `cudaGraphSetConditional`, which the JIT
links into every module that declares it (see `modules.device_runtime`), is a store.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from ptxgen.emulated_driver.memory.allocation import Allocation

if TYPE_CHECKING:
    from ptxgen.emulated_driver.state.context import Context
    from ptxgen.emulated_driver.state.graph import Graph


class Condition:
    """A 32-bit value of a graph. Shared by the graph and its executables."""

    def __init__(self, context: Context, graph: Graph, default: int, assign: bool) -> None:
        self.graph = graph
        self.default = default
        self.assign = assign
        self.used = False  # by a conditional node
        self._memory = Allocation(context, 4, "")
        self._users = 1
        self.handle = self._memory.base
        self.value = default if assign else 0
        conditions[self.handle] = self

    @property
    def value(self) -> int:
        return ctypes.c_uint32.from_address(self.handle).value

    @value.setter
    def value(self, value: int) -> None:
        ctypes.c_uint32.from_address(self.handle).value = value

    def begin(self) -> None:
        """A launch of the graph begins."""
        if self.assign:
            self.value = self.default

    def retain(self) -> None:
        self._users += 1

    def release(self) -> None:
        self._users -= 1
        if not self._users:
            conditions.pop(self.handle, None)
            if not self._memory.released:  # its context may be gone
                self._memory.release()


conditions: dict[int, Condition] = {}
