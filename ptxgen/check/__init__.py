"""Is a program legal, is it wise: the match of operands to forms, the verifier, limits of the target.

To add a check, write a function that takes the verifier's Context and reports into it. May import text, ir and isa.
"""

from ptxgen.check.limits import parameter_layout, static_shared
from ptxgen.check.operands import match
from ptxgen.check.verify import assert_valid, minimum_version, verify

__all__ = ["assert_valid", "match", "minimum_version", "parameter_layout", "static_shared", "verify"]
