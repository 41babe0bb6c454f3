"""ir -> PTX text. Same ir, same bytes; what the parser reads back is equal to what was printed.

One statement a line, bodies indented by tabs, labels in the first column of their scope. Floating immediates print
as their bits (manual 4.5.2), so that infinities and NaN payloads survive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.ir import (
    Address,
    Alias,
    Arguments,
    Block,
    BranchTargets,
    CallPrototype,
    CallTargets,
    Comment,
    Directive,
    Element,
    FileDirective,
    Function,
    Generic,
    Immediate,
    Instruction,
    IntermediateSource,
    Label,
    LineDirective,
    Masked,
    Module,
    Negated,
    Not,
    Pair,
    Pragma,
    Register,
    RegisterDeclaration,
    Section,
    Sink,
    Special,
    Sum,
    Symbol,
    Variable,
    Vector,
)
from ptxgen.isa.targets import ADDRESS_SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ptxgen.ir import Initializer, ModuleItem, Operand, Statement

    Item = ModuleItem | Statement

__all__ = [
    "format_head",
    "format_instruction",
    "format_operand",
    "format_statement",
    "print_module",
    "print_with_lines",
]


# Operands (manual chapter 6): one function for each class, found by exact type.


def _named(operand: Register | Special) -> str:
    return operand.name


def _element(operand: Element) -> str:
    return f"{operand.base.name}.{operand.name}"


def _immediate(operand: Immediate) -> str:
    kind = operand.kind
    if kind == "int":
        return str(operand.value)
    return f"0f{operand.value:08X}" if kind == "f32" else f"0d{operand.value:016X}"


def _symbol(operand: Symbol) -> str:
    return f"{operand.name}+{operand.offset}" if operand.is_sum else operand.name


def _address(operand: Address) -> str:
    base = operand.base
    text = base.name if type(base) is Register else format_operand(base)
    if operand.offset or operand.zero:
        text = f"{text}+{operand.offset}"
    if operand.handle:
        return f"[{text}, {format_operands(operand.coordinates)}]"
    return f"[{text}, {_coordinates(operand.coordinates)}]" if operand.coordinates else f"[{text}]"


def _coordinates(operands: tuple[Operand, ...]) -> str:
    """`{x, y}`; with more before them, as in `[texture, sampler, {x, y}]`, they are a Vector of their own."""
    text = format_operands(operands)
    return text if any(type(operand) is Vector for operand in operands) else f"{{{text}}}"


def _vector(operand: Vector) -> str:
    return f"{{{format_operands(operand.elements)}}}"


def _arguments(operand: Arguments) -> str:
    return f"({format_operands(operand.elements)})"


def _pair(operand: Pair) -> str:
    return f"{format_operand(operand.first)}|{format_operand(operand.second)}"


def _not(operand: Not) -> str:
    return f"!{format_operand(operand.operand)}"


def _sink(_: Sink) -> str:
    return "_"


_OPERAND: dict[type, Callable[[Any], str]] = {
    Register: _named,
    Special: _named,
    Element: _element,
    Immediate: _immediate,
    Symbol: _symbol,
    Address: _address,
    Vector: _vector,
    Arguments: _arguments,
    Pair: _pair,
    Not: _not,
    Negated: lambda o: f"-{format_operand(o.operand)}",
    Sum: lambda o: f"{format_operand(o.operand)}+{o.offset}",
    Sink: _sink,
}


def format_operand(operand: Operand) -> str:
    """One operand as PTX: `%r1`, `[%rd1+8]`, `{%f1, %f2}`, `0f3F800000`."""
    try:
        return _OPERAND[type(operand)](operand)
    except KeyError:
        raise TypeError(f"not an operand: {operand!r}; expected one of ptxgen.ir's operand classes") from None


def format_operands(operands: Iterable[Operand]) -> str:
    """Operands separated by commas, without brackets of any kind."""
    try:
        return ", ".join([o.name if type(o) is Register else _OPERAND[type(o)](o) for o in operands])
    except KeyError:
        return ", ".join([format_operand(o) for o in operands])  # which says what is no operand


def format_instruction(instruction: Instruction, indent: str = "") -> str:
    """One instruction on one line, with its guard and semicolon: `@!%p1 bra DONE;`."""
    pred = instruction.pred
    if pred is not None:
        indent = f"{indent}@{format_operand(pred)} "
    try:
        operands = ", ".join([o.name if type(o) is Register else _OPERAND[type(o)](o) for o in instruction.operands])
    except KeyError:
        operands = format_operands(instruction.operands)  # which says what is no operand
    return f"{indent}{instruction.op} {operands};" if operands else f"{indent}{instruction.op};"


# Declarations (manual chapter 5).


def _initializer(value: Initializer, *, opaque: bool = False) -> str:
    if isinstance(value, tuple):
        if opaque and len(value) == 2 and isinstance(value[0], Symbol):  # a field of a sampler or a texture
            return f"{_initializer(value[0])} = {_initializer(value[1])}"
        return f"{{{', '.join([_initializer(element, opaque=opaque) for element in value])}}}"
    if isinstance(value, Masked):
        return f"0x{value.mask:X}({_initializer(value.symbol)})"
    if isinstance(value, Generic):
        offset = value.symbol.offset
        return f"generic({value.symbol.name})" + (f"+{offset}" if offset else "")
    return format_operand(value)


def _attributes(attributes: tuple[str, ...]) -> str:
    return f" .attribute({', '.join(['.' + text for text in attributes])})" if attributes else ""


def _declaration(v: Variable) -> str:
    """A variable or a parameter, without semicolon."""
    text = f".{v.linkage} .{v.space}" if v.linkage else f".{v.space}"
    if v.attributes:
        text += _attributes(v.attributes)
    if v.align is not None:
        text += f" .align {v.align}"
    text += f" .v{v.vector} .{v.type.name}" if v.vector != 1 else f" .{v.type.name}"
    if v.pointer is not None:
        space, align = v.pointer
        text += " .ptr" + (f" .{space}" if space else "") + (f" .align {align}" if align is not None else "")
    text += f" {v.name}"
    for extent in v.shape:
        text += "[]" if extent is None else f"[{extent}]"
    if v.init is not None:
        text += f" = {_initializer(v.init, opaque=v.type.kind == 'o')}"
    return text


def _quoted(texts: Iterable[object]) -> str:
    return ", ".join([f'"{text}"' for text in texts])


def _directive(d: Directive) -> str:
    if d.name == "pragma":
        return f".pragma {_quoted(d.arguments)};"
    arguments = ", ".join([f'"{a}"' if isinstance(a, str) else str(a) for a in d.arguments])
    return f".{d.name} {arguments}" if arguments else f".{d.name}"


def _signature(variables: tuple[Variable, ...]) -> str:
    return f"({', '.join([_declaration(v) for v in variables])})"


# Statements: each function gives the lines of one statement, not indented.


def _register_declaration(s: RegisterDeclaration) -> str:
    vector = f".v{s.vector} " if s.vector != 1 else ""
    count = "" if s.count is None else f"<{s.count}>"
    return f".reg {vector}.{s.type.name} {', '.join([name + count for name in s.names])};"


def _variable(v: Variable) -> str:
    return _declaration(v) + ";"


def _comment(s: Comment) -> str:
    text = s.text
    if "\n" in text:
        # A comment that holds the mark of its own end is printed line by line.
        return f"/* {text} */" if "*/" not in text else "\n".join(["// " + line for line in text.split("\n")])
    return f"// {text}" if text else "//"


def _pragma(s: Pragma) -> str:
    return f".pragma {_quoted(s.texts)};"


def _line(s: LineDirective) -> str:
    name = ".loc_intermediate" if s.intermediate else ".loc"
    return f"{name} {s.file} {s.line} {s.column}" + (f", {s.inlined}" if s.inlined else "")


def _branch_targets(s: BranchTargets) -> str:
    return f"{s.name}: .branchtargets {', '.join(s.labels)};"


def _call_targets(s: CallTargets) -> str:
    return f"{s.name}: .calltargets {', '.join(s.functions)};"


def _call_prototype(s: CallPrototype) -> str:
    results = f"{_signature(s.results)} " if s.results else ""
    parameters = f" {_signature(s.parameters)}" if s.parameters else ""
    directives = "".join([f" {_directive(d)}" for d in s.directives])
    return f"{s.name}: .callprototype {results}_{parameters}{directives};"


def _file(s: FileDirective) -> str:
    tail = "" if s.timestamp is None and s.size is None else f", {s.timestamp or 0}, {s.size or 0}"
    return f'.file {s.index} "{s.name}"{tail}'


def _alias(s: Alias) -> str:
    return f".alias {s.name}, {s.aliasee};"


def _section(s: Section) -> str:
    return "\n".join([f".section .{s.name}", "{", *["\t" + line for line in s.lines], "}"])


def _intermediate_source(s: IntermediateSource) -> str:
    lines = [".nv_intermediate_source_section {"]
    for block in s.blocks:
        lines += [
            "\t.code_block {",
            f'\t\t.ir_name: "{block.ir_name}"',
            f"\t\t.sourceFileName: {block.file}",
            "\t\t.source_begin",
            *block.lines,
            "\t\t.source_end",
            "\t}",
        ]
    return "\n".join([*lines, "}"])


_STATEMENT: dict[type, Callable[[Any], str]] = {
    Instruction: format_instruction,
    RegisterDeclaration: _register_declaration,
    Variable: _variable,
    Comment: _comment,
    Pragma: _pragma,
    LineDirective: _line,
    BranchTargets: _branch_targets,
    CallTargets: _call_targets,
    CallPrototype: _call_prototype,
    FileDirective: _file,
    Alias: _alias,
    Section: _section,
    IntermediateSource: _intermediate_source,
}


class _Output:
    """The lines so far and, when `items` is a list, the ir item on each of them."""

    __slots__ = ("items", "lines")

    def __init__(self, items: list[Item | None] | None) -> None:
        self.lines: list[str] = []
        self.items = items

    def claim(self, item: Item | None) -> None:
        """The lines added since the last call belong to `item`."""
        if self.items is not None:
            self.items += [item] * (len(self.lines) - len(self.items))


def _body(block: Block, out: _Output, owner: Item, indent: str) -> None:
    lines, items = out.lines, out.items
    inner = indent + "\t"
    lines.append(indent + "{")
    out.claim(owner)
    for s in block.statements:
        if isinstance(s, Instruction):
            lines.append(format_instruction(s, inner))
            if items is not None:
                items.append(s)
            continue
        if isinstance(s, Label):
            lines.append(f"{indent}{s.name}:")
        elif isinstance(s, Block):
            _body(s, out, s, inner)
        elif isinstance(s, Comment):
            lines += (inner + _comment(s)).split("\n")
        else:
            lines.append(inner + format_statement(s))
        if items is not None:
            out.claim(s)
    lines.append(indent + "}")
    out.claim(owner)


def format_statement(statement: Item) -> str:
    """One statement or item of a module that has no body, as it is printed."""
    try:
        return _STATEMENT[type(statement)](statement)
    except KeyError:
        raise TypeError(f"not a statement: {statement!r}; expected one of ptxgen.ir's statement classes") from None


def _function(f: Function, out: _Output) -> None:
    lines = out.lines
    linkage = f".{f.linkage} " if f.linkage else ""
    head = f"{linkage}{'.entry' if f.is_entry else '.func'}{_attributes(f.attributes)} "
    if f.results:
        head += _signature(f.results) + " "
    if f.parameters:
        lines.append(f"{head}{f.name}(")
        lines += [f"\t{_declaration(v)}," for v in f.parameters]
        lines[-1] = lines[-1][:-1]
        lines.append(")")
    else:
        lines.append(f"{head}{f.name}()")
    lines += [_directive(d) for d in f.directives]
    if f.body is None:
        lines[-1] += ";"
        out.claim(f)
    else:
        _body(f.body, out, f, "")


def format_head(module: Module) -> str:
    """The lines that a module's text begins with: all that depends on its version."""
    major, minor = module.version
    head = f".version {major}.{minor}\n.target {', '.join([module.target, *module.target_options])}"
    if module.version >= ADDRESS_SIZE or module.address_size != 64:
        head += f"\n.address_size {module.address_size}"
    return head


