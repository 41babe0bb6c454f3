"""`k.allow(...)`: warnings that the author of a kernel suppresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.builder.core.source import build_error
from ptxgen.ir import Comment

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder

__all__ = ["Suppression", "allow"]


class Suppression:
    """What `k.allow` returns: `with` it, the warnings are suppressed for the body alone."""

    __slots__ = ("_builder", "_codes")

    def __init__(self, builder: FunctionBuilder, codes: str) -> None:
        self._builder = builder
        self._codes = codes

    def __enter__(self) -> None:
        return None

    def __exit__(self, *error: object) -> None:
        self._builder.statements.append(Comment(f"ptxgen: end allow[{self._codes}]"))


def allow(k: FunctionBuilder, *codes: str) -> Suppression:
    """Suppress warnings, from here to the end of the kernel: `k.allow("PTX303")`; for a body: `with k.allow("PTX5xx"):`.

    A code with xx stands for its whole group. Errors cannot be suppressed. The comment is part of the program: it is printed,
    parsed and pinned with it. BuildError for a code that there is not.
    """
    from ptxgen.verifier.findings.silence import unknown_codes

    unknown = unknown_codes(codes)
    if unknown or not codes:
        raise build_error(
            "PTX690",
            f"there is no diagnostic {' or '.join(map(repr, unknown))}" if unknown else "k.allow of nothing",
            expected='codes such as "PTX501", or "PTX5xx" for its group',
        )
    k.statements.append(Comment(f"ptxgen: allow[{', '.join(codes)}]"))
    return Suppression(k, ", ".join(codes))
