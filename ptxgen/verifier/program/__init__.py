"""What a check looks at and reports into: the run over a module, a function's body, and the names visible in it.

`Context` is the run, `Site` the instruction at hand, `Body` what one walk over a function's body has found; `scope.py` says what
is declared where. No check stands here, only what several rooms ask of a program. May import ir and isa.
"""
