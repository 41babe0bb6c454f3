"""Documents for tests: `▮` in a text is the cursor."""

from __future__ import annotations

from ptxgen.lsp.background.judging import Job, Judge
from ptxgen.lsp.document import Document
from ptxgen.lsp.languages import language_of
from ptxgen.lsp.model.positions import Edit, Position

CURSOR = "▮"
HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n"
SAXPY = """\
.version 7.0
.target sm_80
.address_size 64

// y = a x + y
.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y)
{
\t.reg .pred %p<2>;
\t.reg .b32 %r<5>;
\t.reg .f32 %f<4>;
\t.reg .b64 %rd<6>;
\tld.param.u32 %r1, [n];
\tld.param.f32 %f1, [a];
\tmov.u32 %r2, %tid.x;
\tsetp.ge.u32 %p1, %r2, %r1;
\t@%p1 bra done;
\tld.param.u64 %rd1, [x];
\tmad.wide.u32 %rd2, %r2, 4, %rd1;
\tld.global.f32 %f2, [%rd2];
\tld.param.u64 %rd3, [y];
\tmad.wide.u32 %rd4, %r2, 4, %rd3;
\tld.global.f32 %f3, [%rd4];
\tfma.rn.f32 %f3, %f1, %f2, %f3;
\tst.global.f32 [%rd4], %f3;
done:
\tret;
}
"""


def opened(text: str, name: str = "test.ptx") -> tuple[Document, Position]:
    """The document without the cursor, and where that was."""
    offset = text.find(CURSOR)
    document = Document(name, text.replace(CURSOR, "", 1), language_of(name))
    return document, document.lines.position(max(offset, 0))


def at(text: str, here: str, name: str = "test.ptx", *, nth: int = 0) -> tuple[Document, Position]:
    """The document, and the place of the cursor in `here`, a piece of the text with the cursor in it."""
    piece = here.replace(CURSOR, "")
    offset = -1
    for _ in range(nth + 1):
        offset = text.index(piece, offset + 1)
    document = Document(name, text, language_of(name))
    return document, document.lines.position(offset + here.index(CURSOR))


def body(*lines: str) -> str:
    """A kernel with these lines behind the usual registers."""
    registers = ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<8>;\n"
    return f"{HEAD}.visible .entry k(.param .u64 out)\n{{\n{registers}" + "\n".join(lines) + "\nret;\n}\n"


def applied(text: str, edits: list[Edit]) -> str:
    for edit in sorted(edits, key=lambda each: each.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def judged(text: str, name: str = "test.ptx", **options: object):
    """What is found in a text: as the worker does it, in this process."""
    return Judge().all(Job(name, text, language_of(name), 1, **options))
