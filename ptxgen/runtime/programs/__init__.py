"""Programs: kernels whose parameters have roles, and what a dispatch of one will do.

`program` makes one of a function, with the roles of `bindings` and, over rows, the registers of `rows`; `plans` says what a
dispatch of it launches, and `workgroups` how large its CTAs are where it leaves that open. `fingerprints` digests what its
body does. `barrier` makes a program wait for the whole grid; `splitting` cuts it there, and `spilling` keeps what its threads
hold between the parts.

A new role or a new kind of parameter begins in `bindings`; a new thing that a caller may ask of a dispatch in
`plans.DispatchConfig`. Nothing here needs a device.
"""
