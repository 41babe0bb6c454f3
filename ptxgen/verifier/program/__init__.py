"""What a check looks at and reports into: the run over a module, a body under check, the instruction at hand.

`Context` is the run, `Site` the instruction at hand, `CheckedBody` a `dataflow.bodies.Body` that can report, and `allowance.py`
what remarks in it take back. No check stands here. May import dataflow, ir and isa.
"""
