"""What a kernel's body may hold beside operations: branches, loops, guards, and suppressed warnings.

`structured.py` has the bodies that `with` opens; `python_control_flow.py` finds Python's return, break and continue inside
them. A new body is a generator in `structured.py` and a line in `builder.py`. May import `core` and `values`.
"""
