"""Every instruction remembers the line that wrote it, and nothing is resolved until somebody asks."""

from __future__ import annotations

import linecache

import pytest

import ptxgen as px
from ptxgen import f32, u32
from ptxgen.ir import Instruction, resolve


def helper(k, x):
    return x * 2.0 + 1.0  # the helper's line


@px.func
def device_function(k: px.Builder, x: f32) -> f32:
    return x - 5.0  # the device function's line


@px.kernel
def kernel(k: px.Builder, n: u32, x: px.ptr[f32]):
    i = k.global_id.x  # index
    with k.if_(i < n):  # condition
        x[i] = helper(k, x[i])  # access
    for j in k.range(3):  # loop
        x[j] = device_function(x[j])  # call
    k.ptx.bar.sync(0)  # exact


def lines_of(function):
    """opcode -> texts of the lines that its instructions come from."""
    found = {}
    for instruction in function.instructions():
        places = resolve(instruction.source)
        if places:
            found.setdefault(instruction.opcode, []).append(linecache.getline(places[0].file, places[0].line).strip())
    return found


@pytest.fixture(scope="module")
def module():
    return kernel.module(strict=True)


def test_instructions_resolve_to_the_caller_s_line(module):
    found = lines_of(module.entries[0])
    assert found["setp"][0] == "with k.if_(i < n):  # condition"
    assert found["mad"][0] == "i = k.global_id.x  # index"
    assert found["mul"] == found["add"][:1] == ["return x * 2.0 + 1.0  # the helper's line"]
    assert "x[i] = helper(k, x[i])  # access" in found["ld"]
    assert found["bar"] == ["k.ptx.bar.sync(0)  # exact"]
    assert found["call"] == ["x[j] = device_function(x[j])  # call"]
    assert set(found["bra"]) == {"with k.if_(i < n):  # condition", "for j in k.range(3):  # loop"}


def test_device_functions_have_their_own_lines(module):
    (function,) = [f for f in module.functions if not f.is_entry]
    assert lines_of(function)["sub"] == ["return x - 5.0  # the device function's line"]


def test_every_instruction_but_the_last_ret_has_a_line_of_this_file(module):
    for function in module.functions:
        body = [i for i in function.instructions() if isinstance(i, Instruction)]
        for instruction in body[:-1]:
            places = resolve(instruction.source)
            if instruction.opcode in ("ld", "cvta") and not places:
                continue  # parameters are loaded before the first line
            assert places[0].kind == "python"
            assert places[0].file in (__file__, linecache.__file__), instruction


def test_sources_are_lazy(module):
    """A code object and an offset, no line: a line costs a walk through the table of the whole function."""
    sources = [i.source for i in module.entries[0].instructions() if i.source is not None]
    assert all(hasattr(code, "co_lines") and isinstance(offset, int) for code, offset in sources)


def test_a_verifier_s_finding_names_the_python_line():
    @px.kernel
    def reads_nothing(k: px.Builder, z: px.ptr[f32]):
        x = k.var(f32)
        z[0] = x  # not yet written

    with pytest.raises(px.VerifyError) as caught:
        reads_nothing.module(strict=True)
    (finding,) = caught.value.diagnostics
    assert finding.code == "PTX303"
    assert finding.locations[0].excerpt() == "z[0] = x  # not yet written"
    with pytest.warns(px.PtxWarning, match="PTX303"):
        reads_nothing.module()


def test_modules_are_equal_whatever_wrote_them():
    @px.kernel
    def kernel(k: px.Builder, n: u32, x: px.ptr[f32]):
        i = k.global_id.x
        with k.if_(i < n):
            doubled = x[i] * 2.0
            x[i] = doubled + 1.0
        for j in k.range(3):
            x[j] = device_function(x[j])
        k.barrier()

    assert str(kernel.module()) == str(globals()["kernel"].module())
    assert kernel.module() == globals()["kernel"].module()
