"""Accesses of a warp that move more sectors, or take more wavefronts of shared memory, than what they use would need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.memory.access_patterns import SECTOR, patterns

if TYPE_CHECKING:
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_access_patterns"]

_SPREAD = 2
"""How many times the fewest possible sectors an access may take before it is warned of."""


def check_access_patterns(body: CheckedBody) -> None:
    """PTX611: an access to global memory that is not coalesced; PTX612: bank conflicts. Only when style is asked for."""
    for pattern in patterns(body):
        op = body.instructions[pattern.position].op
        by = f", {abs(pattern.stride)} bytes from lane to lane" if pattern.stride else ""
        fewest = pattern.fewest or 0
        if pattern.sectors is not None and pattern.sectors > _SPREAD * fewest:
            body.report(
                "PTX611",
                f"{op} of a warp moves {pattern.sectors} sectors of {SECTOR} bytes for what {fewest} would hold{by}",
                pattern.position,
                expected="neighbouring lanes at neighbouring elements",
            )
        elif pattern.ways is not None and pattern.ways > fewest:
            body.report(
                "PTX612",
                f"{op} of a warp takes {pattern.ways} wavefronts of shared memory, {fewest} would do{by}",
                pattern.position,
                hint="pad the rows, or swizzle the index",
            )
