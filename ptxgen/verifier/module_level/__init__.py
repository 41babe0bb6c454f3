"""Checks of what stands around the bodies: directives, declarations, variables, limits, launch bounds (PTX1xx, 4xx).

To add one, write a function that takes the Context (and the Function, if it is about one) and reports into it, and name it in
`run.py`. Most rules of directives are rows of `ptxgen/isa/directives.py`, and need nothing here. May import `program`,
`findings` and `instruction`.
"""
