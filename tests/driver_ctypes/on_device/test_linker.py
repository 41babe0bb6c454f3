"""Linking several programs into one, on the device under test: with logs, errors at the user's lines, and limits."""

from __future__ import annotations

import pickle

import pytest

import driver_ctypes as dc
from driver_ctypes.modules import jitlog, linker
from driver_ctypes.session.session import Session
from tests.driver_ctypes.kit import words
from tests.ptxgen.emulated_driver.scenarios.linking import BAD, CALLS, HEAD, OWN, TWICE, WEAK

CALLS_TEXT, TWICE_TEXT, WEAK_TEXT, BAD_TEXT = (text.decode() for text in (CALLS, TWICE, WEAK, BAD))


def word_after(context, function, *args):
    """The first word of a buffer after one launch."""
    with context.alloc(256) as buffer:
        context.memset(buffer, 0, 64, 4)
        function.launch(1, 1, buffer, *[value.to_bytes(4, "little") for value in args])
        return words(context, buffer, 1)[0]


def test_a_call_across_inputs(context):
    with context.linker() as linker:
        linker.add(CALLS_TEXT, name="calls.ptx")
        linker.add(TWICE_TEXT, name="twice.ptx")
        linked = linker.complete()
        assert linker.complete() is linked
    assert linked.image.startswith(b"\x7fELF")
    with context.load(linked.image) as module:
        assert module.function_names() == ("calls",)
        assert [size for _offset, size in module.function("calls").parameters] == [8, 4]
        assert word_after(context, module.function("calls"), 21) == 142


SCALED = (
    HEAD.decode()
    + """.visible .entry scaled(.param .u64 .ptr .global .align 4 out, .param .f32 a, .param .f32 b)
{
    .reg .f32 %f<3>; .reg .u64 %d<2>;
    ld.param.u64 %d1, [out]; ld.param.f32 %f1, [a]; ld.param.f32 %f2, [b];
    mul.rn.f32 %f1, %f1, %f2;
    st.global.f32 [%d1], %f1;
    ret;
}
"""
)


def test_kernels_keep_the_signatures_of_their_ptx(context, tmp_path):
    (tmp_path / "scaled.ptx").write_text(SCALED)
    for linked in (
        dc.link(context, [SCALED, TWICE_TEXT]),
        dc.link(context, [TWICE_TEXT], files=[tmp_path / "scaled.ptx"]),
    ):
        assert list(linked.signatures) == ["scaled"]
        kept = pickle.loads(pickle.dumps(linked.image))
        assert (kept, kept.heads) == (linked.image, linked.image.heads)
        for image, signatures in ((linked.image, {}), (kept, {}), (bytes(linked.image), linked.signatures)):
            with context.load(image, signatures=signatures) as module:
                function = module.function("scaled")
                assert str(function.signature) == "(out: pointer, a: f32, b: f32)"
                with context.alloc(256) as out:
                    function.launch(1, 1, out, 1.5, 2.0)
                    assert words(context, out, 1) == [0x40400000]
        with context.load_library(linked.image) as library:
            assert str(library.kernel("scaled").signature) == "(out: pointer, a: f32, b: f32)"


def test_a_cubin_whose_dynamic_shared_memory_was_moved_is_refused(context, monkeypatch):
    monkeypatch.setattr(
        linker, "misplaced_shared", lambda image, ptx: {"calls": (64, 1024)} if CALLS_TEXT in ptx else {}
    )
    with pytest.raises(dc.LinkError, match=r"of calls 64 bytes behind the start .* declares \.align 1024") as caught:
        dc.link(context, [CALLS_TEXT, TWICE_TEXT])
    assert "compiles as a whole" in caught.value.hint
    assert dc.link(context, [TWICE_TEXT]).image


def test_no_call_fails_while_parameters_are_asked_for(context, monkeypatch):
    """compute-sanitizer reports each call that fails."""
    failed = []
    answer = Session.try_call

    def spy(session, symbol, *args):
        code = answer(session, symbol, *args)
        failed.extend([symbol] if code else [])
        return code

    monkeypatch.setattr(Session, "try_call", spy)
    linked = dc.link(context, [SCALED])
    with context.load(SCALED) as whole, context.load(linked.image) as module, context.load_library(SCALED) as library:
        for kernel in (whole.function("scaled"), module.function("scaled"), library.kernel("scaled")):
            assert [size for _offset, size in kernel.parameters] == [8, 4, 4]
    assert failed == []


def test_resources_of_what_was_compiled(context):
    linked = dc.link(context, [CALLS_TEXT, TWICE_TEXT])
    assert any("calls" in message.text for message in linked.messages)
    assert linked.warnings == ()
    with context.load(linked.image) as module:
        used = module.function("calls").resources  # of a binary: the driver tells
    assert used.registers > 0


def test_names_of_their_own_do_not_meet(context):
    one, two = (HEAD.decode() + OWN.format(value=v, name=n) for v, n in ((1, "one"), (2, "two")))
    with context.load(dc.link(context, [one, two]).image) as module:
        assert [word_after(context, module.function(name)) for name in ("one", "two")] == [1, 2]


