"""Candidates, and what drops them before anything is assembled: threads, shared memory and registers by the kernel's own rules,
the cost model, and what the built module says. A program does not tell how many registers an assembler will take (it may be
half of the values that are alive), so a rule says it."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.dataflow.bodies.kernel_layout import static_shared
from ptxgen.errors import Error
from ptxgen.kernels.space import Config
from ptxgen.resources.report import threads_of
from ptxgen.tuning.errors import TuneError
from ptxgen.tuning.results import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ptxgen.builder import Kernel
    from ptxgen.isa.targets import Target
    from ptxgen.kernels.space import Rule, Shape, Space

__all__ = [
    "Built",
    "Candidate",
    "Models",
    "Programs",
    "build_all",
    "drop_by_cost",
    "drop_by_rules",
    "left",
    "make_builder",
    "reason_of",
]

_LONGEST_REASON = 200


class Candidate:
    """A configuration on its way: `reason` is set when it is dropped."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.reason = ""
        self.text = ""
        """The PTX, once it is built."""
        self.entry = ""
        self.threads: int | None = None
        self.shared = 0
        self.registers: int | None = None
        self.spills: int | None = None
        self.times: dict[Shape, list[float]] = {}

    def __repr__(self) -> str:
        return f"<candidate {self.config}{f': {self.reason}' if self.reason else ''}>"

    def row(self) -> Row:
        """What is known of it; its kernel is not, which a result would keep loaded."""
        times = {shape: median(found) for shape, found in self.times.items() if found}
        return Row(Config(self.config), times, self.reason, self.threads, self.registers, self.spills, self.shared)


class Models(NamedTuple):
    """The rules that `tune` was given: dynamic shared memory in bytes, threads of a CTA, registers of a thread, and cost."""

    shared: Rule
    threads: Rule | None
    registers: Rule | None
    cost: Rule | None

    @classmethod
    def of(cls, space: Space, *, shared: Any, threads: Any, registers: Any, cost: Any) -> Models:
        """The rules of these functions or constants, which a space's axes are given to."""
        given = {"threads": threads, "registers": registers, "cost": cost}
        rules = {name: space.rule(each, name) if each is not None else None for name, each in given.items()}
        return cls(space.rule(shared, "shared"), **rules)


