"""What takes longer than a keystroke: parsing, verifying and analysing a document, in a process of its own.

    report.py   what is found out about a version of a document: plain values with places in its text
    judging.py  a document's text -> its report
    worker.py   the process that judges
    judge.py    this process's side: one job at a time, cancelled by the next edit

A process, not a thread: an answer to a keystroke does not wait for the interpreter's lock, and a text that exhausts the stack
or the memory ends the worker alone. May import everything up to the verifier, and the assembler's worker pool.
"""
