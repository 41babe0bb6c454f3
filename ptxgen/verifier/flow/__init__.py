"""Checks of what one thread does, one instruction after another: definitions, reachability, calls (PTX303, 308 to 313).

To add one, write a function that takes a CheckedBody and reports into it, and give it a row in `body_checks.py`. What it can ask
is in `dataflow`: `values` (what registers hold), `paths` (every path through a body, with a state along it), `calls` (a kernel
with its device functions in place of the calls). May import `program`, `findings` and `instruction`.
"""
