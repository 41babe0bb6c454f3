"""The PTX ISA as data: types, state spaces, special registers, targets with their limits, and the table of every form.

The table is the only place that knows an instruction. To add one, add its row to the chapter's file in `table/`, with its effects
and traits (`notation` says what there is); it works at once. `index`, which tools/index_isa.py writes from the rows, only makes
starts quicker. Other rooms ask for `form.effects`, `form.traits` and `forms.opcodes_with` what an instruction is; a test refuses
sets of opcodes elsewhere. The ground floor: imports nothing of ptxgen but `ptxgen.errors`.
"""
