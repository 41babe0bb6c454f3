"""A finding as a value: what was wrong, and both accesses with their threads and lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ptxgen import ir

if TYPE_CHECKING:
    from ptxgen.cpu.fault import Dim3
    from ptxgen.cpu.sanitizer.history import HostCall
    from ptxgen.dataflow.bodies.source_lines import SourceLine
    from ptxgen.errors import Location

__all__ = ["NO_THREAD", "Access", "Finding", "leak", "text_of"]


class Access(NamedTuple):
    """What a thread did: `verb` ("reads", "wrote"), at which instruction, and where that was written.

    `places` are the lines of the PTX text or of the Python function, innermost first; `lines` those of the user's own source
    that `.loc` names. `cta` and `thread` are coordinates. `kernel` is that of an earlier launch. Of accesses in different
    launches, `call` says who asked for each: its kernel, with the user's line and the node of the graph. Of a copy or a fill,
    `instruction` is what it does, and no thread did it.
    """

    verb: str
    cta: Dim3
    thread: Dim3
    instruction: str
    places: tuple[Location, ...]
    lines: tuple[SourceLine, ...]
    kernel: str = ""
    call: HostCall | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """What is done, and where that was written, whoever did it. Copies of one line, such as an unrolled loop has, are the
        same."""
        asked = () if self.call is None else (self.call.node, *map(str, self.call.places))
        words = self.instruction if self.call is not None else _without_guard(self.instruction).partition(" ")[0]
        source = self.lines or [place for place in self.places if place.kind != "ptx"] or self.places
        return (words, *map(str, source), self.kernel, *asked)

    @property
    def who(self) -> str:
        """Who did it."""
        return f"CTA {self.cta}, thread {self.thread}" if min(self.thread) >= 0 else "the host's call"

    def listed(self) -> list[str]:
        """As lines of a report."""
        of = f" of an earlier launch of {self.kernel}" if self.kernel else ""
        told = [f"  {self.who}{of} {self.verb}: {self.instruction}"]
        told += [f"    {place.listed()}  {place.excerpt()}".rstrip() for place in self.places]
        told += [f"    {line}" for line in self.lines]
        if self.call is not None:
            node = f" ({self.call.node})" * bool(self.call.node)
            told += [f"    asked for{node} at {place}  {place.excerpt()}".rstrip() for place in self.call.places]
        return told


class Finding(NamedTuple):
    """One mistake, however often it was made. `str()` is the report.

    tool: "racecheck", ... kind: such as "read after write". kernel: its name; "" where no kernel is to blame. what: the sentence.
    access, earlier: what was done, and what it is at odds with, where there is such. space, address, size: the state space, an
    offset in the CTA's memory or an address in global memory, bytes. variable: the shared variable there, or the parameter or
    the variable that leads there in global memory; "" where none has a name. hint: what to change.
    """

    tool: str
    kind: str
    kernel: str
    what: str
    access: Access | None = None
    earlier: Access | None = None
    space: str = ""
    address: int = 0
    size: int = 0
    variable: str = ""
    hint: str = ""

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for the same mistake."""
        ends = [None if each is None else each.key for each in (self.access, self.earlier)]
        return (self.tool, self.kind, self.kernel, self.variable, *ends, *(() if self.access else (self.what,)))

    def _repr_html_(self) -> str:
        from ptxgen.markup import box, table

        rows = []
        for each in (self.access, self.earlier):
            if each is not None:
                rows.append(
                    (f"{each.who} {each.verb}", each.instruction, "; ".join(map(str, (*each.places, *each.lines))))
                )
        parts = [table(("who", "instruction", "where"), rows)] if rows else []
        return box(f"{self.tool}: {self.kind}: {self.what}", *parts, *([f"Fix: {self.hint}"] if self.hint else []))

    def __str__(self) -> str:
        told = [f"{self.tool}: {self.kind}: {self.what}"]
        if self.kernel:
            told.append(f"  kernel {self.kernel}")
        for access in (self.access, self.earlier):
            told += access.listed() if access is not None else []
        if self.hint:
            told.append(f"  Fix: {self.hint}")
        return "\n".join(told)


def _without_guard(text: str) -> str:
    return text.partition(" ")[2] if text.startswith("@") else text


def text_of(instruction: ir.Instruction) -> str:
    """One line of PTX."""
    from ptxgen.text import format_instruction

    return format_instruction(instruction)


NO_THREAD = (-1, -1, -1)
"""In place of the coordinates of who did it, for work of the host."""


def leak(address: int, nbytes: int) -> Finding:
    """An allocation that is there when its context ends."""
    what = f"{nbytes} bytes at 0x{address:x} were allocated and not freed before their context ended"
    hint = "free them, or close the array"
    return Finding("memcheck", "leak", "", what, space="global", address=address, size=nbytes, hint=hint)
