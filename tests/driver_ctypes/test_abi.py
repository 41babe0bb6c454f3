"""The ABI data: every size, every offset, every prototype, and the values that a wrong keystroke would ruin."""

import ctypes
import re
from enum import IntEnum, IntFlag
from pathlib import Path

import pytest

from driver_ctypes.abi import enums, functions, structs
from driver_ctypes.abi.functions import FUNCTIONS, SAME_PROTOTYPE, prototype

LAYOUTS = re.sub(r"\n +", " ", (Path(__file__).parent / "data" / "layouts.txt").read_text()).splitlines()[1:]


def field(struct, path):
    """(offset, size) of a dotted path such as ``allocFlags.usage``."""
    offset = 0
    for name in path.split("."):
        descriptor = getattr(struct, name)
        offset += descriptor.offset
        struct = dict(struct._fields_).get(name)
    return offset, descriptor.size


@pytest.mark.parametrize("line", LAYOUTS, ids=lambda line: line.split()[0])
def test_layout(line):
    head, _, fields = line.partition(":")
    name, size = head.split()
    struct = getattr(structs, name)
    assert ctypes.sizeof(struct) == int(size)
    for path, offset, width in re.findall(r"(\S+)@(\d+)\((\d+)\)", fields):
        assert field(struct, path) == (int(offset), int(width)), path


def test_a_function_has_one_row():
    text = Path(functions.__file__).read_text().split('"""', 2)[-1]
    rows = re.findall(r"^(cu\w+) \d{4,5}\b", text, re.MULTILINE)
    assert len(rows) == len(set(rows)) == len(FUNCTIONS)


def test_every_structure_is_in_the_layout_table():
    known = {line.split()[0] for line in LAYOUTS}
    ours = {name for name in dir(structs) if name.startswith("CU")}
    assert ours == known


def test_every_function_has_a_prototype():
    assert len(FUNCTIONS) >= 342
    for symbol, spec in FUNCTIONS.items():
        kind = prototype(symbol)
        assert kind._restype_ is ctypes.c_int
        assert len(kind._argtypes_) == len(spec.args)
        assert kind is prototype(symbol)
    with pytest.raises(KeyError):
        prototype("cuFrobnicate")


def test_the_gil_is_released_during_a_call():
    assert prototype("cuInit")._flags_ & 4 == 0  # FUNCFLAG_PYTHONAPI


@pytest.mark.parametrize(
    "symbol, name, version, ptds, arguments",
    [
        ("cuCtxSynchronize", "cuCtxSynchronize", 2000, 0, 0),  # 13000 would give the one with a context argument
        ("cuCtxSynchronize_v2", "cuCtxSynchronize", 13000, 0, 1),
        ("cuCtxGetDevice", "cuCtxGetDevice", 2000, 0, 1),
        ("cuGraphAddKernelNode", "cuGraphAddKernelNode", 10000, 0, 5),  # 56-byte params
        ("cuGraphAddKernelNode_v2", "cuGraphAddKernelNode", 12000, 0, 5),  # 72-byte params
        ("cuGraphExecUpdate", "cuGraphExecUpdate", 10020, 0, 4),
        ("cuGraphExecUpdate_v2", "cuGraphExecUpdate", 12000, 0, 3),
        ("cuStreamBeginCapture_v2", "cuStreamBeginCapture", 10010, 10010, 2),
        ("cuMemcpyHtoD_v2", "cuMemcpyHtoD", 3020, 7000, 3),
        ("cuLaunchKernelEx", "cuLaunchKernelEx", 11060, 11060, 4),
        ("cuGetProcAddress_v2", "cuGetProcAddress", 12000, 0, 5),
        ("cuEventElapsedTime_v2", "cuEventElapsedTime", 12080, 0, 3),
    ],
)
def test_row(symbol, name, version, ptds, arguments):
    spec = FUNCTIONS[symbol]
    assert (spec.name, spec.version, spec.ptds, len(spec.args)) == (name, version, ptds, arguments)


def test_rows_with_the_same_lookup_name_have_different_versions():
    """The version is what tells two ABIs of one name apart."""
    pairs = [(spec.name, spec.version) for spec in FUNCTIONS.values()]
    assert len(pairs) == len(set(pairs))


def test_structures_by_value():
    by_value = {symbol: [t for _, t in spec.args if hasattr(structs, t)] for symbol, spec in FUNCTIONS.items()}
    assert {symbol: tokens for symbol, tokens in by_value.items() if tokens} == {
        "cuMemAdvise_v2": ["CUmemLocation"],
        "cuMemPrefetchAsync_v2": ["CUmemLocation"],
        "cuIpcOpenMemHandle_v2": ["CUipcMemHandle"],
        "cuIpcOpenEventHandle": ["CUipcEventHandle"],
    }


