"""What PTX text declares of a kernel's parameters, for kernels that are given no signature."""

import ctypes
import pickle

import numpy as np
import pytest

import driver_ctypes as dc
from driver_ctypes.modules.images import (
    count_parameters,
    dynamic_alignments,
    entry_heads,
    head_signature,
    told_signature,
)


def declared_signature(text, name):
    return head_signature(entry_heads(text)[name])


ROWS = {
    "": (),
    ".param .u32 n, .param .f32 a": (("n", "opaque", 4), ("a", "bytes", 4)),
    ".param .s8 a, .param .u16 b, .param .s64 c": (("a", "opaque", 1), ("b", "opaque", 2), ("c", "opaque", 8)),
    ".param .f64 a, .param .b32 b, .param .b64 c": (("a", "bytes", 8), ("b", "opaque", 4), ("c", "opaque", 8)),
    ".param .u64 x": (("x", "opaque", 8),),
    ".param .u64 .ptr x": (("x", "pointer", 8),),
    ".param .u64 .ptr .global .align 16 x": (("x", "pointer", 8),),
    ".param .u64 .ptr .align 4 x": (("x", "pointer", 8),),
    ".param .u64 .ptr .shared .align 4 x": (("x", "opaque", 8),),
    ".param .align 8 .b8 s[24]": (("s", "bytes", 24),),
    ".param .align 64 .b8 map[128],\n    .param .b32 v[4]": (("map", "bytes", 128), ("v", "bytes", 16)),
    ".param .u32 n, // how many, .param .f32 never\n .param /* , */ .f32 $a%1": (
        ("n", "opaque", 4),
        ("$a%1", "bytes", 4),
    ),
}


@pytest.mark.parametrize("head", ROWS)
def test_a_head_is_read(head):
    for form in (f".visible .entry k({head})\n{{ ret; }}", f".entry k\n(\n{head}\n)\n.maxntid 32, 1, 1\n{{ ret; }}"):
        signature = declared_signature(
            f"// .entry k(.param .u8 no)\n.entry other(.param .u8 no) {{ ret; }}\n{form}", "k"
        )
        assert tuple([(param.name, param.kind, param.size) for param in signature.params]) == ROWS[head]
        assert len(ROWS[head]) == count_parameters(entry_heads(form)["k"])


def test_alignments_are_read():
    text = ".entry k(.param .u64 .ptr .global .align 16 x, .param .align 64 .b8 map[128], .param .b32 v[4])"
    x, table, v = declared_signature(text, "k").params
    assert (x.aligned, table.align, v.align) == (16, 64, 4)


@pytest.mark.parametrize("head", [".param .texref t", ".param .u32", ".reg .u32 n", ".param .pred p", "..."])
def test_what_is_not_known_leaves_the_kernel_to_the_driver(head):
    assert declared_signature(f".entry k({head}) {{ ret; }}", "k") is None
    assert str(told_signature({"k": head}, "k", [8])) == "(param_0: opaque8)"


def test_the_loaded_code_has_the_last_word():
    heads = entry_heads(".entry k(.param .u32 n) { ret; }")
    assert str(told_signature(heads, "k", [4])) == str(told_signature(heads, "k", None)) == "(n: opaque4)"
    assert str(told_signature(heads, "k", [8])) == "(param_0: opaque8)"
    assert str(told_signature(heads, "other", [8])) == "(param_0: opaque8)"
    assert told_signature({}, "k", None) is None


def test_what_only_a_comment_says_is_no_head():
    assert entry_heads("// .entry no()\n.entry yes() { }") == {"yes": ""}
    assert entry_heads("/* .entry no()\n */ .entry a\n{ } .entry b(.param .u8 n /* ) */ ) { }").keys() == {"a", "b"}


DYNAMIC = """
.extern .shared .align 1024 .b8 dyn[];
.extern .shared .align 16 .b8 small[];
// .extern .shared .align 4096 .b8 comment[];
.visible .func (.param .b32 r) helper(.param .b32 a) { HELPER }
.visible .entry uses(.param .u64 x) { mov.u32 %r1, dyn; }
.visible .entry other(.param .u64 x) { mov.u32 %r1, small; mov.u32 %r2, dyn_2; }
"""


def test_the_alignment_that_each_kernel_declares():
    assert dynamic_alignments(DYNAMIC) == {"uses": 1024}
    assert dynamic_alignments(DYNAMIC.replace("HELPER", "mov.u32 %r1, dyn;")) == {"uses": 1024, "other": 1024}
    assert dynamic_alignments(DYNAMIC.replace("1024", "16")) == {}
    assert dynamic_alignments(".visible .entry k() { }") == {}


def test_a_float_takes_numbers_and_exact_bytes(context):
    signature = declared_signature(".entry k(.param .f32 a, .param .f64 b)", "k")
    assert str(signature) == "(a: f32, b: f64)"
    for one in (2, 2.0, np.float32(2), np.int8(2), ctypes.c_float(2), ctypes.c_int(2), b"\0\0\0\x40"):
        assert signature.convert((one, 0.5), context)[0] == b"\0\0\0\x40"
    for wrong in ("2", None, 2j, [2.0], np.zeros(2)):
        with pytest.raises(dc.ArgumentTypeError, match=r"k: argument 1 \(a: f32\): expected a number, found"):
            signature.convert((wrong, 0.5), context, "k")
    with pytest.raises(dc.ArgumentRangeError, match="too large for f32"):
        signature.convert((1e300, 0.5), context)
    assert pickle.loads(pickle.dumps(signature)) == signature
