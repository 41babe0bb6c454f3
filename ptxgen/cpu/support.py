"""Which forms of the table this device runs, and how near its results are to a GPU's: asked of the lowerings themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.lower.registry import find
from ptxgen.cpu.program import compile_relocatable
from ptxgen.errors import UnsupportedError
from ptxgen.isa import describe
from ptxgen.isa.examples import covering_names
from ptxgen.isa.forms import resolve
from ptxgen.text import parse

if TYPE_CHECKING:
    from ptxgen.isa.notation import Form

__all__ = ["STATES", "FormSupport", "form_support"]

STATES = {
    "exact": "the bits that the manual defines; of tensor cores, those that an H200 computes",
    "modelled": "as the manual says, with the sums of an H200's tensor cores; no device that has the instruction was compared",
    "bounded": "within the error that the manual allows, and not the bits of any GPU",
    "refused": "an UnsupportedError names the instruction when the kernel is loaded",
}
"""What the device does with a form."""

_APPROXIMATE = frozenset({"approx", "full"})
"""The modifiers by which PTX leaves the last bits of a result open (manual 9.7.3)."""

_COMPARED = 90
"""The target of the device that results were compared with."""


class FormSupport(NamedTuple):
    """`state` is one of `STATES`; `refused` are the names that the device refuses of a form of which it runs others."""

    state: str
    refused: tuple[str, ...]


def form_support(form: Form) -> FormSupport:
    """What this device does with a form. Names that cover its modifiers are tried, not all of them."""
    names = covering_names(form)
    lowered = {name: find(name) is not None for name in names}
    if not any(lowered.values()):
        lowered[names[0]] = _compiles(form, names[0])
    if not any(lowered.values()):
        return FormSupport("refused", ())
    refused = tuple(name for name, there in lowered.items() if not there and not _compiles(form, name))
    return FormSupport(_nearness(form, names[0]), refused)


def _nearness(form: Form, name: str) -> str:
    words = {segment.name for segment in form.segments if not segment.optional}
    if not words.isdisjoint(_APPROXIMATE):
        return "bounded"
    places = [place for resolved in resolve(name) if (place := describe.lowest(resolved)) is not None]
    late = bool(places) and min(target.sm for _, target in places) > _COMPARED
    return "modelled" if late and "matrix" in form.traits else "exact"


def _compiles(form: Form, name: str) -> bool:
    """Whether the device takes an example of the name: calls and branches have no lowering, and run."""
    example = describe.example(form, name)
    try:
        return bool(example) and bool(compile_relocatable(parse(example)))
    except UnsupportedError:
        return False
