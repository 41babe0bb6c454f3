"""`k.ptx`: any instruction of the table exactly, one call each.

`chain.py` spells the instruction's name; `operands.py` turns Python values into operands of the ir; `chains.pyi` holds the
types, which tools/make_stubs.py writes from the table: a new instruction needs a row and that tool, and no line here. May
import `core`, `values`, `memory`, and the matching of forms.
"""
