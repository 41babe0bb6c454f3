"""`k.check`: a condition that does not hold ends the launch, and the next call that waits says where and with what values."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import driver_ctypes as dc
import ptxgen as px
from ptxgen import f32, u32

ROOT = Path(__file__).parents[3]


def bounded(k: px.Builder, x: px.ptr[f32], i: u32) -> None:
    k.check(x[i] < 2.5, "x[{}] is {:.2f}", i, x[i])


@px.kernel
def checked(k: px.Builder, n: u32, x: px.ptr[f32]):
    i = k.global_id.x
    k.check(i < n)
    bounded(k, x, i)
    x[i] = 7.0


@px.func
def halved(k: px.Builder, n: u32) -> u32:
    k.check(n % 2 == 0, "{} is odd", n)
    return n // 2


@px.kernel
def first(k: px.Builder, n: u32, out: px.ptr[u32]):
    out[0] = halved(n)


@px.kernel
def second(k: px.Builder, n: u32, out: px.ptr[u32]):
    k.barrier()
    out[0] = halved(n + k.tid.y)


@pytest.fixture
def failing(dev):
    """What the next call that waits raises, after a launch; the device is well again afterwards."""

    def launch(kernel, *arguments, grid=1, block=1):
        given = [dev.array(each) if isinstance(each, np.ndarray) else each for each in arguments]
        kernel[grid, block](*given)
        with pytest.raises(px.CheckFailedError) as caught:
            dev.synchronize()
        with pytest.raises(dc.ContextLostError, match="check failed"):
            given[-1].numpy()
        return caught.value

    yield launch
    dev.reset()


def test_where_conditions_hold_nothing_happens(run):
    (x,) = run(checked, 4, np.arange(4, dtype=np.float32) / 2, block=4)
    assert x.tolist() == [7.0] * 4


@pytest.mark.cpu_only
def test_the_error_tells_the_values_the_thread_and_the_lines(failing):
    error = failing(checked, 8, np.array([0, 1, 2, 2, 2, 9.25, 1, 1], np.float32), grid=(2, 1, 1), block=(4, 1, 1))
    assert isinstance(error, dc.DeviceAssertError)
    assert (error.kernel, error.failure) == ("checked", "x[5] is 9.25")
    assert (error.cta, error.thread) == ((1, 0, 0), (1, 0, 0))
    assert error.place is not None
    assert error.place.excerpt() == 'k.check(x[i] < 2.5, "x[{}] is {:.2f}", i, x[i])'
    lines = str(error).splitlines()
    assert lines[:2] == ["check failed: x[5] is 9.25", "  kernel checked, CTA (1, 0, 0), thread (1, 0, 0)"]
    assert lines[2].endswith(error.place.excerpt())
    assert "called at" in lines[3]
    assert lines[3].endswith("bounded(k, x, i)")


@pytest.mark.cpu_only
def test_a_check_without_a_text(failing):
    error = failing(checked, 2, np.zeros(4, np.float32), block=3)
    assert (error.failure, error.thread) == ("", (2, 0, 0))
    assert str(error).startswith("check failed\n  kernel checked")


@pytest.mark.cpu_only
def test_a_check_in_a_device_function_names_the_kernels_that_call_it(dev, failing):
    loaded = dev.load(px.module(first, second, target=dev.target))
    out = dev.zeros(1, u32)
    loaded["second"].launch(1, (32, 2, 1), (8, out))
    with pytest.raises(px.CheckFailedError, match="9 is odd") as caught:
        out.numpy()
    assert (caught.value.kernel, caught.value.thread[1]) == ("first, second", 1)


@pytest.mark.cpu_only
def test_of_many_threads_that_fail_one_is_told(failing):
    error = failing(checked, 1, np.zeros(4096, np.float32), grid=32, block=128)
    x, *_ = error.thread
    assert (error.failure, error.cta[0] * 128 + x > 0) == ("", True)


@pytest.mark.cpu_only
def test_a_graph_and_a_kernel_that_is_first_launched_while_captured(dev, failing):
    @px.kernel
    def late(k, n: u32):
        k.check(n > 3, "{}", n)

    with dev.capture() as graph:
        late[1, 1](2)
    graph.launch()
    with pytest.raises(px.CheckFailedError, match="check failed: 2\n  kernel late"):
        dev.synchronize()


@pytest.mark.cpu_only
def test_the_text_of_a_module_is_enough(dev, failing):
    parsed = px.parse(str(checked.module(target=dev.target)), name="checked.ptx")
    x = dev.zeros(4, f32)
    dev.load(parsed)["checked"].launch(1, 4, (3, x))
    with pytest.raises(px.CheckFailedError, match="kernel checked") as caught:
        x.numpy()
    assert caught.value.place is not None
    assert caught.value.place.file == "checked.ptx"


@pytest.mark.cpu_only
def test_a_host_that_gives_no_record_gets_the_trap():
    """Here the binding alone; ptxgen.host is what gives the record."""
    with dc.driver("cpu").device(0).create_context() as context, context.load(checked.ptx(target="sm_90")) as module:
        x = context.alloc(64)
        module.function("checked").launch(1, 4, 2, x)
        with pytest.raises(dc.LaunchFailedError, match="trap"):
            context.synchronize()


def test_another_fault_is_not_taken_for_a_check(dev):
    """A record is not there."""
    from ptxgen.host.checks import CHECKS

    loaded = dev.load(checked.module(target=dev.target))
    address, state = loaded["checked"].variable(CHECKS).numpy().tolist()
    assert (address > 0, state) == (True, 0)
    explanations = dev.context.fault_explanations
    explain = explanations[loaded["checked"]._module.handle]
    assert explain() is None
    before = len(explanations)
    del loaded
    gc.collect()
    dev.context.collect()
    assert len(explanations) < before, "it goes with the code"


@pytest.mark.cpu_only
def test_a_module_that_nobody_keeps(dev, failing):
    x = dev.zeros(4, f32)
    dev.load(checked.module(target=dev.target))["checked"].launch(1, 4, (3, x))
    gc.collect()
    with pytest.raises(px.CheckFailedError, match="kernel checked"):
        x.numpy()


PROGRAM = """
import sys
sys.path.insert(0, {root!r})
import numpy as np
import ptxgen as px
from tests.ptxgen.builder.test_checking import checked
dev = px.device({device!r})
x = dev.array(np.array([0, 0, 9], np.float32))
checked[1, 3](3, x)
try:
    x.numpy()
