"""A function for each request of the protocol: the adapter and the request's arguments in, the response's body out."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Protocol

from ptxgen.debugger.commands import Commands
from ptxgen.debugger.expressions import Expression
from ptxgen.debugger.values import text_of
from ptxgen.errors import DebugError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.debugger.adapter.scopes import Scopes
    from ptxgen.debugger.points import Stop
    from ptxgen.debugger.session import Session

__all__ = ["CAPABILITIES", "REQUESTS"]

Arguments = dict[str, Any]


class Adapter(Protocol):
    """Who answers: a `server.Adapter`."""

    points: dict[str, list[int]]
    stop_on_entry: bool

    @property
    def session(self) -> Session: ...

    @property
    def scopes(self) -> Scopes: ...

    def launch(self, arguments: Arguments) -> None: ...

    def then(self, work: Callable[[], None]) -> None: ...

    def tell_stop(self, stop: Stop) -> None: ...

    def hold(self, thread: int | None) -> None: ...

    def end(self) -> None: ...


CAPABILITIES = dict.fromkeys(
    (
        "supportsConfigurationDoneRequest", "supportsFunctionBreakpoints", "supportsConditionalBreakpoints",
        "supportsHitConditionalBreakpoints", "supportsEvaluateForHovers", "supportsStepBack", "supportsSetVariable",
        "supportsDataBreakpoints", "supportsSteppingGranularity", "supportsTerminateRequest", "supportsCompletionsRequest",
    ),
    True,
)  # fmt: skip


def _initialize(adapter: Adapter, arguments: Arguments) -> Arguments:
    return dict(CAPABILITIES)


def _launch(adapter: Adapter, arguments: Arguments) -> None:
    adapter.launch(arguments)


def _configuration_done(adapter: Adapter, arguments: Arguments) -> None:
    if adapter.stop_on_entry:
        adapter.then(lambda: adapter.tell_stop(adapter.session.stop))
    else:
        adapter.then(lambda: adapter.tell_stop(adapter.session.resume()))


def _disconnect(adapter: Adapter, arguments: Arguments) -> None:
    adapter.end()


# -- breakpoints ------------------------------------------------------------------------------------------------------


def _set_breakpoints(adapter: Adapter, arguments: Arguments) -> Arguments:
    source = arguments.get("source", {})
    place = source.get("path") or ("ptx" if source.get("sourceReference") else source.get("name", ""))
    rows = [(f"{place}:{each['line']}", each) for each in arguments.get("breakpoints", ())]
    return {"breakpoints": _replaced(adapter, f"file {place}", rows)}


def _set_function_breakpoints(adapter: Adapter, arguments: Arguments) -> Arguments:
    rows = [(each["name"], each) for each in arguments.get("breakpoints", ())]
    return {"breakpoints": _replaced(adapter, "functions", rows)}


def _replaced(adapter: Adapter, group: str, rows: list[tuple[str, Arguments]]) -> list[Arguments]:
    """The breakpoints of a file, or of functions, are these now."""
    session = adapter.session
    told: list[Arguments] = []
    for number in adapter.points.pop(group, []):
        session.delete(number)
    for where, each in rows:
        try:
            hit = str(each.get("hitCondition") or "1").lstrip(">= ")
            ignore = int(hit) - 1 if hit.isdecimal() else 0
            made = session.breakpoint(where, each.get("condition") or None, ignore=max(ignore, 0))
        except DebugError as wrong:
            told.append({"verified": False, "message": str(wrong)})
            continue
        adapter.points.setdefault(group, []).append(made.number)
        line = made.where.rpartition(":")[2]
        row: Arguments = {"verified": True, "id": made.number}
        told.append({**row, "line": int(line)} if line.isdecimal() else row)
    return told


def _data_breakpoint_info(adapter: Adapter, arguments: Arguments) -> Arguments:
    name = arguments.get("name", "")
    try:
        Expression(name).reference(adapter.session.hand())
        adapter.session.hand().place(Expression(name).reference(adapter.session.hand()))
    except DebugError as wrong:
        return {"dataId": None, "description": str(wrong)}
    return {"dataId": name, "description": name, "accessTypes": ["write"]}


def _set_data_breakpoints(adapter: Adapter, arguments: Arguments) -> Arguments:
    session = adapter.session
    told: list[Arguments] = []
    session.watchpoints.clear()
    for each in arguments.get("breakpoints", ()):
        try:
            made = session.watch(each["dataId"], each.get("condition") or None)
            told.append({"verified": True, "id": made.number})
        except DebugError as wrong:
            told.append({"verified": False, "message": str(wrong)})
    return {"breakpoints": told}


# -- running ----------------------------------------------------------------------------------------------------------


def _moves(plain: Callable[[Session], Stop], single: Callable[[Session], Stop] | None = None) -> Callable[..., Any]:
    """A request on which the launch goes on; `single` is for steps by one instruction. The stop is told by an event."""

    def request(adapter: Adapter, arguments: Arguments) -> Arguments:
        adapter.hold(arguments.get("threadId"))
        by_one = single is not None and arguments.get("granularity") == "instruction"
        move = single if single is not None and by_one else plain
        adapter.then(lambda: adapter.tell_stop(move(adapter.session)))
        return {"allThreadsContinued": True}

    return request


# -- looking ----------------------------------------------------------------------------------------------------------


def _threads(adapter: Adapter, arguments: Arguments) -> Arguments:
    return {"threads": adapter.scopes.threads()}


def _stack_trace(adapter: Adapter, arguments: Arguments) -> Arguments:
    frames = adapter.scopes.stack(arguments["threadId"])
    first, levels = arguments.get("startFrame") or 0, arguments.get("levels") or len(frames)
    return {"stackFrames": frames[first : first + levels], "totalFrames": len(frames)}


def _scopes(adapter: Adapter, arguments: Arguments) -> Arguments:
    return {"scopes": adapter.scopes.scopes(arguments["frameId"])}


def _variables(adapter: Adapter, arguments: Arguments) -> Arguments:
    rows = adapter.scopes.variables(arguments["variablesReference"])
    first, count = arguments.get("start") or 0, arguments.get("count") or len(rows)
    return {"variables": rows[first : first + count]}


def _set_variable(adapter: Adapter, arguments: Arguments) -> Arguments:
    thread = adapter.session.hand()
    thread.write(arguments["name"], thread.evaluate(arguments["value"]))
    return {"value": text_of(thread.lookup(arguments["name"]))}


def _evaluate(adapter: Adapter, arguments: Arguments) -> Arguments:
    text = arguments["expression"]
    if arguments.get("context") == "repl" and hasattr(Commands, f"do_{Commands.command_of(text)}"):
        out = io.StringIO()
        before = adapter.session.stop
        Commands(adapter.session, out, io.StringIO()).onecmd(text)
        if adapter.session.stop is not before:
            adapter.then(lambda: adapter.tell_stop(adapter.session.stop))
        return {"result": out.getvalue().rstrip("\n"), "variablesReference": 0}
    found = adapter.scopes.frame(arguments.get("frameId")).evaluate(text)
    shown = ", ".join(map(text_of, found)) if isinstance(found, list) else text_of(found)
    return {"result": shown, "variablesReference": 0}


def _completions(adapter: Adapter, arguments: Arguments) -> Arguments:
    text = arguments["text"][: arguments.get("column", 1) - 1].rpartition(" ")[2]
    reader = Commands(adapter.session, io.StringIO(), io.StringIO())
    return {"targets": [{"label": name} for name in (*reader.completenames(text), *reader.completedefault(text))]}


def _source(adapter: Adapter, arguments: Arguments) -> Arguments:
    return {"content": "\n".join(adapter.session.program.listing), "mimeType": "text/x-ptx"}


REQUESTS: dict[str, Callable[[Adapter, Arguments], Arguments | None]] = {
    "initialize": _initialize,
    "launch": _launch,
    "configurationDone": _configuration_done,
    "disconnect": _disconnect,
    "terminate": _disconnect,
    "setBreakpoints": _set_breakpoints,
    "setFunctionBreakpoints": _set_function_breakpoints,
    "setExceptionBreakpoints": lambda adapter, arguments: {"breakpoints": []},
    "dataBreakpointInfo": _data_breakpoint_info,
    "setDataBreakpoints": _set_data_breakpoints,
    "continue": _moves(lambda session: session.resume()),
    "next": _moves(lambda session: session.next(), lambda session: session.stepi()),
    "stepIn": _moves(lambda session: session.step(), lambda session: session.stepi()),
    "stepOut": _moves(lambda session: session.finish()),
    "stepBack": _moves(lambda session: session.reverse_next(), lambda session: session.reverse_stepi()),
    "reverseContinue": _moves(lambda session: session.reverse_resume()),
    "threads": _threads,
    "stackTrace": _stack_trace,
    "scopes": _scopes,
    "variables": _variables,
    "setVariable": _set_variable,
    "evaluate": _evaluate,
    "completions": _completions,
    "source": _source,
}
"""`pause` is the server's own: it comes while another request is at work."""
