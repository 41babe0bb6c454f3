"""Modules, libraries, linkers and caches at the end of a process, after a fork, and in threads."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.kit import PTX, SIGNATURES, open_driver
from tests.ptxgen.emulated_driver.scenarios.linking import CALLS, TWICE

ROOT = Path(__file__).parents[2]

START = f"""
import os, sys, tempfile
sys.path.insert(0, {str(ROOT)!r})
import driver_ctypes as dc
from tests.driver_ctypes.kit import PTX, SIGNATURES, open_driver
from tests.ptxgen.emulated_driver.scenarios.linking import CALLS, TWICE
context = open_driver("cpu").device(0).primary_context()
library = context.load_library(PTX, signatures=SIGNATURES)
kernel = library.kernel("put")
function = kernel.function()
linker = context.linker()
linker.add(CALLS.decode())
cache = dc.CubinCache(tempfile.mkdtemp() + "/cubin")
module = context.load(PTX, signatures=SIGNATURES, cache=cache)
"""


def run(code):
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", START + code], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.cpu_only
@pytest.mark.parametrize("ending", ["", "context.close()", "del linker, library", "library.close(); linker.close()"])
def test_a_process_may_end_with_all_of_it_open(ending):
    assert run(ending) == ""


@pytest.mark.cpu_only
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_refuses_and_frees_nothing():
    code = """
child = os.fork()
if not child:
    uses = dict(
        kernel=lambda: library.kernel("bump"), names=library.kernel_names, function=kernel.function,
        parameters=lambda: kernel.parameters, attribute=lambda: kernel.attribute(0), module=library.module,
        add=lambda: linker.add(TWICE.decode()), complete=linker.complete, linker=context.linker,
        library=lambda: context.load_library(PTX), load=lambda: context.load(PTX, cache=cache),
        target=context.loadable_target, launch=lambda: function.launch(1, 1, 0, 0, 0),
    )
    survivors = []
    for name, use in uses.items():
        try:
            use()
            survivors.append(name)
        except dc.ForkedProcessError:
            pass
    for thing in (library, linker, module):
        thing.close()
    print(survivors, dc.diagnose("cpu").usable, flush=True)
    os._exit(0)
os.waitpid(child, 0)
linker.add(TWICE.decode())
print(len(linker.complete().image) > 64, kernel.attribute(0))
"""
    assert run(code) == "[] False\nTrue 1024\n"


def test_threads_load_link_and_look_up_at_once(device_name, tmp_path):
    context = open_driver(device_name).device(0).primary_context()
    cache = dc.CubinCache(tmp_path / "cubin")
    failures = []

    def work(number):
        try:
            for _ in range(5):
                with context.load(PTX + f"// {number % 3}\n", signatures=SIGNATURES, cache=cache) as module:
                    assert module.function("put").resources.registers > 0
                with context.load(dc.link(context, [CALLS.decode(), TWICE.decode()]).image) as module:
                    assert module.function_names() == ("calls",)
                with context.load_library(PTX) as library:
                    assert library.kernel("put").function().signature is not None
        except Exception as error:
            failures.append(error)

    before = context.live_handles()
    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert context.live_handles() == before
    assert cache.size()[0] == 3
    found = cache.statistics
    kept = (
        found.misses if device_name == "cpu" else found.stored
    )  # NVIDIA's driver keeps the code itself, ours the logs
    assert found.hits + kept == 30
    assert found.repaired == 0