except px.CheckFailedError as error:
    print(error.kernel, error.failure, error.cta, error.thread, error.place.line)
"""


def test_in_a_process_of_its_own(device_name):
    """So that a GPU's context may be lost."""
    program = PROGRAM.format(root=str(ROOT), device=device_name)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    line = bounded.__code__.co_firstlineno + 1
    assert done.stdout == f"checked x[2] is 9.00 (0, 0, 0) (2, 0, 0) {line}\n", done.stderr


def test_every_target_assembles_it(assembles):
    assembles([checked, first])


def test_a_check_costs_a_test_and_a_branch():
    """On the way that is taken where it holds."""

    @px.kernel
    def plain(k, n: u32, out: px.ptr[u32]):
        k.check(n > 3, "{}", n)
        out[0] = n

    text = str(plain.module(target="sm_90"))
    assert text.index("@%p1 bra $L_endif_1;") < text.index("atom.global.cas") < text.index("trap;")
    assert text.index("trap;") < text.index("$L_endif_1:") < text.index("st.global.u32 [%rd2]")

    @px.kernel
    def none(k, n: u32):
        k.check(True, "{}", n)

    assert "_ptxgen" not in str(none.module())


def _misuse():
    def always(k, n):
        k.check(False, "no")  # here

    def number(k, n):
        k.check(n, "no")  # here

    def guarded(k, n):
        with k.pred(n > 3):
            k.check(n > 4)  # here

    def fields(k, n):
        k.check(n > 4, "{} {}", n)  # here

    return [(always, "PTX221"), (number, "PTX206"), (guarded, "PTX328"), (fields, "PTX221")]


@pytest.mark.parametrize("trap,code", _misuse(), ids=lambda each: getattr(each, "__name__", ""))
def test_misuse_is_told_at_its_line(trap, code):
    trap.__annotations__ = {"n": u32}
    with pytest.raises(px.BuildError) as caught:
        px.kernel(trap).module()
    (finding,) = caught.value.diagnostics
    assert (finding.code, finding.locations[0].excerpt()[-6:]) == (code, "# here")
