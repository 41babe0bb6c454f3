"""A driver, its devices, and their contexts as users hold them.

`device` has `Driver` and its devices: `Device` says what it is, with `Attributes` by name. `context` has `Context`,
which is `Session` with methods for users (`settings`, those of `memory.calls`, and what it creates), and `Stream`,
which adds capture to the streams of the room ``streams``. To give a context one more method, add it here; it imports
the room that does the work when it is called. A method for memory belongs to `memory.calls`. What rooms below need of a
context belongs to ``session``.

May import every room but ``drivers`` and profiler.
"""
