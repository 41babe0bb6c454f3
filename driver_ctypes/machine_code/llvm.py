"""LLVM: text in, an object file out; and its own linker, for object files that `elf` does not place.

A fork waits until no thread is in LLVM: one that was would be gone in the child, and would hold LLVM's locks for ever. So
does the end of the process, after which only the main thread gets in: LLVM must not be torn down at work.

A process has one LLVM, and all that use it need the same lock: the compiler of the CPU device too.
"""

from __future__ import annotations

import _thread
import atexit
import os
from itertools import count

from driver_ctypes.machine_code.elf import exported
from driver_ctypes.machine_code.loading import LoadedObject
from driver_ctypes.primitives import Lock, RLock, cache, get_ident
from driver_ctypes.typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

T = TypeVar("T")

_OPTIMISE = 1  # -O1: a quarter slower to call without, twice as long to make with more
_loading = RLock()  # the import; never held while the other lock is waited for
_loaded: tuple[Any, Any] | None = None


def load_llvm() -> tuple[Any, Any]:
    """(llvmlite.binding, the lock of every call of it). The lock is llvmlite's own where that is seen, so that finalizers
    and other users of llvmlite count too. Importing it takes 40 ms; raises what an import raises.
    """
    global _loaded
    if _loaded is not None:  # who asks may be in LLVM, and a fork that waits for that holds the other lock
        return _loaded
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


class _Compiler:
    """The process's target machine for texts, and its linker; whoever uses them holds the lock."""

    def __init__(self) -> None:
        llvm, _ = load_llvm()
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self.triple: str = llvm.get_process_triple()
        self.machine = self._new_machine()
        self._linker: Any = None
        self._names = count()

    @staticmethod
    def _new_machine() -> Any:
        """For any processor of this kind: object files are kept, and their key is the text alone."""
        llvm, _ = load_llvm()
        return llvm.Target.from_default_triple().create_target_machine(opt=_OPTIMISE, reloc="pic")

    def link(self, code: bytes, exports: Sequence[str], known: Mapping[str, int]) -> LoadedObject:
        llvm, _ = load_llvm()
        if self._linker is None:
            self._linker = llvm.create_lljit_compiler(self._new_machine())
        builder = llvm.JITLibraryBuilder().add_object_img(code)
        for symbol, address in known.items():
            builder.import_symbol(symbol, address)
        builder.add_current_process()
        for symbol in exports:
            builder.export_symbol(symbol)
        tracker = builder.link(self._linker, f"driver_ctypes.{next(self._names)}")
        return LoadedObject(tracker, {symbol: int(tracker[symbol]) for symbol in exports})


_compiler = cache(_Compiler)


def object_code(text: str) -> bytes:
    """The object file of a text, for any processor of this kind. ImportError without llvmlite, RuntimeError for a wrong text."""

    def compile_() -> bytes:
        llvm, compiler = load_llvm()[0], _compiler()
        module = llvm.parse_assembly(text)
        module.triple = compiler.triple
        module.verify()
        return bytes(compiler.machine.emit_object(module))

    return without_interrupts(compile_)


def link(code: bytes, known: Mapping[str, int]) -> LoadedObject:
    """An object file loaded by LLVM. Names that it does not define are looked up in `known`, then in the process; RuntimeError
    where one is nowhere."""
    exports = exported(code)
    return without_interrupts(lambda: _compiler().link(code, exports, known))


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
