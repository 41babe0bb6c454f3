"""The attributes of launches, by name: what they may be, and that they reach the driver on every path."""

from __future__ import annotations

import gc

import pytest

import driver_ctypes as dc
from driver_ctypes.abi.structs import CUlaunchAttributeValue
from tests.driver_ctypes.conftest import PTX as FAKE_PTX
from tests.driver_ctypes.conftest import SIGNATURES as FAKE_SIGNATURES
from tests.driver_ctypes.kit import words

PLAIN = [
    {"programmatic": True},
    {"priority": -1},
    {"carveout": 50},
    {"domain": 1},
    {"domain_map": (0, 1)},
    {"cluster_policy": "balance"},
    {"cluster": 1, "preferred_cluster": (2, 1, 1)},
    {"nvlink_balance": True},
    {"programmatic": True, "priority": 0, "carveout": 0, "domain": 0, "cluster_policy": "spread"},
]


@pytest.mark.parametrize("attributes", PLAIN, ids=lambda attributes: " ".join(attributes))
def test_launches_take_them_bound_or_not(context, bump, stream, x, attributes):
    bump.launch(2, 1, x, 0, 1, stream=stream, **attributes)
    launch = bump.bind(2, 1, stream=stream, **attributes)
    for _ in range(3):
        launch(x, 1, 1)
    stream.synchronize()  # CTAs of one launch add to one word without order
    assert [value > 0 for value in words(context, x, 4)] == [True, True, False, False]


def test_l2_gets_a_window(context, bump, stream, x):
    for window in (dc.AccessWindow(x), dc.AccessWindow(x.pointer, 8, 0.5, "streaming", "normal")):
        bump.launch(1, 1, x, 0, 1, stream=stream, access_window=window)
    assert words(context, x, 1) == [2]


def test_launches_record_events(context, bump, stream, x):
    with context.event(timing=False) as begun, context.event(timing=False) as triggered, context.stream() as side:
        bump.launch(1, 1, x, 0, 1, stream=stream, completion_event=begun, programmatic_event=triggered)
        bump.bind(1, 1, stream=stream, programmatic_event=(triggered, True))(x, 0, 1)
        for event in (begun, triggered):
            side.wait(event)
            event.synchronize()
        stream.synchronize()
    assert words(context, x, 1) == [2]


WRONG = [
    ({"colour": 1}, "launches have no attribute 'colour'(.|\n)*there are: access_window, cluster_policy"),
    ({"updatable": True}, "launches have no attribute 'updatable'"),
    ({"programmatic": 2}, "programmatic=2 is not True or False"),
    ({"priority": 99}, "priority=99 is not a whole number from -5 to 0"),
    ({"carveout": 101}, "carveout=101 is not a whole number from 0 to 100"),
    ({"carveout": 0.5}, "carveout=0.5 is not a whole number"),
    ({"domain": 2}, "domain=2 is not a whole number from 0 to 1"),
    ({"domain_map": 1}, r"domain_map=1 is not the domains \(default, remote\)"),
    ({"cluster_policy": "quick"}, "cluster_policy='quick' is not one of default, spread, balance"),
    ({"preferred_cluster": 2}, r"the preferred cluster \(2, 1, 1\) is not a multiple of cluster=None"),
    ({"cluster": 1, "preferred_cluster": 3}, r"the preferred cluster \(3, 1, 1\) does not divide grid \(2, 1, 1\)"),
    ({"preferred_cluster": 0}, "is not one to three positive numbers of CTAs"),
    ({"access_window": 5}, "access_window=5 is not a driver_ctypes.AccessWindow"),
    ({"access_window": dc.AccessWindow(4096)}, "a window of at most"),
    ({"access_window": dc.AccessWindow(4096, 64, 1.5)}, "a ratio from 0 to 1"),
    ({"access_window": dc.AccessWindow(4096, 64, 1.0, "persisting", "persisting")}, "miss= normal or streaming"),
    ({"completion_event": 5}, "an event of this context without timing"),
]


@pytest.mark.parametrize(
    "attributes, text", WRONG, ids=lambda value: " ".join(value) if isinstance(value, dict) else ""
)
def test_what_they_cannot_be_is_said(bump, stream, x, attributes, text):
    for use in (lambda: bump.launch(2, 1, x, 0, 1, stream=stream, **attributes), lambda: bump.bind(2, 1, **attributes)):
        with pytest.raises(dc.LaunchConfigError, match=text):
            use()


def test_events_have_no_timing_and_are_open(context, bump, x):
    with context.event() as timed, pytest.raises(dc.LaunchConfigError, match=r"context.event\(timing=False\)"):
        bump.launch(1, 1, x, 0, 1, completion_event=timed)
    event = context.event(timing=False)
    event.close()
    with pytest.raises(dc.ClosedError):
        bump.launch(1, 1, x, 0, 1, programmatic_event=event)


