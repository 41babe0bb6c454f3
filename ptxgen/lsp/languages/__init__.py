"""Where the PTX is in a file: one module a language, each a function from the file's text to its regions.

To add a language, write its function and its row in `LANGUAGES`. A region's text keeps the length of what it stands for
(`model/region.py`): blank what is not PTX, so that no answer has to translate a place. May import the model.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ptxgen.lsp.languages.cuda_asm import asm_regions
from ptxgen.lsp.languages.jinja import template_region
from ptxgen.lsp.languages.python_strings import string_regions
from ptxgen.lsp.model.positions import Span
from ptxgen.lsp.model.region import Region

__all__ = ["LANGUAGES", "Language", "language_of", "regions_of"]


class Language(NamedTuple):
    """`ids` are the names that editors have for the language, `suffixes` the ends of files' names."""

    name: str
    ids: tuple[str, ...]
    suffixes: tuple[str, ...]
    regions: Callable[[str], tuple[Region, ...]]


def _whole(text: str) -> tuple[Region, ...]:
    return (Region(Span(0, len(text)), text),)


LANGUAGES = {
    language.name: language
    for language in (
        Language("template", ("ptx-jinja", "jinja-ptx"), (".ptx.j2", ".ptx.jinja"), template_region),
        Language("ptx", ("ptx",), (".ptx",), _whole),
        Language("python", ("python",), (".py", ".pyi"), string_regions),
        Language(
            "cuda",
            ("cuda-cpp", "cuda", "cuda_cpp", "cpp", "c"),
            (".cu", ".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl", ".cpp", ".cc", ".cxx", ".c"),
            asm_regions,
        ),
    )
}


def language_of(name: str, language_id: str = "") -> str:
    """The language of a file, by its name, else by what the editor calls it; "ptx" where neither is known."""
    by_name = next((each.name for each in LANGUAGES.values() if name.endswith(each.suffixes)), None)
    by_id = next((each.name for each in LANGUAGES.values() if language_id in each.ids), None)
    return by_name or by_id or "ptx"


def regions_of(text: str, language: str) -> tuple[Region, ...]:
    """The parts of a file's text that are PTX, in text order."""
    return LANGUAGES[language].regions(text)
