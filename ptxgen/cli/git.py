"""Calls of git."""

from __future__ import annotations

import subprocess

import click

__all__ = ["git"]


def git(*words: str, missing: bool = False) -> bytes:
    """What `git WORDS` prints; what it complains of is a usage error. `missing`: then b"" where it says nothing and fails."""
    try:
        done = subprocess.run(["git", *words], capture_output=True, check=False)
    except FileNotFoundError:
        raise click.UsageError("git is not installed here, or not on PATH") from None
    said = done.stderr.decode(errors="replace").strip()
    if done.returncode and not (missing and not said):
        raise click.UsageError(f"git {' '.join(words)}: {said or f'status {done.returncode}'}")
    return done.stdout
