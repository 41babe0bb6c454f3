"""The table in words: what `px.explain` and `ptxgen explain` show of it.

A form in the manual's notation, its operands, where it exists, what it excludes, what it does, and a module that has it.
"""

from __future__ import annotations

import re
from functools import cache

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.isa.examples import PREFIXES, covering_names, examples
from ptxgen.isa.forms import resolve
from ptxgen.isa.notation import ALWAYS
from ptxgen.isa.targets import TARGETS, VERSIONS
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ptxgen.isa.forms import Resolved
    from ptxgen.isa.notation import Availability, Form, OperandSpec, Segment
    from ptxgen.isa.targets import Target

__all__ = [
    "ASSEMBLED",
    "HEADINGS",
    "OperandText",
    "availability",
    "chapter_of",
    "example",
    "instruction_name",
    "lowest",
    "modifiers",
    "notation",
    "operand",
    "operand_notation",
    "operands",
    "rules",
    "section_title",
    "where",
]

HEADINGS = {
    "9.7.1": "Integer Arithmetic Instructions",
    "9.7.2": "Extended-Precision Integer Arithmetic Instructions",
    "9.7.3": "Floating-Point Instructions",
    "9.7.4": "Half Precision Floating-Point Instructions",
    "9.7.5": "Mixed Precision Floating-Point Instructions",
    "9.7.6": "Comparison and Selection Instructions",
    "9.7.7": "Half Precision Comparison Instructions",
    "9.7.8": "Logic and Shift Instructions",
    "9.7.9": "Data Movement and Conversion Instructions",
    "9.7.10": "Texture Instructions",
    "9.7.11": "Surface Instructions",
    "9.7.12": "Control Flow Instructions",
    "9.7.13": "Parallel Synchronization and Communication Instructions",
    "9.7.14": "Warp Level Matrix Multiply-Accumulate Instructions",
    "9.7.15": "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions",
    "9.7.16": "TensorCore 5th Generation Family Instructions",
    "9.7.17": "Stack Manipulation Instructions",
    "9.7.18": "Video Instructions",
    "9.7.19": "Miscellaneous Instructions",
}
"""The sections of chapter 9.7 of the PTX 9.0 manual."""


def section_title(form: Form) -> str:
    """ "Data Movement and Conversion Instructions: cp.async.bulk"."""
    heading = HEADINGS[".".join(form.section.split(".")[:3])]
    return f"{heading}: {instruction_name(form)}"


def chapter_of(form: Form) -> str:
    """The number of the section of chapter 9.7 that the form is in, such as "9.7.9"."""
    return ".".join(form.section.split(".")[:3])


_INSTRUCTIONS = frozenset(
    "add.cc sub.cc shfl.sync st.async st.bulk multimem.ld_reduce multimem.st multimem.red multimem.cp.async.bulk "
    "multimem.st.async multimem.red.async multimem.cp.reduce.async.bulk applypriority.async.bulk "
    "applypriority.async.bulk.tensor cvt.pack cp.async cp.async.commit_group cp.async.wait_group cp.async.wait_all "
    "cp.async.bulk cp.async.bulk.prefetch cp.async.bulk.tensor cp.async.bulk.prefetch.tensor cp.async.bulk.commit_group "
    "cp.async.bulk.wait_group cp.async.mbarrier.arrive cp.reduce.async.bulk cp.reduce.async.bulk.tensor tensormap.replace "
    "tensormap.query fabric.try_get fabric.try_put fabric.try_red fabric.try_pullred fabric.try_atom fabric.submit fabric.wait "
    "tensormap.cp_fenceproxy brx.idx bar.warp.sync barrier.cluster red.async vote.sync redux.sync elect.sync mbarrier.init "
    "mbarrier.inval mbarrier.expect_tx mbarrier.complete_tx mbarrier.arrive mbarrier.arrive_drop mbarrier.test_wait "
    "mbarrier.try_wait mbarrier.pending_count mbarrier.check_layout mbarrier.report_on fence.proxy "
    "clusterlaunchcontrol.try_cancel clusterlaunchcontrol.query_cancel wmma.load wmma.mma wmma.store mma.sp wgmma.mma_async "
    "wgmma.mma_async.sp wgmma.fence wgmma.commit_group wgmma.wait_group tcgen05.alloc tcgen05.dealloc "
    "tcgen05.relinquish_alloc_permit tcgen05.ld tcgen05.ld.red tcgen05.ld.spcompress tcgen05.ld.red.spcompress trace.mark "
    "tcgen05.st tcgen05.wait tcgen05.cp tcgen05.shift tcgen05.mma tcgen05.mma.sp tcgen05.mma.ws tcgen05.mma.ws.sp tcgen05.fence "
    "tcgen05.commit".split()
)
"""The instructions whose name, in the manual's headings, is more than the opcode."""


