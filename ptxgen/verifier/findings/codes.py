"""Every diagnostic code of ptxgen: what it means, how one gets there, what to do, and an example that gives it.

`px.explain("PTX412")` and `ptxgen explain PTX412` read it. To add a diagnostic, add its row here, in the order of the codes: a
test holds that every code raised anywhere in ptxgen has its row, and that every example gives the code that it stands for.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CODES", "GROUPS", "Code", "group"]

GROUPS = {
    "1": "syntax of PTX text and templates",
    "2": "forms, operands and types",
    "3": "names and control flow",
    "4": "targets, versions and limits",
    "5": "protocols, memory ordering and divergence",
    "6": "style",
}
"""What the first digit of a code says."""


class Code(NamedTuple):
    """A diagnostic code.

    `meaning` is one line, `cause` how a program comes to have it, `remedy` what to do. Its example is one of: `ptx`, lines of a
    kernel's body, with `before` standing in front of the kernel and `head` between its parameters and its body; `module`, a whole
    PTX file; `template`, a whole Jinja template; `python`, the body of a kernel `def kernel(k, n: u32, a: f32, x: px.ptr[f32])`.
    `header` is the version and target with which the example gives the code. `severity` is "error", "warning" or both.
    """

    code: str
    meaning: str
    cause: str
    remedy: str
    ptx: str = ""
    before: str = ""
    head: str = ""
    module: str = ""
    template: str = ""
    python: str = ""
    header: str = "8.0 sm_90a"
    severity: str = "error"


_HEADER = ".version 8.0\n.target sm_90a\n.address_size 64\n"

_ROWS = (
    # 1xx: syntax
    Code(
        "PTX101",
        "not a token of PTX",
        "a number that PTX cannot read or that does not fit, a string or comment without an end, a sign that PTX does not have",
        "numbers are 31, 0x1F, 0b11111, 037, 1.5, 0f3F800000 (f32 by its bits), 0d3FF0000000000000 (f64)",
        ptx="mov.u32 %r1, 0xG;",
    ),
    Code(
        "PTX102",
        "missing ';'",
        "an instruction or a declaration has no ';' at its end; the finding is on the line where it is missing",
        "write the ';'",
        ptx="mov.u32 %r1, %r2\nadd.u32 %r1, %r1, 1;",
    ),
    Code(
        "PTX103",
        "unexpected token",
        "the text stops being what the grammar wants at this token",
        "read what the finding says was expected there",
        ptx="add.u32 %r1, [%r2;",
    ),
    Code(
        "PTX104",
        "unbalanced braces",
        "a '{' is never closed, or a '}' closes nothing",
        "look at the brace that the finding names, not at the end of the file",
        module=_HEADER + ".entry k()\n{\n\t{ ret;\n}\n",
    ),
    Code(
        "PTX105",
        "wrong head of a module",
        ".version, .target and .address_size are not the first directives, or say what PTX does not have",
        "begin with .version 8.0, .target sm_90a, .address_size 64",
        module=".target sm_90a\n.address_size 64\n",
    ),
    Code(
        "PTX106",
        "unknown or misplaced directive",
        "a directive that PTX does not have, or one that stands where it may not",
        "ptxgen explain .NAME says where a directive may stand",
        ptx=".visible .entry inner() { ret; }",
    ),
    Code(
        "PTX107",
        "not a type of variables",
        "a declaration names an unknown type, one that only instructions take (.f16x2, .e4m3x2, .tf32, ...), or one that its state space does not hold",
        "declare bits of that size: .b16, .b32; predicates are registers, a vector has 16 bytes at the most",
        ptx=".reg .e4m3x2 %x;",
    ),
    Code(
        "PTX108",
        "wrong constant expression",
        "an expression with a floating constant where integers are needed, an unknown cast, or a division by 0 (manual 4.5)",
        "integers, the operators of C, and casts to (.s64) and (.u64)",
        ptx="mov.u32 %r1, 4 / 0;",
    ),
    Code(
        "PTX109",
        "an array without a size",
        "a dimension is empty or 0 where nothing else says how long the array is",
        "a size; .extern variables, those with a list of initial values, and the last parameter of a function need none",
        ptx=".shared .b32 tile[];",
    ),
    Code(
        "PTX110",
        "wrong initial value",
        "a value of another kind or shape than the variable, or one for a variable that can have none (.shared, .local, .extern)",
        "integers for .u and .s, floats for .f, .u64 for an address; a list in { } for each dimension, no longer than it",
        module=_HEADER + ".global .f32 one = 1;\n.visible .entry k() { ret; }\n",
    ),
    Code(
        "PTX150",
        "no such template",
        "a template, or one that it includes, is in none of the folders that were looked in",
        "give its path, or its folder with folders=",
        template='{% include "missing.ptx.j2" %}\n',
    ),
    Code(
        "PTX151",
        "template syntax",
        "Jinja cannot read the template",
        "the finding names the template's line",
        template="{% if x %}\n",
    ),
    Code(
        "PTX152",
        "a template's expression fails",
        "an expression of the template uses an undefined name or raises",
        "declare the name as a parameter: {# ptxgen: parameter unroll: int = 1 #}",
        template="{{ undefined_name }}\n",
    ),
    Code(
        "PTX153",
        "wrong parameter of a template",
        "a parameter is missing, unknown, or its value is not of the declared type or range",
        "the finding says what the template's declaration allows",
        template="{# ptxgen: parameter unroll: int #}\n",
    ),
    Code(
        "PTX154",
        "wrong parameter declaration in a template",
        "a '{# ptxgen: parameter ... #}' line cannot be read, or its default contradicts its type",
        "{# ptxgen: parameter name: int(1..8) = 2 -- what it is #}",
        template="{# ptxgen: parameter unroll: #}\n",
    ),
    # 2xx: forms, operands, types
    Code(
        "PTX200",
        "unknown instruction",
        "no instruction of PTX has this opcode",
        "the finding names the nearest opcode",
        ptx="mvo.u32 %r1, %r2;",
    ),
    Code(
        "PTX201",
        "no such form of the instruction",
        "the opcode exists, but not with these modifiers and types",
        "ptxgen explain OPCODE lists the forms; the finding names the nearest",
        ptx="add.rn.u32 %r1, %r1, %r2;",
    ),
    Code(
        "PTX202",
        "wrong number of operands",
        "the form takes another number of operands (or a call of the builder another number of arguments)",
        "the finding writes the operands out",
        ptx="add.u32 %r1, %r2;",
    ),
    Code(
        "PTX203",
        "operand of the wrong type",
        "a register's type is not one that the instruction's type accepts (manual 9.4)",
        "convert with cvt, or reinterpret bits with mov.b32",
        ptx="add.u32 %r1, %r1, %f1;",
    ),
    Code(
        "PTX204",
        "operand of the wrong kind",
        "a constant, address, vector, pair, special register or negation stands where the form takes something else",
        "the finding says what it takes; special registers are read with mov",
        ptx="add.u32 %r1, %tid.x, 1;",
    ),
    Code(
        "PTX205",
        "constant out of range",
        "an immediate is outside the range that the form allows; a warning where assemblers take it all the same",
        "the finding says the range",
        ptx="bar.sync 17;",
        severity="error or warning",
    ),
    Code(
        "PTX206",
        "guard is no predicate",
        "the register behind @ (or a condition of the builder) is not of type .pred",
        "setp.ne.u32 %p1, %r1, 0; then @%p1",
        ptx="@%r1 ret;",
    ),
    Code(
        "PTX207",
        "address in another state space",
        "a variable, or a register that holds its address, is of another state space than the instruction works on; a register's "
        "is a warning",
        "name the variable's own space, or take its generic address with cvta",
        before=".global .b32 g;",
        ptx="ld.shared.u32 %r1, [g];",
        severity="error or warning",
    ),
    Code(
        "PTX208",
        "modifiers out of order",
        "every modifier is legal, but they stand in another order than the manual's; assemblers take some of these",
        "the finding names the form in the manual's order",
        ptx="ld.u32.global %r1, [%rd1];",
        severity="error or warning",
    ),
    Code(
        "PTX209",
        "a global or generic address in fewer than 64 bits",
        "global and generic memory has 64-bit addresses; from sm_90 on assemblers refuse 32-bit ones, before they cut the address",
        "a .b64 register; addresses in .shared, .local, .const and .param fit into 32 bits",
        ptx="ld.global.u32 %r1, [%r2];",
        severity="error or warning",
    ),
    Code(
        "PTX220",
        "the builder has no such operation on these types",
        "an operator or a function of the builder is given a type that it does not work on, or two types that differ",
        "convert one: x.to(f32); or take the bits: x.bits(u32)",
        python="x[0] = a + n",
    ),
    Code(
        "PTX221",
        "a value that the builder cannot take",
        "a Python number does not fit the type, an index is outside the array, a step is 0, ...",
        "the finding says what is allowed",
        python="n + 0x1_0000_0000",
    ),
    # 3xx: names and control flow
    Code(
        "PTX301",
        "unknown name",
        "a register, variable, function or special register is used without a declaration that is visible there",
        "declare it before its use; names inside { } end with it",
        ptx="add.u32 %r1, %r1, %r9;",
    ),
    Code(
        "PTX302",
        "declared twice",
        "two declarations of one name in one scope; labels and parameters share it; or one number of two .file",
        "rename one",
        ptx=".reg .u32 %r1;",
    ),
    Code(
        "PTX303",
        "register read before it is written",
        "on some path from the entry the register has no value yet; assemblers take it, the value is undefined. "
        "wgmma.mma_async reads its accumulators, unless its scale-d is certainly false",
        "give it a value on every path; a chain of wgmma.mma_async begins with scale-d 0, or with zeros in its accumulators",
        ptx="add.u32 %r1, %r3, 1;",
        severity="warning",
    ),
    Code(
        "PTX304",
        "unknown label",
        "a branch names a label that its function does not have, or that lies inside another { }",
        "labels are visible in their own { } and in those inside it",
        ptx="bra NOWHERE;",
    ),
    Code(
        "PTX305",
        "declarations of a function that do not agree",
        "two declarations of one name with other parameters, or a .reg parameter of type .pred, .u8, .s8, .u16 or .s16",
        "repeat the declaration as it is; pass small values as .reg .b16 or in .param variables",
        before=".func f(.param .b32 x);\n.func f(.param .b64 x) { ret; }",
        ptx="ret;",
    ),
    Code(
        "PTX306",
        "call does not match the function",
        "a call names no device function, or passes another number or other types of arguments and results",
        "the finding says what the function takes",
        before=".func f(.reg .u32 %i) { ret; }",
        ptx="call f, (%r1, %r2);",
    ),
    Code(
        "PTX307",
        "an input parameter is written",
        "st.param to a parameter of this function: kernel parameters are read-only (manual 5.1.6)",
        "copy it to a register or to .local memory",
        ptx="st.param.u64 [a], %rd1;",
    ),
    Code(
        "PTX308",
        "a .param variable is used against the order of a call",
        "ld.param of what no call before it has as a result, ld.param or st.param of a call's variable under a guard, its "
        "address taken, a result of the function itself read",
        "st.param the arguments, call, ld.param the results, in this order and without guards",
        before=".func (.param .b32 o) f() { ret; }",
        ptx="{ .param .b32 r;\nld.param.b32 %r1, [r];\ncall (r), f; }",
    ),
    Code(
        "PTX309",
        "an argument without a value",
        "a .param variable is passed to a function, and nothing is ever stored to it",
        "st.param before the call",
        before=".func f(.param .b32 i) { ret; }",
        ptx="{ .param .b32 q;\ncall f, (q); }",
        severity="warning",
    ),
    Code(
        "PTX310",
        "code that nothing leads to",
        "instructions behind an unconditional bra, ret or exit, without a label that anything branches to",
        "delete them, or branch to their label",
        ptx="bra END;\nadd.u32 %r1, %r1, 1;\nEND:",
        severity="warning",
    ),
    Code(
        "PTX311",
        "control runs past the end",
        "the last instruction is no ret, exit or unconditional branch; assemblers put a ret there",
        "end with ret;",
        module=_HEADER + ".entry k()\n{\n\t.reg .b32 %r<2>;\n\tmov.u32 %r1, 1;\n}\n",
        severity="warning",
    ),
    Code(
        "PTX312",
        "a comparison that is always true",
        "an unsigned number asked whether it is at least 0, or a register whether it equals itself: a loop that counts down "
        "this way never ends",
        "compare what was meant: setp.ge.s32 for signed numbers",
        ptx="setp.ge.u32 %p1, %r1, 0;",
        severity="warning",
    ),
    Code(
        "PTX313",
        "a constant that leaves nothing to compute",
        "a shift by as many bits as the value has, or more; a field behind its end; an integer divided by zero",
        "the constant that was meant",
        ptx="shl.b32 %r1, %r2, 32;",
        severity="warning",
    ),
    Code(
        "PTX320",
        "Python asks for a value that only the device knows",
        "if, while, and, or, not, min, range, a list index or float() of a device value: Python runs once, while building",
        "with k.if_(condition):, k.select, k.while_, k.range, and & | ~ for and, or, not",
        python="if n > 3:\n    x[0] = a",
    ),
    Code(
        "PTX321",
        "a value is used where it does not exist",
        "a value computed inside the body of k.if_ or of a loop is used behind it, or in another kernel",
        "a variable outlives a body: acc = k.var(f32, 0) before it, acc += ... inside it",
        python="with k.if_(n > 3):\n    b = a * 2.0\nx[0] = b",
    ),
    Code(
        "PTX322",
        "the result of a comparison is thrown away",
        "a == b on device values makes a predicate, which nothing used",
        "give it to k.if_, k.select, a vote or a guard, or delete it",
        python="n == 3",
    ),
    Code(
        "PTX323",
        "a guard over nothing",
        "the body of k.pred holds no instruction",
        "put the instructions that it guards inside it",
        python="with k.pred(n > 3):\n    pass",
    ),
    Code(
        "PTX324",
        "Python's break, continue or return in a body of the device",
        "the body of k.if_, k.range and their like is built once; Python's break, continue and return leave Python's statement, not the device's",
        "k.break_(), k.continue_() or k.return_(), under k.if_(condition) in a loop",
        python="for i in k.range(n):\n    break",
    ),
    Code(
        "PTX325",
        "break_ or continue_ outside a loop",
        "k.break_() or k.continue_() stands outside the bodies of k.while_ and k.range",
        "move it into the loop's body; k.return_() leaves a kernel",
        python="k.break_()",
    ),
    Code(
        "PTX326",
        "a value is assigned twice",
        "values are single-assignment; .set and an exact instruction's destination need a variable",
        "d = k.var(f32) and then d.set(...)",
        python="b = a * 2.0\nb.set(a)",
    ),
    Code(
        "PTX327",
        "the bodies of a structured statement are out of order",
        "then and otherwise not once each and in this order, a loop's condition that is no function, a body left open",
        "with k.if_else(p) as (then, otherwise): with then: ... with otherwise: ...",
        python="with k.while_(n > 3):\n    pass",
    ),
    Code(
        "PTX328",
        "k.pred around what cannot be guarded",
        "control flow, or another guard, inside k.pred",
        "k.if_(condition) for control flow; k.pred(a & b) for two guards",
        python="with k.pred(n > 3):\n    with k.pred(n < 9):\n        x[0] = a",
    ),
    Code(
        "PTX329",
        "return_ in a device function",
        "k.return_() leaves a kernel; a device function ends by giving its result",
        "return value",
        python="@px.func\ndef f(k, y: f32) -> f32:\n    k.return_()\n    return y\nx[0] = f(a)",
    ),
    Code(
        "PTX330",
        "a write through a read-only pointer",
        "a store, an atomic or an ordered load through px.read_only[...], through x.read_only(), or through an address made of one",
        "px.ptr[...] for memory that the kernel writes",
        python="x.read_only()[0] = a",
    ),
    # 4xx: targets, versions, limits
    Code(
        "PTX401",
        "unknown PTX version",
        "the .version is newer than any that ptxgen knows, or lies between two of them",
        'version="auto" picks the lowest that is enough',
        module=".version 8.99\n.target sm_90a\n.address_size 64\n",
    ),
    Code(
        "PTX402",
        "unknown target",
        "no such target",
        "ptxgen explain sm_90a describes a target; ptxgen isa lists them",
        module=".version 8.0\n.target sm_91\n.address_size 64\n",
    ),
    Code(
        "PTX403",
        "target newer than the PTX version",
        "the target came with a later PTX version than the module's",
        'version="auto", or the version that the finding names',
        header="7.0 sm_90",
        ptx="ret;",
    ),
    Code(
        "PTX404",
        "address size not supported",
        ".address_size 32: no assembler of today takes it",
        ".address_size 64",
        module=".version 8.0\n.target sm_90a\n.address_size 32\n",
    ),
    Code(
        "PTX411",
        "newer than the PTX version",
        "the instruction, modifier or directive came with a later PTX version than the module's",
        'version="auto", or the version that the finding names',
        header="7.8 sm_90",
        ptx="elect.sync %r1|%p1, -1;",
    ),
    Code(
        "PTX412",
        "not on this target",
        "the instruction, modifier or directive needs a newer target, or one with the suffix a or f",
        "take the target that the finding names; a-features run on that architecture only, f-features on its family",
        header="8.0 sm_90",
        ptx="wgmma.fence.sync.aligned;",
    ),
    Code(
        "PTX413",
        "ended with an older PTX version",
        "the instruction was removed: shfl and vote without .sync ended with PTX 6.3 on sm_70 and newer",
        "the .sync form, with a mask of the lanes that take part",
        ptx="shfl.bfly.b32 %r1, %r1, 1, 31;",
    ),
    Code(
        "PTX421",
        "too much shared memory",
        "a kernel declares more static shared memory than the target allows",
        "dynamic shared memory: .extern .shared, and its size at launch",
        header="8.0 sm_80",
        ptx=".shared .b8 s[50000];\nmov.u32 %r1, s;",
    ),
    Code(
        "PTX422",
        "wrong argument of a directive",
        "a performance-tuning directive has an argument out of range, or contradicts another one",
        "ptxgen explain .NAME says what it takes",
        head=".reqntid 0",
        ptx="ret;",
        severity="error or warning",
    ),
    Code(
        "PTX423",
        "too many bytes of parameters",
        "a kernel's parameters are over 4352 bytes, or 32764 with PTX 8.1 and newer on sm_70 and newer",
        "pass a pointer to a structure",
        module=_HEADER + ".entry k(.param .align 8 .b8 big[4400]) { ret; }\n",
    ),
    Code(
        "PTX424",
        "special register not available",
        "the special register needs a newer target or PTX version",
        "the finding names them",
        header="8.0 sm_80",
        ptx="mov.u32 %r1, %cluster_ctarank;",
    ),
    Code(
        "PTX425",
        "wrong alignment",
        ".align is no power of two, or the address of an access is certainly no multiple of its size",
        "a power of two up to 128; an offset that is a multiple of the vector's size, a variable or pointer with that .align",
        ptx=".shared .align 3 .b8 s[16];",
        severity="error or warning",
    ),
    Code(
        "PTX426",
        "outside its variable",
        "a constant offset goes past the end of a variable or before its beginning, or the index of a thread that .reqntid states",
        "the finding says how large the variable is",
        before=".shared .align 16 .b8 s[64];",
        ptx="ld.shared.f32 %f1, [s+64];",
        severity="warning",
    ),
    Code(
        "PTX427",
        "too many constants",
        "the .const variables of a module need more than 64 KiB",
        ".global variables, or a buffer that the kernel gets as a parameter",
        before=".const .align 4 .b8 c[70000];",
        ptx="ret;",
    ),
    Code(
        "PTX428",
        "more registers or threads than a multiprocessor has",
        ".maxnreg, .maxntid or .reqntid, and .minnctapersm together promise what the hardware cannot hold: the launch fails, or "
        "the promise is ignored",
        "fewer registers a thread, smaller CTAs, or fewer of them",
        head=".maxntid 1024\n.maxnreg 128",
        ptx="ret;",
        severity="warning",
    ),
    Code(
        "PTX429",
        "too much local memory",
        "a function declares more than the 512 KiB of local memory that a thread can have",
        ".global memory, at an offset of the thread's own",
        ptx=".local .align 4 .b8 l[600000];\nmov.u64 %rd1, l;",
        severity="warning",
    ),
    Code(
        "PTX490",
        "the CPU device does not run it",
        "the instruction or feature has no lowering on the CPU device; it assembles and runs on a GPU",
        'px.device("cuda"), or another instruction where the finding names one',
    ),
    # 5xx: protocols, memory ordering, divergence
    Code(
        "PTX501",
        "only some lanes of a warp come to an .aligned instruction",
        "bar.sync, mma, wgmma, ldmatrix, setmaxnreg, ... under a branch, a loop or a guard on which lanes of one warp differ",
        "move it out of the branch, or branch on what is the same in the warp (tid / 32, a vote, shfl.sync.idx from one lane)",
        ptx="mov.u32 %r1, %laneid;\nsetp.lt.u32 %p1, %r1, 7;\n@%p1 bar.sync 0;\nst.shared.u32 [s], %r1;",
        before=".shared .b32 s;",
        severity="warning",
    ),
    Code(
        "PTX502",
        "only some threads of a CTA come to a barrier without a thread count",
        "a barrier that waits for the whole CTA, under a branch on which its threads differ; the others never come",
        "move it out of the branch, or give it a number of its own and the count of the threads that come: bar.sync 1, 64",
        ptx="mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 64;\n@%p1 bar.sync 0;\nst.shared.u32 [s], %r1;",
        before=".shared .b32 s;",
        severity="warning",
    ),
    Code(
        "PTX503",
        "a mask names lanes that do not come",
        "shfl.sync, vote.sync, ... with the mask of all lanes, in code that only some lanes of the warp reach",
        "move it out of the branch, or make the mask with vote.sync.ballot before the branch",
        ptx="mov.u32 %r1, %laneid;\nsetp.lt.u32 %p1, %r1, 7;\n@%p1 bar.warp.sync -1;\nst.shared.u32 [s], %r1;",
        before=".shared .b32 s;",
        severity="warning",
    ),
    Code(
        "PTX504",
        "a barrier's thread count is no number of warps",
        "a register that is only ever set to a constant gives the count of bar.sync, bar.arrive or bar.red, and that is 0 or no "
        "multiple of 32 (immediates are PTX205); or a bar.arrive counts no threads, which is an error",
        "round it up to whole warps, and let whole warps come",
        ptx="mov.u32 %r3, 33;\nbar.sync 1, %r3;",
        severity="error or warning",
    ),
    Code(
        "PTX505",
        "a barrier that does not exist or counts more threads than there are",
        "a number over 15, or a count over the CTA's size (.reqntid, .maxntid, else 1024): nobody ever passes it",
        "barriers are numbered 0 to 15; count the threads that come",
        head=".reqntid 128",
        ptx="bar.sync 1, 256;",
        severity="warning",
    ),
    Code(
        "PTX506",
        "nobody waits at the barrier at which threads arrive",
        "a bar.arrive whose number and count no bar.sync or bar.red of the kernel has",
        "the same number and the same count on both sides",
        ptx="bar.arrive 1, 64;\nbar.sync 1, 128;",
        severity="warning",
    ),
    Code(
        "PTX507",
        "shared memory goes from thread to thread without a barrier",
        "one thread stores, another loads the same bytes (or stores where another has loaded), and a way between the two has no barrier; "
        "the same of atomics and plain accesses, and of two stores of different values",
        "bar.sync between the two accesses; in a loop also before the next round's stores",
        before=".shared .align 4 .b32 s[64];",
        ptx="mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, s;\nadd.u32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %r1;\n"
        "ld.shared.u32 %r1, [s+4];",
        severity="warning",
    ),
    Code(
        "PTX508",
        "threads leave a loop with a barrier in it",
        "a condition that differs between the threads of a CTA ends the kernel for some, while the others meet at the loop's barrier",
        "let every thread go round as often; guard the loads and stores, not the barrier",
        ptx="mov.u32 %r1, %tid.x;\nL: setp.gt.u32 %p1, %r1, 99;\n@%p1 ret;\nbar.sync 0;\nadd.u32 %r1, %r1, 32;\nbra L;",
        severity="warning",
    ),
    Code(
        "PTX509",
        "a barrier that counts other threads than come",
        "with .reqntid, conditions on the thread's number say which warps come to the barriers of a number, and their threads are not "
        "as many as the barrier counts: they wait for ever, or groups meet that nobody meant",
        "the number of the threads that come, bar.arrive of those that do not wait among them",
        head=".reqntid 128",
        ptx="mov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, 64;\n@%p1 bra REST;\nbar.sync 1, 96;\nREST: st.global.u32 [%rd1], %r1;",
        severity="warning",
    ),
    Code(
        "PTX510",
        "a wait for cp.async groups that are not there",
        "cp.async.wait_group where no path has committed as many groups as it leaves pending, or none at all",
        "cp.async.commit_group behind the copies; the N of the wait is the number of groups that may stay in flight",
        ptx="cp.async.wait_group 0;",
        severity="warning",
    ),
    Code(
        "PTX511",
        "a cp.async outside any group",
        "a path from the copy to the end has no commit_group, wait_all or mbarrier.arrive: no wait covers the copy",
        "cp.async.commit_group behind the copies of a stage, on every path",
        before=".shared .align 16 .b8 s[256];",
        ptx="cp.async.ca.shared.global [s], [%rd1], 16;",
        severity="warning",
    ),
    Code(
        "PTX512",
        "cp.async groups that nothing waits for",
        "groups are committed, and the kernel has no wait_group, wait_all or mbarrier.arrive",
        "cp.async.wait_group before the data is used",
        before=".shared .align 16 .b8 s[256];",
        ptx="cp.async.ca.shared.global [s], [%rd1], 16;\ncp.async.commit_group;",
        severity="warning",
    ),
    Code(
        "PTX513",
        "shared memory read before cp.async has filled it",
        "no wait, or one that leaves the group of the copy pending, stands between the copy and the read",
        "cp.async.wait_group N with N less than the groups committed behind the copy, then a barrier",
        before=".shared .align 16 .b8 s[256];",
        ptx="cp.async.ca.shared.global [s], [%rd1], 16;\ncp.async.commit_group;\nld.shared.f32 %f2, [s];",
        severity="warning",
    ),
    Code(
        "PTX514",
        "other threads' copies read without a barrier",
        "cp.async.wait_group waits for the copies of the thread itself; what others have copied is there behind a barrier",
        "bar.sync between the wait and the read",
        before=".shared .align 16 .b8 s[2048];",
        ptx="mov.u32 %r1, %tid.x;\nshl.b32 %r1, %r1, 4;\nmov.u32 %r2, s;\nadd.u32 %r1, %r1, %r2;\n"
        "cp.async.ca.shared.global [%r1], [%rd1], 16;\ncp.async.commit_group;\ncp.async.wait_group 0;\nld.shared.f32 %f2, [%r2+64];",
        severity="warning",
    ),
    Code(
        "PTX520",
        "a wait for bulk groups that are not there",
        "cp.async.bulk.wait_group where no path has committed a group",
        "cp.async.bulk.commit_group behind the copies, in the thread that issues them",
        ptx="cp.async.bulk.wait_group 0;",
        severity="warning",
    ),
    Code(
        "PTX521",
        "a bulk copy outside any group",
        "a path from a copy out of shared memory to the end has no cp.async.bulk.commit_group",
        "cp.async.bulk.commit_group, then wait_group.read before the source is written again or the CTA ends",
        before=".shared .align 16 .b8 s[256];",
        ptx="cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256;",
        severity="warning",
    ),
    Code(
        "PTX522",
        "the source of a bulk copy is overwritten",
        "shared memory is written while a bulk copy that the thread has issued may still read it",
        "cp.async.bulk.wait_group.read in the issuing thread, then a barrier, then the write",
        before=".shared .align 16 .b8 s[256];",
        ptx="cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256;\ncp.async.bulk.commit_group;\nst.shared.u32 [s], %r1;\n"
        "cp.async.bulk.wait_group 0;",
        severity="warning",
    ),
    Code(
        "PTX523",
        "the kernel may end while a bulk copy reads its shared memory",
        "a group is committed, and a path to the end does not wait for it, or threads wait that have not issued its copies",
        "cp.async.bulk.wait_group.read 0 before the exit",
        before=".shared .align 16 .b8 s[256];",
        ptx="cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256;\ncp.async.bulk.commit_group;",
        severity="warning",
    ),
    Code(
        "PTX524",
        "shared memory read before a bulk copy has filled it",
        "no wait for the mbarrier on which the copy completes stands before the read",
        "a loop around mbarrier.try_wait before the data is read",
        before=".shared .align 16 .b8 s[256]; .shared .align 8 .b64 bar;",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [bar];\nld.shared.f32 %f2, [s];",
        severity="warning",
    ),
    Code(
        "PTX525",
        "bytes of a bulk copy that nothing expects",
        "the mbarrier of the copy is never told how many bytes will come, so that its phase may end before they do",
        "mbarrier.arrive.expect_tx with the bytes of all copies of the phase",
        before=".shared .align 16 .b8 s[256]; .shared .align 8 .b64 bar;",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [bar];\n"
        "mbarrier.arrive.shared::cta.b64 _, [bar];\nWAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra WAIT;",
        severity="warning",
    ),
    Code(
        "PTX526",
        "an mbarrier with copies that nobody waits for",
        "bulk copies complete on the mbarrier, and no try_wait or test_wait is on it",
        "a loop around mbarrier.try_wait before the data is used",
        before=".shared .align 16 .b8 s[256]; .shared .align 8 .b64 bar;",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [bar];",
        severity="warning",
    ),
    Code(
        "PTX527",
        "a buffer of an asynchronous copy is misaligned",
        "bulk copies need 16 bytes of alignment in shared memory, tensor copies 128, cp.async its size",
        ".align on the variable, and offsets that keep it",
        before=".shared .align 8 .b8 s[256];",
        ptx="cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256;",
        severity="warning",
    ),
    Code(
        "PTX528",
        "multicast to CTAs that the cluster does not have",
        "the mask of a multicast copy is 0, or names ranks beyond .reqnctapercluster",
        "one bit for each CTA of the cluster that is to receive the data",
        before=".shared .align 16 .b8 s[256]; .shared .align 8 .b64 bar;",
        head=".reqnctapercluster 2",
        ptx="mov.b16 %h1, 5;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [%rd1], 256, [bar], %h1;",
        severity="warning",
    ),
    Code(
        "PTX529",
        "bytes expected that are not those of the copies",
        "expect_tx says another number of bytes than the copies that complete on the mbarrier bring: its phase ends too early, or never",
        "the sum of the bytes of the copies",
        before=".shared .align 8 .b64 bar; .shared .align 16 .b8 s[256];",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [bar];\n"
        "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra WAIT;",
        severity="warning",
    ),
    Code(
        "PTX530",
        "an mbarrier that nothing initialises",
        "the object is used, and no mbarrier.init of the kernel is on it",
        "mbarrier.init by one thread, then a fence and a barrier",
        before=".shared .align 8 .b64 bar;",
        ptx="mbarrier.arrive.shared::cta.b64 _, [bar];",
        severity="warning",
    ),
    Code(
        "PTX531",
        "a wait for an mbarrier that does not wait",
        "the predicate of test_wait or try_wait is not looked at, nothing repeats the wait, or its loop runs the wrong way round",
        "WAIT: mbarrier.try_wait.parity... p, [bar], phase; @!p bra WAIT;",
        before=".shared .align 8 .b64 bar;",
        ptx="mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;",
        severity="warning",
    ),
    Code(
        "PTX532",
        "an mbarrier used before all threads know it",
        "no barrier stands between the mbarrier.init of one thread and the use by another",
        "bar.sync, or barrier.cluster, behind the initialisation",
        before=".shared .align 8 .b64 bar;",
        ptx="@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\nmbarrier.arrive.shared::cta.b64 _, [bar];",
        severity="warning",
    ),
    Code(
        "PTX533",
        "a copy uses an mbarrier that the async proxy does not know",
        "no fence stands between mbarrier.init and a bulk copy that completes on it",
        "fence.mbarrier_init.release.cluster (or fence.proxy.async) in the thread that initialises",
        before=".shared .align 16 .b8 s[256]; .shared .align 8 .b64 bar;",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;\nbar.sync 0;\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [bar];\n"
        "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra WAIT;",
        severity="warning",
    ),
    Code(
        "PTX534",
        "an mbarrier initialised twice",
        "mbarrier.init on memory that holds a valid mbarrier is undefined",
        "mbarrier.inval in between",
        before=".shared .align 8 .b64 bar;",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;\nmbarrier.init.shared::cta.b64 [bar], 2;",
        severity="warning",
    ),
    Code(
        "PTX535",
        "an mbarrier used behind its inval, or perhaps at the same time",
        "after mbarrier.inval the memory is no mbarrier any more; one thread invalidates it, or initialises it anew, and no barrier "
        "stands between that and what other threads still do with it",
        "mbarrier.inval behind the last use and a barrier, or mbarrier.init again",
        before=".shared .align 8 .b64 bar;",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;\nbar.sync 0;\nmbarrier.inval.shared::cta.b64 [bar];\n"
        "mbarrier.arrive.shared::cta.b64 _, [bar];",
        severity="warning",
    ),
    Code(
        "PTX536",
        "a parity that never flips",
        "every turn of a loop waits for the same parity of the same mbarrier: every second phase goes by unseen",
        "xor.b32 phase, phase, 1 each time the same object is waited for again",
        before=".shared .align 8 .b64 bar;",
        ptx="LOOP:\nmbarrier.arrive.shared::cta.b64 _, [bar];\n"
        "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra WAIT;\n"
        "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p3, %r1, 9;\n@%p3 bra LOOP;",
        severity="warning",
    ),
    Code(
        "PTX537",
        "an mbarrier object of the wrong size or alignment",
        "an mbarrier is 8 bytes of shared memory, aligned to 8",
        ".shared .align 8 .b64",
        before=".shared .align 4 .b32 bar[2];",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;",
        severity="warning",
    ),
    Code(
        "PTX538",
        "an mbarrier on which not as many arrive as it counts",
        "threads wait for the mbarrier, and nothing of the kernel arrives on it, or another number of threads than mbarrier.init says",
        "mbarrier.arrive, arrive.expect_tx, cp.async.mbarrier.arrive or tcgen05.commit, as often as mbarrier.init counts",
        before=".shared .align 8 .b64 bar;",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;\nbar.sync 0;\n"
        "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra WAIT;",
        severity="warning",
    ),
    Code(
        "PTX539",
        "first phases that wait for each other",
        "a thread waits for the first phase of an mbarrier (parity 0) before it does what others wait for before they arrive on it; "
        "typically the side that fills a ring, whose stages are free in the beginning",
        "parity 1 for the first wait: the phase before the first counts as complete",
        before=".shared .align 8 .b64 bar;",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;\nbar.sync 0;\n"
        "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra WAIT;\n"
        "mbarrier.arrive.shared::cta.b64 _, [bar];",
        severity="warning",
    ),
    Code(
        "PTX540",
        "wgmma without its fence",
        "no wgmma.fence stands between the last access to the registers of wgmma.mma_async and itself, or none at all before it",
        "wgmma.fence.sync.aligned before the first mma_async, and whenever its registers were touched in between",
        head=".reqntid 128",
        ptx=".reg .f32 %d<4>;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd1, %rd1, 0, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;",
        severity="warning",
    ),
    Code(
        "PTX541",
        "a register used while wgmma owns it",
        "accumulators are read or written, or fragments of A written, before a wait_group covers the wgmma.mma_async",
        "wgmma.commit_group, then wgmma.wait_group 0, then the access",
        head=".reqntid 128",
        ptx=".reg .f32 %d<4>;\nwgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd1, %rd1, 0, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;\nadd.f32 %d0, %d0, %d0;\nwgmma.wait_group.sync.aligned 0;",
        severity="warning",
    ),
    Code(
        "PTX542",
        "wgmma outside any group",
        "a path from wgmma.mma_async to the end has no wgmma.commit_group: no wait covers it",
        "wgmma.commit_group behind the last mma_async of a stage",
        head=".reqntid 128",
        ptx=".reg .f32 %d<4>;\nwgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd1, %rd1, 0, 1, 1, 0, 0;\n"
        "wgmma.wait_group.sync.aligned 0;",
        severity="warning",
    ),
    Code(
        "PTX543",
        "wgmma groups that nothing waits for",
        "a path to the end leaves committed groups pending",
        "wgmma.wait_group 0 before the results are used",
        head=".reqntid 128",
        ptx=".reg .f32 %d<4>;\nwgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd1, %rd1, 0, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;",
        severity="warning",
    ),
    Code(
        "PTX544",
        "a wait for wgmma groups that are not there",
        "wgmma.wait_group where no path has committed a group",
        "wgmma.commit_group behind the mma_async, before the wait",
        head=".reqntid 128",
        ptx="wgmma.wait_group.sync.aligned 0;",
        severity="warning",
    ),
    Code(
        "PTX545",
        "wgmma of two shapes on the same accumulators without a fence",
        "only mma_async of one shape and type are ordered by themselves on the same accumulators",
        "wgmma.fence between them",
        head=".reqntid 128",
        ptx=".reg .b32 %d<4>;\nwgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd1, %rd1, 0, 1, 1, 0, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%d0, %d1, %d2, %d3}, %rd1, %rd1, 1, 1, 1;\n"
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;",
        severity="warning",
    ),
    Code(
        "PTX547",
        "a buffer given back while wgmma reads it",
        "the arrival that lets a producer refill the buffer stands before the wait for the wgmma group that reads it",
        "wgmma.wait_group 1, then the arrival for the stage of the turn before; or wait_group 0, then the arrival",
        head=".reqntid 256",
        before=".shared .align 128 .b8 s[2048]; .shared .align 8 .b64 full; .shared .align 8 .b64 empty;",
        ptx=".reg .f32 %d<4>;\n.reg .b32 %desc;\n@!%p1 bra READY;\nmbarrier.init.shared::cta.b64 [full], 1;\n"
        "mbarrier.init.shared::cta.b64 [empty], 128;\nfence.mbarrier_init.release.cluster;\nREADY: bar.sync 0;\nmov.u32 %r2, %tid.x;\n"
        "setp.ge.u32 %p2, %r2, 128;\n@%p2 bra CONSUMER;\n@!%p1 bra END;\n"
        "EMPTY: mbarrier.try_wait.parity.shared::cta.b64 %p3, [empty], 1;\n@!%p3 bra EMPTY;\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 2048;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 2048, [full];\nbra END;\nCONSUMER:\n"
        "FULL: mbarrier.try_wait.parity.shared::cta.b64 %p3, [full], 0;\n@!%p3 bra FULL;\n"
        "mov.u32 %desc, s;\nshr.u32 %desc, %desc, 4;\ncvt.u64.u32 %rd2, %desc;\nwgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %rd2, %rd2, 0, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;\nmbarrier.arrive.shared::cta.b64 _, [empty];\nwgmma.wait_group.sync.aligned 0;\nEND:",
        severity="warning",
    ),
    Code(
        "PTX548",
        "a stage filled again while others may still read it",
        "a loop copies into the stages of a ring, comes back to the first of them, and nothing in it waits for the threads that read: "
        "a fast producer overwrites what slow consumers have not seen",
        "an mbarrier a stage on which the readers arrive, and a wait for it (parity 1 the first time) before the copy; "
        "or a barrier between the reads and the next copy",
        head=".reqntid 64",
        before=".shared .align 128 .b8 s[1024]; .shared .align 8 .b64 full;",
        ptx="mov.u32 %r2, %tid.x;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 mbarrier.init.shared::cta.b64 [full], 1;\n"
        "@%p1 fence.mbarrier_init.release.cluster;\nbar.sync 0;\nmov.u32 %r1, 0;\nmov.u32 %r3, 0;\n"
        "NEXT: @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 1024;\n"
        "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 1024, [full];\n"
        "FULL: mbarrier.try_wait.parity.shared::cta.b64 %p3, [full], %r3;\n@!%p3 bra FULL;\n"
        "ld.shared.f32 %f1, [s];\nst.global.f32 [%rd1], %f1;\n"
        "xor.b32 %r3, %r3, 1;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p2, %r1, 9;\n@%p2 bra NEXT;",
        severity="warning",
    ),
    Code(
        "PTX550",
        "a register used before tcgen05.ld has filled it",
        "tcgen05.ld is asynchronous: its registers arrive with tcgen05.wait::ld",
        "tcgen05.wait::ld.sync.aligned between the load and the first use",
        header="8.6 sm_100a",
        ptx="tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r2}, [%r1];\nadd.u32 %r2, %r2, 1;\ntcgen05.wait::ld.sync.aligned;",
        severity="warning",
    ),
    Code(
        "PTX551",
        "tensor memory relied on before tcgen05.st has completed",
        "tcgen05.st is asynchronous: what follows it, in this thread or another, sees the data behind tcgen05.wait::st",
        "tcgen05.wait::st.sync.aligned behind the stores",
        header="8.6 sm_100a",
        ptx="tcgen05.st.sync.aligned.32x32b.x1.b32 [%r1], {%r2};\ntcgen05.fence::before_thread_sync;\nbar.sync 0;\n"
        "tcgen05.fence::after_thread_sync;",
        severity="warning",
    ),
    Code(
        "PTX552",
        "tcgen05.mma or cp that no commit follows",
        "the completion of these instructions is learnt from the mbarrier of a tcgen05.commit in the same thread",
        "tcgen05.commit behind them, and a wait for its mbarrier",
        header="8.6 sm_100a",
        ptx="tcgen05.cp.cta_group::1.128x256b [%r1], %rd1;",
        severity="warning",
    ),
    Code(
        "PTX553",
        "a tcgen05 fence without its counterpart",
        "fence::before_thread_sync of one thread and fence::after_thread_sync of another order their tcgen05 instructions together",
        "the other fence, on the other side of the barrier",
        header="8.6 sm_100a",
        ptx="tcgen05.fence::before_thread_sync;\nbar.sync 0;",
        severity="warning",
    ),
    Code(
        "PTX554",
        "tensor memory that is not given back",
        "a path from tcgen05.alloc to the end has no tcgen05.dealloc",
        "tcgen05.dealloc before the kernel ends, whatever the path",
        header="8.6 sm_100a",
        before=".shared .align 4 .b32 where;",
        ptx="tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 32;",
        severity="warning",
    ),
    Code(
        "PTX555",
        "tcgen05.alloc behind relinquish_alloc_permit",
        "the CTA has given up the right to allocate",
        "relinquish_alloc_permit behind the last allocation",
        header="8.6 sm_100a",
        before=".shared .align 4 .b32 where;",
        ptx="tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 32;\nld.shared.b32 %r1, [where];\n"
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;",
        severity="warning",
    ),
    Code(
        "PTX556",
        "sizes of tensor memory that do not fit together",
        "dealloc of another number of columns than was allocated, or an allocation larger than one before it",
        "give back what was allocated; allocate in falling order of size",
        header="8.6 sm_100a",
        before=".shared .align 4 .b32 where;",
        ptx="tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 64;\nld.shared.b32 %r1, [where];\n"
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;",
        severity="warning",
    ),
    Code(
        "PTX557",
        "warps that allocate tensor memory into one place",
        "several warps come to a tcgen05.alloc, each allocates, and all write the address to the same place: all but one are lost",
        "one warp that allocates for the CTA, and gives back",
        header="8.6 sm_100a",
        head=".reqntid 128",
        before=".shared .align 4 .b32 where;",
        ptx="tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 32;\nbar.sync 0;\nld.shared.b32 %r1, [where];\n"
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;",
        severity="warning",
    ),
    Code(
        "PTX559",
        "two values of .cta_group in one kernel",
        "all tcgen05 instructions of a kernel work on one CTA, or all on a pair",
        "the same .cta_group everywhere",
        header="8.6 sm_100a",
        before=".shared .align 4 .b32 where;",
        ptx="tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 32;\nld.shared.b32 %r1, [where];\n"
        "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r1, 32;",
    ),
    Code(
        "PTX560",
        "the async proxy reads what the generic proxy has written, without a fence",
        "st.shared before a bulk copy out of shared memory, wgmma or tcgen05 reads it; a barrier alone does not order the two, "
        "and a fence behind the barrier comes too late for what other threads have written",
        "fence.proxy.async in the writing threads, then the barrier",
        before=".shared .align 16 .b8 s[256];",
        ptx="st.shared.u32 [s], %r1;\nbar.sync 0;\ncp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256;\n"
        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;",
        severity="warning",
    ),
    Code(
        "PTX562",
        "a changed tensor map used without its fences",
        "tensor copies read maps through a proxy of their own; tensormap.replace writes through the generic one",
        "fence.proxy.tensormap::generic.release behind the change, .acquire on the map before the copy",
        before=".global .align 128 .b8 map[128]; .shared .align 128 .b8 s[256];",
        ptx="mov.u64 %rd2, map;\ncvta.global.u64 %rd2, %rd2;\ntensormap.replace.tile.global_address.b1024.b64 [%rd2], %rd1;\n"
        "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd2, {%r1}], [s];\ncp.async.bulk.commit_group;\n"
        "cp.async.bulk.wait_group 0;",
        header="8.3 sm_90a",
        severity="warning",
    ),
    Code(
        "PTX563",
        "a tensor map changed in shared memory and never published",
        "copies take their maps from global memory; a map that tensormap.replace has changed in shared memory must be copied there",
        "tensormap.cp_fenceproxy behind the last tensormap.replace",
        before=".shared .align 128 .b8 map[128];",
        ptx="tensormap.replace.tile.global_address.shared::cta.b1024.b64 [map], %rd1;",
        header="8.3 sm_90a",
        severity="warning",
    ),
    Code(
        "PTX564",
        "a multimem address used by ld, st, atom or red",
        "a multimem address stands for one location on each of several devices; only multimem instructions may use it",
        "the unicast address of the device's own memory; it is an alias: fence.proxy.alias between accesses by the one and the other",
        ptx="ld.param.u64 %rd2, [a];\nmultimem.red.release.sys.global.add.u32 [%rd2], 1;\n"
        "ld.acquire.sys.global.u32 %r1, [%rd2];\nst.global.u32 [x], %r1;",
        before=".global .u32 x;",
        header="8.1 sm_90",
        severity="warning",
    ),
    Code(
        "PTX565",
        "ld.global.nc of what the thread has stored",
        "the cache of .nc is not coherent: it is for memory that nothing writes while the kernel runs",
        "ld.global without .nc",
        ptx="st.global.u32 [%rd1], %r1;\nld.global.nc.u32 %r2, [%rd1];\nst.global.u32 [%rd1+4], %r2;",
        severity="warning",
    ),
    Code(
        "PTX570",
        "setmaxnreg in a kernel without a register count",
        "setmaxnreg moves registers between warps whose number at launch must be known; without it, it may have no effect",
        ".maxnreg, or .reqntid (or .maxntid) with .minnctapersm",
        ptx="setmaxnreg.dec.sync.aligned.u32 40;",
        severity="warning",
    ),
    Code(
        "PTX571",
        "a warpgroup's instruction under a condition of single warps",
        "wgmma and setmaxnreg need all four warps of a warpgroup; the condition is the same for fewer threads than that",
        "a condition on %tid.x / 128",
        head=".reqntid 128",
        ptx="mov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 5;\nsetp.ne.u32 %p2, %r2, 0;\n@%p2 bra END;\nsetmaxnreg.dec.sync.aligned.u32 40;\nEND:",
        severity="warning",
    ),
    Code(
        "PTX572",
        "setmaxnreg.dec to more registers than a thread has",
        "assemblers refuse a .dec to a count that is above the registers of the kernel and above every .inc",
        "a smaller count, or .inc",
        head=".maxnreg 168",
        ptx="setmaxnreg.dec.sync.aligned.u32 200;",
    ),
    Code(
        "PTX573",
        "setmaxnreg in the wrong direction",
        ".dec takes a count that is not above the present one, .inc one that is not below; anything else is undefined",
        "the other direction, or another count",
        head=".maxnreg 168",
        ptx="setmaxnreg.dec.sync.aligned.u32 40;\nsetmaxnreg.dec.sync.aligned.u32 64;",
        severity="warning",
    ),
    Code(
        "PTX574",
        "warpgroups that ask for more registers than the CTA has",
        "setmaxnreg moves registers between the warps of a CTA; when those that its warpgroups end with add up to more than it was "
        "launched with, some .inc waits for ever",
        "counts of which the sum over the warpgroups is at most that of the launch: 40 + 232 + 232 = 3 * 168",
        head=".reqntid 256 .maxnreg 128",
        ptx="mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p2, %r1, 128;\n@%p2 bra LOAD;\nsetmaxnreg.inc.sync.aligned.u32 240;\nret;\n"
        "LOAD: setmaxnreg.dec.sync.aligned.u32 40;",
        severity="warning",
    ),
    Code(
        "PTX580",
        "barrier.cluster.arrive without its wait",
        "a thread arrives twice, or ends, without barrier.cluster.wait in between",
        "arrive and wait in turn; the last wait before the exit",
        ptx="barrier.cluster.arrive.aligned;",
        severity="warning",
    ),
    Code(
        "PTX581",
        "barrier.cluster.wait without an arrival",
        "a thread waits that has not arrived",
        "barrier.cluster.arrive before it",
        ptx="barrier.cluster.wait.aligned;",
        severity="warning",
    ),
    Code(
        "PTX582",
        "another CTA's shared memory used before a barrier.cluster",
        "the CTAs of a cluster start at different times: until a barrier.cluster completes, the other may not run yet",
        "barrier.cluster.arrive and .wait before the first access",
        before=".shared .align 4 .b32 s;",
        ptx="mapa.shared::cluster.u32 %r1, s, 1;\nld.shared::cluster.u32 %r2, [%r1];\n"
        "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;",
        severity="warning",
    ),
    Code(
        "PTX583",
        "another CTA may end before its shared memory is used",
        "a path from an access to the exit has no barrier.cluster: the memory ends with its CTA",
        "barrier.cluster.arrive and .wait between the last access and the exit",
        before=".shared .align 4 .b32 s;",
        ptx="barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\nmapa.shared::cluster.u32 %r1, s, 1;\n"
        "ld.shared::cluster.u32 %r2, [%r1];",
        severity="warning",
    ),
    Code(
        "PTX584",
        "barrier.cluster.arrive.relaxed behind writes that others need",
        "a relaxed arrival orders nothing: stores and mbarrier.init before it need a fence, or the arrival .release",
        "fence.mbarrier_init.release.cluster, fence.acq_rel.cluster, or barrier.cluster.arrive.release",
        before=".shared .align 8 .b64 bar;",
        ptx="mbarrier.init.shared::cta.b64 [bar], 1;\nbarrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;",
        severity="warning",
    ),
    Code(
        "PTX585",
        "a rank that the cluster does not have",
        "mapa names a CTA beyond .reqnctapercluster",
        "a rank below the cluster's size",
        before=".shared .align 4 .b32 s;",
        head=".reqnctapercluster 2",
        ptx="mapa.shared::cluster.u32 %r1, s, 2;",
        severity="warning",
    ),
    Code(
        "PTX586",
        "global memory written before griddepcontrol.wait",
        "until the wait completes, the grid before this one may still read or write what is stored",
        "griddepcontrol.wait before the first access to what other grids use",
        ptx="st.global.u32 [%rd1], %r1;\ngriddepcontrol.wait;",
        severity="warning",
    ),
    Code(
        "PTX590",
        "an order that nothing gives",
        "an operation of k.ordered is to come after another, and neither tells other threads or has learnt from them: weak accesses "
        "are never ordered for others (manual, chapter 8)",
        "signal(...) for what tells others, check(...) or wait(...) for what is learnt from them",
        python="order = k.ordered()\norder.write(x, 1, a, after=order.write(x, 0, a))",
    ),
    Code(
        "PTX591",
        "an operation that comes after what has not happened",
        "a token is named that no operation before has given: in the order of the program it would be a cycle",
        "the operation that keeps the token, before the one that names it",
        python="order = k.ordered()\nlater = order.token()\norder.signal(x.cast(k.types['u32']), 0, 1, after=later)",
    ),
    Code(
        "PTX592",
        "a scope that cannot be",
        "a scope that PTX or the target does not have, one beyond those who reach the memory, or one that is narrower than that of what "
        "comes after it",
        "cta, cluster, gpu or sys, as wide as the threads that take part",
        python="order = k.ordered('grid')",
    ),
    # 6xx: style
    Code(
        "PTX601",
        "a value that nothing reads",
        "an instruction without effects whose results no other instruction reads, or only one that makes the next value of the "
        "same registers; assemblers delete it; found with style=True",
        "delete it",
        ptx="add.u32 %r2, %r1, 1;",
        severity="warning",
    ),
    Code(
        "PTX602",
        "more values alive at once than a thread has registers",
        "as the text orders them, the values still needed take more than 255 registers (or .maxnreg); found with style=True",
        "smaller tiles, or load later what is not needed yet; ptxgen info and the assembler's log count the spills",
        head=".maxnreg 24",
        ptx=".reg .b64 %x<14>;\n"
        + "".join(f"ld.param.u64 %x{i}, [a];\n" for i in range(14))
        + "".join(f"st.global.u64 [%rd1], %x{i};\n" for i in range(14)),
        severity="warning",
    ),
    Code(
        "PTX603",
        "threads leave before a barrier",
        "some threads of the CTA have returned when the others come to a barrier: legal, but what they would have brought is missing; "
        "found with style=True",
        "let every thread come to the last barrier; guard the loads and stores instead",
        ptx="mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 99;\n@%p1 ret;\nbar.sync 0;",
        severity="warning",
    ),
    Code(
        "PTX604",
        "a branch to what comes next",
        "the label stands right behind the branch; where a label before it is never named, the branch may have been meant to close a loop; "
        "found with style=True",
        "name the loop's first label, or delete the branch",
        ptx="LOOP: add.u32 %r1, %r1, 1;\nbra LOOP_END;\nLOOP_END:",
        severity="warning",
    ),
    Code(
        "PTX605",
        "a sum that every round begins anew",
        "in a loop, something is added to (multiplied with, compared with) a register that is set once, to 0 (1, ...), and the result "
        "goes to another one: only the last round counts; found with style=True",
        "add to the register itself: add.f32 %acc, %acc, %x",
        ptx="mov.f32 %f3, 0f00000000;\nL: add.f32 %f2, %f3, %f1;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 bra L;\n"
        "st.global.f32 [%rd1], %f2;",
        severity="warning",
    ),
    Code(
        "PTX606",
        "no bound on a thread's index",
        "an address in global memory is made of %ctaid and %tid, and no condition depends on the thread: a grid that is rounded up reads "
        "and writes past the end; found with style=True",
        "setp.ge.u32 %p, %i, %n; @%p ret; or a launch that fits exactly, and a remark that says so",
        ptx="mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r1, %r2, 128, %r1;\nmul.wide.u32 %rd2, %r1, 4;\n"
        "add.s64 %rd2, %rd2, %rd1;\nst.global.u32 [%rd2], %r1;",
        severity="warning",
    ),
    Code(
        "PTX607",
        "more predicates alive at once than there are",
        "a thread has 7 predicate registers; the assembler keeps others in bits of 32-bit ones; found with style=True",
        "use a predicate where it is made, or keep a mask in an integer",
        ptx=".reg .pred %q<9>;\n"
        + "".join(f"setp.gt.u32 %q{i}, %r1, {i};\n" for i in range(8))
        + "".join(f"@%q{i} st.global.u32 [%rd1+{4 * i}], %r1;\n" for i in range(8)),
        severity="warning",
    ),
    Code(
        "PTX608",
        "a remark says that this is not finished",
        "a comment with the word TODO, FIXME, XXX, placeholder, stub or 'not implemented'; found with style=True",
        "finish it, or delete the comment",
        ptx="// TODO: the other half\nadd.u32 %r1, %r1, 1;",
        severity="warning",
    ),
    Code(
        "PTX609",
        "a kernel without effect",
        "nothing in it stores, adds atomically, waits or calls; found with style=True",
        "store the result",
        module=_HEADER + ".entry k(.param .u64 a)\n{\n\t.reg .b64 %rd<2>;\n\tld.param.u64 %rd1, [a];\n\tret;\n}\n",
        severity="warning",
    ),
    Code(
        "PTX610",
        "a module that nothing can be launched or linked from",
        "it has no .entry, and no .visible function or variable; found with style=True",
        ".visible .entry",
        module=_HEADER + ".func f()\n{\n\tret;\n}\n",
        severity="warning",
    ),
    Code(
        "PTX611",
        "a warp's access to global memory is spread",
        "the addresses of its lanes lie in more than twice the 32-byte sectors that their bytes would fill; found with style=True",
        "neighbouring lanes at neighbouring elements; where the layout forbids it, through shared memory",
        ptx="mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 128;\nadd.s64 %rd2, %rd2, %rd1;\nld.global.u32 %r2, [%rd2];\n"
        "st.global.u32 [%rd1], %r2;",
        severity="warning",
    ),
    Code(
        "PTX612",
        "bank conflicts in shared memory",
        "lanes of a warp access different words of one of the 32 banks, one after the other; found with style=True",
        "pad the rows (33 words in place of 32), or swizzle the index",
        before=".shared .align 4 .b32 s[1024];",
        ptx="mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 7;\nmov.u32 %r3, s;\nadd.u32 %r2, %r2, %r3;\nld.shared.u32 %r1, [%r2];\n"
        "st.global.u32 [%rd1], %r1;",
        severity="warning",
    ),
    Code(
        "PTX613",
        "a loop that does nothing",
        "nothing outside of the loop reads what it computes, and it neither stores nor waits; without an exit it never ends; found with style=True",
        "delete it, or use what it computes",
        ptx="mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 bra L;",
        severity="warning",
    ),
    Code(
        "PTX614",
        "neighbouring accesses that could be one",
        "loads or stores of neighbouring elements, which .v2 or .v4 makes one of; said by ptxgen.resources.advise and ptxgen check --style",
        "ld.global.v4.f32; where the pointer's alignment is not known, promise it: .ptr .global .align 16",
        module=_HEADER + ".entry k(.param .u64 .ptr .global .align 16 a)\n{\n\t.reg .b32 %r<3>; .reg .b64 %rd<2>;\n"
        "\tld.param.u64 %rd1, [a];\n\tld.global.u32 %r1, [%rd1];\n\tld.global.u32 %r2, [%rd1+4];\n"
        "\tst.global.v2.u32 [%rd1+8], {%r2, %r1};\n\tret;\n}\n",
        severity="warning",
    ),
    Code(
        "PTX615",
        "a copy that nothing needs",
        "mov from register to register, each written once, so that all could read the source; found with style=True",
        "delete it; ptxgen.passes.run does",
        ptx="mov.u32 %r3, %r1;\nst.global.u32 [%rd1], %r3;",
        severity="warning",
    ),
    Code(
        "PTX620",
        "the assembler spills registers",
        "more values are alive at once than the registers that .maxnreg, .minnctapersm or the hardware leave; said by "
        "ptxgen.resources.advise and ptxgen check --style",
        "smaller tiles, values computed where they are used, or a larger .maxnreg",
        head=".maxnreg 24",
        ptx=".reg .b64 %x<20>;\n"
        + "".join(f"ld.volatile.global.u64 %x{i}, [%rd1+{8 * i}];\n" for i in range(20))
        + "".join(f"st.volatile.global.u64 [%rd1+{8 * i}], %x{19 - i};\n" for i in range(20)),
        severity="warning",
    ),
    Code(
        "PTX621",
        "a few registers too many for another CTA",
        "registers limit how many CTAs are resident, and a tenth less would let in one more; said by ptxgen.resources.advise and "
        "ptxgen check --style",
        ".maxnreg, where that does not spill",
        head=".reqntid 1024",
        ptx=".reg .b64 %x<14>;\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd1, %rd1, %rd2;\n"
        + "".join(f"ld.volatile.global.u64 %x{i}, [%rd1+{8 * i}];\n" for i in range(14))
        + "".join(f"st.volatile.global.u64 [%rd1+{8 * i}], %x{13 - i};\n" for i in range(14)),
        severity="warning",
    ),
    Code(
        "PTX690",
        "a remark takes back a warning that does not exist",
        "ptxgen: ignore[...] or allow[...] names a code that no diagnostic has",
        "a code as in the finding, PTX501, or its whole group, PTX5xx",
        ptx="// ptxgen: ignore[PTX999]\nadd.u32 %r1, %r1, 1;",
        severity="warning",
    ),
    Code(
        "PTX691",
        "a remark takes nothing back",
        "ptxgen: ignore[...] or allow[...] stands where there is no such warning, or where it is an error; found with style=True",
        "delete the remark, or write it where the warning is",
        ptx="// ptxgen: ignore[PTX303]\nadd.u32 %r1, %r1, 1;",
        severity="warning",
    ),
)

CODES: dict[str, Code] = {row.code: row for row in _ROWS}
"""Every code, in order."""


def group(code: str) -> str:
    """What the code's hundreds stand for."""
    return GROUPS[code[3]]
