"""Decoding: any lengths, pages anywhere, any number of CTAs; and what no sequence has is not seen."""

from __future__ import annotations

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, f16
from ptxgen.kernels.attention import attention_decode as decode
from ptxgen.kernels.attention.attention_decode import (
    Problem,
    attention_decode,
    layout_of,
    plan,
    reference,
    scratch_of,
    workers_for,
)
from ptxgen.kernels.cases import HostArray

SMALL = {"element": bf16, "d": 64, "page_size": 16, "group": 4, "queries": 1, "order": "NHD"}


@pytest.fixture(scope="module")
def dev(device_name):
    return px.device(device_name)


def case(problem, seed=0, **others):
    return decode.case(problem, np.random.default_rng(seed), **{**SMALL, **others})


def changed(found, **arrays):
    """The case with other values of some arrays."""
    return found._replace(
        arrays={name: HostArray(arrays.get(name, host.values), host.type) for name, host in found.arrays.items()}
    )


def result(found, dev):
    arrays, launch = found.on(dev)
    launch.launch()
    assert not arrays["arrived"].numpy().any(), "the counters are ready for the next launch"
    return arrays["o"].numpy()


@pytest.mark.parametrize(
    "others",
    [
        {},
        {"element": f16, "d": 128, "page_size": 128, "group": 1},
        {"d": 96, "page_size": 24, "group": 16, "order": "HND"},
        {"group": 6, "queries": 8, "page_size": 8},  # 48 rows, in two blocks
    ],
    ids=lambda o: "-".join(str(getattr(v, "__name__", v)) for v in o.values()),
)
def test_lengths_around_a_page_s_end(dev, others):
    page = {**SMALL, **others}["page_size"]
    outcome = case(Problem((0, 1, page - 1, page, page + 1, 3 * page + 5), 7, 1), **others).run(dev)
    assert outcome.passed, outcome


@pytest.mark.parametrize("workers", [1, 2, 3, 4, 5, 6, 7, 8, 33])
def test_any_number_of_ctas(dev, workers):
    """Also more of them than there are blocks, and several that share one head."""
    found = case(Problem((300, 0, 70), workers, 2))
    outcome = found.run(dev)
    assert outcome.passed, outcome
    assert result(found, dev).tobytes() == result(found, dev).tobytes()


def test_more_sequences_than_a_warp_has_lanes(dev):
    lengths = tuple(int(n) for n in np.random.default_rng(1).integers(0, 40, 70))
    outcome = case(Problem(lengths, 5, 1)).run(dev)
    assert outcome.passed, outcome


def test_a_captured_launch_serves_other_lengths(dev):
    """The kernel reads them: the same grid and arguments."""
    found = case(Problem((200, 100), 3))
    arrays, launch = found.on(dev)
    launch.launch()  # loads the kernel, and leaves other results
    with dev.capture() as graph:
        launch.launch()
    for lengths in ((200, 100), (3, 0), (17, 208)):
        arrays["lengths"].copy_from(np.array(lengths, np.uint32))
        graph.launch()
        dev.synchronize()
        q, keys, values, table = (found.arrays[name].values for name in ("q", "keys", "values", "table"))
        expected, limit = reference(q, keys, values, table, lengths, "NHD", 2.0**-8)
        assert (np.abs(arrays["o"].numpy() - expected) <= limit).all(), lengths


def test_what_lies_behind_a_sequence_is_not_seen(dev):
    """NaN in the rest of its last page and in pages of nobody, and no page at all in the rest of its table."""
    found = case(Problem((5, 37), 2))
    keys, values, table = (found.arrays[name].values.copy() for name in ("keys", "values", "table"))
    for each in (keys, values):
        each[table[0, 0], 5:] = each[table[1, 2], 5:] = np.nan
        each[table[0, 1:]] = np.nan
    table[0, 1:] = 0xFFFFFFFF, 1 << 30
    outcome = changed(found, keys=keys, values=values, table=table).run(dev)
    assert outcome.passed, outcome


def test_a_table_that_ends_before_a_sequence(dev):
    """The keys that it has pages for are all there are."""
    found = case(Problem((64,), 2))
    assert np.array_equal(result(changed(found, lengths=np.array([5000], np.uint32)), dev), result(found, dev))


@pytest.mark.parametrize("workers", [1, 3])
def test_nan_and_infinities(dev, workers):
    found = case(Problem((150,), workers, 1))
    clean = result(found, dev)
    q, keys, values, table = (found.arrays[name].values.copy() for name in ("q", "keys", "values", "table"))
    q[0, 0, 1] = np.nan
    values[table[0, 3], 2, 0, 5] = np.inf
    values[table[0, 4], 1, 0, 6] = np.nan
    found = result(changed(found, q=q, values=values), dev)
    assert np.isnan(found[0, 0, 1]).all()
    others = found[0, 0, [0, 2, 3]]
    assert np.isnan(others[:, 6]).all()
    assert (others[:, 5] == np.inf).all()
    assert np.array_equal(np.delete(others, (5, 6), axis=1), np.delete(clean[0, 0, [0, 2, 3]], (5, 6), axis=1))
    keys[table[0, 0], 0] = np.inf
    q[0, 0] = np.abs(q[0, 0])
    q[0, 0, 1] = 1
    assert np.isnan(result(changed(case(Problem((150,), workers, 1)), q=q, keys=keys), dev)).all()
    keys[table[0, 0], 0] = -np.inf  # weighs nothing
    without = result(changed(case(Problem((150,), workers, 1)), q=q, keys=keys), dev)
    assert np.isfinite(without).all()


def test_layouts():
    assert layout_of(128, 4) == (1, 1, 2, 6)
    assert layout_of(128, 16, 8) == (2, 4, 1, 5)
    assert [workers_for(items) for items in (0, 1, 8, 32, 40, 44, 512, 513)] == [132, 132, 128, 128, 132, 132, 128, 132]
    assert layout_of(256, 16, 2).consumers == 1
    assert scratch_of(128, 4, 1, 2, 8, workers=10) == ((16 + 10) * 16 * 132, 16)
    with pytest.raises(px.BuildError, match=r"d = 80, 4 heads(.|\n)*64, 96, 128 or 256"):
        layout_of(80, 4)
    with pytest.raises(px.BuildError, match=r"17 heads a group"):
        layout_of(64, 17)


def test_pages_that_are_too_small():
    with pytest.raises(px.BuildError, match=r"pages of 4 keys(.|\n)*a multiple of 8"):
        attention_decode.module(target="sm_90a", **{**SMALL, "page_size": 4})


@pytest.mark.parametrize(
    "name, shape",
    [
        ("q", (2, 1, 7, 64)),
        ("keys", (9, 16, 2, 32)),
        ("table", (3, 4)),
        ("lengths", (3,)),
        ("o", (2, 1, 8)),
        ("order", 0),
    ],
)
def test_arrays_that_do_not_go_together(name, shape):
    arrays = {"q": (2, 1, 8, 64), "keys": (9, 16, 2, 64), "values": (9, 16, 2, 64), "table": (2, 4), "lengths": (2,)}
    arrays |= {"o": (2, 1, 8, 64), "parts": (1,), "arrived": (1,)}
    order = "DHN" if name == "order" else "NHD"
    given = [np.empty(shape if each == name else known, np.uint8) for each, known in arrays.items()]
    with pytest.raises(px.BuildError, match=r"decoding, order(.|\n)*q and o \(batch, queries, heads, d\)"):
        plan(*given, order=order)
