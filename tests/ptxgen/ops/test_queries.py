"""Queries over tables: what numpy computes of the same columns, by one launch, step by step, and as one graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f32, ops, s8, s64, u8, u32
from ptxgen.errors import BuildError
from ptxgen.kernels.queries.reading import Tiling

RNG = np.random.default_rng(5)
N = 3001
HOST: dict[str, Any] = {
    "price": RNG.integers(-100_000, 100_000, N, dtype=np.int32),
    "discount": RNG.integers(0, 11, N, dtype=np.int32),
    "quantity": RNG.integers(1, 51, N, dtype=np.uint8),
    "flag": RNG.integers(0, 3, N, dtype=np.uint8),
    "customer": RNG.integers(0, 200, N, dtype=np.uint32),
    "weight": RNG.standard_normal(N, dtype=np.float32),
}  # fmt: skip
WIDE = {name: each.astype(np.int64) for name, each in HOST.items() if name != "weight"}


def same(found: Any, expected: Any) -> None:
    """Equal types, shapes and bits, where a NaN is as good as another."""
    expected = np.asarray(expected)
    if expected.dtype == bool:
        expected = expected.astype(np.uint8)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    equal = (found == expected) & (np.signbit(found) == np.signbit(expected))
    assert (equal | ((found != found) & (expected != expected))).all()


@pytest.fixture
def t(dev: px.Device) -> ops.Table:
    return ops.table(HOST, on=dev)


@pytest.fixture(autouse=True)
def few_rows_at_a_time(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that kernels are compiled in a moment; every length and the catalogue's cases go through the usual tilings."""
    if "kind" not in request.fixturenames:
        for room in ("frames", "fused"):
            monkeypatch.setattr(f"ptxgen.ops.queries.{room}.tiling_of", lambda *_: Tiling(2, 1))


# --- aggregates -------------------------------------------------------------------------------------------------------


def test_a_filter_and_aggregates_are_one_launch(t: ops.Table) -> None:
    q = t.filter(t.quantity < 24, t.discount.between(5, 7)).aggregate(
        revenue=(t.price * t.discount).sum(), rows=t.count(), mean=t.price.mean(), low=t.price.min(), high=t.quantity.max(),
        few=(t.quantity < 5).sum(), weight=t.weight.sum(), lightest=t.weight.min(),
    )  # fmt: skip
    keep = (WIDE["quantity"] < 24) & (WIDE["discount"] >= 5) & (WIDE["discount"] <= 7)
    price = WIDE["price"][keep]
    for _ in range(3):
        found = q.numpy()
        same(found["revenue"], [(price * WIDE["discount"][keep]).sum()])
        same(found["rows"], np.array([keep.sum()], np.uint32))
        same(found["mean"], [price.sum() / keep.sum()])
        same(found["low"], np.array([price.min()], np.int32))
        same(found["high"], np.array([WIDE["quantity"][keep].max()], np.uint8))
        same(found["few"], np.array([(WIDE["quantity"][keep] < 5).sum()], np.uint64))
        assert np.isclose(found["weight"][0], HOST["weight"][keep].astype(np.float64).sum(), rtol=1e-12)
        same(found["lightest"], np.array([HOST["weight"][keep].min()], np.float32))


@pytest.mark.parametrize("n", [0, 1, 255, 5000])
@pytest.mark.parametrize("kind", ["u1", "i2", "u4", "i8", "f4", "f8"])
def test_every_length_and_type(dev: px.Device, n: int, kind: str) -> None:
    values = np.random.default_rng(n).integers(0, 100, n).astype(kind)
    t = ops.table(x=values, on=dev)
    found = t.aggregate(total=t.x.sum(), rows=t.count(), most=(t.x + 1).max()).numpy()
    wide = {"f": np.float64, "i": np.int64, "u": np.uint64}[values.dtype.kind]
    same(found["total"], np.array([values.sum(dtype=wide)], wide))
    same(found["rows"], np.array([n], np.uint32))
    if n:
        assert found["most"][0] == values.max() + 1


def test_nothing_has_the_identity(dev: px.Device) -> None:
    t = ops.table(x=np.arange(5, dtype=np.int32), y=np.full(5, np.nan, np.float32), on=dev)
    found = t.filter(t.x > 9).aggregate(s=t.x.sum(), m=t.x.mean(), low=t.x.min(), high=t.y.max()).numpy()
    assert (found["s"][0], found["low"][0]) == (0, 2**31 - 1)
    assert np.isnan(found["m"][0])
    assert np.isnan(found["high"][0])
    assert np.isnan(t.aggregate(low=t.y.min()).numpy()["low"][0])


