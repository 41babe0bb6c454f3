"""`tune`: the fastest configuration of a kernel for each class of shapes, measured on the device and kept for later processes."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from driver_ctypes.errors import Error
from ptxgen.builder import Kernel
from ptxgen.host import device as device_named
from ptxgen.isa.targets import find_target
from ptxgen.kernels.choices import forget
from ptxgen.kernels.space import Space, as_shape
from ptxgen.kernels.tunable import Trial
from ptxgen.kernels.winners import (
    Winner,
    class_text,
    fixed_text,
    identity_of,
    keep_winner,
    kept_winner,
    program_digest,
    winner_store,
)
from ptxgen.tuning.assembly import assemble_all, load_all, pool_of
from ptxgen.tuning.candidates import (
    Candidate,
    Models,
    Programs,
    build_all,
    drop_by_cost,
    drop_by_rules,
    left,
    make_builder,
    reason_of,
)
from ptxgen.tuning.errors import TuneError
from ptxgen.tuning.race import race
from ptxgen.tuning.results import ClassResult, Progress, TuneResult
from ptxgen.tuning.timing import DeviceTimer, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Executor

    from driver_ctypes.caches.code import CodeStore
    from driver_ctypes.contexts.context import Stream
    from ptxgen.host import Device
    from ptxgen.kernels.space import Config, Shape, ShapeClass
    from ptxgen.kernels.tunable import Prepared
    from ptxgen.tuning.assembly import Verdict

    Clock = Callable[[Work], float]
    Make = Callable[[Device, Shape], Prepared]

__all__ = ["tune"]


def tune(
    kernel: Kernel,
    space: Space,
    *,
    make: Make,
    shapes: Iterable[Any],
    device: str | Device | None = None,
    build: Callable[[Config], Any] | None = None,
    shared: Any = 0,
    threads: Any = None,
    registers: Any = None,
    cost: Any = None,
    keep: int | None = None,
    spills: int | None = 0,
    rounds: int = 9,
    cache: Literal["cold", "warm"] = "cold",
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
    again: bool = False,
    store: CodeStore | Literal["user"] | None = "user",
    clock: Clock | None = None,
) -> TuneResult:
    """The fastest configuration of *kernel* in *space* for each class of *shapes*.

    `make(device, shape)` prepares the inputs, once for a shape, and returns a function from a `Config` to what is timed: a
    function that launches the work once, or a `Trial` with several of them and a check of the result. `config.kernel` is the
    kernel built with the configuration. Work goes to the device's current stream. `build` makes the kernel of a configuration
    where the axes are not its compile-time parameters.

    Before anything is assembled candidates are dropped by rules, which name what they ask for as those of the space do: `shared`
    (bytes of dynamic shared memory), `threads` of a CTA where the kernel does not state them, `registers` of a thread;
    with `cost`, only the `keep` cheapest stay. After it, those with more than `spills` bytes of spills (None: any) and
    those of which no CTA fits. `executor` runs the assembler. `rounds`, `cache` and `clock` are about time: see `timing` and
    `race`.

    A winner that an earlier call kept is taken without measuring, unless *again*. `store` None keeps none. Raises TuneError where
    nothing is left, or a candidate has lost the device; winners of earlier classes are kept then, and after an interrupt.
    """
    _check(kernel, space, rounds, keep, cost, cache)
    dev = device_named(device)
    if dev.current_stream.active_capture is not None:
        raise TuneError("tuning inside a capture", hint="tune before the capture; a kernel's choice is looked up in it")
    groups: dict[ShapeClass, list[Shape]] = {}
    if not hasattr(shapes, "__iter__"):
        raise TuneError(f"shapes is {shapes!r:.60}", hint="shapes=[(4096, 4096), ...]")
    for each in shapes:
        shape = as_shape(each)
        group = groups.setdefault(space.class_of(shape), [])
        group += [shape] if shape not in group else []
    if not groups:
        raise TuneError("no shapes to tune for", hint="shapes=[(4096, 4096), ...]")
    models = Models.of(space, shared=shared, threads=threads, registers=registers, cost=cost)
    kept = winner_store() if store == "user" else store
    builder = make_builder(kernel, space, build)
    search = _Search(kernel, space, models, builder, dev, kept, _Settings(keep, spills, rounds, cache), progress)
    found = []
    with pool_of(executor) as pool:
        for shape_class, group in groups.items():
            known = None if again else search.known(shape_class, group)
            found.append(known or search.measured(shape_class, group, pool, make, clock))
    name = f"{kernel.__name__} {fixed_text(kernel.fixed)}".rstrip()
    return TuneResult(name, f"{dev.name} ({dev.handle.name})", tuple(found))


def _check(kernel: Any, space: Any, rounds: int, keep: int | None, cost: Any, cache: str) -> None:
    if not isinstance(kernel, Kernel):
        raise TuneError(f"tune takes a kernel, not {kernel!r:.60}", hint="@px.kernel makes one")
    if not isinstance(space, Space):
        raise TuneError(f"tune takes a space, not {space!r:.60}", hint="px.Space(threads=(128, 256))")
    if type(rounds) is not int or rounds < 1:
        raise TuneError(f"rounds={rounds!r}: at least one")
    if (keep is None) != (cost is None):
        raise TuneError("keep and cost belong together", hint="cost=lambda ...: a number, and keep=16 of the cheapest")
    if keep is not None and keep < 1:
        raise TuneError(f"keep={keep!r}: at least one")
    if cache not in ("cold", "warm"):
        raise TuneError(f"cache={cache!r}", hint='"cold" or "warm"')


class _Settings(NamedTuple):
    keep: int | None
    spills: int | None
    rounds: int
    cache: str


class _Search:
    """One call of `tune`."""

    def __init__(
        self,
        kernel: Kernel,
        space: Space,
        models: Models,
        builder: Callable[[Config], Any],
        device: Device,
        store: CodeStore | None,
        settings: _Settings,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.kernel, self.space, self.models = kernel, space, models
        self.device, self.store, self.settings, self.progress = device, store, settings, progress
        self.target = find_target(device.target)
        self.programs = Programs(builder, self.target)
        self.verdicts: dict[str, Verdict] = {}

    def known(self, shape_class: ShapeClass, shapes: list[Shape]) -> ClassResult | None:
        """What an earlier call kept for the class, where the space allows it for all the shapes, and the program is still the one
        that was measured: what the kernel calls may have changed."""
        if self.store is None:
            return None
        fixed, text = fixed_text(self.kernel.fixed), class_text(shape_class)
        kept = kept_winner(self.store, self.kernel, fixed, text, identity_of(self.device))
        if kept is None or any(self.space.refusal(kept.config, shape, self.target) for shape in shapes):
            return None
        config = self.space.decode(kept.config)
        if config is None or program_digest(self.programs(config).text) != kept.program:
            return None
        return ClassResult(shape_class, tuple(shapes), config, (), "kept")

    def measured(
        self, shape_class: ShapeClass, shapes: list[Shape], pool: Executor, make: Make, clock: Clock | None
    ) -> ClassResult:
        """The class's candidates, all the way; the winner is kept."""

        def tell(stage: str, done: int, total: int, *, config: str = "", best: str = "") -> None:
            if self.progress is not None:
                self.progress(Progress(shape_class, stage, done, total, config, best))

        survey = self.space.survey(shapes, self.target)
        if not survey.configs:
            raise TuneError(f"the space is empty for {shapes}\n{survey}", hint="relax the rule that removes the most")
        candidates = [Candidate(config) for config in survey.configs]
        drop_by_rules(candidates, self.models, shapes, self.target)
        drop_by_cost(candidates, self.models, self.settings.keep, shapes, self.target)
        total = len(left(candidates))

        def built() -> Iterator[Candidate]:
            for number, each in enumerate(build_all(candidates, self.programs, self.target)):
                tell("build", number + 1, total)
                yield each

        spills, assembling = self.settings.spills, partial(tell, "assemble")
        who = assemble_all(built(), self.verdicts, self.target, pool, spills, assembling)
        load_all(left(candidates), self.device, partial(tell, "load"))
        self._time(candidates, shapes, make, clock, tell)
        rows = sorted((each.row() for each in candidates), key=lambda row: (bool(row.reason), row.order))
        winner = rows[0].config if not rows[0].reason else None
        found = ClassResult(shape_class, tuple(shapes), winner, tuple(rows), "measured", survey.removed, who)
        if winner is None:
            raise TuneError(f"no candidate of {self.kernel.__name__} is left", hint="see the reasons", result=found)
        self._keep(found)
        return found

    def _keep(self, found: ClassResult) -> None:
        if self.store is None or found.winner is None:
            return
        times = {"x".join(map(str, shape)): us for shape, us in found.rows[0].microseconds.items()}
        fixed, text = fixed_text(self.kernel.fixed), class_text(found.shape_class)
        program = program_digest(self.programs(found.winner).text)
        winner = Winner(self.kernel.__name__, fixed, text, identity_of(self.device), dict(found.winner), times, program)
        keep_winner(self.store, self.kernel, winner)
        forget()

    def _time(
        self,
        candidates: list[Candidate],
        shapes: list[Shape],
        make: Make,
        clock: Clock | None,
        tell: Callable[..., None],
    ) -> None:
        """Check every candidate that is left, and time those that are right."""
        with ExitStack() as stack:
            stream = self.device.stream()
            stack.callback(stream.close)
            stack.enter_context(self.device.use(stream))
            if clock is None:
                timer = DeviceTimer(self.device, stream, self.settings.cache)
                stack.callback(timer.close)
                clock = timer
            prepared = {shape: make(self.device, shape) for shape in shapes}
            given: Any
            for given in prepared.values():
                if not callable(given):
                    raise TuneError(
                        f"make(device, shape) returned {given!r:.60}",
                        hint="a function from a configuration to what is timed",
                    )
            self.device.synchronize()  # inputs may have come on other streams
            works: dict[Candidate, list[Work]] = {}
            waiting = left(candidates)
            for number, each in enumerate(waiting):
                tell("check", number, len(waiting), config=str(each.config))
                with self._drops(each):
                    works[each] = [self._checked(each, shape, prepared[shape], stream) for shape in shapes]
            tell("check", len(waiting), len(waiting))

            def measure(candidate: Candidate) -> None:
                with self._drops(candidate):
                    for work in works[candidate]:
                        candidate.times.setdefault(work.shape, []).append(clock(work))

            def done(measured: int, total: int, best: str) -> None:
                tell("time", measured, total, best=best)

            race(left(candidates), self.settings.rounds, measure, done)

    def _checked(self, candidate: Candidate, shape: Shape, prepared: Prepared, stream: Stream) -> Work:
        """The candidate's work on a shape, launched once and compared; a wrong result drops it."""
        made = prepared(candidate.config)
        trial = made if isinstance(made, Trial) else Trial(made)
        given: Any = trial.launches
        launches = (given,) if callable(given) else tuple(given) if isinstance(given, (tuple, list)) else ()
        if not launches or not all(map(callable, launches)):
            raise TuneError(
                f"what make(device, shape) returned gives {made!r:.80} for {candidate.config}",
                hint="a function that launches the work once, or Trial((launch, ...), check)",
            )
        launches[0]()
        stream.synchronize()
        if trial.check is not None and not candidate.reason:
            try:
                said = trial.check()
            except AssertionError as wrong:
                said = reason_of("", wrong).removeprefix(": ")
            text = said if isinstance(said, str) else ""
            if text or not (said is None or said == "" or said):
                candidate.reason = f"wrong result for {shape}" + f": {text}" * bool(text)
        return Work(candidate.config, shape, launches)

    @contextmanager
    def _drops(self, candidate: Candidate) -> Iterator[None]:
        """Errors of the block drop the candidate; one that has lost the device ends the search."""
        try:
            yield
        except TuneError:
            raise
        except Error as error:
            if self.device.context.poisoned is not None:
                raise TuneError(
                    reason_of(f"{candidate.config} lost the device", error),
                    hint="keep it out by where=..., reset the device (a new process on a GPU), and tune again",
                ) from error
            candidate.reason = reason_of("not run", error)
