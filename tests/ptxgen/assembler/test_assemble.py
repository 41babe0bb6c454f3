"""PTX to cubin with the real nvJitLink, and, where there is one, the real ptxas."""

import struct

import pytest

from driver_ctypes.modules.jitlog import resources
from ptxgen.assembler import (
    AssembleError,
    AssemblerMissing,
    assemble_many,
    assemblers,
)

pytestmark = pytest.mark.usefixtures("assembler")

TOOLS = ["nvjitlink", "ptxas"]


@pytest.fixture(params=TOOLS)
def tool(request):
    if not any(each.available for each in assemblers() if each.name == request.param):
        pytest.skip("no ptxas here: it comes with the CUDA toolkit, or pip install nvidia-cuda-nvcc")
    return request.param


def program(*body, target="sm_75", version="8.7"):
    """A module with one kernel around `body`, whose first line is line 9."""
    return "\n".join(
        [
            f".version {version}",
            f".target {target}",
            ".address_size 64",
            ".visible .entry kernel(.param .u64 out)",
            "{",
            ".reg .b32 %r<4>;",
            ".reg .b64 %rd<4>;",
            "ld.param.u64 %rd1, [out];",
            *body,
            "ret;",
            "}",
            "",
        ]
    )


def refusal(assembler, *body, **how):
    """(message, lines) of each message of the error that a program brings."""
    target = how.pop("assemble_for", None)
    options = {key: how.pop(key) for key in ("tool", "options") if key in how}
    with pytest.raises(AssembleError) as caught:
        assembler(program(*body, **how), target, **options)
    return [(each.message, [place.line for place in each.locations]) for each in caught.value.diagnostics]


def sm_of(cubin):
    """The architecture in a cubin's ELF header: the low byte of the flags, or, since ABI 8, the second."""
    assert cubin[:4] == b"\x7fELF"
    (flags,) = struct.unpack_from("<I", cubin, 48)
    return {flags & 0xFF, flags >> 8 & 0xFF}


@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120"])
def test_a_module_is_assembled_for_its_own_target(assembler, target, tool):
    done = assembler(program("st.global.u32 [%rd1], 7;", target=target), tool=tool)
    assert int(target.strip("sm_a")) in sm_of(done.cubin)
    assert (done.target, done.tool, done.messages) == (target, tool, ())


def test_or_for_a_newer_one(assembler, tool):
    assert 90 in sm_of(assembler(program("st.global.u32 [%rd1], 7;"), "sm_90", tool=tool).cubin)


def test_bytes_and_comments_before_the_directives_are_fine(assembler):
    text = "// .target sm_999\n/* .target\nsm_998 */\n" + program("mov.u32 %r1, 1; // one")
    assert assembler(text.encode()).target == "sm_75"


def test_the_log_says_what_a_function_uses(assembler, tool):
    text = program("st.global.u32 [%rd1], 7;")
    assert "Used" not in assembler(text, tool=tool).log
    used = resources(assembler(text, tool=tool, verbose=True).log)
    assert list(used) == ["kernel"]
    assert 2 <= used["kernel"].registers <= 32
    assert (used["kernel"].stack, used["kernel"].spill_stores, used["kernel"].shared) == (0, 0, 0)


def test_options_reach_the_tool(assembler, tool):
    loud = {"nvjitlink": "-verbose", "ptxas": "-v"}[tool]
    done = assembler(program("st.global.u32 [%rd1], 7;"), options=[loud, "-O0"], tool=tool)
    assert any("registers" in message.message for message in done.messages)
    assert all(message.severity == "info" for message in done.messages)


def test_a_warning_is_a_message_of_a_success(assembler):
    done = assembler(program(), options=["-maxrregcount=16"])
    assert [(each.severity, "lower bound of 24" in each.message) for each in done.messages] == [("warning", True)]


# ---- what is refused -------------------------------------------------------------------------------------------------


def test_every_error_comes_with_its_line(assembler, tool):
    assert refusal(assembler, "mov.u64 %r1, 3;", "foo.u32 %r1, 3;", tool=tool) == [
        ("Arguments mismatch for instruction 'mov'", [9]),
        ("Not a name of any known instruction: 'foo'", [10]),
    ]


def test_the_error_shows_the_text_of_the_line_and_keeps_the_log(assembler):
    with pytest.raises(AssembleError) as caught:
        assembler(program("add.u32 %r1, %r2, %x9;"), name="sum.ptx")
    assert "sum.ptx:9        add.u32 %r1, %r2, %x9;" in str(caught.value)
    assert ", line 9; error   : Unknown symbol '%x9'" in caught.value.log


