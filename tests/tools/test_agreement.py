"""The families of tools/agreement: what they ask is legal, and the CPU device's answers are those of numpy."""

from __future__ import annotations

import numpy as np

import ptxgen as px
from ptxgen.isa.targets import find_target
from tools.agreement.clusters import clusters
from tools.agreement.operations import WORDS, kernel, operands, operations, run_operations
from tools.agreement.products import names, products
from tools.agreement.run import Tally, distance
from tools.agreement.textures import CASES, run_case


def test_operations_are_legal_and_run() -> None:
    found = operations(find_target("sm_90a"), "sad")
    assert {each.name for each in found} >= {"sad.u32", "sad.s64"}
    assert px.verify(px.parse(kernel(found))) == []
    given = operands(256, 1)
    results = run_operations(px.device("cpu").context, found, given)
    a, b, c = (given[:, i].astype(np.uint32).astype(np.int64) for i in range(3))
    assert (results["sad.u32"] == ((np.abs(a - b) + c) & 0xFFFFFFFF).astype(np.uint64)).all()
    assert max(len(each.reads) for each in found) <= WORDS


def test_a_texture_case_runs() -> None:
    case = next(case for case in CASES if case.name == "2d point unnormalized border")
    words = run_case(px.device("cpu").context, case, 64)
    x, y = case.draw(np.random.default_rng(1), 64)
    outside = (x < 0) | (x >= 50) | (y < 0) | (y >= 37)
    assert outside.any()
    assert (words[outside] == 0).all()
    assert (words[~outside, 0] != 0).all()


def test_products_are_of_every_type() -> None:
    found = names(find_target("sm_90a"))
    types = {name.split(".")[-1] for name in found if name.startswith("wgmma.mma_async.sync")}
    assert types == {"f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8"}
    assert sum(".sp" in name for name in found) > 30


def test_products_come_in_launches(monkeypatch) -> None:
    monkeypatch.setattr("tools.agreement.products.EACH", 4)
    name = "mma.sp.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32"
    batches = list(products(44 + 1, name))
    assert [len(batch(px.device("cpu"))[name]) for batch in batches] == [88]


def test_words_go_over_the_cluster() -> None:
    batch = next(iter(clusters(2, "exchange over 4 CTAs")))
    (found,) = batch(px.device("cpu")).values()
    words = found.reshape(2, 4, 64, 6)
    given = np.random.default_rng(7).integers(0, 1 << 32, (2 * 4 * 64, 3), np.uint32).reshape(2, 4, 64, 3)
    reader = given[..., 1] % 256
    for cluster in range(2):
        own = given[cluster, :, :, 0].reshape(-1)
        assert (words[cluster, ..., 0] == own[reader[cluster]]).all()
        assert (words[cluster, ..., 4] == np.roll(given[cluster, ..., 2], 1, axis=0)).all()


def test_differences_are_told(capsys) -> None:
    one = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32).view(np.uint32)
    other = np.array([[1.0, 2.0], [3.0, 4.5]], np.float32).view(np.uint32)
    assert distance(one, other) == (1, 0.5)
    tally = Tally()
    tally.add({"case": one}, {"case": other})
    assert tally.tell() == 1
    assert "1 differ  by 0.5 at most" in capsys.readouterr().out