@cache
def instruction_name(form: Form) -> str:
    """The opcode with the words that the manual counts to the instruction's name: cp.async.bulk, mbarrier.init, shfl.sync."""
    words = covering_names(form)[0].split(".")
    for length in range(len(words), 1, -1):
        name = ".".join([*words[: length - 1], words[length - 1].partition("::")[0]])
        if name in _INSTRUCTIONS:
            return name
    return form.opcode


# ---- one form --------------------------------------------------------------------------------------------------------


class OperandText(NamedTuple):
    """An operand in words: `direction` is "in", "out" or "in, out"; `takes` says registers, constants, ...; `notes` the rest."""

    name: str
    direction: str
    takes: str
    type: str
    space: str
    range: str
    notes: str


def operand_notation(form: Form, chosen: Resolved | None = None) -> str:
    """The operands as the manual writes them, "d{|p}, [a]{, policy}"; those of one name when it is given."""
    text = ""
    for spec in form.operands if chosen is None else [entry.spec for entry in chosen.operands]:
        one = notation(spec)
        if spec.optional or (spec.when and chosen is None):
            text += f"{{, {one}}}" if text else f"{{{one}}}"
        else:
            text += f", {one}" if text else one
    return text


def notation(spec: OperandSpec) -> str:
    """One operand as the manual writes it: "d{|p}", "[a]", "{b0, b1}"."""
    if spec.kind == "call":
        return "{(result),} f{, (arguments)}{, prototype}"
    text = spec.name + ("{.sel}" if spec.selector else "")
    if spec.kind == "address":
        inside = text + ("{, sampler}" if spec.sampler else "")
        for part in spec.inside:
            inside += f"{{, {notation(part)}}}" if part.when else f", {notation(part)}"
        if spec.elements:
            inside += ", {" + ", ".join(map(_many, spec.elements)) + "}"
        text = f"[{inside}]"
    elif spec.kind == "vector":
        names = [element.name for element in spec.elements]
        same = len(set(names)) == 1
        text = _list(names[0], spec.lanes or len(names)) if same else "{" + ", ".join(map(_many, spec.elements)) + "}"
    elif spec.lanes:
        text = _list(spec.name, int(spec.lanes) if spec.lanes.isdigit() else spec.lanes)
    if spec.negatable:
        text = ("{!}" if spec.type == "pred" else "{-}") + text
    if spec.second is not None:
        text += f"{{|{spec.second.name}}}" if spec.second_optional else f"|{spec.second.name}"
    return text


def _many(spec: OperandSpec) -> str:
    return f"{spec.name}..." if spec.lanes else spec.name


def _list(name: str, count: int | str) -> str:
    if isinstance(count, str):
        return f"{{{name}...}}"
    if count <= 4:
        return "{" + ", ".join(f"{name}{index}" for index in range(count)) + "}"
    return f"{{{name}0..{name}{count - 1}}}"


def operands(form: Form) -> Iterator[OperandText]:
    """Each operand of a form in words."""
    for spec in form.operands:
        yield operand(form, spec)


def operand(form: Form, spec: OperandSpec) -> OperandText:
    direction = "out" if spec.written else "in"
    return OperandText(
        spec.name, direction, _takes(form, spec), _type_text(form, spec), _space_text(form, spec), _range_text(spec),
        "; ".join(_notes(form, spec)),
    )  # fmt: skip


