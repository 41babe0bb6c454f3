"""Watching a target's child processes: a case that hangs, crashes or takes too much memory is a finding.

python -m tools.fuzz._campaign [NAME...] [--minutes N | --cases N] [--seed S] [--jobs N] [--memory GIB]
python -m tools.fuzz._campaign NAME --seed S --case N       draw that case again, print it and judge it here
python -m tools.fuzz._campaign NAME --file CASE             judge a case that was kept
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tools.fuzz._child import BEAT, ROOT, drawn
from tools.fuzz._target import load, names

POLL = 0.1
READY = 120.0
"""Seconds that a target may take to get ready, or a finding to be made smaller."""
PATIENCE = 4.0
"""How many times its limit a case may take while others have the processor."""
PAGE = resource.getpagesize()


def cpu_seconds(pid: int) -> float:
    """Processor time of a process until now."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0  # it has just ended
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Finding(NamedTuple):
    what: str
    case: int
    input: str
    trace: str


class Result(NamedTuple):
    cases: int
    seconds: float
    findings: list[Finding]


class _Job:
    """One child after the other, over the cases `first`, `first` + `step`, ... below `last`."""

    def __init__(self, name: str, seed: str, first: int, step: int, last: int, until: float, folder: Path) -> None:
        self.name, self.seed, self.next, self.step, self.last, self.until = name, seed, first, step, last, until
        self.limit = load(name).seconds
        self.done = 0
        self.findings: list[Finding] = []
        self.beat = folder / f"beat-{first}"
        self.output = folder / f"findings-{first}"
        self.errors = folder / f"errors-{first}"
        self.seen = b""
        self.spent = 0.0  # processor time of the child when its case began
        self.process: subprocess.Popen[bytes] | None = None
        self._start()

    def _start(self) -> None:
        left = self.until - time.monotonic()
        if self.next >= self.last or left <= 0:
            self.process = None
            return
        self.beat.write_bytes(BEAT.pack(-1, time.monotonic(), 0))
        words = [self.name, self.seed, self.next, self.step, self.last, left, self.beat]
        with self.output.open("wb") as output, self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-X", "faulthandler", "-m", "tools.fuzz._child", *map(str, words)],
                cwd=ROOT,
                stdout=output,
                stderr=errors,
                env={**os.environ, "PYTHONHASHSEED": "0"},
            )

    def poll(self, memory: int) -> bool:
        """Whether it still runs; what has ended is looked at, and the next child started."""
        process = self.process
        if process is None:
            return False
        status = process.poll()
        before, self.seen = self.seen, self.beat.read_bytes()
        number, began, done = BEAT.unpack(self.seen)
        if status is None:
            if self.seen != before:  # it gets on; and what is half written is not looked at
                self.spent = cpu_seconds(process.pid)
                return True
            what = self._too_much(process.pid, began, READY if number < 0 else self.limit, memory)
            if what is None:
                return True
            process.kill()
            process.wait()
        else:
            what = None if number == -2 else f"the process ended with status {status}"
        self.done += done
        for line in self.output.read_text().splitlines():
            self.findings.append(Finding(**json.loads(line)))
        if what is None:
            self.process = None
            return False
        told = self.errors.read_text(errors="replace")[-4000:]
        if number < 0:  # no case is to blame
            raise SystemExit(f"fuzz: {self.name} could not get ready: {what}\n{told}")
        self.findings.append(Finding(what, number, self._again(number), told))
        self.done += 1
        self.next = number + self.step
        self._start()
        return True

    def _too_much(self, pid: int, began: float, limit: float, memory: int) -> str | None:
        """What is wrong with the case under way. A busy machine is no fault of it: what waits may do so for longer."""
        waited, worked = time.monotonic() - began, cpu_seconds(pid) - self.spent
        if waited > limit and (worked > limit or waited > PATIENCE * limit):
            return f"no end within {limit:g} s"
        try:
            resident = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
        except (OSError, IndexError):
            return None  # it has just ended
        return f"more than {memory >> 20} MiB of memory" if resident > memory else None

    def _again(self, number: int) -> str:
        """The case's text, drawn again by another process."""
        command = [sys.executable, "-m", "tools.fuzz._child", "--print", self.name, self.seed, str(number)]
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=READY)
        except subprocess.TimeoutExpired:
            return "(drawing it does not end)"
        return done.stdout if not done.returncode else f"(drawing it fails)\n{done.stderr}"


