"""A signal handler that raises while LLVM works, as Ctrl-C does: its exception comes, and nothing of LLVM is left half done."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.cpu_only,
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no interval timers on this system"),
]

PROGRAM = """
import gc, random, signal, sys
from ptxgen.cpu.jit import Tier, object_code

class Stop(Exception): pass

def stop(*_):
    raise Stop

ignored, stopped = [], 0
sys.unraisablehook = ignored.append
signal.signal(signal.SIGALRM, stop)
text = "define i32 @f(i32 %a) { %b = add i32 %a, 1 ret i32 %b }"
code, rng = object_code(text, Tier.FAST), random.Random(1)
while stopped < 400:
    try:
        signal.setitimer(signal.ITIMER_REAL, rng.uniform(2e-4, 4e-3))
        for _ in range(4):
            object_code(text, Tier.FAST)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except Stop:
        stopped += 1
gc.collect()
assert not ignored, ignored
assert object_code(text, Tier.FAST) == code
"""


def test_an_exception_of_a_handler_leaves_llvm_whole() -> None:
    """Some of 400 came between the disposal of an object and the note of it: it was freed twice, and the process aborted."""
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=root, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
