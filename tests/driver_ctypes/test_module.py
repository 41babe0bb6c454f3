"""Modules and functions: loading, looking up, attributes, and what is known of the parameters."""

import ctypes
import gc
from pathlib import Path

import pytest

import driver_ctypes as dc
from driver_ctypes.abi.enums import CUjit_option
from driver_ctypes.modules.names import Declared
from tests.driver_ctypes.conftest import PTX, SAXPY, SIGNATURES
from tests.driver_ctypes.fake import Fake


def test_a_module(fake, context):
    with context.load(PTX, signatures=SIGNATURES) as module:
        assert module.function("saxpy").name == "saxpy"
        assert module.function("saxpy") is module.function("saxpy")
        assert module.function("saxpy").signature == SAXPY
        assert module.global_("table") == (0xABC000, 64)
        assert module.function_names() == ("saxpy", "empty", "mixed")
        function = module.function("saxpy")
    assert fake.modules == {}
    for use in (
        lambda: module.function("saxpy"),
        lambda: function.launch(1, 1, 1, 1.0, 0, 0),
        lambda: function.bind(1, 1),
    ):
        with pytest.raises(dc.ClosedError, match="module is closed"):
            use()


def test_a_function_keeps_its_module(fake, context):
    function = context.load(PTX).function("empty")
    gc.collect()
    context.synchronize()
    assert len(fake.modules) == 1
    function.launch(1, 1)
    del function
    gc.collect()
    context.synchronize()
    assert fake.modules == {}


def test_no_function_or_variable_of_that_name(module):
    with pytest.raises(dc.NotFoundError, match="no kernel is called 'saxpi'; there are: saxpy, empty, mixed") as caught:
        module.function("saxpi")
    assert ".visible" in caught.value.hint
    with pytest.raises(dc.NotFoundError, match="no variable is called 'tables'"):
        module.global_("tables")


def test_attributes(fake, module):
    function = module.function("saxpy")
    assert function.attributes == dc.FunctionAttributes(
        registers=16, static_shared=0, local=0, constant=0, max_threads=1024, ptx_version=90, binary_version=90,
        max_dynamic_shared=49152,
    )  # fmt: skip
    function.set_attribute(8, 65536)
    assert function.attributes.max_dynamic_shared == 65536


def test_without_a_signature_the_driver_tells_the_sizes(fake, context):
    function = context.load(PTX).function("mixed")
    declared = "(a: opaque1, b: opaque2, c: opaque8, d: opaque2, e: opaque2, f: f64, g: bytes24)"
    assert str(function.signature) == declared  # names and floats are the text's
    context.load(PTX).function("saxpy").launch(1, 1, 1, b"\0\0\x80\x3f", 16, context.alloc(4))
    assert fake.launches[0].args[1] == b"\0\0\x80\x3f"


def test_a_signature_that_contradicts_the_code(context):
    wrong = dc.Signature([dc.Parameter("n", "u64"), *SAXPY.params[1:]])
    with pytest.raises(
        dc.ArgumentError, match=r"parameters of \[8, 4, 8, 8\] bytes, the loaded code of \[4, 4, 8, 8\]"
    ):
        context.load(PTX, signatures={"saxpy": wrong}).function("saxpy")
    with pytest.raises(dc.ArgumentError, match="the loaded code"):
        context.load(PTX, signatures={"saxpy": dc.Signature(SAXPY.params[:3])}).function("saxpy")


def test_an_old_driver_cannot_tell_the_parameters():
    context = Fake(version=12020).open().device(0).primary_context()
    with pytest.raises(dc.ArgumentError, match="not known") as caught:
        module = context.load(PTX)
        module._declared = Declared({}, {})  # as of a fatbin
        module.function("saxpy").launch(1, 1, 1, 1.0, 0, 0)
    assert "signatures=" in caught.value.hint
    context.load(PTX, signatures=SIGNATURES).function("saxpy").launch(1, 1, 1, 1.0, 0, 0)
    context.load(PTX).function("saxpy").launch(1, 1, 1, 1.0, 0, 0)


