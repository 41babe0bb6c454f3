"""LLVM, used for one thing: the text of a function in, its address out. The code lives as long as the process."""

from __future__ import annotations

import itertools
import threading
from functools import cache
from typing import Any

_OPTIMISE = 1  # -O1: a quarter slower to call without, twice as long to make with more
_lock = threading.Lock()
_names = itertools.count()
_libraries: list[Any] = []  # what LLVM's resource trackers keep


@cache
def _compiler() -> tuple[Any, Any]:
    """(llvmlite.binding, its compiler). Importing llvmlite takes 40 ms."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=_OPTIMISE, reloc="pic"
    )
    return llvm, llvm.create_lljit_compiler(machine)


def compile_functions(ir: str, *symbols: str) -> dict[str, int]:
    """The addresses of *symbols* defined in *ir*. Raises ImportError without llvmlite, RuntimeError for bad IR."""
    with _lock:
        llvm, jit = _compiler()
        builder = llvm.JITLibraryBuilder().add_ir(ir)
        for symbol in symbols:
            builder = builder.export_symbol(symbol)
        library = builder.link(jit, f"driver_ctypes.{next(_names)}")
        _libraries.append(library)
        return {symbol: int(library[symbol]) for symbol in symbols}


def fresh_name() -> str:
    """A name for a function that no other has."""
    return f"launch_{next(_names)}"
