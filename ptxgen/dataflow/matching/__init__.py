"""The matching of forms: which row of the table an instruction and its operands are (PTX manual, chapters 6 and 9).

`operands.py` has the match after the manual and the reasons why an operand does not fit; `leniency.py` what assemblers take
beside that; `nearest.py` the legal instruction nearest to an illegal one. Reasons are words, the verifier knows their codes.
What a new row of the table needs is written in the table; add here only a kind of operand that is new. May import ir and isa.
"""
