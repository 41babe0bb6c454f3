"""Several programs as one: what one gives and the next takes stays in registers.

Programs over rows follow one another: the first output of each is the first input of the next. Alone, each loads its row
from memory and stores it there; fused, a row is passed on in registers (`rows.Carried`). Each does the same operations in the
same order alone and joined, so results are equal bit for bit. All other bindings of the programs are bindings of the joined
one, in order; if a name occurs twice, the program's place is appended to the later one. A joined program is a program:
it is compiled, dispatched, cached and joined again like any other.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.runtime.errors import ValidationError
from ptxgen.runtime.keys import digest
from ptxgen.runtime.programs.program import Params, Program
from ptxgen.runtime.programs.rows import Carried

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ptxgen.builder import Builder
    from ptxgen.runtime.programs.bindings import Binding
    from ptxgen.runtime.programs.rows import Row

__all__ = ["ProgramChain", "carried_bindings", "fuse"]


class ProgramChain(NamedTuple):
    """Programs with what they hand on. `names[n]` maps the bindings of program n to those of the whole, except those that
    are handed on; `bindings` are those of the whole; `inputs[n]` and `outputs[n]` name what program n takes and gives."""

    programs: tuple[Program, ...]
    names: tuple[dict[str, str], ...]
    bindings: tuple[Binding, ...]
    inputs: tuple[str | None, ...]
    outputs: tuple[str | None, ...]

    @classmethod
    def of(cls, programs: Sequence[Program]) -> ProgramChain:
        """ValidationError where one gives nothing that the next could take, or another type."""
        given: Any = programs
        wrong = (
            next((each for each in given if not isinstance(each, Program)), None)
            if hasattr(given, "__iter__")
            else given
        )
        if wrong is not None:
            raise ValidationError(f"a chain of {wrong!r:.60}", fix="pass a list of programs: fuse([first, second])")
        if not programs:
            raise ValidationError("a chain of no programs", fix="pass one or more")
        ends = [carried_bindings(program) for program in programs]
        for (before, (_, gives)), (after, (takes, _)) in itertools.pairwise(zip(programs, ends)):
            _check_link(before, gives, after, takes)
        inputs = tuple([takes.name if takes is not None else None for takes, _ in ends])
        outputs = tuple([gives.name if gives is not None else None for _, gives in ends])
        last = len(programs) - 1
        names: list[dict[str, str]] = []
        bindings: list[Binding] = []
        for place, program in enumerate(programs):
            carried = {inputs[place] if place else None, outputs[place] if place < last else None}
            mine = {b.name: _unique(b.name, place, bindings) for b in program.bindings if b.name not in carried}
            names.append(mine)
            for binding in program.bindings:
                if binding.name in mine:
                    like = mine.get(binding.like or "") or (names[0].get(inputs[0] or "") if binding.like else None)
                    bindings.append(binding._replace(name=mine[binding.name], number=len(bindings), like=like))
        return cls(tuple(programs), tuple(names), tuple(bindings), inputs, outputs)


def carried_bindings(program: Program) -> tuple[Binding | None, Binding | None]:
    """What a program takes from the one before it, its first input, and what it gives to the next, its first output; of a
    program that was made of others, those of its first and its last."""
    inputs = [b for b in program.bindings if b.role == "input"]
    outputs = [b for b in program.bindings if b.role == "output"]
    if program.ends is not None:
        inputs = [b for b in inputs if b.name == program.ends[0]]
        outputs = [b for b in outputs if b.name == program.ends[1]]
    return next(iter(inputs), None), next(iter(outputs), None)


def _check_link(before: Program, gives: Binding | None, after: Program, takes: Binding | None) -> None:
    if gives is None or takes is None:
        missing = f"{before.name} has no output" if gives is None else f"{after.name} has no input"
        raise ValidationError(
            f"programs {before.name} and {after.name} cannot follow one another: {missing}",
            fix="let the first give an output and the second take an input; an inout is neither",
        )
    if gives.type is not takes.type:
        raise ValidationError(
            f"program {before.name} gives {gives.type.__name__} {gives.name!r}, program {after.name} takes "
            f"{takes.type.__name__} {takes.name!r}",
            fix="put a program between them that converts",
        )
    if gives.elements != takes.elements:
        raise ValidationError(
            f"program {before.name} gives {gives.elements or 'as many'} elements, program {after.name} takes "
            f"{takes.elements or 'as many as come'}",
            fix="leave both counts open",
        )


def _unique(name: str, place: int, bindings: Sequence[Binding]) -> str:
    used = {binding.name for binding in bindings}
    found = name
    while found in used:
        found, place = f"{name}_{place}", place + 1
    return found


def fuse(programs: Sequence[Program], name: str | None = None) -> Program:
    """One program that does what these do one after the other. A single program is itself.

    ValidationError where one works on no rows, or on other rows than the one before it, or where they do not fit together.
    """
    chain = ProgramChain.of(programs)
    if len(programs) == 1:
        return programs[0]
    layouts = [program.layout for program in programs]
    for program, layout in zip(programs, layouts):
        if layout is None or layout != layouts[0]:
            has = (
                "asks for no Row" if layout is None else f"has {_rows(layout)}, {programs[0].name} {_rows(layouts[0])}"
            )
            raise ValidationError(
                f"program {program.name} {has}",
                fix="join programs over equal rows: take a Row last, use in_rows(columns)",
            )
    first, last = chain.inputs[0], chain.outputs[-1]
    made = Program(
        name or "_".join(program.name for program in programs)[:120],
        lambda k, memory, params, row: _write(chain, k, memory, params, row),
        chain.bindings,
        workgroup=programs[0].workgroup,
        layout=layouts[0],
        bounds=_bounds(programs),
        content=lambda: _content(chain.programs),
    )
    made.ends = chain.names[0].get(first or ""), chain.names[-1].get(last or "")
    return made


def _content(programs: Sequence[Program]) -> str | None:
    """What all of them do now; None if one cannot be determined."""
    keys = [program.key for program in programs]
    return None if None in keys else digest("ptxgen-fused.v1", *keys)


def _rows(layout: Any) -> str:
    return "tiles of a flat array" if layout is None or layout.flat else f"rows of {layout.columns}"


def _bounds(programs: Sequence[Program]) -> dict[str, Any]:
    """The largest of the register limits, where all have one: what was enough for each is not too much for all."""
    limits = [program.bounds.get("max_registers") for program in programs]
    return {"max_registers": max(limits)} if all(limits) else {}  # type: ignore[type-var]


def _write(chain: ProgramChain, k: Builder, memory: Mapping[str, Any], params: Params, row: Row | None) -> None:
    """The code of all programs, with rows handed from one to the next."""
    numbers = {binding.name: binding.number for binding in chain.bindings}
    ends = chain.names[0].get(chain.inputs[0] or ""), chain.names[-1].get(chain.outputs[-1] or "")
    whole = next((numbers[name] for name in ends if name is not None), None)
    held: Carried | None = None
    for place, (program, names) in enumerate(zip(chain.programs, chain.names)):
        bound = {name: memory[outer] for name, outer in names.items()}
        lengths = {name: numbers[outer] for name, outer in names.items()}
        takes, gives = chain.inputs[place], chain.outputs[place]
        if place and takes is not None:
            bound[takes] = held
        if place < len(chain.programs) - 1 and gives is not None:
            held = bound[gives] = Carried(gives, next(b for b in program.bindings if b.name == gives).type.element)
        if whole is not None:  # what is handed on is as long as what goes in
            lengths |= {name: whole for name in (takes, gives) if name is not None and name not in lengths}
        program.body(k, bound, Params(params.words, lengths), row)
        if held is not None and place < len(chain.programs) - 1 and held.values is None:
            raise ValidationError(f"program {program.name} does not store {gives!r}", fix="store it with row.store")
