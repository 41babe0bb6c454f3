"""Launch fusion: which neighbouring programs become one launch (`planner`), how they do (`chains`), and running them (`fused`).

The planner knows stages and bytes alone; its names can be imported from here. A new reason not to join two stages is one more
case in `planner`; what joined programs hand on in registers is the business of `chains`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ptxgen.runtime.fusion.planner import *  # noqa: F403 (its __all__)

_PLANNER = "ptxgen.runtime.fusion.planner"


if not TYPE_CHECKING:  # a type checker would take any name

    def __getattr__(name: str) -> Any:
        if name.startswith("_") or name not in import_module(_PLANNER).__all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_PLANNER), name)
        return value
