"""What the analyses say about lines of a legal program: what raises the minimum, live registers, conflicts of banks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.alive import alive_before, words
from ptxgen.dataflow.bodies.walk import bodies_of
from ptxgen.dataflow.memory.access_patterns import patterns
from ptxgen.errors import PtxError
from ptxgen.ir import resolve
from ptxgen.isa.describe import ASSEMBLED
from ptxgen.lsp.background.report import Hint
from ptxgen.verifier.versions import targets_in_order

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.errors import Location
    from ptxgen.ir import Instruction, Module
    from ptxgen.isa.notation import Availability

__all__ = ["hints_of"]

_MANY = 16
"""So many live registers are worth a word where a block begins."""


def hints_of(module: Module, offset_of: Callable[[Location], int]) -> tuple[Hint, ...]:
    """The hints of a module, in text order. `offset_of` gives the place of an instruction in the text."""

    def at(instruction: Instruction) -> int | None:
        places = resolve(instruction.source)
        return offset_of(places[0]) if places else None

    found: list[Hint] = []
    lowest = _Lowest()
    for body in bodies_of(module):
        for kind in (lowest.hints(body, at), _live(body, at), _memory(body, at)):
            found += kind
    return tuple(sorted(found))


class _Lowest:
    """The lowest target and version that are enough for what has been seen so far."""

    def __init__(self) -> None:
        self.needs: set[tuple[Availability, ...]] = set()
        self.target = next(target for target in targets_in_order() if target.sm >= ASSEMBLED)
        self.version = self.target.since

    def hints(self, body: Body, at: Callable[[Instruction], int | None]) -> Iterator[Hint]:
        """A hint at each instruction that raises them."""
        for instruction, form in zip(body.instructions, body.forms):
            if form is None or self.needs.issuperset(form.since):
                continue
            self.needs.update(form.since)
            before = self.target, self.version
            self._raise()
            offset = at(instruction)
            if offset is not None and (self.target, self.version) != before:
                words = f"PTX {self.version[0]}.{self.version[1]}, {self.target.name}"
                yield Hint(offset, words, "needs", f"from here on, at least {words}")

    def _raise(self) -> None:
        for target in targets_in_order():
            if target.sm < ASSEMBLED:
                continue
            versions = [
                min((c.version for c in choices if target.provides(c.sm, c.suffix)), default=None)
                for choices in self.needs
            ]
            if None not in versions:
                self.target = target
                self.version = max([target.since, *(version for version in versions if version is not None)])
                return


def _live(body: Body, at: Callable[[Instruction], int | None]) -> Iterator[Hint]:
    """How many 32-bit registers are alive where each block begins, and where most are."""
    counts = alive_before(body, words(body))
    most = max(counts, default=0)
    peak = counts.index(most) if counts else 0
    for block in body.flow.blocks:
        if block.end > block.start and counts[block.start] >= _MANY and block.start != peak:
            yield from _live_hint(body, block.start, f"{counts[block.start]} registers live", at)
    if most:
        yield from _live_hint(body, peak, f"{most} registers live, the most", at)


def _live_hint(body: Body, position: int, words: str, at: Callable[[Instruction], int | None]) -> Iterator[Hint]:
    offset = at(body.instructions[position])
    if offset is not None:
        yield Hint(offset, words, "live", "32-bit registers alive before this instruction, as the text orders it")


def _memory(body: Body, at: Callable[[Instruction], int | None]) -> Iterator[Hint]:
    """Accesses of a warp that take more than they would need."""
    try:
        found = patterns(body)
    except PtxError:
        return
    for pattern in found:
        offset, fewest = at(body.instructions[pattern.position]), pattern.fewest or 0
        if offset is None:
            continue
        if pattern.ways is not None and pattern.ways > fewest:
            yield Hint(offset, f"{pattern.ways} wavefronts, not {fewest}", "banks", "bank conflicts of shared memory")
        elif pattern.sectors is not None and fewest and pattern.sectors > fewest:
            yield Hint(offset, f"{pattern.sectors} sectors, not {fewest}", "banks", "not coalesced")
