"""The options that several commands share."""

from __future__ import annotations

from typing import Any

import click

from ptxgen.isa.targets import find_target, parse_version

__all__ = ["launch_options", "pairs", "settings_option", "target_option", "tool_option", "trusts_templates"]

_TRUST = "ptxgen.trust"


def target_option(command: Any) -> Any:
    """`--target` and `--version`."""
    command = click.option(
        "--version", default="auto", callback=_version, show_default=True, help="PTX version, or auto: the lowest."
    )(command)
    return click.option(
        "--target",
        metavar="SM",
        callback=_target,
        help="What to build for: sm_75 ... sm_121a, or auto: the lowest. [default: sm_90a]",
    )(command)


def settings_option(command: Any) -> Any:
    """`--set NAME=VALUE`, many times, and `--trust`."""
    command = click.option(
        "--trust", is_flag=True, expose_value=False, callback=_trust,
        help="Templates are your own: render them without sandbox and limits.",
    )(command)  # fmt: skip
    return click.option(
        "--set", "settings", metavar="NAME=VALUE", multiple=True, callback=pairs,
        help="A compile-time parameter of the kernel or template. May be repeated.",
    )(command)  # fmt: skip


def launch_options(command: Any) -> Any:
    """`--threads`, `--shared`, `--tool` and `--no-assembler`, for what is said of a kernel's occupancy."""
    command = tool_option(command)
    command = click.option(
        "--assembler/--no-assembler", "assembled", default=True, help="Ask an assembler for registers.  [default: yes]"
    )(command)
    command = click.option(
        "--shared", type=click.IntRange(0), default=0, help="Bytes of dynamic shared memory of a CTA.  [default: 0]"
    )(command)
    return click.option(
        "--threads", type=click.IntRange(1, 1024),
        help="Threads of a CTA.  [default: .reqntid or .maxntid, else 256]",
    )(command)  # fmt: skip


def trusts_templates() -> bool:
    """Whether the command that runs has `--trust`."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and bool(ctx.meta.get(_TRUST))


def _trust(ctx: click.Context, option: click.Parameter, value: bool) -> None:
    ctx.meta[_TRUST] = value


def tool_option(command: Any) -> Any:
    """`--tool`: who is asked for registers."""
    return click.option(
        "--tool", default="auto", show_default=True, metavar="TOOL",
        help="Whose registers: ptxas, nvjitlink, driver (NVIDIA's, for its device), a path, or auto: the first that is found.",
    )(command)  # fmt: skip


def _target(ctx: click.Context, option: click.Parameter, value: str | None) -> str | None:
    try:
        return value if value in (None, "auto") else find_target(value).name
    except ValueError as unknown:
        raise click.BadParameter(str(unknown), ctx, option) from None


def _version(ctx: click.Context, option: click.Parameter, value: str) -> str:
    try:
        if value != "auto":
            parse_version(value)
    except ValueError as wrong:
        raise click.BadParameter(str(wrong), ctx, option) from None
    return value


def pairs(ctx: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    """`NAME=VALUE`, many times."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise click.BadParameter(f"{text!r} is not NAME=VALUE", ctx, option)
        found[name] = value
    return found
