"""Shared memory counts where it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.ptxgen.verifier.instruction.programs import illegal, legal, program

if TYPE_CHECKING:
    from collections.abc import Callable


def test_shared_memory_counts_where_it_is_used(assembler: Callable[..., Any]) -> None:
    before = ".shared .align 4 .b8 s[50000];\n.func f() { .reg .b64 %t; mov.b64 %t, s; ret; }"
    legal(program("", before).replace("sm_90a", "sm_80"), assembler)
    illegal(
        "PTX421",
        program("call f;", before.replace("mov.b64 %t, s;", "st.shared.b32 [s], 1;")).replace("sm_90a", "sm_80"),
        assembler,
    )
