"""Limits of the target: shared memory, parameters, alignment. Those of directives are in their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.bodies.kernel_layout import parameter_layout

if TYPE_CHECKING:
    from ptxgen.ir import Function, Variable
    from ptxgen.verifier.program.checked_body import CheckedBody
    from ptxgen.verifier.program.context import VerifierContext

__all__ = ["check_limits", "check_shared"]

LOCAL_BYTES = 512 * 1024
"""Most local memory of a thread (CUDA programming guide, "Maximum amount of local memory per thread")."""


def check_limits(context: VerifierContext, function: Function, body: CheckedBody | None) -> None:
    """Report what of a function is over the target's limits. `body` is None for a declaration."""
    own = body.variables if body is not None else []
    if own:
        _check_local(context, function, own)
    if not function.is_entry:
        return
    size = parameter_layout(function)[1]
    limit = context.target.parameter_bytes(context.module.version)
    if size > limit:
        context.report(
            "PTX423",
            f"{function.name} has {size} bytes of parameters, the limit is {limit}",
            function.source,
            hint="PTX 8.1 allows 32764 bytes on sm_70 and newer" if limit < 32764 else "pass a pointer to a structure",
        )


def _check_local(context: VerifierContext, function: Function, variables: list[Variable]) -> None:
    used = sum(variable.size for variable in variables if variable.space == "local")
    if used > LOCAL_BYTES:
        context.report(
            "PTX429",
            f"{function.name} declares {used} bytes of local memory, a thread has at most {LOCAL_BYTES}",
            function.source,
            hint=".global memory, at an offset of the thread's own",
            severity="warning",
        )


def check_shared(context: VerifierContext) -> None:
    """Report kernels with more static shared memory than the target has: what they and the functions they call mention."""
    variables = {v.name: v for v in context.module.variables if v.space == "shared" and v.linkage != "extern"}
    bodies = {body.function.name: body for body in context.bodies}
    if not variables and not any(v.space == "shared" for body in context.bodies for v in body.variables):
        return
    limit = context.target.shared_static
    for body in context.bodies:
        if not body.function.is_entry:
            continue
        used = _shared_bytes(_mentioned(body, bodies), variables)
        if used > limit:
            context.report(
                "PTX421",
                f"{body.function.name} uses {used} bytes of static shared memory, {context.target.name} allows {limit}",
                body.function.source,
                hint=f"dynamic shared memory: {context.target.name} allows {context.target.shared_optin} bytes a CTA",
            )


def _mentioned(kernel: CheckedBody, bodies: dict[str, CheckedBody]) -> list[CheckedBody]:
    """A kernel's body and those of all functions that it calls or takes the address of."""
    found = {kernel.function.name: kernel}
    work = [kernel]
    while work:
        for name in sorted(work.pop().symbols):
            if name in bodies and name not in found:
                found[name] = bodies[name]
                work.append(bodies[name])
    return list(found.values())


def _shared_bytes(bodies: list[CheckedBody], variables: dict[str, Variable]) -> int:
    names = {name for body in bodies for name in body.symbols}
    own = [v for body in bodies for v in body.variables if v.space == "shared"]
    total = 0
    for variable in [*(v for name, v in variables.items() if name in names), *own]:
        total = -(-total // variable.alignment) * variable.alignment + variable.size
    return total
