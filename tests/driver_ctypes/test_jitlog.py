"""The PTX compiler's messages, as recorded from driver 580, and a load that fails with them."""

import json
from pathlib import Path

import pytest

import driver_ctypes as dc
from driver_ctypes.modules import jitlog

RECORDED = json.loads((Path(__file__).parent / "data" / "jit_logs.json").read_text())
ABORTED = ("fatal", None, "Ptx assembly aborted due to errors")

MESSAGES = {
    "missing_semicolon": [("fatal", 8, "Parsing error near 'ret': syntax error"), ABORTED],
    "type_mismatch": [("error", 8, "Arguments mismatch for instruction 'add'"), ABORTED],
    "undefined_label": [("error", 6, "Unknown symbol 'NOWHERE'"), ABORTED],
    "undefined_reg": [
        ("error", 6, "Arguments mismatch for instruction 'add'"),
        ("error", 6, "Unknown symbol '%f1'"),
        ("error", 6, "Unknown symbol '%f0'"),
        ("error", 6, "Unknown symbol '%f0'"),
        ABORTED,
    ],
    "unknown_op": [("error", 7, "Not a name of any known instruction: 'frob'"), ABORTED],
    "version_too_new": [("fatal", 1, "Unsupported .version 9.9; current version is '9.0'")],
    "wgmma_on_sm80": [("error", 6, "Instruction 'wgmma.fence' not supported on .target 'sm_80'"), ABORTED],
    "old_version": [
        ("error", 6, "Feature 'WGMMA' requires PTX ISA .version 8.0 or later"),
        ("error", 2, "PTX .version 7.0 does not support .target sm_90a"),
        ABORTED,
    ],
    "newer_target": [("fatal", None, "SM version specified by .target is higher than default SM version assumed")],
    "two_errors": [
        ("error", 8, "Arguments mismatch for instruction 'add'"),
        ("error", 9, "Unknown symbol 'NOWHERE'"),
        ABORTED,
    ],
    "dup_label": [("error", 7, "Duplicate definition of label 'L1'"), ABORTED],
    "empty": [("error", None, "Binary format for key='0', ident='' is not recognized")],
    "garbage": [("error", None, "Binary format for key='0', ident='' is not recognized")],
    "ok": [],
    "smem_over": [],
}


@pytest.mark.parametrize("case", RECORDED)
def test_messages(case):
    assert [tuple(message) for message in jitlog.parse(RECORDED[case]["error_log"])] == MESSAGES[case]


def test_resources_of_a_module_that_compiled():
    assert jitlog.resources(RECORDED["ok"]["info_log"]) == {"k": dc.Resources(registers=4)}
    assert jitlog.resources(RECORDED["smem_over"]["info_log"])["k"].shared == 65536


def test_resources_of_several_kernels_with_spills():
    log = (
        "ptxas info    : Compiling entry function 'a' for 'sm_90'\n"
        "ptxas info    : Function properties for a\n"
        "ptxas         .     48 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
        "ptxas info    : Used 255 registers, used 1 barriers, 48 bytes cumulative stack size, 400 bytes cmem[0]\n"
        "ptxas info    : Compiling entry function 'b' for 'sm_90'\n"
        "ptxas info    : Used 8 registers, used 0 barriers, 380 bytes cmem[0], 8 bytes cmem[2]\n"
    )
    assert jitlog.resources(log) == {
        "a": dc.Resources(255, 1, constant=400, stack=48, spill_stores=12, spill_loads=16),
        "b": dc.Resources(8, 0, constant=388),
    }


def test_warnings_keep_their_line_and_unknown_lines_continue_a_message():
    log = "ptxas application ptx input, line 24; warning : Unaligned access\n  see manual\nptxas warning : slow"
    assert jitlog.parse(log) == (
        ("warning", 24, "Unaligned access; see manual"),
        ("warning", None, "slow"),
    )
    assert str(jitlog.parse(log)[0]) == "warning (line 24): Unaligned access; see manual"


@pytest.mark.parametrize("case", [case for case in RECORDED if RECORDED[case]["rc"]])
def test_a_refused_module_raises_with_log_messages_and_lines(fake, context, case):
    recorded = RECORDED[case]
    fake.jit_answers[recorded["ptx"]] = (recorded["rc"], recorded["error_log"], recorded["info_log"])
    with pytest.raises(dc.JitError) as caught:
        context.load(recorded["ptx"])
    error = caught.value
    assert error.code == recorded["rc"]
    assert error.log == recorded["error_log"]
    assert [tuple(message) for message in error.messages] == MESSAGES[case]
    lines = recorded["ptx"].splitlines()
    for severity, line, text in MESSAGES[case]:
        if line is not None:
            assert f"{severity}: {text}" in str(error)
            assert f"> {line:5} | {lines[line - 1]}" in str(error)


def test_the_error_shows_the_ptx_line_and_the_source_place(fake, context):
    recorded = RECORDED["two_errors"]
    fake.jit_answers[recorded["ptx"]] = (218, recorded["error_log"], "")
    with pytest.raises(dc.JitError) as caught:
        context.load(recorded["ptx"], line_map=lambda line: f"gemm.py:{70 + line}" if line == 8 else None)
    assert str(caught.value) == (
        "cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_PTX (218)\n"
        "  error: Arguments mismatch for instruction 'add'\n"
        "          7 |   .reg .u32 %r<2>;\n"
        "    >     8 |   add.f32 %f1, %f0, %r1;\n"
        "          9 |   bra NOWHERE;\n"
        "      from gemm.py:78\n"
        "  error: Unknown symbol 'NOWHERE'\n"
        "          8 |   add.f32 %f1, %f0, %r1;\n"
        "    >     9 |   bra NOWHERE;\n"
        "         10 |   ret;\n"
        "  Fix: see the messages above"
    )
    assert caught.value.ptx_lines(context=0).count("|") == 2


def test_messages_on_one_line_share_its_excerpt(fake, context):
    recorded = RECORDED["undefined_reg"]
    fake.jit_answers[recorded["ptx"]] = (218, recorded["error_log"], "")
    with pytest.raises(dc.JitError) as caught:
        context.load(recorded["ptx"])
    assert str(caught.value).count(">     6 |") == 1
    assert str(caught.value).count("Unknown symbol") == 3


def test_a_log_longer_than_the_first_buffer_is_asked_for_again(fake, context):
    line = "ptxas application ptx input, line 1; error   : Unknown symbol 'x'\n"
    fake.jit_answers[".bad"] = (218, line * 1000, "")
    with pytest.raises(dc.JitError) as caught:
        context.load(".bad")
    assert len(caught.value.messages) == 1000
    assert fake.counts["cuModuleLoadDataEx"] == 2


def test_a_loaded_module_tells_what_the_compiler_said(fake, context):
    recorded = RECORDED["ok"]
    fake.jit_answers[recorded["ptx"]] = (0, "", recorded["info_log"])
    module = context.load(recorded["ptx"])
    assert module.resources["k"].registers == 4
    assert module.info_log == recorded["info_log"]
    assert {message.severity for message in module.messages} == {"info"}
