"""The Debug Adapter Protocol on top of a session: `ptxgen dap`, what editors step through kernels with.

    wire        messages on a pair of streams
    server      requests in their order, one after the other; `pause` comes between
    requests    a function for each request: arguments in, body of the response out
    scopes      threads, frames and variables by the numbers that the protocol gives them

A thread of the protocol is a warp; its frames and variables are those of one of its lanes, the one in hand. To answer one more
request, add its function to `requests.REQUESTS`, and its capability to `requests.CAPABILITIES`. May import what the room may.
"""
