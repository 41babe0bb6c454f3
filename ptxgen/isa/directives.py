"""Directives (manual chapters 4, 5, 11 and 12): one row each, as the instruction table has the instructions.

A row of the text below is

    .maxntid nx{, ny{, nz}}    entry ; 1..3 of 1.. ; since 1.3     the syntax; where it may stand; clauses after semicolons
        at most so many threads a CTA                              what it is for
        : .entry k() .maxntid 256 { ret; }                         an example, lines of a module; certified as it stands

Places: `head` (the first lines of a module), `module`, `entry` and `func` (between the parameters and the body), `prototype`
(behind a .callprototype), `body`, `variable` (in a declaration), `parameter` (in that of a kernel's parameter), `target` (in
the list behind .target), `section` (in a .section), `pragma` (a string of .pragma, and where that may stand). Clauses:

    N of LO..HI, N..M of LO..    how many integers follow, and what an assembler takes
    wise LO..HI                  what the hardware or the manual allows of that; an assembler takes more and ignores it
    product HI                   the most for the product of the integers
    since VERSION sm_N           where it exists; until VERSION: the last PTX version that has it
    with .a .b                   needs these too; not .a: cannot stand together with it
    on .space                    the state spaces whose variables it may be on
    unlisted                     the manual does not have it; assemblers do

The groups are the manual's; the section is that of PTX 9.4. Everything is certified with nvJitLink by
`tools/certify/directives.py`.
"""

from __future__ import annotations

import re
from functools import cache

from driver_ctypes.typing import Any, NamedTuple
from ptxgen.isa.notation import ALWAYS, Availability, parse_since

__all__ = [
    "LANGUAGES",
    "DirectiveForm",
    "directive",
    "directives",
    "head_directives",
    "pragma_string",
    "pragma_strings",
]

LANGUAGES = {
    "unknown": 0, "ptx": 3, "nvvm": 4, "cuda c++": 5, "cuda c++ tile": 6, "tile ir": 7, "python-cutile": 8, "fortran": 9,
    "optix": 10,
}  # fmt: skip
"""The names that .language takes, in any case, and their numbers (manual 11.8.2)."""


class DirectiveForm(NamedTuple):
    """A directive: `name` with its dot (a pragma's string, a target's option without), `syntax` in the manual's notation.

    `arguments` is how many integers it takes, `allowed` which ones an assembler does, `wise` those that mean something, `product`
    the most for their product. `needs` and `excludes` are other directives of the same function.
    """

    name: str
    syntax: str
    group: str
    section: str
    places: tuple[str, ...]
    purpose: str
    example: str
    since: Availability = ALWAYS
    until: tuple[int, int] | None = None
    arguments: tuple[int, int] = (0, 0)
    allowed: tuple[int, int] = (0, 2**32 - 1)
    wise: tuple[int, int] = (0, 2**32 - 1)
    product: int = 0
    needs: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    spaces: tuple[str, ...] = ()
    listed: bool = True

    def __str__(self) -> str:
        return self.name


