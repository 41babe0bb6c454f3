"""Which forms of the table this device runs, and how near its results are to a GPU's: asked of the lowerings themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.lower.registry import find
from ptxgen.cpu.program import compile_relocatable
from ptxgen.errors import UnsupportedError
from ptxgen.isa import describe
from ptxgen.isa.examples import covering_names, every_name
from ptxgen.isa.forms import forms_of, opcodes, resolve
from ptxgen.text import parse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxgen.cpu.profiler.counts import LaunchCounts
    from ptxgen.isa.forms import Resolved
    from ptxgen.isa.notation import Form
    from ptxgen.isa.targets import Target

__all__ = ["STATES", "Coverage", "FormSupport", "coverage", "form_support", "launch_support", "name_support"]

STATES = {
    "exact": "the bits that the manual defines; of tensor cores, those that an H200 computes",
    "modelled": "as the manual says, and published measurements of tensor cores; no device that has the instruction was compared",
    "bounded": "within the error that the manual allows, and not the bits of any GPU",
    "refused": "an UnsupportedError names the instruction when the kernel is loaded",
}
"""What the device does with a form."""

BOUNDS = {
    "div.approx": "2 ulp, for divisors between 2**-126 and 2**126",
    "div.full": "2 ulp",
    "rcp.approx": "1 ulp; f64: the upper 32 bits alone",
    "sqrt.approx": "relative error 2**-23",
    "rsqrt.approx": "relative error 2**-22.9; f64: the upper 32 bits alone",
    "sin.approx": "absolute error 2**-20.5 between -2 pi and 2 pi",
    "cos.approx": "absolute error 2**-20.5 between -2 pi and 2 pi",
    "lg2.approx": "2**-22: absolute between 0.5 and 2, relative elsewhere",
    "ex2.approx": "2 ulp; f16: relative error 2**-9.9, bf16: 2**-7",
    "tanh.approx": "relative error 2**-11; f16: absolute 2**-10.987, bf16: 2**-8",
    "tex": "nearest elements are exact; sums of a linear filter are rounded once, within 2**-24 of their largest product; with "
    "gradients, the level within 0.2; sRGB within 1/256; filtered s8 within 2**-15",
}
"""Beginning of a name -> how far results may be from a GPU's (manual 9.7.3, and what was measured on an H200)."""

UNLIKE = {
    "vmad": "as the manual says; ptxas 13.0 takes 32-bit unsigned operands for signed ones",
    "vshl": "as the manual says; ptxas 13.0 does not saturate bits that leave the word",
    "vadd": "as the manual says; ptxas 13.0 takes 32-bit unsigned operands for signed ones",
    "vsub": "as the manual says; ptxas 13.0 takes 32-bit unsigned operands for signed ones",
    "mad.hi.sat": "as the manual says; ptxas 13.0 does not saturate it beside mad.hi of the same operands",
}
"""Beginning of a name that is exact -> where an H200, for which ptxas writes several instructions, gives other bits."""

ASSUMED = {
    "block_scale": "sums as arXiv 2511.10909 has them: 25 bits below the largest exponent, of mxf4 and mxf4nvf4 35, with sixteen "
    "products added exactly before",
    "kind::f8f6f4": "sums as arXiv 2511.10909 has them: 25 bits below the largest exponent, over all of K",
    "tcgen05.mma": "sums as arXiv 2511.10909 has them: 25 bits below the largest exponent, over all of K",
    "im2col::w": "the halo pixels follow the last pixel of the copy, or of its part, along W; they may lie outside the box",
    "cvt.rs": "the random bits are a fraction of the last place, that of subnormals too",
    "cp.async.bulk.tensor": "a row outside the tensor is filled, or left out",
    "multimem.ld_reduce": "sums of fp8 are rounded to nearest at each step, to at most the largest number",
    "st.async.release": "done at once",
    "red.async.release": "done at once",
}
"""Part of the name of what is modelled -> what the manual leaves open, and the device does."""

_APPROXIMATE = frozenset({"approx", "full"})
"""The modifiers by which PTX leaves the last bits of a result open (manual 9.7.3)."""

_COMPARED = 90
"""The target of the device that results were compared with."""
_NEWEST = (9, 0)
"""The PTX version up to which the device is to run every instruction."""


class FormSupport(NamedTuple):
    """`state` is one of `STATES`; `refused` are the names that the device refuses of a form of which it runs others; `note` says
    how near a bounded result is, and why names are refused."""

    state: str
    refused: tuple[str, ...]
    note: str = ""


