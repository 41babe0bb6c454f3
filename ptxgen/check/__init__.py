"""Is a program legal, is it wise: the match of operands to forms, the verifier, limits of the target.

To add a check, write a function that takes a Site (an instruction) or the Context (the module) and reports into it, and name
it in `verify.py`. May import text, ir and isa.
"""

from ptxgen.check.limits import parameter_layout, static_shared
from ptxgen.check.operands import match
from ptxgen.check.verify import assert_valid, verify
from ptxgen.check.versions import at_lowest_target, minimum_target, minimum_version

__all__ = [
    "assert_valid",
    "at_lowest_target",
    "match",
    "minimum_target",
    "minimum_version",
    "parameter_layout",
    "static_shared",
    "verify",
]
