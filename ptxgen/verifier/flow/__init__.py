"""Checks of what one thread does, one instruction after another: definitions, reachability, calls (PTX303, 308 to 313).

To add one, write a function that takes a Body and reports into it, and name it in `run.py`. What it can ask: `value_numbers.py`
(what registers hold), `paths.py` (every way through a body, with a state along it), `evaluation.py` (integers and predicates
along one way), `feasible_paths.py` (is a register written on every way), `inlining.py` (a kernel with its device functions in
place of the calls). May import `program`, `findings` and `instruction`.
"""
