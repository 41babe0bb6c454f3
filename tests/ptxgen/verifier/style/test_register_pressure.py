"""Registers and predicates alive at once (PTX602, PTX607)."""

from __future__ import annotations

from ptxgen.dataflow.bodies.walk import body_of
from ptxgen.text import parse
from ptxgen.verifier import verify
from ptxgen.verifier.style.register_pressure import live_registers
from tests import ptx
from tests.ptxgen.verifier.style.programs import count, messages


def kernel(body: str) -> str:
    return ptx.kernel(body, ".param .u64 a", registers=".reg .b32 %r<900>; .reg .b64 %rd<9>; .reg .pred %p<3>;")


def test_predicates_alive_at_once() -> None:
    def body(n: int) -> str:
        made = "".join(f"setp.gt.u32 %p{i}, %r1, {i};" for i in range(n))
        return made + "".join(f"@%p{i} st.global.u32 [%rd1+{4 * i}], %r1;" for i in range(n))

    assert count("PTX607", body(7)) == 0
    assert messages("PTX607", body(8)) == ["8 predicates are alive at st.global.u32, a thread has 7"]


def alive(body: str) -> int:
    module = parse(kernel(body))
    return live_registers(body_of(module, "k"))[0]


def test_values_alive_at_once() -> None:
    assert alive("") == 0
    assert (
        alive("mov.u32 %r1, 1; mov.u32 %r2, 2; add.u32 %r3, %r1, %r2; st.global.u32 [%rd1], %r3;") == 4
    )  # %rd1 counts twice
    assert alive("mov.u32 %r1, 1; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;") == 1


def test_what_does_not_fit_into_registers_is_a_finding_of_style() -> None:
    body = "".join(f"ld.param.u32 %r{i}, [a];" for i in range(1, 300)) + "mov.u32 %r300, 0;"
    body += (
        "".join(f"add.u32 %r300, %r300, %r{i};" for i in range(1, 300))
        + "ld.param.u64 %rd1, [a]; st.global.u32 [%rd1], %r300;"
    )
    assert verify(parse(kernel(body))) == []
    (finding,) = verify(parse(kernel(body)), style=True)
    assert finding.code == "PTX602"
    assert "values of 300 registers are alive" in finding.message
