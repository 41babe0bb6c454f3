"""Findings of style, 6xx: what is legal, and untidy, slow or easily wrong. Reported only where style is asked for.

To add one, write a function that takes a CheckedBody and reports into it, and give it a row in `body_checks.py` that
says "style". May import `program`, `flow` and `threads`.
"""
