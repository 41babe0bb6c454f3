"""What the devices of the targets are, and which programs a driver compiles for each."""

from __future__ import annotations

import pytest

from ptxgen.isa.products import PLAIN, PRODUCTS, find_product
from ptxgen.isa.targets import TARGETS, find_target


def test_the_plain_device_is_an_h200() -> None:
    assert (PLAIN.name, PLAIN.multiprocessors, PLAIN.l2, PLAIN.resident_ctas) == ("H200", 132, 62914560, 4224)
    assert PLAIN.capability == (9, 0)


@pytest.mark.parametrize(
    "name, product, target",
    [("sm_75", "T4", "sm_75"), ("compute_80", "A100", "sm_80"), ("sm_90", "H200", "sm_90a"), ("sm_120", "RTX 5090", "sm_120a")],
)  # fmt: skip
def test_a_suffix_changes_nothing(name: str, product: str, target: str) -> None:
    assert (find_product(name).name, find_product(name).target.name) == (product, target)


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_has_a_device_with_its_limits(target: str) -> None:
    found = find_product(target)
    assert found.target.sm == find_target(target).sm
    assert found.takes(find_target(target))
    assert found.multiprocessors in {product.multiprocessors for product in PRODUCTS.values()}


def test_a_target_without_a_product_is_like_the_one_before() -> None:
    found = find_product("sm_103")
    assert (found.name, found.sm, found.multiprocessors, found.target.name) == (
        "sm_103, like B200",
        103,
        148,
        "sm_103a",
    )


@pytest.mark.parametrize("name", ["sm_99", "sm_10", "90a", "", "sm_90b", "gfx942"])
def test_what_is_no_target_is_named(name: str) -> None:
    with pytest.raises(ValueError, match=rf"'{name}' is no target; known: .*sm_90a \(H200\)"):
        find_product(name)


@pytest.mark.parametrize(
    "device, takes, refuses",
    [
        ("sm_75", "sm_10 sm_70 sm_75", "sm_80 sm_90a"),
        ("sm_80", "sm_75 sm_80", "sm_86 sm_90 sm_90a"),
        ("sm_90", "sm_90 sm_90a sm_80", "sm_100 sm_100a sm_100f"),
        ("sm_100", "sm_90 sm_100 sm_100a sm_100f", "sm_90a sm_103 sm_103f sm_120"),
        ("sm_103", "sm_100 sm_100f sm_103f sm_103a", "sm_100a sm_120f"),
        ("sm_120", "sm_100 sm_120a sm_120f", "sm_100f sm_100a sm_90a sm_121f"),
    ],
)
def test_targets_that_a_device_takes(device: str, takes: str, refuses: str) -> None:
    product = find_product(device)
    assert [name for name in takes.split() if not product.takes(find_target(name))] == []
    assert [name for name in refuses.split() if product.takes(find_target(name))] == []
