"""Checks of what the threads of a warp or a CTA do together: divergence, barriers, exits, races (PTX501 to 508, PTX603).

`uniformity.py` says which registers and branches differ between threads, `branches.py` what threads do that part at one,
`thread_values.py` which number each thread has in a register. To add a check, write a function that takes a Body, asks
these, reports into it, and name it in `run.py`. May import `program`, `flow` and `addresses`.
"""
