"""The process that tries cases, and the hunt's side of it: a case that crashes it, or never ends, is lost alone."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ptxgen.assembler.pool as pool
from ptxgen.assembler.worker import serve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ptxgen.hunt.subjects import Case, Subject

__all__ = ["CaseWorker"]

_ROOT = str(Path(__file__).resolve().parents[2])
_START = "import sys; sys.path.insert(0, sys.argv[1]); from ptxgen.hunt.worker import main; main()"
_GRACE = 20.0
"""Seconds beyond the limits of its launches that a case may take: to compile the kernel, to fill and compare arrays."""


class CaseWorker:
    """Tries cases of one subject, each launch for at most `time_limit` seconds. Close it, or use it as a context."""

    def __init__(self, subject: Subject, time_limit: float) -> None:
        self._subject = json.dumps(subject.described()).encode()
        self._limit = time_limit
        self._worker: pool.Worker | None = None

    def __enter__(self) -> CaseWorker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, do: str, case: Case) -> dict[str, Any]:
        """What Trials.run gives. A worker that died or hung is `skipped`, and the next case gets another one."""
        if self._worker is None:
            self._worker = pool.Worker([sys.executable, "-c", _START, _ROOT])
        request = json.dumps({"do": do, "case": case._asdict(), "time_limit": self._limit}).encode()
        launches = 1 if do == "watch" else 9
        try:
            (answer,) = self._worker.ask([self._subject, request], self._limit * launches + _GRACE)
        except (pool.WorkerDied, pool.WorkerHung) as lost:
            self.close()
            why = f"ended: {lost}" if isinstance(lost, pool.WorkerDied) else "gave no answer"
            return {
                "findings": [], "skipped": f"the process that tried it {why}", "timed_out": False, "schedule": "", "arrays": [],
            }  # fmt: skip
        except BaseException:
            self.close()
            raise
        found: dict[str, Any] = json.loads(answer)
        return found

    def close(self) -> None:
        """Ends the process, whatever it does."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()


def main() -> None:
    """Serves until the hunt's side closes its pipe."""
    for name in ("PTXGEN_SANITIZE", "PTXGEN_CPU_COPIES", "PTXGEN_DEVICE"):
        os.environ.pop(name, None)
    import warnings

    warnings.simplefilter("ignore")  # of modules that the hunt has verified itself
    trials: dict[bytes, Any] = {}

    def answer(request: Sequence[bytes]) -> list[bytes]:
        from ptxgen.hunt.trial import Trials

        described, asked = request
        if described not in trials:
            trials[described] = Trials(json.loads(described))
        given: Mapping[str, Any] = json.loads(asked)
        return [json.dumps(trials[described].run(**given)).encode()]

    serve(answer)