def test_sums_of_64_bits_wrap(dev: px.Device) -> None:
    t = ops.table(x=np.full(3, 2**63 - 1, np.int64), y=np.full(3, 2**64 - 1, np.uint64), on=dev)
    found = t.aggregate(x=t.x.sum(), y=t.y.sum()).numpy()
    assert (found["x"][0], found["y"][0]) == (2**63 - 3, 2**64 - 3)


def test_sums_of_floats_are_the_same_bits_each_time(t: ops.Table) -> None:
    q = t.groupby("flag").aggregate(x=(t.weight * t.price).sum())
    first = q.numpy()["x"]
    assert all((q.numpy()["x"] == first).all() for _ in range(3))
    again = t.groupby("flag").aggregate(x=(t.weight * t.price).sum()).numpy()["x"]
    assert (again == first).all()


# --- groups -----------------------------------------------------------------------------------------------------------


def expected_groups(keys: list[Any], keep: Any, value: Any) -> tuple[list[Any], Any, Any]:
    columns = np.stack([key[keep] for key in keys])
    found, place = np.unique(columns, axis=1, return_inverse=True)
    sums = np.zeros(found.shape[1], value.dtype)
    np.add.at(sums, place.reshape(-1), value[keep])
    return list(found), sums, np.bincount(place.reshape(-1), minlength=found.shape[1])


@pytest.mark.parametrize("names", [["flag"], ["flag", "discount"], ["customer"], ["customer", "flag"], ["price"]])
def test_few_groups_and_many(t: ops.Table, names: list[str]) -> None:
    q = (
        t.filter(t.quantity < 24)
        .groupby(*names)
        .aggregate(
            total=t.price.sum(), rows=t.count(), mean=t.price.mean(), high=t.discount.max(), any=(t.price > 0).max()
        )
    )
    keep = WIDE["quantity"] < 24
    keys, sums, counts = expected_groups([WIDE[name] for name in names], keep, WIDE["price"])
    for _ in range(2):
        found = q.numpy()
        for name, key in zip(names, keys):
            same(found[name], key.astype(HOST[name].dtype))
        same(found["total"], sums)
        same(found["rows"], counts.astype(np.uint32))
        same(found["mean"], sums / counts)
        assert found["high"].dtype == np.int32
        assert found["any"].dtype == np.uint8


def test_many_groups_in_any_order(t: ops.Table) -> None:
    q = t.groupby("customer", ordered=False).aggregate(total=t.price.sum(), rows=t.count(), high=t.discount.max())
    keys, sums, counts = expected_groups([WIDE["customer"]], np.ones(N, bool), WIDE["price"])
    for _ in range(2):
        found = q.numpy()
        order = np.argsort(found["customer"])
        same(found["customer"][order], keys[0].astype(np.uint32))
        same(found["total"][order], sums)
        same(found["rows"][order], counts.astype(np.uint32))


