"""The parameters of tcgen05.mma, .cp and .shift."""

from __future__ import annotations

from enum import IntEnum, IntFlag

__all__ = ["PARAMETERS", "WIDE", "Flag", "Parameter"]


class Parameter(IntEnum):
    """The 32-bit words that a function gets in place of pointers to rows, and that a BulkCopy has room for."""

    A = 0
    """Addresses in tensor memory, one word, or descriptors of matrices in shared memory, two."""
    B = 2
    NUMBER = 4
    """What belongs to FAULT, two words."""
    FAULT = 6
    """Set by the function: a FaultKind, or 0."""
    D = 7
    DESCRIPTOR = 8
    FLAGS = 9
    SCALE_D = 10
    """D is multiplied by 2 to the minus that."""
    SCALE_A = 11
    SCALE_B = 12
    METADATA = 13
    MASK = 14
    """Eight words: the lanes of D that are left out, of a pair's first CTA first. With .ws two: which columns of B are zero."""


PARAMETERS = Parameter.MASK + 8
"""How many words there are."""
WIDE = frozenset({Parameter.A, Parameter.B, Parameter.NUMBER})
"""Those of two words."""


class Flag(IntFlag):
    ADD = 1
    """D is added to, not set."""
    A_IN_TENSOR_MEMORY = 2
