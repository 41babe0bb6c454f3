"""Findings: what each code means, which warnings the author has taken back, and the PTX lines they stand on.

To add a diagnostic, add its row to `CODES` in `codes.py`, with an example that gives it (the tests run it), and report it from
a check. Codes: 1xx syntax, 2xx forms and types, 3xx names and control flow, 4xx targets and limits, 5xx protocols and
divergence, 6xx style. May import `program`.
"""
