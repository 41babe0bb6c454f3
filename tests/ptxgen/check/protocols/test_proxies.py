"""Which fences bring a generic write to the async proxy."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxgen import parse, verify

COPY = (Path(__file__).parent / "kernels" / "bulk_copy.ptx").read_text("utf-8")
FENCE = "fence.proxy.async.shared::cta; // drop: PTX560"


def codes(fence: str) -> list[str]:
    assert COPY.count(FENCE) == 1
    text = COPY.replace(FENCE, fence)
    version = text.partition(".version ")[2].partition("\n")[0]
    return [finding.code for finding in verify(parse(text.replace(f".version {version}", ".version 9.4")))]


@pytest.mark.parametrize(
    "fence",
    [
        "fence.proxy.async.shared::cta;",
        "fence.proxy.async;",
        "membar.proxy.async;",
        "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;",
    ],
)
def test_it_does(fence: str) -> None:
    assert not codes(fence)


@pytest.mark.parametrize(
    "fence",
    [
        "",
        "fence.proxy.async.global;",
        "fence.acq_rel.cta;",
        "fence.proxy.alias;",
        "fence.proxy.alias.release.sys;",
        "fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster;",  # for reads alone
    ],
)
def test_it_does_not(fence: str) -> None:
    assert codes(fence) == ["PTX560"]
