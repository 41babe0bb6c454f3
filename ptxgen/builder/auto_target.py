"""`target="auto"`: kernels built for the lowest target that is enough for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.builder.program import ModuleBuilder
from ptxgen.builder.source import build_error
from ptxgen.errors import BuildError
from ptxgen.verifier.versions import minimum_target, targets_in_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.builder.entry import Kernel

__all__ = ["built", "lowest_builder"]


def built(kernels: Sequence[Kernel], target: str) -> ModuleBuilder:
    """The kernels, traced for a target."""
    into = ModuleBuilder(target)
    for each in kernels:
        each.add_to(into)
    return into


def lowest_builder(kernels: Sequence[Kernel]) -> ModuleBuilder:
    """The kernels, traced for the lowest target for which they then need no higher. BuildError when there is none.

    A kernel may build other instructions for other targets, so each guess is traced anew: the first is the oldest target,
    the next what the trace before it needs.
    """
    order = targets_in_order()
    names = [target.name for target in order]
    refused: BuildError | None = None
    place = 0
    while place < len(order):
        try:
            into = built(kernels, names[place])
            needed = names.index(minimum_target(into.draft(names[place])))
        except BuildError as error:
            if all(finding.code != "PTX412" for finding in error.diagnostics):
                raise
            refused = error
            place += 1
            continue
        except ValueError as none:
            raise build_error("PTX412", str(none), hint="one module for each architecture") from None
        if needed <= place:
            return into
        place = needed
    assert refused is not None
    raise refused
