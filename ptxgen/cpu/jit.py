"""LLVM at work: text in, addresses of machine code out. The only module that touches llvmlite.

LLJIT and never MCJIT: it reports an unresolved symbol instead of jumping to it. Two tiers: BASE has no optimisation and is
ready in two or three milliseconds; FAST is worth its longer compilation for launches that last.

A fork waits until no thread is in LLVM: one that was would be gone in the child, and would hold LLVM's locks for ever. So
does the end of the process, after which only the main thread gets in: LLVM must not be torn down at work.
"""

from __future__ import annotations

import atexit
import itertools
import os
import sys
import threading
from enum import IntEnum
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ptxgen.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Library", "Tier", "compile_text", "object_code", "require"]


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

    def __init__(self, llvm: Any, lock: Any) -> None:
        self.llvm = llvm
        self.lock = lock
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self._target = llvm.Target.from_default_triple()
        self._cpu = llvm.get_host_cpu_name()
        self._features = llvm.get_host_cpu_features().flatten()
        self.triple = llvm.get_process_triple()
        self._machines: dict[Tier, Any] = {}
        self.jit = llvm.create_lljit_compiler(self._new_machine(Tier.FAST))
        self.names = itertools.count()

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


_loading = threading.RLock()  # the import; never held while the other lock is waited for
_loaded: tuple[Any, Any] | None = None
_compiler: _Compiler | None = None


def _load() -> tuple[Any, Any]:
    """(llvmlite.binding, the lock of every call of it): llvmlite's own where that is seen, so that finalizers and other users
    of llvmlite count too."""
    global _loaded
    with _loading:
        if _loaded is None:
            try:
                import llvmlite.binding as llvm
            except ImportError as missing:
                raise _missing(str(missing)) from None

            lock = getattr(getattr(llvm.ffi.lib, "_lock", None), "_lock", None)
            _loaded = llvm, lock if lock is not None else threading.RLock()
            atexit.register(_loaded[1].acquire)
        return _loaded


def require() -> None:
    """Raises UnsupportedError where llvmlite is not installed. Its import takes long, and is not waited for here."""
    if _loaded is None and find_spec("llvmlite") is None:
        raise _missing("it is not installed")


def _missing(why: str) -> UnsupportedError:
    return UnsupportedError(
        f"the CPU device compiles kernels with llvmlite, which {sys.executable} cannot import ({why})",
        hint="pip install llvmlite, or run on a GPU",
    )


def compiler() -> _Compiler:
    """The process's compiler, made on first use."""
    global _compiler
    if _compiler is None:
        llvm, lock = _load()
        with lock:
            if _compiler is None:
                _compiler = _Compiler(llvm, lock)
    return _compiler


def _before_fork() -> None:
    _loading.acquire()
    if _loaded is not None:
        _loaded[1].acquire()


def _after_fork() -> None:
    if _loaded is not None:
        _loaded[1].release()
    _loading.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


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
