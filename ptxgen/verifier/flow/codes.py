"""The diagnostic codes of one thread, instruction after instruction: see `ptxgen.codes`. The comments above the rows are written by tools/index_codes.py."""

from __future__ import annotations

from ptxgen.codes.code import HEADER, Code

__all__ = ["CODES"]

CODES = (
    # carries.py: check_carries
    # definitions.py: _report
    # results.py: check_results
    Code(
        "PTX303",
        "register read before it is written",
        "on some path from the entry the register has no value yet; assemblers take it, the value is undefined. "
        "wgmma.mma_async reads its accumulators, unless its scale-d is certainly false",
        "give it a value on every path; a chain of wgmma.mma_async begins with scale-d 0, or with zeros in its accumulators",
        ptx="add.u32 %r1, %r3, 1;",
        severity="warning",
    ),
    # call_sequences.py: _check_stored
    Code(
        "PTX309",
        "an argument without a value",
        "a .param variable is passed to a function, and nothing is ever stored to it",
        "st.param before the call",
        before=".func f(.param .b32 i) { ret; }",
        ptx="{ .param .b32 q;\ncall f, (q); }",
        severity="warning",
    ),
    # reachability.py: check_reach
    Code(
        "PTX310",
        "code that nothing leads to",
        "instructions behind an unconditional bra, ret or exit, without a label that anything branches to",
        "delete them, or branch to their label",
        ptx="bra END;\nadd.u32 %r1, %r1, 1;\nEND:",
        severity="warning",
    ),
    # reachability.py: _report_end
    Code(
        "PTX311",
        "control runs past the end",
        "the last instruction is not ret, exit or an unconditional branch; assemblers put a ret there",
        "end with ret;",
        module=HEADER + ".entry k()\n{\n\t.reg .b32 %r<2>;\n\tmov.u32 %r1, 1;\n}\n",
        severity="warning",
    ),
    # reachability.py: check_conditions
    Code(
        "PTX312",
        "a comparison that is always true",
        "an unsigned number asked whether it is at least 0, or a register whether it equals itself: a loop that counts down "
        "this way never ends",
        "compare what was meant: setp.ge.s32 for signed numbers",
        ptx="setp.ge.u32 %p1, %r1, 0;",
        severity="warning",
    ),
    # constant_operands.py: check_constant_operands, _check_shift
    Code(
        "PTX313",
        "a constant that leaves nothing to compute",
        "a shift by as many bits as the value has, or more; a field behind its end; an integer divided by zero",
        "the constant that was meant",
        ptx="shl.b32 %r1, %r2, 32;",
        severity="warning",
    ),
    # destinations.py: check_destinations
    Code(
        "PTX314",
        "a register written twice by one instruction",
        "the same register stands twice among the destinations: of two values, one is lost; assemblers take it",
        "another register for each value",
        ptx="ld.global.v2.b32 {%r1, %r1}, [%rd1];",
        severity="warning",
    ),
    # constant_operands.py: _check_mask
    # ptxgen/verifier/threads/divergence.py: _check_masked
    Code(
        "PTX503",
        "a mask names lanes that do not come",
        "shfl.sync, vote.sync, ... with the mask of all lanes, in code that only some lanes of the warp reach",
        "move it out of the branch, or make the mask with vote.sync.ballot before the branch",
        ptx="mov.u32 %r1, %laneid;\nsetp.lt.u32 %p1, %r1, 7;\n@%p1 bar.warp.sync -1;\nst.shared.u32 [s], %r1;",
        before=".shared .b32 s;",
        severity="warning",
    ),
)
