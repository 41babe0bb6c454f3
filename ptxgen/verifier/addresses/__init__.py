"""Checks of addresses: their alignment and width, and the window of the state space they belong to (PTX207, 209, 425, 426).

To add one, write a function that takes a CheckedBody and reports into it, and give it a row in `body_checks.py`. May
import `program`.
"""
