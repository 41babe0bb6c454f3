"""Checks of what the threads of a warp or a CTA do together: divergence, barriers, exits, races (PTX501 to 508, PTX603).

Which registers and branches differ between threads, and which integer each thread has, is in `dataflow/threads`; what they
access in `dataflow/memory`. To add a check, write a function that takes a CheckedBody, asks these and reports into it, and
give it a row in `body_checks.py`. May import `program`, `flow` and `addresses`.
"""
