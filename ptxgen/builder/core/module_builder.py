"""A module while it is being built: its variables, device functions and entries, in the order of their first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from driver_ctypes.typing import NamedTuple
from ptxgen.builder.core.source import build_error, caller
from ptxgen.ir import Function, Immediate, Module, Variable, resolve
from ptxgen.isa.targets import find_target, parse_version
from ptxgen.isa.types import TYPES
from ptxgen.verifier.verification import judgement

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.errors import Diagnostic
    from ptxgen.ir import ModuleItem, Source
    from ptxgen.isa.targets import Target

__all__ = ["Callee", "EntryBuilder", "ModuleBuilder", "text_variable"]


class Callee(NamedTuple):
    """A device function, and of each of its parameters the alignment that it relies on: 0 where it relies on none."""

    function: Function
    alignments: tuple[int, ...]


class EntryBuilder(Protocol):
    """A kernel or a declaration, as the module knows it."""

    def add_to(self, into: ModuleBuilder) -> object: ...


class ModuleBuilder:
    """Collects what the functions of one module declare."""

    def __init__(self, target: str) -> None:
        try:
            self.target: Target = find_target(target)
        except ValueError as unknown:
            raise build_error("PTX402", str(unknown)) from None
        self.variables: dict[str, Variable] = {}
        self.functions: dict[Any, Callee] = {}
        self.unfinished: list[tuple[Any, str]] = []  # key and name of those that are being built, the innermost last
        self.items: list[ModuleItem] = []  # kernels and declarations, in the order in which they were added
        self._names: set[str] = set()
        self._texts: dict[str, str] = {}  # names of variables
        self.target_options: tuple[str, ...] = ()
        self.address_size = 64
        self.checks = 0  # conditions that its functions check

    def declare(self, variable: Variable) -> Variable:
        """Enter a module variable, and return it. An equal declaration again is the same variable, whose alignment is the
        largest asked for."""
        known = self.variables.setdefault(variable.name, variable)
        known.align = variable.align = max(known.align or 0, variable.align or 0)
        if known != variable:
            raise build_error("PTX302", f"{variable.name} is declared twice, differently, in this module")
        self._names.add(variable.name)
        return known

    def text(self, text: str) -> str:
        """The name of a variable in global memory that has a text, as C has it: UTF-8, and a NUL. The same for equal texts."""
        known = self._texts.get(text)
        if known is None:
            known = self._texts[text] = f"_ptxgen_text_{len(self._texts) + 1}"
            self.declare(text_variable(known, text))
        return known

    def dynamic_shared(self, align: int) -> Variable:
        """The module's `extern .shared` array."""
        return self.declare(
            Variable("shared", TYPES["b8"], "dynamic_shared", shape=(None,), align=align, linkage="extern")
        )

    def unique(self, name: str) -> str:
        """A function name not yet taken."""
        candidate, number = name, 0
        while candidate in self._names:
            number += 1
            candidate = f"{name}_{number}"
        self._names.add(candidate)
        return candidate

    def draft(self, name: str) -> Module:
        """The module as it is now, for its target's first PTX version, not verified."""
        return Module(
            self.target.since,
            self.target.name,
            [*self.variables.values(), *(callee.function for callee in self.functions.values()), *self.items],
            target_options=self.target_options,
            address_size=self.address_size,
            name=name,
        )

    def finish(
        self, name: str, version: str | tuple[int, int], *, strict: bool, lines: bool = False
    ) -> tuple[Module, Callable[[], list[Diagnostic]] | None]:
        """The module, and what is left to judge of it (`verifier.verification.judgement`). `version` "auto" is the lowest PTX
        version that is enough. With `lines`, its instructions say their Python lines."""
        module = self.draft(name)
        if lines:
            from ptxgen.builder.core.lines import add_lines

            add_lines(module)
        if version != "auto":
            module.version = _version(version)
        return module, judgement(module, strict=strict, lowest=version == "auto")


def text_variable(name: str, text: str, source: Source | None = None) -> Variable:
    """A variable in global memory that has a text, as C has it."""
    data = (*text.encode(), 0)
    init = tuple(Immediate(byte) for byte in data)
    return Variable("global", TYPES["b8"], name, shape=(len(data),), align=1, init=init, source=source)


def _version(version: Any) -> tuple[int, int]:
    """A PTX version, "8.0" or (8, 0). BuildError for anything else; whether there is such a version, the verifier says."""
    if isinstance(version, str):
        try:
            return parse_version(version)
        except ValueError:
            pass
    elif isinstance(version, tuple) and len(version) == 2 and all(type(part) is int for part in version):
        return version
    raise build_error(
        "PTX401",
        f"version={version!r} is not a PTX version",
        expected='"8.0", (8, 0) or "auto"',
        hint=f'version="{version}"' if isinstance(version, float) else 'version="auto", the lowest that is enough',
    )


_shown: dict[Any, Any] = {}
"""What Python's own filters remember, to show a warning once where they are told to."""


def warn(findings: list[Any]) -> None:
    """Python warnings for the verifier's warnings, at the user's lines."""
    if findings:
        import warnings

        from ptxgen.errors import PtxWarning

        for finding in findings:
            place = next((each for each in finding.locations if each.kind == "python"), None)
            if place is None:
                place = next(iter(resolve(caller())), None)
            file, line = (place.file, place.line) if place is not None else ("<ptxgen>", 1)
            warnings.warn_explicit(str(finding), PtxWarning, file, line, registry=_shown)
