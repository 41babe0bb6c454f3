"""The library's operations as operators of PyTorch, `torch.ops.ptxgen.NAME`: registered when this is imported.

`row.py` has what a row is; the files beside it have the rows, each in that of its room of `ptxgen.ops`. To add one, write its
schema, what makes its results, what runs it and, where there is a backward operation, its gradient; docs/torch.md lists them.
"""

from ptxgen.torch.operators import attentions, elements, products, rows
from ptxgen.torch.operators.row import OPERATORS

__all__ = ["OPERATORS", "attentions", "elements", "products", "rows"]
