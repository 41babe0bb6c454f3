"""`ptxgen emit`: a kernel's PTX."""

from __future__ import annotations

from pathlib import Path

import click

from ptxgen.cli import show
from ptxgen.cli.find import find
from ptxgen.cli.options import settings_option, target_option

__all__ = ["emit"]


@click.command()
@click.argument("program")
@settings_option
@target_option
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write here instead of to stdout.")
@click.option("--strict", is_flag=True, help="Take the verifier's warnings for errors.")
@click.option("--json", "json_", is_flag=True, help="Target, version, kernels, warnings and the text, as JSON.")
def emit(
    program: str,
    settings: dict[str, str],
    target: str | None,
    version: str,
    output: str | None,
    strict: bool,
    json_: bool,
) -> None:
    """Print the PTX of PROGRAM, verified; the verifier's warnings go to stderr.

    \b
    ptxgen emit saxpy.py:saxpy --target sm_80
    ptxgen emit scale.ptx.j2 --set type=f32 --set unroll=4 -o scale.ptx
    """
    module, warned = find(program, settings).module(target, version, strict=strict)
    text = str(module)
    if output is not None:
        Path(output).write_bytes(text.encode())
    if json_:
        show.as_json(
            {
                "target": module.target,
                "version": ".".join(map(str, module.version)),
                "kernels": [entry.name for entry in module.entries],
                "warnings": [finding.to_dict() for finding in warned],
                "output": output,
                "ptx": text,
            }
        )
        return
    show.findings(warned, err=True)
    if output is None:
        click.echo(text, nl=not text.endswith("\n"))
