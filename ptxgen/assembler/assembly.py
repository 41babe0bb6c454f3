"""PTX to cubin: pick a tool, run it out of harm's way, make its log into diagnostics."""

from __future__ import annotations

import os
import re
from functools import partial
from typing import TYPE_CHECKING

from ptxgen.assembler import nvjitlink, ptxas
from ptxgen.assembler.choice import is_loaded_by, numbers, takes_version
from ptxgen.assembler.driver import driver_version
from ptxgen.assembler.log import parse_log
from ptxgen.assembler.pool import WorkerDied, WorkerHung, cpu_count
from ptxgen.assembler.tools import Assembler, assemblers, candidates, in_order, probe
from ptxgen.errors import AssembleError, Diagnostic
from ptxgen.executors import in_pieces, size_of_pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from concurrent.futures import Executor
    from typing import TypeAlias

    from ptxgen.ir import Module
    from ptxgen.text.validate import Buildable

    Item: TypeAlias = str | bytes | tuple[str | bytes, str | None]

__all__ = ["Assembled", "AssemblerCrashed", "AssemblerMissing", "assemble", "assemble_many"]

TIME_LIMIT = 60.0  # seconds for one program; the largest in use, 4,000 lines of attention, takes half a second

_FIRST_LINES = 1 << 16  # characters in which .version stands
_NO_CACHE_SINCE = (12, 6)  # before, nvJitLink knows no such option
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TARGET = re.compile(r"(?<!\S)\.target\s+(sm_\w+)")
_VERSION = re.compile(r"(?<!\S)\.version\s+(\d+\.\d+)")
_TARGET_NAME = re.compile(r"sm_\d+[af]?")


class Assembled:
    """A cubin, and what the tool said on the way: `messages` are warnings (PTX630: what it gave up) and information, `log` is
    the text itself."""

    __slots__ = ("cubin", "log", "messages", "target", "tool", "version")

    def __init__(self, cubin: bytes, log: str, messages: tuple[Diagnostic, ...], tool: Assembler, target: str) -> None:
        self.cubin: bytes = cubin
        self.log: str = log
        self.messages: tuple[Diagnostic, ...] = messages
        self.tool: str = tool.name
        self.version: str = tool.version
        self.target: str = target

    def __repr__(self) -> str:
        return f"<cubin for {self.target}: {len(self.cubin)} bytes, {self.tool} {self.version}>"


class AssemblerMissing(AssembleError):
    """No assembler on this machine, or none that knows the target. The message lists what was found."""


class AssemblerCrashed(AssembleError):
    """The assembler itself crashed, or gave no answer in time, on this program; later programs are not affected."""


def assemble(
    ptx: str | bytes | Module | Buildable,
    target: str | None = None,
    *,
    options: Sequence[str] = (),
    tool: str | Assembler = "auto",
    time_limit: float = TIME_LIMIT,
    name: str = "module.ptx",
    verbose: bool = False,
) -> Assembled:
    """Assemble a program (PTX text, a module, or a kernel) for `target` (the module's own `.target` if None).

    `tool` is "auto" (the first of `assemblers()` that knows the target and the PTX version: ptxas where there is one, which
    assembles the program as a whole), "ptxas", "nvjitlink", the path of one, or an `Assembler`. `options` go to the tool as
    they are, like "-O0" or "-lineinfo". `time_limit` is in seconds. `name` is what messages call the program. `verbose` asks the
    tool to say in its log what each function uses: registers, spills, stack, shared memory (`driver_ctypes.cubin_resources`
    reads it and the cubin).

    Raises AssembleError with the log and every message, each with its PTX line, and where the tool places dynamic shared memory
    off its declared alignment, as nvJitLink before 13.1 does; AssemblerCrashed; AssemblerMissing.
    """
    if not isinstance(ptx, (str, bytes)):
        from ptxgen.text.printer import print_module
        from ptxgen.text.validate import as_module

        ptx = print_module(as_module(ptx, "assemble", target))
    text, data = _both(ptx)
    target = _target(text, name) if target is None else _checked_target(str(target))
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise AssembleError(f"{name}:{line} has a NUL character: assemblers stop reading there")
    chosen = _choose(tool, target, text)
    run = nvjitlink.run if chosen.name == "nvjitlink" else ptxas.run
    options = (*options, *_verbose(chosen)) if verbose else tuple(options)
    try:
        cubin, log = run(chosen.path, data, target, options, name, time_limit)
    except WorkerDied as death:
        raise AssemblerCrashed(
            f"{chosen} crashed on {name} for {target} ({death.cause})", log=death.stderr, hint=_OTHER_TOOL
        ) from None
    except WorkerHung:
        raise AssemblerCrashed(
            f"{chosen} gave no answer on {name} for {target} in {time_limit:g} s",
            hint=f"a larger time_limit if the program is large; else {_OTHER_TOOL}",
        ) from None
    whole = chosen.name == "ptxas" and not {"-c", "--compile-only"} & set(options)
    messages = parse_log(log, text, name, whole=whole)
    if not cubin:
        errors = sum(message.is_error for message in messages)
        count = f"{errors} error{'s' * (errors != 1)}"
        raise AssembleError(f"{chosen} refused {name} for {target}: {count}", messages, log=log)
    _check_placed(cubin, text, chosen, name)
    return Assembled(cubin, log, (*messages, *_not_loaded(chosen)), chosen, target)


