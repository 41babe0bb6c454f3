"""Rendering in a child process under limits of time, memory and output.

A sandbox keeps a template from files and from Python, but not from loops within loops or numbers of a billion digits: only a
process can be ended. The child (template_child.py) gets the template as JSON, may write no file, and answers in JSON.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ptxgen.errors import Diagnostic, Location, TemplateError
from ptxgen.text.template_parameters import type_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ptxgen.text.template_limits import TemplateLimits

__all__ = ["rendered_in_child"]

_START = "import sys; sys.path[:0] = sys.argv[1:]; from ptxgen.text.template_child import serve; serve()"
_ANSWER = 512 << 20  # bytes: a text of the longest length with the place of each line
_PATIENCE = 10  # times the seconds of processor time, by the clock: the machine may be busy
_LEAST_PATIENCE = 60.0  # seconds: an interpreter has to start
_KEPT = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")  # what an interpreter may need to start


def rendered_in_child(request: Mapping[str, Any], limits: TemplateLimits) -> tuple[str, list[Location]]:
    """The text and the place of each line, as template_child.py answers a request for them.

    Raises TemplateError: the template's own, or the limit that it reached.
    """
    if not (0 < limits.seconds < 1e6 and limits.megabytes > 0):
        raise ValueError(f"limits of a template are positive numbers: {limits.seconds} s, {limits.megabytes} MB")
    name = request["name"]
    if os.name != "posix" or not sys.executable:
        raise _stopped(name, limits, "limits need a POSIX system, and a Python interpreter that can be started")
    received, status, told = _talk(_request(request, limits), limits)
    if received is None:
        raise _stopped(name, limits, told)
    try:
        answer = json.loads(received)
        if "diagnostics" in answer:
            raise TemplateError(answer["message"], [_diagnostic(plain, limits) for plain in answer["diagnostics"]])
        lines = [Location("template", file, line, None, text) for file, line, text in answer["lines"]]
        return answer["text"], [lines[index] for index in answer["places"]]
    except (ValueError, KeyError, TypeError, IndexError):
        raise _stopped(name, limits, _ending(status, told, limits)) from None


def _request(request: Mapping[str, Any], limits: TemplateLimits) -> bytes:
    name, parameters = request["name"], request["parameters"]
    plain = {}
    for parameter, value in parameters.items():
        try:
            plain[parameter] = _plain(value)
        except (TypeError, RecursionError):
            message = f"parameter {parameter!r} is a {type(value).__name__} that cannot be given to another process"
            expected = "with limits=: numbers, words, booleans, PTX types, and lists and dicts of these"
            raise TemplateError(
                f"{name}: wrong parameters", [Diagnostic("PTX153", message, expected=expected)]
            ) from None
    return json.dumps({**request, "parameters": plain, "limits": limits}).encode()


def _plain(value: object) -> object:
    """A parameter as JSON has it: tuples are lists, PTX types their names."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _plain(item) for key, item in value.items()}
    name = type_name(value)
    if name is None:
        raise TypeError
    return name


def _talk(sent: bytes, limits: TemplateLimits) -> tuple[bytes | None, int, str]:
    """The child's answer, its exit status, and what it wrote to stderr; None and the reason when it was not waited for."""
    patience = max(limits.seconds * _PATIENCE, _LEAST_PATIENCE)
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _START, *_folders()],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={key: os.environ[key] for key in _KEPT if key in os.environ},
    ) as child:  # fmt: skip
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        try:
            with suppress(BrokenPipeError):  # it ended before; its status says why
                child.stdin.write(sent)  # the child reads it all before it answers
            with suppress(BrokenPipeError):
                child.stdin.close()
            received = _read(child.stdout.fileno(), _ANSWER, time.monotonic() + patience)
            if received is None:
                return None, 0, f"it is not done in {patience:g} s, or answers without end"
            told = _read(child.stderr.fileno(), 1 << 16, time.monotonic() + patience) or b""
            return received, child.wait(patience), told.decode(errors="replace")
        finally:
            child.kill()


def _folders() -> list[str]:
    """The folders to import from: of this package, and of Jinja."""
    found = [spec.origin for package in ("ptxgen", "jinja2", "markupsafe") if (spec := find_spec(package))]
    return list(dict.fromkeys(str(Path(origin).parent.parent) for origin in found if origin))


def _read(pipe: int, most: int, deadline: float) -> bytes | None:
    """What comes through a pipe until it is closed; None when that is too much or takes too long."""
    parts: list[bytes] = []
    size = 0
    while select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))[0]:
        part = os.read(pipe, 1 << 20)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
        if size > most:
            return None
    return None


def _ending(status: int, told: str, limits: TemplateLimits) -> str:
    """Why a child ended without an answer."""
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"it takes more than {limits.seconds:g} s of processor time, or more memory than there is"
    if "MemoryError" in told:
        return f"it takes more than {limits.megabytes} MB of memory"
    if status < 0:
        return f"its interpreter was ended by {signal.Signals(-status).name}: nested too deeply, or too large"
    return f"its interpreter ended with status {status}: {told.strip().rpartition(chr(10))[2] or 'no message'}"


def _stopped(name: str, limits: TemplateLimits, message: str) -> TemplateError:
    hint = "trust=True, or --trust, renders a template of your own without sandbox and limits"
    finding = Diagnostic(
        "PTX156", message, locations=[Location("template", name, 1)], expected=f"at most {limits}", hint=hint
    )
    return TemplateError(f"{name}: the template does not render", [finding])


def _diagnostic(plain: Mapping[str, Any], limits: TemplateLimits) -> Diagnostic:
    """The inverse of Diagnostic.to_dict; a finding about a limit says all of them."""
    places = [Location(p["kind"], p["file"], p["line"], p["column"], p["text"]) for p in plain["locations"]]
    expected = f"at most {limits}" if plain["code"] == "PTX156" else plain["expected"]
    return Diagnostic(
        plain["code"], plain["message"],
        severity=plain["severity"], locations=places, expected=expected, hint=plain["hint"],
    )  # fmt: skip
