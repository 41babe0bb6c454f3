"""Launch fusion: which neighbouring programs become one launch (`planner`), how they do (`chains`), and running them (`fused`).

The planner uses stages and bytes alone; its names can be imported from here. A new reason not to join two stages is one more
case in `planner`; what joined programs hand on in registers is the business of `chains`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.runtime.fusion.planner import (
        ByteCountOverflowError,
        DuplicateStageError,
        FusionPlan,
        FusionScratch,
        Group,
        InvalidSizeError,
        InvalidStageError,
        LaunchFusionError,
        Stage,
        StageOverBudgetError,
        StorageReserveFailedError,
        ZeroBudgetError,
        plan_launch_fusion,
    )

__all__ = [
    "ByteCountOverflowError",
    "DuplicateStageError",
    "FusionPlan",
    "FusionScratch",
    "Group",
    "InvalidSizeError",
    "InvalidStageError",
    "LaunchFusionError",
    "Stage",
    "StageOverBudgetError",
    "StorageReserveFailedError",
    "ZeroBudgetError",
    "plan_launch_fusion",
]

_EXPORTS = {
    "planner": (
        "ByteCountOverflowError DuplicateStageError Group InvalidSizeError InvalidStageError LaunchFusionError FusionPlan "
        "FusionScratch Stage StageOverBudgetError StorageReserveFailedError ZeroBudgetError plan_launch_fusion"
    ),
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
