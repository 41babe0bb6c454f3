"""The plan of a kernel's dynamic shared memory: what lies where, and how much the launch provides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.builder.core.source import build_error

if TYPE_CHECKING:
    from ptxgen.builder.core.module_builder import ModuleBuilder
    from ptxgen.errors import BuildError

__all__ = ["SharedMemoryPlan"]


class SharedMemoryPlan:
    """Regions one behind the other, each at its alignment. `bytes` is what a launch must provide."""

    __slots__ = ("_module", "_unplanned", "bytes")

    def __init__(self, module: ModuleBuilder) -> None:
        self._module = module
        self._unplanned = False
        self.bytes: int = 0

    def leave_unplanned(self) -> None:
        """The launch states the size, and the kernel shares the memory out by itself. BuildError beside planned regions."""
        if self.bytes:
            raise _both()
        self._unplanned = True

    def take(self, size: int, align: int) -> int:
        """Where a region of `size` bytes starts. BuildError where the target has not so much."""
        if self._unplanned:
            raise _both()
        self._module.dynamic_shared(align)
        start = -(-self.bytes // align) * align
        limit = self._module.target.shared_optin
        if start + size > limit:
            raise build_error(
                "PTX221",
                f"{start + size:,} bytes of planned shared memory",
                expected=f"at most {limit:,} on {self._module.target.name}",
                hint="fewer stages, or smaller tiles",
            )
        self.bytes = start + size
        return start


def _both() -> BuildError:
    return build_error(
        "PTX327",
        "k.dynamic_shared and planned shared memory in one kernel: both begin at one address",
        hint="k.tile for matrices, k.shared for arrays of up to 48 KiB",
    )
