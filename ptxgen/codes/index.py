"""Of each diagnostic code: the module with its row, its meaning, and the functions that report it, by file.

Written by tools/index_codes.py from the source; do not edit.
"""

from ptxgen.codes.code import IndexEntry

__all__ = ["INDEX"]

INDEX = {
    "PTX101": IndexEntry(
        "ptxgen.text.codes",
        "not a token of PTX",
        {
            "ptxgen/text/constants.py": ("_number", "malformed"),
            "ptxgen/text/cursor.py": ("Cursor.unexpected",),
            "ptxgen/text/parser.py": ("Parser.read_items",),
        },
    ),
    "PTX102": IndexEntry(
        "ptxgen.text.codes",
        "missing ';'",
        {
            "ptxgen/text/cursor.py": ("Cursor.missing_semicolon",),
        },
    ),
    "PTX103": IndexEntry(
        "ptxgen.text.codes",
        "unexpected token",
        {
            "ptxgen/text/cursor.py": ("Cursor.unexpected",),
        },
    ),
    "PTX104": IndexEntry(
        "ptxgen.text.codes",
        "unbalanced braces",
        {
            "ptxgen/text/parser.py": ("Parser._item", "Parser._statements"),
        },
    ),
    "PTX105": IndexEntry(
        "ptxgen.text.codes",
        "wrong head of a module",
        {
            "ptxgen/builder/exact/statements.py": ("directive",),
            "ptxgen/text/directives.py": ("header", "_version", "_targets"),
        },
    ),
    "PTX106": IndexEntry(
        "ptxgen.text.codes",
        "unknown or misplaced directive",
        {
            "ptxgen/text/directives.py": ("_arguments",),
            "ptxgen/text/parser.py": ("Parser._item", "Parser._not_a_statement"),
            "ptxgen/verifier/module_level/declarations.py": ("check_declarations",),
            "ptxgen/verifier/module_level/directives.py": ("check_directives", "_check_variable", "_check_function", "_check_order"),
            "ptxgen/verifier/module_level/variables.py": ("check_variable",),
        },
    ),
    "PTX107": IndexEntry(
        "ptxgen.text.codes",
        "not a type of variables",
        {
            "ptxgen/text/declarations.py": ("_type",),
            "ptxgen/verifier/module_level/variables.py": ("_check_type", "_check_registers"),
        },
    ),
    "PTX108": IndexEntry(
        "ptxgen.text.codes",
        "wrong constant expression",
        {
            "ptxgen/text/constants.py": ("malformed", "_unary", "_whole", "_check_divisor"),
            "ptxgen/text/declarations.py": ("_plus_offset",),
            "ptxgen/text/operands.py": ("_offset",),
        },
    ),
    "PTX109": IndexEntry(
        "ptxgen.verifier.module_level.codes",
        "an array without a size",
        {
            "ptxgen/verifier/module_level/variables.py": ("_check",),
        },
    ),
    "PTX110": IndexEntry(
        "ptxgen.verifier.module_level.codes",
        "wrong initial value",
        {
            "ptxgen/verifier/module_level/variables.py": ("_check_init",),
        },
    ),
    "PTX111": IndexEntry(
        "ptxgen.text.codes",
        "larger than may be",
        {
            "ptxgen/text/bounds.py": ("check_bound",),
            "ptxgen/text/parser.py": ("Parser._block",),
        },
    ),
    "PTX150": IndexEntry(
        "ptxgen.text.codes",
        "no such template",
        {
            "ptxgen/text/template.py": ("render",),
            "ptxgen/text/template_engine.py": ("_told",),
        },
    ),
    "PTX151": IndexEntry(
        "ptxgen.text.codes",
        "template syntax",
        {
            "ptxgen/text/template_engine.py": ("_told",),
        },
    ),
    "PTX152": IndexEntry(
        "ptxgen.text.codes",
        "a template's expression fails",
        {
            "ptxgen/text/template_engine.py": ("_told",),
        },
    ),
    "PTX153": IndexEntry(
        "ptxgen.text.codes",
        "wrong parameter of a template",
        {
            "ptxgen/text/template_parameters.py": ("_finding", "unknown_parameter"),
            "ptxgen/text/template_process.py": ("_request",),
        },
    ),
    "PTX154": IndexEntry(
        "ptxgen.text.codes",
        "wrong parameter declaration in a template",
        {
            "ptxgen/text/template_parameters.py": ("_wrong_declaration",),
        },
    ),
    "PTX155": IndexEntry(
        "ptxgen.text.codes",
        "a template leaves its sandbox",
        {
            "ptxgen/text/template_engine.py": ("_told",),
        },
    ),
    "PTX156": IndexEntry(
        "ptxgen.text.codes",
        "a template reaches a limit",
        {
            "ptxgen/text/template_engine.py": ("_told",),
            "ptxgen/text/template_process.py": ("_stopped",),
        },
    ),
    "PTX200": IndexEntry(
        "ptxgen.verifier.instruction.codes",
        "unknown instruction",
        {
            "ptxgen/builder/exact/chain.py": ("InstructionChain.__getitem__",),
            "ptxgen/verifier/instruction/forms.py": ("unknown_form",),
        },
    ),
    "PTX201": IndexEntry(
        "ptxgen.verifier.instruction.codes",
        "no such form of the instruction",
        {
            "ptxgen/builder/tiles/block_scaled.py": ("find_format",),
            "ptxgen/builder/tiles/images.py": ("Images.reduce",),
            "ptxgen/builder/tiles/tensor_copies.py": ("reduce",),
            "ptxgen/builder/tiles/tile_order.py": ("check_order",),
            "ptxgen/verifier/instruction/forms.py": ("unknown_form",),
        },
    ),
    "PTX202": IndexEntry(
        "ptxgen.verifier.instruction.codes",
        "wrong number of operands",
        {
            "ptxgen/builder/control/structured.py": ("range_",),
            "ptxgen/builder/memory/arrays.py": ("DeviceArray._flat",),
            "ptxgen/builder/memory/bounded.py": ("_Tail.store",),
            "ptxgen/builder/memory/ordering.py": ("Ordering.atomic",),
            "ptxgen/builder/memory/pointers.py": ("ptr._parts",),
            "ptxgen/builder/tiles/device_tile.py": ("DeviceTile.__getitem__", "DeviceTile._check_stage"),
            "ptxgen/builder/tiles/fragments.py": ("Sums.add_product",),
            "ptxgen/builder/tiles/images.py": ("Images._columns", "Images._offsets", "im2col"),
            "ptxgen/builder/tiles/row_copies.py": ("_fours",),
            "ptxgen/builder/tiles/schedule.py": ("Tile.matrix", "Tile._range"),
            "ptxgen/builder/tiles/tensor_copies.py": ("_boxes",),
            "ptxgen/builder/values/vectors.py": ("vec.__init__", "vec._check_length"),
            "ptxgen/verifier/instruction/forms.py": ("mismatch_code",),
        },
    ),
    "PTX203": IndexEntry(
        "ptxgen.verifier.instruction.codes",
        "operand of the wrong type",
        {
            "ptxgen/builder/exact/chain.py": ("_check_kinds",),
            "ptxgen/verifier/instruction/forms.py": ("mismatch_code",),
            "ptxgen/verifier/instruction/names.py": ("report_other_type",),
        },
    ),
    "PTX204": IndexEntry(
        "ptxgen.verifier.instruction.codes",
        "operand of the wrong kind",
        {
            "ptxgen/builder/exact/operands.py": ("to_operand", "_based", "_no_address"),
            "ptxgen/transpile/writing.py": ("_unsaid",),
            "ptxgen/verifier/instruction/forms.py": ("mismatch_code",),
            "ptxgen/verifier/instruction/state_spaces.py": ("check_addresses", "_check_constant", "_check_variable"),
        },
    ),
    "PTX205": IndexEntry(
        "ptxgen.verifier.instruction.codes",
        "constant out of range",
        {
            "ptxgen/builder/threads/warp.py": ("barrier",),
            "ptxgen/builder/tiles/barriers.py": ("named_barrier",),
            "ptxgen/verifier/instruction/forms.py": ("mismatch_code",),
            "ptxgen/verifier/protocols/constants.py": ("_breaks", "_check_source_size"),
        },
    ),
    "PTX206": IndexEntry(
        "ptxgen.verifier.instruction.codes",
        "guard is not a predicate",
        {
            "ptxgen/builder/core/function_builder.py": ("FunctionBuilder.truth",),
            "ptxgen/verifier/instruction/forms.py": ("check_form",),
        },
    ),
    "PTX207": IndexEntry(
        "ptxgen.verifier.instruction.codes",
        "address in another state space",
        {
            "ptxgen/builder/exact/chain.py": ("_check_spaces",),
            "ptxgen/verifier/addresses/windows.py": ("_report",),
            "ptxgen/verifier/instruction/state_spaces.py": ("check_addresses", "_check_variable", "_check_parameter"),
        },
    ),
    "PTX208": IndexEntry(
        "ptxgen.verifier.instruction.codes",
        "modifiers out of order",
        {
            "ptxgen/verifier/instruction/forms.py": ("mismatch_code",),
        },
    ),
    "PTX209": IndexEntry(
        "ptxgen.verifier.addresses.codes",
        "a global or generic address in fewer than 64 bits",
        {
            "ptxgen/verifier/addresses/widths.py": ("_report",),
        },
    ),
    "PTX220": IndexEntry(
        "ptxgen.builder.values.codes",
        "the builder has no such operation on these types",
        {
            "ptxgen/builder/control/structured.py": ("range_",),
            "ptxgen/builder/core/function_builder.py": ("_called_type",),
            "ptxgen/builder/debugging/formats.py": ("printed_text", "_argument"),
            "ptxgen/builder/exact/chain.py": ("InstructionChain._making.new",),
            "ptxgen/builder/memory/arrays.py": ("_storage", "_initial"),
            "ptxgen/builder/memory/atomics.py": ("_place", "_prepared"),
            "ptxgen/builder/memory/bounded.py": ("Bounded.atomic", "_integer", "_value"),
            "ptxgen/builder/memory/copies.py": ("_check_count", "_pointer"),
            "ptxgen/builder/memory/ordering.py": ("Ordering.atomic", "Ordering._access"),
            "ptxgen/builder/memory/pointers.py": ("ptr._compared", "ptr.selected", "ptr.element_address", "ptr._fitting"),
            "ptxgen/builder/threads/warp.py": ("word", "_shuffle", "match_any", "warp_reduce"),
            "ptxgen/builder/tiles/block_scaled.py": ("block_scaled_sums",),
            "ptxgen/builder/tiles/device_tile.py": ("tile",),
            "ptxgen/builder/tiles/fragments.py": ("Fragment._words", "pack", "PackedFragment.load", "PackedFragment.store", "Sums.add_product"),
            "ptxgen/builder/tiles/images.py": ("Images._offsets",),
            "ptxgen/builder/tiles/mma.py": ("MmaSums._rows", "FmaSums._rows", "warp_sums"),
            "ptxgen/builder/tiles/pipeline.py": ("pipeline",),
            "ptxgen/builder/tiles/row_copies.py": ("_fours",),
            "ptxgen/builder/tiles/shared_depth.py": ("_SharedDepth.__init__", "_SharedDepth.exchange"),
            "ptxgen/builder/tiles/tensor_copies.py": ("coordinate",),
            "ptxgen/builder/tiles/tensor_maps.py": ("TensorMap.moves",),
            "ptxgen/builder/tiles/tensor_memory.py": ("TensorSums._instruction", "RowFragment.to"),
            "ptxgen/builder/tiles/tile_queue.py": ("DynamicTiles.__init__", "launch_control_tiles"),
            "ptxgen/builder/tracing.py": ("trace",),
            "ptxgen/builder/values/arithmetic.py": ("isa_of", "variable", "coerce", "shift", "select", "fma"),
            "ptxgen/builder/values/conversions.py": ("bitcast", "_no_pointer", "_convert_bits"),
            "ptxgen/builder/values/integers.py": ("_no_integers", "_width", "_rotated", "mul_wide"),
            "ptxgen/builder/values/math.py": ("_float", "_no_f64", "_scalar"),
            "ptxgen/builder/values/python_protocols.py": ("_refusal.refuse", "no_lane_wise"),
            "ptxgen/builder/values/scalars.py": ("Integer.__truediv__",),
            "ptxgen/builder/values/variables.py": ("vector",),
            "ptxgen/builder/values/vectors.py": ("vec.__init__", "vec.map", "vec.selected"),
        },
    ),
    "PTX221": IndexEntry(
        "ptxgen.builder.control.codes",
        "a value that the builder cannot take",
        {
            "ptxgen/builder/control/structured.py": ("range_",),
            "ptxgen/builder/core/shared_memory.py": ("SharedMemoryPlan.take",),
            "ptxgen/builder/debugging/checking.py": ("check",),
            "ptxgen/builder/debugging/formats.py": ("_refused",),
            "ptxgen/builder/memory/arrays.py": ("DeviceArray._flat", "_shape", "_module_variable"),
            "ptxgen/builder/memory/bounded.py": ("Bounded.__init__", "Bounded.vectors"),
            "ptxgen/builder/memory/copies.py": ("copy_async", "_check_count", "copy_wait"),
            "ptxgen/builder/memory/ordering.py": ("Ordering._named",),
            "ptxgen/builder/memory/packing.py": ("check_in_memory",),
            "ptxgen/builder/threads/warp.py": ("_shuffle", "warp_reduce"),
            "ptxgen/builder/tiles/barriers.py": ("MemoryBarrier.__getitem__", "mbarrier", "NamedBarrier.__getitem__", "turns"),
            "ptxgen/builder/tiles/clusters.py": ("tile_cluster",),
            "ptxgen/builder/tiles/device_tile.py": ("DeviceTile.__getitem__", "DeviceTile.part", "tile"),
            "ptxgen/builder/tiles/fragments.py": ("Fragment.cut", "_fits", "Sums.add_product", "Sums._name", "sums", "wgmma_wait"),
            "ptxgen/builder/tiles/images.py": ("Images._columns", "im2col"),
            "ptxgen/builder/tiles/mma.py": ("WarpFragment.runs", "MmaSums.add_product", "check_extents"),
            "ptxgen/builder/tiles/partial_sums.py": ("PartialSums.shares",),
            "ptxgen/builder/tiles/pipeline.py": ("Pipeline.consume", "pipeline", "copy_pipeline"),
            "ptxgen/builder/tiles/roles.py": ("_check",),
            "ptxgen/builder/tiles/row_copies.py": ("_fours",),
            "ptxgen/builder/tiles/shared_depth.py": ("split_k_tiles",),
            "ptxgen/builder/tiles/tensor_copies.py": ("_boxes", "_share", "bulk_wait"),
            "ptxgen/builder/tiles/tensor_memory.py": ("TensorMemory.sums", "TensorSums.__getitem__", "TensorSums.add_product", "TensorSums._instruction", "TensorSums.cut", "RowFragment.store", "tensor_memory"),
            "ptxgen/builder/tiles/tile_order.py": ("check_order",),
            "ptxgen/builder/tiles/tile_queue.py": ("_check_readers",),
            "ptxgen/builder/values/arithmetic.py": ("_literal", "_as_float", "shift"),
            "ptxgen/builder/values/vectors.py": ("vec.__getitem__", "vec._slice", "_checked"),
        },
    ),
    "PTX301": IndexEntry(
        "ptxgen.verifier.instruction.codes",
        "unknown name",
        {
            "ptxgen/builder/builder.py": ("Builder.special",),
            "ptxgen/builder/memory/structs.py": ("Struct.__getattr__",),
            "ptxgen/builder/tracing.py": ("trace",),
            "ptxgen/verifier/instruction/names.py": ("check_special", "report_unknown_name"),
            "ptxgen/verifier/module_level/declarations.py": ("_check_files", "check_initializer"),
        },
    ),
    "PTX302": IndexEntry(
        "ptxgen.verifier.instruction.codes",
        "declared twice",
        {
            "ptxgen/builder/core/module_builder.py": ("ModuleBuilder.declare",),
            "ptxgen/builder/debugging/printing.py": ("_declare",),
            "ptxgen/verifier/instruction/checks.py": ("InstructionChecks.duplicates",),
            "ptxgen/verifier/module_level/declarations.py": ("_check_files",),
            "ptxgen/verifier/run.py": ("_check_module",),
        },
    ),
    "PTX303": IndexEntry(
        "ptxgen.verifier.flow.codes",
        "register read before it is written",
        {
            "ptxgen/verifier/flow/carries.py": ("check_carries",),
            "ptxgen/verifier/flow/definitions.py": ("_report",),
            "ptxgen/verifier/flow/results.py": ("check_results",),
        },
    ),
    "PTX304": IndexEntry(
        "ptxgen.verifier.instruction.codes",
        "unknown label",
        {
            "ptxgen/verifier/instruction/names.py": ("report_not_a_target", "report_unknown_name"),
        },
    ),
    "PTX305": IndexEntry(
        "ptxgen.verifier.instruction.codes",
        "declarations of a function that do not agree",
        {
            "ptxgen/verifier/instruction/calls.py": ("_check_list",),
            "ptxgen/verifier/module_level/declarations.py": ("_check_agreement", "_check_passable"),
        },
    ),
    "PTX306": IndexEntry(
        "ptxgen.verifier.instruction.codes",
        "call does not match the function",
        {
            "ptxgen/builder/declarations.py": ("Declaration.head",),
            "ptxgen/builder/functions.py": ("DeviceFunction.__call__", "_unfinished", "_argument", "_build"),
            "ptxgen/verifier/instruction/calls.py": ("check_call", "_callees", "_device_function", "_check_list"),
        },
    ),
    "PTX307": IndexEntry(
        "ptxgen.verifier.instruction.codes",
        "an input parameter is written",
        {
            "ptxgen/verifier/instruction/state_spaces.py": ("_check_parameter",),
        },
    ),
    "PTX308": IndexEntry(
        "ptxgen.verifier.instruction.codes",
        "a .param variable is used against the order of a call",
        {
            "ptxgen/verifier/flow/call_sequences.py": ("check_call_sequences", "_check_addresses_taken"),
            "ptxgen/verifier/instruction/state_spaces.py": ("_check_parameter",),
        },
    ),
    "PTX309": IndexEntry(
        "ptxgen.verifier.flow.codes",
        "an argument without a value",
        {
            "ptxgen/verifier/flow/call_sequences.py": ("_check_stored",),
        },
    ),
    "PTX310": IndexEntry(
        "ptxgen.verifier.flow.codes",
        "code that nothing leads to",
        {
            "ptxgen/verifier/flow/reachability.py": ("check_reach",),
        },
    ),
    "PTX311": IndexEntry(
        "ptxgen.verifier.flow.codes",
        "control runs past the end",
        {
            "ptxgen/verifier/flow/reachability.py": ("_report_end",),
        },
    ),
    "PTX312": IndexEntry(
        "ptxgen.verifier.flow.codes",
        "a comparison that is always true",
        {
            "ptxgen/verifier/flow/reachability.py": ("check_conditions",),
        },
    ),
    "PTX313": IndexEntry(
        "ptxgen.verifier.flow.codes",
        "a constant that leaves nothing to compute",
        {
            "ptxgen/verifier/flow/constant_operands.py": ("check_constant_operands", "_check_shift"),
        },
    ),
    "PTX314": IndexEntry(
        "ptxgen.verifier.flow.codes",
        "a register written twice by one instruction",
        {
            "ptxgen/verifier/flow/destinations.py": ("check_destinations",),
        },
    ),
    "PTX315": IndexEntry(
        "ptxgen.verifier.module_level.codes",
        "a name that PTX does not have",
        {
            "ptxgen/verifier/module_level/variables.py": ("check_name",),
        },
    ),
    "PTX320": IndexEntry(
        "ptxgen.builder.values.codes",
        "Python asks for a value that only the device knows",
        {
            "ptxgen/builder/values/python_protocols.py": ("truth", "python_float", "numpy_function"),
            "ptxgen/builder/values/scalars.py": ("Value.__index__", "Value.__iter__"),
        },
    ),
    "PTX321": IndexEntry(
        "ptxgen.builder.core.codes",
        "a value is used where it does not exist",
        {
            "ptxgen/builder/core/function_builder.py": ("FunctionBuilder._escaped",),
            "ptxgen/builder/memory/ordering.py": ("Ordering._named", "Ordering._token"),
        },
    ),
    "PTX322": IndexEntry(
        "ptxgen.builder.core.codes",
        "the result of a comparison is thrown away",
        {
            "ptxgen/builder/core/function_builder.py": ("FunctionBuilder.finish",),
        },
    ),
    "PTX323": IndexEntry(
        "ptxgen.builder.control.codes",
        "a guard over nothing",
        {
            "ptxgen/builder/control/structured.py": ("predicated",),
        },
    ),
    "PTX324": IndexEntry(
        "ptxgen.builder.control.codes",
        "Python's break, continue or return in a body of the device",
        {
            "ptxgen/builder/control/python_control_flow.py": ("check_python_exits",),
            "ptxgen/builder/control/structured.py": ("CountedLoop.__iter__",),
        },
    ),
    "PTX325": IndexEntry(
        "ptxgen.builder.control.codes",
        "break_ or continue_ outside a loop",
        {
            "ptxgen/builder/control/structured.py": ("_loop_scope",),
        },
    ),
    "PTX326": IndexEntry(
        "ptxgen.builder.exact.codes",
        "a value is assigned twice",
        {
            "ptxgen/builder/exact/chain.py": ("_check_written",),
            "ptxgen/builder/memory/pointers.py": ("ptr.set",),
            "ptxgen/builder/memory/structs.py": ("Struct.__setattr__",),
            "ptxgen/builder/values/arithmetic.py": ("assign",),
            "ptxgen/builder/values/vectors.py": ("vec.__setitem__", "vec.set"),
        },
    ),
    "PTX327": IndexEntry(
        "ptxgen.builder.control.codes",
        "the bodies of a structured statement are out of order",
        {
            "ptxgen/builder/control/structured.py": ("WithBody.not_opened", "if_else.then", "if_else.otherwise", "if_else", "while_", "CountedLoop.__enter__"),
            "ptxgen/builder/core/function_builder.py": ("FunctionBuilder.finish",),
            "ptxgen/builder/core/shared_memory.py": ("_both",),
            "ptxgen/builder/tiles/barriers.py": ("MemoryBarrier.transaction", "MemoryBarrier.expect"),
            "ptxgen/builder/tiles/roles.py": ("roles",),
        },
    ),
    "PTX328": IndexEntry(
        "ptxgen.builder.control.codes",
        "k.pred around what cannot be guarded",
        {
            "ptxgen/builder/control/structured.py": ("_branch", "predicated"),
            "ptxgen/builder/debugging/checking.py": ("check",),
            "ptxgen/builder/debugging/printing.py": ("print_",),
            "ptxgen/builder/exact/chain.py": ("_guard",),
        },
    ),
    "PTX329": IndexEntry(
        "ptxgen.builder.control.codes",
        "return_ in a device function",
        {
            "ptxgen/builder/control/structured.py": ("return_",),
        },
    ),
    "PTX330": IndexEntry(
        "ptxgen.builder.memory.codes",
        "a write through a read-only pointer",
        {
            "ptxgen/builder/memory/readonly.py": ("read_only._loading", "read_only.check_writable", "check_promises"),
        },
    ),
    "PTX331": IndexEntry(
        "ptxgen.builder.control.codes",
        "a method of the builder that is not called",
        {
            "ptxgen/builder/control/uncalled.py": ("check_calls",),
        },
    ),
    "PTX401": IndexEntry(
        "ptxgen.verifier.codes",
        "unknown PTX version",
        {
            "ptxgen/builder/core/module_builder.py": ("_version",),
            "ptxgen/verifier/run.py": ("_check_header",),
        },
    ),
    "PTX402": IndexEntry(
        "ptxgen.verifier.module_level.codes",
        "unknown target",
        {
            "ptxgen/builder/core/module_builder.py": ("ModuleBuilder.__init__",),
            "ptxgen/verifier/module_level/directives.py": ("_check_target_options",),
            "ptxgen/verifier/run.py": ("run_checks",),
        },
    ),
    "PTX403": IndexEntry(
        "ptxgen.verifier.codes",
        "target newer than the PTX version",
        {
            "ptxgen/verifier/run.py": ("_check_header",),
        },
    ),
    "PTX404": IndexEntry(
        "ptxgen.verifier.codes",
        "address size not supported",
        {
            "ptxgen/verifier/run.py": ("_check_header",),
        },
    ),
    "PTX411": IndexEntry(
        "ptxgen.verifier.instruction.codes",
        "newer than the PTX version",
        {
            "ptxgen/verifier/instruction/forms.py": ("_check_availability",),
            "ptxgen/verifier/module_level/directives.py": ("_check_availability",),
        },
    ),
    "PTX412": IndexEntry(
        "ptxgen.verifier.instruction.codes",
        "not on this target",
        {
            "ptxgen/builder/auto_target.py": ("build_for_lowest_target",),
            "ptxgen/builder/exact/chain.py": ("_check_available",),
            "ptxgen/verifier/instruction/forms.py": ("_check_availability",),
            "ptxgen/verifier/module_level/directives.py": ("_check_availability", "_check_target_options"),
        },
    ),
    "PTX413": IndexEntry(
        "ptxgen.verifier.instruction.codes",
        "ended with an older PTX version",
        {
            "ptxgen/verifier/instruction/forms.py": ("_check_availability",),
            "ptxgen/verifier/module_level/directives.py": ("_check_availability",),
        },
    ),
    "PTX421": IndexEntry(
        "ptxgen.verifier.module_level.codes",
        "too much shared memory",
        {
            "ptxgen/verifier/module_level/limits.py": ("check_shared",),
        },
    ),
    "PTX422": IndexEntry(
        "ptxgen.verifier.module_level.codes",
        "wrong argument of a directive",
        {
            "ptxgen/verifier/module_level/directives.py": ("_check_target_options", "_check_variable", "_check_order", "_check_company", "_check_arguments", "_check_sense", "_check_strings"),
        },
    ),
    "PTX423": IndexEntry(
        "ptxgen.verifier.module_level.codes",
        "too many bytes of parameters",
        {
            "ptxgen/verifier/module_level/limits.py": ("check_limits",),
        },
    ),
    "PTX424": IndexEntry(
        "ptxgen.verifier.instruction.codes",
        "special register not available",
        {
            "ptxgen/verifier/instruction/names.py": ("check_special",),
        },
    ),
    "PTX425": IndexEntry(
        "ptxgen.verifier.module_level.codes",
        "wrong alignment",
        {
            "ptxgen/builder/memory/pointers.py": ("ptr.rely_on",),
            "ptxgen/verifier/addresses/alignment.py": ("_check", "_check_variable"),
            "ptxgen/verifier/module_level/variables.py": ("_check",),
        },
    ),
    "PTX426": IndexEntry(
        "ptxgen.verifier.addresses.codes",
        "outside its variable",
        {
            "ptxgen/verifier/addresses/alignment.py": ("_check_variable",),
            "ptxgen/verifier/threads/shared_bounds.py": ("_report",),
        },
    ),
    "PTX427": IndexEntry(
        "ptxgen.verifier.module_level.codes",
        "too many constants",
        {
            "ptxgen/verifier/module_level/declarations.py": ("_check_constants",),
        },
    ),
    "PTX428": IndexEntry(
        "ptxgen.verifier.module_level.codes",
        "more registers or threads than a multiprocessor has",
        {
            "ptxgen/verifier/module_level/launch.py": ("check_launch",),
        },
    ),
    "PTX429": IndexEntry(
        "ptxgen.verifier.module_level.codes",
        "too much local memory",
        {
            "ptxgen/verifier/module_level/limits.py": ("_check_local",),
        },
    ),
    "PTX490": IndexEntry(
        "ptxgen.cpu.codes",
        "the CPU device does not run it",
        {
            "ptxgen/cpu/unsupported.py": ("_finding",),
            "ptxgen/host/loading.py": ("_unsupported",),
        },
    ),
    "PTX501": IndexEntry(
        "ptxgen.verifier.threads.codes",
        "only some lanes of a warp come to an .aligned instruction",
        {
            "ptxgen/verifier/threads/divergence.py": ("_check_aligned",),
        },
    ),
    "PTX502": IndexEntry(
        "ptxgen.verifier.threads.codes",
        "only some threads of a CTA come to a barrier without a thread count",
        {
            "ptxgen/verifier/threads/divergence.py": ("_check_barrier",),
        },
    ),
    "PTX503": IndexEntry(
        "ptxgen.verifier.flow.codes",
        "a mask names lanes that do not come",
        {
            "ptxgen/verifier/flow/constant_operands.py": ("_check_mask",),
            "ptxgen/verifier/threads/divergence.py": ("_check_masked",),
        },
    ),
    "PTX504": IndexEntry(
        "ptxgen.verifier.threads.codes",
        "a barrier's thread count is not a multiple of the warp size",
        {
            "ptxgen/verifier/threads/barriers.py": ("_check_count",),
        },
    ),
    "PTX505": IndexEntry(
        "ptxgen.verifier.threads.codes",
        "a barrier that does not exist or counts more threads than there are",
        {
            "ptxgen/verifier/threads/barriers.py": ("_check_number", "_check_count"),
        },
    ),
    "PTX506": IndexEntry(
        "ptxgen.verifier.threads.codes",
        "nobody waits at the barrier at which threads arrive",
        {
            "ptxgen/verifier/threads/barriers.py": ("_check_partners",),
        },
    ),
    "PTX507": IndexEntry(
        "ptxgen.verifier.threads.codes",
        "shared memory goes from thread to thread without a barrier",
        {
            "ptxgen/kernels/arrays/group_cache.py": ("group_cache",),
            "ptxgen/kernels/arrays/group_spread.py": ("group_spread",),
            "ptxgen/verifier/threads/races.py": ("_Races._report", "_Races._report_one"),
        },
    ),
    "PTX508": IndexEntry(
        "ptxgen.verifier.threads.codes",
        "threads leave a loop with a barrier in it",
        {
            "ptxgen/verifier/threads/exits.py": ("check_exits",),
        },
    ),
    "PTX509": IndexEntry(
        "ptxgen.verifier.threads.codes",
        "a barrier that counts other threads than come",
        {
            "ptxgen/verifier/threads/barrier_counts.py": ("_compare", "_report_shared"),
        },
    ),
    "PTX510": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "a wait for cp.async groups that are not there",
        {
            "ptxgen/verifier/protocols/async_copy.py": ("_Copies._report",),
        },
    ),
    "PTX511": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "a cp.async outside any group",
        {
            "ptxgen/verifier/protocols/async_copy.py": ("_Copies._report",),
        },
    ),
    "PTX512": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "cp.async groups that nothing waits for",
        {
            "ptxgen/verifier/protocols/async_copy.py": ("_Copies._report_unwaited",),
        },
    ),
    "PTX513": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "shared memory read before cp.async has filled it",
        {
            "ptxgen/verifier/protocols/async_copy.py": ("_Copies._report_early",),
        },
    ),
    "PTX514": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "other threads' copies read without a barrier",
        {
            "ptxgen/verifier/protocols/async_copy.py": ("_Copies._report",),
        },
    ),
    "PTX520": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "a wait for bulk groups that are not there",
        {
            "ptxgen/verifier/protocols/bulk_groups.py": ("_Groups._report",),
        },
    ),
    "PTX521": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "a bulk copy outside any group",
        {
            "ptxgen/verifier/protocols/bulk_groups.py": ("_Groups._report",),
        },
    ),
    "PTX522": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "the source of a bulk copy is overwritten",
        {
            "ptxgen/verifier/protocols/bulk_groups.py": ("_Groups._report",),
        },
    ),
    "PTX523": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "the kernel may end while a bulk copy reads its shared memory",
        {
            "ptxgen/verifier/protocols/bulk_groups.py": ("_Groups._report", "_Groups._check_waiting"),
        },
    ),
    "PTX524": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "shared memory read before a bulk copy has filled it",
        {
            "ptxgen/verifier/protocols/bulk_copies.py": ("_check_reads",),
        },
    ),
    "PTX525": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "bytes of a bulk copy that nothing expects",
        {
            "ptxgen/verifier/protocols/bulk_copies.py": ("_report_unexpected",),
        },
    ),
    "PTX526": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "an mbarrier with copies that nobody waits for",
        {
            "ptxgen/verifier/protocols/bulk_copies.py": ("_check_awaited",),
        },
    ),
    "PTX527": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "a buffer of an asynchronous copy is misaligned",
        {
            "ptxgen/verifier/protocols/constants.py": ("_check_alignment",),
        },
    ),
    "PTX528": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "multicast to CTAs that the cluster does not have",
        {
            "ptxgen/verifier/protocols/constants.py": ("_check_multicast",),
        },
    ),
    "PTX529": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "bytes expected that are not those of the copies",
        {
            "ptxgen/verifier/protocols/arrivals.py": ("_check_bytes",),
        },
    ),
    "PTX530": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "an mbarrier that nothing initialises",
        {
            "ptxgen/verifier/protocols/mbarrier.py": ("_check_initialised",),
            "ptxgen/verifier/protocols/rings.py": ("_check_stages",),
        },
    ),
    "PTX531": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "a wait for an mbarrier that does not wait",
        {
            "ptxgen/verifier/protocols/mbarrier.py": ("_check_wait", "_report_once"),
            "ptxgen/verifier/protocols/rings.py": ("_check_start",),
        },
    ),
    "PTX532": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "an mbarrier used before all threads know it",
        {
            "ptxgen/verifier/protocols/mbarrier.py": ("_report_published",),
        },
    ),
    "PTX533": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "a copy uses an mbarrier that the async proxy does not know",
        {
            "ptxgen/verifier/protocols/mbarrier.py": ("_report_published",),
        },
    ),
    "PTX534": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "an mbarrier initialised twice",
        {
            "ptxgen/verifier/protocols/mbarrier.py": ("_report_published",),
        },
    ),
    "PTX535": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "an mbarrier used behind its inval, or perhaps at the same time",
        {
            "ptxgen/verifier/protocols/lifetimes.py": ("_report",),
            "ptxgen/verifier/protocols/mbarrier.py": ("_report_published",),
        },
    ),
    "PTX536": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "a parity that never flips",
        {
            "ptxgen/verifier/protocols/mbarrier.py": ("_check_parity",),
            "ptxgen/verifier/protocols/rings.py": ("_check_parities_of_iterations",),
        },
    ),
    "PTX537": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "an mbarrier object of the wrong size or alignment",
        {
            "ptxgen/verifier/protocols/mbarrier.py": ("_check_objects",),
        },
    ),
    "PTX538": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "an mbarrier on which not as many arrive as it counts",
        {
            "ptxgen/verifier/protocols/arrivals.py": ("_check_count",),
            "ptxgen/verifier/protocols/mbarrier.py": ("_check_arrivals",),
            "ptxgen/verifier/protocols/rings.py": ("_check_stages",),
        },
    ),
    "PTX539": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "first phases that wait for each other",
        {
            "ptxgen/verifier/protocols/rings.py": ("_check_circles",),
        },
    ),
    "PTX540": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "wgmma without its fence",
        {
            "ptxgen/verifier/protocols/wgmma.py": ("_Wgmma._report",),
        },
    ),
    "PTX541": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "a register used while wgmma owns it",
        {
            "ptxgen/verifier/protocols/wgmma.py": ("_Wgmma._report_early",),
        },
    ),
    "PTX542": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "wgmma outside any group",
        {
            "ptxgen/verifier/protocols/wgmma.py": ("_Wgmma._report",),
        },
    ),
    "PTX543": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "wgmma groups that nothing waits for",
        {
            "ptxgen/verifier/protocols/wgmma.py": ("_Wgmma._report",),
        },
    ),
    "PTX544": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "a wait for wgmma groups that are not there",
        {
            "ptxgen/verifier/protocols/wgmma.py": ("_Wgmma._report",),
        },
    ),
    "PTX545": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "wgmma of two shapes on the same accumulators without a fence",
        {
            "ptxgen/verifier/protocols/wgmma.py": ("_Wgmma._report",),
        },
    ),
    "PTX547": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "a buffer given back while wgmma reads it",
        {
            "ptxgen/verifier/protocols/stage_release.py": ("_report",),
            "ptxgen/verifier/protocols/wgmma.py": ("_Wgmma._report",),
        },
    ),
    "PTX548": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "a stage filled again while others may still read it",
        {
            "ptxgen/verifier/protocols/stage_reuse.py": ("_report",),
        },
    ),
    "PTX550": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "a register used before tcgen05.ld has filled it",
        {
            "ptxgen/verifier/protocols/tcgen05.py": ("_report_flying",),
        },
    ),
    "PTX551": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "tensor memory relied on before tcgen05.st has completed",
        {
            "ptxgen/verifier/protocols/tcgen05.py": ("_report_flying",),
        },
    ),
    "PTX552": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "tcgen05.mma or cp that no commit follows",
        {
            "ptxgen/verifier/protocols/tcgen05.py": ("_check_commits",),
        },
    ),
    "PTX553": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "a tcgen05 fence without its counterpart",
        {
            "ptxgen/verifier/protocols/tcgen05.py": ("_check_fences",),
        },
    ),
    "PTX554": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "tensor memory that is not given back",
        {
            "ptxgen/verifier/protocols/tcgen05.py": ("_check_allocation",),
        },
    ),
    "PTX555": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "tcgen05.alloc behind relinquish_alloc_permit",
        {
            "ptxgen/verifier/protocols/tcgen05.py": ("_check_allocation",),
        },
    ),
    "PTX556": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "sizes of tensor memory that do not fit together",
        {
            "ptxgen/verifier/protocols/tcgen05.py": ("_check_allocation", "_check_sizes"),
        },
    ),
    "PTX557": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "warps that allocate tensor memory into one place",
        {
            "ptxgen/verifier/protocols/tcgen05.py": ("_check_warps",),
        },
    ),
    "PTX559": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "two values of .cta_group in one kernel",
        {
            "ptxgen/verifier/protocols/tcgen05.py": ("_check_groups",),
        },
    ),
    "PTX560": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "the async proxy reads what the generic proxy has written, without a fence",
        {
            "ptxgen/verifier/protocols/proxies.py": ("_Proxies._report_unmet", "_Proxies._report"),
        },
    ),
    "PTX562": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "a changed tensor map used without its fences",
        {
            "ptxgen/verifier/protocols/proxies.py": ("check_tensor_maps",),
        },
    ),
    "PTX563": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "a tensor map changed in shared memory and never published",
        {
            "ptxgen/verifier/protocols/proxies.py": ("check_tensor_maps",),
        },
    ),
    "PTX564": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "a multimem address used by ld, st, atom or red",
        {
            "ptxgen/verifier/protocols/aliases.py": ("check_multimem",),
        },
    ),
    "PTX565": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "ld.global.nc of what the thread has stored",
        {
            "ptxgen/verifier/protocols/aliases.py": ("check_noncoherent",),
        },
    ),
    "PTX570": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "setmaxnreg in a kernel without a register count",
        {
            "ptxgen/verifier/protocols/warpgroups.py": ("check_register_counts",),
        },
    ),
    "PTX571": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "a warpgroup's instruction under a condition of single warps",
        {
            "ptxgen/verifier/protocols/warpgroups.py": ("check_warpgroups",),
        },
    ),
    "PTX572": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "setmaxnreg.dec to more registers than a thread has",
        {
            "ptxgen/verifier/protocols/warpgroups.py": ("_check_over",),
        },
    ),
    "PTX573": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "setmaxnreg in the wrong direction",
        {
            "ptxgen/verifier/protocols/warpgroups.py": ("_check_direction",),
        },
    ),
    "PTX574": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "warpgroups that ask for more registers than the CTA has",
        {
            "ptxgen/verifier/protocols/register_pool.py": ("check_register_pool",),
        },
    ),
    "PTX580": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "barrier.cluster.arrive without its wait",
        {
            "ptxgen/verifier/protocols/clusters.py": ("_Clusters._report",),
        },
    ),
    "PTX581": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "barrier.cluster.wait without an arrival",
        {
            "ptxgen/verifier/protocols/clusters.py": ("_Clusters._report",),
        },
    ),
    "PTX582": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "another CTA's shared memory used before a barrier.cluster",
        {
            "ptxgen/verifier/protocols/clusters.py": ("_Clusters._report",),
        },
    ),
    "PTX583": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "another CTA may end before its shared memory is used",
        {
            "ptxgen/verifier/protocols/clusters.py": ("_Clusters._report",),
        },
    ),
    "PTX584": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "barrier.cluster.arrive.relaxed behind accesses that others rely on",
        {
            "ptxgen/verifier/protocols/clusters.py": ("_Clusters._report", "_Clusters._report_unordered"),
        },
    ),
    "PTX585": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "a rank that the cluster does not have",
        {
            "ptxgen/verifier/protocols/clusters.py": ("_check_ranks",),
        },
    ),
    "PTX586": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "global memory written before griddepcontrol.wait",
        {
            "ptxgen/verifier/protocols/clusters.py": ("check_dependent_grids",),
        },
    ),
    "PTX587": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "another CTA's address with the window of the own CTA",
        {
            "ptxgen/verifier/protocols/cluster_scopes.py": ("_check_windows",),
        },
    ),
    "PTX588": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "an arrival or wait across CTAs of the scope .cta",
        {
            "ptxgen/verifier/protocols/cluster_scopes.py": ("_report_scope",),
        },
    ),
    "PTX589": IndexEntry(
        "ptxgen.verifier.protocols.codes",
        "the scope .cluster where .cta is enough",
        {
            "ptxgen/verifier/protocols/cluster_scopes.py": ("_report_needless",),
        },
    ),
    "PTX590": IndexEntry(
        "ptxgen.builder.memory.codes",
        "an order that nothing gives",
        {
            "ptxgen/builder/memory/ordering.py": ("Ordering._way",),
        },
    ),
    "PTX591": IndexEntry(
        "ptxgen.builder.memory.codes",
        "an operation that comes after what has not happened",
        {
            "ptxgen/builder/memory/ordering.py": ("Ordering._named",),
        },
    ),
    "PTX592": IndexEntry(
        "ptxgen.builder.memory.codes",
        "a scope that cannot be",
        {
            "ptxgen/builder/memory/ordering.py": ("Ordering._acquire", "Ordering._scope", "Ordering._check_space"),
        },
    ),
    "PTX601": IndexEntry(
        "ptxgen.verifier.style.codes",
        "a value that nothing reads",
        {
            "ptxgen/verifier/style/unused_values.py": ("check_unused_values",),
        },
    ),
    "PTX602": IndexEntry(
        "ptxgen.verifier.style.codes",
        "more values alive at once than a thread has registers",
        {
            "ptxgen/verifier/style/register_pressure.py": ("check_pressure",),
        },
    ),
    "PTX603": IndexEntry(
        "ptxgen.verifier.threads.codes",
        "threads leave before a barrier",
        {
            "ptxgen/verifier/threads/exits.py": ("check_exits",),
        },
    ),
    "PTX604": IndexEntry(
        "ptxgen.verifier.style.codes",
        "a branch to what comes next",
        {
            "ptxgen/verifier/style/dead_code.py": ("_check_jumps",),
        },
    ),
    "PTX605": IndexEntry(
        "ptxgen.verifier.style.codes",
        "a sum that every iteration begins anew",
        {
            "ptxgen/verifier/style/accumulation.py": ("check_accumulation",),
        },
    ),
    "PTX606": IndexEntry(
        "ptxgen.verifier.style.codes",
        "no bound on a thread's index",
        {
            "ptxgen/verifier/style/bounds.py": ("check_bounds",),
        },
    ),
    "PTX607": IndexEntry(
        "ptxgen.verifier.style.codes",
        "more predicates alive at once than there are",
        {
            "ptxgen/verifier/style/register_pressure.py": ("check_predicates",),
        },
    ),
    "PTX608": IndexEntry(
        "ptxgen.verifier.module_level.codes",
        "a remark says that this is not finished",
        {
            "ptxgen/verifier/module_level/unfinished.py": ("check_unfinished",),
        },
    ),
    "PTX609": IndexEntry(
        "ptxgen.verifier.style.codes",
        "a kernel without effect",
        {
            "ptxgen/verifier/style/dead_code.py": ("_check_effect",),
        },
    ),
    "PTX610": IndexEntry(
        "ptxgen.verifier.module_level.codes",
        "a module that nothing can be launched or linked from",
        {
            "ptxgen/verifier/module_level/unfinished.py": ("check_unfinished",),
        },
    ),
    "PTX611": IndexEntry(
        "ptxgen.verifier.style.codes",
        "a warp's access to global memory is not coalesced",
        {
            "ptxgen/verifier/style/access_patterns.py": ("check_access_patterns",),
        },
    ),
    "PTX612": IndexEntry(
        "ptxgen.verifier.style.codes",
        "bank conflicts in shared memory",
        {
            "ptxgen/verifier/style/access_patterns.py": ("check_access_patterns",),
        },
    ),
    "PTX613": IndexEntry(
        "ptxgen.verifier.style.codes",
        "a loop that does nothing",
        {
            "ptxgen/verifier/style/dead_code.py": ("check_dead_code",),
        },
    ),
    "PTX614": IndexEntry(
        "ptxgen.resources.codes",
        "neighbouring accesses that could be one",
        {
            "ptxgen/resources/advice.py": ("_vectors",),
        },
    ),
    "PTX615": IndexEntry(
        "ptxgen.verifier.style.codes",
        "a copy that nothing needs",
        {
            "ptxgen/verifier/style/copies.py": ("check_copies",),
        },
    ),
    "PTX620": IndexEntry(
        "ptxgen.resources.codes",
        "the assembler spills registers",
        {
            "ptxgen/resources/advice.py": ("_registers",),
        },
    ),
    "PTX621": IndexEntry(
        "ptxgen.resources.codes",
        "a few registers too many for another CTA",
        {
            "ptxgen/resources/advice.py": ("_registers",),
        },
    ),
    "PTX630": IndexEntry(
        "ptxgen.assembler.codes",
        "the assembler gives up speed, or repairs the program",
        {
            "ptxgen/assembler/log.py": ("_loss",),
        },
    ),
    "PTX690": IndexEntry(
        "ptxgen.verifier.findings.codes",
        "a remark takes back a warning that does not exist",
        {
            "ptxgen/builder/control/suppression.py": ("allow",),
            "ptxgen/verifier/findings/silence.py": ("_judge",),
        },
    ),
    "PTX691": IndexEntry(
        "ptxgen.verifier.findings.codes",
        "a remark takes nothing back",
        {
            "ptxgen/verifier/findings/silence.py": ("_judge",),
        },
    ),
}
