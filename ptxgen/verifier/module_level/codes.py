"""The diagnostic codes of directives, declarations and limits of the target: see `ptxgen.codes`. The comments above the rows are written by tools/index_codes.py."""

from __future__ import annotations

from ptxgen.codes.code import HEADER, Code

__all__ = ["CODES"]

CODES = (
    # variables.py: _check
    Code(
        "PTX109",
        "an array without a size",
        "a dimension is empty or 0 where nothing else says how long the array is",
        "a size; .extern variables, those with a list of initial values, and the last parameter of a function need none",
        ptx=".shared .b32 tile[];",
    ),
    # variables.py: _check_init
    Code(
        "PTX110",
        "wrong initial value",
        "a value of another kind or shape than the variable, or one for a variable that can have none (.shared, .local, .extern)",
        "integers for .u and .s, floats for .f, .u64 for an address; a list in { } for each dimension, no longer than it",
        module=HEADER + ".global .f32 one = 1;\n.visible .entry k() { ret; }\n",
    ),
    # variables.py: check_name
    Code(
        "PTX315",
        "a name that PTX does not have",
        "a kernel, a device function or a variable that a program made has a name with other characters",
        "ASCII letters, digits, _ and $, no digit first, and more than _ alone",
        python='k.global_("no name", u32, 4)',
    ),
    # ptxgen/builder/core/module_builder.py: ModuleBuilder.__init__
    # directives.py: _check_target_options
    # ptxgen/verifier/run.py: run_checks
    Code(
        "PTX402",
        "unknown target",
        "no such target",
        "ptxgen explain sm_90a describes a target; ptxgen isa lists them",
        module=".version 8.0\n.target sm_91\n.address_size 64\n",
    ),
    # limits.py: check_shared
    Code(
        "PTX421",
        "too much shared memory",
        "a kernel declares more static shared memory than the target allows",
        "dynamic shared memory: .extern .shared, and its size at launch",
        header="8.0 sm_80",
        ptx=".shared .b8 s[50000];\nmov.u32 %r1, s;",
    ),
    # 7 functions of directives.py
    Code(
        "PTX422",
        "wrong argument of a directive",
        "a performance-tuning directive has an argument out of range, or contradicts another one",
        "ptxgen explain .NAME says what it takes",
        head=".reqntid 0",
        ptx="ret;",
        severity="error or warning",
    ),
    # limits.py: check_limits
    Code(
        "PTX423",
        "too many bytes of parameters",
        "a kernel's parameters are over 4352 bytes, or 32764 with PTX 8.1 and newer on sm_70 and newer",
        "pass a pointer to a structure",
        module=HEADER + ".entry k(.param .align 8 .b8 big[4400]) { ret; }\n",
    ),
    # ptxgen/builder/memory/pointers.py: ptr.rely_on
    # ptxgen/verifier/addresses/alignment.py: _check, _check_variable
    # variables.py: _check
    Code(
        "PTX425",
        "wrong alignment",
        ".align is not a power of two, or the address of an access is certainly not a multiple of its size",
        "a power of two up to 128; an offset that is a multiple of the vector's size, a variable or pointer with that .align",
        ptx=".shared .align 3 .b8 s[16];",
        severity="error or warning",
    ),
    # declarations.py: _check_constants
    Code(
        "PTX427",
        "too many constants",
        "the .const variables of a module need more than 64 KiB",
        ".global variables, or a buffer that the kernel gets as a parameter",
        before=".const .align 4 .b8 c[70000];",
        ptx="ret;",
    ),
    # launch.py: check_launch
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
    # limits.py: _check_local
    Code(
        "PTX429",
        "too much local memory",
        "a function declares more than the 512 KiB of local memory that a thread can have",
        ".global memory, at an offset of the thread's own",
        ptx=".local .align 4 .b8 l[600000];\nmov.u64 %rd1, l;",
        severity="warning",
    ),
    # unfinished.py: check_unfinished
    Code(
        "PTX608",
        "a remark says that this is not finished",
        "a comment with the word TODO, FIXME, XXX, placeholder, stub or 'not implemented'; found with style=True",
        "finish it, or delete the comment",
        ptx="// TODO: the other half\nadd.u32 %r1, %r1, 1;",
        severity="warning",
    ),
    # unfinished.py: check_unfinished
    Code(
        "PTX610",
        "a module that nothing can be launched or linked from",
        "it has no .entry, and no .visible function or variable; found with style=True",
        ".visible .entry",
        module=HEADER + ".func f()\n{\n\tret;\n}\n",
        severity="warning",
    ),
)
