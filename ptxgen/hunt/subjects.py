"""What a hunt looks for bugs in: a kernel of PTX text on stated and guessed arguments, or a variant of the library."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ptxgen.dataflow.bodies.launch_bounds import stated
from ptxgen.hunt.arguments import arguments_of
from ptxgen.hunt.domains import Choice, Domain, Expression, Number, Range, SpecificationError, domain, expression
from ptxgen.hunt.usage import depends_on_order, only_kernel, parameter_usage, uses_dynamic_shared
from ptxgen.ir import resolve
from ptxgen.text import parse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ptxgen.errors import Location
    from ptxgen.ir import Function, Instruction, Module

__all__ = ["Case", "LibrarySubject", "PtxSubject", "Subject"]

Dim3 = tuple[int, int, int]


class Case(NamedTuple):
    """One launch, as plain data: `arguments` as `ptxgen run` takes them, or of a kernel of the library a `problem`: the number
    of its size, and a seed. `cluster` and `shared` are None where the kernel says them."""

    grid: Dim3 = (1, 1, 1)
    block: Dim3 = (1, 1, 1)
    shared: int | None = None
    cluster: Dim3 | None = None
    arguments: tuple[str, ...] = ()
    problem: tuple[int, int] | None = None
    cooperative: bool = False


class Subject(Protocol):
    """A kernel and its cases. A case is made from numbers; `domains` says which, and from what each is drawn."""

    module: Module
    entry: Function
    domains: dict[str, Domain]
    guesses: tuple[str, ...]
    """What nobody stated, in words."""
    uncertain: str
    """"shape" where the number of threads of a CTA is a guess that no directive supports, "arguments" where an argument is one:
    then the launch may be what is wrong; "" for neither."""
    order: str
    """Why results may rightly differ between schedules; "" where they may not."""

    def case(self, numbers: Mapping[str, Number]) -> Case: ...
    def described(self) -> dict[str, Any]:
        """For the worker, as JSON has it."""

    def command(self, case: Case) -> str:
        """What finds the same again."""

    def writer(self, argument: int) -> Instruction | None:
        """The first instruction that writes to the array that is this argument, where it shows."""

    def argument_name(self, argument: int) -> str: ...
    def places(self, found: tuple[Location, ...]) -> tuple[Location, ...]:
        """Places in the PTX, with those that it was written in before them."""


Values = Domain | Expression


class PtxSubject:
    """A kernel of PTX text. `grid`, `block`, `cluster` and `shared` are texts such as "2", "1..8", "32,64", "(n+255)//256" and
    "2x1"; None for what the kernel's directives say, or else a guess. In a `cooperative` launch all CTAs run at once.
    `reference` are the words that name the program on a command line, `written` what each line of the text was printed from,
    where it was (`print_with_lines`).

    Raises PtxSyntaxError, SpecificationError, and UnknownEntry where the text has no such kernel, or several and none is
    named.
    """

    def __init__(
        self,
        text: str,
        name: str = "PTX",
        entry: str | None = None,
        *,
        arguments: Sequence[str] = (),
        grid: str | None = None,
        block: str | None = None,
        cluster: str | None = None,
        shared: str | None = None,
        cooperative: bool = False,
        reference: Sequence[str] = (),
        written: Sequence[object] = (),
    ) -> None:
        self.text, self.name = text, name
        self.cooperative = cooperative
        whole = parse(text, name=name)
        self.entry = _entry(whole, name, entry)
        self.module = only_kernel(whole, self.entry.name)
        usage = parameter_usage(self.module, self.entry)
        self._writers = [each.writer for each in usage]
        self._arguments = arguments_of(self.entry.parameters, usage, arguments)
        self._reference = reference or (name,)
        self._written = written
        found = [each.guess for each in self._arguments if each.guess]
        self.uncertain = "arguments" if found else ""
        self.domains: dict[str, Domain] = {}
        for each in self._arguments:
            self.domains.update(each.domains())
        self._numbers: dict[str, tuple[Values, ...]] = {}
        for what, stated_text, guess in (
            ("grid", grid, self._guessed_grid),
            ("block", block, self._guessed_block),
            ("cluster", cluster, lambda: ((), "")),
            ("shared", shared, self._guessed_shared),
        ):
            values, told = (_dimensions(what, stated_text), "") if stated_text is not None else guess()
            self._numbers[what] = values
            found += [told] if told else []
            for axis, extent in enumerate(values):
                if not isinstance(extent, Expression):
                    self.domains[f"{what}:{axis}"] = extent
        self.guesses = tuple(found)
        self.order = depends_on_order(self.module)

    def _guessed_block(self) -> tuple[tuple[Values, ...], str]:
        required = stated(self.entry, "reqntid")
        if required:
            return tuple(Choice((extent,)) for extent in required), ""
        allowed = stated(self.entry, "maxntid")
        if allowed:  # launch bounds are what most kernels are launched with, and what many of them assume
            return tuple(Choice((extent,)) for extent in allowed), "block: as many threads as .maxntid allows"
        self.uncertain = "shape"
        sizes = (32, 64, 128, 256)
        return (Choice(sizes, 2),), f"block: {', '.join(map(str, sizes))} threads"

    def _guessed_grid(self) -> tuple[tuple[Values, ...], str]:
        unit = stated(self.entry, "reqnctapercluster") or (1,)
        first = Choice(tuple(unit[0] * n for n in (1, 2, 3, 8)), 1)
        return (
            first,
            *(Choice((extent,)) for extent in unit[1:]),
        ), f"grid: {', '.join(map(str, first.values))} CTAs along x"

    def _guessed_shared(self) -> tuple[tuple[Values, ...], str]:
        if not uses_dynamic_shared(self.module):
            return (), ""
        return (Choice((1 << 15,)),), "shared: 32768 bytes of dynamic shared memory"

    def case(self, numbers: Mapping[str, Number]) -> Case:
        found = {what: self._of(what, values, numbers) for what, values in self._numbers.items()}
        cluster, shared = found["cluster"], found["shared"]
        grid = found["grid"]
        for axis, extent in enumerate(cluster):
            grid = (*grid, 1, 1)[:3]
            grid = (*grid[:axis], -(-grid[axis] // extent) * extent, *grid[axis + 1 :])
        return Case(
            _three(grid),
            _three(found["block"]),
            shared[0] if shared else None,
            _three(cluster) if cluster else None,
            tuple(each.written(numbers) for each in self._arguments),
            cooperative=self.cooperative,
        )

    def _of(self, what: str, values: tuple[Values, ...], numbers: Mapping[str, Number]) -> tuple[int, ...]:
        return tuple(
            max(
                int(each.value(numbers) if isinstance(each, Expression) else numbers[f"{what}:{axis}"]),
                1 if what != "shared" else 0,
            )
            for axis, each in enumerate(values)
        )

    def described(self) -> dict[str, Any]:
        return {"text": self.text, "name": self.name, "entry": self.entry.name}

    def command(self, case: Case) -> str:
        named = " ".join(
            shlex.quote(f"{each.name}={text}" if each.name.isidentifier() else text)
            for each, text in zip(self._arguments, case.arguments)
        )
        parts = ["ptxgen", "hunt", *self._reference, "--entry", self.entry.name]
        parts += ["--arguments", named] if named else []
        parts += ["--grid", _joined(case.grid), "--block", _joined(case.block)]
        parts += ["--shared", str(case.shared)] if case.shared is not None else []
        parts += ["--cluster", _joined(case.cluster)] if case.cluster is not None else []
        parts += ["--cooperative"] if case.cooperative else []
        return shlex.join([*parts, "--cases", "1"])

    def writer(self, argument: int) -> Instruction | None:
        return self._writers[argument]

    def argument_name(self, argument: int) -> str:
        return self._arguments[argument].name

    def places(self, found: tuple[Location, ...]) -> tuple[Location, ...]:
        line = found[0].line if found and found[0].kind == "ptx" else 0
        item = self._written[line - 1] if 0 < line <= len(self._written) else None
        return (*resolve(getattr(item, "source", None)), *found)


class UnknownEntry(SpecificationError):
    """The kernel that is meant is not there, or several are and none is named."""


def _entry(module: Module, name: str, wanted: str | None) -> Function:
    entries = [each for each in module.entries if each.body is not None]
    chosen = [each for each in entries if wanted in (None, each.name)]
    if len(chosen) == 1:
        return chosen[0]
    wrong = "has no kernel" if not entries else f"has no kernel {wanted!r}" if wanted else "has several kernels"
    raise UnknownEntry(
        f"{name} {wrong}", hint=f"name one: {', '.join(each.name for each in entries)}" if entries else None
    )


def _dimensions(what: str, text: str) -> tuple[Values, ...]:
    """The extents of a text, with x between them: "4x2", "(n+15)//16x2"."""
    parts = re.split(r"(?<=[\d)])x(?=[\d(])", text)
    if len(parts) > (1 if what == "shared" else 3):
        raise SpecificationError(f"{what} {text!r} has too many extents", hint="at most three: 4x2x1")
    found = []
    for part in parts:
        values = domain(part) or expression(part)
        low = values.low if isinstance(values, Range) else min(values.values) if isinstance(values, Choice) else 1
        if low < (0 if what == "shared" else 1) or not isinstance(low, int):
            raise SpecificationError(f"{what} {text!r}: an extent is a whole number from 1 on")
        found.append(values)
    return tuple(found)


def _three(extents: tuple[int, ...]) -> Dim3:
    x, y, z = (*extents, 1, 1, 1)[:3]
    return x, y, z


def _joined(extents: Dim3) -> str:
    kept = list(extents)
    while len(kept) > 1 and kept[-1] == 1:
        kept.pop()
    return "x".join(map(str, kept))


class LibrarySubject:
    """A variant of the library's catalogue, on the problems that the catalogue has for it."""

    def __init__(self, label: str, target: str | None = None, *, arguments: Sequence[str] = ()) -> None:
        from ptxgen.kernels import TARGETS, find

        self.variant = find(label)
        usable = [each for each in ("sm_90a", *TARGETS, *self.variant.besides) if each not in self.variant.absent]
        self.target = target or usable[0]
        if self.target in self.variant.absent:
            raise SpecificationError(
                f"{label} is not for {self.target}: {self.variant.absent[self.target]}", hint=usable[0]
            )
        self.module = self.variant.module(self.target, strict=False)
        self.entry = self.module.entries[0]
        self.domains: dict[str, Domain] = {
            "problem": Choice(tuple(range(len(self.variant.sizes))), len(self.variant.sizes) - 1),
            "seed": Range(0, 1 << 16),
        }
        for statement in arguments:
            name, _, text = statement.partition("=")
            values = domain(text) if name in self.domains else None
            if values is None:
                raise SpecificationError(
                    f"{statement!r} is not like problem=3 or seed=0..99, the numbers of its problems"
                )
            self.domains[name] = values
        self.guesses: tuple[str, ...] = ()
        self.uncertain = ""
        self.order = depends_on_order(self.module)

    def case(self, numbers: Mapping[str, Number]) -> Case:
        return Case(problem=(int(numbers["problem"]), int(numbers["seed"])))

    def described(self) -> dict[str, Any]:
        return {"label": self.variant.label, "target": self.target}

    def command(self, case: Case) -> str:
        assert case.problem is not None
        given = f"problem={case.problem[0]} seed={case.problem[1]}"
        return shlex.join(["ptxgen", "hunt", self.variant.label, "--arguments", given, "--cases", "1"])

    def writer(self, argument: int) -> Instruction | None:
        return None

    def argument_name(self, argument: int) -> str:
        return str(argument)

    def places(self, found: tuple[Location, ...]) -> tuple[Location, ...]:
        return found
