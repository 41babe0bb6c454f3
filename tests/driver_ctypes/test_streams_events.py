"""Streams and events."""

import pytest

import driver_ctypes as dc


def test_a_stream(fake, context):
    with context.stream() as stream:
        assert fake.streams == {stream.handle: 1}
        assert stream.query()
        stream.synchronize()
        assert stream.__cuda_stream__() == (0, stream.handle)
    assert fake.streams == {}
    for use in (stream.synchronize, stream.query, stream.record, stream.__cuda_stream__):
        with pytest.raises(dc.ClosedError, match="stream is closed"):
            use()


def test_priority_and_blocking_reach_the_driver(fake, context):
    seen = []
    create = fake.cuStreamCreateWithPriority
    fake.cuStreamCreateWithPriority = lambda out, flags, priority: (
        seen.append((flags, priority)) or create(out, flags, priority)
    )
    context.stream(priority=-3, non_blocking=False)
    assert seen == [(0, -3)]


def test_query_of_a_busy_stream(fake, context, stream):
    fake.fail("cuStreamQuery", 600)
    assert not stream.query()
    assert stream.query()
    fake.fail("cuStreamQuery", 400)
    with pytest.raises(dc.InvalidHandleError):
        stream.query()


def test_the_default_stream(context):
    assert context.default_stream is context.default_stream
    assert context.default_stream.handle == 0
    context.default_stream.close()  # nothing to close
    context.default_stream.synchronize()


class Foreign:
    def __init__(self, version, handle):
        self.answer = version, handle

    def __cuda_stream__(self):
        return self.answer


def test_what_counts_as_a_stream(fake, context, stream):
    assert context.stream_from(None) is context.default_stream
    assert context.stream_from(0) is context.default_stream
    assert context.stream_from(stream) is stream
    assert context.stream_from(0x1234).handle == 0x1234
    assert context.stream_from(Foreign(0, 0x1234)).handle == 0x1234
    context.stream_from(0x1234).close()
    assert fake.counts["cuStreamDestroy_v2"] == 0
    with pytest.raises(dc.ArgumentTypeError, match="str is not a stream"):
        context.stream_from("s")
    with pytest.raises(dc.ArgumentTypeError, match="version 1"):
        context.stream_from(Foreign(1, 5))
    other = fake.open("other").device(0).primary_context()
    with pytest.raises(dc.ArgumentError, match="another context"):
        other.stream_from(stream)


def test_an_event(fake, context, stream):
    event = context.event()
    assert event.record(stream) is event
    assert event.query()
    event.synchronize()
    stream.wait(event)
    assert stream.record().elapsed_ms(event) == 1.5
    event.close()
    for use in (event.synchronize, event.query, event.record, lambda: stream.wait(event)):
        with pytest.raises(dc.ClosedError, match="event is closed"):
            use()


@pytest.mark.parametrize(
    "timing, blocking, flags", [(True, False, 0), (False, False, 2), (True, True, 1), (False, True, 3)]
)
def test_event_flags(fake, context, timing, blocking, flags):
    event = context.event(timing=timing, blocking=blocking)
    assert fake.events[event.handle] == flags


def test_an_event_that_has_not_happened(fake, context):
    event = context.event()
    fake.fail("cuEventQuery", 600)
    assert not event.query()
    fake.fail("cuEventElapsedTime_v2", 600)
    with pytest.raises(dc.NotReadyError, match="synchronize first"):
        event.elapsed_ms(context.event())


def test_an_event_without_timing_has_no_time(context):
    with pytest.raises(dc.ArgumentError, match="timing=False"):
        context.event().elapsed_ms(context.event(timing=False))
