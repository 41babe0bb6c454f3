"""From programs to loaded code, each step found again where it was done before: in memory, on disk, on the device."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from driver_ctypes import CubinCache, Parameter, Signature, max_active_blocks
from driver_ctypes.errors import CudaError
from ptxgen.device.loading import GRID_BARRIER
from ptxgen.runtime import keys
from ptxgen.runtime.code import disk
from ptxgen.runtime.code.caches import CountedCache, ValidationCache
from ptxgen.runtime.environment import flag
from ptxgen.runtime.errors import BackendError, ValidationError, translated
from ptxgen.runtime.memory.turns import Turns
from ptxgen.runtime.programs.plans import plan_dispatch
from ptxgen.runtime.programs.program import PARAMS

if TYPE_CHECKING:
    from driver_ctypes import Context, Function, Module
    from ptxgen.runtime.capabilities import Capabilities
    from ptxgen.runtime.memory.leases import LaunchResources
    from ptxgen.runtime.programs.plans import DispatchConfig
    from ptxgen.runtime.programs.program import Program
    from ptxgen.runtime.programs.splitting import Parts

__all__ = ["Compiler", "Loaded"]

SOURCES, SOURCES_KEPT, SOURCE_BYTES = 512, 256, 256 << 20
MODULES, MODULES_KEPT = 2048, 1024


class Loaded(NamedTuple):
    """A program's code on the device: its kernels in the order in which a dispatch launches them, one but for a split
    program. `barrier`: (address, bytes) of its grid barrier's counter, for which dispatches take `turns`."""

    module: Module
    functions: tuple[Function, ...]
    barrier: tuple[int, int] | None
    turns: Turns | None


