"""What a text of PTX declares and where its statements are, finished or not: what names mean at a place.

One pass with a pattern that stops only at comments, strings, braces and semicolons: an editor asks while the text is wrong. Uses
of a name are looked for when somebody asks for them. Whether the text is legal is for the parser and the verifier to say, in
another process (`background/`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.lsp.model.declarations import declared_by, declared_label, declared_routine, parameters_of
from ptxgen.lsp.model.positions import Span, shifted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ptxgen.lsp.model.declarations import Declaration

__all__ = ["Coloured", "Program", "Routine", "Scope", "Use", "without_digits"]

_STOPS = re.compile(r'//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)|"[^"\n]*"?|[{};]')
_BEFORE = re.compile(
    r"""(?:\s+
      | //[^\n]* | /\*[\s\S]*?(?:\*/|\Z)
      | \.(?:version|target|address_size|loc|loc_intermediate|file)\b[^\n]*   # what ends with its line
    )+""",
    re.VERBOSE,
)
_INSTRUCTION = re.compile(r"\s*(?=@|[a-z]\w*\.)")
"""What most statements begin with: no label has a dot."""
_LABEL = re.compile(r"([A-Za-z_$%][\w$]*)\s*:(?!:)")
_TARGETS = re.compile(r"\s*\.(branchtargets|calltargets|callprototype)\b")
_ROUTINE = re.compile(
    r"\.(?P<kind>entry|func)\b\s*(?P<attribute>\.attribute\s*\([^{;]*?\)\s*\))?\s*(?P<results>\((?P<of_results>[^()]*)\))?"
    r"\s*(?P<name>[A-Za-z_$%][\w$]*)\s*(?P<parameters>\((?P<of_parameters>[^()]*)\))?"
)
_VERSION = re.compile(r"^[ \t]*\.version[ \t]+(\d+\.\d+)", re.MULTILINE)
_TARGET = re.compile(r"^[ \t]*\.target[ \t]+(\w+)", re.MULTILINE)
_NAME = re.compile(r"[%$A-Za-z_][\w$]*")


class Scope:
    """A `{}`, the parameters of a function around its body, or the module. `names` has what it declares, in text order."""

    __slots__ = ("families", "names", "parent", "span")

    def __init__(self, start: int, parent: Scope | None) -> None:
        self.span = Span(start, start)
        self.parent = parent
        self.names: dict[str, list[Declaration]] = {}
        self.families: dict[str, list[Declaration]] = {}

    def add(self, declaration: Declaration) -> None:
        table = self.names if declaration.members is None else self.families
        table.setdefault(declaration.name, []).append(declaration)

    def here(self, name: str, offset: int) -> Declaration | None:
        """What the name means at a place in this scope, as far as this scope declares it."""
        declared = self.names.get(name)
        if declared:
            return _last_before(declared, offset)
        if self.families and name[-1:].isdigit():
            for end in range(len(name) - 1, max(len(without_digits(name)) - 1, 0), -1):
                declared = self.families.get(name[:end])
                if declared:
                    family = _last_before(declared, offset)
                    if family.has(name[end:]):
                        return family
        return None

    def all(self) -> Iterator[Declaration]:
        for table in (self.names, self.families):
            for declarations in table.values():
                yield from declarations


def without_digits(name: str) -> str:
    """A name without the digits at its end."""
    return name.rstrip("0123456789")


def _last_before(declarations: Sequence[Declaration], offset: int) -> Declaration:
    """The one that holds at a place: the last before it; else the first, which is used before its line."""
    if len(declarations) == 1:
        return declarations[0]
    before = [each for each in declarations if each.span.start <= offset]
    return before[-1] if before else declarations[0]


class Routine(NamedTuple):
    """A kernel or a function: its name, the span of the name, from its first word to its end, and its body's braces."""

    name: str
    kind: str
    name_span: Span
    span: Span
    body: Span | None
    scope: Scope


class Use(NamedTuple):
    """A place where a name stands."""

    name: str
    span: Span


