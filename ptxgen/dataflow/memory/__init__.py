"""Memory: which bytes threads access, and how the lanes of a warp lie in it.

`access_patterns.py` counts sectors and bank conflicts; `shared_accesses.py` and `accessed_bytes.py` are for races in shared
memory. May import threads, paths and what is below.
"""
