"""The order of work: streams, events, and functions of the host between them.

`stream` and `event` are the objects; `hostcalls` calls Python functions in stream order without blocking the driver;
`ordering` lets one stream wait for another by their handles, `memory_operations` are words of memory written or waited
for. `capturing` finds the capture of a stream; the capture itself belongs to the room ``graphs``, which `Stream.capture`
(room ``contexts``) asks for.

May import abi, errors, lifetime, session, interop and arguments.
"""
