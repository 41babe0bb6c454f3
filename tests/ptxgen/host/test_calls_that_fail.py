"""In normal use no call of the driver fails: tools such as compute-sanitizer report each that does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import driver_ctypes as dc
import ptxgen as px
from ptxgen import f32, u32
from ptxgen.emulated_driver.errors.refusal import Refusal


@px.kernel
def doubled(k: px.Builder, n: u32, x: px.ptr[f32]):
    with k.if_(k.global_id.x < n):
        x[k.global_id.x] = x[k.global_id.x] * 2.0


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the emulated driver answers with an error."""
    said: list[str] = []
    made = Refusal.__init__

    def spy(refusal: Refusal, *args: Any) -> None:
        said.append(str(args))
        made(refusal, *args)

    monkeypatch.setattr(Refusal, "__init__", spy)
    return said


@pytest.mark.cpu_only
def test_loading_launching_and_capturing(dev: px.Device, refused: list[str]) -> None:
    text = doubled.ptx(target=dev.target)
    with dev.array(np.ones(4, np.float32)) as x:
        doubled[1, 32](4, x)
        dev.load(text)["doubled"].launch(1, 32, (4, x))
        with dev.capture() as graph:
            doubled[1, 32](4, x)
        graph.launch()
        stream = dev.stream()
        with dev.use(stream), dev.zeros(64, u32) as other:
            doubled[1, 32](4, x)
            stream.synchronize()
            assert not other.numpy().any()
        np.testing.assert_array_equal(x.numpy(), 16.0)
        with dev.context.load(text) as module:
            assert len(module.function("doubled").parameters or ()) == 2
            assert refused == []
            with pytest.raises(dc.NotFoundError):
                module.function("another")
    assert len(refused) == 1, "a call that fails is seen"
