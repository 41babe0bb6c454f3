"""LLVM at work: text in, addresses of machine code out. The only module that touches llvmlite.

LLJIT and never MCJIT: it reports an unresolved symbol instead of jumping to it. Two tiers: BASE has no optimisation and is
ready in two or three milliseconds; FAST is worth its longer compilation for launches that last.
"""

from __future__ import annotations

import itertools
import threading
from enum import IntEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Library", "Tier", "compile_text", "object_code"]


class Tier(IntEnum):
    """How much the compiler tries."""

    BASE = 0
    FAST = 1


class Library:
    """Loaded machine code; `addresses` of its exported functions hold as long as it lives."""

    __slots__ = ("_tracker", "addresses", "name")

    def __init__(self, name: str, tracker: Any, exports: Sequence[str]) -> None:
        self.name = name
        self._tracker = tracker
        self.addresses = {symbol: int(tracker[symbol]) for symbol in exports}


class _Compiler:
    """The process's LLVM: one LLJIT, one target machine for each tier. LLVM is called by one thread at a time."""

    def __init__(self) -> None:
        import llvmlite.binding as llvm

        self.llvm = llvm
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self._target = llvm.Target.from_default_triple()
        self._cpu = llvm.get_host_cpu_name()
        self._features = llvm.get_host_cpu_features().flatten()
        self.triple = llvm.get_process_triple()
        self._machines: dict[Tier, Any] = {}
        self.jit = llvm.create_lljit_compiler(self._new_machine(Tier.FAST))
        self.names = itertools.count()
        self.lock = threading.RLock()

    def _new_machine(self, tier: Tier) -> Any:
        return self._target.create_target_machine(cpu=self._cpu, features=self._features, opt=int(tier), reloc="pic")

    def machine(self, tier: Tier) -> Any:
        if tier not in self._machines:
            self._machines[tier] = self._new_machine(tier)
        return self._machines[tier]

    def optimise(self, module: Any, tier: Tier) -> None:
        llvm = self.llvm
        builder = llvm.create_pass_builder(self.machine(tier), llvm.create_pipeline_tuning_options(speed_level=1))
        manager = llvm.create_new_module_pass_manager()
        manager.add_always_inliner_pass()
        manager.add_sroa_pass()
        manager.add_simplify_cfg_pass()  # more passes cost more than they gain: the text has one instruction for one of PTX
        manager.run(module, builder)


_compiler: _Compiler | None = None
_start = threading.Lock()


def compiler() -> _Compiler:
    """The process's compiler, made on first use."""
    global _compiler
    with _start:
        if _compiler is None:
            _compiler = _Compiler()
        return _compiler


def object_code(text: str, tier: Tier) -> bytes:
    """The object file of a module; RuntimeError with LLVM's words when the text is wrong."""
    c = compiler()
    with c.lock:
        module = c.llvm.parse_assembly(text)
        module.triple = c.triple
        module.verify()
        if tier is Tier.FAST:
            c.optimise(module, tier)
        return bytes(c.machine(tier).emit_object(module))


def compile_text(text: str, exports: Sequence[str], tier: Tier, needs: Sequence[Library] = ()) -> Library:
    """Compiles a module and loads it; undefined symbols are looked up in `needs`, then in the process."""
    c = compiler()
    code = object_code(text, tier)
    with c.lock:
        builder = c.llvm.JITLibraryBuilder().add_object_img(code)
        for library in needs:
            builder.add_jit_library(library.name)
        builder.add_current_process()
        for symbol in exports:
            builder.export_symbol(symbol)
        name = f"ptxgen.{next(c.names)}"
        return Library(name, builder.link(c.jit, name), exports)
