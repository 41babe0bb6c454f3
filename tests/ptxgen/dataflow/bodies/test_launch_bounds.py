"""What directives state of a launch."""

from __future__ import annotations

import pytest

from ptxgen.dataflow.bodies.launch_bounds import cta_extents, cta_threads, product
from ptxgen.text import parse


@pytest.mark.parametrize(
    "head, extents, threads",
    [
        ("", (), None),
        (".maxntid 256", (256,), 256),
        (".reqntid 16, 8, 2", (16, 8, 2), 256),
        (".maxntid 512\n.reqntid 64, 2", (64, 2), 128),  # the exact one
    ],
)
def test_threads_of_a_cta(head: str, extents: tuple[int, ...], threads: int | None) -> None:
    module = parse(f".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{head}\n{{ ret; }}\n")
    kernel = module.function("k")
    assert cta_extents(kernel) == extents
    assert cta_threads(kernel) == threads
    assert product(kernel, "maxnreg") is None
