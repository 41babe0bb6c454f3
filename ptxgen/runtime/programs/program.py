"""A program for the backend: a kernel whose parameters say what each is for.

    @program(workgroup=256)
    def scale(k: px.Builder, x: Annotated[ptr[f32], input_()], y: Annotated[ptr[f32], output()], params: Params):
        i = k.global_id.x
        with k.if_(i < params.element_count):
            y[i] = x[i] * 2.0

The kernel's own parameters are one 64-bit pointer for each binding but the shared ones, in the bindings' order, and then that
of the parameter words: the element count of the launch, and for each binding number its own.
"""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

from ptxgen.builder import Kernel, kernel, ptr, u32
from ptxgen.runtime.errors import ValidationError
from ptxgen.runtime.keys import digest
from ptxgen.runtime.programs.bindings import Binding, read_bindings
from ptxgen.runtime.programs.fingerprints import fingerprint
from ptxgen.runtime.programs.rows import MOST_COLUMNS, Row, RowLayout, layout_for
from ptxgen.runtime.programs.workgroups import check_open, three_dimensions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FunctionType

    from ptxgen.builder import Builder
    from ptxgen.ir import Module

    Body = Callable[[Builder, Mapping[str, Any], "Params", "Row | None"], None]

__all__ = ["PARAMS", "Built", "Params", "Program", "program"]

PARAMS = "params_buf"
"""The last parameter of every kernel of a program."""


class Built(NamedTuple):
    """A program's PTX, and how its row reaches bindings: (name, "row") where all elements of the launch are loaded or stored,
    (name, "columns") where as many as a row has."""

    ptx: str
    reach: tuple[tuple[str, str], ...]


class Params:
    """The parameter words, in the kernel: loaded where they are asked for."""

    def __init__(self, words: ptr[u32], numbers: Mapping[str, int]) -> None:
        self.words = words
        self._numbers = numbers

    @property
    def element_count(self) -> u32:
        """Elements of this launch."""
        return self.words[0]

    def length(self, name: str) -> u32:
        """Elements of a binding."""
        if name not in self._numbers:
            raise ValidationError(f"no binding {name!r}", fix=f"one of {', '.join(self._numbers)}")
        return self.words[1 + self._numbers[name]]


