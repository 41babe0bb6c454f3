"""Recorded words of assemblers, and the diagnostics that they become."""

import pytest

from ptxgen.assembler.log import FATAL, parse_log

PTX = "one;\ntwo\n\n// comment\nthree;\n"


def only(log, name="m.ptx"):
    (found,) = parse_log(log, PTX, name)
    return found


def at(line, text, severity="error  "):
    return f"ptxas application ptx input, line {line}; {severity}: {text}"


@pytest.mark.parametrize(
    "line, severity, text, number",
    [
        (at(1, "Arguments mismatch for instruction 'mov'"), "error", "Arguments mismatch for instruction 'mov'", 1),
        ("ptxas /tmp/a, b.ptx, line 5; warning : Unaligned access", "warning", "Unaligned access", 5),
        ("application ptx input, line 5; error   : Unknown symbol 'x'", "error", "Unknown symbol 'x'", 5),
        ("ptxas warning : .debug_info section not found", "warning", ".debug_info section not found", None),
        ("error   : Undefined reference to 'f'", "error", "Undefined reference to 'f'", None),
        ("ERROR NVJITLINK_ERROR_UNRECOGNIZED_ARCH: unknown (compute_33)", "error", "unknown (compute_33)", None),
        ("ERROR 1: bad input: does not match type PTXm.ptx", "error", "bad input: does not match type PTX", None),
        ("unsupported value of -O: 1.", "error", "unsupported value of -O: 1.", None),
    ],
)
def test_a_line_s_severity_text_and_place(line, severity, text, number):
    found = only(line)
    assert (found.severity, found.message) == (severity, text)
    assert [place.line for place in found.locations] == ([number] if number else [])


def test_a_fatal_error_says_that_the_rest_was_not_looked_at():
    assert only(at(1, "Parsing error near 'x': syntax error", "fatal   ")).code == FATAL


def test_what_only_says_that_there_were_errors_is_left_out():
    log = """
        ptxas application ptx input, line 1; error   : Unknown symbol 'x'
        ptxas fatal   : Ptx assembly aborted due to errors
        ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (m.ptx)
    """
    assert only(log).message == "Unknown symbol 'x'"


def test_unless_nothing_else_is_said():
    assert only("ptxas fatal   : Ptx assembly aborted due to errors").is_error


def test_an_information_s_second_line_belongs_to_it():
    log = "ptxas info    : Function properties for k\nptxas         .     0 bytes stack frame, 0 bytes spill stores\n"
    assert only(log).message == "Function properties for k\n0 bytes stack frame, 0 bytes spill stores"


def test_a_message_that_quotes_half_the_program_is_cut():
    log = at(1, "Parsing error near '.pragma \"") + "\nptxas      .  add.u32 %r1, %r1, 1;" * 5_000 + "': syntax error"
    found = only(log)
    assert found.message.startswith("Parsing error near '.pragma \"\nadd.u32 %r1, %r1, 1;\nadd")
    assert len(found.message) < 400


def test_a_missing_semicolon_is_on_the_last_line_with_code():
    found = only(at(5, "Parsing error near 'three': syntax error", "fatal   "))
    assert [(place.line, place.excerpt()) for place in found.locations] == [(2, "two"), (5, "three;")]
    assert found.hint == "line 2 does not end with a semicolon"


def test_a_line_past_the_end_of_the_text_has_no_excerpt():
    (place,) = only(at(99, "Parsing error near '<EOF>'", "fatal   ")).locations
    assert (place.line, place.excerpt()) == (99, "")


# --- what is given up -------------------------------------------------------------------------------------------------

KERNELS = """.version 8.0
.target sm_90a
.visible .entry gemm_2()
{
}
.visible .entry gemm()
{
    // setmaxnreg in a comment
    setmaxnreg.dec.sync.aligned.u32 40;
}
"""


@pytest.mark.parametrize(
    "text, line, hint",
    [
        ("(C7504) Potential Performance Loss: 'setmaxnreg' ignored to maintain compatibility.", 9, None),
        (
            "(C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at entry.",
            9,
            "state it",
        ),
        (
            "(C7512) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register "
            "resources for the wgmma pipeline in the function 'gemm'",
            6,
            "fewer values",
        ),
        (
            "(C7517) warpgroup.wait is injected in around line 4 by compiler to allow use of registers defined by GMMA in "
            "function 'gemm'",
            4,
            "wgmma.wait_group before",
        ),
        (
            "(C7519) warpgroup.arrive is injected in around line 99 by compiler in function 'gemm'",
            99,
            "wgmma.fence before",
        ),
        ("(C7599) something new", None, None),
        (
            "(C7509) Potential Performance Loss: wgmma.mma_async instructions are serialized in the function 'other'",
            None,
            None,
        ),
    ],
)
def test_what_is_given_up_is_a_warning_at_its_place(text, line, hint):
    log = f"ptxas info    : {text}\nptxas info    : 0 bytes gmem\n"
    for whole in (True, False):
        found, rest = parse_log(log, KERNELS, "m.ptx", whole=whole)
        assert (found.code, found.severity, found.message, rest.severity) == ("PTX630", "warning", text, "info")
        assert [place.line for place in found.locations] == ([line] if line else [])
        said = found.hint or ""
        assert ("as a whole" in said) is not whole
        assert (hint or "") in said