ROWS = """
group PTX Module Directives
section 11.1.1
.version major.minor                       head
    the PTX version of the module; its first directive
section 11.1.2
.target name{, option}*                    head
    the architecture that the module is for, and its options
texmode_unified                            target ; since 1.5 ; not texmode_independent
    a texture and its sampler are one handle; the default
    : .global .texref t;
texmode_independent                        target ; since 1.5 ; not texmode_unified
    textures and samplers are bound apart
    : .global .samplerref s = {addr_mode_0 = wrap, filter_mode = linear};
debug                                      target ; since 3.0 ; with .section
    the module carries DWARF sections, and an assembler keeps what a debugger needs
    : .visible .entry k() { ret; }
    : .section .debug_info { .b8 0 }
map_f64_to_f32                             target ; until 9.5
    double precision runs as single precision; only on sm_10, sm_11 and sm_12, which assemblers no longer take
section 11.1.3
.address_size n                            head ; 1 of 32..64 ; since 2.3
    bits of an address, 32 or 64; without it 64 here

group Kernel and Function Directives
section 11.2.1
.entry name {(parameters)} {directives} body        module
    a kernel: what the host launches
    : .visible .entry k(.param .u64 p) { ret; }
section 11.2.2
.func {(result)} name {(parameters)} {directives} body    module
    a device function; without a body its declaration
    : .visible .func (.param .b32 r) f(.param .b32 a) { st.param.b32 [r], 0; ret; }
section 11.2.3
.alias name, aliasee;                      module ; since 6.3 sm_30
    another name for a device function of this module, which is declared without a body
    : .visible .func f() { ret; }
    : .visible .func g();
    : .alias g, f;

group Control Flow Directives
section 11.3.1
name: .branchtargets labels;               body ; since 6.0 sm_30
    where a brx.idx may go
    : .visible .entry k() { .reg .u32 i; mov.u32 i, 0; T: .branchtargets A, B; brx.idx i, T; A: ret; B: ret; }
section 11.3.2
name: .calltargets functions;              body ; since 2.1 sm_20
    the device functions that an indirect call may reach
    : .func f() { ret; }
    : .visible .entry k() { .reg .b64 p; mov.b64 p, f; T: .calltargets f; call p, T; ret; }
section 11.3.3
name: .callprototype {(result)} _ {(parameters)} {directives};    body ; since 2.1 sm_20
    the parameters and the result of an indirect call
    : .func f(.param .b32 a) { ret; }
    : .visible .entry k() { .reg .b64 p; .param .b32 a; st.param.b32 [a], 1; mov.b64 p, f;
    : T: .callprototype _ (.param .b32 x); call p, (a), T; ret; }

group Performance-Tuning Directives
section 11.4.1
.maxnreg n                                 entry ; 1 of 1.. ; wise 24..255 ; since 1.3
    at most n registers a thread
    : .visible .entry k() .maxnreg 64 { ret; }
section 11.4.2
.maxntid nx{, ny{, nz}}                    entry ; 1..3 of 1.. ; product 1024 ; since 1.3 ; not .reqntid
    at most so many threads a CTA
    : .visible .entry k() .maxntid 16, 16, 4 { ret; }
section 11.4.3
.reqntid nx{, ny{, nz}}                    entry ; 1..3 of 1.. ; product 1024 ; since 2.1 ; not .maxntid
    exactly so many threads a CTA
    : .visible .entry k() .reqntid 256 { ret; }
section 11.4.4
.minnctapersm n                            entry ; 1 of 1.. ; wise 1..32 ; since 2.0
    at least n CTAs are to fit a multiprocessor; counts only beside .maxntid or .reqntid
    : .visible .entry k() .maxntid 128 .minnctapersm 4 { ret; }
section 11.4.5
.maxnctapersm n                            entry ; 1 of 1.. ; since 1.3 ; until 2.0
    the name that .minnctapersm had
section 11.4.6
.noreturn                                  func prototype ; since 6.4 sm_30
    the function does not return; it has no result
    : .visible .func f() .noreturn { exit; }
section 11.4.7
.pragma strings;                           module entry body ; since 2.0
    words to the assembler, see the strings; they change no result
    : .visible .entry k() { .pragma "nounroll"; ret; }
section 11.4.8
.abi_preserve n                            func prototype ; 1 of 0..255 ; since 9.0 sm_80
    how many general-purpose registers the function preserves for its callers
    : .visible .func f() .abi_preserve 32 { ret; }
section 11.4.9
.abi_preserve_control n                    func prototype ; 1 of 0..11 ; since 9.0 sm_80
    how many control registers the function preserves for its callers
    : .visible .func f() .abi_preserve_control 2 { ret; }
section 11.4.10
.minperctamemory n                         entry ; 1 of 0.. ; since 9.4 sm_80
    bytes of per-CTA global memory that must be there, see %perctamemoryoffset
    : .visible .entry k() .minperctamemory 2048 { .reg .b64 p; mov.b64 p, %perctamemoryoffset; ret; }
section -
.local_maxnreg n                           entry func ; 1 of 1.. ; wise 24..255 ; since 8.8 ; unlisted
    at most n registers for this function alone
    : .visible .entry k() .local_maxnreg 64 { ret; }

group Pragma Strings
section 12.1
"nounroll"                                 pragma module entry body ; since 2.0
    do not unroll: all loops of the module, of the kernel, or the one whose header block it stands in
    : .visible .entry k() .pragma "nounroll"; { ret; }
section 12.2
"used_bytes_mask mask"                     pragma body ; 1 of 0.. ; since 8.3
    the bytes of the next ld that are used, a bit each
    : .global .b32 g;
    : .visible .entry k() { .reg .b32 r; .pragma "used_bytes_mask 0x7"; ld.global.b32 r, [g]; ret; }
section 12.3
"enable_smem_spilling"                     pragma body ; since 9.0 sm_75
    registers are spilled to shared memory first; not with dynamic shared memory, setmaxnreg or separate compilation
section 12.4
"frequency n"                              pragma body ; 1 of 0..18446744073709551615 ; since 9.0
    how often a thread runs this basic block
    : .visible .entry k() { .pragma "frequency 32"; ret; }
section 12.5
"mma_throughput"                           pragma body ; since 9.3
    loop optimisations for mma
    : .visible .entry k() { .pragma "mma_throughput"; ret; }

group Debugging Directives
section 11.5.1
@@dwarf                                    module ; since 1.2 ; until 2.0
    DWARF data as PTX 1 had it; .section took its place
section 11.5.2
.section name { lines }                    module ; since 2.0
    a section of DWARF data
    : .section .debug_str { .b8 0 }
label: data                                section ; since 7.0
    a label in a .section, which .loc may name
    : .section .debug_str { info: .b8 0 }
section 11.5.3
.file index "name"{, timestamp, size}      module ; since 1.0
    gives a source file the number that .loc uses; timestamp and size came with PTX 3.2
    : .file 1 "kernel.cu"
section 11.5.4
.loc file line column{, function_name label, inlined_at file line column}    body ; since 1.0
    the source line of what follows; without ';'
    : .file 1 "kernel.cu"
    : .visible .entry k() { .loc 1 10 0
    : ret; }
section 11.5.5
.loc_intermediate file line column         body ; since 9.4
    right behind a .loc: the line in the intermediate language that the code was made from
    : .file 1 "kernel.cu"
    : .file 2 "kernel.ir"
    : .visible .entry k() { .loc 1 10 0
    : .loc_intermediate 2 3 4
    : ret; }
section 11.5.6
.nv_intermediate_source_section { blocks }    module ; since 9.4
    the text of the intermediate language itself
    : .file 1 "kernel.ir"
    : .nv_intermediate_source_section { .code_block { .ir_name: "TileIR" .sourceFileName: 1 .source_begin
    : text
    : .source_end
    : } }

group Linking Directives
section 11.6.1
.extern                                    module ; since 1.0
    defined in another module, or, for .shared with [], sized at launch
    : .extern .shared .align 16 .b8 dynamic[];
section 11.6.2
.visible                                   module ; since 1.0
    other modules and the host see it
    : .visible .global .b32 g;
section 11.6.3
.weak                                      module ; since 3.1
    several modules may define it: one of them is taken
    : .weak .func f() { ret; }
section 11.6.4
.common                                    module ; since 5.0 ; on .global
    several modules may declare it, with different sizes: the largest is taken
    : .common .global .b32 g[4];

group Cluster Dimension Directives
section 11.7.1
.reqnctapercluster nx{, ny{, nz}}          entry ; 1..3 of 0.. ; wise 1.. ; product 16 ; since 7.8 sm_90 ; not .maxclusterrank
    exactly so many CTAs a cluster; more than 8 are not portable
    : .visible .entry k() .reqnctapercluster 2, 2 { ret; }
section 11.7.2
.explicitcluster                           entry ; since 7.8 sm_90
    the kernel is launched with a cluster size only
    : .visible .entry k() .explicitcluster { ret; }
section 11.7.3
.maxclusterrank n                          entry ; 1 of 0.. ; wise 1..16 ; since 7.8 sm_90 ; not .reqnctapercluster
    at most n CTAs a cluster
    : .visible .entry k() .maxclusterrank 8 { ret; }

group Miscellaneous Directives
section 11.8.1
.blocksareclusters                         entry ; since 9.0 sm_90 ; with .reqntid .reqnctapercluster
    the grid's extents at launch count clusters
    : .visible .entry k() .reqntid 128 .reqnctapercluster 2 .blocksareclusters { ret; }
section 11.8.2
.language name{, name}*                    entry func ; 1..64 of 0..10 ; since 9.2
    the languages that the function was written in, by name or number; the manual has it from 9.3 on
    : .visible .entry k() .language "ptx", "cuda c++" { ret; }

group State Spaces
section 5.1.1
.reg .type names;                          body ; since 1.0
    registers; r<100> declares r0 to r99; names are known in their { }
    : .visible .entry k() { .reg .b32 a, r<100>; .reg .pred p; ret; }
section 5.1.2
.sreg .type name                           - ; since 1.0
    the special registers: predefined, see `ptxgen explain %tid.x`
section 5.1.3
.const .type name{ = value};               module body ; since 1.0
    constant memory, 64 KiB; banks .const[1] to .const[10] ended with PTX 2.1
    : .const .align 4 .b32 table[2] = {1, 2};
section 5.1.4
.global .type name{ = value};              module body ; since 1.0
    memory of the whole device
    : .global .align 8 .b64 g = 0;
section 5.1.5
.local .type name;                         module body ; since 1.0
    memory of one thread
    : .visible .entry k() { .local .align 4 .b8 buffer[64]; ret; }
section 5.1.6
.param .type name                          parameter body ; since 1.0
    parameters of kernels and functions; in a body, arguments of a call
    : .visible .entry k(.param .u64 p) { ret; }
section 5.1.7
.shared .type name;                        module body ; since 1.0
    memory of one CTA, at most 48 KiB; more must be dynamic, but for targets with a or f
    : .shared .align 16 .b8 tile[4096];
section 5.1.8
.tex .u32 name;                            module ; since 1.0 ; until 1.4
    texture references as PTX 1 had them; .global .texref took its place
section 5.3
.global .texref name;                      module ; since 1.5
    a texture, with its sampler under texmode_unified
    : .global .texref t;
.global .samplerref name{ = {fields}};     module ; since 1.5 ; with texmode_independent
    a sampler, under texmode_independent
.global .surfref name;                     module ; since 1.5
    a surface
    : .global .surfref s;

group Variable Declarations
section 5.1.6.3
.ptr{.space}{.align n}                     parameter ; since 2.2 ; on .param
    a kernel's parameter is a pointer: into which space, and how the memory behind it is aligned
    : .visible .entry k(.param .u64 .ptr .global .align 16 p) { ret; }
section 5.4.2
.v2                                        variable ; since 1.0
    a vector of two, at most 128 bits
    : .global .v2 .f64 pair;
.v4                                        variable ; since 1.0
    a vector of four, at most 128 bits
    : .global .v4 .f32 quad;
section 5.4.3
name[n]...                                 variable ; since 1.0
    an array; [] where the initialiser or, for .extern .shared, the launch gives the size
    : .global .f32 matrix[2][3];
section 5.4.4
mask(name)                                 variable ; since 7.1
    an initialiser: one byte of an address, such as 0xFF00(name)
    : .global .b32 g;
    : .global .u8 low[2] = {0xFF(g), 0xFF00(g)};
section 5.4.5
.align n                                   variable ; since 1.0
    where the variable lies: a multiple of n bytes, a power of two
    : .global .align 16 .b8 buffer[64];
section 5.4.8
.attribute(list)                           variable ; since 4.0
    attributes of a variable or a function
    : .global .attribute(.managed) .b32 m;
.managed                                   attribute ; since 4.0 sm_30 ; on .global
    the variable is in managed memory: host and devices use it alike
    : .global .attribute(.managed) .b32 m;
.unified(uuid1, uuid2)                     attribute ; since 8.0 sm_90 ; on .global
    the function, or the variable, has one address on the host and on all devices
    : .global .attribute(.unified(19, 95)) .b32 u;
section 5.2.1
.b128                                      variable ; since 8.3 sm_70
    registers and variables of 128 bits
    : .visible .entry k() { .reg .b128 q; ret; }
.f16x2                                     variable ; since 4.2 sm_53
    registers and variables of two halves
    : .visible .entry k() { .reg .f16x2 h; ret; }
"""

