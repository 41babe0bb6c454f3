"""Checks of one instruction by itself: names, form, operands, state space, the function it calls (PTX2xx, PTX301 to 308, 41x).

`checks.py` is what the one walk over a body (`dataflow/bodies/walk.py`) calls at what is not plainly legal: one method a
question. To add a check of forms or operands, add it to the table where a row can say it; else a function that takes a Site,
called from `checks.py`. Why operands do not fit is found by `dataflow/matching`; `forms.py` has the code of each reason. May
import `program` and `findings`.
"""
