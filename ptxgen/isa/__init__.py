"""The PTX ISA as data: types, state spaces, special registers, targets with their limits, and the table of every form.

The table is the only place that knows an instruction. To add one, add its row to the chapter's file in `table/`. The ground
floor: imports nothing of ptxgen but `ptxgen.errors`.
"""
