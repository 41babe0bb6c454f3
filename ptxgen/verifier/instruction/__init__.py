"""Checks of one instruction by itself: names, form, operands, state space, the function it calls (PTX2xx, PTX301 to 308, 41x).

`walk.py` is the one walk over a body, which calls them. To add a check of forms or operands, add it to the table where a row can
say it; else a function that takes a Site, called in `walk.py` where it costs nothing for instructions it is not about.
`operands.py` matches operands against the table, `lenient.py` is what assemblers pass all the same, `nearest.py` the legal form
that a finding offers. May import `program` and `findings`.
"""
