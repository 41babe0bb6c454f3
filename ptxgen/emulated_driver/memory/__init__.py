"""Memory: blocks that callers asked for (`allocation`), what lies at an address (`addresses`), and the functions: device and host
memory, pointer attributes, managed memory, virtual memory management, pools, memory of graphs, copies and fills, batches of
them, operations on words in stream order (`memops`), tensor maps. A new way to make memory ends in an `Allocation` or a
`Mapping`, so that every function knows its addresses. May import `streams` and what is below.
"""
