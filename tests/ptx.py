"""PTX text around the lines that a test is about."""

from __future__ import annotations

__all__ = ["kernel"]


def kernel(
    body: str,
    parameters: str = "",
    *,
    registers: str = "",
    directives: str = "",
    before: str = "",
    version: str = "8.0",
    target: str = "sm_90a",
    end: str = "ret;",
) -> str:
    """A module of one kernel, `k`: what stands `before` it, its directives, its registers and what sets them, body, end."""
    return (
        f".version {version}\n.target {target}\n.address_size 64\n{before}\n"
        f".visible .entry k({parameters})\n{directives}\n{{\n{registers}\n{body}\n{end}\n}}\n"
    )
