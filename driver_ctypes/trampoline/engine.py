"""LLVM, used for one thing: the text of a function in, its address out. The code lives as long as the process.

A fork waits until no thread is in LLVM: one that was would be gone in the child, and would hold LLVM's locks for ever. So
does the end of the process, after which only the main thread gets in: LLVM must not be torn down at work.

`ptxgen.cpu.jit` holds LLVM over a fork in the same way, by its own code: this package imports nothing of ptxgen, and
the compiler of the CPU device, which works without a driver, imports nothing of this package. Both take llvmlite's one lock,
an RLock, so that holding it twice does no harm.
"""

from __future__ import annotations

import _thread
import atexit
import itertools
import os

from driver_ctypes.primitives import Lock, RLock, cache, get_ident
from driver_ctypes.typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_OPTIMISE = 1  # -O1: a quarter slower to call without, twice as long to make with more
_loading = RLock()  # the import; never held while the other lock is waited for
_loaded: tuple[Any, Any] | None = None
_names = itertools.count()
_libraries: list[Any] = []  # what LLVM's resource trackers keep


def load_llvm() -> tuple[Any, Any]:
    """(llvmlite.binding, the lock of every call of it). The lock is llvmlite's own where that is seen, so that finalizers
    and other users of llvmlite count too. Importing it takes 40 ms; raises what an import raises.
    """
    global _loaded
    with _loading:
        if _loaded is None:
            import llvmlite.binding as llvm

            lock = getattr(getattr(llvm.ffi.lib, "_lock", None), "_lock", None)
            _loaded = llvm, lock if lock is not None else RLock()
            atexit.register(_loaded[1].acquire)
        return _loaded


def without_interrupts(work: Callable[[], T]) -> T:
    """What *work* returns: LLVM called under its lock, where no signal handler of Python runs: in any thread but the main one.

    An exception that a handler raises inside llvmlite leaves its objects half made or half disposed of: they are freed twice,
    which ends the process. Raised here, in the main thread, it leaves the work to its thread, and goes on at once.
    """
    import threading

    _, lock = load_llvm()

    def locked() -> T:
        with lock:
            return work()

    if get_ident() != threading.main_thread().ident or lock._is_owned():
        return locked()
    done: list[T] = []
    failed: list[BaseException] = []
    ended = Lock()
    ended.acquire()

    def run() -> None:
        try:
            done.append(locked())
        except BaseException as error:
            failed.append(error)
        finally:
            ended.release()

    try:  # a Thread of threading is not made for handlers that raise while it starts
        _thread.start_new_thread(run, ())
    except RuntimeError:  # no thread can be made, or the interpreter is ending
        return locked()
    ended.acquire()
    if failed:
        raise failed[0]
    return done[0]


@cache
def _compiler() -> Any:
    """The process's compiler; the caller holds the lock."""
    llvm, _lock = load_llvm()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=_OPTIMISE, reloc="pic"
    )
    return llvm.create_lljit_compiler(machine)


def compile_functions(ir: str, *symbols: str) -> dict[str, int]:
    """The addresses of *symbols* defined in *ir*. Raises ImportError without llvmlite, RuntimeError for bad IR."""
    llvm, _ = load_llvm()

    def compile_() -> dict[str, int]:
        compiler = _compiler()
        builder = llvm.JITLibraryBuilder().add_ir(ir)
        for symbol in symbols:
            builder = builder.export_symbol(symbol)
        library = builder.link(compiler, f"driver_ctypes.{next(_names)}")
        _libraries.append(library)
        return {symbol: int(library[symbol]) for symbol in symbols}

    return without_interrupts(compile_)


def fresh_name() -> str:
    """A name for a function that no other has."""
    return f"launch_{next(_names)}"


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
