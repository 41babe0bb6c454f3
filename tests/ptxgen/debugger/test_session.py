"""A launch under the debugger: where it stops, and what is there to see."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f32, u32
from tests.ptxgen.debugger.conftest import line_of

pytestmark = pytest.mark.cpu_only


def test_it_begins_before_the_first_instruction(loop):
    session = loop()
    assert (session.stop.why, session.step_number) == ("start", 0)
    assert session.stop.instruction.text.startswith("ld.param.u64")
    assert not session.out.numpy().any()


def test_without_breakpoints_it_runs_to_the_end(loop):
    session = loop(n=3)
    assert session.resume().why == "end"
    assert session.out.numpy()[:4].tolist() == [6, 6, 4, 6]
    assert session.thread is None
    with pytest.raises(px.DebugError, match="the launch has ended"):
        session.resume()


def test_a_breakpoint_stops_a_warp_before_the_instruction(loop):
    session = loop()
    point = session.breakpoint(line_of("add.u32 %r3"))
    stop = session.resume()
    assert (stop.why, stop.breakpoints, point.hits) == ("breakpoint", (point,), 1)
    assert stop.instruction.text == "add.u32 %r3, %r3, %r2;"
    assert session.thread["%r2"] == 0
    assert session.thread["%r3"] == 0


def test_a_condition_is_asked_in_each_thread(loop):
    session = loop(n=20)
    session.breakpoint("twice", "v >= 19 and %laneid == 0")
    stop = session.resume()
    assert session.thread.lane == 0
    assert session.thread["v"] == 19
    assert stop.thread.tid == (0, 0, 0)


def test_a_line_is_named_by_file_or_by_number_or_by_function(loop):
    session = loop()
    line = line_of("bar.sync")
    for where in (line, str(line), f"ptx:{line}", f"loop.ptx:{line}"):
        assert session.breakpoint(where).instructions == session.breakpoint(line).instructions
    assert session.breakpoint(line_of("L1:")).instructions == session.breakpoint(line_of("call")).instructions
    for where, message in (("nowhere", "no line and no function"), (99, "no code"), ("other.py:3", "no code of k")):
        with pytest.raises(px.DebugError, match=message):
            session.breakpoint(where)


def test_a_breakpoint_of_one_stop_and_one_that_lets_some_pass(loop):
    session = loop(n=4)
    session.breakpoint("twice", once=True)
    session.resume()
    assert session.breakpoints == []
    session.breakpoint("twice", ignore=1)
    assert session.resume().why == "breakpoint"
    assert session.thread["v"] == 2


def test_steps_follow_one_thread_into_and_over_functions(loop):
    session = loop()
    session.until(line_of("call"))
    assert session.step().instruction.function == "twice"
    assert [frame.function for frame in session.thread.stack] == ["twice", "k"]
    assert session.thread.stack[1].instruction.text.startswith("call")
    assert session.finish().instruction.text == "add.u32 %r3, %r3, %r2;"
    session.until(line_of("call"))
    assert session.next().instruction.function == "k"


def test_until_leaves_a_loop(loop):
    session = loop(n=9)
    session.until(line_of("@%p1 bra"))
    stop = session.until()
    assert stop.instruction.text == "mov.u32 %r4, %tid.x;"
    assert session.thread["%r1"] == 9


def test_a_thread_that_exits_ends_its_steps(loop):
    session = loop(block=64)
    session.focus(warp=1)
    assert session.finish().why == "exited"
    assert session.thread.state.index == 0
    assert session.finish().why == "end"


def test_registers_of_a_warp(loop):
    session = loop(n=5)
    session.until(line_of("st.shared"))
    rows = {row.name: row for row in session.warp.registers()}
    assert rows["%r5"].values == tuple(4 * lane for lane in range(32))
    assert rows["%r1"].values[:7] == (5, 5, 5, 5, 5, 6, 7)
    assert rows["%p1"].values[0] is False
    assert "%f1" not in rows, "nobody has written it"
    assert session.thread["%f1"] is None
    assert session.thread.registers()["%r6"] == 5


def test_memory_by_state_space(loop):
    session = loop(n=3)
    session.until(line_of("bar.sync"))
    thread = session.thread
    assert thread.read("shared", 0, "u32", 3) == [6, 6, 4]
    assert thread.evaluate("shared.u32[tile:tile+12]") == [6, 6, 4]
    assert thread.evaluate("local.u32[own + 4]") == 6
    assert thread.evaluate("n") == 3
    assert thread.evaluate("param.u32[8]") == 3
    assert thread.evaluate("global.u32[out]") == 0
    assert session.focus(lane=2).evaluate("local.u32[own+4]") == 4
    for wrong, message in (("shared.u32[1000]", "has 256 bytes"), ("global.u32[16]", "in no allocation")):
        with pytest.raises(px.DebugError, match=message):
            thread.evaluate(wrong)


def test_a_diverged_warp_shows_who_is_where(loop):
    session = loop(n=8)
    session.breakpoint("twice", "v == 4 and %laneid == 0")
    session.resume()
    positions = session.warp.positions
    assert sum(lanes for _, lanes in positions) == 0xFFFFFFFF
    assert [(each.function, lanes) for each, lanes in positions] == [("twice", 0xF), ("k", 0xFFFFFFF0)]
    assert session.warp.active == 0xF


def test_watchpoints_tell_who_has_written_what(loop):
    session = loop(n=3)
    register = session.watch("%r3")
    stop = session.resume()
    assert (stop.why, stop.changes[0].watchpoint) == ("watchpoint", register)
    assert stop.by.text == "add.u32 %r3, %r3, %r2;"
    assert (session.resume().changes[0].before, session.stop.changes[0].after) == (2, 6)
    session.delete(register.number)
    session.watch("global.u32[out:out+128]")
    stop = session.resume()
    assert stop.by.text == "st.global.u32 [%rd2], %r3;"
    assert "[0] 0 -> 6, [1] 0 -> 6, [2] 0 -> 4" in str(stop)


def test_waiting_threads_and_barriers(loop):
    session = loop(block=64)
    session.focus(warp=1)
    session.until(line_of("bar.sync"))
    (cta,) = session.ctas
    assert [(each.number, each.arrived) for each in cta.barriers] == [(0, 32)]
    assert [warp.state.waiting for warp in session.warps] == [0xFFFFFFFF, 0]
    assert session.focus(warp=0).waits


def test_what_is_changed_by_hand_is_seen_by_the_kernel_and_by_runs_again(loop):
    session = loop(n=3)
    session.until(line_of("st.global"))
    moment = session.step_number
    session.thread.write("%r3", 77)
    session.thread.write("global.u32[out + 4 * 31]", 5)
    session.stepi()
    assert session.out.numpy()[[0, 1, 31]].tolist() == [77, 6, 62]
    session.goto(0)
    assert not session.out.numpy().any()
    session.resume()
    assert session.out.numpy()[0] == 77
    session.goto(moment)
    with pytest.raises(px.DebugError, match=r"no value of \.b32"):
        session.thread.write("%r3", 1 << 40)


def test_a_fault_and_a_deadlock_are_stops():
    dev = px.device("cpu")

    @px.kernel
    def beyond(k: px.Builder, x: px.ptr[f32]):
        x[k.tid.x * (1 << 28)] = 1.0

    with px.debug(beyond[1, 4], dev.zeros(4, f32)) as session:
        stop = session.resume()
        assert stop.why == "fault"
        assert "illegal address" in str(stop)
        assert session.thread.lane == 1
        assert stop.instruction.text.startswith("st.global")
        session.goto(0)
        assert session.resume().why == "fault"

    @px.kernel
    def alone(k: px.Builder, x: px.ptr[f32]):
        with k.if_(k.tid.x < 32):
            k.ptx.barrier.sync(0, 128)

    with px.debug(alone[1, 64], dev.zeros(4, f32)) as session:
        assert "deadlock" in str(session.resume())
        assert session.thread.waits


def test_a_loop_that_nothing_ends_stops_after_a_time():
    dev = px.device("cpu")

    @px.kernel
    def forever(k: px.Builder, x: px.ptr[u32]):
        with k.while_():
            x[0] = 1

    with px.debug(forever[1, 1], dev.zeros(1, u32)) as session:
        assert session.resume(timeout=0.05).why == "interrupted"
        assert session.stepi().why == "step"


def test_python_lines():
    dev = px.device("cpu")

    @px.kernel
    def add(k: px.Builder, x: px.ptr[f32], y: px.ptr[f32]):
        i = k.global_id.x
        total = x[i] + 1.0
        y[i] = total * 2.0

    first = add._function.__code__.co_firstlineno
    x, y = dev.array(np.arange(32, dtype=np.float32)), dev.zeros(32, f32)
    with px.debug(add[1, 32], x, y) as session:
        session.breakpoint(f"{__file__}:{first + 3}")
        assert session.resume().instruction.line[1] == first + 3
        assert session.stop.instruction.source_text == "total = x[i] + 1.0"
        assert session.step().instruction.line[1] == first + 4
        assert session.resume().why == "end"
    assert y.numpy()[3] == 8.0


INLINED = """\
.version 7.0
.target sm_80
.address_size 64
.file 1 "sum.cu"
.file 2 "tools.h"
.visible .entry k(.param .u64 out)
{
	.reg .b64 %rd1; .reg .b32 %r<4>;
	.shared .align 4 .b8 _ZZ1kE4part[128];
	.loc 1 5 1
	mov.u32 %r1, %tid.x;
	.loc 2 80 1, function_name NAME, inlined_at 1 6 3
	shl.b32 %r2, %r1, 2;
	.loc 2 81 1, function_name NAME, inlined_at 1 6 3
	add.u32 %r2, %r2, 4;
	.loc 1 7 1
	st.shared.u32 [_ZZ1kE4part+8], %r2;
	.loc 1 8 1
	ret;
}
.section .debug_str { NAME: .b8 0 }
"""


def test_lines_whose_code_is_inlined_and_names_as_in_c():
    kernel = px.device("cpu").load(px.parse(INLINED, name="sum.ptx"))["k"]
    with px.debug(kernel.launch, 1, 1, (0,)) as session:
        session.breakpoint("6")  # of sum.cu, whose line it is, though most code has one of tools.h too
        stop = session.resume()
        assert stop.instruction.lines()[:2] == ["  tools.h:80  ", "    inlined at sum.cu:6  "]
        assert session.step().instruction.line == ("tools.h", 81)
        session.reverse_resume()
        assert session.next().instruction.line == ("tools.h", 81)
        session.goto(0)
        assert session.next().instruction.line == ("tools.h", 80)
        session.until("7")
        session.next()
        assert session.evaluate("shared.u32[part + 8]") == 4
        with pytest.raises(px.DebugError, match=r"variable or parameter parts[^$]*_ZZ1kE4part, out"):
            session.evaluate("parts")


def test_nothing_is_left_of_a_closed_session(loop):
    session = loop()
    thread, arena = session.thread, session.execution.arena
    windows = len(arena._windows.spans)
    array = weakref.ref(session.out)
    session.close()
    session.close()
    assert len(arena._windows.spans) < windows
    for use in (session.resume, session.step, session.reverse_step, thread.registers, session.hand):
        with pytest.raises(px.DebugError, match="the session is closed"):
            use()
    del session.out, session, use
    gc.collect()
    assert array() is None


def test_a_session_that_nobody_closes_leaves_nothing_either(loop):
    session = px.debug(*_one_launch())
    spans = session.execution.arena._windows.spans
    before = len(spans)
    del session
    gc.collect()
    assert len(spans) < before


def _one_launch():
    @px.kernel
    def one(k: px.Builder, x: px.ptr[u32]):
        x[0] = 1

    return one[1, 1], px.device("cpu").zeros(1, u32)


def test_a_device_that_is_reset_takes_its_sessions_with_it():
    dev = px.device("cpu:sm_75")

    @px.kernel
    def one(k: px.Builder, x: px.ptr[u32]):
        x[0] = 1

    session = px.debug(one[1, 1], dev.zeros(1, u32))
    dev.reset()
    with pytest.raises(px.DebugError, match="unloaded"):
        session.resume()
    session.close()


def test_an_operation_may_be_debugged_and_later_launches_follow_the_first():
    dev = px.device("cpu")

    @px.kernel
    def increment(k: px.Builder, x: px.ptr[u32]):
        x[0] = x[0] + 1

    @px.kernel
    def double(k: px.Builder, x: px.ptr[u32]):
        x[0] = x[0] * 2

    x = dev.zeros(1, u32)

    def launches() -> None:
        increment[1, 1](x)
        double[1, 1](x)
        increment[1, 1](x)

    with px.debug(launches, kernel="double") as session:
        assert x.numpy()[0] == 1, "the launch before it has run"
        session.resume()
        assert x.numpy()[0] == 2
    assert x.numpy()[0] == 3, "the launch behind it has run"
    with pytest.raises(px.DebugError, match="did not launch a kernel 'other'"):
        px.debug(launches, kernel="other")
    with pytest.raises(px.DebugError, match="did not launch"):
        px.debug(lambda: None)
