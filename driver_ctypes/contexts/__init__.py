"""A device, its contexts, and the one way in which any thread calls the driver.

`device` is what a device is, with `attributes` by name. `context` is the object that users hold, put together from
`entry` (it becomes current, failures become errors, faults are remembered), `handles` (what lives on it, and who frees
it), `settings`, and the words of `memory.calls`. To give a context one more word, add a method here that imports the
room which does the work, when it is called; a word for memory goes to `memory.calls`.

May import every other room.
"""
