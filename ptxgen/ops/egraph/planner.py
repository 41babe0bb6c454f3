"""The plan of plan.py, made on the device: signatures are radix-sorted, and runs of equal ones selected."""

from __future__ import annotations

from ptxgen.builder import u8, u32
from ptxgen.host.formats import numpy_module
from ptxgen.kernels.egraph import egraph_runs
from ptxgen.ops.arrays.select import Select
from ptxgen.ops.arrays.sort import Sort
from ptxgen.ops.egraph.cleanup import Held
from ptxgen.ops.egraph.errors import expect
from ptxgen.ops.egraph.image import ResidentImage
from ptxgen.ops.egraph.plan import DEFAULT_LAUNCH, LaunchConfig, SignatureBuckets

__all__ = ["plan_resident_buckets"]


def plan_resident_buckets(resident: ResidentImage, config: LaunchConfig = DEFAULT_LAUNCH) -> SignatureBuckets:
    """`plan_signature_buckets` of a resident image, equal in every word; only the plan itself is read back."""
    np = numpy_module()
    config.check()
    expect("resident", resident, ResidentImage)
    device, n = resident.device, resident.layout.row_count
    if n < 2:
        none = np.empty(0, np.uint32)
        return SignatureBuckets(none, none, none, none, config)
    with Held() as held:
        numbers = held.add(device.array(np.arange(n, dtype=np.uint32)))
        keys, rows, places, kept_keys, kept_rows = (held.add(device.empty(n, u32)) for _ in range(5))
        flags = held.add(device.empty(n, u8))
        sort, select = held.add(Sort(device, u32, n, pairs=True)), held.add(Select(device, u8, n))
        sort(resident.column("row_signatures"), keys, numbers, rows)
        egraph_runs.repeated_plan(n, keys, flags).launch()
        select(flags, places)
        egraph_runs.take_plan(n, select.total, places, keys, rows, kept_keys, kept_rows).launch()
        kept = select.count()
        egraph_runs.distinct_plan(kept, kept_keys, flags, element=u32).launch()
        select(flags[:kept], places)
        egraph_runs.take_plan(kept, select.total, places, kept_keys, kept_keys, keys, rows).launch()
        buckets = select.count()
        signatures, firsts, bucket_rows = (
            part.numpy() for part in (keys[:buckets], places[:buckets], kept_rows[:kept])
        )
    counts = np.diff(firsts, append=np.uint32(kept))
    return SignatureBuckets(signatures, firsts, counts, bucket_rows, config)
