"""Dispatches: a compiled program (`pipeline`) meets its data.

`formats` looks at what the host brings, `shapes` lays the bindings out in one slab and copies, `pending` is a dispatch under
way, `arrays` one on arrays in device memory, `bound` one on resident buffers, `replay` one as a graph, and `graphs` says when
that pays and keeps them. `state` is memory that outlives dispatches, `outputs` answers inputs that came before, `tuning` measures
open workgroups.

A new way to dispatch is a file here that works with a `Shape`, and a method of `CompiledPipeline` that leads to it.
"""
