"""`px.explain`: what an instruction, a directive, a special register, a target, a type or a diagnostic code is.

A lookup gives a value: `str()` of it is a page of text, `to_dict()` plain data, `topics` the parts that the command line prints
in colour. Everything comes from the table and from the rows beside it.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from ptxgen.codes.index import INDEX
from ptxgen.codes.lookup import code_row, codes_reported_by, rules_of
from ptxgen.dataflow.matching.nearest import nearest_form
from ptxgen.isa import describe
from ptxgen.isa.cuda_names import CUDA_NAMES, cuda_name
from ptxgen.isa.directives import directive, directives
from ptxgen.isa.examples import covering_names
from ptxgen.isa.forms import all_forms, forms_of, opcodes, resolve
from ptxgen.isa.specials import SPECIALS, special
from ptxgen.isa.suggestions import similar_names
from ptxgen.isa.targets import TARGETS, similar_targets
from ptxgen.isa.types import TYPES
from ptxgen.verifier.explanation.pages import (
    Explanation,
    Topic,
    code_page,
    directive_page,
    forms_page,
    name_page,
    rules_page,
    special_page,
    target_page,
    type_page,
)

if TYPE_CHECKING:
    from ptxgen.isa.notation import Segment

__all__ = ["Explanation", "explain"]


def explain(name: str) -> Explanation:
    """Explain a name of PTX or a code of ptxgen.

    `name` may be an opcode ("ld"), the beginning of an instruction ("cp.async.bulk"), a whole one
    ("ld.global.v4.f32"), a special register ("%tid.x"), a directive (".maxntid"), a pragma's string or a target's option, a
    target ("sm_90a"), a type (".e4m3x2"), a modifier (".L2::cache_hint"), a diagnostic code ("PTX412"), or a pattern with * for
    any of these ("mbarrier.*", "%cluster*"). Some words of an instruction in their order ("mma.m16n8k16.bf16") mean the forms
    that have them. A name of CUDA C++ ("__syncthreads", "threadIdx.x") means what PTX has for it. A file of ptxgen, alone or
    with a line or a function ("wgmma.py", "protocols/wgmma.py:84"), means the codes that it reports. A name that is none of
    them gives the nearest that are, with `found` False.
    """
    name = name.strip()
    if re.search(r"[*?\[]", name):
        return _pattern(name)
    for look in (_code, _rules, _special, _directive, _target, _instruction, _type, _modifier, _cuda):
        found = look(name)
        if found is not None:
            return found
    return _nothing(name)


def _instruction(name: str) -> Explanation | None:
    opcode, *words = name.removeprefix(".").split(".") if not name.startswith(".") else ["", ""]
    if opcode not in opcodes():
        return None
    exact = resolve(name)
    if exact and words:
        return name_page(name, exact)
    forms = [form for form in forms_of(opcode) if _begins(form.segments, words)]
    if not forms:
        forms = [form for form in forms_of(opcode) if _has(form.segments, words)]
    if not forms:
        return _misspelt(name, opcode)
    named = [form for form in forms if describe.instruction_name(form) == name] or forms
    others = sorted({describe.instruction_name(form) for form in forms if form not in named} - {name})
    return forms_page(name, named, others)


def _begins(segments: tuple[Segment, ...], words: list[str]) -> bool:
    """Is there a name of these segments that begins with these words?"""
    if not words:
        return True
    if not segments:
        return False
    first, rest = segments[0], segments[1:]
    for length in range(1, min(first.longest, len(words)) + 1):
        if ".".join(words[:length]) in first.choices and _begins(rest, words[length:]):
            return True
    return first.optional and _begins(rest, words)


def _has(segments: tuple[Segment, ...], words: list[str]) -> bool:
    """Is there a name of these segments that has these words in their order? `mxf4` stands for `kind::mxf4` too."""
    if not words:
        return True
    for place, segment in enumerate(segments):
        for length in range(1, min(segment.longest, len(words)) + 1):
            text = ".".join(words[:length])
            if any(text == choice or choice.endswith(f"::{text}") for choice in segment.choices):
                return _has(segments[place + 1 :], words[length:])
    return False


def _cuda(name: str) -> Explanation | None:
    """The page of what PTX has for a name of CUDA C++, with the way there before it."""
    row = cuda_name(name)
    if row is None:
        return None
    page = explain(row.ptx[0])
    says = (f"{row.name} is {', '.join(row.ptx)}", row.note)
    way = Topic("CUDA C++", tuple((text,) for text in says if text))
    data = {"cuda": row._asdict(), **page.data}
    return Explanation(page.kind, page.name, page.title, [way, *page.topics], data, found=page.found)


def _misspelt(name: str, opcode: str) -> Explanation:
    first = (_respelt(name, opcode), nearest_form(name))
    names = list(
        dict.fromkeys(
            text for text in (*first, *similar_names(name, _heads(opcode), 4, cutoff=0.3)) if text and text != name
        )
    )
    topics = [Topic("", tuple((text,) for text in names))]
    return Explanation("names", name, f"no form of {opcode}; near it are", topics, {"near": names}, found=False)


def _respelt(name: str, opcode: str) -> str | None:
    """The name with each unknown modifier replaced by the opcode's most similar one; None when nothing begins so either."""
    known = list(dict.fromkeys(choice for form in forms_of(opcode) for s in form.segments for choice in s.choices))
    words = [opcode]
    for word in name.split(".")[1:]:
        words += [word] if word in known else similar_names(word, known, 1) or [word]
    spelt = ".".join(words)
    return spelt if any(_begins(form.segments, words[1:]) for form in forms_of(opcode)) else None


