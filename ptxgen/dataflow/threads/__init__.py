"""Threads: how values and branches differ between those of a warp or a CTA.

`uniformity.py` says how far each value is the same, by `warp_multiples.py` too, which knows whole numbers of warps;
`thread_values.py` computes the integer that each thread has (of `thread_integers.py`, by the rules in `thread_rules.py`), in the
iterations of loops too; `active_threads.py` and `branches.py` say which threads come where. To teach an instruction, add its rule
to `_RULES` in `uniformity.py` and in `thread_rules.py`. May import values, calls and what is below.
"""
