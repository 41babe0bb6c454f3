"""The run-time library in memory: loaded once per process, compiled where no earlier process has left it."""

from __future__ import annotations

from driver_ctypes.primitives import partial
from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.cpu.debugger import DEBUG
from ptxgen.cpu.jit import LoadedObject, Tier, building, compiled, compiler, left_behind, load_object, require
from ptxgen.cpu.profiler.counters import TOOL
from ptxgen.cpu.rt.matrix.signature import has_fused

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.cpu.relocatable import KernelCode

__all__ = ["libraries", "profiler", "sanitizer", "warm_up"]

_PARTS = ("CORE", "SYNC", "ASYNC")
"""Of `library`; each may need those before it."""

_loaded: dict[str, LoadedObject] = {}
_cold = [True]  # taken by whoever warms up


def libraries(code: KernelCode, *, fused: bool = False, lanes: int = 0) -> tuple[LoadedObject, ...]:
    """The loaded libraries that a kernel links against, the one of every launch first. `fused`: tensor-core products by fused
    multiply-adds, where there are such functions. `lanes`: how many the code runs at once."""
    count = 3 if code.uses_copies else 2 if code.uses_sync else 1
    with building:
        matrices = [_matrix(name, fused=fused and has_fused(name)) for name in code.matrices]
        tools = [profiler()] if TOOL in code.tools else []
        tools += [debugger()] if DEBUG in code.tools else []
        tools += [sanitizer()] if {*code.tools} - {TOOL, DEBUG} else []
        several = [_of_lanes(lanes)] if lanes else []
        return (*_parts(count), *matrices, *tools, *several)


def _parts(count: int) -> list[LoadedObject]:
    """Unoptimised: almost all time is spent in kernels."""
    found: list[LoadedObject] = []
    for name in _PARTS[:count]:
        if name not in _loaded:
            _loaded[name] = load_object(compiled(partial(_text, name), Tier.BASE, "library", name), found)
        found.append(_loaded[name])
    return found


def _text(name: str) -> str:
    from ptxgen.cpu.rt import library

    return library.library_text(getattr(library, name))


def _of_lanes(lanes: int) -> LoadedObject:
    """The functions of code that runs several lanes at once."""
    if "LANES" not in _loaded:
        code = compiled(partial(_lanes_text, lanes), Tier.FAST, "library", "LANES")
        _loaded["LANES"] = load_object(code, _parts(1))
    return _loaded["LANES"]


def _lanes_text(lanes: int) -> str:
    from ptxgen.cpu.rt.lanes import functions
    from ptxgen.cpu.rt.library import library_text

    return library_text(functions(lanes))


def sanitizer() -> LoadedObject:
    """The functions of sanitized kernels."""
    return _of_tool("SANITIZER", _sanitizer_text)


def profiler() -> LoadedObject:
    """The functions of kernels that count."""
    return _of_tool("PROFILER", _profiler_text)


def debugger() -> LoadedObject:
    """The function of kernels that pause."""
    return _of_tool("DEBUGGER", _debugger_text)


def _of_tool(name: str, write: Callable[[], str]) -> LoadedObject:
    """Optimised: every access calls one."""
    with building:
        if name not in _loaded:
            _loaded[name] = load_object(compiled(write, Tier.FAST, "library", name))
        return _loaded[name]


def _sanitizer_text() -> str:
    from ptxgen.cpu.rt.library import library_text
    from ptxgen.cpu.sanitizer.runtime import SANITIZER

    return library_text(SANITIZER)


def _profiler_text() -> str:
    from ptxgen.cpu.profiler.runtime import PROFILER
    from ptxgen.cpu.rt.library import library_text

    return library_text(PROFILER)


def _debugger_text() -> str:
    from ptxgen.cpu.debugger.runtime import DEBUGGER
    from ptxgen.cpu.rt.library import library_text

    return library_text(DEBUGGER)


def _matrix(name: str, *, fused: bool) -> LoadedObject:
    """The function of a matrix instruction. Optimised: a kernel spends most of its time in them."""
    key = f"{name} fused" if fused else name
    if key not in _loaded:
        _loaded[key] = load_object(compiled(partial(_matrix_text, name, fused=fused), Tier.FAST, "library", key))
    return _loaded[key]


def _matrix_text(name: str, *, fused: bool) -> str:
    from ptxgen.cpu.rt.matrix.functions import library_text

    return library_text(name, fused=fused)


def warm_up() -> None:
    """Starts compiling what every launch needs in the background, once: LLVM works while Python lowers the first module.
    Raises UnsupportedError without llvmlite.

    The thread is not a daemon: a process that ends meanwhile waits for it, since LLVM must not be torn down at work.
    """
    require()
    try:
        _cold.pop()
    except IndexError:
        return
    if left_behind(Tier.BASE, "library", _PARTS[0]) is None:
        _text(_PARTS[0])  # for its imports: pytest parses what it imports, which Python 3.11 cannot do in two threads
    from threading import Thread

    Thread(target=_warm_up, name="ptxgen-cpu-runtime").start()


def _warm_up() -> None:
    compiler()  # a kernel follows that must be compiled, even where the library need not
    with building:
        _parts(1)
