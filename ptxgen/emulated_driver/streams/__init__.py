"""Work in order: each `stream`, `events` in it, `memops` between words of memory, and `capture`, which makes nodes of work. A
new kind of work is a `Work` that a stream runs, and what it becomes in a capture."""
