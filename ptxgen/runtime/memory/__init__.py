"""Memory of a backend: what is kept for reuse (`pools`), borrowed for one dispatch (`leases`) or stays between dispatches
(`resident`; its handles and parts of them are `buffers`; in memory of an array, `adopted`), and `stream_order`, for dispatches
that share memory.

A new kind of memory has its budget and its counters in `telemetry`, and is freed by `Backend.close`.
"""
