"""Where in shared memory the address in a register points."""

from __future__ import annotations

import sys
from itertools import count

from ptxgen.dataflow.bodies.walk import body_of
from ptxgen.dataflow.values.value_numbers import ValueNumbers
from ptxgen.text import parse


def test_addresses_mixed_in_a_circle():
    """Each register of a loop is made of the two before, the first ones of the last: there are 2^40 ways around."""
    around = 60
    lines = "".join(f"xor.b32 %r{n}, %r{n - 1}, %r{n - 2};\n" for n in range(2, around))
    module = parse(
        ".version 8.0\n.target sm_90a\n.address_size 64\n.shared .b64 ring[4];\n.entry k()\n{\n"
        f".reg .b32 %r<{around}>;\n.reg .pred %p;\nmov.u32 %r0, ring;\nmov.u32 %r1, 8;\nagain:\n{lines}"
        f"mov.u32 %r1, %r{around - 1};\nmov.u32 %r0, %r{around - 2};\nsetp.ne.u32 %p, %r0, 0;\n@%p bra again;\nret;\n}}\n"
    )
    body = body_of(module, "k")
    values = ValueNumbers(body)
    made = [register for register in body.registers if register.name.startswith("%r")][2:]
    calls = count()
    before = sys.getprofile()
    sys.setprofile(lambda *_: next(calls) and None)
    try:
        places = [values.place(register, 2 + around) for register in made]
    finally:
        sys.setprofile(before)
    assert {place.symbol for place in places} == {"ring"}
    assert not any(place.exact for place in places)
    assert next(calls) < 400 * around * around
