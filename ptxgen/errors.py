"""The ground floor of ptxgen: diagnostics as values, and the exceptions that carry them.

The tree has one root for both packages, `driver_ctypes.errors.Error`: a caller who wants "anything that went wrong"
catches that. Codes are stable: PTX1xx syntax, 2xx forms and types, 3xx names and control flow, 4xx targets and limits,
5xx protocols and divergence, 6xx style.
"""

from __future__ import annotations

from driver_ctypes.errors import Error
from driver_ctypes.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "AnnotationError",
    "AssembleError",
    "BuildError",
    "DebugError",
    "Diagnostic",
    "Error",
    "Fault",
    "Location",
    "MissingMethodError",
    "OperatorError",
    "PassError",
    "PtxError",
    "PtxSyntaxError",
    "PtxWarning",
    "SanitizerError",
    "TemplateError",
    "UnsupportedError",
    "VerifyError",
    "format_diagnostics",
    "grouped",
]


_LONGEST_LINE = 200
"""So much of a line of a program is shown."""

_LONGEST_TEXT = 2000
"""So much of a message, which may quote a name as long as its author liked."""


class Location:
    """A place in a text; lines and columns count from 1.

    `kind` is "python" (the innermost line of the user's), "caller" (a Python line that called it, the nearest first),
    "declaration" (that of a variable which the finding names), "ptx", "template" or "source" (that of `.loc`).
    """

    __slots__ = ("column", "file", "kind", "line", "text")

    def __init__(self, kind: str, file: str, line: int, column: int | None = None, text: str | None = None) -> None:
        self.kind: str = kind
        self.file: str = file
        self.line: int = line
        self.column: int | None = column
        self.text: str | None = text

    def excerpt(self) -> str:
        """The line's own text, stripped; "" when it cannot be had. Of a very long line, what stands around the column."""
        text = self.text
        if text is None:
            import linecache  # takes longer to import than a start can spare

            linecache.checkcache(self.file)  # the file may have changed, or be another one of that name
            text = linecache.getline(self.file, self.line)
        if len(text) <= _LONGEST_LINE:
            return text.strip()
        first = max((self.column or 1) - 1 - _LONGEST_LINE // 2, 0)
        part = text[first : first + _LONGEST_LINE].strip()
        return f"{'... ' * (first > 0)}{part}{' ...' * (first + _LONGEST_LINE < len(text))}"

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column is not None else "")

    def listed(self) -> str:
        """As it stands in a list of places, with what is there where that is not the instruction itself."""
        return {"caller": f"called at {self}", "declaration": f"declared at {self}"}.get(self.kind, str(self))

    def __repr__(self) -> str:
        return f"Location({self.kind!r}, {str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Location) and (self.kind, self.file, self.line, self.column) == (
            other.kind,
            other.file,
            other.line,
            other.column,
        )

    def __hash__(self) -> int:
        return hash((self.kind, self.file, self.line, self.column))


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST_TEXT:
        return text
    half = _LONGEST_TEXT // 2
    return f"{text[:half]} ... ({len(text) - 2 * half:,} characters) ... {text[-half:]}"


class Diagnostic:
    """One finding about a program: what, where (every place known), what was expected, what to do instead.

    `count`: so many instructions that come from one line have it; the message and the places are those of the first.
    """

    __slots__ = ("code", "count", "expected", "hint", "locations", "message", "severity")

    def __init__(
        self,
        code: str,
        message: str,
        *,
        severity: str = "error",
        locations: Iterable[Location] = (),
        expected: str | None = None,
        hint: str | None = None,
        count: int = 1,
    ) -> None:
        self.code: str = code
        self.count: int = count
        self.message: str = _shortened(message)
        self.severity: str = severity
        self.locations: tuple[Location, ...] = tuple(locations)
        self.expected: str | None = _shortened(expected) if expected else expected
        self.hint: str | None = _shortened(hint) if hint else hint

    @property
    def is_error(self) -> bool:
        return self.severity == "error"

    def __str__(self) -> str:
        rows = [(place.listed(), place.excerpt()) for place in self.locations]
        rows += [("needs", self.expected)] if self.expected else []
        rows += [("instead", self.hint)] if self.hint else []
        width = max([16, *(len(left) for left, _ in rows)])
        lines = [f"{self.severity} {self.code}: {self.message}"]
        lines += [f"  {left:<{width}} {right}".rstrip() for left, right in rows]
        lines += [f"  {self.count} times in what comes from this line"] if self.count > 1 else []
        return "\n".join(lines)

    def changed(self, *, locations: Iterable[Location] | None = None, count: int | None = None) -> Diagnostic:
        """The same with other places or another count."""
        return Diagnostic(
            self.code,
            self.message,
            severity=self.severity,
            locations=self.locations if locations is None else locations,
            expected=self.expected,
            hint=self.hint,
            count=self.count if count is None else count,
        )

    def __repr__(self) -> str:
        return f"<{self.severity} {self.code}: {self.message}>"

    def _repr_html_(self) -> str:
        from ptxgen.markup import box, table

        rows = [(place.listed(), place.excerpt()) for place in self.locations]
        rows += [("needs", self.expected)] if self.expected else []
        rows += [("instead", self.hint)] if self.hint else []
        times = f" ({self.count} times)" if self.count > 1 else ""
        return box(f"{self.severity} {self.code}: {self.message}{times}", table(("where", "what"), rows))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Diagnostic) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.code, self.message, self.locations))

    def to_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "locations": [
                {"kind": p.kind, "file": p.file, "line": p.line, "column": p.column, "text": p.excerpt()}
                for p in self.locations
            ],
            "expected": self.expected,
            "hint": self.hint,
            "count": self.count,
        }


