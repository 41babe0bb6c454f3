"""Hash, merge and loop joins of tables, and the transitive closure that is built of them.

May import everything up to `builder`, and of the kernels the frame (`cases`, `plan`, ...) and other rooms.
"""
