"""`ptxas` for programs that run on the CPU device: PTX is checked, and goes into the image that the emulated driver loads."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

__all__ = ["main"]

RELEASE = "13.0"
"""The CUDA release that the tool says it is of: that of the emulated driver."""


def main(arguments: list[str] | None = None) -> None:
    """The command's main function: options as ptxas has them; those that tell how to compile have no effect."""
    given, _ = _parser().parse_known_args(arguments)
    if given.version:
        sys.stdout.write("ptxas: NVIDIA (R) Ptx optimizing assembler, in its place: ptxgen for the CPU device\n")
        sys.stdout.write(f"Cuda compilation tools, release {RELEASE}, V{RELEASE}.0\n")
        return
    if given.input is None:
        sys.exit("ptxas fatal   : a file of PTX is needed")
    from ptxgen.emulated_driver.modules.images import pack
    from ptxgen.errors import PtxSyntaxError
    from ptxgen.text import parse
    from ptxgen.verifier import verify

    text = Path(given.input).read_text("utf-8", "replace").rstrip("\0")
    try:
        errors = [each for each in verify(parse(text, name=given.input)) if each.severity == "error"]
    except PtxSyntaxError as wrong:
        errors = list(wrong.diagnostics)
    if errors:
        sys.exit("\n".join(str(each) for each in errors))
    Path(given.output).write_bytes(pack(text, relocatable=given.relocatable, registers=given.registers))


def _registers(text: str) -> int:
    return max(min(int(text), 1 << 16), 0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("ptxas", add_help=False, allow_abbrev=False)
    parser.add_argument("input", nargs="?")
    parser.add_argument("-o", "--output-file", dest="output", default="elf.o")
    parser.add_argument("-c", "--compile-only", dest="relocatable", action="store_true")
    parser.add_argument("--version", "-V", action="store_true")
    parser.add_argument("-maxrregcount", "--maxrregcount", dest="registers", type=_registers, default=0)
    for option in ("-arch", "--gpu-name", "-O", "--opt-level"):
        parser.add_argument(option, default=None)
    return parser
