"""Do two programs compute the same? A proof where the structure gives one, else a search for an input that tells them apart."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.compare.arguments import drawn_input, fields_of, shown
from ptxgen.compare.proof import prove
from ptxgen.compare.semantic import code_difference, outside, partner_names
from ptxgen.compare.trials import Trial
from ptxgen.compare.values import graph_of
from ptxgen.dataflow.bodies.kernel_layout import parameter_layout
from ptxgen.dataflow.bodies.walk import body_of
from ptxgen.errors import UnsupportedError, VerifyError
from ptxgen.ir.source import resolve
from ptxgen.text.printer import format_instruction

if TYPE_CHECKING:
    from ptxgen.ir import Function, Instruction, Module

__all__ = ["Equivalence", "by_running", "equivalent", "not_proved"]


class Equivalence(NamedTuple):
    """An answer. `verdict` is "equal", and `reason` says how it was proved; "different", and `reason` says where, `kernel` in
    which kernel and `inputs` with which input; or "unknown", and `reason` says what was tried.

    `tried` counts the inputs with which both programs gave the same.
    """

    verdict: str
    reason: str
    kernel: str = ""
    inputs: tuple[str, ...] = ()
    tried: int = 0

    def __str__(self) -> str:
        lines = [f"{self.verdict}: {f'{self.kernel}: ' if self.kernel else ''}{self.reason}"]
        return "\n".join([*lines, *(f"    {each}" for each in self.inputs)])

    def to_dict(self) -> dict[str, object]:
        """Plain data, for JSON."""
        return {**self._asdict(), "inputs": list(self.inputs)}


def equivalent(old: Module, new: Module, *, tries: int = 24, seed: int = 0, seconds: float = 5.0) -> Equivalence:
    """Do two modules compute the same?

    Equal is proved: the two are the same but for what `difference` does not count, as they stand or after the passes that change
    nothing of what is computed; or every effect of the one is one of the other, on values that are proved to be the same
    (`proof`). Otherwise each kernel of both runs on the CPU device with `tries` inputs drawn from `seed`, in buffers of 4 KiB to
    1 MiB, launches of at most `seconds`. Different is shown by an input with which the old program comes to its end. Results are
    compared bit by bit, but for the payloads of NaNs; so sums in another order are different.
    """
    first = code_difference(old, new)
    if not first:
        return Equivalence("equal", "the same instructions, but for names, independent order and constants")
    then = _simplified(old, new)
    if then is not None and not code_difference(*then):
        return Equivalence("equal", "the same instructions after the passes of ptxgen.passes.DEFAULT")
    left = not_proved(old, new)
    if not left or (then is not None and not not_proved(*then)):
        return Equivalence("equal", "every effect of both is the same, on the same values")
    names = partner_names(old, new)
    theirs = {names.get(entry.name, entry.name): entry for entry in new.entries}
    changed = {change.function for change in first}
    ours = {entry.name for entry in old.entries}
    alone = [entry.name for entry in old.entries if entry.name not in theirs] + [n for n in theirs if n not in ours]
    if alone:
        return Equivalence("different", f"only one of the two has kernel {alone[0]}", alone[0])
    reached = changed - ours  # functions that are called, and the module
    answers = [
        by_running(old, new, entry, theirs[entry.name], tries, seed, seconds)
        for entry in old.entries
        if entry.name in changed or reached
    ]
    for answer in answers:
        if answer.verdict == "different":
            return answer
    if not answers:
        return Equivalence("unknown", "no kernel reaches what changed, and there is nothing to run")
    tried = sum(answer.tried for answer in answers)
    reasons = dict.fromkeys([*(f"{answer.kernel}: {answer.reason}" for answer in answers), *left])
    return Equivalence("unknown", "; ".join(reasons), tried=tried)


def not_proved(old: Module, new: Module) -> list[str]:
    """What is not proved to be equal, in words; nothing where both modules are."""
    changes, pairs = outside(old, new)
    said = [f"{change.function or 'the module'}: not the same, {change.old} -> {change.new}" for change in changes]
    canonical = partner_names(old, new)
    for one, other in pairs:
        found = prove(graph_of(one, {}), graph_of(other, canonical))
        if found.what:
            shown = " and ".join(_with_line(each) for each in (found.old, found.new) if each is not None)
            behind = f"{found.proved} effects are proved to be the same; " if found.proved else ""
            said.append(f"{one.function.name}: {behind}of {shown or 'its end'}, {found.what}")
    return said


def _with_line(instruction: Instruction) -> str:
    places = resolve(instruction.source)
    return f"{format_instruction(instruction)}{f' ({places[0].file}:{places[0].line})' if places else ''}"


def _simplified(old: Module, new: Module) -> tuple[Module, Module] | None:
    """Both after the passes that change nothing of what is computed; None for a module that the verifier refuses."""
    from ptxgen.passes import run

    try:
        return run(old), run(new)
    except VerifyError:
        return None


def by_running(
    old: Module, new: Module, one: Function, other: Function, tries: int, seed: int, seconds: float
) -> Equivalence:
    """Run a kernel of each with so many inputs: "different", or "unknown" where they gave the same."""
    name = one.name
    if parameter_layout(one)[0] != () and _layout(one) != _layout(other):
        return Equivalence("different", "their parameters are others", name)
    body = body_of(old, name)
    fields = fields_of(body) or fields_of(body_of(new, other.name))
    try:
        trial = Trial(old, new, (name, other.name), fields, seconds)
    except UnsupportedError as missing:
        return Equivalence("unknown", f"the CPU device does not run it: {str(missing).splitlines()[0]}", name)
    same, unusable = 0, ""
    try:
        if any(
            each not in {k.name for k in program.kernels} for each, program in zip((name, other.name), trial.programs)
        ):
            return Equivalence("unknown", "the CPU device does not run it", name)
        for number in range(tries):
            given = drawn_input(body, fields, number, Random(f"{seed} {number}"))
            found = trial.judge(given)
            if found.verdict == "different":
                inputs = (
                    f"grid {given.grid}, block {given.block}, {given.shared} bytes of dynamic shared memory",
                    *(shown(field, value) for field, value in zip(fields, given.values)),
                    f"input {number} of seed {seed}",
                )
                return Equivalence("different", found.detail, name, inputs, same)
            same += found.verdict == "same"
            unusable = found.detail or unusable
    finally:
        trial.close()
    told = f"{same} of {tries} inputs gave the same"
    return Equivalence(
        "unknown", f"{told}; of the others, the last: {unusable}" if unusable else told, name, tried=same
    )


def _layout(function: Function) -> list[tuple[int, int]]:
    return [(offset, size) for _, offset, size in parameter_layout(function)[0]]