def _check_placed(cubin: bytes, text: str, tool: Assembler, name: str) -> None:
    """AssembleError for a cubin that would fault, or read the wrong tile."""
    if ".extern" not in text or ".shared" not in text:
        return
    from driver_ctypes.modules.cubin import misplaced_shared

    for kernel, (begin, alignment) in misplaced_shared(cubin, text).items():
        raise AssembleError(
            f"{tool} placed the dynamic shared memory of {kernel} ({name}) {begin} bytes behind the start of shared memory, "
            f"where the program declares .align {alignment}",
            hint="ptxas (pip install nvidia-cuda-nvcc), or nvidia-nvjitlink 13.1 or newer",
        )


def _not_loaded(tool: Assembler) -> tuple[Diagnostic, ...]:
    """A warning where this machine's driver does not load what the tool makes."""
    driver = driver_version()
    if driver is None or is_loaded_by(numbers(tool.version), driver):
        return ()
    said = f"this machine's driver is of CUDA {driver[0]}.{driver[1]} and does not load cubins of {tool}"
    return (Diagnostic("assembler", said, severity="warning", hint=f"a ptxas of CUDA {driver[0]}, or a newer driver"),)


def _verbose(tool: Assembler) -> tuple[str, ...]:
    """The options that make a tool say what each function uses. nvJitLink writes no log for what it finds in its cache."""
    if tool.name == "ptxas":
        return ("-v",)
    cached = numbers(tool.version) >= _NO_CACHE_SINCE
    return ("-Xptxas=-v", "-no-cache") if cached else ("-Xptxas=-v",)


_OTHER_TOOL = "cut the program down to find what it trips over, or use another version of the tool (tool=...)"


def assemble_many(
    items: Iterable[Item],
    *,
    jobs: int | None = None,
    options: Sequence[str] = (),
    tool: str | Assembler = "auto",
    time_limit: float = TIME_LIMIT,
    executor: Executor | None = None,
) -> list[Assembled | AssembleError]:
    """Assemble programs, or (program, target) pairs, in parallel: for each, in order, its cubin or its error.

    One program's crash costs only that program. `jobs` is the number of processes (default: one a processor); with an
    `executor`, of whatever machines, its workers assemble. Raises AssemblerMissing if there is no such tool at all, and
    WorkLostError where an executor's workers did not come back.
    """
    from concurrent.futures import ThreadPoolExecutor  # dear, and only batches need it

    if not any(found.available for found in _matching(tool)):
        raise _none_for(tool, None)
    one = partial(_assembled_pieces, options, tool, time_limit)
    numbered = list(enumerate(items))
    if executor is not None:
        told = dict(in_pieces(executor, one, numbered, size=size_of_pieces(executor)))
    else:
        with ThreadPoolExecutor(max(1, min(jobs or cpu_count(), cpu_count()))) as threads:
            told = dict(in_pieces(threads, one, numbered, size=1))
    return [told[each] for each in numbered]


