"""Patterns of instructions: what a search or a test writes down, and where a program has it.

`notation.py` says how a pattern is written and reads one; `operands.py` has the patterns of operands, one function each: a
new kind is a function and a line in `operand_pattern`. `search.py` finds them: `grep` goes through a module, and follows the
values that names stand for through the control-flow graph. May import bodies and what is below.
"""
