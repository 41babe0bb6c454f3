"""What the tests of e-graphs share: the reference's vectors, random rows, and the host's plan, run."""

from __future__ import annotations

from hypothesis import strategies as st

from ptxgen.ops.egraph import plan_artifact, plan_signature_buckets, run, upload
from ptxgen.ops.egraph.plan import DEFAULT_LAUNCH

BASE = [
    (10, "lit", []), (20, "lit", []), (30, "add", [10, 20]), (40, "add", [10, 20]), (50, "add", [20, 10]),
]  # fmt: skip
WITH_MUL = [*BASE, (60, "mul", [30, 40]), (70, "mul", [30, 40])]
TOWER = [
    (10, "lit", []), (20, "lit", []), (30, "add", [10, 10]), (40, "add", [10, 20]), (50, "mul", [30, 30]),
    (60, "mul", [30, 40]),
]  # fmt: skip


def by_plan(dev, image, *, capacity=None, config=DEFAULT_LAUNCH):
    """The host's plan, run: upload, buckets, artifact, launch."""
    with upload(dev, image) as resident:
        buckets = plan_signature_buckets(image, resident.view(), config)
        return run(resident, plan_artifact(buckets, capacity=capacity))


nodes = st.lists(
    st.tuples(st.integers(0, 30), st.sampled_from("abc"), st.lists(st.integers(0, 30), max_size=3)), max_size=60
)


def closed(rows):
    """Children that are e-classes of some row."""
    known = sorted({eclass for eclass, _, _ in rows})
    return [(eclass, op, [known[child % len(known)] for child in below]) for eclass, op, below in rows]