class Compiler:
    """The caches of programs of one backend, and what fills them."""

    def __init__(
        self, context: Context, capabilities: Capabilities, target: str, resources: LaunchResources, backend: str
    ) -> None:
        self._context, self.capabilities, self.target = context, capabilities, target
        self._resources, self._backend = resources, backend
        self.sources: CountedCache[str] = CountedCache(SOURCES, SOURCES_KEPT, SOURCE_BYTES)
        self.modules: CountedCache[Loaded] = CountedCache(MODULES, MODULES_KEPT)  # pipelines keep what they use alive
        self.validation = ValidationCache()
        self.disk = disk.DiskCache(disk.ptx_source_cache_dir()) if flag("PTXGEN_CACHE", True) else None
        own = os.environ.get("PTXGEN_PTX_CACHE_DIR") is not None
        self._cubins = CubinCache(disk.ptx_disk_cache_dir()) if own else None
        self._audit = flag("PTXGEN_PROGRAM_AUDIT", False)
        self._parts: dict[str, Parts] = {}
        self._occupancy: dict[tuple[Function, int], int | None] = {}

    def validate(self, program: Program, config: DispatchConfig) -> None:
        """Check a program and a configuration against the device, once each (`PTXGEN_VALIDATE_DISPATCH=0`: never). Where the
        program's counts are open, they are checked by each dispatch."""
        if not flag("PTXGEN_VALIDATE_DISPATCH", True):
            return
        some = [(b.elements or 1) * b.size for b in program.bindings if b.takes_input]
        told = config.element_count is not None or any(some)
        checked = config if told else config._replace(element_count=1)
        self.validation.check(
            (program.key, config), lambda: _void(plan_dispatch(program, checked, self.capabilities, some))
        )

    # --- PTX ----------------------------------------------------------------------------------------------------------

    def source_key(self, program: Program, config: DispatchConfig) -> str:
        """The key of a program's PTX."""
        policy = f"cooperative={config.cooperative}"
        capabilities = self.capabilities
        return keys.source_key(program.key, self.target, capabilities.warp_size, policy, capabilities.features)

    def ptx_for(self, program: Program, config: DispatchConfig) -> tuple[str, str]:
        """(PTX, its key): from memory, from disk, or built now."""
        key = self.source_key(program, config)
        text = self.sources.get(key)
        if text is not None:
            return text, key
        stored = self.disk if program.portable else None
        text = stored.get(key) if stored is not None else None
        if text is None:
            text = program.ptx(self.target)
            if self._audit:
                audit(program.name, text)
            if stored is not None:
                stored.put(key, text)
        elif self._audit:
            audit(program.name, text)
        return self.sources.put(key, text, len(text)), key

    # --- code ---------------------------------------------------------------------------------------------------------

    def module_key(self, source_key: str) -> str:
        """The key of the code of PTX with that key."""
        return keys.module_key(keys.SOURCE_DOMAIN, source_key, self.capabilities.compute_capability)

    def load(self, ptx: str, key: str, names: tuple[str, ...], pointers: int) -> Loaded:
        """The loaded kernels *names* of PTX text, each with so many pointer parameters; loaded once. KernelCompileError."""
        known = self.modules.get(key)
        if known is not None and not known.module.closed:
            return known
        rows = [Parameter(f"binding_{n}", "pointer") for n in range(pointers - 1)] + [Parameter(PARAMS, "pointer")]
        signature = Signature(tuple(rows))
        try:
            with translated(f"loading {names[0]}", self._backend):
                module = self._context.load(ptx, signatures=dict.fromkeys(names, signature), cache=self._cubins)
                functions = tuple([module.function(name) for name in names])
                barrier = module.global_(GRID_BARRIER) if GRID_BARRIER in ptx else None
                turns = Turns(self._resources) if barrier is not None else None
        except BackendError:
            disk.dump(ptx, key, failed=True)
            raise
        disk.dump(ptx, key, failed=False)
        return self.modules.put(key, Loaded(module, functions, barrier, turns))

    def load_ptx(self, ptx: str, name: str, pointers: int) -> Loaded:
        """The same for PTX that is at hand as text: its key is the text's own."""
        key = keys.module_key(keys.RAW_PTX_DOMAIN, ptx, self.capabilities.compute_capability)
        return self.load(ptx, key, (name,), pointers)

    def load_parts(self, program: Program) -> tuple[Loaded, int]:
        """(the loaded parts of a program that is cut at its grid barriers, bytes of scratch for each thread). SplitError where
        it cannot be cut."""
        from ptxgen.runtime.programs.splitting import split

        parts = self._parts.get(program.key)
        if parts is None:
            parts = self._parts[program.key] = split(program, self.target)
            if self._audit:
                audit(program.name, parts.ptx)
        key = keys.module_key(keys.RAW_PTX_DOMAIN, parts.ptx, self.capabilities.compute_capability)
        return self.load(parts.ptx, key, parts.names, len(program.pointers) + 2), parts.bytes_per_thread

    def resident_blocks(self, function: Function, threads: int) -> int | None:
        """CTAs of so many threads that are resident on a multiprocessor; None where the driver does not tell."""
        key = function, threads
        if key not in self._occupancy:
            try:
                self._occupancy[key] = max_active_blocks(function, threads)
            except CudaError:
                self._occupancy[key] = None
        return self._occupancy[key]

    def clear(self) -> None:
        """Drop PTX and what was validated, and unload all code."""
        self.sources.clear()
        loaded = self.modules.values()
        self.modules.clear()
        self._parts.clear()
        self._occupancy.clear()
        for entry in loaded:
            entry.module.close()
            if entry.turns is not None:
                entry.turns.close()
        self.validation.clear()


def audit(name: str, text: str) -> None:
    """ValidationError where the verifier has anything to say about PTX, warnings too."""
    from ptxgen.check import verify
    from ptxgen.errors import PtxSyntaxError
    from ptxgen.text import parse

    try:
        findings = verify(parse(text, name=name))
    except PtxSyntaxError as error:
        findings = list(error.diagnostics)
    if findings:
        raise ValidationError(
            f"the PTX of program {name} does not pass the audit:\n" + "\n".join(map(str, findings)),
            fix="correct the program; where it came from a cache, remove the file; or unset PTXGEN_PROGRAM_AUDIT",
        )


def _void(_: object) -> None:
    """For a call whose answer is only whether it raises."""
