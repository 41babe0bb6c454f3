"""What can be known of a program: the facts that the verifier, passes, resources and the builder share.

    graph/      graphs and algorithms on them: control flow, dominators, loops, liveness, reaching definitions, merges (SSA)
    matching/   which form of the table an instruction is, and why it is none; the nearest legal one
    bodies/     names and scopes, the walk over a function's body, `Body` itself, what directives and special registers say
    values/     what registers hold: value numbers, constants along one path, alignment of addresses
    patterns/   patterns of instructions in PTX notation, and where a program has them: `grep`
    calls/      parts of a call, which functions take part in what their caller does, inlining
    paths/      the paths through a body that do not contradict themselves
    threads/    how values differ between the threads of a warp or a CTA: uniformity, integers in each thread, branches
    memory/     what threads access: plain accesses of shared memory and their bytes, sectors and bank conflicts

Nothing here judges: no diagnostic code, no finding. An analysis returns values; the walk tells a listener
(`bodies/listener.py`) what is not plainly legal, and the verifier makes diagnostics of both. To begin:

    body = body_of(module, "kernel")            # dataflow/bodies/walk.py
    body.flow, body.loops, body.chains          # graph/
    body.analysis(Uniformity).branch(block)     # any class that takes a Body; made once and kept

To add an analysis, write a class that takes a `Body` (or a function, where nothing is worth keeping) into the lowest room that
has what it needs. Imported by path, nothing is exported here. May import text, ir, isa and errors.
"""
