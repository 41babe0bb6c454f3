"""The instruction table against the assembler, form by form: `python tools/certify_isa.py`.

Asks about every name that the table spells, at its lowest PTX version and target and just below; about every modifier on every
target; about mutated instructions and constants for every operand, where the verifier's verdict and the assembler's must
agree. Writes the report `docs/isa-certification.md` (`--write`), and fails when a difference is left that
`tools/certify/known.py` does not explain. `--probe` asks the other way round: which forms does
the assembler have that the table lacks?

    python tools/certify_isa.py                       everything; minutes
    python tools/certify_isa.py --sample 0.02 --mutants 2000 --seed 7
    python tools/certify_isa.py --only cp --only st
    python tools/certify_isa.py --probe --write        the probe alone, and its section of the report; minutes
    python tools/certify_isa.py --executor dask:tcp://host:8786
                                                       over the workers of a cluster that have ptxgen and the same nvJitLink
"""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ptxgen.executors import executor_named
from tools.certify.constants import certify_constants, constants_markdown
from tools.certify.directives import certify_directives, certify_targets
from tools.certify.modules import rows_markdown
from tools.certify.probe import probe
from tools.certify.probe_report import probe_markdown, probe_section, with_probe
from tools.certify.report import markdown
from tools.certify.run import certify
from tools.certify.specials import certify_specials
from tools.certify.verdicts import find_tool

if TYPE_CHECKING:
    from tools.certify.modules import Outcome
    from tools.certify.verdicts import Tool

REPORT = Path(__file__).resolve().parent.parent / "docs" / "isa-certification.md"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--sample", type=float, default=1.0, help="share of the multiplied-out names (default: all)")
    parser.add_argument(
        "--mutants", type=int, default=100_000, help="how many mutated instructions (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", default=[], metavar="OPCODE")
    parser.add_argument(
        "--probe", action="store_true", help="look for forms that the table lacks, and for nothing else"
    )
    parser.add_argument("--library", help="path of an nvJitLink (default: the newest here)")
    parser.add_argument("--write", action="store_true", help="write docs/isa-certification.md")
    parser.add_argument("--executor", help="processes:N, threads:N, dask:ADDRESS or MODULE:FUNCTION (default: threads)")
    parser.add_argument("--show", type=int, default=20, help="how many unexplained differences to print")
    arguments = parser.parse_args()
    tool = find_tool(arguments.library)
    if tool is None:
        print("no nvJitLink here: pip install nvidia-nvjitlink", file=sys.stderr)
        return 2
    with executor_named(arguments.executor) if arguments.executor else nullcontext() as tool.executor:
        if arguments.probe:
            return _probe(tool, tuple(arguments.only), arguments.write, arguments.show)
        return _certify(tool, arguments)


def _certify(tool: Tool, arguments: argparse.Namespace) -> int:
    start = time.monotonic()
    result = certify(tool, arguments.sample, arguments.mutants, arguments.seed, tuple(arguments.only))
    rows = {} if arguments.only else _rows(tool, arguments.sample >= 1)
    every = arguments.sample >= 1
    constants = certify_constants(tool, tuple(arguments.only), None if every else (Random(arguments.seed), 2000))
    seconds = time.monotonic() - start
    differences = [
        *result.unexplained,
        *constants.unexplained,
        *(text for outcome in rows.values() for text in outcome.unexplained),
    ]
    for difference in differences[: arguments.show]:
        print(difference)
    for what, outcome in rows.items():
        print(
            f"{what}: {outcome.questions} modules, {outcome.accepted} accepted, {outcome.refused} refused, as the rows say"
        )
    print(f"constants: {constants}")
    print(
        f"{tool.name}: {result.names} names, {result.questions} questions about forms, {result.mutants} mutants; "
        f"{sum(result.explained.values())} differences explained, {len(result.unexplained)} not; {seconds:.0f} s"
    )
    if arguments.write:
        REPORT.parent.mkdir(exist_ok=True)
        probed = probe_section(REPORT.read_text()) if REPORT.exists() else ""
        page = markdown(result, tool) + rows_markdown(rows) + constants_markdown(constants)
        REPORT.write_text(with_probe(page, probed))
        print(f"wrote {REPORT}")
    return 1 if differences else 0


def _probe(tool: Tool, only: tuple[str, ...], write: bool, show: int) -> int:
    """The probe alone; 1 when a form is missing without a reason."""
    start = time.monotonic()
    probed = probe(tool, only)
    for finding in probed.missing[:show]:
        version = ".".join(map(str, finding.place.version))
        place = f"PTX {version}, {finding.place.target}"
        print(f"{finding.text}\n    {place}, with {finding.word}: {finding.instructions} instructions")
        print(f"    ptxgen: {finding.ours}")
    print(
        f"{tool.name}: {len(probed.lexicon.words)} words, {probed.rows} rows, {sum(probed.questions.values())} questions; "
        f"{probed.taken} taken, {probed.known} by the verifier too, {sum(probed.explained.values())} lenient forms; "
        f"{len(probed.missing)} kinds of missing forms; {time.monotonic() - start:.0f} s"
    )
    if write:
        REPORT.write_text(with_probe(REPORT.read_text(), probe_markdown(probed, tool)))
        print(f"wrote {REPORT}")
    return 1 if probed.missing else 0


def _rows(tool: Tool, everywhere: bool) -> dict[str, Outcome]:
    """What is not an instruction: every directive, special register and target."""
    return {
        "directives": certify_directives(tool, everywhere=everywhere),
        "special registers": certify_specials(tool, everywhere=everywhere),
        "targets": certify_targets(tool),
    }


if __name__ == "__main__":
    sys.exit(main())
