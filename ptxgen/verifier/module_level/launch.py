"""Can a kernel be launched as its directives promise, and do its threads have room (CUDA guide, compute capabilities)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.launch_bounds import cta_threads, product

if TYPE_CHECKING:
    from ptxgen.ir import Function
    from ptxgen.verifier.program.context import VerifierContext

__all__ = ["check_launch"]

_REGISTER_UNIT = 256
"""Registers are allocated to a warp in multiples of this."""


def check_launch(context: VerifierContext, function: Function) -> None:
    """Warn of promises that no multiprocessor can keep: registers, threads and CTAs together."""
    if not function.directives or not function.is_entry:
        return
    threads = cta_threads(function)
    registers, ctas = product(function, "maxnreg") or 0, product(function, "minnctapersm") or 0
    target = context.target
    if not threads or threads > target.max_threads:
        return
    warps = -(-threads // target.warp)
    needed = warps * (-(-registers * target.warp // _REGISTER_UNIT) * _REGISTER_UNIT)
    source = next((d.source for d in function.directives if d.name in ("maxnreg", "minnctapersm")), function.source)
    if needed > target.registers_total:
        context.report(
            "PTX428",
            f"{threads} threads of {registers} registers need {needed}, a multiprocessor has {target.registers_total}",
            source or function.source,
            expected=f".maxnreg {target.registers_total // (warps * target.warp) // 8 * 8} or less",
            severity="warning",
        )
    elif ctas * needed > target.registers_total:
        context.report(
            "PTX428",
            f"{ctas} CTAs of {threads} threads and {registers} registers need {ctas * needed} registers, "
            f"a multiprocessor has {target.registers_total}",
            source or function.source,
            expected=f".minnctapersm {target.registers_total // needed}",
            severity="warning",
        )
    elif ctas * warps * target.warp > target.threads_total:
        context.report(
            "PTX428",
            f"{ctas} CTAs of {threads} threads are more than the {target.threads_total} of a multiprocessor of {target.name}",
            source or function.source,
            expected=f".minnctapersm {target.threads_total // (warps * target.warp)}",
            severity="warning",
        )
