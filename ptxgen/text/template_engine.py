"""Jinja behind ptxgen.text.template: environments, and which template line made each line of the text.

A template is rendered once as it is, which gives the text, and, when somebody asks for a place, once more with marks before every
line and every expression. Marks are characters of Unicode's private use area, so that nothing else looks like
one; where a filter treats marked text differently, lines are matched up again.

Templates run in Jinja's sandbox, which takes no private names and changes no object, unless the caller trusts them.
"""

from __future__ import annotations

import difflib
import re
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension
from jinja2.lexer import Token
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ptxgen.errors import Diagnostic, Location, TemplateError
from ptxgen.text.files import read_source
from ptxgen.text.template_files import OutsideFolders, TemplateFiles
from ptxgen.text.template_helpers import FILTERS, GLOBALS
from ptxgen.text.template_limits import CHARACTERS
from ptxgen.text.template_parameters import unknown_parameter
from ptxgen.text.template_places import Places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from types import TracebackType

    from jinja2.lexer import TokenStream

__all__ = ["Compiled", "OutOfTime", "compiled", "failed", "parsed"]

_FIRST, _LAST, _ZERO = "\ue000", "\ue001", 0xE010
_MARK = re.compile("\ue000[\ue010-\ue01a]+\ue001")
_TO_MARK = {ord(digit): chr(_ZERO + index) for index, digit in enumerate("0123456789,")}
_FROM_MARK = {_ZERO + index: digit for index, digit in enumerate("0123456789,")}


class OutOfTime(BaseException):
    """The time of a rendering is over. Jinja and templates handle every Exception in places; this one reaches us."""


class _TooLong(Exception):
    """The text is longer than its limit."""


class _Undefined(jinja2.StrictUndefined):
    """A name that nothing gives; as a number too."""

    __slots__ = ()
    __index__ = jinja2.StrictUndefined.__int__


class _Environment(jinja2.Environment):
    """Templates are named by their path; `files` looks one up for the template that includes it."""

    def __init__(self, files: TemplateFiles, *, marked: bool) -> None:
        super().__init__(
            undefined=_Undefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,
            optimized=False,  # to look for constants takes a sixth of the time to compile, and most texts are made once
            extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols", *([_Marks] if marked else [])],
            loader=jinja2.FunctionLoader(_load),
        )
        self.files = files
        self.sources: dict[str, list[str]] = {}
        self.filters.update(FILTERS)
        self.globals.update(GLOBALS)

    def join_path(self, template: str, parent: str) -> str:
        found = self.files.find(template, parent)
        if found is None:
            raise jinja2.TemplateNotFound(template)
        return str(found)


class _Sandbox(_Environment, ImmutableSandboxedEnvironment):
    """The environment of templates that are not trusted."""

    def __init__(self, files: TemplateFiles, *, marked: bool) -> None:
        super().__init__(files, marked=marked)
        self._safe: dict[tuple[type, str], bool] = {}

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """As Jinja says, once: it follows from the type and the name, and a template asks for the same ones again."""
        key = type(obj), attr
        known = self._safe.get(key)
        if known is None:
            known = self._safe[key] = super().is_safe_attribute(obj, attr, value)
        return known


def _load(name: str) -> tuple[str, str, Callable[[], bool]]:
    path = Path(name)
    written = path.stat().st_mtime_ns
    return read_source(path), name, lambda: path.stat().st_mtime_ns == written


class _Marks(Extension):
    """Puts a mark before every line of data and before every expression."""

    environment: _Environment

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        self.environment.sources[str(filename)] = source.split("\n")
        return source

    def filter_stream(self, stream: TokenStream) -> Iterable[Token]:
        names = list(self.environment.sources)
        file = names.index(str(stream.filename))
        for token in stream:
            if token.type == "data":
                lines = token.value.split("\n")
                marked = [_mark(file, token.lineno + index) + text for index, text in enumerate(lines)]
                yield Token(token.lineno, "data", "\n".join(marked))
            else:
                if token.type == "variable_begin":
                    yield Token(token.lineno, "data", _mark(file, token.lineno))
                yield token


def _mark(file: int, line: int) -> str:
    return f"{_FIRST}{f'{file},{line}'.translate(_TO_MARK)}{_LAST}"


