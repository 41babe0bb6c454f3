"""PyTorch: kernels as its operators, and the library's operations ready-made, `torch.ops.ptxgen.rms_norm` and the others.

    elements     PyTorch's types and those of kernels
    declaration  which argument or result of an operator each parameter of a kernel is; the schema
    launches     a call: checked once for each form of its tensors, then launched; `host_tensors` is the part of the CPU device
    front        the same before PyTorch's dispatcher, for calls that nothing watches: `quick` is what they come down to,
                 `results` their new tensors, `written` how functions are made of text
    registration what PyTorch is told of an operator: schema, devices, shapes, `gradients`, `batching`, autocast
    custom       `custom_op`, which puts these together
    operators/   those of the library: a row for each, in files as the rooms of `ops`; add the next one there

Imported, it registers the library's operators where PyTorch is installed; without it, the extra `torch`, its names raise. May
import every room up to `ops`. Nothing else imports PyTorch than `framework`.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.torch.custom import custom_op
    from ptxgen.torch.elements import element_type
    from ptxgen.torch.gradients import NoGradientError

__all__ = ["NoGradientError", "custom_op", "element_type"]

_EXPORTS = {"custom": "custom_op", "elements": "element_type", "gradients": "NoGradientError"}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)

if find_spec("torch") is not None:
    import ptxgen.torch.operators  # noqa: F401
