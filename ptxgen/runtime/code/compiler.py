"""From programs to loaded code, each step cached: in memory, on disk, on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from driver_ctypes.arguments.parameter import Parameter
from driver_ctypes.arguments.signature import Signature
from driver_ctypes.errors import CudaError
from driver_ctypes.launch.occupancy import max_active_blocks
from driver_ctypes.launch.preparing import prepare_launchers, preparing
from driver_ctypes.primitives import start_new_thread
from driver_ctypes.trampoline.choice import is_decided
from ptxgen.host.checks import CHECKS, watch_checks
from ptxgen.host.loading import GRID_BARRIER
from ptxgen.runtime import keys
from ptxgen.runtime.code import disk
from ptxgen.runtime.code.caches import CountedCache, ValidationCache
from ptxgen.runtime.code.toolchain import toolchain
from ptxgen.runtime.environment import flag
from ptxgen.runtime.errors import BackendError, ValidationError, translated
from ptxgen.runtime.memory.stream_order import StreamOrder
from ptxgen.runtime.programs.plans import plan_dispatch
from ptxgen.runtime.programs.program import PARAMS
from ptxgen.text import parse

if TYPE_CHECKING:
    from driver_ctypes.contexts.context import Context
    from driver_ctypes.modules.module import Function, Module
    from ptxgen.runtime.capabilities import Capabilities
    from ptxgen.runtime.memory.leases import LaunchResources
    from ptxgen.runtime.programs.plans import DispatchConfig
    from ptxgen.runtime.programs.program import Built, Program
    from ptxgen.runtime.programs.splitting import Parts

__all__ = ["Compiler", "Loaded", "ProgramSource"]

SOURCES, SOURCES_KEPT, SOURCE_BYTES = 512, 256, 256 << 20
MODULES, MODULES_KEPT = 2048, 1024


class Loaded(NamedTuple):
    """A program's code on the device: its kernels in the order in which a dispatch launches them, one except for a split
    program. `barrier`: (address, bytes) of its grid barrier's counter, which dispatches use in `stream_order`."""

    module: Module
    functions: tuple[Function, ...]
    barrier: tuple[int, int] | None
    stream_order: StreamOrder | None


class ProgramSource(NamedTuple):
    """A program as PTX, with its key; `stored` is that of the entry on disk, where it comes from there."""

    built: Built
    key: str
    stored: str | None = None