def form_support(form: Form) -> FormSupport:
    """What this device does with a form. Names that cover its modifiers are tried, not all of them."""
    names = covering_names(form)
    lowered = {name: find(name) is not None for name in names}
    if not any(lowered.values()):
        lowered[names[0]] = _compiles(form, names[0])
    if not any(lowered.values()):
        return FormSupport("refused", (), _reason(names[0]))
    refused = tuple(name for name, there in lowered.items() if not there and not _compiles(form, name))
    state = _nearness(form, names[0])
    return FormSupport(state, refused, _reason(refused[0]) if refused else _note(names[0], state))


def name_support(name: str) -> FormSupport:
    """What this device does with an instruction of that name. ValueError where the table has none."""
    found = next(iter(resolve(name)), None)
    if found is None:
        raise ValueError(f"{name} is no instruction of the table")
    if find(name) is None and not _compiles(found.form, name):
        return FormSupport("refused", (name,), _reason(name))
    state = _nearness(found.form, name)
    return FormSupport(state, (), _note(name, state))


def _note(name: str, state: str) -> str:
    """The bound, or what a GPU does that the manual does not say, or what is taken for what it does."""
    if state == "modelled":
        return next((text for part, text in ASSUMED.items() if part in name), "")
    texts = BOUNDS if state == "bounded" else UNLIKE
    return next((text for start, text in texts.items() if f"{name}.".startswith(f"{start}.")), "")


def _reason(name: str) -> str:
    """Why a name is refused."""
    versions = [place[0] for resolved in resolve(name) if (place := describe.lowest(resolved)) is not None]
    if versions and min(versions) > _NEWEST:
        return "PTX {}.{}: newer than {}.{}".format(*min(versions), *_NEWEST)
    return next((text for part, text in _REASONS.items() if part in name), "not built")


_REASONS = {
    ".popc": "the manual does not say what .and and .xor do to elements of more than one bit",
}
"""Part of a name -> why those with it that are refused are."""


def _nearness(form: Form, name: str) -> str:
    words = {segment.name for segment in form.segments if not segment.optional} | set(name.split("."))
    if not words.isdisjoint(_APPROXIMATE) or form.opcode == "tex":
        return "bounded"
    places = [place for resolved in resolve(name) if (place := describe.lowest(resolved)) is not None]
    late = bool(places) and min(target.sm for _, target in places) > _COMPARED
    modelled = "matrix" in form.traits or any(part in name for part in ASSUMED)
    return "modelled" if late and modelled else "exact"


def _compiles(form: Form, name: str) -> bool:
    """Whether the device takes an example of the name: calls and branches have no lowering, and run."""
    example = describe.example(form, name)
    try:
        return bool(example) and bool(compile_relocatable(parse(example)))
    except UnsupportedError:
        return False


def launch_support(launch: LaunchCounts) -> dict[str, dict[str, str]]:
    """How near what a profiled launch has executed is to a GPU: state -> instruction -> how far its results may be from a GPU's,
    "" where they are the same."""
    found: dict[str, dict[str, str]] = {state: {} for state in STATES}
    for op in sorted({each.op for each in launch.instructions if each.counts.warps}):
        if resolve(op):
            said = name_support(op)
            found[said.state][op] = said.note
    return {state: ops for state, ops in found.items() if ops}


# -- how much of a target ------------------------------------------------------------------------------------------------


_FEW = 8
"""Names of an opcode that are tried, where no lowering has them."""


class Coverage(NamedTuple):
    """Of the instructions that a target has: how many opcodes there are, run whole, and in part; how many names, and of them
    run. `missing` has the opcodes with names that are refused, and the number of these."""

    opcodes: int
    whole: int
    part: int
    names: int
    run: int
    missing: dict[str, int]


def coverage(target: Target, version: tuple[int, int] = _NEWEST, only: Iterable[str] = ()) -> Coverage:
    """Every name that the table spells, or those of some opcodes, for a target and a PTX version; all take a minute."""
    count = whole = part = names = run = 0
    missing: dict[str, int] = {}
    for opcode in only or opcodes():
        there = {
            name: form
            for form in forms_of(opcode)
            for name in every_name(form)
            if any(_exists(resolved, target, version) for resolved in resolve(name))
        }
        if not there:
            continue
        refused = [name for name in there if find(name) is None]
        if len(refused) <= _FEW:  # branches and calls run without a lowering
            refused = [name for name in refused if not _compiles(there[name], name)]
        count += 1
        whole += not refused
        part += 0 < len(refused) < len(there)
        names += len(there)
        run += len(there) - len(refused)
        if refused:
            missing[opcode] = len(refused)
    return Coverage(count, whole, part, names, run, missing)


def _exists(resolved: Resolved, target: Target, version: tuple[int, int]) -> bool:
    """Has the target that instruction in that version of PTX?"""
    until = resolved.form.until
    if until is not None and target.provides(until.sm, until.suffix) and until.version <= version:
        return False
    return all(any(target.provides(c.sm, c.suffix) and c.version <= version for c in of) for of in resolved.since)
