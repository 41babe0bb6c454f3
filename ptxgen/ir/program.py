"""What PTX text can say, as slotted classes: modules, functions, variables, statements (manual chapters 4, 5, 11).

Everything keeps its declaration order; names in strings have no leading dots ("global", "visible", "maxntid").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Union

from ptxgen.ir.node import Node
from ptxgen.ir.operands import Immediate, Not, Operand, Register, Symbol
from ptxgen.isa.types import ScalarType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ptxgen.ir.source import Source

__all__ = [
    "Alias",
    "Block",
    "BranchTargets",
    "CallPrototype",
    "CallTargets",
    "CodeBlock",
    "Comment",
    "Directive",
    "FileDirective",
    "Function",
    "Initializer",
    "Instruction",
    "IntermediateSource",
    "Label",
    "LineDirective",
    "Masked",
    "Module",
    "ModuleItem",
    "Pragma",
    "RegisterDeclaration",
    "Section",
    "Statement",
    "Variable",
]


class Masked(Node):
    """An initialiser `mask(symbol)`: one byte of an address (manual 5.4.4), of a generic one where that is Generic."""

    __slots__ = ("mask", "symbol")
    _fields = ("mask", "symbol")

    def __init__(self, mask: int, symbol: Symbol | Generic) -> None:
        self.mask: int = mask
        self.symbol: Symbol | Generic = symbol


class Generic(Node):
    """An initialiser `generic(symbol)`: the generic address of a variable."""

    __slots__ = ("symbol",)
    _fields = ("symbol",)

    def __init__(self, symbol: Symbol) -> None:
        self.symbol: Symbol = symbol


Initializer = Union[Immediate, Symbol, Masked, Generic, "tuple[Initializer, ...]"]


class Variable(Node):
    """A variable of any state space but .reg, or a parameter of a function.

    `shape` is () for a scalar; an entry None is an unsized dimension `[]`. `linkage`: "visible", "extern", "weak", "common".
    A pointer parameter carries `.ptr` as `pointer` = (state space or "", alignment or None).
    `attributes` are texts such as "managed" or "unified(1, 2)".
    """

    __slots__ = (
        "align", "attributes", "init", "linkage", "name", "pointer", "shape", "source", "space", "type", "vector",
    )  # fmt: skip
    _fields = ("space", "type", "name", "shape", "vector", "align", "init", "linkage", "attributes", "pointer")

    def __init__(
        self,
        space: str,
        type: ScalarType,
        name: str,
        *,
        shape: tuple[int | None, ...] = (),
        vector: int = 1,
        align: int | None = None,
        init: Initializer | None = None,
        linkage: str | None = None,
        attributes: tuple[str, ...] = (),
        pointer: tuple[str, int | None] | None = None,
        source: Source | None = None,
    ) -> None:
        self.space: str = space
        self.type: ScalarType = type
        self.name: str = name
        self.shape: tuple[int | None, ...] = shape
        self.vector: int = vector
        self.align: int | None = align
        self.init: Initializer | None = init
        self.linkage: str | None = linkage
        self.attributes: tuple[str, ...] = attributes
        self.pointer: tuple[str, int | None] | None = pointer
        self.source: Source | None = source

    @property
    def alignment(self) -> int:
        """Bytes: the stated `.align`, else the natural alignment of the type (manual 5.4.5)."""
        return self.align or self.type.bytes * self.vector

    @property
    def size(self) -> int:
        """Bytes; an unsized array has none, unless its initialiser says."""
        count = 1
        for extent in self.shape:
            count *= len(self.init) if extent is None and isinstance(self.init, tuple) else (extent or 0)
        return self.type.bytes * self.vector * count


class RegisterDeclaration(Node):
    """`.reg .f32 a, b;`, or `.reg .f32 %f<9>;` with names ("%f",) and count 9. `vector` is 2 or 4 for `.v2`, `.v4`."""

    __slots__ = ("count", "names", "source", "type", "vector")
    _fields = ("type", "names", "count", "vector")

    def __init__(
        self,
        type: ScalarType,
        names: tuple[str, ...],
        count: int | None = None,
        vector: int = 1,
        source: Source | None = None,
    ) -> None:
        self.type: ScalarType = type
        self.names: tuple[str, ...] = names
        self.count: int | None = count
        self.vector: int = vector
        self.source: Source | None = source


class Instruction(Node):
    """One instruction: `op` is the whole dotted name ("ld.global.v4.f32"), `pred` the guard: a register, or Not of one.

    A guard that nobody declared is a Symbol.
    """

    __slots__ = ("op", "operands", "pred", "source")
    _fields = ("op", "operands", "pred")

    def __init__(
        self,
        op: str,
        operands: tuple[Operand, ...] = (),
        pred: Register | Symbol | Not | None = None,
        source: Source | None = None,
    ) -> None:
        self.op: str = op
        self.operands: tuple[Operand, ...] = operands
        self.pred: Register | Symbol | Not | None = pred
        self.source: Source | None = source

    @property
    def opcode(self) -> str:
        """The part before the first dot."""
        return self.op.partition(".")[0]

    @property
    def modifiers(self) -> tuple[str, ...]:
        """The parts after the opcode."""
        return tuple(self.op.split(".")[1:])


class Label(Node):
    __slots__ = ("name", "source")
    _fields = ("name",)

    def __init__(self, name: str, source: Source | None = None) -> None:
        self.name: str = name
        self.source: Source | None = source


class Comment(Node):
    """A comment on a line of its own; `text` has no comment marks and may have several lines."""

    __slots__ = ("text",)
    _fields = ("text",)

    def __init__(self, text: str) -> None:
        self.text: str = text


class Directive(Node):
    """A performance-tuning or other directive of a function: `.maxntid 256, 1, 1` is ("maxntid", (256, 1, 1))."""

    __slots__ = ("arguments", "name", "source")
    _fields = ("name", "arguments")

    def __init__(self, name: str, arguments: tuple[int | str, ...] = (), source: Source | None = None) -> None:
        self.name: str = name
        self.arguments: tuple[int | str, ...] = arguments
        self.source: Source | None = source


class Pragma(Node):
    """`.pragma "a", "b";` in a module or a body."""

    __slots__ = ("source", "texts")
    _fields = ("texts",)

    def __init__(self, texts: tuple[str, ...], source: Source | None = None) -> None:
        self.texts: tuple[str, ...] = texts
        self.source: Source | None = source


class LineDirective(Node):
    """`.loc file line column {, function_name label{+offset}, inlined_at file line column}`; `inlined` is the tail's text.

    `intermediate`: it is a `.loc_intermediate`.
    """

    __slots__ = ("column", "file", "inlined", "intermediate", "line")
    _fields = ("file", "line", "column", "inlined", "intermediate")

    def __init__(
        self, file: int, line: int, column: int, inlined: str | None = None, *, intermediate: bool = False
    ) -> None:
        self.file: int = file
        self.line: int = line
        self.column: int = column
        self.inlined: str | None = inlined
        self.intermediate: bool = intermediate


class FileDirective(Node):
    """`.file index "name" {, timestamp, size}`."""

    __slots__ = ("index", "name", "size", "source", "timestamp")
    _fields = ("index", "name", "timestamp", "size")

    def __init__(
        self,
        index: int,
        name: str,
        timestamp: int | None = None,
        size: int | None = None,
        source: Source | None = None,
    ) -> None:
        self.index: int = index
        self.name: str = name
        self.timestamp: int | None = timestamp
        self.size: int | None = size
        self.source: Source | None = source


class Section(Node):
    """`.section name { lines }`: debugging data, kept as the text of its lines."""

    __slots__ = ("lines", "name")
    _fields = ("name", "lines")

    def __init__(self, name: str, lines: tuple[str, ...]) -> None:
        self.name: str = name
        self.lines: tuple[str, ...] = lines


class CodeBlock(Node):
    """`.code_block { .ir_name: "name" .sourceFileName: file .source_begin text .source_end }` of an intermediate language.

    `lines` are those of its text as they are, in whatever language: none may be `.source_end`.
    """

    __slots__ = ("file", "ir_name", "lines", "source")
    _fields = ("ir_name", "file", "lines")

    def __init__(self, ir_name: str, file: int, lines: tuple[str, ...], source: Source | None = None) -> None:
        self.ir_name: str = ir_name
        self.file: int = file
        self.lines: tuple[str, ...] = lines
        self.source: Source | None = source


class IntermediateSource(Node):
    """`.nv_intermediate_source_section { blocks }`: the text of what the module was compiled from (manual 11.5.6)."""

    __slots__ = ("blocks", "source")
    _fields = ("blocks",)

    def __init__(self, blocks: tuple[CodeBlock, ...], source: Source | None = None) -> None:
        self.blocks: tuple[CodeBlock, ...] = blocks
        self.source: Source | None = source


class Alias(Node):
    """`.alias name, aliasee;`."""

    __slots__ = ("aliasee", "name", "source")
    _fields = ("name", "aliasee")

    def __init__(self, name: str, aliasee: str, source: Source | None = None) -> None:
        self.name: str = name
        self.aliasee: str = aliasee
        self.source: Source | None = source


class BranchTargets(Node):
    """`name: .branchtargets a, b;` for brx.idx."""

    __slots__ = ("labels", "name", "source")
    _fields = ("name", "labels")

    def __init__(self, name: str, labels: tuple[str, ...], source: Source | None = None) -> None:
        self.name: str = name
        self.labels: tuple[str, ...] = labels
        self.source: Source | None = source


class CallTargets(Node):
    """`name: .calltargets f, g;` for indirect calls."""

    __slots__ = ("functions", "name", "source")
    _fields = ("name", "functions")

    def __init__(self, name: str, functions: tuple[str, ...], source: Source | None = None) -> None:
        self.name: str = name
        self.functions: tuple[str, ...] = functions
        self.source: Source | None = source


class CallPrototype(Node):
    """`name: .callprototype (results) _ (parameters) {.noreturn};`."""

    __slots__ = ("directives", "name", "parameters", "results", "source")
    _fields = ("name", "results", "parameters", "directives")

    def __init__(
        self,
        name: str,
        results: tuple[Variable, ...] = (),
        parameters: tuple[Variable, ...] = (),
        directives: tuple[Directive, ...] = (),
        source: Source | None = None,
    ) -> None:
        self.name: str = name
        self.results: tuple[Variable, ...] = results
        self.parameters: tuple[Variable, ...] = parameters
        self.directives: tuple[Directive, ...] = directives
        self.source: Source | None = source


class Block(Node):
    """A `{ ... }` scope: the body of a function, or one nested in it."""

    __slots__ = ("statements",)
    _fields = ("statements",)

    def __init__(self, statements: list[Statement] | None = None) -> None:
        self.statements: list[Statement] = [] if statements is None else statements

    def __iter__(self) -> Iterator[Statement]:
        return iter(self.statements)

    def __len__(self) -> int:
        return len(self.statements)

    def __hash__(self) -> int:
        return id(self)


Statement = (
    Instruction
    | Label
    | RegisterDeclaration
    | Variable
    | Block
    | Comment
    | Pragma
    | LineDirective
    | BranchTargets
    | CallTargets
    | CallPrototype
)


class Function(Node):
    """An `.entry` (kernel) or a `.func`. `body` None is a declaration. `results` are only for a `.func`.

    What a launch provides, where the builder knows it (PTX has no words for it, and a parsed program does not say it):
    `dynamic_shared` in bytes, and by parameter what its `tensors` are of.
    """

    __slots__ = (
        "attributes", "body", "directives", "dynamic_shared", "is_entry", "linkage", "name", "parameters", "results", "source",
        "tensors",
    )  # fmt: skip
    _fields = ("is_entry", "name", "results", "parameters", "linkage", "directives", "attributes", "body")

    def __init__(
        self,
        name: str,
        *,
        is_entry: bool,
        parameters: tuple[Variable, ...] = (),
        results: tuple[Variable, ...] = (),
        linkage: str | None = None,
        directives: tuple[Directive, ...] = (),
        attributes: tuple[str, ...] = (),
        body: Block | None = None,
        source: Source | None = None,
        dynamic_shared: int = 0,
        tensors: Mapping[str, Any] | None = None,
    ) -> None:
        self.name: str = name
        self.is_entry: bool = is_entry
        self.parameters: tuple[Variable, ...] = parameters
        self.results: tuple[Variable, ...] = results
        self.linkage: str | None = linkage
        self.directives: tuple[Directive, ...] = directives
        self.attributes: tuple[str, ...] = attributes
        self.body: Block | None = body
        self.source: Source | None = source
        self.dynamic_shared: int = dynamic_shared
        self.tensors: Mapping[str, Any] | dict[str, Any] = tensors or {}

    def __hash__(self) -> int:
        return id(self)

    def instructions(self) -> Iterator[Instruction]:
        """Every instruction in text order, nested scopes included."""
        stack = [iter(self.body or ())]
        while stack:
            for statement in stack[-1]:
                if isinstance(statement, Instruction):
                    yield statement
                elif isinstance(statement, Block):
                    stack.append(iter(statement))
                    break
            else:
                stack.pop()

    def directive(self, name: str) -> Directive | None:
        """The first directive of that name."""
        return next((d for d in self.directives if d.name == name), None)


ModuleItem = Variable | Function | Comment | Pragma | FileDirective | Section | IntermediateSource | Alias


class Module(Node):
    """A PTX module: `.version`, `.target` (with its options such as "debug"), `.address_size`, and its items in order.

    `str(module)` is its PTX text.
    """

    __slots__ = ("address_size", "items", "name", "target", "target_options", "version")
    _fields = ("version", "target", "target_options", "address_size", "items")
    printer: ClassVar[Callable[[Module], str]] = repr
    """What str() does; the room above, ptxgen.text, puts its printer here."""

    def __init__(
        self,
        version: tuple[int, int],
        target: str,
        items: list[ModuleItem] | None = None,
        *,
        target_options: tuple[str, ...] = (),
        address_size: int = 64,
        name: str = "<module>",
    ) -> None:
        self.version: tuple[int, int] = version
        self.target: str = target
        self.items: list[ModuleItem] = [] if items is None else items
        self.target_options: tuple[str, ...] = target_options
        self.address_size: int = address_size
        self.name: str = name

    def __iter__(self) -> Iterator[ModuleItem]:
        return iter(self.items)

    def __hash__(self) -> int:
        return id(self)

    def __str__(self) -> str:
        return type(self).printer(self)

    def _repr_html_(self) -> str:
        from ptxgen.markup import box, listing

        version = f"{self.version[0]}.{self.version[1]}"
        return box(f"{self.name}: {self.target}, PTX {version}", listing(str(self)))

    @property
    def functions(self) -> tuple[Function, ...]:
        return tuple(item for item in self.items if isinstance(item, Function))

    @property
    def entries(self) -> tuple[Function, ...]:
        """The kernels, in declaration order."""
        return tuple(f for f in self.functions if f.is_entry)

    @property
    def variables(self) -> tuple[Variable, ...]:
        return tuple(item for item in self.items if isinstance(item, Variable))

    def function(self, name: str) -> Function:
        """The function of that name with a body, else its declaration; KeyError when there is none."""
        found = [f for f in self.functions if f.name == name]
        if not found:
            raise KeyError(f"no function {name!r} in this module; it has {', '.join(f.name for f in self.functions)}")
        return next((f for f in found if f.body is not None), found[0])
