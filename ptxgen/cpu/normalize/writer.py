"""Who writes the list of operations, as those see it who write parts of it: a `statements.Flattener`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ptxgen import ir
    from ptxgen.cpu.flat import Call, FlatAddress, FlatKernel, Op, Reg
    from ptxgen.cpu.normalize.activation import Activation
    from ptxgen.cpu.normalize.functions import ModuleFunctions
    from ptxgen.cpu.normalize.name_scope import SymbolScope
    from ptxgen.isa.types import ScalarType

__all__ = ["Writer"]


class Writer(Protocol):
    """`activation` is that of the function in hand, where it is called through the stack; `calls` are those around it."""

    kernel: FlatKernel
    functions: ModuleFunctions
    root: SymbolScope
    activation: Activation | None
    calls: tuple[Call, ...]

    def reg(self, name: str, type: ScalarType, *, owned: bool = True) -> Reg: ...

    def frame(self, name: str, size: int, align: int) -> FlatAddress: ...

    def label(self) -> int: ...

    def emit(self, op: Op) -> None: ...

    def emit_first(self, op: Op) -> None: ...

    def enter(self, activation: Activation) -> None: ...

    def inside(self, calls: tuple[Call, ...]) -> AbstractContextManager[None]: ...

    def block(self, block: ir.Block, parent: SymbolScope, end: int | None) -> None: ...
