"""The child process of template_process.py: one request on stdin, one answer on stdout, under limits that it sets itself."""

from __future__ import annotations

import json
import math
import os
import resource
import signal
import sys
import time
from typing import TYPE_CHECKING, Any

from ptxgen.errors import TemplateError
from ptxgen.text.template import rendered
from ptxgen.text.template_engine import OutOfTime, failed
from ptxgen.text.template_files import TemplateFiles

if TYPE_CHECKING:
    from ptxgen.errors import Location

__all__ = ["serve"]


def serve() -> None:
    """Render what stdin asks for. What else is written to stdout goes nowhere."""
    answers = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    request = json.load(sys.stdin.buffer)
    _limit(*request["limits"])
    try:
        text, places = rendered(
            request["source"],
            request["name"],
            TemplateFiles(tuple(request["folders"])),
            request["parameters"],
            request["texts"],
            request["target"],
        )
        found = list(places)  # while the limits hold
        signal.setitimer(signal.ITIMER_PROF, 0)
        answer: dict[str, Any] = {"text": text, **_packed(found)}
    except (TemplateError, OutOfTime) as wrong:
        signal.setitimer(signal.ITIMER_PROF, 0)
        error = failed(wrong, request["name"], request["source"]) if isinstance(wrong, OutOfTime) else wrong
        message = str(error).partition("\n")[0]
        answer = {"message": message, "diagnostics": [finding.to_dict() for finding in error.diagnostics]}
    with os.fdopen(answers, "wb") as pipe:
        pipe.write(json.dumps(answer).encode())


def _packed(places: list[Location]) -> dict[str, Any]:
    """Each place once, and its number for every line."""
    numbers = {place: number for number, place in enumerate(dict.fromkeys(places))}
    return {
        "lines": [(place.file, place.line, place.text) for place in numbers],
        "places": [numbers[place] for place in places],
    }


def _limit(seconds: float, megabytes: int) -> None:
    """First an exception that knows the template's line; the kernel ends what does not come back to Python."""
    sys.dont_write_bytecode = True

    def over(*_: object) -> None:
        raise OutOfTime(f"the template takes more than {seconds:g} s of processor time")

    signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    last = math.ceil(time.process_time() + seconds)
    for kind, most in (
        (resource.RLIMIT_CPU, last),
        (resource.RLIMIT_AS, megabytes << 20),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_NPROC, 0),
    ):
        _, hard = resource.getrlimit(kind)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))
