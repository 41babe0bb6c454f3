"""The instruction table against the assemblers: enumerate, mutate, assemble in bulk, compare, report."""