def _takes(form: Form, spec: OperandSpec) -> str:
    fixed = {"label": "label", "symbol": "register, constant or name", "immediate": "constant", "sink": "_"}
    if spec.kind in fixed:
        return fixed[spec.kind]
    if spec.kind == "call":
        return "function, results and arguments"
    if spec.kind == "address":
        coordinates = f" with {_count(spec.elements)} coordinates" if spec.elements else ""
        return "address" + coordinates
    if spec.kind == "vector" or spec.lanes:
        count = spec.lanes if spec.lanes else str(len(spec.elements))
        return f"{count if count.isdigit() else f'as many as .{count} says,'} registers"
    return "register" if spec.written or spec.register_only else "register or constant"


def _count(elements: tuple[OperandSpec, ...]) -> str:
    lanes = [e.lanes for e in elements if e.lanes]
    return f".{lanes[0]}" if lanes and not lanes[0].isdigit() else str(sum(int(e.lanes or 1) for e in elements))


def _type_text(form: Form, spec: OperandSpec) -> str:
    if spec.kind == "vector":
        kinds = dict.fromkeys(_type_text(form, element) for element in spec.elements)
        return " ".join(kinds)
    if spec.kind == "address":
        return f".{spec.type}" if spec.type else ""
    if spec.kind in ("label", "call", "sink", "immediate"):
        return ""
    own = [s.name for s in form.segments if any(choice in TYPES for choice in s.choices)]
    if spec.type == "type":
        return f".{own[-1]}" if own else ""
    if spec.type == "wide":
        return f"twice .{own[-1]}" if own else ""
    return f".{spec.type}"


def _space_text(form: Form, spec: OperandSpec) -> str:
    if spec.kind != "address":
        return ""
    if spec.space:
        return spec.space if spec.space == "generic" else f".{spec.space}"
    from ptxgen.isa.spaces import ADDRESSABLE, WINDOW

    for segment in form.segments:
        if all(WINDOW.get(choice, choice) in ADDRESSABLE for choice in segment.choices):
            return f".{segment.name}" + (" or generic" if segment.optional else "")
    return "generic"


def _range_text(spec: OperandSpec) -> str:
    if spec.values:
        if isinstance(spec.values, range):
            return f"a multiple of {spec.values.step} from {spec.values[0]} to {spec.values[-1]}"
        return ", ".join(map(str, spec.values))
    return f"{spec.range[0]} to {spec.range[1]}" if spec.range else ""


def _notes(form: Form, spec: OperandSpec) -> Iterator[str]:
    if spec.optional:
        yield "may be left out"
    if spec.when:
        names = [s.name for s in form.segments]
        yield f"with .{spec.when}" if spec.when in names else f"with {spec.when}"
    if spec.sink or any(element.sink and element.written for element in spec.elements):
        yield "_ may stand for it"
    if spec.wider:
        yield "the register may be wider"
    if spec.negatable:
        yield "may be negated"
    if spec.second is not None:
        second = f".{spec.second.type} {spec.second.name}"
        yield f"a second result {second}" + (", which may be left out" if spec.second_optional else "")
    if spec.sampler:
        yield "a sampler may stand before the coordinates"
    if spec.selectors:
        yield "selectors " + " ".join(f".{s}" for s in spec.selectors)
    if spec.register_only:
        yield "exactly this type"


def availability(choices: Iterable[Availability]) -> str:
    """ "PTX 7.8 and sm_90 or newer; PTX 8.1 and sm_89 or newer"; "" for what was always there."""
    return "; ".join(_place(choice) for choice in choices if choice != ALWAYS)


def _place(choice: Availability) -> str:
    """Where something exists; the oldest targets go without saying."""
    return f"PTX {'.'.join(map(str, choice.version))}" if choice.sm <= 10 else str(choice)


def modifiers(form: Form) -> Iterator[tuple[str, str]]:
    """(".set", its modifiers, each with where it exists) of the form's sets; literal modifiers only when they need more."""
    for segment in form.segments:
        if list(segment.choices) == [segment.name] and segment.choices[segment.name] == (ALWAYS,):
            continue
        yield f".{segment.name}", _choices(segment)


