"""`ptxgen isa`: the table, as a summary or whole."""

from __future__ import annotations

import click

from ptxgen.cli import show

__all__ = ["isa"]


@click.command()
@click.option(
    "--json", "json_", is_flag=True, help="The whole table as JSON: forms, directives, special registers, targets."
)
def isa(json_: bool) -> None:
    """Count what the instruction table holds, by chapter of the PTX manual; with --json, print all of it.

    `legal_forms` is how many different dotted instruction names there are; selectors of video operands are not part of them.
    """
    from ptxgen.isa.dump import dump

    if json_:
        show.as_json(dump())
        return
    _summary()


def _summary() -> None:
    from ptxgen.isa.describe import HEADINGS, chapter_of
    from ptxgen.isa.directives import directives
    from ptxgen.isa.dump import count_names, legal_forms
    from ptxgen.isa.forms import all_forms, opcodes
    from ptxgen.isa.specials import SPECIALS
    from ptxgen.isa.targets import TARGETS, VERSIONS

    found: dict[str, list[str]] = {number: [] for number in HEADINGS}
    forms: dict[str, int] = dict.fromkeys(HEADINGS, 0)
    for form in all_forms():
        number = chapter_of(form)
        forms[number] += 1
        if form.opcode not in found[number]:
            found[number].append(form.opcode)
    rows = [(n, HEADINGS[n], str(len(names)), str(forms[n]), " ".join(names)) for n, names in found.items() if names]
    columns = ("section", "instructions", "opcodes", "forms", "names")
    show.table(columns, rows, right=("opcodes", "forms"))
    oldest, newest = (".".join(map(str, version)) for version in (VERSIONS[0], VERSIONS[-1]))
    largest = sorted(opcodes(), key=count_names, reverse=True)[:3]
    click.echo(
        f"{len(opcodes())} opcodes, {sum(forms.values())} forms, {legal_forms():,} instruction names "
        f"(most of them of {', '.join(largest)})\n"
        f"{len(directives())} directives, {len(SPECIALS)} special registers, {len(TARGETS)} targets, PTX {oldest} to {newest}\n"
        "ptxgen explain NAME explains one; ptxgen isa --json has all."
    )
