"""Differences between the table and an assembler that are known, each with its reason.

An entry is (what the instruction looks like, what the assembler says, why the table stays as it is). The certifier fails on any
difference that no entry explains, and the report lists every entry with the number of instructions that it covers.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tools.certify.verdicts import CRASH

__all__ = ["KNOWN", "Known", "explain"]


class Known(NamedTuple):
    """Regular expressions: the instruction; the assembler's words, "" when it accepts; the verifier's words, "" when it does."""

    instruction: str
    answer: str
    reason: str
    ours: str = ""


_SAMPLED = r"\[%\w+, %\w+, \{"  # an address with a sampler before its coordinates
_PREDICATE_INSIDE = r"[^;]*\{[^}]*%p\d"

KNOWN: tuple[Known, ...] = (
    Known(
        r"tex\.(level|grad)\.",
        r"for instruction '(mov|st|tex\.grad)'",
        "nvJitLink makes other instructions of tex.level and tex.grad: these judge the registers, and on sm_90 and newer they "
        "lack depth beside a sampler or a scalar offset, and a sampler for volumes",
    ),
    Known(
        rf"(tex|tld4)\.[\w.]+ .*{_SAMPLED}",
        r"^$",
        "beside a sampler nvJitLink counts neither coordinates nor offsets, and takes a vector for the level of detail",
    ),
    Known(
        rf"tex\.level\..*{_SAMPLED}",
        r"vector size doesn't match geometry",
        "nvJitLink takes a vector for the level of detail, but beside a sampler not on every geometry",
    ),
    Known(
        r"(tex|tld4)\.[\w.]*cube\.",
        r"^$",
        "nvJitLink does not count the gradients on cube maps, and takes an offset there",
    ),
    Known(
        r"s(uld|ust)\.b\.\S*\.b64\.", r"^$", "nvJitLink takes two 32-bit registers for one of 64 in surface accesses"
    ),
    Known(
        r"(tex|tld4)\..*\{%[us]32_\d",
        r"elements of different types",
        "nvJitLink takes no declared integer as the index of a texture's layer beside float coordinates",
    ),
    Known(
        rf"(tex|tld4)\.{_PREDICATE_INSIDE}",
        r"^$",
        "nvJitLink takes a predicate among the coordinates of a texture fetch",
    ),
    Known(
        rf"w?mma\.{_PREDICATE_INSIDE}",
        r"^$",
        "nvJitLink takes a predicate in a fragment where the target has the instruction itself, and refuses it where it makes "
        "others of it",
    ),
    Known(
        r"fma\.r[zmp]\.\S*bf16",
        r"^$",
        "nvJitLink takes any rounding for fma of bf16, for which the manual has rn alone",
    ),
    Known(
        r"(ld|st)matrix\.\S*\.x(8|16|32|64|128)\.",
        r"^$",
        "nvJitLink takes the numbers of matrices of tcgen05 in ldmatrix and stmatrix, with any number of registers",
    ),
    Known(
        r"multimem\.red\.\S*(min|max)\.",
        r"^$",
        "nvJitLink takes min and max of vectors of halves in multimem.red, for which the manual has add alone",
    ),
    Known(
        r"w?mma\.",
        r"for instruction '(_mma|mov|add|cvt|mul|fma|neg|setp|selp|st|ld)'",
        "where nvJitLink makes other instructions of a matrix product, these judge its registers, each by itself",
    ),
    Known(
        r"mma\.sp\S* .*(, \{%\w+(, %\w+)*\}|, %f\d+|, 0f\w+),",
        r"^$",
        "nvJitLink takes a vector, a float register and a float constant as the metadata of a sparse product, and a constant for "
        "a fragment",
    ),
    Known(
        r"w?mma\.",
        r"^$",
        "nvJitLink takes a further type among those of a matrix product, its loads and its stores",
        "PTX201",
    ),
    Known(r"mma\.\S*kind::mxf8f6f4", r"^$", "nvJitLink takes kind::mxf8f6f4 without block scaling for kind::f8f6f4"),
    Known(r"tcgen05\.\S*b8x16", r"^$", "nvJitLink takes the formats of tcgen05.cp in other tcgen05 instructions"),
    Known(
        r"tcgen05\.mma\S* .*, !?%p\d(, !?(%p)?\d+){1,2};",
        r"^$",
        "nvJitLink takes a predicate for the mask of output lanes of tcgen05.mma",
    ),
    Known(
        r"(applypriority|cp)\.(reduce\.)?async\.bulk\.(prefetch\.)?tensor\.\S* ",
        r"^$",
        "nvJitLink takes constants, predicates and float registers for the addresses of tensor copies",
    ),
    Known(
        r"cp\.(reduce\.)?async\.bulk\.(prefetch\.)?tensor\.\S* [^;]*\{[^}]*%p\d",
        r"for instruction 'st'",
        "nvJitLink takes a predicate among the coordinates of a tensor copy where the target has the instruction itself, and "
        "refuses it where it makes others of it",
    ),
    Known(
        r"cp\.(reduce\.)?async\.bulk\.\S* .*(\[%b\d\]|, \{%rs\d\};)",
        r"^$",
        "nvJitLink takes an address in an 8-bit register, and a vector for the mask, in bulk copies",
    ),
    Known(
        r"((ld|st)matrix|cp\.async\.mbarrier)\.\S*shared\S* .*\[%\w*(rs|16_|b)\d\]",
        r"^$",
        "nvJitLink takes a narrow address in shared memory where the space is named",
    ),
    Known(
        r"(st|red)\.async\.",
        r"^$",
        "nvJitLink lets the mbarrier and the completion mechanism of st.async and red.async be left out, and mixes vectors "
        "and scalars",
    ),
    Known(
        r"cp\.async\.bulk\.",
        r"Arguments mismatch for instruction 'mov'",
        "where nvJitLink makes other instructions of a bulk copy, these want addresses of 64 bits",
    ),
    Known(
        r"multimem\.st\S*e[45]m[23]x4 .*%p\d",
        r"for instruction 'st'",
        "nvJitLink takes any 32-bit register for four narrow floats, but no predicate",
    ),
    Known(
        r"fence\.\S*(async|sync_restrict)",
        r"'\.(async|sync_restrict)' requires",
        "nvJitLink lets .async and .sync_restrict pass in fences where async proxies and they are known",
    ),
    Known(
        r"(ld|st)\.(\S*\.)?v8\.[busf](8|16) ",
        r"^$",
        "nvJitLink takes vectors of eight narrow elements in wider registers",
    ),
    Known(
        r"s(uld|ust|ured)\.\S*\.([45]d|b2)\.", r"^$", "nvJitLink takes words of other instructions in surface accesses"
    ),
    Known(r"fma\.r[zmp]\.relu\.", r"^$", "nvJitLink takes any rounding for fma.relu, the manual .rn alone"),
    Known(r"(mapa|getctarank)\.\S*s(32|64) ", r"^$", "nvJitLink takes signed addresses in mapa and getctarank"),
    Known(r"w?mma\.\S*f64\S* .*%[us]64_", r"^$", "nvJitLink takes 64-bit integers in fragments of doubles"),
    Known(
        r"atom[\w.:]*\.(and|or|xor|exch|add|inc|dec|min|max)[\w.:]* ",
        r"^$",
        "nvJitLink takes a third operand, which is read by no operation but cas",
    ),
    Known(
        r"tex\.\S*v2\.f16x2\.\S* \{[^}]*%p\d",
        r"for instruction 'mov'",
        "nvJitLink makes other instructions of the results of a texture fetch, which refuse the predicate that it takes itself",
    ),
    Known(
        r"mma\.sp\S*m16n8k32\S* .*, \d+;",
        r"out of range, expected to be in range \[0\.\.3\]",
        "nvJitLink refuses a selector beyond 3, whatever the shape; here it is a warning where the shape has two",
    ),
    Known(
        r"tcgen05\.(sync|aligned)\.",
        r"Unknown modifier",
        "nvJitLink takes the modifiers of tcgen05 in any order behind the operation; here in any order at all, with a warning",
    ),
    Known(
        r"(add|sub|mul|fma)\.\S*(e4m3x4|e5m2x4)\S* .*\{",
        r"^$",
        "nvJitLink takes a vector for one register of the packed FP8 arithmetic",
    ),
    Known(
        r"cvt\.\S*ue5m3x2\.b?f16x2 [^,]*,[^,]*, \S+;",
        r"^$",
        "nvJitLink takes the scale of cvt to ue5m3x2 without .scaled::n1::ue8m0, too",
    ),
    Known(
        r"fabric\.\S*acc::f(16|32)",
        r"^$",
        "nvJitLink takes an accumulator in every instruction of the fabric but pulls",
    ),
    Known(
        r"tcgen05\.(mma|st)\.\S*\.?b2[. ]",
        r"^$",
        "nvJitLink takes .b2, the type of spcompress, in tcgen05.mma and tcgen05.st",
    ),
    Known(
        r"mov\.v[24]\.\w+ [^;]*, %[\w.]+;",
        r"^$",
        "nvJitLink takes one register for a whole vector in mov, for which the manual has none",
        r"PTX204",
    ),
    Known(
        r"tensormap\.cp_fenceproxy\.", r"^$", "nvJitLink takes a field of tensormap.replace in tensormap.cp_fenceproxy"
    ),
    Known(
        r"set\.\S*\.bf16\.",
        r"^Arguments mismatch",
        "nvJitLink refuses a constant for the predicate of set with a .bf16 result",
    ),
    Known(
        r"bar(rier)?\.\S* .*\b4294967296\b",
        r"^$",
        "nvJitLink reads the lower 32 bits of a barrier's number; here the constant does not fit its type",
        r"PTX205",
    ),
    Known(
        r"cp\.async\.bulk\.\S*ignore_oob\S* .*\b4294967296\b",
        r"^$",
        "nvJitLink reads the lower 32 bits of the bytes to ignore; here the constant does not fit its type",
        r"PTX205",
    ),
    Known(
        r"sp(de)?compress\..*0d3F",
        r"for instruction '(st|mov)'",
        "nvJitLink stores the elements of a sparse vector, and refuses a double constant among them",
    ),
    Known(
        r"bar(rier)?\.(cta\.)?arrive\S* \S+, 0;",
        r"requires a non-zero thread count",
        "of a body, the verifier refuses an arrival that counts no threads (PTX504); an instruction by itself is not asked that",
    ),
    Known(
        r"(w?mma|mov|st|wmma\.store)\.\S*f64\S* .*\{[01](, 0)*\}",
        r"^$",
        "nvJitLink takes integer constants alone for a whole vector of doubles",
        r"PTX204",
    ),
    Known(
        r"wmma\.(mma|store)\S* .*\{0[fd]3F",
        r"^(Arguments mismatch|Unexpected instruction types)",
        "nvJitLink refuses floating constants of another width, or for integers, for a whole fragment",
    ),
    Known(
        r"(mma|multimem\.st)\.\S* .*\{0d3F\w*(, 0d3F\w*)*\}",
        r"^(Arguments mismatch|Unexpected instruction types)",
        "nvJitLink refuses double constants alone for a whole fragment of .f32, and in multimem.st",
    ),
    Known(
        r"(mov|multimem\.st|mma)\.\S* .*\{0[fd]3F\w*, %(b|rs)\d",
        r"^$",
        "nvJitLink takes a floating constant beside bytes and half words",
        r"PTX204",
    ),
    Known(
        r"(cvt\.rna\.|tcgen05\.(mma|st)\.).*0d3F",
        r"for instruction '(mov|st)'",
        "nvJitLink makes a mov or a st of a double constant where it wants 32 bits, and refuses that",
    ),
    Known(r".*", re.escape(CRASH), "the assembler itself crashed or hung; the manual forbids the instruction"),
)


def explain(text: str, answer: str | None, ours: str | None = None) -> Known | None:
    """The entry that explains these verdicts about this instruction; None when it is news."""
    for known in KNOWN:
        if not re.match(known.instruction, text) or not re.search(known.answer, answer or ""):
            continue
        if re.search(known.ours, ours or ""):
            return known
    return None