def _assembled_pieces(
    options: Sequence[str], tool: str | Assembler, time_limit: float, items: list[tuple[int, Item]]
) -> list[Assembled | AssembleError]:
    """What each of these became, in whatever process an executor has."""
    found: list[Assembled | AssembleError] = []
    for _, item in items:
        ptx, target = item if isinstance(item, tuple) else (item, None)
        try:
            found.append(assemble(ptx, target, options=options, tool=tool, time_limit=time_limit))
        except AssembleError as error:
            found.append(error)
    return found


def _both(ptx: str | bytes) -> tuple[str, bytes]:
    """The program as text, for messages, and as bytes, for the tool."""
    if isinstance(ptx, str):
        return ptx, ptx.encode()
    return ptx.decode(errors="replace"), ptx


def _target(text: str, name: str) -> str:
    """The module's own target."""
    found = _TARGET.search(_COMMENT.sub(" ", text))
    if found is None:
        raise AssembleError(f"{name} has no .target directive", hint="write one, or pass target=")
    return found[1]


def _checked_target(target: str) -> str:
    if not _TARGET_NAME.fullmatch(target):
        raise AssembleError(f"target {target!r} is not a target name: expected something like 'sm_80' or 'sm_90a'")
    return target


def _choose(tool: str | Assembler, target: str, text: str) -> Assembler:
    """The first usable tool that knows the target and the PTX version; else one that knows the target, which says the rest."""
    stated = _VERSION.search(_COMMENT.sub(" ", text[:_FIRST_LINES]))
    version = numbers(stated[1]) if stated else ()
    second = None
    for found in _matching(tool):
        if found.available and target in found.targets:
            if takes_version(numbers(found.version), version):
                return found
            second = second or found
    if second is not None:
        return second
    raise _none_for(tool, target)


def _matching(tool: str | Assembler) -> Iterable[Assembler]:
    if isinstance(tool, Assembler):
        return [tool]
    if tool in ("auto", "nvjitlink", "ptxas"):
        probed = (probe(name, path) for name, path in candidates() if tool in ("auto", name))
        return in_order(probed, driver_version())
    if os.sep in tool or "nvJitLink" in tool:  # a library may be listed by the name that the loader finds it by
        return [probe("nvjitlink" if "nvJitLink" in os.path.basename(tool) else "ptxas", tool)]
    raise AssembleError(f"no assembler is called {tool!r}: expected 'auto', 'ptxas', 'nvjitlink' or a path")


def _none_for(tool: str | Assembler, target: str | None) -> AssemblerMissing:
    """Why nothing fits: what there is, and what each takes."""
    asked = tool if isinstance(tool, str) else tool.name
    found = list(_matching(tool)) if isinstance(tool, Assembler) or os.sep in asked else list(assemblers())
    if asked in ("nvjitlink", "ptxas"):
        found = [each for each in found if each.name == asked]
    usable = [each for each in found if each.available]
    lines = [f"{each}: {_ranges(each.targets)}" for each in usable]
    lines += [f"{each.name}{' at ' * bool(each.path)}{each.path}: {each.reason}" for each in found if each.reason]
    if usable:
        wish, hint = f"no assembler here knows {target}", "another target, or another version of the tool"
    else:
        wish, hint = "no assembler can be used here", "pip install nvidia-nvjitlink, or nvidia-cuda-nvcc for ptxas"
    return AssemblerMissing("\n  ".join([wish, *lines]), hint=hint)


def _ranges(targets: Sequence[str]) -> str:
    """ "sm_75, sm_80, sm_90 (a), sm_100 (a f)"."""
    suffixes: dict[str, list[str]] = {}
    for target in targets:
        base = target.rstrip("af")
        suffixes.setdefault(base, []).extend([target[len(base) :]] if target != base else [])
    return ", ".join(base + (f" ({' '.join(more)})" if more else "") for base, more in suffixes.items())
