"""BLAKE2b, without OpenSSL: `hashlib` loads that too, which takes longer than all that a start hashes.

The module that has it is CPython's own and not documented; where it is not there, `hashlib` is taken.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers know the name without its import from `typing`
if TYPE_CHECKING:
    from hashlib import blake2b
else:
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b

__all__ = ["blake2b"]
