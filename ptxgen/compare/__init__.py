"""Two programs side by side: what differs in meaning, and whether they are equal although their instructions differ.

`difference(old, new)` matches functions, blocks and instructions of two modules and says what changed in meaning: names of
registers and labels, the order of independent instructions, where declarations and constants stand are no change. `equivalent`
proves equality or looks for an input that tells the programs apart. `text_difference` compares texts, line by line.

    graph.py       what is left of a function without names and order: nodes, values, merges, blocks
    blocks.py, operands.py, values.py      from a function to its graph
    signatures.py, pairing.py              which instruction of one graph is which of the other
    order.py       which instructions of a block may not change places
    functions.py, semantic.py              the changes of a function and of a module
    changes.py     changes as values, in words and as data
    terms.py, meaning.py, proof.py      values in a normal form, what instructions compute, both programs walked together
    arguments.py, trials.py, equivalence.py     inputs for a kernel, both programs run with one, the verdict

What shall be no change is taken away in the graph (values.py, blocks.py), with a row in SAME of its test and a rewrite in
tools/fuzz/_rewrites.py; what two paired instructions are compared by stands in functions.py, with a row in DIFFERENT and a
mutation. What shall be proved although it is a change is a rule of meaning.py or a normal form of terms.py. May import everything
up to `tuning`; loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.compare.changes import Change, Difference
    from ptxgen.compare.equivalence import Equivalence, equivalent
    from ptxgen.compare.semantic import difference
    from ptxgen.compare.text import text_difference

__all__ = ["Change", "Difference", "Equivalence", "difference", "equivalent", "text_difference"]

_EXPORTS = {
    "changes": "Change Difference",
    "equivalence": "Equivalence equivalent",
    "semantic": "difference",
    "text": "text_difference",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
