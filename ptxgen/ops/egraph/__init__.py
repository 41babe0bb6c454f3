"""E-graphs on the device: which e-nodes are equal, and what follows from that.

A `Snapshot` of rows is packed into one image of nine columns and uploaded. `discover` finds every pair of e-classes that
have an equal row; `run` does the same over a plan that the host made and can look at; `fixed_point` merges them and their
parents until nothing changes. `mirror` does all of it on the host, to compare; `EGraph` is a host e-graph that takes what was
found, and `saturate` applies rewrite rules to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.ops.egraph.bridge import (
        Applied,
        BridgeReport,
        apply_equivalences,
        bridge_equivalences,
        rebuild_on,
    )
    from ptxgen.ops.egraph.canonical import (
        FixedPoint,
        FixedPointResult,
        Round,
        canonicalization_round,
        fixed_point,
        read_back,
        refresh,
        rewrite,
    )
    from ptxgen.ops.egraph.discovery import Discovery, discover
    from ptxgen.ops.egraph.errors import EGraphError, IntegrityError, PlanError, RunError
    from ptxgen.ops.egraph.extraction import Best, extract_best
    from ptxgen.ops.egraph.host import EGraph
    from ptxgen.ops.egraph.image import (
        ColumnSnapshot,
        DeviceImage,
        DeviceView,
        ImageLayout,
        ResidentImage,
        UploadPlan,
        pack_image,
        plan_upload,
        upload,
    )
    from ptxgen.ops.egraph.mirror import collect_equivalences, mirror_fixed_point
    from ptxgen.ops.egraph.plan import LaunchConfig, SignatureBuckets, plan_buckets, plan_signature_buckets, plan_work
    from ptxgen.ops.egraph.planner import plan_resident_buckets
    from ptxgen.ops.egraph.saturation import Backoff, Family, Rule, Saturated, saturate
    from ptxgen.ops.egraph.snapshot import OpIdRegistry, Snapshot, SnapshotRow
    from ptxgen.ops.egraph.structural import (
        Artifact,
        Equivalences,
        decode_unique,
        plan_artifact,
        run,
        structural_ptx,
        warm,
    )
    from ptxgen.ops.egraph.union import UnionFind, UnionPlan, plan_unions

_EXPORTS = {
    "bridge": "Applied BridgeReport apply_equivalences bridge_equivalences rebuild_on",
    "canonical": "FixedPoint FixedPointResult Round canonicalization_round fixed_point read_back refresh rewrite",
    "discovery": "Discovery discover",
    "errors": "EGraphError IntegrityError PlanError RunError",
    "extraction": "Best extract_best",
    "host": "EGraph",
    "image": "ColumnSnapshot DeviceImage DeviceView ImageLayout ResidentImage UploadPlan pack_image plan_upload upload",
    "mirror": "collect_equivalences mirror_fixed_point",
    "plan": "LaunchConfig SignatureBuckets plan_buckets plan_signature_buckets plan_work",
    "structural": "Artifact Equivalences decode_unique plan_artifact run structural_ptx warm",
    "planner": "plan_resident_buckets",
    "saturation": "Backoff Family Rule Saturated saturate",
    "snapshot": "OpIdRegistry Snapshot SnapshotRow",
    "union": "UnionFind UnionPlan plan_unions",
}

__all__ = [
    "Applied",
    "Artifact",
    "Backoff",
    "Best",
    "BridgeReport",
    "ColumnSnapshot",
    "DeviceImage",
    "DeviceView",
    "Discovery",
    "EGraph",
    "EGraphError",
    "Equivalences",
    "Family",
    "FixedPoint",
    "FixedPointResult",
    "ImageLayout",
    "IntegrityError",
    "LaunchConfig",
    "OpIdRegistry",
    "PlanError",
    "ResidentImage",
    "Round",
    "Rule",
    "RunError",
    "Saturated",
    "SignatureBuckets",
    "Snapshot",
    "SnapshotRow",
    "UnionFind",
    "UnionPlan",
    "UploadPlan",
    "apply_equivalences",
    "bridge_equivalences",
    "canonicalization_round",
    "collect_equivalences",
    "decode_unique",
    "discover",
    "extract_best",
    "fixed_point",
    "mirror_fixed_point",
    "pack_image",
    "plan_artifact",
    "plan_buckets",
    "plan_resident_buckets",
    "plan_signature_buckets",
    "plan_unions",
    "plan_upload",
    "plan_work",
    "read_back",
    "rebuild_on",
    "refresh",
    "rewrite",
    "run",
    "saturate",
    "structural_ptx",
    "upload",
    "warm",
]

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