def left(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Those that nothing has dropped, in their order."""
    return [each for each in candidates if not each.reason]


def reason_of(what: str, error: BaseException) -> str:
    """An exception as a reason: the first line that says something."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = lines[0] if lines else type(error).__name__
    return f"{what}: {said if len(said) <= _LONGEST_REASON else said[:_LONGEST_REASON] + ' ...'}"


def _largest(rule: Rule, config: Config, shapes: Sequence[Shape], target: Target, what: str) -> int:
    """What a rule says at most for these shapes. TuneError where it says no whole number."""
    found = [rule(config, shape, target) for shape in shapes]
    for value in found:
        if not hasattr(value, "__index__") or int(value) < 0:
            raise TuneError(f"{what}: {rule.text} gives {value!r:.60} for {config}", hint="a number from 0")
    return max(map(int, found))


def drop_by_rules(candidates: Sequence[Candidate], models: Models, shapes: Sequence[Shape], target: Target) -> None:
    """Drop what no CTA can have, by the kernel's own rules."""
    for each in left(candidates):
        each.shared = _largest(models.shared, each.config, shapes, target, "shared")
        if models.threads is not None:
            each.threads = _largest(models.threads, each.config, shapes, target, "threads")
        registers = None
        if models.registers is not None:
            registers = _largest(models.registers, each.config, shapes, target, "registers")
        each.reason = _too_many(each, registers, target)


def _too_many(candidate: Candidate, registers: int | None, target: Target) -> str:
    threads = candidate.threads
    if threads is not None and not 0 < threads <= target.max_threads:
        return f"{threads} threads: a CTA has 1 to {target.max_threads}"
    if candidate.shared > target.shared_optin:
        return f"{candidate.shared} bytes of shared memory: a CTA of {target.name} has {target.shared_optin}"
    if registers is not None and registers > target.max_registers:
        return f"about {registers} registers: a thread has {target.max_registers}"
    if registers is not None and threads is not None and threads * registers > target.registers_total:
        file = target.registers_total
        return f"{threads} threads of about {registers} registers: {threads * registers}, and there are {file}"
    return ""


def drop_by_cost(
    candidates: Sequence[Candidate], models: Models, keep: int | None, shapes: Sequence[Shape], target: Target
) -> None:
    """Drop all but the `keep` that the model says are the cheapest for all shapes together; the order breaks ties."""
    remaining = left(candidates)
    if models.cost is None or keep is None or len(remaining) <= keep:
        return
    costs = {}
    for each in remaining:
        found = [models.cost(each.config, shape, target) for shape in shapes]
        if not all(isinstance(cost, (int, float)) and cost == cost for cost in found):
            raise TuneError(
                f"cost: {models.cost.text} gives {found} for {each.config}", hint="a number, the smaller the better"
            )
        costs[each] = float(sum(found))
    for place, each in enumerate(sorted(remaining, key=costs.__getitem__)):
        if place >= keep:
            each.reason = f"cost {costs[each]:.4g}: place {place + 1} by the model, and {keep} are kept"


def make_builder(kernel: Kernel, space: Space, build: Callable[[Config], Any] | None) -> Callable[[Config], Any]:
    """What makes a kernel of a configuration. TuneError where an axis is no compile-time parameter of the kernel."""
    if build is not None:
        return build
    options = kernel.signature.options
    unknown = [axis for axis in space.axes if axis not in options]
    if unknown:
        raise TuneError(
            f"the axis {unknown[0]!r} is no compile-time parameter of {kernel.__name__}",
            hint=f"it has {', '.join(options) or 'none'}; build=lambda config: ... makes a kernel of any axes",
        )
    fixed = [axis for axis in space.axes if axis in kernel.fixed]
    if fixed:
        raise TuneError(
            f"{kernel.__name__} is given with {fixed[0]}={kernel.fixed[fixed[0]]!r}, which is an axis too",
            hint="fix what is no axis",
        )
    return lambda config: kernel.using(**config)  # of its own: it is unloaded with the candidate


class Built(NamedTuple):
    """A configuration's program: what was built, its PTX and its kernel's name, threads of a CTA where it states them, static
    shared memory; or why there is none."""

    kernel: Any
    text: str = ""
    entry: str = ""
    threads: int | None = None
    static: int = 0
    problem: str = ""

    @classmethod
    def of(cls, kernel: Any, target: Target) -> Built:
        """The program of a kernel."""
        try:
            module = kernel.module(target=target.name)
        except Error as error:
            return cls(kernel, problem=reason_of("not built", error))
        entries = module.entries
        if len(entries) != 1:
            return cls(kernel, problem=f"not built: the module has {len(entries)} kernels, not one")
        static = static_shared(module.variables, entries[0])
        return cls(kernel, str(module), entries[0].name, threads_of(entries[0]), static)


class Programs:
    """What was built in one call of `tune`: once for a configuration, whatever its shapes, and once for a kernel, whatever the
    axes that only its launch has."""

    def __init__(self, builder: Callable[[Config], Any], target: Target) -> None:
        self._builder = builder
        self._target = target
        self._by_config: dict[Config, Built] = {}
        self._by_kernel: dict[int, Built] = {}  # by identity; the values keep the kernels

    def __call__(self, config: Config) -> Built:
        """The configuration's program. TuneError where the builder gives no kernel."""
        found = self._by_config.get(config)
        if found is None:
            found = self._by_config[config] = self._build(config)
        return found

    def _build(self, config: Config) -> Built:
        try:
            kernel = self._builder(config)
        except Error as error:
            return Built(None, problem=reason_of("not built", error))
        if not (hasattr(kernel, "module") and hasattr(kernel, "on")):
            raise TuneError(f"build gives {kernel!r:.60} for {config}", hint="a kernel: kernel.using(...)")
        if id(kernel) not in self._by_kernel:
            self._by_kernel[id(kernel)] = Built.of(kernel, self._target)
        return self._by_kernel[id(kernel)]


def build_all(candidates: Sequence[Candidate], build: Callable[[Config], Built], target: Target) -> Iterator[Candidate]:
    """Build each candidate that is left, and drop what cannot be built or takes more than a CTA has; the others, one by one."""
    for each in left(candidates):
        built = build(each.config)
        each.config = Config(each.config, built.kernel)
        each.text, each.entry = built.text, built.entry
        each.threads = built.threads or each.threads
        each.shared += built.static
        each.reason = built.problem or _too_many(each, None, target)
        if not each.reason:
            yield each
