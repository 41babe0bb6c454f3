"""What an editor sends and gets back, by the Debug Adapter Protocol."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest

from ptxgen.cli.cmd_dap import started
from ptxgen.debugger.adapter import wire
from ptxgen.debugger.adapter.requests import CAPABILITIES
from ptxgen.debugger.adapter.server import serve
from tests.ptxgen.debugger.conftest import LOOP, line_of

pytestmark = pytest.mark.cpu_only


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "loop.ptx"
    path.write_text(LOOP)
    return str(path)


def talk(*requests: tuple[str, dict]) -> list[dict]:
    """The messages of a server for these requests, which it gets at once."""
    source, sink = io.BytesIO(), io.BytesIO()
    for number, (command, arguments) in enumerate(requests, 1):
        wire.write(source, {"seq": number, "type": "request", "command": command, "arguments": arguments})
    source.seek(0)
    serve(source, sink, started)
    sink.seek(0)
    found = []
    while (message := wire.read(sink)) is not None:
        found.append(message)
    assert [each["seq"] for each in found] == list(range(1, len(found) + 1))
    return found


def launch(program: str, **more: object) -> tuple[str, dict]:
    return ("launch", {"program": program, "arguments": ["zeros:u32:64", 5], "block": 64, **more})


def bodies(messages: list[dict], command: str) -> list[dict]:
    return [each.get("body", {}) for each in messages if each.get("command") == command]


def events(messages: list[dict], name: str) -> list[dict]:
    return [each["body"] for each in messages if each.get("event") == name]


def test_a_session_from_launch_to_end(program):
    adds = line_of("add.u32 %r3")
    told = talk(
        ("initialize", {"adapterID": "ptxgen"}),
        launch(program, stopOnEntry=False),
        ("setBreakpoints", {"source": {"path": program}, "breakpoints": [{"line": adds, "condition": "%r1 == 3"}]}),
        ("setFunctionBreakpoints", {"breakpoints": [{"name": "nowhere"}]}),
        ("configurationDone", {}),
        ("threads", {}),
        ("stackTrace", {"threadId": 1}),
        ("scopes", {"frameId": 1}),
        ("variables", {"variablesReference": 1}),
        ("variables", {"variablesReference": 2}),
        ("evaluate", {"expression": "%r2 + 1", "frameId": 1, "context": "watch"}),
        ("setBreakpoints", {"source": {"path": program}, "breakpoints": []}),
        ("continue", {"threadId": 1}),
        ("disconnect", {}),
    )  # fmt: skip
    assert bodies(told, "initialize") == [CAPABILITIES]
    assert [len(events(told, name)) for name in ("initialized", "stopped", "terminated")] == [1, 1, 2]
    assert bodies(told, "setBreakpoints")[0]["breakpoints"][0]["verified"]
    assert "no line and no function" in bodies(told, "setFunctionBreakpoints")[0]["breakpoints"][0]["message"]
    assert events(told, "stopped")[0]["reason"] == "breakpoint"
    assert events(told, "stopped")[0]["hitBreakpointIds"] == [1]
    assert [each["name"] for each in bodies(told, "threads")[0]["threads"]] == [
        "CTA (0, 0, 0) warp 0",
        "CTA (0, 0, 0) warp 1",
    ]
    frame = bodies(told, "stackTrace")[0]["stackFrames"][0]
    assert (frame["line"], frame["source"]["path"]) == (adds, program)
    own, warp = bodies(told, "variables")
    (row,) = [row for row in own["variables"] if row["name"] == "%r1"]
    assert (row["value"], row["type"]) == ("3", "b32")
    assert next(row for row in warp["variables"] if row["name"] == "%r1")["indexedVariables"] == 32
    assert bodies(told, "evaluate")[0]["result"] == "7"


def test_steps_forward_and_back_and_watchpoints(program):
    told = talk(
        launch(program),
        ("configurationDone", {}),
        ("stepIn", {"threadId": 1}),
        ("next", {"threadId": 1, "granularity": "instruction"}),
        ("stepBack", {"threadId": 1}),
        ("dataBreakpointInfo", {"name": "shared.u32[tile]"}),
        ("dataBreakpointInfo", {"name": "1 + 1"}),
        ("setDataBreakpoints", {"breakpoints": [{"dataId": "shared.u32[tile]"}]}),
        ("continue", {"threadId": 1}),
        ("reverseContinue", {"threadId": 1}),
        ("stepOut", {"threadId": 2}),
    )
    assert [each["reason"] for each in events(told, "stopped")] == [
        "entry", "step", "step", "step", "data breakpoint", "entry", "data breakpoint"
    ]  # fmt: skip
    assert [each["dataId"] for each in bodies(told, "dataBreakpointInfo")] == ["shared.u32[tile]", None]
    assert "st.shared.u32" in "".join(each["output"] for each in events(told, "output"))


def test_commands_and_changes(program):
    told = talk(
        launch(program),
        ("configurationDone", {}),
        ("evaluate", {"expression": "stepi 3", "context": "repl"}),
        ("setVariable", {"variablesReference": 1, "name": "%r1", "value": "7 * 2"}),
        ("evaluate", {"expression": "%r1", "context": "hover"}),
        ("completions", {"text": "reverse-c", "column": 10}),
        ("source", {"sourceReference": 1}),
    )
    assert "step 3" in bodies(told, "evaluate")[0]["result"]
    assert bodies(told, "setVariable") == [{"value": "14"}]
    assert bodies(told, "evaluate")[1]["result"] == "14"
    assert {"label": "reverse-continue"} in bodies(told, "completions")[0]["targets"]
    assert "call (%r2), twice, (%r1);" in bodies(told, "source")[0]["content"]


@pytest.mark.parametrize(
    "request_, message",
    [
        (("threads", {}), "nothing is launched yet"),
        (("fly", {}), "'fly' is not answered"),
        (("launch", {}), "a program, a grid and a block"),
        (("launch", {"program": "no.ptx"}), "no file no.ptx"),
        (("launch", {"program": "no.ptx", "shared": "x"}), "wrong arguments"),
    ],
)
def test_a_request_that_is_wrong_is_told_and_the_server_goes_on(request_, message):
    *_, answer, last = talk(request_, ("initialize", {}))
    assert not answer["success"]
    assert message in answer["message"]
    assert last["success"]


def test_messages_are_framed():
    stream = io.BytesIO(b"X: 1\r\ncontent-length: 2\r\n\r\n{}Content-Length: 9\r\n\r\n{")
    assert wire.read(stream) == {}
    assert wire.read(stream) is None
    with pytest.raises(ValueError, match="bytes"):
        wire.read(io.BytesIO(b"Content-Length: 999999999999\r\n\r\n"))


def test_pause_interrupts_a_kernel_that_does_not_end(tmp_path):
    path = tmp_path / "forever.ptx"
    path.write_text(".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\nL: bra L;\n}\n")
    process = subprocess.Popen([sys.executable, "-m", "ptxgen", "dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        for command, arguments in (
            ("launch", {"program": str(path), "block": 1, "stopOnEntry": False}), ("configurationDone", {}), ("pause", {}),
        ):  # fmt: skip
            wire.write(process.stdin, {"seq": 1, "type": "request", "command": command, "arguments": arguments})
            while (message := wire.read(process.stdout)) is not None and message.get("command") != command:
                if message.get("event") == "stopped":
                    break
        wire.write(process.stdin, {"seq": 9, "type": "request", "command": "disconnect"})
        assert process.wait(60) == 0


def test_the_extension_of_vs_code_starts_it():
    with open("tools/editors/vscode/package.json") as file:
        contributed = json.load(file)["contributes"]
    (kind,) = contributed["debuggers"]
    assert kind["type"] == "ptxgen"
    assert {"program", "arguments", "grid", "block", "stopOnEntry"} <= set(
        kind["configurationAttributes"]["launch"]["properties"]
    )
    assert {"language": "ptx"} in contributed["breakpoints"]
