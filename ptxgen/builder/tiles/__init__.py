"""Tiles of matrices and the threads that work on them: planned shared memory, pipelines, roles, schedules, fragments.

`device_tile.py` addresses the planned shared memory; `tensor_copies.py`, `row_copies.py` and `images.py` move tiles through
tensor maps; `barriers.py` and `pipeline.py` order the threads; `roles.py`, `schedule.py`, `tile_queue.py` and `shared_depth.py`
share out the work; `fragments.py` and `mma.py` have what the tensor cores compute. Each block is a class with a function that
`builder.py` names. May import `core`, `values`, `control`, `threads` and `memory`.
"""
