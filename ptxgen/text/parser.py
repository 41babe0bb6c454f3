"""PTX text -> ir: modules, functions, bodies, and going on after an error (manual chapters 4, 5, 7 and 11).

What is refused here is what an assembler calls a syntax error; unknown names, wrong types and forms that do not exist
are left to the verifier. Comments are kept: one behind or inside a statement moves to the line before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.errors import PtxError, PtxSyntaxError
from ptxgen.ir import Block, Comment, Function, Instruction, Label, Module, SourceText
from ptxgen.isa.directives import head_directives
from ptxgen.isa.targets import LATEST
from ptxgen.text.bounds import NESTED
from ptxgen.text.common_statements import Opened, common_statements
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
from ptxgen.text.lexer import END, comment_text
from ptxgen.text.operands import instruction

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.errors import Diagnostic, Location
    from ptxgen.ir import ModuleItem, Statement, Variable
    from ptxgen.text.parts import Parts

__all__ = ["OPEN_COMMENT", "Parser", "nested_too_deeply", "parse", "read"]

_LINKAGE = frozenset((".extern", ".visible", ".weak", ".common"))
_DECLARES = frozenset((*SPACES, ".align", ".attribute"))
_INTERMEDIATE = ".nv_intermediate_source_section"
_ITEMS = frozenset((*_LINKAGE, *_DECLARES, ".entry", ".func", ".pragma", ".file", ".section", ".alias", _INTERMEDIATE))
_SURE_ITEMS = _ITEMS - {".shared", ".local", ".param", ".tex", ".align", ".attribute", ".pragma"}
"""What begins an item and is not seen in bodies."""
_NEXT_ITEM = _ITEMS - {".pragma"} | {END}
"""What ends a prototype of `.func` that has no ';', as compilers before CUDA 4 wrote them. Assemblers take it, of .func alone."""

OPEN_COMMENT = "the comment has no end"
"""The message about a comment that goes on to the end of the text."""

_PARAMETER_SPACES = frozenset((".param", ".reg"))
_OPEN, _CLOSE = "{", "}"

Read = TypeVar("Read")


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
    text: str, name: str = "<ptx>", *, template: Sequence[Location] | None = None, common: bool = True
) -> tuple[Module, list[Diagnostic]]:
    """The module of what can be read of the text, and every syntax error, in the text's order.

    What is wrong is not in the module: a statement, or the whole of a function whose braces do not match. Without `common`
    all is read by the general parser: the same, more slowly.
    """
    c = Cursor(SourceText(text, name, template), common=common)
    parser = Parser(c)
    try:
        parser.read_module()
    except RecursionError:
        nested_too_deeply(c)
    c.findings.sort(key=lambda finding: finding.locations[0].line)
    return parser.module, c.findings


def nested_too_deeply(c: Cursor) -> None:
    """Note that Python's stack did not suffice for what the cursor is at."""
    what = "nested too deeply"
    while c.i >= len(c.texts):
        c.tokens.read_on()
    c.findings.append(c.unexpected("fewer nested braces or parentheses", at=c.i, message=what).finding)


class _TooDeep(Unexpected):
    """Too many '{' are open: nothing more is said of the body."""


