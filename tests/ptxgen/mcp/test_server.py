"""The server for coding agents, asked by a real client over standard input and output."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("mcp", reason="`ptxgen mcp` needs the extra mcp")

import anyio
from mcp import Client, StdioServerParameters

from tests.ptxgen.hunt.kernels import DEADLOCK, ORDERED, RACE, scaled

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[3]


class Answer:
    """Of a tool: `told` is an error's text, `result` the structured content."""

    def __init__(self, raw: Any) -> None:
        self.failed: bool = raw.is_error
        self.result: dict[str, Any] = raw.structured_content or {}
        self.told: str = raw.content[0].text if raw.content else ""


def ask(folder: Path, calls: Sequence[tuple[str, dict[str, Any]]]) -> list[Answer]:
    """A session: the answers to these calls."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "ptxgen", "mcp", "--root", str(folder)],
        env={**os.environ, "PYTHONPATH": path},
    )

    async def session() -> list[Answer]:
        async with Client(server) as client:
            return [Answer(await client.call_tool(name, given)) for name, given in calls]

    return anyio.run(session)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("programs") / "below"
    found.mkdir()
    (found / "race.ptx").write_text(RACE)
    (found / "notes.txt").write_text("nothing of PTX")
    (found.parent / "outside.ptx").write_text(RACE)
    (found / "link.ptx").symlink_to(found.parent / "outside.ptx")
    return found


def test_the_tools_announce_what_they_take_and_give() -> None:
    from ptxgen.mcp import make_server
    from ptxgen.mcp.worker import ToolProcess

    process = ToolProcess()
    try:
        tools = anyio.run(make_server("1.2.3", process).list_tools)
    finally:
        process.close()
    assert [tool.name for tool in tools] == ["check", "explain", "run", "diff", "hunt", "emit", "stat"]
    for tool in tools:
        assert tool.description
        assert tool.output_schema is not None
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
    assert set(tools[0].input_schema["properties"]) == {"ptx", "path", "style"}


def test_a_session_with_every_tool(folder: Path) -> None:
    mended = ORDERED.replace("mov.u32 %t, %tid.x", "mov.u32 %t, %laneid")
    before = sorted(folder.rglob("*"))
    check, broken, explain, run, fault, diff, hunt, emit, stat = ask(
        folder,
        [
            ("check", {"path": "race.ptx"}),
            ("check", {"ptx": "no module"}),
            ("explain", {"name": "PTX507"}),
            ("run", {"ptx": scaled(), "arguments": ["3", "ones:f32:4", "zeros:f32:4"], "block": "4"}),
            ("run", {"ptx": DEADLOCK, "arguments": ["zeros:u32:64"], "block": "64"}),
            ("diff", {"first_ptx": ORDERED, "second_ptx": mended}),
            ("hunt", {"path": "race.ptx", "arguments": ["zeros:u32:64"], "grid": "1", "cases": 1}),
            ("emit", {"variant": "saxpy/f32", "target": "sm_80"}),
            ("stat", {"ptx": ORDERED}),
        ],
    )
    assert [each.failed for each in (check, broken, explain, run, fault, diff, hunt, emit, stat)] == [False] * 9
    assert [each["code"] for each in check.result["diagnostics"]] == ["PTX507"]
    assert (check.result["ok"], check.result["warnings"]) == (True, 1)
    assert (broken.result["ok"], broken.result["diagnostics"][0]["code"]) == (False, "PTX105")
    assert explain.result["found"]
    assert [array["values"] for array in run.result["arrays"]] == [[1, 1, 1, 1], [2, 2, 2, 0]]
    assert run.result["findings"] == []
    assert [found["rule"] for found in fault.result["findings"]] == ["deadlock/divergent"]
    assert (diff.result["same"], sum(diff.result["counts"].values())) == (False, len(diff.result["changes"]))
    assert hunt.result["findings"][-1]["rule"].startswith("race/")
    assert hunt.result["findings"][-1]["steps"][0]["places"][0]["file"] == "race.ptx"
    assert emit.result["ptx"].startswith(".version")
    assert stat.result["functions"][0]["name"] == "shared"
    assert sorted(folder.rglob("*")) == before, "a tool writes nothing"


def test_errors_are_errors_of_the_tool_with_our_messages(folder: Path) -> None:
    calls: list[tuple[str, dict[str, Any], str]] = [
        ("check", {"path": "../outside.ptx"}, "../outside.ptx is outside the working folder"),
        ("check", {"path": "/etc/passwd"}, "/etc/passwd is outside the working folder"),
        ("check", {"path": "link.ptx"}, "link.ptx is outside the working folder"),
        ("check", {"path": "notes.txt"}, "notes.txt is no .ptx file"),
        ("check", {"path": "a\0b.ptx"}, "is no path"),
        ("check", {}, "give either ptx, the text, or path, a file"),
        ("check", {"ptx": "x" * ((4 << 20) + 1)}, "4194304 is the most"),
        ("explain", {"name": "../../etc/passwd"}, "is no name of PTX"),
        ("run", {"ptx": scaled(), "arguments": ["3"]}, "scaled has 3: n, x, out"),
        (
            "run",
            {"ptx": scaled(), "arguments": ["3", "../x.npy", "zeros:f32:4"]},
            "../x.npy is outside the working folder",
        ),
        ("run", {"ptx": RACE, "arguments": ["zeros:u32:64"], "seconds": 1e9}, "less than or equal to 120"),
        ("hunt", {"ptx": RACE, "arguments": ["x=/x.npy:f32"]}, "/x.npy is outside the working folder"),
        ("hunt", {"ptx": RACE, "entry": "other"}, "has no kernel 'other'"),
        ("emit", {"variant": "saxpy/none"}, "the library has no 'saxpy/none'"),
        ("emit", {"variant": "saxpy/f32", "target": "sm_1"}, "sm_1"),
        ("nothing", {}, "nothing"),
    ]
    answers = ask(folder, [(name, given) for name, given, _ in calls])
    for (_, _, said), answer in zip(calls, answers):
        assert answer.failed
        assert said in answer.told


@pytest.mark.parametrize(
    "body, limit, said",
    [
        ("import time; time.sleep(60)", 0.3, "gave no answer within 0.3 seconds"),
        ("import os; os.abort()", 30.0, "SIGABRT"),
        ("raise ValueError('a mistake of ours')", 30.0, "exit status 1"),
    ],
)
def test_a_tool_that_hangs_or_crashes_ends_alone(
    monkeypatch: pytest.MonkeyPatch, body: str, limit: float, said: str
) -> None:
    from ptxgen.mcp import worker

    begin = "import sys; sys.path.insert(0, sys.argv[1])\nfrom ptxgen.assembler.worker import serve\n"
    start = f"{begin}def answer(request):\n {body}\nserve(answer)"
    monkeypatch.setattr(worker, "_START", start)
    process = worker.ToolProcess(1)
    try:
        with pytest.raises(worker.ToolFailed, match=said):
            process.call("check", {}, limit)
    finally:
        process.close()


def test_an_answer_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from ptxgen.mcp import worker

    monkeypatch.setattr(worker, "MOST_CHARACTERS", 100)
    process = worker.ToolProcess(1)
    try:
        with pytest.raises(worker.ToolFailed, match="100 is the most"):
            process.call("explain", {"name": "mbarrier.init"}, 60.0)
    finally:
        process.close()
