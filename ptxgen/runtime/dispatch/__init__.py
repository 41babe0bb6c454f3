"""Dispatches: running a compiled program (`pipeline`) on data.

`session` is what dispatches use of a backend. `formats` checks the data of the host, `shapes` lays the bindings out in one slab
and copies, `pending` is a dispatch under way, `arrays` one on arrays in device memory, `bound` one on resident buffers, `replay`
one as a graph; `graphs` keeps graphs and decides when to replay one. `state` is memory that outlives dispatches, `outputs`
keeps the outputs of earlier inputs, `tuning` measures open workgroups.

A new way to dispatch is a file here that works with a `DispatchShape`, and a method of `CompiledPipeline` that calls it.
`graphs` and `tuning` work on the pipeline that owns them and import its class for type checking: the one import circle of the
runtime.
"""
