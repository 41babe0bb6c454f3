"""The process that tries cases, and the hunt's side of it: a case that crashes it, or never ends, is lost alone.

`try_cases` is what an executor's worker, on another machine perhaps, does with a list of cases.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ptxgen.assembler.pool import WorkerDied, WorkerHung, pool
from ptxgen.assembler.worker import serve

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ptxgen.hunt.subjects import Case
    from ptxgen.hunt.trial import Trials

__all__ = ["CaseWorker", "try_cases"]

_ROOT = str(Path(__file__).resolve().parents[2])
_START = "import sys; sys.path.insert(0, sys.argv[1]); from ptxgen.hunt.worker import main; main()"
_GRACE = 20.0
"""Seconds beyond the limits of its launches that a case may take: to compile the kernel, to fill and compare arrays."""
_SCHEDULES = 9


class CaseWorker:
    """Tries cases of one subject, given by its description, each launch for at most `time_limit` seconds. The process serves the
    next hunt too."""

    def __init__(self, described: Mapping[str, Any], time_limit: float) -> None:
        self._subject = json.dumps(described).encode()
        self._limit = time_limit

    def steps(self, case: Case) -> Iterator[tuple[str, dict[str, Any]]]:
        """The steps of a case with their results: watched, then under every schedule, unless the first ended it."""
        watched = self.run("watch", case)
        yield "watch", watched
        if not is_over(watched):
            yield "schedules", self.run("schedules", case)

    def run(self, do: str, case: Case) -> dict[str, Any]:
        """What Trials.run gives. A process that died or hung is `skipped`, and the next case gets another one."""
        request = json.dumps({"do": do, "case": case._asdict(), "time_limit": self._limit}).encode()
        limit = self._limit * (_SCHEDULES if do == "schedules" else 1) + _GRACE
        try:
            (answer,) = pool([sys.executable, "-c", _START, _ROOT]).ask([self._subject, request], limit)
        except (WorkerDied, WorkerHung) as lost:
            why = f"ended: {lost}" if isinstance(lost, WorkerDied) else "gave no answer"
            return {
                "findings": [], "skipped": f"the process that tried it {why}", "timed_out": False, "schedule": "", "arrays": [],
            }  # fmt: skip
        found: dict[str, Any] = json.loads(answer)
        return found


def is_over(result: Mapping[str, Any]) -> bool:
    """Whether a case is over with a step: a fault ended it, or it could not be run. What is too slow under the sanitizer may be
    quick enough without."""
    skipped = bool(result["skipped"]) and not result["timed_out"]
    return skipped or any(row["tool"] == "fault" for row in result["findings"])


def try_cases(
    described: Mapping[str, Any], time_limit: float, cases: Sequence[Case]
) -> list[list[tuple[str, dict[str, Any]]]]:
    """The steps of each case."""
    worker = CaseWorker(described, time_limit)
    return [list(worker.steps(case)) for case in cases]


def main() -> None:
    """Serves until the hunt's side closes its pipe."""
    for name in ("PTXGEN_SANITIZE", "PTXGEN_CPU_COPIES", "PTXGEN_DEVICE"):
        os.environ.pop(name, None)
    import warnings

    warnings.simplefilter("ignore")  # of modules that the hunt has verified itself
    current: tuple[bytes, Trials] | None = None

    def answer(request: Sequence[bytes]) -> list[bytes]:
        from ptxgen.hunt.trial import Trials

        nonlocal current
        described, asked = request
        if current is None or current[0] != described:
            if current is not None:
                current[1].close()
            current = described, Trials(json.loads(described))
        given: Mapping[str, Any] = json.loads(asked)
        return [json.dumps(current[1].run(**given)).encode()]

    serve(answer)
