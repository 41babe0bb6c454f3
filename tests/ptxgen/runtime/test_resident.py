"""Resident buffers: owners, ranges, what is in flight, and uploads that do not wait."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptxgen.runtime import Backend, ResidentRange
from ptxgen.runtime.errors import BackendError, InvalidProgramError
from tests.ptxgen.runtime.samples import as_floats, ramp, scale


def test_numbers_never_come_again(backend: Backend) -> None:
    first = backend.allocate_resident(8)
    backend.free_resident(first)
    second = backend.allocate_resident(8)
    assert first.id != second.id
    with pytest.raises(InvalidProgramError, match=r"was freed. Fix: keep it"):
        backend.download(first)
    with pytest.raises(InvalidProgramError, match="was freed"):
        backend.free_resident(first)
    with pytest.raises(InvalidProgramError, match="was freed"):
        _ = first.pointer
    assert second.pointer


def test_handles_of_another_backend(backend: Backend, device_name: str) -> None:
    with Backend.acquire(device_name) as other:
        foreign = other.allocate_resident(8)
        with pytest.raises(InvalidProgramError, match=r"belongs to another backend. Fix: allocate it on"):
            backend.download(foreign)
    with pytest.raises(InvalidProgramError, match="bytes is not a resident buffer"):
        backend.download(b"")  # type: ignore[arg-type]


def test_a_handle_whose_length_was_changed(backend: Backend) -> None:
    handle = backend.allocate_resident(8)
    handle.byte_len = 16
    with pytest.raises(InvalidProgramError, match="lies in 8 bytes of memory"):
        backend.download(handle)
    handle.byte_len = 8


@pytest.mark.parametrize("nbytes", [0, -4])
def test_no_buffer_of_no_bytes(backend: Backend, nbytes: int) -> None:
    with pytest.raises(InvalidProgramError, match=f"a resident buffer of {nbytes} bytes. Fix: "):
        backend.allocate_resident(nbytes)


def test_uploads_and_ranges(backend: Backend) -> None:
    store = backend.resident
    a, b = backend.upload_resident(ramp(8)), backend.allocate_resident(16)
    store.upload_many([(b, ramp(4, 100)), (a, ramp(8, 10))])
    store.upload_at(a, 4, ramp(1, 77))
    store.upload_at_many([(a, 0, ramp(1, 5)), (b, 12, ramp(1, 6))])
    assert as_floats(backend.download(a)).tolist() == [5, 77, 12, 13, 14, 15, 16, 17]
    parts = backend.download_ranges([b.part(8, 8), ResidentRange(a, 0, 4), a.part(4, 0)])
    assert [as_floats(part).tolist() for part in parts] == [[102, 6], [5], []]
    assert as_floats(store.download_range(a, 8, 4)) == [12]
    counts = backend.telemetry_snapshot()
    assert (counts["host_upload_operations"], counts["device_readback_operations"]) == (6, 4)
    assert (counts["sync_points"], counts["readback_bytes"]) == (7, 32 + 12 + 4)
    assert (len(store), store.nbytes) == (2, 48)


def test_parts_side_by_side_are_one_copy(backend: Backend) -> None:
    store, a, b = backend.resident, backend.upload_resident(ramp(8)), backend.allocate_resident(8)
    backend.reset_telemetry()
    store.upload_at_many(
        [(a, 4, ramp(1, 50)), (a, 8, ramp(2, 60)), (b, 0, ramp(2)), (a, 16, b""), (a, 16, ramp(1, 70))]
    )
    assert backend.telemetry_snapshot()["host_upload_operations"] == 3
    parts = store.download_ranges([a.part(0, 8), a.part(8, 12), a.part(24, 4), b.part(0, 8)])
    assert [as_floats(part).tolist() for part in parts] == [[0, 50], [60, 61, 70], [6], [0, 1]]
    counts = backend.telemetry_snapshot()
    assert (counts["device_readback_operations"], counts["readback_bytes"]) == (3, 32)


def test_buffers_that_are_not_the_callers_any_more(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    store, x, y = backend.resident, backend.upload_resident(ramp(4)), backend.allocate_resident(16)
    backend.compile(scale).dispatch([x], [y])
    with monkeypatch.context() as patch:
        patch.setattr(type(backend.tickets.stream), "query", lambda _: False)
        store.free_later([x])
        assert len(store) == 2
    backend.synchronize()
    kept = backend.allocate_resident(4)  # whoever allocates next frees it
    assert len(store) == 2
    store.zero(y)
    assert backend.download(y) == bytes(16)
    assert kept.byte_len == 4


@pytest.mark.parametrize("offset, nbytes", [(-1, 4), (0, 33), (32, 1), (30, 4)])
def test_ranges_stay_inside(backend: Backend, offset: int, nbytes: int) -> None:
    a = backend.upload_resident(ramp(8))
    with pytest.raises(InvalidProgramError, match=r"Fix: stay within 0..32"):
        backend.download_ranges([a.part(0, 4), a.part(offset, nbytes)])
    with pytest.raises(InvalidProgramError, match="Fix: stay within"):
        backend.resident.upload_at_many([(a, 0, bytes(4)), (a, offset, bytes(nbytes))])
    assert (as_floats(backend.download(a)) == ramp(8)).all()


def test_whole_uploads_have_the_buffers_length(backend: Backend) -> None:
    a = backend.allocate_resident(8)
    for upload in (
        lambda: backend.resident.upload(a, bytes(4)),
        lambda: backend.resident.upload_many([(a, bytes(12))]),
        lambda: backend.resident.upload_async(a, bytes(9)),
    ):
        with pytest.raises(InvalidProgramError, match=r"\d+ bytes for <resident buffer .* of 8 bytes>. Fix: "):
            upload()


def test_uploads_that_do_not_wait_come_before_later_dispatches(backend: Backend) -> None:
    pipeline = backend.compile(scale)
    x, y = backend.allocate_resident(4000), backend.allocate_resident(4000)
    for start in range(3):
        data = ramp(1000, start)
        backend.resident.upload_async(x, data)
        data[:] = 0  # it was staged
        with pytest.raises(InvalidProgramError, match=r"is in flight. Fix: wait for the dispatch or upload"):
            backend.free_resident(x)
        pipeline.dispatch([x], [y])
        assert (as_floats(backend.download(y)) == 2 * ramp(1000, start)).all()
        backend.resident.synchronize_uploads()
    backend.free_resident(x)


def test_what_a_dispatch_uses_is_in_flight_until_it_is_waited_for(backend: Backend, monkeypatch) -> None:
    pipeline = backend.compile(scale)
    x, y = backend.upload_resident(ramp(4)), backend.allocate_resident(16)
    idle = backend.allocate_resident(4)
    pipeline.dispatch([x], [y])
    monkeypatch.setattr(type(backend.tickets.stream), "query", lambda _: False)
    assert backend.resident.busy(x)
    assert not backend.resident.busy(idle)
    with pytest.raises(InvalidProgramError, match="is in flight"):
        backend.free_resident(y)
    backend.synchronize()
    assert not backend.resident.busy(x)
    backend.free_resident(y)
    monkeypatch.undo()


def test_host_memory_is_locked_and_unlocked(backend: Backend) -> None:
    data = np.zeros(1 << 16, np.uint8)
    address = backend.resident.pin(data)
    assert address == data.ctypes.data
    backend.resident.unpin(address)
    with pytest.raises(BackendError, match=r"is not pinned by this backend. Fix: pin it first"):
        backend.resident.unpin(address)
    backend.resident.pin(data)  # cleanup unlocks it


@pytest.mark.parametrize("nbytes", [0, -4, 1.5, True, None, "8"])
def test_a_size_that_is_none(backend: Backend, nbytes: Any) -> None:
    with pytest.raises(
        InvalidProgramError, match=f"a resident buffer of {nbytes!r} bytes. Fix: pass a positive number"
    ):
        backend.allocate_resident(nbytes)