class Compiled:
    """A template ready to render."""

    __slots__ = ("_files", "_longest", "_marked", "_plain", "name", "source")

    def __init__(self, source: str, name: str, files: TemplateFiles) -> None:
        plain, _ = _environments(files)
        self.source: str = source
        self.name: str = name
        self._files = files
        self._longest = CHARACTERS if plain.sandboxed else None
        self._marked: jinja2.Template | None = None  # compiled when a place is asked for
        try:
            self._plain = _template(plain, source, name)
        except (Exception, OutOfTime) as error:
            raise failed(error, self.name, self.source) from error

    @property
    def used(self) -> frozenset[str] | None:
        """The names that it takes from outside; None when another template can take some as well."""
        plain, _ = _environments(self._files)
        return _used(plain.parse(self.source, self.name, self.name))

    def render(self, values: Mapping[str, Any]) -> tuple[str, Places]:
        """The text, and the place in the templates that made each of its lines.

        Raises TemplateError with the template's line for anything that goes wrong on the way.
        """
        try:
            text = self._text(values)
        except (Exception, OutOfTime) as error:
            raise failed(error, self.name, self.source) from error
        return text, Places(partial(self.places, text, values))

    def _text(self, values: Mapping[str, Any]) -> str:
        if self._longest is None:
            return self._plain.render(values)
        parts, left = [], self._longest
        for part in self._plain.generate(values):
            parts.append(part)
            left -= len(part)
            if left < 0:
                raise _TooLong
        return "".join(parts)

    def places(self, text: str, values: Mapping[str, Any]) -> list[Location]:
        """The place of each line of the text that these values made."""
        own = self.source.split("\n")
        _, environment = _environments(self._files)
        try:
            if self._marked is None:
                self._marked = _template(environment, self.source, self.name)
            marked = self._marked.render(values)
        except Exception:  # a filter that refuses marked text: take the places of the lines that are printed as written
            found = [Location("template", self.name, number, None, line) for number, line in enumerate(own, 1)]
            return _matched(own, found, text.split("\n"))
        found = _read_marks(marked, {**environment.sources, self.name: own})
        plain = _MARK.sub("", marked)
        return found if plain == text else _matched(plain.split("\n"), found, text.split("\n"))


def _template(environment: _Environment, source: str, name: str) -> jinja2.Template:
    code = environment.compile(source, name, name)
    return environment.template_class.from_code(environment, code, environment.make_globals(None))


def parsed(source: str, name: str) -> jinja2.nodes.Template:
    """The tree of a template's text."""
    plain, _ = _environments(TemplateFiles())
    return plain.parse(source, name, name)


def _used(tree: jinja2.nodes.Template) -> frozenset[str] | None:
    """The names a template takes from outside; None when another template can take some as well."""
    from jinja2 import meta, nodes

    if any(True for _ in tree.find_all((nodes.Include, nodes.Extends, nodes.Import, nodes.FromImport))):
        return None
    return frozenset(meta.find_undeclared_variables(tree)) - frozenset(GLOBALS)


def _read_marks(marked: str, sources: Mapping[str, list[str]]) -> list[Location]:
    """For every line the last mark before its first visible character; without one, the place of the line before."""
    names = list(sources)
    places: dict[str, Location] = {}
    current = Location("template", names[0], 1)
    found: list[Location] = []
    for text in marked.split("\n"):
        chosen = None
        end = 0
        for match in _MARK.finditer(text):
            if text[end : match.start()].strip():
                break
            chosen, end = match.group(), match.end()
        if chosen is not None:
            if chosen not in places:
                file, _, line = chosen[1:-1].translate(_FROM_MARK).partition(",")
                name = names[int(file)]
                lines = sources[name]
                number = min(int(line), len(lines))
                places[chosen] = Location("template", name, number, None, lines[number - 1])
            current = places[chosen]
        found.append(current)
    return found


def _matched(old: list[str], places: list[Location], new: list[str]) -> list[Location]:
    """Places for the lines of `new`, from those of the nearly equal `old`."""
    found: list[Location | None] = [None] * len(new)
    matcher = difflib.SequenceMatcher(None, [text.strip() for text in old], [text.strip() for text in new], False)
    for block in matcher.get_matching_blocks():
        found[block.b : block.b + block.size] = places[block.a : block.a + block.size]
    current = places[0]
    result = []
    for place in found:
        current = place or current
        result.append(current)
    return result


# Errors.


