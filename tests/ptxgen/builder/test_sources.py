"""Every instruction remembers the line that wrote it, and nothing is resolved until somebody asks."""

from __future__ import annotations

import linecache
from concurrent.futures import ThreadPoolExecutor

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
    """Code objects and offsets, no line: a line costs a walk through the table of the whole function."""
    sources = [i.source for i in module.entries[0].instructions() if i.source is not None]
    for source in sources:
        assert all(hasattr(code, "co_lines") for code in source[::2])
        assert all(isinstance(offset, int) for offset in source[1::2])


def read(array, i):
    return array[i]  # the innermost line


def read_back(array, i):
    return [read(array, i + n) for n in range(64)]  # the caller


@px.kernel(threads=64)
def unordered(k: px.Builder, x: px.ptr[f32]):
    tile = k.shared(f32, 128)  # the declaration
    tile[k.tid.x] = x[0]
    x[1] = sum(read_back(tile, k.tid.x), k.const(f32, 0.0))  # the kernel


@px.kernel
def uninitialised(k: px.Builder, x: px.ptr[f32]):
    accumulators = [k.var(f32) for _ in range(64)]
    for n, each in enumerate(accumulators):
        x[n] = each  # stored
    x[64] = k.var(f32)  # stored elsewhere


def test_a_finding_in_a_helper_names_its_callers_and_the_variable():
    with pytest.warns(px.PtxWarning):
        (finding,) = [each for each in px.verify(unordered.module()) if each.code == "PTX507"]
    kinds = [place.kind for place in finding.locations]
    assert [kind for kind in kinds if kind != "caller"] == ["python", "declaration", "ptx"]
    texts = [place.excerpt().rpartition("# ")[2] for place in finding.locations]
    assert (texts[0], texts[kinds.index("declaration")]) == ("the innermost line", "the declaration")
    callers = [text for text, kind in zip(texts, kinds) if kind == "caller"]
    assert callers == ["the caller", "the kernel"]
    assert f"called at {__file__}:" in str(finding)
    assert finding.to_dict()["locations"][1]["kind"] == "caller"


def test_the_same_of_many_registers_of_one_line_is_one_finding():
    with pytest.warns(px.PtxWarning):
        first, second = px.verify(uninitialised.module())
    assert (first.code, first.count, first.locations[0].excerpt()) == ("PTX303", 64, "x[n] = each  # stored")
    assert (second.count, second.locations[0].excerpt()) == (1, "x[64] = k.var(f32)  # stored elsewhere")
    assert "64 times" in str(first)
    assert first.to_dict()["count"] == 64


def callers_of(function):
    """opcode -> the marks of the lines that each of its instructions comes from, innermost first."""
    found = {}
    for each in function.instructions():
        marks = [place.excerpt().rpartition("# ")[2] for place in resolve(each.source)]
        found.setdefault(each.opcode, []).append(marks)
    return found


def resumed(x):
    x *= 2.0  # before
    yield
    x *= 3.0  # after
    yield helper(None, x)  # helped


def first(parts):
    next(parts)  # first


def second(parts):
    return next(parts)  # second


def deep(x, depth):
    return deep(x, depth - 1) if depth else x * 2.0  # deep


def fails(x):
    x = x - 1.0  # fails
    raise ValueError(x - 2.0)  # raises


def test_callers_are_those_at_the_time():
    """Of a generator, who resumed it; of a helper, each call; behind an exception and another kernel, the kernel itself."""

    @px.kernel
    def resumes(k: px.Builder, x: px.ptr[f32]):
        value = k.var(f32, 0)
        parts = resumed(value)
        first(parts)  # one
        x[0] = second(parts)  # two

    found = callers_of(resumes.module().entries[0])
    assert found["mul"] == [
        ["before", "first", "one"],
        ["after", "second", "two"],
        ["the helper's line", "helped", "second", "two"],
    ]

    @px.kernel
    def calls(k: px.Builder, x: px.ptr[f32]):
        value = helper(k, x[0])  # one
        value = helper(k, value)  # two
        for _ in range(2):
            with pytest.raises(ValueError):
                fails(value)  # failed
        x[0] = value - 4.0  # behind
        resumes.module()
        x[0] = value / 2.0  # last

    found = callers_of(calls.module().entries[0])
    assert found["mul"] == [["the helper's line", "one"], ["the helper's line", "two"]]
    assert found["sub"] == [["fails", "failed"], ["raises", "failed"]] * 2 + [["behind"]]
    assert found["div"] == [["last"]]


def test_the_nearest_callers_are_kept():
    @px.kernel
    def recurses(k: px.Builder, x: px.ptr[f32]):
        for depth in (3, 40, 15, 16, 17):
            x[0] = deep(x[0], depth)

    (*sources,) = [each.source for each in recurses.module().entries[0].instructions() if each.opcode == "mul"]
    assert [len(source) // 2 for source in sources] == [5, 17, 17, 17, 17]
    assert [source[-2].co_name for source in sources] == ["recurses", "deep", "recurses", "deep", "deep"]


def test_threads_trace_at_the_same_time():
    def traced(_):
        return callers_of(kernel.module().entries[0])

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(traced, range(8))) == [traced(None)] * 8


def test_a_device_function_s_line_has_no_callers(module):
    """It is traced once for all of them."""
    (function,) = [f for f in module.functions if not f.is_entry]
    assert all(len(resolve(i.source)) <= 1 for i in function.instructions())


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
