"""The order of work: streams, events, and functions of the host between them.

`stream` and `event` are the objects; `hostcalls` calls Python functions in a stream's order without holding the driver
up; `capturing` tells which capture records a stream. Capturing it is the work of the room ``graphs``, which
`Stream.capture` asks for when it is called.

May import abi, errors, lifetime and interop.
"""