def failed(error: BaseException, name: str, source: str) -> TemplateError:
    """The TemplateError for an exception of Jinja or of an expression: what, and on which line of which template."""
    places = _error_places(error, name, source)
    code, message = _told(error)
    finding = Diagnostic(code, message, locations=places, hint=_hint(error, places))
    return TemplateError(f"{name}: the template does not render", [finding])


def _told(error: BaseException) -> tuple[str, str]:
    """Code and message."""
    if isinstance(error, jinja2.TemplateNotFound):
        return "PTX150", f"no template {error.name!r}"
    if isinstance(error, jinja2.TemplateSyntaxError):
        return "PTX151", f"template syntax: {error.message}"
    if isinstance(error, jinja2.UndefinedError):
        return "PTX152", str(error)
    if isinstance(error, (SecurityError, OutsideFolders)):
        return "PTX155", f"the sandbox refuses this: {str(error).rstrip('.')}"
    if isinstance(error, _TooLong):
        return "PTX156", f"the text is longer than {CHARACTERS} characters"
    if isinstance(error, MemoryError):
        return "PTX156", "the template needs more memory than there is"
    if isinstance(error, OutOfTime):
        return "PTX156", str(error)
    return "PTX152", f"{type(error).__name__}: {error}"


def _error_places(error: BaseException, own: str, source: str) -> list[Location]:
    if isinstance(error, jinja2.TemplateSyntaxError):
        name = error.filename or error.name or own
        return [_place(name, error.lineno, own, source)]
    lines = [_place(name, line, own, source) for name, line in _template_frames(error.__traceback__)]
    return lines[::-1] or [Location("template", own, 1)]


def _template_frames(traceback: TracebackType | None) -> Iterator[tuple[str, int]]:
    """The frames that stand for template lines, outermost first: Jinja rewrites those of an Exception."""
    while traceback is not None:
        names = traceback.tb_frame.f_globals
        if "__jinja_exception__" in names:
            yield traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
        elif (template := names.get("__jinja_template__")) is not None:
            code = traceback.tb_frame.f_code
            line: int | None = traceback.tb_lineno  # None between the lines, where a signal can come
            yield code.co_filename, template.get_corresponding_lineno(line or code.co_firstlineno)
        traceback = traceback.tb_next


def _place(name: str, line: int, own: str, source: str) -> Location:
    lines = source.split("\n") if name == own else []
    return Location("template", name, line, None, lines[line - 1] if line <= len(lines) else None)


def _hint(error: BaseException, places: list[Location]) -> str | None:
    if isinstance(error, jinja2.TemplateSyntaxError):
        if re.search(r"\{%[$\w]*(\d|\s*[,}])", places[0].excerpt()):
            return "a vector of registers needs a space in a template: '{ %f1, %f2}', because '{%' starts a Jinja block"
        if re.search(r"\{\{\s*-?[\d.]+,", places[0].excerpt()):
            return "nested braces need a space in a template: '{ {1, 2}, {3, 4} }', because '{{' starts an expression"
    if isinstance(error, jinja2.UndefinedError) and str(error).endswith("is undefined"):
        return "give it as a parameter, or declare it: {# ptxgen: parameter NAME: KIND = DEFAULT #}"
    code, message = _told(error)
    if code in ("PTX155", "PTX156") or "sandbox" in message:
        if re.search(r"attribute '(append|extend|insert|update|add|pop|clear|sort|remove)' of", message):
            return (
                "make a new object: {% set all.names = all.names + [name] %} with {% set all = namespace(names=[]) %}"
            )
        return "trust=True, or --trust, renders a template of your own without sandbox and limits"
    return None


# Caches.


@lru_cache(maxsize=16)
def _environments(files: TemplateFiles) -> tuple[_Environment, _Environment]:
    kind = _Environment if files.trust else _Sandbox
    return kind(files, marked=False), kind(files, marked=True)


@lru_cache(maxsize=128)
def compiled(source: str, name: str, files: TemplateFiles) -> Compiled:
    """The template of that text, compiled once."""
    return Compiled(source, name, files)


def unknown(template: Compiled, names: Iterable[str]) -> list[Diagnostic]:
    """Findings for what is given to a template without declarations and used nowhere in it."""
    used = template.used
    if used is None:
        return []
    known = sorted(used)
    return [unknown_parameter(name, known, template.name) for name in names if name not in used]
