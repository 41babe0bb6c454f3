"""Drivers by name, and what is missing where one does not start.

`registry` has the names by which drivers are known, and opens each of them once. `diagnosis` reads what the machine's
files say, and puts it together with what the driver says. A new cause of trouble is a `Finding` of `diagnosis`.

May import every other room.
"""
