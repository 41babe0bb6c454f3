"""Mistakes of which the message must name the right thing, and say what helps."""

import pickle

import numpy as np
import pytest

import driver_ctypes as dc
from tests.driver_ctypes.conftest import PTX


class Answers:
    """An object that says its stream in this way."""

    def __init__(self, said):
        self.said = said

    def __cuda_stream__(self):
        return self.said


@pytest.mark.parametrize(
    "stream, kind, message",
    [
        (-1, dc.ArgumentRangeError, "stream: -1 is outside 0 to 18446744073709551615"),
        (1 << 64, dc.ArgumentRangeError, "stream: 18446744073709551616 is outside"),
        ((1 << 64) + 4096, dc.ArgumentRangeError, "stream: .* is outside"),
        (np.int64(-1), dc.ArgumentRangeError, "stream: -1 is outside"),
        (1.5, dc.ArgumentTypeError, "float is not a stream"),
        (Answers(5), dc.ArgumentTypeError, r"Answers.__cuda_stream__ gave 5, which is not a pair \(0, CUstream\)"),
        (Answers((0, 1, 2)), dc.ArgumentTypeError, "not a pair"),
        (Answers((0, 1.5)), dc.ArgumentTypeError, "stream: expected an integer, found float 1.5"),
        (Answers((0, -1)), dc.ArgumentRangeError, "stream: -1 is outside"),
        (Answers((1, 4096)), dc.ArgumentTypeError, "version 1 of __cuda_stream__; 0 is known"),
    ],
)
def test_what_is_no_stream(context, saxpy, stream, kind, message):
    buffer = context.alloc(8)
    for use in (
        lambda: saxpy.launch(1, 1, 1, 1.0, buffer, buffer, stream=stream),
        lambda: saxpy.bind(1, 1, stream=stream),
        lambda: context.memset(buffer, 0, 8, stream=stream),
        lambda: context.event().record(stream),
    ):
        with pytest.raises(kind, match=message):
            use()


def test_numpy_s_integers_are_stream_handles(context):
    stream = context.stream()
    assert context.stream_from(np.uint64(stream.handle)).handle == stream.handle
    assert context.stream_from(np.int64(0)) is context.default_stream


def jit_error(fake, context, text, line_map=None):
    answer = f"ptxas application ptx input, line 2; fatal   : {text}\n"
    image = PTX + "// refused"
    fake.jit_answers[image] = (218, answer, "")
    with pytest.raises(dc.JitError) as caught:
        context.load(image, line_map=line_map)
    return caught.value


def test_a_line_map_that_raises_hides_no_message(fake, context):
    error = jit_error(fake, context, "Unknown symbol 'x'", line_map=lambda line: line / 0)
    assert "Unknown symbol 'x'" in str(error)
    assert "from an unknown place: the line map raised ZeroDivisionError: division by zero" in str(error)


def test_a_jit_error_crosses_to_other_processes(fake, context):
    error = jit_error(fake, context, "Unknown symbol 'x'", line_map=lambda line: f"source.py:{line}")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.places) == (dc.JitError, str(error), {2: "source.py:2"})
    assert again.messages == error.messages


def test_the_semicolon_is_spoken_of_after_syntax_errors_only(fake, context):
    assert "semicolon" in (jit_error(fake, context, "Parsing error near 'ret': syntax error").hint or "")
    assert jit_error(fake, context, "SM version specified by .target is higher").hint == "see the messages above"


def test_contexts_of_one_device_are_told_apart(context):
    own = dc.Context(context.device, 0x1234, primary=False)
    assert repr(context) == "<Context of <Device fake:0>>"
    assert repr(own) == "<Context 0x1234 of <Device fake:0>>"
    with pytest.raises(
        dc.ArgumentError, match="lives on <Context of <Device fake:0>>, and is used on <Context 0x1234"
    ) as e:
        own.memset(context.alloc(4), 0, 4)
    assert "enable_peers" not in e.value.hint
    with pytest.raises(
        dc.ArgumentError, match=r"another context than <Context 0x1234 .*\n  Fix: make it by context\.stream"
    ):
        own.stream_from(context.stream())


@pytest.mark.parametrize(
    "args, hint",
    [
        ((-1, 1.0, 0, 0), "pass its bits: value & 0xffffffff"),
        ((1 << 32, 1.0, 0, 0), "use a wider parameter"),
        ((1, 1.0, -8, 0), "an address is not negative"),
        ((1, 1.0, 1 << 64, 0), "no parameter is wider: pass it in parts, or in memory"),
    ],
)
def test_a_number_outside_its_parameter(saxpy, args, hint):
    with pytest.raises(dc.ArgumentRangeError, match="is outside") as caught:
        saxpy.launch(1, 1, *args)
    assert caught.value.hint == hint


def test_a_destination_with_gaps_is_not_told_to_be_copied(context):
    with pytest.raises(dc.ArgumentError, match="copy into a C-contiguous and writable array, and that one into this"):
        context.copy_to_host(np.zeros((4, 4), np.uint8)[:, ::2], context.alloc(8))


@pytest.mark.parametrize(
    "call",
    [
        lambda c: dc.link(c, PTX),
        lambda c: dc.link(c, PTX.encode()),
        lambda c: dc.link(c, [], files="a.cubin"),
        lambda c: dc.try_targets(c, "sm_75"),
        lambda c: c.loadable_target("sm_75"),
        lambda c: dc.try_targets(c, 75),
    ],
)
def test_one_where_several_are_asked_for(context, call):
    with pytest.raises(dc.ArgumentTypeError, match=r"is not a list\n  Fix: put it into one: \[it\]"):
        call(context)
