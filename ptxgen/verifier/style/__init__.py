"""Findings of style, 6xx: what is legal, and untidy, slow or easily wrong. Reported only where style is asked for.

To add one, write a function that takes a CheckedBody, returns at once unless `body.context.style`, and reports into it; name it
in `run.py`. May import `program`, `flow` and `threads`.
"""
