"""A driver, its devices, and their contexts as users hold them.

`opened_driver` has the devices of a driver, `device` is what a device is, with `attributes` by name. `context` is
`Session` with methods for users: `settings`, those of `memory.calls`, and what it creates; `stream` adds capture to the
streams of the room ``streams``. To give a context one more method, add it here; it imports the room that does the work when
it is called. A method for memory belongs to `memory.calls`. What rooms below need of a context belongs to ``session``.

May import every room but ``drivers`` and profiler.
"""