def test_a_bound_launch_keeps_what_its_attributes_use(context, bump, stream, x):
    event = context.event(timing=False)
    launch = bump.bind(1, 1, stream=stream, completion_event=event)
    events = context.live_handles()["event"]
    del event
    gc.collect()
    launch(x, 0, 1)
    assert context.live_handles()["event"] == events
    stream.synchronize()
    del launch
    gc.collect()
    assert context.live_handles().get("event", 0) == events - 1


@pytest.mark.parametrize("attribute", ["completion_event", "programmatic_event"])
def test_a_bound_launch_refuses_a_closed_event(context, bump, stream, x, attribute):
    event = context.event(timing=False)
    launch = bump.bind(1, 1, stream=stream, **{attribute: event})
    for _ in range(3):
        launch(x, 0, 1)
    event.close()
    for _ in range(2):
        with pytest.raises(dc.ClosedError, match="this event is closed"):
            launch(x, 0, 1)


def test_nodes_of_captured_launches_have_them(context, bump, stream, x):
    with stream.capture() as capture:
        bump.launch(1, 1, x, 0, 1, stream=stream, priority=-2, carveout=25)
        bump.launch(1, 1, x, 0, 1, stream=stream, programmatic=True, domain=1)
    with capture.graph as graph:
        first, second = graph.nodes()
        assert first.attributes == {"priority": -2, "carveout": 25}
        assert second.attributes == {"domain": 1}
        assert [edge.when for edge in graph.edges()] == ["triggered"]


def test_a_captured_event_of_a_launch_makes_a_programmatic_edge(context, bump, stream, x):
    with context.event(timing=False) as event, context.stream() as side, stream.capture() as capture:
        bump.launch(1, 1, x, 0, 1, stream=stream, programmatic_event=event)
        side.wait(event)
        bump.launch(1, 1, x, 1, 1, stream=side)
        stream.wait(side.record(context.event(timing=False)))
    with capture.graph as graph:
        assert [edge.when for edge in graph.edges()] == ["triggered"]
        with graph.instantiate() as execution:
            execution.launch(stream)
            assert words(context, x, 2) == [1, 1]


def test_nodes_made_by_hand_take_windows_too(context, bump, x):
    with context.graph() as graph:
        node = graph.kernel(bump, 1, 1, x, 0, 1, access_window=dc.AccessWindow(x, 8), priority=-1)
        window = node.read().attributes["access_window"]
        assert (window.memory, window.nbytes, window.hit) == (x.pointer, 8, "persisting")
        with pytest.raises(dc.LaunchConfigError, match="kernel nodes have no attribute 'programmatic'"):
            graph.kernel(bump, 1, 1, x, 0, 1, programmatic=True)


def test_a_fault_names_them(context, bump):
    config = str(bump.bind(1, 1, carveout=10).__doc__)
    assert "carveout=10" in config


# --- what the driver is told, byte by byte ----------------------------------------------------------------------------


@pytest.fixture
def saxpy(fake):
    context = fake.open().device(0).primary_context()
    yield context.load(FAKE_PTX, signatures=FAKE_SIGNATURES).function("saxpy")
    context.close()


def value_of(field, value):
    made = CUlaunchAttributeValue()
    setattr(made, field, value)
    return bytes(made)


def test_every_path_hands_the_same_attributes_over(fake, saxpy):
    attributes = {"cooperative": True, "carveout": 40, "programmatic": True}
    with saxpy.context.stream() as stream:
        launch = saxpy.bind(1, 32, stream=stream, **attributes)
        for _ in range(3):  # checked, then quick
            launch(1, 1.0, 0, 0)
        saxpy.launch(1, 32, 1, 1.0, 0, 0, stream=stream, **attributes)
        saxpy.launch(1, 32, 1, 1.0, 0, 0, stream=stream)
    passed = {
        2: value_of("cooperative", 1),
        14: value_of("sharedMemCarveout", 40),
        6: value_of("programmaticStreamSerializationAllowed", 1),
    }
    assert [launch.attributes for launch in fake.launches] == [passed] * 4 + [{}]


def test_an_old_driver_is_named(fake):
    fake.version = 11080
    context = fake.open().device(0).primary_context()
    saxpy = context.load(FAKE_PTX, signatures=FAKE_SIGNATURES).function("saxpy")
    with pytest.raises(dc.NotAvailableError, match=r"'domain' needs a driver for CUDA 12.0; .* is for 11.8"):
        saxpy.launch(1, 32, 1, 1.0, 0, 0, domain=1)
    context.close()
