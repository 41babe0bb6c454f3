"""The order of work: streams, events, and functions of the host between them.

`stream` has streams and events, also ordered by the handles of streams of other libraries; `hostcalls` says how Python
functions are called in stream order without blocking the driver, `hostqueue` has the threads that call them;
`memory_operations` are words of memory written or waited for.
A capture belongs to the room ``graphs``, which `Stream.capture` (room ``contexts``) asks for; here a stream's is found.

May import abi, errors, lifetime, session, interop and arguments.
"""
