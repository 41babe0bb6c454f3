"""What assemblers take although no manual has it: the probe's findings that are not missing forms, each with its reason."""

from __future__ import annotations

import re
from typing import NamedTuple

from tools.certify.known import KNOWN

__all__ = ["LENIENT_FORMS", "LenientForm", "lenient_form"]


class LenientForm(NamedTuple):
    """Regular expressions for the instruction and for the verifier's words, and why the table stays as it is."""

    instruction: str
    reason: str
    ours: str = ""


LENIENT_FORMS: tuple[LenientForm, ...] = (
    LenientForm(
        r"\S*\.b2(\.|$| |;)",
        "nvJitLink takes .b2, the size of an index of spcompress, behind most instructions",
        "PTX201",
    ),
    LenientForm(
        r"(?!mov)\S*\.(pred|samplerref|surfref|texref)(\.| |;)",
        "nvJitLink takes .pred and the types of handles beside the types of arithmetic and conversions",
        "PTX201",
    ),
    LenientForm(
        r"(ld|st|stmatrix|movmatrix)\S*\.([bsu][124]|bf16(x2)?|tf32)(\.| |;)",
        "nvJitLink takes a further type before or behind the type of matrix loads, stores and transpositions",
        "PTX201",
    ),
    LenientForm(
        r"(ldmatrix|stmatrix|movmatrix)\S*\.(row|col)(\.| )", "nvJitLink takes a layout for moves of matrices", "PTX201"
    ),
    LenientForm(
        r"(match|redux|shfl|vote|bar)\.\S*no_membermask_overlap",
        "nvJitLink takes .no_membermask_overlap, which no manual has, in exchanges within a warp",
        "PTX201",
    ),
    LenientForm(
        r"(tex|tld4)\.\S*\.uni(\.| )", "nvJitLink takes .uni, which no manual has, in texture fetches", "PTX201"
    ),
    LenientForm(r"bar(rier)?\.\S*\.(all|any)(\.| )", "nvJitLink takes .all and .any of votes in barriers", "PTX201"),
    LenientForm(
        r"(ld|ldu|cp)\.\S*L1::32B", "nvJitLink takes the size .L1::32B of prefetch in loads and copies", "PTX201"
    ),
    LenientForm(r"sust\.b\.\S*\.v8", "nvJitLink takes .v8 beside the vector of a surface store", "PTX201"),
    LenientForm(
        r"tensormap\.\S*alloc_(small|large|same)|tensormap\.query\.alloc_class_large",
        "no manual up to PTX 9.4 says what the allocation classes of tensor maps are",
    ),
    LenientForm(r"(addc|subc|madc)\.\S*sat", "nvJitLink takes .sat in additions with a carry", "PTX201"),
    LenientForm(r"(sin|cos)\.\S*\b2pi", "no manual has .2pi, which asks for an angle in turns", "PTX201"),
    LenientForm(
        r"(fence|cp|tcgen05)\.\S*sync_restrict::(read|shared::(cta|cluster(::read)?))(\.| |;)",
        "nvJitLink takes the restriction of fences in other fences and in waits",
        "PTX201",
    ),
    LenientForm(
        r"fence\.proxy\.\S*\.(shared|global)", "nvJitLink takes a state space in fences between proxies", "PTX201"
    ),
    LenientForm(
        r"(tcgen05|wgmma)\.\S*\.(row|col)(\.| |;)", "nvJitLink takes layouts of mma in tcgen05 and wgmma", "PTX201"
    ),
    LenientForm(r"wgmma\.\S*\.v[248] ", "nvJitLink takes a vector for the many registers of wgmma", "PTX201"),
    LenientForm(r"(suld|sust|sured)\.\S*1d_buffer", "no manual has the geometry .1d_buffer of surfaces", "PTX201"),
    LenientForm(
        r"tex\.\S*[45]d\.", "nvJitLink takes the numbers of dimensions of tensors in texture fetches", "PTX201"
    ),
    LenientForm(
        r"vset\.\S*\.(lo|ls|hi|hs)(\.| )",
        "nvJitLink takes unsigned comparisons in vset, which compares by type",
        "PTX201",
    ),
    LenientForm(r"(setmaxnreg|clmad)\.\S*\.s(32|64) ", "nvJitLink takes the signed type of the same width", "PTX201"),
    LenientForm(r"txq\.\S*memory_layout", "nvJitLink takes the query of surfaces for textures", "PTX201"),
    LenientForm(
        r"fence\.proxy\.\S*\.acq_rel",
        "nvJitLink takes .acq_rel in fences between proxies, of which the manual has acquires and releases",
        "PTX201",
    ),
    LenientForm(
        r"(tex|tld4)\.\S* .*, %rd\d+, \[",
        "nvJitLink takes one handle more before the address of a texture fetch",
        "PTX204",
    ),
    LenientForm(
        r"v\w+\.\S* 0, ", "nvJitLink takes a constant for the result of video instructions", "PTX204 operand 1"
    ),
    LenientForm(
        r"tcgen05\.mma\.\S* .*, %p\d+, %p\d+", "nvJitLink takes a predicate for the mask of output lanes", "PTX204"
    ),
    LenientForm(r"(addc|subc|madc)\.\S*[us]16", "nvJitLink takes 16-bit types in additions with a carry", "PTX201"),
    LenientForm(
        r"(multimem\.)?cp\.async\.bulk(?!\S*relaxed)\S*\.b128",
        "nvJitLink takes the type of relaxed bulk copies in those that are weak",
        "PTX201",
    ),
    LenientForm(
        r"ld\.\S*v8\S*proxy::readonly",
        "nvJitLink takes eight narrow elements in a load through the read-only proxy, and in no other load",
        "PTX201",
    ),
    LenientForm(
        r"mbarrier\.check_layout\S*\.(cta|cluster|gpu|sys) ", "nvJitLink takes a scope behind the type", "PTX201"
    ),
    LenientForm(
        r"mbarrier\.arrive\S*multicast::cluster::32b",
        "nvJitLink takes a register for the state of an arrival at other CTAs, which gives none",
        "PTX204 operand 1",
    ),
    LenientForm(r"prefetch\.\S*tensormap", "nvJitLink takes the size .L1::32B in prefetches of tensor maps", "PTX201"),
    LenientForm(r"trace\.mark", "no manual up to PTX 9.4 has trace.mark"),
    LenientForm(r"cctlu?(\.| |;|$)", "no manual has cctl, the cache control of the hardware's own instructions"),
)


def lenient_form(text: str, ours: str) -> LenientForm | None:
    """The entry that explains why this is taken; None when it is news. What the certifier knows is not news here."""
    for entry in LENIENT_FORMS:
        if re.match(entry.instruction, text) and re.search(entry.ours, ours):
            return entry
    for known in KNOWN:
        if re.search(known.answer, "") and re.match(known.instruction, text) and re.search(known.ours, ours):
            return LenientForm(known.instruction, known.reason, known.ours)
    return None
