"""Paths through a body that do not contradict themselves: a branch taken once on a condition is taken again on the same one.

`paths.py` has what is known on edges, and `path_walk.py` walks every path with a state, which a protocol changes at its events;
`feasible_paths.py` looks for one path to an instruction. May import values and what is below.
"""
