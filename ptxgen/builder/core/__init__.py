"""The ground floor of the builder: the function and the module being built, and whose line of Python an instruction is of.

`function_builder.py` has what every operation is written against; `module_builder.py` what the functions of one module share;
`source.py` the user's place; `numbers.py` numpy's scalars. What every operation needs belongs here, and nothing else: what is
for a kind of operation stands in its room. May import `isa`, `ir`, `errors` and the verifier.
"""
