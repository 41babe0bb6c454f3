"""The diagnostic codes of advice on memory accesses and registers: see `ptxgen.codes`. The comments above the rows are written by tools/index_codes.py."""

from __future__ import annotations

from ptxgen.codes.code import HEADER, Code

__all__ = ["CODES"]

CODES = (
    # advice.py: _vectors
    Code(
        "PTX614",
        "neighbouring accesses that could be one",
        "loads or stores of neighbouring elements, which .v2 or .v4 makes one of; said by ptxgen.resources.advise and ptxgen check --style",
        "ld.global.v4.f32; where the pointer's alignment is not known, promise it: .ptr .global .align 16",
        module=HEADER + ".entry k(.param .u64 .ptr .global .align 16 a)\n{\n\t.reg .b32 %r<3>; .reg .b64 %rd<2>;\n"
        "\tld.param.u64 %rd1, [a];\n\tld.global.u32 %r1, [%rd1];\n\tld.global.u32 %r2, [%rd1+4];\n"
        "\tst.global.v2.u32 [%rd1+8], {%r2, %r1};\n\tret;\n}\n",
        severity="warning",
    ),
    # advice.py: _registers
    Code(
        "PTX620",
        "the assembler spills registers",
        "more values are alive at once than the registers that .maxnreg, .minnctapersm or the hardware leave; said by "
        "ptxgen.resources.advise and ptxgen check --style",
        "smaller tiles, values computed where they are used, or a larger .maxnreg",
        head=".maxnreg 24",
        ptx=".reg .b64 %x<20>;\n"
        + "".join(f"ld.volatile.global.u64 %x{i}, [%rd1+{8 * i}];\n" for i in range(20))
        + "".join(f"st.volatile.global.u64 [%rd1+{8 * i}], %x{19 - i};\n" for i in range(20)),
        severity="warning",
    ),
    # advice.py: _registers
    Code(
        "PTX621",
        "a few registers too many for another CTA",
        "registers limit how many CTAs are resident, and a tenth less would let in one more; said by ptxgen.resources.advise and "
        "ptxgen check --style",
        ".maxnreg, where that does not spill",
        head=".reqntid 1024",
        ptx=".reg .b64 %x<14>;\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd1, %rd1, %rd2;\n"
        + "".join(f"ld.volatile.global.u64 %x{i}, [%rd1+{8 * i}];\n" for i in range(14))
        + "".join(f"st.volatile.global.u64 [%rd1+{8 * i}], %x{13 - i};\n" for i in range(14)),
        severity="warning",
    ),
)
