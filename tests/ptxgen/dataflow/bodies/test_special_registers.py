"""How special registers vary."""

from __future__ import annotations

import pytest

from ptxgen.dataflow.bodies.special_registers import variation
from ptxgen.isa.specials import SPECIALS


@pytest.mark.parametrize(
    "name, same_in, changes",
    [
        ("%tid.x", "thread", "never"),
        ("%tid.g", "thread", "never"),
        ("%lanemask_lt", "thread", "never"),
        ("%warpid", "warp", "sometimes"),
        ("%smid", "cta", "sometimes"),
        ("%clock64", "warp", "always"),
        ("%pm3", "warp", "always"),
        ("%pm3_64", "warp", "always"),
        ("%perctamemoryoffset", "cta", "never"),
        ("%ctaid.z", "cta", "never"),
    ],
)
def test_variation(name: str, same_in: str, changes: str) -> None:
    assert variation(name) == (same_in, changes)
    assert name in SPECIALS


def test_what_differs_between_the_threads_of_a_warp_is_an_index_or_a_mask() -> None:
    differing = {name.partition(".")[0] for name in SPECIALS if variation(name).same_in == "thread"}
    assert differing == {"%tid", "%laneid", *(f"%lanemask_{which}" for which in ("eq", "le", "lt", "ge", "gt"))}
