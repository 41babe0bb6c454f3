"""What `px.explain` gives: values that print as a page each. One function a kind of thing; the lookups are in `lookup.py`."""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.codes import group
from ptxgen.codes.index import INDEX
from ptxgen.isa import describe, dump
from ptxgen.isa.forms import all_forms
from ptxgen.isa.notation import EFFECTS
from ptxgen.isa.targets import TARGETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ptxgen.codes import Code
    from ptxgen.codes.lookup import ReportingFunction
    from ptxgen.isa.directives import DirectiveForm
    from ptxgen.isa.forms import Resolved
    from ptxgen.isa.notation import Form
    from ptxgen.isa.specials import SpecialRegister
    from ptxgen.isa.targets import Target
    from ptxgen.isa.types import ScalarType

__all__ = [
    "Explanation",
    "Topic",
    "code_page",
    "directive_example",
    "directive_page",
    "forms_page",
    "name_page",
    "rules_page",
    "special_page",
    "target_page",
    "type_page",
]


class Topic(NamedTuple):
    """A part of an explanation: rows of cells under a heading, or, when `code`, one row with a text to print as it is."""

    heading: str
    rows: tuple[tuple[str, ...], ...]
    code: bool = False


class Explanation:
    """What a name means. `kind` is "instruction", "special register", "directive", "target", "type", "modifier", "code",
    "rules" (the codes that a file reports) or "names" (a list of what is there, or of what is near to a name that is not);
    `found` is False in that last case."""

    __slots__ = ("data", "found", "kind", "name", "title", "topics")

    def __init__(
        self, kind: str, name: str, title: str, topics: Iterable[Topic], data: dict[str, Any], *, found: bool = True
    ) -> None:
        self.kind: str = kind
        self.name: str = name
        self.title: str = title
        self.topics: tuple[Topic, ...] = tuple(topic for topic in topics if topic.rows)
        self.data: dict[str, Any] = data
        self.found: bool = found

    def __str__(self) -> str:
        lines = [f"{self.name}   {self.title}".rstrip()]
        for topic in self.topics:
            lines += ["", topic.heading] if topic.heading else [""]
            if topic.code:
                lines += ["    " + line for line in topic.rows[0][0].rstrip("\n").split("\n")]
            else:
                lines += _aligned(topic.rows)
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for `--json`."""
        return {"kind": self.kind, "name": self.name, "title": self.title, "found": self.found, **self.data}


def _aligned(rows: tuple[tuple[str, ...], ...]) -> list[str]:
    """Columns as wide as their cells, except for a cell so long that it alone would push the others away."""
    columns = max(map(len, rows))
    widths = [min(44, max(len(row[i]) for row in rows if i < len(row))) for i in range(columns)]
    return ["  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


# ---- instructions ----------------------------------------------------------------------------------------------------


def forms_page(name: str, forms: list[Form], others: list[str]) -> Explanation:
    example = next((text for text in map(describe.example, forms) if text), "")
    topics = [
        Topic("Forms", tuple((f.syntax, describe.operand_notation(f), _since(f)) for f in forms)),
        Topic("Modifiers", _unique(row for f in forms for row in describe.modifiers(f))),
        Topic("Operands", _operand_rows(forms)),
        Topic("Rules", _unique((rule,) for f in forms for rule in describe.rules(f))),
        Topic("Effects", _effects(forms)),
        Topic("Also", (tuple(others),) if others else ()),
        Topic("Example", ((example,),) if example else (), code=True),
    ]
    data = {"forms": [dump.form_data(f) for f in forms], "also": others, "example": example}
    return Explanation("instruction", name, _sections(forms), topics, data)


def name_page(name: str, found: tuple[Resolved, ...]) -> Explanation:
    forms = [resolved.form for resolved in found]
    example = next((text for form in forms if (text := describe.example(form, name))), "")
    chosen = tuple(
        (f".{choice}", f"one of .{key}") for r in found for key, choice in r.bindings.items() if key != choice
    )
    topics = [
        Topic("Form", _unique((f"{name} {describe.operand_notation(r.form, r)}".rstrip(),) for r in found)),
        Topic("Made of", _unique(chosen)),
        Topic("Operands", _resolved_rows(found)),
        Topic("Exists", _unique(row for r in found for row in _places(describe.where(r)))),
        Topic("Rules", _unique((rule,) for f in forms for rule in describe.rules(f))),
        Topic("Effects", _effects(forms)),
        Topic("Example", ((example,),) if example else (), code=True),
    ]
    where = [describe.where(resolved) for resolved in found]
    data = {"forms": [dump.form_data(f) for f in forms], "exists": where, "example": example}
    return Explanation("instruction", name, _sections(forms), topics, data)


def _sections(forms: list[Form]) -> str:
    titles = dict.fromkeys((form.section, describe.section_title(form)) for form in forms)
    return "; ".join(f"manual {section}, {title}" for section, title in list(titles)[:3])


def _since(form: Form) -> str:
    return describe.availability(form.since)


def _unique(rows: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    return tuple(dict.fromkeys(rows))


def _operand_rows(forms: list[Form]) -> tuple[tuple[str, ...], ...]:
    rows = _unique(tuple(operand) for form in forms for operand in describe.operands(form))
    return (("name", "direction", "takes", "type", "space", "range", "notes"), *rows) if rows else ()


def _resolved_rows(found: tuple[Resolved, ...]) -> tuple[tuple[str, ...], ...]:
    """The operands with the types and numbers that this very name chose."""
    rows = []
    for resolved in found:
        for entry, text in zip(resolved.operands, (describe.operand(resolved.form, e.spec) for e in resolved.operands)):
            type_ = f".{entry.type.name}" if entry.type is not None else text.type
            takes = f"{entry.lanes} registers" if entry.lanes > 1 else text.takes
            space = (f".{entry.space}" if entry.space else "generic") if entry.spec.kind == "address" else ""
            rows.append((text.name, text.direction, takes, type_, space, text.range, text.notes))
    return (("name", "direction", "takes", "type", "space", "range", "notes"), *_unique(rows)) if rows else ()


def _effects(forms: list[Form]) -> tuple[tuple[str, ...], ...]:
    return tuple((text,) for effect, text in EFFECTS.items() if any(effect in form.effects for form in forms))


def _places(where: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Targets with the same first version in one row."""
    groups: dict[str, list[str]] = {}
    for target, version in where.items():
        groups.setdefault(version, []).append(target)
    for version, targets in sorted(groups.items(), key=lambda row: tuple(map(int, row[0].split(".")))):
        yield f"PTX {version}", " ".join(targets)