def test_the_driver_is_asked_only_what_it_can_answer(fake, context, monkeypatch):
    """compute-sanitizer reports calls that fail, so none is made for one parameter too many where the number is known."""
    failed = []
    answer = fake.cuFuncGetParamInfo

    def spy(function, index, offset, size):
        code = answer(function, index, offset, size)
        failed.extend([index] if code else [])
        return code

    monkeypatch.setattr(fake, "cuFuncGetParamInfo", spy)
    for signatures in (SIGNATURES, {}):
        module = context.load(PTX, signatures=signatures)
        assert all(module.function(name).parameters for name in ("saxpy", "mixed"))
    assert failed == []
    module._declared = Declared({}, {})  # as of a fatbin
    assert len(module.function("mixed").parameters) == 7
    assert set(failed) == {7}


def test_a_newer_driver_says_how_many_parameters_there_are():
    class Newer(Fake):
        def cuFuncGetParamCount(self, function, out):
            ctypes.c_size_t.from_address(out).value = len(self.kernels[function].sizes)

        def cuFuncGetParamInfo(self, function, index, offset, size):
            assert index < len(self.kernels[function].sizes)
            return super().cuFuncGetParamInfo(function, index, offset, size)

    module = Newer(version=13020).open().device(0).primary_context().load(PTX)
    module._declared = Declared({}, {})
    assert str(module.function("saxpy").signature).count("opaque") == 4


def test_options_reach_the_compiler(fake, context):
    seen = []
    load = fake.cuModuleLoadDataEx

    def spy(out, image, count, options, values):
        keys = (ctypes.c_int * count).from_address(options)
        seen.append(dict(zip(keys, (ctypes.c_void_p * count).from_address(values))))
        return load(out, image, count, options, values)

    fake.cuModuleLoadDataEx = spy
    context.load(PTX, options={CUjit_option.MAX_REGISTERS: 64})
    assert seen[0][0] == 64
    assert seen[0][12] == 1  # verbose, for the resources
    assert set(seen[0]) == {0, 2, 3, 4, 5, 6, 12}
    with pytest.raises(dc.ArgumentError, match="log buffers"):
        context.load(PTX, options={CUjit_option.INFO_LOG_BUFFER: 0})


def elf(sections_at, count, size):
    header = bytearray(64)
    header[:4] = b"\x7fELF"
    header[40:48] = sections_at.to_bytes(8, "little")
    header[58:60] = (64).to_bytes(2, "little")
    header[60:62] = count.to_bytes(2, "little")
    return bytes(header).ljust(size, b"\1")


FATBIN = b"\x50\xed\x55\xba" + (1).to_bytes(2, "little") + (16).to_bytes(2, "little") + (100).to_bytes(8, "little")


@pytest.mark.parametrize(
    "image, kind, message",
    [
        (elf(64, 4, 200), dc.ArgumentError, "truncated: its header promises 320 bytes, it has 200"),
        (b"\x7fELF", dc.ArgumentError, "truncated"),
        (FATBIN + b"x" * 99, dc.ArgumentError, "promises 116 bytes, it has 115"),
        (".version 8.0\0.target sm_90", dc.ArgumentError, "NUL"),
        (5, dc.ArgumentTypeError, "not int"),
        (None, dc.ArgumentTypeError, "not NoneType"),
    ],
    ids=["cubin", "elf magic", "fatbin", "nul", "int", "None"],
)
def test_an_image_that_would_be_read_beyond_its_end(fake, context, image, kind, message):
    with pytest.raises(kind, match=message):
        context.load(image)
    assert fake.counts["cuModuleLoadDataEx"] == 0


@pytest.mark.parametrize(
    "image", [PTX, PTX.encode(), PTX.encode() + b"\0", bytearray(PTX.encode()), memoryview(PTX.encode())],
    ids=["str", "bytes", "with NUL", "bytearray", "memoryview"],
)  # fmt: skip
def test_forms_of_an_image(context, image):
    assert context.load(image).function_names() == ("saxpy", "empty", "mixed")


def test_a_load_that_fails_for_another_reason(fake, context):
    fake.fail("cuModuleLoadDataEx", 2)
    with pytest.raises(dc.OutOfMemoryError):
        context.load(PTX)
    assert context.load(PTX).function("empty")


@pytest.mark.parametrize("image", ["kernel.ptx", Path("kernel.cubin")])
def test_a_files_name_is_no_image(context, image):
    with pytest.raises(dc.ArgumentError, match=r"(file's name|not \w*Path)(.|\n)*read_bytes"):
        context.load(image)