def campaign(name: str, *, seed: str, cases: int, seconds: float, jobs: int = 1, memory: int = 4 << 30) -> Result:
    """Try cases 0, 1, 2, ... of a seed until there were `cases` or the time is up."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ptxgen-fuzz-") as folder:
        running = [_Job(name, seed, at, jobs, cases, began + seconds, Path(folder)) for at in range(jobs)]
        try:
            while sum(job.poll(memory) for job in running):
                time.sleep(POLL)
        finally:
            for job in running:
                if job.process is not None and job.process.poll() is None:
                    job.process.kill()
                    job.process.wait()
    findings: dict[str, Finding] = {}
    for job in running:
        for found in job.findings:  # hangs and crashes may have any cause: each is kept
            key = found.what if " at " in found.what else f"{found.what} {found.case}"
            findings.setdefault(key, found)
    return Result(sum(job.done for job in running), time.monotonic() - began, list(findings.values()))


def keep(name: str, seed: str, finding: Finding) -> Path:
    """Write a finding's input and trace into `.fuzz/NAME`; the path of the input."""
    folder = ROOT / ".fuzz" / name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{seed}-{finding.case}.case"
    path.write_text(finding.input)
    path.with_suffix(".trace").write_text(finding.trace)
    return path


def arguments_of(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/dev.py fuzz", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names())}; all if none is named")
    parser.add_argument("--minutes", type=float, default=1.0, help="for each target (1)")
    parser.add_argument("--cases", type=int, default=sys.maxsize, help="at most so many of each target")
    parser.add_argument("--seed", default="0", help="what the cases are drawn from, with their number (0)")
    parser.add_argument("--jobs", type=int, default=1, help="processes side by side (1)")
    parser.add_argument("--memory", type=float, default=4.0, metavar="GIB", help="of one process (4)")
    parser.add_argument("--case", type=int, help="draw and judge this one, in this process")
    parser.add_argument("--file", type=Path, help="judge the case in this file, in this process")
    found = parser.parse_args(words)
    if unknown := [name for name in found.names if name not in names()]:
        parser.error(f"no target named {', '.join(unknown)}; there are: {', '.join(names())}")
    if found.jobs < 1 or found.cases < 1 or found.minutes <= 0:
        parser.error("--jobs, --cases and --minutes are above 0")
    if (found.case is not None or found.file) and len(found.names) != 1:
        parser.error("--case and --file are of one target: name it")
    return found


def main(words: list[str]) -> int:
    a = arguments_of(words)
    if a.case is not None or a.file:
        target = load(a.names[0])
        case = a.file.read_text() if a.file else drawn(target, a.seed, a.case)
        print(case)
        target.judge(case)
        print("fuzz: judged, nothing is wrong")
        return 0
    wrong = 0
    for name in a.names or names():
        result = campaign(
            name, seed=a.seed, cases=a.cases, seconds=60 * a.minutes, jobs=a.jobs, memory=int(a.memory * 2**30)
        )
        rate = result.cases / result.seconds
        count = len(result.findings)
        print(f"{name}: {result.cases} cases, {rate:.0f}/s, {count} finding{'s' * (count != 1)}", flush=True)
        for finding in result.findings:
            path = keep(name, a.seed, finding)
            print(f"  {finding.what}: case {finding.case}, {path.relative_to(ROOT)}", flush=True)
        wrong += count
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