def test_keys_may_be_expressions_and_conditions(t: ops.Table) -> None:
    found = t.groupby(late=t.customer >= 100, bucket=t.customer % 3).aggregate(rows=t.count()).numpy()
    keys, _, counts = expected_groups([(WIDE["customer"] >= 100).astype(np.int64), WIDE["customer"] % 3], np.ones(N, bool),
                                      WIDE["price"])  # fmt: skip
    same(found["late"], keys[0].astype(np.uint8))
    same(found["bucket"], keys[1].astype(np.uint64))
    same(found["rows"], counts.astype(np.uint32))


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("equal, groups", [("bits", 5), ("numbers", 3)])
def test_floats_are_equal_as_bits_or_as_numbers(dev: px.Device, equal: Any, groups: int, many: bool) -> None:
    odd = np.array([0x7FC00001], np.uint32).view(np.float32)[0]
    x = np.tile(np.array([0.0, -0.0, np.nan, odd, -1.5], np.float32), 20)
    t = ops.table(x=x, y=np.arange(100, dtype=np.int64), on=dev)
    q = (t.groupby("x", y=t.y // 100 * (1 << 40), equal=equal) if many else t.groupby("x", equal=equal)).aggregate(
        n=t.count()
    )
    found = q.numpy()
    assert len(found["n"]) == groups
    assert found["n"].sum() == 100
    assert found["x"][0] == -1.5


def test_groups_of_nothing(t: ops.Table) -> None:
    found = t.filter(t.price > 10**6).groupby("flag").aggregate(n=t.count()).numpy()
    assert (found["flag"].shape, found["n"].shape) == ((0,), (0,))
    wide = t.filter(t.price > 10**6).groupby("flag", a=t.price * 1, b=t.price + 1).aggregate(n=t.count()).numpy()
    assert wide["n"].shape == (0,)


def test_a_key_of_all_ones_is_a_group(dev: px.Device) -> None:
    x = np.array([2**64 - 1, 0, 2**64 - 1], np.uint64)
    t = ops.table(x=x, on=dev)
    found = t.groupby("x").aggregate(n=t.count()).numpy()
    assert (found["x"].tolist(), found["n"].tolist()) == ([0, 2**64 - 1], [1, 2])


# --- rows -------------------------------------------------------------------------------------------------------------


def test_values_of_rows_in_their_order(t: ops.Table) -> None:
    keep = WIDE["quantity"] < 9
    found = (
        t.filter(t.quantity < 9)
        .select("price", net=t.price - t.discount, flag=ops.where(t.flag == 1, 7, t.flag))
        .numpy()
    )
    same(found["price"], HOST["price"][keep])
    same(found["net"], (WIDE["price"] - WIDE["discount"])[keep])
    assert (found["flag"] == np.where(HOST["flag"] == 1, 7, HOST["flag"])[keep]).all()
    whole = t.with_columns(twice=t.price * 2).select().numpy()
    assert list(whole) == [*HOST, "twice"]
    same(whole["weight"], HOST["weight"])


def test_casts(t: ops.Table) -> None:
    found = t.select(
        a=t.price.cast(s8), b=t.price.cast(u8), c=t.weight.cast(s64), d=t.price.cast(f32), e=t.price.cast(u32)
    ).numpy()
    same(found["a"], HOST["price"].astype(np.int8))
    same(found["b"], HOST["price"].astype(np.uint8))
    same(found["c"], HOST["weight"].astype(np.int64))
    same(found["d"], HOST["price"].astype(np.float32))
    same(found["e"], HOST["price"].astype(np.uint32))


def test_zeros_of_both_signs_are_two_numbers(dev: px.Device) -> None:
    one = ops.table(x=np.ones(1), on=dev)
    found = one.select(above=1 / (one.x * 0.0), below=1 / (one.x * -0.0)).numpy()
    assert (found["above"][0], found["below"][0]) == (np.inf, -np.inf)


def test_isin_and_logic(t: ops.Table) -> None:
    one = t.flag.isin([0, 2]) & ~(t.price > 0) | (t.quantity == 50) ^ (t.flag == 1)
    flag, price, quantity = HOST["flag"], HOST["price"], HOST["quantity"]
    expected = np.isin(flag, [0, 2]) & ~(price > 0) | (quantity == 50) ^ (flag == 1)
    assert t.filter(one).aggregate(n=t.count()).numpy()["n"][0] == expected.sum()
    assert t.filter(t.flag.isin([])).aggregate(n=t.count()).numpy()["n"][0] == 0


# --- joins ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def tables(dev: px.Device, t: ops.Table) -> tuple[ops.Table, ops.Table, ops.Table]:
    customer = ops.table(
        customer=np.arange(200, dtype=np.uint32), nation=np.arange(200) * 7 % 25, age=np.arange(200, dtype=np.uint8),
        on=dev,
    )  # fmt: skip
    nation = ops.table(nation=np.arange(25, dtype=np.int16), region=(np.arange(25) % 5).astype(np.uint8), on=dev)
    return t, customer, nation


def test_three_tables_and_groups_are_one_graph_when_repeated(tables: tuple[ops.Table, ...]) -> None:
    t, customer, nation = tables
    joined = t.filter(t.quantity < 24).join(customer, on="customer").join(nation, on="nation")
    few = joined.filter(joined.age < 150, joined.region != 3)
    q = few.groupby("region").aggregate(revenue=(few.price * few.discount).sum(), rows=few.count())
    who = WIDE["customer"]
    region = who * 7 % 25 % 5
    keep = (WIDE["quantity"] < 24) & (who < 150) & (region != 3)
    keys, sums, counts = expected_groups([region], keep, WIDE["price"] * WIDE["discount"])
    for turn in range(4):
        assert q.launch() is (turn > 0)
        found = q.read()
        same(found["region"].numpy(), keys[0].astype(np.uint8))
        same(found["revenue"].numpy(), sums)
        same(found["rows"].numpy(), counts.astype(np.uint32))


def test_a_graph_sees_new_data_and_is_left_where_there_is_no_room(dev: px.Device) -> None:
    x = dev.array(np.zeros(1000, np.uint32))
    x[:10].copy_from(np.full(10, 5, np.uint32))
    t, u = ops.table(key=x, on=dev), ops.table(key=np.arange(8, dtype=np.uint32), on=dev)
    q = t.filter(t.key > 4).join(u, on="key").aggregate(n=t.count(), total=t.key.sum())
    for values in ([5] * 10, [5] * 10, [7] * 4, [0], [6] * 300, [6] * 300, [6, 7] * 100):
        new = np.zeros(1000, np.uint32)
        new[: len(values)] = values
        x.copy_from(new)
        found = q.numpy()
        assert (found["n"][0], found["total"][0]) == ((new > 4).sum(), new[new > 4].sum())


def test_values_of_rows_and_many_groups_are_graphs_too(dev: px.Device) -> None:
    x = dev.array(np.zeros(1000, np.uint64))
    t, u = ops.table(key=x, on=dev), ops.table(key=np.arange(8, dtype=np.uint64), half=np.arange(8) / 2, on=dev)
    rows = t.filter(t.key > 4).select("key", more=t.key + 1)
    pairs = t.filter(t.key > 4).join(u, on="key").select("half")
    groups = t.groupby("key", key2=t.key).aggregate(rows=t.count())  # wider than a word: sorted
    with rows, pairs, groups:
        for turn, values in enumerate(([5] * 10, [7] * 4, [0], [6] * 300, [6, 7] * 100, range(1000))):
            new = np.zeros(1000, np.uint64)
            new[: len(values)] = values
            x.copy_from(new)
            assert groups.launch() is (turn > 0)
            chosen = new[new > 4]
            found = rows.numpy()
            assert (found["key"] == chosen).all()
            assert (found["more"] == chosen + 1).all()
            assert (np.sort(pairs.numpy()["half"]) == np.sort(chosen[chosen < 8] / 2)).all()
            assert (groups.read()["rows"].numpy() == np.unique(new, return_counts=True)[1]).all()


def test_a_table_joins_itself(dev: px.Device) -> None:
    """Each employee with the employee who is the boss; a filter of one side is none of the other."""
    who, boss, pay = np.arange(6, dtype=np.uint32), np.array([0, 0, 0, 1, 1, 2], np.uint32), np.arange(6) * 10
    staff = ops.table(who=who, boss=boss, pay=pay, on=dev)
    both = staff.filter(staff.pay > 10).join(staff, left_on="boss", right_on="who", suffix="_of_boss")
    assert both.columns == ["who", "boss", "pay", "boss_of_boss", "pay_of_boss"]
    found = both.filter(both.pay_of_boss < 20).select("who", "pay", "pay_of_boss").numpy()
    assert sorted(zip(*(found[name].tolist() for name in found))) == [(2, 20, 0), (3, 30, 10), (4, 40, 10)]
    assert staff.join(staff, left_on="who", right_on="boss", how="semi").aggregate(n=staff.count()).numpy()["n"][0] == 3


def test_joins_of_several_matches(dev: px.Device) -> None:
    a, b = np.array([1, 2, 2, 3], np.int32), np.array([2, 2, 3, 4, 1, 1, 1], np.int64)
    t = ops.table(k=a, x=np.array([10, 20, 30, 40]), on=dev)
    u = ops.table(k=b, y=np.arange(7), on=dev)
    found = t.join(u, on="k").select("k", "x", "y").numpy()
    rows = sorted(zip(*(found[name].tolist() for name in ("k", "x", "y"))))
    assert rows == sorted(
        (int(k), x, y) for k, x in zip(a, (10, 20, 30, 40)) for y, other in enumerate(b) if k == other
    )


@pytest.mark.parametrize("how", ["semi", "anti"])
def test_rows_with_a_match_and_without(tables: tuple[ops.Table, ...], how: str) -> None:
    t, customer, _ = tables
    young = customer.filter(customer.age < 50)
    q = t.filter(t.flag == 1).join(young, on="customer", how=how).aggregate(n=t.count(), s=t.price.sum())
    keep = (HOST["flag"] == 1) & ((WIDE["customer"] < 50) == (how == "semi"))
    for _ in range(3):
        found = q.numpy()
        assert (found["n"][0], found["s"][0]) == (keep.sum(), WIDE["price"][keep].sum())


def test_keys_of_several_columns_and_floats(dev: px.Device) -> None:
    x, y = np.array([0.0, -0.0, np.nan, 1.0], np.float32), np.array([1, 1, 1, 2], np.uint8)
    t, u = ops.table(x=x, y=y, on=dev), ops.table(x=x[::-1].copy(), y=y[::-1].copy(), z=np.arange(4), on=dev)
    for equal, pairs in [("bits", 4), ("numbers", 6)]:
        q = t.filter(t.y > 0).join(u.filter(u.z >= 0), on=["x", "y"], equal=equal).aggregate(n=t.count())
        assert [q.numpy()["n"][0] for _ in range(3)] == [pairs] * 3


@pytest.mark.cpu_only  # kernels on a GPU are not watched
def test_the_sanitizer_finds_nothing(tables: tuple[ops.Table, ...]) -> None:
    t, customer, nation = tables
    joined = t.filter(t.quantity < 24).join(customer, on="customer").join(nation, on="nation")
    with px.sanitize():
        for q in (
            joined.groupby("region").aggregate(n=joined.count(), low=joined.price.min()),
            t.aggregate(s=t.price.sum()),
        ):
            q.numpy()
            q.numpy()
        t.filter(t.flag == 1).select("price", x=t.price * 2.5).numpy()


# --- what is refused --------------------------------------------------------------------------------------------------


def test_mistakes_are_named(t: ops.Table, dev: px.Device) -> None:
    other = ops.table(price=np.arange(3), flag=np.arange(3), on=dev)
    for use, why in [
        (lambda: t.nothing, "no column 'nothing'"),
        (lambda: t["nothing"], "it has price, discount"),
        (lambda: bool(t.price > 1), "no truth value before a query runs"),
        (lambda: list(t.price), "no elements before a query runs"),
        (lambda: t.filter(t.price), "which is no condition"),
        (lambda: t.filter(other.price > 1), "columns of a table that this query does not read"),
        (lambda: t.aggregate(), "a query for no aggregates"),
        (lambda: t.aggregate(x=t.price), "is no aggregate"),
        (lambda: t.price.sum() + 1, "unsupported operand"),
        (lambda: t.price + t.price.sum(), "the aggregate sum inside an expression"),
        (lambda: t.weight // 2, "// of floats"),
        (lambda: (t.price > 1) & t.flag, "put comparisons in parentheses"),
        (lambda: t.price + "x", "'x' in an expression"),
        (lambda: t.price + (1 << 70), "does not fit 64 bits"),
        (lambda: ~t.price, "x \\^ -1 inverts the bits"),
        (lambda: ops.where(t.price, 1, 2), "which is no condition"),
        (lambda: t.groupby(), "groups without a key"),
        (lambda: t.groupby(t.price + 1), "without a name"),
        (lambda: t.groupby("flag").aggregate(flag=t.count()), "is a key and an aggregate"),
        (lambda: t.groupby("flag", equal="values"), "equal='values'"),
        (lambda: t.join(other, on="flag"), "both tables have a column 'price'"),
        (lambda: t.join(other, on="flag", how="left"), "no nulls for outer joins"),
        (lambda: t.join(other), "a join of 0 with 0 keys"),
        (lambda: t.join(t, on="flag"), "both tables have a column"),
        (lambda: ops.table(), "a table without columns"),
        (lambda: ops.table(a=np.arange(3), b=np.arange(4), on=dev), "'b' has 4 rows, 'a' has 3"),
        (lambda: ops.table(a=np.zeros((2, 2)), on=dev), "expected one dimension"),
    ]:  # fmt: skip
        with pytest.raises((BuildError, AttributeError, TypeError), match=why):
            use()  # type: ignore[no-untyped-call]


def test_closing_a_query_frees_everything(dev: px.Device, tables: tuple[ops.Table, ...]) -> None:
    t, customer, _ = tables
    q = t.filter(t.flag == 1).join(customer, on="customer").groupby("flag").aggregate(n=t.count())
    q.numpy()
    q.numpy()
    q.close()
    assert q.numpy()["n"].tolist() == [(HOST["flag"] == 1).sum()]
    q.close()
