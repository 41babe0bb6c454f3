"""What every room above uses: one open context of a device, as the other rooms see it, and not users.

`session` is that object: the CUcontext, its device, the function table, calls that make it current, errors, the fault
that poisoned it, its end. `handles` is its part that counts what lives on it and frees each handle once; `handle` is
the base of every object that owns one. `launches` are the bound launches that have to be stopped before what they use
is freed, and what rooms below ``graphs`` need of a running stream capture.

Rooms above take a `Session` and use its public methods; what users get is the `Context` of the room ``contexts``, which
is a session with their methods. To let a session keep one more kind of handle, add it to `handles._CLOSING_ORDER`.
Nothing here may depend on a kind of handle.

May import abi, errors, lifetime, results, validate and loading.
"""
