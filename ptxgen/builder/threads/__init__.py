"""The thread among others: its indices, and what the threads of a warp or a CTA do together.

A new operation is a function in `warp.py` and a line in `builder.py`. May import `core` and `values`.
"""
