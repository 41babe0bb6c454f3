"""Every pass by name, the order in which they run by default, and the run over a module."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import NamedTuple

from ptxgen.dataflow.bodies.body import Body
from ptxgen.dataflow.bodies.walk import bodies_of
from ptxgen.errors import PassError
from ptxgen.ir import Function, Instruction, Module, resolve
from ptxgen.passes.common import share_common
from ptxgen.passes.constants import propagate_constants
from ptxgen.passes.dead import drop_dead
from ptxgen.passes.division import divide_by_multiplying
from ptxgen.passes.editing import Edit, Pass
from ptxgen.passes.fma import fuse_fma
from ptxgen.passes.hoist import hoist
from ptxgen.passes.offsets import fold_offsets
from ptxgen.passes.predication import predicate_short
from ptxgen.passes.readonly import load_read_only
from ptxgen.passes.schedule import schedule
from ptxgen.passes.split import split_loops
from ptxgen.passes.strength import form_mads, shift_for_multiply
from ptxgen.passes.vectors import fuse_vectors
from ptxgen.text.validate import Buildable, as_module
from ptxgen.verifier import assert_valid

__all__ = ["DEFAULT", "PASSES", "PassStep", "Remark", "edits", "run"]

PASSES: dict[str, Pass] = {
    "constants": propagate_constants,
    "common": share_common,
    "mad": form_mads,
    "division": divide_by_multiplying,
    "shifts": shift_for_multiply,
    "offsets": fold_offsets,
    "vectors": fuse_vectors,
    "read_only": load_read_only,
    "dead": drop_dead,
    "predication": predicate_short,
    "hoist": hoist,
    "fma": fuse_fma,
    "split": split_loops,
    "schedule": schedule,
}
"""Every pass by its name; the first line of its docstring says what it does."""

DEFAULT: tuple[str, ...] = (
    "constants",
    "common",
    "constants",
    "mad",
    "division",
    "shifts",
    "common",
    "constants",
    "offsets",
    "vectors",
    "read_only",
    "dead",
    "predication",
    "hoist",
)
"""Passes that never change what a program computes, in the order in which they feed one another."""


class Remark(NamedTuple):
    """A change that a pass did not make to an instruction, and why; `str()` includes its place."""

    name: str
    function: str
    instruction: Instruction
    text: str

    def __str__(self) -> str:
        places = resolve(self.instruction.source)
        where = f"{places[0]}: " if places else ""
        return f"{where}{self.name}: {self.instruction.op} in {self.function} {self.text}"


class PassStep(NamedTuple):
    """What a pass did to a module: instructions before and after, and how many of them it replaced or deleted."""

    name: str
    before: int
    after: int
    changes: int


def run(
    module: Module | Buildable | str,
    passes: Iterable[str] = DEFAULT,
    *,
    read_only: Collection[str] = (),
    statistics: list[PassStep] | None = None,
    remarks: list[Remark] | None = None,
) -> Module:
    """The module (of a kernel, or of PTX text) with the passes applied in the order given; the module itself stays as it is.

    `read_only` names parameters whose memory nothing writes while the kernel runs ("x", or "kernel.x" for one kernel), for
    the pass of that name. A Step for each pass is added to `statistics` when that is given, and to `remarks` what passes would
    have done and why they did not.

    Raises PassError for an unknown pass or parameter, VerifyError for a module that is not legal.
    """
    if isinstance(passes, str):
        raise PassError(f"passes={passes!r} is one name, not several", hint=f"[{passes!r}]")
    names = tuple(passes)
    for name in names:
        if name not in PASSES:
            raise PassError(f"there is no pass {name!r}; there are {', '.join(PASSES)}", hint=_nearest(name))
    module = as_module(module, "run")
    _check_parameters(module, read_only)
    assert_valid(module)
    bodies: list[Body] | None = None
    for name in names:
        bodies = bodies or [edit.body for edit in edits(module)]
        changed, step, left = _apply(name, module, bodies, frozenset(read_only))
        if changed is not module:
            module, bodies = changed, None  # seen anew; else the next pass sees what this one saw
        if statistics is not None:
            statistics.append(step)
        if remarks is not None:
            remarks += [remark for remark in left if remark not in remarks]
    return module


def _nearest(name: object) -> str:
    similar = get_close_matches(str(name), PASSES, 1)
    return f"did you mean {similar[0]!r}?" if similar else "`ptxgen opt --list` says what each does"


def _check_parameters(module: Module, named: Collection[str]) -> None:
    known = {name for f in module.entries for p in f.parameters for name in (p.name, f"{f.name}.{p.name}")}
    for name in named:
        if name not in known:
            raise PassError(
                f"no kernel has a parameter {name!r}; there are {', '.join(sorted(known)) or 'none'}",
                hint='read_only=["x"], or ["kernel.x"] for one kernel of several',
            )


def _apply(
    name: str, module: Module, bodies: list[Body], read_only: frozenset[str]
) -> tuple[Module, PassStep, list[Remark]]:
    before = after = changes = 0
    remarks: list[Remark] = []
    new: dict[int, Function] = {}
    for body in bodies:
        edit = Edit(body, read_only)
        PASSES[name](edit)
        before += len(edit.body.instructions)
        changes += edit.changes
        function_name = edit.body.function.name
        remarks += [Remark(name, function_name, edit.body.instructions[at], text) for at, text in edit.remarks]
        if edit.changes:
            function = new[id(edit.body.function)] = edit.apply()
            after += sum(1 for _ in function.instructions())
        else:
            after += len(edit.body.instructions)
    items = [new.get(id(item), item) if isinstance(item, Function) else item for item in module]
    changed = Module(
        module.version,
        module.target,
        items,
        target_options=module.target_options,
        address_size=module.address_size,
        name=module.name,
    )
    return changed if new else module, PassStep(name, before, after, changes), remarks


def edits(module: Module) -> list[Edit]:
    """An edit of every function with a body, as a pass gets it."""
    return [Edit(body) for body in bodies_of(module)]
