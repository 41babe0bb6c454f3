"""`target="auto"`: kernels built for the lowest target that can run them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.builder.core.module_builder import ModuleBuilder
from ptxgen.builder.core.source import build_error
from ptxgen.errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.builder.core.module_builder import EntryBuilder

__all__ = ["build_for_lowest_target", "build_kernels"]


def build_kernels(kernels: Sequence[EntryBuilder], target: str) -> ModuleBuilder:
    """The kernels, traced for a target."""
    into = ModuleBuilder(target)
    for each in kernels:
        each.add_to(into)
    return into


def build_for_lowest_target(kernels: Sequence[EntryBuilder]) -> ModuleBuilder:
    """The kernels, traced for the lowest target that can run what they build for it. BuildError when no target can.

    A kernel may build different instructions for different targets, so each candidate is traced anew: first the oldest
    target, then the one that the previous trace needs.
    """
    from ptxgen.verifier.versions import minimum_target, targets_in_order

    order = targets_in_order()
    names = [target.name for target in order]
    refused: BuildError | None = None
    place = 0
    while place < len(order):
        try:
            into = build_kernels(kernels, names[place])
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
