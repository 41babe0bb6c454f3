"""What registers hold, as far as the text of a function says.

`value_numbers.py` gives equal values equal numbers, wherever they are computed; `evaluation.py` computes integers along one
path, and `possible_values.py` by it what a register may hold on any; `alignment.py` knows addresses modulo powers of two. To
teach one of them an instruction, add it where its opcodes are listed. May import bodies and what is below.
"""
