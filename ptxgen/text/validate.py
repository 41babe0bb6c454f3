"""What functions take where they want a module: the module, PTX text, or a kernel, which is built first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ptxgen.ir import Module

__all__ = ["Buildable", "as_module"]


class Buildable(Protocol):
    """A kernel."""

    def module(self, *, target: str = ...) -> Module: ...


def as_module(source: object, what: str, target: str | None = None) -> Module:
    """The module of a Module, a kernel (built for `target`, else the target that kernels are built for by default), or PTX
    text. PtxError for anything else; `what` is the function that was called."""
    from ptxgen.errors import PtxError
    from ptxgen.ir import Module

    if isinstance(source, Module):
        return source
    if isinstance(source, str):
        if "\n" not in source.strip() and ".version" not in source:
            raise PtxError(
                f"{what} of {source[:60]!r}, which is not PTX text", hint="the text itself: Path(...).read_text()"
            )
        from ptxgen.text.parser import parse

        return parse(source)
    build = getattr(source, "module", None)
    if callable(build):
        found = build() if target is None else build(target=target)
        if isinstance(found, Module):
            return found
    raise PtxError(
        f"{what} of {type(source).__name__}, which is not a module",
        hint="kernel.module(target=...), px.parse(text), the kernel, or the PTX text itself",
    )