# ---- everything else -------------------------------------------------------------------------------------------------


def code_page(row: Code, rules: tuple[ReportingFunction, ...]) -> Explanation:
    example = row.ptx or row.module or row.template or row.python
    if row.before or row.head:
        example = "\n".join(part for part in (row.before, row.head and f".entry k() {row.head}", example) if part)
    version, target = row.header.split()
    where = f" (PTX {version}, {target})" if row.ptx else ""
    topics = [
        Topic(
            "", (("cause", row.cause), ("remedy", row.remedy), ("severity", row.severity), ("group", group(row.code)))
        ),
        Topic(f"Example{where}", ((example,),) if example else (), code=True),
        Topic("Rule" if len(rules) == 1 else "Rules", tuple((rule.function, rule.place) for rule in rules)),
    ]
    data = {**row._asdict(), "group": group(row.code), "rules": [rule._asdict() for rule in rules]}
    return Explanation("code", row.code, row.meaning, topics, data)


def rules_page(name: str, reported: Mapping[str, tuple[ReportingFunction, ...]]) -> Explanation:
    """The codes that a file of ptxgen reports, each with its meaning and its functions there."""
    files = dict.fromkeys(rule.file for rules in reported.values() for rule in rules)
    topics = [
        Topic(
            file,
            tuple(
                (code, ", ".join(rule.function for rule in rules if rule.file == file), INDEX[code].meaning)
                for code, rules in reported.items()
                if any(rule.file == file for rule in rules)
            ),
        )
        for file in files
    ]
    data = {"codes": {code: [rule._asdict() for rule in rules] for code, rules in reported.items()}}
    return Explanation("rules", name, "reports these codes", topics, data)


def special_page(name: str, row: SpecialRegister) -> Explanation:
    type_ = row.type.name
    vector = name + ".x" == row.name
    reads = f".{type_}" + (", or 16 bits as code of PTX 1 has it" if row.narrow else "")
    exists = f"PTX {row.since[0]}.{row.since[1]}" + (f" and sm_{row.target} or newer" if row.target > 10 else "")
    rows = [
        ("holds", row.purpose),
        ("type", f".v4 {reads}; read one of {name}.x .y .z .w" if vector else reads),
        ("exists", exists),
        ("read with", "mov or cvt; it cannot be written"),
    ]
    if row.directive:
        rows.append(("only in", f"kernels with .{row.directive}"))
    example = _special_example(row)
    title = f"special register, manual {row.section}" if row.section else "special register, not in the manual"
    topics = [Topic("", tuple(rows)), Topic("Example", ((example,),), code=True)]
    return Explanation("special register", name, title, topics, {**dump.special_data(row), "example": example})


def _special_example(row: SpecialRegister) -> str:
    target = next(t for t in TARGETS.values() if t.sm >= max(row.target, describe.ASSEMBLED))
    version = max(row.since, target.since)
    head = f" .{row.directive} 64" if row.directive else ""
    return (
        f".version {version[0]}.{version[1]}\n.target {target.name}\n.address_size 64\n\n.visible .entry example(){head}\n"
        f"{{\n\t.reg .{row.type.name} value;\n\tmov.{row.type.name} value, {row.name};\n\tret;\n}}\n"
    )