def format_diagnostics(diagnostics: Sequence[Diagnostic], limit: int = 20) -> str:
    """The findings one under the other, `grouped`; past `limit`, how many more there are."""
    found = grouped(diagnostics)
    lines = [str(each) for each in found[:limit]]
    if len(found) > limit:
        lines.append(f"... and {len(found) - limit} more")
    return "\n".join(lines)


_REGISTER = r"%[a-zA-Z_]+\d+"


def grouped(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The findings, in order. Those that say the same of what one line makes are one, with a count: a line of a template or of
    Python in a loop, and the many registers of one instruction. They may differ in the registers that they name."""
    groups: dict[Any, Diagnostic] = {}
    for number, finding in enumerate(diagnostics):
        same = _sameness(finding) or number
        first = groups.get(same)
        groups[same] = finding if first is None else first.changed(count=first.count + finding.count)
    return list(groups.values())


def _sameness(finding: Diagnostic) -> tuple[object, ...] | None:
    """Equal for findings that are one to their reader; None where no line is known."""
    written = [place for place in finding.locations if place.kind in ("python", "caller", "template")]
    places = tuple((each.file, each.line) for each in written or finding.locations)
    if not places:
        return None
    import re

    texts = [re.sub(_REGISTER, "%", text or "") for text in (finding.message, finding.expected)]
    return (places, finding.severity, finding.code, *texts)


class PtxError(Error):
    """A program is wrong. `diagnostics` has every finding, in the program's order."""

    def __init__(self, message: str = "", diagnostics: Sequence[Diagnostic] = (), *, hint: str | None = None) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        parts = [part for part in (message, format_diagnostics(self.diagnostics)) if part]
        super().__init__("\n".join(parts), hint=hint)


class PtxSyntaxError(PtxError):
    """PTX text that does not parse."""


class VerifyError(PtxError):
    """A program that the verifier refuses."""


class BuildError(PtxError):
    """A kernel function that cannot be traced into a program: the message names the line and the remedy."""


class AnnotationError(BuildError, TypeError):
    """A type that is none of ptxgen's, where one is wanted: `px.ptr[int]`."""


class OperatorError(BuildError, TypeError):
    """A Python operator that a device value does not have: `x ** 2`."""


class MissingMethodError(BuildError, AttributeError):
    """A method that the builder does not have: the message names the one that is meant."""


class TranspileError(PtxError):
    """PTX that no program of the builder stands for; the message names its line."""


class PassError(PtxError, ValueError):
    """A pass that there is not, or a parameter that a pass is told of and no kernel has."""


class TemplateError(PtxError):
    """A Jinja template that is missing, does not render, or got wrong parameters."""


class AssembleError(PtxError):
    """An assembler refused a program; `log` is its full answer."""

    def __init__(
        self, message: str = "", diagnostics: Sequence[Diagnostic] = (), *, log: str = "", hint: str | None = None
    ) -> None:
        self.log = log
        super().__init__(message, diagnostics, hint=hint)


class UnsupportedError(PtxError):
    """The CPU device does not run this instruction or feature; the message names it and its line."""


class Fault(PtxError):
    """A kernel did something illegal while running on the CPU device."""


class SanitizerError(PtxError):
    """What the sanitizer found in kernels that ran on the CPU device. `findings` has each as a value, a
    `ptxgen.cpu.sanitizer.findings.Finding`; the message has them in words. The device stays usable: nothing was stopped."""

    def __init__(self, message: str = "", *, findings: Sequence[Any] = ()) -> None:
        self.findings: tuple[Any, ...] = tuple(findings)
        super().__init__(message)


class DebugError(PtxError, ValueError):
    """The debugger cannot do what it was asked for: there is no such line, register or memory, or the launch has ended."""


class PtxWarning(UserWarning):
    """What the verifier warns of: an assembler accepts it, but the manual forbids it or it is unwise; and findings of the
    sanitizer that a process has not asked for when it ends."""