def _heads(opcode: str) -> list[str]:
    return sorted({covering_names(form)[0] for form in forms_of(opcode)})


def _code(name: str) -> Explanation | None:
    row = code_row(name.upper())
    return None if row is None else code_page(row, rules_of(row.code))


def _rules(name: str) -> Explanation | None:
    if not re.search(r"\.py(:\w[\w.]*)?$", name):
        return None
    reported = codes_reported_by(name)
    return rules_page(name, reported) if reported else None


def _special(name: str) -> Explanation | None:
    if not name.startswith("%"):
        return None
    row = special(name) or special(f"{name}.x")
    return None if row is None else special_page(name, row)


def _directive(name: str) -> Explanation | None:
    row = directive(name)
    if row is None and name.startswith("."):
        row = directive(name[1:])
    if row is None or (name[:1] != "." and row.name[:1] == "." and name in opcodes()):
        return None
    return directive_page(row)


def _target(name: str) -> Explanation | None:
    target = TARGETS.get(name.replace("compute_", "sm_"))
    return None if target is None else target_page(target)


def _type(name: str) -> Explanation | None:
    found = TYPES.get(name.removeprefix("."))
    return None if found is None else type_page(found)


def _modifier(name: str) -> Explanation | None:
    word = name.removeprefix(".")
    places: dict[str, str] = {}
    for form in all_forms():
        for segment in form.segments:
            if word in segment.choices:
                places.setdefault(describe.instruction_name(form), describe.availability(segment.choices[word]))
    if not places:
        return None
    rows = tuple(places.items())
    return Explanation(
        "modifier", f".{word}", "a modifier of these instructions", [Topic("", rows)], {"instructions": places}
    )


# ---- patterns, and what is not there ---------------------------------------------------------------------------------


def _names() -> dict[str, str]:
    """Every name that a pattern can match, with a few words about it."""
    found = {describe.instruction_name(f): f"manual {f.section}" for f in reversed(all_forms())}
    names = dict(reversed(found.items()))
    names |= {
        row.name: row.purpose for row in SPECIALS.values() if row.name.rpartition(".")[2] not in ("r", "g", "b", "a")
    }
    names |= {row.name: row.purpose for row in directives()}
    names |= {target.name: f"PTX {target.since[0]}.{target.since[1]}" for target in TARGETS.values()}
    names |= {code: entry.meaning for code, entry in INDEX.items()}
    return names


def _pattern(pattern: str) -> Explanation:
    rows = tuple((name, about) for name, about in _names().items() if fnmatchcase(name, pattern))
    title = f"{len(rows)} names" if rows else "matches nothing"
    return Explanation("names", pattern, title, [Topic("", rows)], {"names": dict(rows)}, found=bool(rows))


def _near_codes(name: str) -> list[str]:
    """The codes with the nearest numbers to one that does not exist; [] for what is not a code."""
    meant = re.fullmatch(r"PTX(\d+)", name.upper())
    return [] if meant is None else sorted(INDEX, key=lambda code: abs(int(code[3:]) - int(meant[1])))[:3]


def _nothing(name: str) -> Explanation:
    names = _names()
    opcode = name.partition(".")[0]
    close = similar_names(opcode, opcodes()) if not name.startswith((".", "%")) else []
    whole = [each + name[len(opcode) :] for each in close if resolve(each + name[len(opcode) :])]
    foreign = {row.name: ", ".join(row.ptx) for row in CUDA_NAMES.values()} if name[:1] not in (".", "%") else {}
    meant = (
        similar_targets(name)
        or _near_codes(name)
        or [*whole, *close, *similar_names(name, names, 5), *similar_names(name, foreign, cutoff=0.75)]
    )
    rows = tuple((each, names.get(each, foreign.get(each, ""))) for each in dict.fromkeys(meant))
    title = "nothing of PTX or ptxgen has this name" + ("; near it are" if rows else "")
    return Explanation("names", name, title, [Topic("", rows)], {"near": [each for each, _ in rows]}, found=False)