class Program:
    """What a backend compiles: made of a function by `program`, or of several programs by `fuse`.

    `workgroup` is the declared size of a CTA in threads, None where the backend chooses one. `layout` says how a CTA holds a
    row, in programs over rows. `body(k, memory, params, row)` writes the kernel's code; *memory* has a pointer for each
    binding's name.
    """

    def __init__(
        self,
        name: str,
        body: Body,
        bindings: tuple[Binding, ...],
        *,
        workgroup: tuple[int, int, int] | None,
        layout: RowLayout | None = None,
        reads_count: bool = True,
        bounds: Mapping[str, Any] | None = None,
        content: Callable[[], str | None] = lambda: None,
        again: Callable[..., Program] | None = None,
    ) -> None:
        """*reads_count*: whether the body can look at the element count. *content* gives a digest of what *body* would do now,
        None if that cannot be determined; *again(options, columns)* makes the program with other ones."""
        self.name = self.__name__ = name
        self.body, self.bindings, self.workgroup, self.layout = body, bindings, workgroup, layout
        self._reads_count = reads_count
        self.bounds = dict(bounds or {})
        self.ends: tuple[str | None, str | None] | None = None
        """The bindings that it takes from a program before it and gives to one behind it; None: its first input and output."""
        self._again, self._content = again, content
        self.shared_bytes = sum(b.elements * b.size for b in self.bindings if b.role == "shared")
        shape = [repr((b.name, b.number, b.role, b.type.__name__, b.elements, b.like)) for b in self.bindings]
        self.interface = digest("ptxgen-program.v3", name, workgroup, layout, sorted(self.bounds.items()), *shape)
        """All but what the body does: what a dispatch is planned from."""

    @property
    def key(self) -> str | None:
        """Its content: everything that its body would do if it were built now; None if that cannot be determined. Then
        nothing that was built before may be reused for it."""
        content = self._content()
        return None if content is None else digest("ptxgen-program-content.v1", self.interface, content)

    @property
    def portable(self) -> bool:
        """Whether the program has the same key in another process."""
        return self.key is not None

    @classmethod
    def of(
        cls,
        function: FunctionType,
        *,
        workgroup: tuple[int, int, int] | None = None,
        columns: int | None = None,
        options: dict[str, Any] | None = None,
        bounds: dict[str, Any] | None = None,
    ) -> Program:
        """The program of a function whose parameters are annotated with roles; see `program`."""
        chosen = dict(sorted((options or {}).items()))
        bindings, asked = read_bindings(function, (Params, Row))
        order = [name for name in inspect.signature(function).parameters if any(b.name == name for b in bindings)]
        _check_layout(function.__name__, Row in asked, workgroup, columns)
        layout = layout_for(columns) if Row in asked else None

        def body(k: Builder, memory: Mapping[str, Any], params: Params, row: Row | None) -> None:
            helpers: dict[type, Any] = {Params: params, Row: row}
            function(k, *[memory[name] for name in order], *[helpers[each] for each in asked], **chosen)

        def again(changed: dict[str, Any], in_rows: int | None) -> Program:
            length = columns if in_rows is None else in_rows
            return cls.of(function, workgroup=workgroup, columns=length, options={**chosen, **changed}, bounds=bounds)

        made = cls(
            function.__name__,
            body,
            bindings,
            workgroup=(layout.threads, 1, 1) if layout is not None else workgroup,
            layout=layout,
            reads_count=Params in asked,
            bounds=bounds,
            content=lambda: fingerprint(function, chosen),
            again=again,
        )
        made.__doc__ = function.__doc__
        return made

    def __repr__(self) -> str:
        return f"<program {self.name}({', '.join(f'{b.name}: {b.role}' for b in self.bindings)})>"

    def using(self, **options: Any) -> Program:
        """The same program with compile-time parameters fixed. ValidationError for a program that was made of others."""
        if self._again is None:
            raise ValidationError(f"program {self.name} was made of others", fix="fix their parameters, then fuse them")
        return self._again(options, None)

    def in_rows(self, columns: int) -> Program:
        """A program over rows, for rows of so many elements."""
        if self._again is None or self.layout is None:
            raise ValidationError(
                f"program {self.name} {'was made of others' if self._again is None else 'does not ask for a Row'}",
                fix="call in_rows on programs whose last parameter is a Row, before they are fused",
            )
        return self._again({}, columns)

    def ptx(self, target: str) -> str:
        """Its PTX, verified. ValidationError where it leaves its workgroup open and its results could depend on it."""
        return self.build(target).ptx

    def module(self, target: str) -> Module:
        """The same as ir."""
        return self._module(target, set())

    def build(self, target: str) -> Built:
        """The same with what a dispatch needs of it."""
        reach: set[tuple[str, str]] = set()
        text = str(self._module(target, reach))
        return Built(text, tuple(sorted(reach)))

    def _module(self, target: str, reach: set[tuple[str, str]]) -> Module:
        made = self._kernel(reach).module(target=target)
        if self.workgroup is None:
            check_open(self.name, made, self._reads_count)
        return made

    @property
    def kernel(self) -> Kernel:
        """The kernel of the ABI, which lets the body write its code."""
        return self._kernel(set())

    @property
    def pointers(self) -> tuple[Binding, ...]:
        """The bindings that are parameters of the kernel, in their order."""
        return tuple(b for b in self.bindings if b.role != "shared")

    @property
    def handles(self) -> tuple[Binding, ...]:
        """The bindings for which a dispatch on resident buffers takes a buffer, in their order."""
        return tuple(b for b in self.bindings if b.takes_handle)

    @property
    def state(self) -> tuple[Binding, ...]:
        """The bindings whose memory belongs to the pipeline."""
        return tuple(b for b in self.bindings if b.role == "persistent")

    def _kernel(self, reach: set[tuple[str, str]]) -> Kernel:
        """See `kernel`. *reach* gets what its row reaches while it is traced."""
        numbers = {binding.name: binding.number for binding in self.bindings}
        pointers = self.pointers
        local = [binding for binding in self.bindings if binding.role == "shared"]
        body, layout = self.body, self.layout

        def entry(k: Builder, *values: Any) -> None:
            memory = {binding.name: value for binding, value in zip(pointers, values)}
            for binding in local:
                memory[binding.name] = k.shared(binding.type.element, binding.elements).pointer
            params = Params(values[-1], numbers)
            row = Row(k, layout, params.element_count, memory, reach) if layout is not None else None
            body(k, memory, params, row)

        parameters = [(binding.name, binding.type) for binding in pointers] + [(PARAMS, ptr[u32])]
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        shown = [inspect.Parameter("k", kind), *[inspect.Parameter(name, kind) for name, _ in parameters]]
        entry.__name__ = self.name
        entry.__annotations__ = dict(parameters)
        entry.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
        threads = {} if layout is None else {"threads": layout.threads}
        return kernel(**self.bounds, **threads)(entry)