class Coloured(NamedTuple):
    """The words whose meaning is known: where each stands, what the protocol says of it, and the parts of the text in which they
    have to be found again, behind edits. The protocol tells a place from the word before: the word behind a part is stale too."""

    offsets: list[int]
    words: list[str]
    stale: tuple[Span, ...]

    def after(self, window: Span, by: int) -> Coloured:
        """The words after an edit in a window, which makes the text longer by so much."""
        for span in self.stale:
            if span.start <= window.end and window.start <= span.end:
                window = Span(min(window.start, span.start), max(window.end, span.end))
        stale = [span for span in self.stale if span.end < window.start]
        stale += [Span(window.start, window.end + by)]
        stale += [span.moved(by) for span in self.stale if window.end < span.start]
        first, last = (bisect_left(self.offsets, edge) for edge in window)
        offsets = self.offsets[:first] + shifted(self.offsets[last:], by)
        return Coloured(offsets, self.words[:first] + self.words[last:], tuple(stale))


class Program:
    """`text` is PTX: a module, or the statements of a body. Offsets are into it.

    `holes` are spans that a template, or a C++ compiler, fills in.
    """

    def __init__(self, text: str, *, holes: Sequence[Span] = ()) -> None:
        self.text = text
        self.holes = tuple(holes)
        self.module = Scope(0, None)
        self.routines: list[Routine] = []
        self.scopes: list[Scope] = [self.module]
        self.starts: list[int] = []
        """Where each statement starts: behind its labels."""
        self.ends: list[int] = []
        """Where each ends: at its `;`, or at the brace that opens its body."""
        self.remark_starts: list[int] = []
        """Where each comment or string starts."""
        self.remark_ends: list[int] = []
        self.coloured: Coloured | None = None
        """What the words are, as far as somebody has asked."""
        self.unmatched = False
        """Is there a `}` that closes nothing?"""
        self.unclosed = False
        """Is there a `{` that nothing closes?"""
        self._read()
        self.forget()

    def forget(self) -> None:
        """Drop what was remembered of questions so far."""
        self._found: dict[Scope | None, dict[str, tuple[Declaration, Scope] | None]] = {}
        """By scope and name, the answers that hold anywhere in the scope."""
        self._last_scope = (0, 0, self.module)
        for name in ("_scope_starts", "_declared"):
            self.__dict__.pop(name, None)

    # ---- the pass over the text

    def _read(self) -> None:
        text, scope = self.text, self.module
        start = depth = 0
        open_routines: list[tuple[int, re.Match[str], Scope]] = []
        for stop in _STOPS.finditer(text):
            at, sign = stop.start(), stop[0]
            if sign == ";":
                self._statement(start, at, scope)
                start, depth = at + 1, 0
            elif sign == "{":
                if depth:
                    depth += 1
                    continue
                first = self._first(start, at, None)
                header = _ROUTINE.search(text, first, at) if text.startswith(".", first) else None
                if header is not None:
                    inner = self._routine(header, first, scope)
                    open_routines.append((first, header, inner))
                    scope = self._opened(at, inner)
                elif first == at:
                    self._first(start, at, scope)
                    scope = self._opened(at, scope)
                else:  # a vector, an initialiser, a section
                    depth = 1
                    continue
                self.starts.append(first)
                self.ends.append(at)
                start = at + 1
            elif sign == "}":
                if depth:
                    depth -= 1
                    if not depth and text.startswith(".section", self._first(start, at, None)):
                        start = at + 1
                    continue
                self._statement(start, at, scope)  # its semicolon is missing
                start = at + 1
                if scope.parent is None:
                    self.unmatched = True
                    continue
                scope.span = Span(scope.span.start, at + 1)
                scope = scope.parent
                if open_routines and open_routines[-1][2] is scope:
                    first, header, inner = open_routines.pop()
                    self._finished(first, header, inner, at + 1)
                    scope = inner.parent or self.module
            else:
                self.remark_starts.append(at)
                self.remark_ends.append(stop.end())
        self._statement(start, len(text), scope)
        self.unclosed = scope is not self.module or depth > 0
        each: Scope | None = scope
        while each is not None:
            each.span = Span(each.span.start, len(text))
            each = each.parent
        for first, header, inner in open_routines:
            self._finished(first, header, inner, len(text))
        self.routines.sort(key=lambda routine: routine.span.start)

    def _opened(self, at: int, parent: Scope) -> Scope:
        scope = Scope(at, parent)
        self.scopes.append(scope)
        return scope

    def _first(self, start: int, end: int, scope: Scope | None) -> int:
        """The first character of a statement behind comments, lines of debugging data and labels, which are noted."""
        text = self.text
        plain = _INSTRUCTION.match(text, start, end)
        if plain is not None:
            return plain.end()
        while True:
            before = _BEFORE.match(text, start, end)
            if before is not None:
                start = before.end()
            label = _LABEL.match(text, start, end)
            if label is None:
                return start
            targets = _TARGETS.match(text, label.end(), end)
            if scope is not None:
                scope.add(declared_label(label[1], label.start(1), targets[1] if targets else ""))
            start = label.end()

    def _statement(self, start: int, end: int, scope: Scope) -> None:
        first = self._first(start, end, scope)
        if first >= end:
            return
        self.starts.append(first)
        self.ends.append(end)
        if self.text[first] != ".":
            return
        header = _ROUTINE.search(self.text, first, end)
        if header is not None:
            inner = self._routine(header, first, scope)
            self._finished(first, header, inner, end)
            return
        for declaration in declared_by(self.text, first, end):
            scope.add(declaration)

    def _routine(self, header: re.Match[str], first: int, scope: Scope) -> Scope:
        """The scope of a function's parameters."""
        inner = self._opened(header.start("name"), scope)
        for part in ("of_results", "of_parameters"):
            for declaration in parameters_of(header, part):
                inner.add(declaration)
        scope.add(declared_routine(header))
        return inner

    def _finished(self, first: int, header: re.Match[str], scope: Scope, end: int) -> None:
        scope.span = Span(scope.span.start, end)
        brace = self.text.find("{", header.end(), end)
        while brace >= 0 and self.in_remark(brace):
            brace = self.text.find("{", brace + 1, end)
        self.routines.append(
            Routine(
                header["name"], header["kind"], Span(*header.span("name")), Span(first, end),
                Span(brace, end) if brace >= 0 else None, scope,
            )
        )  # fmt: skip

    # ---- questions

    @cached_property
    def _scope_starts(self) -> list[int]:
        self.scopes.sort(key=lambda scope: scope.span.start)
        return [scope.span.start for scope in self.scopes]

    def scope_at(self, offset: int) -> Scope:
        """The innermost scope around a place."""
        low, high, scope = self._last_scope
        if low <= offset < high:  # one question after another is about the same scope
            return scope
        index = max(bisect_right(self._scope_starts, offset) - 1, 0)
        scope = self.scopes[index]
        low, high = scope.span.start, scope.span.end
        while scope.parent is not None and scope.span.end <= offset:
            low, scope = scope.span.end, scope.parent
            high = scope.span.end
        if index + 1 < len(self.scopes):
            high = min(high, self._scope_starts[index + 1])
        self._last_scope = (low, high, scope) if low <= offset < high else self._last_scope
        return scope

    def routine_at(self, offset: int) -> Routine | None:
        return next((each for each in self.routines if each.span.start <= offset < each.span.end), None)

    def find(self, name: str, offset: int) -> Declaration | None:
        """What a name means at a place; None for what nobody declares."""
        found = self.find_with_scope(name, offset)
        return None if found is None else found[0]

    def find_with_scope(self, name: str, offset: int) -> tuple[Declaration, Scope] | None:
        """The same with the scope that declares it. Where nothing is declared twice, the answer holds for the whole scope."""
        scope: Scope | None = self.scope_at(offset)
        known = self._found.setdefault(scope, {})
        if name in known:
            return known[name] or self._family(name, offset)
        found = None
        once = True
        while scope is not None:
            here = scope.here(name, offset)
            once = once and len(scope.names.get(name, ())) < 2
            if here is not None:
                found = here, scope
                break
            scope = scope.parent
        if once:
            known[name] = found
        return found or self._family(name, offset)

    def _family(self, name: str, offset: int) -> tuple[Declaration, Scope] | None:
        """A family where it is declared: elsewhere `%r` alone means none of `%r<9>`."""
        scope: Scope | None = self.scope_at(offset)
        while scope is not None:
            for each in scope.families.get(name, ()):
                if each.span.start == offset:
                    return each, scope
            scope = scope.parent
        return None

    def declares(self, name: str) -> bool:
        """Is there a place where the name may mean something?"""
        names, families, stems = self._declared
        if name in names:
            return True
        stem = without_digits(name)
        return stem in stems and any(name[:end] in families for end in range(len(stem), len(name) + 1))

    @cached_property
    def _declared(self) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
        """The names of all scopes, the prefixes of their families, and these without digits at their ends."""
        names = frozenset(name for scope in self.scopes for name in scope.names)
        families = frozenset(name for scope in self.scopes for name in scope.families)
        return names, families, frozenset(map(without_digits, families))

    def visible(self, offset: int) -> Iterator[Declaration]:
        """All that is declared where a place can see it, the inner ones first."""
        scope: Scope | None = self.scope_at(offset)
        while scope is not None:
            yield from scope.all()
            scope = scope.parent

    def statement_at(self, offset: int) -> Span | None:
        """The statement that a place is in or right behind; None between statements."""
        index = bisect_right(self.starts, offset) - 1
        if index < 0 or self.ends[index] < offset:
            return None
        return Span(self.starts[index], self.ends[index])

    @property
    def remarks(self) -> Iterator[Span]:
        """Comments and strings, in text order."""
        return map(Span, self.remark_starts, self.remark_ends)

    def in_remark(self, offset: int) -> bool:
        """Is the place inside of a comment or a string?"""
        index = bisect_right(self.remark_starts, offset) - 1
        return index >= 0 and offset < self.remark_ends[index]

    def has_hole(self, span: Span) -> bool:
        """Does a template fill in a part of it?"""
        return any(hole.start < span.end and span.start < hole.end for hole in self.holes)

    def name_at(self, offset: int) -> Use | None:
        """The name that a place is in or right behind; None in comments and strings."""
        start = offset
        while start > 0 and (self.text[start - 1].isalnum() or self.text[start - 1] in "_$%"):
            start -= 1
        match = _NAME.match(self.text, start)
        while match is not None and match.end() < offset:  # `5%r1` and the like
            match = _NAME.search(self.text, match.end(), offset + 1)
        if match is None or match.start() > offset or self.in_remark(match.start()):
            return None
        return Use(match[0], Span(*match.span()))

    def uses(self, declaration: Declaration, scope: Scope, name: str | None = None) -> Iterator[Use]:
        """The places where a declaration is meant, its own among them, in text order; with `name`, those of one register of a
        family alone."""
        stem = re.escape(name or declaration.name)
        tail = r"(?![\w$])" if name is not None or declaration.members is None else r"(?:\d+(?![\w$])|(?=\s*<))"
        start, end = scope.span if scope.parent is not None else (0, len(self.text))
        declared, sign = declaration.span.start, declaration.name[0] in "%$_"  # no instruction begins with these
        others = iter(sorted([*self.remarks, *self.holes]))
        other = next(others, Span(end, end))
        for match in re.compile(rf"(?<![\w$%.:]){stem}{tail}").finditer(self.text, start, end):
            span = Span(*match.span())
            while other.end <= span.start:
                other = next(others, Span(end, end))
            if span.start != declared and (
                other.start < span.end
                or self.find(match[0], span.start) is not declaration
                or not (sign or not self._is_opcode(span.start))
            ):
                continue
            yield Use(match[0], span)

    def _is_opcode(self, offset: int) -> bool:
        """Is this the first word of an instruction, rather than an operand of one?"""
        statement = self.statement_at(offset)
        if statement is None:
            return False
        before = self.text[statement.start : offset].strip()
        return not before or re.fullmatch(r"@\s*!?\s*[\w$%]+", before) is not None

    @cached_property
    def version(self) -> Use | None:
        """What stands behind `.version`, "8.0"."""
        return _header_word(_VERSION, self.text)

    @cached_property
    def target(self) -> Use | None:
        """The name behind `.target`."""
        return _header_word(_TARGET, self.text)


def _header_word(pattern: re.Pattern[str], text: str) -> Use | None:
    found = pattern.search(text)
    return None if found is None else Use(found[1], Span(*found.span(1)))
