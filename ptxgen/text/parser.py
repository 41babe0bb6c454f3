"""PTX text -> ir: modules, functions, bodies, and going on after an error (manual chapters 4, 5, 7 and 11).

What is refused here is what an assembler calls a syntax error; unknown names, wrong types and forms that do not exist
are left to the verifier. Comments are kept: one behind or inside a statement moves to the line before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.errors import PtxError, PtxSyntaxError
from ptxgen.ir import Block, Comment, Function, Label, Module
from ptxgen.isa.directives import head_directives
from ptxgen.isa.targets import LATEST
from ptxgen.text.bounds import NESTED
from ptxgen.text.cursor import SPACES, STATEMENT_DIRECTIVES, Cursor, Unexpected, describe, is_name, nearest
from ptxgen.text.declarations import attribute_list, parameters, registers, variables
from ptxgen.text.directives import (
    alias,
    file,
    function_directives,
    header,
    intermediate_source,
    line,
    pragma,
    section,
    targets_or_prototype,
)
from ptxgen.text.lexer import END
from ptxgen.text.operands import instruction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.errors import Diagnostic, Location
    from ptxgen.ir import ModuleItem, Statement, Variable

__all__ = ["parse", "read"]

_LINKAGE = frozenset((".extern", ".visible", ".weak", ".common"))
_DECLARES = frozenset((*SPACES, ".align", ".attribute"))
_INTERMEDIATE = ".nv_intermediate_source_section"
_ITEMS = frozenset((*_LINKAGE, *_DECLARES, ".entry", ".func", ".pragma", ".file", ".section", ".alias", _INTERMEDIATE))
_SURE_ITEMS = _ITEMS - {".shared", ".local", ".param", ".tex", ".align", ".attribute", ".pragma"}
"""What begins an item and is not seen in bodies."""
_NEXT_ITEM = _ITEMS - {".pragma"} | {END}
"""What ends a prototype of `.func` that has no ';', as compilers before CUDA 4 wrote them. Assemblers take it, of .func alone."""

_PARAMETER_SPACES = frozenset((".param", ".reg"))
_OPEN, _CLOSE = "{", "}"


def parse(text: str, name: str = "<ptx>", *, template: Sequence[Location] | None = None) -> Module:
    """The module that PTX text says.

    `name` is the file that messages name. `template`, when the text was rendered, gives the place in the template for
    each of its lines; every source is then (place in the text, place in the template).

    Raises PtxSyntaxError with every syntax error of the text, in its order.
    """
    if not isinstance(text, str):
        raise PtxError(
            f"parse of {type(text).__name__}, which is not PTX text",
            hint='px.parse(path.read_text("utf-8"), name=str(path)) of a file; str(module) is the text of a module',
        )
    module, findings = read(text, name, template=template)
    if findings:
        count = len(findings)
        raise PtxSyntaxError(f"{name}: {count} syntax error{'s' if count > 1 else ''}", findings)
    return module


def read(
    text: str, name: str = "<ptx>", *, template: Sequence[Location] | None = None
) -> tuple[Module, list[Diagnostic]]:
    """The module of what can be read of the text, and every syntax error, in the text's order.

    What is wrong is not in the module: a statement, or the whole of a function whose braces do not match.
    """
    c = Cursor(text, name, template)
    parser = _Parser(c)
    try:
        parser.read_module()
    except RecursionError:
        c.findings.append(
            c.unexpected("fewer nested braces or parentheses", at=c.i, message="nested too deeply").finding
        )
    c.findings.sort(key=lambda finding: finding.locations[0].line)
    return parser.module, c.findings


class _TooDeep(Unexpected):
    """Too many '{' are open: nothing more is said of the body."""


class _Parser:
    """Statements and items; `comments` counts the comments that are in the ir already."""

    __slots__ = ("c", "comments", "module", "texts")

    def __init__(self, cursor: Cursor) -> None:
        self.c = cursor
        self.texts = cursor.texts
        self.comments = 0
        self.module = Module(LATEST, "", name=cursor.tokens.name)

    # Modules.

    def read_module(self) -> None:
        c, module = self.c, self.module
        for _, offset, text in c.tokens.comments:
            if text[:2] == "/*" and (len(text) < 4 or text[-2:] != "*/"):
                c.findings.append(c.finding("PTX101", "the comment has no end", offset=offset, expected="'*/'"))
        module.version, module.target, module.target_options, module.address_size = header(c)
        items = module.items
        while True:
            start = c.i
            items += self._comments_before(start)
            text = self.texts[start]
            if text == END:
                return
            try:
                found = self._item(text)
            except Unexpected as error:
                c.findings.append(error.finding)
                self._recover_item(start)
                continue
            if self.texts[c.i - 1] != _CLOSE:  # behind a body: the next item's
                items += self._comments_inside()
            items += found

    def _item(self, text: str) -> Sequence[ModuleItem]:
        c = self.c
        linkage = None
        if text in _LINKAGE:
            c.i += 1
            linkage = text[1:]
            text = self.texts[c.i]
        if text in (".entry", ".func"):
            return self._function(linkage)
        if text in _DECLARES:
            return variables(c, linkage)
        if linkage is not None:
            raise c.unexpected(f"a variable, .entry or .func after .{linkage}")
        if text == ".pragma":
            return (pragma(c),)
        if text == ".file":
            return (file(c),)
        if text == ".section":
            comments = self._comments_before(c.i + 2)
            found = section(c)
            self._comments_before(c.i - 1)  # those inside are in the section's text
            return (*comments, found)
        if text == _INTERMEDIATE:
            source = intermediate_source(c)
            return (*self._comments_before(c.i - 1), source)
        if text == ".alias":
            return (alias(c),)
        if text == ".reg":
            raise c.unexpected("registers inside a function", code="PTX106", message=".reg outside a function")
        if text == _CLOSE:
            raise c.unexpected("a function or a variable", code="PTX104", message="'}' closes nothing")
        if text == "@" and self.texts[c.i + 1 : c.i + 3] == ["@", "DWARF"]:
            raise c.unexpected(".section", code="PTX106", message="@@DWARF ended with PTX 2.0", hint="use .section")
        if text[0] == ".":
            raise c.unexpected(
                "a function, a variable or a directive of a module", code="PTX106",
                message=f"unknown or misplaced directive {text}", hint=nearest(text, _ITEMS),
            )  # fmt: skip
        raise c.unexpected("a function, a variable or a directive of a module", at=c.i)

    def _recover_item(self, start: int) -> None:
        """Go to the end of the item that failed, or to the next line that begins one."""
        c, depth = self.c, 0
        i = start
        if self.texts[start][0] != ".":  # a body's statements behind a '}' too many: one finding is enough
            while self.texts[i] != END and not (self.texts[i] in _SURE_ITEMS and c.tokens.starts_line(i)):
                i += 1
            c.i = i
            return
        while self.texts[i] != END:
            text = self.texts[i]
            if text == _OPEN:
                depth += 1
            elif text == _CLOSE:
                depth -= 1
                if depth <= 0 and i >= c.i:
                    c.i = i + 1
                    return
            elif i >= c.i and depth <= 0:
                if text == ";":
                    c.i = i + 1
                    return
                if i > start and text in _ITEMS and c.tokens.starts_line(i):
                    break
            i += 1
        c.i = i

    # Functions.

    def _function(self, linkage: str | None) -> Sequence[ModuleItem]:
        """A function, and before it the comments of its header."""
        c = self.c
        comments: list[Comment] = []
        source = c.source(c.i)
        is_entry = self.texts[c.i] == ".entry"
        c.i += 1
        c.scope.enter()
        try:
            attributes = attribute_list(c) if self.texts[c.i] == ".attribute" else ()
            spaces = frozenset((".param",)) if is_entry else _PARAMETER_SPACES
            results: tuple[Variable, ...] = ()
            if self.texts[c.i] == "(":
                if is_entry:
                    raise c.unexpected("the name of the kernel", hint="a kernel returns nothing")
                results = parameters(c, spaces=spaces)
            name = c.expect_name("the name of the function")
            params = parameters(c, spaces=spaces) if self.texts[c.i] == "(" else ()
            directives = function_directives(c, frozenset() if is_entry else _NEXT_ITEM)
            for variable in (*results, *params):
                c.scope.variable(variable)
            body = None
            if self.texts[c.i] == _OPEN:
                comments = self._comments_before(c.i)
                body = self._block()
            elif is_entry or self.texts[c.i] not in _NEXT_ITEM:  # old compilers end a prototype with nothing
                c.expect_semicolon("'{', a directive or ")
        finally:
            c.scope.leave()
        c.scope.symbol(name)
        function = Function(
            name,
            is_entry=is_entry,
            parameters=params,
            results=results,
            linkage=linkage,
            directives=directives,
            attributes=attributes,
            body=body,
            source=source,
        )
        return (*comments, function)

    def _block(self, depth: int = 1) -> Block:
        """`{ statements }`; findings inside are noted, and the block goes on to its own end."""
        c, texts = self.c, self.texts
        opening = c.i
        if depth > NESTED:
            raise _TooDeep(
                c.unexpected(
                    f"at most {NESTED} levels of '{{'", at=c.i, code="PTX111", message="nested too deeply"
                ).finding
            )
        c.i += 1
        statements: list[Statement] = []
        comments = c.tokens.comments
        while True:
            start = c.i
            if self.comments < len(comments) and comments[self.comments][0] <= start:
                statements += self._comments_before(start)
            text = texts[start]
            if text == _CLOSE:
                c.i += 1
                return Block(statements)
            if text == END or text in (".entry", ".func"):
                raise c.unexpected(
                    "'}'", at=opening, code="PTX104", message="'{' is never closed",
                    hint=f"{describe(text)} comes at line {c.tokens.line(c.tokens.starts[start])}",
                )  # fmt: skip
            try:
                if texts[start + 1] == ":" and is_name(text):
                    statements.append(self._label())
                elif text[0].isalpha() or text == "@":
                    found = instruction(c)
                    if self.comments < len(comments) and comments[self.comments][0] <= c.i:
                        statements += self._comments_inside()
                    statements.append(found)
                elif text == _OPEN:
                    c.scope.enter()
                    try:
                        statements.append(self._block(depth + 1))
                    finally:
                        c.scope.leave()
                else:
                    statements += self._directive(text)
            except Unexpected as error:
                if error.finding.code == "PTX104" or isinstance(error, _TooDeep):
                    raise
                c.findings.append(error.finding)
                self._recover_statement(start)

    def _label(self) -> Statement:
        """`name:`, or a list of targets or a prototype under a name."""
        c = self.c
        source = c.source(c.i)
        name = c.expect_name("the name of a label")
        c.i += 1
        if self.texts[c.i] in (".branchtargets", ".calltargets", ".callprototype"):
            return targets_or_prototype(c, name, source)
        return Label(name, source)

    def _directive(self, text: str) -> Sequence[Statement]:
        c = self.c
        found: Sequence[Statement]
        if text == ".reg":
            found = registers(c)
        elif text in _DECLARES:
            found = variables(c)
        elif text in (".loc", ".loc_intermediate"):
            found = (line(c),)
        elif text == ".pragma":
            found = (pragma(c),)
        else:
            raise self._not_a_statement(text)
        return (*self._comments_inside(), *found)

    def _not_a_statement(self, text: str) -> Unexpected:
        c = self.c
        if text in (".branchtargets", ".calltargets", ".callprototype"):
            return c.unexpected("a label before it", hint=f"name: {text} ...;")
        if text in _ITEMS or text in head_directives():
            where = "outside functions" if text in _ITEMS else "between a function's parameters and its '{'"
            return c.unexpected("a statement", code="PTX106", message=f"{text} stands in a body; it belongs {where}")
        if text[0] == "." and len(text) > 1:
            known = (*STATEMENT_DIRECTIVES, ".branchtargets", ".calltargets", ".callprototype")
            return c.unexpected(
                "a statement", code="PTX106", message=f"unknown directive {text}", hint=nearest(text, known)
            )
        hint = "PTX has no empty statement" if text == ";" else None
        return c.unexpected("a statement: instruction, label, declaration or {scope}", at=c.i, hint=hint)

    def _recover_statement(self, start: int) -> None:
        """Go behind the `;` of the statement that failed, to the start of the next one, or to the end of the block."""
        c, texts = self.c, self.texts
        depth = texts[start : c.i].count(_OPEN) - texts[start : c.i].count(_CLOSE)
        if c.i > start and depth <= 0 and c.begins_statement(c.i):
            return
        while texts[c.i] != END:
            text = texts[c.i]
            if text == ";":
                c.i += 1
                return
            if text == _OPEN:
                depth += 1
            elif text == _CLOSE:
                if depth <= 0:
                    return
                depth -= 1
            elif c.i > start and c.tokens.starts_line(c.i) and (c.begins_statement(c.i) or text in _ITEMS):
                return
            c.i += 1

    # Comments.

    def _comments_before(self, index: int) -> list[Comment]:
        """The comments up to token `index` that the ir does not have yet."""
        return self._take(index, -1)

    def _comments_inside(self) -> list[Comment]:
        """The comments inside the statement just read, and the one behind it on its line."""
        c = self.c
        return self._take(c.i - 1, c.tokens.line(c.tokens.starts[c.i - 1]))

    def _take(self, index: int, line: int) -> list[Comment]:
        c, found = self.c, []
        for before, offset, text in c.tokens.comments[self.comments :]:
            if before > index and (before > index + 1 or c.tokens.line(offset) != line):
                break
            found.append(Comment(_comment_text(text)))
            self.comments += 1
        return found


def _comment_text(text: str) -> str:
    """Without the marks and the one space that the printer puts beside them."""
    if text[1] == "/":
        text = text[2:].rstrip("\r")
        return text[1:] if text[:1] == " " else text
    text = text[2:-2].replace("\r\n", "\n")
    text = text[1:] if text[:1] == " " else text
    return text[:-1] if text[-1:] == " " else text
