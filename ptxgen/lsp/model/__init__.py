"""What the answers are computed from: the text of an open file, the PTX in it, and what that declares.

`positions.py` counts as the protocol does; `document.py` is an open file; `program.py` finds statements, scopes and declarations
in a text, finished or not; `statement.py` reads one of them. Nothing here knows the protocol. May import isa, ir, text and
dataflow's matching.
"""