class Compiler:
    """The caches of programs of one backend, and what fills them."""

    def __init__(
        self, context: Context, capabilities: Capabilities, target: str, resources: LaunchResources, backend: str
    ) -> None:
        self._context, self.capabilities, self.target = context, capabilities, target
        self._resources, self._backend = resources, backend
        self.sources: CountedCache[ProgramSource] = CountedCache(SOURCES, SOURCES_KEPT, SOURCE_BYTES)
        self.modules: CountedCache[Loaded] = CountedCache(MODULES, MODULES_KEPT)  # pipelines keep what they use alive
        self.validation = ValidationCache()
        self.disk = disk.source_store()
        self._cubins = disk.cubin_store()
        self._audit = flag("PTXGEN_PROGRAM_AUDIT", False)
        self._parts: dict[str, Parts] = {}
        self._occupancy: dict[tuple[Function, int], int | None] = {}

    def validate(self, program: Program, config: DispatchConfig) -> None:
        """Check a program and a configuration against the device, once each (`PTXGEN_VALIDATE_DISPATCH=0`: never). Where the
        program's counts are open, they are checked by each dispatch."""
        if not flag("PTXGEN_VALIDATE_DISPATCH", True):
            return
        some = [(b.elements or 1) * b.size for b in program.bindings if b.takes_input]
        counted = config.element_count is not None or any(some)
        checked = config if counted else config._replace(element_count=1)
        self.validation.check(
            (program.interface, config), lambda: _void(plan_dispatch(program, checked, self.capabilities, some))
        )

    # --- PTX ----------------------------------------------------------------------------------------------------------

    def _source_key(self, known: str, config: DispatchConfig) -> str:
        policy, caps = f"cooperative={config.cooperative}", self.capabilities
        return keys.source_key(known, self.target, caps.warp_size, policy, caps.features)

    def source_for(self, program: Program, config: DispatchConfig) -> ProgramSource:
        """A program's PTX: from memory, from disk, or built now. If the program's content cannot be determined, it is always
        built, and its text is its key; so too where it changed while it was built."""
        known = program.key
        if known is None:
            return self._built(program, config)
        key = self._source_key(known, config)
        source = self.sources.get(key)
        if source is not None:
            return source
        stored, stamp = (self.disk, toolchain()) if self.disk is not None else (None, None)
        name = keys.digest("ptxgen-stored.v1", key, stamp)
        found = stored.find(name) if stored is not None and stamp is not None else None
        if found is not None:
            if self._audit:
                audit(program.name, found.ptx)
            source = ProgramSource(found, key, name)
        else:
            made = self._built(program, config)
            if program.key != known:
                return made
            if stored is not None and stamp is not None and toolchain() == stamp:
                stored.keep(name, made.built)
            source = ProgramSource(made.built, key)
        return self.sources.put(key, source, len(source.built.ptx))

    def _built(self, program: Program, config: DispatchConfig) -> ProgramSource:
        built = program.build(self.target)
        if self._audit:
            audit(program.name, built.ptx)
        return ProgramSource(built, self._source_key(keys.digest(keys.RAW_PTX_DOMAIN, built.ptx, built.reach), config))

    def rebuild(self, program: Program, config: DispatchConfig, source: ProgramSource) -> ProgramSource:
        """Drop what was found on disk, and build it. For what the driver refuses though the entry is whole."""
        if self.disk is not None and source.stored is not None:
            self.disk.reject(source.stored)
        self.sources.drop(source.key)
        return self.source_for(program, config)

    # --- code ---------------------------------------------------------------------------------------------------------

    def module_key(self, ptx: str) -> str:
        """The key of the code of PTX."""
        return keys.module_key(ptx, self.capabilities.compute_capability)

    def load(self, ptx: str, names: tuple[str, ...], pointers: int, key: str | None = None) -> Loaded:
        """The loaded kernels *names* of PTX text, each with so many pointer parameters; loaded once. *key* is `module_key`'s,
        where it is known. KernelCompileError."""
        key = key or self.module_key(ptx)
        known = self.modules.get(key)
        if known is not None and not known.module.closed:
            return known
        rows = [Parameter(f"binding_{n}", "pointer") for n in range(pointers - 1)] + [Parameter(PARAMS, "pointer")]
        signature = Signature(tuple(rows))
        if (
            self.capabilities.driver != "cpu" and not is_decided()
        ):  # a GPU's driver compiles meanwhile, without Python's lock
            start_new_thread(_prepare, (signature,))
        try:
            with translated(f"loading {names[0]}", self._backend):
                module = self._context.load(ptx, signatures=dict.fromkeys(names, signature), cache=self._cubins)
                functions = tuple([module.function(name) for name in names])
                if CHECKS in ptx:
                    watch_checks(self._context, parse(ptx, names[0]), module)
                barrier = module.global_(GRID_BARRIER) if GRID_BARRIER in ptx else None
                order = StreamOrder(self._resources) if barrier is not None else None
        except BackendError:
            disk.dump(ptx, key, failed=True)
            raise
        disk.dump(ptx, key, failed=False)
        return self.modules.put(key, Loaded(module, functions, barrier, order))

    def load_parts(self, program: Program, whole: str) -> tuple[Loaded, int]:
        """(the loaded parts of a program that is cut at its grid barriers, bytes of scratch for each thread). SplitError where
        it cannot be cut, or is no longer the *whole* PTX that was compiled."""
        from ptxgen.runtime.programs.splitting import split

        parts = self._parts.get(whole)
        if parts is None:
            parts = self._parts[whole] = split(program, self.target, whole)
            if self._audit:
                audit(program.name, parts.ptx)
        return self.load(parts.ptx, parts.names, len(program.pointers) + 2), parts.bytes_per_thread

    def resident_blocks(self, function: Function, threads: int) -> int | None:
        """CTAs of so many threads that are resident on a multiprocessor; None if the driver does not report them."""
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
            if entry.stream_order is not None:
                entry.stream_order.close()
        self.validation.clear()


def audit(name: str, text: str) -> None:
    """ValidationError where the verifier has anything to say about PTX, warnings too."""
    from ptxgen.errors import PtxSyntaxError
    from ptxgen.text import parse
    from ptxgen.verifier import verify

    try:
        findings = verify(parse(text, name=name))
    except PtxSyntaxError as error:
        findings = list(error.diagnostics)
    if findings:
        raise ValidationError(
            f"the PTX of program {name} does not pass the audit:\n" + "\n".join(map(str, findings)),
            fix="correct the program; or unset PTXGEN_PROGRAM_AUDIT",
        )


def _void(_: object) -> None:
    """For a call whose answer is only whether it raises."""


def _prepare(signature: Signature) -> None:
    with preparing:
        prepare_launchers((signature,))