class Parser:
    """Statements and items; where the cursor allows it, what `common_statements` recognises is left to it.

    `parts`, where there are some, are told where a part of the text may end, and say where the rest is known.
    """

    __slots__ = ("c", "module", "parts", "texts")

    def __init__(self, cursor: Cursor, *, parts: Parts | None = None) -> None:
        self.c: Cursor = cursor
        self.parts: Parts | None = parts
        self.texts: list[str] = cursor.texts
        self.module: Module = Module(LATEST, "", name=cursor.whole.name)

    def _complete(self, read: Callable[..., Read], *arguments: Any) -> Read:
        """What `read` reads, an item or a statement, once all its tokens are there."""
        c = self.c
        mark = c.mark()
        while True:
            try:
                return read(*arguments)
            except IndexError:
                if not c.tokens.read_on():
                    raise
                c.back(mark)

    # Modules.

    def read_module(self) -> None:
        c, module = self.c, self.module
        module.version, module.target, module.target_options, module.address_size = self._complete(header, c)
        self.read_items()

    def read_items(self) -> None:
        """The items up to the end of the text, or to where the rest is known."""
        c, module = self.c, self.module
        while True:
            if self.parts is not None and self._known(self.parts):
                return
            found = self._complete(self._next_item)
            if found is None:
                break
            module.items += found
        while c.tokens.read_on():  # behind a character 0, which ends a module
            pass
        for _, offset, text in c.tokens.comments:
            if text[:2] == "/*" and (len(text) < 4 or text[-2:] != "*/"):
                c.findings.insert(0, c.finding("PTX101", OPEN_COMMENT, offset=offset, expected="'*/'"))

    def _known(self, parts: Parts) -> bool:
        """Tell the parts where an item may begin; is the rest known?"""
        c = self.c
        if (
            parts.done is None and c.i and self.texts[c.i - 1] in (";", _CLOSE)
        ):  # behind others, it may need what follows
            offset = c.line_behind()
            if offset is not None:
                parts.item(offset, len(self.module.items))
        parts.begin_item(len(self.module.items))
        return parts.done is not None

    def rest_of_function(self, function: Function, statements: list[Statement]) -> Function:
        """A function whose body has these statements so far, from the current place on. Raises Unexpected."""
        c = self.c
        body = self._rest_of_block(statements, 1, c.tokens.end)
        c.scope.leave()
        c.scope.symbol(function.name)
        made = Function(function.name, is_entry=function.is_entry, body=body)
        for name in Function.__slots__:
            if name != "body":
                setattr(made, name, getattr(function, name))
        return made

    def _next_item(self) -> list[ModuleItem] | None:
        """The next item with the comments before it; None at the end of the text."""
        c = self.c
        items: list[ModuleItem] = [*self._comments_before(c.i)]
        text = self.texts[c.i]
        if text == END:
            if items:
                self.module.items += items
            return None
        start = c.tokens.starts[c.i]
        try:
            found = self._item(text)
        except Unexpected as error:
            c.findings.append(error.finding)
            self._recover_item(start)
            if self.parts is not None:
                self.parts.failed()
            return items
        if self.texts[c.i - 1] != _CLOSE:  # behind a body: the next item's
            items += self._comments_inside()
        items += found
        return items

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
        """Go to the end of the item that failed, or to the next line that begins one; `start` is its offset."""
        c = self.c
        while c.i >= len(self.texts):
            c.tokens.read_on()
        failed = c.tokens.starts[c.i]
        c.seek(start)
        while True:
            try:
                c.i = self._end_of_item(c.tokens.index(start), c.tokens.index(failed))
                break
            except IndexError:
                if not c.tokens.read_on():
                    raise
        c.count_taken()

    def _end_of_item(self, start: int, failed: int) -> int:
        c, depth = self.c, 0
        i = start
        if self.texts[start][0] != ".":  # a body's statements behind a '}' too many: one finding is enough
            while self.texts[i] != END and not (self.texts[i] in _SURE_ITEMS and c.tokens.starts_line(i)):
                i += 1
            return i
        while self.texts[i] != END:
            text = self.texts[i]
            if text == _OPEN:
                depth += 1
            elif text == _CLOSE:
                depth -= 1
                if depth <= 0 and i >= failed:
                    return i + 1
            elif i >= failed and depth <= 0:
                if text == ";":
                    return i + 1
                if i > start and text in _ITEMS and c.tokens.starts_line(i):
                    break
            i += 1
        return i

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
        c = self.c
        opening = c.tokens.starts[c.i]
        if depth > NESTED:
            raise _TooDeep(
                c.unexpected(
                    f"at most {NESTED} levels of '{{'", at=c.i, code="PTX111", message="nested too deeply"
                ).finding
            )
        c.i += 1
        return self._rest_of_block([], depth, opening)

    def _rest_of_block(self, statements: list[Statement], depth: int, opening: int) -> Block:
        while True:
            if self.c.common and self._common(statements, depth):
                return Block(statements)
            found = self._complete(self._statements, depth, opening)
            if found is None:
                return Block(statements)
            statements += found

    def _common(self, statements: list[Statement], depth: int) -> bool:
        """Read the common statements on the next lines, if the rest of this one is blank. Is the rest of the block known?"""
        c = self.c
        at = c.line_behind()
        if at is None:
            return False
        parts, source = self.parts if depth == 1 else None, c.tokens.source
        begin = at
        while True:
            end = len(source) if parts is None else parts.limit(at)
            at, opened = common_statements(c, at, end, statements, depth)
            if opened:
                self._rest_of_blocks(opened, at, depth)
                return False
            if parts is not None and at > begin and isinstance(statements[-1], Instruction) and source[at - 1] == "\n":
                parts.body(at, len(statements))
                if parts.done is not None:
                    statements += parts.rest()
                    return True
            if at < end or at == len(source):
                break
        if at > begin:
            c.taken_to = at
            c.seek(at)
        return False

    def _rest_of_blocks(self, opened: Opened, at: int, depth: int) -> None:
        """Go on at an offset inside blocks of which the common statements are read."""
        c = self.c
        c.taken_to = at
        c.seek(at)
        left = len(opened)
        try:
            for statements, opening in reversed(opened):
                self._rest_of_block(statements, depth + left, opening)
                c.scope.leave()
                left -= 1
        finally:
            for _ in range(left):
                c.scope.leave()

    def _statements(self, depth: int, opening: int) -> list[Statement] | None:
        """The next statement, or nothing where it is wrong, with its comments; None behind the '}' of the block."""
        c, texts = self.c, self.texts
        start = c.i
        found: list[Statement] = [*self._comments_before(start)]
        text = texts[start]
        if text == _CLOSE:
            if found:
                return found
            c.i += 1
            return None
        if text == END or text in (".entry", ".func"):
            line = c.whole.line(c.tokens.starts[start])
            hint = f"{describe(text)} comes at line {line}"
            raise Unexpected(c.finding("PTX104", "'{' is never closed", offset=opening, expected="'}'", hint=hint))
        try:
            if texts[start + 1] == ":" and is_name(text):
                found.append(self._label())
            elif text[0].isalpha() or text == "@":
                made = instruction(c)
                found += self._comments_inside()
                found.append(made)
            elif text == _OPEN:
                c.scope.enter()
                try:
                    found.append(self._block(depth + 1))
                finally:
                    c.scope.leave()
            else:
                found += self._directive(text)
        except Unexpected as error:
            if error.finding.code == "PTX104" or isinstance(error, _TooDeep):
                raise
            c.findings.append(error.finding)
            self._recover_statement(start)
        return found

    def _label(self) -> Statement:
        """`name:`, or a list of targets or a prototype under a name."""
        c = self.c
        source = c.source(c.i)
        name = self.texts[c.i]
        if "." in name:
            raise c.unexpected("the name of a label", at=c.i)
        c.i += 2
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
            return c.unexpected("a label before it", at=c.i, hint=f"name: {text} ...;")
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
        return self._take(index, None)

    def _comments_inside(self) -> list[Comment]:
        """The comments inside the statement just read, and the one behind it on its line."""
        c = self.c
        if c.taken == len(c.tokens.comments):
            return []
        return self._take(c.i - 1, c.tokens.starts[c.i - 1])

    def _take(self, index: int, line: int | None) -> list[Comment]:
        """Those before the token behind `index` too that stand on the line of the offset `line`."""
        c, found = self.c, []
        for before, offset, text in c.tokens.comments[c.taken :]:
            if before > index and (before > index + 1 or line is None or "\n" in c.tokens.source[line:offset]):
                break
            found.append(Comment(comment_text(text)))
            c.taken += 1
            c.taken_to = offset + len(text)
        return found
