"""The table as pages: one for each instruction, and one each of the directives, the special registers and the targets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from ptxgen.cpu.support import STATES, FormSupport, form_support
from ptxgen.isa import describe
from ptxgen.isa.directives import directives
from ptxgen.isa.examples import covering_names
from ptxgen.isa.forms import all_forms, resolve
from ptxgen.isa.notation import Form
from ptxgen.isa.specials import SPECIALS
from ptxgen.isa.targets import TARGETS
from ptxgen.text import parse
from ptxgen.verifier import assert_valid
from ptxgen.verifier.explanation import Explanation, explain
from ptxgen.verifier.explanation.pages import Topic, forms_page
from tools.site.explained import explained, titled
from tools.site.pages import Page, code, plain, table

__all__ = ["INDEX", "instruction_pages", "instructions"]

INDEX = "isa/index"
DEVICE = "isa/cpu-device"


@cache
def instructions() -> dict[str, tuple[Form, ...]]:
    """Instruction, as the manual names it -> its rows, in the manual's order."""
    found: dict[str, list[Form]] = {}
    for form in all_forms():
        found.setdefault(describe.instruction_name(form), []).append(form)
    return {name: tuple(forms) for name, forms in found.items()}


def instruction_pages(sample: int | None = None) -> Iterator[Page]:
    """Every page, or those of a sample of the instructions and the lists."""
    names = list(instructions())
    chosen = names if sample is None else names[:: max(1, len(names) // sample)]
    links = {name: f"isa/{name}.md" for name in chosen}
    for name in chosen:
        yield Page(links[name], _instruction(name, links))
    yield Page(f"{DEVICE}.md", _device(chosen, links))
    yield Page(f"{INDEX}.md", _index({name: _row(name, links[name]) for name in chosen}))
    for path, title, about, each in (
        ("directives", "Directives", "What stands beside the instructions of a module.", directives()),
        ("special-registers", "Special registers", "What a kernel reads of its thread and its launch.", SPECIALS.values()),
        ("targets", "Targets", "What a module can be for, and what the hardware has.", TARGETS.values()),
    ):  # fmt: skip
        yield Page(f"isa/{path}.md", _list(title, about, [explain(row.name) for row in each]))


def _instruction(name: str, links: dict[str, str]) -> str:
    forms = instructions()[name]
    page = forms_page(name, list(forms), _family(name, links))
    example = page.data["example"]
    assert_valid(parse(example, name=f"the example of {name}"))
    page = Explanation(page.kind, page.name, page.title, _with_topics(page, forms), page.data)
    chapter = describe.HEADINGS[describe.chapter_of(forms[0])]
    way = f"[Instructions](/{INDEX}.md) / [{chapter}](/{INDEX}.md#{_slug(chapter)})"
    return f"---\norphan: true\n---\n\n{way}\n\n{titled(page)}\n{explained(page, links)}"


def _family(name: str, links: dict[str, str]) -> list[str]:
    opcode = name.partition(".")[0]
    return [each for each in links if each != name and each.partition(".")[0] == opcode]


def _with_topics(page: Explanation, forms: tuple[Form, ...]) -> Iterator[Topic]:
    """What the page has, with where the instruction exists and what the CPU device does with it before the example."""
    for topic in page.topics:
        if topic.code:
            yield Topic("Targets", _places(forms))
            yield Topic("CPU device", tuple(_support(forms)))
        yield topic


@cache
def _places(forms: tuple[Form, ...]) -> tuple[tuple[str, str], ...]:
    """(first PTX version, targets) where any form exists."""
    first: dict[str, tuple[int, ...]] = {}
    for form in forms:
        for name in covering_names(form):
            for resolved in resolve(name):
                if resolved.form is form:
                    for target, text in describe.where(resolved).items():
                        version = tuple(map(int, text.split(".")))
                        first[target] = min(version, first.get(target, version))
    return tuple(
        (f"PTX {version[0]}.{version[1]}", " ".join(target for target in TARGETS if first.get(target) == version))
        for version in sorted(set(first.values()))
    )


@cache
def _supported(forms: tuple[Form, ...]) -> tuple[FormSupport, ...]:
    return tuple(form_support(form) for form in forms)


def _support(forms: tuple[Form, ...]) -> Iterator[tuple[str, ...]]:
    """One sentence where all forms are alike, else a row for each."""
    found = _supported(forms)
    if len(set(found)) == 1 and not found[0].refused:
        yield (f"{found[0].state}: {STATES[found[0].state]}",)
        return
    for form, support in zip(forms, found):
        yield form.syntax, f"{support.state}: {STATES[support.state]}", " ".join(support.refused[:3])


# ---- lists -----------------------------------------------------------------------------------------------------------


class _Row(NamedTuple):
    chapter: str
    cells: tuple[str, str, str, str]


def _row(name: str, path: str) -> _Row:
    """An instruction in the list: how many forms it has, where it begins, what the CPU device does with them."""
    forms = instructions()[name]
    version, targets = _places(forms)[0]
    states = dict.fromkeys(support.state for support in _supported(forms))
    cells = (f"[{code(name)}](/{path})", str(len(forms)), f"{version}, {targets.split()[0]}", ", ".join(states))
    return _Row(describe.chapter_of(forms[0]), cells)


def _index(rows: dict[str, _Row]) -> str:
    """The instructions by sections of the manual."""
    parts = [
        "# Instructions\n",
        f"The table: {len(all_forms())} forms of {len(instructions())} instructions, in the sections of the manual. "
        "[Finding an instruction](/instructions.md) says how to ask for one, "
        "[the certification](/isa-certification.md) how they were compared with an assembler. "
        "There are pages of [directives](directives.md), [special registers](special-registers.md), "
        "[targets](targets.md) and [each form on the CPU device](cpu-device.md) too.\n",
        table(("on the CPU device", ""), ((state, plain(text)) for state, text in STATES.items())),
    ]
    for number, heading in describe.HEADINGS.items():
        cells = [row.cells for row in rows.values() if row.chapter == number]
        if cells:
            parts += [f"## {heading}\n", table(("instruction", "forms", "first", "CPU device"), cells)]
    lists = "```{toctree}\n:hidden:\n\ndirectives\nspecial-registers\ntargets\ncpu-device\n```\n"
    return "\n".join([*parts, lists])


def _device(names: Sequence[str], links: dict[str, str]) -> str:
    """A row for each row of the table: what the CPU device does with it."""
    parts = [
        "# Instructions on the CPU device\n",
        "What the [CPU device](/support.md) does with each form of the table. A profile says it of the instructions that a "
        "launch has executed ([Profiling](/profiling.md)).\n",
        table(("", ""), ((state, plain(text)) for state, text in STATES.items())),
    ]
    for number, heading in describe.HEADINGS.items():
        cells = [
            (f"[{code(form.syntax)}](/{links[name]})", support.state, plain(_noted(support)))
            for name in names
            for form, support in zip(instructions()[name], _supported(instructions()[name]))
            if describe.chapter_of(form) == number
        ]
        if cells:
            parts += [f"## {heading}\n", table(("form", "", ""), cells)]
    return "\n".join(parts)


def _noted(support: FormSupport) -> str:
    """The bound, or why all or some of its names are refused."""
    if not support.refused:
        return support.note
    more = " and others" if len(support.refused) > 1 else ""
    return f"refused: {support.refused[0]}{more} ({support.note})"


def _list(title: str, about: str, explanations: Sequence[Explanation]) -> str:
    parts = [f"# {title}\n\n{about}\n"]
    for each in explanations:
        parts.append(f"## {plain(each.name)}\n\n{plain(each.title)}\n\n{explained(each, {}, level=3)}")
    return "\n".join(parts)


def _slug(heading: str) -> str:
    return heading.lower().replace(" ", "-").replace(":", "").replace(",", "")
