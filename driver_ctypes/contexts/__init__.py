"""A driver, its devices, and their contexts as users hold them.

`opened_driver` has the devices of a driver, `device` is what a device is, with `attributes` by name. `context` is what
`Session` has, with words for users: `settings`, those of `memory.calls`, and what it makes; `stream` adds capture to the
streams of the room ``streams``. To give a context one more word, add a method here that imports the room which does the
work, when it is called; a word for memory goes to `memory.calls`. What rooms below need of a context belongs to
``session``.

May import every room but ``drivers`` and profiler.
"""