def _check_layout(name: str, has_row: bool, workgroup: tuple[int, int, int] | None, columns: object) -> None:
    if not has_row and columns is not None:
        raise ValidationError(f"program {name} has rows of {columns} and asks for no Row", fix="take a Row last")
    if not has_row:
        return
    if workgroup is not None:
        raise ValidationError(
            f"program {name} works on rows, whose length determines the number of threads",
            fix="leave the workgroup out",
        )
    whole = isinstance(columns, int) and not isinstance(columns, bool)
    if columns is not None and not (whole and 0 < columns <= MOST_COLUMNS):  # type: ignore[operator]
        raise ValidationError(f"program {name}: rows of {columns!r}", fix=f"use 1 to {MOST_COLUMNS} columns")


F = TypeVar("F", bound="Callable[..., Any]")


@overload
def program(function: Callable[..., Any] | Kernel, /) -> Program: ...
@overload
def program(
    *, workgroup: int | tuple[int, ...] | None = None, columns: int | None = None, max_registers: int | None = None
) -> Callable[[Callable[..., Any] | Kernel], Program]: ...
def program(
    function: Callable[..., Any] | Kernel | None = None,
    *,
    workgroup: int | tuple[int, ...] | None = None,
    columns: int | None = None,
    max_registers: int | None = None,
) -> Program | Callable[[Callable[..., Any] | Kernel], Program]:
    """Make a program of a function, or of a px kernel, whose parameters are annotated with roles:
    `x: Annotated[px.ptr[f32], input_()]`. Behind them, one annotated `Params` gets the parameter words, one annotated `Row`
    the row that the CTA works on.

    *workgroup* is the CTA's size in threads; a program that uses only the global index of its threads may leave it to the
    backend. *columns* is the length of a row, for programs that ask for one; without it they
    work on a flat array in tiles. ValidationError for parameters that make no bindings.
    """
    size = None if workgroup is None else three_dimensions("workgroup", workgroup)
    bounds = {} if max_registers is None else {"max_registers": max_registers}

    def make(made: Callable[..., Any] | Kernel) -> Program:
        if not isinstance(made, (Kernel, FunctionType)):
            raise ValidationError(f"a program of {made!r:.60}", fix="make it of a function, or of a kernel")
        function, options = (made._function, made._options) if isinstance(made, Kernel) else (made, {})
        return Program.of(function, workgroup=size, columns=columns, options=options, bounds=bounds)  # type: ignore[arg-type]

    return make if function is None else make(function)