def test_a_missing_semicolon_is_shown_where_it_is_missing(assembler, tool):
    body = ("mov.u32 %r1, 3  // three", "", "mov.u32 %r2, 3;")
    assert refusal(assembler, *body, tool=tool) == [("Parsing error near 'mov': syntax error", [9, 11])]


def test_another_syntax_error_stays_where_it_is(assembler):
    assert refusal(assembler, "mov.u32 %r2, 3;", "mov.u32 %r1 3;") == [
        ("Parsing error near '3': syntax error", [10]),
    ]


def test_an_instruction_that_the_target_lacks(assembler, tool):
    assert refusal(assembler, "wgmma.fence.sync.aligned;", tool=tool) == [
        ("Instruction 'wgmma.fence' not supported on .target 'sm_75'", [9]),
    ]


def test_a_target_older_than_the_module_s(assembler, tool):
    ((message, lines),) = refusal(assembler, target="sm_90", assemble_for="sm_80", tool=tool)
    assert "higher than default SM version" in message
    assert lines == []


def test_an_architecture_specific_module_for_another_architecture(assembler):
    ((message, _),) = refusal(assembler, target="sm_90a", assemble_for="sm_100")
    assert "cannot be compiled to future architecture" in message


def test_a_version_that_the_tool_does_not_know(assembler, tool):
    with pytest.raises(AssembleError, match=r"Unsupported .version 99.0(.|\n)*newer nvidia-nvjitlink"):
        assembler(program(version="99.0"), tool=tool)


def test_an_optimisation_level_that_nvjitlink_does_not_have(assembler):
    with pytest.raises(AssembleError, match=r'unsupported value of -O: 1(.|\n)*"-O0",\) or \("-O3"'):
        assembler(program(), tool="nvjitlink", options=["-O1"])


def test_an_option_that_nobody_knows(assembler, tool):
    ((message, _),) = refusal(assembler, options=["-frobnicate"], tool=tool)
    assert "frobnicate" in message


def test_an_unknown_target_is_answered_with_the_tool_s_range(assembler):
    with pytest.raises(AssemblerMissing, match=r"knows sm_33(.|\n)*nvjitlink .*: sm_75, sm_80.*sm_90 \(a\)"):
        assembler(program(), "sm_33")


@pytest.mark.parametrize("text", ["", "hello", ".version 8.0\n// .target sm_80\n"])
def test_a_text_without_a_target(assembler, text):
    with pytest.raises(AssembleError, match=r"module.ptx has no .target directive"):
        assembler(text)


def test_a_text_that_is_no_ptx(assembler, tool):
    with pytest.raises(AssembleError, match=r"bad input|Missing .version"):
        assembler("hello", "sm_80", tool=tool)


def test_a_nul_character_would_hide_what_follows_it(assembler):
    with pytest.raises(AssembleError, match=r"module.ptx:9 has a NUL character"):
        assembler(program("\0 foo;"))


@pytest.mark.parametrize(
    "how, complaint",
    [
        ({"target": "90a"}, "expected something like 'sm_80' or 'sm_90a'"),
        ({"tool": "gas"}, "no assembler is called 'gas'"),
        ({"tool": "/nowhere/libnvJitLink.so.13"}, r"no such file: /nowhere(.|\n)*pip install nvidia-nvjitlink"),
        ({"tool": "/nowhere/ptxas"}, "No such file or directory"),
    ],
)
def test_wishes_that_cannot_be_met(assembler, how, complaint):
    with pytest.raises(AssembleError, match=complaint):
        assembler(program(), **how)


# ---- batches and tools -----------------------------------------------------------------------------------------------


def test_a_batch_keeps_its_order_and_each_item_its_result(assembler, tool):
    good, bad = program("mov.u32 %r1, 1;"), program("mov.u64 %r1, 1;")
    results = assemble_many([good, (good, "sm_90"), bad, (good, "sm_33"), good.encode()], tool=tool)
    kinds = [getattr(result, "target", type(result).__name__) for result in results]
    assert kinds == ["sm_75", "sm_90", "AssembleError", "AssemblerMissing", "sm_75"]


def test_the_same_program_gives_the_same_cubin(assembler, tool):
    text = program("st.global.u32 [%rd1], 7;", target="sm_90a")
    assert len({each.cubin for each in assemble_many([text] * 6, tool=tool)}) == 1


def test_what_is_listed_can_be_used(assembler):
    usable = [each for each in assemblers() if each.available]
    kinds = [each.name for each in usable]
    assert kinds == sorted(kinds, key="ptxas nvjitlink".split().index), "whole programs first"
    for each in usable:
        assert {"sm_75", "sm_80", "sm_90a"} <= set(each.targets)
        assert assembler(program(), tool=each).version == each.version == assembler(program(), tool=each.path).version
