"""Findings: which warnings the author has taken back, and the PTX lines they stand on.

To add a remark of another kind, add it to `silence.py`. What a code means stands in `codes.py` of the room that reports it, and
`ptxgen.codes` says how to add one. May import `program`.
"""
