"""`px.explain`: a page about an instruction, a directive, a special register, a target, a type or a diagnostic code.

To explain another kind of thing, add a lookup to `lookup.py` and its page to `pages.py`. Everything comes from the table and the
codes; no check depends on this room.
"""

from ptxgen.verifier.explanation.lookup import explain
from ptxgen.verifier.explanation.pages import Explanation

__all__ = ["Explanation", "explain"]