_STANDS = {
    "head": "in the first lines of a module", "module": "outside functions",
    "entry": "between a kernel's parameters and its body",
    "func": "between a device function's parameters and its body", "prototype": "behind a .callprototype", "body": "in a body",
    "variable": "in a variable's declaration", "parameter": "in a kernel's parameter", "target": "behind the name of .target",
    "attribute": "in .attribute(...)", "section": "in a .section", "pragma": "in .pragma", "-": "nowhere: it is predefined",
}  # fmt: skip


def directive_page(row: DirectiveForm) -> Explanation:
    rows = [
        ("for", row.purpose),
        ("stands", "; ".join(_STANDS[place] for place in row.places)),
        ("exists", describe.availability([row.since]) or "in every version, on every target"),
    ]
    if row.until is not None and row.until < (9, 5):
        rows.append(("until", f"PTX {row.until[0]}.{row.until[1]}"))
    if row.arguments[1]:
        least, most = row.arguments
        count = str(most) if least == most else f"{least} to {most}"
        bounds = f"{row.allowed[0]} or more" if row.allowed[1] == 2**32 - 1 else f"{row.allowed[0]} to {row.allowed[1]}"
        rows.append(
            ("arguments", f"{count}, each {bounds}" + (f"; product at most {row.product}" if row.product else ""))
        )
    rows += [("with", " ".join(row.needs))] if row.needs else []
    rows += [("not with", " ".join(row.excludes))] if row.excludes else []
    rows += [("on", " ".join(f".{space}" for space in row.spaces))] if row.spaces else []
    title = f"manual {row.section}, {row.group}" if row.section else f"{row.group}; not in the manual"
    example = directive_example(row)
    topics = [
        Topic("Syntax", ((row.syntax,),)),
        Topic("", tuple(rows)),
        Topic("Example", ((example,),) if example else (), code=True),
    ]
    return Explanation("directive", row.name, title, topics, {**dump.directive_data(row), "example": example})


def directive_example(row: DirectiveForm) -> str:
    """The example of a directive as a module that assembles; "" where the row has none."""
    if not row.example:
        return ""
    target = next(
        t for t in TARGETS.values() if t.sm >= describe.ASSEMBLED and t.provides(row.since.sm, row.since.suffix)
    )
    version = max(row.since.version, target.since)
    option = f", {row.name}" if row.places == ("target",) else ""
    return f".version {version[0]}.{version[1]}\n.target {target.name}{option}\n.address_size 64\n{row.example}"


def target_page(target: Target) -> Explanation:
    data = dump.target_data(target)
    suffix = {
        "": "what it has, every newer target has too",
        "a": f"with the features of this architecture alone: the program runs on sm_{target.sm} only",
        "f": f"with the features of its family: the program runs on the sm_{target.family}x targets from sm_{target.sm} on",
    }[target.suffix]
    kib = 1024
    cluster = f", {target.max_cluster} a cluster (16 where a kernel allows itself more)" if target.max_cluster else ""
    rows = (
        ("features", suffix),
        ("exists", f"PTX {data['since']}"),
        ("shared memory", f"{target.shared_static // kib} KiB static, {target.shared_optin // kib} KiB a CTA, "
                          f"{target.shared_total // kib} KiB a multiprocessor"),
        ("threads", f"{target.max_threads} a CTA, {target.threads_total} a multiprocessor"),
        ("CTAs", f"{target.ctas_total} a multiprocessor{cluster}"),
        ("registers", f"{target.max_registers} a thread, {target.registers_total} a multiprocessor"),
        ("parameters", f"{target.parameter_bytes((9, 0))} bytes from PTX 8.1 on" if target.sm >= 70 else "4352 bytes"),
    )  # fmt: skip
    return Explanation("target", target.name, "target, manual 11.1.2", [Topic("", rows)], data)


def type_page(type_: ScalarType) -> Explanation:
    kinds = {
        "u": "unsigned integer",
        "s": "signed integer",
        "f": "floating point",
        "b": "untyped bits",
        "p": "predicate",
        "o": "handle",
    }
    elements = f"{type_.lanes} of .{type_.element}" if type_.lanes > 1 else kinds[type_.kind]
    holds = (
        f".{type_.name} registers and variables"
        if type_.fundamental
        else f"a .b{max(16, type_.bits)} register: it is a type of instructions only"
    )
    used = sorted({f.opcode for f in all_forms() if any(type_.name in s.choices for s in f.segments)})
    rows = (("bits", str(type_.bits)), ("holds", elements), ("lives in", holds), ("used by", " ".join(used)))
    data = {
        "bits": type_.bits,
        "lanes": type_.lanes,
        "element": type_.element,
        "fundamental": type_.fundamental,
        "used_by": used,
    }
    return Explanation("type", f".{type_.name}", "type, manual 5.2", [Topic("", rows)], data)