def test_a_structure_by_value_arrives_whole():
    kind = prototype("cuIpcOpenMemHandle_v2")
    seen = []

    def handler(pdptr, handle, flags):
        seen.append((bytes(handle.reserved), flags))
        return 0

    emulated = kind(handler)
    pattern = bytes(range(64))
    real = kind(ctypes.cast(emulated, ctypes.c_void_p).value)
    assert real(None, structs.CUipcMemHandle((ctypes.c_ubyte * 64)(*pattern)), 7) == 0
    assert seen == [(pattern, 7)]


def test_same_prototype_names_a_row_and_an_older_version():
    for symbol, (older, version) in SAME_PROTOTYPE.items():
        assert FUNCTIONS[symbol].name == older
        assert version < FUNCTIONS[symbol].version


@pytest.mark.parametrize("name", [n for n in dir(enums) if n.startswith("CU")])
def test_enum(name):
    kind = getattr(enums, name)
    assert issubclass(kind, (IntEnum, IntFlag))
    assert len(kind.__members__) >= 1


@pytest.mark.parametrize(
    "member, value",
    [
        ("CUresult.ERROR_INVALID_PTX", 218),
        ("CUresult.ERROR_STREAM_CAPTURE_WRONG_THREAD", 908),
        ("CUresult.ERROR_UNKNOWN", 999),
        ("CUdevice_attribute.COMPUTE_CAPABILITY_MAJOR", 75),
        ("CUdevice_attribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", 97),
        ("CUdevice_attribute.CLUSTER_LAUNCH", 120),
        ("CUfunction_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES", 8),
        ("CUjit_option.ERROR_LOG_BUFFER_SIZE_BYTES", 6),
        ("CUjit_target.COMPUTE_90A", 0x1005A),
        ("CUlaunchAttributeID.CLUSTER_DIMENSION", 4),
        ("CUgraphNodeType.CONDITIONAL", 13),
        ("CUstreamCaptureMode.THREAD_LOCAL", 1),
        ("CUevent_flags.DISABLE_TIMING", 2),
        ("CUtensorMapSwizzle.SWIZZLE_128B", 3),
        ("CUtensorMapDataType.TYPE_16U4_ALIGN8B", 13),
    ],
)
def test_enum_value(member, value):
    kind, _, name = member.partition(".")
    assert getattr(enums, kind)[name] == value


def test_flags_combine():
    both = enums.CUgraphInstantiate_flags.UPLOAD | enums.CUgraphInstantiate_flags.USE_NODE_PRIORITY
    assert both == 10


def test_an_unknown_enum_is_an_attribute_error():
    with pytest.raises(AttributeError, match="CUfrob"):
        enums.CUfrob


# --- against the driver's own list of names -------------------------------------------------------------------------

EXPORTED = (Path(__file__).parent / "data" / "libcuda_exports_r580.txt").read_text().split()
DRIVER_580 = 13000  # the CUDA version of libcuda 580.159.04, whose exports these are


def test_every_row_that_driver_580_has_is_exported_there():
    ours = {symbol for symbol, spec in FUNCTIONS.items() if spec.version <= DRIVER_580}
    assert sorted(ours - set(EXPORTED)) == []
    twins = {f"{s}_{spec.suffix}" for s, spec in FUNCTIONS.items() if spec.suffix and spec.version <= DRIVER_580}
    assert sorted(twins - set(EXPORTED)) == []


def test_what_driver_580_lacks_is_newer_than_it():
    lacking = sorted(set(FUNCTIONS) - set(EXPORTED))
    assert "cuFuncGetParamCount" in lacking
    assert [symbol for symbol in lacking if FUNCTIONS[symbol].version <= DRIVER_580] == []


@pytest.mark.cuda_only
def test_the_driver_gives_every_function_of_its_version():
    """By name and version from cuGetProcAddress or by export: what is not newer than the driver is there."""
    import driver_ctypes as dc

    driver = dc.driver("cuda")
    missing = [each for each in dc.diagnose("cuda").missing if each.since <= driver.version]
    assert [each.symbol for each in missing if each.symbol != "cuDeviceGetLuid"] == []  # Windows only
    assert [each.symbol for each in dc.diagnose("cuda").missing if each.symbol in EXPORTED] == []


@pytest.mark.cuda_only
def test_the_driver_and_its_exports_are_one_abi():
    """cuGetProcAddress with a row's version gives the very function that the row's symbol is exported as."""
    import driver_ctypes as dc

    library = dc.driver("cuda").resolve
    differ = []
    for symbol, spec in FUNCTIONS.items():
        exported = library._exported(symbol)
        if exported and spec.version <= dc.driver("cuda").version:
            asked = library(symbol, spec.version)
            if asked != exported:
                differ.append(symbol)
    assert differ == []
