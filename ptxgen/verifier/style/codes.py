"""The diagnostic codes of advice on style: see `ptxgen.codes`. The comments above the rows are written by tools/index_codes.py."""

from __future__ import annotations

from ptxgen.codes.code import HEADER, Code

__all__ = ["CODES"]

CODES = (
    # unused_values.py: check_unused_values
    Code(
        "PTX601",
        "a value that nothing reads",
        "an instruction without effects whose results no other instruction reads, or only one that makes the next value of the "
        "same registers; assemblers delete it; found with style=True",
        "delete it",
        ptx="add.u32 %r2, %r1, 1;",
        severity="warning",
    ),
    # register_pressure.py: check_pressure
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
    # dead_code.py: _check_jumps
    Code(
        "PTX604",
        "a branch to what comes next",
        "the label stands right behind the branch; where a label before it is never named, the branch may have been meant to close a loop; "
        "found with style=True",
        "name the loop's first label, or delete the branch",
        ptx="LOOP: add.u32 %r1, %r1, 1;\nbra LOOP_END;\nLOOP_END:",
        severity="warning",
    ),
    # accumulation.py: check_accumulation
    Code(
        "PTX605",
        "a sum that every iteration begins anew",
        "in a loop, something is added to (multiplied with, compared with) a register that is set once, to 0 (1, ...), and the result "
        "goes to another one: only the last iteration counts; found with style=True",
        "add to the register itself: add.f32 %acc, %acc, %x",
        ptx="mov.f32 %f3, 0f00000000;\nL: add.f32 %f2, %f3, %f1;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 bra L;\n"
        "st.global.f32 [%rd1], %f2;",
        severity="warning",
    ),
    # bounds.py: check_bounds
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
    # register_pressure.py: check_predicates
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
    # dead_code.py: _check_effect
    Code(
        "PTX609",
        "a kernel without effect",
        "nothing in it stores, adds atomically, waits or calls; found with style=True",
        "store the result",
        module=HEADER + ".entry k(.param .u64 a)\n{\n\t.reg .b64 %rd<2>;\n\tld.param.u64 %rd1, [a];\n\tret;\n}\n",
        severity="warning",
    ),
    # access_patterns.py: check_access_patterns
    Code(
        "PTX611",
        "a warp's access to global memory is not coalesced",
        "the addresses of its lanes lie in more than twice the 32-byte sectors that their bytes would fill; found with style=True",
        "neighbouring lanes at neighbouring elements; where the layout forbids it, through shared memory",
        ptx="mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 128;\nadd.s64 %rd2, %rd2, %rd1;\nld.global.u32 %r2, [%rd2];\n"
        "st.global.u32 [%rd1], %r2;",
        severity="warning",
    ),
    # access_patterns.py: check_access_patterns
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
    # dead_code.py: check_dead_code
    Code(
        "PTX613",
        "a loop that does nothing",
        "nothing outside of the loop reads what it computes, and it neither stores nor waits; without an exit it never ends; found with style=True",
        "delete it, or use what it computes",
        ptx="mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 bra L;",
        severity="warning",
    ),
    # copies.py: check_copies
    Code(
        "PTX615",
        "a copy that nothing needs",
        "mov from register to register, each written once, so that all could read the source; found with style=True",
        "delete it; ptxgen.passes.run does",
        ptx="mov.u32 %r3, %r1;\nst.global.u32 [%rd1], %r3;",
        severity="warning",
    ),
)
