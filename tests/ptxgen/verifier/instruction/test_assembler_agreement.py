"""What nvJitLink 13.5 takes and refuses, case by case: the verifier's errors are the same."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify
from tests.ptx import kernel

REGISTERS = ".reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b16 %h<5>; .reg .f32 %f<4>;"
BEFORE = ".global .align 8 .u64 t; .const .align 4 .b32 cv[4]; .shared .b32 sv; .global .align 4 .b32 gv;\n.func f() { ret; }"


def errors(text: str) -> list[str]:
    return [finding.code for finding in verify(parse(text)) if finding.is_error]


def of_body(body: str, *, version: str = "8.6", target: str = "sm_90", registers: str = REGISTERS) -> list[str]:
    parameters = ".param .u64 p"
    return errors(kernel(body, parameters, registers=registers, before=BEFORE, version=version, target=target))


@pytest.mark.parametrize(
    "body",
    [
        "st.u64 [t], t+1;",
        "st.global.u64 [t], t+1;",
        "add.u64 %rd1, %rd1, t+4;",
        "add.u64 %rd1, %rd1, t+0;",
        "st.u64 [t], t+0;",
        "mov.u64 %rd1, t+0;",
        "add.u32 %r1, %r1, t+4;",
        "add.u16 %h1, %h1, t+4;",
        "xor.b64 %rd1, %rd1, t+4;",
        "setp.eq.u64 %p, %rd1, t+4;",
        "selp.b64 %rd1, %rd1, t+4, %p;",
        "add.u64 %rd1, %rd1, p+4;",
        "mov.u64 %rd1, t+4;",
        "mov.u64 %rd1, t;",
    ],
)
def test_a_name_plus_a_number_is_a_constant(body: str) -> None:
    assert of_body(body) == []


@pytest.mark.parametrize(
    "body, code",
    [
        ("add.u64 %rd1, %rd1, t;", "PTX204"),
        ("st.u64 [t], t;", "PTX204"),
        ("add.f32 %f1, %f1, t+4;", "PTX204"),
        ("st.f64 [t], t+1;", "PTX204"),
        ("add.u64 %rd1, %rd1, f+4;", "PTX204"),
        ("add.u64 %rd1, %rd1, f+0;", "PTX204"),
        ("mov.u64 %rd1, f+4;", "PTX204"),
        ("mov.u32 %r1+4, %r2;", "PTX204"),
        ("add.f32 %f1, %f1+4, %f1;", "PTX204"),
        ("mov.u32 %r1, %f1+4;", "PTX204"),
        ("add.u64 %rd1, %rd1, zz+4;", "PTX301"),
        ("add.u64 t+4, %rd1, %rd1;", "PTX204"),
    ],
)
def test_nothing_else_with_a_name_is_a_constant(body: str, code: str) -> None:
    assert of_body(body) == [code]


@pytest.mark.parametrize(
    "body", ["add.u64 %rd1, %rd1+8, %rd2+0;", "st.global.u32 [t], %r1+-1;", "setp.eq.u16 %p, %h1+1, 3;"]
)
def test_an_integer_register_plus_a_number_is_read(body: str) -> None:
    """The manual does not have it; ptxas takes it."""
    assert of_body(body) == []


@pytest.mark.parametrize("access", ["ld.b32 %r1, [{}];", "ld.volatile.b32 %r1, [{}];", "atom.add.u32 %r1, [{}], 1;"])
def test_names_of_const_and_param_have_no_generic_address(access: str) -> None:
    assert of_body(access.format("cv")) == of_body(access.format("cv+4")) == of_body(access.format("p")) == ["PTX207"]
    assert of_body(access.format("sv")) == of_body(access.format("gv")) == []


@pytest.mark.parametrize("type_", ["f16", "f16x2"])
def test_oob_saturates_halves(type_: str) -> None:
    register = "%r" if type_ == "f16x2" else "%h"
    operands = ", ".join(f"{register}{i}" for i in (1, 2, 3, 4))
    assert of_body(f"fma.rn.oob.sat.{type_} {operands};") == []
    assert of_body(f"fma.rn.oob.b{type_} {operands};") == []
    for order in ("oob.sat", "sat.oob"):
        assert of_body(f"fma.rn.{order}.b{type_} {operands};") == ["PTX201"]


FOUR, TWO, ONE = "{%r1, %r2, %r3, %r4}", "{%r1, %r2}", "{%r1}"


@pytest.mark.parametrize("operation", ["xor", "and"])
@pytest.mark.parametrize(
    "shape, operands, target",
    [
        ("m8n8k32", f"{TWO}, {ONE}, {ONE}, {TWO}", "sm_75"),
        ("m16n8k32", f"{FOUR}, {TWO}, {ONE}, {FOUR}", "sm_80"),
        ("m16n8k64", f"{FOUR}, {FOUR}, {TWO}, {FOUR}", "sm_80"),
    ],
)
def test_mma_of_4_bits_by_operations_of_bits(operation: str, shape: str, operands: str, target: str) -> None:
    version = "6.5" if target == "sm_75" else "7.0"

    def of(types: str, finite: str = "") -> list[str]:
        op = f"mma.sync.aligned.{shape}.row.col{finite}.s32.{types}.s32.{operation}.popc"
        return of_body(f"{op} {operands};", version=version, target=target)

    assert of("s4.s4") == of("s4.u4") == of("u4.u4") == []
    assert of("s4.s4", ".satfinite") == ["PTX201"]


@pytest.mark.parametrize("words", ["", ".weak", ".weak.shared::cluster", ".shared::cluster"])
def test_st_async_of_16_bytes(words: str) -> None:
    body = f"st.async{words}.mbarrier::complete_tx::bytes.b128 [%r1], %q, [%r2];"
    registers = ".reg .b32 %r<3>; .reg .b128 %q;"
    assert of_body(body, version="9.2", registers=registers) == []
    assert of_body(body, version="9.1", registers=registers) == ["PTX411"]


@pytest.mark.parametrize(
    "register, codes",
    [
        (".v4 .u16", []), (".v2 .u16", []), (".v4 .u8", []), (".v4 .f32", []), (".v2 .b64", []), (".b32", []),
        (".v4 .b64", ["PTX107"]), (".pred", ["PTX305"]), (".u16", ["PTX305"]), (".u8", ["PTX305"]),
    ],
)  # fmt: skip
def test_registers_of_calls(register: str, codes: list[str]) -> None:
    assert errors(kernel("", before=f".func g(.reg {register} a) {{ ret; }}")) == codes
    assert errors(kernel("", before=f".func (.reg {register} a) g() {{ ret; }}")) == codes


def test_local_variables_stand_in_functions() -> None:
    assert errors(kernel("", before=".local .b32 x;")) == ["PTX106"]
    assert errors(kernel(".local .b32 x;\nst.local.b32 [x], 1;")) == []
    old = ".target sm_20\n.local .b32 x;\n.entry k() { st.local.b32 [x], 1; ret; }\n"
    assert errors(f".version 2.3\n{old}") == []
    assert errors(f".version 3.0\n{old}") == ["PTX106"]


def test_mad_without_rounding_ended_with_3_1() -> None:
    old = ".target sm_20\n.entry k() { .reg .f32 a; mov.f32 a, 0f3F800000; mad.ftz.f32 a, a, a, a; ret; }\n"
    assert errors(f".version 3.1\n{old}") == []
    assert errors(f".version 3.2\n{old}") == ["PTX413"]


@pytest.mark.parametrize("target, codes", [("sm_75", []), ("sm_80", []), ("sm_90", ["PTX404"])])
def test_addresses_of_32_bits(target: str, codes: list[str]) -> None:
    body = "ld.param.u32 %r1, [p]; st.global.u32 [%r1], 1;"
    text = kernel(body, ".param .u32 p", registers=".reg .b32 %r<3>;", target=target)
    assert errors(text.replace(".address_size 64", ".address_size 32")) == codes


def test_the_metadata_of_a_sparse_mma_may_be_a_list_of_one() -> None:
    """As CUTLASS writes it (cute/arch/mma_sm120_sparse.hpp)."""
    op = "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32"
    sums, four = "{%f1, %f2, %f3, %f0}", "{%r1, %r2, %r3, %r4}"
    assert of_body(f"{op} {sums}, {four}, {four}, {sums}, {{%r5}}, 0;") == []
    assert of_body(f"{op} {sums}, {four}, {four}, {sums}, {{%r5, %r6}}, 0;") == ["PTX204"]
