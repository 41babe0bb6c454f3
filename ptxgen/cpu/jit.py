"""LLVM at work: text in, an object file out; and object files loaded. The only module that touches llvmlite.

Objects of x86-64 are placed by `driver_ctypes.machine_code.elf`, which needs no LLVM; others by LLVM's own linker: LLJIT and
never MCJIT, which jumps to an unresolved symbol instead of reporting it. Two tiers: BASE has no optimisation and is
ready in two or three milliseconds; FAST is worth its longer compilation for launches that last.

llvmlite, its lock, which a fork holds, and that linker come from `driver_ctypes.machine_code`: a process has one LLVM, and all
that use it need the same lock. Nothing else in this room uses the driver binding.
"""

from __future__ import annotations

import os
import sys

from driver_ctypes.machine_code.elf import UnknownObjectError
from driver_ctypes.machine_code.llvm import link, load_llvm, without_interrupts
from driver_ctypes.machine_code.loading import LoadedObject, load_placed
from driver_ctypes.primitives import RLock
from driver_ctypes.typing import TYPE_CHECKING, Any, ClassVar
from ptxgen.cpu.code.compiler import find_compiler
from ptxgen.stores import current_store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ptxgen.errors import UnsupportedError

__all__ = [
    "LoadedObject",
    "Tier",
    "building",
    "compiled",
    "host",
    "lanes_at_once",
    "left_behind",
    "library_object",
    "load_object",
    "object_code",
    "require",
]


class Tier(int):
    """How much the compiler tries. No enumeration: a launch of code that is on disk does without `enum`, which takes 4 ms."""

    BASE: ClassVar[Tier]
    FAST: ClassVar[Tier]


Tier.BASE, Tier.FAST = Tier(0), Tier(1)


class _Compiler:
    """The process's LLVM: one target machine for each tier. LLVM is called by one thread at a time."""

    def __init__(self, llvm: Any) -> None:
        self.llvm = llvm
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self._target = llvm.Target.from_default_triple()
        self.cpu = llvm.get_host_cpu_name()
        self.features = llvm.get_host_cpu_features().flatten()
        self.triple = llvm.get_process_triple()
        self._machines: dict[Tier, Any] = {}

    def machine(self, tier: Tier) -> Any:
        if tier not in self._machines:
            self._machines[tier] = self._target.create_target_machine(
                cpu=self.cpu, features=self.features, opt=int(tier), reloc="pic"
            )
        return self._machines[tier]

    def optimise(self, module: Any, tier: Tier) -> None:
        llvm = self.llvm
        builder = llvm.create_pass_builder(self.machine(tier), llvm.create_pipeline_tuning_options(speed_level=1))
        manager = llvm.create_new_module_pass_manager()
        manager.add_always_inliner_pass()
        manager.add_sroa_pass()
        manager.add_simplify_cfg_pass()  # more passes cost more than they gain: the text has one instruction for one of PTX
        manager.run(module, builder)


building = RLock()
"""Held while libraries that all kernels share are loaded. Taken before every other lock of this file."""

_compiler: _Compiler | None = None


def _load() -> tuple[Any, Any]:
    """(llvmlite.binding, the lock of every call of it)."""
    try:
        return load_llvm()
    except ImportError as missing:
        raise _missing(str(missing)) from None


def require() -> None:
    """Raises UnsupportedError where llvmlite is not installed. Its import takes long, and is not waited for here."""
    if find_compiler() is None:
        raise _missing("it is not installed")


def _missing(why: str) -> UnsupportedError:
    from ptxgen.errors import UnsupportedError

    return UnsupportedError(
        f"the CPU device compiles kernels with llvmlite, which {sys.executable} cannot import ({why})",
        hint="pip install llvmlite, or run on a GPU",
    )


def compiler() -> _Compiler:
    """The process's compiler, made on first use."""
    global _compiler
    if _compiler is None:
        llvm, _ = _load()
        _compiler = without_interrupts(lambda: _compiler or _Compiler(llvm))
    return _compiler


if hasattr(os, "register_at_fork"):  # before the handlers of load_llvm's module: it was registered later
    os.register_at_fork(before=building.acquire, after_in_parent=building.release, after_in_child=building.release)


def object_code(text: str, tier: Tier) -> bytes:
    """The object file of a module; RuntimeError with LLVM's words when the text is wrong."""
    c = compiler()

    def compile_() -> bytes:
        module = c.llvm.parse_assembly(text)
        module.triple = c.triple
        module.verify()
        if tier is Tier.FAST:
            c.optimise(module, tier)
        return bytes(c.machine(tier).emit_object(module))

    return without_interrupts(compile_)


def library_object(text: str) -> bytes:
    """The object file of a module for any processor of this kind, in position-independent code of the small model: a part of
    a shared object, which other processes load."""
    c = compiler()

    def compile_() -> bytes:
        module = c.llvm.parse_assembly(text)
        module.triple = c.triple
        module.verify()
        machine = c.llvm.Target.from_default_triple().create_target_machine(opt=2, reloc="pic", codemodel="small")
        return bytes(machine.emit_object(module))

    return without_interrupts(compile_)


def host() -> tuple[str, str]:
    """The processor as LLVM knows it: (name, features)."""
    c = compiler()
    return c.cpu, c.features


_MASKED = {"+avx512f", "+avx512bw", "+avx512dq", "+avx512vl"}
"""Features of processors that compute, load, store, gather and scatter 16 values of 32 bits at once, under masks."""


def lanes_at_once() -> int:
    """How many lanes of a warp optimised code runs at once; 0: one after the other."""
    return 16 if _MASKED.issubset(host()[1].split(",")) else 0


def compiled(write: Callable[[], str], tier: Tier, *key: str) -> bytes:
    """The object file of a module: what an earlier process has left under this key, else made of the text that `write` gives,
    and kept. Without a key it is always made."""
    code = left_behind(tier, *key)
    if code is None:
        code = object_code(write(), tier)
        kept = current_store() if key else None
        if kept is not None:
            kept.put(code, "object", int(tier), *key)
    return code


def left_behind(tier: Tier, *key: str) -> bytes | None:
    """The object file that an earlier process, or load, has left under a key."""
    kept = current_store() if key else None
    return kept.get("object", int(tier), *key) if kept is not None else None


def load_object(
    code: bytes, needs: Sequence[LoadedObject] = (), symbols: Mapping[str, int] | None = None
) -> LoadedObject:
    """Loads an object file. Names that it does not define are looked up in `symbols`, in `needs`, then in the process;
    RuntimeError where one is nowhere, UnsupportedError where the system lets no code be made."""
    known = dict(symbols or {})
    for library in needs:
        known.update(library.addresses)
    try:
        return load_placed(code, known, needs)
    except UnknownObjectError:
        linked = link(code, known)
        return LoadedObject((linked, *needs), linked.addresses)
    except OSError as refused:
        from ptxgen.errors import UnsupportedError

        raise UnsupportedError(str(refused), hint="allow it executable memory, or run on a GPU") from None
