"""A process that forks, or ends, while one of its threads is in LLVM."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.cpu_only

BUSY = """
import os, signal, threading, time, warnings
from ptxgen.cpu.jit import Tier, load_object, object_code
from ptxgen.cpu.rt.libraries import _parts
from ptxgen.cpu.rt.library import CORE, library_text
warnings.simplefilter("ignore")
text = library_text(CORE)
def forever():
    while True:
        load_object(object_code(text, Tier.FAST))
object_code(text, Tier.BASE)
threading.Thread(target=forever, daemon=True).start()
time.sleep(0.02)
"""


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_children_of_a_process_that_compiles_can_compile():
    code = """
for number in range(20):
    child = os.fork()
    if not child:
        signal.alarm(20)
        _parts(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, number
print("none hung")
"""
    assert run(BUSY + code) == "none hung"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_child_runs_kernels_while_its_parent_compiles():
    """The parent has never opened the driver, so the child may."""
    code = """
import ptxgen as px
from ptxgen import u32
@px.kernel
def fill(k: px.Builder, x: px.ptr[u32]):
    x[k.tid.x] = k.tid.x
for number in range(2):
    child = os.fork()
    if not child:
        signal.alarm(20)
        device = px.device("cpu")
        x = device.zeros(32, u32)
        fill[1, 32](x)
        back = bytearray(128)
        device.context.copy_to_host(back, x.pointer)
        os._exit(memoryview(back).cast("I").tolist() != list(range(32)))
    assert os.waitpid(child, 0)[1] == 0, number
print("all right")
"""
    assert run(BUSY + code) == "all right"


def test_a_process_may_end_while_a_thread_compiles():
    assert run(BUSY + "print('end')") == "end"
