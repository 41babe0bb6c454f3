"""The diagnostic codes of one instruction by itself: see `ptxgen.codes`. The comments above the rows are written by tools/index_codes.py."""

from __future__ import annotations

from ptxgen.codes.code import Code

__all__ = ["CODES"]

CODES = (
    # ptxgen/builder/exact/chain.py: InstructionChain.__getitem__
    # forms.py: unknown_form
    Code(
        "PTX200",
        "unknown instruction",
        "no instruction of PTX has this opcode",
        "the finding names the nearest opcode",
        ptx="mvo.u32 %r1, %r2;",
    ),
    # ptxgen/builder/tiles/block_scaled.py: find_format
    # ptxgen/builder/tiles/images.py: Images.reduce
    # ptxgen/builder/tiles/tensor_copies.py: reduce
    # ptxgen/builder/tiles/tile_order.py: check_order
    # forms.py: unknown_form
    Code(
        "PTX201",
        "no such form of the instruction",
        "the opcode exists, but not with these modifiers and types",
        "ptxgen explain OPCODE lists the forms; the finding names the nearest",
        ptx="add.rn.u32 %r1, %r1, %r2;",
    ),
    # 18 functions of ptxgen/builder/control/structured.py, ptxgen/builder/memory/arrays.py, ptxgen/builder/memory/bounded.py,
    # ptxgen/builder/memory/ordering.py, ptxgen/builder/memory/pointers.py, ptxgen/builder/tiles/device_tile.py,
    # ptxgen/builder/tiles/fragments.py, ptxgen/builder/tiles/images.py, ptxgen/builder/tiles/row_copies.py,
    # ptxgen/builder/tiles/schedule.py, ptxgen/builder/tiles/tensor_copies.py, ptxgen/builder/values/vectors.py, forms.py
    Code(
        "PTX202",
        "wrong number of operands",
        "the form takes another number of operands (or a call of the builder another number of arguments)",
        "the finding writes the operands out",
        ptx="add.u32 %r1, %r2;",
    ),
    # ptxgen/builder/exact/chain.py: _check_kinds
    # forms.py: mismatch_code
    # names.py: report_other_type
    Code(
        "PTX203",
        "operand of the wrong type",
        "a register's type is not one that the instruction's type accepts (manual 9.4)",
        "convert with cvt, or reinterpret bits with mov.b32",
        ptx="add.u32 %r1, %r1, %f1;",
    ),
    # 8 functions of ptxgen/builder/exact/operands.py, ptxgen/transpile/writing.py, forms.py, state_spaces.py
    Code(
        "PTX204",
        "operand of the wrong kind",
        "a constant, address, vector, pair, special register or negation stands where the form takes something else",
        "the finding says what it takes; special registers are read with mov",
        ptx="add.u32 %r1, %tid.x, 1;",
    ),
    # ptxgen/builder/threads/warp.py: barrier
    # ptxgen/builder/tiles/barriers.py: named_barrier
    # forms.py: mismatch_code
    # ptxgen/verifier/protocols/constants.py: _breaks, _check_source_size
    Code(
        "PTX205",
        "constant out of range",
        "an immediate is outside the range that the form allows; a warning where assemblers take it all the same",
        "the finding says the range",
        ptx="bar.sync 17;",
        severity="error or warning",
    ),
    # ptxgen/builder/core/function_builder.py: FunctionBuilder.truth
    # forms.py: check_form
    Code(
        "PTX206",
        "guard is not a predicate",
        "the register behind @ (or a condition of the builder) is not of type .pred",
        "setp.ne.u32 %p1, %r1, 0; then @%p1",
        ptx="@%r1 ret;",
    ),
    # ptxgen/builder/exact/chain.py: _check_spaces
    # ptxgen/verifier/addresses/windows.py: _report
    # state_spaces.py: check_addresses, _check_variable, _check_parameter
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
    # forms.py: mismatch_code
    Code(
        "PTX208",
        "modifiers out of order",
        "every modifier is legal, but they stand in another order than the manual's; assemblers take some of these, "
        "which is a matter of style (`style=True`, `ptxgen verify --style`)",
        "the finding names the form in the manual's order",
        ptx="ld.u32.global %r1, [%rd1];",
        severity="error or warning",
    ),
    # 7 functions of ptxgen/builder/builder.py, ptxgen/builder/memory/structs.py, ptxgen/builder/tracing.py, names.py,
    # ptxgen/verifier/module_level/declarations.py
    Code(
        "PTX301",
        "unknown name",
        "a register, variable, function or special register is used without a declaration that is visible there",
        "declare it before its use; names inside { } end with it",
        ptx="add.u32 %r1, %r1, %r9;",
    ),
    # ptxgen/builder/core/module_builder.py: ModuleBuilder.declare
    # ptxgen/builder/debugging/printing.py: _declare
    # checks.py: InstructionChecks.duplicates
    # ptxgen/verifier/module_level/declarations.py: _check_files
    # ptxgen/verifier/run.py: _check_module
    Code(
        "PTX302",
        "declared twice",
        "two declarations of one name in one scope; labels and parameters share it; or one number of two .file",
        "rename one",
        ptx=".reg .u32 %r1;",
    ),
    # names.py: report_not_a_target, report_unknown_name
    Code(
        "PTX304",
        "unknown label",
        "a branch names a label that its function does not have, or that lies inside another { }",
        "labels are visible in their own { } and in those inside it",
        ptx="bra NOWHERE;",
    ),
    # calls.py: _check_list
    # ptxgen/verifier/module_level/declarations.py: _check_agreement, _check_passable
    Code(
        "PTX305",
        "declarations of a function that do not agree",
        "two declarations of one name with other parameters, or a .reg parameter of type .pred, .u8, .s8, .u16 or .s16",
        "repeat the declaration as it is; pass small values as .reg .b16 or in .param variables",
        before=".func f(.param .b32 x);\n.func f(.param .b64 x) { ret; }",
        ptx="ret;",
    ),
    # 9 functions of ptxgen/builder/declarations.py, ptxgen/builder/functions.py, calls.py
    Code(
        "PTX306",
        "call does not match the function",
        "a call names no device function, or passes another number or other types of arguments and results",
        "the finding says what the function takes",
        before=".func f(.reg .u32 %i) { ret; }",
        ptx="call f, (%r1, %r2);",
    ),
    # state_spaces.py: _check_parameter
    Code(
        "PTX307",
        "an input parameter is written",
        "st.param to a parameter of this function: kernel parameters are read-only (manual 5.1.6)",
        "copy it to a register or to .local memory",
        ptx="st.param.u64 [a], %rd1;",
    ),
    # ptxgen/verifier/flow/call_sequences.py: check_call_sequences, _check_addresses_taken
    # state_spaces.py: _check_parameter
    Code(
        "PTX308",
        "a .param variable is used against the order of a call",
        "ld.param of what no call before it has as a result, ld.param or st.param of a call's variable under a guard, its "
        "address taken, a result of the function itself read",
        "st.param the arguments, call, ld.param the results, in this order and without guards",
        before=".func (.param .b32 o) f() { ret; }",
        ptx="{ .param .b32 r;\nld.param.b32 %r1, [r];\ncall (r), f; }",
    ),
    # forms.py: _check_availability
    # ptxgen/verifier/module_level/directives.py: _check_availability
    Code(
        "PTX411",
        "newer than the PTX version",
        "the instruction, modifier or directive came with a later PTX version than the module's",
        'version="auto", or the version that the finding names',
        header="7.8 sm_90",
        ptx="elect.sync %r1|%p1, -1;",
    ),
    # ptxgen/builder/auto_target.py: build_for_lowest_target
    # ptxgen/builder/exact/chain.py: _check_available
    # forms.py: _check_availability
    # ptxgen/verifier/module_level/directives.py: _check_availability, _check_target_options
    Code(
        "PTX412",
        "not on this target",
        "the instruction, modifier or directive needs a newer target, or one with the suffix a or f",
        "take the target that the finding names; a-features run on that architecture only, f-features on its family",
        header="8.0 sm_90",
        ptx="wgmma.fence.sync.aligned;",
    ),
    # forms.py: _check_availability
    # ptxgen/verifier/module_level/directives.py: _check_availability
    Code(
        "PTX413",
        "ended with an older PTX version",
        "the instruction was removed: shfl and vote without .sync ended with PTX 6.3 on sm_70 and newer",
        "the .sync form, with a mask of the lanes that take part",
        ptx="shfl.bfly.b32 %r1, %r1, 1, 31;",
    ),
    # names.py: check_special
    Code(
        "PTX424",
        "special register not available",
        "the special register needs a newer target or PTX version",
        "the finding names them",
        header="8.0 sm_80",
        ptx="mov.u32 %r1, %cluster_ctarank;",
    ),
)
