"""The diagnostic codes: what a code is, which there are, and which functions report each. `ptxgen explain PTX412` reads it.

    code.py      `Code`, a row: what the code means, its cause, its remedy, an example; the groups by hundreds
    index.py     generated: of each code, the module with its row and the functions that report it
    functions.py the functions of a source file, by name
    lookup.py    the row of a code, the place of a rule, the codes that a file reports

The rows stand beside the rules: `codes.py` of a room has the codes that this room reports. The comment above a row names the
functions. A code that several rooms report has its row in one of them, best on the lowest floor.

To add a diagnostic, report it from its rule, with the code as a literal. Write its row into `codes.py` of that room, in the order
of the codes, with an example that gives it (the tests run it). Then run `tools/index_codes.py`, which writes the index and the
comments. A code keeps its meaning for good. The number of a deleted code is not used again.

Codes: 1xx syntax, 2xx forms and types, 3xx names and control flow, 4xx targets and limits, 5xx protocols and divergence,
6xx style.

Ground floor: imports nothing of ptxgen. The rows of the rooms above are imported by name, when somebody asks for one.
"""

from ptxgen.codes.code import GROUPS, Code, group

__all__ = ["GROUPS", "Code", "group"]