_PLACES = "head module entry func prototype body variable parameter target pragma attribute section -".split()
_COUNT = re.compile(r"(\d+)(?:\.\.(\d+))? of (\d+)\.\.(\d*)")
_MOST = 2**32 - 1


def _range(text: str) -> tuple[int, int]:
    low, _, high = text.partition("..")
    return int(low), int(high) if high else _MOST


def _clause(text: str) -> dict[str, object]:
    """One clause of a row as fields of its DirectiveForm."""
    key, _, rest = text.partition(" ")
    if match := _COUNT.fullmatch(text):
        return {
            "arguments": (int(match[1]), int(match[2] or match[1])),
            "allowed": (int(match[3]), int(match[4]) if match[4] else _MOST),
        }
    if key == "since":
        return {"since": parse_since(rest)[0]}
    if key == "until":
        return {"until": parse_since(rest)[0].version}
    if key == "wise":
        return {"wise": _range(rest)}
    if key == "product":
        return {"product": int(rest)}
    if key == "unlisted":
        return {"listed": False}
    lists = {"with": "needs", "not": "excludes", "on": "spaces"}
    if key in lists:
        words = tuple(word[1:] if key == "on" else word for word in rest.split())
        return {lists[key]: words}
    raise ValueError(f"bad clause {text!r} of a directive")


