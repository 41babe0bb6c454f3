"""The group of commands: each is loaded when it is called, and errors of the ptxgen tree end it with their text."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import click

from ptxgen import __version__
from ptxgen.errors import Error

__all__ = ["app"]

COMMANDS = {
    "emit": "Print a kernel's PTX.",
    "check": "Say what is wrong with a program.",
    "fmt": "Print PTX in one form.",
    "diff": "Say what differs in meaning between two programs, or whether one is worse.",
    "setup-git": "Have `git diff` show what differs in meaning between PTX files.",
    "compare": "Say which of several programs is better at what.",
    "grep": "Find the instructions of programs that fit a pattern.",
    "stat": "Say what a program is made of, and what it takes of the machine.",
    "opt": "Rewrite a program by passes.",
    "transpile": "Write PTX as a Python program of the builder.",
    "explain": "Explain an instruction, a directive, a register, a target or a code.",
    "isa": "Count or print the instruction table.",
    "report": "Write a page of everything that is known of a kernel.",
    "run": "Launch a kernel on files and numbers.",
    "debug": "Launch a kernel under the debugger.",
    "dap": "Serve an editor the debugger.",
    "hunt": "Look for races and other bugs in a kernel, whoever wrote its PTX.",
    "mcp": "Serve tools to coding agents (Model Context Protocol).",
    "exec": "Run a CUDA program, whatever it is written in, on the CPU device.",
    "shim": "Write the libcuda.so.1 that has CUDA programs run on the CPU device.",
    "info": "Say what this machine has, what it lacks and why.",
    "demo": "Show every kernel of the library at work.",
    "lsp": "Serve an editor.",
    "tune": "Measure which configurations of the library's kernels are the fastest here.",
    "stress": "Run kernels of the library again and again, and tell what is odd.",
    "git-diff": "What git calls for a PTX file.",
}
_HIDDEN = ("git-diff",)


class Commands(click.Group):
    """A group that imports a command's module, `ptxgen.cli.cmd_NAME`, on its first use; a hyphen is an underscore there."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name in COMMANDS if name not in _HIDDEN]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        command = getattr(import_module(f"ptxgen.cli.cmd_{name}"), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(ctx)])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as wrong:
            more = _about_settings(wrong)
            if not more:
                raise
            raise click.UsageError(f"{wrong.format_message()}{more}", wrong.ctx) from None
        except Error as error:
            told = str(error)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            told = _about(error)
            if not told:
                raise
        click.echo(f"{click.style('error', fg='red', bold=True)}: {told}", err=True)
        ctx.exit(1)


def _about(error: Exception) -> str:
    """What to tell of an error that is not of the ptxgen tree: a missing package, a file, what a program in Python raised, from
    its first own line on. "" for an error of ours."""
    if isinstance(error, ModuleNotFoundError) and error.name == "ptxgen_kernels":
        return str(error)
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    import os
    import traceback

    step = error.__traceback__
    ours = [os.path.dirname(import_module(name).__file__ or "") for name in ("ptxgen", "click", "importlib")]
    while step is not None and step.tb_frame.f_code.co_filename.startswith((*ours, "<frozen")):
        step = step.tb_next
    if step is None and not isinstance(error, SyntaxError):
        return ""
    return "the program raised\n" + "".join(traceback.format_exception(type(error), error, step)).rstrip()


def _about_settings(wrong: click.UsageError) -> str:
    """What to write instead of -D name=value, --name=value or a bare name=value, where the command takes --set."""
    command = wrong.ctx.command if wrong.ctx is not None else None
    if command is None or not any("--set" in parameter.opts for parameter in command.params):
        return ""
    if isinstance(wrong, click.NoSuchOption):
        name = wrong.option_name.lstrip("-")
        known = name.isidentifier() and len(name) > 1 and not wrong.possibilities
        return f" A parameter is given by --set {name if known else 'NAME'}=VALUE." if known or name == "D" else ""
    bare = re.search(r"unexpected extra arguments? \((?:.*\s)?([A-Za-z_]\w*=\S*?)(?:\s.*)?\)", wrong.message)
    return f"; a parameter is given by --set {bare[1]}" if bare else ""


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="ptxgen %(version)s")
def app() -> None:
    """GPU kernels written in Python: print them as PTX, check them, run them on a GPU or on this machine's processor.

    PROGRAM is one of: FILE.ptx, TEMPLATE.ptx.j2, FILE.py, each with :KERNEL where it has several; MODULE:KERNEL; or a
    variant of a kernel of the library, such as saxpy/f32.
    """
