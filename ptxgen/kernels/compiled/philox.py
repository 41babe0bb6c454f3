"""philox.j2 as Python. Written by tools/compile_templates.py; do not edit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


SOURCE = "d1641d8897ffd39acc0a5516e9bf23c8"
USES: list[Any] = []


def macros() -> SimpleNamespace:

    def philox(c: Any, k0: Any, k1: Any) -> str:
        _text: list[Any] = []
        _text += (
            '\t{\n',
            '\t.reg .b32 %philox_k0, %philox_k1, %philox_high0, %philox_high1, %philox_low0, %philox_low1;\n',
            '\tmov.b32 %philox_k0, ', k0, ';\n',
            '\tmov.b32 %philox_k1, ', k1, ';\n',
        )
        loop_items = list(range(10))
        for loop_index, round in enumerate(loop_items):
            _text += (
                '\tmul.hi.u32 %philox_high0, ', c[0], ', 0xD2511F53;\n',
                '\tmul.lo.u32 %philox_low0, ', c[0], ', 0xD2511F53;\n',
                '\tmul.hi.u32 %philox_high1, ', c[2], ', 0xCD9E8D57;\n',
                '\tmul.lo.u32 %philox_low1, ', c[2], ', 0xCD9E8D57;\n',
                '\txor.b32 ', c[0], ', %philox_high1, ', c[1], ';\n',
                '\txor.b32 ', c[0], ', ', c[0], ', %philox_k0;\n',
                '\tmov.b32 ', c[1], ', %philox_low1;\n',
                '\txor.b32 ', c[2], ', %philox_high0, ', c[3], ';\n',
                '\txor.b32 ', c[2], ', ', c[2], ', %philox_k1;\n',
                '\tmov.b32 ', c[3], ', %philox_low0;\n',
            )
            if not loop_index == len(loop_items) - 1:
                _text += (
                    '\tadd.u32 %philox_k0, %philox_k0, 0x9E3779B9;\n',
                    '\tadd.u32 %philox_k1, %philox_k1, 0xBB67AE85;\n',
                )
        _text += ('\t}\n',)
        return "".join(map(str, _text))

    return SimpleNamespace(philox=philox)
