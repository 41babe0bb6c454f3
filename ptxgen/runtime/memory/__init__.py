"""Memory of a backend: what is kept for reuse (`pools`), borrowed for one dispatch (`leases`) or stays between dispatches
(`resident`, of which `ranges` are parts; in memory of an array, `adopted`), and `turns`, in which dispatches use what they share.

A new kind of memory has its budget and its counters in `telemetry`, and is freed by `Backend.close`.
"""
