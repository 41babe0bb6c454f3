"""The device runtime: functions that programs declare and do not define, linked in when a module is loaded.

NVIDIA's lie in libcudadevrt. Here each is a definition in PTX that takes the place of the declaration.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.ir import Function, Module

# A condition's handle is the address of its value: see `conditionals`.
_SOURCE = """
.version 8.0
.target sm_75
.address_size 64

.func cudaGraphSetConditional(.param .b64 handle, .param .b32 value)
{
    .reg .b32 %value;
    .reg .b64 %handle;
    ld.param.b64 %handle, [handle];
    ld.param.b32 %value, [value];
    st.global.b32 [%handle], %value;
    ret;
}
"""
NAMES = ("cudaGraphSetConditional",)


@cache
def _definition(name: str) -> Function:
    from ptxgen.text.parser import parse

    return parse(_SOURCE, "device runtime").function(name)


def link_runtime(module: Module) -> None:
    """Every declared function of the device runtime gets its body."""
    from ptxgen.ir import Function

    for index, item in enumerate(module.items):
        if isinstance(item, Function) and item.name in NAMES and module.function(item.name).body is None:
            module.items[index] = _definition(item.name)