def _name(syntax: str) -> str:
    """The directive's own word in its syntax: `name: .branchtargets labels;` is .branchtargets."""
    if syntax[0] == '"':
        return syntax.strip('"').split()[0]
    special = {"name[n]...": "[]", "mask(name)": "mask()", "label: data": "label:"}
    if syntax in special:
        return special[syntax]
    if syntax.startswith(".global ."):
        return syntax.split()[1] if syntax.split()[1] in (".texref", ".samplerref", ".surfref") else ".global"
    word = re.search(r"(?:\.|@@)?[a-z]\w*", syntax.removeprefix("name: "))
    assert word is not None
    return word[0]


@cache
def directives() -> tuple[DirectiveForm, ...]:
    """Every directive, in the order of the text above."""
    found: list[dict[str, Any]] = []
    group = section = ""
    for line in ROWS.split("\n"):
        if line.startswith("group "):
            group = line[6:]
        elif line.startswith("section "):
            section = line[8:].replace("-", "")
        elif line.startswith("    : "):
            found[-1]["example"] += line[6:] + "\n"
        elif line.startswith("    "):
            found[-1]["purpose"] = line.strip()
        elif line:
            head, *clauses = line.split(" ; ")
            words = head.rstrip().split("  ", 1)
            places = tuple(words[1].split())
            if set(places) - set(_PLACES):
                raise ValueError(f"bad places in {line!r}")
            row: dict[str, Any] = {
                "name": _name(words[0]),
                "syntax": words[0],
                "group": group,
                "section": section,
                "places": places,
            }
            for clause in clauses:
                row.update(_clause(clause.strip()))
            found.append({**row, "purpose": "", "example": ""})
    return tuple([DirectiveForm(**row) for row in found])


@cache
def _by_name() -> dict[str, DirectiveForm]:
    return {row.name: row for row in directives()}


def directive(name: str) -> DirectiveForm | None:
    """The directive of that name: ".maxntid", a target's option such as "debug", a pragma's string such as "nounroll"."""
    return _by_name().get(name)


@cache
def head_directives() -> dict[str, DirectiveForm]:
    """What may stand between a function's parameters and its body, by name with the dot."""
    heads = {"entry", "func", "prototype"}
    return {row.name: row for row in directives() if heads & set(row.places) and row.places[0] != "pragma"}


@cache
def pragma_strings() -> dict[str, DirectiveForm]:
    """The strings that .pragma knows, by their first word."""
    return {row.name: row for row in directives() if row.places[0] == "pragma"}


def pragma_string(text: str) -> DirectiveForm | None:
    """The row of a pragma's text, such as "frequency 32"; None for one that no assembler knows."""
    return pragma_strings().get(text.split(" ", 1)[0]) if text else None