def _choices(segment: Segment) -> str:
    groups: dict[str, list[str]] = {}
    for word, since in segment.choices.items():
        groups.setdefault(availability(since), []).append(f".{word}")
    return "; ".join(" ".join(words) + (f" ({since})" if since else "") for since, words in groups.items())


def rules(form: Form) -> Iterator[str]:
    """What a form's modifiers exclude, in words."""
    for first, second in form.rules:
        yield f"none of {_words(first)} together with {_words(second)}"
    if form.until is not None:
        version = ".".join(map(str, form.until.version))
        where = f" on sm_{form.until.sm}{form.until.suffix} and newer" if form.until.sm > 10 else ""
        yield f"ended with PTX {version}{where}"


def _words(names: frozenset[str]) -> str:
    return " ".join(f".{name}" for name in sorted(names))


# ---- where, and an example -------------------------------------------------------------------------------------------

ASSEMBLED = 75
"""The oldest target that assemblers of today take."""


def needed(resolved: Resolved, target: Target) -> tuple[int, int] | None:
    """The first PTX version with which a resolved form exists on a target; None when it never does."""
    version = target.since
    for choices in resolved.since:
        there = [c.version for c in choices if target.provides(c.sm, c.suffix)]
        if not there:
            return None
        version = max(version, min(there))
    until = resolved.form.until
    ended = until is not None and target.provides(until.sm, until.suffix) and version > until.version
    return None if ended else max(version, VERSIONS[0])


def lowest(resolved: Resolved) -> tuple[tuple[int, int], Target] | None:
    """The oldest target of today's assemblers that has the form, and the version it needs there."""
    for target in TARGETS.values():
        version = needed(resolved, target) if target.sm >= ASSEMBLED and not target.renamed else None
        if version is not None:
            return version, target
    return None


def where(resolved: Resolved) -> dict[str, str]:
    """Target -> the first PTX version with which it has the form, those of today's assemblers."""
    found = {}
    for name, target in TARGETS.items():
        version = needed(resolved, target) if target.sm >= ASSEMBLED else None
        if version is not None:
            found[name] = f"{version[0]}.{version[1]}"
    return found


def example(form: Form, name: str | None = None) -> str:
    """A module that has one instruction of the form, and that assembles; "" when no target of today has the form."""
    for each in [name] if name else covering_names(form):
        for resolved in resolve(each):
            place = lowest(resolved) if resolved.form is form else None
            if place is not None:
                return _module(each, examples(each, resolved)[-1], *place)
    return ""


def _module(name: str, instruction: str, version: tuple[int, int], target: Target) -> str:
    kind = ".visible .func" if "param::func" in name else ".visible .entry"
    lines = [f".version {version[0]}.{version[1]}", f".target {target.name}", ".address_size 64", ""]
    if "callee" in instruction:
        lines.append(".func callee() { ret; }")
    lines += [f"{kind} example(.param .b64 parameter)", "{"]
    lines += [f"\t{line}" for line in _registers(instruction)]
    if "TARGETS" in instruction:
        lines.append("\tTARGETS: .branchtargets DONE;")
    lines.append(f"\t{instruction}")
    if re.search(r"\b(DONE|TARGETS)\b", instruction):
        lines.append("DONE:")
    return "\n".join([*lines, "\tret;", "}", ""])


def _registers(instruction: str) -> list[str]:
    """The declarations of the registers that an example uses."""
    highest: dict[str, int] = {}
    prefixes = {prefix: type_ for type_, prefix in PREFIXES.items()}
    for token in re.findall(r"%\w+", instruction):
        prefix, index = re.fullmatch(r"(%\w*?)(\d+)", token).groups()  # type: ignore[union-attr]
        highest[prefix] = max(highest.get(prefix, 0), int(index))
    return [f".reg .{prefixes[prefix]} {prefix}<{count + 1}>;" for prefix, count in highest.items()]
