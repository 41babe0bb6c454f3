"""Checks of what one thread does, one instruction after another: definitions, paths, reachability, calls (PTX303, 310 to 313).

To add one, write a function that takes a Body and reports into it, and name it in `verify.py`. For all that follows values along
paths there are `evaluation.py` (integers and predicates along one path) and `inlining.py` (a kernel with its device functions
in place of the calls). May import `program`, `findings` and `instruction`.
"""