def _module(module: Module, out: _Output) -> None:
    out.lines += format_head(module).split("\n")
    previous: Item | None = None
    for item in module.items:
        # Neighbours of one kind stay together, and so do a comment and what it is about.
        together = type(item) is type(previous) and not isinstance(item, (Function, Section, IntermediateSource))
        if not together and not isinstance(previous, Comment):
            out.lines.append("")
        out.claim(None)
        if isinstance(item, Function):
            _function(item, out)
        else:
            out.lines += format_statement(item).split("\n")
        out.claim(item)
        previous = item
    out.lines.append("")
    out.claim(None)


def print_module(module: Module) -> str:
    """The module's PTX text; what `str(module)` gives.

    Raises TypeError for an object that is not ir.
    """
    out = _Output(None)
    _module(module, out)
    return "\n".join(out.lines)


def print_with_lines(module: Module) -> tuple[str, list[Item | None]]:
    """The PTX text and, for each of its lines, the ir item on it (None for blank lines and the header).

    Line n of an assembler's message is `items[n - 1]`, whose `source` says where it was written. The lines of a
    function's header and its braces belong to the function, those of a nested scope's braces to its Block.
    """
    items: list[Item | None] = []
    out = _Output(items)
    _module(module, out)
    return "\n".join(out.lines), items[:-1]


Module.printer = print_module
