"""Which configuration a kernel takes: providers, what tuning kept, what is shipped; and that nothing unchecked is taken."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ptxgen as px
from driver_ctypes.errors import CacheWarning
from ptxgen.isa.targets import find_target
from ptxgen.kernels import choices, winners
from ptxgen.kernels.arrays import histogram
from ptxgen.kernels.choices import choice, forget, register
from ptxgen.kernels.matrices import matmul
from ptxgen.kernels.tunable import Tunable, tunables
from ptxgen.kernels.winners import DeviceIdentity, Winner, WinnerStore, identity_of, keep_winner, winner_key

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

H200 = DeviceIdentity("NVIDIA H200", "sm_90a", 13000)
TARGET = find_target("sm_90a")
SPACE = px.Space(t=(1, 2, 4), where=lambda t, shape: t <= shape[0])


@px.kernel
def work(k: px.Builder, x: px.ptr[px.u32], *, t: int = 1, element: Any = px.u32) -> None:
    x[0] = t


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WinnerStore]:
    made = WinnerStore(tmp_path / "tuned")
    monkeypatch.setattr(choices, "winner_store", lambda: made)
    forget()
    yield made
    forget()


@pytest.fixture
def dev(device_name: str) -> px.Device:
    return px.device(device_name)


def keep(store: WinnerStore, dev: px.Device, config: dict[str, Any], shape_class: str = "[8]", fixed: str = "") -> None:
    keep_winner(store, work, Winner("work", fixed, shape_class, identity_of(dev), config, {}))
    forget()


def test_without_an_answer_the_kernel_chooses(store: WinnerStore, dev: px.Device) -> None:
    assert choice(work, SPACE, (8,), dev) is None


def test_what_tuning_kept_is_taken_for_the_class(store: WinnerStore, dev: px.Device) -> None:
    keep(store, dev, {"t": 4})
    found = choice(work, SPACE, (7,), dev)
    assert found is not None
    assert (dict(found.config), found.source) == ({"t": 4}, "tuned here")
    assert choice(work, SPACE, [7], dev) == found, "a list, which has no hash"
    assert choice(work, SPACE, 7, dev) == found
    assert choice(work, SPACE, (9,), dev) is None
    assert choice(work, SPACE, (7,), dev, element=px.f32) is None


def test_fixed_parameters_are_those_of_the_call_and_of_using(store: WinnerStore, dev: px.Device) -> None:
    keep(store, dev, {"t": 2}, fixed="element=f32")
    asked = [choice(work, SPACE, (8,), dev, element=px.f32), choice(work.using(element=px.f32), SPACE, (8,), dev)]
    assert [found and dict(found.config) for found in asked] == [{"t": 2}, {"t": 2}]


def test_a_winner_that_another_shape_of_the_class_cannot_have_is_not_taken(store: WinnerStore, dev: px.Device) -> None:
    keep(store, dev, {"t": 4}, "[4]")
    assert choice(work, SPACE, (4,), dev) is not None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert choice(work, SPACE, (3,), dev) is None


def test_providers_are_asked_first_and_their_answers_are_checked(store: WinnerStore, dev: px.Device) -> None:
    keep(store, dev, {"t": 4})
    asked: list[choices.Question] = []
    withdraw = register(lambda question: asked.append(question))
    second = register(lambda question: {"t": 2})
    assert choice(work, SPACE, (8,), dev) == (px.kernels.space.Config({"t": 2}), "registered")
    second()
    second()  # once more does nothing
    found = choice(work, SPACE, (8,), dev)
    assert found is not None
    assert found.source == "tuned here"
    assert [(q.kernel, q.shape, q.shape_class, q.device) for q in asked] == [(work, (8,), (8,), dev)]
    withdraw()
    withdraw = register(lambda question: {"t": 3})
    with pytest.raises(px.BuildError, match=r"chose for work what is not in its space: .*'t': 3"):
        choice(work, SPACE, (8,), dev)
    withdraw()


@pytest.mark.parametrize(
    "entry, said",
    [
        (b"{", "Expecting property name"),
        (b"[" * 100_000, "100000 bytes"),
        (b"[" * 50_000, "maximum recursion|Expecting value"),
        (b'"text"', "not a record of format 1"),
        (json.dumps({"format": 2}).encode(), "not a record of format 1"),
        (json.dumps({"format": 1, "kernel": 5}).encode(), "field 'kernel' is 5, not a str"),
        ({"config": {"t": 3}}, "not of the axes"),
        ({"config": {"t": 1, "u": 1}}, "not of the axes"),
        ({"kernel": "other"}, "it is about"),
        ({"device": "another"}, "it is about"),
        ({"driver": 1}, "it is about"),
    ],
)
def test_foreign_records_are_reported_and_not_used(
    store: WinnerStore, dev: px.Device, entry: bytes | dict[str, Any], said: str
) -> None:
    key = winner_key(work, "", "[8]", identity_of(dev))
    if isinstance(entry, dict):
        right = Winner("work", "", "[8]", identity_of(dev), {"t": 4}, {}).to_dict()
        entry = json.dumps({**right, **entry}).encode()
    store.put(key, entry)
    with pytest.warns(CacheWarning, match=f"(?s)work.* is not used: .*({said}).*tune the kernel again"):
        assert choice(work, SPACE, (8,), dev) is None


def test_a_damaged_entry_is_reported_and_dropped(store: WinnerStore, dev: px.Device) -> None:
    keep(store, dev, {"t": 4})
    (path,) = store.folder.rglob("*.winner")
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)
    with pytest.warns(CacheWarning, match="was damaged; the kernel's own choice is taken until it is tuned again"):
        assert choice(work, SPACE, (8,), dev) is None
    assert not path.exists()


def test_another_text_of_the_kernel_has_other_winners() -> None:
    device = H200

    def made(number: int) -> px.Kernel:
        @px.kernel
        def work(k: px.Builder, x: px.ptr[px.u32], *, t: int = 1) -> None:
            x[0] = t + number

        return work

    one, two = made(1), made(2)
    assert winner_key(one, "", "[8]", device) == winner_key(made(1), "", "[8]", device)
    assert len({winner_key(each, "", "[8]", device) for each in (one, two, work)}) == 3
    assert winner_key(one.using(t=2), "", "[8]", device) == winner_key(one, "", "[8]", device)


def test_shipped_defaults_are_of_their_kernels_spaces() -> None:
    """The file names kernels, and a name that is gone or a value that is no longer in the space would be found by nobody."""
    found = {(each.kernel.__name__, winners.fixed_text(each.kernel.fixed)): each for each in tunables()}
    records = winners.read_shipped(winners.shipped_file(H200.name))
    assert {record.kernel for record in records} >= {"matmul", "histogram"}
    for record in records:
        space = found[record.kernel, record.fixed].space
        shape = tuple(json.loads(record.shape_class))
        assert record.device.name == H200.name
        assert space.refusal(record.config, shape, TARGET) is None, record
        assert winners.class_text(space.class_of(shape)) == record.shape_class


def test_kernels_take_what_is_shipped_for_their_device(
    store: WinnerStore, dev: px.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices, "identity_of", lambda device: H200)
    shipped = choice(matmul.KERNEL, matmul.SPACE, (4000, 4096, 4096), dev)
    assert shipped is not None
    assert shipped.source == "shipped for NVIDIA H200"
    near = choice(matmul.KERNEL, matmul.SPACE, (4000, 4096, 2000), dev)
    assert near is not None
    assert near.source == "shipped for NVIDIA H200, for [4096, 4096, 4096]"
    assert choice(matmul.KERNEL, matmul.SPACE, (4000, 4096, 64), dev) is None


@pytest.mark.parametrize(
    "asked, found",
    [
        ((64, 64), "[64, 64]"),
        ((128, 64), "[64, 64]"),
        ((128, 128), "[64, 64]"),
        ((256, 128), "[256, 256]"),
        ((256, 64), "[64, 64]"),
        ((512, 64), None),
        ((0, 64), None),
        ((64, 64, 64), None),
        ((64, 64, "causal"), '[64, 128, "causal"]'),
        ((64, 64, "full"), None),
        ((64, 64, True), None),
    ],
)
def test_the_nearest_shipped_class_serves_within_a_factor_of_four(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: tuple[Any, ...], found: str | None
) -> None:
    classes = ("[64, 64]", "[256, 256]", '[64, 128, "causal"]')
    records = [Winner("k", "", each, H200._replace(name="D"), {"t": 1}, {}).to_dict() for each in classes]
    (tmp_path / "d.json").write_text(json.dumps(records))
    monkeypatch.setattr(winners, "shipped_file", lambda device: tmp_path / "d.json")
    winners._shipped_for.cache_clear()
    record = winners.shipped_winner("k", "", asked, "D")
    assert (record and record.shape_class) == found
    assert winners.shipped_winner("other", "", asked, "D") is None
    winners._shipped_for.cache_clear()


def test_a_shipped_record_that_does_not_fit_is_reported(
    store: WinnerStore, dev: px.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = Winner("work", "", "[8]", H200, {"t": 3}, {})
    monkeypatch.setattr(choices, "shipped_winner", lambda *asked: record)
    with pytest.warns(CacheWarning, match=r"a shipped record of work for the class \[8\] is not used: .*'t': 3"):
        assert choice(work, SPACE, (8,), dev) is None


@pytest.mark.parametrize("each", list(tunables()), ids=lambda each: each.label)
def test_what_the_library_tunes_runs_and_its_check_can_fail(each: Tunable, dev: px.Device) -> None:
    (config, *_) = each.space.survey(each.small, TARGET).configs
    trial = each.make(dev, each.small[0])(config)
    assert trial.check() is False
    trial.launches()
    dev.synchronize()
    assert trial.check() is True
    assert each.build(config) is not None


def test_a_plan_takes_the_tuned_configuration(store: WinnerStore, dev: px.Device) -> None:
    a, b, c = (dev.zeros((64, 64), px.f32) for _ in range(3))
    x, counts = dev.array(np.zeros(1000, np.uint8)), dev.zeros(256, px.u32)
    tiling = {"m": 64, "n": 64, "depth": 8, "block_m": 8, "block_n": 4, "ctas": 1}
    assert matmul.plan(64, 64, 64, 1.0, a, b, 0.0, c).block == matmul.SMALL.threads
    assert histogram.plan(1000, 256, x, counts, element=px.u8).shared == 4 * 256 * 32
    withdraw = register(lambda asked: tiling if asked.kernel is matmul.KERNEL else {"copies": 2})
    try:
        assert matmul.plan(64, 64, 64, 1.0, a, b, 0.0, c).block == matmul.Tiling(**tiling).threads == 128
        assert histogram.plan(1000, 256, x, counts, element=px.u8).shared == 4 * 256 * 2
    finally:
        withdraw()
