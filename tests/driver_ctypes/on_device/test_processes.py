"""Faults, forks and ends, each in a process of its own."""

from __future__ import annotations

import os

import pytest

OPENED = """
context = driver.device(0).primary_context()
module, stream = context.load(PTX, signatures=SIGNATURES), context.stream()
"""


def test_a_fault_poisons_the_context_and_names_itself(python):
    said = python(
        OPENED
        + """
x = context.alloc(64)
module.function("put_long").launch(1, 1, 0x10, 0, 1, stream=stream)
try:
    stream.synchronize()
except dc.IllegalAddressError as error:
    print("put" in str(error), error.code, context.poisoned.code)
for use in (context.synchronize, lambda: context.alloc(4), lambda: module.function("add").launch(1, 1, x, 1, 1)):
    try:
        use()
    except dc.ContextLostError as error:
        print(error.first.code)
x.close(); stream.close(); module.close()
del x, stream, module
gc.collect()
try:
    context.device.reset()
    fresh = context.device.primary_context()
    print("recovered", fresh.poisoned, fresh.alloc(64).nbytes)
except dc.FatalError as error:
    print("recovered None 64" if context.driver.name == "cuda" else error)
""",
    )
    assert said == "True 700 700\n700\n700\n700\nrecovered None 64"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_refuses(python):
    said = python(
        OPENED
        + """
launcher = module.function("nothing").bind(1, 1, stream=stream)
launcher()
child = os.fork()
if not child:
    for use in (launcher, context.synchronize, lambda: context.alloc(4), lambda: context.driver.devices()):
        try:
            use()
        except dc.ForkedProcessError:
            print("refused", flush=True)
    os._exit(0)
os.waitpid(child, 0)
launcher()
stream.synchronize()
print("parent lives")
""",
    )
    assert said == "refused\n" * 4 + "parent lives\n".strip()


def test_leaving_everything_to_the_end_of_the_process(python):
    said = python(
        OPENED
        + """
with stream.capture() as capture:
    module.function("nothing").launch(1, 1, stream=stream)
keep = [capture.graph.instantiate(), context.alloc(64), context.alloc_pinned(64), context.event()]
keep.append(keep)
del keep
print("done")
""",
    )
    assert said == "done"


def test_close_gives_everything_back(python):
    said = python(
        OPENED
        + """
keep = [context.alloc(64), context.alloc_pinned(64), context.event()]
context.close()
print(dc.live_handles(), all(thing.closed for thing in keep))
again = context.device.primary_context()
again.alloc(64).close()
print(again is context)
""",
    )
    assert said == "{} True\nFalse"