def test_a_weak_definition_gives_way(context):
    for order in ([CALLS_TEXT, WEAK_TEXT, TWICE_TEXT], [TWICE_TEXT, CALLS_TEXT, WEAK_TEXT]):
        with context.load(dc.link(context, order).image) as module:
            assert word_after(context, module.function("calls"), 21) == 142


def test_what_is_defined_nowhere(context):
    with pytest.raises(dc.LinkError, match=r"Undefined reference to 'twice' in 'calls\.ptx'") as caught:
        with context.linker() as linker:
            linker.add(CALLS_TEXT, name="calls.ptx")
            linker.complete()
    assert caught.value.function == "cuLinkComplete"
    assert caught.value.undefined[0] == "twice"
    assert "add the input that defines twice" in str(caught.value)


def test_what_is_defined_twice(context):
    wrong = "Multiple definition of 'twice' in 'input 2', first defined in 'input 1'"
    with pytest.raises(dc.LinkError, match=wrong) as caught:
        dc.link(context, [TWICE_TEXT, TWICE_TEXT])
    assert set(caught.value.defined_twice) == {"twice", "shift"}


@pytest.mark.parametrize(
    "symbol, code, log, expected",
    [
        ("cuLinkComplete", 999, "error   : Undefined reference to 'twice' in 'a'", dc.LinkError),
        ("cuLinkComplete", 300, "error   : Undefined reference to 'twice' in 'a'", dc.LinkError),
        ("cuModuleLoadDataEx", 999, "error   : Undefined reference to 'twice' in 'a'", dc.LinkError),
        ("cuLinkAddData_v2", 999, "fatal   : Could not find fatbin in 'a'", dc.LinkError),
        ("cuLinkAddData_v2", 218, "ptxas a, line 2; error   : Unknown symbol 'x'", dc.JitError),
        ("cuModuleLoadDataEx", 999, "fatal   : unexpected archive format", dc.JitError),
        ("cuLinkComplete", 999, "", dc.CudaError),
        ("cuLinkComplete", 2, "error   : no memory", dc.OutOfMemoryError),
    ],
)
def test_the_log_decides_what_a_failure_is_whatever_the_code(context, symbol, code, log, expected):
    logs = jitlog.Logs({})
    logs._errors.value = log.encode()
    error = jitlog.compile_error(context, symbol, code, logs)
    assert type(error) is expected
    assert (error.code, log in str(error).replace("error: ", "error   : ").replace("fatal: ", "fatal   : ")) == (
        code, "line 2" not in log
    )  # fmt: skip
    if "Undefined" in log:
        assert error.undefined == ("twice",)


def test_an_error_names_the_input_the_line_and_the_user_s_line(context):
    with context.linker() as linker, pytest.raises(dc.JitError) as caught:
        linker.add(TWICE_TEXT)
        linker.add(BAD_TEXT, name="bad.ptx", line_map=lambda line: f"kernel.py:{line * 10}")
    error = caught.value
    assert error.messages[0].line in (7, 8)
    assert "linking bad.ptx" in str(error)
    assert f"from kernel.py:{error.messages[0].line * 10}" in str(error)
    assert BAD_TEXT.splitlines()[error.messages[0].line - 1] in error.ptx_lines()


def test_files(context, tmp_path):
    ptx, cubin = tmp_path / "calls.ptx", tmp_path / "twice.cubin"
    ptx.write_text(CALLS_TEXT)
    with context.linker() as linker:
        linker.add_file(ptx)
        linker.add(TWICE_TEXT)
        cubin.write_bytes(linker.complete().image)
    with context.linker() as linker:
        with pytest.raises(dc.JitError, match=r"twice\.cubin"):  # what is linked already cannot be linked again
            linker.add_file(cubin)
        with pytest.raises(dc.NotFoundError, match=r"nowhere\.ptx"):
            linker.add_file(tmp_path / "nowhere.ptx")
        with pytest.raises(dc.NotFoundError, match="no file"):
            linker.add_file(tmp_path / "program")
        (tmp_path / "program").write_bytes(b"")
        with pytest.raises(dc.ArgumentError, match="does not say what it is"):
            linker.add_file(tmp_path / "program")


def test_a_linker_that_has_linked_takes_nothing_more(context):
    with context.linker() as linker:
        linker.add(TWICE_TEXT)
        linker.complete()
        with pytest.raises(dc.ArgumentError, match="linked already"):
            linker.add(CALLS_TEXT)
    with pytest.raises(dc.ClosedError, match="linker is closed"):
        linker.complete()


@pytest.mark.parametrize(
    "use, kind, message",
    [
        (lambda linker: linker.add(TWICE_TEXT, kind="wasm"), dc.ArgumentError, "no input is of kind 'wasm'"),
        (lambda linker: linker.add(7), dc.ArgumentTypeError, "not int"),
        (lambda linker: linker.add(b"\x7fELF" + bytes(20)), dc.ArgumentError, "truncated"),
    ],
    ids=["kind", "type", "truncated"],
)
def test_wrong_inputs(context, use, kind, message):
    with context.linker() as linker, pytest.raises(kind, match=message):
        use(linker)
